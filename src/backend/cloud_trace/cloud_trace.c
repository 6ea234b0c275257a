/* SPDX-License-Identifier: Apache-2.0
 *
 * Cloud Trace v1 (google/devtools/cloudtrace/v1/trace.proto): the only API of
 * Google's that gives traces back. Spans come without events and links.
 */
#include "backend/cloud_trace/cloud_trace.h"

#include "backend/answer.h"
#include "backend/checkups.h"
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

static enum answer trace_answer(unsigned attempt, const struct endpoint *e,
				const struct http_response *response,
				enum format *format, struct error *err)
{
	struct google_refusal refusal;

	(void)attempt;
	if (http_is_success(response) && body_first(response) == '{') {
		*format = FORMAT_CLOUD_TRACE_JSON;
		return ANSWER_OK;
	}
	google_fail(&google_trace_api, SUBJECT, e, response, err);
	google_refusal_read(response, &refusal);
	return refusal.trouble == GOOGLE_NOT_FOUND ? ANSWER_MISS : ANSWER_ERROR;
}

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
		cloud_filter_add(filter,
				 query->is_root_called ? "+span" : "+root",
				 query->root_name);
	} else if (query->operations[0].name.len) {
		cloud_filter_add(filter, "+span", query->operations[0].name);
	}
}

static void search_path(const struct search_query *query, unsigned attempt,
			struct buf *out)
{
	struct cloud_list list = {
		.has_spans = true,
		.traces = query->trace_limit,
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
				 search_decoder **decode, struct error *err)
{
	(void)query;
	(void)attempt;
	if (http_is_success(response) && body_first(response) == '{') {
		*decode = decode_cloud_trace_search;
		return ANSWER_OK;
	}
	return google_fail(&google_trace_api, SUBJECT ": search", e, response,
			   err);
}

/* It has no condition on errors. Twelve lists a minute can be had: a verdict
 * has to do with two slices, and as a list costs the same whatever it holds,
 * each is a full page. Pages may hold less than was asked for, even nothing,
 * with more behind: an ordinary run takes 200 of the 300 read units of a
 * minute, a page 25. */
/* Projects are letters, digits, dashes, dots and colons. */
static void page_path(const struct endpoint *e, const char *trace_id_hex,
		      struct buf *out)
{
	buf_addf(out,
		 "https://console.cloud.google.com/traces/list?project=%s"
		 "&tid=%s",
		 e->project, trace_id_hex);
}

const struct trace_backend trace_cloud = {
	.name = "Cloud Trace",
	.title = "Cloud Trace",
	.noun = "Cloud Trace",
	.traits = { .is_metered = true,
		    .sorts_by_duration = true,
		    .history_slices = 2,
		    .history_slice_traces = CLOUD_TRACE_PAGE,
		    .history_most = CLOUD_TRACE_PAGE,
		    .history_more_pages = 4,
		    .search_least = CLOUD_TRACE_PAGE,
		    .search_most = CLOUD_TRACE_PAGE,
		    .search_rounds = 4,
		    .page_of_spans = CLOUD_TRACE_PAGE,
		    .page_of_roots = CLOUD_TRACE_PAGE_ROOTS },
	.missing_advice = "check id and project; it may be past the 30 days "
			  "that Cloud Trace keeps, not sampled, or not sent "
			  "yet",
	.checkup = &checkup_cloud_trace,
	.attempts = 1,
	.page_path = page_path,
	.trace_path = trace_path,
	.trace_answer = trace_answer,
	.search_path = search_path,
	.search_answer = search_answer,
	.find_path = cloud_trace_find_path,
	.find_answer = cloud_trace_find_answer,
	.spent = cloud_trace_spent,
};
