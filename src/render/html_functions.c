/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions as a table that html.js sorts and filters; without it they
 * stand in the order of their rank.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/num.h"
#include "render/formats.h"
#include "render/html.h"
#include "render/units.h"

/* What shares are sorted by: less is below what sampling can tell. */
#define SHARE_PARTS 1000000

struct column {
	const char *name;
	const char *hint; /* NULL: none */
	bool is_value;    /* in the profile's unit, else a share */
	enum rank_by measure;
};

struct functions {
	struct html *h;
	const struct result *r;
	const struct column *columns;
	const char *class;    /* names the columns to html.css */
	enum rank_by measure; /* that is compared */
	size_t count;         /* rows written */
	double reach;         /* the largest change, for bars */
	bool has_marks;
};

static const struct column compared_owned[] = {
	{ "self", "in the function itself", false, RANK_SELF },
	{ "total", "with what it calls", false, RANK_TOTAL },
	{ "own", "with the libraries that it calls", false, RANK_OWNED },
	{ NULL },
};
static const struct column compared_self[] = {
	{ "total", "with what it calls", false, RANK_TOTAL },
	{ "self", "in the function itself", false, RANK_SELF },
	{ NULL },
};
static const struct column compared_total[] = {
	{ "self", "in the function itself", false, RANK_SELF },
	{ "total", "with what it calls", false, RANK_TOTAL },
	{ NULL },
};
static const struct column alone_owned[] = {
	{ "own", "with the libraries that it calls", true, RANK_OWNED },
	{ "own %", "with the libraries that it calls", false, RANK_OWNED },
	{ "self %", "in the function itself", false, RANK_SELF },
	{ "total %", "with what it calls", false, RANK_TOTAL },
	{ NULL },
};
static const struct column alone_flat[] = {
	{ "self", "in the function itself", true, RANK_SELF },
	{ "self %", "in the function itself", false, RANK_SELF },
	{ "total", "with what it calls", true, RANK_TOTAL },
	{ "total %", "with what it calls", false, RANK_TOTAL },
	{ NULL },
};

bool html_has_functions(const struct render_input *in)
{
	return in->result->has_profile && result_listed(in->result) > 0 &&
	       !in->style.is_quiet;
}

static void set_columns(struct functions *f)
{
	static const struct {
		const char *class;
		const struct column *columns;
	} sets[][2] = {
		[RANK_OWNED] = { { "alone-owned", alone_owned },
				 { "by-owned", compared_owned } },
		[RANK_SELF] = { { "alone", alone_flat },
				{ "by-self", compared_self } },
		[RANK_TOTAL] = { { "alone", alone_flat },
				 { "by-total", compared_total } },
	};
	static const struct function_row none = { .measure = RANK_OWNED };

	f->measure = row_measure(f->r, &none);
	f->class = sets[f->measure][f->r->has_baseline].class;
	f->columns = sets[f->measure][f->r->has_baseline].columns;
}

static int64_t row_value(const struct function_row *row, enum rank_by measure)
{
	if (measure == RANK_SELF)
		return row->self_value;
	return measure == RANK_TOTAL ? row->total_value : row->owned_value;
}

/* ---- cells ---- */

/* What is shown is rounded; what is sorted by is not. */
static void begin_number(struct functions *f, double share)
{
	double parts = isfinite(share) ? fmin(fmax(share, -1e9), 1e9) : 0;

	outf(f->h->out, "<td data-v=\"%lld\">", llround(parts * SHARE_PARTS));
}

static void share_cell(struct functions *f, double share)
{
	char text[UNIT_TEXT_BYTES];

	/* Nothing at all is a dash, to be told from a little. */
	format_share(share == 0 ? (double)NAN : share, text);
	begin_number(f, share);
	outf(f->h->out, "%s</td>", text);
}

static void value_cell(struct functions *f, int64_t value)
{
	char text[UNIT_TEXT_BYTES];

	format_value(value, f->r->profile.unit, text);
	outf(f->h->out, "<td data-v=\"%" PRId64 "\">", value);
	html_text(f->h, str_from(text));
	out_text(f->h->out, "</td>");
}

static const char *const change_texts[] = {
	[CHANGE_NONE] = "",       [CHANGE_NEW] = "new",
	[CHANGE_GROWN] = "grown", [CHANGE_SHRUNK] = "shrunk",
	[CHANGE_GONE] = "gone",   [CHANGE_SAME] = "same",
	[CHANGE_NOISE] = "noise",
};

