/* SPDX-License-Identifier: Apache-2.0
 *
 * Parca, by the JSON form of its query service (parca/query/v1alpha1, GET
 * below /api/profiles). It knows nothing of spans, names services by a label
 * of the user's choice, and has two kinds of the same type: "delta", which is
 * of an interval, and totals since a process began. What it is to the rest of
 * backend/.
 */
#ifndef BACKEND_PARCA_H
#define BACKEND_PARCA_H

#include "backend/profile_backend.h"

/* The parts that the files of this room share: the facts that are known of a
 * Parca before anything else is asked, and its questions. */

struct parca_type {
	struct str id;      /* five parts, as elsewhere */
	const char *wanted; /* as Parca wants it, with ":delta" */
	bool is_delta;
};

/* The id here of the CPU time that Parca's agent measures. */
#define PARCA_AGENT_CPU "process_cpu:cpu:nanoseconds::"

/* In an arena; side->room. */
struct parca_facts {
	const char *service_label; /* "job"; takes the place of service_name */
	const char *agent_cpu; /* what is PARCA_AGENT_CPU here; NULL: none is */
	bool has_service_label;   /* profiles have it, else it is a guess */
	struct parca_type *types; /* by id, a delta before the same in total */
	size_t type_count;
};

enum parca_fact { PARCA_TYPES, PARCA_LABELS, PARCA_FACTS };

/* True when the answer to PARCA_TYPES is that of a Parca. */
bool parca_is(const struct http_response *response);

/* Reads one of the answers. */
bool parca_facts_answer(const struct endpoint *endpoint, enum parca_fact fact,
			const struct http_response *response,
			struct arena *arena, struct parca_facts *facts,
			struct error *err) MUST_CHECK;

/* By its id here or there, with ":delta" or not; NULL: the server has no such
 * type. */
const struct parca_type *parca_type_find(const struct parca_facts *facts,
					 struct str id);

/* The selector with the label that names services here in the place of
 * service_name; what is quoted stays. Appends to out. */
void parca_selector(struct buf *out, const char *service_label,
		    struct str selector);

bool parca_type_answer(const struct backends *b, size_t type,
		       const struct series_query *query,
		       const struct http_response *response,
		       struct series_list *series,
		       struct error *err) MUST_CHECK;

/* The step that a Parca is asked for to tell the totals of longer ones. */
int64_t parca_totals_step_s(const struct totals_query *query);

#endif
