/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/symptom.h"

#include <math.h>
#include <string.h>

#include "analyze/account.h"
#include "analyze/change_of_time.h"
#include "analyze/contrasts.h"
#include "analyze/ordering.h"
#include "analyze/slowspan.h"
#include "analyze/typical.h"
#include "analyze/verdict.h"
#include "base/num.h"

void operation_history_init(struct operation_history *s)
{
	memset(s, 0, sizeof *s);
	history_init(&s->history, s->operations.items, 0);
	window_roles_init(&s->roles);
}

void operation_history_release(struct operation_history *s)
{
	history_release(&s->history);
}

uint32_t operation_history_find(const struct operation_history *s,
				const struct trace *t, uint32_t span)
{
	return operations_find_span(s->operations.items, s->operations.count, t,
				    span);
}

/* ---- judging ---- */

/* Finds the onset; what became slow only by its own time, beside a call that is
 * always long, shows no step in the whole: then the step of the own time
 * counts. Who takes messages late need not do so for long. */
static bool find_onset(struct operation_history *s, uint32_t operation,
		       int64_t at_ns, struct arena *arena, struct error *err)
{
	const uint32_t windows[] = { s->roles.baselines[BASELINE_PREVIOUS],
				     s->roles.slow };

	if (!onset_find(&s->history, windows, 2, operation, arena, &s->onset,
			err))
		return false;
	if (!s->onset.is_found)
		s->onset = s->own_onset;
	if (s->wait_onset.is_found)
		s->onset = s->wait_onset;
	onset_forget_past(&s->onset, at_ns);
	return true;
}

static bool find_baseline(struct operation_history *s, uint32_t operation,
			  const struct span *span, struct arena *arena,
			  struct error *err)
{
	return find_onset(s, operation, span->start_ns, arena, err) &&
	       baseline_choose(&s->history, &s->roles, operation,
			       span_duration_ns(span), &s->onset, arena,
			       &s->baseline, err);
}

/* Moves the healthy window: the time before the onset is healthy; if the
 * previous window has too few traces, for example of a new service, it is
 * extended up to the onset. Only if the trace is in the slow part. */
static bool move_healthy(struct operation_history *s, const struct onset *onset,
			 int64_t at_ns, struct error *err)
{
	uint32_t previous = s->roles.baselines[BASELINE_PREVIOUS];
	struct time_range range, slow;

	if (s->roles.slow == WINDOW_NONE || previous == WINDOW_NONE ||
	    s->history.windows[previous].trace_count >= TYPICAL_MIN ||
	    !onset->is_found || !onset->has_start)
		return true;
	range = s->history.windows[s->roles.slow].range;
	slow = onset_slow_range(onset, range, at_ns);
	if (slow.from_ns <= range.from_ns)
		return true;
	s->healthy_to_ns = slow.from_ns;
	return history_move_before(&s->history, s->roles.slow, previous,
				   slow.from_ns, err);
}

/* Where the request's time went beside that of others: of requests that are
 * whole in the history, which those of joined traces are not. */
static bool find_account(struct operation_history *s, struct investigation *v,
			 const struct suspect *g, struct time_range range,
			 struct error *err)
{
	struct arena *arena = &v->result->arena;
	struct account_change *a = arena_array(arena, 1, sizeof *a);
	uint32_t count = s->operations.count, root = s->operations.root;

	if (!a)
		return arena_fail(arena, "the account of the request", err);
	if (!g->has_choice || v->trace->joined_root_id ||
	    s->roles.slow == WINDOW_NONE)
		return true;
	a->root = g->times.root;
	if (!account_of_trace(&g->choice.calls, &g->times, s->operations.items,
			      count, &a->now, &a->callers, err) ||
	    !account_of_history(&s->history, s->baseline.window, range, root,
				&a->callers, &a->before, err) ||
	    !account_of_history(&s->history, s->roles.slow,
				(struct time_range){ 0, 0 }, root, &a->callers,
				&a->others, err))
		return false;
	if (a->before.requests < TYPICAL_MIN ||
	    a->others.requests < TYPICAL_MIN)
		return true;
	account_compare(&a->before, &a->now, &a->callers, &a->growth);
	account_compare(&a->before, &a->others, &a->callers, &a->others_growth);
	s->typical.account = a;
	return true;
}

bool operation_history_judge(struct operation_history *s,
			     struct investigation *v, const struct suspect *g,
			     struct error *err)
{
	struct arena *arena = &v->result->arena;
	struct time_range range;
	const struct span *root;

