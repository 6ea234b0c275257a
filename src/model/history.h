/* SPDX-License-Identifier: Apache-2.0
 *
 * History: spans of the same operations in other traces, by time window, as a
 * baseline. Sources return either complete traces or only the matching spans;
 * both become flat lists here. Filled by decode/, read by analyze/.
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

/* Spans with equal service, name and kind are of one operation. */
struct operation {
	struct str service;
	struct str name;
	enum span_kind kind;
};

/* Compares service and name, not the kind. */
static inline bool operation_is_named(const struct operation *o,
				      struct str service, struct str name)
{
	return str_equal(o->name, name) && str_equal(o->service, service);
}

/* Maximum number of attributes compared. A search names each of them, and two
 * dozen spans of a trace rarely have more that characterize the request. */
#define HISTORY_KEYS 24u
/* Longer values are unique to a request. */
#define HISTORY_VALUE_BYTES 128u

struct history_key {
	struct str name;
	bool is_of_process; /* resource attribute; else span attribute */
};

struct history_attr {
	uint32_t key;   /* index into history.keys */
	uint32_t value; /* symtab */
};

struct history_span {
	uint32_t operation; /* index into history.operations */
	uint32_t trace;     /* index into history_window.traces */
	uint64_t span_id;
	uint64_t parent_id;  /* 0: a root, or unknown */
	uint64_t profile_id; /* pyroscope.profile.id, 0 none */
	int64_t start_ns;
	int64_t duration_ns;
	/* Symtab: pod, else instance id, else host; 0 unknown. */
	uint32_t instance;
	uint32_t version;    /* symtab: service.version; 0 unknown */
	uint32_t attr_first; /* into history.attrs */
	uint16_t attr_count;
	bool is_error;
};

struct history_trace {
	struct trace_id id;
	int64_t start_ns;
	int64_t duration_ns; /* of the whole trace, 0 unknown */
	/* Symtab: the root span's. Only in a window of slow traces; 0
	 * unknown. */
	uint32_t root_service;
	uint32_t root_name;
};

/* Results of one query. */
struct history_window {
	struct time_range range;
	/* Only traces in which a span of this operation took at least
	 * min_duration_ns; OPERATION_NONE: all. */
	uint32_t slow_operation;
	int64_t min_duration_ns;
	bool is_answered;
	bool is_sample; /* a limit of the server or of ours was reached */
	struct history_trace *traces; /* ordered by start, id */
	uint32_t trace_count;
	struct history_span *spans; /* ordered by start, span id */
	uint32_t span_count;
	size_t trace_cap, span_cap;
};

/* The slow window, seven baselines, and up to four more for slow requests: the
 * first guess, refined by the history, and for a caller and back. One is
 * spare. */
#define HISTORY_WINDOWS 13

/* Returns whether a time is in a range; both ends 0 mean unlimited. */
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
	/* Attributes of spans and resources; borrowed, at most HISTORY_KEYS. */
	const struct history_key *keys;
	uint32_t key_count;
	struct history_attr *attrs;
	uint32_t attr_count;
	size_t attr_cap;
	struct history_window windows[HISTORY_WINDOWS];
	uint32_t window_count;
	/* If not empty, all operations of this service are collected instead of
	 * those given. */
	struct str service;
	bool is_of_requests; /* only those that serve a request */
};

/* Maximum number of operations collected for a service, as many as a search can
 * name; of a service with more, those of its latest requests. */
#define HISTORY_LEARNED 24u

/* operations must outlive the history. */
void history_init(struct history *h, const struct operation *operations,
		  uint32_t count);
void history_release(struct history *h);

/* Starts a history of all operations of a service; its name must outlive it. */
void history_init_service(struct history *h, struct str service);

/* Sets the number of an operation of that service; OPERATION_NONE if it is of
 * another service or a kind not collected, or past HISTORY_LEARNED. */
bool history_learn(struct history *h, struct str service, struct str name,
		   enum span_kind kind, uint32_t *operation,
		   struct error *err) MUST_CHECK;

struct str history_text(const struct history *h, uint32_t symbol);

/* Interns a copy of an instance or version. */
bool history_symbol(struct history *h, struct str text, uint32_t *symbol,
		    struct error *err) MUST_CHECK;

/* Returns the index of the operation, OPERATION_NONE if absent. */
uint32_t history_operation(const struct history *h, struct str service,
			   struct str name, enum span_kind kind);

/* Returns the index of the key, HISTORY_KEYS if absent. */
uint32_t history_key(const struct history *h, struct str key);

