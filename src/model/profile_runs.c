/* SPDX-License-Identifier: Apache-2.0 */
#include "model/profile_runs.h"

#include <string.h>

#include "base/bytes.h"
#include "base/radix.h"
#include "base/wirew.h"
#include "model/profile.h"
#include "model/profile_build.h"

#define WHAT "adding up profiles"

/* A stack that was cancelled out by other runs. */
#define NO_STACK UINT32_MAX

/* State of adding a run. */
struct adding {
	struct profile_runs *runs;
	struct profile *profile;
	struct arena scratch;
	uint32_t *texts;     /* symbols of the sum, by symbol */
	uint32_t *functions; /* functions of the sum, by function */
	uint32_t *frames;    /* same for frames */
	struct stack_walk walk;
};

bool profile_runs_init(struct profile_runs *r, struct profile *sum, size_t most,
		       struct error *err)
{
	*r = (struct profile_runs){ .sum = sum, .most = most };
	arena_init(&r->arena, LIMIT_DECODE_HEAP_BYTES);
	buf_init(&r->text, LIMIT_DECODE_HEAP_BYTES);
	r->heads = arena_array(&r->arena, most, sizeof *r->heads);
	r->values = arena_array(&r->arena, most, sizeof *r->values);
	if (!r->heads || !r->values)
		return arena_fail(&r->arena, WHAT, err);
	r->build = profile_build_new(sum, err);
	return r->build;
}

static void drop_build(struct profile_runs *r)
{
	profile_build_free(r->build);
	r->build = NULL;
	buf_release(&r->text);
}

void profile_runs_release(struct profile_runs *r)
{
	if (!r->sum)
		return;
	drop_build(r);
	arena_release(&r->arena);
	*r = (struct profile_runs){ .sum = NULL };
}

/* ---- functions and frames ---- */

static bool add_tables(struct adding *a, struct error *err)
{
	struct profile_build *b = a->runs->build;
	const struct profile *p = a->profile;

	a->texts = arena_array(&a->scratch, symtab_count(&p->symtab),
			       sizeof *a->texts);
	a->functions = arena_array(&a->scratch, p->function_count,
				   sizeof *a->functions);
	a->frames = arena_array(&a->scratch, p->frame_count, sizeof *a->frames);
	if (!a->texts || !a->functions || !a->frames)
		return arena_fail(&a->scratch, WHAT, err);
	if (!symtab_add_all(&a->runs->sum->symtab, &p->symtab, a->texts, err))
		return false;
	for (uint32_t i = 0; i < p->function_count; i++) {
		struct function f = profile_join_function(p, a->texts, i);

		if (!profile_build_interned(b, &f, &a->functions[i], err))
			return false;
	}
	for (uint32_t i = 0; i < p->frame_count; i++) {
		struct whole_frame f = profile_join_frame(p, a->functions, i);

		if (!profile_build_place(b, &f, &a->frames[i], err))
			return false;
	}
	return true;
}

/* ---- stacks ---- */

