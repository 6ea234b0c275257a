/* SPDX-License-Identifier: Apache-2.0
 *
 * Call graph for Graphviz. Boxes show self value and total, with a font size by
 * self value. Colors and the mark of the function to blame are as in flame
 * graphs; with a baseline boxes also show its value.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/escape.h"
#include "base/mem.h"
#include "base/system.h"
#include "render/flame.h"
#include "render/render.h"
#include "render/units.h"

/* Points. */
#define FONT_LEAST 8
#define FONT_GROWTH 16

#define PEN_GROWTH 5

struct drawing {
	struct out *out;
	const struct result *result;
	const struct drawn_graph *graph;
	struct str unit;
	const struct flame *flame;
	enum palette palette;
	uint32_t *by_name;   /* functions of the flame graph, sorted */
	uint64_t categories; /* of frames drawn, as flame_color_bit() */
};

/* ---- texts ---- */

static void write_value(const struct drawing *d, int64_t value)
{
	char text[UNIT_TEXT_BYTES];

	format_value(value, d->unit, text);
	out_text(d->out, text);
}

static double share_of(const struct drawing *d, int64_t value)
{
	if (d->graph->total == 0)
		return 0;
	return (double)value / (double)d->graph->total;
}

static void write_share(const struct drawing *d, double share)
{
	char text[UNIT_TEXT_BYTES];

	format_share(share, text);
	out_text(d->out, text);
}

/* "64 ms (64.0 %)" */
static void write_part(const struct drawing *d, int64_t value)
{
	write_value(d, value);
	out_text(d->out, " (");
	write_share(d, share_of(d, value));
	out_char(d->out, ')');
}

/* ---- boxes ---- */

static int compare_names(const void *left, const void *right, void *data)
{
	const struct flame_function *functions = data;

	return str_compare(functions[*(const uint32_t *)left].name,
			   functions[*(const uint32_t *)right].name);
}

/* Returns its index in the flame graph; 0, the root, if absent. */
static uint32_t function_of(const struct drawing *d, struct str name)
{
	uint32_t low = 0, high = d->flame->function_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		uint32_t function = d->by_name[middle];
		int order =
			str_compare(d->flame->functions[function].name, name);

		if (!order)
			return function;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return 0;
}

/* By the square root, since area is perceived. */
static int font_size(const struct drawn_graph *g, int64_t flat)
{
	double largest = 0, value = fabs((double)flat);

	for (size_t i = 0; i < g->node_count; i++)
		largest = fmax(largest, fabs((double)g->nodes[i].flat));
	if (largest <= 0 || value <= 0)
		return FONT_LEAST;
	return FONT_LEAST +
	       (int)lround(ceil(FONT_GROWTH * sqrt(value / largest)));
}

static void write_look(struct drawing *d, uint32_t function)
{
	const struct flame *f = d->flame;
	bool is_to_blame = f->functions[function].is_to_blame;
	uint32_t color = 0xf2f2f2;

	if (function) {
		color = flame_function_color(f, d->palette, function);
		d->categories |= flame_function_bit(f, d->palette, function);
	}
	outf(d->out, ")\" color=\"%s\"%s fillcolor=\"#%06x\"]\n",
	     is_to_blame ? "#5a1e00" : "#595959",
	     is_to_blame ? " penwidth=4" : "", (unsigned)color);
}

static void write_node(struct drawing *d, size_t i)
{
	const struct drawn_node *n = &d->graph->nodes[i];
	uint32_t function = function_of(d, n->name);
	const struct flame_function *fn = &d->flame->functions[function];
	struct out *out = d->out;

	outf(out, "N%zu [label=\"", i + 1);
	escape_dot(out, n->name);
	out_text(out, "\\n");
	if (n->flat)
		write_part(d, n->flat);
	else
		out_char(out, '0');
	if (n->cum != n->flat) {
		out_text(out, n->flat ? "\\nof " : " of ");
		write_part(d, n->cum);
	}
	if (function && change_is_real(fn->change)) {
		out_text(out, "\\nwas ");
		write_share(d, flame_share(d->flame, FLAME_BASELINE,
					   (double)fn->totals[FLAME_BASELINE]));
	}
	outf(out, "\" id=\"node%zu\" fontsize=%d tooltip=\"", i + 1,
	     font_size(d->graph, n->flat));
	escape_dot(out, n->name);
	out_text(out, " (");
	write_value(d, n->cum);
	write_look(d, function);
}

