/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/baseline.h"

#include "analyze/ordering.h"
#include "analyze/usual.h"
#include "analyze/wording.h"
#include "base/num.h"

#define SENTENCE_BYTES 512u

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

static bool measure(const struct weighing *w, unsigned slot, struct error *err)
{
	const struct history_window *window = window_of(w, slot);
	struct baseline_health *out = &w->out->slots[slot];
	int64_t *values;

	*out = (struct baseline_health){ .healthy = -1, .p50_ns = -1 };
	if (!window)
		return true;
	out->range = onset_healthy_range(w->onset, window->range);
	values = arena_array(w->arena, window->span_count, sizeof *values);
	if (!values)
		return arena_fail(w->arena, "the baseline", err);
	for (uint32_t i = 0; i < window->span_count; i++) {
		const struct history_span *s = &window->spans[i];

		if (s->operation == w->operation &&
		    s->start_ns >= out->range.from_ns &&
		    s->start_ns < out->range.to_ns)
			values[out->count++] = s->duration_ns;
	}
	values_sort(values, out->count);
	out->p50_ns = values_quantile(values, out->count, 50);
	if (out->count >= USUAL_MIN)
		out->healthy = (double)w->duration_ns >=
			       BASELINE_RATIO * (double)out->p50_ns;
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

static void tell_range(struct time_range range, struct buf *out)
{
	char from[16], to[16];

	format_clock(range.from_ns, false, from);
	format_clock(range.to_ns, false, to);
	buf_addf(out, "%s-%s", from, to);
}

static void tell_numbers(const struct baseline_health *b, struct buf *out)
{
	char count[COUNT_TEXT_BYTES];

	format_count(b->count, count);
	buf_add_text(out, " (p50 ");
	wording_add_duration(out, b->p50_ns);
	buf_addf(out, " over %s spans)", count);
}

static void tell_slot(const struct weighing *w, unsigned slot, struct buf *out)
{
	const struct baseline_health *b = &w->out->slots[slot];

	if (!window_of(w, slot)) {
		buf_add_text(out, "not asked or no answer");
		return;
	}
	tell_range(b->range, out);
	if (b->range.to_ns <= b->range.from_ns) {
		buf_add_text(out, " was slow all the time");
	} else if (!b->count) {
		buf_add_text(out, " holds no span of the operation");
	} else if (b->healthy < 0) {
		buf_addf(out, " tells nothing: %u span%s of the operation",
			 b->count, b->count == 1 ? "" : "s");
	} else if (b->healthy) {
		buf_add_text(out, " is healthy");
		tell_numbers(b, out);
	} else {
		buf_add_text(out, " is not clearly faster");
		tell_numbers(b, out);
	}
}

/* Whether any window but the chosen one says what is usual. */
static bool has_others(const struct weighing *w)
{
	for (unsigned slot = 0; slot < BASELINE_SLOTS; slot++)
		if (slot != (unsigned)w->out->chosen && window_of(w, slot) &&
		    w->out->slots[slot].healthy >= 0)
			return true;
	return false;
}

static void tell_choice(const struct weighing *w, struct buf *out)
{
	const struct baseline_choice *choice = w->out;
	const struct baseline_health *b;

	if (choice->chosen == BASELINE_SLOTS) {
		buf_add_text(out, "no earlier window has spans enough to say "
				  "what is usual");
		return;
	}
	b = &choice->slots[choice->chosen];
	buf_add_text(out, "baseline ");
	if (!choice->is_alike) {
		tell_slot(w, choice->chosen, out);
		return;
	}
	tell_range(b->range, out);
	buf_add_text(out, " is like it");
	tell_numbers(b, out);
	buf_add_text(out, has_others(w) ? ", and no earlier window was faster"
					: ", and no earlier window is known");
}

static bool tell(const struct weighing *w, struct error *err)
{
	struct buf text;

	buf_init(&text, SENTENCE_BYTES);
	for (unsigned i = 0; i < BASELINE_SLOTS; i++) {
		tell_slot(w, i, &text);
		if (!wording_take(&text, w->arena, &w->out->slots[i].text, err))
			return false;
	}
	tell_choice(w, &text);
	return wording_take(&text, w->arena, &w->out->text, err);
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
	/* Of windows that are all alike, the nearest counts as healthy. */
	if (out->is_alike)
		out->slots[out->chosen].healthy = 1;
	return tell(&w, err);
}
