/* SPDX-License-Identifier: Apache-2.0
 *
 * What the explorer draws on: a screen of cells, whatever shows them. Knows no
 * terminal, so that tests read what was drawn.
 */
#ifndef TUI_SURFACE_H
#define TUI_SURFACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* How a text looks. All zero: as the terminal writes. */
struct look {
	bool is_filled; /* on `fill`, else on the terminal's own ground */
	uint32_t fill;  /* 0xrrggbb */
	bool is_light;  /* the text on the fill is white, not black */
	bool is_bold;
	bool is_dim;
	bool is_reverse;
};

struct surface {
	uint32_t rows;
	uint32_t columns;
	bool has_color; /* else fills are not seen */
	bool use_unicode;
	/* Text that is escaped and within the screen. */
	void (*put)(void *context, uint32_t row, uint32_t column,
		    struct str text, const struct look *look);
	void *context;
};

/* Writes at most `columns` of an escaped text, blanks behind it up to there;
 * nothing outside of the screen. */
void surface_text(const struct surface *s, uint32_t row, uint32_t column,
		  uint32_t columns, struct str text, const struct look *look);

#endif
