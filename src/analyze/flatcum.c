/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/flatcum.h"

#include "analyze/flatcum_entries.h"
#include "analyze/flatcum_kinds.h"
#include "analyze/flatcum_sums.h"
#include "analyze/moved.h"
#include "model/source_path.h"

uint32_t func_side_function(const struct func_side *side,
			    const struct stack *stack, uint32_t i)
{
	const struct profile *p = side->profile;

	return p->frames[p->frame_ids[stack->frame_first + i]].function;
}

uint32_t func_side_owner(const struct func_side *side,
			 const struct stack *stack)
{
	uint32_t kernel_from = stack->frame_count;
	uint32_t owner = UINT32_MAX, named = UINT32_MAX;

	for (uint32_t i = 0; i < stack->frame_count; i++) {
		uint32_t function = func_side_function(side, stack, i);
		const struct code_class *class = &side->classes[function];

		if (class->kind != CODE_UNKNOWN)
			named = function;
		if (class->is_kernel_entry)
			kernel_from = i < kernel_from ? i : kernel_from;
		if (class->kind == CODE_APPLICATION && i < kernel_from)
			owner = function;
	}
	if (owner != UINT32_MAX)
		return owner;
	return named != UINT32_MAX ? named
				   : func_side_function(side, stack,
							stack->frame_count - 1);
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
	struct str identity;

	*id = entry_find(t, name);
	if (*id != MAP_NONE)
		return true;
	if (!func_identity(name, key, &identity, err))
		return false;
	*id = entry_find(t, identity);
	return true;
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
		is_done = find_entry(t, function_name(p, f), &key,
				     &side->entries[f], err);
		if (is_done)
			side->classes[f] =
				func_table_class(t, p, f, side->entries[f]);
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
	*t = (struct func_table){ .arena = arena,
				  .rules = rules,
				  .is_plain = is_plain };
	t->sides[SIDE_SLOW].profile = slow;
	t->sides[SIDE_BASELINE].profile = baseline;
	return func_table_enter(t, err) &&
	       (!slow || !baseline || moved_join(t, err)) &&
	       func_table_classify(t, err) && func_table_sum(t, err);
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

struct str func_table_root(const struct func_table *t)
{
	struct source_root root = { .is_begun = false };

	for (size_t i = 0; i < t->count; i++)
		if (t->entries[i].is_application)
			source_root_add(&root, t->entries[i].file);
	return root.folder;
}

static bool is_cut(const struct func_side *side)
{
	return side->profile && side->profile->truncated_share > 0;
}

bool func_is_nameless(const struct func_table *t, uint32_t id)
{
	if (!t->is_plain && code_is_address(t->entries[id].key))
		return true;
	return (is_cut(&t->sides[SIDE_SLOW]) ||
		is_cut(&t->sides[SIDE_BASELINE])) &&
	       str_equal(t->entries[id].key, STR("other"));
}
