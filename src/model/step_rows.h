/* SPDX-License-Identifier: Apache-2.0
 *
 * What was measured in equal steps of a window, a row for each value of an
 * attribute (a version).
 */
#ifndef MODEL_STEP_ROWS_H
#define MODEL_STEP_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* Equal steps from from_ms on. */
struct steps {
	int64_t from_ms;
	int64_t step_ms; /* above 0 */
	size_t count;
};

struct step_row {
	struct str name; /* empty: without the attribute */
	double *values;  /* of each step; 0 where there is none */
};

struct step_rows {
	struct step_row *items; /* in the server's order */
	size_t count;           /* at most LIMIT_NAMES */
};

#endif
