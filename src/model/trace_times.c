/* SPDX-License-Identifier: Apache-2.0 */
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

static bool is_sane(const struct trace_seen *seen, int64_t time_ns)
{
	return seen->has_plausible ? is_plausible(time_ns) : time_ns >= 0;
}

static void seen_add_time(struct trace_seen *seen, int64_t time_ns)
{
	if (is_plausible(time_ns) && !seen->has_plausible) {
		seen->has_plausible = true;
		seen->earliest_ns = time_ns;
	} else if (is_sane(seen, time_ns) && time_ns < seen->earliest_ns) {
		seen->earliest_ns = time_ns;
	}
}

static void survey(struct trace_build *b)
{
	for (size_t i = 0; i < b->seen_count; i++) {
		b->seen[i].earliest_ns = INT64_MAX;
		b->seen[i].start_ns = INT64_MAX;
	}
	for (uint32_t i = 0; i < b->out->span_count; i++) {
		struct trace_seen *seen = &b->seen[b->span_traces[i]];

		seen_add_time(seen, b->out->spans[i].start_ns);
		if (b->out->spans[i].end_ns)
			seen_add_time(seen, b->out->spans[i].end_ns);
	}
	for (size_t i = 0; i < b->seen_count; i++)
		if (b->seen[i].earliest_ns == INT64_MAX)
			b->seen[i].earliest_ns = 0;
}

/* What is unknown becomes zero length at the best known place. */
static void repair(struct span *s, const struct trace_seen *seen,
		   struct trace_repairs *r)
{
	bool is_end_sane = s->end_ns && is_sane(seen, s->end_ns);

	if (!is_sane(seen, s->start_ns)) {
		s->start_ns = is_end_sane ? s->end_ns : seen->earliest_ns;
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

void trace_times_repair(struct trace_build *b, struct trace_repairs *r)
{
	survey(b);
	for (uint32_t i = 0; i < b->out->span_count; i++) {
		struct trace_seen *seen = &b->seen[b->span_traces[i]];
		struct span *s = &b->out->spans[i];

		repair(s, seen, r);
		if (s->start_ns < seen->start_ns)
			seen->start_ns = s->start_ns;
		if (s->end_ns > seen->end_ns)
			seen->end_ns = s->end_ns;
	}
}
