/* SPDX-License-Identifier: Apache-2.0
 *
 * A row of small bars: how a value went over time.
 */
#ifndef RENDER_SPARK_H
#define RENDER_SPARK_H

#include "render/page.h"

/* Values of equal steps, none below 0, as `cells` columns. Several steps that
 * fall into a cell are averaged; fewer steps than cells leave blanks behind
 * them. The tallest bar is the largest cell; what is 0 stays blank, and what
 * is more gets at least the lowest bar. */
void spark_write(struct page *p, enum paint paint, const double *values,
		 size_t count, size_t cells);

#endif
