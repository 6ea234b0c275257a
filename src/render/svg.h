/* SPDX-License-Identifier: Apache-2.0
 *
 * What the pictures of flame graphs and waterfalls share: numbers without a
 * locale, text that fits, the head with its paragraphs, script and style. One
 * file that refers to nothing outside. Foreign text passes escape_xml().
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
/* A letter of the fonts asked for, of 12 px: monospaced, 0.6 of the size. */
#define SVG_LETTER_CPX 722
#define SVG_LINE_PX 16

/* Paragraphs of the head; more are left out. */
#define SVG_PARAGRAPHS 6

/* flame_names.js, svg.js and svg_use.js; svg.css. */
extern const char svg_script[];
extern const char svg_style[];

struct svg {
	struct out *out;
	const struct render_input *in;
	int64_t width; /* of the picture */
	bool is_fluid; /* the script fits it to the window */
	struct page page;
	struct buf text; /* what the page wrote */
	struct out memory;
	struct buf shown; /* a text as it is displayed */
	struct buf cut;   /* so, without its middle */
	struct buf title;
	struct buf paragraphs[SVG_PARAGRAPHS];
	size_t paragraph_count;
	bool has_failed; /* a buffer that was cleared since */
};

/* svg_end() releases; when memory ran out it makes `out` fail. */
void svg_begin(struct svg *s, const struct render_input *in, struct out *out);
void svg_end(struct svg *s);

/* The text in s->page becomes the title, or the next paragraph. */
void svg_take_title(struct svg *s);
void svg_take_paragraph(struct svg *s);

/* Where the picture begins, below the head. */
int64_t svg_head_height(const struct svg *s);

/* The root element, style, title and head. kind: "flame" or "waterfall". */
void svg_open(struct svg *s, const char *kind, int64_t height);
/* The script and the end. */
void svg_close(struct svg *s);

/* "12.50". */
void svg_number(struct out *out, int64_t value);
/* ' name="12.50"'. */
void svg_attr(struct out *out, const char *name, int64_t value);

/* "#rrggbb" of 0xrrggbb. */
void svg_color(struct out *out, uint32_t color);

/* Text of ours or of others', escaped; a baseline at y. class may be NULL. */
void svg_text(struct svg *s, int64_t x, int64_t y, const char *class,
	      struct str text);

/* A coloured square and its meaning, at *x, which moves on; to the next line
 * where there is no room. */
void svg_legend(struct svg *s, int64_t *x, int64_t *y, uint32_t color,
		struct str meaning);

/* The name on a frame whose top left is at x, y, when some of it fits. */
void svg_flame_label(struct svg *s, struct str name, int64_t x, int64_t y,
		     int64_t width);

/* Draws the legend of the kinds that are drawn (flame_color_bit()), from *y on,
 * which becomes the last line's. */
void svg_flame_legend(struct svg *s, enum palette palette, uint64_t categories,
		      int64_t *y);

/* A rule for each fill that is drawn, before svg_close(): what it and texts on
 * it (of class "i" in a waterfall) are in dark surroundings. */
void svg_dark_begin(struct svg *s);
void svg_dark_fill(struct svg *s, uint32_t color);
void svg_dark_end(struct svg *s);
/* All of those of a flame graph. */
void svg_flame_dark(struct svg *s, enum palette palette, uint64_t categories);

/* Where the script writes about what is pointed at, from y on. */
void svg_info(struct svg *s, int64_t y);

/* Empties it; a failure is remembered. */
void svg_clear(struct svg *s, struct buf *text);

/* Moves the text in s->page to the end of out. */
void svg_take(struct svg *s, struct buf *out);

/* Text that is escaped already, cut to a width; as svg_fit(). */
struct str svg_cut(struct svg *s, struct str text, int64_t width);

/* The longest form of a function's name that fits into a width: whole, without
 * the path in front, or cut. Empty when not even three letters do, or six of one
 * that is cut. Lives in s->shown until the next call. */
struct str svg_fit(struct svg *s, struct str name, int64_t width);

/* The place of a name among SVG_NAME_COLORS colours that are told apart. */
#define SVG_NAME_COLORS 12u
extern const uint32_t svg_name_colors[SVG_NAME_COLORS];
size_t svg_color_place(struct str name);

/* The picture of a trace, where there is no flame graph. */
void svg_waterfall(const struct render_input *in, struct out *out);

#endif
