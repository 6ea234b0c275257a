/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/flatcum.h"

#include <string.h>

#include "analyze/function_key.h"
#include "analyze/kind_share.h"
#include "analyze/moved.h"
#include "analyze/code_memo.h"
#include "base/buf.h"
#include "base/num.h"
#include "base/thread.h"
#include "model/stack_walk.h"

uint32_t func_side_function(const struct func_side *side,
			    const struct stack *stack, uint32_t i)
{
	const struct profile *p = side->profile;

	return p->frames[p->frame_ids[stack->frame_first + i]].function;
}

uint32_t func_side_owner(const struct func_side *side,
			 const struct stack *stack)
{
	uint32_t owner = UINT32_MAX;

	for (uint32_t i = 0; i < stack->frame_count; i++) {
		uint32_t function = func_side_function(side, stack, i);
		const struct code_class *class = &side->classes[function];

		if (class->is_kernel_entry)
			break;
		if (class->kind == CODE_APPLICATION)
			owner = function;
	}
	return owner != UINT32_MAX ? owner
				   : func_side_function(side, stack,
							stack->frame_count - 1);
}

/* ---- entries ---- */

static bool no_memory(const struct func_table *t, struct error *err)
{
	return arena_fail(t->arena, "ranking functions", err);
}

static bool entry_add(struct func_table *t, struct str key, struct str name,
		      uint32_t *id, struct error *err)
{
	struct func_entry entry = { .key = key, .name = name };

	if (!str_equal(key, name))
		entry.key = arena_str(t->arena, key);
	else
		entry.key = name;
	entry.leaf = (uint32_t)t->count;
	if (!entry.key.ptr ||
	    !arena_reserve(t->arena, (void **)&t->entries, &t->cap,
			   t->count + 1, sizeof *t->entries) ||
	    !map_insert(&t->map, entry.key, (uint32_t)t->count, id))
		return no_memory(t, err);
	t->entries[t->count++] = entry;
	return true;
}

/* Shows the identity where names differ only in their generated parts. */
static void entry_join(struct func_table *t, uint32_t id, struct str name)
{
	struct func_entry *entry = &t->entries[id];

	if (entry->is_merged || str_equal(entry->name, name))
		return;
	entry->is_merged = true;
	entry->name = entry->key;
	t->merged_count++;
}

static bool entry_of(struct func_table *t, struct str name, struct buf *key,
		     uint32_t *id, struct error *err)
{
	struct str identity = name;

	if (!t->is_plain) {
		buf_clear(key);
		function_key(name, key);
		if (!buf_check(key, "a function name", err))
			return false;
		identity = buf_str(key);
	}
	*id = map_find(&t->map, identity);
	if (*id == MAP_NONE)
		return entry_add(t, identity, name, id, err);
	entry_join(t, *id, name);
	return true;
}

static bool side_alloc(const struct func_table *t, struct func_side *side,
		       struct error *err)
{
	uint32_t count = side->profile->function_count;

	side->entries = arena_array(t->arena, count, sizeof *side->entries);
	side->classes = arena_array(t->arena, count, sizeof *side->classes);
	return (side->entries && side->classes) || no_memory(t, err);
}

static bool side_intern(struct func_table *t, struct func_side *side,
			struct buf *key, struct error *err)
{
	const struct profile *p = side->profile;

	if (!side_alloc(t, side, err))
		return false;
	for (uint32_t f = 0; f < p->function_count; f++)
		if (!entry_of(t, function_name(p, f), key, &side->entries[f],
			      err))
			return false;
	return true;
}

/* Room for all is not taken up before it is used, but that of a table which
 * grew is. */
#define ROOM_MAX ((size_t)1000000)

static bool entries_reserve(struct func_table *t, struct error *err)
{
	size_t count = 0;

	for (int s = 0; s < SIDE_COUNT; s++)
		if (t->sides[s].profile)
			count += t->sides[s].profile->function_count;
	t->cap = min_size(count, ROOM_MAX);
	t->entries = arena_array(t->arena, t->cap, sizeof *t->entries);
	return t->entries || no_memory(t, err);
}

static bool is_same_function(const struct profile *p, uint32_t f,
			     const struct profile *q, uint32_t g)
{
	return str_equal(function_name(p, f), function_name(q, g)) &&
	       str_equal(function_file(p, f), function_file(q, g));
}

/* Two builds have most functions in common: what is known of one is not
 * worked out again. */
