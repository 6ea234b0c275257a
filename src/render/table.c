/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "render/render.h"
#include "render/units.h"

/* The line below a table of functions: shares by kind of code. */

/* "CPU by category" */
#define LABEL_BYTES 48
#define GAP_COLUMNS 2u

/* Minimum share shown, and minimum change: smaller ones are rarely
 * significant. */
#define SHOWN_SHARE 0.01
#define SHOWN_CHANGE 0.05
/* 25 % minus 20 % is slightly less than 5 % in binary. */
#define ROUNDING 1e-9

struct kind_row {
	enum code_kind kind;
	double share;
	double before;
	bool is_changed;
};

/* By size, then by kind. */
static int compare_rows(const void *left, const void *right)
{
	const struct kind_row *a = left, *b = right;
	int order = compare_f64(b->share, a->share);

	return order ? order : (int)a->kind - (int)b->kind;
}

static size_t collect_rows(const struct result *r,
			   struct kind_row rows[CODE_KIND_COUNT])
{
	size_t count = 0;

	for (int i = 0; i < CODE_KIND_COUNT; i++) {
		enum code_kind kind = (enum code_kind)i;
		struct kind_row row = {
			.kind = kind,
			.share = kind_share(&r->categories, kind),
			.before = kind_share(&r->baseline_categories, kind),
		};

		row.is_changed =
			r->baseline_categories.total > 0 &&
			fabs(row.share - row.before) >= SHOWN_CHANGE - ROUNDING;
		if (row.share >= SHOWN_SHARE || row.is_changed)
			rows[count++] = row;
	}
	qsort(rows, count, sizeof *rows, compare_rows);
	return count;
}

static void add_percent(struct page *p, double share)
{
	char text[UNIT_TEXT_BYTES];

	format_percent(share, text);
	page_number(p, text);
}

void table_categories(struct page *p, const struct result *r)
{
	struct kind_row rows[CODE_KIND_COUNT];
	size_t count = collect_rows(r, rows);
	const char *word;
	bool is_known;

	char label[LABEL_BYTES];

	if (r->categories.total <= 0 || !count)
		return;
	for (size_t i = 0; i < count; i++) {
		page_text(p, i ? ", " : "");
		page_text(p, code_kind_words(rows[i].kind));
		page_text(p, " ");
		add_percent(p, rows[i].share);
		if (!rows[i].is_changed)
			continue;
		page_text(p, " (was ");
		add_percent(p, rows[i].before);
		page_text(p, ")");
	}
	out_char(p->out, '\n');
	word = measure_word(r->profile.type);
	is_known = strcmp(word, measure_word(STR(""))) != 0;
	/* "CPU by category"; "by category" if the type is unknown. */
	snprintf(label, LABEL_BYTES, "%s%sby category", is_known ? word : "",
		 is_known ? " " : "");
	page_flush(p, PAINT_NONE, label, strlen(label) + GAP_COLUMNS);
}

/* Parts below every table: findings, notes, follow-up commands. */

/* "  baseline  " */
#define TOPIC_COLUMNS 12u

/* More would push the answer off the screen; JSON has all. */
#define FINDINGS_SHOWN 8u
#define SHORT_FINDINGS 2u

/* Findings begin with their location ("user-db find: 52 x ..."); the evidence
 * may contain the rest already. */
static bool is_told(struct str text, struct str told)
{
	size_t at = str_find(text, STR(": "));
	struct str rest =
		at == SIZE_MAX ? text : str_slice(text, at + 2, text.len);

	return rest.len && told.len && str_find(told, rest) != SIZE_MAX;
}

bool report_has_findings(const struct result *r, struct str told)
{
	for (size_t i = 0; i < r->finding_count; i++)
		if (r->findings[i].text.len &&
		    !is_told(r->findings[i].text, told))
			return true;
	return false;
}

