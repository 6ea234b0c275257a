/* SPDX-License-Identifier: Apache-2.0
 *
 * Trace tab: a row per span on a common time axis, with marks for the critical
 * path and the span to blame.
 */
#include <math.h>

#include "base/escape.h"
#include "base/num.h"
#include "render/page.h"
#include "render/render.h"
#include "render/units.h"
#include "tui/explorer.h"

/* Width of "> * ! ". */
#define MARK_COLUMNS 3u
#define TIME_COLUMNS 9u
/* Width of a level, and maximum levels drawn. */
#define LEVEL_COLUMNS 1u
#define LEVELS_MAX 20u
#define COLOR_GUILTY 0xf4812bu
/* Part of the width for names. */
#define LABEL_PART 0.45
#define LABEL_MAX 72

static uint32_t count_of(const struct explorer *e)
{
	return (uint32_t)e->in->result->waterfall_count;
}

static const struct waterfall_row *selected_row(const struct explorer *e)
{
	return &e->in->result->waterfall[e->spans.selected];
}

bool trace_is_there(const struct explorer *e)
{
	return e->in->trace && e->in->result->waterfall_count > 0;
}

static struct str service_of(const struct explorer *e,
			     const struct waterfall_row *row)
{
	return span_service(e->in->trace, row->span);
}

/* Returns whether the profile is of this span's service. */
static bool has_profile(const struct explorer *e,
			const struct waterfall_row *row)
{
	return str_equal(service_of(e, row), e->in->result->span.service);
}

/* Selects the span to blame. */
void trace_enter(struct explorer *e)
{
	uint32_t row = e->spans.selected;

	if (!e->was_trace_seen)
		for (row = 0; row < count_of(e); row++)
			if (e->in->result->waterfall[row].is_guilty)
				break;
	if (row == count_of(e))
		row = 0;
	e->was_trace_seen = true;
	list_select(&e->spans, row, count_of(e), explorer_page_rows(e));
}

static void show_profile(struct explorer *e)
{
	if (has_profile(e, selected_row(e)))
		explorer_go(e, TAB_FLAME);
	else
		e->message = "the profile is of another service";
}

static void trace_click(struct explorer *e, uint32_t row)
{
	uint32_t first = EXPLORER_BODY_TOP + 1;

	if (row < first || row - first >= explorer_page_rows(e) ||
	    e->spans.top + row - first >= count_of(e))
		return;
	row += e->spans.top - first;
	if (row == e->spans.selected)
		show_profile(e);
	else
		list_select(&e->spans, row, count_of(e), explorer_page_rows(e));
}

static bool is_found(struct explorer *e, uint32_t row)
{
	return search_finds_text(
		&e->search, service_of(e, &e->in->result->waterfall[row]),
		span_name(e->in->trace, e->in->result->waterfall[row].span));
}

static void find_next(struct explorer *e, bool is_forward)
{
	uint32_t row = e->spans.selected, count = count_of(e);

	for (uint32_t left = count; left; left--) {
		row = (row + (is_forward ? 1 : count - 1)) % count;
		if (is_found(e, row)) {
			list_select(&e->spans, row, count,
				    explorer_page_rows(e));
			return;
		}
	}
	explorer_not_found(e);
}

void trace_event(struct explorer *e, const struct tui_event *event)
{
	if (event->key == TUI_ENTER)
		show_profile(e);
	else if (event->key == TUI_CLICK)
		trace_click(e, event->row);
	else if (event->key == TUI_CHARACTER &&
		 (event->character == 'n' || event->character == 'N'))
		find_next(e, event->character == 'n');
	else
		list_move(&e->spans, event->key, count_of(e),
			  explorer_page_rows(e));
}

/* ---- rows ---- */

static uint32_t label_columns(const struct explorer *e)
{
	return (uint32_t)fmin((double)e->columns * LABEL_PART, LABEL_MAX);
}

static void add_time(struct explorer *e, int64_t time_ns)
{
	char text[UNIT_TEXT_BYTES];

	format_duration(time_ns, text);
	for (size_t i = text_width(str_from(text)); i < TIME_COLUMNS; i++)
		buf_add_char(&e->line, ' ');
	buf_add_text(&e->line, text);
}

static void add_label(struct explorer *e, const struct waterfall_row *row)
{
	uint32_t depth = row->depth < LEVELS_MAX ? row->depth : LEVELS_MAX;
	uint32_t parent = e->in->trace->spans[row->span].parent;
	/* The parent shows the service of both. */
	bool is_of_caller = row->depth && parent != SPAN_NONE &&
			    str_equal(service_of(e, row),
				      span_service(e->in->trace, parent));

	buf_addf(&e->line, "%c%c%c", row->is_guilty ? '>' : ' ',
		 row->is_on_path ? '*' : ' ', row->is_error ? '!' : ' ');
	for (uint32_t i = 0; i < depth * LEVEL_COLUMNS; i++)
		buf_add_char(&e->line, ' ');
	if (!is_of_caller) {
		escape_terminal_buf(&e->line, service_of(e, row));
		buf_add_char(&e->line, ' ');
	}
	escape_terminal_buf(&e->line,
			    name_shown(span_name(e->in->trace, row->span)));
	if (row->count > 1)
		buf_addf(&e->line, " x%u", (unsigned)row->count);
}

