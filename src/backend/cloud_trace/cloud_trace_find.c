/* SPDX-License-Identifier: Apache-2.0
 *
 * Traces that a user describes, from the list of Cloud Trace.
 */
#include "backend/answer.h"
#include "backend/cloud_trace/cloud_trace_query.h"
#include "backend/google/google_error.h"
#include "base/count.h"

/* Where a service's name stands depends on who sent the trace, and a filter
 * knows no "or": the next one is asked for when the one before finds none.
 * OpenTelemetry's exporters write the monitored resource, and only that of Go
 * its attributes as well; older ones wrote the name as a module's. */
static const char *const service_labels[] = {
	"+service.name",
	"+g.co/r/cloud_run_revision/service_name",
	"+g.co/r/generic_task/job",
	"+g.co/r/k8s_container/container_name",
	"+g.co/gae/app/module",
	"+g.co/r/gae_instance/module_id",
};

/* So it is with failures: the status that OpenTelemetry's exporters write
 * (google.rpc.Code UNKNOWN), Google's agents, and any status of 5xx. */
static const struct {
	const char *key;
	struct str value;
} error_labels[] = {
	{ "+g.co/status/code", { "2", 1 } },
	{ "label", { "/error/message", 14 } },
	{ "/http/status_code", { "5", 1 } },
};

/* All that may be asked one after the other. With failures the service is
 * asked for by its first label only, else they would be a dozen; the decoder
 * looks at it again. */
static unsigned attempts_of(const struct find_query *query)
{
	if (query->is_error)
		return COUNT_OF(error_labels);
	return query->service.len ? COUNT_OF(service_labels) : 1;
}

static void add_labels(const struct find_query *query, unsigned attempt,
		       struct buf *filter)
{
	bool has_service =
		query->service.len && (!query->is_error || attempt == 0);

	if (attempt >= attempts_of(query))
		return;
	if (query->is_error)
		cloud_filter_add(filter, error_labels[attempt].key,
				 error_labels[attempt].value);
	if (has_service)
		cloud_filter_add(filter, service_labels[attempt],
				 query->service);
}

void cloud_trace_find_path(const struct find_query *query, unsigned attempt,
			   struct buf *out)
{
	struct cloud_list list = {
		.has_spans = find_is_by_span(query) || query->is_error,
		.traces = query->trace_limit,
		.order = query->is_slowest_first ? "duration desc"
						 : "start desc",
		.range = query->range,
		.page_token = query->page_token,
	};
	struct buf filter;

	buf_init(&filter, LIMIT_URL_BYTES);
	add_labels(query, attempt, &filter);
	if (query->name.len)
		cloud_filter_add(&filter, "+span", query->name);
	cloud_filter_add_latency(&filter, query->min_duration_ns);
	list.owned_filter = &filter;
	cloud_list_path(&list, out);
}

/* Later questions are about less, and finding nothing says nothing then. */
static bool has_next(const struct find_query *query, unsigned attempt)
{
	return !query->is_slowest_first && !query->page_token.len &&
	       attempt + 1 < attempts_of(query);
}

enum answer cloud_trace_find_answer(const struct find_query *query,
				    unsigned *attempt, const struct endpoint *e,
				    const struct http_response *response,
				    search_decoder **decode, struct error *err)
{
	if (!http_is_success(response) || body_first(response) != '{')
		return google_fail(&google_trace_api, "Cloud Trace: search", e,
				   response, err);
	/* A page may be empty with more behind it. */
	if (body_has_key(response, STR("traces"), false) ||
	    body_has_key(response, STR("nextPageToken"), false)) {
		*decode = decode_cloud_trace_search;
		return ANSWER_OK;
	}
	error_set(err, ERROR_NOT_FOUND, "Cloud Trace: search: no traces");
	if (!has_next(query, *attempt))
		return ANSWER_MISS;
	++*attempt;
	return ANSWER_TRY_NEXT;
}
