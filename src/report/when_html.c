/* SPDX-License-Identifier: Apache-2.0
 *
 * A page of its own: the verdict, a chart of the levels with the step, and the
 * report below it. It loads nothing, and all that is drawn is SVG.
 */
#include <math.h>

#include "base/escape.h"
#include "base/num.h"
#include "render/html.h"
#include "report/when_answer.h"

#define WIDTH 960
#define HEIGHT 280
#define LEFT 84
#define BOTTOM 28
#define TOP 16

struct chart {
	const struct when *w;
	const struct when_series *s;
	struct out *out;
	double top; /* level at the upper edge; the lower one is 0 */
};

static double x_of(const struct chart *c, int64_t time_ns)
{
	const struct when_series *s = c->s;
	double all = (double)(s->starts[s->count] - s->starts[0]);

	return LEFT + (WIDTH - LEFT) * (double)(time_ns - s->starts[0]) / all;
}

static double y_of(const struct chart *c, double level)
{
	double part = fmin(fmax(level / c->top, 0), 1);

	return TOP + (HEIGHT - TOP - BOTTOM) * (1 - part);
}

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

static void draw_levels(const struct chart *c)
{
	const struct when_series *s = c->s;
	bool is_drawing = false;

	out_text(c->out, "<path fill=\"none\" stroke=\"currentColor\" "
			 "stroke-width=\"1.5\" d=\"");
	for (size_t i = 0; i < s->count; i++) {
		int64_t middle_ns =
			s->starts[i] + (s->starts[i + 1] - s->starts[i]) / 2;

		if (!(s->counts[i] > 0)) {
			is_drawing = false;
			continue;
		}
		outf(c->out, "%c%.1f %.1f", is_drawing ? 'L' : 'M',
		     x_of(c, middle_ns), y_of(c, when_level(s, i)));
		is_drawing = true;
	}
	out_text(c->out, "\"/>\n");
}

static void draw_level(const struct chart *c, double level, int64_t from_ns,
		       int64_t to_ns)
{
	outf(c->out,
	     "<path stroke=\"#d62728\" stroke-dasharray=\"4 3\" fill=\"none\" "
	     "d=\"M%.1f %.1fH%.1f\"/>\n",
	     x_of(c, from_ns), y_of(c, level), x_of(c, to_ns));
}

/* The levels between all steps. */
static void draw_levels_told(const struct chart *c)
{
	const struct change_points *found = &c->s->found;
	int64_t from_ns = c->s->starts[0];
	struct when_step step = c->w->step;

	for (size_t i = 0; i < found->count; i++) {
		step = when_step_of(c->s, i);
		draw_level(c, step.before, from_ns, step.at.from_ns);
		from_ns = step.at.to_ns;
	}
	draw_level(c, step.after, from_ns, c->s->starts[c->s->count]);
}

static void draw_step(const struct chart *c)
{
	const struct when_step *step = &c->w->step;
	double from = x_of(c, step->at.from_ns), to = x_of(c, step->at.to_ns);

	outf(c->out,
	     "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" "
	     "fill=\"#d62728\" fill-opacity=\"0.35\"/>\n",
	     from, TOP, fmax(to - from, 2), HEIGHT - TOP - BOTTOM);
	draw_levels_told(c);
}

static void draw_label(const struct chart *c, double x, double y,
		       const char *anchor, struct str text)
{
	outf(c->out,
	     "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" "
	     "font-size=\"12\" fill=\"currentColor\">",
	     x, y, anchor);
	escape_xml(c->out, text);
	out_text(c->out, "</text>\n");
}

static void draw_versions(const struct chart *c)
{
	for (size_t i = 0; i < c->w->version_count; i++) {
		const struct when_version *v = &c->w->versions[i];
		double x = x_of(c, v->at.from_ns);
		bool is_right = x > WIDTH * 0.8;

		outf(c->out,
		     "<path stroke=\"currentColor\" stroke-dasharray=\"1 3\" "
		     "d=\"M%.1f %dV%d\"/>\n",
		     x, TOP, HEIGHT - BOTTOM);
		draw_label(c, is_right ? x - 4 : x + 4, TOP + 12,
			   is_right ? "end" : "start", v->to);
	}
}

