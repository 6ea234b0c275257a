/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/function_totals_sums.h"

#include <string.h>

#include "analyze/category_share.h"
#include "base/num.h"
#include "base/thread.h"
#include "model/stack_walk.h"

/* What is added up once a stack. */
struct ends_sum {
	int64_t self_lib;
	int64_t self;
	int64_t both; /* as owner and leaf at once */
};

/* What a stack adds to its ends. Their sums are far apart: they are asked for
 * some stacks before they are needed. */
struct ends {
	uint32_t owner;
	uint32_t leaf;
	uint32_t hash; /* of both, where they differ */
	int64_t value;
};

#define ENDS_AHEAD 16u /* a power of two */

/* A frame on the stack at hand whose entry is further up already, perhaps by
 * the same frame. */
struct repeat {
	uint16_t at;
	bool is_same_frame;
};

/* Scratch of one side's pass over its stacks; nothing in it is shared, so that
 * both sides can be gone through at once. What a function took is the sum over
 * its frames without what was counted more than once: so all that is touched
 * for each frame that the stack before had not are its entry and where that is
 * on the stack. */
struct pass {
	struct func_table *t;
	enum side s;
	struct arena arena;
	struct error err;
	bool is_done;
	uint32_t *frames;    /* the words: class and entry */
	uint32_t *again;     /* by frame: where one that repeats an entry was */
	int64_t *frame_sums; /* less what repeats within a stack */
	uint32_t *seen;      /* by entry: where it was on a stack first */
	int64_t *totals;     /* by entry: likewise */
	struct ends_sum *ends; /* by entry */
	unsigned char *sides;  /* by entry: of the kernel, see ABOVE */
	struct category_shares categories;
	bool has_kernel;
	bool is_waiting;
	bool is_of_calls;
	bool is_capped;      /* sums are: nothing is taken off them */
	struct map pair_map; /* (owner, leaf) */
	struct pair *pairs;
	size_t pair_count;
	size_t pair_cap;
	struct stack_walk walk;
	uint32_t words[LIMIT_STACK_FRAMES]; /* of the stack at hand */
	struct repeat repeats[LIMIT_STACK_FRAMES];
	uint32_t repeat_count;
	struct ends ahead[ENDS_AHEAD];
	uint32_t ahead_count; /* all that ever were; the last ones are ahead */
};

struct pair {
	uint32_t owner;
	uint32_t leaf;
	int64_t value;
};

#define ENTRY_MASK ((UINT32_C(1) << KIND_SHIFT) - 1)

_Static_assert(2 * LIMIT_FUNCTIONS <= ENTRY_MASK, "entries fit a word");
_Static_assert(CODE_KIND_COUNT << 2 <= 1 << 7, "classes leave a bit");

/* Where an entry was seen from the kernel's entry. */
#define ABOVE 1u
#define BENEATH 2u

static bool pass_fail(struct pass *pass)
{
	return arena_fail(&pass->arena, "ranking functions", &pass->err);
}

static void pass_fill(struct pass *pass)
{
	const struct func_side *side = &pass->t->sides[pass->s];
	const struct profile *p = side->profile;

	pass->is_capped = p->whole_total == INT64_MAX;
	pass->is_of_calls = p->is_of_calls;
	pass->is_waiting = kinds_wait(p);
	profile_frame_sums(p, pass->frame_sums);
	for (uint32_t i = 0; i < p->frame_count; i++) {
		uint32_t function = p->frames[i].function;
		uint32_t entry = side->entries[function];
		const struct code_class *class = &side->classes[function];

		pass->frames[i] =
			(uint32_t)code_class_pack(class) << KIND_SHIFT | entry;
		pass->totals[entry] = profile_sum(p, pass->totals[entry],
						  pass->frame_sums[i]);
		pass->sides[entry] = ABOVE;
		pass->has_kernel |= class->is_kernel_entry;
	}
	/* Then stacks tell. */
	if (pass->has_kernel)
		memset(pass->sides, 0, pass->t->count);
}

