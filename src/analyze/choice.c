/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/choice.h"
#include "analyze/wording.h"
#include "base/num.h"

/* Steps of the path that are kept: the way in and the way to the span; what
 * a deep recursion puts between them is counted. */
#define PATH_HEAD_STEPS 8u
#define PATH_TAIL_STEPS 24u

/* A choice is fair when it takes 30 % of the critical path and half as much
 * again as the next candidate. */
#define FAIR_PATH_PERCENT 30
#define FAIR_LEAD_PERCENT 150

/* Below a tenth the span's own time does not explain it. */
#define OWN_TIME_PERCENT 10

static bool is_call(const struct choice *c)
{
	uint8_t kind = c->t->spans[c->best->span].kind;

	return kind == SPAN_KIND_CLIENT || kind == SPAN_KIND_PRODUCER ||
	       c->calls.kind[c->best->span] != CALL_NONE;
}

/* part >= whole * percent / 100, without overflow. */
static bool is_at_least(int64_t part, int64_t whole, int64_t percent)
{
	return sat_mul_i64(part, 100) >= sat_mul_i64(whole, percent);
}

static int percent_of(int64_t part, int64_t whole)
{
	return whole > 0 ? (int)((double)part / (double)whole * 100 + 0.5) : 0;
}

/* A call whose own time is the lesser part: its callee explains it. */
static bool is_explained_by_callee(const struct choice *c)
{
	return c->server_side != SPAN_NONE &&
	       c->best->self_ns < c->best->duration_ns / 2;
}

bool choice_is_gap(const struct choice *c)
{
	return !c->loop && !c->retry && c->best->count == 1 &&
	       c->server_side != SPAN_NONE && !is_explained_by_callee(c);
}

static enum cause_kind cause_of(const struct choice *c)
{
	if (c->loop)
		return CAUSE_N_PLUS_ONE;
	if (c->retry && c->is_retry_pause)
		return CAUSE_WAIT;
	if (is_explained_by_callee(c))
		return CAUSE_DOWNSTREAM;
	if (c->server_side != SPAN_NONE)
		return CAUSE_WAIT;
	return is_call(c) ? CAUSE_DOWNSTREAM : CAUSE_UNKNOWN;
}

static void tell_callee(const struct choice *c, struct buf *out)
{
	buf_add_text(out, "a call that its callee explains: ");
	wording_add_span(out, c->t, c->server_side);
	buf_add_text(out, ", ");
	wording_add_duration(out,
			     span_duration_ns(&c->t->spans[c->server_side]));
	buf_add_text(out, " of ");
	wording_add_duration(out,
			     span_duration_ns(&c->t->spans[c->best->span]));
}

static void tell_gap(const struct choice *c, struct buf *out)
{
	wording_add_duration(out, c->best->self_ns);
	buf_add_text(out, " of ");
	wording_add_duration(out, c->best->duration_ns);
	buf_add_text(out, " outside the callee's spans: the network, a "
			  "connection pool or a queue");
}

static void tell_count(const struct choice *c, struct buf *out)
{
	if (c->best->count > 1)
		buf_addf(out, "%u x ", c->best->count);
	if (c->best->branch_count)
		buf_addf(out, "the slowest of %u side by side: ",
			 c->best->branch_count);
}

static void tell_call(const struct choice *c, struct buf *out)
{
	tell_count(c, out);
	buf_add_text(out, c->best->count > 1 ? "calls" : "a call");
	wording_add_peer(out, " to ", &c->calls, c->best->span);
	buf_add_text(out, ", which sends no spans: ");
	wording_add_call(out, &c->calls, c->best->span);
}

static void tell_own(const struct choice *c, struct buf *out)
{
	bool is_self = c->want->by == GUILTY_BY_SELF || !c->critical_ns;

	tell_count(c, out);
	wording_add_duration(out, is_self ? c->best->self_ns : c->critical_ns);
	buf_add_text(out, is_self ? " of its own"
				  : " of its own on the critical path");
}

static void tell_loop(const struct choice *c, struct buf *out)
{
	buf_addf(out, "N+1: %u x ", c->loop->count);
	wording_add_call(out, &c->calls, c->loop->leaf);
	buf_addf(out, ", %s, ", wording_manner(repeat_manner(c->loop)));
	wording_add_duration(out, c->loop->sum_ns);
}

