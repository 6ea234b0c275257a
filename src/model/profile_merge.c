/* SPDX-License-Identifier: Apache-2.0 */
#include "model/profile.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/notes.h"
#include "base/num.h"
#include "base/radix.h"
#include "base/thread.h"
#include "model/profile_build.h"
#include "model/symtab.h"

/* Merging of sorted profiles, see profile.h. */

#define WHAT "adding up profiles"

struct side {
	const struct profile *profile;
	uint32_t *texts;     /* symbols of the sum, by symbol */
	uint32_t *functions; /* functions of the sum, by function */
	uint32_t *frames;    /* same for frames */
};

struct join {
	struct profile *out;
	struct arena scratch;
	struct side sides[2];
	uint32_t *name_ranks; /* by frame of the sum */
	bool *is_used;        /* same: in a stack of the sum */
	bool is_saturated;
};

/* Returns whether a side supplies the next item of a merge. next: below 0 the
 * first, above 0 the second, 0 both. */
static bool side_takes(int next, size_t side)
{
	return side ? next >= 0 : next <= 0;
}

/* ---- functions ---- */

struct function profile_join_function(const struct profile *p,
				      const uint32_t *texts, uint32_t function)
{
	const struct function *f = &p->functions[function];

	return (struct function){
		.name = texts[f->name],
		.file = texts[f->file],
		.mapping = texts[f->mapping],
		.is_nameless = f->is_nameless,
	};
}

struct whole_frame profile_join_frame(const struct profile *p,
				      const uint32_t *functions, uint32_t frame)
{
	struct whole_frame f = whole_frame(p, frame);

	f.frame.function = functions[f.frame.function];
	return f;
}

/* The caller has reserved room. */
static void profile_put_frame(struct profile *out, uint32_t at,
			      const struct whole_frame *f)
{
	out->frames[at] = f->frame;
	if (out->details)
		out->details[at] = f->detail;
}

/* In the order that profile_check() requires. */
static int function_compare(const struct profile *a, uint32_t x,
			    const struct profile *b, uint32_t y)
{
	int order = str_compare(function_name(a, x), function_name(b, y));

	if (!order)
		order = str_compare(function_file(a, x), function_file(b, y));
	if (!order)
		order = str_compare(function_mapping(a, x),
				    function_mapping(b, y));
	if (!order)
		order = a->functions[x].is_nameless -
			b->functions[y].is_nameless;
	return order;
}

static bool join_functions(struct join *j, struct error *err)
{
	const struct profile *a = j->sides[0].profile;
	const struct profile *b = j->sides[1].profile;
	uint32_t at[2] = { 0, 0 };

	while (at[0] < a->function_count || at[1] < b->function_count) {
		int next = at[1] == b->function_count ? -1
			   : at[0] == a->function_count
				   ? 1
				   : function_compare(a, at[0], b, at[1]);
		size_t first = next > 0;
		struct side *s = &j->sides[first];

		if (j->out->function_count >= LIMIT_FUNCTIONS)
			return error_set(err, ERROR_LIMIT,
					 "the profile has more than %u "
					 "functions",
					 LIMIT_FUNCTIONS);
		j->out->functions[j->out->function_count++] =
			profile_join_function(s->profile, s->texts, at[first]);
		for (size_t i = 0; i < 2; i++)
			if (side_takes(next, i))
				j->sides[i].functions[at[i]++] =
					j->out->function_count - 1;
	}
	return true;
}

/* ---- frames ---- */

static bool join_frames(struct join *j, struct error *err)
{
	struct profile *out = j->out;
	const uint32_t counts[] = { j->sides[0].profile->frame_count,
				    j->sides[1].profile->frame_count };
	uint32_t at[2] = { 0, 0 };
	struct whole_frame heads[2];
	uint32_t rank = 0, last = 0;

	while (at[0] < counts[0] || at[1] < counts[1]) {
		uint32_t name;
		int next;

		for (size_t i = 0; i < 2; i++)
			if (at[i] < counts[i])
				heads[i] = profile_join_frame(
					j->sides[i].profile,
					j->sides[i].functions, at[i]);
		next = at[1] == counts[1] ? -1
		       : at[0] == counts[0]
			       ? 1
			       : whole_frame_compare(&heads[0], &heads[1]);
		if (out->frame_count >= LIMIT_LOCATIONS)
			return error_set(err, ERROR_LIMIT,
					 "the profile has more than %u source "
					 "lines",
					 LIMIT_LOCATIONS);
		profile_put_frame(out, out->frame_count, &heads[next > 0]);
		/* Frames with equal names share a rank. */
		name = out->functions[out->frames[out->frame_count].function]
			       .name;
		rank += out->frame_count && name != last;
		j->name_ranks[out->frame_count] = rank;
		last = name;
		for (size_t i = 0; i < 2; i++)
			if (side_takes(next, i))
				j->sides[i].frames[at[i]++] = out->frame_count;
		out->frame_count++;
	}
	return true;
}

/* ---- stacks ---- */