static struct code_class classify_function(const struct func_table *t,
					   const struct profile *p, uint32_t f,
					   uint32_t id)
{
	const struct func_side *slow = &t->sides[SIDE_SLOW];
	uint32_t twin = id == ENTRY_NONE ? 0 : t->known[id];

	if (twin && is_same_function(p, f, slow->profile, twin - 1))
		return slow->classes[twin - 1];
	return code_classify(t->rules, function_name(p, f), function_file(p, f),
			     t->languages);
}

static void side_classify(struct func_table *t, enum side s)
{
	struct func_side *side = &t->sides[s];
	const struct profile *p = side->profile;

	for (uint32_t f = 0; p && f < p->function_count; f++) {
		uint32_t id = side->entries[f];

		side->classes[f] = classify_function(t, p, f, id);
		if (s == SIDE_SLOW)
			t->known[id] = f + 1;
		t->entries[id].is_application |=
			side->classes[f].kind == CODE_APPLICATION;
	}
}

/* Both sides vote: a function must be of one kind on both. */
static bool classify(struct func_table *t, struct error *err)
{
	struct language_votes votes = { { 0 } };

	t->known = arena_array(t->arena, t->count, sizeof *t->known);
	if (!t->known)
		return no_memory(t, err);
	for (int s = 0; s < SIDE_COUNT; s++) {
		const struct profile *p = t->sides[s].profile;

		for (uint32_t f = 0; p && f < p->function_count; f++)
			code_memo_vote(t->rules, function_name(p, f),
				       function_file(p, f), &votes);
	}
	t->languages = language_votes_result(&votes);
	for (int s = 0; s < SIDE_COUNT; s++)
		side_classify(t, (enum side)s);
	return true;
}

static uint32_t entry_find(const struct func_table *t, struct str key)
{
	uint32_t id = map_find(&t->map, key);

	return id != MAP_NONE && t->moved_to ? t->moved_to[id] : id;
}

/* Most names have nothing generated in them and are their own identity. */
static bool find_entry(const struct func_table *t, struct str name,
		       struct buf *key, uint32_t *id, struct error *err)
{
	*id = entry_find(t, name);
	if (*id != MAP_NONE)
		return true;
	buf_clear(key);
	function_key(name, key);
	if (!buf_check(key, "a function name", err))
		return false;
	*id = entry_find(t, buf_str(key));
	return true;
}

_Static_assert(ENTRY_NONE == MAP_NONE, "what is not found is no entry");

bool func_side_bind(const struct func_table *t, struct func_side *side,
		    struct error *err)
{
	const struct profile *p = side->profile;
	struct buf key;
	bool is_done = side_alloc(t, side, err);

	buf_init(&key, 2 * LIMIT_STRING_BYTES);
	for (uint32_t f = 0; is_done && f < p->function_count; f++) {
		is_done = find_entry(t, function_name(p, f), &key,
				     &side->entries[f], err);
		if (is_done)
			side->classes[f] =
				classify_function(t, p, f, side->entries[f]);
	}
	buf_release(&key);
	return is_done;
}

/* ---- values ---- */

/* What is added up once a stack. */
struct ends_sum {
	int64_t owned;
	int64_t self;
	int64_t both; /* as owner and leaf at once */
};

/* Scratch of one side's pass over its stacks; nothing in it is shared, so that
 * both sides can be gone through at once. What a function took is the sum over
 * its frames without what was counted more than once: so all that is touched
 * for each frame of each stack are its entry and where that was seen last. */
