/* SPDX-License-Identifier: Apache-2.0
 *
 * Results to bytes. One file a format, one row a format in the table; a
 * renderer gets a writer and the neutral result and knows no command.
 * Foreign text passes base/escape.
 */
#ifndef RENDER_RENDER_H
#define RENDER_RENDER_H

#include "base/out.h"
#include "render/input.h"

enum render_needs {
	RENDER_NEEDS_PROFILE = 1 << 0,
	RENDER_NEEDS_BASELINE = 1 << 1,
	RENDER_IS_BINARY = 1 << 2,
	RENDER_NEEDS_STACKS = 1 << 3,
	RENDER_NEEDS_SPANS = 1 << 4, /* result.spans, of show only */
	RENDER_NEEDS_FLAME = 1 << 5,
	RENDER_NEEDS_POSITIVE = 1 << 6, /* values, on both sides */
	RENDER_NEEDS_GRAPH = 1 << 7,
	/* All that there is of a case: flame, waterfall with the attributes of
	 * spans, functions beyond the limit; but none of them has to be. */
	RENDER_TAKES_ALL = 1 << 8,
	/* Shows stacks only: no row, kind or note of the result. */
	RENDER_IS_UNRANKED = 1 << 9,
	/* One profile, or the trace of show: no comparison. */
	RENDER_NEEDS_ONE = 1 << 10,
	RENDER_DRAWS_FLAME = RENDER_NEEDS_FLAME | RENDER_TAKES_ALL,
};

struct render_format {
	const char *name;   /* "table" */
	const char *suffix; /* ".json" */
	unsigned needs;
	const char *help;
	void (*render)(const struct render_input *in, struct out *out);
};

/* NULL when there is no such format. */
const struct render_format *render_find(struct str name);

/* The table, ended by a row without a name. */
extern const struct render_format render_formats[];

/* How an answer that is no struct result (a list of traces, a guide) is
 * written, a function for each kind of format. Knows neither what the answers
 * are nor where the bytes go. */

/* A further format, by the name that -o knows. */
struct answer_format {
	const char *name; /* NULL ends a list */
	void (*write)(const void *answer, struct out *out);
};

struct answer_writer {
	/* And, of lists, markdown: the style says so. */
	void (*table)(const void *answer, const struct render_style *style,
		      struct out *out);
	void (*json)(const void *answer, struct out *out);
	/* Of lists; NULL where there are none. */
	void (*csv)(const void *answer, struct out *out);
	void (*id)(const void *answer, struct out *out);
	/* Of what goes over time. */
	void (*html)(const void *answer, struct out *out);
	const struct answer_format *others; /* NULL: none */
};

#endif
