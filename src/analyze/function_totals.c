/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/function_table.h"

#include <string.h>

#include "analyze/category_share.h"
#include "analyze/code_kind.h"
#include "analyze/function_identity.h"
#include "analyze/profile_analysis.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/num.h"
#include "base/str.h"
#include "base/thread.h"
#include "model/profile.h"

/* Tells of what kind the functions of a table are. */

struct categories {
	struct func_table *t;
	struct arena scratch;
	struct code_subject *subjects; /* of the slow side, by function */
	uint32_t *twins;               /* by function of the baseline */
	enum diff_side s;              /* the side that is looked at */
	struct language_votes votes[THREAD_HALVES];
};

/* Two builds have most functions in common: what is known of one is not
 * worked out again. The same function of the slow side, or ENTRY_NONE. */
static uint32_t twin_of(const struct func_table *t, const struct profile *p,
			uint32_t f, uint32_t id)
{
	const struct profile *slow = t->sides[SIDE_SLOW].profile;
	uint32_t known = id < t->known_count ? t->known[id] : 0;

	return known &&
			       str_equal(function_name(p, f),
					 function_name(slow, known - 1)) &&
			       str_equal(function_file(p, f),
					 function_file(slow, known - 1))
		       ? known - 1
		       : ENTRY_NONE;
}

/* ---- which languages ---- */

/* Most functions of the baseline are also on the other side. */
static struct code_subject own_subject(const struct categories *k, uint32_t f)
{
	const struct profile *p = k->t->sides[k->s].profile;

	return code_subject_of(function_name(p, f), function_file(p, f));
}

static void languages_vote(struct thread_part *part)
{
	struct categories *k = part->task;
	const struct func_side *side = &k->t->sides[k->s];
	const struct profile *p = side->profile;
	struct language_votes votes = k->votes[part->number];

	for (uint32_t f = (uint32_t)part->first; f < part->end; f++) {
		unsigned int languages;

		if (k->s == SIDE_SLOW) {
			k->subjects[f] = own_subject(k, f);
			languages = k->subjects[f].languages;
		} else {
			uint32_t twin = twin_of(k->t, p, f, side->entries[f]);

			k->twins[f] = twin;
			languages = twin != ENTRY_NONE
					    ? k->subjects[twin].languages
					    : own_subject(k, f).languages;
		}
		language_votes_add(&votes, languages,
				   function_file(p, f).len > 0);
	}
	k->votes[part->number] = votes;
}

/* ---- which kinds ---- */

static void kinds_tell(struct thread_part *part)
{
	const struct categories *k = part->task;
	struct func_table *t = k->t;
	struct func_side *side = &t->sides[k->s];

	for (uint32_t f = (uint32_t)part->first; f < part->end; f++) {
		struct code_subject own;
		const struct code_subject *subject = &own;

		if (k->s != SIDE_SLOW && k->twins[f] != ENTRY_NONE) {
			side->classes[f] =
				t->sides[SIDE_SLOW].classes[k->twins[f]];
			continue;
		}
		if (k->s == SIDE_SLOW)
			subject = &k->subjects[f];
		else
			own = own_subject(k, f);
		side->classes[f] =
			code_classify_subject(t->rules, subject, t->languages);
	}
}

/* ---- both sides ---- */

static uint32_t functions_of(const struct func_table *t, enum diff_side s)
{
	return t->sides[s].profile ? t->sides[s].profile->function_count : 0;
}

/* As so many functions of a side take longer than handing half of them on. */
#define FUNC_BESIDE 2048u

/* Fills in the classes of both sides, and which entries are of the application.
 * Both sides vote for the languages: a function must be of one kind on both.
 * Large sides are gone through in halves, at once. The entries of the sides
 * must be there. */
