/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/pyroscope/pyroscope_calls.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "querier.pb-c.h"
#include "backend/answer.h"
#include "backend/backend.h"
#include "backend/backends.h"
#include "wire/http_error.h"

#define SERVICE "/querier.v1.QuerierService/"
#define PROTO "application/proto"

#define PATH_BYTES ((size_t)256)

#define LATE_START "query start time is after end time"

/* How a profile can be asked for; "later" by a millisecond, see
 * start_is_unlucky(). Only PPROF and SPAN_PPROF bring files and lines. */
enum form {
	PPROF,
	PPROF_LATER,
	TREE,
	RENDER,
	SPAN_PPROF,
	SPAN_TREE,
	SPAN_TREE_LATER,
};

/* Best first. Of spans names can be had everywhere, lines from 2.2 on. */
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

/* Past the last attempt it is the last. */
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

/* 0 would mean "not given" to the server. */
void pyroscope_range_ms(struct time_range range, int64_t *start_ms,
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

#define SPAN_ID_BYTES 17

static int compare_ids(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The ids in order, each once, as the server wants them. */
struct span_texts {
	uint64_t *ids;
	char (*texts)[SPAN_ID_BYTES];
	char **items;
	size_t count;
};

static void span_texts_free(struct span_texts *t)
{
	mem_free(t->ids);
	mem_free(t->texts);
	mem_free(t->items);
}

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
	qsort(t->ids, n, sizeof *t->ids, compare_ids);
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

	message.profile_type_id = unconst(query->type_id);
	message.label_selector = unconst(query->selector);
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

	message.profile_type_id = unconst(query->type_id);
	message.label_selector = unconst(query->selector);
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

static bool pack(const struct profile_query *query, enum form form,
		 int64_t start_ms, int64_t end_ms, struct buf *body,
		 struct error *err)
{
	struct span_texts spans = { .count = 0 };
	bool done;

	done = !query->span_id_count || span_texts_fill(&spans, query);
	if (!done)
		error_memory(err, "the span ids");
	else if (form == TREE || form == SPAN_PPROF)
		pack_stacktraces(query, &spans, start_ms, end_ms, body);
	else if (query->span_id_count)
		pack_span_tree(query, &spans, start_ms, end_ms, body);
	else
		pack_pprof(query, start_ms, end_ms, body);
	span_texts_free(&spans);
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
				 "profiles of Cloud Profiler (project %s) "
				 "cannot be asked for; name another server "
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

unsigned pyroscope_profile_attempts(const struct profile_query *query)
{
	return plan_of(query).count;
}

unsigned pyroscope_names_attempt(const struct profile_query *query)
{
	unsigned attempt = 0;

	while (form_of(query, attempt) != TREE &&
	       form_of(query, attempt) != SPAN_TREE)
		attempt++;
	return attempt;
}

bool pyroscope_profile_request(const struct side *side,
			       const struct profile_query *query,
			       unsigned attempt, struct http_request *request,
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
	if (!pack(query, form, start_ms, end_ms, &body, err)) {
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

/* Field 5 of the answer comes first when it came at all. Servers that do not
 * know the form ignore the spans, too, and send the flame graph of the whole
 * service. */
static bool is_wrapped_pprof(const struct http_response *response)
{
	return str_starts(buf_str(&response->body), STR("\x2A"));
}

/* A server that splits its storage (the default of 2.x) refuses a window that
 * begins exactly at its oldest profile: "query start time is after end time",
 * though it is not. One millisecond later it answers. */
static bool start_is_unlucky(const struct profile_query *query,
			     unsigned attempt,
			     const struct http_response *response)
{
	return query->range.from_ns < query->range.to_ns &&
	       !is_later(form_of(query, attempt)) &&
	       body_contains(response, STR(LATE_START));
}

/* A case that was recorded without lines. */
static bool is_not_recorded(const struct profile_query *query, unsigned attempt,
			    const struct http_response *response)
{
	return form_of(query, attempt) == SPAN_PPROF &&
	       response->err.code == ERROR_NOT_FOUND;
}

/* A missing method, or one that a proxy in between does not let pass. */
static bool is_route_missing(const struct http_response *response,
			     const char *code)
{
	return !strcmp(code, "unimplemented") || response->status == 404 ||
	       response->status == 405 || response->status == 501;
}

/* That, or an answer too large for the server to send at once: the next form
 * may still be had. */
static bool is_beyond_server(const struct http_response *response,
			     const char *code)
{
	return is_route_missing(response, code) ||
	       body_contains(response, STR("message larger than max"));
}

/* Servers before 1.2 and proxies that pass the page's calls only. */
static void fail_spans(const struct endpoint *e,
		       const struct http_response *response, struct error *err)
{
	struct str host = url_authority(e->url);

	error_set(err, err->code,
		  "pyroscope: %.*s has no samples of single requests: it does "
		  "not know SelectMergeSpanProfile (%d)",
		  STR_ARGS(host), response->status);
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
		return is_not_recorded(query, attempt, response)
			       ? ANSWER_TRY_NEXT
			       : ANSWER_ERROR;
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
	if (is_hopeless || !is_beyond_server(response, code))
		return ANSWER_ERROR;
	if (query->span_id_count && is_route_missing(response, code))
		fail_spans(e, response, err);
	return ANSWER_TRY_NEXT;
}

/* "max flamegraph nodes limit 65536 is greater than allowed 8192" */
int64_t pyroscope_node_limit(const struct http_response *response)
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

/* "the query time range exceeds the limit (max_query_length, actual: 48h0m0s,
 * limit: 1d)"; the end is milliseconds before the last. */
int64_t pyroscope_window_limit_ns(const struct http_response *response)
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

/* What an answer of status 200 holds. */
static enum answer judge_body(const struct profile_query *query,
			      enum form asked, const struct endpoint *endpoint,
			      const struct http_response *response,
			      struct profile_form *form, struct error *err)
{
	if (body_is_html(response))
		return answer_fail("pyroscope", endpoint, response, err);
	if (asked == RENDER) {
		*form = (struct profile_form){
			FORMAT_PYROSCOPE_FLAMEGRAPH_JSON,
			"the profile came through the old call "
			"/pyroscope/render: no files and lines"
		};
		return pyroscope_render_answer(response, err);
	}
	if (response->body.len > 0 && strcmp(response->content_type, PROTO)) {
		error_set(err, ERROR_FORMAT,
			  "pyroscope: %s answered with type \"%s\", not with "
			  "a profile: is there a Pyroscope at this address?",
			  method_name(asked), response->content_type);
		return ANSWER_ERROR;
	}
	if (is_empty(response))
		return miss(query, endpoint, err);
	if (asked == SPAN_PPROF && !is_wrapped_pprof(response)) {
		error_set(err, ERROR_NOT_FOUND,
			  "pyroscope: no lines of single requests before 2.2");
		return ANSWER_TRY_NEXT;
	}
	if (asked != PPROF && asked != PPROF_LATER)
		form->format = FORMAT_PYROSCOPE_TREE_PB;
	if (asked == TREE && !query->wants_lines)
		form->note = "the profile came through the fallback call: no "
			     "files and lines";
	return ANSWER_OK;
}

/* side->room, once samples of spans are known to come by name only. */
static char without_lines;

bool pyroscope_has_span_lines(const struct side *side)
{
	return side->room != &without_lines;
}

/* A refusal may be of this one question; all else is so of others, too. */
static void remember_no_lines(struct side *side,
			      const struct http_response *response)
{
	if (response->status != 400)
		side->room = &without_lines;
}

enum answer pyroscope_profile_answer(struct side *side,
				     const struct profile_query *query,
				     unsigned attempt,
				     const struct http_response *response,
				     struct profile_form *form,
				     struct error *err)
{
	const struct endpoint *endpoint = &side->endpoint;
	enum form asked = form_of(query, attempt);
	enum answer answer;

	*form = (struct profile_form){ .format = FORMAT_PPROF };
	if (response->status < 200 || response->status >= 300)
		answer = failed(query, attempt, endpoint, response, err);
	else
		answer =
			judge_body(query, asked, endpoint, response, form, err);
	if (answer == ANSWER_TRY_NEXT && asked == SPAN_PPROF)
		remember_no_lines(side, response);
	return answer;
}
