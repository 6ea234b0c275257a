/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/surface.h"

#include "base/escape.h"
#include "base/num.h"

static void put_blanks(const struct surface *s, uint32_t row, uint32_t column,
		       size_t count, const struct look *look)
{
	static const struct str blanks = { "                                ",
					   32 };

	while (count) {
		size_t part = min_size(count, blanks.len);

		s->put(s->context, row, column, str_slice(blanks, 0, part),
		       look);
		column += (uint32_t)part;
		count -= part;
	}
}

void surface_text(const struct surface *s, uint32_t row, uint32_t column,
		  uint32_t columns, struct str text, const struct look *look)
{
	size_t used;

	if (row >= s->rows || column >= s->columns)
		return;
	columns = (uint32_t)min_size(columns, s->columns - column);
	text = str_slice(text, 0, text_fit(text, columns));
	used = text_width(text);
	if (text.len)
		s->put(s->context, row, column, text, look);
	put_blanks(s, row, column + (uint32_t)used, columns - used, look);
}
