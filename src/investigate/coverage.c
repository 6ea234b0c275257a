/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/comparison.h"

#include "backend/fetch_profile.h"
#include "base/num.h"

int64_t coverage_step_ns(struct time_range window)
{
	int64_t length_s = sat_sub_i64(window.to_ns, window.from_ns) / NS_PER_S;
	int64_t step_ns = (length_s / (COVERAGE_STEPS - 1) + 1) * NS_PER_S;

	return step_ns > COVERAGE_STEP_NS ? step_ns : COVERAGE_STEP_NS;
}

bool coverage_request(struct coverage *c, const char *type_id,
		      const char *selector, struct time_range slow,
		      struct time_range base, int64_t step_ns)
{
	struct time_range all = {
		base.from_ns < slow.from_ns ? base.from_ns : slow.from_ns,
		base.to_ns > slow.to_ns ? base.to_ns : slow.to_ns,
	};
	int64_t steps = sat_sub_i64(all.to_ns, all.from_ns) / step_ns;
	const struct totals_query query = {
		.type_id = type_id,
		.selector = selector,
		.label = "service_name",
		.from_ms = all.from_ns / NS_PER_MS,
		.step_ms = step_ns / NS_PER_MS,
		.step_count = (size_t)steps + 1,
	};

	c->is_asked = selector && steps > 0 && steps < COVERAGE_STEPS;
	if (c->is_asked)
		totals_job_init(&c->job, &query);
	c->job.is_extra = true;
	return c->is_asked;
}

/* Less than this part of a window at one of its ends is the grain of steps. */
#define COVERAGE_LEAST 0.1

struct time_range coverage_of(const struct coverage *c,
			      struct time_range window)
{
	struct time_range found = { window.to_ns, window.from_ns };
	double least = COVERAGE_LEAST * (double)(window.to_ns - window.from_ns);

	if (!c->is_asked || !c->job.job.has_answer)
		return (struct time_range){ 0, 0 };
	for (size_t i = 0; i < c->job.query.step_count; i++) {
		const struct totals_query *q = &c->job.query;
		const struct totals *t = &c->job.totals;
		int64_t from_ms = q->from_ms + (int64_t)i * q->step_ms;
		const struct time_range step = {
			from_ms * NS_PER_MS, (from_ms + q->step_ms) * NS_PER_MS
		};
		size_t k = 0;

		while (k < t->count && !(t->items[k].values[i] > 0))
			k++;
		if (k == t->count || step.to_ns <= window.from_ns ||
		    step.from_ns >= window.to_ns)
			continue;
		if (step.from_ns < found.from_ns)
			found.from_ns = step.from_ns;
		if (step.to_ns > found.to_ns)
			found.to_ns = step.to_ns;
	}
	if (found.from_ns >= found.to_ns)
		return (struct time_range){ 0, 0 };
	if ((double)(found.from_ns - window.from_ns) < least)
		found.from_ns = window.from_ns;
	if ((double)(window.to_ns - found.to_ns) < least)
		found.to_ns = window.to_ns;
	return found;
}
