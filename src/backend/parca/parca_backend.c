/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/parca/parca.h"

#include "backend/answer.h"
#include "backend/backends.h"
#include "backend/checkups.h"
#include "backend/parca/parca_calls.h"

static bool read_facts(struct backends *b,
		       const struct http_response *responses,
		       struct parca_facts *facts, struct error *err)
{
	const struct endpoint *e = &b->profiles.endpoint;

	for (int i = 0; i < PARCA_FACTS; i++)
		if (!parca_facts_answer(e, (enum parca_fact)i, &responses[i],
					b->arena, facts, err))
			return false;
	return true;
}

static bool ask_facts(struct backends *b, struct http_response *responses,
		      struct error *err)
{
	struct http_request requests[PARCA_FACTS] = { 0 };
	bool done = true;

	for (int i = 0; done && i < PARCA_FACTS; i++)
		done = parca_facts_request(&b->profiles.endpoint,
					   (enum parca_fact)i, &requests[i],
					   err);
	done = done && backends_send(b, requests, responses, PARCA_FACTS, err);
	for (int i = 0; i < PARCA_FACTS; i++)
		http_request_release(&requests[i]);
	return done;
}

bool parca_adopt(struct backends *b, const struct http_response *responses,
		 struct error *err)
{
	struct parca_facts *facts = arena_alloc(b->arena, sizeof *facts);

	if (!facts)
		return arena_fail(b->arena, "the server's types", err);
	if (!read_facts(b, responses, facts, err))
		return false;
	if (!parca_is(&responses[PARCA_TYPES]))
		return error_set(err, ERROR_FORMAT,
				 "%s answers, but as no Parca does: is the "
				 "address with its path prefix right? "
				 "(--profiles-url)",
				 b->profiles.endpoint.url);
	profiles_settle(&b->profiles, &profile_parca, facts);
	return true;
}

/* One with its web pages shows the first of them at any address; routers
 * answer 405 where a page exists for another method. */
static bool is_likely(const struct http_response *response)
{
	return response->status == 404 || response->status == 405 ||
	       (response->status == 200 && body_is_html(response));
}

static bool learn(struct backends *b, struct error *err)
{
	struct http_response responses[PARCA_FACTS] = { 0 };
	const struct parca_facts *facts;
	bool done;

	if (backends_profiles(b) == &profile_parca &&
	    parca_facts_of(&b->profiles))
		return true;
	done = ask_facts(b, responses, err) && parca_adopt(b, responses, err);
	for (int i = 0; i < PARCA_FACTS; i++)
		http_response_release(&responses[i]);
	if (!done)
		return false;
	facts = parca_facts_of(&b->profiles);
	if (facts->agent_cpu)
		notes_add(b->notes,
			  "Parca: CPU time is %s, counted samples that the "
			  "server turns into time",
			  facts->agent_cpu);
	if (str_equal(str_from(facts->service_label), STR("service_name")))
		return true;
	notes_add(b->notes,
		  "Parca: services are told apart by the label \"%s\", which "
		  "takes the place of service_name",
		  facts->service_label);
	return true;
}

const struct profile_backend profile_parca = {
	.name = "parca",
	.title = "Parca",
	.checkup = &checkup_parca,
	.learn = learn,
	.is_likely = is_likely,
	.asks_on = true,
	.services_request = parca_services_request,
	.services_answer = parca_services_answer,
	.types_request = parca_types_request,
	.types_answer = parca_types_answer,
	.series_request = parca_types_request,
	.series_answer = parca_series_answer,
	.profile_attempts = parca_profile_attempts,
	.names_attempt = parca_names_attempt,
	.profile_request = parca_profile_request,
	.profile_answer = parca_profile_answer,
	.profile_unwrap = parca_profile_unwrap,
	.counts_totals = parca_counts_totals,
	.snapshots_attempts = 1,
	.snapshots_request = parca_snapshots_request,
	.snapshots_answer = parca_snapshots_answer,
	.totals_request = parca_totals_request,
	.totals_answer = parca_totals_answer,
};
