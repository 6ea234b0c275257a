/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/json.h"
#include "base/jsonw.h"
#include "base/num.h"
#include "querier.pb-c.h"
#include "source/answer.h"
#include "source/backend.h"
#include "source/http_error.h"

#define SERVICE "/querier.v1.QuerierService/"
#define PROTO "application/proto"
#define JSON "application/json"

#define PATH_BYTES ((size_t)256)
#define BODY_BYTES (4 * LIMIT_OPTION_VALUE_BYTES)

/* The whole of a service's metadata in the last hour is cheap to ask for. */
#define PROBE_WINDOW_NS NS_PER_HOUR

#define LATE_START "query start time is after end time"

/* Without a span: pprof, then (see start_is_unlucky) pprof a millisecond
 * later, then names only. With a span only names can be had everywhere. */
enum { PPROF, PPROF_LATER, TREE, PROFILE_ATTEMPTS };
enum { SPAN_TREE, SPAN_TREE_LATER, SPAN_ATTEMPTS };

/* ---- times ---- */

static int64_t ceil_ms(int64_t time_ns)
{
	int64_t ms = time_ns / NS_PER_MS;

	return time_ns % NS_PER_MS > 0 ? ms + 1 : ms;
}

/* [from, to) in nanoseconds as both inclusive milliseconds: neighbouring
 * windows share no profile. 0 would mean "not given" to the server. */
static void range_ms(struct time_range range, int64_t *start_ms,
		     int64_t *end_ms)
{
	*start_ms = ceil_ms(range.from_ns);
	if (*start_ms < 1)
		*start_ms = 1;
	*end_ms = sat_sub_i64(ceil_ms(range.to_ns), 1);
	if (*end_ms < *start_ms)
		*end_ms = *start_ms;
}

/* ---- requests for profiles ---- */

static bool is_later(const struct profile_query *query, unsigned attempt)
{
	if (query->span_id)
		return attempt == SPAN_TREE_LATER;
	return attempt != PPROF;
}

static void add_packed(struct buf *body, const ProtobufCMessage *message)
{
	size_t size = protobuf_c_message_get_packed_size(message);
	char *room = buf_reserve(body, size);

	if (room)
		buf_commit(body,
			   protobuf_c_message_pack(message, (uint8_t *)room));
}

/* protobuf-c does not write to what it packs, but says char *. */
static char *unconst(const char *text)
{
	union {
		const char *in;
		char *out;
	} u = { text };

	return u.out;
}

static void pack_pprof(const struct profile_query *query, int64_t start_ms,
		       int64_t end_ms, struct buf *body)
{
	Querier__SelectMergeProfileRequest message =
		QUERIER__SELECT_MERGE_PROFILE_REQUEST__INIT;

	message.profile_type_id = unconst(query->type_id);
	message.label_selector = unconst(query->selector);
	message.start_ms = start_ms;
	message.end_ms = end_ms;
	add_packed(body, &message.base);
}

static void pack_tree(const struct profile_query *query, int64_t start_ms,
		      int64_t end_ms, struct buf *body)
{
	Querier__SelectMergeStacktracesRequest message =
		QUERIER__SELECT_MERGE_STACKTRACES_REQUEST__INIT;

	message.profile_type_id = unconst(query->type_id);
	message.label_selector = unconst(query->selector);
	message.start_ms = start_ms;
	message.end_ms = end_ms;
	message.has_format = 1;
	message.format = QUERIER__PROFILE_FORMAT__FORMAT_TREE;
	add_packed(body, &message.base);
}

static void pack_span_tree(const struct profile_query *query, int64_t start_ms,
			   int64_t end_ms, struct buf *body)
{
	Querier__SelectMergeSpanProfileRequest message =
		QUERIER__SELECT_MERGE_SPAN_PROFILE_REQUEST__INIT;
	char *span = unconst(query->span_id);

	message.profile_type_id = unconst(query->type_id);
	message.label_selector = unconst(query->selector);
	message.n_span_selector = 1;
	message.span_selector = &span;
	message.start_ms = start_ms;
	message.end_ms = end_ms;
	message.has_format = 1;
	message.format = QUERIER__PROFILE_FORMAT__FORMAT_TREE;
	add_packed(body, &message.base);
}

static const char *method_name(const struct profile_query *query,
			       unsigned attempt)
{
	if (query->span_id)
		return "SelectMergeSpanProfile";
	return attempt == TREE ? "SelectMergeStacktraces"
			       : "SelectMergeProfile";
}

