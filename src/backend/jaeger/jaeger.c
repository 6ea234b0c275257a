/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/rooms.h"

#include "backend/source.h"
#include "backend/trace_backend.h"
#include "backend/trace_names.h"
#include "wire/url.h"

/* The attempts, in this order: each query has a form for both APIs. */
enum { JAEGER_V3, JAEGER_LEGACY };

/* Lists names of services and their operations; Jaeger lists nothing else. */

/* v3, then the legacy API. */
#define ATTEMPTS 2u

static void jaeger_names_path(const struct names_query *query, unsigned attempt,
			      struct buf *out)
{
	if (query->what == TRACE_SERVICES) {
		buf_add_text(out,
			     attempt ? "/api/services" : "/api/v3/services");
	} else if (attempt == 0) {
		buf_add_text(out, "/api/v3/operations?service=");
		url_encode(out, query->service);
	} else {
		buf_add_text(out, "/api/services/");
		url_encode(out, query->service);
		buf_add_text(out, "/operations");
	}
}

static bool jaeger_tags_path(const struct tags_query *query, unsigned attempt,
			     struct buf *out, struct error *err)
{
	struct names_query names;

	if (!trace_names_of_tag(query, "Jaeger", &names, err))
		return false;
	jaeger_names_path(&names, attempt, out);
	return true;
}

static enum answer jaeger_names_answer(unsigned attempt,
				       const struct endpoint *e,
				       const struct http_response *response,
				       struct arena *arena,
				       struct name_list *names,
				       struct error *err)
{
	/* v3 omits an empty list, and before 2.16 sends it as plain text. */
	static const struct answer_form form = {
		.keys = { "services", "operations", "data" },
		.may_be_empty = true,
		.may_be_plain = true,
	};

	return trace_names_read("jaeger", &form, attempt + 1 < ATTEMPTS, e,
				response, arena, names, err);
}

/* Common to all searches: the parameters of both APIs, and the evaluation of an
 * answer. See trace_backend.h for each function. */

/* Appends "name=value"; nothing for an empty value. name: including the
 * separator. */
static void jaeger_add(struct buf *out, const char *name, struct str value)
{
	if (!value.len)
		return;
	buf_addf(out, "%s=", name);
	url_encode(out, value);
}

/* Appends the window and the limit; name: "query.start_time_min", or "start" in
 * the legacy API, including the separator. */
static void jaeger_add_window(struct buf *out, unsigned attempt, char before,
			      struct time_range range, uint32_t trace_limit)
{
	char from[TIME_RFC3339_BYTES], to[TIME_RFC3339_BYTES];

	buf_add_char(out, before);
	if (attempt != JAEGER_V3) {
		buf_addf(out, "start=%lld&end=%lld&limit=%u",
			 (long long)(range.from_ns / NS_PER_US),
			 (long long)(range.to_ns / NS_PER_US) + 1, trace_limit);
		return;
	}
	/* These are the oldest names, supported by all releases. */
	format_rfc3339(range.from_ns, from);
	format_rfc3339(range.to_ns, to);
	buf_addf(out,
		 "query.start_time_min=%s&query.start_time_max=%s"
		 "&query.num_traces=%u",
		 from, to, trace_limit);
}

/* The forms of both APIs, the legacy one first. */
static const struct answer_form traces_forms[] = { { { "data" } },
						   { { "result" } } };

/* Evaluates the answer to a search. Old releases lack v3: then ANSWER_TRY_NEXT,
 * with *attempt set. */
static enum answer jaeger_traces_answer(unsigned *attempt,
					const struct endpoint *e,
					const struct http_response *response,
					search_decoder **decode,
					struct error *err)
{
	bool is_v3 = *attempt == JAEGER_V3;

	if (answer_has_form(response, &traces_forms[is_v3])) {
		*decode = is_v3 ? decode_jaeger_search
				: decode_jaeger_search_legacy;
		return ANSWER_OK;
	}
	if (response->status == 404 && body_first(response) == '{' &&
	    body_contains(response, STR("No traces found"))) {
		error_set(err, ERROR_NOT_FOUND, "jaeger: search: no traces");
		return ANSWER_MISS;
	}
	answer_fail("jaeger: search", e, response, err);
	/* Old releases return their web page with 200 for a missing route. */
	if (!is_v3 || !(response->status == 404 || response->status == 501 ||
			http_is_success(response)))
		return ANSWER_ERROR;
	*attempt = JAEGER_LEGACY;
	return ANSWER_TRY_NEXT;
}

/* Jaeger's search by users. It returns whole traces. */

static const struct str error_tags = { "{\"error\":\"true\"}", 16 };

