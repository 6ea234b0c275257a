/* SPDX-License-Identifier: Apache-2.0 */
#include "model/profile_runs.h"

#include "base/bytes.h"
#include "base/wirew.h"
#include "model/profile.h"
#include "model/profile_build.h"

#define WHAT "adding up profiles"

/* A stack that other runs cancelled out. */
#define NO_STACK UINT32_MAX

/* What adding one run works with. */
struct adding {
	struct profile_runs *runs;
	const struct profile *profile;
	struct arena scratch;
	uint32_t *texts;     /* by symbol: that of the sum */
	uint32_t *functions; /* by function: that of the sum */
	uint32_t *frames;    /* likewise */
	struct stack_walk walk;
	uint32_t met[LIMIT_STACK_FRAMES]; /* of the stack, those of the sum */
	struct stack_place places[LIMIT_STACK_FRAMES + 1];
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
	r->tree = r->build ? profile_build_tree(r->build, err) : NULL;
	return r->tree;
}

static void drop_build(struct profile_runs *r)
{
	profile_build_free(r->build);
	r->build = NULL;
	r->tree = NULL;
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

/* Small for small numbers of either sign. */
static uint64_t fold_sign(int64_t value)
{
	return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static int64_t unfold_sign(uint64_t folded)
{
	return (int64_t)(folded >> 1 ^ (folded & 1 ? UINT64_MAX : 0));
}

/* Most stacks begin as the one before. */
static bool find_node(struct adding *a, uint32_t *node, struct error *err)
{
	const struct stack_walk *w = &a->walk;

	for (uint32_t i = w->kept; i < w->count; i++)
		a->met[i] = a->frames[w->frames[i]];
	if (!stack_tree_walk(a->runs->tree, a->met + w->kept,
			     w->count - w->kept, a->places + w->kept))
		return arena_fail(a->runs->tree->arena, WHAT, err);
	*node = a->places[w->count].node;
	return true;
}

static bool count_frames(struct profile_runs *r, uint32_t node, uint32_t count,
			 struct error *err)
{
	if (!r->tree->nodes[node].value)
		r->frames += count;
	return r->frames <= LIMIT_STACK_FRAMES_TOTAL ||
	       error_set(err, ERROR_LIMIT,
			 "the profile's stacks have more than %u frames "
			 "together",
			 LIMIT_STACK_FRAMES_TOTAL);
}

static bool add_stacks(struct adding *a, struct run_values *values,
		       struct error *err)
{
	struct profile_runs *r = a->runs;
	uint32_t last = 0, node = 0;

	stack_walk_init(&a->walk, a->profile);
	while (stack_walk_next(&a->walk)) {
		int64_t value = a->walk.value;

		if (!find_node(a, &node, err) ||
		    !count_frames(r, node, a->walk.count, err) ||
		    !profile_tree_value(r->build, node, value, err))
			return false;
		wirew_element(&r->text,
			      fold_sign((int64_t)node - (int64_t)last));
		wirew_element(&r->text, fold_sign(value / values->unit));
		values->count++;
		last = node;
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

static bool take_type(struct profile_runs *r, const struct profile *p,
		      struct error *err)
{
	return r->count || profile_build_type(r->build, profile_type_name(p),
					      profile_unit(p), err);
}

static struct profile head_of(const struct profile *p)
{
	return (struct profile){
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
}

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
	is_done = take_type(r, p, err) &&
		  add_run(a, &r->values[r->count], err);
	arena_release(&a->scratch);
	arena_drop(&r->arena, a, sizeof *a);
	if (is_done)
		r->heads[r->count++] = head_of(p);
	profile_release(p);
	return is_done;
}

/* In the order of the frames' places, as the sum has its stacks. */
static bool number_stacks(struct profile_runs *r, struct error *err)
{
	const struct stack_tree *t = r->tree;
	uint32_t depth = 0, count = 0;

	r->stacks = arena_array(&r->arena, t->count, sizeof *r->stacks);
	if (!r->stacks)
		return arena_fail(&r->arena, WHAT, err);
	for (size_t i = 0; i < t->count; i++)
		r->stacks[i] = NO_STACK;
	for (uint32_t i = 0; (i = stack_tree_next(t, i, &depth));)
		if (t->nodes[i].value)
			r->stacks[i] = count++;
	return true;
}

bool profile_runs_finish(struct profile_runs *r, struct notes *notes,
			 struct error *err)
{
	const struct profile **heads =
		arena_array(&r->arena, r->count, sizeof *heads);

	if (!heads)
		return arena_fail(&r->arena, WHAT, err);
	for (size_t i = 0; i < r->count; i++)
		heads[i] = &r->heads[i];
	if (!profile_build_finish(r->build, notes, err) ||
	    !number_stacks(r, err))
		return false;
	r->sum->is_loose = true;
	profile_merge_heads(r->sum, heads, r->count);
	drop_build(r);
	return true;
}

/* ---- walking ---- */

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
		w->node += (uint32_t)unfold_sign(varint_take(&w->at));
		w->value = unfold_sign(varint_take(&w->at)) * w->unit;
		w->stack = w->runs->stacks[w->node];
	} while (w->stack == NO_STACK);
	return true;
}
