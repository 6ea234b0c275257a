/* SPDX-License-Identifier: Apache-2.0
 *
 * What a frame of a flame graph says in words and numbers, for all drawings.
 */
#ifndef RENDER_FLAME_H
#define RENDER_FLAME_H

#include "base/buf.h"
#include "base/out.h"
#include "model/flame.h"
#include "render/input.h"
#include "render/page.h"
#include "render/units.h"

/* A flame graph with the unit in which tables tell of its functions: what is
 * compared is said in that one only. */
struct flame_words {
	const struct flame *f;
	struct scale scale;
};

void flame_words_init(struct flame_words *w, const struct flame *f,
		      const struct result *r);

/* A value of a side as a part of all that was there, 0 when nothing was. */
double flame_share(const struct flame *f, enum flame_side side, double value);

/* Writes what the node's function took on all paths, in the words of tables: "total
 * 1,200 ms per second, baseline 20 ms, change +1,180 ms (the function to blame)";
 * without a baseline "total 57.1 %, 200 ms". */
void flame_function_write(struct out *out, const struct flame_words *w,
			  const struct flame_node *n);

/* The same of the measure that tables have beside it: "self+lib 1,200 ms ...". */
void flame_measure_write(struct out *out, const struct flame_words *w,
			 const struct flame_node *n);

/* That measure, and its values. */
const char *flame_measure(const struct flame_words *w);
const int64_t *flame_measured(const struct flame_words *w,
			      const struct flame_function *fn);

/* Writes what the node itself took: "this path 1,100 ms per second, before 20 ms,
 * change +1,080 ms: grew; 48.9 % of the profile"; without a baseline "this path
 * 57.1 %, 200 ms, 20 samples; self here 2.0 %, ..."; of the root "total ...". label:
 * what to call it instead; NULL. */
void flame_path_write(struct out *out, const struct flame_words *w,
		      const struct flame_node *n, const char *label);

/* Writes the rest of a comparison: "self here 1,200 ms, baseline 20 ms; samples 120,
 * baseline 2": of the node, no sum over its function, unless label says so. */
void flame_self_write(struct out *out, const struct flame_words *w,
		      const struct flame_node *n, const char *label);

/* Returns whether a function changed by itself, as the table has it, which folds
 * mere callers: no drawing hides its frames in others. is_caller: of the rows
 * kept, as table_callers() says. */
bool flame_has_verdict(const struct result *r, const struct flame_function *fn,
		       const bool *is_caller);

/* The text in a frame of a flame graph made of character cells. */

/* The mark of a frame without colour: '+' grew or is new, '-' shrank or is
 * gone, '!' the function to blame. At most two, NUL behind them. */
#define FLAME_MARK_BYTES 3
void flame_mark(const struct flame *f, enum flame_side side, uint32_t node,
		char out[FLAME_MARK_BYTES]);

/* Room for labels; flame_labeler_release() says whether memory sufficed. */
struct flame_labeler {
	struct flame_words words;
	bool use_unicode;
	struct buf name; /* escaped */
	struct buf text;
	bool has_whole; /* a label told of a function's other paths */
	bool has_failed;
};

void flame_labeler_init(struct flame_labeler *l, const struct flame *f,
			const struct result *r, bool use_unicode);
bool flame_labeler_release(struct flame_labeler *l);
/* Returns whether it did until now. */
bool flame_labeler_is_good(const struct flame_labeler *l);

/* Marks, name, value, change and the function's value in all where it has other
 * paths, of two sides in the unit of tables, else shares; as much as fits into
 * so many columns: the name whole, without its front or cut. Empty where
 * nothing fits. Escaped; lives until the next call. */
struct str flame_label(struct flame_labeler *l, enum flame_side side,
		       uint32_t node, size_t columns);

/* The parts of the head of a flame graph, for all drawings: what it is of, of
 * when, how much lies behind it, how to read it, what is not drawn. */

enum flame_head_part {
	FLAME_HEAD_TITLE = 0,
	FLAME_HEAD_AFTER,  /* the profile drawn */
	FLAME_HEAD_BEFORE, /* nothing without a baseline */
	FLAME_HEAD_HOW,    /* what widths are of, and how sides compare */
	FLAME_HEAD_NEGATIVE,
	FLAME_HEAD_CUT,
	FLAME_HEAD_PARTS,
};

/* Adds the part to the paragraph that p puts together; often nothing. */
void flame_head_write(struct page *p, enum flame_head_part part,
		      const struct flame *f, const struct result *r);