void report_findings(struct page *p, const struct result *r, struct str told)
{
	size_t most = p->style.is_short ? SHORT_FINDINGS : FINDINGS_SHOWN;
	bool has_cause = p->style.is_short && r->has_span && r->span.why.len;
	size_t shown = 0;
	size_t left = 0;

	for (size_t i = 0; i < r->finding_count; i++) {
		const struct finding_facts *f = &r->findings[i].facts;
		struct str text = r->findings[i].text;

		if (!text.len || is_told(text, told))
			continue;
		/* The cause already explains the time of the guilty span. */
		if (has_cause && f->kind == FINDING_GAP &&
		    f->span == r->span.span)
			continue;
		if (shown == most && !p->style.is_html) {
			left++;
			continue;
		}
		page_sentence(p, text);
		page_flush(p, PAINT_NONE, "also", PAGE_LABEL_COLUMNS);
		shown++;
	}
	if (!left)
		return;
	page_textf(p, "%zu more finding%s (%s)", left,
		   left == 1 ? "" : "s",
		   p->style.is_short ? "--why" : "-o json");
	page_flush(p, PAINT_DIM, "also", PAGE_LABEL_COLUMNS);
}

/* "type: mutex did not grow" becomes a line of its topic, which is named once;
 * topics are in the order of reasoning. */
void report_reasons(struct page *p, const struct notes *reasons)
{
	char label[TOPIC_COLUMNS + 1];
	struct str last = STR("");

	for (size_t i = 0; i < reasons->count; i++) {
		struct str text = str_from(reasons->text[i]);
		size_t colon = str_find(text, STR(": "));
		struct str topic = str_slice(text, 0, colon);

		if (colon > TOPIC_COLUMNS - 3)
			topic.len = 0;
		else
			text = str_slice(text, colon + 2, text.len);
		snprintf(label, sizeof label, "  %.*s",
			 (int)(str_equal(topic, last) ? 0 : topic.len),
			 topic.ptr);
		last = topic;
		page_sentence(p, text);
		page_flush(p, PAINT_NONE, label, TOPIC_COLUMNS);
	}
}

void report_tail(struct page *p, const struct result *r,
		 struct str told_finding, struct str told_note)
{
	if (p->style.is_quiet)
		return;
	if (!p->style.is_short &&
	    (r->finding_count || r->notes.count || r->next_count))
		out_char(p->out, '\n');
	report_findings(p, r, told_finding);
	page_notes(p, &r->notes, told_note);
	if (r->shows_reasons && r->reasons.count) {
		out_text(p->out, p->style.is_markdown
					 ? "\n**how it was decided**\n\n"
					 : "\nhow it was decided\n");
		report_reasons(p, &r->reasons);
		if (!p->style.is_markdown)
			out_char(p->out, '\n');
	}
	/* One line each, whatever the width of the terminal: lines are what is
	 * copied. */
	if (p->style.is_markdown) {
		markdown_commands(p, r->next, r->next_count);
		return;
	}
	for (size_t i = 0; i < r->next_count; i++) {
		page_next(p, r->next[i], i == 0);
		out_char(p->out, '\n');
	}
}

/* Widths of numeric fields, including the gap on the left. */
#define FIRST_COLUMNS 10u
#define NEXT_COLUMNS 9u
#define VALUE_COLUMNS 11u
#define PLACE_GAP_COLUMNS 3u
#define FOOT_COLUMNS 2u

/* Below this width bars are dropped in favour of names. */
#define WIDE_COLUMNS 100u
#define BAR_NARROW 3u
#define BAR_WIDE 8u

/* Minimum width of a location next to its name, with leading folders cut. */
#define PLACE_MIN_COLUMNS 24u
/* If names would get narrower, the last number is dropped. */
#define NAME_LEAST_COLUMNS 16u
/* If even narrower, lines wrap. */
#define NAME_TINY_COLUMNS 6u

