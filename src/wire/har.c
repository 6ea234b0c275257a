/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/har.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/gz.h"
#include "base/json.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/out.h"
#include "base/page_case.h"
#include "base/redact.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "wire/auth.h"
#include "wire/http_message.h"

static bool har_entry_copy(const struct har_entry *e,
			   struct http_response *response, struct error *err)
			   MUST_CHECK;

/* Inspecting the content of a case, see har.h. */

size_t har_held_count(const struct har *h)
{
	return h->count;
}

struct har_held har_held_at(const struct har *h, size_t i)
{
	const struct har_entry *e = &h->entries[i];

	return (struct har_held){
		.url = e->url,
		.body = buf_str(&e->request_body),
		.has_answer =
			e->response.status == 200 && e->response.body.len > 0,
	};
}

bool har_held_response(const struct har *h, size_t i,
		       struct http_response *response, struct error *err)
{
	return har_entry_copy(&h->entries[i], response, err);
}

void har_relax(struct har *h)
{
	h->is_relaxed = true;
}

static struct str path_of(const char *url)
{
	return (struct str){ url, strcspn(url, "?") };
}

#define TRACE_ID_DIGITS 32

struct str har_held_trace(const char *url)
{
	struct str path = path_of(url), id = STR("");
	size_t at = str_find(path, STR("/traces/"));

	if (at == SIZE_MAX)
		return id;
	id = str_slice(path, at + 8, path.len);
	if (id.len > TRACE_ID_DIGITS)
		return STR("");
	for (size_t i = 0; i < id.len; i++)
		if (!ascii_is_hex(id.ptr[i]))
			return STR("");
	return id;
}

bool har_held_is_search(const char *url)
{
	struct str path = path_of(url);

	return url[path.len] == '?' && (str_ends(path, STR("/api/search")) ||
					str_ends(path, STR("/traces")));
}

/* Splits at TraceQL's "|select(...)"; false if absent. */
static bool part_at_select(struct str url, struct str *before,
			   struct str *after)
{
	static const struct str begins = { "%7Cselect%28", 12 };
	static const struct str ends = { "%29", 3 };
	size_t from = str_find(url, begins), to;

	if (from == SIZE_MAX)
		return false;
	*before = str_slice(url, 0, from);
	*after = str_slice(url, from + begins.len, url.len);
	to = str_find(*after, ends);
	*after =
		str_slice(*after, to == SIZE_MAX ? after->len : to, after->len);
	return true;
}

static struct str skip_digits(struct str s)
{
	size_t n = 0;

	while (n < s.len && s.ptr[n] >= '0' && s.ptr[n] <= '9')
		n++;
	return str_slice(s, n, s.len);
}

/* Compares without the limits: traces and spans per trace of Tempo, traces of
 * Jaeger and Zipkin. */
static bool is_same_but_numbers(struct str a, struct str b)
{
	static const char *const names[] = { "limit=", "spss=",
					     "query.num_traces=", "pageSize=" };

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		struct str name = str_from(names[i]);
		size_t at_a = str_find(a, name), at_b = str_find(b, name);

		if (at_a == SIZE_MAX || at_a != at_b)
			continue;
		at_a += name.len;
		if (!str_equal(str_slice(a, 0, at_a), str_slice(b, 0, at_a)))
			return false;
		a = skip_digits(str_slice(a, at_a, a.len));
		b = skip_digits(str_slice(b, at_a, b.len));
	}
	return str_equal(a, b);
}

bool har_held_is_same_search(struct str a, struct str b, bool of_any_number)
{
	struct str before_a, after_a, before_b, after_b;
	bool has_parts = part_at_select(a, &before_a, &after_a) &&
			 part_at_select(b, &before_b, &after_b);

	if (!of_any_number)
		return has_parts && str_equal(before_a, before_b) &&
		       str_equal(after_a, after_b);
	return has_parts ? str_equal(before_a, before_b) &&
				   is_same_but_numbers(after_a, after_b)
			 : is_same_but_numbers(a, b);
}

/* Splits at the list of labels; false if absent. */
static bool part_at_labels(struct str body, struct str *before,
			   struct str *after)
{
	static const struct str begins = { "\"labelNames\":[", 14 };
	size_t from = str_find(body, begins), to;

	if (from == SIZE_MAX)
		return false;
	*before = str_slice(body, 0, from);
	*after = str_slice(body, from + begins.len, body.len);
	to = str_find(*after, STR("]"));
	*after = str_slice(*after, to == SIZE_MAX ? after->len : to,
			   after->len);
	return true;
}

bool har_held_is_same_series(const char *url, struct str a, struct str b)
{
	static const struct str series = {
		"/querier.v1.QuerierService/Series", 33
	};
	struct str before_a, after_a, before_b, after_b;

	return str_ends(str_from(url), series) &&
	       part_at_labels(a, &before_a, &after_a) &&
	       part_at_labels(b, &before_b, &after_b) &&
	       str_equal(before_a, before_b) && str_equal(after_a, after_b);
}

