/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/right_size.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/num.h"

static int compare_samples(const void *left, const void *right)
{
	const struct size_sample *a = left, *b = right;
	int order = compare_f64(a->value, b->value);

	return order ? order : compare_f64(a->age_days, b->age_days);
}

/* The older half of what is known counts half as much a day. */
#define SIZE_HALF_LIFE_DAYS 1.0

static double weight_of(const struct size_sample *s)
{
	return exp2(-s->age_days / SIZE_HALF_LIFE_DAYS);
}

/* The smallest value that, with those below, has so much of the weight. */
static double samples_quantile(const struct size_sample *samples, size_t count,
			       double part)
{
	double whole = 0, sum = 0;

	for (size_t i = 0; i < count; i++)
		whole += weight_of(&samples[i]);
	for (size_t i = 0; i < count; i++) {
		sum += weight_of(&samples[i]);
		if (sum >= part * whole)
			return samples[i].value;
	}
	return samples[count - 1].value;
}

/* Nothing smaller can be given to a container. */
#define SIZE_LEAST_CORES 0.025

void right_size_advise(struct size_sample *samples, size_t count, double days,
		       bool is_memory, struct size_advice *out)
{
	*out = (struct size_advice){ .count = count };
	if (!count)
		return;
	qsort(samples, count, sizeof *samples, compare_samples);
	out->p50 = samples_quantile(samples, count, 0.5);
	out->p90 = samples_quantile(samples, count, 0.9);
	out->p95 = samples_quantile(samples, count, 0.95);
	out->peak = samples[count - 1].value;
	out->target = (is_memory ? fmax(out->p90, out->peak) : out->p90) *
		      (1 + SIZE_MARGIN);
	out->low = out->p50 * (1 + SIZE_MARGIN) * pow(1 + 0.001 / days, -2);
	out->high = out->p95 * (1 + SIZE_MARGIN) * (1 + 1 / days);
	if (!is_memory)
		out->target = fmax(out->target, SIZE_LEAST_CORES);
	out->high = fmax(out->high, out->target);
}