static bool count_frame_ids(const struct join *j, size_t *total,
			    struct error *err)
{
	*total = 0;
	for (size_t side = 0; side < 2; side++) {
		const struct profile *p = j->sides[side].profile;

		for (uint32_t i = 0; i < p->stack_count; i++)
			*total += p->stacks[i].frame_count;
	}
	return *total <= LIMIT_STACK_FRAMES_TOTAL ||
	       error_set(err, ERROR_LIMIT,
			 "the profile's stacks have more than %u frames "
			 "together",
			 LIMIT_STACK_FRAMES_TOTAL);
}

/* Appends the frames of a side; index numbers the stacks of both sides. */
static void copy_frame_ids(struct join *j, const struct side *s,
			   uint32_t first_index, struct sequence *sequences)
{
	const struct profile *p = s->profile;
	uint32_t *to = &j->out->frame_ids[j->out->frame_id_count];

	for (uint32_t i = 0; i < p->stack_count; i++) {
		const struct stack *from = &p->stacks[i];
		const uint32_t *ids = &p->frame_ids[from->frame_first];

		sequences[i] = (struct sequence){
			.items = to,
			.count = from->frame_count,
			.index = first_index + i,
		};
		for (uint32_t k = 0; k < from->frame_count; k++)
			*to++ = s->frames[ids[k]];
		j->out->frame_id_count += from->frame_count;
	}
}

static int64_t value_at(const struct join *j, uint32_t index)
{
	const struct profile *a = j->sides[0].profile;

	return index < a->stack_count
		       ? a->stacks[index].value
		       : j->sides[1]
				 .profile->stacks[index - a->stack_count]
				 .value;
}

static void add_value(struct join *j, int64_t *sum, int64_t value)
{
	int64_t exact;

	if (!add_i64(*sum, value, &exact))
		j->is_saturated = true;
	*sum = sat_add_i64(*sum, value);
}

static bool place_stacks(struct join *j, const struct sequence *ordered,
			 size_t count, struct error *err)
{
	struct profile *out = j->out;

	for (size_t i = 0; i < count;) {
		const struct sequence *s = &ordered[i];
		struct stack stack = {
			.frame_first = (uint32_t)(s->items - out->frame_ids),
			.frame_count = s->count,
			.value = value_at(j, s->index),
		};

		/* Equal stacks, one of each side, are adjacent: they share all
		 * ranks, the end mark and all items. */
		for (i++;
		     i < count && ordered[i].common == 2 * ordered[i].count + 1;
		     i++)
			add_value(j, &stack.value,
				  value_at(j, ordered[i].index));
		if (!stack.value)
			continue;
		if (out->stack_count >= LIMIT_SAMPLES)
			return error_set(err, ERROR_LIMIT,
					 "the profile has more than %u "
					 "distinct stacks",
					 LIMIT_SAMPLES);
		for (uint32_t k = 0; k < s->count; k++)
			j->is_used[s->items[k]] = true;
		add_value(j, &out->total, stack.value);
		out->stacks[out->stack_count++] = stack;
	}
	return true;
}

static bool join_stacks(struct join *j, struct error *err)
{
	struct profile *out = j->out;
	uint32_t count_a = j->sides[0].profile->stack_count;
	size_t count = (size_t)count_a + j->sides[1].profile->stack_count;
	struct sequence *sequences, *ordered;
	size_t id_count;

	if (!count_frame_ids(j, &id_count, err))
		return false;
	sequences = arena_array(&j->scratch, count, sizeof *sequences);
	ordered = arena_array(&j->scratch, count, sizeof *ordered);
	if (!sequences || !ordered)
		return arena_fail(&j->scratch, WHAT, err);
	out->stacks = arena_array(&out->arena, count, sizeof *out->stacks);
	out->frame_ids =
		arena_array(&out->arena, id_count, sizeof *out->frame_ids);
	if (!out->stacks || !out->frame_ids)
		return arena_fail(&out->arena, WHAT, err);
	copy_frame_ids(j, &j->sides[0], 0, sequences);
	copy_frame_ids(j, &j->sides[1], count_a, sequences + count_a);
	sequence_merge(sequences, count_a, count, j->name_ranks, ordered);
	return place_stacks(j, ordered, count, err);
}

/* ---- cancelled stacks ---- */

/* Preserves the order, so that frames of a function stay together. Reuses the
 * memory of ranks for new indices. */
static void drop_frames(struct join *j)
{
	struct profile *out = j->out;
	uint32_t functions = 0, frames = 0, last = UINT32_MAX;

	for (uint32_t i = 0; i < out->frame_count; i++) {
		struct whole_frame f = whole_frame(out, i);

		j->name_ranks[i] = j->is_used[i] ? frames : 0;
		if (!j->is_used[i])
			continue;
		if (f.frame.function != last)
			out->functions[functions++] =
				out->functions[f.frame.function];
		last = f.frame.function;
		f.frame.function = functions - 1;
		profile_put_frame(out, frames++, &f);
	}
	for (size_t i = 0; i < out->frame_id_count; i++)
		out->frame_ids[i] = j->name_ranks[out->frame_ids[i]];
	out->function_count = functions;
	out->frame_count = frames;
	if (!frames)
		out->frame_id_count = 0;
}

