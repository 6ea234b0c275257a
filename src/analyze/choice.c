/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/choice.h"
#include "analyze/messages.h"
#include "base/num.h"

/* A choice is fair when it takes 30 % of the critical path and half as much
 * again as the next candidate. */
#define FAIR_PATH_PERCENT 30
#define FAIR_LEAD_PERCENT 150

static bool is_call(const struct choice *c)
{
	uint8_t kind = c->t->spans[c->best->span].kind;

	return kind == SPAN_KIND_CLIENT || kind == SPAN_KIND_PRODUCER ||
	       c->calls.kind[c->best->span] != CALL_NONE;
}

static bool is_embedded(const struct choice *c)
{
	return c->calls.kind[c->best->span] == CALL_DATABASE &&
	       !calls_is_outside(&c->calls, c->best->span);
}

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

/* Whether the way to the callee is what grew. */
static bool is_grown_gap(const struct choice *c)
{
	return c->is_by_change && !c->retry && choice_change(c)->is_gap &&
	       choice_change(c)->is_grown;
}

bool choice_is_gap(const struct choice *c)
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

/* A slow way to the callee is seen while a connection is set up, too. */
static bool is_grown_set_up(const struct choice *c)
{
	return c->is_by_change && !c->retry && choice_change(c)->is_grown &&
	       calls_set_up(&c->calls, c->best->span) != SPAN_NONE;
}

enum choice_ground choice_ground(const struct choice *c)
{
	if (c->queue)
		return CHOICE_QUEUE;
	if (c->loop)
		return CHOICE_LOOP;
	if (c->retry && c->is_retry_pause)
		return CHOICE_PAUSES;
	if (c->server_side != SPAN_NONE && is_grown_gap(c))
		return CHOICE_WAY;
	if (is_grown_set_up(c))
		return CHOICE_SET_UP;
	if (is_explained_by_callee(c))
		return CHOICE_CALLEE;
	if (c->server_side != SPAN_NONE)
		return CHOICE_GAP;
	if (is_embedded(c))
		return CHOICE_EMBEDDED;
	return is_call(c) ? CHOICE_CALL : CHOICE_OWN;
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
	};

	return causes[choice_ground(c)];
}

const struct time_change *choice_change(const struct choice *c)
{
	return &c->time_changes.items[c->best - c->candidates.items];
}

/* The client span of a call is left out when its server span follows. */
static bool is_step(const struct choice *c, uint32_t span, uint32_t below)
{
	return below == SPAN_NONE ||
	       c->t->spans[span].kind != SPAN_KIND_CLIENT ||
	       !span_is_served_call(c->t, below);
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
		if (is_step(c, i, below))
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
	const struct typical_operation *o;
	uint32_t span = c->headline;

	if (!c->typical)
		return;
	o = c->time_changes.known[span];
	if (!o || typical_is_new(c->typical, o))
		return;
	if (!c->is_loop_headline && c->best->count > 1) {
		if (is_parallel_group(c))
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

bool choice_is_close(const struct choice *c)
{
	int64_t whole, measure = choice_measure(c, &whole);

	return !is_at_least(measure, c->next_ns, FAIR_LEAD_PERCENT);
}

static bool is_fair(const struct choice *c)
{
	int64_t whole, measure = choice_measure(c, &whole);

	return cause_of(c) != CAUSE_UNKNOWN && measure > 0 &&
	       !c->t->is_partial && !c->t->orphan_count &&
	       is_at_least(measure, whole, FAIR_PATH_PERCENT) &&
	       !choice_is_close(c);
}

static void fill_queue(const struct choice *c, struct cause *out)
{
	const struct queue_wait *queue = c->queue;
	const struct message m = { queue->sender, queue->receiver,
				   queue->wait_ns };

	out->queue = (struct queue_info){
		.name = message_queue(c->t, &m),
		.wait_ns = queue->wait_ns,
		.typical_ns = queue->typical_ns,
		.typical_count = queue->count,
	};
}

static void fill_cause(const struct choice *c, struct result *result)
{
	result->has_cause = true;
	result->cause = (struct cause){
		.kind = cause_of(c),
		.confidence = is_fair(c) ? CONFIDENCE_FAIR : CONFIDENCE_WEAK,
		.on_cpu_ns = -1,
	};
	if (c->queue)
		fill_queue(c, &result->cause);
}

bool choice_fill(struct choice *c, struct result *result, struct error *err)
{
	fill_cause(c, result);
	return fill_span(c, result, err);
}
