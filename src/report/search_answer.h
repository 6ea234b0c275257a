/* SPDX-License-Identifier: Apache-2.0
 *
 * How the traces that a search found are written. Knows no options.
 */
#ifndef REPORT_SEARCH_ANSWER_H
#define REPORT_SEARCH_ANSWER_H

#include "investigate/trace_search.h"
#include "model/result.h"
#include "render/answer_writer.h"

struct search_answer {
	const struct trace_search *search;
	/* What was asked for. */
	int64_t min_duration_ns;
	const char *above;           /* "p95", or NULL */
	struct str source;           /* the server */
	const struct result *result; /* notes and requests */
	struct str servers; /* options that name them; NULL ptr: too long */
};

extern const struct answer_writer search_writer; /* struct search_answer */

#endif
