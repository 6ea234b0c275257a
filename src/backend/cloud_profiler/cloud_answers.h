/* SPDX-License-Identifier: Apache-2.0
 *
 * What Pyroscope would be asked, answered from Cloud Profiler's list: names,
 * types, series, snapshots, and profiles as the sums of those that match.
 */
#ifndef BACKEND_CLOUD_ANSWERS_H
#define BACKEND_CLOUD_ANSWERS_H

#include "backend/jobs.h"
#include "backend/source.h"

/* Answers all jobs that ask something of the profile server; the others stay
 * as they are. What goes wrong with an answer is in its job; false when
 * nothing can go on. */
bool cloud_answers(struct backends *b, struct job *const *jobs, size_t n,
		   struct error *err) MUST_CHECK;

/* Says how little one instance's profiles are, and how many a wider window
 * would have, with what option; for a query that was answered with so many
 * samples. around: the window around a trace, of which the query may be the
 * part that was slow; NULL without one. */
void cloud_answers_note(struct backends *b, const struct profile_query *query,
			int64_t samples, const struct time_range *around);

#endif
