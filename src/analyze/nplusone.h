/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops that call: the same small call repeated by one span, one after
 * another. Rules and thresholds follow Sentry's performance issues, with some
 * additions: a call inside a wrapper span of its own counts, other spans may
 * stand between repetitions when they repeat with them (a loop of several
 * calls), and a loop may run a few turns at a time.
 */
#ifndef ANALYZE_NPLUSONE_H
#define ANALYZE_NPLUSONE_H

#include "analyze/calls.h"
#include "analyze/trace_analysis.h"
#include "model/finding.h"

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

#endif
