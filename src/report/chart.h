/* SPDX-License-Identifier: Apache-2.0
 *
 * A self-contained HTML page with SVG charts over time above a report.
 * Independent of what is measured.
 */
#ifndef REPORT_CHART_H
#define REPORT_CHART_H

#include "base/out.h"
#include "base/timefmt.h"
#include "render/render.h"

#define CHART_WIDTH 960
#define CHART_HEIGHT 280
#define CHART_TOP 16
#define CHART_BOTTOM 28

struct chart {
	struct out *out;
	struct time_range range; /* from the left to the right edge */
	double top;      /* value at the upper edge; the lower edge is 0 */
	bool is_drawing; /* a path is in progress */
};

/* title: "since when: "; subject is foreign text. The page ends with the
 * answer's table. */
void chart_page_begin(struct out *out, const char *title, struct str subject);
void chart_page_end(struct out *out, const struct answer_writer *writer,
		    const void *answer);

/* A chart with its time axis; label is for screen readers. */
void chart_begin(struct chart *c, const char *label);
void chart_end(struct chart *c);

/* Return coordinates of a time or value; values are clamped to the edges. */
double chart_x(const struct chart *c, int64_t time_ns);
double chart_y(const struct chart *c, double level);

/* Writes a label at the value axis. */
void chart_level_label(const struct chart *c, double level, struct str text);
/* anchor: "start", "middle", "end"; text may be foreign. */
void chart_text(const struct chart *c, double x, double y, const char *anchor,
		struct str text);

/* A line of measured values: consecutive points, and gaps between them. */
void chart_path_begin(struct chart *c, const char *attributes);
void chart_path_point(struct chart *c, int64_t time_ns, double level);
void chart_path_gap(struct chart *c);
void chart_path_end(struct chart *c);

/* Draws a highlighted dashed line. */
void chart_mark(const struct chart *c, struct time_range range, double from,
		double to);

#endif
