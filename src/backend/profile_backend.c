/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/profile_backend.h"

#include "backend/jobs.h"

const struct profile_backend *profiles_likely(
	const struct profile_backend *known,
	const struct http_response *response)
{
	for (size_t i = 0; i < backend_table_count; i++) {
		const struct profile_backend *p = backend_table[i].profiles;

		if (p && p != known && p->is_likely && p->is_likely(response))
			return p;
	}
	return NULL;
}

bool profiles_kept_names(const char *url, struct str asked,
			 const struct http_response *response, bool is_types,
			 struct arena *arena, struct name_list *names)
{
	struct backends b = { .arena = arena };
	struct error ignored;

	b.profiles.endpoint.url = url;
	for (size_t i = 0; i < backend_table_count; i++) {
		const struct profile_backend *p = backend_table[i].profiles;

		if (p && p->kept_names &&
		    p->kept_names(&b, url, asked, response, is_types, names,
				  &ignored))
			return true;
	}
	return false;
}

bool profiles_prepare(struct backends *b, struct job *job, struct error *err)
{
	const struct profile_backend *p = backends_profiles(b);

	if (p->learn && !p->learn(b, err))
		return false;
	job->asked = p;
	return true;
}

bool profiles_recognise(struct backends *b, const struct job *job,
			const struct http_response *response)
{
	const struct profile_backend *known = backends_profiles(b), *likely;
	struct error err;

	if (job->asked && job->asked != known)
		return true;
	likely = profiles_likely(known, response);
	if (!likely || b->profiles.is_kind_given)
		return false;
	/* Once a run. */
	b->profiles.is_kind_given = true;
	return likely->learn(b, &err);
}

bool profiles_may_ask(const struct backends *b,
		      const struct http_response *response)
{
	const struct profile_backend *known = backends_profiles(b);

	return known->asks_on || profiles_likely(known, response);
}

void profiles_settle(struct side *side, const struct profile_backend *profiles,
		     void *room)
{
	profiles_release(side);
	side->row = profiles_row(profiles);
	side->room = room;
}

void profiles_release(struct side *side)
{
	const struct profile_backend *p =
		side->row ? side->row->profiles : NULL;

	if (p && p->release && side->room)
		p->release(side->room);
	side->room = NULL;
}
