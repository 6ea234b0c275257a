/* SPDX-License-Identifier: Apache-2.0
 *
 * Waterfall of a trace as SVG: a bar per row on a common time axis, colored by
 * service, the critical path underlined.
 */
#include <stdio.h>

#include "base/escape.h"
#include "base/num.h"
#include "render/render.h"
#include "render/svg.h"

#define ROW_CPX (20 * SVG_PX)
#define BAR_CPX (14 * SVG_PX)
#define INDENT_CPX (12 * SVG_PX)
/* Deeper rows are indented like this level. */
#define LEVELS_MAX 24u
/* Labels take three eighths of the width. */
#define LABEL_EIGHTHS 3
#define TICKS 4
#define INFO_LINES 5
#define SERVICES_MAX 40u

struct fall {
	struct svg s;
	const struct trace *t;
	const struct result *r;
	int64_t from_ns;
	int64_t length_ns;
	int64_t left; /* left edge of the bars */
	int64_t room;
	int64_t top;
	struct service {
		struct str name;
		uint32_t color;
	} services[SERVICES_MAX]; /* in order of appearance */
	size_t service_count;
};

/* ---- services ---- */

static const struct service *service_find(const struct fall *f, struct str name)
{
	for (size_t i = 0; i < f->service_count; i++)
		if (str_equal(f->services[i].name, name))
			return &f->services[i];
	return NULL;
}

/* Adds a service with its own color, or the next unused one. */
static void service_add(struct fall *f, struct str name)
{
	bool is_taken[SVG_NAME_COLORS] = { false };
	size_t place = svg_color_place(name);

	for (size_t i = 0; i < f->service_count; i++)
		for (size_t c = 0; c < SVG_NAME_COLORS; c++)
			is_taken[c] |=
				f->services[i].color == svg_name_colors[c];
	for (size_t tries = 0; tries < SVG_NAME_COLORS; tries++)
		if (is_taken[place])
			place = (place + 1) % SVG_NAME_COLORS;
	f->services[f->service_count++] =
		(struct service){ name, svg_name_colors[place] };
}

static int64_t time_place(const struct fall *f, int64_t time_ns)
{
	int64_t after = sat_sub_i64(time_ns, f->from_ns);

	if (after < 0 || f->length_ns <= 0)
		return f->left;
	if (after > f->length_ns)
		after = f->length_ns;
	return f->left + (int64_t)((double)after / (double)f->length_ns *
				   (double)f->room);
}

/* Writes the label of an axis line and returns its width. */
static int64_t tick_text(const struct fall *f, int i, char text[24])
{
	format_duration(f->length_ns / TICKS * i, text);
	return (int64_t)str_from(text).len * SVG_LETTER_CPX;
}

static void write_axis(struct fall *f)
{
	struct out *out = f->s.out;
	int64_t bottom = f->top + (int64_t)f->r->waterfall_count * ROW_CPX;
	int64_t end = f->left + f->room, taken = f->left;
	char text[24];
	int64_t last = end - tick_text(f, TICKS, text);

	for (int i = 0; i <= TICKS; i++) {
		int64_t x = f->left + f->room * i / TICKS;
		int64_t width = tick_text(f, i, text);

		out_text(out, "<path class=\"axis\" d=\"M");
		svg_number(out, x);
		out_char(out, ' ');
		svg_number(out, f->top);
		out_text(out, "V");
		svg_number(out, bottom);
		out_text(out, "\"/>");
		if (i == TICKS)
			x = last;
		else if (x < taken || x + width + SVG_LETTER_CPX > last)
			continue;
		taken = x + width + SVG_LETTER_CPX;
		svg_text(&f->s, x, f->top - 6 * SVG_PX, "l", str_from(text));
	}
}

