/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether slow spans come from one instance or one version while the others
 * are fast in the same minutes: then those are the ones to compare with. A
 * new pod has no past.
 */
#ifndef ANALYZE_CONCENTRATION_H
#define ANALYZE_CONCENTRATION_H

#include "base/error.h"
#include "model/history.h"

/* Part of the slow spans that one instance must hold, and the part of the
 * others' spans that may be slow. */
#define CONCENTRATION_SHARE 0.8
#define CONCENTRATION_OTHERS 0.2
#define CONCENTRATION_P 0.01

/* One that is slower than the others in the same minutes without any of its
 * spans being slow for the operation: by its median, and beyond doubt by rank,
 * corrected for the number of values. Instances differ by some ten percent as
 * their machines and their share of large requests do. */
#define CONCENTRATION_RATIO 1.2
#define CONCENTRATION_ORDER_P 0.001
#define CONCENTRATION_ORDER_MIN 10u
/* It is the one when none of the rest looks as if it were another. */
#define CONCENTRATION_ALONE_MIN 5u
#define CONCENTRATION_ALONE_P 0.1

/* An instance that was slower before, too, is no news: by half as much and
 * more. */
#define CONCENTRATION_BEFORE_MIN 5u

struct concentration {
	bool is_found;
	bool is_by_order; /* slower as a whole; else it holds the slow ones */
	bool is_as_ever;  /* found, but that it was slower before */
	struct str value; /* the instance or version; borrowed */
	uint32_t slow_count;
	uint32_t span_count;       /* slow and fast, of this value */
	uint32_t other_slow_count; /* of all others */
	uint32_t other_count;
	uint32_t value_count; /* distinct values seen */
	int64_t p50_ns;
	int64_t other_p50_ns;
	double p; /* Fisher's exact test, or by rank */
};

enum concentration_by { CONCENTRATION_INSTANCE, CONCENTRATION_VERSION };

/* Spans of an operation that start in the range of a window. */
struct concentration_spans {
	uint32_t window; /* out of reach: none */
	struct time_range range;
};

struct concentration_want {
	const struct history *history;
	struct concentration_spans now;
	struct concentration_spans before;
	uint32_t operation;
	int64_t threshold_ns; /* slow from here */
	enum concentration_by by;
};

/* Spans without the label are left out. */
bool concentration_find(const struct concentration_want *want,
			struct concentration *out,
			struct error *err) MUST_CHECK;

#endif
