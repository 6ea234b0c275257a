/* SPDX-License-Identifier: Apache-2.0
 *
 * The call graph in the language of Graphviz. Boxes: own value of value with
 * callees, the larger the more it takes itself. With a baseline the box says
 * what it was, and has a colour where the table says that it changed.
 */
#include <inttypes.h>
#include <math.h>

#include "base/escape.h"
#include "render/formats.h"
#include "render/units.h"

/* Points. */
#define FONT_LEAST 8
#define FONT_GROWTH 16

#define PEN_GROWTH 5

/* Orange and blue are told apart whatever the eye; grey is no change. */
static const char *fill_color(enum change change)
{
	if (change_is_up(change))
		return "#fdd0a2";
	return change_is_down(change) ? "#c6dbef" : "#f2f2f2";
}

static const char *line_color(enum change change)
{
	if (change_is_up(change))
		return "#a63603";
	return change_is_down(change) ? "#08519c" : "#595959";
}

struct drawing {
	struct out *out;
	const struct result *result;
	const struct drawn_graph *graph;
	struct str unit;
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

static const struct function_row *row_of(const struct result *r,
					 struct str name)
{
	for (size_t i = 0; r->has_baseline && i < r->function_count; i++)
		if (str_equal(r->functions[i].name, name))
			return &r->functions[i];
	return NULL;
}

static void write_values(const struct drawing *d, const struct drawn_node *n)
{
	if (n->flat) {
		write_part(d, n->flat);
	} else {
		out_char(d->out, '0');
	}
	if (n->cum == n->flat)
		return;
	out_text(d->out, n->flat ? "\\nof " : " of ");
	write_part(d, n->cum);
}

/* By the root, since the eye sees areas. */
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

static void write_node(const struct drawing *d, size_t i)
{
	const struct drawn_node *n = &d->graph->nodes[i];
	const struct function_row *row = row_of(d->result, n->name);
	enum change change = row ? row->change : CHANGE_NONE;
	struct out *out = d->out;

	outf(out, "N%zu [label=\"", i + 1);
	escape_dot(out, n->name);
	out_text(out, "\\n");
	write_values(d, n);
	if (change_is_real(change)) {
		out_text(out, "\\nwas ");
		write_share(d, row->baseline_total);
	}
	outf(out, "\" id=\"node%zu\" fontsize=%d tooltip=\"", i + 1,
	     font_size(d->graph, n->flat));
	escape_dot(out, n->name);
	out_text(out, " (");
	write_value(d, n->cum);
	outf(out, ")\" color=\"%s\" fillcolor=\"%s\"]\n", line_color(change),
	     fill_color(change));
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
	if (r->has_baseline) {
		write_legend_line(d, "baseline", baseline_name(r));
		out_text(d->out, "orange: took more than before, blue: less, "
				 "grey: not known or no clear change\\l");
	}
	write_shown(d);
	out_text(d->out, "\"] }\n");
}

void render_dot(const struct render_input *in, struct out *out)
{
	const struct drawing d = { .out = out,
				   .result = in->result,
				   .graph = in->graph,
				   .unit = profile_unit(in->profile) };

	out_text(out, "digraph \"tracefind\" {\n"
		      "node [shape=box style=filled fontname=\"sans-serif\"]\n"
		      "edge [color=\"#595959\" fontname=\"sans-serif\"]\n");
	write_legend(&d);
	for (size_t i = 0; i < d.graph->node_count; i++)
		write_node(&d, i);
	for (size_t i = 0; i < d.graph->edge_count; i++)
		write_edge(&d, &d.graph->edges[i]);
	out_text(out, "}\n");
}
