/* SPDX-License-Identifier: Apache-2.0
 *
 * History tab: durations of other requests of the operation, around the time of
 * the trace and in the baseline, and over time. Uses the data of the run; makes
 * no requests.
 */
#include <inttypes.h>
#include <math.h>

#include "base/escape.h"
#include "base/num.h"
#include "render/page.h"
#include "render/units.h"
#include "tui/explorer.h"

#define LABEL_COLUMNS 24u
#define COUNT_COLUMNS 7u
/* Between the histogram and the windows. */
#define GAP_ROWS 1u

static const struct request_history *history_of(const struct explorer *e)
{
	return e->in->result->history;
}

bool history_is_there(const struct explorer *e)
{
	return history_of(e) && history_of(e)->bucket_count > 0;
}

void history_add_operation(struct explorer *e)
{
	escape_terminal_buf(&e->line, history_of(e)->service);
	buf_add_text(&e->line, "  ");
	escape_terminal_buf(&e->line, name_shown(history_of(e)->name));
}

/* Buckets, a gap, windows. */
static uint32_t count_of(const struct explorer *e)
{
	const struct request_history *h = history_of(e);

	return (uint32_t)(h->bucket_count + GAP_ROWS + h->window_count);
}

static uint32_t row_of_this(const struct request_history *h)
{
	uint32_t i = 0;

	while (i + 1 < h->bucket_count &&
	       h->this_duration_ns >= h->buckets[i].to_ns)
		i++;
	return i;
}

void history_enter(struct explorer *e)
{
	if (!e->was_history_seen)
		list_select(&e->requests, row_of_this(history_of(e)),
			    count_of(e), explorer_page_rows(e));
	e->was_history_seen = true;
}

void history_event(struct explorer *e, const struct tui_event *event)
{
	uint32_t first = EXPLORER_BODY_TOP + 1;

	if (event->key != TUI_CLICK)
		list_move(&e->requests, event->key, count_of(e),
			  explorer_page_rows(e));
	else if (event->row >= first &&
		 event->row - first < explorer_page_rows(e))
		list_select(&e->requests, e->requests.top + event->row - first,
			    count_of(e), explorer_page_rows(e));
}

/* ---- the histogram ---- */

static void add_cells(struct explorer *e, const char *cell, uint32_t count)
{
	while (count--)
		buf_add_text(&e->line, cell);
}

/* A single request is visible, however many others there are. */
static uint32_t cells_of(uint32_t count, uint32_t most, uint32_t room)
{
	uint32_t cells = (uint32_t)lround((double)count / most * room);

	return count && !cells ? 1 : cells;
}

static void add_bucket(struct explorer *e, const struct surface *s, uint32_t i)
{
	const struct request_history *h = history_of(e);
	const struct request_bucket *b = &h->buckets[i];
	uint32_t used = LABEL_COLUMNS + 2 * COUNT_COLUMNS + 2;
	uint32_t room = s->columns > used ? (s->columns - used) / 2 : 0;
	uint32_t most = request_history_most(h);
	uint32_t bar = cells_of(b->baseline_count, most, room);
	uint32_t slow = cells_of(b->slow_count, most, room);
	uint32_t now = cells_of(b->now_count, most, room);
	uint32_t all = cells_of(b->now_count + b->selected_count, most, room);
	char from[UNIT_TEXT_BYTES], to[UNIT_TEXT_BYTES];

	format_duration(b->from_ns, from);
	format_duration(b->to_ns, to);
	buf_addf(&e->line, "%c %9s - %-9s ", i == row_of_this(h) ? '>' : ' ',
		 from, to);
	buf_addf(&e->line, "%6" PRIu32 " ", b->baseline_count);
	add_cells(e, s->use_unicode ? "▒" : "=", bar);
	add_cells(e, " ", room - (bar < room ? bar : room));
	buf_addf(&e->line, " %6" PRIu32 " ", b->now_count + b->selected_count);
	/* Slow requests first, then the others of the same time, then those
	 * found only by searching for long ones. */
	now = now > slow ? now : slow;
	all = all > now ? all : now;
	add_cells(e, s->use_unicode ? "█" : "#", slow);
	add_cells(e, s->use_unicode ? "▒" : "=", now - slow);
	add_cells(e, s->use_unicode ? "░" : "-", all - now);
}

