/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/exemplars.h"

#include <stdlib.h>

#include "backend/fetch_metrics.h"
#include "base/num.h"

static int compare(const void *a, const void *b)
{
	const struct exemplar *x = a, *y = b;
	int order = compare_f64(x->value, y->value);

	if (!order)
		order = compare_i64(x->time_ns, y->time_ns);
	return order ? order : str_compare(x->trace_id, y->trace_id);
}

/* The longest may be an outlier of its own kind; the median of the slow ones is
 * what the tail is made of. */
void exemplar_pick(struct exemplar_choice *c, struct exemplar *list,
		   size_t count)
{
	size_t slow = 0;

	c->count = count;
	c->lack = count ? EXEMPLAR_FOUND : EXEMPLAR_NONE;
	if (!count)
		return;
	qsort(list, count, sizeof *list, compare);
	c->exemplar = list[count - 1];
	/* p95 is interpolated within its bucket, so all of that one counts. */
	for (size_t i = 0; c->p95_s > 0 && i < count; i++)
		if (list[i].edge >= c->p95_s)
			list[slow++] = list[i];
	c->slow_count = slow;
	if (slow)
		c->exemplar = list[(slow - 1) / 2];
}

static bool ask_exemplars(struct metric_job *job, struct exemplar_choice *c,
			  struct error *err)
{
	struct metric_query query = { .ask = METRIC_ASK_EXEMPLARS,
				      .range = c->window };
	struct arena *arena = c->metrics.backends->arena;
	struct job *list[] = { &job->job };
	struct buf text;

	buf_init(&text, LIMIT_URL_BYTES);
	metric_exemplars(&text, &c->metrics.sources[METRIC_LATENCY],
			 c->metrics.service, c->operation);
	query.expression = arena_str(arena, buf_str(&text));
	buf_release(&text);
	if (!query.expression.ptr)
		return arena_fail(arena, "a question", err);
	metric_job_init(job, &query);
	if (!jobs_run(c->metrics.backends, list, 1, err))
		return false;
	*err = job->job.err;
	return job->job.has_answer;
}

/* p95 of all requests: exemplars are a few of them, not drawn evenly. */
static bool ask_p95(struct exemplar_choice *c, struct error *err)
{
	struct service_metric q = { .meaning = METRIC_LATENCY,
				    .operation = c->operation,
				    .quantile = 0.95,
				    .range = c->window };

	if (!service_metrics_ask(&c->metrics, &q, 1, err))
		return false;
	if (q.has_answer && q.point_count)
		c->p95_s = q.points[0].value;
	return true;
}

static enum exemplar_lack lack_of(const struct exemplar_choice *c)
{
	const struct metric_source *sources = c->metrics.sources;
	bool has_any = false;

	for (int i = 0; i < METRIC_MEANINGS; i++)
		has_any |= sources[i].name != NULL;
	if (!has_any)
		return EXEMPLAR_NO_METRICS;
	if (!sources[METRIC_LATENCY].name)
		return EXEMPLAR_NO_LATENCY;
	return c->operation && !sources[METRIC_LATENCY].name->operation_label
		       ? EXEMPLAR_NO_OPERATION
		       : EXEMPLAR_FOUND;
}

bool exemplar_choose(struct exemplar_choice *c, struct backends *b,
		     const char *service, const char *operation,
		     struct time_range window, struct error *err)
{
	struct metric_job job;
	double unit;

	*c = (struct exemplar_choice){ .operation = operation,
				       .window = window };
	if (!service_metrics_find(&c->metrics, b, service, window, err))
		return false;
	c->lack = lack_of(c);
	if (c->lack != EXEMPLAR_FOUND)
		return true;
	if (!ask_p95(c, err) || !ask_exemplars(&job, c, err))
		return false;
	unit = c->metrics.sources[METRIC_LATENCY].name->unit;
	for (size_t i = 0; i < job.answer.exemplar_count; i++) {
		job.answer.exemplars[i].value *= unit;
		job.answer.exemplars[i].edge *= unit;
	}
	exemplar_pick(c, job.answer.exemplars, job.answer.exemplar_count);
	return true;
}
