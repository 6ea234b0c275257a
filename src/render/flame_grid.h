/* SPDX-License-Identifier: Apache-2.0
 *
 * A flame graph in rows of character cells: which frames lie in which columns.
 * Of a terminal or of a text; draws nothing itself.
 */
#ifndef RENDER_FLAME_GRID_H
#define RENDER_FLAME_GRID_H

#include "render/flame_union.h"

/* What is looked at. */
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

/* Whether a frame is wide enough to be drawn, in whatever row. */
bool flame_view_shows(const struct flame_view *v, uint32_t node);

/* False when memory ran out; flame_grid_release() in any case. */
bool flame_grid_init(struct flame_grid *g,
		     const struct flame_view *view) MUST_CHECK;
void flame_grid_release(struct flame_grid *g);

#endif