static void v3_find_path(const struct find_query *query, struct buf *out)
{
	buf_add_text(out, "/api/v3/traces");
	jaeger_add_window(out, JAEGER_V3, '?', query->range,
			  query->trace_limit);
	jaeger_add(out, "&query.service_name", query->service);
	jaeger_add(out, "&query.operation_name", query->name);
	if (query->is_error)
		jaeger_add(out, "&query.attributes", error_tags);
	if (query->min_duration_ns > 0)
		buf_addf(out, "&query.duration_min=%lldns",
			 (long long)query->min_duration_ns);
}

static void legacy_find_path(const struct find_query *query, struct buf *out)
{
	buf_add_text(out, "/api/traces");
	jaeger_add_window(out, JAEGER_LEGACY, '?', query->range,
			  query->trace_limit);
	jaeger_add(out, "&service", query->service);
	jaeger_add(out, "&operation", query->name);
	if (query->is_error)
		jaeger_add(out, "&tags", error_tags);
	/* The API has whole microseconds: rounding up would exclude matching
	 * traces. */
	if (query->min_duration_ns > 0)
		buf_addf(out, "&minDuration=%lldus",
			 (long long)(query->min_duration_ns / NS_PER_US));
}

static void jaeger_find_path(const struct find_query *query, unsigned attempt,
			     struct buf *out)
{
	if (attempt == JAEGER_V3)
		v3_find_path(query, out);
	else
		legacy_find_path(query, out);
}

static enum answer jaeger_find_answer(const struct find_query *query,
				      unsigned *attempt,
				      const struct endpoint *e,
				      const struct http_response *response,
				      search_decoder **decode,
				      struct error *err)
{
	if (response->status != 400 || query->service.len ||
	    !body_contains(response, STR("service")))
		return jaeger_traces_answer(attempt, e, response, decode, err);
	error_set(err, ERROR_USAGE,
		  "this Jaeger's storage searches one service at a time: give "
		  "--service");
	return ANSWER_ERROR;
}

/* Jaeger's search for other traces: one service and operation per query,
 * returning whole traces. */

/* Maximum number of traces listed for a count. */
#define SUMMARIES 1000u

/* Finds the operation to search: the slow one, else the root, else the
 * first. */
static void query_subject(const struct search_query *query, struct str *service,
			  struct str *name)
{
	const struct search_operation *o = query->slow;

	if (!o && query->root_service.len) {
		*service = query->root_service;
		*name = query->root_name;
		return;
	}
	if (!o)
		o = &query->operations[0];
	*service = o->service;
	*name = o->name;
}

static void v3_path(const struct search_query *query, struct buf *out)
{
	struct str service, name;

	query_subject(query, &service, &name);
	buf_add_text(out, "/api/v3/traces?query.service_name=");
	url_encode(out, service);
	jaeger_add(out, "&query.operation_name", name);
	jaeger_add_window(out, JAEGER_V3, '&', query->range,
			  query->trace_limit);
	if (query->slow)
		buf_addf(out, "&query.duration_min=%lldns",
			 (long long)query->min_duration_ns);
}

static void legacy_path(const struct search_query *query, struct buf *out)
{
	struct str service, name;

	query_subject(query, &service, &name);
	buf_add_text(out, "/api/traces?service=");
	url_encode(out, service);
	jaeger_add(out, "&operation", name);
	jaeger_add_window(out, JAEGER_LEGACY, '&', query->range,
			  query->trace_limit);
	if (query->slow)
		buf_addf(out, "&minDuration=%lldns",
			 (long long)query->min_duration_ns);
}

static void jaeger_search_path(const struct search_query *query,
			       unsigned attempt, struct buf *out)
{
	if (attempt == JAEGER_V3)
		v3_path(query, out);
	else
		legacy_path(query, out);
}

static enum answer jaeger_search_answer(const struct search_query *query,
					unsigned *attempt,
					const struct endpoint *e,
					const struct http_response *response,
					search_decoder **decode,
					struct error *err)
{
	(void)query;
	return jaeger_traces_answer(attempt, e, response, decode, err);
}

static void jaeger_count_path(const struct count_query *query, struct buf *out)
{
	buf_add_text(out, "/api/v3/trace-summaries?query.service_name=");
	url_encode(out, query->service);
	jaeger_add_window(out, JAEGER_V3, '&', query->range, SUMMARIES);
}

static enum answer jaeger_count_answer(const struct endpoint *e,
				       const struct http_response *response,
				       struct error *err)
{
	static const struct answer_form form = { { "summaries" } };

	if (answer_has_form(response, &form))
		return ANSWER_OK;
	return answer_fail("jaeger: trace summaries", e, response, err);
}

static bool jaeger_count_decode(struct str body,
				const struct count_query *query,
				struct step_counts *out, bool *is_sample,
				struct error *err)
{
	uint32_t trace_count = 0;

	(void)query;
	if (!decode_jaeger_counts(body, out, &trace_count, err))
		return false;
	*is_sample = trace_count >= SUMMARIES;
	return true;
}

static void trace_path(const struct trace_query *query, unsigned attempt,
		       struct buf *out)
{
	char from[TIME_RFC3339_BYTES], to[TIME_RFC3339_BYTES];
	const struct time_range *window = &query->window;

