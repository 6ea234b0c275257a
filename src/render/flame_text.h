/* SPDX-License-Identifier: Apache-2.0
 *
 * What a frame of a flame graph says in words and numbers, for all drawings.
 */
#ifndef RENDER_FLAME_TEXT_H
#define RENDER_FLAME_TEXT_H

#include "base/out.h"
#include "model/flame.h"
#include "render/scale.h"

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

/* What the node's function took on all paths, as tables have it: "whole
 * function 1,200 ms per second, before 20 ms, change +1,180 ms (the function
 * to blame)"; without a baseline "whole function 57.1 %, 200 ms". */
void flame_function_write(struct out *out, const struct flame_words *w,
			  const struct flame_node *n);

/* Values of both sides: "1,200 ms per second, before 20 ms, change +1,180 ms";
 * of one profile "57.1 %, 200 ms". */
void flame_sides_write(struct out *out, const struct flame_words *w,
		       const int64_t values[FLAME_SIDES]);

/* What the node itself took: "this path 1,100 ms per second, before 20 ms,
 * change +1,080 ms: grew; 48.9 % of the profile"; without a baseline "this path
 * 57.1 %, 200 ms, 20 samples; self 2.0 %, ..."; of the root "total ...". label:
 * what to call it instead; NULL. */
void flame_path_write(struct out *out, const struct flame_words *w,
		      const struct flame_node *n, const char *label);

/* What is left of a comparison: "self 1,200 ms, before 20 ms; samples 120,
 * before 2". */
void flame_self_write(struct out *out, const struct flame_words *w,
		      const struct flame_node *n);

/* What is spent in the node and beneath it more than before, in values of the
 * slow side. */
double flame_moved(const struct flame *f, const struct flame_node *n);

/* A name without what stands in front of its last parts: the path of a Go
 * package, the packages of a class of the JVM. */
struct str flame_name_end(struct str name);

/* The longest end of a name that is a name by itself and fits into so many
 * columns: "runtime.mallocgc", else "mallocgc". The shortest one, too wide,
 * where none does. */
struct str flame_name_fit(struct str name, size_t columns);

#endif
