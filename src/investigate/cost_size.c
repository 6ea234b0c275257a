/* SPDX-License-Identifier: Apache-2.0
 *
 * What the instances of a service used over days, by the server of metrics, and
 * what size follows of it.
 */
#include <math.h>

#include "base/num.h"
#include "investigate/cost.h"

/* Bursts are not averaged away: each value is of two minutes, of which the last
 * of every step is looked at. Of memory the most within the step is. */
#define STEP_NS (10 * NS_PER_MIN)
#define RATE_NS (2 * NS_PER_MIN)

/* Maximum fraction of CPU periods with throttling, such as during startup; with
 * more of them usage shows the limit and not the need. */
#define THROTTLED_MOST 0.01

enum asked {
	ASK_CPU,
	ASK_MEMORY,
	ASK_PERIODS,
	ASK_THROTTLED,
	ASK_CPU_REQUEST,
	ASK_CPU_LIMIT,
	ASK_MEMORY_REQUEST,
	ASK_MEMORY_LIMIT,
	ASKED
};

#define STEPS ((size_t)(SIZE_DAYS * NS_PER_DAY / STEP_NS))

static struct time_range days_before(const struct cost *c, int64_t ns)
{
	int64_t to_ns = cost_window(c).to_ns;

	return (struct time_range){ to_ns - ns, to_ns };
}

static void list_questions(const struct cost *c, int64_t rate_ns,
			   struct service_metric list[ASKED])
{
	static const enum metric_meaning meanings[ASKED] = {
		[ASK_CPU] = METRIC_CPU,
		[ASK_MEMORY] = METRIC_MEMORY,
		[ASK_PERIODS] = METRIC_CPU_PERIODS,
		[ASK_THROTTLED] = METRIC_CPU_THROTTLED,
		[ASK_CPU_REQUEST] = METRIC_CPU_REQUEST,
		[ASK_CPU_LIMIT] = METRIC_CPU_LIMIT,
		[ASK_MEMORY_REQUEST] = METRIC_MEMORY_REQUEST,
		[ASK_MEMORY_LIMIT] = METRIC_MEMORY_LIMIT,
	};

	for (int i = 0; i < ASKED; i++)
		list[i] = (struct service_metric){
			.meaning = meanings[i],
			.over = METRIC_OVER_NONE,
			.range = days_before(c, NS_PER_DAY),
		};
	for (int i = ASK_CPU; i <= ASK_MEMORY; i++) {
		list[i].range = days_before(c, SIZE_DAYS * NS_PER_DAY);
		list[i].step_ns = STEP_NS;
	}
	list[ASK_CPU].rate_ns = rate_ns;
	list[ASK_MEMORY].is_peak = true;
	list[ASK_PERIODS].over = list[ASK_THROTTLED].over = METRIC_OVER_USUAL;
}

/* ---- answers ---- */

static double age_days(const struct service_metric *q, int64_t time_ns)
{
	return (double)(q->range.to_ns - time_ns) / (double)NS_PER_DAY;
}

static size_t take_values(const struct service_metric *q,
			  struct size_sample *out)
{
	size_t n = 0;

	for (size_t i = 0; i < q->series_count; i++)
		for (size_t k = 0; k < q->series[i].point_count; k++) {
			const struct metric_point *p = &q->series[i].points[k];

			out[n++] =
				(struct size_sample){ p->value,
						      age_days(q, p->time_ns) };
		}
	return n;
}

/* The peak of each day, of each instance; points are in order of time. */
static size_t take_peaks(const struct service_metric *q,
			 struct size_sample *out)
{
	size_t n = 0;

	for (size_t i = 0; i < q->series_count; i++) {
		int day = -1;

		for (size_t k = 0; k < q->series[i].point_count; k++) {
			const struct metric_point *p = &q->series[i].points[k];
			double age = age_days(q, p->time_ns);

			if ((int)age != day)
				out[n++] = (struct size_sample){ 0, age };
			day = (int)age;
			if (p->value > out[n - 1].value)
				out[n - 1] =
					(struct size_sample){ p->value, age };
		}
	}
	return n;
}