	for (size_t i = 0; i < s->job_count; i++)
		s->is_answered |= s->jobs[i].job.has_answer;
	/* Windows without an answer are already noted if they are compared. */
	if (!s->job_count)
		investigation_note(v, (struct note){ NOTE_TRACE_OF_FILE });
	else if (!s->history.windows[s->jobs[0].window].is_answered)
		investigation_note(
			v, (struct note){ .kind = NOTE_NO_OTHER_TRACES,
					  .reason = s->jobs->job.err.message });
	if (!s->is_answered || s->operations.root == OPERATION_NONE)
		return true;
	root = &v->trace->spans[g->times.root];
	if (!own_onset_find(&s->history,
			    (const uint32_t[OWN_WINDOWS]){
				    s->roles.baselines[BASELINE_PREVIOUS],
				    s->roles.slow },
			    s->operations.below,
			    span_duration_ns(root) / 100 *
				    TIME_CHANGE_PATH_PERCENT,
			    &s->own_onset, err) ||
	    !find_onset(s, s->operations.root, root->start_ns, arena, err) ||
	    !move_healthy(s, &s->onset, root->start_ns, err) ||
	    !find_baseline(s, s->operations.root, root, arena, err))
		return false;
	if (s->baseline.window == WINDOW_NONE)
		return true;
	s->has_typical = true;
	range = s->baseline.slots[s->baseline.chosen].range;
	if (!typical_build(&s->history, s->baseline.window, range,
			   s->operations.root, s->roles.slow, arena,
			   &s->typical, err))
		return false;
	typical_forget_shares(&s->typical, s->operations.foreign);
	return find_account(s, v, g, range, err) &&
	       typical_add_own(&s->typical, &s->history, s->baseline.window,
			       range, s->operations.below, s->roles.slow,
			       err) &&
	       typical_add_waits(&s->typical, &s->history, s->baseline.window,
				 range, v->trace, &g->messages, s->roles.slow,
				 arena, err) &&
	       typical_add_gaps(&s->typical, &s->history, s->baseline.window,
				range, s->operations.served, s->roles.slow,
				err);
}

/* ---- the question ---- */

void symptom_use_cohorts(struct symptom *out, const struct cohorts *c,
			 int64_t entry_ns, bool is_fast_wanted,
			 bool has_own_moved)
{
	bool is_fast = c->is_against_fast || is_fast_wanted;
	const struct cohort *base = is_fast ? &c->fast : &c->baseline;
	double duration = (double)entry_ns;
	/* More than the process took passed before it got the call. */
	bool is_outside = out->has_history && out->change_ns > entry_ns;
	double grown = c->slow.mean_duration_ns - base->mean_duration_ns;

	out->slow_ids = c->slow.profile_ids;
	out->slow_id_count = c->slow.count;
	out->base_ids = base->profile_ids;
	out->base_id_count = base->count;
	out->is_base_fast = is_fast;
	out->is_outside =
		c->mode == COHORT_HEALTHY && !has_own_moved && is_outside;
	out->is_healthy =
		c->mode == COHORT_HEALTHY && !has_own_moved && !is_outside;
	/* Some are slow like it, or it is as ever. */
	if (c->mode == COHORT_BIMODAL || c->mode == COHORT_UNSURE ||
	    out->is_healthy)
		out->is_alone = false;
	/* Slow requests differ from others even without a fault: without a
	 * significant change their samples prove nothing. */
	if (c->mode == COHORT_UNSURE)
		out->slow_id_count = out->base_id_count = 0;
	out->cohorts = c;
	out->operation_per_s = c->window_count / time_range_seconds(out->slow);
	if (c->instance.is_found)
		out->instance = c->instance.value;
	if (c->slow.count && duration > 0)
		out->slow_own_ns = (double)out->own_ns *
				   fmin(1, c->slow.mean_duration_ns / duration);
	/* For an extreme request only the growth shared with similar ones. */
	if (!is_outside && c->slow.count && base->count && grown > 0 &&
	    grown < (double)out->change_ns)
		out->change_ns = (int64_t)grown;
}

/* One sick pod or one version of several is half of the answer; it is said
 * already where it is the first attribute that sets slow requests apart. */
static void note_concentration(const struct investigation *v,
			       const struct symptom *s,
			       const struct cohorts *c)
{
	const struct contrasts *all = s->contrasts;
	enum contrast_of first =
		all->count ? all->items[0].of : CONTRAST_OF_ATTRIBUTE;

	if (c->mode == COHORT_BIMODAL &&
	    (c->instance.is_found || c->version.is_found) &&
	    !(c->instance.is_found && first == CONTRAST_OF_INSTANCE) &&
	    !(c->version.is_found && first == CONTRAST_OF_VERSION))
		investigation_note(v,
				   (struct note){ .kind = NOTE_ONE_KIND_IS_SLOW,
						  .cohorts = c });
}

/* Number of longest gaps between traces to ignore: those between the slices of
 * a window. */
#define GAPS_LEFT_OUT 4u

static uint32_t list_gaps(const struct history_window *w, uint32_t operation,
			  struct time_range range, int64_t *gaps,
			  uint32_t *spans)
{
	uint32_t count = 0, trace = UINT32_MAX;
	int64_t last_ns = 0;

	*spans = 0;
	for (uint32_t i = 0; i < w->span_count; i++) {
		const struct history_span *s = &w->spans[i];

		if (s->operation != operation ||
		    !time_range_has(range, s->start_ns))
			continue;
		++*spans;
		if (s->trace == trace)
			continue;
		if (trace != UINT32_MAX)
			gaps[count++] = sat_sub_i64(s->start_ns, last_ns);
		trace = s->trace;
		last_ns = s->start_ns;
	}
	return count;
}

/* Estimates the rate of a busy operation, of which a window has a sample:
 * servers return the newest of each slice, whose density shows the rate. */
static bool count_operation(struct symptom *s,
			    const struct operation_history *h,
			    struct arena *arena, struct error *err)
{
	const struct history_window *w;
	uint32_t count, spans;
	int64_t *gaps;
	double sum = 0;

