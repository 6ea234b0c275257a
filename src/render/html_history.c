/* SPDX-License-Identifier: Apache-2.0 */
#include "render/html.h"

#include <inttypes.h>
#include <math.h>

#include "base/out.h"
#include "render/input.h"
#include "render/page.h"
#include "render/units.h"

/* History over time: a panel per window, the oldest first, with a bar from the
 * shortest to the longest request of each slot, and its median. */

/* Logarithmic scale for durations. */
struct scale_of_time {
	double low; /* logarithms */
	double high;
	size_t panels;
};

struct panel {
	const struct request_window *window;
	double from; /* fraction of the width, 0 to 1 */
	double width;
};

#define PANEL_GAP 0.01
/* Width of a bar relative to its slot. */
#define BAR_PART 0.7

static void html_history_place(struct html *h, const char *name, double part);
static void html_history_table(struct html *h,
			       const struct request_example *examples,
			       size_t count);

static double log_of(int64_t duration_ns)
{
	return log10(duration_ns > 0 ? (double)duration_ns : 1);
}

static void scale_include(struct scale_of_time *s, int64_t duration_ns)
{
	s->low = fmin(s->low, log_of(duration_ns));
	s->high = fmax(s->high, log_of(duration_ns));
}

static struct scale_of_time scale_of(const struct request_history *history)
{
	struct scale_of_time s = { .low = log_of(history->this_duration_ns),
				   .high = log_of(history->this_duration_ns) };

	for (size_t i = 0; i < history->slot_count; i++) {
		scale_include(&s, history->slots[i].shortest_ns);
		scale_include(&s, history->slots[i].longest.duration_ns);
	}
	for (size_t i = 0; i < history->window_count; i++)
		s.panels += history->windows[i].count > 0;
	s.low -= 0.05;
	s.high += 0.05;
	return s;
}

/* Height of the chart in pixels, enough to distinguish 1 in 100. */
#define HISTORY_HEIGHT 120

static int y_of(const struct scale_of_time *s, int64_t duration_ns)
{
	double part = (log_of(duration_ns) - s->low) / (s->high - s->low);

	return HISTORY_HEIGHT - (int)lround(part * HISTORY_HEIGHT);
}

/* Windows are ordered by role, the newest first; those without requests are not
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

/* ---- times not compared ---- */

/* The whole window if unknown. */
static struct time_range compared_of(const struct html *h,
				     const struct request_window *w)
{
	struct time_range c = request_window_compared(h->in->result, w);

	return c.to_ns ? c : w->range;
}

/* By the middle of the slot. */
static bool is_left_out(const struct html *h, const struct panel *p,
			const struct request_slot *slot)
{
	struct time_range c = compared_of(h, p->window);
	int64_t middle_ns = slot->range.from_ns +
			    (slot->range.to_ns - slot->range.from_ns) / 2;

	return middle_ns < c.from_ns || middle_ns > c.to_ns;
}

/* ---- slots ---- */

