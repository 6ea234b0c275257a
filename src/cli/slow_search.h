/* SPDX-License-Identifier: Apache-2.0
 *
 * `tracefind slow` without a trace: finds the slow ones and takes one that is
 * typical of them.
 */
#ifndef CLI_SLOW_SEARCH_H
#define CLI_SLOW_SEARCH_H

#include "cli/run.h"

/* Whether the options say what to search for instead of which trace. */
bool slow_search_is_asked(const struct options *o);

/* Searches, notes which trace was taken and how many are like it, and gives
 * the run options that name the trace; the times were those of the search and
 * are gone from them. They live in the run's arena. */
bool slow_search(struct run *r, struct error *err) MUST_CHECK;

#endif
