/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/call_graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/num.h"
#include "base/system.h"

#define WHAT "the call graph"
#define NONE UINT32_MAX

/* pprof's defaults: -nodecount, -nodefraction, -edgefraction. */
#define NODES_MAX 80u
#define NODE_FRACTION 0.005
#define EDGE_FRACTION 0.001

struct node {
	struct str name;
	int64_t flat;
	int64_t cum;
	int64_t score;
	uint32_t seen;  /* number of the last stack, from 1 */
	uint32_t place; /* in the drawing */
	bool is_kept;
};

struct build {
	struct drawn_graph *g;
	const struct profile *p;
	struct arena scratch; /* of nodes */
	struct arena pass;    /* of edges: they are counted anew each time */
	struct map names;
	struct node *nodes;
	uint32_t *node_of; /* by function */
	uint32_t node_count;
	struct graph_edges edges;
	uint32_t *order; /* nodes that are kept */
	size_t kept_count;
	bool is_called[NODES_MAX][NODES_MAX]; /* from, to: by place */
};

static bool no_memory(const struct build *b, struct error *err)
{
	const struct arena *arena = &b->scratch;

	if (b->pass.is_over_limit)
		arena = &b->pass;
	if (b->g->arena.is_over_limit)
		arena = &b->g->arena;
	return arena_fail(arena, WHAT, err);
}

/* Cut towards zero, as far as that goes. */
static int64_t value_whole(double value)
{
	if (isnan(value))
		return 0;
	if (fabs(value) >= 9.2e18)
		return value < 0 ? INT64_MIN : INT64_MAX;
	return (int64_t)value;
}

/* ---- counting ---- */

static bool nodes_make(struct build *b, struct error *err)
{
	uint32_t count = b->p->function_count;

	b->nodes = arena_array(&b->scratch, count, sizeof *b->nodes);
	b->order = arena_array(&b->scratch, count, sizeof *b->order);
	b->node_of = arena_array(&b->scratch, count, sizeof *b->node_of);
	if (!b->nodes || !b->order || !b->node_of)
		return no_memory(b, err);
	for (uint32_t f = 0; f < count; f++) {
		struct str name = function_name(b->p, f);

		if (!map_insert(&b->names, name, b->node_count, &b->node_of[f]))
			return no_memory(b, err);
		if (b->node_of[f] == b->node_count)
			b->nodes[b->node_count++] =
				(struct node){ .name = name, .is_kept = true };
	}
	return true;
}

static bool stack_add(struct build *b, uint32_t index)
{
	const struct stack *s = &b->p->stacks[index];
	const uint32_t *ids = b->p->frame_ids + s->frame_first;
	struct graph_call call = { .is_residual = false };
	uint32_t parent = NONE;

	for (uint32_t i = 0; i < s->frame_count; i++) {
		uint32_t id = b->node_of[b->p->frames[ids[i]].function];
		struct node *node = &b->nodes[id];

		if (!node->is_kept) {
			call.is_residual = true;
			continue;
		}
		if (node->seen != index + 1)
			node->cum = sat_add_i64(node->cum, s->value);
		node->seen = index + 1;
		call.is_inlined = is_frame_inlined(b->p, ids[i]);
		call.from = parent;
		call.to = id;
		if (parent != NONE && parent != id &&
		    !graph_edges_add(&b->edges, &call, index, s->value))
			return false;
		parent = id;
		call.is_residual = false;
	}
	if (parent != NONE && !call.is_residual)
		b->nodes[parent].flat =
			sat_add_i64(b->nodes[parent].flat, s->value);
	return true;
}

/* The graph of the nodes that are kept. */
static bool graph_count(struct build *b, struct error *err)
{
	arena_release(&b->pass);
	graph_edges_init(&b->edges, &b->pass);
	b->kept_count = 0;
	for (uint32_t i = 0; i < b->node_count; i++)
		b->nodes[i].flat = b->nodes[i].cum = b->nodes[i].seen = 0;
	for (uint32_t i = 0; i < b->p->stack_count; i++)
		if (!stack_add(b, i))
			return no_memory(b, err);
	for (uint32_t i = 0; i < b->node_count; i++) {
		struct node *n = &b->nodes[i];

		n->is_kept = n->is_kept && (n->flat || n->cum);
		if (n->is_kept)
			b->order[b->kept_count++] = i;
	}
	return true;
}

