/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/row_order.h"

#include <string.h>

static bool sort_is(const struct options *o, const char *word)
{
	return o->sort && !strcmp(o->sort, word);
}

enum rows_order row_order_shown(const struct options *o)
{
	if (sort_is(o, "function") || sort_is(o, "name"))
		return ROWS_BY_NAME;
	return sort_is(o, "before") ? ROWS_BY_BEFORE : ROWS_AS_RANKED;
}

bool row_order_is_free(const struct options *o)
{
	return !o->sort || row_order_shown(o);
}

enum rank_by row_order_measure(const struct options *o, enum rank_by fallback)
{
	if (row_order_is_free(o))
		return fallback;
	if (sort_is(o, "self") || sort_is(o, "flat"))
		return RANK_SELF;
	if (sort_is(o, "total") || sort_is(o, "cum"))
		return RANK_TOTAL;
	if (sort_is(o, "change") || sort_is(o, "delta"))
		return RANK_DELTA;
	return RANK_SELF_LIB;
}

enum normalize row_order_normalize(const struct options *o)
{
	if (!o->normalize)
		return NORMALIZE_REQUEST;
	if (!strcmp(o->normalize, "value"))
		return NORMALIZE_VALUE;
	if (!strcmp(o->normalize, "rate"))
		return NORMALIZE_RATE;
	return strcmp(o->normalize, "share") ? NORMALIZE_REQUEST
					     : NORMALIZE_SHARE;
}

size_t row_order_limit(const struct options *o)
{
	return row_order_shown(o) ? 0 : (size_t)o->limit;
}
