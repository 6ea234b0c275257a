/* SPDX-License-Identifier: Apache-2.0
 *
 * From a trace argument to the guilty span: the half that `slow` and `show`
 * share.
 */
#ifndef CLI_GUILTY_H
#define CLI_GUILTY_H

#include "analyze/trace_analysis.h"
#include "analyze/usual.h"
#include "cli/run.h"

struct guilty {
	struct trace_times times; /* in run.ctx.arena's lifetime */
	struct guilty_pick pick;
};

/* Reads the trace and finds the span; fills the run's result. */
bool guilty_from_trace(struct run *r, struct guilty *g,
		       struct error *err) MUST_CHECK;

/* Chooses once more, now that it is known what is usual, and whose the time
 * between a call and its callee is (guilty_want.has_gap_of_caller). */
bool guilty_again(struct run *r, struct guilty *g, const struct usual *usual,
		  bool has_gap_of_caller, struct error *err) MUST_CHECK;

#endif