static const struct growth *best_growth(const struct choice *c)
{
	return &c->growths.items[c->best - c->candidates.items];
}

/* "over 212 traces" */
static void tell_sample(uint32_t traces, struct buf *out)
{
	char count[COUNT_TEXT_BYTES];

	format_count(traces, count);
	buf_addf(out, "%s traces", count);
}

static void tell_usual(const struct choice *c, const struct growth *g,
		       struct buf *out)
{
	if (g->is_new) {
		buf_add_text(out, "not called in ");
		tell_sample(g->typical_count, out);
		buf_add_text(out, " before");
		return;
	}
	buf_add_text(out, "usually ");
	if (c->best->count > 1 && c->best->count != g->calls)
		buf_addf(out, "%u x, ", g->calls);
	wording_add_duration(out, g->typical_ns);
	buf_add_text(out, " over ");
	tell_sample(g->typical_count, out);
	buf_add_text(out, " before");
}

/* Of the calls that a loop repeats. */
static void tell_loop_growth(const struct choice *c, struct buf *out)
{
	const struct usual_operation *o = c->growths.known[c->loop->leaf];
	uint32_t calls = 0;

	buf_add_text(out, "; grew by ");
	wording_add_duration(out, c->growth.growth_ns);
	if (!o)
		return;
	buf_add_text(out, " (usually ");
	if (!usual_is_new(c->usual, o))
		calls = o->calls_p50;
	buf_addf(out, "%u call%s over ", calls, calls == 1 ? "" : "s");
	tell_sample(o->trace_count ? o->trace_count : c->usual->trace_count,
		    out);
	buf_add_text(out, " before)");
}

/* Without what the choice takes off for a call with a server side. */
static int64_t whole_growth(const struct choice *c)
{
	const struct growth *g = best_growth(c);

	if (c->retry)
		return c->growth.growth_ns;
	return sat_add_i64(c->growth.growth_ns, g->grown_ns - g->own_ns);
}

static void tell_growth(const struct choice *c, struct buf *out)
{
	const struct growth *g = best_growth(c);

	if (c->is_by_growth && c->loop) {
		tell_loop_growth(c, out);
	} else if (c->is_by_growth) {
		buf_add_text(out, "; grew by ");
		wording_add_duration(out, whole_growth(c));
		if (!g->is_known)
			return;
		buf_add_text(out, " (");
		tell_usual(c, g, out);
		buf_add_text(out, ")");
	} else if (guilty_want_is_narrow(c->want) ||
		   c->want->by != GUILTY_BY_CRITICAL_PATH) {
		if (!g->is_known)
			return;
		buf_add_text(out, "; ");
		tell_usual(c, g, out);
	} else {
		buf_add_text(out, "; nothing in the trace took clearly longer "
				  "than usual");
	}
}

static void tell_why(const struct choice *c, struct buf *out)
{
	if (c->loop)
		tell_loop(c, out);
	else if (c->retry && c->is_retry_pause)
		choice_tell_pauses(c, out);
	else if (is_explained_by_callee(c))
		tell_callee(c, out);
	else if (c->server_side != SPAN_NONE)
		tell_gap(c, out);
	else if (is_call(c))
		tell_call(c, out);
	else
		tell_own(c, out);
	if (c->t->spans[c->times->root].parent != SPAN_NONE)
		buf_add_text(out, "; the request did not wait for it");
	if (!c->loop && c->retry && !c->is_retry_pause)
		choice_tell_attempts(c, out);
	if (guilty_want_is_narrow(c->want))
		buf_add_text(out, "; asked for, not ranked");
	else if (c->want->by == GUILTY_BY_SELF)
		buf_add_text(out, "; ranked by self time");
	else if (c->want->by == GUILTY_BY_DURATION)
		buf_add_text(out, "; ranked by duration");
}

