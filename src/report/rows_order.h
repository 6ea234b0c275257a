/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of functions in an order that is no measure: of what is shown, after the
 * verdict is made. Knows no options.
 */
#ifndef REPORT_ROWS_ORDER_H
#define REPORT_ROWS_ORDER_H

#include "model/result.h"

enum rows_order {
	ROWS_AS_RANKED = 0,
	ROWS_BY_NAME,
	ROWS_BY_BEFORE, /* most in the baseline first */
};

struct rows_order_want {
	enum rows_order order;
	size_t limit;  /* rows; 0: all */
	size_t listed; /* for pages, where that is more */
};

/* Puts the ranked rows, all of which were kept, into this order. What the
 * verdict rests on stays in result->verdict_rows. */
bool rows_order_apply(const struct rows_order_want *want, struct result *r,
		      struct error *err) MUST_CHECK;

#endif
