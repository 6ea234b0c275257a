/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/choice.h"

#include <stdlib.h>

#include "analyze/change_of_time.h"
#include "analyze/findings.h"
#include "analyze/messages.h"
#include "analyze/slowspan.h"
#include "base/num.h"
#include "base/timefmt.h"
#include "model/result.h"

/* A choice is fair when it takes 30 % of the critical path and half as much
 * again as the next candidate. */
#define FAIR_PATH_PERCENT 30
#define FAIR_LEAD_PERCENT 150

/* part >= whole * percent / 100, without overflow. */
static bool is_at_least(int64_t part, int64_t whole, int64_t percent)
{
	return sat_mul_i64(part, 100) >= sat_mul_i64(whole, percent);
}

/* A call whose own time is the lesser part: its callee explains it. */
static bool is_explained_by_callee(const struct choice *c)
{
	return c->server_side != SPAN_NONE &&
	       c->best->self_ns < c->best->duration_ns / 2;
}

/* Returns whether the way to the callee is what grew. */
static bool is_grown_gap(const struct choice *c)
{
	return c->is_by_change && !c->retry && choice_change(c)->is_gap &&
	       choice_change(c)->is_grown;
}

/* Returns whether the best candidate is one call whose time lies for the most
 * part outside its callee's spans, or calls of which that part is what grew. */
static bool choice_is_gap(const struct choice *c)
{
	return !c->queue && !c->loop && !c->retry &&
	       c->server_side != SPAN_NONE &&
	       (is_grown_gap(c) ||
		(c->best->count == 1 && !is_explained_by_callee(c)));
}

int64_t choice_served_ns(const struct choice *c)
{
	const uint32_t *members = c->candidates.members + c->best->member_first;
	int64_t sum = 0;

	for (uint32_t i = 0; i < c->best->count; i++) {
		uint32_t server = span_server_side(c->t, members[i]);

		if (server != SPAN_NONE)
			sum = sat_add_i64(
				sum, span_duration_ns(&c->t->spans[server]));
	}
	return sum;
}

enum choice_ground choice_ground(const struct choice *c)
{
	if (c->queue)
		return CHOICE_QUEUE;
	if (c->plan)
		return CHOICE_PLAN;
	if (c->loop)
		return CHOICE_LOOP;
	if (choice_is_pause(c))
		return CHOICE_PAUSES;
	if (c->server_side != SPAN_NONE && is_grown_gap(c))
		return CHOICE_WAY;
	/* A slow way to the callee is seen in setting up a connection, too. */
	if (c->is_by_change && !c->retry && choice_change(c)->is_grown &&
	    calls_set_up(&c->calls, c->best->span) != SPAN_NONE)
		return CHOICE_SET_UP;
	if (is_explained_by_callee(c))
		return CHOICE_CALLEE;
	if (c->server_side != SPAN_NONE)
		return CHOICE_GAP;
	if (c->calls.kind[c->best->span] == CALL_DATABASE &&
	    !calls_is_outside(&c->calls, c->best->span))
		return CHOICE_EMBEDDED;
	return c->calls.kind[c->best->span] == CALL_NONE ? CHOICE_OWN
							 : CHOICE_CALL;
}

static enum cause_kind cause_of(const struct choice *c)
{
	static const enum cause_kind causes[] = {
		[CHOICE_OWN] = CAUSE_UNKNOWN,
		[CHOICE_LOOP] = CAUSE_N_PLUS_ONE,
		[CHOICE_PAUSES] = CAUSE_WAIT,
		[CHOICE_CALLEE] = CAUSE_DOWNSTREAM,
		[CHOICE_GAP] = CAUSE_WAIT,
		[CHOICE_WAY] = CAUSE_NETWORK,
		[CHOICE_CALL] = CAUSE_DOWNSTREAM,
		[CHOICE_QUEUE] = CAUSE_QUEUE,
		[CHOICE_EMBEDDED] = CAUSE_UNKNOWN,
		[CHOICE_SET_UP] = CAUSE_NETWORK,
		[CHOICE_PLAN] = CAUSE_DOWNSTREAM,
	};

	return causes[choice_ground(c)];
}

