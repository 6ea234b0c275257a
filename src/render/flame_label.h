/* SPDX-License-Identifier: Apache-2.0
 *
 * The text in a frame of a flame graph made of character cells.
 */
#ifndef RENDER_FLAME_LABEL_H
#define RENDER_FLAME_LABEL_H

#include "base/buf.h"
#include "model/flame.h"
#include "render/flame_text.h"

/* What a frame says without colour: '+' grew or is new, '-' shrank or is gone,
 * '!' the function to blame. At most two, NUL behind them. */
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
/* Whether it did until now. */
bool flame_labeler_is_good(const struct flame_labeler *l);

/* Marks, name, value, change and the function's value in all where it has other
 * paths, of two sides in the unit of tables, else shares; as much as fits into
 * so many columns: the name whole, without its front or cut. Empty where
 * nothing fits. Escaped; lives until the next call. */
struct str flame_label(struct flame_labeler *l, enum flame_side side,
		       uint32_t node, size_t columns);

#endif
