/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/excess_fill.h"

#include <math.h>

#include "analyze/excess.h"
#include "base/num.h"
#include "investigate/measures.h"

/* Of the whole span; where only its own time is known to have grown, that. */
static int64_t total_of(const struct symptom *s, const struct suspect *g,
			const struct result *r)
{
	const struct guilty_span *span = &r->span;

	if (r->cause.kind == CAUSE_QUEUE)
		return g->pick.change_ns;
	if (span->typical_ns >= 0 && span->duration_ns > span->typical_ns)
		return span->duration_ns - span->typical_ns;
	return s->has_history ? g->pick.change_ns : 0;
}

/* Requests like it were measured: what this one grew by beyond them is for
 * nothing to tell. */
static int64_t shared_of(const struct symptom *s, int64_t span_ns)
{
	int64_t alone_ns = sat_sub_i64(s->grown_ns, s->change_ns);

	return alone_ns > 0 ? max_i64(s->change_ns, span_ns - alone_ns)
			    : span_ns;
}

/* What of it are calls by its spans: the calls that are the cause, or what is
 * no time of its own. */
static int64_t calls_of(const struct suspect *g, const struct result *r,
			int64_t total_ns)
{
	int64_t own_ns = g->pick.change_ns;

	if (own_ns < 0)
		return 0;
	if (r->cause.kind == CAUSE_N_PLUS_ONE ||
	    cause_is_outside(r->cause.kind))
		return own_ns;
	return total_ns > own_ns ? total_ns - own_ns : 0;
}

static void add_cpu(const struct profile_inquiry *q, struct excess_facts *f)
{
	const struct cpu_measure *m = &q->cpu;

	if (q->cpu_verdict == CPU_UNKNOWN || isnan(m->base_ns))
		return;
	f->cpu_now_ns = m->slow_ns;
	f->cpu_before_ns = m->base_ns;
	f->gc_share = q->gc_share;
}

/* Of the types that tell of waits the one that grew most: they tell of the same
 * time. Wall clock time holds the time on CPU, too. */
static void add_waits(const struct profile_inquiry *q, struct excess_facts *f)
{
	for (int i = 0; i < WAIT_TYPES; i++) {
		const struct wait_measure *m = &q->measures[i];
		double ns = m->per_request_ns;

		if (i == WAIT_NEIGHBOUR || !m->is_known || !m->is_owner)
			continue;
		if (i == WAIT_WALL && !isnan(f->cpu_before_ns))
			ns -= fmax(0, f->cpu_now_ns - f->cpu_before_ns);
		if (ns <= f->blocked_ns)
			continue;
		f->blocked_ns = ns;
		f->blocked_before_ns =
			m->change > 0 ? ns * m->before / m->change : 0;
		f->blocked_in = m->name;
		f->by = wait_type_name((enum wait_type)i);
	}
}

void excess_fill(const struct symptom *s, const struct suspect *g,
		 const struct profile_inquiry *q, struct result *result)
{
	struct excess_facts f = { .cpu_before_ns = NAN };
	int64_t span_ns;

	result->cause.excess = (struct excess){ 0 };
	if (s->is_healthy || !s->has_history || !result->has_span)
		return;
	span_ns = f.total_ns = total_of(s, g, result);
	if (result->cause.kind == CAUSE_QUEUE)
		f.queue_ns = f.total_ns;
	else
		f.call_ns = calls_of(g, result, f.total_ns);
	if (result->cause.kind != CAUSE_N_PLUS_ONE &&
	    result->cause.kind != CAUSE_QUEUE &&
	    !cause_is_outside(result->cause.kind))
		f.total_ns = shared_of(s, span_ns);
	if (q && !s->is_of_callee && result->cause.kind != CAUSE_QUEUE) {
		add_cpu(q, &f);
		add_waits(q, &f);
	}
	/* What its own time went into is then for no sum to tell. */
	if (isnan(f.cpu_before_ns) && f.blocked_ns <= 0 && !f.queue_ns &&
	    result->cause.kind != CAUSE_N_PLUS_ONE &&
	    !cause_is_outside(result->cause.kind))
		return;
	excess_sum(&f, &result->cause.excess);
	if (result->cause.excess.total_ns)
		result->cause.excess.span_ns = span_ns;
}
