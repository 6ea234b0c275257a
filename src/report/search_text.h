/* SPDX-License-Identifier: Apache-2.0
 *
 * A search for traces in words: what its durations are of, what its list
 * leaves out, and why nothing was found. Asks nothing.
 */
#ifndef REPORT_SEARCH_TEXT_H
#define REPORT_SEARCH_TEXT_H

#include "investigate/trace_search.h"

/* Appends what the durations are of: "a sample of 200 traces". */
void search_text_add_basis(const struct trace_search *s, struct buf *out);

/* Says what the list leaves out. */
void search_text_add_notes(const struct trace_search *s, struct notes *notes);

/* Says which trace stands for the slow ones that were found. */
void search_text_add_choice(const struct trace_search *s,
			    const struct typical_hit *typical,
			    struct notes *notes);

/* The same where its operation was looked for. */
void search_text_add_operation(const struct trace_search *s,
			       const struct typical_hit *typical,
			       struct notes *notes);

/* The words for an error that trace_search_run() left without any; other
 * errors stay as they are. Always false. */
bool search_text_explain(const struct trace_search *s, struct error *err);

#endif
