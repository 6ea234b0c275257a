/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/rooms.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backends.h"
#include "backend/checkup.h"
#include "backend/profile_backend.h"
#include "backend/pyroscope/pyroscope_calls.h"
#include "backend/source.h"
#include "base/json.h"
#include "base/jsonw.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "querier.pb-c.h"
#include "wire/http_message.h"
#include "wire/url.h"

#define PATH "/pyroscope/render"

/* Maximum length: type and selector are percent-encoded, three bytes for
 * one. */
#define RENDER_PATH_BYTES (4 * LIMIT_OPTION_VALUE_BYTES)

/* The request of the old web UI, for proxies that allow only that: names only,
 * all samples of a service. */
static bool pyroscope_render_request(const struct endpoint *endpoint,
				     const struct profile_query *query,
				     int64_t start_ms, int64_t end_ms,
				     struct http_request *request,
				     struct error *err)
{
	struct buf path;

	buf_init(&path, RENDER_PATH_BYTES);
	buf_add_text(&path, PATH "?query=");
	url_encode(&path, str_from(query->type_id));
	url_encode(&path, str_from(query->selector));
	buf_addf(&path, "&from=%" PRId64 "&until=%" PRId64, start_ms, end_ms);
	if (query->max_nodes > 0)
		buf_addf(&path, "&max-nodes=%" PRId64, query->max_nodes);
	if (!request_fill(request, endpoint, "GET", &path, NULL, err))
		return false;
	request->is_optional = true;
	return true;
}

#define SERVICE "/querier.v1.QuerierService/"
#define PROTO "application/proto"

#define PATH_BYTES ((size_t)256)

#define LATE_START "query start time is after end time"

/* The forms of a query; "later" by a millisecond, see answer_failed(). Only
 * PPROF and SPAN_PPROF have files and lines. */
enum form {
	PPROF,
	PPROF_LATER,
	TREE,
	RENDER,
	SPAN_PPROF,
	SPAN_TREE,
	SPAN_TREE_LATER,
};

/* Best first. For spans all releases return names, lines only from 2.2 on. */
static const enum form forms[] = { PPROF, PPROF_LATER, TREE, RENDER };
static const enum form span_forms[] = { SPAN_TREE, SPAN_TREE_LATER };
static const enum form span_line_forms[] = { SPAN_PPROF, SPAN_TREE,
					     SPAN_TREE_LATER };

struct plan {
	const enum form *forms;
	unsigned count;
};

#define PLAN(list) ((struct plan){ list, sizeof(list) / sizeof *(list) })

static struct plan plan_of(const struct profile_query *query)
{
	if (!query->span_id_count)
		return PLAN(forms);
	return query->wants_lines ? PLAN(span_line_forms) : PLAN(span_forms);
}

/* Returns the form; past the last attempt the last one. */
static enum form form_of(const struct profile_query *query, unsigned attempt)
{
	struct plan plan = plan_of(query);

	return plan.forms[attempt < plan.count ? attempt : plan.count - 1];
}

/* ---- times ---- */

static int64_t ceil_ms(int64_t time_ns)
{
	int64_t ms = time_ns / NS_PER_MS;

	return time_ns % NS_PER_MS > 0 ? ms + 1 : ms;
}

/* Converts [from, to) in nanoseconds to inclusive milliseconds: adjacent
 * windows share no profile. The server takes 0 as "not given". */