static bool post_request(const struct endpoint *endpoint, const char *method,
			 const char *content_type, struct buf *body,
			 struct http_request *request, struct error *err)
{
	struct buf path;

	buf_init(&path, PATH_BYTES);
	buf_add_text(&path, SERVICE);
	buf_add_text(&path, method);
	if (!request_fill(request, endpoint, "POST", &path, body, err))
		return false;
	request->content_type = content_type;
	return true;
}

/* The server answers a malformed id with 500, and no id at all with the
 * whole service. */
static bool is_span_id(const char *text)
{
	unsigned char id[8];

	return hex_decode(str_from(text), id, sizeof id);
}

unsigned source_profile_attempts(const struct profile_query *query)
{
	return query->span_id ? SPAN_ATTEMPTS : PROFILE_ATTEMPTS;
}

bool source_profile_request(const struct endpoint *endpoint,
			    const struct profile_query *query, unsigned attempt,
			    struct http_request *request, struct error *err)
{
	int64_t start_ms, end_ms;
	struct buf body;

	if (attempt >= source_profile_attempts(query))
		return error_set(err, ERROR_INTERNAL,
				 "no further request for a profile");
	if (query->span_id && !is_span_id(query->span_id))
		return error_set(err, ERROR_USAGE,
				 "a span id has 16 hex digits");
	range_ms(query->range, &start_ms, &end_ms);
	if (is_later(query, attempt) && start_ms < end_ms)
		start_ms++;
	buf_init(&body, BODY_BYTES);
	if (query->span_id)
		pack_span_tree(query, start_ms, end_ms, &body);
	else if (attempt == TREE)
		pack_tree(query, start_ms, end_ms, &body);
	else
		pack_pprof(query, start_ms, end_ms, &body);
	return post_request(endpoint, method_name(query, attempt), PROTO, &body,
			    request, err);
}

/* ---- answers with profiles ---- */

static enum answer miss(const struct profile_query *query,
			const struct endpoint *e, struct error *err)
{
	char tenant[160];

	error_set(err, ERROR_NOT_FOUND,
		  "pyroscope: no %s samples of %.200s in this window (%s)",
		  query->type_id, query->selector,
		  tenant_words(e, tenant, sizeof tenant));
	return ANSWER_MISS;
}

/* No samples in 0 or 6 bytes, depending on why; anything longer is for the
 * decoder to count. */
static bool is_empty(const struct http_response *response)
{
	struct str body = buf_str(&response->body);

	return body.len == 0 ||
	       str_equal(body, (struct str){ "\x0A\x00\x32\x00\x5A\x00", 6 });
}

/* A server that splits its storage (the default of 2.x) refuses a window that
 * begins exactly at its oldest profile: "query start time is after end time",
 * though it is not. One millisecond later it answers. */
static bool start_is_unlucky(const struct profile_query *query,
			     unsigned attempt,
			     const struct http_response *response)
{
	return query->range.from_ns < query->range.to_ns &&
	       !is_later(query, attempt) &&
	       body_contains(response, STR(LATE_START));
}

/* A missing method, or an answer too large for the server to send at once:
 * names only may still be had. */
static bool is_beyond_server(const struct http_response *response,
			     const char *code)
{
	return !strcmp(code, "unimplemented") || response->status == 404 ||
	       response->status == 501 ||
	       body_contains(response, STR("message larger than max"));
}

static enum answer failed(const struct profile_query *query, unsigned attempt,
			  const struct endpoint *e,
			  const struct http_response *response,
			  struct error *err)
{
	char code[40];
	bool is_hopeless;

	answer_fail("pyroscope", e, response, err);
	if (response->status == 0)
		return ANSWER_ERROR;
	if (start_is_unlucky(query, attempt, response))
		return ANSWER_TRY_NEXT;
	connect_code_read(response, code, sizeof code);
	/* Old releases answer 500 for what the inner code calls a login. */
	if (!strcmp(code, "unauthenticated") ||
	    !strcmp(code, "permission_denied"))
		err->code = ERROR_AUTH;
	if (body_contains(response, STR("max_query_length")))
		err->code = ERROR_LIMIT;
	is_hopeless = response->status == 401 || response->status == 403;
	return !is_hopeless && is_beyond_server(response, code)
		       ? ANSWER_TRY_NEXT
		       : ANSWER_ERROR;
}