/* Where a change lies between both ends of the bar, 0 in the middle; in
 * hundredths of a percent. */
static int64_t place(const struct functions *f, double delta)
{
	return llround(fmin(fmax(5000 + 5000 * delta / f->reach, 0), 10000));
}

/* ' x="12.34%"'. */
static void place_attr(struct functions *f, const char *name, int64_t place)
{
	outf(f->h->out, " %s=\"%d.%02d%%\"", name, (int)place / 100,
	     (int)place % 100);
}

/* A bar from 0 to the change, and a line over its interval. */
static void write_plot(struct functions *f, const struct function_row *row)
{
	int64_t from = place(f, fmin(row->delta, 0));
	int64_t to = place(f, fmax(row->delta, 0));
	struct out *out = f->h->out;

	bool has_range = isfinite(row->delta_low) && isfinite(row->delta_high);

	if (!has_range && !change_is_real(row->change))
		return;
	out_text(out, "<svg aria-hidden=\"true\">");
	if (change_is_real(row->change)) {
		out_text(out, "<rect");
		place_attr(f, "x", from);
		place_attr(f, "width", to - from);
		out_text(out, " y=\"4\" height=\"8\"/>");
	}
	if (has_range) {
		out_text(out, "<line");
		place_attr(f, "x1", place(f, row->delta_low));
		place_attr(f, "x2", place(f, row->delta_high));
		out_text(out, " y1=\"8\" y2=\"8\"/>");
	}
	out_text(out, "</svg>");
}

static void change_cells(struct functions *f, const struct function_row *row)
{
	enum rank_by measure = row_measure(f->r, row);
	char text[UNIT_TEXT_BYTES], low[UNIT_TEXT_BYTES], high[UNIT_TEXT_BYTES];
	struct out *out = f->h->out;

	share_cell(f, row_baseline(row, measure));
	format_points(row->delta, text);
	begin_number(f, row->delta);
	outf(out, "%s%s</td><td class=\"graph\">", text,
	     measure == f->measure ? "" : "*");
	write_plot(f, row);
	out_text(out, "</td><td class=\"range\">");
	if (isfinite(row->delta_low) && isfinite(row->delta_high)) {
		format_points(row->delta_low, low);
		format_points(row->delta_high, high);
		outf(out, "%s to %s", low, high);
	}
	outf(out, "</td><td class=\"change\">%s</td>",
	     change_texts[row->change]);
}

/* A long name wraps behind what separates its parts. */
static void write_parts(struct html *h, struct str name)
{
	size_t from = 0;

	for (size_t i = 0; i + 1 < name.len; i++) {
		if (name.ptr[i] != '/' && name.ptr[i] != '.')
			continue;
		html_text(h, str_slice(name, from, i + 1 - from));
		out_text(h->out, "<wbr>");
		from = i + 1;
	}
	html_text(h, str_slice(name, from, name.len - from));
}

static void name_cell(struct functions *f, const struct function_row *row)
{
	struct html *h = f->h;

	out_text(h->out, "<th scope=\"row\">");
	out_text(h->out, h->has_flame ? "<a href=\"#flame\">" : "<b>");
	write_parts(h, name_shown(row->name));
	out_text(h->out, h->has_flame ? "</a>" : "</b>");
	if (row->file.len && !f->r->has_places_in_names) {
		out_text(h->out, " <span class=\"place\">");
		html_text(h, row->file);
		if (row->line)
			outf(h->out, ":%" PRIu32, row->line);
		out_text(h->out, "</span>");
	}
	out_text(h->out, "</th>");
}

/* ---- rows ---- */

static const char *row_class(const struct function_row *row)
{
	if (change_is_up(row->change))
		return "up";
	if (change_is_down(row->change))
		return "down";
	return row->change == CHANGE_NOISE ? "noise" : "same";
}

/* Those after the limit are there, but wait to be asked for. */
static void write_row(struct functions *f, size_t i)
{
	const struct function_row *row = &f->r->functions[i];
	size_t limit = f->h->in->style.limit;

	outf(f->h->out, "<tr class=\"%s%s\">", row_class(row),
	     limit && i >= limit ? " more" : "");
	name_cell(f, row);
	for (const struct column *c = f->columns; c->name; c++) {
		if (c->is_value)
			value_cell(f, row_value(row, c->measure));
		else
			share_cell(f, row_share(row, c->measure));
	}
	if (f->r->has_baseline)
		change_cells(f, row);
	out_text(f->h->out, "</tr>\n");
}