static void pyroscope_range_ms(struct time_range range, int64_t *start_ms,
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

static bool is_later(enum form form)
{
	return form != PPROF && form != SPAN_PPROF && form != SPAN_TREE;
}

static void add_packed(struct buf *body, const ProtobufCMessage *message)
{
	size_t size = protobuf_c_message_get_packed_size(message);
	char *room = buf_reserve(body, size);

	if (room)
		buf_commit(body,
			   protobuf_c_message_pack(message, (uint8_t *)room));
}

/* protobuf-c does not modify what it packs, but its fields are char *. */
static char *text_unconst(const char *text)
{
	union {
		const char *in;
		char *out;
	} u = { text };

	return u.out;
}

#define SPAN_ID_BYTES 17

static int id_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The ids sorted, without duplicates, as text for the server. */
struct span_texts {
	uint64_t *ids;
	char (*texts)[SPAN_ID_BYTES];
	char **items;
	size_t count;
};

static bool span_texts_fill(struct span_texts *t,
			    const struct profile_query *query)
{
	size_t n = query->span_id_count;

	*t = (struct span_texts){ .ids = mem_calloc(n, sizeof *t->ids),
				  .texts = mem_calloc(n, sizeof *t->texts),
				  .items = mem_calloc(n, sizeof *t->items) };
	if (!t->ids || !t->texts || !t->items)
		return false;
	memcpy(t->ids, query->span_ids, n * sizeof *t->ids);
	qsort(t->ids, n, sizeof *t->ids, id_compare);
	for (size_t i = 0; i < n; i++) {
		char *text = t->texts[t->count];

		if (i > 0 && t->ids[i] == t->ids[i - 1])
			continue;
		snprintf(text, SPAN_ID_BYTES, "%016" PRIx64, t->ids[i]);
		t->items[t->count++] = text;
	}
	return true;
}

static void pack_stacktraces(const struct profile_query *query,
			     const struct span_texts *spans, int64_t start_ms,
			     int64_t end_ms, struct buf *body)
{
	Querier__SelectMergeStacktracesRequest message =
		QUERIER__SELECT_MERGE_STACKTRACES_REQUEST__INIT;

	message.profile_type_id = text_unconst(query->type_id);
	message.label_selector = text_unconst(query->selector);
	message.start_ms = start_ms;
	message.end_ms = end_ms;
	message.has_max_nodes = query->max_nodes > 0 && !spans->count;
	message.max_nodes = query->max_nodes;
	message.has_format = 1;
	message.format = spans->count ? QUERIER__PROFILE_FORMAT__FORMAT_PPROF
				      : QUERIER__PROFILE_FORMAT__FORMAT_TREE;
	message.n_span_selector = spans->count;
	message.span_selector = spans->items;
	add_packed(body, &message.base);
}

static void pack_span_tree(const struct profile_query *query,
			   const struct span_texts *spans, int64_t start_ms,
			   int64_t end_ms, struct buf *body)
{
	Querier__SelectMergeSpanProfileRequest message =
		QUERIER__SELECT_MERGE_SPAN_PROFILE_REQUEST__INIT;

	message.profile_type_id = text_unconst(query->type_id);
	message.label_selector = text_unconst(query->selector);
	message.n_span_selector = spans->count;
	message.span_selector = spans->items;
	message.start_ms = start_ms;
	message.end_ms = end_ms;
	message.has_max_nodes = query->max_nodes > 0;
	message.max_nodes = query->max_nodes;
	message.has_format = 1;
	message.format = QUERIER__PROFILE_FORMAT__FORMAT_TREE;
	add_packed(body, &message.base);
}

static bool profile_pack(const struct profile_query *query, enum form form,
			 int64_t start_ms, int64_t end_ms, struct buf *body,
			 struct error *err)
{
	struct span_texts spans = { .count = 0 };
	bool done;

	done = !query->span_id_count || span_texts_fill(&spans, query);
	if (!done) {
		error_memory(err, "the span ids");
	} else if (form == TREE || form == SPAN_PPROF) {
		pack_stacktraces(query, &spans, start_ms, end_ms, body);
	} else if (query->span_id_count) {
		pack_span_tree(query, &spans, start_ms, end_ms, body);
	} else {
		Querier__SelectMergeProfileRequest message =
			QUERIER__SELECT_MERGE_PROFILE_REQUEST__INIT;

		message.profile_type_id = text_unconst(query->type_id);
		message.label_selector = text_unconst(query->selector);
		message.start_ms = start_ms;
		message.end_ms = end_ms;
		add_packed(body, &message.base);
	}
	mem_free(spans.ids);
	mem_free(spans.texts);
	mem_free(spans.items);
	return done;
}

static const char *method_name(enum form form)
{
	switch (form) {
	case TREE:
	case SPAN_PPROF:
		return "SelectMergeStacktraces";
	case SPAN_TREE:
	case SPAN_TREE_LATER:
		return "SelectMergeSpanProfile";
	case RENDER:
		return "render";
	default:
		return "SelectMergeProfile";
	}
}

bool pyroscope_post(const struct endpoint *endpoint, const char *method,
		    const char *content_type, struct buf *body,
		    struct http_request *request, struct error *err)
{
	struct buf path;

	if (endpoint->project) {
		buf_release(body);
		return error_set(err, ERROR_USAGE,
				 "profiles cannot be queried from Cloud "
				 "Profiler (project %s); name another server "
				 "with --profiles-url",
				 endpoint->project);
	}
	buf_init(&path, PATH_BYTES);
	buf_add_text(&path, SERVICE);
	buf_add_text(&path, method);
	if (!request_fill(request, endpoint, "POST", &path, body, err))
		return false;
	request->content_type = content_type;
	return true;
}

/* Attempts without spans: SelectMergeProfile (pprof), the same a millisecond
 * later (a server bug refuses windows that begin at its oldest profile),
 * SelectMergeStacktraces (tree), then /pyroscope/render (flame graph) for
 * proxies that allow only that. With spans: SelectMergeSpanProfile (tree), the
 * same a millisecond later; with wants_lines SelectMergeStacktraces (pprof)
 * before. The answer's form distinguishes pprof from the others. */
static unsigned pyroscope_profile_attempts(const struct profile_query *query)
{
	return plan_of(query).count;
}

static unsigned pyroscope_names_attempt(const struct profile_query *query)
{
	unsigned attempt = 0;

	while (form_of(query, attempt) != TREE &&
	       form_of(query, attempt) != SPAN_TREE)
		attempt++;
	return attempt;
}

static bool pyroscope_profile_request(const struct side *side,
				      const struct profile_query *query,
				      unsigned attempt,
				      struct http_request *request,
				      struct error *err)
{
	const struct endpoint *endpoint = &side->endpoint;
	enum form form = form_of(query, attempt);
	int64_t start_ms, end_ms;
	struct buf body;

	if (attempt >= pyroscope_profile_attempts(query))
		return error_set(err, ERROR_INTERNAL,
				 "no further request for a profile");
	if (query->span_id_count > LIMIT_COHORT_SPANS)
		return error_set(err, ERROR_LIMIT,
				 "samples of %zu spans at once: at most %u",
				 query->span_id_count, LIMIT_COHORT_SPANS);
	pyroscope_range_ms(query->range, &start_ms, &end_ms);
	if (is_later(form) && start_ms < end_ms)
		start_ms++;
	if (form == RENDER)
		return pyroscope_render_request(endpoint, query, start_ms,
						end_ms, request, err);
	buf_init(&body, PYROSCOPE_BODY_BYTES);
	if (!profile_pack(query, form, start_ms, end_ms, &body, err)) {
		buf_release(&body);
		return false;
	}
	if (!pyroscope_post(endpoint, method_name(form), PROTO, &body, request,
			    err))
		return false;
	request->is_optional = form == SPAN_PPROF;
	return true;
}

/* ---- answers with profiles ---- */

static enum answer answer_failed(const struct profile_query *query,
				 unsigned attempt, const struct endpoint *e,
				 const struct http_response *response,
				 struct error *err)
{
	enum form form = form_of(query, attempt);
	struct str host = url_authority(e->url);
	char code[40];
	bool is_route_missing;

	answer_fail("pyroscope", e, response, err);
	/* A case may have been recorded without lines. */
	if (response->status == 0)
		return form == SPAN_PPROF &&
				       response->err.code == ERROR_NOT_FOUND
			       ? ANSWER_TRY_NEXT
			       : ANSWER_ERROR;
	/* Servers with split storage (the default of 2.x) refuse a window that
	 * begins exactly at its oldest profile: "query start time is after end
	 * time", though it is not. One millisecond later they answer. */
	if (query->range.from_ns < query->range.to_ns && !is_later(form) &&
	    body_contains(response, STR(LATE_START)))
		return ANSWER_TRY_NEXT;
	connect_code_read(response, code, sizeof code);
	/* Old releases answer 500 for a missing login. */
	if (!strcmp(code, "unauthenticated") ||
	    !strcmp(code, "permission_denied"))
		err->code = ERROR_AUTH;
	if (body_contains(response, STR("max_query_length")))
		err->code = ERROR_LIMIT;
	if (response->status == 401 || response->status == 403)
		return ANSWER_ERROR;
	/* The method is missing or blocked by a proxy, or the answer is too
	 * large for the server: the next form may work. */
	is_route_missing = !strcmp(code, "unimplemented") ||
			   response->status == 404 || response->status == 405 ||
			   response->status == 501;
	if (!is_route_missing &&
	    !body_contains(response, STR("message larger than max")))
		return ANSWER_ERROR;
	/* Servers before 1.2, and proxies that allow only the web UI's
	 * requests. */
	if (query->span_id_count && is_route_missing)
		error_set(err, err->code,
			  "pyroscope: %.*s has no samples of single requests: "
			  "SelectMergeSpanProfile is missing (%d)",
			  STR_ARGS(host), response->status);
	return ANSWER_TRY_NEXT;
}

/* "max flamegraph nodes limit 65536 is greater than allowed 8192" */
static int64_t pyroscope_node_limit(const struct http_response *response)
{
	static const char words[] = "is greater than allowed ";
	struct reason reason;
	const char *at;
	int64_t limit = 0;

	if (response->status < 400)
		return 0;
	reason_read(response, &reason);
	at = strstr(reason.text, words);
	if (!at || !strstr(reason.text, "flamegraph nodes"))
		return 0;
	at += sizeof words - 1;
	while (ascii_is_digit(*at) && limit < INT32_MAX)
		limit = limit * 10 + (*at++ - '0');
	return limit;
}

/* Returns max_query_length; if the answer has no number its default, a day.
 * "the query time range exceeds the limit (max_query_length, actual: 48h0m0s,
 * limit: 1d)"; the end is inclusive milliseconds. */
static int64_t pyroscope_window_limit_ns(const struct http_response *response)
{
	struct reason reason;
	struct str text, limit = STR("limit: ");
	size_t at;
	int64_t limit_ns;

	if (response->status < 400 ||
	    !body_contains(response, STR("max_query_length")))
		return 0;
	reason_read(response, &reason);
	text = str_from(reason.text);
	at = str_find(text, limit);
	if (at == SIZE_MAX)
		return NS_PER_DAY;
	text = str_slice(text, at + limit.len, text.len);
	text = str_slice(text, 0, str_find(text, STR(")")));
	return parse_duration(text, &limit_ns) && limit_ns > 0 ? limit_ns
							       : NS_PER_DAY;
}

/* Evaluates the body of an answer with status 200. */
static enum answer answer_judge(const struct profile_query *query,
				enum form asked,
				const struct endpoint *endpoint,
				const struct http_response *response,
				struct profile_form *form, struct error *err)
{
	struct str body = buf_str(&response->body);
	char tenant[160];

	if (body_is_html(response))
		return answer_fail("pyroscope", endpoint, response, err);
	if (asked == RENDER) {
		*form = (struct profile_form){
			FORMAT_PYROSCOPE_FLAMEGRAPH_JSON,
			"the profile was fetched by the older "
			"/pyroscope/render: no files and lines"
		};
		if (body_has_key(response, STR("flamebearer"), false))
			return ANSWER_OK;
		error_set(err, ERROR_FORMAT,
			  "pyroscope: " PATH " answered with something other "
					     "than a flame graph: is this the "
					     "address of a Pyroscope?");
		return ANSWER_ERROR;
	}
	if (strcmp(response->content_type, PROTO)) {
		error_set(err, ERROR_FORMAT,
			  "pyroscope: %s answered with type \"%s\", not with "
			  "a profile: is there a Pyroscope at this address?",
			  method_name(asked), response->content_type);
		return ANSWER_ERROR;
	}
	/* No samples are 0 or 6 bytes, depending on the reason; anything longer
	 * is left to the decoder. */
	if (body.len == 0 ||
	    str_equal(body, (struct str){ "\x0A\x00\x32\x00\x5A\x00", 6 })) {
		error_set(err, ERROR_NOT_FOUND,
			  "pyroscope: no %s samples of %.200s in this window "
			  "(%s)",
			  query->type_id, query->selector,
			  tenant_words(endpoint, tenant, sizeof tenant));
		return ANSWER_MISS;
	}
	/* Field 5 comes first in the answer if it is there. Servers that do not
	 * support the form ignore the spans, too, and return the flame graph of
	 * the whole service. */
	if (asked == SPAN_PPROF && !str_starts(body, STR("\x2A"))) {
		error_set(err, ERROR_NOT_FOUND,
			  "pyroscope: no lines of single requests before 2.2");
		return ANSWER_TRY_NEXT;
	}
	if (asked != PPROF && asked != PPROF_LATER)
		form->format = FORMAT_PYROSCOPE_TREE_PB;
	if (asked == TREE && !query->wants_lines)
		form->note = "the profile was fetched by the fallback request: "
			     "no files and lines";
	return ANSWER_OK;
}

/* side->room, once samples of spans are known to have names only. */
static char without_lines;

static bool pyroscope_has_span_lines(const struct side *side)
{
	return side->room != &without_lines;
}

static enum answer pyroscope_profile_answer(
	struct side *side, const struct profile_query *query, unsigned attempt,
	const struct http_response *response, struct profile_form *form,
	struct error *err)
{
	const struct endpoint *endpoint = &side->endpoint;
	enum form asked = form_of(query, attempt);
	enum answer answer;

	*form = (struct profile_form){ .format = FORMAT_PPROF };
	if (response->status < 200 || response->status >= 300)
		answer = answer_failed(query, attempt, endpoint, response, err);
	else
		answer =
			answer_judge(query, asked, endpoint, response, form,
				     err);
	/* A refusal may be about this one query; any other result applies to
	 * all. */
	if (answer == ANSWER_TRY_NEXT && asked == SPAN_PPROF &&
	    response->status != 400)
		side->room = &without_lines;
	return answer;
}

#define JSON "application/json"

/* A service's metadata of the last hour is cheap to query. */
#define PROBE_WINDOW_NS NS_PER_HOUR

/* Builds a request with a JSON body: the fields from `add`, then the times. */
static bool pyroscope_ask(const struct endpoint *endpoint, const char *method,
			  struct time_range range,
			  void (*add)(struct jsonw *w, const void *what),
			  const void *what, struct http_request *request,
			  struct error *err)
{
	int64_t start_ms, end_ms;
	struct buf body;
	struct out out;
	struct jsonw w;

	pyroscope_range_ms(range, &start_ms, &end_ms);
	buf_init(&body, PYROSCOPE_BODY_BYTES);
	out_init_memory(&out, &body);
	jsonw_init(&w, &out, 0);
	jsonw_object(&w);
	add(&w, what);
	jsonw_addf(&w, "start:%jd, end:%jd}", start_ms, end_ms);
	out_release(&out);
	return pyroscope_post(endpoint, method, JSON, &body, request, err);
}

static void add_label_name(struct jsonw *w, const void *what)
{
	jsonw_pair_text(w, "name", what);
}

/* One matcher: with several, v1 stores match any and v2 stores all. */
static void add_matcher(struct jsonw *w, const void *what)
{
	const struct series_query *query = what;

	jsonw_addf(w, "matchers:[%s], labelNames:[", query->selector);
	for (size_t i = 0; i < query->label_count; i++)
		jsonw_text(w, query->labels[i]);
	jsonw_array_end(w);
}

bool pyroscope_services_request(const struct side *side,
				struct time_range range,
				struct http_request *request, struct error *err)
{
	return pyroscope_ask(&side->endpoint, "LabelValues", range,
			     add_label_name, "service_name", request, err);
}

static bool pyroscope_types_request(const struct side *side,
				    const struct series_query *query,
				    struct http_request *request,
				    struct error *err)
{
	static const char *const label = "__profile_type__";
	const struct series_query types = { query->selector, &label, 1,
					    query->range };

	return pyroscope_ask(&side->endpoint, "Series", query->range,
			     add_matcher, &types, request, err);
}

/* Servers before 2.0 omit labels with dots in their names, and return others
 * than requested, which are skipped. */
static bool pyroscope_series_request(const struct side *side,
				     const struct series_query *query,
				     struct http_request *request,
				     struct error *err)
{
	if (!pyroscope_ask(&side->endpoint, "Series", query->range, add_matcher,
			   query, request, err))
		return false;
	/* Without this labels with dots in their names are omitted. */
	request->accept = "*/*;allow-utf8-labelnames=true";
	return true;
}

bool pyroscope_probe_request(const struct endpoint *endpoint, int64_t now_ns,
			     struct http_request *request, struct error *err)
{
	struct time_range range = { sat_sub_i64(now_ns, PROBE_WINDOW_NS),
				    now_ns };

	if (!pyroscope_ask(endpoint, "LabelValues", range, add_label_name,
			   "service_name", request, err))
		return false;
	request->is_probe = true;
	return true;
}

bool pyroscope_probe_matches(const struct http_response *response)
{
	char code[40];

	if (!response->status || answer_is_denied(response) ||
	    strcmp(response->content_type, JSON) != 0)
		return false;
	if (response->status == 200)
		return body_has_key(response, STR("names"), true);
	connect_code_read(response, code, sizeof code);
	return code[0] != '\0';
}

struct type_reader {
	struct name_gatherer *types;
	bool is_other; /* the label being read */
};

/* {"name":"__profile_type__","value":".."}: only that name is requested, but a
 * case may have an answer with others. */
static void read_label(struct json_reader *r, struct str key, void *reader)
{
	struct type_reader *t = reader;
	bool is_name = str_equal(key, STR("name"));
	struct str text;

	if (!is_name && !str_equal(key, STR("value"))) {
		json_skip(r);
		return;
	}
	if (!json_text(r, &text))
		return;
	if (!is_name && !t->is_other)
		name_gatherer_add(t->types, text);
	t->is_other = is_name && !str_equal(text, STR("__profile_type__"));
}

/* {"labels":[..]} */
static void read_label_set(struct json_reader *r, struct str key, void *reader)
{
	if (str_equal(key, STR("labels")))
		json_each_object(r, read_label, reader);
	else
		json_skip(r);
}

static void read_label_sets(struct json_reader *r, void *names)
{
	struct type_reader reader = { .types = names };

	json_each_object(r, read_label_set, &reader);
}

static bool check_list(const struct endpoint *endpoint,
		       const struct http_response *response, const char *field,
		       struct error *err)
{
	/* Connect omits an empty list. */
	const struct answer_form form = { .keys = { field },
					  .may_be_empty = true };
	struct str host;

	if (response->status != 200 || body_is_html(response)) {
		answer_fail("pyroscope", endpoint, response, err);
		return false;
	}
	if (answer_has_form(response, &form))
		return true;
	host = url_authority(endpoint->url);
	return error_set(err, ERROR_FORMAT,
			 "pyroscope: %.*s answers 200, but with no "
			 "list: is there a Pyroscope at this address? "
			 "(%s-url)",
			 STR_ARGS(host), side_prefix(endpoint));
}

/* Reads the JSON object of an answer: calls read for the value of the field.
 * Returns false with err for any other answer. */
static bool pyroscope_read(const struct endpoint *endpoint,
			   const struct http_response *response,
			   const char *field,
			   void (*read)(struct json_reader *r, void *into),
			   void *into, struct error *err)
{
	return check_list(endpoint, response, field, err) &&
	       answer_read_field(response, str_from(field), read, into,
				 "pyroscope", err);
}

static bool names_answer(const struct backends *b,
			 const struct http_response *response, const char *field,
			 void (*read)(struct json_reader *r, void *into),
			 struct name_list *list, struct error *err)
{
	struct name_gatherer g;

	name_gatherer_init(&g, b->arena, list);
	return pyroscope_read(&b->profiles.endpoint, response, field, read, &g,
			      err) &&
	       name_gatherer_finish(&g, err);
}

bool pyroscope_services_answer(const struct backends *b,
			       const struct http_response *response,
			       struct name_list *names, struct error *err)
{
	return names_answer(b, response, "names", name_gatherer_read,
			    names, err);
}

static bool pyroscope_types_answer(struct backends *b,
				   const struct series_query *query,
				   const struct http_response *response,
				   struct name_list *types, struct error *err)
{
	(void)query;
	return names_answer(b, response, "labelsSet", read_label_sets,
			    types, err);
}

/* ---- series ---- */

struct series_reader {
	struct arena *arena;
	const char *const *labels;
	struct series_list *series;
	size_t cap; /* values */
	bool is_failed;
};

/* Adjacent rows often have the same values, which are stored once. */
static struct str series_text(struct series_reader *s, size_t label,
			      struct str text)
{
	const struct series_list *list = s->series;
	struct str copy;

	if (list->count > 0 && label < list->label_count) {
		size_t before = (list->count - 1) * list->label_count + label;

		if (list->values[before].ptr &&
		    str_equal(list->values[before], text))
			return list->values[before];
	}
	copy = arena_str(s->arena, text);
	s->is_failed |= !copy.ptr;
	return copy;
}

/* {"name":"pod","value":"a"}, in either order. */
static void read_series_label(struct json_reader *r, struct series_reader *s,
			      struct str *row)
{
	const size_t count = s->series->label_count;
	struct str value = { NULL, 0 }, text;
	size_t label = count;
	struct str key;

	if (!json_enter(r, JSON_OBJECT))
		return;
	while (json_next_key(r, &key)) {
		if (str_equal(key, STR("name"))) {
			if (!json_text(r, &text))
				continue;
			label = 0;
			while (label < count &&
			       !str_equal(text, str_from(s->labels[label])))
				label++;
		} else if (str_equal(key, STR("value"))) {
			if (json_text(r, &text))
				value = series_text(s, label, text);
		} else {
			json_skip(r);
		}
	}
	if (label < count)
		row[label] = value;
}

/* Returns a new, empty row; NULL past the limit or without memory. */
static struct str *series_row(struct series_reader *s)
{
	struct series_list *list = s->series;
	size_t used = list->count * list->label_count;
	void *values = list->values;

	if (s->is_failed || list->count >= LIMIT_SERIES)
		return NULL;
	if (!arena_reserve(s->arena, &values, &s->cap, used + list->label_count,
			   sizeof *list->values)) {
		s->is_failed = true;
		return NULL;
	}
	list->values = values;
	memset(list->values + used, 0,
	       list->label_count * sizeof *list->values);
	return list->values + used;
}

static void read_series_labels(struct json_reader *r, struct series_reader *s)
{
	struct str *row = series_row(s);

	if (!row) {
		json_skip(r);
		return;
	}
	if (json_enter(r, JSON_ARRAY))
		while (json_next_item(r))
			read_series_label(r, s, row);
	s->series->count++;
}

/* {"labels":[..]} */
static void read_one_series(struct json_reader *r, struct str key, void *into)
{
	if (str_equal(key, STR("labels")))
		read_series_labels(r, into);
	else
		json_skip(r);
}

static void read_series(struct json_reader *r, void *into)
{
	json_each_object(r, read_one_series, into);
}

static bool pyroscope_series_answer(struct backends *b,
				    const struct series_query *query,
				    const struct http_response *response,
				    struct series_list *series,
				    struct error *err)
{
	struct series_reader s = { .arena = b->arena,
				   .labels = query->labels,
				   .series = series };

	*series = (struct series_list){ .label_count = query->label_count };
	if (!pyroscope_read(&b->profiles.endpoint, response, "labelsSet",
			    read_series, &s, err))
		return false;
	if (s.is_failed)
		return arena_fail(b->arena, "the server's series", err);
	return true;
}

static bool pyroscope_kept_names(struct backends *b, const char *url,
				 struct str asked,
				 const struct http_response *response,
				 bool is_types, struct name_list *names,
				 struct error *err)
{
	const char *const label =
		is_types ? "__profile_type__" : "service_name";
	const struct series_query query = { .labels = &label,
					    .label_count = 1 };
	struct series_list series;

	if (strstr(url, "/LabelValues") && !is_types &&
	    str_find(asked, STR("\"service_name\"")) != SIZE_MAX)
		return pyroscope_services_answer(b, response, names, err);
	if (!strstr(url, "/Series") ||
	    !pyroscope_series_answer(b, &query, response, &series, err))
		return false;
	*names = (struct name_list){ series.values, series.count };
	return true;
}

/* Below any upload interval (10 to 60 s): each point is one snapshot. */
#define POINT_STEP_MS 5000

/* SelectHeatmap (2.0 and later), else points of SelectSeries with a step below
 * any upload interval. */
#define PYROSCOPE_SNAPSHOTS_ATTEMPTS 2

enum { HEATMAP, POINTS };
_Static_assert(POINTS + 1 == PYROSCOPE_SNAPSHOTS_ATTEMPTS, "each is queried");

struct snapshots_query {
	const struct profile_query *query;
	const char *instance_label;
	int64_t step_ms;
	bool is_heatmap;
};

static void add_exemplar_query(struct jsonw *w, const void *what)
{
	const struct snapshots_query *q = what;

	jsonw_pair_text(w, "profileTypeID", q->query->type_id);
	jsonw_pair_text(w, "labelSelector", q->query->selector);
	jsonw_pair_f64(w, "step", (double)q->step_ms / 1000, 3);
	if (q->is_heatmap) {
		jsonw_addf(w, "queryType:HEATMAP_QUERY_TYPE_INDIVIDUAL, "
			      "exemplarType:EXEMPLAR_TYPE_NONE");
	} else if (q->instance_label) {
		jsonw_addf(w, "groupBy:[%s]", q->instance_label);
	}
}

/* A point at t covers [t - step, t], and data after the last point is omitted:
 * the window has to end with a point. */
static struct time_range points_range(struct time_range range, int64_t *step_ms)
{
	int64_t start_ms, end_ms, length_ms;

	pyroscope_range_ms(range, &start_ms, &end_ms);
	length_ms = end_ms - start_ms + 1;
	if (!*step_ms || *step_ms > length_ms / 2)
		*step_ms = (length_ms + 1) / 2;
	start_ms = end_ms - (length_ms - 1) / *step_ms * *step_ms;
	if (start_ms >= end_ms) /* a single point is refused */
		start_ms = end_ms - 1;
	return (struct time_range){ start_ms * NS_PER_MS,
				    (end_ms + 1) * NS_PER_MS };
}

static bool pyroscope_snapshots_request(const struct side *side,
					const struct profile_query *query,
					const char *instance_label,
					unsigned attempt,
					struct http_request *request,
					struct error *err)
{
	struct snapshots_query q = {
		.query = query,
		.instance_label = instance_label,
		.step_ms = attempt == HEATMAP ? 0 : POINT_STEP_MS,
		.is_heatmap = attempt == HEATMAP,
	};
	struct time_range range = points_range(query->range, &q.step_ms);

	return pyroscope_ask(&side->endpoint,
			     attempt == HEATMAP ? "SelectHeatmap"
						: "SelectSeries",
			     range, add_exemplar_query, &q, request, err);
}

/* "counts":[3,0,..] */
static void read_slot(struct json_reader *r, struct str key, void *sum)
{
	int64_t count, *total = sum;

	if (!str_equal(key, STR("counts"))) {
		json_skip(r);
		return;
	}
	if (json_enter(r, JSON_ARRAY))
		while (json_next_item(r))
			if (json_i64(r, &count) && count > 0)
				*total = sat_add_i64(*total, count);
}

static void read_exemplar_point(struct json_reader *r, struct str key,
				void *sum)
{
	int64_t *total = sum;
	double value;

	if (!str_equal(key, STR("value")))
		json_skip(r);
	else if (json_f64(r, &value) && value > 0)
		*total = sat_add_i64(*total, 1);
}

static void read_exemplar_series(struct json_reader *r, struct str key,
				 void *sum)
{
	if (str_equal(key, STR("slots")))
		json_each_object(r, read_slot, sum);
	else if (str_equal(key, STR("points")))
		json_each_object(r, read_exemplar_point, sum);
	else
		json_skip(r);
}

static void read_exemplars(struct json_reader *r, void *into)
{
	json_each_object(r, read_exemplar_series, into);
}

static enum answer pyroscope_snapshots_answer(
	const struct side *side, const struct http_response *response,
	int64_t *count, struct error *err)
{
	*count = 0;
	if (!pyroscope_read(&side->endpoint, response, "series", read_exemplars,
			    count, err))
		return err->code == ERROR_AUTH ? ANSWER_ERROR : ANSWER_TRY_NEXT;
	if (*count > 0)
		return ANSWER_OK;
	error_set(err, ERROR_NOT_FOUND,
		  "pyroscope: no snapshots in this window");
	return ANSWER_TRY_NEXT;
}

static void add_query(struct jsonw *w, const void *what)
{
	const struct totals_query *q = what;

	jsonw_addf(w,
		   "profileTypeID:%s, labelSelector:%s, step:%.3f, "
		   "groupBy:[%s",
		   q->type_id, q->selector, (double)q->step_ms / 1000,
		   q->label);
	if (q->beside)
		jsonw_text(w, q->beside);
	jsonw_array_end(w);
}

static int64_t first_point_ms(const struct totals_query *query)
{
	return query->from_ms + query->step_ms - 1;
}

/* SelectSeries. */
static bool pyroscope_totals_request(const struct side *side,
				     const struct totals_query *query,
				     struct http_request *request,
				     struct error *err)
{
	int64_t length_ms = query->step_ms * (int64_t)query->step_count;
	struct time_range range = { first_point_ms(query) * NS_PER_MS,
				    (query->from_ms + length_ms) * NS_PER_MS };

	return pyroscope_ask(&side->endpoint, "SelectSeries", range, add_query,
			     query, request, err);
}

/* {"name":"service_name","value":"a"}: only requested labels. */
static void read_total_label(struct json_reader *r, struct total_gatherer *g,
			     struct total *into)
{
	const char *beside = g->query->beside;
	struct str key, text, value = STR("");
	bool is_beside = false;

	if (!json_enter(r, JSON_OBJECT))
		return;
	while (json_next_key(r, &key)) {
		if (str_equal(key, STR("name"))) {
			if (json_text(r, &text))
				is_beside = beside &&
					    str_equal(text, str_from(beside));
		} else if (!str_equal(key, STR("value"))) {
			json_skip(r);
		} else if (json_text(r, &text)) {
			value = arena_str(g->arena, text);
			g->is_failed |= !value.ptr;
		}
	}
	*(is_beside ? &into->beside : &into->name) = value;
}

/* {"value":1.5,"timestamp":"1795271102000"} */
static void read_point(struct json_reader *r, const struct total_gatherer *g,
		       struct total *into)
{
	const struct totals_query *q = g->query;
	int64_t time_ms = INT64_MIN, after_ms;
	double value = 0;
	struct str key;

	if (!json_enter(r, JSON_OBJECT))
		return;
	while (json_next_key(r, &key)) {
		if (str_equal(key, STR("value"))) {
			if (!json_f64(r, &value))
				return;
		} else if (str_equal(key, STR("timestamp"))) {
			if (!json_i64(r, &time_ms))
				return;
		} else {
			json_skip(r);
		}
	}
	/* A point at t is for the step that ends there. */
	if (value > 0 && isfinite(value) &&
	    sub_i64(time_ms, first_point_ms(q), &after_ms) && after_ms >= 0 &&
	    after_ms / q->step_ms < (int64_t)q->step_count)
		into->values[after_ms / q->step_ms] += value;
}

static void read_one(struct json_reader *r, struct total_gatherer *g)
{
	struct total *into = total_gatherer_add(g);
	struct str key;

	if (!into) {
		json_skip(r);
		return;
	}
	if (!json_enter(r, JSON_OBJECT))
		return;
	while (json_next_key(r, &key)) {
		bool is_label = str_equal(key, STR("labels"));

		if (!is_label && !str_equal(key, STR("points"))) {
			json_skip(r);
			continue;
		}
		if (!json_enter(r, JSON_ARRAY))
			return;
		while (json_next_item(r)) {
			if (is_label)
				read_total_label(r, g, into);
			else
				read_point(r, g, into);
		}
	}
}

/* [{"labels":[..],"points":[..]}] */
static void read_all(struct json_reader *r, void *into)
{
	if (json_enter(r, JSON_ARRAY))
		while (json_next_item(r))
			read_one(r, into);
}

static bool pyroscope_totals_answer(const struct backends *b,
				    const struct totals_query *query,
				    const struct http_response *response,
				    struct totals *totals, struct error *err)
{
	struct total_gatherer g;

	total_gatherer_init(&g, query, b->arena, totals);
	return pyroscope_read(&b->profiles.endpoint, response, "series",
			      read_all, &g, err) &&
	       total_gatherer_finish(&g, err);
}

const struct profile_backend profile_pyroscope = {
	.name = "pyroscope",
	.title = "Pyroscope",
	.traits = { .has_span_samples = true },
	.checkup = &checkup_pyroscope,
	.services_request = pyroscope_services_request,
	.services_answer = pyroscope_services_answer,
	.types_request = pyroscope_types_request,
	.types_answer = pyroscope_types_answer,
	.series_request = pyroscope_series_request,
	.series_answer = pyroscope_series_answer,
	.kept_names = pyroscope_kept_names,
	.profile_attempts = pyroscope_profile_attempts,
	.names_attempt = pyroscope_names_attempt,
	.profile_request = pyroscope_profile_request,
	.profile_answer = pyroscope_profile_answer,
	.has_span_lines = pyroscope_has_span_lines,
	.node_limit = pyroscope_node_limit,
	.window_limit_ns = pyroscope_window_limit_ns,
	.snapshots_attempts = PYROSCOPE_SNAPSHOTS_ATTEMPTS,
	.snapshots_request = pyroscope_snapshots_request,
	.snapshots_answer = pyroscope_snapshots_answer,
	.totals_request = pyroscope_totals_request,
	.totals_answer = pyroscope_totals_answer,
};
