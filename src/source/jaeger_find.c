/* SPDX-License-Identifier: Apache-2.0
 *
 * Jaeger's search for traces that a user describes. It sends them whole.
 */
#include "source/answer.h"
#include "source/backend.h"
#include "source/find.h"

enum { ATTEMPT_V3, ATTEMPT_LEGACY };

static void add_parameter(struct buf *out, const char *name, struct str value)
{
	if (!value.len)
		return;
	buf_addf(out, "%s=", name);
	url_encode(out, value);
}

static const struct str error_tags = { "{\"error\":\"true\"}", 16 };

static void v3_path(const struct find_query *query, struct buf *out)
{
	char from[TIME_RFC3339_BYTES], to[TIME_RFC3339_BYTES];

	format_rfc3339(query->range.from_ns, from);
	format_rfc3339(query->range.to_ns, to);
	/* These spellings are the oldest and understood everywhere. */
	buf_addf(out,
		 "/api/v3/traces?query.start_time_min=%s"
		 "&query.start_time_max=%s&query.num_traces=%u",
		 from, to, query->trace_limit);
	add_parameter(out, "&query.service_name", query->service);
	add_parameter(out, "&query.operation_name", query->name);
	if (query->is_error)
		add_parameter(out, "&query.attributes", error_tags);
	if (query->min_duration_ns > 0)
		buf_addf(out, "&query.duration_min=%lldns",
			 (long long)query->min_duration_ns);
}

static void legacy_path(const struct find_query *query, struct buf *out)
{
	buf_addf(out, "/api/traces?start=%lld&end=%lld&limit=%u",
		 (long long)(query->range.from_ns / NS_PER_US),
		 (long long)(query->range.to_ns / NS_PER_US) + 1,
		 query->trace_limit);
	add_parameter(out, "&service", query->service);
	add_parameter(out, "&operation", query->name);
	if (query->is_error)
		add_parameter(out, "&tags", error_tags);
	/* Whole microseconds there: a bound of more would lose those at it. */
	if (query->min_duration_ns > 0)
		buf_addf(out, "&minDuration=%lldus",
			 (long long)(query->min_duration_ns / NS_PER_US));
}

static void find_path(const struct find_query *query, unsigned attempt,
		      struct buf *out)
{
	if (attempt == ATTEMPT_V3)
		v3_path(query, out);
	else
		legacy_path(query, out);
}

static bool asks_service(const struct find_query *query,
			 const struct http_response *response)
{
	return response->status == 400 && !query->service.len &&
	       body_contains(response, STR("service"));
}

static enum answer find_answer(const struct find_query *query,
			       unsigned *attempt, const struct endpoint *e,
			       const struct http_response *response,
			       enum body_form *form, struct error *err)
{
	bool is_v3 = *attempt == ATTEMPT_V3;

	if (http_is_success(response) && body_first(response) == '{') {
		*form = is_v3 ? BODY_OTLP_JSON : BODY_JAEGER_JSON;
		return ANSWER_OK;
	}
	if (response->status == 404 && body_first(response) == '{' &&
	    body_contains(response, STR("No traces found"))) {
		error_set(err, ERROR_NOT_FOUND, "jaeger: search: no traces");
		return ANSWER_MISS;
	}
	answer_fail("jaeger: search", e, response, err);
	if (asks_service(query, response)) {
		error_set(err, ERROR_USAGE,
			  "this Jaeger's storage searches one service at a "
			  "time: give --service");
		return ANSWER_ERROR;
	}
	/* Old releases give their page with 200 for a route they lack. */
	if (!is_v3 || !(response->status == 404 || response->status == 501 ||
			http_is_success(response)))
		return ANSWER_ERROR;
	*attempt = ATTEMPT_LEGACY;
	return ANSWER_TRY_NEXT;
}

static bool is_bounded(const struct find_query *query, unsigned attempt)
{
	(void)query;
	(void)attempt;
	return true;
}

const struct find_backend find_jaeger = {
	.path = find_path,
	.answer = find_answer,
	.is_bounded = is_bounded,
};