	if (h->roles.slow == WINDOW_NONE)
		return true;
	w = &h->history.windows[h->roles.slow];
	if (!w->is_sample || s->operation_per_s <= 0)
		return true;
	gaps = arena_array(arena, w->span_count, sizeof *gaps);
	if (!gaps)
		return arena_fail(arena, "the history", err);
	count = list_gaps(w, s->operation, s->slow, gaps, &spans);
	if (count < 4 * GAPS_LEFT_OUT)
		return true;
	values_sort(gaps, count);
	for (uint32_t i = 0; i < count - GAPS_LEFT_OUT; i++)
		sum += (double)gaps[i];
	if (sum > 0)
		s->operation_per_s = fmax(s->operation_per_s,
					  (count - GAPS_LEFT_OUT) / sum *
						  (double)NS_PER_S * spans /
						  (count + 1));
	return true;
}

/* Those that are slow because they are large, or some tenant's, are no
 * regression when such requests always took so long. And nothing is as ever
 * when those of a kind are not. */
static void heed_contrasts(struct symptom *out, bool has_own_moved)
{
	const struct contrasts *c = out->contrasts;

	/* Those that bear it are slower than before, or more. */
	for (uint32_t i = 0; i < c->count; i++)
		if (contrast_has_changed(c->items[i].since)) {
			out->is_healthy = false;
			return;
		}
	for (uint32_t i = 0; i < c->count && !has_own_moved; i++)
		if (c->items[i].is_usual && !out->usual)
			out->usual = &c->items[i];
	out->is_healthy |= out->usual && !out->is_outside;
}

static bool find_contrasts(struct symptom *out, struct operation_history *s,
			   const struct investigation *v,
			   const struct cohort_want *cohort, struct error *err)
{
	const struct baseline_choice *b = cohort->baseline;
	struct contrast_want want = {
		.trace = v->trace,
		.history = &s->history,
		.roles = &s->roles,
		.operation = cohort->operation,
		.slow_range = cohort->slow_range,
		.threshold_ns = s->cohorts.threshold_ns,
		.duration_ns = cohort->duration_ns,
		.base_window = b->window,
	};

	if (b->chosen < BASELINE_SLOTS)
		want.base_range = b->slots[b->chosen].range;
	if (!contrasts_find(&want, &s->contrasts, err))
		return false;
	out->contrasts = &s->contrasts;
	out->history = &s->history;
	return true;
}

/* Finds the version or instance that separates slow requests, including this
 * one, from fast ones, even if not all slow ones have it: it is then compared
 * with the others. Not if it was slower before, too. */
static bool find_lead(const struct symptom *s, struct cohort_lead *lead)
{
	const struct contrasts *all = s->contrasts;
	const struct cohorts *found = s->cohorts;

	if (!all->count || all->is_against_before || found->instance.is_found ||
	    found->version.is_found)
		return false;
	for (uint32_t i = 0; i < all->count; i++) {
		const struct contrast *c = &all->items[i];

		if (c->of == CONTRAST_OF_ATTRIBUTE || c->own != 1 ||
		    c->since == CONTRAST_AS_EVER ||
		    c->operation != all->operation)
			continue;
		lead->by = c->of == CONTRAST_OF_VERSION
				   ? CONCENTRATION_VERSION
				   : CONCENTRATION_INSTANCE;
		lead->value = history_text(s->history, c->value);
		return true;
	}
	return false;
}

static bool find_cohorts(struct symptom *out, struct operation_history *s,
			 struct investigation *v, uint32_t entry,
			 uint32_t operation, struct time_range window,
			 bool is_fast_wanted, const struct suspect *g,
			 struct error *err)
{
	bool has_own_moved = g->pick.has_manifold_change;
	const struct span *span = &v->trace->spans[entry];
	const struct guilty_span *blamed = &v->result->span;
	const struct operation *named = &s->operations.items[operation];
	/* A new operation is not slower than before: the request is, because it
	 * calls it. */
	bool is_new = s->has_typical &&
		      typical_is_new(&s->typical, &s->typical.items[operation]);
	struct cohort_want want = {
		.history = &s->history,
		.roles = &s->roles,
		.operation = operation,
		.duration_ns = span_duration_ns(span),
		.profile_id = out->profile_id,
		.baseline = &s->baseline,
	};

	if (!find_baseline(s, is_new ? s->operations.root : operation,
			   is_new ? &v->trace->spans[g->times.root] : span,
			   &v->result->arena, err))
		return false;
	out->slow = want.slow_range =
		onset_slow_range(&s->onset, window, span->start_ns);
	deploy_find(&s->history,
		    (const uint32_t[]){ s->roles.baselines[BASELINE_PREVIOUS],
					s->roles.slow },
		    2, out->service, &s->onset, &s->deploy);
	if (!cohorts_find(&want, &v->result->arena, &s->cohorts, err))
		return false;
	/* The suspect span may represent a part of that operation. */
	if (operation_is_named(named, blamed->service, blamed->name))
		named = NULL;
	s->cohorts.named = named;
	has_own_moved |=
		s->has_typical && s->typical.items[operation].has_own_moved;
	symptom_use_cohorts(out, &s->cohorts, want.duration_ns, is_fast_wanted,
			    has_own_moved);
	if (!find_contrasts(out, s, v, &want, err))
		return false;
	if (find_lead(out, &want.lead)) {
		if (!cohorts_find(&want, &v->result->arena, &s->cohorts, err))
			return false;
		s->cohorts.named = named;
		symptom_use_cohorts(out, &s->cohorts, want.duration_ns,
				    is_fast_wanted, has_own_moved);
	}
	note_concentration(v, out, &s->cohorts);
	heed_contrasts(out, has_own_moved);
	return count_operation(out, s, &v->result->arena, err);
}

