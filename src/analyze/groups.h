/* SPDX-License-Identifier: Apache-2.0
 *
 * These against the rest: spans of now against those of before, of one pod
 * against the other pods, slow requests against fast ones. How many they are,
 * how long they take, and whether that is more than chance: every rule about
 * two groups is a row of one table in groups.c.
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

/* Spans needed to speak of a group. */
#define GROUP_MIN 5u

/* The ratio from which self times of the slow window have moved: the median by
 * a fifth, and beyond chance. */
#define GROUP_OWN_MOVED_RATIO 1.2

/* ---- which spans ---- */

/* Those of an operation that began in the range of a window; of one that is out
 * of reach: none. */
struct group_spans {
	const struct history *history;
	uint32_t operation;
	uint32_t window;
	struct time_range range;
};

/* As many as there can be. */
size_t group_spans_most(const struct group_spans *from);

/* The next one from place *at on, NULL behind the last. */
const struct history_span *group_spans_next(const struct group_spans *from,
					    uint32_t *at);

/* How long those of a group took. */
struct span_group {
	int64_t *values; /* ascending after group_end() */
	size_t count;
	size_t cap;
	int64_t p50_ns; /* -1 none */
};

/* Room for so many, for group_take(). */
bool group_reserve(struct span_group *g, size_t most, struct arena *arena,
		   struct error *err) MUST_CHECK;

static inline void group_take(struct span_group *g, int64_t duration_ns)
{
	g->values[g->count++] = duration_ns;
}

/* Appends all of them; makes room itself. */
bool group_add(struct span_group *g, const struct group_spans *from,
	       struct arena *arena, struct error *err) MUST_CHECK;

void group_end(struct span_group *g);

/* The second half of that, of those in order. */
static inline void group_set_median(struct span_group *g)
{
	g->p50_ns = values_quantile(g->values, g->count, 50);
}

/* Those that took at least so long; after group_end(). */
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

/* ---- whether they differ ---- */

/* How many times as long the one took as the other. */
static inline double times_as_long(int64_t a_ns, int64_t b_ns)
{
	return (double)a_ns / (double)(b_ns > 0 ? b_ns : 1);
}

struct group_test {
	size_t least; /* of the smaller group */
	double ratio; /* of the medians */
	double p;     /* by rank; 1 of an empty group */
	double z;     /* above 0: longer */
};

struct group_test group_test(const struct span_group *a,
			     const struct span_group *b);

/* Some of all. */
struct part {
	double some;
	double all;
};

/* Those that took at least so long; after group_end(). */
static inline struct part part_from(const struct span_group *g, int64_t from_ns)
{
	return (struct part){ group_from(g, from_ns), (double)g->count };
}

static inline double part_share(struct part p)
{
	return p.all > 0 ? p.some / p.all : 0;
}

/* The p value of two parts being one, by Fisher's exact test. */
double part_p(struct part a, struct part b);

enum group_rule {
	/* By how long they take. */
	GROUP_MOVED,
	GROUP_DRIFTED,
	GROUP_MOVED_LITTLE,
	GROUP_OWN_MOVED,
	GROUP_CREPT,
	GROUP_ONE_SLOWER,
	GROUP_ANOTHER_SLOWER,
	/* By how many they are. */
	GROUP_MORE,
	GROUP_MORE_IN_MODE,
	GROUP_MAYBE_MORE,
	GROUP_MANY_MORE,
	GROUP_MORE_AT_ALL,
	GROUP_RULES,
};

/* Returns the chance of a false claim by a rule that is tried once. */
double group_rule_p(enum group_rule rule);

/* Returns whether the first group is slower than the other by that rule, the
 * hardest to excuse of so many that were tried. */
bool group_is_slower(const struct group_test *t, enum group_rule rule,
		     uint32_t tried);

/* Ordinary groups drift by some ten percent from one window to the next: slower
 * by far, or by less but beyond doubt. */
bool group_has_moved(const struct group_test *t);

/* Returns whether there are more of them than before, the smaller part, by that
 * rule. */
bool part_is_larger(struct part now, struct part before, enum group_rule rule);

/* Returns whether one group stood out from the others before by at least half
 * of what it does now: then that is no news. Both have to be known of before.
 */
bool group_was_apart(const struct group_pair *now,
		     const struct group_pair *before);

#endif
