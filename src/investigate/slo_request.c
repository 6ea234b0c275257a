/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/slo_request.h"

#include <math.h>
#include <string.h>

#include "analyze/operations.h"
#include "backend/fetch_trace.h"
#include "base/num.h"
#include "investigate/slow.h"
#include "model/trace_join.h"

/* A trace begins before and ends after the time at which it was found. */
#define PAD_NS NS_PER_HOUR

/* ---- the request ---- */

static bool is_entry(const struct slo *s, const struct trace *t, uint32_t span)
{
	return str_equal(span_service(t, span), str_from(s->service)) &&
	       (!s->operation ||
		str_equal(span_name(t, span), str_from(s->operation))) &&
	       (s->operation || span_entry(t, span) == span);
}

uint32_t slo_request_span(const struct slo *s, const struct trace *t,
			  bool *is_failed)
{
	uint32_t slow = SPAN_NONE, failed = SPAN_NONE;
	int64_t longest_ns = s->bound_ns;

	for (uint32_t i = 0; i < t->span_count; i++) {
		int64_t duration_ns = span_duration_ns(&t->spans[i]);

		if (!is_entry(s, t, i))
			continue;
		if (s->threshold_ns && duration_ns > longest_ns) {
			longest_ns = duration_ns;
			slow = i;
		}
		if (failed == SPAN_NONE && t->spans[i].flags & SPAN_IS_ERROR)
			failed = i;
	}
	*is_failed = slow == SPAN_NONE;
	return *is_failed ? failed : slow;
}

/* ---- what made it bad ---- */

/* A question within another: its notes are nobody's. */
struct looking {
	const struct slo *slo;
	struct trace trace;
	struct result result;
	struct finding finding;
	struct investigation v;
	struct notes notes;
};

static bool keep(struct arena *arena, struct str text, struct str *out,
		 struct error *err)
{
	*out = arena_str(arena, text);
	return out->ptr || arena_fail(arena, "a name", err);
}

/* What the operation usually takes, where that is good; else what it may. */
static int64_t usual_ns(const struct looking *l)
{
	const struct operation_history *h = &l->finding.history;
	uint32_t operation = OPERATION_NONE;
	int64_t usual_ns = -1;

	if (l->finding.has_symptom && h->has_typical)
		operation =
			operation_history_find(h, &l->trace, l->trace.roots[0]);
	if (operation != OPERATION_NONE)
		usual_ns = h->typical.items[operation].span_p50_ns;
	return usual_ns >= 0 && usual_ns < l->slo->bound_ns ? usual_ns : -1;
}

/* By how much the span to blame grew; of an operation that is always bad, its
 * part of the critical path. */
static void take_excess(const struct looking *l, struct spent_request *out)
{
	int64_t usual = usual_ns(l);
	int64_t change_ns = l->finding.suspect.pick.change_ns;
	int64_t whole_ns = out->duration_ns - usual;

	if (usual < 0 || change_ns < 0) {
		change_ns = l->result.span.critical_ns;
		whole_ns = out->duration_ns;
	}
	out->excess_ns = max_i64(
		0, out->duration_ns - (usual < 0 ? l->slo->bound_ns : usual));
	if (whole_ns > 0)
		out->explained = fmin(1, (double)max_i64(0, change_ns) /
						 (double)whole_ns);
}

/* The first row, where it is what grew. */
static const struct function_row *leading_row(const struct result *r)
{
	const struct function_row *row = result_verdict(r);

	return r->has_profile && result_verdict_count(r) &&
			       (!r->has_baseline || change_is_up(row->change))
		       ? row
		       : NULL;
}

static bool take_slow(struct looking *l, struct spent_request *out,
		      struct error *err)
{
	struct arena *arena = l->slo->backends->arena;
	const struct result *r = &l->result;
	const struct function_row *row = leading_row(r);

