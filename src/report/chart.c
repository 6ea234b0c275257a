/* SPDX-License-Identifier: Apache-2.0 */
#include "report/chart.h"

#include <math.h>

#include "base/escape.h"
#include "base/num.h"
#include "render/html.h"

#define LEFT 84

/* ---- the page ---- */

void chart_page_begin(struct out *out, const char *title, struct str subject)
{
	outf(out,
	     "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	     "<meta charset=\"utf-8\">\n"
	     "<meta http-equiv=\"Content-Security-Policy\" "
	     "content=\"default-src 'none'; style-src %s; "
	     "base-uri 'none'; form-action 'none'\">\n"
	     "<meta name=\"viewport\" content=\"width=device-width\">\n"
	     "<title>%s",
	     html_style_hash, title);
	escape_xml(out, subject);
	outf(out,
	     "</title>\n<style>%s</style>\n</head>\n<body>\n"
	     "<main id=\"answer\">\n<h1>",
	     html_style);
	escape_xml(out, subject);
	out_text(out, "</h1>\n");
}

void chart_page_end(struct out *out, const struct answer_writer *writer,
		    const void *answer)
{
	const struct render_style style = { .width = 100, .use_unicode = true };
	struct out memory;
	struct str left;
	struct buf text;

	buf_init(&text, LIMIT_PAGE_TEXT_BYTES);
	out_init_memory(&memory, &text);
	writer->table(answer, &style, &memory);
	out_release(&memory);
	out_text(out, "<pre>");
	for (left = buf_str(&text); left.len;) {
		size_t end = min_size(str_find(left, STR("\n")), left.len);

		escape_xml(out, str_slice(left, 0, end));
		out_char(out, '\n');
		left = str_slice(left, min_size(end + 1, left.len), left.len);
	}
	out_text(out, "</pre>\n</main>\n</body>\n</html>\n");
	buf_release(&text);
}

/* ---- a chart ---- */

double chart_x(const struct chart *c, int64_t time_ns)
{
	double all = (double)(c->range.to_ns - c->range.from_ns);
	double part = (double)(time_ns - c->range.from_ns) / all;

	return LEFT + (CHART_WIDTH - LEFT) * part;
}

double chart_y(const struct chart *c, double level)
{
	double part = fmin(fmax(level / c->top, 0), 1);

	return CHART_TOP +
	       (CHART_HEIGHT - CHART_TOP - CHART_BOTTOM) * (1 - part);
}

void chart_text(const struct chart *c, double x, double y, const char *anchor,
		struct str text)
{
	outf(c->out,
	     "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" "
	     "font-size=\"12\" fill=\"currentColor\">",
	     x, y, anchor);
	escape_xml(c->out, text);
	out_text(c->out, "</text>\n");
}

void chart_level_label(const struct chart *c, double level, struct str text)
{
	chart_text(c, LEFT - 6, chart_y(c, level) + 4, "end", text);
}

static void draw_times(const struct chart *c)
{
	struct buf text;

	buf_init(&text, 64);
	for (int i = 0; i <= 4; i++) {
		int64_t at_ns = c->range.from_ns +
				(c->range.to_ns - c->range.from_ns) / 4 * i;
		char time[TIME_RFC3339_BYTES];

		format_rfc3339(at_ns, time);
		buf_clear(&text);
		/* "11-25 14:03" */
		buf_addf(&text, "%.5s %.5s", time + 5, time + 11);
		chart_text(c, chart_x(c, at_ns), CHART_HEIGHT - 8,
			   i == 0   ? "start"
			   : i == 4 ? "end"
				    : "middle",
			   buf_str(&text));
	}
	buf_release(&text);
}

void chart_begin(struct chart *c, const char *label)
{
	outf(c->out,
	     "<svg viewBox=\"0 0 %d %d\" width=\"100%%\" role=\"img\" "
	     "aria-label=\"%s\">\n"
	     "<path stroke=\"currentColor\" fill=\"none\" opacity=\"0.5\" "
	     "d=\"M%d %dV%dH%d\"/>\n",
	     CHART_WIDTH, CHART_HEIGHT, label, LEFT, CHART_TOP,
	     CHART_HEIGHT - CHART_BOTTOM, CHART_WIDTH);
	draw_times(c);
}

void chart_end(struct chart *c)
{
	out_text(c->out, "</svg>\n");
}

void chart_path_begin(struct chart *c, const char *attributes)
{
	outf(c->out, "<path fill=\"none\" %s stroke-width=\"1.5\" d=\"",
	     attributes);
	c->is_drawing = false;
}

void chart_path_point(struct chart *c, int64_t time_ns, double level)
{
	outf(c->out, "%c%.1f %.1f", c->is_drawing ? 'L' : 'M',
	     chart_x(c, time_ns), chart_y(c, level));
	c->is_drawing = true;
}

void chart_path_gap(struct chart *c)
{
	c->is_drawing = false;
}

void chart_path_end(struct chart *c)
{
	out_text(c->out, "\"/>\n");
}

void chart_mark(const struct chart *c, struct time_range range, double from,
		double to)
{
	outf(c->out,
	     "<path stroke=\"var(--bad)\" stroke-dasharray=\"4 3\" fill=\"none\" "
	     "d=\"M%.1f %.1fL%.1f %.1f\"/>\n",
	     chart_x(c, range.from_ns), chart_y(c, from),
	     chart_x(c, range.to_ns), chart_y(c, to));
}
