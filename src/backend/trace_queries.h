/* SPDX-License-Identifier: Apache-2.0
 *
 * Queries to a traces server: a trace by its id, other traces of known
 * operations, searches by users, counts, names. Independent of the kind of
 * server.
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

/* An attribute to return for each span. */
struct search_key {
	struct str name;
	bool is_of_process; /* else of the span */
};

/* Spans of one service, name and kind ("server", "client", "producer",
 * "consumer"; "internal" also matches those without a kind). A single operation
 * without a name matches all spans of the service. */
struct search_operation {
	struct str service;
	struct str name;
	const char *kind;
};

struct search_query {
	struct str root_service; /* empty: any root */
	struct str root_name;
	/* The root's caller sends no spans: for servers that return the root of
	 * a trace, which do not return these. */
	bool is_root_called;
	const struct search_operation *operations; /* at least one */
	size_t operation_count;
	/* Only traces in which a span of this operation took at least
	 * min_duration_ns; NULL: all. Tempo then returns no other spans. */
	const struct search_operation *slow;
	int64_t min_duration_ns;
	const struct search_key *keys; /* for servers that return only requested
					* ones */
	size_t key_count;
	struct time_range range;
	uint32_t trace_limit;  /* at least 1 */
	struct str page_token; /* of the page after the first */
};

/* Maximum number of operations in a query: it has to fit into a URL, which
 * proxies often limit to 8 KiB. */
#define SEARCH_OPERATIONS 32u

/* Requests that a service served, in steps from range.from_ns on. With a name:
 * the spans of that name in traces of that root instead, which are those that a
 * search for such traces finds. */
struct count_query {
	struct str service;
	struct time_range range;
	int64_t step_ns;
	struct str name;
	struct str root_service; /* empty: any root */
	struct str root_name;
};

/* The requests of a service per step and version; with a name the spans of that
 * name. */
enum steps_measure {
	STEPS_COUNT,
	STEPS_MEAN_S, /* mean duration in seconds */
};

struct steps_query {
	struct str service;
	struct str name;
	enum steps_measure measure;
	struct steps steps; /* starting at a multiple of their length */
};

/* ---- searches by users ---- */

/* Empty texts and 0 are no condition. */
struct find_query {
	struct str service; /* has a span of this service, */
	struct str name;    /* of this name, */
	bool is_error;      /* failed, */
	/* at least this long: the span, or the whole trace if neither service
	 * nor name are given. */
	int64_t min_duration_ns;
	/* The user's TraceQL instead of service, name and is_error; the
	 * duration is then that of the trace. */
	struct str traceql;
	struct time_range range;
	uint32_t trace_limit; /* at least 1 */
	/* RE2 for names that are excluded from the distribution of durations;
	 * empty: none. */
	struct str uncounted_names;
	/* The slowest first, if the server supports it, else the newest. */
	bool is_slowest_first;
	struct str page_token; /* for pages after the first */
};

/* Returns whether durations are those of the matching spans, not of traces. */
static inline bool find_is_by_span(const struct find_query *query)
{
	return query->traceql.len == 0 &&
	       (query->service.len > 0 || query->name.len > 0);
}

/* The items that a server counts for a query. */
enum find_counted {
	FIND_COUNTS_NONE,     /* cannot be counted; do not query */
	FIND_COUNTS_TRACES,   /* by their roots */
	FIND_COUNTS_REQUESTS, /* entry spans of the service */
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

/* Attributes are named as in TraceQL ("span.http.route", "name"); a bare
 * "http.route" is searched in all scopes, "service" is short for the resource's
 * service.name. */
struct tags_query {
	struct str tag;     /* list its values; empty: the names of tags */
	struct str service; /* spans of this service only; may be empty */
	struct time_range range;
};

#endif
