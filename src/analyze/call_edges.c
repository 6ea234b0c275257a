/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/call_graph.h"

#include "base/num.h"
#include "model/profile.h"

struct edge_pass {
	struct call_edges *edges;
	const struct func_side *side;
	enum diff_side s;
	const bool *is_chosen;
	uint32_t *seen; /* by entry: number of the last stack, from 1 */
};

static bool edge_add(struct edge_pass *pass, uint32_t caller, uint32_t callee,
		     int64_t value)
{
	struct call_edges *edges = pass->edges;
	uint64_t key = (uint64_t)caller << 32 | callee;
	uint32_t at;

	if ((caller == ENTRY_NONE || !pass->is_chosen[caller]) &&
	    (callee == ENTRY_NONE || !pass->is_chosen[callee]))
		return true;
	if (!map_insert_u64(&edges->map, key, (uint32_t)edges->count, &at))
		return false;
	if (at == edges->count) {
		if (!arena_reserve(edges->arena, (void **)&edges->items,
				   &edges->cap, edges->count + 1,
				   sizeof *edges->items))
			return false;
		edges->items[edges->count++] = (struct call_edge){
			.caller = caller,
			.callee = callee,
		};
	}
	edges->items[at].values[pass->s] =
		sat_add_i64(edges->items[at].values[pass->s], value);
	return true;
}

static bool stack_add(struct edge_pass *pass, const struct stack_walk *stack)
{
	const struct frame *frames = pass->side->profile->frames;
	uint32_t caller = ENTRY_NONE;

	for (uint32_t i = 0; i < stack->count; i++) {
		uint32_t function = frames[stack->frames[i]].function;
		uint32_t id = pass->side->entries[function];

		if (pass->seen[id] != stack->index &&
		    !edge_add(pass, caller, id, stack->value))
			return false;
		pass->seen[id] = stack->index;
		caller = id;
	}
	return edge_add(pass, caller, ENTRY_NONE, stack->value);
}

static bool side_add(struct call_edges *edges, const struct func_table *t,
		     enum diff_side s, const bool *is_chosen)
{
	struct edge_pass pass = {
		.edges = edges,
		.side = &t->sides[s],
		.s = s,
		.is_chosen = is_chosen,
		.seen = arena_array(t->arena, t->count, sizeof *pass.seen),
	};
	struct stack_walk *stack = arena_alloc(t->arena, sizeof *stack);

	if (!pass.seen || !stack)
		return false;
	stack_walk_init(stack, pass.side->profile);
	while (stack_walk_next(stack))
		if (!stack_add(&pass, stack))
			return false;
	return true;
}

bool call_edges_build(struct call_edges *edges, const struct func_table *t,
		      const bool *is_chosen, struct error *err)
{
	*edges = (struct call_edges){ .arena = t->arena };
	map_init(&edges->map, t->arena);
	for (int s = 0; s < SIDE_COUNT; s++)
		if (t->sides[s].profile &&
		    !side_add(edges, t, (enum diff_side)s, is_chosen))
			return arena_fail(t->arena, "comparing callers", err);
	return true;
}
