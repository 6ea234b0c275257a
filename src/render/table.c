/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "base/num.h"
#include "render/formats.h"
#include "render/units.h"

/* Fields of the numbers, each with its gap on the left. */
#define FIRST_COLUMNS 10u
#define NEXT_COLUMNS 9u
#define CHANGE_COLUMNS 8u
#define VALUE_COLUMNS 11u
#define GAP_COLUMNS 2u
#define PLACE_GAP_COLUMNS 3u
#define FOOT_COLUMNS 6u

/* On a narrower screen the bar gives way to the names. */
#define WIDE_COLUMNS 100u
#define BAR_NARROW 3u
#define BAR_WIDE 8u

/* What a name and a place need at least to be worth showing side by side. */
#define NAME_MIN_COLUMNS 36u
#define PLACE_MIN_COLUMNS 24u

struct table {
	const struct result *result;
	size_t row_count;
	size_t flat_columns; /* of the first value, gap included */
	size_t cum_columns;  /* of the second one, if there is one */
	bool has_marks;      /* a row compares another measure */
	size_t word_columns; /* "new", "shrunk" */
	size_t bar_columns;  /* 0: no bars */
	size_t name_columns; /* most a name takes, 0 = never cut */
	size_t name_pad;
	size_t place_columns; /* most a place takes, 0 = never cut */
	bool has_places;
	double max_delta;
};

static const char *const change_words[] = {
	[CHANGE_NONE] = "",       [CHANGE_NEW] = "new",
	[CHANGE_GROWN] = "grown", [CHANGE_SHRUNK] = "shrunk",
	[CHANGE_GONE] = "gone",   [CHANGE_SAME] = "same",
	[CHANGE_NOISE] = "noise",
};

static enum paint change_paint(enum change change)
{
	switch (change) {
	case CHANGE_NEW:
	case CHANGE_GROWN:
		return PAINT_BAD;
	case CHANGE_SHRUNK:
	case CHANGE_GONE:
		return PAINT_GOOD;
	case CHANGE_SAME:
	case CHANGE_NOISE:
		return PAINT_DIM;
	case CHANGE_NONE:
		break;
	}
	return PAINT_NONE;
}

static size_t table_row_count(const struct page *p, const struct result *r)
{
	if (p->style.limit && p->style.limit < r->function_count)
		return p->style.limit;
	return r->function_count;
}

static enum rank_by table_measure(const struct result *r)
{
	return r->rank_by == RANK_DELTA ? RANK_OWNED : r->rank_by;
}

enum rank_by row_measure(const struct result *r, const struct function_row *row)
{
	if (row->measure == RANK_SELF || row->measure == RANK_TOTAL)
		return row->measure;
	return table_measure(r);
}

double row_share(const struct function_row *row, enum rank_by measure)
{
	if (measure == RANK_SELF)
		return row->self;
	return measure == RANK_TOTAL ? row->total : row->owned;
}

double row_baseline(const struct function_row *row, enum rank_by measure)
{
	if (measure == RANK_SELF)
		return row->baseline_self;
	return measure == RANK_TOTAL ? row->baseline_total
				     : row->baseline_owned;
}

/* The first value of a row without a baseline. */
static int64_t flat_value(const struct result *r,
			  const struct function_row *row)
{
	return table_measure(r) == RANK_OWNED ? row->owned_value
					      : row->self_value;
}

/* ---- layout ---- */

/* Columns in front of the name. */
static size_t lead_columns(const struct table *t)
{
	if (!t->result->has_baseline)
		return t->flat_columns + t->cum_columns + 2 * NEXT_COLUMNS +
		       GAP_COLUMNS;
	return FIRST_COLUMNS + 2 * NEXT_COLUMNS + CHANGE_COLUMNS + GAP_COLUMNS +
	       t->word_columns +
	       (t->bar_columns ? GAP_COLUMNS + t->bar_columns : 0) +
	       GAP_COLUMNS;
}