static bool is_profile(const char *url)
{
	static const char *const parts[] = {
		"/querier.v1.QuerierService/SelectMerge",
		"/pyroscope/render",
		"/api/profiles/query?",
		"/profiles?",
	};

	for (size_t i = 0; i < COUNT_OF(parts); i++)
		if (strstr(url, parts[i]))
			return true;
	return false;
}

bool har_held_is_list(const char *url)
{
	return strstr(url, "/querier.v1.QuerierService/Series") ||
	       strstr(url, "/querier.v1.QuerierService/LabelValues") ||
	       strstr(url, "/querier.v1.QuerierService/ProfileTypes");
}

static void add_count(struct buf *out, size_t count, const char *one,
		      const char *many)
{
	if (count)
		buf_addf(out, "%s%zu %s", out->len ? ", " : "", count,
			 count == 1 ? one : many);
}

/* Enough to recognise the run. */
#define COMMAND_BYTES 200

static void add_command(const struct har *h, struct buf *out)
{
	size_t start = out->len;

	if (!h->arg_count)
		return;
	buf_add_text(out, " (recorded by tracefind");
	for (size_t i = 0; i < h->arg_count; i++) {
		if (!strncmp(h->args[i], "--traces-", 9) ||
		    !strncmp(h->args[i], "--profiles-", 11) ||
		    !strncmp(h->args[i], "--metrics-", 10) ||
		    !strncmp(h->args[i], "--tenant-id", 11))
			continue;
		if (out->len - start > COMMAND_BYTES) {
			buf_add_text(out, " ...");
			break;
		}
		buf_addf(out, " %.*s", COMMAND_BYTES, h->args[i]);
	}
	buf_add_text(out, ")");
}

void har_describe(const struct har *h, struct buf *out)
{
	size_t traces = 0, searches = 0, profiles = 0, lists = 0;
	struct str first = STR("");

	for (size_t i = 0; i < h->count; i++) {
		struct har_held held = har_held_at(h, i);
		struct str id = har_held_trace(held.url);

		if (!held.has_answer)
			continue;
		if (id.len && !traces++)
			first = id;
		searches += har_held_is_search(held.url);
		profiles += is_profile(held.url);
		lists += har_held_is_list(held.url);
	}
	if (traces == 1)
		buf_addf(out, "trace %.*s", STR_ARGS(first));
	else
		add_count(out, traces, "trace", "traces");
	add_count(out, searches, "search", "searches");
	add_count(out, profiles, "profile", "profiles");
	if (!out->len && lists)
		buf_add_text(out, "names of services and types");
	else if (!out->len)
		buf_add_text(out, "neither trace nor search nor profile");
	add_command(h, out);
}

/* A case in memory, see har.h. */

/* As in http_client.c: shorter values would match ordinary text. */
#define MASK_MIN_BYTES 8

static const struct {
	enum error_code code;
	const char *name;
} code_names[] = {
	{ ERROR_NETWORK, "network" },   { ERROR_AUTH, "auth" },
	{ ERROR_LIMIT, "limit" },       { ERROR_FORMAT, "format" },
	{ ERROR_USAGE, "usage" },       { ERROR_MEMORY, "memory" },
	{ ERROR_INTERNAL, "internal" },
};

/* Returns a new empty entry at the end, or NULL. */
static struct har_entry *har_entry_new(struct har *h, struct error *err)
{
	size_t cap = h->cap ? h->cap * 2 : 16;
	struct har_entry *grown;

	if (h->count >= LIMIT_HAR_ENTRIES) {
		error_set(err, ERROR_LIMIT, "a case holds at most %u requests",
			  LIMIT_HAR_ENTRIES);
		return NULL;
	}
	if (h->count == h->cap) {
		grown = mem_realloc(h->entries, cap * sizeof *grown);
		if (!grown) {
			error_memory(err, "the case");
			return NULL;
		}
		h->entries = grown;
		h->cap = cap;
	}
	memset(&h->entries[h->count], 0, sizeof *h->entries);
	return &h->entries[h->count++];
}

static char *dup_text(const char *text, bool *is_ok)
{
	char *copy = text ? mem_strdup(text) : NULL;

	*is_ok = *is_ok && (!text || copy);
	return copy;
}

static void copy_body(struct buf *out, const struct buf *body)
{
	buf_init(out, body->len);
	buf_add_str(out, buf_str(body));
}

/* In the form that is compared and written. */
static char *dup_redacted(const struct endpoint *e, const char *url,
			  bool *is_ok)
{
	struct buf text;
	char *copy = NULL;

	buf_init(&text, LIMIT_OPTION_VALUE_BYTES * 4);
	url_redact(&text, str_from(url));
	*is_ok = *is_ok && text.state == BUF_OK &&
		 secrets_mask(e, text.data, text.len, MASK_MIN_BYTES);
	if (*is_ok)
		copy = dup_text(buf_text(&text), is_ok);
	buf_release(&text);
	return copy;
}

