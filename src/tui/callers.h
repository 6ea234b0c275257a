/* SPDX-License-Identifier: Apache-2.0
 *
 * A function between those that call it and those that it calls, with what each
 * of these calls took on both sides.
 */
#ifndef TUI_CALLERS_H
#define TUI_CALLERS_H

#include "model/flame.h"

enum callers_role { CALLERS_CALLER = 0, CALLERS_THIS, CALLERS_CALLEE };

struct callers_row {
	enum callers_role role;
	uint32_t function;
	/* Of the calls between the two, each stack once: callers add up to the
	 * function. Of the function itself all that it took. */
	int64_t values[FLAME_SIDES];
	double larger; /* of both sides, as they compare */
};

struct callers {
	struct callers_row *rows; /* callers, the function, callees; the largest
				     first of each */
	uint32_t count;
	uint32_t place; /* of the function */
};

/* False when memory ran out; callers_release() in any case. Replaces what was
 * there. */
bool callers_build(struct callers *c, const struct flame *f,
		   uint32_t function) MUST_CHECK;
void callers_release(struct callers *c);

#endif
