/* SPDX-License-Identifier: Apache-2.0
 *
 * What formats draw of the profiles behind an answer, each made when the first
 * format needs it: stacks added up, the flame graph, the call graph. Knows no
 * options, and not where the bytes go.
 */
#ifndef REPORT_DRAWINGS_H
#define REPORT_DRAWINGS_H

#include "analyze/drawn_graph.h"
#include "analyze/flame.h"
#include "render/render.h"

struct drawings {
	struct render_input *in; /* gets what is made */
	struct flame_want want;
	struct arena arena; /* of stacks */
	struct flame flame;
	struct drawn_graph graph;
};

/* in has the profiles already, or none. */
void drawings_init(struct drawings *d, struct render_input *in,
		   const struct flame_want *want);
void drawings_release(struct drawings *d);

/* Whether there is what the format cannot do without; else the error says what
 * is missing. */
bool drawings_possible(const struct render_input *in,
		       const struct render_format *f,
		       struct error *err) MUST_CHECK;

/* Adds to the input what is needed, see enum render_needs. */
bool drawings_add(struct drawings *d, unsigned needs,
		  struct error *err) MUST_CHECK;

#endif