/* Copies what is recorded, redacted. Release even after a failure. */
static bool har_entry_fill(struct har_entry *e,
			   const struct http_request *request, const char *url,
			   const struct http_response *response,
			   int64_t started_ns, struct error *err)
{
	const struct endpoint *endpoint = request->endpoint;
	bool is_ok = true;

	e->method = dup_text(request->method, &is_ok);
	e->url = dup_redacted(endpoint, url, &is_ok);
	e->accept = dup_text(request->accept, &is_ok);
	e->content_type = dup_text(request->content_type, &is_ok);
	e->tenant = dup_text(endpoint->tenant_id, &is_ok);
	e->started_ns = started_ns;
	copy_body(&e->request_body, &request->body);
	e->response = *response;
	copy_body(&e->response.body, &response->body);
	if (is_ok && e->request_body.state == BUF_OK &&
	    e->response.body.state == BUF_OK &&
	    secrets_mask(endpoint, e->request_body.data, e->request_body.len,
			 MASK_MIN_BYTES) &&
	    secrets_mask(endpoint, e->response.body.data, e->response.body.len,
			 MASK_MIN_BYTES) &&
	    secrets_mask(endpoint, e->response.err.message,
			 strlen(e->response.err.message), MASK_MIN_BYTES))
		return true;
	return error_memory(err, "the case");
}

/* The key of a lookup; request is borrowed. */
struct har_key {
	const struct http_request *request;
	struct buf url; /* redacted like recorded ones */
};