static void tell_unknown(const struct choice *c, struct buf *out)
{
	/* How much of it there is has been told. */
	if (is_at_least(c->best->self_ns, c->best->duration_ns,
			OWN_TIME_PERCENT)) {
		buf_add_text(out, "in the span's own code or in a wait inside "
				  "it; only a profile can tell");
		return;
	}
	wording_add_duration(out, c->best->self_ns);
	buf_add_text(out, " of ");
	wording_add_duration(out, c->best->duration_ns);
	buf_add_text(out, " are its own; the rest is in spans below it");
}

static void tell_cause(const struct choice *c, struct buf *out)
{
	/* How many there are, and of what, has been told. */
	if (c->loop) {
		buf_add_text(out, "a call took ");
		wording_add_duration(out,
				     c->loop->sum_ns / (int64_t)c->loop->count);
		buf_add_text(out, " on average");
	} else if (cause_of(c) == CAUSE_UNKNOWN) {
		tell_unknown(c, out);
	} else {
		tell_why(c, out);
	}
}

/* The client span of a call is left out when its server span follows. */
static bool is_step(const struct choice *c, uint32_t span, uint32_t below)
{
	return below == SPAN_NONE ||
	       c->t->spans[span].kind != SPAN_KIND_CLIENT ||
	       !span_is_served_call(c->t, below);
}

static bool add_step(struct result *result, struct buf *text, struct error *err)
{
	struct guilty_span *s = &result->span;

	return wording_take(text, &result->arena, &s->path[s->path_count++],
			    err);
}

/* Steps counted from the span upwards: spans[0] is the headline. */
static bool add_steps(const struct choice *c, const uint32_t *spans,
		      uint32_t count, struct result *result, struct error *err)
{
	bool is_long = count > PATH_HEAD_STEPS + PATH_TAIL_STEPS;
	struct buf text;

	buf_init(&text, WORDING_BYTES);
	result->span.path = arena_array(&result->arena,
					PATH_HEAD_STEPS + PATH_TAIL_STEPS + 1,
					sizeof *result->span.path);
	if (!result->span.path)
		return arena_fail(&result->arena, "the answer", err);
	for (uint32_t i = count; i-- > 0;) {
		if (is_long && i == count - 1 - PATH_HEAD_STEPS) {
			buf_addf(&text, "... %u spans ...",
				 i + 1 - PATH_TAIL_STEPS);
			i = PATH_TAIL_STEPS;
		} else {
			wording_add_span(&text, c->t, spans[i]);
		}
		if (!add_step(result, &text, err))
			return false;
	}
	return true;
}

static bool tell_path(struct choice *c, struct result *result,
		      struct error *err)
{
	const struct span *spans = c->t->spans;
	uint32_t depth = 0;
	uint32_t count = 0;
	uint32_t below = SPAN_NONE;
	uint32_t *steps;

	for (uint32_t i = c->headline; i != SPAN_NONE; i = spans[i].parent)
		depth++;
	steps = arena_array(&c->scratch, depth, sizeof *steps);
	if (!steps)
		return arena_fail(&c->scratch, "the trace", err);
	for (uint32_t i = c->headline; i != SPAN_NONE; i = spans[i].parent) {
		if (is_step(c, i, below))
			steps[count++] = i;
		below = i;
	}
	return add_steps(c, steps, count, result, err);
}

static void fill_times(const struct choice *c, struct guilty_span *out)
{
	const struct span *s = &c->t->spans[c->headline];
	const struct candidate *best = c->best;

	out->start_ns = s->start_ns;
	out->duration_ns = span_duration_ns(s);
	if (c->is_loop_headline) {
		out->self_ns = sat_add_i64(c->times->self_ns[c->headline],
					   c->loop_sum_ns);
		/* Loops of one span that ran side by side. */
		if (out->self_ns > out->duration_ns)
			out->self_ns = out->duration_ns;
		out->count = c->loop->count;
	} else {
		out->duration_ns = sat_sub_i64(best->end_ns, best->start_ns);
		out->self_ns = best->self_ns;
		out->count = best->count;
	}
	out->critical_ns = c->critical_ns;
	out->share = c->path_ns > 0
			     ? (double)c->critical_ns / (double)c->path_ns
			     : 0;
}

static bool is_parallel_group(const struct choice *c)
{
	return c->best->duration_ns >
	       sat_sub_i64(c->best->end_ns, c->best->start_ns);
}

