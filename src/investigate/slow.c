/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/slow.h"

#include <math.h>
#include <string.h>

#include "analyze/cause.h"
#include "analyze/cohorts.h"
#include "analyze/contrasts.h"
#include "analyze/locations.h"
#include "analyze/request_history.h"
#include "analyze/typical.h"
#include "base/instance.h"
#include "base/num.h"
#include "investigate/finding.h"
#include "investigate/investigation.h"
#include "investigate/links.h"
#include "investigate/measures.h"
#include "investigate/profile_inquiry.h"
#include "investigate/suspect.h"
#include "investigate/version_baseline.h"
#include "investigate/windows.h"

/* What the span to blame grew by, laid out as a sum. Asks nothing. */

/* Of the whole span; where only its own time is known to have grown, that. */
static int64_t total_of(const struct symptom *s, const struct suspect *g,
			const struct result *r)
{
	const struct guilty_span *span = &r->span;

	if (r->cause.kind == CAUSE_QUEUE)
		return g->pick.change_ns;
	if (span->typical_ns >= 0 && span->duration_ns > span->typical_ns)
		return span->duration_ns - span->typical_ns;
	return s->has_history ? g->pick.change_ns : 0;
}

/* Requests like it were measured: what this one grew by beyond them is for
 * nothing to tell. */
static int64_t shared_of(const struct symptom *s, int64_t span_ns)
{
	int64_t alone_ns = sat_sub_i64(s->grown_ns, s->change_ns);

	return alone_ns > 0 ? max_i64(s->change_ns, span_ns - alone_ns)
			    : span_ns;
}

/* What of it are calls by its spans: the calls that are the cause, or what is
 * no time of its own. */
static int64_t calls_of(const struct suspect *g, const struct result *r,
			int64_t total_ns)
{
	int64_t own_ns = g->pick.change_ns;

	if (own_ns < 0)
		return 0;
	if (r->cause.kind == CAUSE_N_PLUS_ONE ||
	    cause_is_outside(r->cause.kind))
		return own_ns;
	return total_ns > own_ns ? total_ns - own_ns : 0;
}

static void add_cpu(const struct profile_inquiry *q, struct excess_facts *f)
{
	const struct cpu_measure *m = &q->cpu;

	if (q->cpu_verdict == CPU_UNKNOWN || isnan(m->base_ns))
		return;
	f->cpu_now_ns = m->slow_ns;
	f->cpu_before_ns = m->base_ns;
	f->gc_share = q->gc_share;
}

/* Of the types that tell of waits the one that grew most: they tell of the same
 * time. Wall clock time holds the time on CPU, too. */
static void add_waits(const struct profile_inquiry *q, struct excess_facts *f)
{
	for (int i = 0; i < WAIT_TYPES; i++) {
		const struct wait_measure *m = &q->measures[i];
		double ns = m->per_request_ns;

		if (i == WAIT_NEIGHBOUR || !m->is_known || !m->is_owner)
			continue;
		if (i == WAIT_WALL && !isnan(f->cpu_before_ns))
			ns -= fmax(0, f->cpu_now_ns - f->cpu_before_ns);
		if (ns <= f->blocked_ns)
			continue;
		f->blocked_ns = ns;
		f->blocked_before_ns =
			m->change > 0 ? ns * m->before / m->change : 0;
		f->blocked_in = m->name;
		f->by = wait_type_name((enum wait_type)i);
	}
}

/* Fills result->cause.excess, of what the trace and its history tell and, where
 * they came to something, of the profiles (q; NULL: none were looked for). None
 * where it is not known what is usual, or as ever. */
static void excess_fill(const struct symptom *s, const struct suspect *g,
			const struct profile_inquiry *q, struct result *result)
{
	struct excess_facts f = { .cpu_before_ns = NAN };
	int64_t span_ns;

	result->cause.excess = (struct excess){ 0 };
	if (s->is_healthy || !s->has_history || !result->has_span)
		return;
	span_ns = f.total_ns = total_of(s, g, result);
	if (result->cause.kind == CAUSE_QUEUE)
		f.queue_ns = f.total_ns;
	else
		f.call_ns = calls_of(g, result, f.total_ns);
	if (result->cause.kind != CAUSE_N_PLUS_ONE &&
	    result->cause.kind != CAUSE_QUEUE &&
	    !cause_is_outside(result->cause.kind))
		f.total_ns = shared_of(s, span_ns);
	if (q && !s->is_of_callee && result->cause.kind != CAUSE_QUEUE) {
		add_cpu(q, &f);
		add_waits(q, &f);
	}
	/* What its own time went into is then for no sum to tell. */
	if (isnan(f.cpu_before_ns) && f.blocked_ns <= 0 && !f.queue_ns &&
	    result->cause.kind != CAUSE_N_PLUS_ONE &&
	    !cause_is_outside(result->cause.kind))
		return;
	excess_sum(&f, &result->cause.excess);
	if (result->cause.excess.total_ns)
		result->cause.excess.span_ns = span_ns;
}

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
		    !keep_text(arena, &row->through))
			return arena_fail(arena, "the rows", err);
	}
	return true;
}