/* Counts may be longer than any duration. */
static void lay_out_values(struct table *t)
{
	const struct result *r = t->result;
	char text[UNIT_TEXT_BYTES];

	t->flat_columns = FIRST_COLUMNS;
	t->cum_columns = VALUE_COLUMNS;
	for (size_t i = 0; i < t->row_count; i++) {
		const struct function_row *row = &r->functions[i];

		format_value(flat_value(r, row), r->profile.unit, text);
		t->flat_columns = max_size(t->flat_columns,
					   str_from(text).len + GAP_COLUMNS);
		format_value(row->total_value, r->profile.unit, text);
		t->cum_columns = max_size(t->cum_columns,
					  str_from(text).len + GAP_COLUMNS);
	}
	if (table_measure(r) == RANK_OWNED)
		t->cum_columns = VALUE_COLUMNS;
}

/* Shares what is left of the line between names and places. */
static void share_room(struct table *t, size_t width, size_t name, size_t place)
{
	size_t room = width - lead_columns(t);
	size_t least = min_size(name, NAME_MIN_COLUMNS) + PLACE_GAP_COLUMNS +
		       min_size(place, PLACE_MIN_COLUMNS);

	t->has_places =
		place && least <= room && !t->result->has_places_in_names;
	t->name_columns = room;
	t->name_pad = 0;
	if (!t->has_places)
		return;
	room -= PLACE_GAP_COLUMNS;
	t->place_columns = min_size(place, PLACE_MIN_COLUMNS);
	if (room > name + t->place_columns)
		t->place_columns = min_size(place, room - name);
	t->name_columns = room - t->place_columns;
	t->name_pad = min_size(name, t->name_columns) + PLACE_GAP_COLUMNS;
}

static void lay_out_names(struct page *p, struct table *t)
{
	size_t name = 0;
	size_t place = 0;

	for (size_t i = 0; i < t->row_count; i++) {
		const struct function_row *row = &t->result->functions[i];

		name = max_size(name,
				page_columns(p, name_shown(row->name), 0));
		place = max_size(place,
				 page_place_columns(p, row->file, row->line));
	}
	if (!p->width) {
		t->has_places = place > 0 && !t->result->has_places_in_names;
		t->name_pad =
			min_size(name, PAGE_ALIGN_COLUMNS) + PLACE_GAP_COLUMNS;
		return;
	}
	if (p->width < WIDE_COLUMNS && name > p->width - lead_columns(t))
		t->bar_columns = 0;
	share_room(t, p->width, name, place);
}

static void lay_out(struct page *p, struct table *t)
{
	enum rank_by measure = table_measure(t->result);

	t->bar_columns =
		p->width && p->width < WIDE_COLUMNS ? BAR_NARROW : BAR_WIDE;
	for (size_t i = 0; i < t->row_count; i++) {
		const struct function_row *row = &t->result->functions[i];
		size_t word = str_from(change_words[row->change]).len;

		t->word_columns = max_size(t->word_columns, word);
		if (row_measure(t->result, row) != measure)
			t->has_marks = true;
		if (change_is_real(row->change) &&
		    fabs(row->delta) > t->max_delta)
			t->max_delta = fabs(row->delta);
	}
	lay_out_values(t);
	lay_out_names(p, t);
}

/* ---- rows ---- */

/* Nothing at all is a dash, to be told from a little. */
static void share_field(struct page *p, enum paint paint, size_t columns,
			double share)
{
	char text[UNIT_TEXT_BYTES];

	format_share(share == 0 ? (double)NAN : share, text);
	page_field(p, paint, ALIGN_RIGHT, columns, text);
}

static void value_field(struct page *p, size_t columns, int64_t value,
			const struct result *r)
{
	char text[UNIT_TEXT_BYTES];

	format_value(value, r->profile.unit, text);
	page_field(p, PAINT_NONE, ALIGN_RIGHT, columns, text);
}

static void flat_fields(struct page *p, const struct table *t,
			const struct function_row *row)
{
	const struct result *r = t->result;
	bool is_owned = table_measure(r) == RANK_OWNED;

	value_field(p, t->flat_columns, flat_value(r, row), r);
	share_field(p, PAINT_NONE, NEXT_COLUMNS,
		    is_owned ? row->owned : row->self);
	if (is_owned)
		share_field(p, PAINT_NONE, t->cum_columns, row->self);
	else
		value_field(p, t->cum_columns, row->total_value, r);
	share_field(p, PAINT_NONE, NEXT_COLUMNS, row->total);
}

