/* SPDX-License-Identifier: Apache-2.0
 *
 * What is usual: spans of the same operations in other traces, by window.
 * Sources give either whole traces or only the matching spans; here both are
 * flat lists. Filled by decode/, read by analyze/.
 */
#ifndef MODEL_HISTORY_H
#define MODEL_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/map.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "model/symtab.h"
#include "model/trace.h"

#define OPERATION_NONE UINT32_MAX

/* Spans are of one operation when service, name and kind are equal. */
struct operation {
	struct str service;
	struct str name;
	enum span_kind kind;
};

/* Whatever its kind is. */
static inline bool operation_is_named(const struct operation *o,
				      struct str service, struct str name)
{
	return str_equal(o->name, name) && str_equal(o->service, service);
}

/* Attributes that are looked at. A search names each of them, and two dozen
 * spans of a trace have hardly more that say something of the request. */
#define HISTORY_KEYS 24u
/* A value that is longer says something of its own request alone. */
#define HISTORY_VALUE_BYTES 128u

struct history_key {
	struct str name;
	bool is_of_process; /* else of the span */
};

struct history_attr {
	uint32_t key;   /* index into history.keys */
	uint32_t value; /* symtab */
};

struct history_span {
	uint32_t operation; /* index into history.operations */
	uint32_t trace;     /* index into history_window.traces */
	uint64_t span_id;
	uint64_t parent_id;  /* 0: a root, or the source does not say */
	uint64_t profile_id; /* pyroscope.profile.id, 0 none */
	int64_t start_ns;
	int64_t duration_ns;
	uint32_t instance;   /* symtab: pod, else instance id, else host; 0
				unknown */
	uint32_t version;    /* symtab: service.version; 0 unknown */
	uint32_t attr_first; /* into history.attrs */
	uint16_t attr_count;
	bool is_error;
};

struct history_trace {
	struct trace_id id;
	int64_t start_ns;
	int64_t duration_ns; /* of the whole trace, 0 unknown */
	/* Symtab: the first span's. Only in a window of slow traces; 0 unknown. */
	uint32_t root_service;
	uint32_t root_name;
};

/* The answer to one question. */
struct history_window {
	struct time_range range;
	/* Only traces in which a span of this operation took at least
	 * min_duration_ns; OPERATION_NONE: all. */
	uint32_t slow_operation;
	int64_t min_duration_ns;
	bool is_answered;
	bool is_sample; /* the server's or our limit was reached */
	struct history_trace *traces; /* ordered by start, id */
	uint32_t trace_count;
	struct history_span *spans; /* ordered by start, span id */
	uint32_t span_count;
	size_t trace_cap, span_cap;
};

/* The slow window, seven baselines, and those like the slow one: of the first
 * guess, of what the history says, and of a caller and back. One is spare. */
#define HISTORY_WINDOWS 13

/* Returns whether a time lies in a range of which both ends 0 mean all. */
static inline bool history_range_has(struct time_range range, int64_t time_ns)
{
	return (!range.from_ns && !range.to_ns) ||
	       time_range_has(range, time_ns);
}

struct history {
	struct arena arena;
	struct symtab symtab;
	const struct operation *operations; /* borrowed */
	uint32_t operation_count;
	/* Of spans and processes; borrowed, HISTORY_KEYS at most. */
	const struct history_key *keys;
	uint32_t key_count;
	struct history_attr *attrs;
	uint32_t attr_count;
	size_t attr_cap;
	struct history_window windows[HISTORY_WINDOWS];
	uint32_t window_count;
	/* Of this service all operations that come are taken; empty: the
	 * operations are given. */
	struct str service;
	bool is_of_requests; /* of its operations those that serve a request */
};

/* Operations of a service that are told apart. As many as a search may name
 * elsewhere: a service with more is known by those of its newest requests. */
#define HISTORY_LEARNED 24u

/* operations must outlive the history. */
void history_init(struct history *h, const struct operation *operations,
		  uint32_t count);
void history_release(struct history *h);

/* A history of whatever a service does; its name must outlive it. */
void history_init_service(struct history *h, struct str service);

/* The number of an operation of that service, OPERATION_NONE when it is of
 * another one or of a kind that is not taken, or when there are
 * HISTORY_LEARNED already. */
bool history_learn(struct history *h, struct str service, struct str name,
		   enum span_kind kind, uint32_t *operation,
		   struct error *err) MUST_CHECK;

struct str history_text(const struct history *h, uint32_t symbol);

/* Interns a copy for an instance or version. */
bool history_symbol(struct history *h, struct str text, uint32_t *symbol,
		    struct error *err) MUST_CHECK;

/* Index of the operation, or OPERATION_NONE. */
uint32_t history_operation(const struct history *h, struct str service,
			   struct str name, enum span_kind kind);

/* Index of the key, or HISTORY_KEYS. */
uint32_t history_key(const struct history *h, struct str key);

/* Appends an attribute to a span that is not added yet, whose others were
 * appended before it and nothing else in between. Of values over
 * HISTORY_VALUE_BYTES and attributes over LIMIT_HISTORY_ATTRS nothing is kept.
 * Of equal keys the last value counts. */
bool history_add_attr(struct history *h, struct history_span *span,
		      uint32_t key, struct str value,
		      struct error *err) MUST_CHECK;

/* Its value: a symbol, 0 when the span has none. */
uint32_t history_attr(const struct history *h, const struct history_span *span,
		      uint32_t key);

