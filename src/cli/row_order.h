/* SPDX-License-Identifier: Apache-2.0
 *
 * --sort: which measure ranks the functions, and orders that are no measure
 * ("before", "function"): those are of what is shown, so the rows are ranked
 * as ever, all of them kept, and put in order when the verdict is made.
 */
#ifndef CLI_ROW_ORDER_H
#define CLI_ROW_ORDER_H

#include "cli/options.h"
#include "model/result.h"
#include "report/rows_order.h"

/* The order that is no measure, where --sort asks for one. */
enum rows_order row_order_shown(const struct options *o);

/* Whether the ranking may put first what explains most: no measure was asked
 * for. */
bool row_order_is_free(const struct options *o);

/* The measure that --sort asks for. */
enum rank_by row_order_measure(const struct options *o, enum rank_by fallback);

/* What --normalize asks for; by request when it is not given. */
enum normalize row_order_normalize(const struct options *o);

/* Rows that ranking has to keep; 0: all. */
size_t row_order_limit(const struct options *o);

#endif
