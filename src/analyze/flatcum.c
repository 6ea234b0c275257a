/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/flatcum.h"

#include "analyze/flatcum_sums.h"
#include "analyze/function_key.h"
#include "analyze/moved.h"
#include "analyze/code_memo.h"
#include "base/buf.h"
#include "base/num.h"

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

static bool entry_add(struct func_table *t, struct str key, uint32_t hash,
		      struct str name, uint32_t *id, struct error *err)
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
	    !map_insert_hashed(&t->map, entry.key, hash, (uint32_t)t->count,
			       id))
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
	uint32_t hash;

	if (!t->is_plain) {
		buf_clear(key);
		function_key(name, key);
		if (!buf_check(key, "a function name", err))
			return false;
		identity = buf_str(key);
	}
	hash = map_hash(identity);
	*id = map_find_hashed(&t->map, identity, hash);
	if (*id == MAP_NONE)
		return entry_add(t, identity, hash, name, id, err);
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
	return func_table_sum(t, err);
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