static bool pass_init(struct pass *pass)
{
	uint32_t frames = pass->t->sides[pass->s].profile->frame_count;
	size_t entries = pass->t->count;
	struct arena *arena = &pass->arena;

	pass->frames = arena_array(arena, frames, sizeof *pass->frames);
	pass->again = arena_array(arena, frames, sizeof *pass->again);
	pass->frame_sums = arena_array(arena, frames, sizeof *pass->frame_sums);
	pass->seen = arena_array(arena, entries, sizeof *pass->seen);
	pass->totals = arena_array(arena, entries, sizeof *pass->totals);
	pass->ends = arena_array(arena, entries, sizeof *pass->ends);
	pass->sides = arena_array(arena, entries, 1);
	map_init(&pass->pair_map, arena);
	if (!pass->frames || !pass->again || !pass->frame_sums || !pass->seen ||
	    !pass->totals || !pass->ends || !pass->sides)
		return pass_fail(pass);
	pass_fill(pass);
	return true;
}

static void add(int64_t *sum, int64_t value)
{
	*sum = sat_add_i64(*sum, value);
}

static uint64_t pair_key(const struct ends *ends)
{
	return (uint64_t)ends->owner << 32 | ends->leaf;
}

static bool pair_add(struct pass *pass, const struct ends *ends)
{
	uint32_t at;

	if (!map_insert_near_u64(&pass->pair_map, pair_key(ends), ends->hash,
				 (uint32_t)pass->pair_count, &at))
		return pass_fail(pass);
	if (at == pass->pair_count) {
		if (!arena_reserve(&pass->arena, (void **)&pass->pairs,
				   &pass->pair_cap, pass->pair_count + 1,
				   sizeof *pass->pairs))
			return pass_fail(pass);
		pass->pairs[pass->pair_count++] =
			(struct pair){ ends->owner, ends->leaf, 0 };
	}
	add(&pass->pairs[at].value, ends->value);
	return true;
}

static bool ends_add(struct pass *pass, const struct ends *ends)
{
	add(&pass->ends[ends->owner].self_lib, ends->value);
	add(&pass->ends[ends->leaf].self, ends->value);
	if (ends->owner != ends->leaf)
		return pair_add(pass, ends);
	add(&pass->ends[ends->owner].both, ends->value);
	return true;
}

/* Adds those that were announced so many stacks ago. */
static bool ends_announce(struct pass *pass, struct ends ends)
{
	struct ends *slot = &pass->ahead[pass->ahead_count % ENDS_AHEAD];

	if (pass->ahead_count++ >= ENDS_AHEAD && !ends_add(pass, slot))
		return false;
	__builtin_prefetch(&pass->ends[ends.owner]);
	__builtin_prefetch(&pass->ends[ends.leaf]);
	if (ends.owner != ends.leaf)
		ends.hash = map_approach_u64(&pass->pair_map, pair_key(&ends));
	*slot = ends;
	return true;
}

static bool ends_flush(struct pass *pass)
{
	uint32_t left = (uint32_t)min_size(pass->ahead_count, ENDS_AHEAD);

	for (; left; left--)
		if (!ends_add(pass, &pass->ahead[(pass->ahead_count - left) %
						 ENDS_AHEAD]))
			return false;
	return true;
}

static void take_off(struct pass *pass, int64_t *sum, int64_t value)
{
	if (!pass->is_capped)
		*sum = wrap_sub_i64(*sum, value);
}

/* The frame at i is of the entry that was at `first`. Frames that are not the
 * first of their entry are few. */
static void repeat_note(struct pass *pass, const uint32_t *ids, uint32_t first,
			uint32_t i)
{
	uint32_t at = pass->again[ids[i]];
	bool is_same_frame =
		ids[first] == ids[i] || (at < i && ids[at] == ids[i]);

	if (!is_same_frame)
		pass->again[ids[i]] = i;
	pass->repeats[pass->repeat_count++] =
		(struct repeat){ (uint16_t)i, is_same_frame };
}

/* Looks up the frames that the stack before had not. What was seen on another
 * stack may be gone: its place tells. Whether it is cannot be foreseen, which
 * is why both are asked. */
static void frames_see(struct pass *pass, const struct stack_walk *stack)
{
	const uint32_t *ids = stack->frames, *words = pass->words;

	for (uint32_t i = stack->kept; i < stack->count; i++) {
		uint32_t word = pass->frames[ids[i]];
		uint32_t at = pass->seen[word & ENTRY_MASK];
		uint32_t differing =
			((words[at] ^ word) & ENTRY_MASK) | (uint32_t)(at >= i);

		pass->words[i] = word;
		if (differing)
			pass->seen[word & ENTRY_MASK] = i;
		else
			repeat_note(pass, ids, at, i);
	}
}

