/* SPDX-License-Identifier: Apache-2.0
 *
 * What a frame of a flame graph says in words and numbers, for all drawings.
 */
#ifndef RENDER_FLAME_TEXT_H
#define RENDER_FLAME_TEXT_H

#include "base/out.h"
#include "model/flame.h"

/* A value of a side as a part of all that was there, 0 when nothing was. */
double flame_share(const struct flame *f, enum flame_side side, double value);

/* "65.0 %, 1.19 s, 119 samples". */
void flame_value_write(struct out *out, const struct flame *f,
		       enum flame_side side, int64_t value);

/* The same of a node's stacks, named: "this path 65.0 %, 1.19 s; self 2.0 %,
 * ..."; of the root "total 100.0 %, ...". */
void flame_path_write(struct out *out, const struct flame *f,
		      const struct flame_node *n, enum flame_side side);

/* What the node's function took on all paths, as tables have it: "whole
 * function after 80.0 %, 1.4 s; before 4.0 %, 400 ms". */
void flame_function_write(struct out *out, const struct flame *f,
			  const struct flame_node *n);

/* What is spent in the node and beneath it more than before, in values of the
 * slow side. */
double flame_moved(const struct flame *f, const struct flame_node *n);

/* What that means: "new", "grew", "may be noise". */
const char *flame_change_words(const struct flame *f,
			       const struct flame_node *n);

/* "+61.5 points: grew (the function to blame)". */
void flame_change_write(struct out *out, const struct flame *f,
			const struct flame_node *n);

/* A name without what stands in front of its last parts: the path of a Go
 * package, the packages of a class of the JVM. */
struct str flame_name_end(struct str name);

/* The longest end of a name that is a name by itself and fits into so many
 * columns: "runtime.mallocgc", else "mallocgc". The shortest one, too wide,
 * where none does. */
struct str flame_name_fit(struct str name, size_t columns);

#endif
