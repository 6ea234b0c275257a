/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/profile_types.h"

#include "backend/fetch_profile.h"
#include "backend/selector.h"

/* Types and names together: the names tell why there are no types. */
static bool ask_both(struct profile_types *t, struct backends *b,
		     const char *selector, struct error *err)
{
	struct names_job types, services;
	struct job *jobs[] = { &types.job, &services.job };

	types_job_init(&types, selector, t->window);
	services_job_init(&services, t->window);
	if (!jobs_run(b, jobs, 2, err))
		return false;
	for (size_t i = 0; i < 2; i++) {
		if (!jobs[i]->has_answer) {
			*err = jobs[i]->err;
			return false;
		}
	}
	t->ids = types.names;
	t->services = services.names;
	return true;
}

bool profile_types_ask(struct profile_types *t, struct backends *b,
		       struct error *err)
{
	struct str selector;

	return selector_of_service(b->arena, t->service, &selector, err) &&
	       ask_both(t, b, selector.ptr, err);
}