static void write_title(struct fall *f, const struct waterfall_row *row)
{
	struct out *out = f->s.out;
	char duration[24], self[24], start[24];

	format_duration(row->duration_ns, duration);
	format_duration(row->self_ns, self);
	format_duration(sat_sub_i64(row->start_ns, f->from_ns), start);
	out_text(out, "<title>");
	escape_xml(out, span_service(f->t, row->span));
	out_text(out, "  ");
	escape_xml(out, name_shown(span_name(f->t, row->span)));
	if (row->count > 1)
		outf(out, "  x%u", (unsigned)row->count);
	outf(out, "\ntook %s, self %s, began after %s", duration, self, start);
	if (row->is_on_path)
		out_text(out, "\non the critical path");
	if (row->critical_ns > 0) {
		format_duration(row->critical_ns, self);
		outf(out, " with %s", self);
	}
	if (row->is_error)
		out_text(out, "\nfailed");
	if (row->is_guilty)
		out_text(out, "\nthe span to blame");
	if (row->hidden)
		outf(out, "\n%u spans below are not shown",
		     (unsigned)row->hidden);
	out_text(out, "</title>");
}

/* Writes "service name x52" from the left, truncated. */
static void write_label(struct fall *f, const struct waterfall_row *row,
			int64_t y)
{
	struct page *p = &f->s.page;
	uint32_t level = row->depth < LEVELS_MAX ? row->depth : LEVELS_MAX;
	int64_t x = SVG_MARGIN_PX * SVG_PX + (int64_t)level * INDENT_CPX;
	struct buf text;
	struct str label;

	buf_init(&text, LIMIT_PAGE_TEXT_BYTES);
	if (row->is_guilty)
		page_text(p, "> ");
	page_name(p, span_service(f->t, row->span), 0);
	page_text(p, " ");
	page_name(p, name_shown(span_name(f->t, row->span)), 0);
	if (row->count > 1)
		page_textf(p, " x%u", (unsigned)row->count);
	if (row->hidden)
		page_textf(p, " +%u", (unsigned)row->hidden);
	svg_take(&f->s, &text);
	label = svg_cut(&f->s, buf_str(&text), f->left - x - 8 * SVG_PX);
	svg_text(&f->s, x, y + 14 * SVG_PX,
		 row->is_error    ? "e"
		 : row->is_guilty ? "g"
				  : NULL,
		 label);
	svg_clear(&f->s, &text);
	buf_release(&text);
}

/* Writes it after the bar if there is room, else before it or within. */
static void write_times(struct fall *f, const struct waterfall_row *row,
			int64_t from, int64_t to, int64_t y)
{
	char duration[24], self[24], text[64];
	bool is_within;
	int64_t width;

	format_duration(row->duration_ns, duration);
	format_duration(row->self_ns, self);
	snprintf(text, sizeof text, "%s, self %s", duration, self);
	width = (int64_t)str_from(text).len * SVG_LETTER_CPX + 6 * SVG_PX;
	is_within = to + width > f->left + f->room &&
		    (to - from >= width || from - width < f->left);
	if (is_within)
		from += 4 * SVG_PX;
	else if (to + width <= f->left + f->room)
		from = to + 6 * SVG_PX;
	else
		from -= width;
	svg_text(&f->s, from, y + 14 * SVG_PX, is_within ? "i" : NULL,
		 str_from(text));
}

