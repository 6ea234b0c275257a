/* SPDX-License-Identifier: Apache-2.0
 *
 * Jaeger's search: it knows one service and operation a question and sends
 * whole traces.
 */
#include "backend/answer.h"
#include "backend/jaeger/jaeger_query.h"
#include "wire/url.h"

/* Traces that it is asked to list for a count. */
#define SUMMARIES 1000u

/* The operation whose traces are asked for: the slow one, else the root, else
 * the first. */
static void subject(const struct search_query *query, struct str *service,
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

	subject(query, &service, &name);
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

	subject(query, &service, &name);
	buf_add_text(out, "/api/traces?service=");
	url_encode(out, service);
	jaeger_add(out, "&operation", name);
	jaeger_add_window(out, JAEGER_LEGACY, '&', query->range,
			  query->trace_limit);
	if (query->slow)
		buf_addf(out, "&minDuration=%lldns",
			 (long long)query->min_duration_ns);
}

void jaeger_search_path(const struct search_query *query, unsigned attempt,
			struct buf *out)
{
	if (attempt == JAEGER_V3)
		v3_path(query, out);
	else
		legacy_path(query, out);
}

enum answer jaeger_search_answer(const struct search_query *query,
				 unsigned *attempt, const struct endpoint *e,
				 const struct http_response *response,
				 search_decoder **decode, struct error *err)
{
	(void)query;
	return jaeger_traces_answer(attempt, e, response, decode, err);
}

void jaeger_count_path(const struct count_query *query, struct buf *out)
{
	buf_add_text(out, "/api/v3/trace-summaries?query.service_name=");
	url_encode(out, query->service);
	jaeger_add_window(out, JAEGER_V3, '&', query->range, SUMMARIES);
}

enum answer jaeger_count_answer(const struct endpoint *e,
				const struct http_response *response,
				struct error *err)
{
	if (http_is_success(response) && body_first(response) == '{')
		return ANSWER_OK;
	return answer_fail("jaeger: trace summaries", e, response, err);
}

bool jaeger_count_decode(struct str body, const struct count_query *query,
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
