/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/verdict.h"

#include <math.h>

#include "base/num.h"
#include "model/profile.h"
#include "model/result.h"

static bool counts_time(const struct profile *p)
{
	return str_equal(profile_unit(p), STR("nanoseconds"));
}

#define CAUSE_WAIT_SHARE 0.2

/* Share of a span's self time on CPU from which it counts as computing, and
 * below which it counts as waiting. In between, the profile shows the CPU part
 * and both are reported. */
#define CAUSE_CPU_SHARE 0.5

/* A span whose own time is shorter offers fewer than twenty ticks at 100 Hz:
 * a share of one in five then has an interval of some 20 points either way,
 * too much to call the span computing or waiting. */
#define CAUSE_OWN_MIN_NS (200 * NS_PER_MS)

/* Long enough, and with samples of its own that count time. */
static bool is_judged(const struct cause_evidence *e)
{
	return e->span && counts_time(e->span) &&
	       e->span_own_ns >= CAUSE_OWN_MIN_NS;
}

static void judge_cpu_share(const struct cause_evidence *e, struct cause *c,
			    struct cause_facts *facts)
{
	double share;

	if (!e->span || !counts_time(e->span) || e->span_own_ns <= 0)
		return;
	c->on_cpu_ns = e->span->total;
	if (cause_is_outside(c->kind) || c->kind == CAUSE_QUEUE ||
	    !is_judged(e))
		return;
	facts->own_ns = e->span_own_ns;
	facts->said = CAUSE_SAYS_CPU_SHARE_TOO;
	if (c->kind == CAUSE_N_PLUS_ONE)
		return;
	facts->said = CAUSE_SAYS_CPU_SHARE;
	/* Which of the two the span's samples prove; unknown in between. */
	share = (double)c->on_cpu_ns / (double)e->span_own_ns;
	c->kind = share >= CAUSE_CPU_SHARE   ? CAUSE_CPU
		  : share < CAUSE_WAIT_SHARE ? CAUSE_WAIT
					     : CAUSE_UNKNOWN;
}

static bool leader_changed(const struct result *result)
{
	return result->function_count > 0 &&
	       change_is_up(result->functions[0].change);
}

static void confidence_rate(const struct cause_evidence *e,
			    const struct result *result,
			    struct cause_facts *facts)
{
	struct confidence_rating *r = &facts->rating;
	bool has_baseline = result->has_baseline;
	/* A span that never waited for CPU is not explained by a CPU profile;
	 * then the first function is no answer and must not look like one. */
	bool is_explained = leader_changed(result) &&
			    result->cause.kind != CAUSE_WAIT &&
			    result->cause.kind != CAUSE_QUEUE &&
			    !cause_is_outside(result->cause.kind);

	if (has_baseline && is_explained && result->functions[0].q >= 0 &&
	    e->file == CAUSE_FILE_FITS)
		r->confidence = CONFIDENCE_FAIR;
	if (result->cause.kind == CAUSE_QUEUE)
		r->confidence = result->cause.queue.typical_count
					? CONFIDENCE_FAIR
					: CONFIDENCE_WEAK;
	if (!result->has_profile || result->cause.kind == CAUSE_QUEUE)
		return;
	facts->is_span_measured =
		e->span && result->profile.scope != SCOPE_SPAN;
	confidence_lacks(r, e->file == CAUSE_FILE_OF_OTHER_TIME,
			 WEAKNESS_OTHER_TIME);
	confidence_lacks(r, e->file == CAUSE_FILE_OF_NO_TIME,
			 WEAKNESS_TIME_UNKNOWN);
	confidence_lacks(r, !has_baseline, WEAKNESS_NO_BASELINE);
	confidence_lacks(r, has_baseline && result->baseline.healthy < 0,
			 WEAKNESS_BASELINE_UNCHECKED);
	confidence_lacks(
		r, leader_changed(result) && isnan(result->functions[0].q),
		WEAKNESS_NOT_TESTED);
	confidence_lacks(r, has_baseline && !leader_changed(result),
			 WEAKNESS_NOTHING_GREW);
}