static bool text_equal(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

/* Returns 0 for another request, else the quality of the match: identical,
 * equal Accept header, not yet used. */
static int har_entry_rank(const struct har_entry *e, const struct har_key *key)
{
	struct str url = str_from(e->url), wanted = buf_str(&key->url);
	struct str body = buf_str(&e->request_body);
	struct str wanted_body = buf_str(&key->request->body);
	bool is_same = str_equal(url, wanted);
	bool is_equal = is_same && str_equal(body, wanted_body);

	if (!text_equal(e->method, key->request->method) ||
	    !(is_same || har_held_is_same_search(
			 url, wanted, key->request->is_optional)) ||
	    !(str_equal(body, wanted_body) ||
	      har_held_is_same_series(e->url, body, wanted_body)))
		return 0;
	/* Tempo has two response formats at one URL: Accept is more important
	 * than order. */
	return 1 + (is_equal ? 4 : 0) +
	       (text_equal(e->accept, key->request->accept) ? 2 : 0) +
	       (e->is_used ? 0 : 1);
}

/* Copies the response as http_run() returns it. */
static bool har_entry_copy(const struct har_entry *e,
			   struct http_response *response, struct error *err)
{
	*response = e->response;
	buf_init(&response->body, LIMIT_BODY_PLAIN_BYTES);
	buf_add_str(&response->body, buf_str(&e->response.body));
	return buf_check(&response->body, "an answer", err);
}

/* State of reading a case. JSON errors stay in the parser and are reported at
 * the end; other errors are in err, and stop reading. Values of an unexpected
 * kind are treated as absent. */
struct reading {
	struct har *h;
	struct json_reader *r;
	struct buf text; /* temporary, for a value */
	bool has_entries;
	bool has_clock;
	struct error *err;
};

static bool is_next(struct reading *c, enum json_kind kind)
{
	if (json_peek(c->r) == kind)
		return true;
	json_skip(c->r);
	return false;
}

/* Reads the next string; valid until the next one is read. */
static bool next_text(struct reading *c, struct str *text)
{
	if (!is_next(c, JSON_STRING))
		return false;
	buf_clear(&c->text);
	if (!json_string_long(c->r, &c->text))
		return false;
	*text = buf_str(&c->text);
	return true;
}

static bool next_copy(struct reading *c, char **copy)
{
	struct str text;

	if (!next_text(c, &text))
		return true;
	mem_free(*copy);
	*copy = mem_strdup(buf_text(&c->text));
	return *copy || error_memory(c->err, "the case");
}

static void next_field(struct reading *c, char *field, size_t size)
{
	struct str text;

	if (next_text(c, &text))
		snprintf(field, size, "%s", buf_text(&c->text));
}

static void next_integer(struct reading *c, int64_t *value)
{
	if (is_next(c, JSON_NUMBER) && !json_i64(c->r, value))
		*value = 0;
}

/* ---- bodies ---- */

static bool body_unpack(struct buf *body, struct error *err)
{
	size_t len;

	if (!base64_decode(buf_str(body), (unsigned char *)body->data,
			   body->len, &len))
		return error_set(err, ERROR_FORMAT, "damaged base64");
	/* Decoded in place. */
	body->len = len;
	body->data[len] = '\0';
	return true;
}

/* Reads the body of a request or response; mark: the key for base64, type:
 * receives mimeType, or NULL. */
static bool read_body(struct reading *c, const char *mark, struct buf *out,
		      char *type, size_t type_size)
{
	struct str key, encoding;
	bool is_packed = false;

	if (!json_enter_if(c->r, JSON_OBJECT))
		return true;
	while (json_next_key(c->r, &key)) {
		if (str_equal(key, STR("text"))) {
			/* With its length, since text may contain NUL. */
			buf_clear(out);
			if (is_next(c, JSON_STRING) &&
			    !json_string_long(c->r, out))
				buf_clear(out); /* reported by r */
		} else if (str_equal(key, str_from(mark))) {
			is_packed = next_text(c, &encoding) &&
				    str_equal(encoding, STR("base64"));
		} else if (type && str_equal(key, STR("mimeType"))) {
			next_field(c, type, type_size);
		} else {
			json_skip(c->r);
		}
	}
	return !is_packed || !out->len || body_unpack(out, c->err);
}

/* ---- headers ---- */

struct header_place {
	const char *name;
	char **value;
};

static bool read_header(struct reading *c, const struct header_place *places,
			size_t count)
{
	char *name = NULL, *value = NULL;
	bool is_ok = true;
	struct str key;

	while (is_ok && json_next_key(c->r, &key)) {
		if (str_equal(key, STR("name")))
			is_ok = next_copy(c, &name);
		else if (str_equal(key, STR("value")))
			is_ok = next_copy(c, &value);
		else
			json_skip(c->r);
	}
	/* Of equal headers the first counts. */
	for (size_t i = 0; name && value && i < count; i++) {
		if (*places[i].value ||
		    !str_equal_nocase(str_from(name), str_from(places[i].name)))
			continue;
		*places[i].value = value;
		value = NULL;
	}
	mem_free(name);
	mem_free(value);
	return is_ok;
}

static bool read_headers(struct reading *c, const struct header_place *places,
			 size_t count)
{
	if (!json_enter_if(c->r, JSON_ARRAY))
		return true;
	while (json_next_item(c->r))
		if (json_enter_if(c->r, JSON_OBJECT) &&
		    !read_header(c, places, count))
			return false;
	return true;
}

/* ---- entries ---- */

static bool read_request(struct reading *c, struct har_entry *e)
{
	const struct header_place places[] = {
		{ "Accept", &e->accept },
		{ "Content-Type", &e->content_type },
		{ "X-Scope-OrgID", &e->tenant },
	};
	bool is_ok = true;
	struct str key;

	if (!json_enter_if(c->r, JSON_OBJECT))
		return true;
	while (is_ok && json_next_key(c->r, &key)) {
		if (str_equal(key, STR("method")))
			is_ok = next_copy(c, &e->method);
		else if (str_equal(key, STR("url")))
			is_ok = next_copy(c, &e->url);
		else if (str_equal(key, STR("headers")))
			is_ok = read_headers(c, places,
					     sizeof places / sizeof *places);
		else if (str_equal(key, STR("postData")))
			is_ok = read_body(c, "_encoding", &e->request_body,
					  NULL, 0);
		else
			json_skip(c->r);
	}
	return is_ok;
}

static bool read_date(struct reading *c, struct http_response *r)
{
	char *date = NULL;
	const struct header_place place = { "Date", &date };
	bool is_ok = read_headers(c, &place, 1);

	if (date)
		snprintf(r->server_date, sizeof r->server_date, "%s", date);
	mem_free(date);
	return is_ok;
}

static bool read_response(struct reading *c, struct http_response *r)
{
	int64_t status = 0;
	bool is_ok = true;
	struct str key;

	if (!json_enter_if(c->r, JSON_OBJECT))
		return true;
	while (is_ok && json_next_key(c->r, &key)) {
		if (str_equal(key, STR("status")))
			next_integer(c, &status);
		else if (str_equal(key, STR("bodySize")))
			next_integer(c, &r->wire_bytes);
		else if (str_equal(key, STR("redirectURL")))
			next_field(c, r->location, sizeof r->location);
		else if (str_equal(key, STR("headers")))
			is_ok = read_date(c, r);
		else if (str_equal(key, STR("content")))
			is_ok = read_body(c, "encoding", &r->body,
					  r->content_type,
					  sizeof r->content_type);
		else
			json_skip(c->r);
	}
	if (is_ok && (status < 0 || status > 999))
		return error_set(c->err, ERROR_FORMAT, "a status out of range");
	r->status = (int)status;
	return is_ok;
}

static void read_failure(struct reading *c, struct http_response *r)
{
	char message[LIMIT_ERROR_BYTES] = "", code[32] = "";
	enum error_code kind = ERROR_NETWORK;
	struct str key;

	if (!json_enter_if(c->r, JSON_OBJECT))
		return;
	while (json_next_key(c->r, &key)) {
		if (str_equal(key, STR("code")))
			next_field(c, code, sizeof code);
		else if (str_equal(key, STR("message")))
			next_field(c, message, sizeof message);
		else
			json_skip(c->r);
	}
	for (size_t i = 0; i < COUNT_OF(code_names); i++)
		if (!strcmp(code_names[i].name, code))
			kind = code_names[i].code;
	error_set(&r->err, kind, "%s", message);
}

/* Reads our extensions of HAR. */
static bool read_extra(struct reading *c, struct http_response *r)
{
	int64_t tries = 0;
	struct str key;

	if (!json_enter_if(c->r, JSON_OBJECT))
		return true;
	while (json_next_key(c->r, &key)) {
		if (str_equal(key, STR("duration_ns"))) {
			next_integer(c, &r->duration_ns);
		} else if (str_equal(key, STR("tries"))) {
			next_integer(c, &tries);
		} else if (str_equal(key, STR("has_sent_secret"))) {
			r->has_sent_secret = json_peek(c->r) == JSON_TRUE;
			json_skip(c->r);
		} else if (str_equal(key, STR("error"))) {
			read_failure(c, r);
		} else {
			json_skip(c->r);
		}
	}
	if (tries < 0 || tries > 1000)
		return error_set(c->err, ERROR_FORMAT, "a count out of range");
	r->tries = (unsigned)tries;
	return true;
}

static bool read_entry(struct reading *c, struct har_entry *e)
{
	bool is_ok = true;
	struct str key;

	buf_init(&e->request_body, LIMIT_HAR_BYTES);
	buf_init(&e->response.body, LIMIT_HAR_BYTES);
	if (!json_enter_if(c->r, JSON_OBJECT))
		return error_set(c->err, ERROR_FORMAT, "not an object");
	while (is_ok && json_next_key(c->r, &key)) {
		if (str_equal(key, STR("request")))
			is_ok = read_request(c, e);
		else if (str_equal(key, STR("response")))
			is_ok = read_response(c, &e->response);
		else if (str_equal(key, STR("_tracefind")))
			is_ok = read_extra(c, &e->response);
		else
			json_skip(c->r);
	}
	if (!is_ok || json_failed(c->r))
		return is_ok;
	if (!e->method || !e->url)
		return error_set(c->err, ERROR_FORMAT,
				 "a request without method or url");
	return buf_check(&e->request_body, "the case", c->err) &&
	       buf_check(&e->response.body, "the case", c->err);
}

static bool read_entries(struct reading *c)
{
	if (!json_enter_if(c->r, JSON_ARRAY))
		return true;
	c->has_entries = true;
	while (json_next_item(c->r)) {
		struct har_entry *e = har_entry_new(c->h, c->err);

		if (!e)
			return false;
		if (!read_entry(c, e))
			return error_prefix(c->err, "entry %zu", c->h->count);
	}
	return true;
}

/* ---- the run ---- */

/* There are few arguments, so the array may be copied for each. */
static bool read_arg(struct reading *c)
{
	struct har *h = c->h;
	char **grown;

	if (json_peek(c->r) != JSON_STRING)
		return json_failed(c->r) ||
		       error_set(c->err, ERROR_FORMAT,
				 "an argument is not text");
	grown = mem_realloc(h->args, (h->arg_count + 1) * sizeof *grown);
	if (!grown)
		return error_memory(c->err, "the case");
	h->args = grown;
	h->args[h->arg_count++] = NULL;
	return next_copy(c, &h->args[h->arg_count - 1]);
}

static bool read_run(struct reading *c)
{
	bool is_ok = true;
	struct str key;

	if (!json_enter_if(c->r, JSON_OBJECT))
		return true;
	while (is_ok && json_next_key(c->r, &key)) {
		if (str_equal(key, STR("now_ns"))) {
			c->has_clock = json_peek(c->r) == JSON_NUMBER;
			next_integer(c, &c->h->now_ns);
		} else if (str_equal(key, STR("args"))) {
			if (json_enter_if(c->r, JSON_ARRAY))
				while (is_ok && json_next_item(c->r))
					is_ok = read_arg(c);
		} else {
			json_skip(c->r);
		}
	}
	return is_ok;
}

/* ---- the document ---- */

static bool read_log(struct reading *c)
{
	bool is_ok = true;
	struct str key;

	if (!json_enter_if(c->r, JSON_OBJECT))
		return true;
	while (is_ok && json_next_key(c->r, &key)) {
		if (str_equal(key, STR("entries")))
			is_ok = read_entries(c);
		else if (str_equal(key, STR("_tracefind")))
			is_ok = read_run(c);
		else
			json_skip(c->r);
	}
	return is_ok;
}

static bool read_root(struct reading *c)
{
	bool is_ok = true;
	struct str key;

	if (!json_enter_if(c->r, JSON_OBJECT))
		return true;
	while (is_ok && json_next_key(c->r, &key)) {
		if (str_equal(key, STR("log")))
			is_ok = read_log(c);
		else
			json_skip(c->r);
	}
	return is_ok;
}

static bool case_check(const struct reading *c)
{
	json_expect_end(c->r, "object");
	if (!json_check(c->r, c->err))
		return error_prefix(
			c->err, "no case of --record, which is a HAR file: not "
				"JSON");
	if (!c->has_entries)
		return error_set(c->err, ERROR_FORMAT,
				 "no case of --record, which is a HAR file: no "
				 "log.entries");
	return c->has_clock ||
	       error_set(c->err, ERROR_FORMAT,
			 "a HAR file, but not of tracefind --record: it lacks "
			 "the run's clock");
}

/* Reads a file into an empty case. Fails (ERROR_FORMAT) if it is not HAR, or
 * not from one of our runs; free the case then, too. */
static bool har_read(struct har *h, struct str bytes, struct error *err)
{
	struct reading c = { .h = h, .err = err };
	bool is_ok;

	c.r = json_new(bytes, err);
	if (!c.r)
		return false;
	buf_init(&c.text, LIMIT_HAR_BYTES);
	is_ok = read_root(&c) && case_check(&c);
	buf_release(&c.text);
	json_free(c.r);
	return is_ok;
}

/* Leaves room for the overhead of base64 and JSON, so that what was recorded
 * can also be written and read again. */
#define RECORD_BYTES (LIMIT_HAR_BYTES / 2)

#define SHOWN_URL_BYTES 300

/* ---- lookup ---- */

struct har *har_new(struct error *err)
{
	struct har *h = mem_calloc(1, sizeof *h);

	if (!h)
		error_memory(err, "the case");
	return h;
}

static void args_free(struct har *h)
{
	/* Secrets may be anywhere. */
	for (size_t i = 0; i < h->arg_count; i++)
		secret_free(h->args[i]);
	mem_free(h->args);
	h->args = NULL;
	h->arg_count = 0;
}

void har_free(struct har *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->count; i++) {
		struct har_entry *e = &h->entries[i];

		mem_free(e->method);
		mem_free(e->url);
		mem_free(e->accept);
		mem_free(e->content_type);
		mem_free(e->tenant);
		buf_release(&e->request_body);
		buf_release(&e->response.body);
	}
	mem_free(h->entries);
	args_free(h);
	mem_free(h);
}

