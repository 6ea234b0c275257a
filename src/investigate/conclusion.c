/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/profile_inquiry.h"

#include <math.h>
#include <string.h>

#include "analyze/profile_analysis.h"
#include "base/num.h"

/* The rows once more, of what filters leave of the profiles, while the verdict
 * and what is said of the whole stay. */

static bool keep_text(struct arena *arena, struct str *text)
{
	if (text->len)
		*text = arena_str(arena, *text);
	return !text->len || text->ptr;
}

/* The texts of rows, and the unit, lie in the profiles, which are about to
 * go. */
static bool keep_rows(struct result *result, struct error *err)
{
	struct arena *arena = &result->arena;

	result->table = NULL;
	if (!keep_text(arena, &result->profile.unit) ||
	    !keep_text(arena, &result->source_root))
		return arena_fail(arena, "the unit", err);
	for (size_t i = 0; i < result_listed(result); i++) {
		struct function_row *row = &result->functions[i];

		if (!keep_text(arena, &row->name) ||
		    !keep_text(arena, &row->file) ||
		    !keep_text(arena, &row->leaf) ||
		    !keep_text(arena, &row->through) ||
		    !keep_text(arena, &row->replaces))
			return arena_fail(arena, "the rows", err);
	}
	return true;
}

bool rows_view_begin(struct investigation *v, size_t note_count,
		     struct kept_verdict *kept, struct error *err)
{
	struct result *result = v->result;

	*kept = (struct kept_verdict){ result->categories,
				       result->baseline_categories };
	result->verdict_rows = result->functions;
	result->verdict_count = result->function_count;
	result->notes.count = note_count;
	result->has_locations_in_names =
		v->question->view.granularity != GRANULARITY_FUNCTION;
	return keep_rows(result, err);
}

void rows_view_end(struct investigation *v, const struct kept_verdict *kept)
{
	v->result->categories = kept->categories;
	v->result->baseline_categories = kept->baseline_categories;
}

void rows_view_empty(struct investigation *v)
{
	struct result *result = v->result;

	result->function_count = result->function_total = 0;
	result->function_listed = 0;
	result->noise_count = 0;
	result->rank_facts = NULL;
	investigation_note(v, (struct note){ NOTE_NOTHING_MATCHES });
}

/* Puts the chosen profile into the result: rows and both sides, and their
 * filtered view. */

static bool row_is_up(const struct function_row *row)
{
	return change_is_up(row->change);
}

/* Puts first what was decided on, where noise alone ranks the rows, and where
 * they begin with what merely waits beneath it. */
static void put_lead_first(struct profile_inquiry *q)
{
	struct result *r = q->v->result;
	struct function_row lead;
	size_t i = 0;

	if (!q->lead || q->v->question->rows.has_measure ||
	    !r->function_count ||
	    (row_is_up(&r->functions[0]) &&
	     row_is_of_application(&r->functions[0])))
		return;
	while (i < r->function_count &&
	       !str_equal(r->functions[i].name, q->lead->name))
		i++;
	if (i == r->function_count)
		return;
	lead = r->functions[i];
	memmove(&r->functions[1], &r->functions[0], i * sizeof lead);
	r->functions[0] = lead;
}

/* The growth, in parts of the first row's, from which a row of totals may be
 * named instead: new before grown, then the one with the least in it, which is
 * within the others. */
#define HOLDS_PART 0.8

/* A caller of a loop contains what grew; who holds it is named. */
static void put_deepest_first(struct result *r)
{
	struct function_row lead;
	size_t found = 0;

	if (r->rank_by != RANK_TOTAL || !r->function_count ||
	    !row_is_up(&r->functions[0]))
		return;
	for (size_t i = 1; i < r->function_count; i++) {
		const struct function_row *row = &r->functions[i];
		const struct function_row *than = &r->functions[found];
		double part = row->baseline_total / fmax(row->total, 1e-12) -
			      than->baseline_total / fmax(than->total, 1e-12);
		bool is_deeper = fabs(part) > 1e-9
					 ? part < 0
					 : row->total_value < than->total_value;

		if (row_is_up(row) && row_is_of_application(row) &&
		    !row->through.len &&
		    row->delta >= HOLDS_PART * r->functions[0].delta &&
		    is_deeper)
			found = i;
	}
	lead = r->functions[found];
	memmove(&r->functions[1], &r->functions[0], found * sizeof lead);
	r->functions[0] = lead;
	for (size_t i = 0; i <= found; i++)
		r->functions[i].rank = (uint32_t)i + 1;
}

