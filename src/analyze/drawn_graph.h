/* SPDX-License-Identifier: Apache-2.0
 *
 * Chooses what of a call graph is drawn, by the rules of pprof (its
 * internal/report and internal/graph, read for the facts): functions under
 * 0.5 % of the total are left out, then all but the 80 that matter most or
 * branch most, then calls under 0.1 %, and calls over functions left out where
 * another way leads there.
 */
#ifndef ANALYZE_DRAWN_GRAPH_H
#define ANALYZE_DRAWN_GRAPH_H

#include "base/error.h"
#include "model/call_graph.h"
#include "model/profile.h"

/* g is an initialised arena and otherwise empty; it borrows from p. Linear in
 * the frames of the stacks. */
bool drawn_graph_build(struct drawn_graph *g, const struct profile *p,
		       struct error *err) MUST_CHECK;

#endif
