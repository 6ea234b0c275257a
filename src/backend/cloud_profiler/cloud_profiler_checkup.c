/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/checkups.h"
#include "backend/cloud_profiler/cloud_profiles.h"
#include "base/num.h"

static void read_times(struct checkup *c, const struct profile_list *list)
{
	struct profile_stats *s = &c->stats;

	s->has_data = list->count > 0;
	for (uint32_t i = 0; i < list->count; i++) {
		int64_t start_ns = list->profiles[i].start_ns;

		if (!i || start_ns < s->oldest_ns)
			s->oldest_ns = start_ns;
		if (!i || start_ns > s->newest_ns)
			s->newest_ns = start_ns;
	}
}

static void check_list(struct checkup *c, const struct profile_list *list)
{
	char count[COUNT_TEXT_BYTES], oldest[24], newest[24];

	if (!list->count) {
		check_fail(c->checks, ERROR_NOT_FOUND, "profiles", "data",
			   "the project has no profile at all");
		check_fix(c->checks,
			  "another project: --profiles-url gcp://PROJECT; "
			  "else start Cloud Profiler's agent in the services");
		return;
	}
	format_count(list->count, count);
	format_duration(sat_sub_i64(c->backends->now_ns, c->stats.oldest_ns),
			oldest);
	format_duration(sat_sub_i64(c->backends->now_ns, c->stats.newest_ns),
			newest);
	check_ok(c->checks, "profiles", "retention",
		 "%s profiles; the oldest is %s old, the newest %s", count,
		 oldest, newest);
}

static bool examine(struct checkup *c, bool *is_up, struct error *err)
{
	const struct profile_list *list;
	struct error why = { 0 };
	bool is_fatal;

	list = cloud_profiles_list(c->backends, &is_fatal, &why);
	if (!list && is_fatal) {
		*err = why;
		return false;
	}
	if (!list) {
		check_fail(c->checks, why.code, "profiles",
			   why.code == ERROR_AUTH ? "login" : "server", "%s",
			   why.message);
		return true;
	}
	check_ok(c->checks, "profiles", "login", "reading is allowed");
	check_ok(c->checks, "profiles", "server", "Cloud Profiler");
	read_times(c, list);
	check_list(c, list);
	*is_up = true;
	return checkup_find_recent(c, err);
}

#define NEWER_TRACE "a newer trace: Cloud Profiler keeps them for 30 days"
#define ELSEWHERE "another project: --profiles-url gcp://PROJECT"

const struct profile_checkup checkup_cloud_profiler = {
	.title = "Cloud Profiler",
	.examine = examine,
	.lookback_ns = CLOUD_RETENTION_NS,
	.add_fix = "start Cloud Profiler's agent in it",
	.logs_fix = "look at the agents' logs, whose account needs "
		    "roles/cloudprofiler.agent; ",
	.elsewhere_fix = ELSEWHERE,
	.nowhere_fix = ELSEWHERE "; another server: --profiles-url URL",
	.keep_fix = NEWER_TRACE,
	.lookback_fix = NEWER_TRACE,
};
