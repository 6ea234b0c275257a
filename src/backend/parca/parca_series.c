/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/gather.h"
#include "backend/jobs.h"
#include "backend/parca/parca_calls.h"

struct type_job {
	struct job job; /* for jobs_run() */
	const struct series_query *query;
	size_t type;
	struct series_list *list;
};

static bool type_request(struct job *job, struct backends *b,
			 struct http_request *request, struct error *err)
{
	const struct type_job *t = (const struct type_job *)job;

	return parca_type_request(&b->profiles, t->type, t->query, request,
				  err);
}

static bool type_answer(struct job *job, struct backends *b,
			const struct http_response *response)
{
	struct type_job *t = (struct type_job *)job;

	job->has_answer = parca_type_answer(b, t->type, t->query, response,
					    t->list, &job->err);
	return true;
}

static const struct job_type type_job = { .request = type_request,
					  .answer = type_answer,
					  .about = ABOUT_SERIES };

static bool is_total(const struct parca_type *type)
{
	return !type->is_delta && !profile_type_is_gauge(type->id);
}

/* *lists: one a type, in b->arena; that of the first type is read from the
 * response, the others are asked for, or left empty where they count totals
 * and these are not wanted. False when any failed. */
static bool all_types(struct backends *b, const struct series_query *query,
		      const struct http_response *first, bool wants_totals,
		      struct series_list **lists, struct error *err)
{
	const struct parca_facts *facts = parca_facts_of(&b->profiles);
	size_t count = facts->type_count, job_count = 0;
	struct type_job types[LIMIT_SAMPLE_TYPES];
	struct job *jobs[LIMIT_SAMPLE_TYPES];

	*lists = arena_array(b->arena, count ? count : 1, sizeof **lists);
	if (!*lists)
		return arena_fail(b->arena, "the server's series", err);
	for (size_t i = 1; i < count && i < LIMIT_SAMPLE_TYPES; i++) {
		if (is_total(&facts->types[i]) && !wants_totals)
			continue;
		types[job_count] =
			(struct type_job){ .job = { .type = &type_job },
					   .query = query,
					   .type = i,
					   .list = &(*lists)[i] };
		jobs[job_count] = &types[job_count].job;
		job_count++;
	}
	if (!parca_type_answer(b, 0, query, first, &(*lists)[0], err) ||
	    (job_count && !jobs_run(b, jobs, job_count, err)))
		return false;
	for (size_t i = 0; i < job_count; i++)
		if (!types[i].job.has_answer) {
			*err = types[i].job.err;
			return false;
		}
	return true;
}

bool parca_types_request(const struct side *side,
			 const struct series_query *query,
			 struct http_request *request, struct error *err)
{
	if (!parca_facts_of(side)->type_count)
		return error_set(err, ERROR_NOT_FOUND,
				 "parca: the server holds no profiles");
	return parca_type_request(side, 0, query, request, err);
}

/* The types that what is selected has samples of. */
bool parca_types_answer(struct backends *b, const struct series_query *query,
			const struct http_response *response,
			struct name_list *types, struct error *err)
{
	const struct parca_facts *facts = parca_facts_of(&b->profiles);
	struct series_list *lists;

	if (!all_types(b, query, response, true, &lists, err))
		return false;
	*types = (struct name_list){ arena_array(b->arena, facts->type_count,
						 sizeof *types->items) };
	if (!types->items)
		return arena_fail(b->arena, "the types", err);
	for (size_t i = 0; i < facts->type_count; i++)
		if (lists[i].count)
			types->items[types->count++] = facts->types[i].id;
	return true;
}

bool parca_counts_totals(const struct side *side, struct str type_id)
{
	const struct parca_type *type =
		parca_type_find(parca_facts_of(side), type_id);

	return type && is_total(type);
}

/* Totals grow with the age of a process: later than a baseline they are
 * always more. So they are no evidence, unless asked for by their full id. */
bool parca_series_answer(struct backends *b, const struct series_query *query,
			 const struct http_response *response,
			 struct series_list *series, struct error *err)
{
	const struct parca_facts *facts = parca_facts_of(&b->profiles);
	struct series_list *lists;
	bool done = all_types(b, query, response, false, &lists, err);

	*series = (struct series_list){ .label_count = query->label_count };
	for (size_t i = 0; done && i < facts->type_count; i++)
		if (!is_total(&facts->types[i]))
			done = series_list_add(series, b->arena, &lists[i],
					       err);
	return done;
}