/* Recursion and inlining count a stack once. */
static void repeats_take_off(struct pass *pass, const struct stack_walk *stack)
{
	for (uint32_t i = 0; i < pass->repeat_count; i++) {
		const struct repeat *r = &pass->repeats[i];

		take_off(pass, &pass->totals[pass->words[r->at] & ENTRY_MASK],
			 stack->value);
		if (r->is_same_frame)
			take_off(pass, &pass->frame_sums[stack->frames[r->at]],
				 stack->value);
	}
}

static void frames_take(struct pass *pass, const struct stack_walk *stack)
{
	while (pass->repeat_count &&
	       pass->repeats[pass->repeat_count - 1].at >= stack->kept)
		pass->repeat_count--;
	frames_see(pass, stack);
	repeats_take_off(pass, stack);
}

static void kernel_mark(struct pass *pass, uint32_t count, uint32_t kernel_from)
{
	for (uint32_t i = 0; i < count; i++)
		pass->sides[pass->words[i] & ENTRY_MASK] |=
			i < kernel_from ? ABOVE : BENEATH;
}

static enum code_kind kind_of(uint32_t word)
{
	return code_class_unpack((unsigned char)(word >> KIND_SHIFT)).kind;
}

/* As func_side_owner(), its entry. */
static uint32_t find_owner(const uint32_t *words, uint32_t count,
			   uint32_t kernel_from)
{
	uint32_t i = kernel_from;

	while (i-- > 0)
		if (kind_of(words[i]) == CODE_APPLICATION)
			return words[i] & ENTRY_MASK;
	for (i = count; i-- > 0;)
		if (kind_of(words[i]) != CODE_UNKNOWN)
			return words[i] & ENTRY_MASK;
	return words[count - 1] & ENTRY_MASK;
}

static bool stack_add(struct pass *pass, const struct stack_walk *stack)
{
	const uint32_t *words = pass->words;
	uint32_t kernel_from = stack->count, owner, leaf;

	frames_take(pass, stack);
	if (pass->has_kernel) {
		kernel_from = stack_kernel_from(words, stack->count);
		kernel_mark(pass, stack->count, kernel_from);
	}
	kind_shares_add(
		&pass->categories,
		stack_kind(words, stack->count, kernel_from, pass->is_waiting),
		stack->value);
	leaf = words[stack->count - 1] & ENTRY_MASK;
	/* Who is called for is known of one call only. */
	owner = pass->is_of_calls
			? leaf
			: find_owner(words, stack->count, kernel_from);
	return ends_announce(pass, (struct ends){ .owner = owner,
						  .leaf = leaf,
						  .value = stack->value });
}

static bool stacks_add(struct pass *pass)
{
	struct stack_walk *stack = &pass->walk;

	stack_walk_init(stack, pass->t->sides[pass->s].profile);
	while (stack_walk_next(stack))
		if (stack->count && !stack_add(pass, stack))
			return false;
	return ends_flush(pass);
}

static void pass_run(void *task)
{
	struct pass *pass = task;

	if (pass->t->sides[pass->s].profile)
		pass->is_done = pass_init(pass) && stacks_add(pass);
}

static void keep_sums(const struct pass *pass)
{
	struct func_entry *entries = pass->t->entries;

	for (uint32_t id = 0; id < pass->t->count; id++) {
		struct func_entry *entry = &entries[id];

		entry->values[pass->s] = (struct side_values){
			.self_lib = pass->ends[id].self_lib,
			.self = pass->ends[id].self,
			.total = pass->totals[id],
		};
		entry->is_above_kernel |= (pass->sides[id] & ABOVE) != 0;
		entry->is_beneath_kernel |= (pass->sides[id] & BENEATH) != 0;
	}
	pass->t->sides[pass->s].categories = pass->categories;
}

/* ---- leaf and line of each entry ---- */

/* What a gone function looked like is only to be seen in the baseline. */
static bool is_described_by(const struct func_entry *entry, enum side s)
{
	return (entry->values[SIDE_SLOW].total != 0) == (s == SIDE_SLOW);
}