void cause_judge(const struct cause_evidence *evidence, struct result *result,
		 struct cause_facts *facts)
{
	*facts = (struct cause_facts){ .said = CAUSE_SAYS_NOTHING };
	if (!result->has_cause)
		return;
	judge_cpu_share(evidence, &result->cause, facts);
	/* If the cause is unknown from the trace alone, and too few samples
	 * carry the span: only the evidence of the service's profile is
	 * added. */
	if (result->has_profile && result->cause.kind == CAUSE_UNKNOWN &&
	    !is_judged(evidence))
		facts->said = leader_changed(result) ? CAUSE_SAYS_GROWN
			      : result->has_baseline ? CAUSE_SAYS_NOT_GROWN
						     : CAUSE_SAYS_WHERE;
	confidence_rate(evidence, result, facts);
	result->cause.confidence = facts->rating.confidence;
}

/* Decomposes the excess of a span over its typical time into parts shown by
 * spans and profiles, and an unattributed rest. */

/* Less than this part of the whole is left in the rest. */
#define EXCESS_LEAST_PART 1000

/* As much of it as is left. */
static void excess_take(struct excess *x, int64_t *left_ns, double ns,
			struct excess_part part)
{
	size_t at;

	part.ns = min_i64(*left_ns, sat_from_f64(ns));
	if (part.ns <= 0 || (part.kind != EXCESS_REST &&
			     part.ns < x->total_ns / EXCESS_LEAST_PART))
		return;
	*left_ns -= part.ns;
	/* Behind all that are larger. */
	for (at = x->count++; at && x->parts[at - 1].ns < part.ns; at--)
		x->parts[at] = x->parts[at - 1];
	x->parts[at] = part;
}

void excess_sum(const struct excess_facts *f, struct excess *out)
{
	double cpu_ns = f->cpu_now_ns - f->cpu_before_ns;
	double gc_ns = cpu_ns * f->gc_share;
	/* If more waits are measured than time is left, they overlap, and the
	 * parts are not known. */
	bool is_waits_known = f->blocked_ns <= (double)f->total_ns;
	int64_t left_ns = f->total_ns;

	*out = (struct excess){ .total_ns = f->total_ns };
	if (f->total_ns <= 0) {
		out->total_ns = 0;
		return;
	}
	excess_take(out, &left_ns, (double)f->queue_ns,
		    (struct excess_part){ .kind = EXCESS_QUEUE,
					  .now_ns = -1,
					  .before_ns = -1 });
	excess_take(out, &left_ns, (double)f->call_ns,
		    (struct excess_part){ .kind = EXCESS_CALL,
					  .now_ns = -1,
					  .before_ns = -1 });
	if (!isnan(cpu_ns)) {
		excess_take(
			out, &left_ns, cpu_ns - gc_ns,
			(struct excess_part){
				.kind = EXCESS_CPU,
				.now_ns = sat_from_f64(f->cpu_now_ns),
				.before_ns = sat_from_f64(f->cpu_before_ns) });
		excess_take(out, &left_ns, gc_ns,
			    (struct excess_part){ .kind = EXCESS_ALLOC,
						  .now_ns = -1,
						  .before_ns = -1 });
	}
	excess_take(
		out, &left_ns, f->blocked_ns,
		(struct excess_part){
			.kind = EXCESS_BLOCKED,
			.now_ns = is_waits_known
					  ? sat_from_f64(f->blocked_ns +
							 f->blocked_before_ns)
					  : -1,
			.before_ns =
				is_waits_known
					? sat_from_f64(f->blocked_before_ns)
					: -1,
			.name = f->blocked_in,
			.by = f->by });
	excess_take(out, &left_ns, (double)left_ns,
		    (struct excess_part){ .kind = EXCESS_REST,
					  .now_ns = -1,
					  .before_ns = -1 });
}
