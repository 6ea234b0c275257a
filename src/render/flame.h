/* SPDX-License-Identifier: Apache-2.0
 *
 * Labels, layout and colors of flame graph frames, shared by all renderers.
 */
#ifndef RENDER_FLAME_H
#define RENDER_FLAME_H

#include "base/buf.h"
#include "base/out.h"
#include "model/flame.h"
#include "render/input.h"
#include "render/page.h"
#include "render/units.h"

/* A flame graph with the unit that tables use for its functions. The same unit
 * is used for every comparison. */
struct flame_words {
	const struct flame *f;
	struct scale scale;
};

void flame_words_init(struct flame_words *w, const struct flame *f,
		      const struct result *r);

/* Returns a value of a side relative to its total, 0 if that is 0. */
double flame_share(const struct flame *f, enum flame_side side, double value);

/* Writes the value of the node's function over all paths, worded as in tables:
 * "total 1,200 ms per second, baseline 20 ms, change +1,180 ms (the function to
 * blame)"; without a baseline "total 57.1 %, 200 ms". */
void flame_function_write(struct out *out, const struct flame_words *w,
			  const struct flame_node *n);

/* Same for the second measure of the tables: "self+lib 1,200 ms ...". */
void flame_measure_write(struct out *out, const struct flame_words *w,
			 const struct flame_node *n);

/* Return the name of that measure, and its values. */
const char *flame_measure(const struct flame_words *w);
const int64_t *flame_measured(const struct flame_words *w,
			      const struct flame_function *fn);

/* Writes the value of the node itself: "this path 1,100 ms per second, before
 * 20 ms, change +1,080 ms: grew; 48.9 % of the profile"; without a baseline
 * "this path 57.1 %, 200 ms, 20 samples; self here 2.0 %, ..."; for the root
 * "total ...". label replaces the first words; may be NULL. */
void flame_path_write(struct out *out, const struct flame_words *w,
		      const struct flame_node *n, const char *label);

/* Writes the remaining values of a comparison: "self here 1,200 ms, baseline 20
 * ms; samples 120, baseline 2": of the node, not summed over its function,
 * unless label says so. */
void flame_self_write(struct out *out, const struct flame_words *w,
		      const struct flame_node *n, const char *label);

/* Returns whether a function changed significantly and is not folded in the
 * table as a caller that only passes a change on; renderers must not merge its
 * frames into others. is_caller: for the rows kept, from table_callers(). */
bool flame_has_verdict(const struct result *r, const struct flame_function *fn,
		       const bool *is_caller);

/* Labels of frames in character cells. */

/* Writes the marks that replace color: '+' grew or is new, '-' shrank or is
 * gone, '!' the function to blame. At most two, NUL-terminated. */
#define FLAME_MARK_BYTES 3
void flame_mark(const struct flame *f, enum flame_side side, uint32_t node,
		char out[FLAME_MARK_BYTES]);

/* Buffers for labels; flame_labeler_release() reports whether memory
 * sufficed. */
struct flame_labeler {
	struct flame_words words;
	bool use_unicode;
	struct buf name; /* escaped */
	struct buf text;
	/* A label showed the value of a function's other paths. */
	bool has_whole;
	bool has_failed;
};

void flame_labeler_init(struct flame_labeler *l, const struct flame *f,
			const struct result *r, bool use_unicode);
bool flame_labeler_release(struct flame_labeler *l);
/* Returns whether memory has sufficed so far. */
bool flame_labeler_is_good(const struct flame_labeler *l);

/* Returns marks, name, value, change, and the function's total if it has other
 * paths, for comparisons in the unit of tables, else as shares; as much as fits
 * into `columns`: the name is shown whole, without its prefix, or truncated.
 * Empty if nothing fits. Escaped; valid until the next call. */
struct str flame_label(struct flame_labeler *l, enum flame_side side,
		       uint32_t node, size_t columns);

/* The paragraphs above a flame graph: its profile, time range, amount of data,
 * how to read it, and what is omitted. */

enum flame_head_part {
	FLAME_HEAD_TITLE = 0,
	FLAME_HEAD_AFTER,  /* the profile drawn */
	FLAME_HEAD_BEFORE, /* empty without a baseline */
	FLAME_HEAD_HOW,    /* what widths mean and how sides are compared */
	FLAME_HEAD_NEGATIVE,
	FLAME_HEAD_CUT,
	FLAME_HEAD_PARTS,
};

/* Appends this part to the paragraph under construction; may append nothing. */
void flame_head_write(struct page *p, enum flame_head_part part,
		      const struct flame *f, const struct result *r);

