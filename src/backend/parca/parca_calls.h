/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this room share: the facts that are known of a Parca
 * before anything else is asked, and its questions.
 */
#ifndef BACKEND_PARCA_CALLS_H
#define BACKEND_PARCA_CALLS_H

#include "backend/profile_backend.h"
#include "base/json.h"

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

/* NULL: not known yet. */
const struct parca_facts *parca_facts_of(const struct side *side);

enum parca_fact { PARCA_TYPES, PARCA_LABELS, PARCA_FACTS };

/* The two requests that tell the facts. */
bool parca_facts_request(const struct endpoint *endpoint, enum parca_fact fact,
			 struct http_request *request,
			 struct error *err) MUST_CHECK;

/* True when the answer to PARCA_TYPES is that of a Parca. */
bool parca_is(const struct http_response *response);

/* Makes the profile server a Parca with what its answers to PARCA_TYPES and
 * PARCA_LABELS, in this order, tell; false when they are no Parca's. */
bool parca_adopt(struct backends *b, const struct http_response *responses,
		 struct error *err) MUST_CHECK;

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

/* So a label alone. */
const char *parca_label(const struct side *side, const char *label);

/* Series of one of the types; the query for both is the same. */
bool parca_type_request(const struct side *side, size_t type,
			const struct series_query *query,
			struct http_request *request,
			struct error *err) MUST_CHECK;
bool parca_type_answer(const struct backends *b, size_t type,
		       const struct series_query *query,
		       const struct http_response *response,
		       struct series_list *series,
		       struct error *err) MUST_CHECK;

/* The JSON object of an answer: calls read for the value of the field. False
 * for every other answer, in words. */
bool parca_read(const struct endpoint *endpoint,
		const struct http_response *response, struct str field,
		void (*read)(struct json_reader *r, void *into), void *into,
		struct error *err) MUST_CHECK;

/* A range without samples is answered 404, or in its place with the first web
 * page, by releases that have any. */
bool parca_is_empty_range(const struct http_response *response);

/* The step that a Parca is asked for to tell the totals of longer ones. */
int64_t parca_totals_step_s(const struct totals_query *query);

/* ---- for struct profile_backend ---- */

bool parca_services_request(const struct side *side, struct time_range range,
			    struct http_request *request,
			    struct error *err) MUST_CHECK;
bool parca_services_answer(const struct backends *b,
			   const struct http_response *response,
			   struct name_list *names,
			   struct error *err) MUST_CHECK;
/* Parca lists series of one type at a time: the first is asked for, and all
 * others side by side once it has answered. */
bool parca_types_request(const struct side *side,
			 const struct series_query *query,
			 struct http_request *request,
			 struct error *err) MUST_CHECK;
bool parca_types_answer(struct backends *b, const struct series_query *query,
			const struct http_response *response,
			struct name_list *types, struct error *err) MUST_CHECK;
bool parca_series_answer(struct backends *b, const struct series_query *query,
			 const struct http_response *response,
			 struct series_list *series,
			 struct error *err) MUST_CHECK;
unsigned parca_profile_attempts(const struct profile_query *query);
unsigned parca_names_attempt(const struct profile_query *query);
bool parca_profile_request(const struct side *side,
			   const struct profile_query *query, unsigned attempt,
			   struct http_request *request,
			   struct error *err) MUST_CHECK;
enum answer parca_profile_answer(struct side *side,
				 const struct profile_query *query,
				 unsigned attempt,
				 const struct http_response *response,
				 struct profile_form *form, struct error *err);
bool parca_profile_unwrap(const struct side *side,
			  const struct http_response *response,
			  struct buf *plain, struct error *err) MUST_CHECK;
bool parca_counts_totals(const struct side *side, struct str type_id);
bool parca_snapshots_request(const struct side *side,
			     const struct profile_query *query,
			     const char *instance_label, unsigned attempt,
			     struct http_request *request,
			     struct error *err) MUST_CHECK;
enum answer parca_snapshots_answer(const struct side *side,
				   const struct http_response *response,
				   int64_t *count, struct error *err);
bool parca_totals_request(const struct side *side,
			  const struct totals_query *query,
			  struct http_request *request,
			  struct error *err) MUST_CHECK;
bool parca_totals_answer(const struct backends *b,
			 const struct totals_query *query,
			 const struct http_response *response,
			 struct totals *totals, struct error *err) MUST_CHECK;

#endif
