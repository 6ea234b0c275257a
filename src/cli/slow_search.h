/* SPDX-License-Identifier: Apache-2.0
 *
 * `tracefind slow` without a trace, diff without an operation: finds the slow
 * traces, by the server of traces or by exemplars of metrics, and takes one that
 * is typical of them.
 */
#ifndef CLI_SLOW_SEARCH_H
#define CLI_SLOW_SEARCH_H

#include "cli/run.h"

/* Whether the options say what to search for instead of which trace. */
bool slow_search_is_asked(const struct options *o);

/* Searches, notes which trace was taken and how many are like it, and gives
 * the run options that name the trace; what was searched for is gone from them:
 * times, service and name. They live in the run's arena. */
bool slow_search(struct run *r, struct error *err) MUST_CHECK;

/* The name of the span of --service that took long in the trace that
 * slow_search() would take, of traces in the range; notes which and how to
 * choose another. In ctx->arena. */
bool slow_search_operation(struct context *ctx, struct time_range range,
			   struct str *name, struct error *err) MUST_CHECK;

#endif