/* ---- over time ---- */

/* Sparkline of the window's medians, all windows on the same scale; blank where
 * there were no requests. Slots that were compared are in brackets. */
static void add_medians(struct explorer *e, const struct surface *s,
			const struct request_window *w)
{
	static const char *const blocks[] = { "▁", "▂", "▃", "▄",
					      "▅", "▆", "▇", "█" };
	static const char *const plain[] = { ".", ":", "-", "=",
					     "+", "*", "#", "@" };
	const struct request_history *h = history_of(e);
	double top = 1, length = (double)(w->range.to_ns - w->range.from_ns);
	struct time_range compared = request_window_compared(e->in->result, w);
	bool is_inside = false, has_marks = false;
	const char *cells[REQUEST_SLOTS];

	for (size_t i = 0; i < REQUEST_SLOTS; i++)
		cells[i] = " ";
	for (size_t i = 0; i < h->slot_count; i++)
		top = fmax(top, (double)h->slots[i].p50_ns);
	for (size_t i = 0; i < h->slot_count; i++) {
		const struct request_slot *slot = &h->slots[i];
		double after = (double)(slot->range.from_ns - w->range.from_ns);
		double at = length > 0 ? after / length * REQUEST_SLOTS : 0;
		int level = (int)ceil((double)slot->p50_ns / top * 8) - 1;

		if (slot->role == w->role && at > -0.5 && at < REQUEST_SLOTS)
			cells[(size_t)(at + 0.01)] =
				(s->use_unicode ? blocks
						: plain)[level < 0 ? 0 : level];
	}
	for (size_t i = 0; i < REQUEST_SLOTS; i++) {
		int64_t middle_ns =
			w->range.from_ns +
			(int64_t)(length * ((double)i + 0.5) / REQUEST_SLOTS);
		bool is_in = middle_ns >= compared.from_ns &&
			     middle_ns <= compared.to_ns;

		if (is_in != is_inside)
			buf_add_char(&e->line, is_in ? '[' : ']');
		has_marks |= is_in;
		is_inside = is_in;
		buf_add_text(&e->line, cells[i]);
	}
	buf_add_text(&e->line, is_inside ? "]" : has_marks ? "" : "  ");
}

static void add_range(struct explorer *e, struct time_range range)
{
	struct render_style style = e->in->style;
	struct out out;
	struct page page;

	style.width = 0;
	style.use_color = false;
	out_init_memory(&out, &e->line);
	page_begin(&page, &style, &out);
	page_window(&page, range, history_of(e)->this_start_ns);
	page_flush(&page, PAINT_NONE, "", 0);
	page_end(&page);
	out_release(&out);
	while (e->line.len && e->line.data[e->line.len - 1] == '\n')
		e->line.len--;
}

static void add_window(struct explorer *e, const struct surface *s,
		       const struct request_window *w)
{
	char p50[UNIT_TEXT_BYTES] = "-";

	if (w->p50_ns >= 0)
		format_duration(w->p50_ns, p50);
	buf_addf(&e->line, "  %-18s ", request_role_words(w->role));
	add_medians(e, s, w);
	buf_addf(&e->line, "  p50 %-9s %6" PRIu32 " request%s%s%s", p50,
		 w->count, w->count == 1 ? "" : "s",
		 request_window_is_baseline(e->in->result, w) ? ", the baseline"
							      : "",
		 w->is_sample ? ", a sample" : "");
}

