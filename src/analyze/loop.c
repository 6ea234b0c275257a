/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/diff.h"

#include "analyze/function_table.h"
#include "base/num.h"

/* A stack on which the walk still is, and the frame it stands on. */
struct walker {
	uint32_t stack;
	uint32_t frame;
};

/* Callers walked from the hottest owner; loops sit close to their query. */
#define LOOP_CHAIN 8

struct walk {
	const struct func_table *t;
	const struct func_side *side;
	struct walker *walkers;
	size_t count;
	int64_t *sums; /* by entry */
	uint32_t chain[LOOP_CHAIN + 1];
	size_t chain_count;
};

static int64_t slow_total(const struct func_table *t, uint32_t id)
{
	return t->entries[id].values[SIDE_SLOW].total;
}

static double self_lib_share(const struct func_table *t, uint32_t id,
			     enum diff_side s)
{
	return side_share(t->sides[s].profile,
			  t->entries[id].values[s].self_lib);
}

/* A function named by the span must carry this part of the profile to be
 * believed; below, the loop does not show in this profile. */
#define LOOP_NAMED_SHARE 0.05

/* How an entry is named like the span; functions that hardly show in the
 * profile do not count. */
static enum name_match named_match(const struct func_table *t, uint32_t id,
				   struct str span_name)
{
	const struct func_entry *e = &t->entries[id];
	const struct profile *p = t->sides[SIDE_SLOW].profile;

	if (!e->is_application ||
	    side_share(p, slow_total(t, id)) < LOOP_NAMED_SHARE)
		return NAME_MATCH_NONE;
	return function_name_match(e->name, span_name);
}

/* The best match there is, and the largest total of those that match so. */
static enum name_match best_match(const struct func_table *t,
				  struct str span_name, int64_t *most)
{
	enum name_match best = NAME_MATCH_NONE;

	*most = 0;
	for (uint32_t id = 0; id < t->count; id++) {
		enum name_match match = named_match(t, id, span_name);

		if (match > best)
			*most = 0;
		if (match && match >= best && slow_total(t, id) > *most)
			*most = slow_total(t, id);
		if (match > best)
			best = match;
	}
	return best;
}

/* How far from the root each entry stands at most. */
static uint32_t *find_depths(const struct func_table *t)
{
	const struct func_side *side = &t->sides[SIDE_SLOW];
	uint32_t *depths = arena_array(t->arena, t->count, sizeof *depths);

	for (uint32_t s = 0; depths && s < side->profile->stack_count; s++) {
		const struct stack *stack = &side->profile->stacks[s];

		for (uint32_t f = 0; f < stack->frame_count; f++) {
			uint32_t function = func_side_function(side, stack, f);
			uint32_t *depth = &depths[side->entries[function]];

			if (f > *depth)
				*depth = f;
		}
	}
	return depths;
}

/* The inner of two entries: the one with the smaller total. Of a request seen
 * in a few samples both have all of them: then the deeper one. */
static bool is_inner(const struct func_table *t, const uint32_t *depths,
		     uint32_t id, uint32_t than)
{
	if (than == ENTRY_NONE)
		return true;
	if (slow_total(t, id) != slow_total(t, than))
		return slow_total(t, id) < slow_total(t, than);
	if (depths[id] != depths[than])
		return depths[id] > depths[than];
	return func_compare_keys(t, id, than) < 0;
}

/* A caller explains the hot owner when it carries this part of its value. */
#define LOOP_CALLER_SHARE 0.6

/* The entry that the span is named after, ENTRY_NONE without one. Of nested
 * ones, such as a handler and the repository it calls, the inner. */
static bool find_named(const struct func_table *t, struct str span_name,
		       uint32_t *named)
{
	int64_t most;
	enum name_match match = best_match(t, span_name, &most);
	const uint32_t *depths;

	*named = ENTRY_NONE;
	if (!match)
		return true;
	depths = find_depths(t);
	if (!depths)
		return false;
	for (uint32_t id = 0; id < t->count; id++) {
		if ((double)slow_total(t, id) >=
			    LOOP_CALLER_SHARE * (double)most &&
		    named_match(t, id, span_name) == match &&
		    is_inner(t, depths, id, *named))
			*named = id;
	}
	return true;
}

/* Growth of what an owner owns from which it counts as hot by growth. */
#define LOOP_TIME_CHANGE 0.01

/* The application entry whose own share grew most; without a baseline, or
 * when none grew, the one with the largest. */
static uint32_t find_hottest(const struct func_table *t)
{
	uint32_t grown = ENTRY_NONE, largest = ENTRY_NONE;
	double change = 0, share = 0;

	for (uint32_t id = 0; id < t->count; id++) {
		double now = self_lib_share(t, id, SIDE_SLOW);
		double more = now - self_lib_share(t, id, SIDE_BASELINE);

		if (!t->entries[id].is_application || now <= 0)
			continue;
		if (func_is_larger(t, id, now, largest, share)) {
			largest = id;
			share = now;
		}
		if (func_is_larger(t, id, more, grown, change)) {
			grown = id;
			change = more;
		}
	}
	return t->sides[SIDE_BASELINE].profile && change >= LOOP_TIME_CHANGE
		       ? grown
		       : largest;
}

/* ---- stacks through an entry ---- */

static uint32_t walker_entry(const struct walk *w, const struct walker *at)
{
	const struct stack *stack = &w->side->profile->stacks[at->stack];

	return w->side->entries[func_side_function(w->side, stack, at->frame)];
}

static bool is_application_frame(const struct walk *w, const struct walker *at)
{
	const struct stack *stack = &w->side->profile->stacks[at->stack];
	uint32_t function = func_side_function(w->side, stack, at->frame);

	return w->side->classes[function].kind == CODE_APPLICATION;
}

