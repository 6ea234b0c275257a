/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/fetch_hits.h"

#include "backend/trace_answers.h"

static bool find_request(struct job *base, struct backends *b,
			 struct http_request *request, struct error *err)
{
	struct hits_job *job = (struct hits_job *)base;

	return traces_find_request(backends_traces(b), &b->traces.endpoint,
				   job->query, base->attempt, request, err);
}

static bool decode(struct hits_job *job, const struct backends *b,
		   search_decoder *read, struct str body)
{
	const struct trace_traits *traits = backends_trace_traits(b);
	const struct find_query *q = job->query;
	struct hit_want hit = {
		.service = q->service,
		.name = q->name,
		.is_error = q->is_error,
		.is_by_span = find_is_by_span(q),
		.has_span = find_is_by_span(q) || q->is_error || q->traceql.len,
		.must_match = q->is_error && !traits->finds_errors_only,
		.min_duration_ns = q->min_duration_ns,
		.slack_ns = traits->duration_slack_ns,
		.range = q->range,
	};
	struct history_want want = { .hits = job->hits,
				     .hit_want = &hit,
				     .next_page = job->next_page,
				     .has_roots_only = !hit.has_span };

	return trace_answer_decode(b, read, body, NULL, &want, &job->job.err);
}

static bool find_answer(struct job *base, struct backends *b,
			const struct http_response *response)
{
	struct hits_job *job = (struct hits_job *)base;
	search_decoder *read;
	enum answer answer = backends_traces(b)->find_answer(
		job->query, &base->attempt, &b->traces.endpoint, response,
		&read, &base->err);

	if (answer == ANSWER_OK) {
		base->has_answer =
			decode(job, b, read, buf_str(&response->body));
	} else if (answer == ANSWER_MISS) {
		base->has_answer = true;
		job->hits->answer_count = 0;
		error_clear(&base->err);
	}
	return answer != ANSWER_TRY_NEXT;
}

static const struct job_type find_type = { .request = find_request,
					   .answer = find_answer,
					   .about = ABOUT_TRACES };

void hits_job_init(struct hits_job *job, const struct find_query *query,
		   unsigned attempt, struct hits *hits, struct buf *next_page)
{
	*job = (struct hits_job){ .job.type = &find_type,
				  .job.attempt = attempt,
				  .query = query,
				  .hits = hits,
				  .next_page = next_page };
}

bool hits_fetch(struct backends *b, const struct find_query *query,
		unsigned *attempt, struct hits *hits, struct buf *next_page,
		struct error *err)
{
	struct hits_job job;
	struct job *jobs[] = { &job.job };

	hits_job_init(&job, query, *attempt, hits, next_page);
	if (!jobs_run(b, jobs, 1, err))
		return false;
	*attempt = job.job.attempt;
	if (job.job.has_answer)
		return true;
	*err = job.job.err;
	return false;
}