/* ---- how much a node tells ---- */

/* The uncertainty of where its value comes from or goes to, in bits: own
 * value and calls of one side. */
struct entropy {
	double total;
	double bits;
	bool has_edges;
};

static void entropy_add(struct entropy *e, int64_t value)
{
	double share;

	if (e->total <= 0 || value == 0)
		return;
	share = (double)magnitude_i64(value) / e->total;
	e->bits -= share * log2(share);
}

/* One that branches much says more than one that only passes on; entries and
 * leaves are favoured. */
static void scores_make(struct build *b, struct entropy *in,
			struct entropy *out)
{
	for (size_t i = 0; i < b->edges.count; i++) {
		const struct graph_call *e = &b->edges.calls[i];
		double value = e->value > 0 ? (double)e->value : 0;

		out[e->from].has_edges = in[e->to].has_edges = true;
		out[e->from].total += value;
		in[e->to].total += value;
	}
	for (uint32_t i = 0; i < b->node_count; i++)
		out[i].total += (double)b->nodes[i].flat;
	for (size_t i = 0; i < b->edges.count; i++) {
		const struct graph_call *e = &b->edges.calls[i];

		entropy_add(&out[e->from], e->value);
		entropy_add(&in[e->to], e->value);
	}
	for (uint32_t i = 0; i < b->node_count; i++) {
		struct node *n = &b->nodes[i];
		double bits;

		if (n->flat > 0)
			entropy_add(&out[i], n->flat);
		bits = (in[i].has_edges ? in[i].bits : 1) +
		       (out[i].has_edges ? out[i].bits : 1);
		n->score = sat_add_i64(value_whole(bits * (double)n->cum),
				       n->flat);
	}
}

static int compare_nodes(const void *left, const void *right, void *data)
{
	const struct node *nodes = data;
	const struct node *a = &nodes[*(const uint32_t *)left];
	const struct node *b = &nodes[*(const uint32_t *)right];
	int order = compare_magnitudes_i64(a->score, b->score);

	return order ? order : str_compare(a->name, b->name);
}

static bool put_in_order(struct build *b, struct error *err)
{
	struct entropy *in = arena_array(&b->pass, b->node_count, sizeof *in);
	struct entropy *out = arena_array(&b->pass, b->node_count, sizeof *out);

	if (!in || !out)
		return no_memory(b, err);
	scores_make(b, in, out);
	system_sort(b->order, b->kept_count, sizeof *b->order, compare_nodes,
		    b->nodes);
	for (size_t i = 0; i < b->kept_count; i++)
		b->nodes[b->order[i]].place = (uint32_t)i;
	return true;
}

/* ---- choosing ---- */

static int64_t cutoff_of(int64_t total, double fraction)
{
	return value_whole(fabs((double)total * fraction));
}

static bool drop_small_nodes(struct build *b, struct error *err)
{
	size_t dropped = 0;
	int64_t total = 0;

	for (uint32_t i = 0; i < b->node_count; i++)
		total = sat_add_i64(total, b->nodes[i].flat);
	b->g->node_total = b->kept_count;
	b->g->node_cutoff = cutoff_of(total, NODE_FRACTION);
	b->g->edge_cutoff = cutoff_of(total, EDGE_FRACTION);
	for (size_t i = 0; i < b->kept_count; i++) {
		struct node *n = &b->nodes[b->order[i]];

		if (magnitude_i64(n->cum) >= (uint64_t)b->g->node_cutoff)
			continue;
		n->is_kept = false;
		dropped++;
	}
	return !dropped || graph_count(b, err);
}

static int compare_edges(const void *left, const void *right, void *data)
{
	const struct graph_call *a = left, *b = right;
	const struct node *nodes = data;
	int order = compare_magnitudes_i64(a->value, b->value);

	if (!order)
		order = str_compare(nodes[a->from].name, nodes[b->from].name);
	return order ? order
		     : str_compare(nodes[a->to].name, nodes[b->to].name);
}

