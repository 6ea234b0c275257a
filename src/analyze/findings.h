/* SPDX-License-Identifier: Apache-2.0
 *
 * Other findings in a trace, independent of the suspect span: repeated and
 * retried calls, slow branches and queries, gaps, errors, async work, clock
 * skew.
 */
#ifndef ANALYZE_FINDINGS_H
#define ANALYZE_FINDINGS_H

#include "analyze/calls.h"
#include "analyze/trace_analysis.h"
#include "model/result.h"
#include "model/trace.h"

/* Loops of calls: the same small call repeated by one span, one after another.
 * Rules and thresholds follow Sentry's performance issues, with additions: a
 * call inside a wrapper span of its own counts, other spans may occur between
 * repetitions if they repeat with them (a loop of several calls), and a loop
 * may run a few iterations concurrently. */

/* Concurrent calls: their number is a problem if more than 5 together take at
 * least twice as long as the longest. If they all start at once they take as
 * long as the slowest, since they slow each other down; REPEAT_CALL_COUNT or
 * more of these are minor: reported only if history shows that their number
 * grew. */
#define REPEAT_PARALLEL_COUNT 6u
#define REPEAT_PARALLEL_WAVES 2

/* Calls below repeated spans (rows of a page, calls of another service that
 * each query): maximum number of levels between the loop and its calls,
 * including spans of frameworks and of both sides of a call. */
#define REPEAT_NESTED_LEVELS 32u

struct repeat {
	uint32_t parent; /* the span with the loop */
	uint32_t leaf;   /* call of the first member: itself or inside it */
	uint32_t count;
	uint32_t member_first; /* into repeats.members */
	enum call_kind kind;
	int64_t start_ns; /* first start and last end, as recorded */
	int64_t end_ns;
	int64_t sum_ns;     /* time in which at least one of them ran */
	int64_t through_ns; /* on the critical path, with callees */
	bool is_parallel;   /* some ran concurrently */
	bool is_at_once;    /* nearly all ran concurrently */
	bool is_minor;      /* enough calls, but below the minimum time */
	/* For calls below repeated spans: the first of the repeated spans
	 * directly below the parent, and their number; else SPAN_NONE. */
	uint32_t holder;
	uint32_t holder_count;
};

struct repeats {
	struct repeat *items; /* most time on the path first */
	size_t count;
	size_t cap;
	uint32_t *members; /* spans below the parent, by start */
	size_t member_count;
	size_t member_cap;
};

/* Returns how the calls of a loop ran. */
enum repeat_manner repeat_manner(const struct repeat *r);

/* Finds runs of similar children, one after another or a few at a time, and
 * similar calls below similar children, summed over all of them; of two nested
 * runs only one is reported. Excludes pagination and retries; includes minor
 * runs. *out lives in the arena. */
bool repeats_find(const struct calls *c, const struct trace_times *times,
		  struct arena *arena, struct repeats *out,
		  struct error *err) MUST_CHECK;

/* Maximum number of findings per kind; a last one has the number of the
 * others. */
#define FINDINGS_PER_KIND 10u

/* Maximum number of span ids per finding; its text has the total number. */
#define FINDING_SPAN_IDS 100u

/* Minimum time, besides a minimum part of the critical path, for a finding. */
#define FINDING_LEAST_NS ((int64_t)10000000)

/* Appends to result->findings, in this order: n_plus_one, retry, slow_shard and
 * fan_out, cold_call, slow_query, consecutive_http, queue_gap, gap, error,
 * message_delay, session or async_work and other_roots, clock_skew. Their texts
 * are left to report/texts.h. */
bool findings_collect(const struct calls *c, const struct trace_times *times,
		      const struct repeats *repeats, struct result *result,
		      struct error *err) MUST_CHECK;

/* Siblings that do the same thing, possibly through wrappers: attempts at one
 * call, branches of a fan-out, iterations of a loop. */

struct sibling_group {
	uint32_t parent;
	uint32_t leaf;         /* call of the first member, itself or inside it;
				* SPAN_NONE: none */
	uint32_t member_first; /* into siblings.members */
	uint32_t count;        /* at least 2 */
};

struct siblings {
	struct sibling_group *groups; /* by parent, in a deterministic order */
	uint32_t count;
	uint32_t *members; /* by start */
};

/* Groups all spans that their parents waited for. *out lives in the arena. */
bool siblings_find(const struct calls *c, const struct trace_times *times,
		   struct arena *arena, struct siblings *out,
		   struct error *err) MUST_CHECK;

/* Calls repeated because they failed. The cost of a retried call is spread over
 * its attempts, and its callee often continues after the caller gave up: the
 * durations at the server are more informative than the part within the
 * client's time. */

struct retry {
	uint32_t parent;       /* the span that retries */
	uint32_t call;         /* the first attempt's client span */
	uint32_t member_first; /* into retries.members */
	uint32_t count;        /* attempts, at least 2 */
	uint32_t error_count;  /* failed attempts */
	uint32_t error;     /* deepest failed span of the last failed attempt */
	uint32_t server;    /* the longest server side that takes at least half
			     * of its attempt, or SPAN_NONE: then the time
			     * passed before the callee or without spans */
	bool has_succeeded; /* of the last attempt */
	int64_t server_ns;  /* of that server side, not clipped */
	int64_t start_ns;   /* first attempt, as recorded */
	int64_t end_ns;     /* of the last one */
	int64_t lost_ns;    /* all but the last attempt, with the pauses;
			     * everything if the last one failed, too */
	int64_t pause_ns;   /* backoff between the attempts */
	int64_t through_ns; /* on the critical path, with callees */
};

struct retries {
	struct retry *items; /* most lost time first */
	size_t count;
	uint32_t *members; /* attempts, children of the parent, by start */
	size_t member_count;
	bool *is_member; /* per span: is an attempt, or its call in a wrapper */
};

/* Finds runs of similar siblings, one after another, of which all but the last
 * failed or are marked as repeated requests. *out lives in the arena. */
bool retries_find(const struct calls *c, const struct trace_times *times,
		  const struct siblings *siblings, struct arena *arena,
		  struct retries *out, struct error *err) MUST_CHECK;

/* Returns whether an attempt (or the call inside its wrapper) failed. */
bool call_has_failed(const struct calls *c, uint32_t span);

#endif