/* Minimum size, relative to the largest change, of a possibly insignificant
 * change with a row; smaller ones are counted. */
#define UNCERTAIN_PART 0.2

/* Numbers of a comparison row, in column order. */
enum { NOW, BEFORE, CHANGE, OTHER, NUMBERS };

struct table {
	const struct result *result;
	struct scale scale;
	enum rank_by other; /* measure of the last number */
	size_t row_count;
	size_t caller_count;     /* callers summarised in one line */
	size_t columns[NUMBERS]; /* for comparisons, including gaps */
	size_t flat_columns;     /* of the first value, including the gap */
	size_t cum_columns;      /* of the second value, if any */
	size_t word_columns;     /* "new", "shrunk?" */
	size_t bar_columns;      /* 0: no bars */
	size_t room;     /* for a name and its location, 0 = unlimited */
	size_t name_pad; /* where locations begin, if there is room */
	bool has_places;
	double max_delta;
};

static const char *const change_words[] = {
	[CHANGE_NONE] = "",       [CHANGE_NEW] = "new",
	[CHANGE_GROWN] = "grown", [CHANGE_SHRUNK] = "shrunk",
	[CHANGE_GONE] = "gone",   [CHANGE_SAME] = "",
	[CHANGE_NOISE] = "",      [CHANGE_UNSEEN] = "",
};

static const char *const part_words[] = {
	[CHANGE_NEW] = "self new",
	[CHANGE_GROWN] = "self grown",
	[CHANGE_SHRUNK] = "self shrunk",
	[CHANGE_GONE] = "self gone",
};

/* Returns the word for the change, with a question mark if possibly noise. */
const char *row_change_word(const struct function_row *row)
{
	if (row->is_part && change_is_real(row->change))
		return part_words[row->change];
	if (row->is_with_all)
		return "with all";
	if (row->change != CHANGE_NOISE)
		return change_words[row->change];
	if (row->delta > 0)
		return row->baseline_total_value ? "grown?" : "new?";
	return row->total_value ? "shrunk?" : "gone?";
}

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
	case CHANGE_UNSEEN:
		return PAINT_DIM;
	case CHANGE_NONE:
		break;
	}
	return PAINT_NONE;
}

static bool is_shown_change(const struct function_row *row)
{
	return change_is_real(row->change) || row->is_with_all ||
	       row->change == CHANGE_NOISE;
}

/* Returns whether a difference is invisible, or possibly noise and small
 * relative to others. */
static bool is_too_small(const struct table *t, const struct function_row *row,
			 double largest)
{
	enum rank_by measure = row_measure(t->result, row);

	if (scale_after(&t->scale, row_value(row, measure)) ==
	    scale_before(&t->scale, row_before(row, measure)))
		return true;
	return row->change == CHANGE_NOISE && !row->is_with_all &&
	       fabs(row->delta) < UNCERTAIN_PART * largest;
}

/* Changes come first: significant ones, then the larger of the others. If
 * nothing changed, the top of the profile is shown. */
static size_t table_row_count(const struct page *p, const struct table *t)
{
	const struct result *r = t->result;
	size_t most = r->function_count, count = 0;
	double largest = 0;

	if (p->style.limit && p->style.limit < most)
		most = p->style.limit;
	if (!p->style.limit || !r->has_baseline || r->has_order_of_user)
		return most;
	for (; count < most; count++) {
		const struct function_row *row = &r->functions[count];

		if (!is_shown_change(row) || is_too_small(t, row, largest))
			break;
		largest = fmax(largest, fabs(row->delta));
	}
	return count ? count : most;
}

static enum rank_by table_measure(const struct result *r)
{
	return r->rank_by == RANK_DELTA ? RANK_TOTAL : r->rank_by;
}

enum rank_by row_measure(const struct result *r, const struct function_row *row)
{
	if (row->is_part || row->measure == RANK_SELF ||
	    row->measure == RANK_TOTAL)
		return row->measure;
	return table_measure(r);
}