/* Appends how the sides of a comparison are scaled; nothing without a
 * baseline. */
void flame_head_compared(struct page *p, const struct flame *f);

/* Returns whether a function is marked as the one to blame. */
bool flame_has_blamed(const struct flame *f);

/* Appends what the colors mean, and other marks. */
void flame_head_colors(struct page *p, const struct flame *f,
		       enum palette palette);

/* Layout of a flame graph that shows two profiles at once: a stack has the
 * width of its larger side, so that removed frames keep their place. In
 * fractions of the total width, not in pixels or columns. */

struct flame_union {
	double *widths; /* by node, fraction (0..1) of the root's */
	double *starts; /* the next sibling starts exactly at start + width */
};

/* The self value of a node is the larger of both sides (the baseline scaled for
 * comparison); a frame's width is the sum of its own and its descendants'.
 * Returns false when out of memory; call flame_union_release() in any case. */
bool flame_union_init(struct flame_union *u, const struct flame *f) MUST_CHECK;
/* Same for one side only. */
bool flame_union_init_side(struct flame_union *u, const struct flame *f,
			   enum flame_side side) MUST_CHECK;
void flame_union_release(struct flame_union *u);

/* Layout of a flame graph in rows of character cells, for terminals and text.
 * Does not draw. */

/* The visible part of a flame graph. */
struct flame_view {
	const struct flame *f;
	const struct flame_union *places;
	uint32_t node;    /* zoomed in: it and its callers fill the width */
	uint32_t columns; /* at least 1 */
	/* Narrower frames are left out; effectively at least 0.5. */
	double min_columns;
	uint32_t top;  /* depth of the first row */
	uint32_t rows; /* maximum number */
};

/* A frame; or consecutive siblings, from `node` on, that are too narrow
 * individually. */
struct flame_bar {
	uint32_t node;
	uint32_t count; /* 1: a single frame */
	uint32_t depth;
	uint32_t column;
	uint32_t columns; /* at least 1 */
};

struct flame_grid {
	struct flame_bar *bars; /* by row, from left to right */
	size_t bar_count;
	size_t *row_starts; /* row_count + 1 entries; [i] is depth top + i */
	uint32_t row_count; /* up to the deepest row with a frame */
	/* Rows below the view, and the share of the zoomed node that reaches
	 * them. */
	uint32_t hidden_rows;
	double hidden_part;
};

/* Returns whether a frame is wide enough to be drawn, in whichever row. */
bool flame_view_shows(const struct flame_view *v, uint32_t node);

/* Returns false when out of memory; call flame_grid_release() in any case. */
bool flame_grid_init(struct flame_grid *g,
		     const struct flame_view *view) MUST_CHECK;
void flame_grid_release(struct flame_grid *g);

/* Colors of flame graphs and their legend, shared by all renderers. */

/* Returns the palette to use for the one requested: never PALETTE_AUTO,
 * PALETTE_DIFF only with a baseline. */
enum palette flame_palette(const struct flame *f, enum palette wanted);

/* Returns the palette's name after "colour by": "change". Static. */
const char *flame_palette_words(enum palette palette);

/* Returns the color 0xrrggbb of a function, for drawings that show it once. */
uint32_t flame_function_color(const struct flame *f, enum palette palette,
			      uint32_t function);

/* Returns the color 0xrrggbb of a node. */
uint32_t flame_color(const struct flame *f, enum palette palette,
		     uint32_t node);

/* The color scale of changes, for renderers that compute colors themselves. */
#define FLAME_STEPS 4
struct flame_change_colors {
	uint32_t none;
	uint32_t noise;
	uint32_t fresh;           /* new, if it has a color of its own */
	uint32_t up[FLAME_STEPS]; /* the last is otherwise also for new */
	uint32_t down[FLAME_STEPS];
	double from[FLAME_STEPS]; /* lower bounds, as a fraction of the frame */
};
extern const struct flame_change_colors flame_change_colors;

/* Returns a bit for the kind or language that the color of a node means; 0 in
 * other palettes and for the root. */
uint64_t flame_color_bit(const struct flame *f, enum palette palette,
			 uint32_t node);

/* Same for a function other than the root. */
uint64_t flame_function_bit(const struct flame *f, enum palette palette,
			    uint32_t function);

struct flame_meaning {
	uint32_t color;
	const char *text;
};

/* Iterates over the legend; *at starts as 0. drawn: the bits of all nodes
 * drawn. Returns false after the last line. */
bool flame_meaning_next(enum palette palette, uint64_t drawn, size_t *at,
			struct flame_meaning *m);

#endif
