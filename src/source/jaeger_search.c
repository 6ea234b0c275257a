/* SPDX-License-Identifier: Apache-2.0
 *
 * Jaeger's search: it knows one service and operation a question and sends
 * whole traces.
 */
#include "source/answer.h"
#include "source/backend.h"

enum { ATTEMPT_V3, ATTEMPT_LEGACY };

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

static void add_parameter(struct buf *out, const char *name, struct str value)
{
	buf_addf(out, "%s=", name);
	url_encode(out, value);
}

static void v3_path(const struct search_query *query, struct buf *out)
{
	char from[TIME_RFC3339_BYTES], to[TIME_RFC3339_BYTES];
	struct str service, name;

	subject(query, &service, &name);
	format_rfc3339(query->range.from_ns, from);
	format_rfc3339(query->range.to_ns, to);
	/* These spellings are the oldest and understood everywhere. */
	add_parameter(out, "/api/v3/traces?query.service_name", service);
	if (name.len)
		add_parameter(out, "&query.operation_name", name);
	buf_addf(out,
		 "&query.start_time_min=%s&query.start_time_max=%s"
		 "&query.num_traces=%u",
		 from, to, source_search_limit(SOURCE_JAEGER, query));
	if (query->slow)
		buf_addf(out, "&query.duration_min=%lldns",
			 (long long)query->min_duration_ns);
}

static void legacy_path(const struct search_query *query, struct buf *out)
{
	struct str service, name;

	subject(query, &service, &name);
	add_parameter(out, "/api/traces?service", service);
	if (name.len)
		add_parameter(out, "&operation", name);
	buf_addf(out, "&start=%lld&end=%lld&limit=%u",
		 (long long)(query->range.from_ns / NS_PER_US),
		 (long long)(query->range.to_ns / NS_PER_US) + 1,
		 source_search_limit(SOURCE_JAEGER, query));
	if (query->slow)
		buf_addf(out, "&minDuration=%lldns",
			 (long long)query->min_duration_ns);
}

static void search_path(const struct search_query *query, unsigned attempt,
			struct buf *out)
{
	if (attempt == ATTEMPT_V3)
		v3_path(query, out);
	else
		legacy_path(query, out);
}

static enum answer search_answer(const struct search_query *query,
				 unsigned *attempt, const struct endpoint *e,
				 const struct http_response *response,
				 enum body_form *form, struct error *err)
{
	bool is_v3 = *attempt == ATTEMPT_V3;

	(void)query;
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
	/* Old releases give their page with 200 for a route they lack. */
	if (!is_v3 || !(response->status == 404 || response->status == 501 ||
			http_is_success(response)))
		return ANSWER_ERROR;
	*attempt = ATTEMPT_LEGACY;
	return ANSWER_TRY_NEXT;
}

static void count_path(const struct count_query *query, struct buf *out)
{
	char from[TIME_RFC3339_BYTES], to[TIME_RFC3339_BYTES];

	format_rfc3339(query->range.from_ns, from);
	format_rfc3339(query->range.to_ns, to);
	add_parameter(out, "/api/v3/trace-summaries?query.service_name",
		      query->service);
	buf_addf(out,
		 "&query.start_time_min=%s&query.start_time_max=%s"
		 "&query.num_traces=%u",
		 from, to, SEARCH_JAEGER_SUMMARIES);
}

static enum answer count_answer(const struct endpoint *e,
				const struct http_response *response,
				struct error *err)
{
	if (http_is_success(response) && body_first(response) == '{')
		return ANSWER_OK;
	return answer_fail("jaeger: trace summaries", e, response, err);
}

const struct search_backend search_jaeger = {
	.accept = "application/json",
	.find = &find_jaeger,
	.path = search_path,
	.answer = search_answer,
	.count_path = count_path,
	.count_answer = count_answer,
};