double row_share(const struct function_row *row, enum rank_by measure)
{
	if (measure == RANK_SELF)
		return row->self;
	return measure == RANK_SELF_LIB ? row->self_lib : row->total;
}

/* The first value of a row without a baseline. */
static int64_t flat_value(const struct result *r,
			  const struct function_row *row)
{
	return table_measure(r) == RANK_SELF_LIB ? row->self_lib_value
						 : row->self_value;
}

/* Formats the numbers of a row; the change is the difference of the numbers
 * displayed. */
static void row_numbers(const struct table *t, const struct function_row *row,
			char out[NUMBERS][UNIT_TEXT_BYTES])
{
	enum rank_by measure = row_measure(t->result, row);
	int64_t now = scale_after(&t->scale, row_value(row, measure));
	int64_t before = scale_before(&t->scale, row_before(row, measure));

	scale_format(&t->scale, now, out[NOW]);
	scale_format(&t->scale, before, out[BEFORE]);
	scale_format_signed(&t->scale, now - before, out[CHANGE]);
	scale_format(&t->scale,
		     scale_after(&t->scale, row_value(row, t->other)),
		     out[OTHER]);
}

/* ---- callers that pass a change on ---- */

/* Fewer than this get rows of their own. */
#define CALLERS_LEAST 2u

/* Maximum ratio of the caller's change to the change it passes on. */
#define CALLERS_RATIO 1.25

/* Returns whether it calls the function whose change it passes on. */
static bool is_caller(const struct table *t, const struct function_row *row)
{
	const struct function_row *holder = NULL;
	bool is_through = row->through.len && !row->is_asked;

	for (size_t i = 0; is_through && !holder && i < t->row_count; i++)
		if (str_equal(t->result->functions[i].name, row->through))
			holder = &t->result->functions[i];
	return holder && change_is_real(row->change) &&
	       sat_add_i64(row->total_value, row->baseline_total_value) >=
		       sat_add_i64(holder->total_value,
				   holder->baseline_total_value) &&
	       fabs(row->delta) <= CALLERS_RATIO * fabs(holder->delta);
}

static size_t count_callers(const struct page *p, const struct table *t)
{
	const struct result *r = t->result;
	size_t count = 0;

	if (p->style.has_callers || p->style.is_markdown || !p->style.limit ||
	    !r->has_baseline || r->has_order_of_user ||
	    table_measure(r) != RANK_TOTAL)
		return 0;
	for (size_t i = 0; i < t->row_count; i++)
		count += is_caller(t, &r->functions[i]);
	return count < CALLERS_LEAST ? 0 : count;
}

static bool is_folded(const struct table *t, const struct function_row *row)
{
	return t->caller_count && is_caller(t, row);
}

/* Maximum number of rows in a short answer. */
#define SHORT_ROWS 5u

/* ---- layout ---- */

static const char *const *number_names(const struct result *r);

/* Columns before the name. */
static size_t lead_columns(const struct table *t)
{
	size_t sum = 0;

	if (!t->result->has_baseline)
		return t->flat_columns + t->cum_columns + 2 * NEXT_COLUMNS +
		       GAP_COLUMNS;
	for (size_t i = 0; i < NUMBERS; i++)
		sum += t->columns[i];
	return sum + GAP_COLUMNS + t->word_columns +
	       (t->bar_columns ? GAP_COLUMNS + t->bar_columns : 0) +
	       GAP_COLUMNS;
}

/* Counts may be wider than any duration. */
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
	if (table_measure(r) == RANK_SELF_LIB)
		t->cum_columns = VALUE_COLUMNS;
}

