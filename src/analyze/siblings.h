/* SPDX-License-Identifier: Apache-2.0
 *
 * Spans of one parent that do the same thing, whoever does it for them:
 * attempts at one call, branches of a fan-out, turns of a loop.
 */
#ifndef ANALYZE_SIBLINGS_H
#define ANALYZE_SIBLINGS_H

#include "analyze/calls.h"
#include "analyze/trace_analysis.h"

struct sibling_group {
	uint32_t parent;
	uint32_t leaf;         /* the first member's call, itself or inside it;
				  SPAN_NONE when it makes none */
	uint32_t member_first; /* into siblings.members */
	uint32_t count;        /* at least 2 */
};

struct siblings {
	struct sibling_group *groups; /* by parent, in a fixed order */
	uint32_t count;
	uint32_t *members; /* by start */
};

/* Groups all spans their parents waited for. *out lives in the arena. */
bool siblings_find(const struct calls *c, const struct trace_times *times,
		   struct arena *arena, struct siblings *out,
		   struct error *err) MUST_CHECK;

#endif
