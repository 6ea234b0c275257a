/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_RANDOM_H
#define TESTS_UNIT_RANDOM_H

#include <stdint.h>

/* The same in every run: 0 to 65,535. */
static inline uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 16;
}

/* Irwin and Hall's sum of twelve. */
static inline double next_normal(uint32_t *state)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += (double)next_random(state) / 65536;
	return sum;
}

#endif