/* ---- arrows ---- */

static void write_edge(const struct drawing *d, const struct drawn_edge *e)
{
	double share = fmin(fabs(share_of(d, e->value)), 1);
	const struct drawn_node *nodes = d->graph->nodes;
	struct out *out = d->out;

	outf(out, "N%" PRIu32 " -> N%" PRIu32 " [label=\" ", e->from + 1,
	     e->to + 1);
	write_value(d, e->value);
	outf(out, "%s\" weight=%d penwidth=%d tooltip=\"",
	     e->is_inlined ? "\\n (inline)" : "", 1 + (int)(100 * share),
	     1 + (int)(PEN_GROWTH * share));
	escape_dot(out, nodes[e->from].name);
	out_text(out, e->is_residual ? " ... " : " -> ");
	escape_dot(out, nodes[e->to].name);
	out_text(out, " (");
	write_value(d, e->value);
	outf(out, ")\"%s]\n", e->is_residual ? " style=\"dotted\"" : "");
}

/* ---- the legend ---- */

static void write_legend_line(const struct drawing *d, const char *name,
			      struct str text)
{
	if (!text.len)
		return;
	outf(d->out, "%s: ", name);
	escape_dot(d->out, text);
	out_text(d->out, "\\l");
}

static void write_shown(const struct drawing *d)
{
	const struct drawn_graph *g = d->graph;

	out_text(d->out, "shown: ");
	write_part(d, g->shown);
	out_text(d->out, " of ");
	write_value(d, g->total);
	outf(d->out, "\\l%zu of %zu functions, those from ", g->node_count,
	     g->node_total);
	write_value(d, g->node_cutoff);
	out_text(d->out, ", calls from ");
	write_value(d, g->edge_cutoff);
	out_text(d->out, "\\l");
}

static void write_legend(const struct drawing *d)
{
	const struct result *r = d->result;

	out_text(d->out, "subgraph cluster_legend { legend [shape=box "
			 "fontsize=16 fillcolor=\"#ffffff\" label=\"");
	if (r->has_span) {
		write_legend_line(d, "service", r->span.service);
		write_legend_line(d, "span", r->span.name);
	}
	write_legend_line(d, "profile", r->profile.selector);
	write_legend_line(d, "type", r->profile.type);
	if (r->has_baseline)
		write_legend_line(d, "baseline", baseline_name(r));
	write_shown(d);
	outf(d->out, "colour by %s%s\\l\"] }\n",
	     flame_palette_words(d->palette),
	     flame_has_blamed(d->flame) ? "; thick edge: the function to blame"
					: "");
}

/* A box for each color, in the same style. */
static void write_meanings(const struct drawing *d)
{
	struct flame_meaning m;
	size_t at = 0;

	out_text(d->out, "subgraph cluster_colours { label=\"\"\n");
	while (flame_meaning_next(d->palette, d->categories, &at, &m))
		outf(d->out,
		     "colour%zu [shape=box label=\"%s\" "
		     "fillcolor=\"#%06x\"]\n",
		     at, m.text, (unsigned)m.color);
	out_text(d->out, "}\n");
}

static void dot_draw(struct drawing *d)
{
	struct out *out = d->out;

	out_text(out, "digraph \"tracefind\" {\n"
		      "node [shape=box style=filled fontname=\"sans-serif\"]\n"
		      "edge [color=\"#595959\" fontname=\"sans-serif\"]\n");
	write_legend(d);
	for (size_t i = 0; i < d->graph->node_count; i++)
		write_node(d, i);
	for (size_t i = 0; i < d->graph->edge_count; i++)
		write_edge(d, &d->graph->edges[i]);
	write_meanings(d);
	out_text(out, "}\n");
}

void render_dot(const struct render_input *in, struct out *out)
{
	struct drawing d = { .out = out,
			     .result = in->result,
			     .graph = in->graph,
			     .unit = profile_unit(in->profile),
			     .flame = in->flame };
	uint32_t count = d.flame->function_count;

	d.palette = flame_palette(d.flame, in->picture.palette);
	d.by_name = mem_alloc(count * sizeof *d.by_name);
	if (d.by_name) {
		for (uint32_t i = 0; i < count; i++)
			d.by_name[i] = i;
		system_sort(d.by_name, count, sizeof *d.by_name, compare_names,
			    d.flame->functions);
		dot_draw(&d);
	} else {
		out_fail_memory(out);
	}
	mem_free(d.by_name);
}