struct pass {
	struct func_table *t;
	enum side s;
	struct arena arena;
	struct error err;
	bool is_done;
	uint32_t *words;       /* by frame: its class and its entry */
	int64_t *frame_sums;   /* less what repeats within a stack */
	uint32_t *frame_seen;  /* number of the last stack with repeats */
	uint32_t *seen;        /* by entry: number of the last stack */
	int64_t *totals;       /* by entry: likewise */
	struct ends_sum *ends; /* by entry */
	unsigned char *sides;  /* by entry: of the kernel, see ABOVE */
	struct kind_shares kinds;
	bool has_kernel;
	bool is_waiting;
	bool is_capped;      /* sums are: nothing is taken off them */
	struct map pair_map; /* (owner, leaf) */
	struct pair *pairs;
	size_t pair_count;
	size_t pair_cap;
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
	pass->is_waiting = kinds_wait(p);
	profile_frame_sums(p, pass->frame_sums);
	for (uint32_t i = 0; i < p->frame_count; i++) {
		uint32_t function = p->frames[i].function;
		uint32_t entry = side->entries[function];
		const struct code_class *class = &side->classes[function];

		pass->words[i] =
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

	pass->words = arena_array(arena, frames, sizeof *pass->words);
	pass->frame_sums = arena_array(arena, frames, sizeof *pass->frame_sums);
	pass->frame_seen = arena_array(arena, frames, sizeof *pass->frame_seen);
	pass->seen = arena_array(arena, entries, sizeof *pass->seen);
	pass->totals = arena_array(arena, entries, sizeof *pass->totals);
	pass->ends = arena_array(arena, entries, sizeof *pass->ends);
	pass->sides = arena_array(arena, entries, 1);
	map_init(&pass->pair_map, arena);
	if (!pass->words || !pass->frame_sums || !pass->frame_seen ||
	    !pass->seen || !pass->totals || !pass->ends || !pass->sides)
		return pass_fail(pass);
	pass_fill(pass);
	return true;
}

static void add(int64_t *sum, int64_t value)
{
	*sum = sat_add_i64(*sum, value);
}

static bool pair_add(struct pass *pass, uint32_t owner, uint32_t leaf,
		     int64_t value)
{
	uint64_t key = (uint64_t)owner << 32 | leaf;
	uint32_t at;

	if (!map_insert_u64(&pass->pair_map, key, (uint32_t)pass->pair_count,
			    &at))
		return pass_fail(pass);
	if (at == pass->pair_count) {
		if (!arena_reserve(&pass->arena, (void **)&pass->pairs,
				   &pass->pair_cap, pass->pair_count + 1,
				   sizeof *pass->pairs))
			return pass_fail(pass);
		pass->pairs[pass->pair_count++] =
			(struct pair){ owner, leaf, 0 };
	}
	add(&pass->pairs[at].value, value);
	return true;
}

static void take_off(struct pass *pass, int64_t *sum, int64_t value)
{
	if (!pass->is_capped)
		*sum = wrap_sub_i64(*sum, value);
}

/* Of frames that are on the stack twice. */
static void repeats_drop(struct pass *pass, const struct stack_walk *stack)
{
	struct stack_walk with_frames;

	stack_walk_frames(stack, &with_frames);
	for (uint32_t i = 0; i < stack->count; i++) {
		uint32_t frame = with_frames.frames[i];

		if (pass->frame_seen[frame] == stack->index)
			take_off(pass, &pass->frame_sums[frame], stack->value);
		pass->frame_seen[frame] = stack->index;
	}
}

/* Recursion and inlining count a stack once. */
static void repeats_find(struct pass *pass, const struct stack_walk *stack)
{
	bool is_repeated = false;

	for (uint32_t i = 0; i < stack->count; i++) {
		uint32_t entry = stack->frames[i] & ENTRY_MASK;

		if (pass->seen[entry] == stack->index) {
			take_off(pass, &pass->totals[entry], stack->value);
			is_repeated = true;
		}
		pass->seen[entry] = stack->index;
	}
	if (is_repeated)
		repeats_drop(pass, stack);
}

static void kernel_mark(struct pass *pass, const struct stack_walk *stack,
			uint32_t kernel_from)
{
	for (uint32_t i = 0; i < stack->count; i++)
		pass->sides[stack->frames[i] & ENTRY_MASK] |=
			i < kernel_from ? ABOVE : BENEATH;
}

/* As func_side_owner(), its entry. */
static uint32_t find_owner(const struct stack_walk *stack, uint32_t kernel_from)
{
	uint32_t i = kernel_from;

	while (i-- > 0) {
		uint32_t word = stack->frames[i];

		if (code_class_unpack((unsigned char)(word >> KIND_SHIFT))
			    .kind == CODE_APPLICATION)
			return word & ENTRY_MASK;
	}
	return stack->frames[stack->count - 1] & ENTRY_MASK;
}

static bool stack_add(struct pass *pass, const struct stack_walk *stack)
{
	uint32_t kernel_from = stack->count, owner, leaf;

	if (pass->has_kernel) {
		kernel_from = stack_kernel_from(stack->frames, stack->count);
		kernel_mark(pass, stack, kernel_from);
	}
	repeats_find(pass, stack);
	kind_shares_add(&pass->kinds,
			stack_kind(stack->frames, stack->count, kernel_from,
				   pass->is_waiting),
			stack->value);
	owner = find_owner(stack, kernel_from);
	leaf = stack->frames[stack->count - 1] & ENTRY_MASK;
	add(&pass->ends[owner].owned, stack->value);
	add(&pass->ends[leaf].self, stack->value);
	if (owner != leaf)
		return pair_add(pass, owner, leaf, stack->value);
	add(&pass->ends[owner].both, stack->value);
	return true;
}

static bool stacks_add(struct pass *pass)
{
	const struct profile *p = pass->t->sides[pass->s].profile;
	struct stack_walk stack;

	if (!stack_walk_init_words(&stack, p, pass->words, &pass->arena,
				   &pass->err))
		return false;
	while (stack_walk_next(&stack))
		if (stack.count && !stack_add(pass, &stack))
			return false;
	return true;
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
			.owned = pass->ends[id].owned,
			.self = pass->ends[id].self,
			.total = pass->totals[id],
		};
		entry->is_above_kernel |= (pass->sides[id] & ABOVE) != 0;
		entry->is_beneath_kernel |= (pass->sides[id] & BENEATH) != 0;
	}
	pass->t->sides[pass->s].kinds = pass->kinds;
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
	if (value > best[id] ||
	    str_compare(t->entries[leaf].key, t->entries[owner->leaf].key) < 0)
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