/* Returns the column of a time. */
static uint32_t column_at(const struct explorer *e, int64_t time_ns,
			  uint32_t columns)
{
	const struct trace *t = e->in->trace;
	double whole = fmax(1, (double)sat_sub_i64(t->end_ns, t->start_ns));
	double part = (double)sat_sub_i64(time_ns, t->start_ns) / whole;

	return (uint32_t)(fmin(fmax(part, 0), 1) * columns);
}

static void draw_bar(struct explorer *e, const struct surface *s, uint32_t at,
		     uint32_t first, const struct waterfall_row *row,
		     const struct look *look)
{
	static const struct look plain = { 0 };
	uint32_t columns = s->columns - first;
	uint32_t from = column_at(e, row->start_ns, columns);
	uint32_t to = column_at(e, row->end_ns, columns);

	if (from >= columns)
		from = columns - 1;
	if (to <= from)
		to = from + 1;
	surface_text(s, at, first, from, STR(""), &plain);
	for (uint32_t i = from; !look->is_filled && i < to; i++)
		buf_add_text(&e->line, s->use_unicode ? "█" : "=");
	explorer_put(e, s, at, first + from, to - from, look);
	surface_text(s, at, first + to, columns - to, STR(""), &plain);
}

static void draw_row(struct explorer *e, const struct surface *s, uint32_t at,
		     const struct waterfall_row *row, const struct look *look)
{
	const struct look bar = { .is_filled = row->is_guilty && s->has_color,
				  .fill = COLOR_GUILTY,
				  .is_dim = !row->is_on_path };
	uint32_t label = label_columns(e);
	uint32_t times = label + 2 * TIME_COLUMNS + 2;

	add_label(e, row);
	explorer_put(e, s, at, 0, label, look);
	add_time(e, row->duration_ns);
	add_time(e, row->self_ns);
	buf_add_text(&e->line, "  ");
	explorer_put(e, s, at, label, times - label, look);
	if (times >= s->columns)
		return;
	draw_bar(e, s, at, times, row, &bar);
}

static void draw_head(struct explorer *e, const struct surface *s)
{
	static const struct look dim = { .is_dim = true };
	char text[UNIT_TEXT_BYTES];

	format_duration(
		sat_sub_i64(e->in->trace->end_ns, e->in->trace->start_ns),
		text);
	buf_addf(&e->line, "%-*s%*s%*s  %s in all", (int)label_columns(e),
		 "> to blame  * critical path  ! error", (int)TIME_COLUMNS,
		 "took", (int)TIME_COLUMNS, "self", text);
	explorer_put(e, s, EXPLORER_BODY_TOP, 0, s->columns, &dim);
}

void trace_draw(struct explorer *e, const struct surface *s)
{
	const struct waterfall_row *rows = e->in->result->waterfall;

	list_select(&e->spans, e->spans.selected, count_of(e),
		    explorer_page_rows(e));
	draw_head(e, s);
	for (uint32_t i = 0; i < explorer_page_rows(e); i++) {
		uint32_t row = e->spans.top + i;
		struct look look = { .is_reverse = row == e->spans.selected };

		if (row >= count_of(e)) {
			explorer_put(e, s, EXPLORER_BODY_TOP + 1 + i, 0,
				     s->columns, &look);
			continue;
		}
		look.is_bold = rows[row].is_guilty || is_found(e, row);
		draw_row(e, s, EXPLORER_BODY_TOP + 1 + i, &rows[row], &look);
	}
}

/* Appends a line of the span's details. */
bool trace_add_detail(struct explorer *e, uint32_t line)
{
	const struct waterfall_row *row = selected_row(e);
	char a[UNIT_TEXT_BYTES], b[UNIT_TEXT_BYTES], c[UNIT_TEXT_BYTES];

	if (line == 0) {
		escape_terminal_buf(&e->line, service_of(e, row));
		buf_add_text(&e->line, "  ");
		escape_terminal_buf(&e->line, name_shown(span_name(e->in->trace,
								   row->span)));
		return true;
	}
	if (line == 1) {
		format_duration(row->duration_ns, a);
		format_duration(row->self_ns, b);
		format_duration(
			sat_sub_i64(row->start_ns, e->in->trace->start_ns), c);
		buf_addf(&e->line, "duration %s, self %s, started after "
				   "%s", a, b, c);
		if (row->count > 1)
			buf_addf(&e->line, ", %u of them",
				 (unsigned)row->count);
		return true;
	}
	if (line == 2 && row->is_on_path) {
		format_duration(row->critical_ns, a);
		buf_addf(&e->line, "on the critical path with %s", a);
		return true;
	}
	if (line == (row->is_on_path ? 3u : 2u) && has_profile(e, row)) {
		buf_add_text(&e->line, "the profile is of this service: Enter");
		return true;
	}
	return false;
}
