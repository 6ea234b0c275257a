/* SPDX-License-Identifier: Apache-2.0
 *
 * Draws that are the same in every run, for tests and benchmarks that count how
 * often something is found. The state is set by whoever draws, to anything but
 * zero.
 */
#ifndef TESTS_UNIT_RANDOM_DRAWS_H
#define TESTS_UNIT_RANDOM_DRAWS_H

#include <math.h>
#include <stdint.h>

static uint64_t random_state;

/* Evenly from 0 to below 1. */
static inline double random_unit(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (double)(random_state >> 11) * 0x1p-53;
}

static inline double random_normal(void)
{
	double r = sqrt(-2 * log(1 - random_unit()));

	return r * cos(2 * M_PI * random_unit());
}

/* In steps, one an event: of small means. */
static inline int random_poisson(double mean)
{
	double limit = exp(-mean), product = random_unit();
	int n = 0;

	while (product > limit) {
		product *= random_unit();
		n++;
	}
	return n;
}

#endif
