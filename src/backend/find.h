/* SPDX-License-Identifier: Apache-2.0
 *
 * Finding traces by what the user says of them, and the names that there are
 * when nothing is found. Pure functions as in source.h; source.c's search is
 * about operations already known from a trace.
 */
#ifndef BACKEND_FIND_H
#define BACKEND_FIND_H

#include "backend/source.h"

/* Empty texts and 0 ask for nothing. */
struct find_query {
	struct str service; /* with a span of this service, */
	struct str name;    /* of this name, */
	bool is_error;      /* that failed, */
	/* that took so long; the whole trace when neither service nor name
	 * are given. */
	int64_t min_duration_ns;
	/* The user's own TraceQL instead of service, name and is_error; the
	 * duration is the trace's then. */
	struct str traceql;
	struct time_range range;
	uint32_t trace_limit; /* at least 1 */
	/* RE2 for names whose durations are not counted; empty: none. */
	struct str uncounted_names;
	/* For servers that can: the slowest of them, else the newest. */
	bool is_slowest_first;
	struct str page_token; /* of the page after the first */
};

/* Whether durations are those of the spans asked for, not of traces. */
bool find_is_by_span(const struct find_query *query);

/* Tempo: TraceQL; Jaeger: v3, then the legacy API, whole traces; Cloud Trace:
 * a list by each label that a service's name may have. ERROR_USAGE
 * for what this kind of server cannot be asked. */
bool source_find_request(enum source_kind kind, const struct endpoint *endpoint,
			 const struct find_query *query, unsigned attempt,
			 struct http_request *request,
			 struct error *err) MUST_CHECK;

/* As source_search_answer(). */
enum answer source_find_answer(enum source_kind kind,
			       const struct endpoint *endpoint,
			       const struct find_query *query,
			       unsigned *attempt,
			       const struct http_response *response,
			       enum body_form *form, struct error *err);

/* Whether the server is asked for the duration at this attempt; else only
 * what it happens to send can be looked through. */
bool source_find_is_bounded(enum source_kind kind,
			    const struct find_query *query, unsigned attempt);

/* ---- durations ---- */

/* What a server can count of what the query describes. */
enum find_counted {
	FIND_COUNTS_NONE,     /* no server counts that; ask nothing */
	FIND_COUNTS_TRACES,   /* by their roots */
	FIND_COUNTS_REQUESTS, /* spans with which the service was entered */
	FIND_COUNTS_SPANS,
};

enum find_counted source_find_counted(enum source_kind kind,
				      const struct find_query *query);

/* How often durations of which length were, all in the range: TraceQL
 * metrics. The answer is a BODY of its own, ANSWER_TRY_NEXT: the next attempt
 * may serve. Not every Tempo has them. */
bool source_durations_request(enum source_kind kind,
			      const struct endpoint *endpoint,
			      const struct find_query *query, unsigned attempt,
			      struct http_request *request,
			      struct error *err) MUST_CHECK;
enum answer source_durations_answer(enum source_kind kind,
				    const struct endpoint *endpoint,
				    unsigned attempt,
				    const struct http_response *response,
				    struct error *err);

/* The longest range whose durations the server counts, when this answer
 * refuses a longer one and parts of it add up; else 0. */
int64_t source_durations_limit_ns(unsigned attempt,
				  const struct http_response *response);

/* ---- names ---- */

enum trace_names { TRACE_SERVICES, TRACE_OPERATIONS };

/* Services that have traces in the range (Jaeger: ever), or the operations of
 * one of them. */
bool source_trace_names_request(enum source_kind kind,
				const struct endpoint *endpoint,
				enum trace_names what, struct str service,
				struct time_range range, unsigned attempt,
				struct http_request *request,
				struct error *err) MUST_CHECK;

/* ANSWER_TRY_NEXT: the next attempt may serve. names live in the arena,
 * sorted. */
enum answer source_trace_names_answer(
	enum source_kind kind, const struct endpoint *endpoint,
	unsigned attempt, const struct http_response *response,
	struct arena *arena, struct name_list *names, struct error *err);

/* ---- tags, of Tempo ---- */

struct tags_query {
	struct str tag;     /* whose values; empty: the names of tags */
	struct str service; /* of spans of this service only; may be empty */
	struct time_range range;
};

/* Tags are named as TraceQL has them ("span.http.route", "name"); a bare
 * "http.route" is looked for in all scopes, "service" is short for the
 * resource's service.name. The second attempt is for servers before 2.0,
 * which know neither scopes nor conditions. The answer is read by
 * source_trace_names_answer(). */
bool source_tags_request(const struct endpoint *endpoint,
			 const struct tags_query *query, unsigned attempt,
			 struct http_request *request,
			 struct error *err) MUST_CHECK;

#endif
