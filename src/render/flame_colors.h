/* SPDX-License-Identifier: Apache-2.0
 *
 * The colours of flame graphs and what they mean, for all drawings.
 */
#ifndef RENDER_FLAME_COLORS_H
#define RENDER_FLAME_COLORS_H

#include "model/flame.h"
#include "render/input.h"

/* The one that is drawn where `wanted` was asked for: never PALETTE_AUTO,
 * PALETTE_DIFF only with a baseline. */
enum palette flame_palette(const struct flame *f, enum palette wanted);

/* What it goes by, after "colour by": "change". Static. */
const char *flame_palette_words(enum palette palette);

/* 0xrrggbb of a function as a whole, in drawings that have it once. */
uint32_t flame_function_color(const struct flame *f, enum palette palette,
			      uint32_t function);

/* 0xrrggbb of a node. */
uint32_t flame_color(const struct flame *f, enum palette palette,
		     uint32_t node);

/* Of changes, for drawings that work colours out themselves. */
#define FLAME_STEPS 4
struct flame_change_colors {
	uint32_t none;
	uint32_t noise;
	uint32_t up[FLAME_STEPS]; /* the last one also of what is new */
	uint32_t down[FLAME_STEPS];
	double from[FLAME_STEPS]; /* the part of a frame that changed */
};
extern const struct flame_change_colors flame_change_colors;

/* What the colour of a node tells by kind or language, as a bit; 0 in the
 * other palettes and for the root. */
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
