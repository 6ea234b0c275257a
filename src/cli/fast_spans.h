/* SPDX-License-Identifier: Apache-2.0
 *
 * The slow and the fast requests of one operation in a window, by the ids under
 * which profiles hold their samples; from a search of the traces.
 */
#ifndef CLI_FAST_SPANS_H
#define CLI_FAST_SPANS_H

#include "cli/context.h"

/* Spans wanted on either side: below, one request is all there is to see. */
#define FAST_SPANS_MIN 5u

struct fast_spans {
	uint64_t *slow_ids;
	size_t slow_count;
	uint64_t *fast_ids;
	size_t fast_count;
	struct str slow_text; /* "21 slow spans of POST /login, p50 612 ms" */
	struct str fast_text;
};

/* Slow is the slowest tenth, fast the faster half. In ctx->arena.
 * ERROR_NOT_FOUND when there are too few, with the reason. */
bool fast_spans_find(struct context *ctx, struct str service, struct str name,
		     struct time_range range, struct fast_spans *out,
		     struct error *err) MUST_CHECK;

#endif
