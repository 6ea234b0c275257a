/* SPDX-License-Identifier: Apache-2.0 */
#include "render/html_history.h"

#include <inttypes.h>
#include <math.h>

#include "render/formats.h"
#include "render/kind_words.h"
#include "render/units.h"

/* Of a column's width: what is left free on each side of its bars. */
#define GAP 0.12
/* Beyond this part of the width words stand to the left of what they name. */
#define TURN 0.6

bool html_has_history(const struct render_input *in)
{
	return in->result->history && !in->style.is_quiet;
}

void html_history_place(struct html *h, const char *name, double part)
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

void html_history_table(struct html *h, const struct request_example *examples,
			size_t count)
{
	out_text(h->out, "<div class=\"scroll\"><table>\n<thead><tr>"
			 "<th scope=\"col\" class=\"num\">took</th>"
			 "<th scope=\"col\">began</th>"
			 "<th scope=\"col\">to look at it</th></tr></thead>\n"
			 "<tbody>\n");
	for (size_t i = 0; i < count; i++)
		write_example(h, &examples[i]);
	out_text(h->out, "</tbody>\n</table></div>\n");
}

/* ---- the histogram ---- */

/* One is seen, however many others there are. */
static int height_of(uint32_t count, uint32_t most)
{
	int height = (int)lround((double)count / most * HISTORY_HEIGHT);

	return count && height < 2 ? 2 : height;
}

/* From `above` pixels on upwards; returns where it ends. */
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

/* Every second edge makes room on a narrow page. */
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

/* Where the request in question lies. */
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

/* ---- words ---- */

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
	if (w->is_baseline)
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
	out_text(h->out, "</code> that the trace server told of.");
	if (history->threshold_ns) {
		format_duration(history->threshold_ns, text);
		outf(h->out, " Slow: %s and more.", text);
	}
	out_text(h->out, " A bar lists examples.</p>\n"
			 "<ul class=\"legend\">");
	if (history->threshold_ns)
		out_text(h->out, "<li class=\"slow\">slow</li>");
	out_text(h->out, "<li class=\"now\">others of these minutes</li>"
			 "<li class=\"before\">baseline</li>");
	if (history->selected_count)
		out_text(h->out, "<li class=\"selected\">found only by asking "
				 "for long ones</li>");
	out_text(h->out, "</ul>\n");
}

static void write_windows(struct html *h)
{
	const struct request_history *history = h->in->result->history;

	out_text(h->out, "<dl class=\"evidence\">\n");
	for (size_t i = 0; i < history->window_count; i++)
		write_window(h, &history->windows[i]);
	out_text(h->out, "</dl>\n");
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
	out_text(h->out, "</div>\n");
	write_windows(h);
	out_text(h->out, "</section>\n");
}
