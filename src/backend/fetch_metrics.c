/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/fetch_metrics.h"

#include "backend/backend.h"

const struct metric_backend *backends_metrics(const struct backends *b)
{
	const struct backend_row *row = b->metrics.row;

	return (row && row->metrics ? row : metrics_row())->metrics;
}

static bool check_steps(const struct metric_query *q, struct error *err)
{
	int64_t steps;

	if (q->ask != METRIC_ASK_RANGE)
		return true;
	steps = q->step_ns >= NS_PER_S
			? (q->range.to_ns - q->range.from_ns) / q->step_ns
			: INT64_MAX;
	return steps <= LIMIT_METRIC_STEPS ||
	       error_set(err, ERROR_LIMIT,
			 "metrics over more than %u steps: ask for a shorter "
			 "window",
			 LIMIT_METRIC_STEPS);
}

bool metrics_request(const struct backends *b, const struct metric_query *query,
		     struct http_request *request, struct error *err)
{
	const struct endpoint *e = &b->metrics.endpoint;
	struct buf path;

	project_path_init(&path, e, LIMIT_URL_BYTES);
	backends_metrics(b)->path(query, &path);
	if (!request_fill(request, e, "GET", &path, NULL, err))
		return false;
	request->accept = "application/json";
	return true;
}

static bool request(struct job *job, struct backends *b,
		    struct http_request *request, struct error *err)
{
	struct metric_job *m = (struct metric_job *)job;

	if (!check_steps(&m->query, err) ||
	    !metrics_request(b, &m->query, request, err))
		return false;
	request->is_optional = m->is_extra;
	return true;
}

static bool answer(struct job *job, struct backends *b,
		   const struct http_response *response)
{
	struct metric_job *m = (struct metric_job *)job;
	const struct metric_backend *server = backends_metrics(b);

	job->has_answer =
		server->answer(&m->query, &b->metrics.endpoint, response,
			       b->arena, &m->answer, &job->err) == ANSWER_OK;
	if (job->has_answer && m->answer.warning_count)
		notes_add(b->notes, "%s warns: %.*s", server->title,
			  STR_ARGS(m->answer.warning));
	return true;
}

void metric_job_init(struct metric_job *m, const struct metric_query *query)
{
	static const struct job_type type = { .request = request,
					      .answer = answer,
					      .about = ABOUT_METRIC };

	*m = (struct metric_job){ .job.type = &type, .query = *query };
}