const struct time_change *choice_change(const struct choice *c)
{
	return &c->time_changes.items[c->best - c->candidates.items];
}

static bool find_steps(struct choice *c, struct error *err)
{
	const struct span *spans = c->t->spans;
	uint32_t depth = 0;
	uint32_t below = SPAN_NONE;

	for (uint32_t i = c->headline; i != SPAN_NONE; i = spans[i].parent)
		depth++;
	c->steps = arena_array(&c->scratch, depth, sizeof *c->steps);
	if (!c->steps)
		return arena_fail(&c->scratch, "the trace", err);
	for (uint32_t i = c->headline; i != SPAN_NONE; i = spans[i].parent) {
		/* The client span of a call is left out when its server span
		 * follows. */
		if (below == SPAN_NONE || spans[i].kind != SPAN_KIND_CLIENT ||
		    !span_is_served_call(c->t, below))
			c->steps[c->step_count++] = i;
		below = i;
	}
	return true;
}

static void fill_times(const struct choice *c, struct guilty_span *out)
{
	const struct span *s = &c->t->spans[c->headline];
	const struct candidate *best = c->best;

	out->start_ns = s->start_ns;
	out->duration_ns = span_duration_ns(s);
	if (choice_is_loop(c)) {
		/* Loops of one span may run side by side. */
		out->self_ns =
			min_i64(sat_add_i64(c->times->self_ns[c->headline],
					    c->loop_sum_ns),
				out->duration_ns);
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

/* Sets the typical time of the headline. For concurrent calls only sums are
 * known, not when they typically run. */
static void fill_typical(const struct choice *c, struct guilty_span *out)
{
	const struct typical_operation *o;
	uint32_t span = c->headline;

	if (!c->typical)
		return;
	o = c->time_changes.known[span];
	if (!o || typical_is_new(c->typical, o))
		return;
	if (!choice_is_loop(c) && c->best->count > 1) {
		if (c->best->duration_ns >
		    sat_sub_i64(c->best->end_ns, c->best->start_ns))
			return;
		out->typical_ns = choice_change(c)->typical_ns;
	} else {
		out->typical_ns = typical_duration(c->typical, o, 1,
						   c->time_changes.all[span]);
	}
	out->typical_count = o->trace_count;
}

static bool fill_span(struct choice *c, struct result *result,
		      struct error *err)
{
	const struct span *s = &c->t->spans[c->headline];
	struct guilty_span *out = &result->span;
	char id[17];

	span_id_format(s->span_id, id);
	*out = (struct guilty_span){
		.span = c->headline,
		.span_id = arena_str(&result->arena, str_from(id)),
		.service = span_service(c->t, c->headline),
		.name = span_name(c->t, c->headline),
		.kind = (enum span_kind)s->kind,
		.typical_ns = -1,
		.is_of_part = c->t->root_count &&
			      c->times->tree[c->headline] != c->t->roots[0],
	};
	if (!out->span_id.ptr)
		return arena_fail(&result->arena, "the answer", err);
	fill_times(c, out);
	fill_typical(c, out);
	result->has_span = true;
	return find_steps(c, err);
}

int64_t choice_measure(const struct choice *c, int64_t *whole_ns)
{
	if (!c->is_by_change) {
		*whole_ns = c->path_ns;
		return c->critical_ns;
	}
	*whole_ns = c->change.trace_ns ? c->change.trace_ns : c->path_ns;
	return sat_add_i64(c->change.change_ns, c->change.others_ns);
}

/* Returns whether the next candidate takes more than two thirds of what the
 * choice takes. */
static bool choice_is_close(const struct choice *c)
{
	int64_t whole, measure = choice_measure(c, &whole);

	return !is_at_least(measure, c->next_ns, FAIR_LEAD_PERCENT);
}

static struct str name_of(const struct choice *c, uint32_t place)
{
	return place == OPERATION_NONE ? (struct str){ NULL, 0 }
				       : c->typical->operations[place].name;
}

static bool fill_account(const struct choice *c, struct result *result,
			 struct error *err)
{
	const struct account_change *a = c->typical ? c->typical->account : NULL;
	struct account_info *out;

	result->account = NULL;
	if (!a || a->root != c->times->root)
		return true;
	out = arena_array(&result->arena, 1, sizeof *out);
	if (!out)
		return arena_fail(&result->arena, "the answer", err);
	out->rows = arena_array(&result->arena, a->growth.count,
				sizeof *out->rows);
	if (!out->rows)
		return arena_fail(&result->arena, "the answer", err);
	out->now_ns = out->before_ns = sat_from_f64(a->now.total_ns);
	out->requests = a->before.requests;
	for (uint32_t i = 0; i < a->growth.count; i++) {
		const struct account_growth_cell *cell = &a->growth.cells[i];
		struct account_row row = {
			.service = c->typical->operations[cell->place].service,
			.name = name_of(c, cell->place),
			.why = cell->why,
			.change_ns = sat_from_f64(cell->change_ns),
			.called = name_of(
				c, account_served(a, account_called(a, cell))),
		};

		out->before_ns = sat_sub_i64(out->before_ns, row.change_ns);
		out->rows[out->count++] = row;
	}
	result->account = out;
	return true;
}

bool choice_fill(struct choice *c, struct result *result, struct error *err)
{
	const struct queue_wait *queue = c->queue;
	enum cause_kind kind = cause_of(c);
	int64_t whole, measure = choice_measure(c, &whole);
	bool is_fair = kind != CAUSE_UNKNOWN && !c->t->is_partial &&
		       !c->t->orphan_count &&
		       is_at_least(measure, whole, FAIR_PATH_PERCENT) &&
		       !choice_is_close(c);

	result->has_cause = true;
	result->cause = (struct cause){
		.kind = kind,
		.confidence = is_fair ? CONFIDENCE_FAIR : CONFIDENCE_WEAK,
		.on_cpu_ns = -1,
	};
	if (queue) {
		const struct message m = { queue->sender, queue->receiver,
					   queue->wait_ns };

		result->cause.queue = (struct queue_info){
			.name = message_queue(c->t, &m),
			.wait_ns = queue->wait_ns,
			.typical_ns = queue->typical_ns,
			.typical_count = queue->count,
		};
	}
	return fill_account(c, result, err) && fill_span(c, result, err);
}

/* Levels from a span up to the attempt that it belongs to. */
#define BELOW_ATTEMPT_SPANS 16

/* Retries looked at: those that lost the most time. */
#define RETRIES_JUDGED 3

/* Attempts and the pauses between them, as far as they are to be explained:
 * their growth if there is a history, else their time on the path. */
struct cost {
	int64_t attempts_ns;
	int64_t pauses_ns;
};

/* Returns whether the span is an attempt or what was done for one. */
static bool is_of_attempts(const struct choice *c, const struct retry *r,
			   uint32_t span)
{
	for (int i = 0; i < BELOW_ATTEMPT_SPANS && span != SPAN_NONE; i++) {
		for (uint32_t m = 0; m < r->count; m++)
			if (c->retries.members[r->member_first + m] == span)
				return true;
		span = c->t->spans[span].parent;
	}
	return false;
}

static int64_t own_measure(const struct choice *c, size_t index)
{
	return c->is_by_change ? c->time_changes.items[index].own_ns
			       : c->candidates.items[index].score;
}

static struct cost cost_of(const struct choice *c, const struct retry *r)
{
	struct cost cost = { 0 };

	for (size_t i = 0; i < c->candidates.count; i++) {
		uint32_t span = c->candidates.items[i].span;
		int64_t own = own_measure(c, i);

		if (span == r->parent)
			cost.pauses_ns = min_i64(own, r->pause_ns);
		else if (is_of_attempts(c, r, span))
			cost.attempts_ns = sat_add_i64(cost.attempts_ns, own);
	}
	return cost;
}

static bool is_free(const struct choice *c)
{
	return c->want->by == GUILTY_BY_CRITICAL_PATH &&
	       !guilty_want_is_narrow(c->want);
}

/* Attempts and pauses are one problem: together they may take more than the
 * best candidate, though neither does alone. */
static void prefer_retry(struct choice *c, const struct retry *r,
			 const struct cost *cost)
{
	bool is_pause = cost->pauses_ns > cost->attempts_ns;
	size_t found = SIZE_MAX;

	/* Finds the candidate for the retry: the span that pauses, or the
	 * attempts' candidate that took most. */
	for (size_t i = 0; i < c->candidates.count; i++) {
		uint32_t span = c->candidates.items[i].span;

		if (is_pause ? span == r->parent
			     : is_of_attempts(c, r, span) &&
				       (found == SIZE_MAX ||
					own_measure(c, i) >
						own_measure(c, found)))
			found = i;
	}
	if (found == SIZE_MAX)
		return;
	c->best = &c->candidates.items[found];
	c->retry = r;
	c->retry_ns = sat_add_i64(cost->attempts_ns, cost->pauses_ns);
	if (c->is_by_change) {
		c->change.change_ns = c->retry_ns;
		c->change.others_ns = 0;
	}
}

static int64_t best_measure(const struct choice *c)
{
	int64_t whole;

	return c->is_by_change ? choice_measure(c, &whole) : c->best->score;
}

static bool retry_judge(struct choice *c, const struct retry *r)
{
	struct cost cost = cost_of(c, r);
	int64_t best = best_measure(c);

	if (c->best->span == r->parent) {
		/* Backing off explains it when it is half of it. */
		if (cost.pauses_ns < best - cost.pauses_ns)
			return false;
		c->retry = r;
	} else if (is_of_attempts(c, r, c->best->span)) {
		c->retry = r;
	} else if (is_free(c) && c->times->tree[r->parent] == c->times->root &&
		   sat_add_i64(cost.attempts_ns, cost.pauses_ns) > best) {
		prefer_retry(c, r, &cost);
	}
	return c->retry != NULL;
}

/* Looks whether the best candidate is part of a call that failed and was made
 * again, or whether such a call takes more than it: then that becomes the
 * best. Pauses between attempts are a wait of the caller's, the attempts are
 * their callee's time. */
static bool choice_find_retry(struct choice *c, struct error *err)
{
	struct siblings siblings;

	if (!siblings_find(&c->calls, c->times, &c->scratch, &siblings, err) ||
	    !retries_find(&c->calls, c->times, &siblings, &c->scratch,
			  &c->retries, err))
		return false;
	/* Sorted by lost time; retries that are not reported as a finding are
	 * no cause. */
	for (size_t i = 0; i < c->retries.count && i < RETRIES_JUDGED; i++) {
		if (c->retries.items[i].lost_ns < FINDING_LEAST_NS ||
		    retry_judge(c, &c->retries.items[i]))
			break;
	}
	return true;
}

/* The attribute normally holds the label; some agents send it empty, as a
 * mere mark. */
static bool find_profile(const struct trace *t, struct arena *arena,
			 struct guilty_pick *pick, struct error *err)
{
	const struct span *s = NULL;
	uint32_t resource = t->spans[pick->owner].resource;
	uint32_t span = pick->owner;
	struct str id = { NULL, 0 };
	uint64_t label;
	char text[17];

	for (; span != SPAN_NONE && t->spans[span].resource == resource;
	     span = s->parent) {
		s = &t->spans[span];
		id = span_attr(t, span, STR("pyroscope.profile.id"));
		if (id.ptr)
			break;
	}
	if (!id.ptr)
		return true;
	if (!parse_hex_u64(id, &label) || !label) {
		label = s->span_id;
		/* Tempo and Jaeger give the server span of a pair that shares
		 * its id a new small number and keep the old id as its
		 * parent's: that one is the label of its samples. */
		if (s->kind == SPAN_KIND_SERVER && label < t->span_count &&
		    s->parent_id)
			label = s->parent_id;
	}
	span_id_format(label, text);
	pick->profile_span = span;
	pick->profile_id = arena_str(arena, str_from(text));
	return pick->profile_id.ptr || arena_fail(arena, "the answer", err);
}

static bool is_gap_of_caller(const struct choice *c)
{
	return c->want->has_gap_of_caller && choice_is_gap(c);
}

/* On the way to a callee it is no change of the callee's. */
static bool has_manifold_change(const struct choice *c)
{
	return c->is_by_change && !c->loop && !c->plan &&
	       (!choice_is_gap(c) || is_gap_of_caller(c)) &&
	       choice_change(c)->is_manifold;
}

static int compare_range(const void *left, const void *right)
{
	const struct time_range *a = left;
	const struct time_range *b = right;

	return compare_i64(a->from_ns, b->from_ns);
}

static int64_t time_without(struct time_range whole, struct time_range *ranges,
			    size_t count)
{
	int64_t own = sat_sub_i64(whole.to_ns, whole.from_ns);
	int64_t covered_to = whole.from_ns;

	if (count)
		qsort(ranges, count, sizeof *ranges, compare_range);
	for (size_t i = 0; i < count; i++) {
		int64_t from = max_i64(ranges[i].from_ns, covered_to);
		int64_t to = min_i64(ranges[i].to_ns, whole.to_ns);

		if (to <= from)
			continue;
		own -= to - from;
		covered_to = to;
	}
	return own;
}

static struct time_range range_of(const struct choice *c, uint32_t span)
{
	return (struct time_range){
		trace_times_start_ns(c->t, c->times, span),
		trace_times_end_ns(c->t, c->times, span)
	};
}

/* Sets the time of the profile's process itself within the span that carries
 * the profile id: the span without calls, except for those of the loop that is
 * to be explained. */
static bool fill_own_time(struct choice *c, struct guilty_pick *pick,
			  struct error *err)
{
	const struct trace *t = c->t;
	struct time_range *ranges =
		arena_array(&c->scratch, t->span_count, sizeof *ranges);
	uint32_t *stack =
		arena_array(&c->scratch, t->span_count, sizeof *stack);
	uint32_t turn =
		c->loop ? c->repeats.members[c->loop->member_first] : SPAN_NONE;
	size_t count = 0, depth = 0;

	if (!ranges || !stack)
		return arena_fail(&c->scratch, "the trace", err);
	stack[depth++] = pick->profile_span;
	while (depth) {
		const struct span *s = &t->spans[stack[--depth]];

		for (uint32_t i = 0; i < s->child_count; i++) {
			uint32_t child = t->children[s->child_first + i];

			if (c->times->tree[child] == child)
				continue;
			/* For a call with a long connection setup the time on
			 * the wire is to be explained, not that of its
			 * callee. */
			if ((child == c->best->span && is_gap_of_caller(c)) ||
			    (t->spans[child].resource == s->resource &&
			     !calls_is_outside(&c->calls, child)))
				stack[depth++] = child;
			else if (!c->loop ||
				 t->spans[child].parent != c->loop->parent ||
				 c->calls.key[child] != c->calls.key[turn])
				ranges[count++] = range_of(c, child);
		}
	}
	pick->profile_own_ns =
		time_without(range_of(c, pick->profile_span), ranges, count);
	return true;
}

/* The growth of a loop, or of attempts, includes more than the compared span,
 * and a message's wait is not part of it. */
static bool is_alone(const struct choice *c)
{
	return c->is_by_change && !c->loop && !c->retry && !c->plan &&
	       choice_ground(c) != CHOICE_QUEUE && choice_change(c)->is_alone;
}

/* Whose profile is to be looked at.
 * Times of the guilty part on the clock of the process to be profiled. */
static bool choice_pick(struct choice *c, struct result *result,
			struct guilty_pick *pick, struct error *err)
{
	const struct trace *t = c->t;
	const struct span *s;

	*pick = (struct guilty_pick){
		.span = c->loop ? c->repeats.members[c->loop->member_first]
				: c->best->span,
		.start_ns = c->loop ? c->loop->start_ns : c->best->start_ns,
		.end_ns = c->loop ? c->loop->end_ns : c->best->end_ns,
		.profile_span = SPAN_NONE,
		.change_ns = c->is_by_change ? c->change.change_ns
			     : c->typical && choice_change(c)->is_known
				     ? choice_change(c)->own_ns
				     : -1,
		.has_manifold_change = has_manifold_change(c),
		.is_gap = choice_is_gap(c),
		.is_alone = is_alone(c),
		.is_queue = c->queue != NULL,
		.is_lone_queue = c->queue && !c->queue->has_moved,
	};
	s = &t->spans[pick->span];
	pick->owner = pick->span;
	if (c->loop)
		pick->owner = c->loop->parent;
	else if (c->server_side != SPAN_NONE && !is_gap_of_caller(c))
		pick->owner = c->server_side;
	else if (c->calls.kind[pick->span] != CALL_NONE &&
		 s->parent != SPAN_NONE &&
		 t->spans[s->parent].resource == s->resource)
		pick->owner = s->parent;
	pick->service = span_service(t, pick->owner);
	if (!c->loop && c->best->count == 1 && pick->owner == c->server_side) {
		pick->start_ns = t->spans[pick->owner].start_ns;
		pick->end_ns = t->spans[pick->owner].end_ns;
	}
	return find_profile(t, &result->arena, pick, err) &&
	       (pick->profile_span == SPAN_NONE || fill_own_time(c, pick, err));
}

/* A loop is the answer when its calls take this share of what the best
 * candidate takes: the loop's own code and its calls are one problem, so the
 * calls need not win alone. */
#define LOOP_SHARE_NUM 4
#define LOOP_SHARE_DEN 5

/* Levels between a loop and the work of its calls' server side. */
#define BELOW_LOOP_SPANS 5

static bool can_loop(const struct choice *c, uint32_t parent)
{
	if (!guilty_want_is_narrow(c->want))
		return c->times->tree[parent] == c->times->root;
	if (c->want->span_id)
		return parent == c->best->span;
	return guilty_want_accepts(c->want, c->t, parent);
}

static int64_t loop_measure(const struct choice *c, const struct repeat *r)
{
	if (c->is_by_change)
		return time_changes_of_loop(&c->time_changes, &c->repeats, r);
	return c->want->by == GUILTY_BY_CRITICAL_PATH ? r->through_ns
						      : r->sum_ns;
}

/* The span whose loops take the most time together: its leading loop, with
 * the sums of all of them in *total_ns. */
static const struct repeat *find_loop(struct choice *c, int64_t *total_ns,
				      struct error *err)
{
	int64_t *totals =
		arena_array(&c->scratch, c->t->span_count, sizeof *totals);
	const struct repeat *found = NULL;

	if (!totals) {
		arena_fail(&c->scratch, "the trace", err);
		return NULL;
	}
	*total_ns = 0;
	for (size_t i = 0; i < c->repeats.count; i++) {
		const struct repeat *r = &c->repeats.items[i];

		totals[r->parent] =
			sat_add_i64(totals[r->parent], loop_measure(c, r));
	}
	for (size_t i = 0; i < c->repeats.count; i++) {
		const struct repeat *r = &c->repeats.items[i];

		if (totals[r->parent] <= *total_ns || !can_loop(c, r->parent))
			continue;
		*total_ns = totals[r->parent];
		found = r;
	}
	return found;
}

static bool choose_loop(struct choice *c, struct error *err)
{
	int64_t total_ns = -1;
	const struct repeat *r = find_loop(c, &total_ns, err);

	if (total_ns < 0)
		return false;
	if (c->want->by == GUILTY_BY_DURATION && r &&
	    r->parent != c->best->span)
		r = NULL;
	if (r &&
	    total_ns >= best_measure(c) / LOOP_SHARE_DEN * LOOP_SHARE_NUM) {
		c->loop = r;
		c->headline = r->parent;
		for (size_t i = 0; i < c->repeats.count; i++) {
			const struct repeat *of = &c->repeats.items[i];

			if (of->parent != r->parent)
				continue;
			c->loop_sum_ns =
				sat_add_i64(c->loop_sum_ns, of->sum_ns);
			c->loop_through_ns =
				sat_add_i64(c->loop_through_ns, of->through_ns);
		}
		c->critical_ns = sat_add_i64(c->times->critical_ns[r->parent],
					     c->loop_through_ns);
		if (c->is_by_change) {
			c->change.change_ns = total_ns;
			c->change.others_ns = 0;
		}
		return true;
	}
	/* The best candidate may be the repeated calls themselves, when their
	 * parent was filtered out. */
	for (size_t i = 0; !c->loop && i < c->repeats.count; i++) {
		r = &c->repeats.items[i];
		if (c->repeats.members[r->member_first] == c->best->span &&
		    r->count == c->best->count &&
		    (!c->is_by_change || loop_measure(c, r) > 0))
			c->loop = r;
	}
	return true;
}

/* Each call may take its typical time, but the caller makes more of them, or no
 * longer runs them concurrently. Loops and retries have causes of their own. */
static void choose_plan(struct choice *c)
{
	const struct account_change *a = c->typical ? c->typical->account : NULL;
	const struct account_growth_cell *plan;
	uint32_t span;

	if (!a || !is_free(c) || c->queue || c->loop || c->retry ||
	    a->root != c->times->root)
		return;
	plan = account_changed_plan(a);
	if (!plan)
		return;
	span = a->callers.span[plan->place];
	for (size_t i = 0; i < c->candidates.count; i++) {
		if (c->candidates.items[i].span != span)
			continue;
		c->plan = plan;
		c->best = &c->candidates.items[i];
		c->headline = span;
		c->server_side = SPAN_NONE;
		c->critical_ns =
			sat_from_f64(a->now.places[plan->place].through_ns);
		/* Where it calls itself it holds that twice. */
		c->critical_ns = min_i64(c->critical_ns, c->path_ns);
		c->is_by_change = true;
		c->change = (struct change_choice){
			.best = i,
			.change_ns = sat_from_f64(plan->change_ns),
			.next_ns = a->growth.count > 1 &&
						   a->growth.cells[1]
								   .change_ns >
							   0
					   ? sat_from_f64(a->growth.cells[1]
								  .change_ns)
					   : 0,
			.trace_ns = sat_from_f64(a->growth.total_ns),
		};
		return;
	}
}

static void find_next(struct choice *c)
{
	if (c->is_by_change && !choice_is_loop(c)) {
		c->next_ns = c->change.next_ns;
		return;
	}
	for (size_t i = 0; i < c->candidates.count; i++) {
		const struct candidate *other = &c->candidates.items[i];
		uint32_t above = other->span;
		int64_t own;

		for (int k = 0; choice_is_loop(c) && k < BELOW_LOOP_SPANS &&
				above != SPAN_NONE && above != c->headline;
		     k++)
			above = c->t->spans[above].parent;
		if (choice_is_loop(c) ? above == c->headline : other == c->best)
			continue;
		own = c->is_by_change
			      ? c->time_changes.items[i].own_ns
			      : min_i64(other->self_ns, other->critical_ns);
		c->next_ns = max_i64(c->next_ns, own);
	}
}

/* Waits in a queue are not ranked with running spans. */
static void choose_receiver(struct choice *c)
{
	const struct queue_wait *queue = &c->want->queue;

	for (size_t i = 0; i < c->candidates.count; i++) {
		if (c->candidates.items[i].span != queue->receiver)
			continue;
		c->queue = queue;
		c->best = &c->candidates.items[i];
		c->is_by_change = true;
		c->change = (struct change_choice){
			.best = i,
			.change_ns = queue->grown_ns,
			.next_ns = queue->next_ns,
			.trace_ns =
				sat_add_i64(queue->grown_ns, queue->next_ns),
		};
	}
}

/* By growth where it is known, unless the user wants another measure or a
 * certain span. */
static bool choose_best(struct choice *c, struct error *err)
{
	c->best = &c->candidates.items[0];
	if (!c->typical)
		return true;
	if (!time_changes_find(&c->calls, c->times, c->typical, &c->candidates,
			       &c->scratch, &c->time_changes, err))
		return false;
	if (!is_free(c))
		return true;
	if (c->want->has_queue)
		choose_receiver(c);
	if (c->queue)
		return true;
	if (!time_changes_choose(&c->time_changes, &c->candidates, &c->scratch,
				 &c->change, err))
		return false;
	c->is_by_change = c->change.best != SIZE_MAX;
	if (c->is_by_change)
		c->best = &c->candidates.items[c->change.best];
	return true;
}

/* Loops that take little are loops only when their number grew. */
static void drop_minor_loops(struct choice *c)
{
	struct repeats *all = &c->repeats;
	size_t kept = 0;

	for (size_t i = 0; i < all->count; i++) {
		const struct repeat *r = &all->items[i];

		if (!r->is_minor ||
		    (c->typical &&
		     time_changes_is_by_number(&c->time_changes, all, r)))
			all->items[kept++] = *r;
	}
	all->count = kept;
}

static bool choice_decide(struct choice *c, struct error *err)
{
	if (!choose_best(c, err))
		return false;
	drop_minor_loops(c);
	if (!c->queue && !choice_find_retry(c, err))
		return false;
	c->headline = c->best->span;
	c->critical_ns = c->best->critical_ns;
	c->path_ns = c->times->through_ns[c->times->tree[c->headline]];
	c->server_side = span_server_side(c->t, c->best->span);
	if (!c->queue && !choose_loop(c, err))
		return false;
	choose_plan(c);
	find_next(c);
	return true;
}

/* Ranks again without the part that nothing matched, for names to offer. */
static bool find_others(struct choice *c, struct error *err)
{
	struct guilty_want wider = { .by = c->want->by };

	if (!c->t->span_count) {
		c->missing = CHOICE_MISSING_ALL;
		return true;
	}
	if (!c->want->span_id)
		wider.service = c->want->service;
	if (!candidates_rank(&c->calls, c->times, &wider, &c->scratch,
			     &c->candidates, err))
		return false;
	if (c->candidates.count) {
		c->missing = CHOICE_MISSING_SPAN;
		return true;
	}
	wider.service.len = 0;
	if (!candidates_rank(&c->calls, c->times, &wider, &c->scratch,
			     &c->candidates, err))
		return false;
	c->missing = CHOICE_MISSING_SERVICE;
	return true;
}

/* Joined traces are not part of it. */
static bool fill_trace(const struct trace *t, struct result *result,
		       struct error *err)
{
	char id[33];

	if (result->has_trace && t->joined_root_id)
		return true;
	result->has_trace = true;
	if (!trace_id_is_zero(&t->id)) {
		trace_id_format(&t->id, id);
		result->trace.id = arena_str(&result->arena, str_from(id));
		if (!result->trace.id.ptr)
			return arena_fail(&result->arena, "the answer", err);
	}
	result->trace.start_ns = t->start_ns;
	result->trace.duration_ns = sat_sub_i64(t->end_ns, t->start_ns);
	result->trace.service_count = t->service_count;
	result->trace.span_count = t->span_count;
	result->trace.is_partial = t->is_partial;
	return true;
}

bool choice_make(struct choice *c, const struct trace *t,
		 const struct trace_times *times,
		 const struct guilty_want *want, const struct typical *typical,
		 struct result *result, struct error *err)
{
	*c = (struct choice){
		.t = t, .times = times, .want = want, .typical = typical
	};
	arena_init(&c->scratch, LIMIT_DECODE_HEAP_BYTES);
	if (!fill_trace(t, result, err) ||
	    !calls_build(t, &c->scratch, &c->calls, err) ||
	    !candidates_rank(&c->calls, times, want, &c->scratch,
			     &c->candidates, err))
		return false;
	if (!c->candidates.count)
		return find_others(c, err) &&
		       error_set(err, ERROR_NOT_FOUND, "%s", "");
	return repeats_find(&c->calls, times, &c->scratch, &c->repeats, err) &&
	       choice_decide(c, err);
}

bool choice_conclude(struct choice *c, struct result *result,
		     struct guilty_pick *pick, struct error *err)
{
	if (!choice_pick(c, result, pick, err))
		return false;
	pick->is_close = choice_is_close(c);
	return choice_fill(c, result, err) &&
	       findings_collect(&c->calls, c->times, &c->repeats, result, err);
}

void choice_release(struct choice *c)
{
	arena_release(&c->scratch);
}

bool guilty_find(const struct trace *t, const struct trace_times *times,
		 const struct guilty_want *want, const struct typical *typical,
		 struct result *result, struct guilty_pick *pick,
		 struct error *err)
{
	struct choice c;
	bool is_done = choice_make(&c, t, times, want, typical, result, err) &&
		       choice_conclude(&c, result, pick, err);

	choice_release(&c);
	return is_done;
}
