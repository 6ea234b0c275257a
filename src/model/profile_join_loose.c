/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/map.h"
#include "base/num.h"
#include "base/radix.h"
#include "base/thread.h"
#include "model/profile_join.h"
#include "model/stack_walk.h"

#define WHAT "adding up profiles"

_Static_assert(LIMIT_SAMPLES <= UINT32_MAX / 2,
	       "both sides' stacks are counted");

/* Stacks come together by hashes of what they begin with, of so many lengths,
 * eight bits each. */
#define NEAR_STEPS 8u
#define NEAR_BITS 8u
/* Stacks that tell how long those are, and how many frames there may be in
 * all; room for more than so many of them is made only when they are there. */
#define MEASURED_STACKS 1024u
#define EXPECTED_FRAMES ((size_t)16000000)

/* Odd: multiplying by them loses nothing. They are the same in every run, as
 * the order is; who finds stacks of equal hashes keeps them apart, no more. */
#define MIX_FRAME UINT64_C(0x9e3779b97f4a7c15)
#define MIX_PATH UINT64_C(0xd6e8feb86659fd93)

struct loose_stack {
	uint64_t near;
	uint64_t whole; /* hash of all frames */
	int64_t value;
	uint32_t first; /* of its frames, in those of its side */
	uint32_t count;
};

struct side {
	const struct profile *profile;
	uint32_t *texts;     /* by symbol: that of the sum */
	uint32_t *functions; /* by function: that of the sum */
	uint32_t *frames;    /* likewise */
	uint32_t step;       /* frames between the lengths of hashes */
	size_t expected_ids; /* about as many, or fewer */
	/* The thread's. */
	struct arena arena;
	struct arena *id_arena; /* of the sum for one side, to stay there */
	struct stack_walk walk;
	uint64_t hashes[LIMIT_STACK_FRAMES]; /* of the stack, by length - 1 */
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
	struct side *sides; /* two */
	struct map functions;
	struct map frames;
	struct whole_frame *met; /* frames of the sum, as they were met */
	uint32_t (*function_keys)[4];
	bool is_saturated;
};

/* ---- functions ---- */

static bool join_function(struct loose *l, struct side *s, uint32_t function,
			  struct error *err)
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

