/* SPDX-License-Identifier: Apache-2.0
 *
 * How large an instance should be, from what it used: the percentiles, the
 * margin and the forgetting of Kubernetes' Vertical Pod Autoscaler
 * (kubernetes/autoscaler, vertical-pod-autoscaler, pkg/recommender), on the
 * values themselves instead of buckets of 5 %. Pure arithmetic.
 */
#ifndef ANALYZE_RIGHT_SIZE_H
#define ANALYZE_RIGHT_SIZE_H

#include <stdbool.h>
#include <stddef.h>

/* Added to what was used. */
#define SIZE_MARGIN 0.15
/* Days that are looked at. */
#define SIZE_DAYS 8
/* Less history shows no night, and no rush hour. */
#define SIZE_LEAST_HOURS 24.0

struct size_sample {
	double value;
	double age_days;
};

struct size_advice {
	size_t count; /* values behind it; 0: nothing is known */
	double p50;
	double p90;
	double p95;
	double peak;
	double target; /* to be asked for */
	/* Less, or more, would still do, by what is known in that time. */
	double low;
	double high;
};

/* Puts the samples into another order. is_memory: what is not there kills a
 * process, so that the target lies over the peak, too. */
void right_size_advise(struct size_sample *samples, size_t count, double days,
		       bool is_memory, struct size_advice *out);

#endif