static void draw_head(struct explorer *e, const struct surface *s)
{
	static const struct look dim = { .is_dim = true };
	uint32_t used = LABEL_COLUMNS + 2 * COUNT_COLUMNS + 2;
	uint32_t room = s->columns > used ? (s->columns - used) / 2 : 0;

	buf_addf(&e->line, "%*s%-*s %6s  %s", (int)LABEL_COLUMNS,
		 "duration        ", (int)(room + COUNT_COLUMNS), " baseline",
		 "now",
		 history_of(e)->threshold_ns
			 ? s->use_unicode ? "█ slow" : "# slow"
			 : "");
	explorer_put(e, s, EXPLORER_BODY_TOP, 0, s->columns, &dim);
}

void history_draw(struct explorer *e, const struct surface *s)
{
	const struct request_history *h = history_of(e);

	list_select(&e->requests, e->requests.selected, count_of(e),
		    explorer_page_rows(e));
	draw_head(e, s);
	for (uint32_t i = 0; i < explorer_page_rows(e); i++) {
		uint32_t row = e->requests.top + i;
		struct look look = { .is_reverse =
					     row == e->requests.selected };

		if (row < h->bucket_count)
			add_bucket(e, s, row);
		else if (row >= h->bucket_count + GAP_ROWS && row < count_of(e))
			add_window(
				e, s,
				&h->windows[row - h->bucket_count - GAP_ROWS]);
		explorer_put(e, s, EXPLORER_BODY_TOP + 1 + i, 0, s->columns,
			     &look);
	}
}

/* ---- selection ---- */

static void add_counts(struct explorer *e, const struct request_bucket *b)
{
	char from[UNIT_TEXT_BYTES], to[UNIT_TEXT_BYTES];

	format_duration(b->from_ns, from);
	format_duration(b->to_ns, to);
	buf_addf(&e->line, "%s to %s: %" PRIu32 " in these minutes", from, to,
		 b->now_count);
	if (history_of(e)->threshold_ns)
		buf_addf(&e->line, ", %" PRIu32 " of them slow", b->slow_count);
	buf_addf(&e->line, ", %" PRIu32 " in the baseline", b->baseline_count);
	if (b->selected_count)
		buf_addf(&e->line, ", %" PRIu32 " more found by their length",
			 b->selected_count);
}

/* Appends a line about the selected window, or about all. */
static bool add_window_detail(struct explorer *e, uint32_t line)
{
	const struct request_history *h = history_of(e);
	size_t at = e->requests.selected - h->bucket_count;
	char took[UNIT_TEXT_BYTES];

	format_duration(h->this_duration_ns, took);
	if (line == 0) {
		history_add_operation(e);
	} else if (line == 1) {
		buf_addf(&e->line,
			 "this one: %s; bars are medians, [compared]", took);
	} else if (line == 2 && at >= GAP_ROWS) {
		const struct request_window *w = &h->windows[at - GAP_ROWS];
		struct time_range compared =
			request_window_compared(e->in->result, w);

		add_range(e, w->range);
		if (compared.to_ns) {
			buf_add_text(&e->line, ", compared: ");
			add_range(e, compared);
		}
	}
	return e->line.len > 0;
}

bool history_add_detail(struct explorer *e, uint32_t line)
{
	const struct request_history *h = history_of(e);
	uint32_t row = e->requests.selected;

	if (row >= h->bucket_count)
		return add_window_detail(e, line);
	if (line == 0) {
		add_counts(e, &h->buckets[row]);
	} else if (line <= h->buckets[row].example_count) {
		const struct request_example *x =
			&h->buckets[row].examples[line - 1];
		char id[33], took[UNIT_TEXT_BYTES];

		trace_id_format(&x->trace_id, id);
		format_duration(x->duration_ns, took);
		buf_addf(&e->line, "%s, %s: tracefind slow %s", took,
			 request_role_words(x->role), id);
		escape_terminal_buf(&e->line, e->in->result->servers);
	}
	return line <= h->buckets[row].example_count;
}
