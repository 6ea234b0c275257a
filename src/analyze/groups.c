/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/groups.h"

#include <math.h>

#include "analyze/stats.h"

/* ---- which spans ---- */

static const struct history_window *window_of(const struct group_spans *from)
{
	return from->window < from->history->window_count
		       ? &from->history->windows[from->window]
		       : NULL;
}

size_t group_spans_most(const struct group_spans *from)
{
	const struct history_window *w = window_of(from);

	return w ? w->span_count : 0;
}

const struct history_span *group_spans_next(const struct group_spans *from,
					    uint32_t *at)
{
	const struct history_window *w = window_of(from);

	while (w && *at < w->span_count) {
		const struct history_span *s = &w->spans[(*at)++];

		if (s->operation == from->operation &&
		    time_range_has(from->range, s->start_ns))
			return s;
	}
	return NULL;
}

bool group_reserve(struct span_group *g, size_t most, struct arena *arena,
		   struct error *err)
{
	void *values = g->values;

	if (!arena_reserve(arena, &values, &g->cap, most + 1,
			   sizeof *g->values))
		return arena_fail(arena, "spans of the operation", err);
	g->values = values;
	return true;
}

bool group_add(struct span_group *g, const struct group_spans *from,
	       struct arena *arena, struct error *err)
{
	const struct history_span *s;
	uint32_t at = 0;

	if (!group_reserve(g, g->count + group_spans_most(from), arena, err))
		return false;
	while ((s = group_spans_next(from, &at)))
		group_take(g, s->duration_ns);
	return true;
}

void group_end(struct span_group *g)
{
	values_sort(g->values, g->count);
	group_set_median(g);
}

bool group_pair_reserve(struct group_pair *p, size_t most, struct arena *arena,
			struct error *err)
{
	*p = (struct group_pair){ .with.p50_ns = -1, .without.p50_ns = -1 };
	return group_reserve(&p->with, most, arena, err) &&
	       group_reserve(&p->without, most, arena, err);
}

void group_pair_end(struct group_pair *p)
{
	group_end(&p->with);
	group_end(&p->without);
}

/* ---- whether they differ ---- */

static const struct {
	size_t least; /* spans of either group; of parts, of the one before */
	double ratio; /* so many times as long, or as large a part */
	double p;     /* and by chance with less */
} rules[] = {
	/* Whatever chance says. */
	[GROUP_MOVED] = { GROUP_MIN, 1.5, INFINITY },
	/* Ordinary services drift by some ten percent. */
	[GROUP_DRIFTED] = { GROUP_MIN, 1.2, 0.01 },
	/* Where earlier windows tell how far medians wander. */
	[GROUP_MOVED_LITTLE] = { GROUP_MIN, 1.05, 0.001 },
	[GROUP_OWN_MOVED] = { GROUP_MIN, GROUP_OWN_MOVED_RATIO, 0.01 },
	/* A window further back than the one that is healthy already. */
	[GROUP_CREPT] = { 10, 1.5, 0.001 },
	/* Instances differ by some ten percent as their machines and their
	 * share of large requests do. */
	[GROUP_ONE_SLOWER] = { 10, 1.2, 0.001 },
	/* It looks as if there were another. */
	[GROUP_ANOTHER_SLOWER] = { GROUP_MIN, 1.2, 0.1 },
	/* Twice the part that there was, and hardly by chance. */
	[GROUP_MORE] = { GROUP_MIN, 2, 0.01 },
	/* Less sure than of a part without a valley, for that there are two
	 * modes is certain. */
	[GROUP_MORE_IN_MODE] = { GROUP_MIN, 2, 0.05 },
	/* Nothing is denied that may be. */
	[GROUP_MAYBE_MORE] = { GROUP_MIN, 2, 0.1 },
	/* Relative to earlier windows: a few may have been better by chance. */
	[GROUP_MANY_MORE] = { 20, 2, 0.01 },
	[GROUP_MORE_AT_ALL] = { 20, 2, INFINITY },
};
_Static_assert(sizeof rules / sizeof *rules == GROUP_RULES, "one row a rule");

double group_rule_p(enum group_rule rule)
{
	return rules[rule].p;
}

struct group_test group_test(const struct span_group *a,
			     const struct span_group *b)
{
	struct group_test t = {
		.least = a->count < b->count ? a->count : b->count,
		.ratio = times_as_long(a->p50_ns, b->p50_ns),
	};

	t.p = rank_sum_test(a->values, a->count, b->values, b->count, &t.z);
	return t;
}

bool group_is_slower(const struct group_test *t, enum group_rule rule,
		     uint32_t tried)
{
	return t->least >= rules[rule].least && t->ratio >= rules[rule].ratio &&
	       (rules[rule].p == INFINITY ||
		(t->z > 0 && t->p * tried < rules[rule].p));
}

bool group_has_moved(const struct group_test *t)
{
	return group_is_slower(t, GROUP_MOVED, 1) ||
	       group_is_slower(t, GROUP_DRIFTED, 1);
}

double part_p(struct part a, struct part b)
{
	return fisher_mid_p(a.some, a.all, b.some, b.all);
}

bool part_is_larger(struct part now, struct part before, enum group_rule rule)
{
	return before.all >= (double)rules[rule].least && now.some > 0 &&
	       now.some * before.all >=
		       rules[rule].ratio * before.some * now.all &&
	       (rules[rule].p == INFINITY ||
		part_p(now, before) < rules[rule].p);
}

bool group_was_apart(const struct group_pair *now,
		     const struct group_pair *before)
{
	double apart = times_as_long(now->with.p50_ns, now->without.p50_ns);
	double then =
		times_as_long(before->with.p50_ns, before->without.p50_ns);

	return before->with.count >= GROUP_MIN &&
	       before->without.count >= GROUP_MIN &&
	       then - 1 >= (apart - 1) / 2;
}
