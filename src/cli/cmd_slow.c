/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "analyze/cause.h"
#include "base/num.h"
#include "cli/cli.h"
#include "cli/guilty.h"
#include "cli/suggest_next.h"

/* Go's CPU profiles cover 30 s and carry the time of their start: samples of
 * a span lie in a profile stamped up to 30 s before it. */
#define SPAN_LEAD_NS (30 * NS_PER_S)
#define SPAN_TAIL_NS (15 * NS_PER_S)

static bool scope_is(const struct options *o, const char *scope)
{
	return o->scope && !strcmp(o->scope, scope);
}

/* The profile of the guilty service, in the span's time and --pad. */
static bool want_init(struct run *r, const struct guilty *g,
		      struct evidence_want *want, char span_id[17],
		      struct error *err)
{
	const struct options *o = r->ctx.options;
	const struct guilty_pick *pick = &g->pick;
	const struct span *s;

	*want = (struct evidence_want){
		.service = pick->service,
		.trace = &r->trace,
		.resource = r->trace.spans[pick->owner].resource,
		.window = window_around(pick->start_ns, pick->end_ns, o->pad_ns,
					r->ctx.now_ns),
		.is_baseline_wanted = true,
	};
	if (window_is_given(o) &&
	    !window_resolve(o, r->ctx.now_ns, 2 * o->pad_ns, &want->window,
			    err))
		return false;
	if (want->window.to_ns < pick->start_ns ||
	    want->window.from_ns > pick->end_ns)
		notes_add(&r->ctx.notes, "the time window given does not hold "
					 "the span; without one it is the "
					 "span's own time and --pad");
	if (!pick->profile_id.ptr || scope_is(o, "service"))
		return true;
	memcpy(span_id, pick->profile_id.ptr, 16);
	span_id[16] = '\0';
	s = &r->trace.spans[pick->profile_span];
	want->span_id = span_id;
	want->span_range.from_ns = sat_sub_i64(s->start_ns, SPAN_LEAD_NS);
	want->span_range.to_ns = sat_add_i64(s->end_ns, SPAN_TAIL_NS);
	return true;
}

/* --scope span: the span's own samples take the place of the service's. */
static bool choose_scope(struct run *r, const struct guilty *g,
			 const struct evidence_want *want, struct error *err)
{
	struct evidence *ev = &r->evidence;
	struct profile service = ev->slow;

	if (!scope_is(r->ctx.options, "span"))
		return true;
	if (!ev->has_span)
		return error_set(err, ERROR_NOT_FOUND,
				 "no samples of this span: %s",
				 g->pick.profile_id.ptr
					 ? "none carry its id (too short, or "
					   "not on CPU); leave out --scope span"
					 : "it has no pyroscope.profile.id; "
					   "leave out --scope span");
	ev->slow = ev->span;
	ev->span = service;
	ev->has_baseline = false;
	ev->selector = g->pick.profile_id;
	ev->window = want->span_range;
	r->result.profile.scope = SCOPE_SPAN;
	notes_add(&r->ctx.notes, "one span's samples have no baseline: the "
				 "profile is shown alone");
	return true;
}

static bool rank_evidence(struct run *r, const struct guilty *g,
			  const struct evidence_want *want, struct error *err)
{
	/* An order that was asked for is kept. */
	bool is_loop = r->result.cause.kind == CAUSE_N_PLUS_ONE &&
		       !r->ctx.options->sort;
	enum scope scope;

	if (!choose_scope(r, g, want, err))
		return false;
	scope = r->result.profile.scope;
	if (!evidence_report(&r->evidence, &r->result, err))
		return false;
	r->result.profile.scope = scope;
	return run_rank(r, RANK_OWNED, r->result.span.name, is_loop, err);
}

static bool complete_cause(struct run *r, const struct guilty *g,
			   struct error *err)
{
	struct cause_evidence evidence = { 0 };

	if (r->has_evidence && r->evidence.has_span) {
		evidence.span = r->result.profile.scope == SCOPE_SPAN
					? &r->evidence.slow
					: &r->evidence.span;
		evidence.span_own_ns = g->pick.profile_own_ns;
	}
	return cause_complete(&evidence, &r->result, err);
}

/* Notes that begin so take the place of the function in the report. */
static void note_missing(struct run *r, const char *why)
{
	const struct str lead = STR("no profile");

	notes_add(&r->ctx.notes, "%s%s",
		  str_starts(str_from(why), lead) ? "" : "no profile: ", why);
}

/* Without a profile the trace's half of the answer is still told; the reason
 * goes to stderr and into the exit status. */
static bool slow(struct run *r, struct error *err)
{
	struct error missing = { 0 }, render = { 0 };
	struct evidence_want want;
	char span_id[17];
	struct guilty g;

	if (!guilty_from_trace(r, &g, err) ||
	    !want_init(r, &g, &want, span_id, err))
		return false;
	r->has_evidence =
		evidence_fetch(&r->ctx, &want, &r->evidence, &missing) &&
		rank_evidence(r, &g, &want, &missing);
	if (!r->has_evidence) {
		if (missing.code == ERROR_USAGE ||
		    missing.code == ERROR_MEMORY) {
			*err = missing;
			return false;
		}
		r->result.has_profile = r->result.has_baseline = false;
		r->result.function_count = 0;
		note_missing(r, missing.message);
	}
	if (!complete_cause(r, &g, err))
		return false;
	suggest_next(r, "show", "");
	if (r->result.has_profile)
		suggest_next(r, "slow",
			     " -o folded | flamegraph.pl > flame.svg");
	if (!run_render(r, &render) && r->has_evidence) {
		*err = render;
		return false;
	}
	if (!r->has_evidence)
		*err = missing;
	return r->has_evidence;
}

int cmd_slow(const struct options *o)
{
	struct error err = { 0 };
	struct run r;
	bool done = run_begin(&r, o, "slow", 0, &err) && slow(&r, &err);

	return run_end(&r, done, &err);
}
