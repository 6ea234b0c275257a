/* SPDX-License-Identifier: Apache-2.0
 *
 * What can be asked of a server of traces: a trace by its id, other traces of
 * known operations, traces that a user describes, counts, names. Knows neither
 * how a server is asked nor what it answers.
 */
#ifndef BACKEND_TRACE_QUERIES_H
#define BACKEND_TRACE_QUERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "base/timefmt.h"
#include "model/metrics.h"

struct trace_query {
	const char *trace_id_hex; /* 32 digits */
	bool has_window;
	struct time_range window;
};

/* ---- other traces of operations known from a trace ---- */

/* An attribute that is wanted of each span. */
struct search_key {
	struct str name;
	bool is_of_process; /* else of the span */
};

/* Spans of one service, name and kind ("server", "client", "producer",
 * "consumer"; "internal" also finds those without a kind). Alone and without a
 * name: whatever the service does. */
struct search_operation {
	struct str service;
	struct str name;
	const char *kind;
};

struct search_query {
	struct str root_service; /* empty: any root */
	struct str root_name;
	/* The root was called by who sends no spans: servers that tell the root
	 * of a trace tell none of these. */
	bool is_root_called;
	const struct search_operation *operations; /* at least one */
	size_t operation_count;
	/* Only traces in which a span of this one took at least
	 * min_duration_ns; NULL: all. Tempo then gives no other spans. */
	const struct search_operation *slow;
	int64_t min_duration_ns;
	const struct search_key *keys; /* where they are not all given */
	size_t key_count;
	struct time_range range;
	uint32_t trace_limit;  /* at least 1 */
	struct str page_token; /* of the page after the first */
};

/* Operations past this many are not asked for: a query must fit into an
 * address, whose ceiling at proxies is often 8 KiB. */
#define SEARCH_OPERATIONS 32u

/* Requests that a service served, in steps from range.from_ns on. With a name
 * the spans of that name instead, in traces of that root: what a search for
 * such traces will find. */
struct count_query {
	struct str service;
	struct time_range range;
	int64_t step_ns;
	struct str name;
	struct str root_service; /* empty: any root */
	struct str root_name;
};

/* The requests of a service, step by step and by its version; with a name the
 * spans of that name. */
enum steps_measure {
	STEPS_COUNT,
	STEPS_MEAN_S, /* their duration in seconds, on average */
};

struct steps_query {
	struct str service;
	struct str name;
	enum steps_measure measure;
	struct steps steps; /* which begin at a multiple of their length */
};

/* ---- traces that a user describes ---- */

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

/* Returns whether durations are those of the spans asked for, not of traces. */
static inline bool find_is_by_span(const struct find_query *query)
{
	return query->traceql.len == 0 &&
	       (query->service.len > 0 || query->name.len > 0);
}

/* The kinds of things that a server can count of a query. */
enum find_counted {
	FIND_COUNTS_NONE,     /* no server counts that; ask nothing */
	FIND_COUNTS_TRACES,   /* by their roots */
	FIND_COUNTS_REQUESTS, /* spans with which the service was entered */
	FIND_COUNTS_SPANS,
};

/* ---- names ---- */

enum trace_names { TRACE_SERVICES, TRACE_OPERATIONS };

/* Services that have traces in the range, or the operations of one of them. */
struct names_query {
	enum trace_names what;
	struct str service;
	struct time_range range;
};

/* Attributes are named as TraceQL has them ("span.http.route", "name"); a bare
 * "http.route" is looked for in all scopes, "service" is short for the
 * resource's service.name. */
struct tags_query {
	struct str tag;     /* whose values; empty: the names of tags */
	struct str service; /* of spans of this service only; may be empty */
	struct time_range range;
};

#endif