static bool side_describe(struct pass *pass, struct error *err)
{
	struct func_table *t = pass->t;
	int64_t *best = arena_array(t->arena, t->count, sizeof *best);

	if (!best)
		return no_memory(t, err);
	for (size_t i = 0; i < t->count; i++)
		best[i] = INT64_MIN;
	choose_leaves(pass, best);
	for (size_t i = 0; i < t->count; i++)
		best[i] = INT64_MIN;
	choose_lines(pass, best);
	return true;
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
	return side_describe(pass, err);
}

/* As so many stacks take longer than the start of a thread. */
#define BESIDE_STACKS 20000u

static bool sides_add(struct func_table *t, struct error *err)
{
	struct pass passes[SIDE_COUNT];
	struct thread beside = { .is_running = false };
	const struct profile *base = t->sides[SIDE_BASELINE].profile;
	bool is_done;

	for (int s = 0; s < SIDE_COUNT; s++) {
		passes[s] = (struct pass){ .t = t, .s = (enum side)s };
		arena_init(&passes[s].arena, LIMIT_ANALYZE_HEAP_BYTES / 2);
	}
	if (base && base->stack_count >= BESIDE_STACKS)
		thread_start(&beside, pass_run, &passes[SIDE_BASELINE]);
	else
		pass_run(&passes[SIDE_BASELINE]);
	pass_run(&passes[SIDE_SLOW]);
	thread_join(&beside);
	is_done = pass_take(&passes[SIDE_SLOW], err) &&
		  pass_take(&passes[SIDE_BASELINE], err);
	for (int s = 0; s < SIDE_COUNT; s++)
		arena_release(&passes[s].arena);
	return is_done;
}

bool func_table_build(struct func_table *t, struct arena *arena,
		      const struct profile *slow,
		      const struct profile *baseline,
		      const struct code_rules *rules, bool is_plain,
		      struct error *err)
{
	struct buf key;
	bool is_done;

	*t = (struct func_table){ .arena = arena,
				  .rules = rules,
				  .is_plain = is_plain };
	t->sides[SIDE_SLOW].profile = slow;
	t->sides[SIDE_BASELINE].profile = baseline;
	map_init(&t->map, arena);
	buf_init(&key, 2 * LIMIT_STRING_BYTES);
	is_done = entries_reserve(t, err);
	for (int s = 0; is_done && s < SIDE_COUNT; s++)
		if (t->sides[s].profile)
			is_done = side_intern(t, &t->sides[s], &key, err);
	buf_release(&key);
	if (!is_done || (slow && baseline && !moved_join(t, err)) ||
	    !classify(t, err))
		return false;
	return sides_add(t, err);
}

/* Most functions of the kernel have no rule: their place tells. */
enum code_kind func_entry_kind(const struct func_entry *entry)
{
	if (!entry->is_application)
		return entry->kind;
	return entry->is_beneath_kernel && !entry->is_above_kernel
		       ? CODE_KERNEL
		       : CODE_APPLICATION;
}

static bool is_cut(const struct func_side *side)
{
	return side->profile && side->profile->truncated_share > 0;
}

bool func_is_cut_off(const struct func_table *t, uint32_t id)
{
	return (is_cut(&t->sides[SIDE_SLOW]) ||
		is_cut(&t->sides[SIDE_BASELINE])) &&
	       str_equal(t->entries[id].key, STR("other"));
}