/* Falls back where the traces could not choose: to the window before,
 * unchecked; or what the user said. */
static void fall_back(struct symptom *out, struct time_range window,
		      const struct baseline_want *want)
{
	out->base_healthy = -1;
	out->base_kind = str_from(want->text);
	switch (want->kind) {
	case BASELINE_WANT_NONE:
		out->has_base = false;
		return;
	case BASELINE_WANT_RANGE:
		out->base = want->range;
		out->base_kind = STR("range");
		break;
	case BASELINE_WANT_SHIFT:
		out->base = window_shifted(window, want->shift_ns);
		break;
	default:
		out->base = window_previous(window);
		out->base_kind = STR("previous");
		break;
	}
	out->has_base = true;
}

/* The mean of some dozens of spans wanders: never less than this part of what
 * the slow ones alone make of it. */
#define MEAN_CHANGE_LEAST 0.25

/* After the windows and what the slow requests share are known. */
static bool set_mean_change(struct symptom *out,
			    const struct operation_history *s,
			    const struct investigation *v,
			    const struct guilty_pick *pick, struct error *err)
{
	const struct baseline_choice *b = &s->baseline;
	uint32_t operation = operation_history_find(s, v->trace, pick->span);
	const struct cohorts *c = &s->cohorts;
	double change_ns = (double)out->change_ns, now_ns, before_ns, least_ns;
	uint32_t below;

	if (!out->has_history || pick->is_gap || pick->is_queue ||
	    v->result->span.count > 1 || b->chosen >= BASELINE_SLOTS ||
	    operation == OPERATION_NONE || !c->window_count)
		return true;
	below = s->operations.below[operation];
	if (!typical_mean_own(&s->history, s->roles.slow, out->slow, operation,
			      below, &now_ns, err) ||
	    !typical_mean_own(&s->history, b->window, b->slots[b->chosen].range,
			      operation, below, &before_ns, err))
		return false;
	if (now_ns < 0 || before_ns < 0 || now_ns <= before_ns)
		return true;
	least_ns = MEAN_CHANGE_LEAST * change_ns * c->slow_count /
		   c->window_count;
	out->mean_change_ns =
		fmin(change_ns, fmax(least_ns, now_ns - before_ns));
	return true;
}

/* A bit for each operation that is a call by the process to another one, over
 * HTTP or as RPC. */
static uint32_t call_operations(const struct operation_history *s,
				const struct trace *t, const struct calls *calls,
				uint32_t resource)
{
	uint32_t bits = 0;

	for (uint32_t i = 0; i < t->span_count; i++) {
		uint32_t operation;

		if (t->spans[i].resource != resource ||
		    t->spans[i].kind != SPAN_KIND_CLIENT ||
		    (calls->kind[i] != CALL_HTTP && calls->kind[i] != CALL_RPC))
			continue;
		operation = operation_history_find(s, t, i);
		if (operation != OPERATION_NONE)
			bits |= 1u << operation;
	}
	return bits;
}

/* Returns the time that a request of an operation spends in calls; all of them
 * together, as profiles add up what waits side by side. */
static double calls_ns(const struct history_window *w, struct time_range range,
		       uint32_t operation, uint32_t calls)
{
	double sum = 0;
	uint32_t count = 0;

	for (uint32_t i = 0; i < w->span_count; i++) {
		const struct history_span *s = &w->spans[i];

		if (!history_range_has(range, s->start_ns))
			continue;
		count += s->operation == operation;
		if (s->operation < OPERATIONS_MAX &&
		    (calls & 1u << s->operation))
			sum += (double)s->duration_ns;
	}
	return count ? sum / count : 0;
}

static void set_mean_calls(struct symptom *out,
			   const struct operation_history *s,
			   const struct investigation *v,
			   const struct suspect *g)
{
	const struct baseline_choice *b = &s->baseline;
	uint32_t calls;

	out->is_own_time =
		!g->pick.is_gap && !g->pick.is_queue &&
		v->trace->spans[g->pick.span].kind != SPAN_KIND_CLIENT;
	if (!g->has_choice || !out->has_history || !out->is_own_time ||
	    b->chosen >= BASELINE_SLOTS || s->roles.slow == WINDOW_NONE)
		return;
	calls = call_operations(s, v->trace, &g->choice.calls, out->resource);
	out->mean_calls_ns =
		fmax(0, calls_ns(&s->history.windows[s->roles.slow], out->slow,
				 out->operation, calls) -
				calls_ns(&s->history.windows[b->window],
					 b->slots[b->chosen].range,
					 out->operation, calls));
}