bool har_add(struct har *h, const struct http_request *request, const char *url,
	     const struct http_response *response, int64_t started_ns,
	     struct error *err)
{
	size_t bytes = request->body.len + response->body.len;
	struct har_entry *entry;

	if (bytes > RECORD_BYTES - h->body_bytes)
		return error_set(err, ERROR_LIMIT,
				 "the case would exceed %zu MiB: run without "
				 "--record, or use a shorter window",
				 RECORD_BYTES / MIB);
	entry = har_entry_new(h, err);
	if (!entry)
		return false;
	h->body_bytes += bytes;
	return har_entry_fill(entry, request, url, response, started_ns, err);
}

static struct har_entry *find_recorded(struct har *h, const struct har_key *key)
{
	struct har_entry *best = NULL;
	int best_rank = 0;

	for (size_t i = 0; i < h->count; i++) {
		int rank = har_entry_rank(&h->entries[i], key);

		/* Of equal matches the first unused one, else the last. */
		if (rank > best_rank ||
		    (rank == best_rank && rank > 0 && best->is_used)) {
			best = &h->entries[i];
			best_rank = rank;
		}
	}
	return best;
}

static bool fail_absent(const struct har *h, const struct http_request *request,
			const struct har_key *key, struct error *err)
{
	/* The end of a long URL is less useful than the list of what there
	 * is. */
	struct str shown = str_slice(buf_str(&key->url), 0, SHOWN_URL_BYTES);
	struct buf held;

	buf_init(&held, LIMIT_ERROR_BYTES);
	har_describe(h, &held);
	error_set(err, ERROR_NOT_FOUND,
		  "not in the case: %s %.*s%s; it holds %s", request->method,
		  STR_ARGS(shown), shown.len < key->url.len ? "..." : "",
		  buf_text(&held));
	buf_release(&held);
	return false;
}