static void write_says(struct html *h, const struct scale_of_time *s,
		       const struct request_slot *slot)
{
	struct page_time from, to;
	struct panel p;
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
	if (find_panel(h->in->result->history, s, slot->role, &p) &&
	    is_left_out(h, &p, slot))
		out_text(h->out, ", left out of the comparison");
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
	write_says(h, s, slot);
	out_text(h->out, "\"><rect class=\"hit\" y=\"0\"");
	html_history_place(h, "x", from);
	html_history_place(h, "width", width);
	outf(h->out, " height=\"%d\"/><rect class=\"%s%s\"", HISTORY_HEIGHT,
	     slot->slow_count		 ? "slow"
	     : p->window->is_baseline ? "before"
				      : "now",
	     is_left_out(h, p, slot) ? " unused" : "");
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

/* Minimum part of a window shown as left out; smaller ones would not be
 * visible. */
#define LEFT_OUT_PART 0.01

static bool write_left_out(struct html *h, const struct panel *p,
			   int64_t from_ns, int64_t to_ns)
{
	double from = place_in(p, from_ns), width = place_in(p, to_ns) - from;

	if (width <= LEFT_OUT_PART * p->width)
		return false;
	outf(h->out, "<rect class=\"unused\" y=\"0\" height=\"%d\"",
	     HISTORY_HEIGHT);
	html_history_place(h, "x", from);
	html_history_place(h, "width", width);
	out_text(h->out, "/>");
	return true;
}

/* Returns true if a part of a window is drawn as not compared. */
static bool write_panel(struct html *h, const struct panel *p)
{
	struct time_range all = p->window->range, c = compared_of(h, p->window);
	struct page_time from;
	bool has_any;

	page_time(&h->page, p->window->range.from_ns, p->window->range.from_ns,
		  &from);
	outf(h->out, "<rect class=\"panel\" y=\"0\" height=\"%d\"",
	     HISTORY_HEIGHT);
	html_history_place(h, "x", p->from);
	html_history_place(h, "width", p->width);
	out_text(h->out, "/>");
	has_any = write_left_out(h, p, all.from_ns, c.from_ns);
	has_any |= write_left_out(h, p, c.to_ns, all.to_ns);
	outf(h->out, "<text class=\"first\" y=\"%d\"", HISTORY_HEIGHT + 14);
	html_history_place(h, "x", p->from);
	outf(h->out, ">%s</text><text class=\"first\" y=\"%d\"",
	     request_role_words(p->window->role), HISTORY_HEIGHT + 30);
	html_history_place(h, "x", p->from);
	outf(h->out, ">%.8s</text>", from.clock);
	if (request_window_is_baseline(h->in->result, p->window)) {
		outf(h->out, "<text class=\"first compared\" y=\"%d\"",
		     HISTORY_HEIGHT + 46);
		html_history_place(h, "x", p->from);
		out_text(h->out, ">baseline</text>");
	}
	out_char(h->out, '\n');
	return has_any;
}

/* Grid lines at powers of ten. */
static void write_grid(struct html *h, const struct scale_of_time *s)
{
	for (double step = ceil(s->low); step <= s->high; step++) {
		int64_t duration_ns = llround(pow(10, step));
		int y = y_of(s, duration_ns);
		char text[24];

		format_duration(duration_ns, text);
		outf(h->out,
		     "<line class=\"grid\" x1=\"0\" x2=\"100%%\" y1=\"%d\" "
		     "y2=\"%d\"/><text class=\"level\" x=\"100%%\" dx=\"4\" "
		     "y=\"%d\">%s</text>",
		     y, y, y + 4, text);
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

static bool write_chart(struct html *h, const struct request_history *history,
			const struct scale_of_time *s)
{
	bool has_left_out = false;
	struct panel p;

	for (size_t i = 0; i < history->window_count; i++)
		if (find_panel(history, s, history->windows[i].role, &p))
			has_left_out |= write_panel(h, &p);
	write_grid(h, s);
	/* Slots of a window are adjacent; the oldest window comes first. */
	for (int role = REQUEST_ROLES - 1; role >= 0; role--)
		for (size_t i = 0; i < history->slot_count; i++)
			if ((int)history->slots[i].role == role &&
			    find_panel(history, s, history->slots[i].role, &p))
				write_slot(h, s, &p, i);
	for (size_t i = 0; i < history->window_count; i++)
		if (find_panel(history, s, history->windows[i].role, &p))
			write_onset(h, &p);
	if (find_panel(history, s, REQUESTS_NOW, &p)) {
		outf(h->out, "<circle class=\"this\" r=\"5\" cy=\"%d\"",
		     y_of(s, history->this_duration_ns));
		html_history_place(h, "cx",
				   place_in(&p, history->this_start_ns));
		out_text(h->out, "/>");
	}
	return has_left_out;
}

static void write_onset_words(struct html *h, bool has_left_out)
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
	if (has_left_out)
		out_text(h->out, " Pale, within dots: left out of the "
				 "comparison.");
	out_text(h->out, "</p>\n");
}

/* Space below it for axis labels. */
#define HISTORY_AXIS 36
/* Windows have a name, a time and a description. */
#define TIMES_AXIS 52

/* The chart over time, and the examples its bars link to. */
static void html_history_times(struct html *h,
			       const struct request_history *history)
{
	struct scale_of_time s = scale_of(history);
	bool has_left_out;

	outf(h->out,
	     "<h3>Over time</h3>\n<svg class=\"chart times\" role=\"group\" "
	     "aria-label=\"Durations over time\" height=\"%d\">\n",
	     HISTORY_HEIGHT + TIMES_AXIS);
	has_left_out = write_chart(h, history, &s);
	out_text(h->out, "</svg>\n");
	write_onset_words(h, has_left_out);
}

static void html_history_time_details(struct html *h,
				      const struct request_history *history)
{
	struct scale_of_time s = scale_of(history);

	for (size_t i = 0; i < history->slot_count; i++) {
		outf(h->out,
		     "<details name=\"bar\" id=\"time-%zu\"><summary>", i + 1);
		write_says(h, &s, &history->slots[i]);
		out_text(h->out, "</summary>\n");
		html_history_table(h, &history->slots[i].longest, 1);
		out_text(h->out, "</details>\n");
	}
}

/* Gap at each side of a column, relative to its width. */
#define GAP 0.12
/* Position beyond which labels are on the left of what they name. */
#define TURN 0.6

bool html_has_history(const struct render_input *in)
{
	return in->result->history && !in->style.is_quiet;
}

/* ' name="12.34%"': a position, given as a fraction of the width. */
static void html_history_place(struct html *h, const char *name, double part)
{
	char text[HTML_PERCENT_BYTES];

	html_percent(llround(fmin(fmax(part, 0), 1) * 10000), 10000, text);
	outf(h->out, " %s=\"%s\"", name, text);
}

/* ---- examples ---- */

static void write_example(struct html *h, const struct request_example *e)
{
	char id[33], took[24];
	struct page_time start;

	trace_id_format(&e->trace_id, id);
	format_duration(e->duration_ns, took);
	page_time(&h->page, e->start_ns, e->start_ns, &start);
	outf(h->out,
	     "<tr><td class=\"num\">%s</td><td>%s %.8s %s</td>"
	     "<td><pre><code>tracefind slow %s",
	     took, start.date, start.clock, start.zone, id);
	html_text(h, h->in->result->servers);
	out_text(h->out, "</code></pre></td></tr>\n");
}

/* A table of examples, each with the command to view it. */
static void html_history_table(struct html *h,
			       const struct request_example *examples,
			       size_t count)
{
	out_text(h->out, "<div class=\"scroll\"><table>\n<thead><tr>"
			 "<th scope=\"col\" class=\"num\">duration</th>"
			 "<th scope=\"col\">start</th>"
			 "<th scope=\"col\">command</th></tr></thead>\n"
			 "<tbody>\n");
	for (size_t i = 0; i < count; i++)
		write_example(h, &examples[i]);
	out_text(h->out, "</tbody>\n</table></div>\n");
}

/* ---- the histogram ---- */

/* A single request is visible, however many others there are. */
static int height_of(uint32_t count, uint32_t most)
{
	int height = (int)lround((double)count / most * HISTORY_HEIGHT);

	return count && height < 2 ? 2 : height;
}

/* Draws a bar upwards from `above` pixels; returns its end. */
static int write_bar(struct html *h, const char *class, double from,
		     double width, int above, int height)
{
	if (!height)
		return above;
	outf(h->out, "<rect class=\"%s\"", class);
	html_history_place(h, "x", from);
	html_history_place(h, "width", width);
	outf(h->out, " y=\"%d\" height=\"%d\"/>",
	     HISTORY_HEIGHT - above - height, height);
	return above + height;
}

static void write_count(struct html *h, const struct request_bucket *b)
{
	char from[24], to[24];

	format_duration(b->from_ns, from);
	format_duration(b->to_ns, to);
	outf(h->out, "%s to %s: %" PRIu32 " in these minutes", from, to,
	     b->now_count);
	if (h->in->result->history->threshold_ns)
		outf(h->out, ", %" PRIu32 " of them slow", b->slow_count);
	outf(h->out, ", %" PRIu32 " in the baseline", b->baseline_count);
	if (b->selected_count)
		outf(h->out, ", %" PRIu32 " more found by their length",
		     b->selected_count);
}

static void write_column(struct html *h, size_t i, uint32_t most)
{
	const struct request_history *history = h->in->result->history;
	const struct request_bucket *b = &history->buckets[i];
	double width = 1 / (double)history->bucket_count;
	double bar = width * (0.5 - GAP), from = width * ((double)i + GAP);
	int top;

	if (!b->example_count)
		return;
	outf(h->out, "<a href=\"#bar-%zu\" aria-label=\"", i + 1);
	write_count(h, b);
	out_text(h->out, "\"><rect class=\"hit\" y=\"0\"");
	html_history_place(h, "x", width * (double)i);
	html_history_place(h, "width", width);
	outf(h->out, " height=\"%d\"/>", HISTORY_HEIGHT);
	write_bar(h, "before", from, bar, 0,
		  height_of(b->baseline_count, most));
	from += bar;
	top = write_bar(h, "slow", from, bar, 0,
			height_of(b->slow_count, most));
	top = write_bar(h, "now", from, bar, top,
			height_of(b->now_count - b->slow_count, most));
	write_bar(h, "selected", from, bar, top,
		  height_of(b->selected_count, most));
	out_text(h->out, "</a>\n");
}

/* Every other label is hidden on a narrow page. */
static void write_edge(struct html *h, size_t i)
{
	const struct request_history *history = h->in->result->history;
	size_t count = history->bucket_count;
	char text[24];

	format_duration(i < count ? history->buckets[i].from_ns
				  : history->buckets[count - 1].to_ns,
			text);
	outf(h->out, "<text class=\"edge%s%s\" y=\"%d\"", i % 2 ? " odd" : "",
	     i == 0 ? " first" : i == count ? " last" : "",
	     HISTORY_HEIGHT + 14);
	html_history_place(h, "x", (double)i / (double)count);
	outf(h->out, ">%s</text>", text);
}

/* Returns the position of the investigated request. */
static double place_of_this(const struct request_history *history)
{
	size_t i = 0;
	double part;

	while (i + 1 < history->bucket_count &&
	       history->this_duration_ns >= history->buckets[i].to_ns)
		i++;
	part = ((double)history->this_duration_ns -
		(double)history->buckets[i].from_ns) /
	       ((double)history->buckets[i].to_ns -
		(double)history->buckets[i].from_ns);
	return ((double)i + fmin(fmax(part, 0), 1)) /
	       (double)history->bucket_count;
}

static void write_this(struct html *h)
{
	const struct request_history *history = h->in->result->history;
	double place = place_of_this(history);
	char text[24];

	format_duration(history->this_duration_ns, text);
	outf(h->out, "<line class=\"this\" y1=\"0\" y2=\"%d\"", HISTORY_HEIGHT);
	html_history_place(h, "x1", place);
	html_history_place(h, "x2", place);
	outf(h->out, "/><text class=\"this%s\" y=\"%d\"",
	     place > TURN ? " left" : "", HISTORY_HEIGHT + 30);
	html_history_place(h, "x", place);
	outf(h->out, ">this trace, %s</text>", text);
}

static void write_histogram(struct html *h)
{
	const struct request_history *history = h->in->result->history;
	uint32_t most = request_history_most(history);

	outf(h->out,
	     "<h3>By duration</h3>\n<svg class=\"chart\" role=\"group\" "
	     "aria-label=\"Histogram of durations\" height=\"%d\">\n",
	     HISTORY_HEIGHT + HISTORY_AXIS);
	for (size_t i = 0; i < history->bucket_count; i++)
		write_column(h, i, most);
	outf(h->out,
	     "<line class=\"axis\" x1=\"0\" x2=\"100%%\" y1=\"%d\" y2=\"%d\"/>",
	     HISTORY_HEIGHT, HISTORY_HEIGHT);
	for (size_t i = 0; i <= history->bucket_count; i++)
		write_edge(h, i);
	write_this(h);
	out_text(h->out, "</svg>\n");
}

static void write_bucket_details(struct html *h)
{
	const struct request_history *history = h->in->result->history;

	for (size_t i = 0; i < history->bucket_count; i++) {
		const struct request_bucket *b = &history->buckets[i];

		if (!b->example_count)
			continue;
		outf(h->out,
		     "<details name=\"bar\" id=\"bar-%zu\"><summary>", i + 1);
		write_count(h, b);
		out_text(h->out, "</summary>\n");
		html_history_table(h, b->examples, b->example_count);
		out_text(h->out, "</details>\n");
	}
}

/* ---- text ---- */

static void write_window(struct html *h, const struct request_window *w)
{
	struct page *p = &h->page;
	char count[UNIT_TEXT_BYTES], p50[24];

	format_count(w->count, count);
	page_window(p, w->range, h->in->result->history->this_start_ns);
	page_textf(p, ": %s request%s%s", w->count ? count : "no",
		   w->count == 1 ? "" : "s", w->is_sample ? " (a sample)" : "");
	if (w->p50_ns >= 0) {
		format_duration(w->p50_ns, p50);
		page_textf(p, ", median %s", p50);
	}
	if (request_window_is_baseline(h->in->result, w))
		page_text(p, "; the baseline");
	page_flush(p, PAINT_NONE, request_role_words(w->role),
		   PAGE_LABEL_COLUMNS);
}

static void write_words(struct html *h)
{
	const struct request_history *history = h->in->result->history;
	char text[24];

	out_text(h->out, "<p class=\"hint\">Requests of <code>");
	html_text(h, name_shown(history->service));
	out_char(h->out, ' ');
	html_text(h, name_shown(history->name));
	out_text(h->out, "</code> that the trace server returned.");
	if (history->threshold_ns) {
		format_duration(history->threshold_ns, text);
		outf(h->out, " Slow: %s and more.", text);
	}
	out_text(h->out, " A bar lists examples.</p>\n"
			 "<ul class=\"legend\">");
	if (history->threshold_ns)
		out_text(h->out, "<li class=\"slow\">slow</li>");
	out_text(h->out, "<li class=\"now\">others in these minutes</li>"
			 "<li class=\"before\">baseline</li>");
	if (history->selected_count)
		out_text(h->out, "<li class=\"selected\">found only by a "
				 "search for long ones</li>");
	out_text(h->out, "</ul>\n");
}

void html_history_write(struct html *h)
{
	const struct request_history *history = h->in->result->history;

	if (!html_has_history(h->in))
		return;
	out_text(h->out, "<section id=\"history\" "
			 "aria-labelledby=\"history-title\">\n"
			 "<h2 id=\"history-title\">History</h2>\n");
	write_words(h);
	out_text(h->out, "<div class=\"charts\">\n<div>\n");
	write_histogram(h);
	out_text(h->out, "</div>\n<div>\n");
	html_history_times(h, history);
	out_text(h->out, "</div>\n</div>\n<div class=\"bars\">\n");
	write_bucket_details(h);
	html_history_time_details(h, history);
	out_text(h->out, "</div>\n<dl class=\"evidence\">\n");
	for (size_t i = 0; i < history->window_count; i++)
		write_window(h, &history->windows[i]);
	out_text(h->out, "</dl>\n</section>\n");
}