/* ---- combined ---- */

static bool side_init(struct join *j, struct side *s, const struct profile *p,
		      struct error *err)
{
	*s = (struct side){
		.profile = p,
		.texts = arena_array(&j->scratch, symtab_count(&p->symtab),
				     sizeof *s->texts),
		.functions = arena_array(&j->scratch, p->function_count,
					 sizeof *s->functions),
		.frames = arena_array(&j->scratch, p->frame_count,
				      sizeof *s->frames),
	};
	if (!s->texts || !s->functions || !s->frames)
		return arena_fail(&j->scratch, WHAT, err);
	return symtab_add_all(&j->out->symtab, &p->symtab, s->texts, err);
}

/* Sets the sample type to that of p. */
static bool profile_join_type(struct profile *out, const struct profile *p,
			      struct error *err)
{
	out->types = arena_array(&out->arena, 1, sizeof *out->types);
	out->type_count = 1;
	return out->types ? symtab_add(&out->symtab, profile_type_name(p),
				       &out->types->type, err) &&
				    symtab_add(&out->symtab, profile_unit(p),
					       &out->types->unit, err)
			  : arena_fail(&out->arena, WHAT, err);
}

/* Reserves room in out for all functions and frames of both. */
static bool profile_join_room(struct profile *out, const struct profile *a,
			      const struct profile *b)
{
	size_t functions = (size_t)a->function_count + b->function_count;
	size_t frames = (size_t)a->frame_count + b->frame_count;
	bool has_details = a->details || b->details;

	out->functions =
		arena_array(&out->arena, functions, sizeof *out->functions);
	out->frames = arena_array(&out->arena, frames, sizeof *out->frames);
	if (has_details)
		out->details =
			arena_array(&out->arena, frames, sizeof *out->details);
	return out->functions && out->frames && (out->details || !has_details);
}

static bool make_room(struct join *j, struct error *err)
{
	const struct profile *a = j->sides[0].profile;
	const struct profile *b = j->sides[1].profile;
	struct profile *out = j->out;
	size_t frames = (size_t)a->frame_count + b->frame_count;

	j->name_ranks = arena_array(&j->scratch, frames, sizeof *j->name_ranks);
	j->is_used = arena_array(&j->scratch, frames, sizeof *j->is_used);
	if (!j->name_ranks || !j->is_used)
		return arena_fail(&j->scratch, WHAT, err);
	return profile_join_room(out, a, b) ||
	       arena_fail(&out->arena, WHAT, err);
}

/* Fills functions, frames, stacks, total and the sample type of out, which must
 * be initialised and empty; texts are copied. Stacks that cancel out are
 * dropped with what only they used. *is_saturated is set if a sum overflows.
 * Either side may lack stacks. Fails on limits. */
static bool profile_join(struct profile *out, const struct profile *a,
			 const struct profile *b, bool *is_saturated,
			 struct error *err)
{
	struct join j = { .out = out };
	bool is_done;

	arena_init(&j.scratch, LIMIT_DECODE_HEAP_BYTES);
	is_done = symtab_init(&out->symtab, &out->arena, err) &&
		  profile_join_type(out, a, err) &&
		  side_init(&j, &j.sides[0], a, err) &&
		  side_init(&j, &j.sides[1], b, err) && make_room(&j, err) &&
		  join_functions(&j, err) && join_frames(&j, err) &&
		  join_stacks(&j, err);
	if (is_done) {
		uint32_t used = 0;

		for (uint32_t i = 0; i < j.out->frame_count; i++)
			used += j.is_used[i];
		if (used < j.out->frame_count)
			drop_frames(&j);
	}
	arena_release(&j.scratch);
	*is_saturated |= j.is_saturated;
	return is_done;
}

_Static_assert(LIMIT_SAMPLES <= UINT32_MAX / 2,
	       "both sides' stacks are counted");

/* Stacks are clustered by hashes of their prefixes, at this many lengths, eight
 * bits each. */
#define NEAR_STEPS 8u
#define NEAR_BITS 8u
/* Number of stacks sampled to choose these lengths and to estimate the total
 * number of frames; larger reservations are only made as needed. */
#define MEASURED_STACKS 1024u
#define EXPECTED_FRAMES ((size_t)16000000)

/* Odd, so that multiplication is invertible. Constant, so that the order is
 * reproducible; crafted collisions only degrade clustering. */
#define MIX_FRAME UINT64_C(0x9e3779b97f4a7c15)
#define MIX_PATH UINT64_C(0xd6e8feb86659fd93)

struct loose_stack {
	uint64_t near;
	uint64_t whole; /* hash of all frames */
	int64_t value;
	uint32_t first; /* index of its first frame in those of its side */
	uint32_t count;
};