/* Appends to a window; the span's trace is the one added last. Over
 * LIMIT_HISTORY_TRACES or LIMIT_HISTORY_SPANS: dropped, is_sample set. */
bool history_add_trace(struct history *h, uint32_t window,
		       const struct history_trace *trace,
		       struct error *err) MUST_CHECK;
bool history_add_span(struct history *h, uint32_t window,
		      const struct history_span *span,
		      struct error *err) MUST_CHECK;

/* Moves what began before a time from one window to the end of an earlier one,
 * whose range then reaches up to there; both are finished, and stay so. Over a
 * limit: dropped, is_sample set. */
bool history_move_before(struct history *h, uint32_t from, uint32_t to,
			 int64_t before_ns, struct error *err) MUST_CHECK;

/* Puts a window in order, drops spans and traces outside its range (servers
 * answer so) and duplicates. */
void history_finish_window(struct history *h, uint32_t window);

/* The requests of one operation that an investigation saw, counted: by how long
 * they took, and over time. Facts; analyze/request_history.h makes it. */

/* Rows of a histogram of durations. */
#define REQUEST_BUCKETS 16u
/* Parts of a window: of ten minutes some fifty seconds each. */
#define REQUEST_SLOTS 12u
/* A bucket names so many of the longest in it; who wants more of them asks for
 * a search. */
#define REQUEST_EXAMPLES 3u

/* Which minutes: those around the trace, and what they may be compared with. */
enum request_role {
	REQUESTS_NOW = 0,
	REQUESTS_PREVIOUS,
	REQUESTS_THIRD_HOUR,
	REQUESTS_TWO_THIRDS,
	REQUESTS_HOUR,
	REQUESTS_THREE_HOURS,
	REQUESTS_DAY,
	REQUESTS_WEEK,
	REQUEST_ROLES,
};

struct request_example {
	struct trace_id trace_id;
	int64_t start_ns;
	int64_t duration_ns;
	enum request_role role;
};

/* Durations in [from_ns, to_ns), the last bucket's up to to_ns. */
struct request_bucket {
	int64_t from_ns;
	int64_t to_ns;
	uint32_t now_count;
	uint32_t slow_count; /* of these: those that are called slow */
	uint32_t baseline_count;
	/* Only found by asking for long ones: no part of a distribution. */
	uint32_t selected_count;
	struct request_example examples[REQUEST_EXAMPLES];
	size_t example_count;
};

struct request_slot {
	enum request_role role;
	struct time_range range;
	uint32_t count;
	uint32_t slow_count;
	uint32_t error_count;
	int64_t shortest_ns;
	int64_t p50_ns;
	struct request_example longest;
};

struct request_window {
	enum request_role role;
	struct time_range range;
	uint32_t count;
	int64_t p50_ns; /* -1: none */
	bool is_baseline;
	bool is_sample; /* the server had more */
};

struct request_history {
	struct str service;
	struct str name;
	/* The request in question, which is in none of the counts. */
	int64_t this_start_ns;
	int64_t this_duration_ns;
	int64_t threshold_ns;   /* slow from here on; 0: nothing was judged */
	struct time_range slow; /* and began within this */
	int64_t onset_ns;       /* when it became slow; 0: no step is known */
	struct request_bucket buckets[REQUEST_BUCKETS];
	size_t bucket_count;
	struct request_window windows[REQUEST_ROLES]; /* asked for, by role */
	size_t window_count;
	struct request_slot *slots; /* with requests, by role and time */
	size_t slot_count;
	uint32_t selected_count;
};

/* Requests of either side in the fullest bucket, 1 at least: what a histogram
 * is as high as. */
static inline uint32_t request_history_most(const struct request_history *h)
{
	uint32_t most = 1;

	for (size_t i = 0; i < h->bucket_count; i++) {
		const struct request_bucket *b = &h->buckets[i];
		uint32_t now = b->now_count + b->selected_count;

		most = now > most ? now : most;
		most = b->baseline_count > most ? b->baseline_count : most;
	}
	return most;
}

/* Traces that a search found, each once, with what the answers tell of them.
 * Filled by decode/, ordered and counted by analyze/. */

struct hit {
	struct trace_id id;
	struct str root_service; /* empty: not known */
	struct str root_name;
	struct str service; /* of the longest span that matched; empty: none */
	struct str name;
	int64_t start_ns;    /* of the trace */
	int64_t trace_ns;    /* from its start to its end */
	int64_t span_ns;     /* the longest span that matched, 0 none */
	int64_t duration_ns; /* of the two, the one that was asked about */
	uint32_t span_count; /* 0 unknown */
	uint32_t error_count;
};

/* The conditions for a trace to be kept; the server judged most of it. */
struct hit_want {
	struct str service; /* of a span; empty: any */
	struct str name;
	bool is_error;
	bool is_by_span; /* the span's duration counts, not the trace's */
	bool has_span;   /* else no span stands out, and none is kept */
	bool must_match; /* a span of those that the answer holds */
	int64_t min_duration_ns;
	/* A trace's duration is told so much too short at most. */
	int64_t slack_ns;
	struct time_range range; /* the trace overlaps it */
};

struct hits {
	struct arena arena;
	struct map by_id;
	struct hit *items;
	size_t count, cap;
	size_t answer_count; /* traces that the last answer held */
};

void hits_init(struct hits *h);
void hits_release(struct hits *h);

/* Copies the hit, its texts included. One that is there already stays, with
 * the longer of both durations. False: memory. */
bool hits_add(struct hits *h, const struct hit *hit,
	      struct error *err) MUST_CHECK;

#endif