/* Appends an attribute to a span that is not added yet; append all attributes
 * of a span without interruption. Values over HISTORY_VALUE_BYTES and
 * attributes over LIMIT_HISTORY_ATTRS are dropped. For duplicate keys the last
 * value counts. */
bool history_add_attr(struct history *h, struct history_span *span,
		      uint32_t key, struct str value,
		      struct error *err) MUST_CHECK;

/* Returns its value, a symbol; 0 if the span has none. */
uint32_t history_attr(const struct history *h, const struct history_span *span,
		      uint32_t key);

/* Append to a window; a span belongs to the trace added last. Over
 * LIMIT_HISTORY_TRACES or LIMIT_HISTORY_SPANS they are dropped and is_sample is
 * set. */
bool history_add_trace(struct history *h, uint32_t window,
		       const struct history_trace *trace,
		       struct error *err) MUST_CHECK;
bool history_add_span(struct history *h, uint32_t window,
		      const struct history_span *span,
		      struct error *err) MUST_CHECK;

/* Moves what began before a time from one window to the end of an earlier one
 * and extends its range up to there; both are finished before and after. Over a
 * limit: dropped, is_sample set. */
bool history_move_before(struct history *h, uint32_t from, uint32_t to,
			 int64_t before_ns, struct error *err) MUST_CHECK;

/* Sorts a window and drops duplicates, and spans and traces outside its range,
 * which servers also return. */
void history_finish_window(struct history *h, uint32_t window);

/* Counts of requests of one operation seen by an investigation: by duration and
 * over time. Computed by analyze/request_history.h. */

/* Rows of a duration histogram. */
#define REQUEST_BUCKETS 16u
/* Time slots of a window: about 50 s each for ten minutes. */
#define REQUEST_SLOTS 12u
/* Number of example requests in a bucket, the longest; for more the user
 * searches. */
#define REQUEST_EXAMPLES 3u

/* The windows: around the trace, and the ones it may be compared with. */
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

/* Durations in [from_ns, to_ns); the last bucket includes to_ns. */
struct request_bucket {
	int64_t from_ns;
	int64_t to_ns;
	uint32_t now_count;
	uint32_t slow_count; /* of now_count, slow ones */
	uint32_t baseline_count;
	/* Found by searching for long ones only: not part of the
	 * distribution. */
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
	/* The request being investigated; not included in any count. */
	int64_t this_start_ns;
	int64_t this_duration_ns;
	int64_t threshold_ns;   /* slow from here on; 0: not judged */
	struct time_range slow; /* slow requests began in this window */
	/* When it became slow; 0: no change point known. */
	int64_t onset_ns;
	struct request_bucket buckets[REQUEST_BUCKETS];
	size_t bucket_count;
	/* Those queried, by role. */
	struct request_window windows[REQUEST_ROLES];
	size_t window_count;
	struct request_slot *slots; /* slots with requests, by role and time */
	size_t slot_count;
	uint32_t selected_count;
};

/* Returns the largest count of a bucket on either side, at least 1: the height
 * of the histogram. */
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

/* Search results: traces, each once, with what the responses contain. Filled by
 * decode/, sorted and counted by analyze/. */

struct hit {
	struct trace_id id;
	struct str root_service; /* empty: unknown */
	struct str root_name;
	struct str service; /* of the longest matching span; empty: none */
	struct str name;
	int64_t start_ns;    /* of the trace */
	int64_t trace_ns;    /* from its start to its end */
	int64_t span_ns;     /* of the longest matching span, 0 none */
	int64_t duration_ns; /* of the two, the one the search is about */
	uint32_t span_count; /* 0 unknown */
	uint32_t error_count;
};

/* Conditions for keeping a trace; the server has checked most of them. */
struct hit_want {
	struct str service; /* of a span; empty: any */
	struct str name;
	bool is_error;
	bool is_by_span; /* the span's duration counts, not the trace's */
	bool has_span;   /* else no single span matches, and none is kept */
	bool must_match; /* a span in the response has to match */
	int64_t min_duration_ns;
	/* Maximum error by which a trace's duration is reported too short. */
	int64_t slack_ns;
	struct time_range range; /* which the trace overlaps */
};

struct hits {
	struct arena arena;
	struct map by_id;
	struct hit *items;
	size_t count, cap;
	size_t answer_count; /* traces in the last response */
};

void hits_init(struct hits *h);
void hits_release(struct hits *h);

/* Copies the hit with its texts. For an id already present it only keeps the
 * longer of both durations. Returns false when out of memory. */
bool hits_add(struct hits *h, const struct hit *hit,
	      struct error *err) MUST_CHECK;

#endif