struct loose_side {
	const struct profile *profile;
	uint32_t *texts;     /* symbols of the sum, by symbol */
	uint32_t *functions; /* functions of the sum, by function */
	uint32_t *frames;    /* same for frames */
	uint32_t step;       /* frames between prefix lengths */
	size_t expected_ids; /* estimate, possibly too low */
	/* Used by the side's thread. */
	struct arena arena;
	/* For frame ids; one side uses that of the sum. */
	struct arena *id_arena;
	struct stack_walk walk;
	/* Prefix hashes of the current stack, by length - 1. */
	uint64_t hashes[LIMIT_STACK_FRAMES];
	struct loose_stack *stacks;
	uint32_t *ids;
	size_t id_count;
	size_t id_cap;
	struct error err;
	bool is_done;
};

struct loose {
	struct profile *out;
	struct arena scratch;
	struct loose_side *sides; /* two */
	struct map functions;
	struct map frames;
	struct whole_frame *met; /* frames of the sum, by order of appearance */
	uint32_t (*function_keys)[4];
	bool is_saturated;
};

/* ---- functions ---- */

static bool place_function(struct loose *l, struct loose_side *s,
			   uint32_t function, struct error *err)
{
	struct profile *out = l->out;
	struct function f =
		profile_join_function(s->profile, s->texts, function);
	uint32_t *key = l->function_keys[out->function_count], *at;

	key[0] = f.name;
	key[1] = f.file;
	key[2] = f.mapping;
	key[3] = f.is_nameless;
	at = &s->functions[function];
	if (!map_insert(&l->functions,
			(struct str){ (const char *)key, 4 * sizeof *key },
			out->function_count, at))
		return arena_fail(&l->scratch, WHAT, err);
	if (*at < out->function_count)
		return true;
	out->functions[out->function_count++] = f;
	return out->function_count <= LIMIT_FUNCTIONS ||
	       error_set(err, ERROR_LIMIT,
			 "the profile has more than %u functions",
			 LIMIT_FUNCTIONS);
}

/* ---- frames ---- */

static struct str frame_key(const struct whole_frame *f)
{
	return (struct str){ (const char *)f, sizeof *f };
}

static bool join_frame(struct loose *l, struct loose_side *s, uint32_t frame,
		       uint32_t hash, struct error *err)
{
	uint32_t *count = &l->out->frame_count;
	struct whole_frame *f = &l->met[*count];
	uint32_t *at = &s->frames[frame];

	*f = profile_join_frame(s->profile, s->functions, frame);
	if (!map_insert_hashed(&l->frames, frame_key(f), hash, *count, at))
		return arena_fail(&l->scratch, WHAT, err);
	*count += *at == *count;
	return *count <= LIMIT_LOCATIONS ||
	       error_set(err, ERROR_LIMIT,
			 "the profile has more than %u source lines",
			 LIMIT_LOCATIONS);
}

static bool join_some(struct loose *l, struct loose_side *s, uint32_t first,
		      uint32_t count, struct error *err)
{
	uint32_t hashes[MAP_GROUP];

	for (uint32_t i = 0; i < count; i++) {
		struct whole_frame f =
			profile_join_frame(s->profile, s->functions, first + i);

		hashes[i] = map_hash(frame_key(&f));
	}
	map_approach_all(&l->frames, hashes, count);
	for (uint32_t i = 0; i < count; i++)
		if (!join_frame(l, s, first + i, hashes[i], err))
			return false;
	return true;
}

static bool add_heat(struct loose *l, const struct loose_side *s, int64_t *heat,
		     struct error *err)
{
	uint32_t count = s->profile->frame_count;
	int64_t *sums = arena_array(&l->scratch, count, sizeof *sums);

	if (!sums)
		return arena_fail(&l->scratch, WHAT, err);
	profile_frame_sums(s->profile, sums);
	for (uint32_t i = 0; i < count; i++)
		heat[s->frames[i]] = sat_add_i64(heat[s->frames[i]], sums[i]);
	return true;
}

/* Frames with the largest values come first, so that frequent ones have small
 * numbers. */
static bool place_frames(struct loose *l, struct error *err)
{
	struct profile *out = l->out;
	uint32_t count = out->frame_count;
	int64_t *heat = arena_array(&l->scratch, count, sizeof *heat);
	struct radix_item *order =
		arena_array(&l->scratch, count, sizeof *order);
	struct radix_item *room = arena_array(&l->scratch, count, sizeof *room);
	uint32_t *places = arena_array(&l->scratch, count, sizeof *places);

	if (!heat || !order || !room || !places)
		return arena_fail(&l->scratch, WHAT, err);
	if (!add_heat(l, &l->sides[0], heat, err) ||
	    !add_heat(l, &l->sides[1], heat, err))
		return false;
	for (uint32_t i = 0; i < count; i++)
		order[i] = (struct radix_item){
			(uint64_t)(heat[i] < 0 ? INT64_MAX
					       : INT64_MAX - heat[i]),
			i,
		};
	order = radix_sort(order, room, count);
	for (uint32_t i = 0; i < count; i++) {
		profile_put_frame(out, i, &l->met[order[i].index]);
		places[order[i].index] = i;
	}
	for (size_t k = 0; k < 2; k++)
		for (uint32_t i = 0; i < l->sides[k].profile->frame_count; i++)
			l->sides[k].frames[i] = places[l->sides[k].frames[i]];
	return true;
}