/* Puts a walker on the deepest frame of the entry in each stack. */
static void walk_start(struct walk *w, uint32_t id)
{
	const struct profile *p = w->side->profile;

	w->count = 0;
	for (uint32_t s = 0; s < p->stack_count; s++) {
		struct walker at = { s, p->stacks[s].frame_count };

		while (at.frame-- > 0)
			if (walker_entry(w, &at) == id)
				break;
		if (at.frame != UINT32_MAX)
			w->walkers[w->count++] = at;
	}
}

/* By what was summed; best may be ENTRY_NONE. */
static bool is_heavier(const struct walk *w, uint32_t id, uint32_t best)
{
	double best_sum = best == ENTRY_NONE ? 0 : (double)w->sums[best];

	return func_is_larger(w->t, id, (double)w->sums[id], best, best_sum);
}

/* The hottest application leaf of the stacks on which walkers stand: what is
 * owned beneath an entry. */
static uint32_t walk_hottest_owner(struct walk *w)
{
	uint32_t best = ENTRY_NONE;

	for (size_t i = 0; i < w->t->count; i++)
		w->sums[i] = 0;
	for (size_t i = 0; i < w->count; i++) {
		const struct stack *stack =
			&w->side->profile->stacks[w->walkers[i].stack];
		struct walker at = { w->walkers[i].stack, stack->frame_count };
		uint32_t id;

		while (--at.frame > w->walkers[i].frame)
			if (is_application_frame(w, &at))
				break;
		id = walker_entry(w, &at);
		w->sums[id] = sat_add_i64(w->sums[id], stack->value);
	}
	for (uint32_t id = 0; id < w->t->count; id++)
		if (w->sums[id] > 0 && is_heavier(w, id, best))
			best = id;
	return best;
}

static uint32_t heaviest_caller(struct walk *w)
{
	uint32_t best = ENTRY_NONE;

	for (size_t i = 0; i < w->count; i++)
		w->sums[walker_entry(w, &w->walkers[i])] = 0;
	for (size_t i = 0; i < w->count; i++) {
		int64_t *sum = &w->sums[walker_entry(w, &w->walkers[i])];
		uint32_t stack = w->walkers[i].stack;

		*sum = sat_add_i64(*sum, w->side->profile->stacks[stack].value);
	}
	for (size_t i = 0; i < w->count; i++) {
		uint32_t id = walker_entry(w, &w->walkers[i]);

		if (id != best && is_heavier(w, id, best))
			best = id;
	}
	return best;
}

/* One step up: all stacks climb, those of the heaviest caller go on. */
static bool walk_up(struct walk *w)
{
	size_t kept = 0;
	uint32_t caller;

	for (size_t i = 0; i < w->count; i++) {
		struct walker at = w->walkers[i];
		uint32_t from = walker_entry(w, &at);

		/* To the next application frame of another entry. */
		while (at.frame-- > 0)
			if (is_application_frame(w, &at) &&
			    walker_entry(w, &at) != from)
				break;
		if (at.frame != UINT32_MAX)
			w->walkers[kept++] = at;
	}
	w->count = kept;
	caller = heaviest_caller(w);
	if (caller == ENTRY_NONE)
		return false;
	kept = 0;
	for (size_t i = 0; i < w->count; i++)
		if (walker_entry(w, &w->walkers[i]) == caller)
			w->walkers[kept++] = w->walkers[i];
	w->count = kept;
	w->chain[w->chain_count++] = caller;
	return true;
}

/* ---- which of the chain are shown ---- */

/* A caller with more than this many times the owner's value does other work
 * too: a router, a request handler of everything. */
#define LOOP_CALLER_TIMES 4.0

static void row_add(uint32_t rows[LOOP_ROWS], size_t *count, uint32_t id)
{
	for (size_t i = 0; i < *count; i++)
		if (rows[i] == id)
			return;
	if (*count < LOOP_ROWS)
		rows[(*count)++] = id;
}

bool loop_rows_find(const struct func_table *t, struct str span_name,
		    uint32_t rows[LOOP_ROWS], size_t *count, struct error *err)
{
	struct walk w = { .t = t, .side = &t->sides[SIDE_SLOW] };
	uint32_t named, hottest;
	double hot;

	*count = 0;
	w.walkers = arena_array(t->arena, w.side->profile->stack_count,
				sizeof *w.walkers);
	w.sums = arena_array(t->arena, t->count, sizeof *w.sums);
	if (!w.walkers || !w.sums)
		return arena_fail(t->arena, "explaining a loop", err);
	if (!find_named(t, span_name, &named))
		return arena_fail(t->arena, "explaining a loop", err);
	if (named != ENTRY_NONE)
		walk_start(&w, named);
	hottest =
		named != ENTRY_NONE ? walk_hottest_owner(&w) : find_hottest(t);
	if (hottest == ENTRY_NONE)
		return true;
	if (named != ENTRY_NONE)
		row_add(rows, count, named);
	walk_start(&w, hottest);
	w.chain[w.chain_count++] = hottest;
	while (w.chain_count <= LOOP_CHAIN && walk_up(&w))
		if (w.chain[w.chain_count - 1] == named)
			break;
	hot = (double)slow_total(t, hottest);
	for (size_t i = 0; i < w.chain_count; i++) {
		uint32_t id = w.chain[i];
		double total = (double)slow_total(t, id);

		if (total >= LOOP_CALLER_SHARE * hot &&
		    total <= LOOP_CALLER_TIMES * hot &&
		    !function_name_is_generic(t->entries[id].name))
			row_add(rows, count, id);
	}
	return true;
}
