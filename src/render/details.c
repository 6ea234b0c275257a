/* SPDX-License-Identifier: Apache-2.0 */
#include "render/render.h"

#include <stdio.h>

#include "base/jsonw.h"
#include "render/page.h"
#include "render/units.h"

#define VALUE_COLUMNS 11u
#define SHARE_COLUMNS 9u
/* flat flat% sum% cum cum% */
#define NODE_COLUMNS (2 * VALUE_COLUMNS + 3 * SHARE_COLUMNS)
#define EDGE_COLUMNS (VALUE_COLUMNS + SHARE_COLUMNS)
#define BAR_COLUMNS 5u /* " |   " before the name of an edge */
#define LINE_COLUMNS 8u
#define NAME_MIN_COLUMNS 20u
#define SHARE_DECIMALS 6

/* As in pprof: ignores signs. */
static double share_of(int64_t value, int64_t total)
{
	double share = total ? (double)value / (double)total : 0;

	return share < 0 ? -share : share;
}

static void value_field(struct page *p, enum paint paint, int64_t value,
			struct str unit)
{
	char text[UNIT_TEXT_BYTES];

	format_value(value, unit, text);
	page_field(p, paint, ALIGN_RIGHT, VALUE_COLUMNS, text);
}

static void share_field(struct page *p, int64_t value, int64_t total)
{
	char text[UNIT_TEXT_BYTES];

	format_share(share_of(value, total), text);
	page_field(p, PAINT_NONE, ALIGN_RIGHT, SHARE_COLUMNS, text);
}

/* Returns the columns left for a name; 0: unlimited. */
static size_t name_columns(const struct page *p, size_t lead)
{
	if (!p->width)
		return 0;
	return p->width > lead + NAME_MIN_COLUMNS ? p->width - lead
						  : NAME_MIN_COLUMNS;
}

static void write_edge(struct page *p, const struct call_graph *g,
		       const struct graph_node *n, const struct graph_edge *e)
{
	const char *inlined = e->is_inlined ? " (inline)" : "";
	size_t lead = NODE_COLUMNS + EDGE_COLUMNS + BAR_COLUMNS +
		      str_from(inlined).len;

	page_field(p, PAINT_NONE, ALIGN_LEFT, NODE_COLUMNS, "");
	value_field(p, PAINT_NONE, e->value, g->unit);
	share_field(p, e->value, n->cum);
	page_paint(p, PAINT_DIM, " |   ");
	page_cell(p, PAINT_NONE, name_shown(e->name), name_columns(p, lead), 0);
	page_paint(p, PAINT_DIM, inlined);
	out_char(p->out, '\n');
}

static void write_node(struct page *p, const struct call_graph *g,
		       const struct graph_node *n)
{
	size_t lead = NODE_COLUMNS + EDGE_COLUMNS + 3;

	for (size_t i = 0; i < n->caller_count; i++)
		write_edge(p, g, n, &n->callers[i]);
	value_field(p, PAINT_BOLD, n->flat, g->unit);
	share_field(p, n->flat, g->total);
	share_field(p, n->flat_sum, g->total);
	value_field(p, PAINT_BOLD, n->cum, g->unit);
	share_field(p, n->cum, g->total);
	page_field(p, PAINT_NONE, ALIGN_LEFT, EDGE_COLUMNS, "");
	page_paint(p, PAINT_DIM, " | ");
	page_cell(p, PAINT_BOLD, name_shown(n->name), name_columns(p, lead), 0);
	out_char(p->out, '\n');
	for (size_t i = 0; i < n->callee_count; i++)
		write_edge(p, g, n, &n->callees[i]);
}

static void page_rule(struct page *p)
{
	page_repeat(p, PAINT_DIM, "-", NODE_COLUMNS + EDGE_COLUMNS + 1);
	page_paint(p, PAINT_DIM, "+-------------");
	out_char(p->out, '\n');
}