/* Fills the facts from the trace alone, and where to search for more. */
static void symptom_begin(struct symptom *out,
			  const struct operation_history *s,
			  const struct investigation *v,
			  const struct guilty_pick *pick, uint32_t entry,
			  uint32_t operation, struct time_range window)
{
	int64_t self_ns = v->result->span.self_ns;
	uint64_t id;

	*out = (struct symptom){
		.service = pick->service,
		.resource = v->trace->spans[pick->owner].resource,
		.entry = entry,
		.operation = operation,
		.own_ns = pick->profile_span != SPAN_NONE ? pick->profile_own_ns
							  : self_ns,
		.is_close_span = pick->is_close,
		.is_alone = pick->is_alone,
		.has_history = s->has_typical && pick->change_ns >= 0,
		.slow = window,
		.slow_asked = window,
	};
	if (pick->profile_id.ptr && parse_hex_u64(pick->profile_id, &id))
		out->profile_id = id;
	out->is_ordinary = out->has_history &&
			   verdict_is_ordinary(self_ns, pick->change_ns);
	out->change_ns = out->has_history ? pick->change_ns : out->own_ns;
	out->mean_change_ns = (double)out->change_ns;
	out->grown_ns = out->change_ns;
	fall_back(out, window, &v->question->baseline);
}

/* Completes it by requests of the operation. */
static bool symptom_compare(struct symptom *out, struct operation_history *s,
			    struct investigation *v, const struct suspect *g,
			    struct time_range window, struct error *err)
{
	const struct baseline_want *want = &v->question->baseline;
	const struct guilty_pick *pick = &g->pick;
	unsigned chosen;

	if (!find_cohorts(out, s, v, out->entry, out->operation, window,
			  want->kind == BASELINE_WANT_FAST, g, err))
		return false;
	/* Nothing outside the process took clearly longer than typical, or less
	 * than three times that in this request alone: the time before it is
	 * normal. */
	if (out->is_outside && !guilty_want_is_narrow(&g->want) &&
	    (!g->choice.is_by_change || (pick->is_alone && out->is_ordinary))) {
		out->is_outside = false;
		out->is_healthy = true;
	}
	/* A message that waited is no slow request: what its receiver does is
	 * as quick as ever, and what keeps it from taking messages need not be
	 * of their spans. */
	if (pick->is_queue) {
		out->is_healthy = pick->is_lone_queue;
		out->is_outside = out->is_ordinary = false;
		out->slow_ids = out->base_ids = NULL;
		out->slow_id_count = out->base_id_count = 0;
		out->is_base_fast = false;
		out->profile_id = 0;
		out->change_ns = pick->change_ns;
	}
	out->mean_change_ns = (double)out->change_ns;
	if (!set_mean_change(out, s, v, pick, err))
		return false;
	set_mean_calls(out, s, v, g);
	out->is_exception = out->is_healthy && !out->usual &&
			    g->choice.is_by_change;
	if (want->kind == BASELINE_WANT_AUTO ||
	    want->kind == BASELINE_WANT_FAST)
		out->has_base = false;
	if (want->kind == BASELINE_WANT_NONE)
		out->base_id_count = 0;
	chosen = s->baseline.chosen;
	if (want->kind == BASELINE_WANT_NONE ||
	    want->kind == BASELINE_WANT_RANGE || chosen == BASELINE_SLOTS)
		return true;
	out->base = window_apart(s->baseline.slots[chosen].range, out->slow);
	out->has_base = true;
	out->base_healthy = s->baseline.slots[chosen].healthy;
	out->base_kind = str_from(baseline_slot_name(chosen));
	out->base_choice = &s->baseline;
	return true;
}

/* Since when the messages wait that the receiver takes, when a part of the
 * window before is of that. */
static void use_wait_onset(struct operation_history *s,
			   const struct guilty_pick *pick, uint32_t receiver)
{
	s->wait_onset.is_found = false;
	for (size_t i = 0; pick->is_queue && i < s->typical.wait_count; i++) {
		const struct message_wait *w = &s->typical.waits[i];

		if (w->receiver == receiver && w->onset.is_found &&
		    s->roles.slow != WINDOW_NONE &&
		    w->onset.start_ns <
			    s->history.windows[s->roles.slow].range.from_ns)
			s->wait_onset = w->onset;
	}
}

static uint32_t count_instances(const struct operation_history *s,
				struct time_range range, struct str service,
				struct str version)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < s->history.window_count; i++) {
		uint32_t count = instances_count(&s->history, i, range, service,
						 version);

		if (count > most)
			most = count;
	}
	return most;
}

/* Sets the instances; of versions side by side one is counted, and the other is
 * the rest. */
static void set_instances(struct symptom *out,
			  const struct operation_history *s)
{
	const struct str any = { NULL, 0 };
	struct str version =
		out->slow_version.ptr ? out->slow_version : out->base_version;
	uint32_t slow = count_instances(s, out->slow, out->service, any);
	uint32_t one = count_instances(s, out->base, out->service, version);
	uint32_t rest = one && slow > one ? slow - one : 0;

	out->slow_instances = slow;
	out->base_instances = one;
	if (out->slow_version.ptr) {
		out->slow_instances = one;
		out->base_instances = rest;
	} else if (out->is_base_beside) {
		out->slow_instances = rest;
	}
}

