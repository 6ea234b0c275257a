/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/slow_chosen.h"

#include "base/num.h"
#include "investigate/rows_view.h"

bool slow_is_chosen(const struct investigation *v)
{
	return v->backends->profiles.path || v->question->baseline_selector ||
	       v->question->baseline.kind == BASELINE_WANT_FILE;
}

static void want_init(const struct investigation *v, struct finding *f,
		      struct time_range window)
{
	const char *const *path = &v->backends->profiles.path;
	const struct guilty_pick *pick = &f->suspect.pick;
	const struct span *span;

	f->want = (struct chosen_want){
		.service = pick->service,
		.trace = v->trace,
		.resource = v->trace->spans[pick->owner].resource,
		.window = window,
		.paths = path,
		.path_count = *path != NULL,
		.baseline_selector = v->question->baseline_selector,
		.is_baseline_wanted = true,
	};
	if (!pick->profile_id.ptr ||
	    question_scope_is(v->question, SCOPE_SERVICE) ||
	    !parse_hex_u64(pick->profile_id, &f->want.span_id))
		return;
	span = &v->trace->spans[pick->profile_span];
	f->want.span_range = window_of_samples(span->start_ns, span->end_ns);
}

static bool rank_rows(const struct investigation *v, struct finding *f,
		      struct error *err)
{
	bool is_loop = v->result->cause.kind == CAUSE_N_PLUS_ONE &&
		       !v->question->rows.has_measure;
	/* Alone, a profile's largest totals are those of main() and its like.
	 */
	enum rank_by by =
		f->chosen.comparison.has_base ? RANK_TOTAL : RANK_SELF_LIB;

	return chosen_rank(&f->chosen, by, v->result->span.name, is_loop, err);
}

static bool rank_chosen(const struct investigation *v, struct finding *f,
			struct error *err)
{
	const struct guilty_pick *pick = &f->suspect.pick;

	return (!question_scope_is(v->question, SCOPE_SPAN) ||
		chosen_turn_to_span(&f->chosen, pick->profile_id.ptr != NULL,
				    pick->profile_id, err)) &&
	       chosen_report(&f->chosen, v->result, err) &&
	       rank_rows(v, f, err);
}

static void judge_cause(const struct investigation *v, struct finding *f)
{
	struct cause_evidence evidence = { 0 };

	if (f->chosen.has_span) {
		evidence.span = f->chosen.is_of_span
					? &f->chosen.comparison.slow.profile
					: &f->chosen.span;
		evidence.span_own_ns = f->suspect.pick.profile_own_ns;
	}
	cause_judge(&evidence, v->result, &f->cause);
}

bool slow_chosen_investigate(struct investigation *v, struct finding *f,
			     struct time_range window, struct error *err)
{
	f->note_count = v->result->notes.count;
	want_init(v, f, window);
	if (!chosen_fetch(&f->chosen, err) || !rank_chosen(v, f, err))
		return false;
	judge_cause(v, f);
	f->shown = &f->chosen.comparison;
	f->has_conclusion = true;
	return true;
}

bool slow_chosen_view(struct investigation *v, struct finding *f,
		      struct error *err)
{
	struct error nothing = { 0 };
	struct kept_verdict kept;

	if (view_is_plain(&v->question->view))
		return true;
	if (!rows_view_begin(v, f->note_count, &kept, err))
		return false;
	if (chosen_filter(&f->chosen, false, &nothing)) {
		if (!rank_rows(v, f, err))
			return false;
	} else if (v->shortfall.kind == SHORTFALL_FILTERED) {
		rows_view_empty(v);
	} else {
		*err = nothing;
		return false;
	}
	rows_view_end(v, &kept);
	return true;
}
