/* SPDX-License-Identifier: Apache-2.0
 *
 * Table of functions, which html_functions.js can sort and filter; initially
 * ordered by rank.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/num.h"
#include "model/source_path.h"
#include "render/html.h"
#include "render/render.h"
#include "render/source_link.h"
#include "render/units.h"

/* Resolution of shares for sorting: finer than the sampling error. */
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
	struct scale scale;
	const struct column *columns; /* for a single profile */
	const char *class;            /* selects the columns in html.css */
	enum rank_by measure;         /* the one compared */
	enum rank_by other;           /* second measure */
	size_t count;                 /* rows written */
	bool *is_caller;              /* by row kept; NULL: out of memory */
	double reach;                 /* largest change, the scale of bars */
};

static const char *const measure_names[] = {
	[RANK_SELF_LIB] = "self+lib",
	[RANK_SELF] = "self",
	[RANK_TOTAL] = "total",
};
static const char *const measure_hints[] = {
	[RANK_SELF_LIB] = ("the function and the library code it calls, which "
			  "counts for its caller"),
	[RANK_SELF] = "the function itself",
	[RANK_TOTAL] = "the function and its callees",
};

static const struct column alone_self_lib[] = {
	{ "self+lib", "the function and the library code it "
		 "calls", true, RANK_SELF_LIB },
	{ "%", "the function and the library code it "
	       "calls", false, RANK_SELF_LIB },
	{ "self %", "the function itself", false, RANK_SELF },
	{ "total %", "the function and its callees", false, RANK_TOTAL },
	{ NULL },
};
static const struct column alone_flat[] = {
	{ "self", "the function itself", true, RANK_SELF },
	{ "self %", "the function itself", false, RANK_SELF },
	{ "total", "the function and its callees", true, RANK_TOTAL },
	{ "total %", "the function and its callees", false, RANK_TOTAL },
	{ NULL },
};

bool html_has_functions(const struct render_input *in)
{
	return in->result->has_profile && result_listed(in->result) > 0 &&
	       !in->style.is_quiet;
}

static void set_columns(struct functions *f)
{
	static const char *const compared[] = {
		[RANK_SELF_LIB] = "by-owned",
		[RANK_SELF] = "by-self",
		[RANK_TOTAL] = "by-total",
	};
	static const struct function_row none = { .measure = RANK_SELF_LIB };
	bool is_owned;

	f->measure = row_measure(f->r, &none);
	f->other = f->measure == RANK_TOTAL ? RANK_SELF_LIB : RANK_TOTAL;
	is_owned = f->measure == RANK_SELF_LIB;
	f->columns = is_owned ? alone_self_lib : alone_flat;
	f->class = f->r->has_baseline ? compared[f->measure]
		   : is_owned         ? "alone-owned"
				      : "alone";
}

/* ---- cells ---- */

/* A value in the table's unit, sorted by the unrounded value. */
static void steps_cell(struct functions *f, int64_t steps, bool has_sign)
{
	char text[UNIT_TEXT_BYTES];

	if (has_sign)
		scale_format_signed(&f->scale, steps, text);
	else
		scale_format(&f->scale, steps, text);
	outf(f->h->out, "<td data-v=\"%" PRId64 "\">%s</td>", steps, text);
}

/* Returns the position of a change on the bar, with 0 in the middle, in 1/100
 * %. */
static int64_t delta_place(const struct functions *f, double delta)
{
	return llround(fmin(fmax(5000 + 5000 * delta / f->reach, 0), 10000));
}

/* ' x="12.34%"'. */
static void place_attr(struct functions *f, const char *name, int64_t place)
{
	outf(f->h->out, " %s=\"%d.%02d%%\"", name, (int)place / 100,
	     (int)place % 100);
}

/* Draws a bar from 0 to the change, and a line for its interval. */
static void write_plot(struct functions *f, const struct function_row *row)
{
	int64_t from = delta_place(f, fmin(row->delta, 0));
	int64_t to = delta_place(f, fmax(row->delta, 0));
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
		place_attr(f, "x1", delta_place(f, row->delta_low));
		place_attr(f, "x2", delta_place(f, row->delta_high));
		out_text(out, " y1=\"8\" y2=\"8\"/>");
	}
	out_text(out, "</svg>");
}