bool har_find(struct har *h, const struct http_request *request,
	      const char *url, struct http_response *response,
	      struct error *err)
{
	struct har_entry *e;
	struct har_key key = { .request = request };
	bool is_done;

	buf_init(&key.url, LIMIT_OPTION_VALUE_BYTES * 4);
	url_redact(&key.url, str_from(url));
	if (!buf_check(&key.url, "a URL", err)) {
		buf_release(&key.url);
		return false;
	}
	e = find_recorded(h, &key);
	for (size_t i = 0; i < h->count && h->is_relaxed && !e; i++) {
		struct har_entry *list = &h->entries[i];

		if (har_held_is_list(list->url) &&
		    list->response.status == 200 &&
		    str_equal(str_from(list->url), buf_str(&key.url)))
			e = list;
	}
	if (e)
		e->is_used = true;
	is_done = e ? har_entry_copy(e, response, err)
		    : fail_absent(h, request, &key, err);
	buf_release(&key.url);
	return is_done;
}

/* ---- the run ---- */

static char *redacted_argument(const char *argument, const char *previous)
{
	struct buf text;
	char *copy = NULL;

	buf_init(&text, LIMIT_OPTION_VALUE_BYTES * 4);
	(void)!buf_reserve(&text, 2 * strlen(argument));
	argument_redact(&text, str_from(argument), str_from(previous));
	if (text.state == BUF_OK)
		copy = mem_strdup(buf_text(&text));
	buf_wipe(&text);
	buf_release(&text);
	return copy;
}

void har_set_run(struct har *h, int64_t now_ns, int argc,
		 const char *const *argv)
{
	size_t count = argc > 0 ? (size_t)argc : 0;

	args_free(h);
	h->now_ns = now_ns;
	h->args = mem_calloc(count, sizeof *h->args);
	h->is_args_failed = !h->args;
	for (size_t i = 0; i < count && !h->is_args_failed; i++) {
		h->args[i] = redacted_argument(argv[i], i ? argv[i - 1] : NULL);
		h->is_args_failed = !h->args[i];
		h->arg_count = i + 1;
	}
}

