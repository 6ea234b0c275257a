/* SPDX-License-Identifier: Apache-2.0
 *
 * How an answer that is no struct result (a list of traces, a guide) is
 * written, a function for each kind of format. Knows neither what the answers
 * are nor where the bytes go.
 */
#ifndef RENDER_ANSWER_WRITER_H
#define RENDER_ANSWER_WRITER_H

#include "render/input.h"

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
