/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by SVG flame graphs and waterfalls: locale-independent numbers,
 * fitting text, title and paragraphs, script and style. Each picture is one
 * self-contained file. Foreign text passes escape_xml().
 */
#ifndef RENDER_SVG_H
#define RENDER_SVG_H

#include <stdint.h>

#include "base/buf.h"
#include "base/out.h"
#include "render/input.h"
#include "render/page.h"

/* Coordinates are hundredths of a pixel. */
#define SVG_PX 100
#define SVG_MARGIN_PX 10
/* Width of a letter at 12 px in the fonts requested: monospaced, 0.6 of the
 * size. */
#define SVG_LETTER_CPX 722
#define SVG_LINE_PX 16

/* Maximum number of paragraphs; more are left out. */
#define SVG_PARAGRAPHS 6

/* flame_names.js, svg.js and svg_use.js; svg.css. */
extern const char svg_script[];
extern const char svg_style[];

struct svg {
	struct out *out;
	const struct render_input *in;
	int64_t width; /* of the picture */
	bool is_fluid; /* the script resizes it to the window */
	struct page page;
	struct buf text; /* output of page */
	struct out memory;
	struct buf shown; /* text as displayed */
	struct buf cut;   /* same, its middle cut */
	struct buf title;
	struct buf paragraphs[SVG_PARAGRAPHS];
	size_t paragraph_count;
	bool has_failed; /* a buffer failed before it was cleared */
};

/* svg_end() releases; if memory ran out it makes `out` fail. */
void svg_begin(struct svg *s, const struct render_input *in, struct out *out);
void svg_end(struct svg *s);

/* Move the text in s->page to the title, or to the next paragraph. */
void svg_take_title(struct svg *s);
void svg_take_paragraph(struct svg *s);

/* Returns the y coordinate below title and paragraphs. */
int64_t svg_head_height(const struct svg *s);

/* Writes the root element, style, title and paragraphs. kind: "flame" or
 * "waterfall". */
void svg_open(struct svg *s, const char *kind, int64_t height);
/* Writes the script and the end. */
void svg_close(struct svg *s);

/* "12.50". */
void svg_number(struct out *out, int64_t value);
/* ' name="12.50"'. */
void svg_attr(struct out *out, const char *name, int64_t value);

/* Writes 0xrrggbb as "#rrggbb". */
void svg_color(struct out *out, uint32_t color);

/* Writes text, escaped, with its baseline at y. class may be NULL. */
void svg_text(struct svg *s, int64_t x, int64_t y, const char *class,
	      struct str text);

/* Draws a colored square and its meaning at *x, *y and advances them, to the
 * next line if there is no room. */
void svg_legend(struct svg *s, int64_t *x, int64_t *y, uint32_t color,
		struct str meaning);

/* Draws the name on a frame with its top left corner at x, y, if some of it
 * fits. */
void svg_flame_label(struct svg *s, struct str name, int64_t x, int64_t y,
		     int64_t width);

/* Draws the legend for the categories drawn (flame_color_bit()), from *y on,
 * which becomes that of the last line. */
void svg_flame_legend(struct svg *s, enum palette palette, uint64_t categories,
		      int64_t *y);

/* Write CSS rules for dark mode, before svg_close(): one for each fill used,
 * and for text on it (class "i" in a waterfall). */
void svg_dark_begin(struct svg *s);
void svg_dark_fill(struct svg *s, uint32_t color);
void svg_dark_end(struct svg *s);
/* All rules for a flame graph. */
void svg_flame_dark(struct svg *s, enum palette palette, uint64_t categories);

/* Adds the area from y on where the script shows details of the frame pointed
 * at. */
void svg_info(struct svg *s, int64_t y);

/* Empties a buffer, remembering its failure. */
void svg_clear(struct svg *s, struct buf *text);

/* Appends the text in s->page to out. */
void svg_take(struct svg *s, struct buf *out);

/* Truncates escaped text to a width; as svg_fit(). */
struct str svg_cut(struct svg *s, struct str text, int64_t width);

/* Returns the longest form of a function name that fits into a width: whole,
 * without its path, or truncated. Empty if fewer than three letters, or six of
 * a truncated one, would fit. In s->shown, valid until the next call. */
struct str svg_fit(struct svg *s, struct str name, int64_t width);

/* Returns the index of a name's color. */
#define SVG_NAME_COLORS 12u
extern const uint32_t svg_name_colors[SVG_NAME_COLORS];
size_t svg_color_place(struct str name);

/* Draws a trace as a waterfall, if there is no flame graph. */
void svg_waterfall(const struct render_input *in, struct out *out);

#endif
