/* SPDX-License-Identifier: Apache-2.0
 *
 * Callers and callees of functions, and their source lines: for people in the
 * columns that pprof has, and as JSON (tracefind-json(5)).
 */
#ifndef RENDER_DETAILS_H
#define RENDER_DETAILS_H

#include "model/call_graph.h"
#include "render/answer_writer.h"

/* struct call_graph; style.limit functions at most. */
extern const struct answer_writer call_graph_writer;

extern const struct answer_writer listings_writer; /* struct listings */

#endif
