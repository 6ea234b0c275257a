/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/doctor.h"

void doctor_init(struct doctor *d, const struct doctor_question *question)
{
	*d = (struct doctor){
		.question = question,
		.backends = question->backends,
		.checkup = { .backends = question->backends,
			     .checks = &d->checks },
		.is_traces_up = !question->wants_traces,
	};
	arena_init(&d->arena, LIMIT_RESULT_BYTES);
	checks_init(&d->checks, &d->arena);
	trace_init(&d->trace);
}

void doctor_release(struct doctor *d)
{
	trace_release(&d->trace);
	arena_release(&d->arena);
}

bool doctor_run(struct doctor *d, struct error *err)
{
	if (!doctor_servers(d, err) || !doctor_metrics(d, err) ||
	    !doctor_trace(d, err) ||
	    !(d->backends->profiles.path ? doctor_profile_file(d, err)
					 : doctor_profiles(d, err)))
		return false;
	return checks_end(&d->checks, err);
}

bool doctor_service_is_found(const struct doctor_service *row)
{
	return row->match == NAME_EXACT || row->match == NAME_VARIED;
}