static double hours_of(const struct service_metric *q)
{
	bool is_seen[STEPS + 1] = { false };
	size_t seen = 0;

	for (size_t i = 0; i < q->series_count; i++)
		for (size_t k = 0; k < q->series[i].point_count; k++) {
			int64_t at = (q->series[i].points[k].time_ns -
				      q->range.from_ns) /
				     STEP_NS;

			if (at >= 0 && (size_t)at <= STEPS)
				is_seen[at] = true;
		}
	for (size_t i = 0; i <= STEPS; i++)
		seen += is_seen[i];
	return (double)seen * ((double)STEP_NS / (double)NS_PER_HOUR);
}

/* Instances differ while a change is rolled out. */
static double metric_largest(const struct service_metric *q)
{
	double value = 0;

	for (size_t i = 0; i < q->series_count; i++)
		if (q->series[i].point_count)
			value = fmax(value, q->series[i].points[0].value);
	return value;
}

static bool size_advise(struct cost *c, enum cost_what what,
			const struct service_metric *q, struct error *err)
{
	struct arena *arena = c->v->backends->arena;
	struct size_sample *samples;
	size_t count = 0;

	for (size_t i = 0; i < q->series_count; i++)
		count += q->series[i].point_count;
	samples = arena_array(arena, count + 1, sizeof *samples);
	if (!samples)
		return arena_fail(arena, "the history", err);
	count = what == COST_MEMORY ? take_peaks(q, samples)
				    : take_values(q, samples);
	right_size_advise(samples, count, c->size.hours / 24,
			  what == COST_MEMORY, &c->size.advice[what]);
	return true;
}

static bool take_answers(struct cost *c, const struct service_metric *list,
			 struct error *err)
{
	const struct service_metric *periods = &list[ASK_PERIODS];
	const struct service_metric *cut = &list[ASK_THROTTLED];
	const struct cost_resource *cpu = &c->resources[COST_CPU];
	struct cost_size *s = &c->size;
	double part;

	s->hours = fmax(hours_of(&list[ASK_CPU]), hours_of(&list[ASK_MEMORY]));
	s->instances = max_size(list[ASK_CPU].series_count,
				list[ASK_MEMORY].series_count);
	s->throttled = -1;
	if (periods->point_count && cut->point_count &&
	    periods->points[0].value > 0)
		s->throttled = cut->points[0].value / periods->points[0].value;
	s->request[COST_CPU] = metric_largest(&list[ASK_CPU_REQUEST]);
	s->limit[COST_CPU] = metric_largest(&list[ASK_CPU_LIMIT]);
	s->request[COST_MEMORY] = metric_largest(&list[ASK_MEMORY_REQUEST]);
	s->limit[COST_MEMORY] = metric_largest(&list[ASK_MEMORY_LIMIT]);
	if (!size_advise(c, COST_CPU, &list[ASK_CPU], err) ||
	    !size_advise(c, COST_MEMORY, &list[ASK_MEMORY], err))
		return false;
	if (!s->advice[COST_CPU].count && !s->advice[COST_MEMORY].count)
		s->refusal = SIZE_NO_METRICS;
	else if (s->hours < SIZE_LEAST_HOURS)
		s->refusal = SIZE_SHORT;
	else if (s->throttled > THROTTLED_MOST)
		s->refusal = SIZE_THROTTLED;
	else
		s->refusal = SIZE_ADVISED;
	/* Days show the typical usage; the current one may be permanent. */
	part = s->advice[COST_CPU].target * c->instances.value /
	       cpu->used.value;
	if (!s->refusal && s->advice[COST_CPU].count && c->instances.source &&
	    cpu->used.source && part < 1)
		investigation_note(c->v,
				   (struct note){ .kind = NOTE_SIZE_BELOW_USE,
						  .percent = 100 * part });
	return true;
}

bool cost_ask_size(struct cost *c, struct error *err)
{
	struct service_metric list[ASKED];

	c->size = (struct cost_size){ .refusal = SIZE_NO_METRICS,
				      .throttled = -1 };
	if (!c->has_metrics)
		return true;
	list_questions(c, RATE_NS, list);
	if (!service_metrics_ask(&c->metrics, list, ASKED, err))
		return false;
	/* Rarely measured counters have no two values within minutes. */
	if (!list[ASK_CPU].series_count) {
		list[ASK_CPU].rate_ns = STEP_NS;
		if (!service_metrics_ask(&c->metrics, &list[ASK_CPU], 1, err))
			return false;
	}
	return take_answers(c, list, err);
}