static void write_row(struct fall *f, size_t i)
{
	const struct waterfall_row *row = &f->r->waterfall[i];
	struct out *out = f->s.out;
	int64_t y = f->top + (int64_t)i * ROW_CPX;
	int64_t from = time_place(f, row->start_ns),
		to = time_place(f, row->end_ns);
	struct str name = span_service(f->t, row->span);
	const struct service *service = service_find(f, name);

	if (to < from + SVG_PX)
		to = from + SVG_PX;
	out_text(out, row->is_guilty ? "<g class=\"f s guilty\">"
				     : "<g class=\"f s\">");
	write_title(f, row);
	out_text(out, "<rect class=\"back\" x=\"0\"");
	svg_attr(out, "y", y);
	svg_attr(out, "width", f->s.width);
	outf(out, " height=\"%d\"/>", ROW_CPX / SVG_PX);
	out_text(out, "<rect class=\"b\"");
	svg_attr(out, "x", from);
	svg_attr(out, "y", y + 3 * SVG_PX);
	svg_attr(out, "width", to - from);
	outf(out, " height=\"%d\" fill=\"", BAR_CPX / SVG_PX);
	svg_color(out, service ? service->color
			       : svg_name_colors[svg_color_place(name)]);
	out_text(out, "\"/>");
	if (row->is_on_path) {
		out_text(out, "<rect class=\"c\"");
		svg_attr(out, "x", from);
		svg_attr(out, "y", y + 16 * SVG_PX);
		svg_attr(out, "width", to - from);
		out_text(out, " height=\"3\"/>");
	}
	write_label(f, row, y);
	write_times(f, row, from, to, y);
	out_text(out, "</g>\n");
}

/* ---- title and legend ---- */

static void write_heads(struct fall *f)
{
	const struct trace_info *t = &f->r->trace;
	struct page *p = &f->s.page;
	struct page_time start;
	char text[24];

	page_textf(p, "trace ");
	page_name(p, t->id, 0);
	svg_take_title(&f->s);
	format_duration(t->duration_ns, text);
	page_time(p, t->start_ns, t->start_ns, &start);
	page_textf(p, "%s %s %s, %s, %u spans of %u services, ",
		   start.date, start.clock, start.zone, text,
		   (unsigned)t->span_count, (unsigned)t->service_count);
	page_foreign(p, t->source);
	svg_take_paragraph(&f->s);
	page_text(p, "a bar a span, coloured by service; underlined: on the "
		     "critical path; self: time with no child at work; "
		     "shaded: the span to blame");
	svg_take_paragraph(&f->s);
}

static void waterfall_draw(struct fall *f)
{
	int64_t x = SVG_MARGIN_PX * SVG_PX, y, below;

	write_heads(f);
	f->top = svg_head_height(&f->s) + 34 * SVG_PX;
	y = f->top + (int64_t)f->r->waterfall_count * ROW_CPX + 24 * SVG_PX;
	below = y + (1 + (int64_t)f->service_count / 4) * SVG_LINE_PX * SVG_PX;
	svg_open(&f->s, "waterfall", below + INFO_LINES * SVG_LINE_PX * SVG_PX);
	write_axis(f);
	out_text(f->s.out, "<g class=\"lane\" aria-label=\"spans\">\n");
	for (size_t i = 0; i < f->r->waterfall_count; i++)
		write_row(f, i);
	out_text(f->s.out, "</g>\n");
	for (size_t i = 0; i < f->service_count; i++)
		svg_legend(&f->s, &x, &y, f->services[i].color,
			   name_shown(f->services[i].name));
	svg_info(&f->s, below);
	svg_dark_begin(&f->s);
	for (size_t i = 0; i < SVG_NAME_COLORS; i++)
		svg_dark_fill(&f->s, svg_name_colors[i]);
	svg_dark_end(&f->s);
	svg_close(&f->s);
}

void svg_waterfall(const struct render_input *in, struct out *out)
{
	struct fall f = { .t = in->trace, .r = in->result };

	svg_begin(&f.s, in, out);
	f.s.is_fluid = false;
	f.left = f.s.width * LABEL_EIGHTHS / 8;
	f.room = f.s.width - SVG_MARGIN_PX * SVG_PX - f.left;
	f.from_ns = in->result->trace.start_ns;
	f.length_ns = in->result->trace.duration_ns;
	for (size_t i = 0; i < f.r->waterfall_count; i++) {
		struct str name = span_service(f.t, f.r->waterfall[i].span);

		if (f.service_count < SERVICES_MAX && !service_find(&f, name))
			service_add(&f, name);
	}
	waterfall_draw(&f);
	svg_end(&f.s);
}
