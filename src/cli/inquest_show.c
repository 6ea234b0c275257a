/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/inquest_show.h"

#include <string.h>

#include "analyze/places.h"
#include "backend/cloud_profiler/cloud_answers.h"
#include "cli/inquest_tell.h"
#include "cli/output.h"
#include "cli/row_order.h"

static bool is_up(const struct function_row *row)
{
	return change_is_up(row->change);
}

/* What was decided on is named first, where noise alone ranks the rows. */
static void put_lead_first(struct inquest *q)
{
	struct result *r = &q->r->result;
	struct function_row lead;
	size_t i = 0;

	if (!q->lead || !row_order_is_free(q->r->ctx.options) ||
	    !r->function_count || is_up(&r->functions[0]))
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

/* An operation that takes what it always does has no regression; what grew
 * in its service is the mix of requests, or others' affair. */
static size_t blame_nothing(struct inquest *q)
{
	struct result *r = &q->r->result;
	size_t count = 0;

	if (!q->s->is_healthy || q->lead)
		return 0;
	for (size_t i = 0; i < result_listed(r); i++) {
		if (!is_up(&r->functions[i]))
			continue;
		r->functions[i].change = CHANGE_NOISE;
		count += i < r->function_count;
	}
	r->is_healthy = true;
	return count;
}

static void note_blameless(struct inquest *q, size_t count)
{
	if (!count)
		return;
	if (q->shown->scope == SCOPE_SERVICE)
		notes_add(&q->r->ctx.notes,
			  "functions that grew (%zu) are not blamed: the "
			  "operation is as quick as ever; requests are counted "
			  "by service, so that another mix of its operations "
			  "looks like growth",
			  count);
	else
		notes_add(&q->r->ctx.notes,
			  "functions that grew (%zu) are not blamed: requests "
			  "slow like this one are no more than usual",
			  count);
}

static bool rank_shown(struct inquest *q, struct error *err)
{
	struct run *r = q->r;
	const struct options *o = r->ctx.options;
	struct rank_want want = {
		.by = row_order_measure(o, RANK_TOTAL),
		.normalize = run_normalize(o, NORMALIZE_REQUEST),
		.is_way_asked = o->normalize != NULL,
		.limit = row_order_limit(o),
		.listed = output_functions(o),
		.span_name = r->result.span.name,
		.is_loop = r->result.cause.kind == CAUSE_N_PLUS_ONE &&
			   row_order_is_free(o),
		.rules = &r->rules,
		.is_drawn = output_needs(o, RENDER_DRAWS_FLAME),
	};

	return comparison_rank(q->shown, &want, &r->result, err);
}

/* Samples by span come without files and lines; the service's have them. */
static bool add_places(struct inquest *q, struct error *err)
{
	const struct profile *p = &q->service_cpu.slow.profile;

	if (q->shown->slow.profile.has_lines || !p->has_lines)
		return true;
	return rows_add_places(&q->r->result, p, q->shown->type_id == q->cpu_id,
			       err);
}

/* Of one instance when that was chosen, or when the service has no other;
 * else as many as the traces of the window saw. */
static void set_instances(const struct inquest *q)
{
	struct result *r = &q->r->result;
	bool is_single = q->service.instances.count == 1;

	r->profile.instances = is_single ? 1 : q->s->slow_instances;
	r->baseline.instances = is_single ? 1 : q->s->base_instances;
	if (q->shown->scope == SCOPE_SPAN || q->shown->scope == SCOPE_INSTANCE)
		r->profile.instances = 1;
	if (q->shown->scope != SCOPE_INSTANCE)
		return;
	r->baseline.instances =
		q->s->slow_instances > 1 ? q->s->slow_instances - 1 : 0;
}

/* And how many requests they are of: those of spans were asked for one by
 * one, those of a service are as many as the trace store knows of. */
static void set_extent(const struct inquest *q)
{
	struct result *r = &q->r->result;
	const struct comparison_side *slow = &q->shown->slow;
	const struct comparison_side *base = &q->shown->base;

	set_instances(q);
	r->profile.requests = (int64_t)(slow->requests + 0.5);
	r->profile.is_requests_sampled = slow->is_requests_sampled;
	r->baseline.requests = (int64_t)(base->requests + 0.5);
	r->baseline.is_requests_sampled = base->is_requests_sampled;
}

static void set_baseline(struct inquest *q)
{
	struct baseline_info *b = &q->r->result.baseline;
	bool is_cohort = q->shown->scope == SCOPE_COHORT;

	b->kind = q->s->base_kind;
	b->text = q->s->base_text;
	b->healthy = q->s->base_healthy;
	if (q->shown->scope == SCOPE_INSTANCE) {
		b->kind = STR("instances");
		b->text = STR("the other instances in the same minutes");
		b->healthy = 1;
	} else if (is_cohort && q->s->is_base_fast) {
		b->kind = STR("fast");
		b->text = STR("the fast requests of the same minutes");
		b->healthy = 1;
	}
}

/* For the outputs that draw stacks. */
static void hand_over(struct inquest *q)
{
	struct evidence *ev = &q->r->evidence;

	ev->slow = q->shown->slow.profile;
	ev->baseline = q->shown->base.profile;
	ev->has_baseline = q->shown->has_base;
	profile_init(&q->shown->slow.profile);
	profile_init(&q->shown->base.profile);
	q->r->has_evidence = true;
}

/* A CPU profile is no answer to a wait, and looks like one. */
static void show_nothing(struct inquest *q)
{
	notes_add(&q->r->ctx.notes,
		  "no function is blamed: the time was spent waiting, and no "
		  "profile of this service shows who waits");
}

/* The user asked for a certain one. */
static void note_no_baseline(struct inquest *q)
{
	const char *asked = q->r->ctx.options->baseline;

	if (!q->shown || q->r->result.has_baseline || !asked ||
	    !strcmp(asked, "auto") || !strcmp(asked, "none"))
		return;
	notes_add(&q->r->ctx.notes,
		  "--baseline %.60s: no samples there, so nothing is compared; "
		  "leave it out to take the nearest window that is healthy",
		  asked);
}

/* Samples of spans have names only where the server is older than 2.2 or keeps
 * its data as older ones do. */
static bool add_lines(struct inquest *q, struct error *err)
{
	enum granularity by = q->r->filters.view.granularity;
	bool is_line = by == GRANULARITY_LINE;

	if (q->shown->slow.profile.has_lines ||
	    (!is_line && by != GRANULARITY_ADDRESS))
		return true;
	if (!is_line || !q->service_cpu.slow.profile.has_lines) {
		notes_add(&q->r->ctx.notes,
			  "samples of single requests come without lines and "
			  "addresses; --scope service has them");
		return true;
	}
	notes_add(&q->r->ctx.notes,
		  "samples of single requests come without lines: a line here "
		  "is the only one with samples of that function in the whole "
		  "service; --scope service has them all");
	return comparison_take_lines(q->shown, &q->service_cpu, err);
}

static bool rank_view(struct inquest *q, struct error *err)
{
	if (!q->shown->slow.profile.stack_count &&
	    !q->shown->base.profile.stack_count) {
		run_view_empty(q->r);
		return true;
	}
	if (!rank_shown(q, err) ||
	    (!q->r->result.has_places_in_names && !add_places(q, err)))
		return false;
	put_lead_first(q);
	blame_nothing(q);
	return true;
}

/* What the filters leave is for the rows and drawings: all that was decided
 * and said was of the whole. */
static bool show_view(struct inquest *q, size_t note_count, struct error *err)
{
	struct run *r = q->r;
	struct kept_verdict kept;

	if (!q->shown || !profile_filters_are_given(&r->filters))
		return true;
	if (!add_lines(q, err) || !run_view_begin(r, note_count, &kept, err) ||
	    !comparison_filter(q->shown, &r->filters, &r->ctx, err) ||
	    !rank_view(q, err))
		return false;
	run_view_end(r, &kept);
	return true;
}

/* How much there is behind the answer, where that is little by nature. */
static void note_extent(struct inquest *q)
{
	const struct comparison *c = q->shown;
	const struct profile_query query = { .type_id = c->type_id,
					     .selector = c->slow.selector.ptr,
					     .range = c->slow.range };

	cloud_answers_note(&q->r->ctx.backends, &query,
			   c->slow.profile.sample_count, &q->s->slow_asked);
}

bool inquest_show(struct inquest *q, struct error *err)
{
	size_t note_count = q->r->result.notes.count;

	if (!q->shown) {
		show_nothing(q);
	} else {
		if (!rank_shown(q, err) ||
		    !comparison_report(q->shown, &q->r->result, err) ||
		    !add_places(q, err))
			return false;
		put_lead_first(q);
		note_blameless(q, blame_nothing(q));
		set_baseline(q);
		set_extent(q);
		note_extent(q);
	}
	note_no_baseline(q);
	if (!inquest_tell_cause(q, err) || !inquest_tell_confidence(q, err))
		return false;
	if (q->r->result.has_reasons)
		inquest_tell_reasons(q);
	if (!show_view(q, note_count, err))
		return false;
	if (q->shown)
		hand_over(q);
	return true;
}