static void lay_out_changes(struct table *t)
{
	char texts[NUMBERS][UNIT_TEXT_BYTES];

	for (size_t n = 0; n < NUMBERS; n++)
		t->columns[n] =
			GAP_COLUMNS + str_from(number_names(t->result)[n]).len;
	for (size_t i = 0; i < t->row_count; i++) {
		const struct function_row *row = &t->result->functions[i];

		if (is_folded(t, row))
			continue;
		row_numbers(t, row, texts);
		for (size_t n = 0; n < NUMBERS; n++)
			t->columns[n] =
				max_size(t->columns[n],
					 GAP_COLUMNS + str_from(texts[n]).len);
		t->word_columns = max_size(t->word_columns,
					   str_from(row_change_word(row)).len);
		if (is_shown_change(row))
			t->max_delta = fmax(t->max_delta, fabs(row->delta));
	}
}

const char *row_link_word(const struct function_row *row)
{
	return row->is_asked ? "called by " : "calls ";
}

void row_replaced(struct page *p, const struct result *r,
		  const struct function_row *row)
{
	char was[UNIT_TEXT_BYTES];

	if (!row->replaces.len)
		return;
	scale_say(r, row->replaced_value, true, was);
	page_text(p, "; replaces ");
	/* Mostly in the same package as the new one. */
	page_name(p,
		  p->style.is_short ? name_end(row->replaces) : row->replaces,
		  0);
	page_text(p, " (was ");
	page_number(p, was);
	page_text(p, ")");
}

/* Returns the columns after a name: its location, or the function whose change
 * it passes on. */
static size_t place_width(struct page *p, const struct function_row *row)
{
	if (row->through.len)
		return str_from(row_link_word(row)).len +
		       page_columns(p, name_shown(row->through), 0);
	return page_place_columns(p, row->file, row->line);
}

static void lay_out_names(struct page *p, struct table *t)
{
	size_t name = 0;
	size_t place = 0;
	size_t width;
	size_t beside;

	for (size_t i = 0; i < t->row_count; i++) {
		const struct function_row *row = &t->result->functions[i];

		if (is_folded(t, row))
			continue;
		name = max_size(name,
				page_columns(p, name_shown(row->name), 0));
		place = max_size(place, place_width(p, row));
	}
	t->has_places = place > 0 && !t->result->has_locations_in_names;
	if (!p->width) {
		t->name_pad =
			min_size(name, PAGE_ALIGN_COLUMNS) + PLACE_GAP_COLUMNS;
		return;
	}
	if (p->width < WIDE_COLUMNS && name + lead_columns(t) > p->width)
		t->bar_columns = 0;
	if (t->result->has_baseline &&
	    NAME_LEAST_COLUMNS + lead_columns(t) > p->width)
		t->columns[OTHER] = 0;
	width = max_size(p->width, lead_columns(t) + NAME_TINY_COLUMNS);
	beside = PLACE_GAP_COLUMNS + min_size(place, PLACE_MIN_COLUMNS);
	/* Locations are aligned as far as the longest name permits. */
	t->room = width - lead_columns(t);
	t->name_pad = min_size(name, t->room > beside ? t->room - beside : 0) +
		      PLACE_GAP_COLUMNS;
}

/* ---- rows ---- */

/* 0 is a dash, as opposed to a small value. */
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
	bool is_owned = table_measure(r) == RANK_SELF_LIB;

	value_field(p, t->flat_columns, flat_value(r, row), r);
	share_field(p, PAINT_NONE, NEXT_COLUMNS,
		    is_owned ? row->self_lib : row->self);
	if (is_owned)
		share_field(p, PAINT_NONE, t->cum_columns, row->self);
	else
		value_field(p, t->cum_columns, row->total_value, r);
	share_field(p, PAINT_NONE, NEXT_COLUMNS, row->total);
}

