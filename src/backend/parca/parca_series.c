/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/parca/parca_series.h"

#include "backend/parca/parca.h"

struct type_job {
	struct job job; /* for jobs_run() */
	const struct parca_question *question;
	size_t type;
	struct series_list *list;
};

static bool type_request(struct job *job, struct backends *b,
			 struct http_request *request, struct error *err)
{
	const struct type_job *t = (const struct type_job *)job;
	const struct parca_question *q = t->question;

	return parca_series_request(&b->profiles.endpoint, t->type, q->selector,
				    q->labels, q->label_count, q->range,
				    request, err);
}

static bool type_answer(struct job *job, struct backends *b,
			const struct http_response *response)
{
	struct type_job *t = (struct type_job *)job;
	const struct parca_question *q = t->question;

	job->has_answer = parca_series_answer(
		&b->profiles.endpoint, t->type, response, q->labels,
		q->label_count, b->arena, t->list, &job->err);
	return true;
}

static const struct job_type type_job = { type_request, type_answer };

bool parca_series_all(struct backends *b, const struct parca_question *q,
		      const struct http_response *first,
		      struct series_list **lists, struct error *err)
{
	const struct endpoint *e = &b->profiles.endpoint;
	size_t count = e->parca->type_count;
	struct type_job types[LIMIT_SAMPLE_TYPES];
	struct job *jobs[LIMIT_SAMPLE_TYPES];

	*lists = arena_array(b->arena, count ? count : 1, sizeof **lists);
	if (!*lists)
		return arena_fail(b->arena, "the server's series", err);
	for (size_t i = 1; i < count && i < LIMIT_SAMPLE_TYPES; i++) {
		types[i] = (struct type_job){ .job = { .type = &type_job },
					      .question = q,
					      .type = i,
					      .list = &(*lists)[i] };
		jobs[i - 1] = &types[i].job;
	}
	if (!parca_series_answer(e, 0, first, q->labels, q->label_count,
				 b->arena, &(*lists)[0], err) ||
	    (count > 1 && !jobs_run(b, jobs, count - 1, err)))
		return false;
	for (size_t i = 1; i < count; i++)
		if (!types[i].job.has_answer) {
			*err = types[i].job.err;
			return false;
		}
	return true;
}
