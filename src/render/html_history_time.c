/* SPDX-License-Identifier: Apache-2.0
 *
 * The history over time: a panel a window, the oldest first; in it a bar from
 * the shortest request to the longest of each part, its median across it.
 */
#include <inttypes.h>
#include <math.h>

#include "render/formats.h"
#include "render/html_history.h"
#include "render/kind_words.h"

/* Durations are read by their size: tenfold steps are as high as each other. */
struct scale_of_time {
	double low; /* logarithms */
	double high;
	size_t panels;
};

struct panel {
	const struct request_window *window;
	double from; /* of the width, 0 to 1 */
	double width;
};

#define PANEL_GAP 0.01
/* Of a part's width. */
#define BAR_PART 0.7

static double log_of(int64_t duration_ns)
{
	return log10(duration_ns > 0 ? (double)duration_ns : 1);
}

static void include(struct scale_of_time *s, int64_t duration_ns)
{
	s->low = fmin(s->low, log_of(duration_ns));
	s->high = fmax(s->high, log_of(duration_ns));
}

static struct scale_of_time scale_of(const struct request_history *history)
{
	struct scale_of_time s = { .low = log_of(history->this_duration_ns),
				   .high = log_of(history->this_duration_ns) };

	for (size_t i = 0; i < history->slot_count; i++) {
		include(&s, history->slots[i].shortest_ns);
		include(&s, history->slots[i].longest.duration_ns);
	}
	for (size_t i = 0; i < history->window_count; i++)
		s.panels += history->windows[i].count > 0;
	s.low -= 0.05;
	s.high += 0.05;
	return s;
}

static int y_of(const struct scale_of_time *s, int64_t duration_ns)
{
	double part = (log_of(duration_ns) - s->low) / (s->high - s->low);

	return HISTORY_HEIGHT - (int)lround(part * HISTORY_HEIGHT);
}

/* Windows come by role, the newest first; those without requests are not
 * drawn. */
static bool find_panel(const struct request_history *history,
		       const struct scale_of_time *s, enum request_role role,
		       struct panel *out)
{
	size_t newer = 0;

	for (size_t i = 0; i < history->window_count; i++) {
		const struct request_window *w = &history->windows[i];

		if (!w->count)
			continue;
		if (w->role == role) {
			double width = 1 / (double)s->panels;

			*out = (struct panel){
				.window = w,
				.from = width * (double)(s->panels - 1 - newer) +
					PANEL_GAP / 2,
				.width = width - PANEL_GAP,
			};
			return true;
		}
		newer++;
	}
	return false;
}

static double place_in(const struct panel *p, int64_t time_ns)
{
	struct time_range range = p->window->range;
	double part = ((double)time_ns - (double)range.from_ns) /
		      ((double)range.to_ns - (double)range.from_ns);

	return p->from + fmin(fmax(part, 0), 1) * p->width;
}

/* ---- the parts ---- */

static void write_says(struct html *h, const struct request_slot *slot)
{
	struct page_time from, to;
	char p50[24], low[24], high[24];

	page_time(&h->page, slot->range.from_ns, slot->range.from_ns, &from);
	page_time(&h->page, slot->range.to_ns, slot->range.from_ns, &to);
	format_duration(slot->p50_ns, p50);
	format_duration(slot->shortest_ns, low);
	format_duration(slot->longest.duration_ns, high);
	outf(h->out, "%s %.8s to %.8s %s: %" PRIu32 " request%s", from.date,
	     from.clock, to.clock, from.zone, slot->count,
	     slot->count == 1 ? "" : "s");
	if (slot->role == REQUESTS_NOW &&
	    h->in->result->history->threshold_ns)
		outf(h->out, ", %" PRIu32 " of them slow", slot->slow_count);
	if (slot->error_count)
		outf(h->out, ", %" PRIu32 " failed", slot->error_count);
	outf(h->out, ", median %s, from %s to %s", p50, low, high);
}

static void write_slot(struct html *h, const struct scale_of_time *s,
		       const struct panel *p, size_t i)
{
	const struct request_history *history = h->in->result->history;
	const struct request_slot *slot = &history->slots[i];
	double from = place_in(p, slot->range.from_ns);
	double width = place_in(p, slot->range.to_ns) - from;
	int top = y_of(s, slot->longest.duration_ns);
	int bottom = y_of(s, slot->shortest_ns), middle = y_of(s, slot->p50_ns);

	outf(h->out, "<a href=\"#time-%zu\" aria-label=\"", i + 1);
	write_says(h, slot);
	out_text(h->out, "\"><rect class=\"hit\" y=\"0\"");
	html_history_place(h, "x", from);
	html_history_place(h, "width", width);
	outf(h->out, " height=\"%d\"/><rect class=\"%s\"", HISTORY_HEIGHT,
	     slot->slow_count		 ? "slow"
	     : p->window->is_baseline ? "before"
				      : "now");
	from += width * (1 - BAR_PART) / 2;
	html_history_place(h, "x", from);
	html_history_place(h, "width", width * BAR_PART);
	outf(h->out,
	     " y=\"%d\" height=\"%d\"/><line class=\"median\" y1=\"%d\" "
	     "y2=\"%d\"",
	     top - 1, bottom - top + 2, middle, middle);
	html_history_place(h, "x1", from);
	html_history_place(h, "x2", from + width * BAR_PART);
	out_text(h->out, "/></a>\n");
}

