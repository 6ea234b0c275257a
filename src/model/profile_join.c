/* SPDX-License-Identifier: Apache-2.0 */
#include "model/profile_join.h"

#include "base/num.h"
#include "model/sequence.h"

#define WHAT "adding up profiles"

struct side {
	const struct profile *profile;
	uint32_t *texts;     /* by symbol: that of the sum */
	uint32_t *functions; /* by function: that of the sum */
	uint32_t *frames;    /* likewise */
};

struct join {
	struct profile *out;
	struct arena scratch;
	struct side sides[2];
	uint32_t *name_ranks; /* by frame of the sum */
	bool *is_used;        /* likewise: by a stack of the sum */
	bool is_saturated;
};

/* Which of two ordered lists goes on: below 0 the first, above 0 the other one,
 * 0 both. */
static bool takes(int next, size_t side)
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

void profile_put_frame(struct profile *out, uint32_t at,
		       const struct whole_frame *f)
{
	out->frames[at] = f->frame;
	if (out->details)
		out->details[at] = f->detail;
}

static bool join_function(struct join *j, struct side *s, uint32_t function,
			  struct error *err)
{
	struct function *added = &j->out->functions[j->out->function_count];

	if (j->out->function_count++ >= LIMIT_FUNCTIONS)
		return error_set(err, ERROR_LIMIT,
				 "the profile has more than %u functions",
				 LIMIT_FUNCTIONS);
	*added = profile_join_function(s->profile, s->texts, function);
	return true;
}

/* As profile_check() wants them. */
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

		if (!join_function(j, &j->sides[first], at[first], err))
			return false;
		for (size_t i = 0; i < 2; i++)
			if (takes(next, i))
				j->sides[i].functions[at[i]++] =
					j->out->function_count - 1;
	}
	return true;
}

/* ---- frames ---- */

/* Frames of equal names share a rank. */
static void rank_frame(struct join *j, uint32_t at)
{
	const struct profile *p = j->out;
	const struct frame *f = &p->frames[at];

	if (!at)
		j->name_ranks[at] = 0;
	else
		j->name_ranks[at] = j->name_ranks[at - 1] +
				    (p->functions[f[-1].function].name !=
				     p->functions[f->function].name);
}

static bool join_frames(struct join *j, struct error *err)
{
	struct profile *out = j->out;
	const uint32_t counts[] = { j->sides[0].profile->frame_count,
				    j->sides[1].profile->frame_count };
	uint32_t at[2] = { 0, 0 };
	struct whole_frame heads[2];

	while (at[0] < counts[0] || at[1] < counts[1]) {
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
		rank_frame(j, out->frame_count);
		for (size_t i = 0; i < 2; i++)
			if (takes(next, i))
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

/* Copies the frames of a side behind those that are there; index counts the
 * stacks of both. */
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

/* Equal stacks follow each other, one of each side. Then both share all ranks,
 * the end mark and all items. */
static bool is_equal_to_last(const struct sequence *s)
{
	return s->common == 2 * s->count + 1;
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

		for (i++; i < count && is_equal_to_last(&ordered[i]); i++)
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

/* ---- what cancelled out ---- */

/* The order stays, so that frames of a function follow each other. The room of
 * the ranks serves for the new places. */
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

static void drop_unused(struct join *j)
{
	uint32_t used = 0;

	for (uint32_t i = 0; i < j->out->frame_count; i++)
		used += j->is_used[i];
	if (used < j->out->frame_count)
		drop_frames(j);
}

/* ---- all of it ---- */

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

bool profile_join_type(struct profile *out, const struct profile *p,
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

bool profile_join_room(struct profile *out, const struct profile *a,
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

bool profile_join(struct profile *out, const struct profile *a,
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
	if (is_done)
		drop_unused(&j);
	arena_release(&j.scratch);
	*is_saturated |= j.is_saturated;
	return is_done;
}