/* Zigzag encoding: small for small numbers of either sign. */
static uint64_t fold_sign(int64_t value)
{
	return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static int64_t unfold_sign(uint64_t folded)
{
	return (int64_t)(folded >> 1 ^ (folded & 1 ? UINT64_MAX : 0));
}

static bool add_stacks(struct adding *a, struct run_values *values,
		       struct error *err)
{
	struct profile_runs *r = a->runs;
	uint32_t last = 0, stack;

	profile_place_frames(a->profile, a->frames);
	stack_walk_init(&a->walk, a->profile);
	while (stack_walk_next(&a->walk)) {
		if (!profile_build_merge(r->build, a->walk.frames,
					 a->walk.count, a->walk.value, &stack,
					 err))
			return false;
		if (r->sum->frame_id_count > LIMIT_STACK_FRAMES_TOTAL)
			return error_set(err, ERROR_LIMIT,
					 "the profile's stacks have more than "
					 "%u frames together",
					 LIMIT_STACK_FRAMES_TOTAL);
		wirew_element(&r->text,
			      fold_sign((int64_t)stack - (int64_t)last));
		wirew_element(&r->text,
			      fold_sign(a->walk.value / values->unit));
		values->count++;
		last = stack;
	}
	return true;
}

static bool add_run(struct adding *a, struct run_values *values,
		    struct error *err)
{
	struct profile_runs *r = a->runs;
	int64_t divisor = profile_divisor(a->profile);
	struct str text;

	values->unit = divisor ? divisor : 1;
	buf_clear(&r->text);
	if (!add_tables(a, err) || !add_stacks(a, values, err) ||
	    !buf_check(&r->text, "the values of a profile", err))
		return false;
	text = arena_str(&r->arena, buf_str(&r->text));
	values->bytes = (const unsigned char *)text.ptr;
	return text.ptr || arena_fail(&r->arena, WHAT, err);
}

/* ---- runs ---- */

bool profile_runs_add(struct profile_runs *r, struct profile *p,
		      struct error *err)
{
	struct adding *a = arena_alloc(&r->arena, sizeof *a);
	bool is_done;

	if (!a || r->count == r->most)
		return arena_fail(&r->arena, WHAT, err);
	a->runs = r;
	a->profile = p;
	arena_init(&a->scratch, LIMIT_DECODE_HEAP_BYTES);
	is_done =
		(r->count || profile_build_type(r->build, profile_type_name(p),
						profile_unit(p), err)) &&
		add_run(a, &r->values[r->count], err);
	arena_release(&a->scratch);
	arena_drop(&r->arena, a, sizeof *a);
	if (is_done)
		r->heads[r->count++] = (struct profile){
			.total = p->total,
			.whole_total = p->whole_total,
			.omitted = p->omitted,
			.filtered = p->filtered,
			.sample_count = p->sample_count,
			.period = p->period,
			.time_ns = p->time_ns,
			.duration_ns = p->duration_ns,
			.truncated_share = p->truncated_share,
			.is_gauge = p->is_gauge,
			.is_difference = p->is_difference,
			.has_lines = p->has_lines,
			.is_of_calls = p->is_of_calls,
		};
	profile_release(p);
	return is_done;
}

/* Finds each stack's index in the sum: frames of the first one are the
 * first. */
static bool number_stacks(struct profile_runs *r, struct arena *scratch,
			  struct error *err)
{
	const struct profile *sum = r->sum;
	struct radix_item *items, *room;

	items = arena_array(scratch, sum->stack_count, sizeof *items);
	room = arena_array(scratch, sum->stack_count, sizeof *room);
	if (!items || !room)
		return arena_fail(scratch, WHAT, err);
	for (uint32_t i = 0; i < sum->stack_count; i++)
		items[i] = (struct radix_item){ sum->stacks[i].frame_first, i };
	items = radix_sort(items, room, sum->stack_count);
	for (uint32_t i = 0; i < r->stack_count; i++)
		if (r->stacks[i] != NO_STACK)
			r->stacks[i] = items++->index;
	return true;
}

/* Replaces the frames by the encoded ones. */
static void read_frames(struct profile *sum, const char *words)
{
	uint32_t *to = sum->frame_ids, *before = to;

	for (uint32_t i = 0; i < sum->stack_count; i++) {
		struct stack *s = &sum->stacks[i];
		uint32_t kept;
		size_t others;

		memcpy(&kept, words, sizeof kept);
		words += sizeof kept;
		others = (s->frame_count - kept) * sizeof *to;
		memcpy(to, before, kept * sizeof *to);
		memcpy(to + kept, words, others);
		words += others;
		s->frame_first = (uint32_t)(to - sum->frame_ids);
		before = to;
		to += s->frame_count;
	}
	sum->frame_id_count = (size_t)(to - sum->frame_ids);
}

/* Stores the frames of stacks contiguously, for iteration: meanwhile each has
 * the number of frames shared with the previous one, and its other frames. */
static bool gather_frames(struct profile *sum, size_t cap, struct error *err)
{
	void *ids = sum->frame_ids;
	struct buf words;
	bool is_done;

	buf_init(&words, LIMIT_DECODE_HEAP_BYTES);
	for (uint32_t i = 0; i < sum->stack_count; i++) {
		const struct stack *s = &sum->stacks[i];
		const uint32_t *frames = sum->frame_ids + s->frame_first;
		uint32_t common = 0;

		while (i && common < s->frame_count &&
		       common < s[-1].frame_count &&
		       frames[common] ==
			       sum->frame_ids[s[-1].frame_first + common])
			common++;
		buf_add(&words, &common, sizeof common);
		buf_add(&words, frames + common,
			(s->frame_count - common) * sizeof common);
	}
	is_done = buf_check(&words, WHAT, err);
	if (is_done)
		read_frames(sum, words.data);
	buf_release(&words);
	arena_trim(&sum->arena, &ids, &cap, sum->frame_id_count,
		   sizeof *sum->frame_ids);
	sum->frame_ids = ids;
	return is_done;
}

bool profile_runs_finish(struct profile_runs *r, struct notes *notes,
			 struct error *err)
{
	const struct profile **heads =
		arena_array(&r->arena, r->count, sizeof *heads);
	size_t frame_id_cap;
	struct arena scratch;
	bool is_done;

	if (!heads)
		return arena_fail(&r->arena, WHAT, err);
	for (size_t i = 0; i < r->count; i++)
		heads[i] = &r->heads[i];
	r->stack_count = r->build->stack_count;
	r->stacks = arena_array(&r->arena, r->stack_count, sizeof *r->stacks);
	if (!r->stacks)
		return arena_fail(&r->arena, WHAT, err);
	for (uint32_t i = 0; i < r->stack_count; i++)
		r->stacks[i] = r->build->stacks[i].value ? 0 : NO_STACK;
	if (!profile_build_finish(r->build, notes, err))
		return false;
	frame_id_cap = r->build->frame_id_cap;
	drop_build(r);
	arena_init(&scratch, LIMIT_DECODE_HEAP_BYTES);
	is_done = number_stacks(r, &scratch, err);
	arena_release(&scratch);
	if (!is_done || !gather_frames(r->sum, frame_id_cap, err))
		return false;
	profile_merge_heads(r->sum, heads, r->count);
	return true;
}

/* ---- iteration ---- */

void run_walk_init(struct run_walk *w, const struct profile_runs *r,
		   size_t run)
{
	const struct run_values *values = &r->values[run];

	*w = (struct run_walk){ .runs = r,
				.at = values->bytes,
				.left = values->count,
				.unit = values->unit };
}

bool run_walk_next(struct run_walk *w)
{
	do {
		if (!w->left)
			return false;
		w->left--;
		w->met += (uint32_t)unfold_sign(varint_take(&w->at));
		w->value = unfold_sign(varint_take(&w->at)) * w->unit;
		w->stack = w->runs->stacks[w->met];
	} while (w->stack == NO_STACK);
	return true;
}
