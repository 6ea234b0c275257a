/* SPDX-License-Identifier: Apache-2.0
 *
 * Parca, by the JSON form of its query service (parca/query/v1alpha1, GET
 * below /api/profiles). It knows nothing of spans, names services by a label
 * of the user's choice, and has two kinds of the same type: "delta", which is
 * of an interval, and totals since a process began. The calls of source.h for
 * profiles come here when the endpoint has the facts below.
 */
#ifndef BACKEND_PARCA_H
#define BACKEND_PARCA_H

#include "backend/source.h"
#include "base/json.h"

struct parca_type {
	struct str id;      /* five parts, as elsewhere */
	const char *wanted; /* as Parca wants it, with ":delta" */
	bool is_delta;
};

/* The id here of the CPU time that Parca's agent measures. */
#define PARCA_AGENT_CPU "process_cpu:cpu:nanoseconds::"

/* What has to be known before anything else is asked; in an arena. */
struct parca_facts {
	const char *service_label; /* "job"; takes the place of service_name */
	const char *agent_cpu; /* what is PARCA_AGENT_CPU here; NULL: none is */
	bool has_service_label;   /* profiles have it, else it is a guess */
	struct parca_type *types; /* by id, a delta before the same in total */
	size_t type_count;
};

enum parca_fact { PARCA_TYPES, PARCA_LABELS, PARCA_FACTS };

/* The two requests that tell the facts. */
bool parca_facts_request(const struct endpoint *endpoint, enum parca_fact fact,
			 struct http_request *request,
			 struct error *err) MUST_CHECK;

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

/* Series of one of the types; the same labels as source_series_request(). */
bool parca_series_request(const struct endpoint *endpoint, size_t type,
			  const char *selector, const char *const *labels,
			  size_t label_count, struct time_range range,
			  struct http_request *request,
			  struct error *err) MUST_CHECK;
bool parca_series_answer(const struct endpoint *endpoint, size_t type,
			 const struct http_response *response,
			 const char *const *labels, size_t label_count,
			 struct arena *arena, struct series_list *series,
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

/* ---- for the calls of source.h ---- */

bool parca_services_request(const struct endpoint *endpoint,
			    struct time_range range,
			    struct http_request *request,
			    struct error *err) MUST_CHECK;
bool parca_services_answer(const struct endpoint *endpoint,
			   const struct http_response *response,
			   struct arena *arena, struct name_list *names,
			   struct error *err) MUST_CHECK;
bool parca_profile_request(const struct endpoint *endpoint,
			   const struct profile_query *query,
			   struct http_request *request,
			   struct error *err) MUST_CHECK;
enum answer parca_profile_answer(const struct endpoint *endpoint,
				 const struct http_response *response,
				 struct error *err);
/* The pprof of an answer, unpacked, appended to plain. */
bool parca_profile_bytes(const struct endpoint *endpoint,
			 const struct http_response *response,
			 struct buf *plain, struct error *err) MUST_CHECK;
bool parca_totals_request(const struct endpoint *endpoint,
			  const struct totals_query *query,
			  struct http_request *request,
			  struct error *err) MUST_CHECK;
bool parca_totals_answer(const struct endpoint *endpoint,
			 const struct http_response *response,
			 const struct totals_query *query, struct arena *arena,
			 struct totals *totals, struct error *err) MUST_CHECK;
bool parca_snapshots_request(const struct endpoint *endpoint,
			     const struct profile_query *query,
			     struct http_request *request,
			     struct error *err) MUST_CHECK;
enum answer parca_snapshots_answer(const struct endpoint *endpoint,
				   const struct http_response *response,
				   int64_t *count, struct error *err);

#endif
