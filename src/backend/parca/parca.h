/* SPDX-License-Identifier: Apache-2.0
 *
 * Parca, by the JSON form of its query service (parca/query/v1alpha1, GET below
 * /api/profiles). It does not support spans, names services by a label of the
 * user's choice, and has two kinds of the same type: "delta", which covers an
 * interval, and totals since process start.
 */
#ifndef BACKEND_PARCA_H
#define BACKEND_PARCA_H

#include "backend/profile_backend.h"

/* Shared by the files of this folder: facts about a Parca that are needed
 * before other queries, and its queries. */

struct parca_type {
	struct str id;      /* five parts, like everywhere */
	const char *wanted; /* as Parca names it, with ":delta" */
	bool is_delta;
};

/* The id used here for the CPU time measured by Parca's agent. */
#define PARCA_AGENT_CPU "process_cpu:cpu:nanoseconds::"

/* Allocated in an arena; side->room. */
struct parca_facts {
	const char *service_label; /* "job"; used instead of service_name */
	const char *agent_cpu;     /* Parca's name for PARCA_AGENT_CPU; NULL:
				    * none */
	bool has_service_label;    /* profiles have it, else it is a guess */
	struct parca_type *types;  /* by id, a delta type before the total */
	size_t type_count;
};

enum parca_fact { PARCA_TYPES, PARCA_LABELS, PARCA_FACTS };

/* Returns whether the answer to PARCA_TYPES is from a Parca. */
bool parca_is(const struct http_response *response);

/* Reads one of the answers. */
bool parca_facts_answer(const struct endpoint *endpoint, enum parca_fact fact,
			const struct http_response *response,
			struct arena *arena, struct parca_facts *facts,
			struct error *err) MUST_CHECK;

/* Returns the type with this id, ours or Parca's, with or without ":delta";
 * NULL: the server has no such type. */
const struct parca_type *parca_type_find(const struct parca_facts *facts,
					 struct str id);

/* Appends the selector with service_name replaced by this server's service
 * label; quoted parts stay. */
void parca_selector(struct buf *out, const char *service_label,
		    struct str selector);

bool parca_type_answer(const struct backends *b, size_t type,
		       const struct series_query *query,
		       const struct http_response *response,
		       struct series_list *series,
		       struct error *err) MUST_CHECK;

/* Returns the step of the query to Parca from which longer totals are computed,
 * in seconds. */
int64_t parca_totals_step_s(const struct totals_query *query);

#endif
