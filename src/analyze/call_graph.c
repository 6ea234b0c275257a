/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/call_graph.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/num.h"

/* The calls of call graphs while they are counted: one for each pair of caller
 * and callee, in which a stack counts once. */

void graph_edges_init(struct graph_edges *e, struct arena *arena)
{
	*e = (struct graph_edges){ .arena = arena };
	map_init(&e->pairs, arena);
}

bool graph_edges_add(struct graph_edges *e, const struct graph_call *call,
		     uint32_t stack, int64_t value)
{
	uint64_t key = (uint64_t)call->from << 32 | call->to;
	void *calls = e->calls;
	struct graph_call *known;
	uint32_t at;

	if (!map_insert_u64(&e->pairs, key, (uint32_t)e->count, &at) ||
	    !arena_reserve(e->arena, &calls, &e->cap, e->count + 1,
			   sizeof *e->calls))
		return false;
	e->calls = calls;
	if (at == e->count)
		e->calls[e->count++] = (struct graph_call){
			.from = call->from, .to = call->to, .is_inlined = true
		};
	known = &e->calls[at];
	if (known->stack == stack + 1)
		return true;
	known->stack = stack + 1;
	known->is_inlined &= call->is_inlined;
	known->is_residual |= call->is_residual;
	known->value = sat_add_i64(known->value, value);
	return true;
}

#define WHAT "the call graph"
#define NONE UINT32_MAX

struct node {
	struct str name;
	int64_t flat;
	int64_t cum;
	uint32_t seen; /* number of the last stack, from 1 */
	bool is_wanted;
};

struct build {
	struct call_graph *g;
	const struct profile *p;
	const struct call_graph_want *want;
	struct arena scratch;
	struct map names;
	struct node *nodes;
	uint32_t *node_of; /* by function */
	uint32_t node_count;
	struct graph_edges edges;
};

static bool no_memory(const struct build *b, struct error *err)
{
	return arena_fail(b->g->arena.is_over_limit ? &b->g->arena
						    : &b->scratch,
			  WHAT, err);
}

/* ---- values ---- */

static bool nodes_make(struct build *b, struct error *err)
{
	uint32_t count = b->p->function_count;

	b->nodes = arena_array(&b->scratch, count, sizeof *b->nodes);
	b->node_of = arena_array(&b->scratch, count, sizeof *b->node_of);
	if (!b->nodes || !b->node_of)
		return no_memory(b, err);
	for (uint32_t f = 0; f < count; f++) {
		struct str name = function_name(b->p, f);
		struct node *node;

		if (!map_insert(&b->names, name, b->node_count, &b->node_of[f]))
			return no_memory(b, err);
		if (b->node_of[f] < b->node_count)
			continue;
		node = &b->nodes[b->node_count++];
		*node = (struct node){ .name = name, .is_wanted = true };
		if (b->want->symbol &&
		    !regex_match(b->want->symbol, name, &node->is_wanted, err))
			return false;
	}
	return true;
}

static bool stack_add(struct build *b, uint32_t index, struct error *err)
{
	const struct stack *s = &b->p->stacks[index];
	uint32_t parent = NONE;

	for (uint32_t i = 0; i < s->frame_count; i++) {
		uint32_t frame = b->p->frame_ids[s->frame_first + i];
		uint32_t id = b->node_of[b->p->frames[frame].function];
		struct node *node = &b->nodes[id];

		if (node->seen != index + 1)
			node->cum = sat_add_i64(node->cum, s->value);
		node->seen = index + 1;
		if (parent != NONE && parent != id &&
		    (node->is_wanted || b->nodes[parent].is_wanted)) {
			struct graph_call call = {
				.from = parent,
				.to = id,
				.is_inlined = is_frame_inlined(b->p, frame),
			};

			if (!graph_edges_add(&b->edges, &call, index, s->value))
				return no_memory(b, err);
		}
		parent = id;
	}
	if (parent != NONE)
		b->nodes[parent].flat =
			sat_add_i64(b->nodes[parent].flat, s->value);
	return true;
}

/* ---- order ---- */

static int compare_flat(const void *left, const void *right)
{
	const struct graph_node *a = left, *b = right;
	int order = compare_magnitudes_i64(a->flat, b->flat);

	if (!order)
		order = str_compare(a->name, b->name);
	return order ? order : compare_magnitudes_i64(a->cum, b->cum);
}

static int compare_cum(const void *left, const void *right)
{
	const struct graph_node *a = left, *b = right;
	int order = compare_magnitudes_i64(a->cum, b->cum);

	if (!order)
		order = str_compare(a->name, b->name);
	return order ? order : compare_magnitudes_i64(a->flat, b->flat);
}