static void range_cell(struct functions *f, const struct function_row *row)
{
	char low[UNIT_TEXT_BYTES], high[UNIT_TEXT_BYTES];

	out_text(f->h->out, "<td class=\"range\">");
	if (isfinite(row->delta_low) && isfinite(row->delta_high)) {
		scale_format_signed(
			&f->scale, scale_delta(&f->scale, row->delta_low), low);
		scale_format_signed(&f->scale,
				    scale_delta(&f->scale, row->delta_high),
				    high);
		outf(f->h->out, "%s to %s", low, high);
	}
	out_text(f->h->out, "</td>");
}

/* The change is the difference of the numbers displayed. */
static void change_cells(struct functions *f, const struct function_row *row)
{
	enum rank_by measure = row_measure(f->r, row);
	int64_t now = scale_after(&f->scale, row_value(row, measure));
	int64_t before = scale_before(&f->scale, row_before(row, measure));
	struct out *out = f->h->out;

	steps_cell(f, now, false);
	steps_cell(f, before, false);
	steps_cell(f, now - before, true);
	out_text(out, "<td class=\"graph\">");
	write_plot(f, row);
	out_text(out, "</td>");
	range_cell(f, row);
	outf(out, "<td class=\"change\">%s</td>", row_change_word(row));
	steps_cell(f, scale_after(&f->scale, row_value(row, f->other)), false);
}

/* Allows line breaks after separators in a long name. */
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

/* With a link to the source, if known. */
static void write_place(struct functions *f, const struct function_row *row)
{
	struct html *h = f->h;
	struct buf link;
	bool is_linked;

	buf_init(&link, LIMIT_PAGE_TEXT_BYTES);
	is_linked = source_link(row_is_of_application(row)
					? h->in->source_pattern
					: NULL,
				f->r->source_root, row->file, row->line, &link);
	out_text(h->out, " <span class=\"place\">");
	if (is_linked) {
		out_text(h->out, "<a rel=\"noreferrer\" href=\"");
		html_text(h, buf_str(&link));
		out_text(h->out, "\">");
	}
	html_text(h, source_path_shorten(row->file, f->r->source_root));
	if (row->line)
		outf(h->out, ":%" PRIu32, row->line);
	out_text(h->out, is_linked ? "</a></span>" : "</span>");
	buf_release(&link);
}

static void name_cell(struct functions *f, const struct function_row *row)
{
	struct html *h = f->h;

	out_text(h->out, "<th scope=\"row\">");
	out_text(h->out, h->has_flame ? "<a href=\"#flame\">" : "<b>");
	write_parts(h, name_shown(row->name));
	out_text(h->out, h->has_flame ? "</a>" : "</b>");
	if (row->file.len && !f->r->has_locations_in_names)
		write_place(f, row);
	if (row->through.len) {
		outf(h->out, " <span class=\"place through\">%s",
		     row_link_word(row));
		html_text(h, row->through);
		out_text(h->out, "</span>");
	}
	out_text(h->out, "</th>");
}

/* ---- rows ---- */

/* Rows past the limit, and callers that only pass a change on, are hidden
 * initially. */