int64_t har_now_ns(const struct har *h)
{
	return h->now_ns;
}

size_t har_args(const struct har *h, const char *const **args)
{
	*args = (const char *const *)h->args;
	return h->arg_count;
}

/* ---- reading ---- */

/* Reduces a page to the case in it. */
static bool unpack_page(struct buf *page, struct error *err)
{
	struct str begin = STR(PAGE_CASE_BEGIN), rest, text;
	size_t at = str_find(buf_str(page), begin), len;

	if (at == SIZE_MAX)
		return error_set(err, ERROR_FORMAT,
				 "the page holds no case: it has to be made "
				 "with --embed-case");
	rest = str_slice(buf_str(page), at + begin.len, page->len);
	text = str_slice(rest, 0, str_find(rest, STR(PAGE_CASE_END)));
	if (!base64_decode(text, (unsigned char *)page->data, text.len, &len) ||
	    !gz_is((struct str){ page->data, len }))
		return error_set(err, ERROR_FORMAT,
				 "the case in the page is damaged");
	page->len = len;
	return true;
}

static bool read_file(struct har *h, const char *path, struct error *err)
{
	struct buf raw, plain;
	bool is_ok;

	buf_init(&raw, LIMIT_HAR_BYTES);
	buf_init(&plain, LIMIT_HAR_BYTES);
	if (!file_read(path, &raw, err))
		is_ok = error_prefix(err, "--replay");
	else if (str_starts(buf_str(&raw), STR("<!DOCTYPE html>")) &&
		 !unpack_page(&raw, err))
		is_ok = error_prefix(err, "--replay %s", path);
	else if (packing_of(buf_str(&raw)) != PACKING_NONE)
		is_ok = (gz_inflate(buf_str(&raw), path, &plain, err) &&
			 har_read(h, buf_str(&plain), err)) ||
			error_prefix(err, "--replay %s", path);
	else
		is_ok = har_read(h, buf_str(&raw), err) ||
			error_prefix(err, "--replay %s", path);
	buf_release(&raw);
	buf_release(&plain);
	return is_ok;
}

struct har *har_open(const char *path, struct error *err)
{
	struct har *h = har_new(err);

	if (h && read_file(h, path, err))
		return h;
	har_free(h);
	return NULL;
}

/* HAR requires most fields, so missing texts are empty. */
static const char *or_empty(const char *text)
{
	return text ? text : "";
}

/* Writes "text", and `mark`: "base64" if the bytes are not UTF-8. */
static void write_body(struct jsonw *w, struct str bytes, const char *mark)
{
	size_t size = (bytes.len + 2) / 3 * 4, at = 0, len;
	char *text;

	jsonw_key(w, "text");
	while (at < bytes.len &&
	       (len = utf8_length(str_slice(bytes, at, bytes.len))) > 0)
		at += len;
	if (at == bytes.len) {
		jsonw_str(w, bytes);
		return;
	}
	text = mem_alloc(size + 1);
	/* A failure of the buffer is passed on to the writer. */
	if (!text) {
		out_fail_memory(w->out);
		return;
	}
	base64_encode((const unsigned char *)bytes.ptr, bytes.len, text);
	jsonw_str(w, (struct str){ text, size });
	mem_free(text);
	jsonw_pair_text(w, mark, "base64");
}

static void write_pair(struct jsonw *w, struct str name, struct str value)
{
	jsonw_addf(w, "{name:%.*s, value:%.*s}", STR_WHOLE(name),
		   STR_WHOLE(value));
}

static void write_header(struct jsonw *w, const char *name, const char *value)
{
	if (value && value[0])
		write_pair(w, str_from(name), str_from(value));
}

/* Names and values stay percent-encoded as in the URL. */
static void write_query(struct jsonw *w, const char *url)
{
	struct str rest = str_from(url);
	size_t at = str_find(rest, STR("?"));

	rest = at == SIZE_MAX ? STR("") : str_slice(rest, at + 1, rest.len);
	jsonw_addf(w, "queryString:[");
	while (rest.len) {
		size_t end = str_find(rest, STR("&"));
		struct str pair = str_slice(rest, 0, end);
		size_t equals = str_find(pair, STR("="));

		write_pair(w, str_slice(pair, 0, equals),
			   equals == SIZE_MAX
				   ? STR("")
				   : str_slice(pair, equals + 1, pair.len));
		rest = end == SIZE_MAX ? STR("")
				       : str_slice(rest, end + 1, rest.len);
	}
	jsonw_array_end(w);
}

/* -1 means "unknown" in HAR. Only the headers that determine the response are
 * written, and none are copied from the wire, so no credential can leak. */
