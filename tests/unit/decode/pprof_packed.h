/* SPDX-License-Identifier: Apache-2.0
 *
 * Compares stacks that were packed with the same ones in order.
 */
#ifndef PPROF_PACKED_H
#define PPROF_PACKED_H

#include "model/profile.h"
#include "profile_testing.h"

/* By frame, in wrapping numbers: what each stack adds depends on its value,
 * its depth and its neighbours, and not on the order of stacks. number_of:
 * those of the frames in the sums. */
static inline void digest(const struct profile *p, const uint32_t *number_of,
			  uint64_t *sums)
{
	struct stack_walk w;

	stack_walk_init(&w, p);
	while (stack_walk_next(&w)) {
		uint64_t hash = 1;

		for (uint32_t i = 0; i < w.count; i++) {
			uint32_t number = number_of[w.frames[i]];

			hash = hash * 6364136223846793005u + number + 1;
			sums[number] += hash * (uint64_t)w.value;
		}
		sums[number_of[w.frames[w.count - 1]]] +=
			hash * w.count * (uint64_t)w.value;
	}
}

/* The number that p has for the text of this symbol of `of`. */
static inline uint32_t same_text(const struct profile *p,
				 const struct profile *of, uint32_t symbol)
{
	uint32_t id = symtab_find(&p->symtab, profile_text(of, symbol));

	assert_int_not_equal(id, TEXT_NONE);
	return id;
}

static inline uint32_t find_function(const struct profile *p,
				     const struct profile *of, uint32_t f)
{
	uint32_t name = same_text(p, of, of->functions[f].name);
	uint32_t file = same_text(p, of, of->functions[f].file);
	uint32_t mapping = same_text(p, of, of->functions[f].mapping);
	uint32_t i = 0;

	while (i < p->function_count &&
	       (p->functions[i].name != name || p->functions[i].file != file ||
		p->functions[i].mapping != mapping))
		i++;
	assert_true(i < p->function_count);
	return i;
}

static inline uint32_t find_frame(const struct profile *p,
				  const struct whole_frame *wanted)
{
	uint32_t i = 0;

	for (; i < p->frame_count; i++) {
		struct whole_frame f = whole_frame(p, i);

		if (f.frame.function == wanted->frame.function &&
		    !memcmp(&f, wanted, sizeof f))
			break;
	}
	assert_true(i < p->frame_count);
	return i;
}

/* The frames of `of` as p has them; each of both must be there once. */
static inline uint32_t *match_frames(const struct profile *p,
				     const struct profile *of)
{
	uint32_t *functions = calloc(p->function_count + 1, sizeof *functions);
	uint32_t *frames = calloc(p->frame_count + 1, sizeof *frames);
	bool *is_met = calloc(p->frame_count + 1, sizeof *is_met);

	assert_int_equal(p->function_count, of->function_count);
	assert_int_equal(p->frame_count, of->frame_count);
	for (uint32_t i = 0; i < of->function_count; i++)
		functions[i] = find_function(p, of, i);
	for (uint32_t i = 0; i < of->frame_count; i++) {
		struct whole_frame wanted = whole_frame(of, i);

		wanted.frame.function = functions[wanted.frame.function];
		frames[i] = find_frame(p, &wanted);
		assert_false(is_met[frames[i]]);
		is_met[frames[i]] = true;
	}
	free(functions);
	free(is_met);
	return frames;
}

static inline void assert_same_header(const struct profile *a,
				      const struct profile *b)
{
	assert_true(a->total == b->total);
	assert_true(a->whole_total == b->whole_total);
	assert_true(a->omitted == b->omitted);
	assert_true(a->period == b->period);
	assert_true(a->sample_count == b->sample_count);
	assert_true(a->time_ns == b->time_ns);
	assert_true(a->duration_ns == b->duration_ns);
	assert_int_equal(a->type_count, b->type_count);
	assert_int_equal(a->type, b->type);
	assert_int_equal(a->is_gauge, b->is_gauge);
	assert_int_equal(a->has_lines, b->has_lines);
}

static inline void assert_same_sums(const struct profile *ordered,
				    const struct profile *packed)
{
	const struct profile *a = ordered, *b = packed;
	size_t count = a->frame_count + 1;
	uint64_t *x = calloc(count, sizeof *x), *y = calloc(count, sizeof *y);
	uint32_t *own = calloc(count, sizeof *own);
	uint32_t *frames = match_frames(a, b);

	for (uint32_t i = 0; i < count; i++)
		own[i] = i;
	digest(a, own, x);
	digest(b, frames, y);
	assert_memory_equal(x, y, count * sizeof *x);
	profile_frame_sums(a, (int64_t *)x);
	profile_frame_sums(b, (int64_t *)y);
	for (uint32_t i = 0; i < b->frame_count; i++)
		assert_true(x[frames[i]] == y[i]);
	free(x);
	free(y);
	free(own);
	free(frames);
	assert_same_header(a, b);
}

static inline void assert_same_text(const struct profile *a, uint32_t of_a,
				    const struct profile *b, uint32_t of_b)
{
	assert_true(str_equal(profile_text(a, of_a), profile_text(b, of_b)));
}

static inline void assert_same_frames(const struct profile *a,
				      const struct profile *b)
{
	assert_int_equal(a->function_count, b->function_count);
	for (uint32_t i = 0; i < a->function_count; i++) {
		const struct function *f = &a->functions[i];
		const struct function *g = &b->functions[i];

		assert_same_text(a, f->name, b, g->name);
		assert_same_text(a, f->file, b, g->file);
		assert_same_text(a, f->mapping, b, g->mapping);
		assert_int_equal(f->is_nameless, g->is_nameless);
	}
	assert_int_equal(a->frame_count, b->frame_count);
	for (uint32_t i = 0; i < a->frame_count; i++) {
		struct whole_frame f = whole_frame(a, i);
		struct whole_frame g = whole_frame(b, i);

		assert_memory_equal(&f, &g, sizeof f);
	}
}

/* To the last stack. */
static inline void assert_same_profile(const struct profile *a,
				       const struct profile *b)
{
	assert_same_frames(a, b);
	assert_int_equal(a->stack_count, b->stack_count);
	for (uint32_t i = 0; i < a->stack_count; i++) {
		const struct stack *s = &a->stacks[i], *t = &b->stacks[i];

		assert_true(s->value == t->value);
		assert_int_equal(s->frame_count, t->frame_count);
		assert_memory_equal(&a->frame_ids[s->frame_first],
				    &b->frame_ids[t->frame_first],
				    s->frame_count * sizeof *a->frame_ids);
	}
	assert_same_header(a, b);
}

/* As the caller who only adds up. */
static inline bool decode_summed(struct str bytes,
				 const struct profile_want *want,
				 struct profile *p, struct notes *notes,
				 struct error *error)
{
	struct profile_want summed = *want;

	summed.packed_max_bytes = UINT64_MAX;
	profile_init(p);
	return decode_pprof(bytes, &summed, p, notes, error) &&
	       profile_check(p, error);
}

/* As the caller who may want all of it, and does: packed until then. */
static inline bool decode_later(struct str bytes,
				const struct profile_want *want,
				struct profile *p, struct notes *notes,
				struct error *error)
{
	struct profile_want later = *want;

	later.packs_for_later = true;
	return decode_summed(bytes, &later, p, notes, error) &&
	       profile_unpack(p, error) && !p->packed;
}

#endif
