/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers that look random and are the same on every machine: integers
 * throughout, since mathematical libraries differ in the last place.
 */
#ifndef BENCH_RANDOM_H
#define BENCH_RANDOM_H

#include <stdint.h>

/* SplitMix64: a step of the state, then a mix of it. */
static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* 0..limit-1. The bias is of no account here. */
static inline uint32_t random_below(uint64_t *state, uint32_t limit)
{
	return (uint32_t)((random_next(state) >> 32) * limit >> 32);
}

/* Fixed point: 1.0 is this. */
#define Q16 65536

/* Of the normal distribution with mean 0 and deviation Q16: the sum of twelve
 * uniform numbers has a variance of one. */
static inline int64_t random_normal(uint64_t *state)
{
	int64_t sum = -6 * Q16;

	for (int i = 0; i < 12; i++)
		sum += (int64_t)(random_next(state) >> 48);
	return sum;
}

/* 2 to the power of exponent / Q16, straight between whole powers; 62 at
 * most. */
static inline uint64_t power_of_two(int64_t exponent)
{
	uint64_t whole, rest;

	if (exponent < 0)
		return 0;
	whole = (uint64_t)exponent / Q16;
	rest = (uint64_t)exponent % Q16;
	return whole < 16 ? (Q16 + rest) >> (16 - whole)
			  : (Q16 + rest) << (whole - 16);
}

#endif
