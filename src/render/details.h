/* SPDX-License-Identifier: Apache-2.0
 *
 * Callers and callees of functions, and their source lines: for people in the
 * columns that pprof has, and as JSON (tracefind-json(5)).
 */
#ifndef RENDER_DETAILS_H
#define RENDER_DETAILS_H

#include "model/call_graph.h"
#include "render/render.h"

/* style.limit functions at most. */
void call_graph_table(const struct call_graph *g,
		      const struct render_style *style, struct out *out);
void call_graph_json(const struct call_graph *g, struct out *out);

void listings_table(const struct listings *l, const struct render_style *style,
		    struct out *out);
void listings_json(const struct listings *l, struct out *out);

#endif
