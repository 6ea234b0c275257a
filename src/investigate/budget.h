/* SPDX-License-Identifier: Apache-2.0
 *
 * How finely profiles are asked for, so that a run keeps to
 * LIMIT_ORDINARY_REQUESTS whatever the service offers. Nothing here asks.
 */
#ifndef INVESTIGATE_BUDGET_H
#define INVESTIGATE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

/* Parts of a side. Four a side leave six degrees of freedom for the noise, at
 * eight requests a type; more parts would make each too thin. */
#define COMPARISON_PARTS 4

/* A round of profiles and what may follow it, in requests. */
struct budget_want {
	size_t left;       /* that the run may still send */
	size_t fixed;      /* of this round, asked for in any case */
	size_t sides;      /* of the comparison in parts: 1 or 2 */
	size_t later;      /* of the next round, should it come to that */
	bool has_request;  /* the profile of this very request is wanted */
	bool has_coverage; /* when the service was there is */
};

struct budget_plan {
	size_t parts; /* a side: at least 1, at most COMPARISON_PARTS */
	bool has_request;
	bool has_coverage;
};

/* What fits. First the one request goes, which those like it outweigh, then
 * parts, then what most windows do without. */
struct budget_plan budget_plan(const struct budget_want *want);

/* Parts a side of a last comparison: at most COMPARISON_PARTS, 1 when no two
 * of them fit. */
size_t budget_parts(size_t left, size_t sides);

#endif
