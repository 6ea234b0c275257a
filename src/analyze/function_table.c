/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/function_table.h"

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
	uint32_t owner = UINT32_MAX, named = UINT32_MAX, caller = UINT32_MAX;

	for (uint32_t i = 0; i < stack->frame_count; i++) {
		uint32_t function = func_side_function(side, stack, i);
		const struct code_class *class = &side->classes[function];

		if (class->kind != CODE_UNKNOWN)
			named = function;
		if (side->is_of_goroutines && kind_calls_wait(class->kind))
			caller = function;
		if (class->is_kernel_entry)
			kernel_from = i < kernel_from ? i : kernel_from;
		if (class->kind == CODE_APPLICATION && i < kernel_from)
			owner = function;
	}
	if (owner != UINT32_MAX)
		return owner;
	if (caller != UINT32_MAX)
		return caller;
	return named != UINT32_MAX ? named
				   : func_side_function(side, stack,
							stack->frame_count - 1);
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
