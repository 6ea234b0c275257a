/* SPDX-License-Identifier: Apache-2.0 */
#include "render/flame.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

/* A narrower frame, drawn as a full column, would displace its neighbours. */
#define LEAST_COLUMNS 0.5

/* Consecutive narrow siblings that do not fill a column yet. */
struct run {
	double start; /* in columns */
	double end;
	uint32_t node;
	uint32_t count; /* 0: none */
	uint32_t parent;
};

/* The visible part, as fractions of the width. */
struct window {
	double start;
	double scale; /* fractions to columns */
};

struct building {
	struct flame_grid *g;
	const struct flame_view *v;
	struct window window;
	struct run *runs; /* by row */
	uint32_t last;    /* deepest row with a frame, from 0 */
	uint32_t deepest; /* depth of the deepest frame, visible or not */
	double hidden;    /* width in columns of deeper frames */
	size_t room;
	bool has_failed;
};

static struct window window_of(const struct flame_view *v)
{
	double width = v->places->widths[v->node];

	return (struct window){ .start = v->places->starts[v->node],
				.scale = width > 0 ? v->columns / width : 0 };
}

/* Larger than rounding errors of sums. */
#define ROUNDING 1e-6

/* Rounds to the nearest column, so that adjacent frames touch, and descendants
 * stay within. */
static uint32_t column_at(const struct flame_view *v, double x)
{
	return (uint32_t)fmax(
		0, fmin((double)v->columns, floor(x + 0.5 + ROUNDING)));
}

/* Position of a frame; columns 0: not visible. */
struct place {
	double start; /* in columns */
	double end;
	uint32_t column;
	uint32_t columns;
};

static struct place place_of(const struct flame_view *v, struct window w,
			     uint32_t node)
{
	double start = v->places->starts[node], part = v->places->widths[node];
	struct place p = {
		.start = (start - w.start) * w.scale,
		.end = (start + part - w.start) * w.scale,
	};
	double width = part * w.scale + ROUNDING;

	p.column = column_at(v, p.start);
	/* Computed from the end, not from the width: rounded, start + width
	 * might differ from the next frame's start. */
	if (width >= fmax(v->min_columns, LEAST_COLUMNS))
		p.columns = column_at(v, p.end) - p.column;
	return p;
}

bool flame_view_shows(const struct flame_view *v, uint32_t node)
{
	return place_of(v, window_of(v), node).columns > 0;
}

static void add_bar(struct building *b, struct flame_bar bar)
{
	struct flame_grid *g = b->g;

	if (g->bar_count == b->room) {
		size_t room = b->room ? 2 * b->room : 256;
		void *bars = mem_realloc(g->bars, room * sizeof *g->bars);

		b->has_failed |= !bars;
		if (!bars)
			return;
		g->bars = bars;
		b->room = room;
	}
	g->bars[g->bar_count++] = bar;
	if (bar.depth - b->v->top > b->last)
		b->last = bar.depth - b->v->top;
}

static bool is_shown(const struct building *b, uint32_t depth)
{
	return depth >= b->v->top && depth - b->v->top < b->v->rows;
}

static void end_run(struct building *b, uint32_t depth)
{
	struct run *run = &b->runs[depth - b->v->top];
	uint32_t column = column_at(b->v, run->start);
	uint32_t end = column_at(b->v, run->end);

	if (run->count > 1 && end > column)
		add_bar(b, (struct flame_bar){ .node = run->node,
					       .count = run->count,
					       .depth = depth,
					       .column = column,
					       .columns = end - column });
	run->count = 0;
}

static void add_narrow(struct building *b, uint32_t node, double start,
		       double end)
{
	const struct flame_node *n = &b->v->f->nodes[node];
	struct run *run;

	if (!is_shown(b, n->depth))
		return;
	run = &b->runs[n->depth - b->v->top];
	if (run->count && run->parent != n->parent)
		end_run(b, n->depth);
	if (!run->count)
		*run = (struct run){ .start = start,
				     .node = node,
				     .parent = n->parent };
	run->count++;
	run->end = end;
}

static void add_frame(struct building *b, uint32_t node, uint32_t column,
		      uint32_t columns)
{
	uint32_t depth = b->v->f->nodes[node].depth;

	if (depth > b->deepest)
		b->deepest = depth;
	if (depth >= b->v->top && depth - b->v->top == b->v->rows)
		b->hidden += columns;
	if (!is_shown(b, depth))
		return;
	end_run(b, depth);
	add_bar(b, (struct flame_bar){ .node = node,
				       .count = 1,
				       .depth = depth,
				       .column = column,
				       .columns = columns });
}

/* Adds nodes, skipping those below a frame without a column, which have none
 * either. */
static void add_nodes(struct building *b)
{
	const struct flame_view *v = b->v;
	const struct flame *f = v->f;

	for (uint32_t i = v->node; i < f->nodes[v->node].end;) {
		struct place p = place_of(v, b->window, i);

		if (p.columns) {
			add_frame(b, i++, p.column, p.columns);
			continue;
		}
		if (v->places->widths[i] > 0)
			add_narrow(b, i, p.start, p.end);
		i = f->nodes[i].end;
	}
}

