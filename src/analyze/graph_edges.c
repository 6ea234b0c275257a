/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/graph_edges.h"

#include "base/num.h"

void graph_edges_init(struct graph_edges *e, struct arena *arena)
{
	*e = (struct graph_edges){ .arena = arena };
	map_init(&e->pairs, arena);
}

static struct graph_call *call_find(struct graph_edges *e, uint32_t from,
				    uint32_t to)
{
	uint64_t key = (uint64_t)from << 32 | to;
	void *calls = e->calls;
	uint32_t at;

	if (!map_insert_u64(&e->pairs, key, (uint32_t)e->count, &at) ||
	    !arena_reserve(e->arena, &calls, &e->cap, e->count + 1,
			   sizeof *e->calls))
		return NULL;
	e->calls = calls;
	if (at == e->count)
		e->calls[e->count++] = (struct graph_call){
			.from = from, .to = to, .is_inlined = true
		};
	return &e->calls[at];
}

bool graph_edges_add(struct graph_edges *e, const struct graph_call *call,
		     uint32_t stack, int64_t value)
{
	struct graph_call *known = call_find(e, call->from, call->to);

	if (!known)
		return false;
	if (known->stack == stack + 1)
		return true;
	known->stack = stack + 1;
	known->is_inlined &= call->is_inlined;
	known->is_residual |= call->is_residual;
	known->value = sat_add_i64(known->value, value);
	return true;
}
