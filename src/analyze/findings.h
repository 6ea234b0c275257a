/* SPDX-License-Identifier: Apache-2.0
 *
 * What else a trace shows, whatever span is to blame: repeated and retried
 * calls, slow branches and queries, gaps, failures, work nobody waited for,
 * clocks that disagree.
 */
#ifndef ANALYZE_FINDINGS_H
#define ANALYZE_FINDINGS_H

#include "analyze/calls.h"
#include "analyze/trace_analysis.h"
#include "model/result.h"
#include "model/trace.h"

/* Loops that call: the same small call repeated by one span, one after
 * another. Rules and thresholds follow Sentry's performance issues, with some
 * additions: a call inside a wrapper span of its own counts, other spans may
 * stand between repetitions when they repeat with them (a loop of several
 * calls), and a loop may run a few turns at a time. */

/* Calls side by side: only their number can be to blame when more than 5
 * take twice as long together as the longest of them. All at once they take
 * as long as the slowest of them, for they get in each other's way; that many
 * as of one after another (REPEAT_CALL_COUNT) are minor: told when history
 * says that their number grew. */
#define REPEAT_PARALLEL_COUNT 6u
#define REPEAT_PARALLEL_WAVES 2

/* Calls below repeated spans (rows of a page, calls of another service that
 * each query): the loop is run so many levels above its calls at most, spans of
 * frameworks and of both sides of a call among them. */
#define REPEAT_NESTED_LEVELS 32u

struct repeat {
	uint32_t parent; /* the span that runs the loop */
	uint32_t leaf;   /* the first member's call; itself or inside it */
	uint32_t count;
	uint32_t member_first; /* into repeats.members */
	enum call_kind kind;
	int64_t start_ns; /* first start and last end, as recorded */
	int64_t end_ns;
	int64_t sum_ns;     /* time in which at least one of them ran */
	int64_t through_ns; /* of the critical path, with what is below */
	bool is_parallel;   /* some of them ran side by side */
	bool is_at_once;    /* nearly all of them did */
	bool is_minor;      /* often enough, but takes less than it must */
	/* Of calls below repeated spans: the first of those right below the
	 * parent, and how many there are; else SPAN_NONE. */
	uint32_t holder;
	uint32_t holder_count;
};

struct repeats {
	struct repeat *items; /* the most time of the path first */
	size_t count;
	size_t cap;
	uint32_t *members; /* spans below the parent, by start */
	size_t member_count;
	size_t member_cap;
};

/* How the calls of a loop ran. */
enum repeat_manner repeat_manner(const struct repeat *r);

/* Runs of like children, one after another or a few at a time, and like calls
 * below like children, added up over all of them; of two that lie within one
 * another one is told. Not among them: reading page after page, and attempts at
 * a call that failed. Minor ones are among them. *out lives in the arena. */
bool repeats_find(const struct calls *c, const struct trace_times *times,
		  struct arena *arena, struct repeats *out,
		  struct error *err) MUST_CHECK;

/* Findings of one kind; more are counted in a last one. */
#define FINDINGS_PER_KIND 10u

/* Span ids of one finding; the number of all stands in its text. */
#define FINDING_SPAN_IDS 100u

/* Less time than this, or than this part of the critical path, is not worth
 * a word, whatever its pattern. */
#define FINDING_LEAST_NS ((int64_t)10000000)

/* Appends to result->findings, in this order: n_plus_one, retry, slow_shard
 * and fan_out, cold_call, slow_query, consecutive_http, queue_gap, gap, error,
 * message_delay, session or async_work and other_roots, clock_skew. Their texts
 * are left to report/texts.h. */
bool findings_collect(const struct calls *c, const struct trace_times *times,
		      const struct repeats *repeats, struct result *result,
		      struct error *err) MUST_CHECK;

/* Spans of one parent that do the same thing, whoever does it for them:
 * attempts at one call, branches of a fan-out, turns of a loop. */

struct sibling_group {
	uint32_t parent;
	uint32_t leaf;         /* the first member's call, itself or inside it;
				  SPAN_NONE when it makes none */
	uint32_t member_first; /* into siblings.members */
	uint32_t count;        /* at least 2 */
};

struct siblings {
	struct sibling_group *groups; /* by parent, in a fixed order */
	uint32_t count;
	uint32_t *members; /* by start */
};

/* Groups all spans their parents waited for. *out lives in the arena. */
bool siblings_find(const struct calls *c, const struct trace_times *times,
		   struct arena *arena, struct siblings *out,
		   struct error *err) MUST_CHECK;

/* The same call made again because it failed. What a retried call costs is
 * spread over its attempts, and its callee often goes on after the caller
 * gave up: the server's own durations tell more than what fits into the
 * client's time. */

struct retry {
	uint32_t parent;       /* the span that tries again */
	uint32_t call;         /* the first attempt's call: a client span */
	uint32_t member_first; /* into retries.members */
	uint32_t count;        /* attempts, at least 2 */
	uint32_t error_count;  /* failed ones */
	uint32_t error;     /* deepest failed span of the last failed attempt */
	uint32_t server;    /* the longest server side that takes half of its
			       attempt or more, or SPAN_NONE: then the time went
			       by in front of the callee or without a trace */
	bool has_succeeded; /* the last attempt */
	int64_t server_ns;  /* duration of that server side, not clipped */
	int64_t start_ns;   /* first attempt, as recorded */
	int64_t end_ns;     /* of the last one */
	int64_t lost_ns;    /* all but the last attempt, with the pauses; the
			       whole when the last one failed too */
	int64_t pause_ns;   /* between the attempts: backing off */
	int64_t through_ns; /* of the critical path, with what is below */
};

struct retries {
	struct retry *items; /* the most time lost first */
	size_t count;
	uint32_t *members; /* attempts, children of the parent, by start */
	size_t member_count;
	bool *is_member; /* per span: an attempt, or its call in a wrapper */
};

/* Runs of like siblings in which every one but the last failed, one after
 * another, or says itself that it is sent again. *out lives in the arena. */
bool retries_find(const struct calls *c, const struct trace_times *times,
		  const struct siblings *siblings, struct arena *arena,
		  struct retries *out, struct error *err) MUST_CHECK;

/* Returns whether an attempt (or the call inside its wrapper) failed. */
bool call_has_failed(const struct calls *c, uint32_t span);

#endif
