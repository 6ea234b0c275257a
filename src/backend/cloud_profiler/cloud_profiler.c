/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/cloud_profiler/cloud_profiler.h"

#include "backend/checkups.h"
#include "backend/cloud_profiler/cloud_answers.h"
#include "backend/cloud_profiler/cloud_profiles.h"

const struct profile_backend profile_cloud = {
	.name = "Cloud Profiler",
	.title = "Cloud Profiler",
	.traits = { .is_list = true,
		    .has_targets = true,
		    .retention_ns = CLOUD_RETENTION_NS },
	.checkup = &checkup_cloud_profiler,
	.release = cloud_profiles_free,
	.keep = cloud_profiles_keep,
	.lost = cloud_profiles_lost,
	.answer_jobs = cloud_answers,
	.each = cloud_each,
	.note_extent = cloud_answers_note,
};
