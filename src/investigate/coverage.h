/* SPDX-License-Identifier: Apache-2.0
 *
 * For which part of a window a service was there and profiled: one that began
 * or ended in the middle of it has no rate over all of it. Tells nothing of
 * gaps in between, and asks nothing of its own.
 */
#ifndef INVESTIGATE_COVERAGE_H
#define INVESTIGATE_COVERAGE_H

#include "backend/fetch_profile.h"

/* A profile is uploaded every 15 s or less often; longer windows than an hour
 * are asked about in longer steps, or not at all. */
#define COVERAGE_STEP_NS (30 * NS_PER_S)
#define COVERAGE_STEPS 120

struct coverage {
	struct totals_job job;
	bool is_asked;
};

/* Begins the question over both windows; false when there is nothing to ask
 * (selector NULL), or too many steps of this length. The texts stay the
 * caller's and outlive the run. */
bool coverage_request(struct coverage *c, const char *type_id,
		      const char *selector, struct time_range slow,
		      struct time_range base, int64_t step_ns);

/* Steps in which a window of any length can be asked about, whole seconds. */
int64_t coverage_step_ns(struct time_range window);

/* After the job ran: what of a window there were samples in; both ends 0: all
 * of it, as far as is known. */
struct time_range coverage_of(const struct coverage *c,
			      struct time_range window);

#endif