/* Stable, to preserve the order within rows. */
static bool sort_rows(struct building *b)
{
	struct flame_grid *g = b->g;
	struct flame_bar *sorted =
		mem_alloc((g->bar_count + 1) * sizeof *sorted);
	uint32_t rows = g->bar_count ? b->last + 1 : 0;
	size_t at = 0;

	g->row_starts = mem_calloc((size_t)rows + 2, sizeof *g->row_starts);
	if (!sorted || !g->row_starts) {
		mem_free(sorted);
		return false;
	}
	g->row_count = rows;
	for (size_t i = 0; i < g->bar_count; i++)
		g->row_starts[g->bars[i].depth - b->v->top + 1]++;
	for (uint32_t i = 0; i <= rows; i++) {
		at += g->row_starts[i];
		g->row_starts[i] = at;
	}
	for (size_t i = 0; i < g->bar_count; i++)
		sorted[g->row_starts[g->bars[i].depth - b->v->top]++] =
			g->bars[i];
	for (uint32_t i = rows; i > 0; i--)
		g->row_starts[i] = g->row_starts[i - 1];
	g->row_starts[0] = 0;
	mem_free(g->bars);
	g->bars = sorted;
	return true;
}

bool flame_grid_init(struct flame_grid *g, const struct flame_view *view)
{
	struct flame_view v = *view;
	struct building b = { .g = g, .v = &v };
	uint32_t depths = v.f->depth + 1, end, node;
	bool is_done;

	memset(g, 0, sizeof *g);
	if (v.rows > depths)
		v.rows = depths;
	b.window = window_of(&v);
	b.runs = mem_calloc((size_t)v.rows + 1, sizeof *b.runs);
	if (!b.runs)
		return false;
	node = v.node ? v.f->nodes[v.node].parent : FLAME_NONE;
	for (; node != FLAME_NONE; node = v.f->nodes[node].parent)
		add_frame(&b, node, 0, v.columns);
	add_nodes(&b);
	for (uint32_t i = 0; i < v.rows; i++)
		end_run(&b, v.top + i);
	end = v.top + v.rows;
	if (b.deepest >= end) {
		g->hidden_rows = b.deepest - end + 1;
		g->hidden_part = b.hidden / v.columns;
	}
	is_done = !b.has_failed && sort_rows(&b);
	mem_free(b.runs);
	return is_done;
}

void flame_grid_release(struct flame_grid *g)
{
	mem_free(g->bars);
	mem_free(g->row_starts);
	*g = (struct flame_grid){ 0 };
}

/* Layout of two profiles in one flame graph, see flame.h. */

typedef double own_of(const struct flame *f, const struct flame_node *n);

static double own_after(const struct flame *f, const struct flame_node *n)
{
	(void)f;
	return (double)n->values[FLAME_SLOW].self;
}

static double own_before(const struct flame *f, const struct flame_node *n)
{
	return (double)n->values[FLAME_BASELINE].self * f->baseline_scale;
}

static double own_larger(const struct flame *f, const struct flame_node *n)
{
	return fmax(own_after(f, n), own_before(f, n));
}

/* Sums up from the last node to the root, relative to the root. */
static void union_measure(struct flame_union *u, const struct flame *f,
			  own_of *own)
{
	double whole;

	for (uint32_t i = 0; i < f->node_count; i++)
		u->widths[i] = 0;
	for (uint32_t i = f->node_count; i-- > 0;) {
		u->widths[i] += own(f, &f->nodes[i]);
		if (i)
			u->widths[f->nodes[i].parent] += u->widths[i];
	}
	whole = u->widths[0] > 0 ? u->widths[0] : 1;
	for (uint32_t i = 0; i < f->node_count; i++)
		u->widths[i] /= whole;
}

/* While children are placed, starts[] of the parent is where the next child
 * begins; restored afterwards. */
static void union_place(struct flame_union *u, const struct flame *f)
{
	u->starts[0] = 0;
	for (uint32_t i = 1; i < f->node_count; i++) {
		uint32_t parent = f->nodes[i].parent;

		u->starts[i] = u->starts[parent];
		u->starts[parent] += u->widths[i];
	}
	for (uint32_t i = f->node_count; i-- > 1;)
		u->starts[f->nodes[i].parent] = u->starts[i];
	u->starts[0] = 0;
}

static bool union_init(struct flame_union *u, const struct flame *f,
		       own_of *own)
{
	*u = (struct flame_union){
		.widths = mem_alloc(f->node_count * sizeof *u->widths),
		.starts = mem_alloc(f->node_count * sizeof *u->starts)
	};
	if (!u->widths || !u->starts)
		return false;
	union_measure(u, f, own);
	union_place(u, f);
	return true;
}

bool flame_union_init(struct flame_union *u, const struct flame *f)
{
	return union_init(u, f, own_larger);
}

bool flame_union_init_side(struct flame_union *u, const struct flame *f,
			   enum flame_side side)
{
	return union_init(u, f,
			  side == FLAME_BASELINE ? own_before : own_after);
}

void flame_union_release(struct flame_union *u)
{
	mem_free(u->widths);
	mem_free(u->starts);
}