static bool join_tables(struct loose *l, struct error *err)
{
	for (size_t k = 0; k < 2; k++)
		for (uint32_t i = 0; i < l->sides[k].profile->function_count;
		     i++)
			if (!place_function(l, &l->sides[k], i, err))
				return false;
	for (size_t k = 0; k < 2; k++) {
		uint32_t count = l->sides[k].profile->frame_count;

		for (uint32_t i = 0; i < count; i += MAP_GROUP)
			if (!join_some(l, &l->sides[k], i,
				       (uint32_t)min_size(count - i, MAP_GROUP),
				       err))
				return false;
	}
	return place_frames(l, err);
}

/* ---- stacks of a side ---- */

/* Chooses prefix lengths from the root to beyond the middle of most stacks. */
static void sides_measure(struct loose_side *sides)
{
	uint64_t frames = 0, stacks = 0;

	for (size_t k = 0; k < 2; k++) {
		struct stack_walk *w = &sides[k].walk;

		stack_walk_init(w, sides[k].profile);
		for (uint32_t i = 0; i < MEASURED_STACKS && stack_walk_next(w);
		     i++) {
			frames += w->count;
			stacks++;
		}
	}
	for (size_t k = 0; k < 2 && stacks; k++) {
		uint64_t all = frames * sides[k].profile->stack_count / stacks;

		sides[k].step = (uint32_t)(frames / stacks / NEAR_STEPS) + 1;
		sides[k].expected_ids =
			all < EXPECTED_FRAMES ? (size_t)all : EXPECTED_FRAMES;
	}
}

static void hash_stack(struct loose_side *s, struct loose_stack *stack)
{
	const uint32_t *ids = s->ids + stack->first;
	uint32_t kept = s->walk.kept;
	uint64_t hash = kept ? s->hashes[kept - 1] : 0;
	unsigned shift = 64;

	for (uint32_t i = kept; i < stack->count; i++) {
		hash = (hash ^ (ids[i] + UINT64_C(1)) * MIX_FRAME) * MIX_PATH;
		hash ^= hash >> 32;
		s->hashes[i] = hash;
	}
	stack->whole = stack->count ? s->hashes[stack->count - 1] : 0;
	stack->near = 0;
	for (uint32_t i = s->step - 1; i < stack->count && shift;
	     i += s->step) {
		shift -= NEAR_BITS;
		stack->near |= s->hashes[i] >> (64 - NEAR_BITS) << shift;
	}
}

static bool fail_frames(struct error *err)
{
	return error_set(err, ERROR_LIMIT,
			 "the profile's stacks have more than %u frames "
			 "together",
			 LIMIT_STACK_FRAMES_TOTAL);
}

static bool reserve_ids(struct loose_side *s, size_t need)
{
	void *ids = s->ids;

	if (need > LIMIT_STACK_FRAMES_TOTAL)
		return fail_frames(&s->err);
	if (!arena_reserve(s->id_arena, &ids, &s->id_cap, need, sizeof *s->ids))
		return arena_fail(s->id_arena, WHAT, &s->err);
	s->ids = ids;
	return true;
}

/* Frames it shares are those of the previous stack. */
static bool take_stack(struct loose_side *s, struct loose_stack *to)
{
	const struct stack_walk *w = &s->walk;
	uint32_t *ids;

	if (!reserve_ids(s, s->id_count + w->count))
		return false;
	ids = s->ids + s->id_count;
	if (w->kept)
		memcpy(ids, s->ids + to[-1].first, w->kept * sizeof *ids);
	for (uint32_t i = w->kept; i < w->count; i++)
		ids[i] = s->frames[w->frames[i]];
	*to = (struct loose_stack){
		.value = w->value,
		.first = (uint32_t)s->id_count,
		.count = w->count,
	};
	s->id_count += w->count;
	hash_stack(s, to);
	return true;
}

static bool take_stacks(struct loose_side *s)
{
	const struct profile *p = s->profile;

	s->stacks = arena_array(&s->arena, p->stack_count, sizeof *s->stacks);
	if (!s->stacks)
		return arena_fail(&s->arena, WHAT, &s->err);
	if (!reserve_ids(s, s->expected_ids))
		return false;
	stack_walk_init(&s->walk, p);
	while (stack_walk_next(&s->walk))
		if (!take_stack(s, &s->stacks[s->walk.index - 1]))
			return false;
	return true;
}

static void run_side(void *task)
{
	struct loose_side *s = task;

	s->is_done = take_stacks(s);
}

