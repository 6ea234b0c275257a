/* SPDX-License-Identifier: Apache-2.0 */
#include "report/choice_reasons.h"

#include "base/num.h"
#include "report/wording.h"

/* Candidates told; below these it is all about crumbs. */
#define TOLD_CANDIDATES 6u

/* Names in these lines: they stand in a list and should fit a line. */
#define NAME_BYTES 80u

static int64_t measure_of(const struct choice *c, size_t i)
{
	const struct candidate *item = &c->candidates.items[i];

	if (c->is_by_change)
		return c->time_changes.items[i].own_ns;
	switch (c->want->by) {
	case GUILTY_BY_SELF:
		return item->self_ns;
	case GUILTY_BY_DURATION:
		return item->duration_ns;
	case GUILTY_BY_CRITICAL_PATH:
		break;
	}
	return item->score;
}

static bool is_before(const struct choice *c, size_t a, size_t b)
{
	int64_t left = measure_of(c, a), right = measure_of(c, b);

	return left > right || (left == right && a < b);
}

static size_t best_of(const struct choice *c)
{
	return (size_t)(c->best - c->candidates.items);
}

/* The next after `last` in order of what decides, without the best one;
 * SIZE_MAX: none. A few passes over all are less than a sorted copy. */
static size_t find_after(const struct choice *c, size_t last)
{
	size_t found = SIZE_MAX;

	for (size_t i = 0; i < c->candidates.count; i++) {
		if (i == best_of(c) ||
		    (last != SIZE_MAX && !is_before(c, last, i)))
			continue;
		if (found == SIZE_MAX || is_before(c, i, found))
			found = i;
	}
	return found;
}

static void report_head(const struct choice *c, struct buf *out)
{
	buf_addf(out, "span: %zu candidate%s, ", c->candidates.count,
		 c->candidates.count == 1 ? "" : "s");
	if (guilty_want_is_narrow(c->want))
		buf_add_text(out, "of those asked for, by ");
	else
		buf_add_text(out, "by ");
	if (c->is_by_change)
		buf_add_text(out, "what each took longer than usual");
	else if (c->want->by == GUILTY_BY_SELF)
		buf_add_text(out, "self time");
	else if (c->want->by == GUILTY_BY_DURATION)
		buf_add_text(out, "duration");
	else
		buf_add_text(out, "score: own time on the critical path, half "
				  "of it for a call whose callee has spans");
	if (!c->typical)
		buf_add_text(out, "; what is usual is not known");
	else if (!c->is_by_change)
		buf_add_text(out, "; none clearly took longer than usual");
}

static void report_typical(const struct time_change *g, struct buf *out)
{
	if (!g->is_known) {
		buf_add_text(out, ", usual not known");
		return;
	}
	if (g->is_new) {
		buf_addf(out, ", not called in %u traces before",
			 g->typical_count);
	} else {
		buf_add_text(out, ", usually ");
		wording_add_duration(out, g->typical_ns);
		buf_addf(out, " (%u traces)", g->typical_count);
	}
	buf_add_text(out, ", grew ");
	wording_add_duration(out, g->grown_ns);
	if (g->own_ns != g->grown_ns)
		buf_add_text(out, ", half of it counts");
}

/* The span that runs the chosen loop, and the calls it repeats. */
static bool is_of_loop(const struct choice *c, size_t i)
{
	uint32_t span = c->candidates.items[i].span;

	if (!c->is_loop_headline)
		return false;
	if (span == c->headline)
		return true;
	for (size_t j = 0; j < c->repeats.count; j++) {
		const struct repeat *r = &c->repeats.items[j];

		if (r->parent == c->headline &&
		    c->repeats.members[r->member_first] == span)
			return true;
	}
	return false;
}

static void report_less(const struct choice *c, size_t i, struct buf *out)
{
	int64_t best = c->is_by_change ? c->change.change_ns
				       : measure_of(c, best_of(c));

	if (c->retry_ns)
		best = c->retry_ns;
	buf_add_text(out, c->is_by_change ? "grew less" : "took less");
	if (best > 0)
		buf_addf(out, ", %.0f %% of the chosen one",
			 100 * (double)measure_of(c, i) / (double)best);
}