enum answer source_profile_answer(const struct profile_query *query,
				  unsigned attempt,
				  const struct endpoint *endpoint,
				  const struct http_response *response,
				  enum body_form *form, struct error *err)
{
	if (response->status < 200 || response->status >= 300)
		return failed(query, attempt, endpoint, response, err);
	if (body_is_html(response))
		return answer_fail("pyroscope", endpoint, response, err);
	if (response->body.len > 0 && strcmp(response->content_type, PROTO)) {
		error_set(err, ERROR_FORMAT,
			  "pyroscope: %s answered with type \"%s\", not with "
			  "a profile: is there a Pyroscope at this address?",
			  method_name(query, attempt), response->content_type);
		return ANSWER_ERROR;
	}
	if (is_empty(response))
		return miss(query, endpoint, err);
	*form = query->span_id || attempt == TREE ? BODY_PYROSCOPE_TREE_PB
						  : BODY_PPROF;
	return ANSWER_OK;
}

/* ---- names ---- */

/* Writes {"start":..,"end":..} around what `add` puts in. */
static bool json_request(const struct endpoint *endpoint, const char *method,
			 struct time_range range,
			 void (*add)(struct jsonw *w, const char *text),
			 const char *text, struct http_request *request,
			 struct error *err)
{
	int64_t start_ms, end_ms;
	struct buf body;
	struct out out;
	struct jsonw w;

	range_ms(range, &start_ms, &end_ms);
	buf_init(&body, BODY_BYTES);
	out_init_memory(&out, &body);
	jsonw_init(&w, &out, 0);
	jsonw_object(&w);
	add(&w, text);
	jsonw_key(&w, "start");
	jsonw_i64(&w, start_ms);
	jsonw_key(&w, "end");
	jsonw_i64(&w, end_ms);
	jsonw_object_end(&w);
	out_release(&out);
	return post_request(endpoint, method, JSON, &body, request, err);
}

static void add_label_name(struct jsonw *w, const char *text)
{
	jsonw_key(w, "name");
	jsonw_text(w, text);
}

static void add_matcher(struct jsonw *w, const char *text)
{
	jsonw_key(w, "matchers");
	jsonw_array(w);
	jsonw_text(w, text);
	jsonw_array_end(w);
	jsonw_key(w, "labelNames");
	jsonw_array(w);
	jsonw_text(w, "__profile_type__");
	jsonw_array_end(w);
}

bool source_services_request(const struct endpoint *endpoint,
			     struct time_range range,
			     struct http_request *request, struct error *err)
{
	return json_request(endpoint, "LabelValues", range, add_label_name,
			    "service_name", request, err);
}

bool source_types_request(const struct endpoint *endpoint, const char *selector,
			  struct time_range range, struct http_request *request,
			  struct error *err)
{
	return json_request(endpoint, "Series", range, add_matcher, selector,
			    request, err);
}

bool pyroscope_probe_request(const struct endpoint *endpoint, int64_t now_ns,
			     struct http_request *request, struct error *err)
{
	struct time_range range = { sat_sub_i64(now_ns, PROBE_WINDOW_NS),
				    now_ns };

	return source_services_request(endpoint, range, request, err);
}

bool pyroscope_probe_matches(const struct http_response *response)
{
	char code[40];

	if (strcmp(response->content_type, JSON) != 0)
		return false;
	if (response->status == 200)
		return body_has_key(response, STR("names"), true);
	connect_code_read(response, code, sizeof code);
	return code[0] != '\0';
}

/* Names as they come, then sorted and made distinct. */
struct collector {
	struct arena *arena;
	struct name_list *list;
	size_t cap;
	bool is_failed;
};

static void collect(struct collector *c, struct str name)
{
	void *items = c->list->items;
	struct str copy;

	if (c->is_failed || c->list->count >= LIMIT_NAMES)
		return;
	copy = arena_str(c->arena, name);
	if (!copy.ptr ||
	    !arena_reserve(c->arena, &items, &c->cap, c->list->count + 1,
			   sizeof *c->list->items)) {
		c->is_failed = true;
		return;
	}
	c->list->items = items;
	c->list->items[c->list->count++] = copy;
}

static void collect_string(struct json_reader *r, struct collector *c)
{
	struct str text;

	if (json_text(r, &text))
		collect(c, text);
}

/* [".."] */
static void read_names(struct json_reader *r, struct collector *c)
{
	if (json_enter(r, JSON_ARRAY))
		while (json_next_item(r))
			collect_string(r, c);
}

/* {"name":"__profile_type__","value":".."}: only that name was asked for. */
static void read_label(struct json_reader *r, struct collector *c)
{
	struct str key;

	if (!json_enter(r, JSON_OBJECT))
		return;
	while (json_next_key(r, &key)) {
		if (str_equal(key, STR("value")))
			collect_string(r, c);
		else
			json_skip(r);
	}
}

