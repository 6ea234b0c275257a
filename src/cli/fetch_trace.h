/* SPDX-License-Identifier: Apache-2.0
 *
 * The trace that a command is about, from a server or a file.
 */
#ifndef CLI_FETCH_TRACE_H
#define CLI_FETCH_TRACE_H

#include "cli/context.h"
#include "model/trace.h"

/* Fetches or reads the trace that the arguments name, several if they are files
 * of it; no spans is ERROR_NOT_FOUND. *source names where it came from. */
bool fetch_trace(struct context *ctx, struct trace *trace, struct str *source,
		 struct error *err) MUST_CHECK;

#endif