static bool take_sides(struct loose *l, struct error *err)
{
	sides_measure(l->sides);
	/* The second side's follow those of the first. */
	l->sides[0].id_arena = &l->out->arena;
	l->sides[0].expected_ids += l->sides[1].expected_ids;
	thread_both(run_side, &l->sides[0], &l->sides[1], true);
	for (size_t k = 0; k < 2; k++)
		if (!l->sides[k].is_done) {
			*err = l->sides[k].err;
			return false;
		}
	return true;
}

/* ---- stacks of both ---- */

/* *first: index of its first frame in those of the sum. */
static const struct loose_stack *stack_at(const struct loose *l, uint32_t index,
					  uint32_t *first)
{
	const struct loose_side *s = l->sides;
	const struct loose_stack *stack;

	if (index < s->profile->stack_count) {
		stack = &s->stacks[index];
		*first = stack->first;
	} else {
		stack = &s[1].stacks[index - s->profile->stack_count];
		*first = (uint32_t)s->id_count + stack->first;
	}
	return stack;
}

/* Sorts by prefix hashes; equal stacks become adjacent. Returns NULL when out
 * of memory. */
static struct radix_item *order_stacks(struct loose *l, uint32_t count)
{
	struct radix_item *items =
		arena_array(&l->scratch, count, sizeof *items);
	struct radix_item *room = arena_array(&l->scratch, count, sizeof *room);
	struct radix_item *order;
	uint32_t first;

	if (!items || !room)
		return NULL;
	for (uint32_t i = 0; i < count; i++)
		items[i] =
			(struct radix_item){ stack_at(l, i, &first)->whole, i };
	order = radix_sort(items, room, count);
	for (uint32_t i = 0; i < count; i++)
		order[i].key = stack_at(l, order[i].index, &first)->near;
	return radix_sort(order, order == items ? room : items, count);
}

static void add_loose_value(struct loose *l, int64_t *sum, int64_t value)
{
	int64_t exact;

	if (!add_i64(*sum, value, &exact))
		l->is_saturated = true;
	*sum = sat_add_i64(*sum, value);
}

/* Drops stacks whose values cancelled out. */
static void drop_nothing(struct profile *out)
{
	if (out->stack_count && !out->stacks[out->stack_count - 1].value)
		out->stack_count--;
}

/* Its frames are among those of the sum; those of further equal stacks become
 * unused. */
static void place_stack(struct loose *l, const struct loose_stack *from,
			uint32_t first, bool may_be_last)
{
	struct profile *out = l->out;
	struct stack *last =
		out->stack_count ? &out->stacks[out->stack_count - 1] : NULL;

	if (may_be_last && last && last->frame_count == from->count &&
	    !memcmp(&out->frame_ids[last->frame_first], &out->frame_ids[first],
		    from->count * sizeof *out->frame_ids)) {
		add_loose_value(l, &last->value, from->value);
		return;
	}
	drop_nothing(out);
	out->stacks[out->stack_count++] = (struct stack){
		.frame_first = first,
		.frame_count = from->count,
		.value = from->value,
	};
}

static bool place_loose_stacks(struct loose *l, const struct radix_item *order,
			       uint32_t count, struct error *err)
{
	struct profile *out = l->out;
	uint64_t last = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t first;
		const struct loose_stack *s =
			stack_at(l, order[i].index, &first);

		place_stack(l, s, first, i && s->whole == last);
		last = s->whole;
	}
	drop_nothing(out);
	for (uint32_t i = 0; i < out->stack_count; i++)
		add_loose_value(l, &out->total, out->stacks[i].value);
	return out->stack_count <= LIMIT_SAMPLES ||
	       error_set(err, ERROR_LIMIT,
			 "the profile has more than %u distinct stacks",
			 LIMIT_SAMPLES);
}

/* Concatenates the ids of both sides without extra room. */
static bool join_ids(struct loose *l, struct error *err)
{
	struct loose_side *to = &l->sides[0];
	const struct loose_side *from = &l->sides[1];
	size_t count = to->id_count + from->id_count;
	uint32_t *ids = to->ids;

	if (count > LIMIT_STACK_FRAMES_TOTAL)
		return fail_frames(err);
	if (count > to->id_cap)
		ids = arena_grow(to->id_arena, ids, to->id_cap * sizeof *ids,
				 count * sizeof *ids);
	if (count && !ids)
		return arena_fail(to->id_arena, WHAT, err);
	if (from->id_count)
		memcpy(ids + to->id_count, from->ids,
		       from->id_count * sizeof *ids);
	l->out->frame_ids = ids;
	l->out->frame_id_count = count;
	return true;
}

static bool join_loose_stacks(struct loose *l, struct error *err)
{
	uint32_t count = l->sides[0].profile->stack_count +
			 l->sides[1].profile->stack_count;
	struct profile *out = l->out;
	struct radix_item *order;

	if (!join_ids(l, err))
		return false;
	order = order_stacks(l, count);
	if (!order)
		return arena_fail(&l->scratch, WHAT, err);
	out->stacks = arena_array(&out->arena, count, sizeof *out->stacks);
	if (!out->stacks)
		return arena_fail(&out->arena, WHAT, err);
	return place_loose_stacks(l, order, count, err);
}

