/* SPDX-License-Identifier: Apache-2.0
 *
 * A page of its own: the verdict, a chart of the levels with the step, and the
 * report below it. It loads nothing, and all that is drawn is SVG.
 */
#include <math.h>

#include "report/chart.h"
#include "report/when_answer.h"

/* One step that hangs does not flatten all others. */
static double find_top(const struct when_series *s)
{
	double most = 0, next = 0;

	for (size_t i = 0; i < s->count; i++) {
		double level = s->counts[i] > 0 ? when_level(s, i) : 0;

		if (level > most) {
			next = most;
			most = level;
		} else if (level > next) {
			next = level;
		}
	}
	most = next > 0 && most > 2 * next ? 2 * next : most;
	return most > 0 ? most * 1.1 : 1;
}

static void draw_levels(struct chart *c, const struct when_series *s)
{
	chart_path_begin(c, "stroke=\"currentColor\"");
	for (size_t i = 0; i < s->count; i++) {
		int64_t middle_ns =
			s->starts[i] + (s->starts[i + 1] - s->starts[i]) / 2;

		if (s->counts[i] > 0)
			chart_path_point(c, middle_ns, when_level(s, i));
		else
			chart_path_gap(c);
	}
	chart_path_end(c);
}

/* The levels between all steps. */
static void draw_levels_told(const struct chart *c, const struct when *w)
{
	const struct when_series *s = &w->series[w->lead];
	int64_t from_ns = s->starts[0];
	struct when_step step = w->step;

	for (size_t i = 0; i < s->found.count; i++) {
		step = when_step_of(s, i);
		chart_mark(c, (struct time_range){ from_ns, step.at.from_ns },
			   step.before, step.before);
		from_ns = step.at.to_ns;
	}
	chart_mark(c, (struct time_range){ from_ns, c->range.to_ns },
		   step.after, step.after);
}

static void draw_step(const struct chart *c, const struct when *w)
{
	double from = chart_x(c, w->step.at.from_ns);
	double to = chart_x(c, w->step.at.to_ns);

	outf(c->out,
	     "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" "
	     "fill=\"var(--bad)\" fill-opacity=\"0.35\"/>\n",
	     from, CHART_TOP, fmax(to - from, 2),
	     CHART_HEIGHT - CHART_TOP - CHART_BOTTOM);
	draw_levels_told(c, w);
}

static void draw_versions(const struct chart *c, const struct when *w)
{
	for (size_t i = 0; i < w->version_count; i++) {
		const struct when_version *v = &w->versions[i];
		double x = chart_x(c, v->at.from_ns);
		bool is_right = x > CHART_WIDTH * 0.8;

		outf(c->out,
		     "<path stroke=\"currentColor\" stroke-dasharray=\"1 3\" "
		     "d=\"M%.1f %dV%d\"/>\n",
		     x, CHART_TOP, CHART_HEIGHT - CHART_BOTTOM);
		chart_text(c, is_right ? x - 4 : x + 4, CHART_TOP + 12,
			   is_right ? "end" : "start", v->to);
	}
}

static void draw_scale(const struct chart *c, const struct when *w)
{
	struct buf text;

	buf_init(&text, 256);
	for (int i = 0; i <= 2; i++) {
		double level = c->top * i / 2;

		buf_clear(&text);
		when_level_text(w, w->lead, level, &text);
		chart_level_label(c, level, buf_str(&text));
	}
	buf_release(&text);
}

static void write_chart(const struct when *w, struct out *out)
{
	const struct when_series *s = &w->series[w->lead];
	struct chart c = { .out = out,
			   .range = { s->starts[0], s->starts[s->count] },
			   .top = find_top(s) };

	chart_begin(&c, "levels over time, UTC");
	draw_scale(&c, w);
	if (when_has_step(w))
		draw_step(&c, w);
	draw_versions(&c, w);
	draw_levels(&c, s);
	chart_end(&c);
}

void when_write_html(const void *answer, struct out *out)
{
	const struct when_answer *a = answer;
	struct buf subject;

	buf_init(&subject, LIMIT_PAGE_TEXT_BYTES);
	when_subject(a->when, &subject);
	chart_page_begin(out, "since when: ", buf_str(&subject));
	write_chart(a->when, out);
	chart_page_end(out, &when_writer, a);
	buf_release(&subject);
}