static void draw_axes(const struct chart *c)
{
	struct buf text;

	buf_init(&text, 256);
	outf(c->out,
	     "<path stroke=\"currentColor\" fill=\"none\" opacity=\"0.5\" "
	     "d=\"M%d %dV%dH%d\"/>\n",
	     LEFT, TOP, HEIGHT - BOTTOM, WIDTH);
	for (int i = 0; i <= 2; i++) {
		double level = c->top * i / 2;

		buf_clear(&text);
		when_level_text(c->w, c->w->lead, level, &text);
		draw_label(c, LEFT - 6, y_of(c, level) + 4, "end",
			   buf_str(&text));
	}
	for (int i = 0; i <= 4; i++) {
		const struct when_series *s = c->s;
		int64_t at_ns = s->starts[0] +
				(s->starts[s->count] - s->starts[0]) / 4 * i;
		char time[TIME_RFC3339_BYTES];

		format_rfc3339(at_ns, time);
		buf_clear(&text);
		/* "11-25 14:03" */
		buf_addf(&text, "%.5s %.5s", time + 5, time + 11);
		draw_label(c, x_of(c, at_ns), HEIGHT - 8,
			   i == 0   ? "start"
			   : i == 4 ? "end"
				    : "middle",
			   buf_str(&text));
	}
	buf_release(&text);
}

static void write_chart(const struct when *w, struct out *out)
{
	struct chart c = { .w = w, .s = &w->series[w->lead], .out = out };

	c.top = find_top(c.s);
	outf(out,
	     "<svg viewBox=\"0 0 %d %d\" width=\"100%%\" role=\"img\" "
	     "aria-label=\"levels over time, UTC\">\n",
	     WIDTH, HEIGHT);
	draw_axes(&c);
	if (when_has_step(w))
		draw_step(&c);
	draw_versions(&c);
	draw_levels(&c);
	out_text(out, "</svg>\n");
}

static void write_lines(struct str text, struct out *out)
{
	while (text.len) {
		size_t end = min_size(str_find(text, STR("\n")), text.len);

		escape_xml(out, str_slice(text, 0, end));
		out_char(out, '\n');
		text = str_slice(text, min_size(end + 1, text.len), text.len);
	}
}

static void write_report(const struct when_answer *a, struct out *out)
{
	const struct render_style style = { .width = 100, .use_unicode = true };
	struct out memory;
	struct buf text;

	buf_init(&text, LIMIT_PAGE_TEXT_BYTES);
	out_init_memory(&memory, &text);
	when_writer.table(a, &style, &memory);
	out_release(&memory);
	out_text(out, "<pre>");
	write_lines(buf_str(&text), out);
	out_text(out, "</pre>\n");
	buf_release(&text);
}

void when_write_html(const void *answer, struct out *out)
{
	const struct when_answer *a = answer;
	struct buf subject;

	buf_init(&subject, LIMIT_PAGE_TEXT_BYTES);
	when_subject(a->when, &subject);
	outf(out,
	     "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	     "<meta charset=\"utf-8\">\n"
	     "<meta http-equiv=\"Content-Security-Policy\" "
	     "content=\"default-src 'none'; style-src %s\">\n"
	     "<meta name=\"viewport\" content=\"width=device-width\">\n"
	     "<title>since when: ",
	     html_style_hash);
	escape_xml(out, buf_str(&subject));
	outf(out, "</title>\n<style>%s</style>\n</head>\n<body>\n<main>\n<h1>",
	     html_style);
	escape_xml(out, buf_str(&subject));
	out_text(out, "</h1>\n");
	write_chart(a->when, out);
	write_report(a, out);
	out_text(out, "</main>\n</body>\n</html>\n");
	buf_release(&subject);
}