/* An operation that is not slower has no regression; growth in its service
 * comes from the mix of requests, or from other operations. */
static size_t blame_nothing(struct profile_inquiry *q)
{
	struct result *r = q->v->result;
	size_t count = 0;

	if (!q->s->is_healthy || q->lead)
		return 0;
	for (size_t i = 0; i < result_listed(r); i++) {
		if (!row_is_up(&r->functions[i]))
			continue;
		r->functions[i].change = CHANGE_NOISE;
		r->change_total--;
		r->noise_count++;
		count += i < r->function_count;
	}
	r->is_healthy = true;
	return count;
}

static bool rank_shown(struct profile_inquiry *q, struct error *err)
{
	const struct question *asked = q->v->question;
	struct result *result = q->v->result;
	/* Alone, a profile's largest totals are those of main() and its like. */
	enum rank_by by = q->shown->has_base ? RANK_TOTAL : RANK_SELF_LIB;
	struct rank_want want = {
		.by = question_measure(asked, by),
		.normalize = question_normalize(asked, NORMALIZE_REQUEST),
		.is_way_asked = asked->rows.has_normalize,
		.limit = asked->rows.limit,
		.listed = asked->rows.listed,
		.span_name = result->span.name,
		.is_loop = result->cause.kind == CAUSE_N_PLUS_ONE &&
			   !asked->rows.has_measure,
		.rules = asked->rules,
		.is_drawn = asked->rows.is_drawn,
	};

	return comparison_rank(q->shown, &want, result, err);
}

/* Samples by span come without files and lines; the service's have them. */
static bool add_locations(struct profile_inquiry *q, struct error *err)
{
	const struct profile *p = &q->service_cpu.slow.profile;

	if (q->shown->slow.profile.has_lines || !p->has_lines)
		return true;
	return rows_add_locations(q->v->result, p,
				  q->shown->type_id == q->cpu_id, err);
}

/* Sets the number of instances: one if that was chosen, or if the service has
 * no other; else as many as in the traces of the window. And the number of
 * requests: spans were queried one by one, those of a service are counted by
 * the trace store. */
static void set_extent(const struct profile_inquiry *q)
{
	struct result *r = q->v->result;
	const struct comparison_side *slow = &q->shown->slow;
	const struct comparison_side *base = &q->shown->base;
	bool is_single = q->service.instances.count == 1;

	r->profile.instances = is_single ? 1 : q->s->slow_instances;
	r->baseline.instances = is_single ? 1 : q->s->base_instances;
	if (q->shown->scope == SCOPE_SPAN || q->shown->scope == SCOPE_INSTANCE)
		r->profile.instances = 1;
	if (q->shown->scope == SCOPE_INSTANCE)
		r->baseline.instances = base->instances;
	r->profile.requests = (int64_t)(slow->requests + 0.5);
	r->profile.is_requests_sampled = slow->is_requests_sampled;
	r->baseline.requests = (int64_t)(base->requests + 0.5);
	r->baseline.is_requests_sampled = base->is_requests_sampled;
}

static void set_baseline(struct profile_inquiry *q)
{
	struct baseline_info *b = &q->v->result->baseline;
	bool is_cohort = q->shown->scope == SCOPE_COHORT;

	b->kind = q->s->base_kind;
	b->healthy = q->s->base_healthy;
	if (q->shown->scope == SCOPE_INSTANCE) {
		b->kind = STR("instances");
		b->healthy = 1;
	} else if (is_cohort && q->s->is_base_fast) {
		b->kind = STR("fast");
		b->healthy = 1;
	}
}

