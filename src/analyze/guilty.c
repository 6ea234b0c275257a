/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/choice.h"
#include "analyze/findings.h"
#include "base/num.h"

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

static int64_t best_measure(const struct choice *c)
{
	int64_t whole;

	return c->is_by_change ? choice_measure(c, &whole) : c->best->score;
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

static void sum_loops(struct choice *c)
{
	for (size_t i = 0; i < c->repeats.count; i++) {
		const struct repeat *r = &c->repeats.items[i];

		if (r->parent != c->loop->parent)
			continue;
		c->loop_sum_ns = sat_add_i64(c->loop_sum_ns, r->sum_ns);
		c->loop_through_ns =
			sat_add_i64(c->loop_through_ns, r->through_ns);
	}
}

/* The best candidate may be the repeated calls themselves, when their
 * parent was filtered out. */
static const struct repeat *loop_of_best(const struct choice *c)
{
	for (size_t i = 0; i < c->repeats.count; i++) {
		const struct repeat *r = &c->repeats.items[i];

		if (c->repeats.members[r->member_first] == c->best->span &&
		    r->count == c->best->count &&
		    (!c->is_by_change || loop_measure(c, r) > 0))
			return r;
	}
	return NULL;
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
		c->is_loop_headline = true;
		c->headline = r->parent;
		sum_loops(c);
		c->critical_ns = sat_add_i64(c->times->critical_ns[r->parent],
					     c->loop_through_ns);
		if (c->is_by_change) {
			c->change.change_ns = total_ns;
			c->change.others_ns = 0;
		}
		return true;
	}
	c->loop = loop_of_best(c);
	return true;
}

static bool is_below_loop(const struct choice *c, uint32_t span)
{
	for (int i = 0; i <= BELOW_LOOP_SPANS && span != SPAN_NONE; i++) {
		if (span == c->headline)
			return true;
		span = c->t->spans[span].parent;
	}
	return false;
}

static void find_next(struct choice *c)
{
	if (c->is_by_change && !c->is_loop_headline) {
		c->next_ns = c->change.next_ns;
		return;
	}
	for (size_t i = 0; i < c->candidates.count; i++) {
		const struct candidate *other = &c->candidates.items[i];
		int64_t own;

		if (c->is_loop_headline ? is_below_loop(c, other->span)
					: other == c->best)
			continue;
		own = other->self_ns < other->critical_ns ? other->self_ns
							  : other->critical_ns;
		if (c->is_by_change)
			own = c->time_changes.items[i].own_ns;
		if (own > c->next_ns)
			c->next_ns = own;
		if (c->want->by == GUILTY_BY_CRITICAL_PATH && !c->is_by_change)
			return;
	}
}

/* What waited in a queue is not ranked against what ran. */
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
			.trace_ns = sat_add_i64(queue->grown_ns,
						queue->next_ns),
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
	if (c->want->by != GUILTY_BY_CRITICAL_PATH ||
	    guilty_want_is_narrow(c->want))
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

static bool choose(struct choice *c, struct error *err)
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

static bool fail_missing(struct choice *c, struct error *err)
{
	return find_others(c, err) && error_set(err, ERROR_NOT_FOUND, "%s", "");
}

/* What was joined to a trace is no part of it. */
static bool fill_trace(const struct trace *t, struct result *result,
		       struct error *err)
{
	char id[33];

	if (result->has_trace && t->joined_root_id)
		return true;
	trace_id_format(&t->id, id);
	result->has_trace = true;
	result->trace.id = arena_str(&result->arena, str_from(id));
	if (!result->trace.id.ptr)
		return arena_fail(&result->arena, "the answer", err);
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
		return fail_missing(c, err);
	return repeats_find(&c->calls, times, &c->scratch, &c->repeats, err) &&
	       choose(c, err);
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