static void drop_small_edges(struct build *b)
{
	size_t kept = 0;

	for (size_t i = 0; i < b->edges.count; i++) {
		const struct graph_call *e = &b->edges.calls[i];

		/* Values of both signs may leave a node nothing, but not its
		 * calls. */
		if (b->nodes[e->from].is_kept && b->nodes[e->to].is_kept &&
		    magnitude_i64(e->value) >= (uint64_t)b->g->edge_cutoff)
			b->edges.calls[kept++] = *e;
	}
	b->edges.count = kept;
	if (kept)
		system_sort(b->edges.calls, kept, sizeof *b->edges.calls,
			    compare_edges, b->nodes);
}

static bool *call_at(struct build *b, const struct graph_call *e)
{
	return &b->is_called[b->nodes[e->from].place][b->nodes[e->to].place];
}

/* Returns whether another way leads from e->from to e->to, looked for from its
 * end. */
static bool is_redundant(const struct build *b, const struct graph_call *e)
{
	uint32_t from = b->nodes[e->from].place, to = b->nodes[e->to].place;
	bool is_reached[NODES_MAX] = { false };
	uint32_t queue[NODES_MAX] = { to };
	size_t count = 1;

	is_reached[to] = true;
	for (size_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < b->kept_count; k++) {
			if (!b->is_called[k][queue[i]] || is_reached[k] ||
			    (k == from && queue[i] == to))
				continue;
			if (k == from)
				return true;
			is_reached[k] = true;
			queue[count++] = k;
		}
	return false;
}

/* Calls of one function, the smallest first, down to one that is a call. */
static void drop_redundant_into(struct build *b, uint32_t node)
{
	for (size_t i = b->edges.count; i-- > 0;) {
		struct graph_call *e = &b->edges.calls[i];

		if (e->to != node)
			continue;
		if (!e->is_residual)
			return;
		e->is_gone = is_redundant(b, e);
		*call_at(b, e) = !e->is_gone;
	}
}

/* ---- the answer ---- */

static bool write_graph(struct build *b, struct error *err)
{
	struct drawn_graph *g = b->g;

	g->nodes = arena_array(&g->arena, b->kept_count, sizeof *g->nodes);
	g->edges = arena_array(&g->arena, b->edges.count, sizeof *g->edges);
	if (!g->nodes || !g->edges)
		return no_memory(b, err);
	for (size_t i = 0; i < b->kept_count; i++) {
		const struct node *n = &b->nodes[b->order[i]];

		g->nodes[g->node_count++] =
			(struct drawn_node){ n->name, n->flat, n->cum };
		g->shown = sat_add_i64(g->shown, n->flat);
	}
	for (size_t i = 0; i < b->edges.count; i++) {
		const struct graph_call *e = &b->edges.calls[i];

		if (!e->is_gone)
			g->edges[g->edge_count++] = (struct drawn_edge){
				b->nodes[e->from].place, b->nodes[e->to].place,
				e->value, e->is_inlined, e->is_residual
			};
	}
	return true;
}

static bool graph_build(struct build *b, struct error *err)
{
	if (!nodes_make(b, err) || !graph_count(b, err) ||
	    !drop_small_nodes(b, err) || !put_in_order(b, err))
		return false;
	if (b->kept_count > NODES_MAX) {
		for (size_t i = NODES_MAX; i < b->kept_count; i++)
			b->nodes[b->order[i]].is_kept = false;
		if (!graph_count(b, err) || !put_in_order(b, err))
			return false;
	}
	drop_small_edges(b);
	for (size_t i = 0; i < b->edges.count; i++)
		*call_at(b, &b->edges.calls[i]) = true;
	for (size_t i = b->kept_count; i-- > 0;)
		drop_redundant_into(b, b->order[i]);
	return write_graph(b, err);
}

bool drawn_graph_build(struct drawn_graph *g, const struct profile *p,
		       struct error *err)
{
	struct build b = { .g = g, .p = p };
	bool is_done;

	arena_init(&b.scratch, LIMIT_ANALYZE_HEAP_BYTES);
	arena_init(&b.pass, LIMIT_ANALYZE_HEAP_BYTES);
	map_init(&b.names, &b.scratch);
	g->total = p->whole_total;
	is_done = graph_build(&b, err);
	arena_release(&b.scratch);
	arena_release(&b.pass);
	return is_done;
}