bool symptom_fill(struct symptom *out, struct operation_history *s,
		  struct investigation *v, const struct suspect *g,
		  struct time_range window, struct error *err)
{
	const struct baseline_want *want = &v->question->baseline;
	uint32_t entry = suspect_entry(v->trace, g);
	uint32_t operation = operation_history_find(s, v->trace, entry);

	if (s->healthy_to_ns > window.from_ns)
		window.from_ns = s->healthy_to_ns;
	use_wait_onset(s, &g->pick, operation);
	symptom_begin(out, s, v, &g->pick, entry, operation, window);
	if (s->is_answered && operation != OPERATION_NONE &&
	    !symptom_compare(out, s, v, g, window, err))
		return false;
	/* The span's own instance, whatever other traces show. */
	if (question_scope_is(v->question, SCOPE_INSTANCE))
		out->instance = resource_instance(v->trace, out->resource);
	if (!version_baseline_use(out, s, operation, window, want,
				  &v->result->arena, err))
		return false;
	set_instances(out, s);
	return true;
}

/* The queries to the trace server: windows of history, in slices. */

/* Servers give the newest traces of what they are asked for: of a busy
 * service those of its last minutes, so that what began and ended before is
 * among none of them. Windows are therefore asked about in slices, as many as
 * it matters when in them something happened: of the slow window as many as
 * the server has for it, of a healthy one, little. Two hundred traces against
 * two hundred tell a fault of four requests in a hundred from chance. Each
 * slice costs a request of the few there are. */
#define PREVIOUS_SLICES 2u
#define WINDOW_TRACES 200u

/* The traces per window of an hour or days ago: together they show as much. */
#define FAR_TRACES 100u

/* Those like the slow one. */
#define LIKE_IT_TRACES 60u

/* Requests that took at least this part of what this one took are like it. */
#define LIKE_IT 0.6

static const int64_t shifts_ns[BASELINE_SLOTS] = {
	[BASELINE_THIRD_HOUR] = 20 * NS_PER_MIN,
	[BASELINE_TWO_THIRDS] = 40 * NS_PER_MIN,
	[BASELINE_HOUR] = NS_PER_HOUR,
	[BASELINE_THREE_HOURS] = 3 * NS_PER_HOUR,
	[BASELINE_DAY] = NS_PER_DAY,
	[BASELINE_WEEK] = 7 * NS_PER_DAY,
};

/* Steps in which requests are counted. */
#define DENSITY_STEPS 200

/* A search costs the server what is in its range, not the number of results:
 * for a busy operation only the end of a slice with that many traces and a
 * fifth more is queried, since these are the newest of the slice. */
#define DENSITY_MARGIN 1.2

/* The length of windows an hour or days ago, where nothing is counted: three
 * times that in which as many come now. */
#define DENSITY_FAR 3.0

static bool is_counted(const struct operation_history *s,
		       struct time_range range)
{
	return range.from_ns >= s->density.range.from_ns &&
	       range.to_ns <= s->density.range.to_ns;
}

static void add_job(struct operation_history *s, const struct investigation *v,
		    uint32_t window, struct time_range range, uint32_t traces)
{
	struct history_job *job = &s->jobs[s->job_count++];
	double rate = count_rate(&s->density);
	double far_s = rate > 0 ? traces * DENSITY_FAR / rate : INFINITY;
	struct time_range part = range;

	if (is_counted(s, range))
		part = count_newest_part(&s->density, range,
					 traces * DENSITY_MARGIN);
	else if (far_s < time_range_seconds(range))
		part.from_ns =
			range.to_ns - (int64_t)(far_s * (double)NS_PER_S);
	history_job_init(job, &s->history, window, traces);
	job->range = part;
	job->is_newest_part = part.from_ns > range.from_ns;
	if (s->operations.has_single_root) {
		job->root_service = s->operations.root_service;
		job->root_name = s->operations.root_name;
		job->is_root_called = s->operations.is_root_called;
	}
	job->except = &v->trace->id;
}

/* Not more than one answer may hold, with room for those that came since they
 * were counted: then slices would only cost. */
#define DENSITY_FEW (WINDOW_TRACES * 3 / 2)
#define DENSITY_FEW_COUNTED (WINDOW_TRACES * 5 / 4)

/* WINDOW_NONE: there are as many as there may be. */
static uint32_t begin_window(struct operation_history *s,
			     struct time_range range)
{
	uint32_t window;

	if (s->history.window_count == HISTORY_WINDOWS)
		return WINDOW_NONE;
	window = s->history.window_count++;
	s->history.windows[window].range = range;
	s->history.windows[window].slow_operation = OPERATION_NONE;
	return window;
}

static uint32_t add_window(struct operation_history *s,
			   const struct investigation *v,
			   struct time_range range, uint32_t traces)
{
	uint32_t window = begin_window(s, range);

	if (window != WINDOW_NONE)
		add_job(s, v, window, range, traces);
	return window;
}

static uint32_t add_slices(struct operation_history *s,
			   const struct investigation *v,
			   struct time_range range, unsigned slices)
{
	const struct trace_traits *traits = backends_trace_traits(v->backends);
	uint32_t window = begin_window(s, range);
	double count = count_within(&s->density, range);
	int64_t step;