static void change_fields(struct page *p, const struct table *t,
			  const struct function_row *row)
{
	enum paint paint = change_paint(row->change);
	enum paint numbers = paint == PAINT_DIM ? paint : PAINT_NONE;
	char texts[NUMBERS][UNIT_TEXT_BYTES];

	row_numbers(t, row, texts);
	page_field(p, numbers, ALIGN_RIGHT, t->columns[NOW], texts[NOW]);
	page_field(p, numbers, ALIGN_RIGHT, t->columns[BEFORE], texts[BEFORE]);
	page_field(p, paint, ALIGN_RIGHT, t->columns[CHANGE], texts[CHANGE]);
	out_repeat(p->out, " ", GAP_COLUMNS);
	page_field(p, paint, ALIGN_LEFT, t->word_columns, row_change_word(row));
	if (t->bar_columns) {
		out_repeat(p->out, " ", GAP_COLUMNS);
		page_bar(p, paint,
			 is_shown_change(row) && t->max_delta > 0
				 ? fabs(row->delta) / t->max_delta
				 : 0,
			 t->bar_columns);
	}
	if (t->columns[OTHER])
		page_field(p, numbers, ALIGN_RIGHT, t->columns[OTHER],
			   texts[OTHER]);
}

/* Layout of a row: location on the same line, or on its own. */
struct row_layout {
	size_t name;  /* maximum width of the name, 0 = unlimited */
	size_t pad;   /* start of the location */
	size_t place; /* maximum width of the location, 0 = unlimited */
	bool is_below;
};

/* Each row is laid out by its own name and location. If the name is too long,
 * leading packages are removed; if not even its last parts fit next to the
 * location, that goes to the next line, or is dropped in a short answer. */
static void lay_out_row(struct page *p, const struct table *t,
			const struct function_row *row, struct row_layout *l)
{
	struct str name = name_shown(row->name);
	size_t columns = page_columns(p, name, 0);
	size_t place = t->has_places ? place_width(p, row) : 0;
	size_t least = min_size(place, PLACE_MIN_COLUMNS);
	size_t room = t->room;

	*l = (struct row_layout){ .name = room };
	if (!place)
		return;
	l->place = place;
	l->pad = max_size(t->name_pad, columns + PLACE_GAP_COLUMNS);
	if (!room)
		return;
	l->name = room > PLACE_GAP_COLUMNS + least
			  ? room - PLACE_GAP_COLUMNS - least
			  : 1;
	l->is_below = !page_name_fits(p, name, l->name);
	if (l->is_below) {
		l->name = room;
		l->place = p->style.is_short ? 0 : room;
		l->pad = 0;
		l->is_below = l->place > 0;
		return;
	}
	columns = min_size(columns, l->name);
	l->place = min_size(place, room - PLACE_GAP_COLUMNS - columns);
	l->pad = max_size(columns + PLACE_GAP_COLUMNS,
			  min_size(t->name_pad, room - l->place));
}

static void write_place(struct page *p, const struct function_row *row,
			size_t max)
{
	const char *word = row_link_word(row);
	size_t lead = str_from(word).len;

	if (!row->through.len) {
		page_place(p, PAINT_DIM, row->file, row->line, max);
		return;
	}
	page_paint(p, PAINT_DIM, word);
	page_name_cell(p, PAINT_DIM, name_shown(row->through),
		       max > lead ? max - lead : 0, 0);
}

static void write_row(struct page *p, const struct table *t,
		      const struct function_row *row)
{
	struct row_layout l;

	lay_out_row(p, t, row, &l);
	if (t->result->has_baseline)
		change_fields(p, t, row);
	else
		flat_fields(p, t, row);
	out_repeat(p->out, " ", GAP_COLUMNS);
	page_name_cell(p, row->change == CHANGE_NOISE ? PAINT_DIM : PAINT_NONE,
		       name_shown(row->name), l.name, l.pad);
	if (l.is_below) {
		out_char(p->out, '\n');
		out_repeat(p->out, " ", lead_columns(t));
	}
	if (l.place)
		write_place(p, row, l.place);
	out_char(p->out, '\n');
}