static void change_fields(struct page *p, const struct table *t,
			  const struct function_row *row)
{
	enum rank_by shown = table_measure(t->result);
	enum rank_by measure = row_measure(t->result, row);
	enum rank_by other = shown == RANK_TOTAL ? RANK_SELF : RANK_TOTAL;
	enum paint paint = change_paint(row->change);
	bool is_dim = paint == PAINT_DIM;
	char text[UNIT_TEXT_BYTES];

	share_field(p, is_dim ? paint : PAINT_NONE, FIRST_COLUMNS,
		    row_share(row, other));
	share_field(p, is_dim ? paint : PAINT_NONE, NEXT_COLUMNS,
		    row_share(row, shown));
	share_field(p, is_dim ? paint : PAINT_NONE, NEXT_COLUMNS,
		    row_baseline(row, measure));
	format_points(row->delta, text);
	page_field(p, paint, ALIGN_RIGHT, CHANGE_COLUMNS, text);
	page_field(p, PAINT_NONE, ALIGN_LEFT, GAP_COLUMNS,
		   measure == shown ? "" : "*");
	page_field(p, paint, ALIGN_LEFT, t->word_columns,
		   change_words[row->change]);
	if (!t->bar_columns)
		return;
	out_repeat(p->out, " ", GAP_COLUMNS);
	page_bar(p, paint,
		 change_is_real(row->change) ? fabs(row->delta) / t->max_delta
					     : 0,
		 t->bar_columns);
}

/* A name that is longer than its column leaves no blank of its own. */
static void place_gap(struct page *p, const struct table *t,
		      const struct function_row *row)
{
	size_t name = page_columns(p, name_shown(row->name), t->name_columns);

	if (name + PLACE_GAP_COLUMNS > t->name_pad)
		out_repeat(p->out, " ",
			   min_size(name + PLACE_GAP_COLUMNS - t->name_pad,
				    PLACE_GAP_COLUMNS));
}

static void write_row(struct page *p, const struct table *t,
		      const struct function_row *row)
{
	bool has_place = t->has_places && row->file.len;

	if (t->result->has_baseline)
		change_fields(p, t, row);
	else
		flat_fields(p, t, row);
	out_repeat(p->out, " ", GAP_COLUMNS);
	page_cell(p, row->change == CHANGE_NOISE ? PAINT_DIM : PAINT_NONE,
		  name_shown(row->name), t->name_columns,
		  has_place ? t->name_pad : 0);
	if (has_place) {
		place_gap(p, t, row);
		page_place(p, PAINT_DIM, row->file, row->line,
			   t->place_columns);
	}
	out_char(p->out, '\n');
}

#define NUMBER_COUNT 4u

static const char *const *number_names(const struct result *r)
{
	static const char *const changes[][NUMBER_COUNT] = {
		[RANK_OWNED] = { "total", "own", "before", "change" },
		[RANK_SELF] = { "total", "self", "before", "change" },
		[RANK_TOTAL] = { "self", "total", "before", "change" },
	};
	static const char *const flats[][NUMBER_COUNT] = {
		[0] = { "own", "own%", "flat%", "cum%" },
		[1] = { "flat", "flat%", "cum", "cum%" },
	};
	enum rank_by measure = table_measure(r);

	return r->has_baseline ? changes[measure]
			       : flats[measure != RANK_OWNED];
}

static void write_head(struct page *p, const struct table *t)
{
	const char *const *names = number_names(t->result);
	bool is_change = t->result->has_baseline;
	const size_t columns[] = {
		is_change ? FIRST_COLUMNS : t->flat_columns,
		NEXT_COLUMNS,
		is_change ? NEXT_COLUMNS : t->cum_columns,
		is_change ? CHANGE_COLUMNS : NEXT_COLUMNS,
	};
	size_t used = 0;

	for (size_t i = 0; i < NUMBER_COUNT; i++) {
		page_field(p, PAINT_DIM, ALIGN_RIGHT, columns[i], names[i]);
		used += columns[i];
	}
	out_repeat(p->out, " ", lead_columns(t) - used);
	page_paint(p, PAINT_DIM, "function");
	out_char(p->out, '\n');
}

