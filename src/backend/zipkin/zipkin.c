/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/rooms.h"

#include "backend/profile_backend.h"
#include "backend/source.h"
#include "backend/trace_names.h"
#include "base/num.h"
#include "decode/formats.h"
#include "wire/url.h"

/* Strict servers, the default, do not find a trace by half of its id. */
#define MISSING_ADVICE                                                         \
	"check the id; it may be past retention, not sent yet, or half of "    \
	"an id of 32 digits"

static const struct answer_form a_list = { .is_list = true };

/* ---- a trace ---- */

static void trace_path(const struct trace_query *query, unsigned attempt,
		       struct buf *out)
{
	(void)attempt;
	buf_addf(out, "/api/v2/trace/%s", query->trace_id_hex);
}

static enum answer trace_answer(unsigned attempt, const struct endpoint *e,
				const struct http_response *response,
				enum format *format, struct error *err)
{
	(void)attempt;
	if (answer_has_form(response, &a_list)) {
		*format = FORMAT_ZIPKIN_JSON;
		return ANSWER_OK;
	}
	/* The API's message is "<id> not found"; a missing route is "404 Not
	 * Found". */
	if (response->status != 404 || body_is_html(response) ||
	    !str_ends(str_trim(buf_str(&response->body)), STR(" not found")))
		return answer_fail("zipkin", e, response, err);
	error_set(err, ERROR_NOT_FOUND,
		  "zipkin: no such trace: " MISSING_ADVICE);
	return ANSWER_MISS;
}

/* ---- searching ---- */

static void parameter_add(struct buf *out, const char *name, struct str value)
{
	if (!value.len)
		return;
	buf_addf(out, "&%s=", name);
	url_encode(out, value);
}

/* Adds a search with whole milliseconds, end inclusive. Durations are whole
 * microseconds; 0 is refused. */
static void add_search(struct buf *out, struct str service, struct str name,
		       int64_t least_ns, struct time_range range,
		       uint32_t trace_limit)
{
	int64_t from_ms = range.from_ns / NS_PER_MS;
	int64_t to_ms = range.to_ns / NS_PER_MS;

	buf_addf(out, "/api/v2/traces?endTs=%lld&lookback=%lld&limit=%u",
		 (long long)to_ms,
		 (long long)(to_ms > from_ms ? to_ms - from_ms : 1),
		 trace_limit);
	parameter_add(out, "serviceName", service);
	parameter_add(out, "spanName", name);
	if (least_ns >= NS_PER_US)
		buf_addf(out, "&minDuration=%lld",
			 (long long)(least_ns / NS_PER_US));
}

static void find_path(const struct find_query *query, unsigned attempt,
		      struct buf *out)
{
	(void)attempt;
	add_search(out, query->service, query->name, query->min_duration_ns,
		   query->range, query->trace_limit);
	if (query->is_error)
		buf_add_text(out, "&annotationQuery=error");
}

/* One service and operation per query: the slow one, else the root, else the
 * first. */
static void search_path(const struct search_query *query, unsigned attempt,
			struct buf *out)
{
	const struct search_operation *o = query->slow;
	struct search_operation root = { query->root_service, query->root_name,
					 NULL };

	(void)attempt;
	if (!o)
		o = root.service.len ? &root : &query->operations[0];
	add_search(out, o->service, o->name,
		   query->slow ? query->min_duration_ns : 0, query->range,
		   query->trace_limit);
}

static bool decode_traces(struct str bytes, struct history *h,
			  const struct history_want *want, struct error *err)
{
	return decode_search(decode_zipkin_json, bytes, h, want, err);
}

static enum answer traces_answer(const struct endpoint *e,
				 const struct http_response *response,
				 search_decoder **decode, struct error *err)
{
	*decode = decode_traces;
	if (answer_has_form(response, &a_list))
		return ANSWER_OK;
	return answer_fail("zipkin: search", e, response, err);
}

static enum answer find_answer(const struct find_query *query,
			       unsigned *attempt, const struct endpoint *e,
			       const struct http_response *response,
			       search_decoder **decode, struct error *err)
{
	(void)query;
	(void)attempt;
	return traces_answer(e, response, decode, err);
}

static enum answer search_answer(const struct search_query *query,
				 unsigned *attempt, const struct endpoint *e,
				 const struct http_response *response,
				 search_decoder **decode, struct error *err)
{
	(void)query;
	(void)attempt;
	return traces_answer(e, response, decode, err);
}

/* ---- names ---- */

static void names_path(const struct names_query *query, unsigned attempt,
		       struct buf *out)
{
	(void)attempt;
	if (query->what == TRACE_SERVICES) {
		buf_add_text(out, "/api/v2/services");
		return;
	}
	buf_add_text(out, "/api/v2/spans?serviceName=");
	url_encode(out, query->service);
}

static bool tags_path(const struct tags_query *query, unsigned attempt,
		      struct buf *out, struct error *err)
{
	struct names_query names;

	if (!trace_names_of_tag(query, "Zipkin", &names, err))
		return false;
	names_path(&names, attempt, out);
	return true;
}

/* Reads an array of strings. */
static bool names_read(const struct http_response *response,
		       struct arena *arena, struct name_list *names,
		       struct error *err)
{
	struct json_reader *r = json_new(buf_str(&response->body), err);
	struct name_gatherer g;
	bool is_read;

	if (!r)
		return false;
	name_gatherer_init(&g, arena, names);
	name_gatherer_read(r, &g);
	json_expect_end(r, "answer");
	is_read = json_check(r, err);
	json_free(r);
	return is_read && name_gatherer_finish(&g, err);
}

static enum answer names_answer(unsigned attempt, const struct endpoint *e,
				const struct http_response *response,
				struct arena *arena, struct name_list *names,
				struct error *err)
{
	(void)attempt;
	*names = (struct name_list){ .items = NULL };
	if (!answer_has_form(response, &a_list))
		return answer_fail("zipkin", e, response, err);
	return names_read(response, arena, names, err) ? ANSWER_OK
						       : ANSWER_ERROR;
}

/* ---- what it is ---- */

/* An array of strings, empty on a new server. */
static bool probe_matches(const struct http_response *response)
{
	struct str text = str_trim(buf_str(&response->body));

	return response->status == 200 && str_starts(text, STR("[")) &&
	       str_ends(text, STR("]")) &&
	       (str_starts(text, STR("[\"")) ||
		str_trim(str_slice(text, 1, text.len - 2)).len == 0);
}

/* Tempo and Jaeger report the route of its probe as missing, and so does it for
 * theirs: it is probed if those two did not match. Traces are returned whole,
 * and names in lower case. */
static void page_path(const struct endpoint *e, const char *trace_id_hex,
		      struct buf *out)
{
	(void)e;
	buf_addf(out, "/zipkin/traces/%s", trace_id_hex);
}

const struct trace_backend trace_zipkin = {
	.name = "zipkin",
	.title = "Zipkin",
	.noun = "a Zipkin",
	.traits = { .history_slices = HISTORY_SLICES,
		    .history_most = 50,
		    .search_least = 100,
		    .search_most = 400,
		    .search_rounds = SEARCH_ROUNDS },
	.missing_advice = MISSING_ADVICE,
	.late_probe = { "/api/v2/services", probe_matches },
	.version_path = "/info",
	.attempts = 1,
	.page_path = page_path,
	.trace_path = trace_path,
	.trace_answer = trace_answer,
	.search_path = search_path,
	.search_answer = search_answer,
	.find_path = find_path,
	.find_answer = find_answer,
	.names_path = names_path,
	.tags_path = tags_path,
	.names_answer = names_answer,
};
