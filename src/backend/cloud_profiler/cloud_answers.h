/* SPDX-License-Identifier: Apache-2.0
 *
 * What Pyroscope would be asked, answered from Cloud Profiler's list: names,
 * types, series, snapshots, and profiles as the sums of those that match.
 */
#ifndef BACKEND_CLOUD_ANSWERS_H
#define BACKEND_CLOUD_ANSWERS_H

#include "backend/jobs.h"
#include "backend/source.h"
#include "backend/whole_profile.h"

/* For struct profile_backend. */
bool cloud_answers(struct backends *b, struct job *const *jobs, size_t n,
		   struct error *err) MUST_CHECK;

/* One by one, what agents sent. */
bool cloud_each(struct backends *b, const struct whole_query *query,
		const struct whole_taker *taker,
		struct error *err) MUST_CHECK;

/* Says how little one instance's profiles are, and with what option a wider
 * window is asked for. */
void cloud_answers_note(struct backends *b, const struct profile_query *query,
			int64_t samples, const struct time_range *around);

#endif