/* ---- combined ---- */

static bool loose_side_init(struct loose *l, struct loose_side *s,
			    const struct profile *p, struct error *err)
{
	arena_init(&s->arena, LIMIT_DECODE_HEAP_BYTES);
	s->profile = p;
	s->step = 1;
	s->id_arena = &s->arena;
	s->texts = arena_array(&l->scratch, symtab_count(&p->symtab),
			       sizeof *s->texts);
	s->functions = arena_array(&l->scratch, p->function_count,
				   sizeof *s->functions);
	s->frames = arena_array(&l->scratch, p->frame_count, sizeof *s->frames);
	if (!s->texts || !s->functions || !s->frames)
		return arena_fail(&l->scratch, WHAT, err);
	return symtab_add_all(&l->out->symtab, &p->symtab, s->texts, err);
}

static bool make_loose_room(struct loose *l, const struct profile *a,
			    const struct profile *b, struct error *err)
{
	struct profile *out = l->out;
	size_t functions = (size_t)a->function_count + b->function_count;
	size_t frames = (size_t)a->frame_count + b->frame_count;

	/* One extra for an item that turns out to be known. */
	l->function_keys = arena_array(&l->scratch, functions + 1,
				       sizeof *l->function_keys);
	l->met = arena_array(&l->scratch, frames + 1, sizeof *l->met);
	if (!l->function_keys || !l->met)
		return arena_fail(&l->scratch, WHAT, err);
	return profile_join_room(out, a, b) ||
	       arena_fail(&out->arena, WHAT, err);
}

/* Same without sorting: sides may be packed or loose, and out is loose. Most
 * stacks are next to stacks with a common prefix; frames are numbered by
 * decreasing value. Equal stacks are merged unless a hash collision separates
 * them, in which case sums are still correct. Items only used by stacks that
 * cancel out are kept. */
static bool profile_join_loose(struct profile *out, const struct profile *a,
			       const struct profile *b, bool *is_saturated,
			       struct error *err)
{
	struct loose l = { .out = out };
	bool is_done;

	arena_init(&l.scratch, LIMIT_DECODE_HEAP_BYTES);
	out->is_loose = true;
	l.sides = arena_array(&l.scratch, 2, sizeof *l.sides);
	map_init(&l.functions, &l.scratch);
	map_init(&l.frames, &l.scratch);
	is_done = l.sides ? symtab_init(&out->symtab, &out->arena, err) &&
				    profile_join_type(out, a, err) &&
				    loose_side_init(&l, &l.sides[0], a, err) &&
				    loose_side_init(&l, &l.sides[1], b, err) &&
				    make_loose_room(&l, a, b, err) &&
				    join_tables(&l, err) &&
				    take_sides(&l, err) &&
				    join_loose_stacks(&l, err)
			  : arena_fail(&l.scratch, WHAT, err);
	for (size_t k = 0; l.sides && k < 2; k++)
		arena_release(&l.sides[k].arena);
	arena_release(&l.scratch);
	*is_saturated |= l.is_saturated;
	return is_done;
}

/* Filters may have removed all stacks but left whole_total. */
static bool is_filled(const struct profile *p)
{
	return p->stack_count || p->whole_total > 0;
}

static const struct profile *first_filled(const struct profile *const *parts,
					  size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_filled(parts[i]))
			return parts[i];
	return NULL;
}

static bool check_types(const struct profile *const *parts, size_t n,
			const struct profile *first, struct error *err)
{
	struct str type = profile_type_name(first), unit = profile_unit(first);

	for (size_t i = 0; i < n; i++) {
		struct str other, other_unit;

		if (!is_filled(parts[i]))
			continue;
		other = profile_type_name(parts[i]);
		other_unit = profile_unit(parts[i]);
		if (str_equal(type, other) && str_equal(unit, other_unit))
			continue;
		return error_set(err, ERROR_FORMAT,
				 "cannot add up profiles of %.*s/%.*s and "
				 "%.*s/%.*s: choose one profile type",
				 STR_ARGS(type), STR_ARGS(unit),
				 STR_ARGS(other), STR_ARGS(other_unit));
	}
	return true;
}

/* ---- summing ---- */

/* A part, or a sum of some. */
struct node {
	const struct profile *profile;
	struct profile *owned; /* NULL: a part */
};

struct merge {
	struct node *nodes;
	size_t count;
	struct profile *sums; /* room for all sums */
	size_t sum_count;
	bool is_loose; /* a part is unsorted, so all sums are */
	bool is_saturated;
};

static bool profiles_join(struct merge *m, struct profile *out,
			  const struct profile *a, const struct profile *b,
			  struct error *err)
{
	return m->is_loose
		       ? profile_join_loose(out, a, b, &m->is_saturated, err)
		       : profile_join(out, a, b, &m->is_saturated, err);
}