static void report_lost(const struct choice *c, size_t i, struct buf *out)
{
	const struct time_change *g =
		c->typical ? &c->time_changes.items[i] : NULL;

	if (!g || !c->is_by_change || !g->is_known)
		report_less(c, i, out);
	else if (!g->is_longer && !g->is_new)
		buf_add_text(out, "within what is usual");
	else if (!g->is_grown)
		buf_addf(out, "its own growth is under %d %% of the path",
			 TIME_CHANGE_PATH_PERCENT);
	else
		report_less(c, i, out);
}

/* A process's own code counts together at its entry span. */
static void report_won(const struct choice *c, size_t i, struct buf *out)
{
	if (c->is_loop_headline) {
		buf_add_text(out, "the loop counts together");
		return;
	}
	buf_add_text(out, "chosen");
	if (c->retry_ns) {
		buf_add_text(out, ", its attempts and the pauses together ");
		wording_add_duration(out, c->retry_ns);
		return;
	}
	if (!c->is_by_change || c->change.change_ns == measure_of(c, i))
		return;
	buf_add_text(out, ", with the code of its process grew ");
	wording_add_duration(out, c->change.change_ns);
}

static void report_outcome(const struct choice *c, size_t i, struct buf *out)
{
	buf_add_text(out, ": ");
	if (is_of_loop(c, i))
		buf_add_text(out, "part of the loop");
	else if (i == best_of(c))
		report_won(c, i, out);
	else
		report_lost(c, i, out);
}

static void report_candidate(const struct choice *c, size_t i, struct buf *out)
{
	const struct candidate *item = &c->candidates.items[i];

	buf_add_text(out, "span: ");
	wording_add(out, span_service(c->t, item->span), NAME_BYTES);
	buf_add_char(out, ' ');
	wording_add(out, span_name(c->t, item->span), NAME_BYTES);
	if (item->count > 1)
		buf_addf(out, " x%u", item->count);
	buf_add_text(out, ": took ");
	wording_add_duration(out, item->duration_ns);
	buf_add_text(out, ", own on the path ");
	wording_add_duration(out, item->critical_ns);
	if (item->score != item->critical_ns) {
		buf_add_text(out, ", score ");
		wording_add_duration(out, item->score);
	}
	if (c->typical)
		report_typical(&c->time_changes.items[i], out);
	report_outcome(c, i, out);
}

static void report_loop(const struct choice *c, struct buf *out)
{
	const struct repeat *r = c->loop;

	buf_addf(out, "span: loop of %u x ", r->count);
	wording_add_call(out, &c->calls, r->leaf);
	buf_add_text(out, " in ");
	wording_add(out, span_name(c->t, r->parent), NAME_BYTES);
	buf_add_text(out, ": ");
	wording_add_duration(out,
			     c->is_loop_headline ? c->loop_sum_ns : r->sum_ns);
	if (c->is_by_change && c->is_loop_headline) {
		buf_add_text(out, ", grew ");
		wording_add_duration(out, c->change.change_ns);
	}
	buf_add_text(out, c->is_loop_headline ? ": chosen" : "");
}

static void keep(struct buf *text, struct notes *reasons)
{
	notes_add(reasons, "%s", buf_text(text));
	buf_clear(text);
}

void choice_reasons_report(const struct choice *c, struct notes *reasons)
{
	size_t at = best_of(c), told = 0, last = SIZE_MAX;
	struct buf text;

	notes_init(reasons);
	buf_init(&text, WORDING_BYTES);
	report_head(c, &text);
	keep(&text, reasons);
	if (c->loop) {
		report_loop(c, &text);
		keep(&text, reasons);
	}
	for (; told < TOLD_CANDIDATES && at != SIZE_MAX; told++) {
		report_candidate(c, at, &text);
		keep(&text, reasons);
		at = last = find_after(c, last);
	}
	if (told < c->candidates.count)
		notes_add(reasons, "span: %zu more, with less",
			  c->candidates.count - told);
	buf_release(&text);
}
