/* SPDX-License-Identifier: Apache-2.0
 *
 * Comparisons of two groups of spans: current spans with earlier ones, those of
 * one pod with those of other pods, slow requests with fast ones. Tests whether
 * their numbers or durations differ beyond chance: each rule about two groups
 * is a row of one table in groups.c.
 */
#ifndef ANALYZE_GROUPS_H
#define ANALYZE_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/ordering.h"
#include "base/arena.h"
#include "base/error.h"
#include "model/history.h"

/* Minimum number of spans in a group. */
#define GROUP_MIN 5u

/* Ratio of medians from which self times of the slow window have grown, if it
 * is significant. */
#define GROUP_OWN_MOVED_RATIO 1.2

/* ---- selection of spans ---- */

/* The spans of an operation that began in the range of a window; none if the
 * operation is out of range. */
struct group_spans {
	const struct history *history;
	uint32_t operation;
	uint32_t window;
	struct time_range range;
};

/* Returns an upper bound of their number. */
size_t group_spans_most(const struct group_spans *from);

/* Returns the next span from position *at on, NULL after the last. */
const struct history_span *group_spans_next(const struct group_spans *from,
					    uint32_t *at);

/* The durations of a group. */
struct span_group {
	int64_t *values; /* ascending after group_end() */
	size_t count;
	size_t cap;
	int64_t p50_ns; /* -1: none */
};

/* Reserves room for that many values, for group_take(). */
bool group_reserve(struct span_group *g, size_t most, struct arena *arena,
		   struct error *err) MUST_CHECK;

static inline void group_take(struct span_group *g, int64_t duration_ns)
{
	g->values[g->count++] = duration_ns;
}

/* Appends all durations; reserves room itself. */
bool group_add(struct span_group *g, const struct group_spans *from,
	       struct arena *arena, struct error *err) MUST_CHECK;

void group_end(struct span_group *g);

/* Sets the median of sorted values, the second half of group_end(). */
static inline void group_set_median(struct span_group *g)
{
	g->p50_ns = values_quantile(g->values, g->count, 50);
}

/* Returns the number of spans that took at least from_ns; after group_end(). */
static inline uint32_t group_from(const struct span_group *g, int64_t from_ns)
{
	return (uint32_t)(g->count -
			  values_below(g->values, g->count, from_ns));
}

/* One group and all others. */
struct group_pair {
	struct span_group with;
	struct span_group without;
};

bool group_pair_reserve(struct group_pair *p, size_t most, struct arena *arena,
			struct error *err) MUST_CHECK;
void group_pair_end(struct group_pair *p);

/* ---- tests ---- */

/* Returns the ratio of two durations. */
static inline double times_as_long(int64_t a_ns, int64_t b_ns)
{
	return (double)a_ns / (double)(b_ns > 0 ? b_ns : 1);
}

struct group_test {
	size_t least; /* size of the smaller group */
	double ratio; /* of the medians */
	double p;     /* of the rank test; 1: a group is empty */
	double z;     /* above 0: longer */
};

struct group_test group_test(const struct span_group *a,
			     const struct span_group *b);

/* A number out of a total. */
struct part {
	double some;
	double all;
};

/* Returns the part that took at least from_ns; after group_end(). */
static inline struct part part_from(const struct span_group *g, int64_t from_ns)
{
	return (struct part){ group_from(g, from_ns), (double)g->count };
}

static inline double part_share(struct part p)
{
	return p.all > 0 ? p.some / p.all : 0;
}

/* Returns the p value for two equal parts, by Fisher's exact test. */
double part_p(struct part a, struct part b);

enum group_rule {
	/* Rules about durations. */
	GROUP_MOVED,
	GROUP_DRIFTED,
	GROUP_MOVED_LITTLE,
	GROUP_OWN_MOVED,
	GROUP_CREPT,
	GROUP_ONE_SLOWER,
	GROUP_ANOTHER_SLOWER,
	/* Rules about numbers. */
	GROUP_MORE,
	GROUP_MORE_IN_MODE,
	GROUP_MAYBE_MORE,
	GROUP_MANY_MORE,
	GROUP_MORE_AT_ALL,
	GROUP_RULES,
};

/* Returns the probability of a false claim by a rule for a single test. */
double group_rule_p(enum group_rule rule);

/* Returns whether the first group is slower by the rule, as the most
 * significant of the number of groups tried. */
bool group_is_slower(const struct group_test *t, enum group_rule rule,
		     uint32_t tried);

/* Returns whether a group moved: by a large ratio, or by a smaller one with
 * high significance, since ordinary groups vary by some ten percent between
 * windows. */
bool group_has_moved(const struct group_test *t);

/* Returns whether the smaller part has grown by the rule. */
bool part_is_larger(struct part now, struct part before, enum group_rule rule);

/* Returns whether a group differed from the others before by at least half of
 * its current difference: then that is not new. Requires earlier spans of
 * both. */
bool group_was_apart(const struct group_pair *now,
		     const struct group_pair *before);

#endif