	if (is_counted(s, range) && count >= 0 &&
	    count <= DENSITY_FEW_COUNTED) {
		if (window != WINDOW_NONE)
			add_job(s, v, window, range, DENSITY_FEW);
		return window;
	}
	step = (range.to_ns - range.from_ns) / slices;
	for (unsigned i = 0; window != WINDOW_NONE && i < slices; i++) {
		struct time_range slice = { range.from_ns + step * i,
					    range.from_ns + step * (i + 1) };

		if (i == slices - 1)
			slice.to_ns = range.to_ns;
		add_job(s, v, window, slice,
			traits->history_slice_traces
				? traits->history_slice_traces
				: WINDOW_TRACES / slices);
	}
	return window;
}

static struct time_range slot_range(struct time_range window, unsigned slot)
{
	return slot == BASELINE_PREVIOUS
		       ? window_previous(window)
		       : window_shifted(window, shifts_ns[slot]);
}

static void add_baselines(struct operation_history *s,
			  const struct investigation *v,
			  struct time_range window,
			  const struct baseline_want *want)
{
	for (unsigned i = 0; i < BASELINE_SLOTS; i++) {
		struct time_range range = slot_range(window, i);
		/* Windows of an hour or days ago cost a server as much as the
		 * two that are queried first, which mostly suffice. */
		bool is_wanted = want->kind == BASELINE_WANT_SHIFT
					 ? want->shift_ns == shifts_ns[i]
					 : i == BASELINE_PREVIOUS;

		if (!is_wanted)
			continue;
		s->roles.baselines[i] =
			i == BASELINE_PREVIOUS
				? add_slices(s, v, range, PREVIOUS_SLICES)
				: add_window(s, v, range, FAR_TRACES);
	}
}

/* Reserved for profiles in parts, with samples of requests and of the service,
 * and for similar requests if they are queried again. */
#define SPARED_REQUESTS 20u

/* Waits of other messages are queried trace by trace. */
#define SPARED_FOR_MESSAGES 8u

/* Entry spans of each operation: one of these is what is compared. */
static bool knows_entries(const struct operation_history *s, uint32_t window)
{
	const struct history_window *w = &s->history.windows[window];
	uint32_t counts[OPERATIONS_MAX] = { 0 };

	for (uint32_t i = 0; i < w->span_count; i++)
		if (w->spans[i].operation < OPERATIONS_MAX)
			counts[w->spans[i].operation]++;
	for (uint32_t i = 0; i < s->operations.count; i++)
		if (span_kind_is_request(s->operations.items[i].kind) &&
		    counts[i] < TYPICAL_MIN)
			return false;
	return true;
}

static void request_slot(struct operation_history *s,
			 const struct investigation *v,
			 struct time_range window, unsigned slot,
			 struct job **jobs, size_t *n)
{
	size_t asked = s->job_count;

	s->roles.baselines[slot] =
		add_window(s, v, slot_range(window, slot), FAR_TRACES);
	if (s->job_count > asked)
		jobs[(*n)++] = &s->jobs[asked].job;
}

void operation_history_request_far(struct operation_history *s,
				   const struct investigation *v,
				   struct time_range window, struct job **jobs,
				   size_t *n)
{
	enum baseline_kind kind = v->question->baseline.kind;
	const struct baseline_choice *b = &s->baseline;

	if (!s->is_answered || s->operations.root == OPERATION_NONE ||
	    kind == BASELINE_WANT_SHIFT || kind == BASELINE_WANT_PREVIOUS)
		return;
	/* A step, and no slow request before it: nothing further back changes
	 * that. */
	if (s->onset.is_found && b->chosen == BASELINE_PREVIOUS &&
	    !b->slots[BASELINE_PREVIOUS].slow_count && !baseline_is_open(b) &&
	    knows_entries(s, b->window)) {
		backends_save_requests(v->backends, BASELINES_FAR);
		return;
	}
	for (unsigned i = BASELINE_PREVIOUS + 1; i < BASELINE_SLOTS; i++)
		if (!baseline_slot_is_between(i))
			request_slot(s, v, window, i, jobs, n);
}

void operation_history_request_between(struct operation_history *s,
				       const struct investigation *v,
				       const struct suspect *g,
				       struct time_range window,
				       struct job **jobs, size_t *n)
{
	enum baseline_kind kind = v->question->baseline.kind;
	size_t spared = SPARED_REQUESTS +
			(g->messages.count ? SPARED_FOR_MESSAGES : 0);

	/* A quota is reserved for the queries that are always needed. */
	if (!s->is_answered || s->operations.root == OPERATION_NONE ||
	    backends_trace_traits(v->backends)->is_metered ||
	    backends_requests_left(v->backends) < spared ||
	    (kind != BASELINE_WANT_AUTO && kind != BASELINE_WANT_FAST) ||
	    !baseline_is_open(&s->baseline))
		return;
	/* A longer window reaches into those before it. */
	for (unsigned i = 0; i < BASELINE_SLOTS; i++)
		if (baseline_slot_is_between(i) &&
		    window.to_ns - window.from_ns < shifts_ns[i])
			request_slot(s, v, window, i, jobs, n);
}

/* Adds a search by duration: of a window with thousands of quick requests some
 * dozens are drawn, of which few may be like this one. They are of the
 * operation whose time is to be explained, whatever request called it. */
