/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/choice.h"
#include "analyze/findings.h"
#include "base/num.h"

/* Levels from a span up to the attempt that it belongs to. */
#define BELOW_ATTEMPT_SPANS 16

/* Retries looked at: those that lost the most time. */
#define RETRIES_JUDGED 3

/* Attempts and the pauses between them, as far as they are to be explained:
 * with history what they grew by, else their time on the path. */
struct cost {
	int64_t attempts_ns;
	int64_t pauses_ns;
};

static bool is_attempt(const struct choice *c, const struct retry *r,
		       uint32_t span)
{
	return c->t->spans[span].parent == r->parent &&
	       c->retries.is_member[span] &&
	       c->t->spans[span].start_ns >= r->start_ns &&
	       c->t->spans[span].end_ns <= r->end_ns &&
	       c->calls.like[span] ==
		       c->calls.like[c->retries.members[r->member_first]];
}

/* Whether the span is an attempt or what was done for one. */
static bool is_of_attempts(const struct choice *c, const struct retry *r,
			   uint32_t span)
{
	for (int i = 0; i < BELOW_ATTEMPT_SPANS && span != SPAN_NONE; i++) {
		if (is_attempt(c, r, span))
			return true;
		span = c->t->spans[span].parent;
	}
	return false;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t own_measure(const struct choice *c, size_t index)
{
	return c->is_by_change ? c->time_changes.items[index].own_ns
			       : c->candidates.items[index].score;
}

static struct cost cost_of(const struct choice *c, const struct retry *r)
{
	struct cost cost = { 0 };

	for (size_t i = 0; i < c->candidates.count; i++) {
		uint32_t span = c->candidates.items[i].span;
		int64_t own = own_measure(c, i);

		if (span == r->parent)
			cost.pauses_ns = least(own, r->pause_ns);
		else if (is_of_attempts(c, r, span))
			cost.attempts_ns = sat_add_i64(cost.attempts_ns, own);
	}
	return cost;
}

/* The candidate that stands for the retry: who pauses, or the one of the
 * attempts that took most. */
static size_t find_candidate(const struct choice *c, const struct retry *r,
			     bool is_pause)
{
	size_t found = SIZE_MAX;

	for (size_t i = 0; i < c->candidates.count; i++) {
		uint32_t span = c->candidates.items[i].span;

		if (is_pause ? span == r->parent
			     : is_of_attempts(c, r, span) &&
				       (found == SIZE_MAX ||
					own_measure(c, i) >
						own_measure(c, found)))
			found = i;
	}
	return found;
}

static bool is_free(const struct choice *c)
{
	return c->want->by == GUILTY_BY_CRITICAL_PATH &&
	       !guilty_want_is_narrow(c->want);
}

/* Attempts and pauses are one problem: together they may take more than the
 * best candidate, though neither does alone. */
static void prefer_retry(struct choice *c, const struct retry *r,
			 const struct cost *cost)
{
	bool is_pause = cost->pauses_ns > cost->attempts_ns;
	size_t found = find_candidate(c, r, is_pause);

	if (found == SIZE_MAX)
		return;
	c->best = &c->candidates.items[found];
	c->retry = r;
	c->is_retry_pause = is_pause;
	c->retry_ns = sat_add_i64(cost->attempts_ns, cost->pauses_ns);
	if (c->is_by_change) {
		c->change.change_ns = c->retry_ns;
		c->change.others_ns = 0;
	}
}

static bool judge(struct choice *c, const struct retry *r)
{
	struct cost cost = cost_of(c, r);
	int64_t whole;
	int64_t best =
		c->is_by_change ? choice_measure(c, &whole) : c->best->score;

	if (c->best->span == r->parent) {
		/* Backing off explains it when it is half of it. */
		if (cost.pauses_ns < best - cost.pauses_ns)
			return false;
		c->retry = r;
		c->is_retry_pause = true;
	} else if (is_of_attempts(c, r, c->best->span)) {
		c->retry = r;
	} else if (is_free(c) && c->times->tree[r->parent] == c->times->root &&
		   sat_add_i64(cost.attempts_ns, cost.pauses_ns) > best) {
		prefer_retry(c, r, &cost);
	}
	return c->retry != NULL;
}

bool choice_find_retry(struct choice *c, struct error *err)
{
	struct siblings siblings;

	if (!siblings_find(&c->calls, c->times, &c->scratch, &siblings, err) ||
	    !retries_find(&c->calls, c->times, &siblings, &c->scratch,
			  &c->retries, err))
		return false;
	/* The most time lost first; what is not told as a finding is no
	 * reason either. */
	for (size_t i = 0; i < c->retries.count && i < RETRIES_JUDGED; i++) {
		if (c->retries.items[i].lost_ns < FINDING_LEAST_NS ||
		    judge(c, &c->retries.items[i]))
			break;
	}
	return true;
}
