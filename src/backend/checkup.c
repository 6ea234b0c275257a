/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/checkup.h"

#include "backend/checkups.h"
#include "backend/fetch_profile.h"
#include "base/num.h"

bool checkup_find_recent(struct checkup *c, struct error *err)
{
	struct time_range hour = { sat_sub_i64(c->backends->now_ns,
					       NS_PER_HOUR),
				   c->backends->now_ns };
	struct names_job names;
	struct job *job = &names.job;

	services_job_init(&names, hour);
	if (!jobs_run(c->backends, &job, 1, err))
		return false;
	c->recent = names.names;
	return true;
}

/* Of the servers that people run themselves, and files. */
static const struct trace_checkup own_server = {
	.cut_fix = "Tempo: overrides max_bytes_per_trace; Jaeger: "
		   "max_trace_size",
	.missing_fix =
		"paste the whole id; another tenant: --traces-tenant-id "
		"NAME; older than the server keeps, or not sampled: take a "
		"newer trace",
};

const struct trace_checkup *trace_checkup_of(const struct backends *b)
{
	const struct trace_backend *t = backends_traces(b);

	return t && t->checkup ? t->checkup : &own_server;
}

const struct profile_checkup *profile_checkup_of(const struct backends *b)
{
	return backends_profiles(b)->checkup;
}