	buf_addf(out, "%s%s",
		 attempt == JAEGER_V3 ? "/api/v3/traces/" : "/api/traces/",
		 query->trace_id_hex);
	if (!query->has_window)
		return;
	if (attempt == JAEGER_V3) {
		format_rfc3339(window->from_ns, from);
		format_rfc3339(window->to_ns, to);
		buf_addf(out, "?start_time=%s&end_time=%s", from, to);
	} else {
		buf_addf(out, "?start=%lld&end=%lld",
			 (long long)(window->from_ns / NS_PER_US),
			 (long long)(window->to_ns / NS_PER_US));
	}
}

static enum answer trace_missing(struct error *err)
{
	error_set(err, ERROR_NOT_FOUND,
		  "jaeger: no such trace: check the id; it may be past "
		  "retention (with Elasticsearch older than max_span_age: "
		  "give a window with --from and --to)");
	return ANSWER_MISS;
}

/* Outside its API Jaeger answers any path with its web page and 200; before
 * 2.16 also for missing API routes. */
static enum answer jaeger_trace_found(unsigned attempt,
				      const struct endpoint *e,
				      const struct http_response *response,
				      enum format *format, struct error *err)
{
	if (answer_has_form(response, &traces_forms[attempt == JAEGER_V3])) {
		*format = attempt == JAEGER_V3 ? FORMAT_OTLP_JSON
					       : FORMAT_JAEGER_JSON;
		return ANSWER_OK;
	}
	if (body_is_html(response) || body_first(response) == '{')
		answer_fail("jaeger", e, response, err);
	else
		error_set(err, ERROR_FORMAT,
			  "jaeger: an answer of type \"%s\" is not a JSON "
			  "trace",
			  response->content_type);
	return ANSWER_TRY_NEXT;
}

static enum answer trace_answer(unsigned attempt, const struct endpoint *e,
				const struct http_response *response,
				enum format *format, struct error *err)
{
	int status = response->status;

	if (http_is_success(response))
		return jaeger_trace_found(attempt, e, response, format, err);
	/* JSON about traces in a 404 comes from the API; anything else is a
	 * missing route. */
	if (status == 404 && body_first(response) == '{' &&
	    (body_contains(response, STR("No traces found")) ||
	     body_contains(response, STR("trace not found"))))
		return trace_missing(err);
	if (status == 404 || status == 501)
		return answer_no_route("jaeger", e, response, err);
	/* Very old releases. */
	if (status == 500 &&
	    body_contains(response, STR("No trace with that ID found")))
		return trace_missing(err);
	if (status == 500 &&
	    body_contains(response, STR("unsupported value"))) {
		error_set(err, ERROR_FORMAT,
			  "jaeger: the trace has an attribute that is NaN or "
			  "infinite; the old API cannot express it: use Jaeger "
			  "1.53 or newer, whose api/v3 can");
		return ANSWER_ERROR;
	}
	return answer_fail("jaeger", e, response, err);
}

/* jsonpb omits an empty list: {} is a Jaeger without any service. */
static bool probe_matches(const struct http_response *response)
{
	return response->status == 200 && body_first(response) == '{' &&
	       body_has_key(response, STR("services"), true);
}

/* Matches the envelope of releases before 1.25 and of products that imitate
 * them. */
static bool old_probe_matches(const struct http_response *response)
{
	return response->status == 200 && body_first(response) == '{' &&
	       body_has_key(response, STR("data"), false) &&
	       body_has_key(response, STR("errors"), false);
}

static void page_path(const struct endpoint *e, const char *trace_id_hex,
		      struct buf *out)
{
	(void)e;
	buf_addf(out, "/trace/%s", trace_id_hex);
}

const struct trace_backend trace_jaeger = {
	.name = "jaeger",
	.title = "Jaeger",
	.noun = "a Jaeger",
	/* It returns whole traces; several times the wanted number is
	 * requested, since each round keeps wanted/limit of the rest. Without
	 * the condition on errors it ignores it. */
	.traits = { .history_slices = HISTORY_SLICES,
		    .history_most = 50,
		    .search_least = 100,
		    .search_most = 400,
		    .search_rounds = SEARCH_ROUNDS },
	.probe = { "/api/v3/services", probe_matches },
	.late_probe = { "/api/services", old_probe_matches },
	.attempts = ATTEMPTS,
	.page_path = page_path,
	.trace_path = trace_path,
	.trace_answer = trace_answer,
	.search_path = jaeger_search_path,
	.search_answer = jaeger_search_answer,
	.find_path = jaeger_find_path,
	.find_answer = jaeger_find_answer,
	.count_path = jaeger_count_path,
	.count_answer = jaeger_count_answer,
	.count_decode = jaeger_count_decode,
	.names_path = jaeger_names_path,
	.tags_path = jaeger_tags_path,
	.names_answer = jaeger_names_answer,
};
