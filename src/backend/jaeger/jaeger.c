/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/jaeger/jaeger.h"

#include "backend/answer.h"
#include "backend/jaeger/jaeger_query.h"

/* v3 has nanoseconds and everything OTLP has; the legacy API is what old
 * releases and imitations of Jaeger speak. */
#define ATTEMPTS 2u

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

static enum answer miss(struct error *err)
{
	error_set(err, ERROR_NOT_FOUND,
		  "jaeger: no such trace: check the id; it may be past "
		  "retention (with Elasticsearch older than max_span_age: "
		  "give a window with --from and --to)");
	return ANSWER_MISS;
}

/* Outside its API Jaeger answers any path with its web page and 200; before
 * 2.16 also for API routes it does not have. */
static enum answer success(unsigned attempt, const struct endpoint *e,
			   const struct http_response *response,
			   enum format *format, struct error *err)
{
	if (body_first(response) == '{') {
		*format = attempt == JAEGER_V3 ? FORMAT_OTLP_JSON
					       : FORMAT_JAEGER_JSON;
		return ANSWER_OK;
	}
	if (body_is_html(response)) {
		answer_fail("jaeger", e, response, err);
		return ANSWER_TRY_NEXT;
	}
	error_set(err, ERROR_FORMAT,
		  "jaeger: an answer of type \"%s\" is not a JSON trace",
		  response->content_type);
	return ANSWER_TRY_NEXT;
}

static enum answer trace_answer(unsigned attempt, const struct endpoint *e,
				const struct http_response *response,
				enum format *format, struct error *err)
{
	int status = response->status;

	if (http_is_success(response))
		return success(attempt, e, response, format, err);
	/* JSON about traces inside a 404 is the API's own word; anything else
	 * is a missing route. */
	if (status == 404 && body_first(response) == '{' &&
	    (body_contains(response, STR("No traces found")) ||
	     body_contains(response, STR("trace not found"))))
		return miss(err);
	if (status == 404 || status == 501)
		return answer_no_route("jaeger", e, response, err);
	/* Very old releases. */
	if (status == 500 &&
	    body_contains(response, STR("No trace with that ID found")))
		return miss(err);
	if (status == 500 &&
	    body_contains(response, STR("unsupported value"))) {
		error_set(err, ERROR_FORMAT,
			  "jaeger: the trace has an attribute that is NaN or "
			  "infinite; the old API cannot tell it: use Jaeger "
			  "1.53 or newer, whose api/v3 can");
		return ANSWER_ERROR;
	}
	return answer_fail("jaeger", e, response, err);
}

/* jsonpb leaves an empty list out: {} is a Jaeger without any service. */
static bool probe_matches(const struct http_response *response)
{
	return response->status == 200 && body_first(response) == '{' &&
	       body_has_key(response, STR("services"), true);
}

/* Before 1.25, as products do that imitate it: the envelope of all answers. */
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
	/* It sends whole traces; several times what is wanted is needed, for
	 * each question leaves wanted/limit of what is left. Without the
	 * condition on errors it ignores it. */
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