static void write_head(struct page *p)
{
	static const char *const names[] = { "flat", "flat%", "sum%",  "cum",
					     "cum%", "calls", "calls%" };
	static const size_t columns[] = {
		VALUE_COLUMNS, SHARE_COLUMNS, SHARE_COLUMNS, VALUE_COLUMNS,
		SHARE_COLUMNS, VALUE_COLUMNS, SHARE_COLUMNS,
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		page_field(p, PAINT_DIM, ALIGN_RIGHT, columns[i], names[i]);
	page_paint(p, PAINT_DIM, " + context");
	out_char(p->out, '\n');
}

static void call_graph_table(const void *answer,
			     const struct render_style *style, struct out *out)
{
	const struct call_graph *g = answer;
	size_t count = style->limit && style->limit < g->count ? style->limit
							       : g->count;
	struct page p;

	page_begin(&p, style, out);
	write_head(&p);
	for (size_t i = 0; i < count; i++) {
		page_rule(&p);
		write_node(&p, g, &g->nodes[i]);
	}
	page_rule(&p);
	if (count < g->count && !style->is_quiet) {
		page_textf(&p, "%zu more function%s, -n 0 shows all",
			   g->count - count, g->count - count == 1 ? "" : "s");
		page_flush(&p, PAINT_DIM, "", 6);
	}
	page_end(&p);
}

/* ---- listings ---- */

/* Lines without a value, shown for context, have a dot. */
static void line_value(struct page *p, int64_t value, struct str unit)
{
	if (value)
		value_field(p, PAINT_NONE, value, unit);
	else
		page_field(p, PAINT_DIM, ALIGN_RIGHT, VALUE_COLUMNS, ".");
}

static void write_line(struct page *p, const struct listings *l,
		       const struct source_line *line)
{
	const size_t lead = 2 * VALUE_COLUMNS + LINE_COLUMNS + 1;
	char number[16];

	line_value(p, line->flat, l->unit);
	line_value(p, line->cum, l->unit);
	snprintf(number, sizeof number, "%u", (unsigned)line->number);
	page_field(p, PAINT_DIM, ALIGN_RIGHT, LINE_COLUMNS,
		   line->number ? number : "?");
	if (line->text.ptr) {
		page_paint(p, PAINT_DIM, " ");
		page_cell(p, PAINT_NONE, line->text, name_columns(p, lead), 0);
	}
	out_char(p->out, '\n');
}

static void write_listing(struct page *p, const struct listings *l,
			  const struct listing *item)
{
	char text[UNIT_TEXT_BYTES];

	page_cell(p, PAINT_BOLD, name_shown(item->function), name_columns(p, 0),
		  0);
	if (item->file.len) {
		page_paint(p, PAINT_NONE, "   ");
		page_cell(p, PAINT_DIM, item->file, name_columns(p, 0), 0);
	}
	out_char(p->out, '\n');
	value_field(p, PAINT_BOLD, item->flat, l->unit);
	value_field(p, PAINT_BOLD, item->cum, l->unit);
	format_share(share_of(item->cum, l->total), text);
	page_textf(p, " (flat, cum) %s of the total", text);
	page_flush(p, PAINT_NONE, "", 0);
	if (item->reason.len) {
		page_sentence(p, item->reason);
		page_flush(p, PAINT_DIM, "", 6);
	}
	for (size_t i = 0; i < item->line_count; i++)
		write_line(p, l, &item->lines[i]);
}

static void listings_table(const void *answer, const struct render_style *style,
			   struct out *out)
{
	const struct listings *l = answer;
	struct page p;

	page_begin(&p, style, out);
	for (size_t i = 0; i < l->count; i++) {
		if (i)
			out_char(out, '\n');
		write_listing(&p, l, &l->items[i]);
	}
	page_end(&p);
}

/* ---- JSON ---- */

static void put_share(struct jsonw *w, const char *key, int64_t value,
		      int64_t total)
{
	jsonw_pair_f64(w, key, share_of(value, total), SHARE_DECIMALS);
}

static void put_begin(struct jsonw *w, struct out *out, const char *view,
		      struct str unit, int64_t total)
{
	json_begin(w, out, "profile");
	jsonw_addf(w, "view:%s, unit:%-.*s, total_value:%jd, functions:[", view,
		   STR_WHOLE(unit), total);
}

static void put_edges(struct jsonw *w, const char *key,
		      const struct graph_edge *edges, size_t count)
{
	jsonw_addf(w, "%s:[", key);
	for (size_t i = 0; i < count; i++) {
		jsonw_addf(w, "{name:%-.*s, value:%jd, inlined:%i}",
			   STR_WHOLE(edges[i].name), edges[i].value,
			   edges[i].is_inlined);
	}
	jsonw_array_end(w);
}

static void call_graph_json(const void *answer, struct out *out)
{
	const struct call_graph *g = answer;
	struct jsonw w;

	put_begin(&w, out, "graph", g->unit, g->total);
	for (size_t i = 0; i < g->count; i++) {
		const struct graph_node *n = &g->nodes[i];

		jsonw_addf(&w, "{name:%-.*s", STR_WHOLE(n->name));
		put_share(&w, "self", n->flat, g->total);
		put_share(&w, "total", n->cum, g->total);
		jsonw_addf(&w, "self_value:%jd, total_value:%jd", n->flat,
			   n->cum);
		put_edges(&w, "callers", n->callers, n->caller_count);
		put_edges(&w, "callees", n->callees, n->callee_count);
		jsonw_object_end(&w);
	}
	jsonw_array_end(&w);
	json_end(&w, NULL);
}

static void listings_json(const void *answer, struct out *out)
{
	const struct listings *l = answer;
	struct jsonw w;

	put_begin(&w, out, "list", l->unit, l->total);
	for (size_t i = 0; i < l->count; i++) {
		const struct listing *item = &l->items[i];

		jsonw_addf(&w,
			   "{name:%-.*s, file:%-.*s, "
			   "without_source:%-.*s, self_value:%jd, "
			   "total_value:%jd, lines:[",
			   STR_WHOLE(item->function), STR_WHOLE(item->file),
			   STR_WHOLE(item->reason), item->flat, item->cum);
		for (size_t k = 0; k < item->line_count; k++) {
			const struct source_line *line = &item->lines[k];

			jsonw_addf(&w,
				   "{line:%u, self_value:%jd, total_value:%jd",
				   line->number, line->flat, line->cum);
			if (jsonw_key_known(&w, "source", line->text.ptr))
				jsonw_str(&w, line->text);
			jsonw_object_end(&w);
		}
		jsonw_addf(&w, "]}");
	}
	jsonw_array_end(&w);
	json_end(&w, NULL);
}

const struct answer_writer call_graph_writer = { call_graph_table,
						 call_graph_json,
						 .is_list = true };
const struct answer_writer listings_writer = { listings_table, listings_json,
						.is_list = true };
