/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/jobs.h"

#include <string.h>

#include "base/mem.h"

/* The requests of one round, and whose they are. */
struct round {
	struct backends *backends;
	struct http_request requests[LIMIT_BATCH];
	struct http_response responses[LIMIT_BATCH];
	struct job *jobs[LIMIT_BATCH];
	size_t count;
	size_t answered; /* from the front on */
};

static void round_release(struct round *r)
{
	for (size_t i = 0; i < r->count; i++) {
		http_request_release(&r->requests[i]);
		http_response_release(&r->responses[i]);
	}
}

static bool round_fill(struct backends *b, struct round *r,
		       struct job *const *jobs, size_t n, struct error *err)
{
	for (size_t i = 0; i < n && r->count < LIMIT_BATCH; i++) {
		struct job *job = jobs[i];

		if (job->is_done)
			continue;
		if (job->type->request(job, b, &r->requests[r->count],
				       &job->err)) {
			r->jobs[r->count++] = job;
			continue;
		}
		http_request_release(&r->requests[r->count]);
		memset(&r->requests[r->count], 0, sizeof *r->requests);
		job->is_done = true;
		/* What it had to know first was shown by a dry run. */
		if (job->err.code == ERROR_MEMORY ||
		    job->err.code == ERROR_STOPPED) {
			*err = job->err;
			return false;
		}
	}
	return true;
}

/* Not while others are on their way. */
static bool may_ask(const struct round *r, size_t index)
{
	return r->jobs[index]->type->question != QUESTION_SERVER &&
	       profiles_may_ask(r->backends, &r->responses[index]);
}

/* Its answer is needed no longer: all at once would be much to hold. */
static void answer_next(struct round *r)
{
	struct http_response *response = &r->responses[r->answered];
	struct job *job = r->jobs[r->answered++];

	error_clear(&job->err);
	job->is_done = job->type->answer(job, r->backends, response);
	http_response_release(response);
}

static void take(void *context, size_t index)
{
	struct round *r = context;

	if (r->answered == index && !may_ask(r, index))
		answer_next(r);
}

static bool round_run(struct backends *b, struct round *r,
		      struct job *const *jobs, size_t n, struct error *err)
{
	const struct http_taker taker = { take, r };
	bool done;

	memset(r, 0, sizeof *r);
	r->backends = b;
	/* Jobs that could not ask are done and leave nothing to send. */
	done = round_fill(b, r, jobs, n, err) &&
	       (r->count == 0 ||
		backends_send_each(b, r->requests, r->responses, r->count,
				   &taker, err));
	while (done && r->answered < r->count)
		answer_next(r);
	round_release(r);
	return done;
}

static bool is_left(struct job *const *jobs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!jobs[i]->is_done)
			return true;
	return false;
}

bool jobs_run(struct backends *b, struct job *const *jobs, size_t n,
	      struct error *err)
{
	const struct profile_backend *profiles = backends_profiles(b);
	struct round *r = mem_alloc(sizeof *r);
	bool done;

	if (!r)
		return error_memory(err, "requests");
	done = backend_files.profiles->answer_jobs(b, jobs, n, err);
	if (done && profiles->answer_jobs)
		done = profiles->answer_jobs(b, jobs, n, err);
	while (done && is_left(jobs, n))
		done = round_run(b, r, jobs, n, err);
	mem_free(r);
	return done;
}