static void write_panel(struct html *h, const struct panel *p)
{
	struct page_time from;

	page_time(&h->page, p->window->range.from_ns, p->window->range.from_ns,
		  &from);
	outf(h->out, "<rect class=\"panel\" y=\"0\" height=\"%d\"",
	     HISTORY_HEIGHT);
	html_history_place(h, "x", p->from);
	html_history_place(h, "width", p->width);
	outf(h->out, "/><text class=\"first\" y=\"%d\"", HISTORY_HEIGHT + 14);
	html_history_place(h, "x", p->from);
	outf(h->out, ">%s</text><text class=\"first\" y=\"%d\"",
	     request_role_words(p->window->role), HISTORY_HEIGHT + 30);
	html_history_place(h, "x", p->from);
	outf(h->out, ">%.8s</text>\n", from.clock);
}

/* Tenfold steps within what is drawn. */
static void write_grid(struct html *h, const struct scale_of_time *s)
{
	for (double step = ceil(s->low); step <= s->high; step++) {
		int64_t duration_ns = llround(pow(10, step));
		int y = y_of(s, duration_ns);
		char text[24];

		format_duration(duration_ns, text);
		outf(h->out,
		     "<line class=\"grid\" x1=\"0\" x2=\"100%%\" y1=\"%d\" "
		     "y2=\"%d\"/><text class=\"level\" x=\"100%%\" "
		     "y=\"%d\">%s</text>",
		     y, y, y < 12 ? y + 12 : y - 3, text);
	}
}

static void write_onset(struct html *h, const struct panel *p)
{
	int64_t onset_ns = h->in->result->history->onset_ns;
	double place = place_in(p, onset_ns);

	if (!onset_ns || onset_ns <= p->window->range.from_ns ||
	    onset_ns >= p->window->range.to_ns)
		return;
	outf(h->out, "<line class=\"onset\" y1=\"0\" y2=\"%d\"",
	     HISTORY_HEIGHT);
	html_history_place(h, "x1", place);
	html_history_place(h, "x2", place);
	out_text(h->out, "/>");
}

static void write_this(struct html *h, const struct scale_of_time *s)
{
	const struct request_history *history = h->in->result->history;
	struct panel p;

	if (!find_panel(history, s, REQUESTS_NOW, &p))
		return;
	outf(h->out, "<circle class=\"this\" r=\"5\" cy=\"%d\"",
	     y_of(s, history->this_duration_ns));
	html_history_place(h, "cx", place_in(&p, history->this_start_ns));
	out_text(h->out, "/>");
}

static void write_chart(struct html *h, const struct request_history *history,
			const struct scale_of_time *s)
{
	struct panel p;

	for (size_t i = 0; i < history->window_count; i++)
		if (find_panel(history, s, history->windows[i].role, &p))
			write_panel(h, &p);
	write_grid(h, s);
	/* Those of one window stand together; the oldest window comes first. */
	for (int role = REQUEST_ROLES - 1; role >= 0; role--)
		for (size_t i = 0; i < history->slot_count; i++)
			if ((int)history->slots[i].role == role &&
			    find_panel(history, s, history->slots[i].role, &p))
				write_slot(h, s, &p, i);
	for (size_t i = 0; i < history->window_count; i++)
		if (find_panel(history, s, history->windows[i].role, &p))
			write_onset(h, &p);
	write_this(h, s);
}

static void write_onset_words(struct html *h)
{
	int64_t onset_ns = h->in->result->history->onset_ns;
	struct page_time at;

	out_text(h->out, "<p class=\"hint\">From the shortest to the longest "
			 "request of a part of its window; the line across is "
			 "the median, the ring this trace.");
	if (onset_ns) {
		page_time(&h->page, onset_ns, onset_ns, &at);
		outf(h->out, " Slow since %.8s %s (dashed).", at.clock,
		     at.zone);
	}
	out_text(h->out, "</p>\n");
}

void html_history_times(struct html *h, const struct request_history *history)
{
	struct scale_of_time s = scale_of(history);

	outf(h->out,
	     "<h3>Over time</h3>\n<svg class=\"chart\" role=\"group\" "
	     "aria-label=\"Durations over time\" height=\"%d\">\n",
	     HISTORY_HEIGHT + HISTORY_AXIS);
	write_chart(h, history, &s);
	out_text(h->out, "</svg>\n");
	write_onset_words(h);
}

void html_history_time_details(struct html *h,
			       const struct request_history *history)
{
	for (size_t i = 0; i < history->slot_count; i++) {
		outf(h->out,
		     "<details name=\"bar\" id=\"time-%zu\"><summary>", i + 1);
		write_says(h, &history->slots[i]);
		out_text(h->out, "</summary>\n");
		html_history_table(h, &history->slots[i].longest, 1);
		out_text(h->out, "</details>\n");
	}
}
