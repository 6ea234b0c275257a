/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/cloud_profiler.h"

#include "backend/cloud_profiler/cloud_profiles.h"
#include "backend/fetch_profile.h"
#include "base/num.h"

static void read_times(struct doctor *d, const struct profile_list *list)
{
	struct profile_stats *s = &d->stats;

	s->has_data = list->count > 0;
	for (uint32_t i = 0; i < list->count; i++) {
		int64_t start_ns = list->profiles[i].start_ns;

		if (!i || start_ns < s->oldest_ns)
			s->oldest_ns = start_ns;
		if (!i || start_ns > s->newest_ns)
			s->newest_ns = start_ns;
	}
}

static void check_list(struct doctor *d, const struct profile_list *list)
{
	char count[COUNT_TEXT_BYTES], oldest[24], newest[24];

	if (!list->count) {
		check_fail(&d->checks, ERROR_NOT_FOUND, "profiles", "data",
			   "the project has no profile at all");
		check_fix(&d->checks,
			  "another project: --profiles-url gcp://PROJECT; "
			  "else start Cloud Profiler's agent in the services");
		return;
	}
	format_count(list->count, count);
	format_duration(sat_sub_i64(d->backends->now_ns, d->stats.oldest_ns),
			oldest);
	format_duration(sat_sub_i64(d->backends->now_ns, d->stats.newest_ns),
			newest);
	check_ok(&d->checks, "profiles", "retention",
		 "%s profiles; the oldest is %s old, the newest %s", count,
		 oldest, newest);
}

/* Services of the last hour. */
static bool read_recent(struct doctor *d, struct error *err)
{
	struct time_range hour = { sat_sub_i64(d->backends->now_ns,
					       NS_PER_HOUR),
				   d->backends->now_ns };
	struct names_job names;
	struct job *job = &names.job;

	services_job_init(&names, hour);
	if (!jobs_run(d->backends, &job, 1, err))
		return false;
	d->recent = names.names;
	return true;
}

bool doctor_cloud(struct doctor *d, struct error *err)
{
	const struct profile_list *list;
	struct error why = { 0 };
	bool is_fatal;

	list = cloud_profiles_list(d->backends, &is_fatal, &why);
	if (!list && is_fatal) {
		*err = why;
		return false;
	}
	if (!list) {
		check_fail(&d->checks, why.code, "profiles",
			   why.code == ERROR_AUTH ? "login" : "server", "%s",
			   why.message);
		return true;
	}
	check_ok(&d->checks, "profiles", "login", "reading is allowed");
	check_ok(&d->checks, "profiles", "server", "Cloud Profiler");
	read_times(d, list);
	check_list(d, list);
	d->is_profiles_up = true;
	return read_recent(d, err);
}