/* What the table leaves out or means differently. */
static void write_foot(struct page *p, const struct table *t)
{
	const struct result *r = t->result;
	size_t indent = p->style.is_markdown ? 0 : FOOT_COLUMNS;
	size_t more = 0;

	if (r->function_total > t->row_count)
		more = r->function_total - t->row_count;
	if (t->has_marks && r->has_baseline) {
		page_text(p, p->style.is_markdown ? "\\" : "");
		page_text(p, "* before and change are of the total: "
			     "the time is spent in what it calls");
		page_flush(p, PAINT_DIM, "", indent);
		if (p->style.is_markdown)
			out_char(p->out, '\n');
	}
	if (more)
		page_textf(p, "%zu more function%s, -n 0 shows all", more,
			   more == 1 ? "" : "s");
	if (r->noise_count)
		page_textf(p, "%s%zu not distinguishable from noise",
			   more ? "; " : "", r->noise_count);
	page_flush(p, PAINT_DIM, "", indent);
}

/* ---- the same in Markdown ---- */

static void share_cell(struct page *p, double share)
{
	char text[UNIT_TEXT_BYTES];

	format_share(share == 0 ? (double)NAN : share, text);
	markdown_cell(p, text);
}

static void value_cell(struct page *p, const struct result *r, int64_t value)
{
	char text[UNIT_TEXT_BYTES];

	format_value(value, r->profile.unit, text);
	markdown_cell(p, text);
}

static void flat_cells(struct page *p, const struct result *r,
		       const struct function_row *row)
{
	bool is_owned = table_measure(r) == RANK_OWNED;

	value_cell(p, r, flat_value(r, row));
	share_cell(p, is_owned ? row->owned : row->self);
	if (is_owned)
		share_cell(p, row->self);
	else
		value_cell(p, r, row->total_value);
	share_cell(p, row->total);
}

static void change_cells(struct page *p, const struct result *r,
			 const struct function_row *row)
{
	enum rank_by shown = table_measure(r);
	enum rank_by measure = row_measure(r, row);
	char points[UNIT_TEXT_BYTES];
	char text[2 * UNIT_TEXT_BYTES];

	share_cell(p, row_share(row,
				shown == RANK_TOTAL ? RANK_SELF : RANK_TOTAL));
	share_cell(p, row_share(row, shown));
	share_cell(p, row_baseline(row, measure));
	format_points(row->delta, points);
	snprintf(text, sizeof text, "%s%s %s", points,
		 measure == shown ? "" : "\\*", change_words[row->change]);
	markdown_cell(p, text);
}

static void markdown_functions(struct page *p, struct table *t)
{
	const struct result *r = t->result;
	const char *names[NUMBER_COUNT + 2];

	for (size_t i = 0; i < NUMBER_COUNT; i++)
		names[i] = number_names(r)[i];
	names[NUMBER_COUNT] = "function";
	names[NUMBER_COUNT + 1] = "place";
	lay_out(p, t);
	markdown_head(p, names, NUMBER_COUNT + 1 + t->has_places, NUMBER_COUNT);
	for (size_t i = 0; i < t->row_count; i++) {
		const struct function_row *row = &r->functions[i];

		if (r->has_baseline)
			change_cells(p, r, row);
		else
			flat_cells(p, r, row);
		markdown_name_cell(p, name_shown(row->name));
		if (t->has_places)
			markdown_place_cell(p, row->file, row->line);
		markdown_row_end(p);
	}
}

static void write_table(struct page *p, struct table *t)
{
	if (p->style.is_markdown) {
		markdown_functions(p, t);
		return;
	}
	lay_out(p, t);
	write_head(p, t);
	for (size_t i = 0; i < t->row_count; i++)
		write_row(p, t, &t->result->functions[i]);
}

void table_functions(struct page *p, const struct result *r)
{
	struct table t = { .result = r, .row_count = table_row_count(p, r) };

	if (t.row_count)
		write_table(p, &t);
	if (p->style.is_quiet)
		return;
	if (p->style.is_markdown)
		out_char(p->out, '\n');
	write_foot(p, &t);
	table_kinds(p, r);
}
