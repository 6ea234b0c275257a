/* SPDX-License-Identifier: Apache-2.0
 *
 * How the answer of `tracefind search` is written.
 */
#ifndef CLI_SEARCH_SHOW_H
#define CLI_SEARCH_SHOW_H

#include "cli/output.h"
#include "cli/trace_search.h"

struct search_answer {
	const struct options *options;
	const struct trace_search *search;
	struct str source;           /* the server */
	const struct result *result; /* notes and requests */
};

extern const struct answer_writer search_writer; /* struct search_answer */

#endif
