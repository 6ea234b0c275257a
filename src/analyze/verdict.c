/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/verdict.h"

#include <math.h>

#include "model/result.h"

/* Growth of a wait's owner that no traffic explains, as a ratio; and where
 * traffic is known. */
#define WAIT_RATIO 2.0
#define WAIT_RATIO_BY_REQUEST 1.5

/* Below a quarter the CPU had little to do with it. */
#define VERDICT_PARTLY 0.25

enum cpu_verdict verdict_cpu(const struct cpu_measure *m)
{
	double explained;

	if (m->own_ns <= 0 || m->change_ns <= 0)
		return CPU_UNKNOWN;
	if (m->samples < VERDICT_SAMPLES &&
	    m->possible_samples < 5 * VERDICT_SAMPLES)
		return CPU_UNKNOWN;
	if (isnan(m->base_ns))
		explained = m->slow_ns / m->own_ns;
	else
		explained = (m->slow_ns - m->base_ns) / m->change_ns;
	if (explained >= VERDICT_EXPLAINED)
		return CPU_EXPLAINS;
	return explained >= VERDICT_PARTLY ? CPU_PARTLY : CPU_WAITS;
}

bool verdict_is_on_cpu(const struct cpu_measure *m)
{
	double sure = m->samples - 2 * sqrt(fmax(0, m->samples));

	return sure > 0 && m->possible_samples > 0 &&
	       sure >= VERDICT_EXPLAINED * m->possible_samples;
}

#define VERDICT_MANIFOLD_LEAST 0.1
#define VERDICT_MANIFOLD_LEAST_SEEN 0.01

/* Who computes so many times as much as usual, and by a tenth of what the
 * request grew by, and loses most of the rest where no profile of waiting sees
 * it, waits for a processor. A hundredth does where all that blocks was looked
 * at: on a machine that is full a little more to compute waits for long. */
#define VERDICT_MANIFOLD 3.0

bool verdict_is_starved(const struct cpu_measure *m, double blocked_ns,
			bool are_waits_seen)
{
	double least = are_waits_seen ? VERDICT_MANIFOLD_LEAST_SEEN
				      : VERDICT_MANIFOLD_LEAST;
	double grown = m->slow_ns - m->base_ns;
	double blocked = fmax(0, blocked_ns);
	double rest = m->change_ns - grown - blocked;

	/* Neither holds where the base is not known: NaN. */
	return m->samples >= VERDICT_SAMPLES &&
	       m->slow_ns >= VERDICT_MANIFOLD * m->base_ns &&
	       grown >= least * m->change_ns &&
	       rest > blocked;
}

#define VERDICT_GC_RATIO 2.0

bool verdict_is_gc(double now, double before, double of_growth, double least)
{
	return now >= least && now >= VERDICT_GC_RATIO * before &&
	       of_growth >= VERDICT_ALLOC;
}

bool verdict_explains(double change, double needed)
{
	return needed > 0 && change >= VERDICT_EXPLAINED * needed;
}

static bool has_grown(const struct wait_measure *m, double ratio)
{
	return m->is_known && m->is_owner && !m->is_crumb &&
	       verdict_explains(m->change, m->needed) &&
	       m->change >= (ratio - 1) * m->before;
}

bool verdict_is_likely(const struct wait_measure *m)
{
	return has_grown(m, WAIT_RATIO);
}

bool verdict_asks_for(enum cause_kind trace_cause, enum wait_type type)
{
	if (type == WAIT_MUTEX && trace_cause == CAUSE_NETWORK)
		return true;
	return !cause_is_outside(trace_cause) || type == WAIT_BLOCK ||
	       type == WAIT_WALL || type == WAIT_OFF_CPU;
}

void verdict_keep_locks(struct wait_measure measures[WAIT_TYPES])
{
	for (int i = 0; i < WAIT_TYPES; i++)
		if (i != WAIT_MUTEX && i != WAIT_NEIGHBOUR &&
		    !measures[i].is_lock)
			measures[i].is_known = false;
}

enum wait_type verdict_wait(const struct wait_measure measures[WAIT_TYPES])
{
	const struct wait_measure *cpu = &measures[WAIT_NEIGHBOUR];

	for (int i = 0; i < WAIT_TYPES; i++) {
		const struct wait_measure *m = &measures[i];

		if (!m->is_grown ||
		    !has_grown(m, m->is_by_request ? WAIT_RATIO_BY_REQUEST
						   : WAIT_RATIO))
			continue;
		/* Wall clock time holds the time on CPU too: a function that
		 * leads both, and whose CPU time is enough, computes. */
		return i == WAIT_WALL && verdict_is_likely(cpu) &&
				       str_equal(cpu->name, m->name)
			       ? WAIT_NEIGHBOUR
			       : (enum wait_type)i;
	}
	return WAIT_TYPES;
}

