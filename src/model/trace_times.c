/* SPDX-License-Identifier: Apache-2.0 */
#include "base/num.h"
#include "model/trace_build.h"

/* 2000-01-01 and 2100-01-01. A time outside, next to one inside, comes from a
 * clock that was never set or from a field that was never filled; taken as it
 * is, one such span would stretch the trace over decades. A trace that lies
 * outside as a whole is somebody's test data and left alone. */
#define PLAUSIBLE_FROM_NS ((int64_t)946684800 * 1000000000)
#define PLAUSIBLE_TO_NS ((int64_t)4102444800 * 1000000000)

static bool is_plausible(int64_t time_ns)
{
	return time_ns >= PLAUSIBLE_FROM_NS && time_ns < PLAUSIBLE_TO_NS;
}

static bool is_valid(int64_t time_ns)
{
	return time_ns >= 0;
}

static bool is_sane(const struct trace_seen *seen, int64_t time_ns)
{
	return seen->has_plausible ? is_plausible(time_ns) : is_valid(time_ns);
}

/* The span as repair() would leave it, had only such times been sane. */
static void extent_add(struct time_extent *e, const struct span *s,
		       bool is_start_sane, bool is_end_sane)
{
	int64_t start_ns = is_start_sane ? s->start_ns : s->end_ns;
	int64_t end_ns = is_end_sane ? s->end_ns : s->start_ns;

	if (!is_start_sane && !is_end_sane) {
		e->has_unknown = true;
		return;
	}
	if (start_ns < e->earliest_ns)
		e->earliest_ns = start_ns;
	if (end_ns < e->earliest_ns)
		e->earliest_ns = end_ns;
	if (start_ns < e->start_ns)
		e->start_ns = start_ns;
	if (end_ns < start_ns)
		end_ns = start_ns;
	if (end_ns > e->end_ns)
		e->end_ns = end_ns;
}

void trace_seen_add(struct trace_seen *seen, const struct span *s)
{
	bool is_start_plausible = is_plausible(s->start_ns);
	bool is_end_plausible = is_plausible(s->end_ns);

	seen->has_plausible |= is_start_plausible || is_end_plausible;
	extent_add(&seen->plausible, s, is_start_plausible, is_end_plausible);
	extent_add(&seen->valid, s, is_valid(s->start_ns),
		   s->end_ns && is_valid(s->end_ns));
}

/* Where spans are put of which no time is known. */
static int64_t earliest_of(const struct trace_seen *seen)
{
	int64_t earliest_ns = seen->has_plausible ? seen->plausible.earliest_ns
						  : seen->valid.earliest_ns;

	return earliest_ns == INT64_MAX ? 0 : earliest_ns;
}

int64_t trace_seen_length(const struct trace_seen *seen)
{
	const struct time_extent *e =
		seen->has_plausible ? &seen->plausible : &seen->valid;
	int64_t start_ns = e->start_ns, end_ns = e->end_ns;

	if (e->has_unknown && earliest_of(seen) < start_ns)
		start_ns = earliest_of(seen);
	return sat_sub_i64(end_ns, start_ns);
}

/* What is unknown becomes zero length at the best known place. */
static void repair(struct span *s, const struct trace_seen *seen,
		   int64_t earliest_ns, struct trace_oddities *r)
{
	bool is_end_sane = s->end_ns && is_sane(seen, s->end_ns);

	if (!is_sane(seen, s->start_ns)) {
		s->start_ns = is_end_sane ? s->end_ns : earliest_ns;
		r->impossible_count++;
	} else if (s->end_ns == 0) {
		r->open_count++;
	} else if (!is_end_sane) {
		r->impossible_count++;
	} else if (s->end_ns < s->start_ns) {
		r->backwards_count++;
	} else {
		return;
	}
	s->end_ns = s->start_ns;
	s->flags |= SPAN_IS_UNFINISHED;
}

void trace_times_repair(struct trace *t, struct trace_oddities *r)
{
	struct trace_seen seen = { .plausible = EXTENT_NONE,
				   .valid = EXTENT_NONE };

	for (uint32_t i = 0; i < t->span_count; i++)
		trace_seen_add(&seen, &t->spans[i]);
	for (uint32_t i = 0; i < t->span_count; i++)
		repair(&t->spans[i], &seen, earliest_of(&seen), r);
}
