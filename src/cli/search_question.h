/* SPDX-License-Identifier: Apache-2.0
 *
 * From options to a search for traces.
 */
#ifndef CLI_SEARCH_QUESTION_H
#define CLI_SEARCH_QUESTION_H

#include "cli/context.h"
#include "investigate/trace_search.h"

/* Without time options: an hour, as people ask for recent traces. */
#define SEARCH_WINDOW_NS NS_PER_HOUR

/* Fills query, wanted and the rest from --service, --name, --errors,
 * --min-duration, --above, --query, --all, -n and the time options.
 * ERROR_USAGE also where there is no server to search. */
bool search_question(struct trace_search *s, const struct context *ctx,
		     struct error *err) MUST_CHECK;

/* ERROR_USAGE: the traces are those of a file. */
bool search_has_server(const struct context *ctx, struct error *err) MUST_CHECK;

#endif