/* What the headline usually takes. Of calls made side by side only the sums
 * are known, not from when to when they usually run. */
static void fill_typical(const struct choice *c, struct guilty_span *out)
{
	const struct usual_operation *o;
	uint32_t span = c->headline;

	if (!c->usual)
		return;
	o = c->growths.known[span];
	if (!o || usual_is_new(c->usual, o))
		return;
	if (!c->is_loop_headline && c->best->count > 1) {
		if (is_parallel_group(c))
			return;
		out->typical_ns = best_growth(c)->typical_ns;
	} else {
		out->typical_ns =
			usual_duration(c->usual, o, 1, c->growths.all[span]);
	}
	out->typical_count = o->trace_count;
}

static bool fill_span(struct choice *c, struct result *result,
		      struct error *err)
{
	const struct span *s = &c->t->spans[c->headline];
	struct guilty_span *out = &result->span;
	struct buf text;
	char id[17];

	span_id_format(s->span_id, id);
	*out = (struct guilty_span){
		.span = c->headline,
		.span_id = arena_str(&result->arena, str_from(id)),
		.service = span_service(c->t, c->headline),
		.name = span_name(c->t, c->headline),
		.kind = (enum span_kind)s->kind,
		.typical_ns = -1,
	};
	if (!out->span_id.ptr)
		return arena_fail(&result->arena, "the answer", err);
	fill_times(c, out);
	fill_typical(c, out);
	result->has_span = true;
	buf_init(&text, WORDING_BYTES);
	tell_why(c, &text);
	if (c->usual)
		tell_growth(c, &text);
	return wording_take(&text, &result->arena, &out->why, err) &&
	       tell_path(c, result, err);
}

/* What the choice is measured by, and the whole it is a part of. */
static int64_t measure_of(const struct choice *c, int64_t *whole_ns)
{
	if (!c->is_by_growth) {
		*whole_ns = c->path_ns;
		return c->critical_ns;
	}
	*whole_ns = c->growth.trace_ns ? c->growth.trace_ns : c->path_ns;
	return c->growth.growth_ns;
}

bool choice_is_close(const struct choice *c)
{
	int64_t whole, measure = measure_of(c, &whole);

	return !is_at_least(measure, c->next_ns, FAIR_LEAD_PERCENT);
}

static bool is_fair(const struct choice *c)
{
	int64_t whole, measure = measure_of(c, &whole);

	return cause_of(c) != CAUSE_UNKNOWN && measure > 0 &&
	       !c->t->is_partial && !c->t->orphan_count &&
	       is_at_least(measure, whole, FAIR_PATH_PERCENT) &&
	       !choice_is_close(c);
}

static void tell_confidence(const struct choice *c, struct buf *out)
{
	int64_t whole, measure = measure_of(c, &whole);
	bool is_of_growth = c->is_by_growth && c->growth.trace_ns;

	buf_addf(out,
		 is_of_growth ? "the traces: %d %% of what it took longer"
			      : "the trace alone: %d %% of the critical "
				"path",
		 percent_of(measure, whole));
	if (c->next_ns)
		buf_addf(out, ", the next candidate %d %%",
			 percent_of(c->next_ns, whole));
	if (c->t->is_partial)
		buf_add_text(out, "; the trace is incomplete");
	else if (c->t->orphan_count)
		buf_add_text(out, "; spans are missing from the trace");
}

static bool fill_cause(const struct choice *c, struct result *result,
		       struct error *err)
{
	struct cause *cause = &result->cause;
	struct buf text;

	*cause = (struct cause){
		.kind = cause_of(c),
		.confidence = is_fair(c) ? CONFIDENCE_FAIR : CONFIDENCE_WEAK,
		.on_cpu_ns = -1,
	};
	result->has_cause = true;
	buf_init(&text, WORDING_BYTES);
	tell_cause(c, &text);
	if (!wording_take(&text, &result->arena, &cause->text, err))
		return false;
	tell_confidence(c, &text);
	return wording_take(&text, &result->arena, &cause->confidence_text,
			    err);
}

bool choice_tell(struct choice *c, struct result *result, struct error *err)
{
	return fill_span(c, result, err) && fill_cause(c, result, err);
}
