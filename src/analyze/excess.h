/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the time went that a span takes beyond what is usual: a sum of what
 * spans and profiles tell, and of what nothing does. Pure functions of numbers.
 */
#ifndef ANALYZE_EXCESS_H
#define ANALYZE_EXCESS_H

#include "model/result.h"

/* Less than this part of the whole is left in the rest. */
#define EXCESS_LEAST_PART 1000

/* Per request. What is 0 or less is not known or did not grow. */
struct excess_facts {
	int64_t total_ns; /* what the span grew by */
	int64_t queue_ns; /* of it, by its spans */
	int64_t call_ns;
	double cpu_now_ns; /* on CPU, in requests like it */
	double cpu_before_ns; /* NaN: not known */
	double gc_share;      /* of the growth on CPU, 0..1 */
	double blocked_ns;    /* what grew in the profile that tells of waits */
	double blocked_before_ns;
	struct str blocked_in; /* the function that leads it */
	const char *by;        /* the type of that profile */
};

/* The largest part first, whatever it is; of equal ones in the order of their
 * kinds. They add up to the whole: where more is measured than is left of it
 * (threads side by side), the part is cut to that, spans before CPU, CPU
 * before waits. Nothing (total_ns 0) where nothing grew. */
void excess_sum(const struct excess_facts *f, struct excess *out);

#endif
