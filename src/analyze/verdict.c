/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/verdict.h"

#include <math.h>

#include "base/buf.h"

/* Growth of a wait's owner that no traffic explains, as a ratio. */
#define WAIT_RATIO 2.0

enum cpu_verdict verdict_cpu(const struct cpu_measure *m)
{
	double explained;

	if (m->own_ns <= 0 || m->growth_ns <= 0)
		return CPU_UNKNOWN;
	if (m->samples < VERDICT_SAMPLES &&
	    m->possible_samples < 5 * VERDICT_SAMPLES)
		return CPU_UNKNOWN;
	if (isnan(m->base_ns))
		explained = m->slow_ns / m->own_ns;
	else
		explained = (m->slow_ns - m->base_ns) / m->growth_ns;
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

bool verdict_is_likely(const struct wait_measure *m)
{
	return m->is_known && m->is_owner && m->growth > 0 &&
	       m->growth >= VERDICT_EXPLAINED * m->needed &&
	       m->growth >= (WAIT_RATIO - 1) * m->before;
}

static bool explains(const struct wait_measure *m)
{
	return m->is_grown && verdict_is_likely(m);
}

/* Wall clock time holds the time on CPU too: a function that leads both, and
 * whose CPU time is enough, computes. */
static bool is_cpu_in_wall(const struct wait_measure measures[WAIT_TYPES])
{
	const struct wait_measure *cpu = &measures[WAIT_NEIGHBOUR];

	return verdict_is_likely(cpu) && cpu->name.len &&
	       str_equal(cpu->name, measures[WAIT_WALL].name);
}

enum wait_type verdict_wait(const struct wait_measure measures[WAIT_TYPES])
{
	for (int i = 0; i < WAIT_TYPES; i++) {
		if (!explains(&measures[i]))
			continue;
		return i == WAIT_WALL && is_cpu_in_wall(measures)
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

bool verdict_is_ordinary(int64_t own_ns, int64_t growth_ns)
{
	return growth_ns >= 0 && growth_ns / 2 < own_ns / 3;
}

/* ---- how sure ---- */

/* From here on a share of one in ten has an interval of some 6 points. */
#define STRONG_SAMPLES 100
#define STRONG_Q 0.01

struct rating {
	struct buf text;
	unsigned weaknesses;
	bool is_weak;
};

static void lacks(struct rating *r, bool is_lacking, const char *words)
{
	if (!is_lacking)
		return;
	r->weaknesses++;
	buf_addf(&r->text, ", %s", words);
}

static void is_no_answer(struct rating *r, bool is_it, const char *words)
{
	if (!is_it)
		return;
	r->is_weak = true;
	buf_addf(&r->text, ", %s", words);
}

static void rate_profile(const struct confidence_facts *f, struct rating *r)
{
	is_no_answer(r, !f->has_baseline, "no baseline");
	is_no_answer(r, f->has_baseline && !f->is_grown,
		     "no function clearly grew");
	if (!f->has_baseline || !f->is_grown)
		return;
	is_no_answer(r, !f->is_tested, "not tested for significance");
	lacks(r, f->scope == SCOPE_SERVICE,
	      "seen in the whole service, not in this request");
	lacks(r, f->samples >= 0 && f->samples < STRONG_SAMPLES, "few samples");
	lacks(r, f->is_tested && f->q > STRONG_Q, "not far from noise");
	lacks(r, f->has_close_second, "another function grew nearly as much");
}

static void rate_trace(const struct confidence_facts *f, struct rating *r)
{
	lacks(r, !f->has_history, "no other traces to compare with");
	is_no_answer(r, f->is_healthy_operation,
		     "its operation is as quick as ever");
	lacks(r, f->has_baseline && f->healthy < 0,
	      "baseline not checked for health");
	lacks(r, f->has_baseline && f->healthy == 0, "baseline not healthy");
	lacks(r, f->is_close_span, "another span took nearly as long");
	lacks(r, f->is_partial_trace, "the trace is incomplete");
}

enum confidence verdict_confidence(const struct confidence_facts *f,
				   const char *basis, struct arena *arena,
				   struct str *text, struct error *err)
{
	struct rating r = { .weaknesses = 0 };

	buf_init(&r.text, LIMIT_ERROR_BYTES);
	buf_add_text(&r.text, basis);
	if (f->has_profile)
		rate_profile(f, &r);
	else
		lacks(&r, !f->is_trace_enough, "no profile");
	rate_trace(f, &r);
	if (buf_check(&r.text, "the answer", err))
		*text = arena_str(arena, buf_str(&r.text));
	buf_release(&r.text);
	if (r.is_weak)
		return CONFIDENCE_WEAK;
	if (r.weaknesses == 0)
		return CONFIDENCE_STRONG;
	return r.weaknesses <= 2 ? CONFIDENCE_FAIR : CONFIDENCE_WEAK;
}