static bool categories_find(struct categories *k, struct error *err)
{
	struct func_table *t = k->t;
	uint32_t slow_count = functions_of(t, SIDE_SLOW);

	t->known = arena_array(t->arena, t->count, sizeof *t->known);
	t->known_count = (uint32_t)t->count;
	k->subjects = arena_array(&k->scratch, slow_count, sizeof *k->subjects);
	k->twins = arena_array(&k->scratch, functions_of(t, SIDE_BASELINE),
			       sizeof *k->twins);
	if (!t->known)
		return arena_fail(t->arena, "ranking functions", err);
	if (!k->subjects || !k->twins)
		return arena_fail(&k->scratch, "ranking functions", err);
	for (uint32_t f = 0; f < slow_count; f++)
		t->known[t->sides[SIDE_SLOW].entries[f]] = f + 1;
	for (int s = 0; s < SIDE_COUNT; s++) {
		k->s = (enum diff_side)s;
		thread_halves(languages_vote, k, functions_of(t, k->s),
			      FUNC_BESIDE);
	}
	language_votes_join(&k->votes[0], &k->votes[1]);
	t->languages = language_votes_result(&k->votes[0]);
	for (int s = 0; s < SIDE_COUNT; s++) {
		const struct func_side *side = &t->sides[s];
		uint32_t count = functions_of(t, (enum diff_side)s);

		k->s = (enum diff_side)s;
		thread_halves(kinds_tell, k, count, FUNC_BESIDE);
		for (uint32_t f = 0; f < count; f++)
			t->entries[side->entries[f]].is_application |=
				side->classes[f].kind == CODE_APPLICATION;
	}
	return true;
}

/* Adds up the stacks of both sides by the entries of a table. */

/* The sums per stack. */
struct ends_sum {
	int64_t self_lib;
	int64_t self;
	int64_t both; /* as owner and leaf at once */
};

/* The indices of sums that a stack adds to. The sums are far apart in memory:
 * they are prefetched some stacks ahead. */
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
	enum diff_side s;
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

static bool pass_init(struct pass *pass)
{
	const struct func_side *side = &pass->t->sides[pass->s];
	const struct profile *p = side->profile;
	size_t entries = pass->t->count;
	struct arena *arena = &pass->arena;

	pass->frames = arena_array(arena, p->frame_count, sizeof *pass->frames);
	pass->again = arena_array(arena, p->frame_count, sizeof *pass->again);
	pass->frame_sums =
		arena_array(arena, p->frame_count, sizeof *pass->frame_sums);
	pass->seen = arena_array(arena, entries, sizeof *pass->seen);
	pass->totals = arena_array(arena, entries, sizeof *pass->totals);
	pass->ends = arena_array(arena, entries, sizeof *pass->ends);
	pass->sides = arena_array(arena, entries, 1);
	map_init(&pass->pair_map, arena);
	if (!pass->frames || !pass->again || !pass->frame_sums || !pass->seen ||
	    !pass->totals || !pass->ends || !pass->sides)
		return pass_fail(pass);
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
		memset(pass->sides, 0, entries);
	return true;
}

static void sum_add(int64_t *sum, int64_t value)
{
	*sum = sat_add_i64(*sum, value);
}

static uint64_t pair_key(const struct ends *ends)
{
	return (uint64_t)ends->owner << 32 | ends->leaf;
}