static int compare_edges(const void *left, const void *right)
{
	const struct graph_edge *a = left, *b = right;
	int order = compare_magnitudes_i64(a->value, b->value);

	return order ? order : str_compare(a->name, b->name);
}

/* ---- the answer ---- */

/* place[node]: its index in the answer, from 1. */
static bool write_nodes(struct build *b, uint32_t *place, struct error *err)
{
	struct call_graph *g = b->g;

	g->nodes = arena_array(&g->arena, b->node_count, sizeof *g->nodes);
	if (!g->nodes)
		return no_memory(b, err);
	for (uint32_t i = 0; i < b->node_count; i++) {
		const struct node *n = &b->nodes[i];

		if (!n->is_wanted || (!n->cum && !n->flat))
			continue;
		g->nodes[g->count++] = (struct graph_node){ .name = n->name,
							    .flat = n->flat,
							    .cum = n->cum };
		place[i] = (uint32_t)g->count;
	}
	return true;
}

static bool reserve_edges(struct call_graph *g)
{
	for (size_t i = 0; i < g->count; i++) {
		struct graph_node *n = &g->nodes[i];

		n->callers = arena_array(&g->arena, n->caller_count,
					 sizeof *n->callers);
		n->callees = arena_array(&g->arena, n->callee_count,
					 sizeof *n->callees);
		if (!n->callers || !n->callees)
			return false;
		n->caller_count = n->callee_count = 0;
	}
	return true;
}

static struct graph_edge edge_end(const struct build *b,
				  const struct graph_call *e, uint32_t end)
{
	return (struct graph_edge){ .name = b->nodes[end].name,
				    .value = e->value,
				    .is_inlined = e->is_inlined };
}

static bool write_edges(struct build *b, const uint32_t *place,
			struct error *err)
{
	struct call_graph *g = b->g;

	for (size_t i = 0; i < b->edges.count; i++) {
		const struct graph_call *e = &b->edges.calls[i];

		if (place[e->to])
			g->nodes[place[e->to] - 1].caller_count++;
		if (place[e->from])
			g->nodes[place[e->from] - 1].callee_count++;
	}
	if (!reserve_edges(g))
		return no_memory(b, err);
	for (size_t i = 0; i < b->edges.count; i++) {
		const struct graph_call *e = &b->edges.calls[i];
		struct graph_node *n;

		if (place[e->to]) {
			n = &g->nodes[place[e->to] - 1];
			n->callers[n->caller_count++] = edge_end(b, e, e->from);
		}
		if (place[e->from]) {
			n = &g->nodes[place[e->from] - 1];
			n->callees[n->callee_count++] = edge_end(b, e, e->to);
		}
	}
	return true;
}

static void order_answer(struct call_graph *g, bool is_by_cum)
{
	int64_t sum = 0;

	qsort(g->nodes, g->count, sizeof *g->nodes,
	      is_by_cum ? compare_cum : compare_flat);
	for (size_t i = 0; i < g->count; i++) {
		struct graph_node *n = &g->nodes[i];

		qsort(n->callers, n->caller_count, sizeof *n->callers,
		      compare_edges);
		qsort(n->callees, n->callee_count, sizeof *n->callees,
		      compare_edges);
		sum = sat_add_i64(sum, n->flat);
		n->flat_sum = sum;
	}
}

static bool call_graph_fill(struct build *b, struct error *err)
{
	uint32_t *place;

	if (!nodes_make(b, err))
		return false;
	for (uint32_t i = 0; i < b->p->stack_count; i++)
		if (!stack_add(b, i, err))
			return false;
	place = arena_array(&b->scratch, b->node_count, sizeof *place);
	if (!place)
		return no_memory(b, err);
	if (!write_nodes(b, place, err) || !write_edges(b, place, err))
		return false;
	order_answer(b->g, b->want->is_by_cum);
	return true;
}

bool call_graph_build(struct call_graph *g, const struct profile *p,
		      const struct call_graph_want *want, struct error *err)
{
	struct build b = { .g = g, .p = p, .want = want };
	bool is_done;

	arena_init(&b.scratch, LIMIT_ANALYZE_HEAP_BYTES);
	map_init(&b.names, &b.scratch);
	graph_edges_init(&b.edges, &b.scratch);
	g->total = p->whole_total;
	g->unit = profile_unit(p);
	is_done = call_graph_fill(&b, err);
	arena_release(&b.scratch);
	return is_done;
}
