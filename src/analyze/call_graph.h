/* SPDX-License-Identifier: Apache-2.0
 *
 * Who calls whom in a profile, added up as pprof does: a stack counts once
 * for each function and each pair of caller and callee in it, and recursion
 * of a function into itself is no call. Linear in the frames of the stacks.
 */
#ifndef ANALYZE_CALL_GRAPH_H
#define ANALYZE_CALL_GRAPH_H

#include "base/regex.h"
#include "model/call_graph.h"
#include "model/profile.h"

struct call_graph_want {
	struct regex *symbol; /* only functions of such a name, or NULL */
	bool is_by_cum;       /* order */
};

/* g is an initialised arena and otherwise empty; it borrows from p. count is 0
 * when no name matches. */
bool call_graph_build(struct call_graph *g, const struct profile *p,
		      const struct call_graph_want *want,
		      struct error *err) MUST_CHECK;

/* The lines of the functions whose name matches, with their values. Text and
 * reasons are left to the caller. */
bool listings_build(struct listings *l, const struct profile *p,
		    struct regex *symbol, struct error *err) MUST_CHECK;

#endif
