/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/tags.h"

#include "backend/trace_answers.h"

struct tags_job {
	struct job job;
	const struct tags_query *query;
	struct name_list names;
};

static bool tags_request(struct job *base, struct backends *b,
			 struct http_request *request, struct error *err)
{
	struct tags_job *job = (struct tags_job *)base;

	return traces_tags_request(backends_traces(b), &b->traces.endpoint,
				   job->query, base->attempt, request, err);
}

static bool tags_answer(struct job *base, struct backends *b,
			const struct http_response *response)
{
	struct tags_job *job = (struct tags_job *)base;

	return trace_names_answer(base, b, response, &job->names);
}

static const struct job_type tags_type = { .request = tags_request,
					   .answer = tags_answer,
					   .about = ABOUT_NAMES };

bool tags_ask(struct backends *b, const struct tags_query *query,
	      struct name_list *names, struct error *err)
{
	struct tags_job job = { .job.type = &tags_type, .query = query };
	struct job *jobs[] = { &job.job };

	if (!backends_probe_traces(b, err) || !jobs_run(b, jobs, 1, err))
		return false;
	if (job.job.has_answer)
		*names = job.names;
	else
		*err = job.job.err;
	return job.job.has_answer;
}
