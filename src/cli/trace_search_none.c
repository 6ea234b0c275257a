/* SPDX-License-Identifier: Apache-2.0
 *
 * Nothing was found: the names that the server does have.
 */
#include "backend/trace_answers.h"
#include "cli/trace_search.h"

#define NEAREST 3

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

static const struct job_type names_type = { names_request, names_answer };

static bool holds(const struct name_list *list, struct str name)
{
	for (size_t i = 0; i < list->count; i++)
		if (str_equal(list->items[i], name))
			return true;
	return false;
}

static bool fail_name(const struct names_job *job, const char *what,
		      struct str name, struct error *err)
{
	struct str near[NEAREST];
	size_t count = nearest_names(&job->names, name, near, NEAREST);
	struct buf list;

	buf_init(&list, LIMIT_ERROR_BYTES);
	for (size_t i = 0; i < count; i++)
		buf_addf(&list, "%s\"%.*s\"",
			 i ? ", " : "; nearest: ", STR_ARGS(near[i]));
	if (count == 0)
		buf_addf(&list, "; the trace server has %zu others",
			 job->names.count);
	error_set(err, ERROR_NOT_FOUND, "no traces with %s \"%.*s\"%s", what,
		  STR_ARGS(name), buf_text(&list));
	buf_release(&list);
	return false;
}

static bool fail_times(const struct trace_search *s, struct error *err)
{
	const struct time_range *range = &s->query.range;
	char from[TIME_RFC3339_BYTES], to[TIME_RFC3339_BYTES], least[24];

	format_rfc3339(range->from_ns, from);
	format_rfc3339(range->to_ns, to);
	if (s->hidden_count)
		return error_set(err, ERROR_NOT_FOUND,
				 "only health checks found (%zu); --all shows "
				 "them",
				 s->hidden_count);
	if (s->is_sample)
		return error_set(err, ERROR_NOT_FOUND,
				 "none among the %zu traces that the server "
				 "gave, and it has more between %.19sZ and "
				 "%.19sZ; narrow it with --since, --service "
				 "or --name",
				 s->hits.answer_count, from, to);
	if (s->query.min_duration_ns <= 0)
		return error_set(err, ERROR_NOT_FOUND,
				 "no such traces between %.19sZ and %.19sZ; "
				 "widen with --since 24h, or ask tracefind "
				 "doctor",
				 from, to);
	format_duration(s->query.min_duration_ns, least);
	return error_set(err, ERROR_NOT_FOUND,
			 "no such traces of %s or longer between %.19sZ and "
			 "%.19sZ; lower --min-duration or widen with "
			 "--since 24h",
			 least, from, to);
}

bool trace_search_fail(const struct trace_search *s, struct context *ctx,
		       struct error *err)
{
	const struct find_query *q = &s->query;
	struct names_job services = { .job.type = &names_type,
				      .what = TRACE_SERVICES,
				      .query = q };
	struct names_job operations = { .job.type = &names_type,
					.what = TRACE_OPERATIONS,
					.query = q };
	struct job *jobs[2];
	size_t n = 0;

	if (s->hidden_count || !q->service.len)
		return fail_times(s, err);
	jobs[n++] = &services.job;
	if (q->name.len)
		jobs[n++] = &operations.job;
	if (!jobs_run(&ctx->backends, jobs, n, err))
		return false;
	if (services.job.has_answer && services.names.count &&
	    !holds(&services.names, q->service))
		return fail_name(&services, "service", q->service, err);
	if (operations.job.has_answer && operations.names.count &&
	    !holds(&operations.names, q->name))
		return fail_name(&operations, "operation", q->name, err);
	return fail_times(s, err);
}
