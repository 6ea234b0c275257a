/* SPDX-License-Identifier: Apache-2.0
 *
 * Compares stacks that were packed with the same ones in order.
 */
#ifndef PPROF_PACKED_H
#define PPROF_PACKED_H

#include "model/stack_walk.h"
#include "profile_testing.h"

/* By frame, in wrapping numbers: what each stack adds depends on its value,
 * its depth and its neighbours, and not on the order of stacks. */
static inline void digest(const struct profile *p, uint64_t *sums)
{
	struct stack_walk w;

	stack_walk_init(&w, p);
	while (stack_walk_next(&w)) {
		uint64_t hash = 1;

		for (uint32_t i = 0; i < w.count; i++) {
			hash = hash * 6364136223846793005u + w.frames[i] + 1;
			sums[w.frames[i]] += hash * (uint64_t)w.value;
		}
		sums[w.frames[w.count - 1]] +=
			hash * w.count * (uint64_t)w.value;
	}
}

static inline void assert_same_functions(const struct profile *a,
					 const struct profile *b)
{
	assert_int_equal(a->function_count, b->function_count);
	for (uint32_t i = 0; i < a->function_count; i++) {
		assert_true(
			str_equal(function_name(a, i), function_name(b, i)));
		assert_true(
			str_equal(function_file(a, i), function_file(b, i)));
	}
	assert_int_equal(a->frame_count, b->frame_count);
	assert_memory_equal(a->frames, b->frames,
			    a->frame_count * sizeof *a->frames);
}

static inline void assert_same_sums(const struct profile *a,
				    const struct profile *b)
{
	size_t count = a->frame_count + 1;
	uint64_t *x = calloc(count, sizeof *x), *y = calloc(count, sizeof *y);

	assert_same_functions(a, b);
	digest(a, x);
	digest(b, y);
	assert_memory_equal(x, y, count * sizeof *x);
	profile_frame_sums(a, (int64_t *)x);
	profile_frame_sums(b, (int64_t *)y);
	assert_memory_equal(x, y, count * sizeof *x);
	free(x);
	free(y);
	assert_true(a->total == b->total);
	assert_true(a->whole_total == b->whole_total);
	assert_true(a->period == b->period);
	assert_true(a->sample_count == b->sample_count);
	assert_true(a->time_ns == b->time_ns);
	assert_true(a->duration_ns == b->duration_ns);
	assert_int_equal(a->type_count, b->type_count);
	assert_int_equal(a->type, b->type);
	assert_int_equal(a->is_gauge, b->is_gauge);
	assert_int_equal(a->has_lines, b->has_lines);
}

/* As the caller who only adds up; the bytes are copied. */
static inline bool decode_summed(struct str bytes,
				 const struct profile_want *want,
				 struct profile *p, struct notes *notes,
				 struct error *error)
{
	struct profile_want summed = *want;
	struct buf owned;
	bool is_done;

	buf_init(&owned, 64 * MIB);
	buf_add_str(&owned, bytes);
	summed.owned_bytes = &owned;
	profile_init(p);
	is_done = decode_pprof(buf_str(&owned), &summed, p, notes, error) &&
		  profile_check(p, error);
	buf_release(&owned);
	return is_done;
}

#endif
