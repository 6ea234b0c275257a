/* SPDX-License-Identifier: Apache-2.0
 *
 * Cloud Trace v1 (google/devtools/cloudtrace/v1/trace.proto): the only API of
 * Google's that gives traces back. Spans come without events and links.
 */
#include "backend/answer.h"
#include "backend/backend.h"
#include "backend/cloud_trace/cloud_trace_query.h"
#include "backend/google/google_error.h"

#define SUBJECT "Cloud Trace"

/* ---- a trace by its id ---- */

static void trace_path(const struct trace_query *query, unsigned attempt,
		       struct buf *out)
{
	(void)attempt;
	buf_addf(out, "/traces/%s", query->trace_id_hex);
}

static const char *trace_accept(unsigned attempt)
{
	(void)attempt;
	return "application/json";
}

static enum answer trace_answer(unsigned attempt, const struct endpoint *e,
				const struct http_response *response,
				enum body_form *form, struct error *err)
{
	struct google_refusal refusal;

	(void)attempt;
	if (http_is_success(response) && body_first(response) == '{') {
		*form = BODY_CLOUD_TRACE_JSON;
		return ANSWER_OK;
	}
	google_fail(&google_trace_api, SUBJECT, e, response, err);
	google_refusal_read(response, &refusal);
	return refusal.trouble == GOOGLE_NOT_FOUND ? ANSWER_MISS : ANSWER_ERROR;
}

const struct trace_backend backend_cloud_trace = {
	.name = "Cloud Trace",
	.attempts = 1,
	.path = trace_path,
	.accept = trace_accept,
	.answer = trace_answer,
};

/* ---- other traces ---- */

/* A name alone can be asked for, of the root or of any span; the decoder
 * looks at service and kind. A span that took so long lies in a trace that
 * took as long. */
static void add_conditions(const struct search_query *query, struct buf *filter)
{
	if (query->slow) {
		if (query->slow->name.len)
			cloud_filter_add(filter, "+span", query->slow->name);
		cloud_filter_add_latency(filter, query->min_duration_ns);
	} else if (query->root_name.len) {
		cloud_filter_add(filter, "+root", query->root_name);
	} else if (query->operations[0].name.len) {
		cloud_filter_add(filter, "+span", query->operations[0].name);
	}
}

static void search_path(const struct search_query *query, unsigned attempt,
			struct buf *out)
{
	struct cloud_list list = {
		.has_spans = true,
		.traces = source_search_limit(SOURCE_CLOUD_TRACE, query),
		.order = "start desc",
		.range = query->range,
		.page_token = query->page_token,
	};
	struct buf filter;

	(void)attempt;
	buf_init(&filter, LIMIT_URL_BYTES);
	add_conditions(query, &filter);
	list.owned_filter = &filter;
	cloud_list_path(&list, out);
}

/* Nothing found is an empty object. */
static enum answer search_answer(const struct search_query *query,
				 unsigned *attempt, const struct endpoint *e,
				 const struct http_response *response,
				 enum body_form *form, struct error *err)
{
	(void)query;
	(void)attempt;
	if (http_is_success(response) && body_first(response) == '{') {
		*form = BODY_CLOUD_TRACE_JSON;
		return ANSWER_OK;
	}
	return google_fail(&google_trace_api, SUBJECT ": search", e, response,
			   err);
}

const struct search_backend search_cloud_trace = {
	.accept = "application/json",
	.find = &find_cloud_trace,
	.path = search_path,
	.answer = search_answer,
};