static void read_labels(struct json_reader *r, struct collector *c)
{
	if (json_enter(r, JSON_ARRAY))
		while (json_next_item(r))
			read_label(r, c);
}

/* [{"labels":[..]}] */
static void read_label_sets(struct json_reader *r, struct collector *c)
{
	struct str key;

	if (!json_enter(r, JSON_ARRAY))
		return;
	while (json_next_item(r)) {
		if (!json_enter(r, JSON_OBJECT))
			return;
		while (json_next_key(r, &key)) {
			if (str_equal(key, STR("labels")))
				read_labels(r, c);
			else
				json_skip(r);
		}
	}
}

static int compare_names(const void *a, const void *b)
{
	return str_compare(*(const struct str *)a, *(const struct str *)b);
}

static void sort_distinct(struct name_list *list)
{
	size_t kept = 0;

	if (list->count)
		qsort(list->items, list->count, sizeof *list->items,
		      compare_names);
	for (size_t i = 0; i < list->count; i++)
		if (i == 0 || !str_equal(list->items[i], list->items[kept - 1]))
			list->items[kept++] = list->items[i];
	list->count = kept;
}

typedef void (*read_list)(struct json_reader *r, struct collector *c);

static bool read_answer(const struct http_response *response, struct str field,
			read_list read, struct collector *c, struct error *err)
{
	struct json_reader *r = json_new(buf_str(&response->body), err);
	struct str key;
	bool is_ok;

	if (!r)
		return false;
	is_ok = json_enter(r, JSON_OBJECT);
	while (is_ok && json_next_key(r, &key)) {
		if (str_equal(key, field))
			read(r, c);
		else
			json_skip(r);
	}
	is_ok = json_check(r, err);
	json_free(r);
	if (is_ok && c->is_failed)
		return arena_fail(c->arena, "the server's names", err);
	return is_ok;
}

static bool names_answer(const struct endpoint *endpoint,
			 const struct http_response *response, struct str field,
			 read_list read, struct arena *arena,
			 struct name_list *list, struct error *err)
{
	struct collector c = { .arena = arena, .list = list };

	*list = (struct name_list){ .items = NULL };
	if (response->status != 200 || body_is_html(response)) {
		answer_fail("pyroscope", endpoint, response, err);
		return false;
	}
	if (body_first(response) != '{') {
		struct str host = url_authority(endpoint->url);

		return error_set(err, ERROR_FORMAT,
				 "pyroscope: %.*s answers 200, but with no "
				 "list of names: is there a Pyroscope at this "
				 "address? (%s-url)",
				 STR_ARGS(host), side_prefix(endpoint));
	}
	if (!read_answer(response, field, read, &c, err))
		return error_prefix(err, "pyroscope: the list of names");
	sort_distinct(list);
	return true;
}

bool source_services_answer(const struct endpoint *endpoint,
			    const struct http_response *response,
			    struct arena *arena, struct name_list *names,
			    struct error *err)
{
	return names_answer(endpoint, response, STR("names"), read_names, arena,
			    names, err);
}

bool source_types_answer(const struct endpoint *endpoint,
			 const struct http_response *response,
			 struct arena *arena, struct name_list *types,
			 struct error *err)
{
	return names_answer(endpoint, response, STR("labelsSet"),
			    read_label_sets, arena, types, err);
}

/* ---- selectors ---- */

static bool is_plain_label(struct str label)
{
	for (size_t i = 0; i < label.len; i++) {
		char c = label.ptr[i];

		if (!ascii_is_letter(c) && c != '_' &&
		    (i == 0 || !ascii_is_digit(c)))
			return false;
	}
	return label.len > 0;
}

static void add_quoted(struct buf *out, struct str text)
{
	buf_add_char(out, '"');
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		if (c == '"' || c == '\\')
			buf_addf(out, "\\%c", c);
		else if (c == '\n')
			buf_add_text(out, "\\n");
		else if (c < ' ' || c == 0x7F)
			buf_addf(out, "\\x%02x", (unsigned)c);
		else
			buf_add_char(out, (char)c);
	}
	buf_add_char(out, '"');
}

void selector_add(struct buf *out, struct str label, struct str value)
{
	buf_add_char(out, out->len ? ',' : '{');
	if (is_plain_label(label))
		buf_add_str(out, label);
	else
		add_quoted(out, label);
	buf_add_char(out, '=');
	add_quoted(out, value);
}

void selector_close(struct buf *out)
{
	buf_add_text(out, out->len ? "}" : "{}");
}
