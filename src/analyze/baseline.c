/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/baseline.h"

#include <math.h>

#include "analyze/groups.h"
#include "analyze/onset.h"
#include "analyze/typical.h"
#include "model/history.h"

struct weighing {
	const struct history *h;
	const struct window_roles *roles;
	uint32_t operation;
	int64_t duration_ns;
	const struct onset *onset;
	struct arena *arena;
	struct baseline_choice *out;
	struct span_group slots[BASELINE_SLOTS];
	struct span_group now;
};

void window_roles_init(struct window_roles *roles)
{
	roles->slow = WINDOW_NONE;
	roles->slow_only = WINDOW_NONE;
	for (int i = 0; i < BASELINE_SLOTS; i++)
		roles->baselines[i] = WINDOW_NONE;
}

const char *baseline_slot_name(unsigned slot)
{
	static const char *const names[] = { "previous", "20m", "40m", "1h",
					     "3h",       "1d",  "7d" };

	return slot < BASELINE_SLOTS ? names[slot] : "none";
}

static bool weighing_collect(const struct weighing *w, uint32_t window,
			     struct time_range range, struct span_group *out,
			     struct error *err)
{
	const struct group_spans from = { w->h, w->operation, window, range };

	if (!group_add(out, &from, w->arena, err))
		return false;
	group_end(out);
	return true;
}

static bool weighing_measure(struct weighing *w, unsigned slot,
			     struct error *err)
{
	uint32_t window = w->roles->baselines[slot];
	struct baseline_health *out = &w->out->slots[slot];
	struct span_group *g = &w->slots[slot];

	*out = (struct baseline_health){ .said = BASELINE_NO_ANSWER,
					 .healthy = -1,
					 .p50_ns = -1 };
	if (window >= w->h->window_count || !w->h->windows[window].is_answered)
		return true;
	out->range = onset_healthy_range(w->onset, w->h->windows[window].range);
	if (!weighing_collect(w, window, out->range, g, err))
		return false;
	out->count = (uint32_t)g->count;
	out->p50_ns = g->p50_ns;
	if (out->count >= TYPICAL_MIN)
		out->healthy = (double)w->duration_ns >=
			       BASELINE_RATIO * (double)out->p50_ns;
	out->said = out->range.to_ns <= out->range.from_ns ? BASELINE_ALL_SLOW
		    : !out->count                          ? BASELINE_NO_SPANS
		    : out->healthy < 0                     ? BASELINE_FEW_SPANS
		    : out->healthy                         ? BASELINE_HEALTHY
				   : BASELINE_NOT_FASTER;
	return true;
}

/* Nothing was faster: the span is like those before it, and the nearest
 * window is as good as any: it counts as healthy. */
static void weighing_settle(struct weighing *w)
{
	struct baseline_choice *out = w->out;
	unsigned known = BASELINE_SLOTS;

	out->chosen = BASELINE_SLOTS;
	for (unsigned i = 0; i < BASELINE_SLOTS; i++) {
		if (out->slots[i].healthy > 0) {
			out->chosen = i;
			break;
		}
		if (!out->slots[i].healthy && known == BASELINE_SLOTS)
			known = i;
	}
	if (out->chosen == BASELINE_SLOTS && known != BASELINE_SLOTS) {
		out->is_alike = true;
		out->chosen = known;
	}
	out->window = out->chosen == BASELINE_SLOTS
			      ? WINDOW_NONE
			      : w->roles->baselines[out->chosen];
	if (!out->is_alike)
		return;
	out->slots[known].healthy = 1;
	out->slots[known].said = BASELINE_HEALTHY;
	out->is_only = true;
	for (unsigned i = 0; i < BASELINE_SLOTS; i++)
		if (i != known && out->slots[i].healthy >= 0)
			out->is_only = false;
}

/* ---- what creeps ---- */

#define CREEP_MIN 10u

#define CREEP_PART_RATIO 1.2

/* A gradual slowdown has no change point: each window is little slower than the
 * one before it, and the nearest is chosen as healthy though it contains most
 * of the fault. Then an earlier window is the baseline: the current median is
 * significantly higher by a factor, the nearer window already has a part of
 * that, and still earlier ones are no slower. Ordinary services differ by some
 * ten to twenty percent from day to day. */
static bool is_before_creep(const struct baseline_choice *b, unsigned slot)
{
	const struct baseline_health *far = &b->slots[slot];

	double part_ns = CREEP_PART_RATIO * (double)far->p50_ns;

	if (far->healthy <= 0 || (double)b->slots[b->chosen].p50_ns < part_ns)
		return false;
	for (unsigned i = slot + 1; i < BASELINE_SLOTS; i++)
		if (b->slots[i].count >= CREEP_MIN &&
		    (double)b->slots[i].p50_ns >= part_ns)
			return false;
	return true;
}

static void look_back(struct weighing *w)
{
	struct baseline_choice *out = w->out;

	if (out->chosen == BASELINE_SLOTS || out->is_alike ||
	    (w->onset && w->onset->is_found))
		return;
	for (unsigned i = out->chosen + 1; i < BASELINE_SLOTS; i++) {
		struct group_test t;

		if (!is_before_creep(out, i))
			continue;
		t = group_test(&w->now, &w->slots[i]);
		if (!group_is_slower(&t, GROUP_CREPT, 1))
			continue;
		out->is_creeping = true;
		out->nearest = out->chosen;
		out->chosen = i;
		out->window = w->roles->baselines[i];
		return;
	}
}