/* Adds pairs, pairs of pairs and so on, so that each stack is processed log2(n)
 * times. */
static bool add_up_all(struct merge *m, struct profile *out, struct error *err)
{
	struct profile empty;

	while (m->count > 2) {
		for (size_t i = 0; i + 1 < m->count; i += 2) {
			struct profile *into = &m->sums[m->sum_count++];
			const struct node pair[] = { m->nodes[i],
						     m->nodes[i + 1] };

			profile_init(into);
			if (!profiles_join(m, into, pair[0].profile,
					   pair[1].profile, err))
				return false;
			for (size_t k = 0; k < 2; k++)
				if (pair[k].owned)
					profile_release(pair[k].owned);
			m->nodes[i / 2] = (struct node){ into, into };
		}
		if (m->count % 2)
			m->nodes[m->count / 2] = m->nodes[m->count - 1];
		m->count = (m->count + 1) / 2;
	}
	profile_init(&empty);
	return profiles_join(m, out, m->nodes[0].profile,
			     m->count > 1 ? m->nodes[1].profile : &empty, err);
}

static bool merge_parts(struct merge *m, struct profile *out,
			const struct profile *const *parts, size_t n,
			struct error *err)
{
	bool is_done;

	m->nodes = mem_calloc(n, sizeof *m->nodes);
	m->sums = mem_calloc(n, sizeof *m->sums);
	if (!m->nodes || !m->sums)
		is_done = error_memory(err, WHAT);
	else {
		for (size_t i = 0; i < n; i++)
			if (is_filled(parts[i])) {
				m->nodes[m->count++].profile = parts[i];
				m->is_loose |=
					parts[i]->packed || parts[i]->is_loose;
			}
		is_done = add_up_all(m, out, err);
	}
	for (size_t i = 0; i < m->sum_count; i++)
		profile_release(&m->sums[i]);
	mem_free(m->sums);
	mem_free(m->nodes);
	return is_done;
}

/* Merges the header of a part: keeps fields that agree. */
static void merge_header(struct profile *out, const struct profile *p,
			 bool *is_length_known)
{
	if (p->period != out->period)
		out->period = 0;
	if (p->sample_count < 0 || out->sample_count < 0)
		out->sample_count = -1;
	else
		out->sample_count =
			sat_add_i64(out->sample_count, p->sample_count);
	if (p->time_ns && (!out->time_ns || p->time_ns < out->time_ns))
		out->time_ns = p->time_ns;
	out->duration_ns = sat_add_i64(out->duration_ns, p->duration_ns);
	*is_length_known &= p->duration_ns > 0;
	out->is_gauge |= p->is_gauge;
	out->is_difference |= p->is_difference;
	out->has_lines &= p->has_lines;
	out->is_of_calls |= p->is_of_calls;
}

void profile_merge_heads(struct profile *out,
			 const struct profile *const *parts, size_t n)
{
	const struct profile *first = first_filled(parts, n);
	double truncated = 0, total = 0;
	bool is_length_known = true;

	out->period = first ? first->period : 0;
	out->sample_count = 0;
	out->has_lines = true;
	out->whole_total = out->omitted = out->filtered = 0;
	for (size_t i = 0; i < n; i++) {
		out->whole_total =
			sat_add_i64(out->whole_total, parts[i]->whole_total);
		out->omitted = sat_add_i64(out->omitted, parts[i]->omitted);
		out->filtered = sat_add_i64(out->filtered, parts[i]->filtered);
		if (!is_filled(parts[i]))
			continue;
		merge_header(out, parts[i], &is_length_known);
		truncated +=
			parts[i]->truncated_share * (double)parts[i]->total;
		total += (double)parts[i]->total;
	}
	if (!is_length_known)
		out->duration_ns = 0;
	out->truncated_share = total > 0 ? truncated / total : 0;
}

/* All are empty: only takes the type of the first part. */
static bool merge_nothing(struct profile *out,
			  const struct profile *const *parts, size_t n,
			  struct error *err)
{
	struct profile empty;
	bool is_saturated = false;

	profile_init(&empty);
	if (!profile_join(out, n ? parts[0] : &empty, &empty, &is_saturated,
			  err))
		return false;
	out->type_count = n > 0;
	out->period = n ? parts[0]->period : 0;
	out->is_gauge = n && parts[0]->is_gauge;
	return true;
}

bool profile_merge(struct profile *out, const struct profile *const *parts,
		   size_t n, struct notes *notes, struct error *err)
{
	const struct profile *first = first_filled(parts, n);
	struct merge m = { .count = 0 };

	if (!first)
		return merge_nothing(out, parts, n, err);
	if (!check_types(parts, n, first, err) ||
	    !merge_parts(&m, out, parts, n, err))
		return false;
	if (m.is_saturated)
		notes_add(notes, "values add up to more than 64 bits hold: "
				 "totals and shares are too small");
	profile_merge_heads(out, parts, n);
	return true;
}