enum cause_kind verdict_wait_cause(enum wait_type type,
				   const struct wait_measure *m)
{
	switch (type) {
	case WAIT_MUTEX:
		return CAUSE_LOCK;
	case WAIT_NEIGHBOUR:
		return m->gc_share >= VERDICT_ALLOC ? CAUSE_ALLOC : CAUSE_CPU;
	case WAIT_BLOCK:
	case WAIT_WALL:
	case WAIT_OFF_CPU:
	case WAIT_GOROUTINE:
		return m->is_lock ? CAUSE_LOCK : CAUSE_WAIT;
	case WAIT_TYPES:
		break;
	}
	return CAUSE_WAIT;
}

bool verdict_is_ordinary(int64_t own_ns, int64_t change_ns)
{
	return change_ns >= 0 && change_ns / 2 < own_ns / 3;
}

/* ---- how sure ---- */

/* From here on a share of one in ten has an interval of some 6 points. */
#define STRONG_SAMPLES 100
#define STRONG_Q 0.01

/* So many weaknesses are put up with in a fair answer. */
#define FAIR_WEAKNESSES 2u

bool verdict_is_of_trace(enum cause_kind kind)
{
	return kind == CAUSE_N_PLUS_ONE || kind == CAUSE_DOWNSTREAM ||
	       kind == CAUSE_QUEUE;
}

static void is_no_answer(struct confidence_rating *r, bool is_it,
			 enum weakness weakness)
{
	confidence_lacks(r, is_it, weakness);
	r->is_no_answer |= is_it;
}

static void rate_profile(const struct confidence_facts *f,
			 struct confidence_rating *r)
{
	is_no_answer(r, !f->has_baseline, WEAKNESS_NO_BASELINE);
	is_no_answer(r, f->has_baseline && !f->is_grown, WEAKNESS_NOTHING_GREW);
	if (!f->has_baseline || !f->is_grown)
		return;
	if (f->is_manifold)
		confidence_lacks(r, !f->is_tested, WEAKNESS_NOT_TESTED);
	else
		is_no_answer(r, !f->is_tested, WEAKNESS_NOT_TESTED);
	confidence_lacks(r, f->scope == SCOPE_SERVICE, WEAKNESS_WHOLE_SERVICE);
	confidence_lacks(r, f->samples >= 0 && f->samples < STRONG_SAMPLES,
			 WEAKNESS_FEW_SAMPLES);
	confidence_lacks(r, f->is_tested && f->q > STRONG_Q,
			 WEAKNESS_NEAR_NOISE);
	confidence_lacks(r, f->has_close_second, WEAKNESS_CLOSE_SECOND);
	confidence_lacks(r, f->is_partly_cpu, WEAKNESS_PARTLY_CPU);
}

static void rate_trace(const struct confidence_facts *f,
		       struct confidence_rating *r)
{
	confidence_lacks(r, !f->has_history, WEAKNESS_NO_HISTORY);
	is_no_answer(r, f->is_healthy_operation, WEAKNESS_HEALTHY_OPERATION);
	confidence_lacks(r, f->has_baseline && f->healthy < 0,
			 WEAKNESS_BASELINE_UNCHECKED);
	confidence_lacks(r, f->has_baseline && f->healthy == 0,
			 WEAKNESS_BASELINE_UNHEALTHY);
	confidence_lacks(r, f->is_close_span, WEAKNESS_CLOSE_SPAN);
	confidence_lacks(r, f->is_alone, WEAKNESS_ALONE);
	confidence_lacks(r, f->may_be_chance, WEAKNESS_MAY_BE_CHANCE);
	confidence_lacks(r, f->is_of_one_operation, WEAKNESS_ONE_OPERATION);
	confidence_lacks(r, f->has_few_messages, WEAKNESS_FEW_SAMPLES);
	confidence_lacks(r, f->is_partial_trace, WEAKNESS_PARTIAL_TRACE);
}

struct confidence_rating verdict_confidence(const struct confidence_facts *f)
{
	struct confidence_rating r = { .confidence = CONFIDENCE_WEAK };

	if (f->has_profile)
		rate_profile(f, &r);
	else
		confidence_lacks(&r, !f->is_trace_enough, WEAKNESS_NO_PROFILE);
	rate_trace(f, &r);
	if (r.is_no_answer)
		return r;
	if (r.weakness_count == 0)
		r.confidence = CONFIDENCE_STRONG;
	else if (r.weakness_count <= FAIR_WEAKNESSES)
		r.confidence = CONFIDENCE_FAIR;
	return r;
}