/* How the sides of a comparison stand beside each other; nothing of one. */
void flame_head_compared(struct page *p, const struct flame *f);

/* Returns whether a function is marked. */
bool flame_has_blamed(const struct flame *f);

/* The same of the colours: what they go by, and what else is marked. */
void flame_head_colors(struct page *p, const struct flame *f,
		       enum palette palette);

/* Where the frames of a flame graph of two profiles lie when both are drawn in
 * one: a stack is as wide as the larger of its sides, so that what is gone
 * stands where it was. Knows values and parts of the whole width, neither
 * pixels nor columns. */

struct flame_union {
	double *widths; /* by node, parts (0..1) of that of the root */
	double *starts; /* a neighbour begins at just start + width */
};

/* The own value of each stack counts with its larger side, the baseline's as it
 * compares with the slow one's; a frame is the sum of those in and beneath it.
 * False when memory ran out; flame_union_release() in any case. */
bool flame_union_init(struct flame_union *u, const struct flame *f) MUST_CHECK;
/* The same of one side alone. */
bool flame_union_init_side(struct flame_union *u, const struct flame *f,
			   enum flame_side side) MUST_CHECK;
void flame_union_release(struct flame_union *u);

/* A flame graph in rows of character cells: which frames lie in which columns.
 * Of a terminal or of a text; draws nothing itself. */

/* The part of a flame graph that is looked at. */
struct flame_view {
	const struct flame *f;
	const struct flame_union *places;
	uint32_t node;      /* fills the width, its callers too */
	uint32_t columns;   /* 1 and more */
	double min_columns; /* narrower frames are left out, by half a column
			       in any case */
	uint32_t top;       /* depth of the first row */
	uint32_t rows;      /* at most */
};

/* A frame; or several siblings that are too narrow, from `node` on, which
 * together fill columns. */
struct flame_bar {
	uint32_t node;
	uint32_t count; /* 1: a frame */
	uint32_t depth;
	uint32_t column;
	uint32_t columns; /* never 0 */
};

struct flame_grid {
	struct flame_bar *bars; /* by row, from left to right */
	size_t bar_count;
	size_t *row_starts; /* row_count + 1 of them; [i] is of depth top + i */
	uint32_t row_count; /* up to the deepest that has a frame */
	/* Deeper ones, and what reaches the first of them, as a part of the
	 * node looked at. */
	uint32_t hidden_rows;
	double hidden_part;
};

/* Returns whether a frame is wide enough to be drawn, in whatever row. */
bool flame_view_shows(const struct flame_view *v, uint32_t node);

/* False when memory ran out; flame_grid_release() in any case. */
bool flame_grid_init(struct flame_grid *g,
		     const struct flame_view *view) MUST_CHECK;
void flame_grid_release(struct flame_grid *g);

/* The colours of flame graphs and what they mean, for all drawings. */

/* The one that is drawn where `wanted` was asked for: never PALETTE_AUTO,
 * PALETTE_DIFF only with a baseline. */
enum palette flame_palette(const struct flame *f, enum palette wanted);

/* Returns what it goes by, after "colour by": "change". Static. */
const char *flame_palette_words(enum palette palette);

/* 0xrrggbb of a function as a whole, in drawings that have it once. */
uint32_t flame_function_color(const struct flame *f, enum palette palette,
			      uint32_t function);

/* 0xrrggbb of a node. */
uint32_t flame_color(const struct flame *f, enum palette palette,
		     uint32_t node);

/* The steps of changes, for drawings that work colours out themselves. */
#define FLAME_STEPS 4
struct flame_change_colors {
	uint32_t none;
	uint32_t noise;
	uint32_t fresh; /* of what is new, where it is told apart */
	uint32_t up[FLAME_STEPS]; /* the last one else also of what is new */
	uint32_t down[FLAME_STEPS];
	double from[FLAME_STEPS]; /* the part of a frame that changed */
};
extern const struct flame_change_colors flame_change_colors;

/* Returns what the colour of a node means by kind or language, as a bit; 0 in
 * the other palettes and for the root. */
uint64_t flame_color_bit(const struct flame *f, enum palette palette,
			 uint32_t node);

/* The same of a function that is no root. */
uint64_t flame_function_bit(const struct flame *f, enum palette palette,
			    uint32_t function);

struct flame_meaning {
	uint32_t color;
	const char *text;
};

/* The next line of a legend from *at on, which is 0 first; drawn: the bits of
 * all nodes drawn. False when there is no more. */
bool flame_meaning_next(enum palette palette, uint64_t drawn, size_t *at,
			struct flame_meaning *m);

#endif
