/* SPDX-License-Identifier: Apache-2.0
 *
 * A trace by its id from whichever server holds traces, by the forms of the
 * question that it knows, best first.
 */
#ifndef BACKEND_FETCH_TRACE_H
#define BACKEND_FETCH_TRACE_H

#include "backend/backends.h"
#include "model/trace.h"

/* Outside: of the window that was given. */
enum trace_found { TRACE_NOT_FOUND = 0, TRACE_FOUND, TRACE_FOUND_OUTSIDE };

/* Within the window first; NULL: whenever it was. Not found is no failure. */
bool trace_fetch(struct backends *b, const struct trace_id *id,
		 const struct time_range *window, struct trace *trace,
		 enum trace_found *found, struct error *err) MUST_CHECK;

#endif
