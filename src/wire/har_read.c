/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/num.h"
#include "wire/har_entry.h"

/* A case that is read. Its JSON fails in the reader and is told at the end;
 * all else fails in err, and the rest of the document is not read. What is of
 * another kind than expected counts as absent. */
struct reading {
	struct har *h;
	struct json_reader *r;
	struct buf text; /* of a value, for a moment */
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

/* The text that comes next; valid until the next one is read. */
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

static void next_flag(struct reading *c, bool *flag)
{
	*flag = json_peek(c->r) == JSON_TRUE;
	json_skip(c->r);
}

/* ---- bodies ---- */

static bool unpack(struct buf *body, struct error *err)
{
	size_t len;

	if (!base64_decode(buf_str(body), (unsigned char *)body->data,
			   body->len, &len))
		return error_set(err, ERROR_FORMAT, "damaged base64");
	/* It got shorter where it lies. */
	body->len = len;
	body->data[len] = '\0';
	return true;
}

/* Text with its length, since it may hold NUL. */
static void next_bytes(struct reading *c, struct buf *out)
{
	buf_clear(out);
	if (is_next(c, JSON_STRING) && !json_string_long(c->r, out))
		buf_clear(out); /* the reader tells */
}

/* Of a request or an answer; mark is the key that tells of base64, type what
 * receives mimeType, or NULL. */
static bool read_body(struct reading *c, const char *mark, struct buf *out,
		      char *type, size_t type_size)
{
	struct str key, encoding;
	bool is_packed = false;

	if (!json_enter_if(c->r, JSON_OBJECT))
		return true;
	while (json_next_key(c->r, &key)) {
		if (str_equal(key, STR("text")))
			next_bytes(c, out);
		else if (str_equal(key, str_from(mark)))
			is_packed = next_text(c, &encoding) &&
				    str_equal(encoding, STR("base64"));
		else if (type && str_equal(key, STR("mimeType")))
			next_field(c, type, type_size);
		else
			json_skip(c->r);
	}
	return !is_packed || !out->len || unpack(out, c->err);
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
	/* Of equal ones the first. */
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
	error_set(&r->err, har_code_find(code), "%s", message);
}

/* What HAR has no place for. */
static bool read_extra(struct reading *c, struct http_response *r)
{
	int64_t tries = 0;
	struct str key;

	if (!json_enter_if(c->r, JSON_OBJECT))
		return true;
	while (json_next_key(c->r, &key)) {
		if (str_equal(key, STR("duration_ns")))
			next_integer(c, &r->duration_ns);
		else if (str_equal(key, STR("tries")))
			next_integer(c, &tries);
		else if (str_equal(key, STR("has_sent_secret")))
			next_flag(c, &r->has_sent_secret);
		else if (str_equal(key, STR("error")))
			read_failure(c, r);
		else
			json_skip(c->r);
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

/* Arguments are few, so that each may move all before it. */
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

static bool read_args(struct reading *c)
{
	if (!json_enter_if(c->r, JSON_ARRAY))
		return true;
	while (json_next_item(c->r))
		if (!read_arg(c))
			return false;
	return true;
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
			is_ok = read_args(c);
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

static bool check(const struct reading *c)
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

bool har_read(struct har *h, struct str bytes, struct error *err)
{
	struct reading c = { .h = h, .err = err };
	bool is_ok;

	c.r = json_new(bytes, err);
	if (!c.r)
		return false;
	buf_init(&c.text, LIMIT_HAR_BYTES);
	is_ok = read_root(&c) && check(&c);
	buf_release(&c.text);
	json_free(c.r);
	return is_ok;
}
