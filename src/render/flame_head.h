/* SPDX-License-Identifier: Apache-2.0
 *
 * What the head of a flame graph says, for all drawings: of what it is, of
 * when, how much lies behind it, how to read it, what is not drawn.
 */
#ifndef RENDER_FLAME_HEAD_H
#define RENDER_FLAME_HEAD_H

#include "render/page.h"

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

/* Whether a function is marked. */
bool flame_has_blamed(const struct flame *f);

/* The same of the colours: what they go by, and what else is marked. */
void flame_head_colors(struct page *p, const struct flame *f,
		       enum palette palette);

#endif