static bool ends_add(struct pass *pass, const struct ends *ends)
{
	uint32_t at;

	sum_add(&pass->ends[ends->owner].self_lib, ends->value);
	sum_add(&pass->ends[ends->leaf].self, ends->value);
	if (ends->owner == ends->leaf) {
		sum_add(&pass->ends[ends->owner].both, ends->value);
		return true;
	}
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
	sum_add(&pass->pairs[at].value, ends->value);
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

static void take_off(struct pass *pass, int64_t *sum, int64_t value)
{
	if (!pass->is_capped)
		*sum = wrap_sub_i64(*sum, value);
}

/* Looks up the frames that the stack before had not. What was seen on another
 * stack may be gone: its place tells. Whether it is cannot be foreseen, which
 * is why both are asked. */
static void frames_see(struct pass *pass, const struct stack_walk *stack)
{
	const uint32_t *ids = stack->frames, *words = pass->words;

	for (uint32_t i = stack->kept; i < stack->count; i++) {
		uint32_t word = pass->frames[ids[i]];
		uint32_t at = pass->seen[word & ENTRY_MASK], again;
		uint32_t differing =
			((words[at] ^ word) & ENTRY_MASK) | (uint32_t)(at >= i);
		bool is_same_frame;

		pass->words[i] = word;
		if (differing) {
			pass->seen[word & ENTRY_MASK] = i;
			continue;
		}
		/* Frames that are not the first of their entry are few. */
		again = pass->again[ids[i]];
		is_same_frame = ids[at] == ids[i] ||
				(again < i && ids[again] == ids[i]);
		if (!is_same_frame)
			pass->again[ids[i]] = i;
		pass->repeats[pass->repeat_count++] =
			(struct repeat){ (uint16_t)i, is_same_frame };
	}
}

static enum code_kind kind_of(uint32_t word)
{
	return code_class_unpack((unsigned char)(word >> KIND_SHIFT)).kind;
}

/* As func_side_owner(), its entry. */
static uint32_t find_owner(const uint32_t *words, uint32_t count,
			   uint32_t kernel_from, bool is_of_goroutines)
{
	uint32_t i = kernel_from;

	while (i-- > 0)
		if (kind_of(words[i]) == CODE_APPLICATION)
			return words[i] & ENTRY_MASK;
	for (i = is_of_goroutines ? count : 0; i-- > 0;)
		if (kind_calls_wait(kind_of(words[i])))
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

	while (pass->repeat_count &&
	       pass->repeats[pass->repeat_count - 1].at >= stack->kept)
		pass->repeat_count--;
	frames_see(pass, stack);
	/* Recursion and inlining count a stack once. */
	for (uint32_t i = 0; i < pass->repeat_count; i++) {
		const struct repeat *r = &pass->repeats[i];

		take_off(pass, &pass->totals[words[r->at] & ENTRY_MASK],
			 stack->value);
		if (r->is_same_frame)
			take_off(pass, &pass->frame_sums[stack->frames[r->at]],
				 stack->value);
	}
	if (pass->has_kernel) {
		kernel_from = stack_kernel_from(words, stack->count);
		for (uint32_t i = 0; i < stack->count; i++)
			pass->sides[words[i] & ENTRY_MASK] |=
				i < kernel_from ? ABOVE : BENEATH;
	}
	kind_shares_add(
		&pass->categories,
		stack_kind(words, stack->count, kernel_from, pass->is_waiting),
		stack->value);
	leaf = words[stack->count - 1] & ENTRY_MASK;
	/* Who is called for is known of one call only. */
	owner = pass->is_of_calls
			? leaf
			: find_owner(words, stack->count, kernel_from,
				     pass->t->sides[pass->s].is_of_goroutines);
	return ends_announce(pass, (struct ends){ .owner = owner,
						  .leaf = leaf,
						  .value = stack->value });
}

static void pass_run(void *task)
{
	struct pass *pass = task;
	struct stack_walk *stack = &pass->walk;
	uint32_t left;

	if (!pass->t->sides[pass->s].profile || !pass_init(pass))
		return;
	stack_walk_init(stack, pass->t->sides[pass->s].profile);
	while (stack_walk_next(stack))
		if (stack->count && !stack_add(pass, stack))
			return;
	left = (uint32_t)min_size(pass->ahead_count, ENDS_AHEAD);
	for (; left; left--)
		if (!ends_add(pass, &pass->ahead[(pass->ahead_count - left) %
						 ENDS_AHEAD]))
			return;
	pass->is_done = true;
}

/* ---- leaf and line of each entry ---- */

/* A function that disappeared is described by the baseline. */
static bool is_described_by(const struct func_entry *entry, enum diff_side s)
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
static void choose_lines(struct pass *pass, int64_t *best)
{
	const struct func_side *side = &pass->t->sides[pass->s];
	const struct profile *p = side->profile;

	for (uint32_t i = 0; i < p->frame_count; i++) {
		uint32_t id = side->entries[p->frames[i].function];
		struct func_entry *entry = &pass->t->entries[id];
		struct str file = function_file(p, p->frames[i].function);
		uint32_t line = p->frames[i].line;
		int order;

		if (!pass->frame_sums[i] || !is_described_by(entry, pass->s))
			continue;
		order = (line != 0) - (entry->line != 0);
		if (!order)
			order = compare_i64(pass->frame_sums[i], best[id]);
		if (!order)
			order = str_compare(entry->file, file);
		if (!order)
			order = compare_u64(entry->line, line);
		if (best[id] != INT64_MIN && order <= 0)
			continue;
		best[id] = pass->frame_sums[i];
		entry->line = line;
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

/* The slow side is first: the other describes what is gone there. */
static bool pass_take(struct pass *pass, struct error *err)
{
	struct func_side *side = &pass->t->sides[pass->s];

	if (!side->profile)
		return true;
	if (!pass->is_done) {
		*err = pass->err;
		return false;
	}
	for (uint32_t id = 0; id < pass->t->count; id++) {
		struct func_entry *entry = &pass->t->entries[id];

		entry->values[pass->s] = (struct side_values){
			.self_lib = pass->ends[id].self_lib,
			.self = pass->ends[id].self,
			.total = pass->totals[id],
		};
		entry->is_above_kernel |= (pass->sides[id] & ABOVE) != 0;
		entry->is_beneath_kernel |= (pass->sides[id] & BENEATH) != 0;
	}
	side->categories = pass->categories;
	choose_leaves(pass, no_best(pass));
	choose_lines(pass, no_best(pass));
	return true;
}

/* As so many stacks take longer than handing half of them on. */
#define BESIDE_STACKS 1000u

/* Fills in the values of the entries, and what those tell: leaf, file and line,
 * kind, and where of the kernel's entry they are. Large sides are gone through
 * at once. The entries and classes of the sides must be there. */
static bool func_table_sum(struct func_table *t, struct error *err)
{
	struct pass *passes = arena_array(t->arena, SIDE_COUNT, sizeof *passes);
	struct thread beside = { .worker = NULL };
	const struct profile *base = t->sides[SIDE_BASELINE].profile;
	bool is_done;

	if (!passes)
		return arena_fail(t->arena, "ranking functions", err);
	for (int s = 0; s < SIDE_COUNT; s++) {
		passes[s].t = t;
		passes[s].s = (enum diff_side)s;
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

/* Finds out which functions of both sides are one. */

static bool no_memory(const struct func_table *t, struct error *err)
{
	return arena_fail(t->arena, "ranking functions", err);
}

/* Room for what is known of a side's functions. */
static bool func_side_alloc(const struct func_table *t, struct func_side *side,
			    struct error *err)
{
	uint32_t count = side->profile->function_count;

	side->entries = arena_array(t->arena, count, sizeof *side->entries);
	side->classes = arena_array(t->arena, count, sizeof *side->classes);
	side->is_of_goroutines = counts_goroutines(side->profile);
	return (side->entries && side->classes) || no_memory(t, err);
}

/* ---- entries ---- */

static bool entry_add(struct func_table *t, struct str key, uint32_t hash,
		      struct str name, uint32_t *id, struct error *err)
{
	struct func_entry entry = { .key = key, .name = name };

	if (key.ptr != name.ptr)
		entry.key = arena_str(t->arena, key);
	entry.leaf = (uint32_t)t->count;
	if (!entry.key.ptr ||
	    !arena_reserve(t->arena, (void **)&t->entries, &t->cap,
			   t->count + 1, sizeof *t->entries) ||
	    !map_insert_hashed(&t->map, entry.key, hash, (uint32_t)t->count,
			       id))
		return no_memory(t, err);
	t->entries[t->count++] = entry;
	return true;
}

bool func_table_add(struct func_table *t, struct str identity, uint32_t *id,
		    struct error *err)
{
	*id = map_find(&t->map, identity);
	return *id != MAP_NONE ||
	       entry_add(t, identity, map_hash(identity), identity, id, err);
}

static bool enter_function(struct func_table *t, struct func_side *side,
			   const struct func_names *x, uint32_t f,
			   struct buf *key, struct error *err)
{
	struct str name = function_name(side->profile, f), identity;
	uint32_t *id = &side->entries[f];
	struct func_entry *entry;
	bool is_known;

	if (!func_names_identity(x, f, key, &identity, err))
		return false;
	*id = map_find_hashed(&t->map, identity, x->hashes[f]);
	is_known = *id != MAP_NONE;
	if (!is_known && !entry_add(t, identity, x->hashes[f], name, id, err))
		return false;
	entry = &t->entries[*id];
	/* The identity is shown where names differ only in their generated
	 * parts. */
	if (is_known && !entry->is_merged && !entry->is_placed &&
	    !str_equal(entry->name, name)) {
		entry->is_merged = true;
		entry->name = entry->key;
		t->merged_count++;
	}
	if (func_names_is_placed(x, f)) {
		/* The place is shown with the name. */
		entry->name = entry->key;
		entry->is_placed = t->has_placed = true;
	} else if (func_names_is_joined(x, f)) {
		entry->is_joined = true;
	}
	return true;
}

/* ---- both sides ---- */

static bool sides_enter(struct func_table *t, struct func_names *x,
			struct arena *scratch, struct buf *key,
			struct error *err)
{
	if (!func_names_find(x, scratch, err))
		return false;
	for (int s = 0; s < SIDE_COUNT; s++) {
		const struct profile *p = t->sides[s].profile;
		uint32_t count = p ? p->function_count : 0;

		if (p && !func_side_alloc(t, &t->sides[s], err))
			return false;
		for (uint32_t f = 0; f < count; f++) {
			size_t ahead = min_size(count - f, MAP_GROUP);

			if (f % MAP_GROUP == 0)
				map_approach_all(&t->map, &x[s].hashes[f],
						 ahead);
			if (!enter_function(t, &t->sides[s], &x[s], f, key,
					    err))
				return false;
		}
	}
	return true;
}

#define ROOM_MAX ((size_t)1000000)
#define NEW_SHARE 16

/* Fills in the entries of the table and, by function, those of its sides, whose
 * profiles are set. */
static bool func_table_enter(struct func_table *t, enum func_naming naming,
			     struct error *err)
{
	struct func_names x[SIDE_COUNT];
	struct arena scratch;
	struct buf key;
	size_t most = 0;
	bool is_done;

	map_init(&t->map, t->arena);
	arena_init(&scratch, LIMIT_ANALYZE_HEAP_BYTES);
	buf_init(&key, 2 * LIMIT_STRING_BYTES);
	for (int s = 0; s < SIDE_COUNT; s++) {
		x[s] = (struct func_names){ .profile = t->sides[s].profile,
					    .naming = naming };
		most = max_size(most, functions_of(t, (enum diff_side)s));
	}
	/* Most functions are on both sides: as many as the larger one has, and
	 * a few for those that only the other has. Trimmed afterwards. */
	most += most / NEW_SHARE;
	is_done = (arena_reserve_exactly(t->arena, (void **)&t->entries,
					 &t->cap, min_size(most, ROOM_MAX),
					 sizeof *t->entries) ||
		   no_memory(t, err)) &&
		  sides_enter(t, x, &scratch, &key, err);
	arena_trim(t->arena, (void **)&t->entries, &t->cap, t->count,
		   sizeof *t->entries);
	buf_release(&key);
	arena_release(&scratch);
	return is_done;
}

uint32_t func_table_find(const struct func_table *t, struct str key)
{
	uint32_t id = map_find(&t->map, key);

	return id != MAP_NONE && t->moved_to ? t->moved_to[id] : id;
}

/* Looks up a name that is not in the table unchanged. */
static uint32_t identity_look(const struct func_table *t, struct str name,
			      struct str place, struct buf *out)
{
	uint32_t id = ENTRY_NONE;

	for (int key = NAME_KEY_EXACT;
	     id == ENTRY_NONE && key <= NAME_KEY_STABLE; key++) {
		buf_clear(out);
		func_identity_add(name, place, (enum name_key)key, out);
		id = func_table_find(t, buf_str(out));
	}
	return id;
}

/* Most names have nothing in them that is none of them, and are their own
 * identity. */
bool func_table_find_name(const struct func_table *t, struct str name,
			struct str place, struct buf *key, uint32_t *id,
			struct error *err)
{
	*id = ENTRY_NONE;
	buf_clear(key);
	if (t->has_placed && place.len)
		*id = identity_look(t, name, place, key);
	if (*id == ENTRY_NONE)
		*id = func_table_find(t, name);
	if (*id == ENTRY_NONE && !t->is_plain)
		*id = identity_look(t, name, STR(""), key);
	return buf_check(key, "a function name", err);
}

_Static_assert(ENTRY_NONE == MAP_NONE, "what is not found is no entry");

bool func_side_bind(const struct func_table *t, struct func_side *side,
		    struct error *err)
{
	const struct profile *p = side->profile;
	struct buf key;
	bool is_done = func_side_alloc(t, side, err);

	buf_init(&key, 2 * LIMIT_STRING_BYTES);
	for (uint32_t f = 0; is_done && f < p->function_count; f++) {
		uint32_t twin;

		is_done = func_table_find_name(t, function_name(p, f),
					       func_place(p, f), &key,
					       &side->entries[f], err);
		if (!is_done)
			break;
		twin = twin_of(t, p, f, side->entries[f]);
		side->classes[f] =
			twin != ENTRY_NONE
				? t->sides[SIDE_SLOW].classes[twin]
				: code_classify(t->rules, function_name(p, f),
						function_file(p, f),
						t->languages);
	}
	buf_release(&key);
	return is_done;
}

bool func_table_build(struct func_table *t, struct arena *arena,
		      const struct profile *slow,
		      const struct profile *baseline,
		      const struct code_rules *rules, enum func_naming naming,
		      struct error *err)
{
	struct categories k = { .t = t };
	bool is_done;

	*t = (struct func_table){ .arena = arena,
				  .rules = rules,
				  .is_plain = naming == FUNC_NAMES_PLAIN };
	t->sides[SIDE_SLOW].profile = slow;
	t->sides[SIDE_BASELINE].profile = baseline;
	arena_init(&k.scratch, LIMIT_ANALYZE_HEAP_BYTES);
	is_done = func_table_enter(t, naming, err) &&
		  (!slow || !baseline || moved_join(t, err)) &&
		  categories_find(&k, err);
	arena_release(&k.scratch);
	return is_done && func_table_sum(t, err);
}
