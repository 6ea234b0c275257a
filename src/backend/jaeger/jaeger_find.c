/* SPDX-License-Identifier: Apache-2.0
 *
 * Jaeger's search for traces that a user describes. It sends them whole.
 */
#include "backend/answer.h"
#include "backend/jaeger/jaeger_query.h"

static const struct str error_tags = { "{\"error\":\"true\"}", 16 };

static void v3_path(const struct find_query *query, struct buf *out)
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

static void legacy_path(const struct find_query *query, struct buf *out)
{
	buf_add_text(out, "/api/traces");
	jaeger_add_window(out, JAEGER_LEGACY, '?', query->range,
			  query->trace_limit);
	jaeger_add(out, "&service", query->service);
	jaeger_add(out, "&operation", query->name);
	if (query->is_error)
		jaeger_add(out, "&tags", error_tags);
	/* Whole microseconds there: a bound of more would lose those at it. */
	if (query->min_duration_ns > 0)
		buf_addf(out, "&minDuration=%lldus",
			 (long long)(query->min_duration_ns / NS_PER_US));
}

void jaeger_find_path(const struct find_query *query, unsigned attempt,
		      struct buf *out)
{
	if (attempt == JAEGER_V3)
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

enum answer jaeger_find_answer(const struct find_query *query,
			       unsigned *attempt, const struct endpoint *e,
			       const struct http_response *response,
			       search_decoder **decode, struct error *err)
{
	if (!asks_service(query, response))
		return jaeger_traces_answer(attempt, e, response, decode, err);
	error_set(err, ERROR_USAGE,
		  "this Jaeger's storage searches one service at a time: give "
		  "--service");
	return ANSWER_ERROR;
}
