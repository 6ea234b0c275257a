/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/baseline.h"

#include "analyze/ordering.h"
#include "analyze/typical.h"

struct weighing {
	const struct history *h;
	const struct window_roles *roles;
	uint32_t operation;
	int64_t duration_ns;
	const struct onset *onset;
	struct arena *arena;
	struct baseline_choice *out;
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
	static const char *const names[] = { "previous", "1h", "1d", "7d" };

	return slot < BASELINE_SLOTS ? names[slot] : "none";
}

/* The slot's window, or NULL when it was not asked or not answered. */
static const struct history_window *window_of(const struct weighing *w,
					      unsigned slot)
{
	uint32_t window = w->roles->baselines[slot];

	if (window >= w->h->window_count || !w->h->windows[window].is_answered)
		return NULL;
	return &w->h->windows[window];
}

static enum baseline_said said_of(const struct baseline_health *b)
{
	if (b->range.to_ns <= b->range.from_ns)
		return BASELINE_ALL_SLOW;
	if (!b->count)
		return BASELINE_NO_SPANS;
	if (b->healthy < 0)
		return BASELINE_FEW_SPANS;
	return b->healthy ? BASELINE_HEALTHY : BASELINE_NOT_FASTER;
}

/* Durations of a window's spans that begin in the range, sorted. */
static bool collect(const struct weighing *w, uint32_t window,
		    struct time_range range, int64_t **values, size_t *count,
		    struct error *err)
{
	const struct history_window *from = &w->h->windows[window];

	*count = 0;
	*values = arena_array(w->arena, from->span_count, sizeof **values);
	if (!*values)
		return arena_fail(w->arena, "the baseline", err);
	for (uint32_t i = 0; i < from->span_count; i++) {
		const struct history_span *s = &from->spans[i];

		if (s->operation == w->operation &&
		    time_range_has(range, s->start_ns))
			(*values)[(*count)++] = s->duration_ns;
	}
	values_sort(*values, *count);
	return true;
}

static bool measure(const struct weighing *w, unsigned slot, struct error *err)
{
	const struct history_window *window = window_of(w, slot);
	struct baseline_health *out = &w->out->slots[slot];
	int64_t *values;
	size_t count;

	*out = (struct baseline_health){ .said = BASELINE_NO_ANSWER,
					 .healthy = -1,
					 .p50_ns = -1 };
	if (!window)
		return true;
	out->range = onset_healthy_range(w->onset, window->range);
	if (!collect(w, w->roles->baselines[slot], out->range, &values, &count,
		     err))
		return false;
	out->count = (uint32_t)count;
	out->p50_ns = values_quantile(values, out->count, 50);
	if (out->count >= TYPICAL_MIN)
		out->healthy = (double)w->duration_ns >=
			       BASELINE_RATIO * (double)out->p50_ns;
	out->said = said_of(out);
	return true;
}

/* Nothing was faster: the span is like those before it, and the nearest
 * window is as good as any. */
static void settle(struct weighing *w)
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
}

/* Of windows that are all alike, the nearest counts as healthy. */
static void take_alike(struct weighing *w)
{
	struct baseline_choice *out = w->out;
	struct baseline_health *taken = &out->slots[out->chosen];

	taken->healthy = 1;
	taken->said = BASELINE_HEALTHY;
	out->is_only = true;
	for (unsigned slot = 0; slot < BASELINE_SLOTS; slot++)
		if (slot != out->chosen && out->slots[slot].healthy >= 0)
			out->is_only = false;
}

/* ---- what creeps ---- */

static bool is_times(int64_t a_ns, double times, int64_t b_ns)
{
	return (double)a_ns >= times * (double)b_ns;
}

/* By medians: this slot is as it was before it crept. */
static bool is_before_creep(const struct baseline_choice *b, unsigned slot,
			    int64_t now_p50_ns)
{
	const struct baseline_health *far = &b->slots[slot];

	if (far->healthy <= 0 || far->count < CREEP_MIN ||
	    !is_times(now_p50_ns, CREEP_RATIO, far->p50_ns) ||
	    !is_times(b->slots[b->chosen].p50_ns, CREEP_PART_RATIO,
		      far->p50_ns))
		return false;
	for (unsigned i = slot + 1; i < BASELINE_SLOTS; i++)
		if (b->slots[i].count >= CREEP_MIN &&
		    is_times(b->slots[i].p50_ns, CREEP_PART_RATIO, far->p50_ns))
			return false;
	return true;
}

static void take_far(struct weighing *w, unsigned slot, int64_t now_p50_ns)
{
	w->out->is_creeping = true;
	w->out->nearest = w->out->chosen;
	w->out->now_p50_ns = now_p50_ns;
	w->out->chosen = slot;
	w->out->window = w->roles->baselines[slot];
}

static bool look_back(struct weighing *w, struct error *err)
{
	struct baseline_choice *out = w->out;
	int64_t *now, *far, p50;
	size_t now_count, far_count;
	double z;

	if (out->chosen == BASELINE_SLOTS || out->is_alike ||
	    (w->onset && w->onset->is_found) ||
	    w->roles->slow >= w->h->window_count)
		return true;
	if (!collect(w, w->roles->slow, w->h->windows[w->roles->slow].range,
		     &now, &now_count, err))
		return false;
	p50 = values_quantile(now, now_count, 50);
	for (unsigned i = out->chosen + 1;
	     i < BASELINE_SLOTS && now_count >= CREEP_MIN; i++) {
		if (!is_before_creep(out, i, p50))
			continue;
		if (!collect(w, w->roles->baselines[i], out->slots[i].range,
			     &far, &far_count, err))
			return false;
		if (rank_sum_test(now, now_count, far, far_count, &z) >=
		    CREEP_P)
			continue;
		take_far(w, i, p50);
		break;
	}
	return true;
}

bool baseline_choose(const struct history *h, const struct window_roles *roles,
		     uint32_t operation, int64_t duration_ns,
		     const struct onset *onset, struct arena *arena,
		     struct baseline_choice *out, struct error *err)
{
	struct weighing w = { h,     roles, operation, duration_ns,
			      onset, arena, out };

	*out = (struct baseline_choice){ 0 };
	for (unsigned i = 0; i < BASELINE_SLOTS; i++)
		if (!measure(&w, i, err))
			return false;
	settle(&w);
	if (out->is_alike)
		take_alike(&w);
	return look_back(&w, err);
}