static bool join_frame(struct loose *l, struct side *s, uint32_t frame,
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

static bool join_some(struct loose *l, struct side *s, uint32_t first,
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

static bool join_frames(struct loose *l, struct side *s, struct error *err)
{
	uint32_t count = s->profile->frame_count;

	for (uint32_t i = 0; i < count; i += MAP_GROUP)
		if (!join_some(l, s, i,
			       (uint32_t)min_size(count - i, MAP_GROUP), err))
			return false;
	return true;
}

static bool add_heat(struct loose *l, const struct side *s, int64_t *heat,
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

/* Those with the largest values come first, so that what is met often has a
 * small number. */
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
			if (!join_function(l, &l->sides[k], i, err))
				return false;
	for (size_t k = 0; k < 2; k++)
		if (!join_frames(l, &l->sides[k], err))
			return false;
	return place_frames(l, err);
}

/* ---- stacks of a side ---- */

/* So that the lengths reach from the root to beyond the middle of most. */
static void measure(struct side *sides)
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

static void hash_stack(struct side *s, struct loose_stack *stack)
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

static bool reserve_ids(struct side *s, size_t need)
{
	void *ids = s->ids;

	if (need > LIMIT_STACK_FRAMES_TOTAL)
		return fail_frames(&s->err);
	if (!arena_reserve(s->id_arena, &ids, &s->id_cap, need, sizeof *s->ids))
		return arena_fail(s->id_arena, WHAT, &s->err);
	s->ids = ids;
	return true;
}

/* The frames that it keeps are those of the stack in front of it. */
static bool take_stack(struct side *s, struct loose_stack *to)
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

static bool take_stacks(struct side *s)
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
	struct side *s = task;

	s->is_done = take_stacks(s);
}

static bool take_sides(struct loose *l, struct error *err)
{
	measure(l->sides);
	/* Behind those of the first side those of the second one come. */
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

/* *first: of its frames, in those of the sum. */
static const struct loose_stack *stack_at(const struct loose *l, uint32_t index,
					  uint32_t *first)
{
	const struct side *s = l->sides;
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

/* By what they begin with, equal ones next to each other. NULL: no memory. */
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

static void add_value(struct loose *l, int64_t *sum, int64_t value)
{
	int64_t exact;

	if (!add_i64(*sum, value, &exact))
		l->is_saturated = true;
	*sum = sat_add_i64(*sum, value);
}

/* Equal stacks of which values cancel out leave. */
static void drop_nothing(struct profile *out)
{
	if (out->stack_count && !out->stacks[out->stack_count - 1].value)
		out->stack_count--;
}

/* Its frames lie among those of the sum; of equal stacks those of the others
 * are of no use any more. */
static void place_stack(struct loose *l, const struct loose_stack *from,
			uint32_t first, bool may_be_last)
{
	struct profile *out = l->out;
	struct stack *last =
		out->stack_count ? &out->stacks[out->stack_count - 1] : NULL;

	if (may_be_last && last && last->frame_count == from->count &&
	    !memcmp(&out->frame_ids[last->frame_first], &out->frame_ids[first],
		    from->count * sizeof *out->frame_ids)) {
		add_value(l, &last->value, from->value);
		return;
	}
	drop_nothing(out);
	out->stacks[out->stack_count++] = (struct stack){
		.frame_first = first,
		.frame_count = from->count,
		.value = from->value,
	};
}

static bool place_stacks(struct loose *l, const struct radix_item *order,
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
		add_value(l, &out->total, out->stacks[i].value);
	return out->stack_count <= LIMIT_SAMPLES ||
	       error_set(err, ERROR_LIMIT,
			 "the profile has more than %u distinct stacks",
			 LIMIT_SAMPLES);
}

/* Of both sides, one after the other; no more room than that. */
static bool join_ids(struct loose *l, struct error *err)
{
	struct side *to = &l->sides[0];
	const struct side *from = &l->sides[1];
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

static bool join_stacks(struct loose *l, struct error *err)
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
	return place_stacks(l, order, count, err);
}

/* ---- all of it ---- */

static bool side_init(struct loose *l, struct side *s, const struct profile *p,
		      struct error *err)
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

static bool make_room(struct loose *l, const struct profile *a,
		      const struct profile *b, struct error *err)
{
	struct profile *out = l->out;
	size_t functions = (size_t)a->function_count + b->function_count;
	size_t frames = (size_t)a->frame_count + b->frame_count;

	/* One more than there are: the place of what turns out to be known. */
	l->function_keys = arena_array(&l->scratch, functions + 1,
				       sizeof *l->function_keys);
	l->met = arena_array(&l->scratch, frames + 1, sizeof *l->met);
	if (!l->function_keys || !l->met)
		return arena_fail(&l->scratch, WHAT, err);
	return profile_join_room(out, a, b) ||
	       arena_fail(&out->arena, WHAT, err);
}

static bool join(struct loose *l, const struct profile *a,
		 const struct profile *b, struct error *err)
{
	l->sides = arena_array(&l->scratch, 2, sizeof *l->sides);
	if (!l->sides)
		return arena_fail(&l->scratch, WHAT, err);
	map_init(&l->functions, &l->scratch);
	map_init(&l->frames, &l->scratch);
	return symtab_init(&l->out->symtab, &l->out->arena, err) &&
	       profile_join_type(l->out, a, err) &&
	       side_init(l, &l->sides[0], a, err) &&
	       side_init(l, &l->sides[1], b, err) && make_room(l, a, b, err) &&
	       join_tables(l, err) && take_sides(l, err) && join_stacks(l, err);
}

bool profile_join_loose(struct profile *out, const struct profile *a,
			const struct profile *b, bool *is_saturated,
			struct error *err)
{
	struct loose l = { .out = out };
	bool is_done;

	arena_init(&l.scratch, LIMIT_DECODE_HEAP_BYTES);
	out->is_loose = true;
	is_done = join(&l, a, b, err);
	for (size_t k = 0; l.sides && k < 2; k++)
		arena_release(&l.sides[k].arena);
	arena_release(&l.scratch);
	*is_saturated |= l.is_saturated;
	return is_done;
}