static void choose_leaf(struct func_table *t, uint32_t id, uint32_t leaf,
			int64_t value, int64_t *best)
{
	struct func_entry *owner = &t->entries[id];

	if (value < best[id])
		return;
	if (value > best[id] || func_compare_keys(t, leaf, owner->leaf) < 0)
		owner->leaf = leaf;
	best[id] = value;
}

static void choose_leaves(struct pass *pass, int64_t *best)
{
	struct func_table *t = pass->t;

	for (uint32_t id = 0; id < t->count; id++)
		if (pass->ends[id].both &&
		    is_described_by(&t->entries[id], pass->s))
			choose_leaf(t, id, id, pass->ends[id].both, best);
	for (size_t i = 0; i < pass->pair_count; i++) {
		const struct pair *pair = &pass->pairs[i];

		if (is_described_by(&t->entries[pair->owner], pass->s))
			choose_leaf(t, pair->owner, pair->leaf, pair->value,
				    best);
	}
}

/* Known lines first, then the larger value, then a fixed order. */
static bool is_better_line(const struct func_entry *have, int64_t have_value,
			   struct str file, uint32_t line, int64_t value)
{
	if ((line != 0) != (have->line != 0))
		return line != 0;
	if (value != have_value)
		return value > have_value;
	if (!str_equal(file, have->file))
		return str_compare(file, have->file) < 0;
	return line < have->line;
}

static void choose_lines(struct pass *pass, int64_t *best)
{
	const struct func_side *side = &pass->t->sides[pass->s];
	const struct profile *p = side->profile;

	for (uint32_t i = 0; i < p->frame_count; i++) {
		uint32_t id = side->entries[p->frames[i].function];
		struct func_entry *entry = &pass->t->entries[id];
		struct str file = function_file(p, p->frames[i].function);

		if (!pass->frame_sums[i] || !is_described_by(entry, pass->s))
			continue;
		if (best[id] != INT64_MIN &&
		    !is_better_line(entry, best[id], file, p->frames[i].line,
				    pass->frame_sums[i]))
			continue;
		best[id] = pass->frame_sums[i];
		entry->line = p->frames[i].line;
		entry->file = file.len ? file : (struct str){ NULL, 0 };
		entry->kind = side->classes[p->frames[i].function].kind;
	}
}

/* The totals were kept; the best values of entries take their place. */
static int64_t *no_best(struct pass *pass)
{
	for (size_t i = 0; i < pass->t->count; i++)
		pass->totals[i] = INT64_MIN;
	return pass->totals;
}

static void side_describe(struct pass *pass)
{
	choose_leaves(pass, no_best(pass));
	choose_lines(pass, no_best(pass));
}

/* The slow side is first: the other describes what is gone there. */
static bool pass_take(struct pass *pass, struct error *err)
{
	if (!pass->t->sides[pass->s].profile)
		return true;
	if (!pass->is_done) {
		*err = pass->err;
		return false;
	}
	keep_sums(pass);
	side_describe(pass);
	return true;
}

/* As so many stacks take longer than handing half of them on. */
#define BESIDE_STACKS 1000u

bool func_table_sum(struct func_table *t, struct error *err)
{
	struct pass *passes = arena_array(t->arena, SIDE_COUNT, sizeof *passes);
	struct thread beside = { .worker = NULL };
	const struct profile *base = t->sides[SIDE_BASELINE].profile;
	bool is_done;

	if (!passes)
		return arena_fail(t->arena, "ranking functions", err);
	for (int s = 0; s < SIDE_COUNT; s++) {
		passes[s].t = t;
		passes[s].s = (enum side)s;
		arena_init(&passes[s].arena, LIMIT_ANALYZE_HEAP_BYTES / 2);
	}
	if (base && base->stack_count >= BESIDE_STACKS)
		thread_start(&beside, pass_run, &passes[SIDE_BASELINE]);
	else
		pass_run(&passes[SIDE_BASELINE]);
	pass_run(&passes[SIDE_SLOW]);
	/* Entries are nothing that the other pass looks at. */
	is_done = pass_take(&passes[SIDE_SLOW], err);
	thread_join(&beside);
	is_done = is_done && pass_take(&passes[SIDE_BASELINE], err);
	for (int s = 0; s < SIDE_COUNT; s++)
		arena_release(&passes[s].arena);
	return is_done;
}
