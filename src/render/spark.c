/* SPDX-License-Identifier: Apache-2.0 */
#include "render/spark.h"

#include <math.h>

#include "base/num.h"

#define LEVELS 8

static const char *const blocks[LEVELS + 1] = { " ", "▁", "▂", "▃", "▄",
						"▅", "▆", "▇", "█" };
static const char *const plain[LEVELS + 1] = { " ", ".", ":", "-", "=",
					       "+", "*", "#", "@" };

static double cell_value(const double *values, size_t count, size_t cell,
			 size_t cells)
{
	size_t from = count * cell / cells, to = count * (cell + 1) / cells;
	double sum = 0;

	for (size_t i = from; i < to; i++)
		sum += values[i];
	return sum / (double)(to - from);
}

void spark_write(struct page *p, enum paint paint, const double *values,
		 size_t count, size_t cells)
{
	const char *const *marks = p->style.use_unicode ? blocks : plain;
	size_t used = min_size(count, cells);
	double top = 0;

	for (size_t i = 0; i < used; i++)
		top = fmax(top, cell_value(values, count, i, used));
	for (size_t i = 0; i < used; i++) {
		double value = cell_value(values, count, i, used);
		int level = top > 0 ? (int)ceil(value / top * LEVELS) : 0;

		page_paint(p, paint, marks[level > LEVELS ? LEVELS : level]);
	}
	page_repeat(p, PAINT_NONE, " ", cells - used);
}