static const char *const *number_names(const struct result *r)
{
	static const char *const changes[][NUMBERS] = {
		[RANK_SELF_LIB] = { "self+lib", "baseline", "change", "total" },
		[RANK_SELF] = { "self", "baseline", "change", "total" },
		[RANK_TOTAL] = { "total", "baseline", "change", "self+lib" },
	};
	static const char *const flats[][NUMBERS] = {
		[0] = { "self+lib", "%", "self%", "total%" },
		[1] = { "self", "self%", "total", "total%" },
	};
	enum rank_by measure = table_measure(r);

	return r->has_baseline ? changes[measure]
			       : flats[measure != RANK_SELF_LIB];
}

/* Writes "CPU per request, ms" above the numbers, and explains uncommon
 * terms. */
static void write_unit(struct page *p, const struct table *t)
{
	bool has_own = table_measure(t->result) == RANK_SELF_LIB ||
		       (t->result->has_baseline && t->columns[OTHER] &&
			t->other == RANK_SELF_LIB);
	char measure[2 * UNIT_TEXT_BYTES];

	if (t->result->has_baseline) {
		scale_measure(t->result, measure);
		page_textf(p, "%s%s%s", measure, *t->scale.unit ? ", " : "",
			   t->scale.unit);
	}
	if (has_own)
		page_textf(p, "%sself+lib: function and its library calls",
			   t->result->has_baseline ? "; " : "");
	page_flush(p, PAINT_NONE, "", p->style.is_markdown ? 0 : FOOT_COLUMNS);
	if (p->style.is_markdown)
		out_char(p->out, '\n');
}

static void write_head(struct page *p, const struct table *t)
{
	const char *const *names = number_names(t->result);
	bool is_change = t->result->has_baseline;
	const size_t flats[] = { t->flat_columns, NEXT_COLUMNS, t->cum_columns,
				 NEXT_COLUMNS };
	size_t bar = t->bar_columns ? GAP_COLUMNS + t->bar_columns : 0;
	size_t word = GAP_COLUMNS + t->word_columns + bar;

	for (size_t i = 0; i < NUMBERS; i++) {
		if (is_change && !t->columns[i])
			continue;
		if (is_change && i == OTHER)
			out_repeat(p->out, " ", word);
		page_field(p, PAINT_DIM, ALIGN_RIGHT,
			   is_change ? t->columns[i] : flats[i], names[i]);
	}
	if (is_change && !t->columns[OTHER])
		out_repeat(p->out, " ", word);
	out_repeat(p->out, " ", GAP_COLUMNS);
	page_paint(p, PAINT_DIM, "function");
	out_char(p->out, '\n');
}

/* Writes the number of rows left out, and their kind. */
static void add_more(struct page *p, const struct table *t)
{
	const struct result *r = t->result;
	size_t more = r->function_total > t->row_count
			      ? r->function_total - t->row_count
			      : 0;
	size_t shown = 0, changed;

	for (size_t i = 0; i < t->row_count; i++)
		shown += change_is_real(r->functions[i].change);
	changed = r->change_total > shown ? r->change_total - shown : 0;
	if (!more)
		return;
	page_text(p, p->line.len ? "; " : "");
	if (!r->has_baseline)
		page_textf(p, "%zu more function%s", more,
			   more == 1 ? "" : "s");
	else if (changed)
		page_textf(p, "%zu more changed, %zu within noise", changed,
			   more - changed);
	else
		page_textf(p, "%zu more function%s within noise", more,
			   more == 1 ? "" : "s");
	page_text(p, " (-n 0 for all)");
}

/* ---- Markdown ---- */

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

static void change_cells(struct page *p, const struct table *t,
			 const struct function_row *row)
{
	char texts[NUMBERS][UNIT_TEXT_BYTES];
	char change[2 * UNIT_TEXT_BYTES];

	row_numbers(t, row, texts);
	snprintf(change, sizeof change, "%s %s", texts[CHANGE],
		 row_change_word(row));
	markdown_cell(p, texts[NOW]);
	markdown_cell(p, texts[BEFORE]);
	markdown_cell(p, change);
	markdown_cell(p, texts[OTHER]);
}