/* Samples of spans have names only where the server is older than 2.2 or keeps
 * its data as older ones do. */
static bool add_lines(struct profile_inquiry *q, struct error *err)
{
	enum granularity by = q->v->question->view.granularity;
	bool is_line = by == GRANULARITY_LINE;

	if (q->shown->slow.profile.has_lines ||
	    (!is_line && by != GRANULARITY_ADDRESS))
		return true;
	if (!is_line || !q->service_cpu.slow.profile.has_lines) {
		investigation_note(q->v,
				   (struct note){ NOTE_SPANS_WITHOUT_LINES });
		return true;
	}
	investigation_note(q->v, (struct note){ NOTE_SPANS_LINES_OF_SERVICE });
	return comparison_apply_lines(q->shown, &q->service_cpu, err);
}

bool profile_inquiry_view(struct profile_inquiry *q, struct error *err)
{
	struct comparison *shown = q->shown;
	struct kept_verdict kept;

	if (!shown || view_is_plain(&q->v->question->view))
		return true;
	if (!add_lines(q, err) ||
	    !rows_view_begin(q->v, q->note_count, &kept, err) ||
	    !comparison_filter(shown, q->v, false, err))
		return false;
	if (!shown->slow.profile.stack_count &&
	    !shown->base.profile.stack_count) {
		rows_view_empty(q->v);
	} else {
		if (!rank_shown(q, err) ||
		    (!q->v->result->has_locations_in_names &&
		     !add_locations(q, err)))
			return false;
		put_lead_first(q);
		blame_nothing(q);
	}
	rows_view_end(q->v, &kept);
	return true;
}

static bool conclude_shown(struct profile_inquiry *q, struct error *err)
{
	bool is_of_service = q->shown->scope == SCOPE_SERVICE;
	size_t blameless;

	if (!rank_shown(q, err) ||
	    !comparison_report(q->shown, q->v->result, err) ||
	    !add_locations(q, err))
		return false;
	put_lead_first(q);
	if (!q->v->question->rows.has_measure && !q->lead)
		put_deepest_first(q->v->result);
	blameless = blame_nothing(q);
	if (blameless)
		investigation_note(
			q->v,
			(struct note){ is_of_service ? NOTE_NOT_BLAMED_SERVICE
						     : NOTE_NOT_BLAMED_REQUESTS,
				       .count = blameless });
	set_baseline(q);
	set_extent(q);
	if (q->background_share > 0 && q->shown == &q->final)
		investigation_note(
			q->v,
			(struct note){ .kind = NOTE_BACKGROUND_LEFT_OUT,
				       .percent = 100 * q->background_share });
	if (q->wait != WAIT_TYPES && q->are_calls_left_out[q->wait])
		investigation_note(q->v, (struct note){ NOTE_CALLS_LEFT_OUT });
	/* Where that is little by nature. */
	comparison_note_extent(q->shown, q->v, &q->s->slow_asked);
	return true;
}

bool profile_inquiry_conclude(struct profile_inquiry *q, struct error *err)
{
	const struct baseline_want *asked = &q->v->question->baseline;
	enum cause_kind cause = q->v->result->cause.kind;

	q->note_count = q->v->result->notes.count;
	if (q->shown) {
		if (!conclude_shown(q, err))
			return false;
		/* The user chose a baseline. */
		if (!q->v->result->has_baseline &&
		    asked->kind != BASELINE_WANT_AUTO &&
		    asked->kind != BASELINE_WANT_NONE)
			investigation_note(
				q->v, (struct note){
					      .kind = NOTE_NO_BASELINE_ASKED,
					      .name = str_from(asked->text) });
	} else if (cause != CAUSE_NETWORK && cause != CAUSE_CONTENTION) {
		/* A CPU profile is no answer to a wait, and looks like one. */
		investigation_note(q->v, (struct note){ NOTE_WAITED_UNSEEN });
	}
	return true;
}