static void write_request(struct jsonw *w, const struct har_entry *e)
{
	jsonw_addf(w,
		   "request:{method:%s, url:%s, httpVersion:HTTP/1.1, "
		   "cookies:[], headers:[",
		   or_empty(e->method), or_empty(e->url));
	write_header(w, "Accept", e->accept);
	write_header(w, "Content-Type", e->content_type);
	write_header(w, "X-Scope-OrgID", e->tenant);
	jsonw_array_end(w);
	write_query(w, e->url);
	jsonw_addf(w, "headersSize:-1, bodySize:%zu", e->request_body.len);
	if (e->request_body.len) {
		jsonw_addf(w, "postData:{mimeType:%s",
			   or_empty(e->content_type));
		write_body(w, buf_str(&e->request_body), "_encoding");
		jsonw_object_end(w);
	}
	jsonw_object_end(w);
}

/* bodySize is the transferred size, content.size the decoded one. */
static void write_response(struct jsonw *w, const struct http_response *r)
{
	jsonw_addf(w,
		   "response:{status:%d, statusText:'', httpVersion:HTTP/1.1, "
		   "cookies:[], headers:[",
		   r->status);
	write_header(w, "Content-Type", r->content_type);
	write_header(w, "Date", r->server_date);
	write_header(w, "Location", r->location);
	jsonw_addf(w, "], content:{size:%zu, mimeType:%s", r->body.len,
		   or_empty(r->content_type));
	write_body(w, buf_str(&r->body), "encoding");
	jsonw_addf(w, "}, redirectURL:%s, headersSize:-1, bodySize:%jd}",
		   or_empty(r->location), r->wire_bytes);
}

/* HAR requires phases; only the total is known. */
static void write_entry(struct jsonw *w, const struct har_entry *e)
{
	/* For viewers; replays use exact nanoseconds. */
	double took_ms = (double)e->response.duration_ns / (double)NS_PER_MS;
	const char *code = "network";

	for (size_t i = 0; i < COUNT_OF(code_names); i++)
		if (code_names[i].code == e->response.err.code)
			code = code_names[i].name;

	jsonw_addf(w, "{startedDateTime:%+jd, time:%.6f", e->started_ns,
		   took_ms);
	write_request(w, e);
	write_response(w, &e->response);
	jsonw_addf(w, "cache:{}, timings:{send:0, wait:%.6f, receive:0}",
		   took_ms);
	/* Data that HAR has no fields for but replays need. */
	jsonw_addf(w, "_tracefind:{duration_ns:%jd, tries:%u",
		   e->response.duration_ns, e->response.tries);
	/* Only affects the message for a refusal. */
	if (e->response.status == 401 && e->response.has_sent_secret)
		jsonw_pair_bool(w, "has_sent_secret", true);
	if (e->response.err.code != ERROR_NONE)
		jsonw_addf(w, "error:{code:%s, message:%s}", code,
			   e->response.err.message);
	jsonw_object_end(w);
	jsonw_object_end(w);
}

static void write_log(struct jsonw *w, const struct har *h)
{
	jsonw_addf(w,
		   "{log:{version:'1.2', "
		   "creator:{name:tracefind, version:%s}, "
		   "_tracefind:{now:%+jd, now_ns:%jd, args:[",
		   TRACEFIND_VERSION, h->now_ns, h->now_ns);
	for (size_t i = 0; i < h->arg_count; i++)
		jsonw_text(w, h->args[i]);
	jsonw_addf(w, "]}, entries:[");
	for (size_t i = 0; i < h->count; i++)
		write_entry(w, &h->entries[i]);
	jsonw_addf(w, "]}}");
	out_char(w->out, '\n');
}

static bool har_format(const struct har *h, struct buf *text, struct error *err)
{
	struct out out;
	struct jsonw w;

	if (h->is_args_failed)
		return error_memory(err, "the case");
	out_init_memory(&out, text);
	jsonw_init(&w, &out, 1);
	write_log(&w, h);
	out_release(&out);
	return buf_check(text, "the case", err);
}

static bool write_bytes(struct str bytes, const char *path, struct error *err)
{
	struct outfile file;

	if (!outfile_open(&file, path, 0600, err))
		return false;
	out_add(&file.out, bytes.ptr, bytes.len);
	return outfile_commit(&file, err);
}

bool har_pack(const struct har *h, struct buf *packed, struct error *err)
{
	struct buf plain;
	bool is_ok;

	buf_init(&plain, LIMIT_HAR_BYTES);
	is_ok = har_format(h, &plain, err) &&
		gz_deflate(buf_str(&plain), packed, err);
	buf_release(&plain);
	return is_ok;
}

bool har_write(const struct har *h, const char *path, struct error *err)
{
	struct buf plain, packed;
	bool is_ok;

	buf_init(&plain, LIMIT_HAR_BYTES);
	buf_init(&packed, LIMIT_HAR_BYTES);
	if (str_ends(str_from(path), STR(".gz")))
		is_ok = har_pack(h, &packed, err) &&
			write_bytes(buf_str(&packed), path, err);
	else
		is_ok = har_format(h, &plain, err) &&
			write_bytes(buf_str(&plain), path, err);
	buf_release(&plain);
	buf_release(&packed);
	return is_ok;
}