static void add_slow_only(struct operation_history *s,
			  const struct investigation *v, uint32_t entry,
			  struct time_range window)
{
	uint32_t operation = operation_history_find(s, v->trace, entry);
	int64_t least_ns =
		(int64_t)(LIKE_IT *
			  (double)span_duration_ns(&v->trace->spans[entry]));
	struct history_window *w;
	struct history_job *job;
	uint32_t count = 0;

	if (operation == OPERATION_NONE)
		return;
	s->roles.slow_only = WINDOW_NONE;
	for (uint32_t i = 0; i < s->history.window_count; i++)
		if (s->history.windows[i].slow_operation == operation) {
			s->roles.slow_only = i;
			return;
		}
	/* The similar requests in the slow window are half of those wanted.
	 * Without counts the query is sent before that is known. */
	w = &s->history.windows[s->roles.slow];
	for (uint32_t i = 0; i < w->span_count; i++)
		count += w->spans[i].operation == operation &&
			 w->spans[i].duration_ns >= least_ns;
	if (s->density.job.has_answer && count >= LIKE_IT_TRACES / 2)
		return;
	s->roles.slow_only = add_window(s, v, window, LIKE_IT_TRACES);
	if (s->roles.slow_only == WINDOW_NONE)
		return;
	w = &s->history.windows[s->roles.slow_only];
	w->slow_operation = operation;
	w->min_duration_ns = least_ns;
	job = &s->jobs[s->job_count - 1];
	job->root_service = job->root_name = (struct str){ NULL, 0 };
	job->range = window;
	job->is_newest_part = false;
}

/* Adds the joined parts of the trace, which are separate traces in others,
 * too. */
static void add_foreign(struct operation_history *s,
			const struct investigation *v)
{
	const uint32_t windows[FOREIGN_JOBS] = {
		s->roles.slow, s->roles.baselines[BASELINE_PREVIOUS]
	};

	for (size_t i = 0;
	     s->operations.foreign_service.len && i < FOREIGN_JOBS; i++) {
		struct history_job *job;

		if (windows[i] == WINDOW_NONE)
			continue;
		job = &s->jobs[s->job_count];
		add_job(s, v, windows[i], s->history.windows[windows[i]].range,
			WINDOW_TRACES);
		job->range = s->history.windows[windows[i]].range;
		job->is_newest_part = false;
		job->root_service = s->operations.foreign_service;
		job->root_name = s->operations.foreign_name;
		job->is_root_called = false;
	}
}

/* From the window before on, in whole steps: what is counted then begins and
 * ends with one. */
static void count_density(struct operation_history *s,
			  const struct investigation *v,
			  struct time_range window, struct job **jobs, size_t *n)
{
	const struct operation *root = &s->operations.items[0];
	struct time_range range = { window_previous(window).from_ns,
				    window.to_ns };
	int64_t step_ns = (range.to_ns - range.from_ns) / DENSITY_STEPS;

	if (!backends_trace_traits(v->backends)->counts_names ||
	    !s->operations.has_single_root || step_ns < NS_PER_S)
		return;
	step_ns -= step_ns % NS_PER_S;
	range.from_ns -= range.from_ns % step_ns;
	range.to_ns += step_ns - range.to_ns % step_ns;
	count_job_init_aid(&s->density, root->service, range, step_ns);
	s->density.name = root->name;
	if (!s->operations.is_root_called) {
		s->density.root_service = s->operations.root_service;
		s->density.root_name = s->operations.root_name;
	}
	jobs[(*n)++] = &s->density.job;
}

bool operation_history_prepare(struct operation_history *s,
			       struct investigation *v, const struct suspect *g,
			       struct time_range window, struct job **jobs,
			       size_t *n, struct error *err)
{
	if (v->backends->traces.path || !backends_traces(v->backends))
		return true;
	if (!operations_collect(v->trace, &g->times, &s->operations, err))
		return false;
	s->history.operation_count = s->operations.count;
	if (!s->operations.count)
		return true;
	s->history.keys = s->keys;
	s->history.key_count =
		contrast_keys_collect(v->trace, &s->operations, s->keys);
	count_density(s, v, window, jobs, n);
	return true;
}

void operation_history_request(struct operation_history *s,
			       const struct investigation *v,
			       const struct suspect *g,
			       struct time_range window, struct job **jobs,
			       size_t *n)
{
	if (!s->operations.count)
		return;
	s->roles.slow =
		add_slices(s, v, window,
			   backends_trace_traits(v->backends)->history_slices);
	/* Else it is known first what the slow window holds. */
	if (!s->density.job.has_answer)
		add_slow_only(s, v, suspect_entry(v->trace, g), window);
	add_baselines(s, v, window, &v->question->baseline);
	add_foreign(s, v);
	for (size_t i = 0; i < s->job_count; i++)
		jobs[(*n)++] = &s->jobs[i].job;
}

void operation_history_request_again(struct operation_history *s,
				     const struct investigation *v,
				     const struct suspect *g,
				     struct time_range window,
				     struct job **jobs, size_t *n)
{
	size_t asked = s->job_count;

	if (s->is_answered)
		add_slow_only(s, v, suspect_entry(v->trace, g), window);
	if (s->job_count > asked)
		jobs[(*n)++] = &s->jobs[asked].job;
}
