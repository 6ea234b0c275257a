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

struct concentration {
	bool is_found;
	struct str value; /* the instance or version; borrowed */
	uint32_t slow_count;
	uint32_t span_count;       /* slow and fast, of this value */
	uint32_t other_slow_count; /* of all others */
	uint32_t other_count;
	uint32_t value_count; /* distinct values seen */
	int64_t p50_ns;
	int64_t other_p50_ns;
	double p; /* Fisher's exact test */
};

enum concentration_by { CONCENTRATION_INSTANCE, CONCENTRATION_VERSION };

/* Spans of the operation that start in the range; slow from threshold_ns on.
 * Spans without the label are left out. */
bool concentration_find(const struct history *h, uint32_t window,
			struct time_range range, uint32_t operation,
			int64_t threshold_ns, enum concentration_by by,
			struct concentration *out,
			struct error *err) MUST_CHECK;

#endif