	out->cause = r->cause.kind;
	take_excess(l, out);
	if (row)
		out->line = row->line;
	return keep(arena, r->span.service, &out->service, err) &&
	       keep(arena, r->span.name, &out->operation, err) &&
	       (!row || (keep(arena, row->name, &out->function, err) &&
			 keep(arena, row->file, &out->file, err)));
}

static bool look_slow(struct looking *l, struct spent_request *out,
		      struct error *err)
{
	struct error missing = { 0 };

	if (!slow_investigate(&l->v, &l->finding, &missing)) {
		if (slo_is_final(&missing)) {
			*err = missing;
			return false;
		}
		slow_without_profiles(&l->v, &l->finding);
	}
	return take_slow(l, out, err);
}

/* Where the failure began, as far as the trace tells. */
static uint32_t failed_span(const struct looking *l)
{
	const struct result *r = &l->result;

	for (size_t i = 0; i < r->finding_count; i++)
		if (r->findings[i].facts.kind == FINDING_ERROR &&
		    r->findings[i].facts.is_fatal)
			return r->findings[i].facts.span;
	return l->trace.roots[0];
}

static bool look_failed(struct looking *l, struct spent_request *out,
			struct error *err)
{
	struct arena *arena = l->slo->backends->arena;
	uint32_t span = failed_span(l);

	out->is_failed = true;
	out->explained = 1;
	return keep(arena, span_service(&l->trace, span), &out->service, err) &&
	       keep(arena, span_name(&l->trace, span), &out->operation, err);
}

static bool look(struct looking *l, const struct question *question,
		 bool is_failed, struct spent_request *out, struct error *err)
{
	struct backends *b = l->slo->backends;
	struct notes *notes = b->notes;
	bool done;

	l->v = (struct investigation){ .question = question,
				       .backends = b,
				       .trace = &l->trace,
				       .result = &l->result };
	memset(&l->result, 0, sizeof l->result);
	arena_init(&l->result.arena, LIMIT_RESULT_BYTES);
	notes_init(&l->result.notes);
	notes_init(&l->result.reasons);
	notes_init(&l->notes);
	finding_init(&l->finding, &l->v);
	b->notes = &l->notes;
	out->duration_ns = l->trace.end_ns - l->trace.start_ns;
	done = suspect_find(&l->v, &l->finding.suspect, err) &&
	       (is_failed ? look_failed(l, out, err) : look_slow(l, out, err));
	b->notes = notes;
	finding_release(&l->finding);
	arena_release(&l->result.arena);
	return done;
}

/* ---- its trace ---- */

static bool fetch(const struct slo *s, const struct trace_id *id,
		  struct time_range range, struct trace *t, struct error *err)
{
	const struct time_range window = { sat_sub_i64(range.from_ns, PAD_NS),
					   sat_add_i64(range.to_ns, PAD_NS) };
	enum trace_found found;

	if (!trace_fetch(s->backends, id, &window, t, &found, err))
		return false;
	return (found && t->span_count) ||
	       error_set(err, ERROR_NOT_FOUND, "%s", "");
}

bool slo_request_look(const struct slo *s, const struct question *question,
		      const struct trace_id *id, struct time_range range,
		      struct spent_request *out, struct error *err)
{
	struct looking l = { .slo = s };
	struct trace whole;
	bool is_failed, done;
	uint32_t span;

	backends_begin(s->backends);
	*out = (struct spent_request){ .cause = CAUSE_UNKNOWN };
	trace_id_format(id, out->trace_id);
	trace_init(&whole);
	whole.wants_attrs = true;
	done = fetch(s, id, range, &whole, err);
	span = done ? slo_request_span(s, &whole, &is_failed) : SPAN_NONE;
	if (done && span == SPAN_NONE)
		done = error_set(err, ERROR_NOT_FOUND, "%s", "");
	if (done) {
		done = trace_part(&whole, span, &l.trace, err) &&
		       look(&l, question, is_failed, out, err);
		trace_release(&l.trace);
	}
	trace_release(&whole);
	return done;
}
