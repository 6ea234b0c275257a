/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/trace_durations.h"

#include "cli/jobs.h"
#include "decode/durations.h"

struct durations_job {
	struct job job;
	const struct find_query *query;
	struct duration_buckets *out;
};

static bool durations_request(struct job *base, struct context *ctx,
			      struct http_request *request, struct error *err)
{
	struct durations_job *job = (struct durations_job *)base;

	if (!source_durations_request(ctx->traces.kind, &ctx->traces.endpoint,
				      job->query, base->attempt, request, err))
		return false;
	request->is_optional = true;
	return true;
}

static bool durations_answer(struct job *base, struct context *ctx,
			     const struct http_response *response)
{
	struct durations_job *job = (struct durations_job *)base;

	switch (source_durations_answer(ctx->traces.kind, &ctx->traces.endpoint,
					base->attempt, response, &base->err)) {
	case ANSWER_OK:
		base->has_answer = decode_tempo_histogram(
			buf_str(&response->body), job->out, &base->err);
		return true;
	case ANSWER_TRY_NEXT:
		base->attempt++;
		return false;
	case ANSWER_MISS:
	case ANSWER_ERROR:
		break;
	}
	return true;
}

static const struct job_type durations_type = { durations_request,
						durations_answer };

bool trace_durations_ask(struct context *ctx, const struct find_query *query,
			 int64_t least, struct duration_buckets *out,
			 struct error *err)
{
	struct durations_job job = { .job.type = &durations_type,
				     .query = query,
				     .out = out };
	struct job *jobs[] = { &job.job };

	*out = (struct duration_buckets){ .total = 0 };
	if (!jobs_run(ctx, jobs, 1, err))
		return false;
	if (!job.job.has_answer || out->total < least)
		*out = (struct duration_buckets){ .total = 0 };
	return true;
}
