/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/snapshots.h"

#include <inttypes.h>
#include <stdio.h>

#define SIDES 2

static void divide(struct backends *b, const struct snapshots_side *sides,
		   const struct snapshots_job *jobs, size_t count)
{
	char before[64] = "";

	for (size_t i = 0; i < count; i++)
		profile_divide(sides[i].profile, jobs[i].count);
	if (count == SIDES)
		snprintf(before, sizeof before, ", %" PRId64 " in the baseline",
			 jobs[1].count);
	notes_add(b->notes, "values are per snapshot: %" PRId64 " snapshot%s%s",
		  jobs[0].count, &"s"[jobs[0].count == 1], before);
}

bool snapshots_divide(struct backends *b, const struct snapshots_side *sides,
		      size_t count, const char *instance_label,
		      struct error *err)
{
	struct snapshots_job counts[SIDES] = { 0 };
	struct job *jobs[SIDES];

	for (size_t i = 0; i < count; i++) {
		snapshots_job_init(&counts[i], &sides[i].query, instance_label);
		jobs[i] = &counts[i].job;
	}
	if (!jobs_run(b, jobs, count, err))
		return false;
	if (counts[0].job.has_answer && counts[count - 1].job.has_answer)
		divide(b, sides, counts, count);
	else
		notes_add(b->notes,
			  "this type is a gauge: values are sums over all "
			  "snapshots of the window; read the shares");
	return true;
}
