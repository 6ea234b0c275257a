/* SPDX-License-Identifier: Apache-2.0
 *
 * A page of its own: what each instance held over time, and the report below
 * it.
 */
#include <math.h>
#include <stdio.h>

#include "base/escape.h"
#include "base/num.h"
#include "report/chart.h"
#include "report/leak_answer.h"

/* Lives drawn, the longest: more lines hide each other. */
#define LINES 12u
/* Points of a line across the window: one for two pixels of the drawing. */
#define POINTS 440u
/* A line is broken where so many times its usual distance there is no
 * point. */
#define GAP_POINTS 8
/* A limit further up than so many times all else would flatten it. */
#define LIMIT_ROOM 3

struct lines {
	const struct leak *l;
	const struct leak_subject *s;
	size_t count;
	unsigned colors[LINES]; /* the lives of an instance have one */
	struct chart chart;
};

static void choose_colors(struct lines *d)
{
	unsigned next = 0;

	for (size_t i = 0; i < d->count; i++) {
		size_t same = 0;

		while (same < i && !str_equal(d->s->segments[same].instance,
					      d->s->segments[i].instance))
			same++;
		d->colors[i] = same < i ? d->colors[same] : next++;
	}
}

/* ---- points ---- */

/* Means of the steps that share a point. */
struct point {
	size_t index;
	int64_t time_ns; /* of the last of them */
	double sum;
	size_t count;
};

/* The next point of a life behind step *at; false: there is none. */
static bool next_point(const struct lines *d, const struct leak_segment *life,
		       size_t *at, struct point *p)
{
	int64_t step_ns = d->l->step_ms * NS_PER_MS;

	p->count = 0;
	p->sum = 0;
	for (; *at < d->l->step_count; ++*at) {
		int64_t time_ns = d->l->window.from_ns + step_ns * (int64_t)*at;
		size_t index = *at * POINTS / d->l->step_count;

		if (!time_range_has(life->range, time_ns) ||
		    !(life->steps[*at] > 0))
			continue;
		if (p->count && index != p->index)
			break;
		p->index = index;
		p->time_ns = time_ns;
		p->sum += life->steps[*at];
		p->count++;
	}
	return p->count > 0;
}

static double level_of(const struct leak_segment *life, const struct point *p)
{
	return p->sum / (double)p->count / life->per_point;
}

static double find_top(const struct lines *d)
{
	double most = 0, limit = d->l->limit_bytes;
	struct point p;

	for (size_t i = 0; i < d->count; i++) {
		const struct leak_segment *life = &d->s->segments[i];

		for (size_t at = 0; next_point(d, life, &at, &p);)
			most = fmax(most, level_of(life, &p));
	}
	if (d->s->what == LEAK_MEMORY && limit < LIMIT_ROOM * most)
		most = fmax(most, limit);
	/* Two of what is counted, so that a scale has numbers. */
	return fmax(most * 1.1, 2);
}

/* ---- drawing ---- */

static void draw_life(struct lines *d, size_t index)
{
	const struct leak_segment *life = &d->s->segments[index];
	int64_t gap_ns = (life->range.to_ns - life->range.from_ns) /
			 (int64_t)life->points * GAP_POINTS;
	int64_t last_ns = 0;
	struct chart *c = &d->chart;
	char attributes[48];
	struct point p;

	snprintf(attributes, sizeof attributes,
		 "class=\"k%u\" stroke=\"var(--k)\"", d->colors[index]);
	chart_path_begin(c, attributes);
	for (size_t at = 0; next_point(d, life, &at, &p);) {
		if (p.time_ns - last_ns > gap_ns)
			chart_path_gap(c);
		chart_path_point(c, p.time_ns, level_of(life, &p));
		last_ns = p.time_ns;
	}
	chart_path_end(c);
}

/* The slope that was found, through the middle of a life. */
static void draw_slope(const struct lines *d, const struct leak_segment *life)
{
	double hours = time_range_seconds(life->range) / 3600;
	double rise = d->s->total.per_hour * hours, middle = 0;

	for (size_t i = 0; i < GROWTH_BLOCKS; i++)
		middle += life->growth.values[i] / GROWTH_BLOCKS;
	chart_mark(&d->chart, life->range, middle - rise / 2,
		   middle + rise / 2);
}

static void draw_scale(const struct lines *d)
{
	char text[UNIT_TEXT_BYTES];

	for (int i = 0; i <= 2; i++) {
		double level = d->chart.top * i / 2;

		leak_format_held(d->s, level, text);
		chart_level_label(&d->chart, level, str_from(text));
	}
}

static void draw_limit(const struct lines *d)
{
	double limit = d->l->limit_bytes;

	if (d->s->what != LEAK_MEMORY || !(limit > 0) || limit > d->chart.top)
		return;
	chart_mark(&d->chart, d->l->window, limit, limit);
	chart_text(&d->chart, CHART_WIDTH, chart_y(&d->chart, limit) - 4, "end",
		   STR("limit"));
}

/* Which colour is whose. */
static void write_legend(const struct lines *d)
{
	struct out *out = d->chart.out;
	unsigned next = 0;

	out_text(out, "<p class=\"hint\">");
	for (size_t i = 0; i < d->count; i++) {
		struct str name = d->s->segments[i].instance;

		if (d->colors[i] != next)
			continue;
		out_text(out, next ? ",\n" : "");
		outf(out,
		     "<svg class=\"k%u\" width=\"12\" height=\"12\">"
		     "<rect fill=\"var(--k)\" width=\"10\" height=\"10\"/>"
		     "</svg>",
		     next++);
		escape_xml(out, name.len ? name : STR("all instances"));
	}
	if (d->s->segment_count > d->count)
		outf(out, "; the longest %zu lives of %zu", d->count,
		     d->s->segment_count);
	if (d->s->total.kind == GROWTH_ENDLESS)
		out_text(out, "; dashed: the slope of all lives");
	out_text(out, "</p>\n</section>\n");
}

static void write_chart(const struct leak *l, const struct leak_subject *s,
			struct out *out)
{
	struct lines d = { .l = l,
			   .s = s,
			   .count = min_size(s->segment_count, LINES),
			   .chart = { .out = out, .range = l->window } };

	if (!d.count)
		return;
	choose_colors(&d);
	d.chart.top = find_top(&d);
	outf(out, "<section>\n<h2>%s an instance</h2>\n",
	     s->what == LEAK_MEMORY ? "memory in use" : leak_subject_word(s));
	chart_begin(&d.chart, "what each instance holds over time, UTC");
	draw_scale(&d);
	draw_limit(&d);
	for (size_t i = 0; i < d.count; i++)
		draw_life(&d, i);
	for (size_t i = 0; s->total.kind == GROWTH_ENDLESS && i < d.count; i++)
		draw_slope(&d, &s->segments[i]);
	chart_end(&d.chart);
	write_legend(&d);
}

void leak_write_html(const void *answer, struct out *out)
{
	const struct leak_answer *a = answer;
	const struct leak *l = a->leak;
	const struct leak_subject *first = leak_leading(l);

	chart_page_begin(out, "leak: ", str_from(l->service));
	write_chart(l, first, out);
	for (int i = 0; i < LEAK_WHATS; i++)
		if (&l->subjects[i] != first)
			write_chart(l, &l->subjects[i], out);
	chart_page_end(out, &leak_writer, a);
}
