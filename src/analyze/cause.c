/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/cause.h"

#include <math.h>

#include "analyze/wording.h"
#include "base/buf.h"
#include "base/num.h"

static bool set_text(struct result *result, struct str text, struct str *out,
		     struct error *err)
{
	if (!text.ptr)
		return arena_fail(&result->arena, "the answer", err);
	*out = text;
	return true;
}

static bool counts_time(const struct profile *p)
{
	return str_equal(profile_unit(p), STR("nanoseconds"));
}

/* Which of cpu and wait the span's own samples prove; unknown between. */
static enum cause_kind kind_of(double share)
{
	if (share >= CAUSE_CPU_SHARE)
		return CAUSE_CPU;
	return share < CAUSE_WAIT_SHARE ? CAUSE_WAIT : CAUSE_UNKNOWN;
}

static const char *kind_words(enum cause_kind kind)
{
	switch (kind) {
	case CAUSE_CPU:
		return "computing";
	case CAUSE_WAIT:
		return "not CPU";
	default:
		return "part computing, part waiting";
	}
}

/* Long enough, and with samples of its own that count time. */
static bool is_judged(const struct cause_evidence *e)
{
	return e->span && counts_time(e->span) &&
	       e->span_own_ns >= CAUSE_OWN_MIN_NS;
}

/* "computing: 402 ms of 560 ms were on CPU", from the span's own samples. */
static bool add_cpu_share(const struct cause_evidence *e, struct result *result,
			  struct error *err)
{
	struct cause *c = &result->cause;
	enum cause_kind kind;
	char cpu[24], own[24];

	if (!e->span || !counts_time(e->span) || e->span_own_ns <= 0)
		return true;
	c->on_cpu_ns = e->span->total;
	if (c->kind == CAUSE_DOWNSTREAM || !is_judged(e))
		return true;
	kind = kind_of((double)c->on_cpu_ns / (double)e->span_own_ns);
	format_duration(c->on_cpu_ns, cpu);
	format_duration(e->span_own_ns, own);
	if (c->kind == CAUSE_N_PLUS_ONE)
		return set_text(result,
				arena_printf(&result->arena,
					     "%.*s; %s of %s were on CPU",
					     STR_ARGS(c->text), cpu, own),
				&c->text, err);
	c->kind = kind;
	return set_text(result,
			arena_printf(&result->arena, "%s: %s of %s were on CPU",
				     kind_words(kind), cpu, own),
			&c->text, err);
}

static bool leader_changed(const struct result *result)
{
	return result->function_count > 0 &&
	       change_is_up(result->functions[0].change);
}

/* Where the trace alone could not tell, and too few samples carry the span:
 * what the profile of the service adds, and no more. */
static bool add_profile(struct result *result, bool is_judged,
			struct error *err)
{
	struct cause *c = &result->cause;
	const char *shown = "the profile shows where its service spends time";

	if (!result->has_profile || c->kind != CAUSE_UNKNOWN || is_judged)
		return true;
	if (leader_changed(result))
		shown = "a function of its service grew";
	else if (result->has_baseline)
		shown = "no function of its service clearly grew";
	return set_text(result,
			arena_printf(&result->arena,
				     "computing or waiting: too few samples of "
				     "its own to tell; %s",
				     shown),
			&c->text, err);
}

/* A span that never waited for CPU is not explained by a CPU profile; then
 * the first function is no answer and must not look like one. */
static bool is_explained(const struct result *result)
{
	return leader_changed(result) && result->cause.kind != CAUSE_WAIT &&
	       result->cause.kind != CAUSE_DOWNSTREAM;
}

/* Of which requests a file is nobody knows. */
static void add_whose(const struct profile_info *p, struct buf *out)
{
	if (p->is_file) {
		buf_add_text(out, "the profile file ");
		wording_add(out, p->selector, WORDING_TEXT_BYTES);
		return;
	}
	buf_add_text(out, p->scope == SCOPE_SPAN
				  ? "the span's own samples"
				  : "profile of the whole service");
}

static bool rate(const struct cause_evidence *e, struct result *result,
		 struct error *err)
{
	struct cause *c = &result->cause;
	struct buf text;
	bool done;

	buf_init(&text, LIMIT_ERROR_BYTES);
	if (!result->has_profile) {
		buf_add_text(&text, "the trace alone, no profile");
	} else {
		bool is_span = result->profile.scope == SCOPE_SPAN;

		add_whose(&result->profile, &text);
		wording_add_samples(&text, result);
		if (e->span && !is_span)
			buf_add_text(&text, ", CPU time measured on the span");
		if (!result->has_baseline)
			buf_add_text(&text, ", no baseline");
		else if (result->baseline.healthy < 0)
			buf_add_text(&text,
				     ", baseline not checked for health");
		if (leader_changed(result) && isnan(result->functions[0].q))
			buf_add_text(&text, ", not tested for significance");
		if (result->has_baseline && !leader_changed(result))
			buf_add_text(&text, ", no function clearly grew");
	}
	c->confidence = result->has_baseline && is_explained(result) &&
					result->functions[0].q >= 0
				? CONFIDENCE_FAIR
				: CONFIDENCE_WEAK;
	done = buf_check(&text, "the answer", err) &&
	       set_text(result, arena_str(&result->arena, buf_str(&text)),
			&c->confidence_text, err);
	buf_release(&text);
	return done;
}

bool cause_complete(const struct cause_evidence *evidence,
		    struct result *result, struct error *err)
{
	if (!result->has_cause)
		return true;
	return add_cpu_share(evidence, result, err) &&
	       add_profile(result, is_judged(evidence), err) &&
	       rate(evidence, result, err);
}