/* ---- what befalls some ---- */

static void count_slow(struct weighing *w)
{
	struct baseline_choice *out = w->out;
	double p50;

	if (out->chosen == BASELINE_SLOTS)
		return;
	p50 = fmax(1, (double)out->slots[out->chosen].p50_ns);
	out->slow_from_ns = (int64_t)fmax(
		BASELINE_RATIO * p50, sqrt(p50) * sqrt((double)w->duration_ns));
	out->now_count = (uint32_t)w->now.count;
	out->now_slow_count = group_from(&w->now, out->slow_from_ns);
	for (unsigned i = 0; i < BASELINE_SLOTS; i++)
		out->slots[i].slow_count =
			group_from(&w->slots[i], out->slow_from_ns);
}

/* Slow ones among all. */
static struct part part_of(const struct baseline_health *b)
{
	return (struct part){ b->slow_count, b->count };
}

/* And when it does not hold as many slow ones as now. A fault of some of the
 * requests leaves the median alone: where a window further back has less than
 * half of the slow ones, and hardly by chance, the nearer one lies in the
 * fault. */
static bool is_surely_less(struct part a, struct part b)
{
	return part_is_larger(b, a, GROUP_MANY_MORE);
}

/* Quick by its median, and no window behind it has more slow ones: that one was
 * not just a good day. */
static bool may_be_before_fault(const struct baseline_choice *b, unsigned slot)
{
	if (b->slots[slot].healthy <= 0)
		return false;
	for (unsigned i = slot + 1; i < BASELINE_SLOTS; i++)
		if (is_surely_less(part_of(&b->slots[slot]),
				   part_of(&b->slots[i])))
			return false;
	return true;
}

/* The next further back with less of them; BASELINE_SLOTS: none. */
static unsigned find_less(const struct baseline_choice *b, unsigned slot)
{
	struct part here = part_of(&b->slots[slot]);
	struct part behind = { 0, 0 };
	bool is_less_behind;

	/* Few spans in each window: all windows together suffice. */
	for (unsigned i = slot + 1; i < BASELINE_SLOTS; i++)
		if (may_be_before_fault(b, i)) {
			behind.some += b->slots[i].slow_count;
			behind.all += b->slots[i].count;
		}
	is_less_behind = is_surely_less(behind, here);

	for (unsigned i = slot + 1; i < BASELINE_SLOTS; i++) {
		struct part there = part_of(&b->slots[i]);

		if (may_be_before_fault(b, i) &&
		    (is_surely_less(there, here) ||
		     (is_less_behind &&
		      part_is_larger(here, there, GROUP_MORE_AT_ALL))))
			return i;
	}
	return BASELINE_SLOTS;
}

/* Until their share stops falling. */
static void leave_fault(struct weighing *w)
{
	struct baseline_choice *out = w->out;
	unsigned slot = out->chosen, next;

	if (slot == BASELINE_SLOTS || out->is_alike)
		return;
	while ((next = find_less(out, slot)) != BASELINE_SLOTS)
		slot = next;
	if (slot == out->chosen)
		return;
	if (!out->is_creeping)
		out->nearest = out->chosen;
	for (unsigned i = 0; i < slot; i++) {
		struct baseline_health *b = &out->slots[i];

		if (b->healthy <= 0 ||
		    !part_is_larger(part_of(b), part_of(&out->slots[slot]),
				    GROUP_MORE_AT_ALL))
			continue;
		b->healthy = 0;
		b->said = BASELINE_IN_FAULT;
	}
	out->is_behind_fault = true;
	out->chosen = slot;
	out->window = w->roles->baselines[slot];
}

bool baseline_is_open(const struct baseline_choice *b)
{
	const struct part now = { b->now_slow_count, b->now_count };

	return b->chosen == BASELINE_SLOTS || b->is_alike ||
	       (b->now_slow_count &&
		!is_surely_less(part_of(&b->slots[b->chosen]), now));
}

bool baseline_choose(const struct history *h, const struct window_roles *roles,
		     uint32_t operation, int64_t duration_ns,
		     const struct onset *onset, struct arena *arena,
		     struct baseline_choice *out, struct error *err)
{
	struct weighing w = { .h = h,
			      .roles = roles,
			      .operation = operation,
			      .duration_ns = duration_ns,
			      .onset = onset,
			      .arena = arena,
			      .out = out };

	uint32_t slow = roles->slow;

	*out = (struct baseline_choice){ .now_p50_ns = -1 };
	for (unsigned i = 0; i < BASELINE_SLOTS; i++)
		if (!weighing_measure(&w, i, err))
			return false;
	if (slow < h->window_count) {
		if (!weighing_collect(&w, slow, h->windows[slow].range, &w.now,
				      err))
			return false;
		out->now_p50_ns = w.now.p50_ns;
	}
	weighing_settle(&w);
	look_back(&w);
	count_slow(&w);
	leave_fault(&w);
	return true;
}