static void head_cell(struct functions *f, const char *class, const char *name,
		      const char *hint)
{
	outf(f->h->out, "<th scope=\"col\" class=\"%s\" title=\"%s\">%s</th>",
	     class, hint, name);
}

static void write_table(struct functions *f)
{
	struct out *out = f->h->out;

	out_text(out, "<div class=\"scroll\" role=\"region\" tabindex=\"0\" "
		      "aria-label=\"Table of functions\">\n"
		      "<table id=\"table\" class=\"");
	out_text(out, f->class);
	out_text(out, "\">\n<thead><tr>");
	head_cell(f, "function", "function", "by name");
	for (const struct column *c = f->columns; c->name; c++)
		head_cell(f, "num", c->name, c->hint);
	if (f->r->has_baseline) {
		head_cell(f, "num", "before", "in the baseline");
		head_cell(f, "num", "change", "in percentage points");
		out_text(out, "<td class=\"graph\"></td>"
			      "<th scope=\"col\" class=\"range\">95 % "
			      "interval</th><th scope=\"col\" "
			      "class=\"change\">verdict</th>");
	}
	out_text(out, "</tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < f->count; i++)
		write_row(f, i);
	out_text(out, "</tbody>\n</table>\n</div>\n");
}

/* ---- around them ---- */

static void write_hint(struct functions *f)
{
	static const char *const words[] = {
		[RANK_OWNED] = "own: itself with the libraries that it calls",
		[RANK_SELF] = "self",
		[RANK_TOTAL] = "total",
	};
	/* Shares of two sides need not differ by the change then. */
	static const char *const ways[] = {
		[NORMALIZE_SHARE] = "are percentage points",
		[NORMALIZE_RATE] = "compare values a second, in percentage "
				   "points of what the slow side took",
		[NORMALIZE_REQUEST] = "compare values a request, in percentage "
				      "points of what the slow side took",
	};
	const struct result *r = f->r;
	enum normalize way = r->is_compared ? r->normalize : NORMALIZE_SHARE;
	struct out *out = f->h->out;

	outf(out, "<p class=\"hint\">Shares of %s",
	     measure_word(r->profile.type));
	if (r->has_baseline)
		outf(out,
		     "; before and change are of %s. Changes %s; they have a "
		     "colour only where they are no noise",
		     words[f->measure], ways[way]);
	out_text(out, ".</p>\n");
}

/* What the table leaves out or means differently. */
static void write_foot(struct functions *f)
{
	const struct result *r = f->r;
	struct out *out = f->h->out;
	char text[UNIT_TEXT_BYTES];

	if (f->has_marks)
		out_text(out,
			 "<p class=\"hint\">* before and change are of the "
			 "total: the time is spent in what it calls</p>\n");
	if (r->noise_count)
		outf(out,
		     "<p class=\"hint\">%zu not distinguishable from "
		     "noise</p>\n",
		     r->noise_count);
	if (r->function_total > f->count) {
		format_count((int64_t)(r->function_total - f->count), text);
		outf(out,
		     "<p class=\"hint\">%s more function%s, -o csv -n 0 "
		     "lists all</p>\n",
		     text, r->function_total - f->count == 1 ? "" : "s");
	}
	out_text(out, "<dl class=\"evidence\">");
	table_kinds(&f->h->page, r);
	out_text(out, "</dl>\n");
}

static void measure_rows(struct functions *f)
{
	for (size_t i = 0; i < f->count; i++) {
		const struct function_row *row = &f->r->functions[i];

		f->has_marks |= f->r->has_baseline &&
				row_measure(f->r, row) != f->measure;
		if (change_is_real(row->change))
			f->reach = fmax(f->reach, fabs(row->delta));
	}
	/* Without a change noise is not to fill the bars. */
	if (!(f->reach > 0.01))
		f->reach = 0.01;
}

void html_functions_write(struct html *h)
{
	const struct result *r = h->in->result;
	struct functions f = { .h = h, .r = r };

	if (!html_has_functions(h->in))
		return;
	set_columns(&f);
	f.count = min_size(result_listed(r), LIMIT_PAGE_FUNCTIONS);
	measure_rows(&f);
	out_text(h->out, "<section id=\"functions\" "
			 "aria-labelledby=\"functions-title\">\n"
			 "<h2 id=\"functions-title\">Functions</h2>\n");
	write_hint(&f);
	write_table(&f);
	write_foot(&f);
	out_text(h->out, "</section>\n");
}