static void write_row(struct functions *f, size_t i)
{
	const struct function_row *row = &f->r->functions[i];
	const char *class = change_is_up(row->change)     ? "up"
			    : change_is_down(row->change) ? "down"
			    : row->change == CHANGE_NOISE ? "noise"
							  : "same";
	size_t limit = f->h->in->style.limit;
	bool is_caller = f->is_caller && i < f->r->function_count &&
			 f->is_caller[i];
	char text[UNIT_TEXT_BYTES];

	outf(f->h->out, "<tr class=\"%s%s%s\">", class,
	     is_caller || (limit && i >= limit) ? " more" : "",
	     is_caller ? " caller" : "");
	name_cell(f, row);
	if (f->r->has_baseline)
		change_cells(f, row);
	/* Numbers are displayed rounded, and sorted unrounded. */
	for (const struct column *c = f->columns;
	     !f->r->has_baseline && c->name; c++) {
		int64_t value = row_value(row, c->measure);
		double share = row_share(row, c->measure);
		double parts =
			isfinite(share) ? fmin(fmax(share, -1e9), 1e9) : 0;

		if (c->is_value) {
			format_value(value, f->r->profile.unit, text);
			outf(f->h->out, "<td data-v=\"%" PRId64 "\">", value);
			html_text(f->h, str_from(text));
			out_text(f->h->out, "</td>");
		} else {
			/* 0 is a dash, as opposed to a small value. */
			format_share(share == 0 ? (double)NAN : share, text);
			outf(f->h->out, "<td data-v=\"%lld\">%s</td>",
			     llround(parts * SHARE_PARTS), text);
		}
	}
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
	if (f->r->has_baseline) {
		head_cell(f, "num", measure_names[f->measure],
			  measure_hints[f->measure]);
		head_cell(f, "num", "baseline", "in the baseline");
		head_cell(f, "num", "change",
			  "what stands left of it, subtracted");
		out_text(f->h->out, "<td class=\"graph\"></td>"
				    "<th scope=\"col\" class=\"range\">95 % "
				    "interval</th><th scope=\"col\" "
				    "class=\"change\">verdict</th>");
		head_cell(f, "num", measure_names[f->other],
			  measure_hints[f->other]);
	} else {
		for (const struct column *c = f->columns; c->name; c++)
			head_cell(f, "num", c->name, c->hint);
	}
	out_text(out, "</tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < f->count; i++)
		write_row(f, i);
	out_text(out, "</tbody>\n</table>\n</div>\n");
}

/* ---- around the rows ---- */

static void write_hint(struct functions *f)
{
	const struct result *r = f->r;
	struct out *out = f->h->out;
	char measure[2 * UNIT_TEXT_BYTES];

	scale_measure(r, measure);
	if (r->has_baseline)
		outf(out,
		     "<p class=\"hint\">%s%s%s: %s, baseline and change use "
		     "the same measure. A question mark: may be noise",
		     measure, *f->scale.unit ? ", " : "", f->scale.unit,
		     measure_names[f->measure]);
	else
		outf(out, "<p class=\"hint\">Shares of %s",
		     measure_word(r->profile.type));
	out_text(out, ".</p>\n");
}

/* Describes rows left out of the table, and the terms it uses. */
static void write_foot(struct functions *f)
{
	const struct result *r = f->r;
	struct out *out = f->h->out;
	char text[UNIT_TEXT_BYTES];

	if (f->h->page.line.len) {
		out_text(out, "<p class=\"hint\" id=\"callers\">");
		page_flush(&f->h->page, PAINT_NONE, "", 0);
		out_text(out, "</p>\n");
	}
	if (r->function_total > f->count) {
		format_count((int64_t)(r->function_total - f->count), text);
		outf(out,
		     "<p class=\"hint\">%s more function%s, -o csv -n 0 "
		     "lists all</p>\n",
		     text, r->function_total - f->count == 1 ? "" : "s");
	}
	out_text(out, "<dl class=\"evidence\">");
	table_categories(&f->h->page, r);
	out_text(out, "</dl>\n");
}

void html_functions_write(struct html *h)
{
	const struct result *r = h->in->result;
	struct functions f = { .h = h, .r = r };

	if (!html_has_functions(h->in))
		return;
	set_columns(&f);
	f.count = min_size(result_listed(r), LIMIT_PAGE_FUNCTIONS);
	for (size_t i = 0; i < f.count; i++) {
		const struct function_row *row = &f.r->functions[i];

		if (change_is_real(row->change))
			f.reach = fmax(f.reach, fabs(row->delta));
	}
	/* Without a change noise should not fill the bars. */
	if (!(f.reach > 0.01))
		f.reach = 0.01;
	scale_init(&f.scale, r);
	f.is_caller = mem_calloc(r->function_count + 1, sizeof *f.is_caller);
	if (f.is_caller)
		table_callers(&h->page, r, f.is_caller);
	else
		out_fail_memory(h->out);
	out_text(h->out, "<section id=\"functions\" "
			 "aria-labelledby=\"functions-title\">\n"
			 "<h2 id=\"functions-title\">Functions</h2>\n");
	write_hint(&f);
	write_table(&f);
	write_foot(&f);
	mem_free(f.is_caller);
	out_text(h->out, "</section>\n");
}
