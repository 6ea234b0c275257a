/* SPDX-License-Identifier: Apache-2.0
 *
 * Nothing was found: the names that the server does have.
 */
#include "backend/trace_answers.h"
#include "investigate/trace_search.h"

struct names_job {
	struct job job;
	enum trace_names what;
	const struct find_query *query;
	struct name_list names;
};

static bool names_request(struct job *base, struct backends *b,
			  struct http_request *request, struct error *err)
{
	struct names_job *job = (struct names_job *)base;
	const struct names_query query = { job->what, job->query->service,
					   job->query->range };

	if (!traces_names_request(backends_traces(b), &b->traces.endpoint,
				  &query, base->attempt, request, err))
		return false;
	request->is_optional = true;
	return true;
}

static bool names_answer(struct job *base, struct backends *b,
			 const struct http_response *response)
{
	struct names_job *job = (struct names_job *)base;

	return trace_names_answer(base, b, response, &job->names);
}

static const struct job_type names_type = { .request = names_request,
					    .answer = names_answer,
					    .about = ABOUT_NAMES };

static bool fail(struct trace_search *s, enum search_lack lack,
		 struct name_list names, struct error *err)
{
	s->lack = lack;
	s->names = names;
	return error_set(err, ERROR_NOT_FOUND, "%s", "");
}

static bool is_missing(const struct names_job *job, struct str name)
{
	return job->job.has_answer && job->names.count &&
	       !name_list_has(&job->names, name);
}

bool trace_search_fail(struct trace_search *s, struct backends *b,
		       struct error *err)
{
	const struct find_query *q = &s->query;
	struct names_job services = { .job.type = &names_type,
				      .what = TRACE_SERVICES,
				      .query = q };
	struct names_job operations = { .job.type = &names_type,
					.what = TRACE_OPERATIONS,
					.query = q };
	const struct name_list none = { .count = 0 };
	struct job *jobs[2];
	size_t n = 0;

	if (s->hidden_count || !q->service.len)
		return fail(s, SEARCH_LACKS_TRACES, none, err);
	jobs[n++] = &services.job;
	if (q->name.len)
		jobs[n++] = &operations.job;
	if (!jobs_run(b, jobs, n, err))
		return false;
	if (is_missing(&services, q->service))
		return fail(s, SEARCH_LACKS_SERVICE, services.names, err);
	if (is_missing(&operations, q->name))
		return fail(s, SEARCH_LACKS_OPERATION, operations.names, err);
	return fail(s, SEARCH_LACKS_TRACES, none, err);
}
