/* SPDX-License-Identifier: Apache-2.0
 *
 * What can be searched for: the names of the labels of spans, or the values of
 * one of them. Knows no options.
 */
#ifndef INVESTIGATE_TAGS_H
#define INVESTIGATE_TAGS_H

#include "backend/backends.h"
#include "backend/trace_queries.h"

/* Asks the trace server; names lie in the backends' arena. ERROR_USAGE for
 * what it cannot list. */
bool tags_ask(struct backends *b, const struct tags_query *query,
	      struct name_list *names, struct error *err) MUST_CHECK;

#endif
