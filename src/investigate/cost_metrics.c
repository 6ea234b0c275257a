/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/num.h"
#include "investigate/cost.h"

/* Points of a gauge whose mean is that of the window. */
#define GAUGE_STEPS 60
/* Of these, so many may be missing. */
#define COVERED 0.9

enum asked {
	ASK_REQUESTS,
	ASK_CPU,
	ASK_MEMORY,
	ASK_COUNT,
	ASK_BILLED,
	ASK_CPU_REQUEST,
	ASK_CPU_LIMIT,
	ASK_MEMORY_REQUEST,
	ASK_MEMORY_LIMIT,
	ASK_BASELINE_REQUESTS, /* the last, not always asked */
	ASKED
};

static int64_t whole_seconds(int64_t ns)
{
	return ns - ns % NS_PER_S;
}

static int64_t part_step(struct time_range range)
{
	return whole_seconds((range.to_ns - range.from_ns) / COMPARISON_PARTS);
}

static struct service_metric gauge(const struct cost *c,
				   enum metric_meaning meaning,
				   enum metric_over over)
{
	struct time_range range = cost_window(c);
	int64_t step = (range.to_ns - range.from_ns) / GAUGE_STEPS;

	return (struct service_metric){
		.meaning = meaning,
		.over = over,
		.range = range,
		.step_ns = whole_seconds(max_i64(step, 15 * NS_PER_S)),
	};
}

static void list_questions(const struct cost *c,
			   struct service_metric list[ASKED])
{
	const struct comparison *all = &c->chosen.comparison;

	list[ASK_REQUESTS] =
		(struct service_metric){ .meaning = METRIC_REQUESTS,
					 .range = all->slow.range,
					 .step_ns =
						 part_step(all->slow.range) };
	list[ASK_BASELINE_REQUESTS] =
		(struct service_metric){ .meaning = METRIC_REQUESTS,
					 .range = all->base.range,
					 .step_ns =
						 part_step(all->base.range) };
	list[ASK_CPU] = (struct service_metric){ .meaning = METRIC_CPU,
						 .range = cost_window(c) };
	list[ASK_BILLED] = (struct service_metric){ .meaning = METRIC_INSTANCES,
						    .range = cost_window(c) };
	list[ASK_MEMORY] = gauge(c, METRIC_MEMORY, METRIC_OVER_SUM);
	list[ASK_COUNT] = gauge(c, METRIC_MEMORY, METRIC_OVER_COUNT);
	list[ASK_CPU_REQUEST] = gauge(c, METRIC_CPU_REQUEST, METRIC_OVER_SUM);
	list[ASK_CPU_LIMIT] = gauge(c, METRIC_CPU_LIMIT, METRIC_OVER_SUM);
	list[ASK_MEMORY_REQUEST] =
		gauge(c, METRIC_MEMORY_REQUEST, METRIC_OVER_SUM);
	list[ASK_MEMORY_LIMIT] = gauge(c, METRIC_MEMORY_LIMIT, METRIC_OVER_SUM);
}

/* ---- answers ---- */

/* Metrics are of all that the service does; of some profiles, such as those of
 * a version, they tell nothing. */
static bool is_of_all(const struct cost *c)
{
	return c->v->question->baseline.kind != BASELINE_WANT_VERSION &&
	       !cost_is_of_selector(c);
}

/* Each part was measured, or nothing is known. */
static void take_requests(const struct service_metric *q,
			  struct comparison_side *side, struct cost_number *out)
{
	double parts[COMPARISON_PARTS];
	double length_s = time_range_seconds(side->range) / COMPARISON_PARTS;

	if (out->source || q->point_count < COMPARISON_PARTS)
		return;
	for (size_t i = 0; i < COMPARISON_PARTS; i++)
		parts[i] = q->points[i].value * length_s;
	cost_count_side(side, parts, false, COST_OF_METRICS, out);
}

static double steps_of(const struct service_metric *q)
{
	return (double)((q->range.to_ns - q->range.from_ns) /
			max_i64(q->step_ns, NS_PER_S));
}

/* Over the whole window: where it says nothing there was nothing. */
static double mean_of(const struct service_metric *q)
{
	double steps = steps_of(q), sum = 0;

	if (!q->step_ns)
		return q->point_count ? q->points[0].value : 0;
	for (size_t i = 0; i < q->point_count; i++)
		sum += q->points[i].value;
	return steps > 0 ? sum / steps : 0;
}

static void take_number(const struct service_metric *q, double factor,
			enum cost_source source, struct cost_number *out)
{
	double value = mean_of(q) * factor;

	if (!out->source && value > 0)
		*out = (struct cost_number){ value, source };
}

/* A server that knows little of the window makes little of it: that is told. */
static void note_gaps(const struct cost *c, const struct service_metric *q)
{
	double share = (double)q->point_count / steps_of(q);

	if (q->point_count && share < COVERED)
		investigation_note(c->v,
				   (struct note){ .kind = NOTE_METRICS_PART,
						  .percent = 100 * share });
}

static void take_answers(struct cost *c, const struct service_metric *list)
{
	struct comparison *all = &c->chosen.comparison;
	struct cost_resource *cpu = &c->resources[COST_CPU];
	struct cost_resource *memory = &c->resources[COST_MEMORY];

	take_requests(&list[ASK_REQUESTS], &all->slow, &c->requests);
	if (all->has_base)
		take_requests(&list[ASK_BASELINE_REQUESTS], &all->base,
			      &c->baseline_requests);
	take_number(&list[ASK_CPU], 1, COST_OF_METRICS, &cpu->used);
	take_number(&list[ASK_MEMORY], 1, COST_OF_METRICS, &memory->used);
	take_number(&list[ASK_BILLED], 1, COST_OF_METRICS, &c->instances);
	take_number(&list[ASK_COUNT], 1, COST_OF_METRICS, &c->instances);
	take_number(&list[ASK_CPU_REQUEST], 1, COST_OF_REQUESTS,
		    &cpu->allocated);
	take_number(&list[ASK_CPU_LIMIT], 1, COST_OF_LIMITS, &cpu->allocated);
	take_number(&list[ASK_MEMORY_REQUEST], 1, COST_OF_REQUESTS,
		    &memory->allocated);
	take_number(&list[ASK_MEMORY_LIMIT], 1, COST_OF_LIMITS,
		    &memory->allocated);
}

static bool ask(struct cost *c, struct error *err)
{
	struct service_metric list[ASKED] = { 0 };
	struct service_metrics *m = &c->metrics;

	if (!service_metrics_find(m, c->v->backends,
				  c->want->profiles.service.ptr, cost_window(c),
				  err) ||
	    !service_metrics_find_allocation(m, cost_window(c), err))
		return false;
	c->has_metrics = true;
	if (!is_of_all(c))
		return true;
	list_questions(c, list);
	if (!service_metrics_ask(m, list,
				 ASKED - !c->chosen.comparison.has_base, err))
		return false;
	take_answers(c, list);
	note_gaps(c, &list[ASK_COUNT]);
	return true;
}

bool cost_ask_metrics(struct cost *c, struct error *err)
{
	if (c->v->backends->metrics.is_default || ask(c, err))
		return true;
	if (investigation_must_end(err))
		return false;
	investigation_note(c->v, (struct note){ .kind = NOTE_METRICS_MISSING,
						.reason = err->message });
	error_clear(err);
	return true;
}