static void markdown_functions(struct page *p, struct table *t)
{
	const struct result *r = t->result;
	const char *names[NUMBERS + 2];

	for (size_t i = 0; i < NUMBERS; i++)
		names[i] = number_names(r)[i];
	names[NUMBERS] = "function";
	names[NUMBERS + 1] = "place";
	markdown_head(p, names, NUMBERS + 1 + t->has_places, NUMBERS);
	for (size_t i = 0; i < t->row_count; i++) {
		const struct function_row *row = &r->functions[i];

		if (r->has_baseline) {
			change_cells(p, t, row);
		} else {
			bool is_owned = table_measure(r) == RANK_SELF_LIB;

			value_cell(p, r, flat_value(r, row));
			share_cell(p, is_owned ? row->self_lib : row->self);
			if (is_owned)
				share_cell(p, row->self);
			else
				value_cell(p, r, row->total_value);
			share_cell(p, row->total);
		}
		markdown_name_cell(p, name_shown(row->name));
		if (t->has_places && row->through.len)
			markdown_link_cell(p, row_link_word(row),
					   row->through);
		else if (t->has_places)
			markdown_place_cell(p, row->file, row->line);
		markdown_row_end(p);
	}
}

static void table_init(struct table *t, const struct page *p,
		       const struct result *r)
{
	*t = (struct table){ .result = r,
			     .other = table_measure(r) == RANK_TOTAL
					      ? RANK_SELF_LIB
					      : RANK_TOTAL };
	scale_init(&t->scale, r);
	t->row_count = table_row_count(p, t);
	t->caller_count = count_callers(p, t);
}

void table_callers(struct page *p, const struct result *r, bool *is_there)
{
	struct table t;

	table_init(&t, p, r);
	for (size_t i = 0; i < t.row_count; i++)
		is_there[i] = is_folded(&t, &r->functions[i]);
	if (t.caller_count)
		page_textf(p, "%zu callers folded", t.caller_count);
}

void table_functions(struct page *p, const struct result *r)
{
	bool is_cut = p->style.is_short && !p->style.has_limit;
	size_t shown = 0, at = 0;
	struct table t;

	table_init(&t, p, r);
	for (; is_cut && at < t.row_count && shown <= SHORT_ROWS; at++)
		shown += !is_folded(&t, &r->functions[at]);
	if (shown > SHORT_ROWS) {
		t.row_count = at - 1;
		t.caller_count = count_callers(p, &t);
	}
	if (t.row_count) {
		t.bar_columns = p->width && p->width < WIDE_COLUMNS ? BAR_NARROW
								    : BAR_WIDE;
		if (r->has_baseline)
			lay_out_changes(&t);
		else
			lay_out_values(&t);
		lay_out_names(p, &t);
		write_unit(p, &t);
	}
	if (t.row_count && p->style.is_markdown) {
		markdown_functions(p, &t);
	} else if (t.row_count) {
		write_head(p, &t);
		for (size_t i = 0; i < t.row_count; i++)
			if (!is_folded(&t, &r->functions[i]))
				write_row(p, &t, &r->functions[i]);
	}
	if (p->style.is_quiet)
		return;
	if (p->style.is_markdown)
		out_char(p->out, '\n');
	/* "9 callers folded (--callers); 4 more changed, 51 within noise (-n 0
	 * for all)". */
	if (t.caller_count)
		page_textf(p, "%zu callers folded (--callers)", t.caller_count);
	add_more(p, &t);
	page_flush(p, PAINT_DIM, "", p->style.is_markdown ? 0 : FOOT_COLUMNS);
	if (!p->style.is_short)
		table_categories(p, r);
}
