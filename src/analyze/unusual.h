/* SPDX-License-Identifier: Apache-2.0
 *
 * Which requests take longer than they usually do, told from those that were
 * always long: a login of 25 ms is as ever, a session check of 25 ms instead of
 * half a millisecond is not. Knows no server.
 */
#ifndef ANALYZE_UNUSUAL_H
#define ANALYZE_UNUSUAL_H

#include "model/hits.h"

/* Traces of a root operation, on each side, that tell what it takes. */
#define UNUSUAL_MIN 5u

/* An operation is unusual when its median or its ninth decile is this many
 * times the usual one: ordinary services stay well below it from one window to
 * the next. */
#define UNUSUAL_RATIO 2.0

struct unusual {
	const struct hit *hit; /* one that stands for them; NULL: none */
	size_t count;          /* traces of its root operation now */
	int64_t now_ns;        /* the quantile that grew most, now */
	int64_t usual_ns;      /* and before */
	unsigned percent;      /* which one: 50 or 90 */
	/* Of operations that are as ever the one that takes longest; NULL:
	 * there is none. */
	const struct hit *as_ever;
};

/* now and before: samples of the same search in two windows, in any order. Of
 * several unusual operations the one is taken whose traces took most longer
 * than usual, together. Borrows the hits. */
bool unusual_find(const struct hit *now, size_t now_count,
		  const struct hit *before, size_t before_count,
		  struct unusual *out, struct error *err) MUST_CHECK;

#endif