/* What a view of the rows leaves as the verdict has it. */
struct kept_verdict {
	struct category_shares categories;
	struct category_shares baseline_categories;
};

/* Around ranking the rows once more. note_count: how many notes the result had
 * before it was first ranked. */
static bool rows_view_begin(struct investigation *v, size_t note_count,
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

static void rows_view_end(struct investigation *v,
			  const struct kept_verdict *kept)
{
	v->result->categories = kept->categories;
	v->result->baseline_categories = kept->baseline_categories;
}

/* Instead of ranking: nothing was left. */
static void rows_view_empty(struct investigation *v)
{
	struct result *result = v->result;

	result->function_count = result->function_total = 0;
	result->function_listed = 0;
	result->noise_count = 0;
	result->rank_facts = NULL;
	investigation_note(v, (struct note){ NOTE_NOTHING_MATCHES });
}

/* Why a request was slow, by profiles that the user chose: files, or a baseline
 * of their own making. They are taken as they are; no other traces are asked
 * for. */

static bool slow_is_chosen(const struct investigation *v)
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

/* As slow_investigate(), and the view of its rows. */
static bool slow_chosen_investigate(struct investigation *v, struct finding *f,
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

static bool slow_chosen_view(struct investigation *v, struct finding *f,
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

/* What an inquiry chose, put into the answer: rows and both sides; and the view
 * of them that filters ask for. Has no words. */

static bool is_up(const struct function_row *row)
{
	return change_is_up(row->change);
}

/* What was decided on is named first where noise alone ranks the rows, and
 * where they begin with what merely waits beneath it. */
static void put_lead_first(struct profile_inquiry *q)
{
	struct result *r = q->v->result;
	struct function_row lead;
	size_t i = 0;

	if (!q->lead || q->v->question->rows.has_measure ||
	    !r->function_count ||
	    (is_up(&r->functions[0]) &&
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

/* Of rows of totals that grew by about as much as the first one the
 * one to name: new before grown, then the one with the least in it, which is
 * within the others. */
#define HOLDS_PART 0.8

static bool is_deeper(const struct function_row *row,
		      const struct function_row *than)
{
	double part = row->baseline_total / fmax(row->total, 1e-12);
	double than_part = than->baseline_total / fmax(than->total, 1e-12);

	if (fabs(part - than_part) > 1e-9)
		return part < than_part;
	return row->total_value < than->total_value;
}

/* A caller of a loop contains what grew; who holds it is named. */
static void put_deepest_first(struct result *r)
{
	struct function_row lead;
	size_t found = 0;

	if (r->rank_by != RANK_TOTAL || !r->function_count ||
	    !is_up(&r->functions[0]))
		return;
	for (size_t i = 1; i < r->function_count; i++) {
		const struct function_row *row = &r->functions[i];

		if (is_up(row) && row_is_of_application(row) &&
		    !row->through.len &&
		    row->delta >= HOLDS_PART * r->functions[0].delta &&
		    is_deeper(row, &r->functions[found]))
			found = i;
	}
	lead = r->functions[found];
	memmove(&r->functions[1], &r->functions[0], found * sizeof lead);
	r->functions[0] = lead;
	for (size_t i = 0; i <= found; i++)
		r->functions[i].rank = (uint32_t)i + 1;
}

/* An operation that takes what it always does has no regression; what grew
 * in its service is the mix of requests, or others' affair. */
static size_t blame_nothing(struct profile_inquiry *q)
{
	struct result *r = q->v->result;
	size_t count = 0;

	if (!q->s->is_healthy || q->lead)
		return 0;
	for (size_t i = 0; i < result_listed(r); i++) {
		if (!is_up(&r->functions[i]))
			continue;
		r->functions[i].change = CHANGE_NOISE;
		r->change_total--;
		r->noise_count++;
		count += i < r->function_count;
	}
	r->is_healthy = true;
	return count;
}

static void note_blameless(struct profile_inquiry *q, size_t count)
{
	if (!count)
		return;
	investigation_note(
		q->v, (struct note){ .kind = q->shown->scope == SCOPE_SERVICE
						     ? NOTE_NOT_BLAMED_SERVICE
						     : NOTE_NOT_BLAMED_REQUESTS,
				     .count = count });
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

/* Of one instance when that was chosen, or when the service has no other;
 * else as many as the traces of the window saw. */
static void set_instances(const struct profile_inquiry *q)
{
	struct result *r = q->v->result;
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
static void set_extent(const struct profile_inquiry *q)
{
	struct result *r = q->v->result;
	const struct comparison_side *slow = &q->shown->slow;
	const struct comparison_side *base = &q->shown->base;

	set_instances(q);
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

/* The user asked for a certain one. */
static void note_no_baseline(struct profile_inquiry *q)
{
	const struct baseline_want *asked = &q->v->question->baseline;

	if (!q->shown || q->v->result->has_baseline ||
	    asked->kind == BASELINE_WANT_AUTO ||
	    asked->kind == BASELINE_WANT_NONE)
		return;
	investigation_note(q->v,
			   (struct note){ .kind = NOTE_NO_BASELINE_ASKED,
					  .name = str_from(asked->text) });
}

static void note_left_out(struct profile_inquiry *q)
{
	if (q->background_share > 0 && q->shown == &q->final)
		investigation_note(
			q->v,
			(struct note){ .kind = NOTE_BACKGROUND_LEFT_OUT,
				       .percent = 100 * q->background_share });
	if (q->wait != WAIT_TYPES && q->are_calls_left_out[q->wait])
		investigation_note(q->v, (struct note){ NOTE_CALLS_LEFT_OUT });
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

static bool rank_view(struct profile_inquiry *q, struct error *err)
{
	if (!q->shown->slow.profile.stack_count &&
	    !q->shown->base.profile.stack_count) {
		rows_view_empty(q->v);
		return true;
	}
	if (!rank_shown(q, err) ||
	    (!q->v->result->has_locations_in_names && !add_locations(q, err)))
		return false;
	put_lead_first(q);
	blame_nothing(q);
	return true;
}

/* What the filters leave is for the rows and drawings: all that was decided
 * and said is of the whole, so this comes after the words. */
static bool profile_inquiry_view(struct profile_inquiry *q, struct error *err)
{
	struct kept_verdict kept;

	if (!q->shown || view_is_plain(&q->v->question->view))
		return true;
	if (!add_lines(q, err) ||
	    !rows_view_begin(q->v, q->note_count, &kept, err) ||
	    !comparison_filter(q->shown, q->v, false, err) || !rank_view(q, err))
		return false;
	rows_view_end(q->v, &kept);
	return true;
}

bool profile_inquiry_conclude(struct profile_inquiry *q, struct error *err)
{
	q->note_count = q->v->result->notes.count;
	if (!q->shown) {
		/* A CPU profile is no answer to a wait, and looks like one. */
		if (q->v->result->cause.kind != CAUSE_NETWORK &&
		    q->v->result->cause.kind != CAUSE_CONTENTION)
			investigation_note(q->v,
					   (struct note){ NOTE_WAITED_UNSEEN });
	} else {
		if (!rank_shown(q, err) ||
		    !comparison_report(q->shown, q->v->result, err) ||
		    !add_locations(q, err))
			return false;
		put_lead_first(q);
		if (!q->v->question->rows.has_measure && !q->lead)
			put_deepest_first(q->v->result);
		note_blameless(q, blame_nothing(q));
		set_baseline(q);
		set_extent(q);
		note_left_out(q);
		/* Where that is little by nature. */
		comparison_note_extent(q->shown, q->v, &q->s->slow_asked);
	}
	note_no_baseline(q);
	return true;
}

/* Questions of one round: windows of history, the service's name and types. */
#define FIRST_JOBS (HISTORY_JOBS + 2)

/* The service's name and types, requests like this one. */
#define AGAIN_JOBS 3

void finding_init(struct finding *f, struct investigation *v)
{
	suspect_init(&f->suspect);
	operation_history_init(&f->history);
	f->has_symptom = f->has_conclusion = false;
	f->profiles = NULL;
	chosen_init(&f->chosen, v, &f->want);
	f->shown = NULL;
}

void finding_release(struct finding *f)
{
	suspect_release(&f->suspect);
	operation_history_release(&f->history);
	profile_inquiry_free(f->profiles);
	chosen_release(&f->chosen);
}

/* The suspect's time and as much around it as was asked for. */
static struct time_range slow_window(const struct investigation *v,
				     const struct suspect *s)
{
	const struct question *q = v->question;
	const struct guilty_pick *pick = &s->pick;
	struct time_range window = window_around(
		pick->start_ns, pick->end_ns, q->pad_ns, v->backends->now_ns);

	if (q->has_window)
		window = q->window;
	if (window.to_ns < pick->start_ns || window.from_ns > pick->end_ns)
		investigation_note(v,
				   (struct note){ NOTE_WINDOW_WITHOUT_SPAN });
	return window;
}

/* ---- asking ---- */

/* What goes on while the questions of a round are put together. */
struct asking {
	struct investigation *v;
	struct finding *f;
	struct time_range window;
	struct profile_lookup lookup;
};

static uint32_t resource_of(const struct asking *a)
{
	return a->v->trace->spans[a->f->suspect.pick.owner].resource;
}

static bool look_up(struct asking *a, struct job **jobs, size_t *n,
		    struct error *err)
{
	if (!profile_lookup_init(&a->lookup, a->v, a->v->trace, resource_of(a),
				 a->f->suspect.pick.service, a->window, err))
		return false;
	for (size_t i = 0; i < a->lookup.job_count; i++)
		jobs[(*n)++] = a->lookup.jobs[i];
	return true;
}

/* The profiles' name for the service and the requests like this one were asked
 * for before the history was known; a choice that changed asks again. */
static bool ask_again(struct asking *a, uint32_t resource_before,
		      struct error *err)
{
	struct job *jobs[AGAIN_JOBS];
	size_t n = 0;

	if (resource_of(a) != resource_before && !look_up(a, jobs, &n, err))
		return false;
	operation_history_request_again(&a->f->history, a->v, &a->f->suspect,
					a->window, jobs, &n);
	return n == 0 || jobs_run(a->v->backends, jobs, n, err);
}

/* Of operation_history_request_between(). */
#define BASELINES_BETWEEN 3u

/* Where the first windows do not tell a healthy one from the fault. */
static bool ask_between(struct asking *a, struct error *err)
{
	struct operation_history *h = &a->f->history;
	struct job *jobs[BASELINES_BETWEEN];
	size_t n = 0;

	operation_history_request_between(h, a->v, &a->f->suspect, a->window,
					  jobs, &n);
	return n == 0 ||
	       (jobs_run(a->v->backends, jobs, n, err) &&
		operation_history_judge(h, a->v, &a->f->suspect, err));
}

static bool ask_history(struct asking *a, struct error *err)
{
	struct operation_history *h = &a->f->history;
	struct suspect *s = &a->f->suspect;
	struct job *jobs[FIRST_JOBS];
	size_t n = 0;

	return look_up(a, jobs, &n, err) &&
	       operation_history_request(h, a->v, s, a->window, jobs, &n,
					 err) &&
	       jobs_run(a->v->backends, jobs, n, err) &&
	       operation_history_judge(h, a->v, s, err) &&
	       ask_between(a, err) && usual_waits_ask(h, a->v, s, err) &&
	       (!h->has_typical ||
		suspect_find_again(a->v, s, &h->typical, false, err));
}

static bool fill_symptom(struct asking *a, struct error *err)
{
	return symptom_fill(&a->f->symptom, &a->f->history, a->v,
			    &a->f->suspect, a->window, err);
}

/* ---- what was asked for and is not there ---- */

/* Pod, id and host: the profiles' label may be any of them. */
static void find_instance(const struct investigation *v, struct symptom *s,
			  const struct profile_service *service)
{
	if (!question_scope_is(v->question, SCOPE_INSTANCE) ||
	    s->is_of_callee)
		return;
	for (size_t i = 0; i < INSTANCE_ATTRS; i++) {
		struct str value = resource_attr(v->trace, s->resource,
						 str_from(instance_attrs[i]));

		if (value.len && name_list_has(&service->instances, value)) {
			s->instance = value;
			return;
		}
	}
}

static bool check_instance(struct investigation *v, const struct symptom *s,
			   const struct profile_service *service,
			   struct error *err)
{
	struct shortfall missing = { .service = service->name,
				     .name = service->instance_label,
				     .value = s->instance };

	if (!question_scope_is(v->question, SCOPE_INSTANCE))
		return true;
	if (s->instance.len && name_list_has(&service->instances, s->instance))
		return true;
	missing.kind = !s->instance.len ? SHORTFALL_INSTANCE_OF_SPAN
		       : !service->instance_label.ptr ? SHORTFALL_INSTANCE_LABEL
						      : SHORTFALL_INSTANCE;
	return investigation_fail(v, missing, err);
}

/* Faster than this one, and by as much as makes a baseline healthy. */
static bool has_fast(const struct finding *f)
{
	const struct cohorts *c = &f->history.cohorts;

	return f->symptom.base_id_count &&
	       (double)c->fast.p50_ns * BASELINE_RATIO <=
		       (double)c->slow.p50_ns;
}

static bool check_asked(struct investigation *v, const struct finding *f,
			const struct profile_service *service,
			struct error *err)
{
	const struct baseline_want *want = &v->question->baseline;

	if (want->kind == BASELINE_WANT_FAST && !has_fast(f))
		return investigation_fail(
			v, (struct shortfall){ SHORTFALL_FAST }, err);
	return check_instance(v, &f->symptom, service, err) &&
	       version_baseline_check(v, &f->symptom, service, want, err);
}

/* ---- the caller's or the callee's ---- */

static bool turn_to(struct asking *a, bool is_of_caller, struct error *err)
{
	uint32_t before = resource_of(a);

	return suspect_find_again(a->v, &a->f->suspect, &a->f->history.typical,
				  is_of_caller, err) &&
	       ask_again(a, before, err) && fill_symptom(a, err);
}

/* Between a call and its callee both may be at fault: a callee that does not
 * get to it, or a caller that cannot reach it. The callee is looked at first;
 * when its operation is as quick as ever, and what called it is not, it is
 * the caller's time. */
static bool blame_caller(struct asking *a, struct error *err)
{
	const struct symptom *s = &a->f->symptom;

	if (!a->f->suspect.pick.is_gap || !a->f->history.has_typical ||
	    (!s->is_healthy && !s->is_outside))
		return true;
	return turn_to(a, true, err) &&
	       (!s->is_healthy || turn_to(a, false, err));
}

/* ---- a callee without spans ---- */

/* What was called, when profiles are sent under its name; empty: nothing of
 * the kind, or the user has said whose profiles to look at. */
static struct str find_callee(const struct asking *a)
{
	const struct choice *c = &a->f->suspect.choice;
	const struct question *q = a->v->question;
	struct str names[CALLEE_NAMES];
	size_t count;

	if (choice_ground(c) != CHOICE_CALL || q->selector || q->type ||
	    q->has_scope || a->f->symptom.is_healthy)
		return STR("");
	count = calls_callee_names(&c->calls, c->best->span, names);
	for (size_t i = 0; i < count; i++)
		if (profile_lookup_knows(&a->lookup, a->v, names[i]))
			return names[i];
	return STR("");
}

/* Its profiles are asked for as a whole, in the same windows: there are no
 * spans of it. */
static void use_callee(struct symptom *s, struct str callee)
{
	const struct str none = { NULL, 0 };

	s->service = callee;
	s->is_of_callee = true;
	s->profile_id = 0;
	s->slow_id_count = s->base_id_count = 0;
	s->slow_own_ns = 0;
	s->slow_instances = s->base_instances = 0;
	s->instance = s->slow_version = s->base_version = none;
}

static bool turn_to_callee(struct asking *a, struct error *err)
{
	struct investigation *v = a->v;
	struct str callee = find_callee(a);

	if (!callee.len)
		return true;
	use_callee(&a->f->symptom, callee);
	if (!profile_lookup_init(&a->lookup, v, NULL, 0, callee, a->window,
				 err))
		return false;
	profile_lookup_beside(&a->lookup, v->trace, resource_of(a));
	return jobs_run(v->backends, a->lookup.jobs, a->lookup.job_count, err);
}

/* ---- one unlike the others ---- */

/* What befell this request alone says nothing of why others are slow: where
 * those lost their time is told beside it. */
static void note_unlike_others(const struct asking *a)
{
	const struct finding *f = a->f;
	const struct typical *u = &f->history.typical;
	struct note note = { .kind = NOTE_UNLIKE_OTHERS };
	uint32_t most;

	if (!f->symptom.is_alone || !f->history.has_typical)
		return;
	most = typical_most_moved(u);
	if (most != OPERATION_NONE) {
		note.name = u->operations[most].service;
		note.text = u->operations[most].name;
		note.slow_ns = u->items[most].slow_own_p50_ns;
		note.base_ns = u->items[most].own_p50_ns;
	}
	investigation_note(a->v, note);
}

/* ---- what is usual for requests like it ---- */

/* Of a request that takes long as those of its kind always do, what all of them
 * take says nothing. */
static void use_usual(const struct asking *a)
{
	const struct contrast *usual = a->f->symptom.usual;
	struct guilty_span *span = &a->v->result->span;

	if (!usual || !a->f->symptom.is_healthy || span->count > 1 ||
	    a->f->history.cohorts.named)
		return;
	span->typical_ns = usual->like_before_p50_ns;
	span->typical_count = usual->like_before_count;
	span->is_typical_like = true;
}

/* ---- the requests that were seen ---- */

static bool keep_history(struct asking *a, struct error *err)
{
	const struct operation_history *h = &a->f->history;
	const struct symptom *s = &a->f->symptom;
	const struct span *entry = &a->v->trace->spans[s->entry];
	const struct request_history_want want = {
		.history = &h->history,
		.roles = &h->roles,
		.operation = s->operation,
		.start_ns = entry->start_ns,
		.duration_ns = span_duration_ns(entry),
		.cohorts = &h->cohorts,
		.baseline = h->has_typical ? &h->baseline : NULL,
		.slow_range = s->slow,
		.onset = &h->onset,
	};
	struct request_history *found;

	if (!h->is_answered)
		return true;
	if (!request_history_build(&want, &a->v->result->arena, &found, err))
		return false;
	a->v->result->history = found;
	return true;
}

/* ---- the whole ---- */

static bool explain(struct asking *a, struct error *err)
{
	struct investigation *v = a->v;
	struct finding *f = a->f;
	struct profile_service service;

	if (!profile_lookup_apply(&a->lookup, v, &service, err))
		return false;
	find_instance(v, &f->symptom, &service);
	if (!check_asked(v, f, &service, err))
		return false;
	f->profiles = profile_inquiry_new(v, &f->symptom, err);
	if (!f->profiles)
		return false;
	f->profiles->service = service;
	f->has_conclusion = profile_inquiry_run(f->profiles, err);
	f->shown = f->profiles->shown;
	return f->has_conclusion;
}

static bool ask_servers(struct asking *a, struct error *err)
{
	uint32_t before;
	bool is_done;

	if (!links_follow(a->v, &a->f->suspect, err))
		return false;
	before = resource_of(a);
	/* The window stays: the question was asked for it. */
	if (!ask_history(a, err) || !ask_again(a, before, err) ||
	    !fill_symptom(a, err) || !blame_caller(a, err) ||
	    !keep_history(a, err) || !turn_to_callee(a, err))
		return false;
	a->f->has_symptom = true;
	use_usual(a);
	note_unlike_others(a);
	is_done = explain(a, err);
	excess_fill(&a->f->symptom, &a->f->suspect,
		    is_done ? a->f->profiles : NULL, a->v->result);
	return is_done;
}

bool slow_investigate(struct investigation *v, struct finding *f,
		      struct error *err)
{
	struct asking a = { .v = v,
			    .f = f,
			    .window = slow_window(v, &f->suspect) };

	return slow_is_chosen(v) ? slow_chosen_investigate(v, f, a.window, err)
				 : ask_servers(&a, err);
}

void slow_without_profiles(struct investigation *v, struct finding *f)
{
	struct cause_evidence none = { 0 };
	struct result *result = v->result;

	f->shown = NULL;
	f->has_conclusion = false;
	result->has_profile = result->has_baseline = false;
	result->function_count = result->function_listed = 0;
	cause_judge(&none, result, &f->cause);
}

bool slow_view(struct investigation *v, struct finding *f, struct error *err)
{
	return f->profiles ? profile_inquiry_view(f->profiles, err)
			   : slow_chosen_view(v, f, err);
}
