/* SPDX-License-Identifier: Apache-2.0
 *
 * Recommends the size of an instance from its usage: with the percentiles,
 * margin and decay of Kubernetes' Vertical Pod Autoscaler
 * (kubernetes/autoscaler, vertical-pod-autoscaler, pkg/recommender), but on
 * values instead of buckets of 5 %. Pure arithmetic.
 */
#ifndef ANALYZE_RIGHT_SIZE_H
#define ANALYZE_RIGHT_SIZE_H

#include <stdbool.h>
#include <stddef.h>

/* Added to the usage. */
#define SIZE_MARGIN 0.15
/* Days of history that are used. */
#define SIZE_DAYS 8
/* Minimum history: less has no night, and no peak hours. */
#define SIZE_LEAST_HOURS 24.0

struct size_sample {
	double value;
	double age_days;
};

struct size_advice {
	size_t count; /* number of values; 0: nothing is known */
	double p50;
	double p90;
	double p95;
	double peak;
	double target; /* recommended request */
	/* Bounds for the target, wider with less history. */
	double low;
	double high;
};

/* Computes the advice; reorders the samples. is_memory: running out of it kills
 * the process, so the target is above the peak, too. */
void right_size_advise(struct size_sample *samples, size_t count, double days,
		       bool is_memory, struct size_advice *out);

#endif
