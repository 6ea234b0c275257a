/* SPDX-License-Identifier: Apache-2.0 */
#include "report/texts.h"

#include <math.h>

#include "analyze/messages.h"
#include "analyze/slowspan.h"
#include "base/num.h"
#include "model/trace_join.h"

/* Steps of the path that are kept: the way in and the way to the span; what
 * a deep recursion puts between them is counted. */
#define PATH_HEAD_STEPS 8u
#define PATH_TAIL_STEPS 24u

/* Below a tenth the span's own time does not explain it. */
#define OWN_TIME_PERCENT 10

static int percent_of(int64_t part, int64_t whole)
{
	return whole > 0 ? (int)((double)part / (double)whole * 100 + 0.5) : 0;
}

static void add_service(struct buf *out, const struct choice *c, uint32_t span)
{
	struct str service = span_service(c->t, span);

	wording_add(out, service.len ? service : STR("(no service)"),
		    WORDING_TEXT_BYTES);
}

/* How long the callee's spans took, and whether that is as ever. */
static void report_server_side(const struct choice *c, struct buf *out)
{
	const struct typical_operation *o =
		c->time_changes.known[c->server_side];
	uint32_t all = c->time_changes.all[c->server_side];
	int64_t took_ns = choice_served_ns(c);
	int64_t usual_ns = typical_duration(c->typical, o, c->best->count, all);

	add_service(out, c, c->server_side);
	buf_add_text(out, "'s handler ");
	if (usual_ns < 0 || typical_is_new(c->typical, o)) {
		buf_add_text(out, "took ");
		wording_add_duration(out, took_ns);
	} else if (took_ns <=
		   typical_long_duration(c->typical, o, c->best->count, all)) {
		buf_add_text(out, "was no slower than normal, ");
		wording_add_duration(out, took_ns);
	} else {
		buf_add_text(out, "took ");
		wording_add_duration(out, took_ns);
		buf_add_text(out, ", normally ");
		wording_add_duration(out, usual_ns);
	}
}

static void report_way(const struct choice *c, struct buf *out)
{
	const struct typical_operation *o =
		c->time_changes.known[c->best->span];

	buf_add_text(out, "between ");
	add_service(out, c, c->best->span);
	buf_add_text(out, " and ");
	add_service(out, c, c->server_side);
	buf_add_text(out, ": ");
	wording_add_duration(out, c->best->self_ns);
	if (c->best->count > 1)
		buf_addf(out, " in %u calls", c->best->count);
	buf_add_text(out, ", normally ");
	wording_add_duration(out, sat_mul_i64(o->own_p50_ns, c->best->count));
	buf_add_text(out, "; ");
	report_server_side(c, out);
}

/* For a callee that sends no spans its peer's name is all there is. */
static void report_set_up(const struct choice *c, struct buf *out)
{
	uint32_t call = calls_set_up(&c->calls, c->best->span);
	uint32_t server = span_server_side(c->t, call);

	wording_add_duration(out, c->best->duration_ns);
	buf_add_text(out, " to set up a connection");
	if (server != SPAN_NONE) {
		buf_add_text(out, " from ");
		add_service(out, c, call);
		buf_add_text(out, " to ");
		add_service(out, c, server);
	} else {
		wording_add_peer(out, " to ", &c->calls, call);
	}
	buf_add_text(out, ": ");
	wording_add(out, span_name(c->t, c->best->span), WORDING_TEXT_BYTES);
}

static void report_count(const struct choice *c, struct buf *out)
{
	if (c->best->count > 1)
		buf_addf(out, "%u x ", c->best->count);
	if (c->best->branch_count)
		buf_addf(out, "the slowest of %u in parallel: ",
			 c->best->branch_count);
}

static void report_own(const struct choice *c, struct buf *out)
{
	bool is_self = c->want->by == GUILTY_BY_SELF || !c->critical_ns;
	int64_t own_ns = is_self ? c->best->self_ns : c->critical_ns;

	if (c->best->branch_count)
		report_count(c, out);
	wording_add_duration(out, own_ns);
	buf_add_text(out, is_self ? " self time"
				  : " self time on the critical path");
	if (c->best->count < 2)
		return;
	buf_addf(out, " in %u calls, ", c->best->count);
	wording_add_duration(out, own_ns / (int64_t)c->best->count);
	buf_add_text(out, " each");
}

static void report_failures(const struct choice *c, struct buf *out)
{
	const struct retry *r = c->retry;

	if (r->error_count == r->count)
		buf_add_text(out, "all failed");
	else if (r->error_count)
		buf_addf(out, "%u failed", r->error_count);
	else
		buf_add_text(out, "retried");
	if (r->error == SPAN_NONE)
		return;
	buf_add_text(out, " (");
	wording_add_failure(out, c->t, r->error);
	buf_add_char(out, ')');
}

/* ---- what is usual ---- */

/* "212 earlier traces" */
static void report_sample(uint32_t traces, struct buf *out)
{
	char count[COUNT_TEXT_BYTES];

	format_count(traces, count);
	buf_addf(out, "%s earlier traces", count);
}

/* "not called in 212 earlier traces", "called in 20 of 212 earlier traces" */
static void report_new(const struct time_change *g, struct buf *out)
{
	if (g->called_count)
		buf_addf(out, "called in %u of ", g->called_count);
	else
		buf_add_text(out, "not called in ");
	report_sample(g->typical_count, out);
}

static void report_typical(const struct choice *c, const struct time_change *g,
			   struct buf *out)
{
	if (g->is_new) {
		report_new(g, out);
		return;
	}
	buf_add_text(out, "normally ");
	if (c->best->count > 1 && c->best->count != g->calls)
		buf_addf(out, "%u x, ", g->calls);
	wording_add_duration(out, g->typical_ns);
	buf_add_text(out, ", ");
	report_sample(g->typical_count, out);
}

/* The change of the calls that a loop repeats. */
static void report_loop_change(const struct choice *c, struct buf *out)
{
	const struct typical_operation *o =
		c->time_changes.known[c->loop->leaf];
	uint32_t calls = 0;

	buf_add_text(out, ", up ");
	wording_add_duration(out, c->change.change_ns);
	if (!o)
		return;
	buf_add_text(out, " (normally ");
	if (!typical_is_new(c->typical, o))
		calls = o->calls_p50;
	buf_addf(out, "%u call%s, ", calls, calls == 1 ? "" : "s");
	report_sample(o->trace_count ? o->trace_count : c->typical->trace_count,
		      out);
	buf_add_char(out, ')');
}

/* Returns whether a span within a process stands for all of its code: then the
 * growth of the choice is that of the code. */
static bool is_for_code(const struct choice *c)
{
	const struct time_change *g = choice_change(c);

	return !c->retry && g->is_known && g->own_ns < c->change.change_ns;
}

/* Returns the change of the span, without what the choice takes off for a call
 * with a server side. */
static int64_t own_change(const struct choice *c)
{
	const struct time_change *g = choice_change(c);

	if (c->retry)
		return c->change.change_ns;
	if (is_for_code(c))
		return g->grown_ns;
	return sat_add_i64(c->change.change_ns, g->grown_ns - g->own_ns);
}

static void report_change(const struct choice *c, struct buf *out)
{
	const struct time_change *g = choice_change(c);

	/* Of the way to a callee and of a queue it has been told. */
	if (choice_ground(c) == CHOICE_WAY || c->queue || c->plan)
		return;
	if (c->is_by_change && c->loop) {
		report_loop_change(c, out);
	} else if (c->is_by_change) {
		buf_add_text(out, ", up ");
		wording_add_duration(out, own_change(c));
		if (c->change.others_ns) {
			buf_add_text(out,
				     ", all spans of that name together by ");
			wording_add_duration(out,
					     sat_add_i64(own_change(c),
							 c->change.others_ns));
		}
		if (!g->is_known)
			return;
		buf_add_text(out, " (");
		report_typical(c, g, out);
		buf_add_text(out, ")");
		if (is_for_code(c)) {
			buf_add_text(out, "; all code of the service grew by ");
			wording_add_duration(out, c->change.change_ns);
		}
	} else if (guilty_want_is_narrow(c->want) ||
		   c->want->by != GUILTY_BY_CRITICAL_PATH) {
		if (!g->is_known)
			return;
		buf_add_text(out, "; ");
		report_typical(c, g, out);
	} else {
		buf_add_text(out, "; nothing in the trace was clearly slower "
				  "than normal");
	}
}

static void report_queue(const struct choice *c, struct buf *out)
{
	const struct queue_wait *w = c->queue;
	const struct message m = { w->sender, w->receiver, w->wait_ns };
	struct str name = message_queue(c->t, &m);
	char count[COUNT_TEXT_BYTES];

	wording_add_duration(out, w->wait_ns);
	buf_add_text(out, name.len ? " in the queue \"" : " in the queue");
	wording_add(out, name, WORDING_TEXT_BYTES);
	if (name.len)
		buf_add_char(out, '"');
	buf_add_text(out, " before ");
	wording_add(out, span_service(c->t, w->receiver), WORDING_TEXT_BYTES);
	buf_add_text(out, " received it");
	if (w->typical_ns < 0) {
		buf_add_text(out, ", no baseline for it");
		return;
	}
	format_count(w->count, count);
	buf_add_text(out, ", normally ");
	wording_add_duration(out, w->typical_ns);
	buf_addf(out, " (%s earlier messages)", count);
}

/* The tolerance of calls per caller: means, which a few spans that were lost
 * make uneven. */
#define TIMES_NEAR 0.1

static void add_times(struct buf *out, double calls)
{
	double whole = nearbyint(calls);

	if (whole < 1 || fabs(calls - whole) > TIMES_NEAR * whole)
		buf_addf(out, "%.1f times", calls);
	else if (whole < 3)
		buf_add_text(out, whole < 2 ? "once" : "twice");
	else
		buf_addf(out, "%.0f times", whole);
}

void wording_add_plan(struct buf *out, const struct choice *c)
{
	const struct account_change *a = c->typical->account;
	uint32_t called = account_called(a, c->plan);
	const struct operation *served =
		&c->typical->operations[account_served(a, called)];
	bool is_query =
		c->calls.kind[a->callers.span[called]] == CALL_DATABASE;
	double calls = a->now.places[called].calls /
		       a->now.places[c->plan->place].calls;
	double before = a->before.places[called].calls /
			a->before.places[c->plan->place].calls;

	if (c->plan->why == ACCOUNT_LESS_OVERLAP) {
		buf_add_text(out, "makes calls one after another that were "
				  "parallel before");
		return;
	}
	if (before <= 0)
		buf_add_text(out, "now ");
	buf_add_text(out, is_query ? "runs " : "calls ");
	if (!str_equal(served->name, c->typical->operations[called].name)) {
		wording_add(out, served->service, WORDING_TEXT_BYTES);
		buf_add_char(out, ' ');
	}
	wording_add(out, served->name, WORDING_TEXT_BYTES);
	if (served == &c->typical->operations[called] && !is_query)
		wording_add_peer(out, " at ", &c->calls, a->callers.span[called]);
	if (before > 0 || calls >= 1 + TIMES_NEAR) {
		buf_add_char(out, ' ');
		add_times(out, calls);
	}
	if (before >= 1 - TIMES_NEAR) {
		buf_add_text(out, ", up from ");
		add_times(out, before);
	} else if (before > 0) {
		buf_addf(out, ", up from %.0f %% of requests", 100 * before);
	}
}

static void report_ground(const struct choice *c, struct buf *out)
{
	switch (choice_ground(c)) {
	case CHOICE_PLAN:
		wording_add_plan(out, c);
		buf_add_text(out, ": +");
		wording_add_duration(out, c->change.change_ns);
		buf_add_text(out, " of the request's +");
		wording_add_duration(out, c->change.trace_ns);
		break;
	case CHOICE_LOOP:
		buf_addf(out, "N+1: %u x ", c->loop->count);
		wording_add_call(out, &c->calls, c->loop->leaf);
		if (c->loop->holder != SPAN_NONE) {
			buf_addf(out, " below %u spans like ",
				 c->loop->holder_count);
			wording_add_span(out, c->t, c->loop->holder);
		}
		buf_addf(out, ", %s, ", wording_manner(repeat_manner(c->loop)));
		wording_add_duration(out, c->loop->sum_ns);
		if (c->loop->holder != SPAN_NONE)
			buf_addf(out, ", %d %% of the critical path",
				 percent_of(c->loop->through_ns, c->path_ns));
		break;
	case CHOICE_PAUSES:
		wording_add_duration(out, c->retry->pause_ns);
		buf_addf(out, " of pauses between %u attempts at ",
			 c->retry->count);
		wording_add_call(out, &c->calls, c->retry->call);
		wording_add_peer(out, " to ", &c->calls, c->retry->call);
		buf_add_text(out, ", ");
		report_failures(c, out);
		break;
	case CHOICE_CALLEE:
		buf_add_text(out, "a call explained by its callee: ");
		wording_add_span(out, c->t, c->server_side);
		buf_add_text(out, ", ");
		wording_add_duration(
			out, span_duration_ns(&c->t->spans[c->server_side]));
		buf_add_text(out, " of ");
		wording_add_duration(
			out, span_duration_ns(&c->t->spans[c->best->span]));
		break;
	case CHOICE_GAP:
		wording_add_duration(out, c->best->self_ns);
		buf_add_text(out, " of ");
		wording_add_duration(out, c->best->duration_ns);
		buf_add_text(out, " outside the callee's spans: the network, a "
				  "connection pool or a queue");
		break;
	case CHOICE_WAY:
		report_way(c, out);
		break;
	case CHOICE_SET_UP:
		report_set_up(c, out);
		break;
	case CHOICE_CALL:
		report_count(c, out);
		buf_add_text(out, c->best->count > 1 ? "calls" : "a call");
		wording_add_peer(out, " to ", &c->calls, c->best->span);
		/* Those of a callee that goes on after a timeout come later. */
		buf_add_text(out,
			     c->t->spans[c->best->span].flags & SPAN_IS_ERROR
				     ? ", of which the trace has no spans: "
				     : ", which sends no spans: ");
		wording_add_call(out, &c->calls, c->best->span);
		break;
	case CHOICE_EMBEDDED:
		/* Its time is the process's own: the profile of the service
		 * has it. */
		report_count(c, out);
		buf_add_text(out, c->best->count > 1 ? "queries" : "a query");
		wording_add_peer(out, " of ", &c->calls, c->best->span);
		buf_add_text(out, ", inside the process: ");
		wording_add_call(out, &c->calls, c->best->span);
		break;
	case CHOICE_OWN:
		report_own(c, out);
		break;
	case CHOICE_QUEUE:
		report_queue(c, out);
		break;
	}
}

/* The request that did not wait for the work; of a session, that it is one. */
static void report_request(const struct choice *c, struct buf *out)
{
	const struct session *session = &c->times->session;
	uint32_t root = c->times->root;

	if (session->request_count) {
		buf_addf(out, "; in %s of %u requests, separated by pauses",
			 root == session->slowest ? "the slowest" : "one",
			 session->request_count);
		return;
	}
	if (c->t->spans[root].parent == SPAN_NONE)
		return;
	while (c->t->spans[root].parent != SPAN_NONE)
		root = c->t->spans[root].parent;
	/* What it waits for is an answer, if anything. */
	buf_add_text(out,
		     c->queue && c->t->spans[root].end_ns >=
					 c->t->spans[c->times->root].end_ns
			     ? "; the request took longer, "
			     : "; the request did not wait for it and took ");
	wording_add_duration(out, span_duration_ns(&c->t->spans[root]));
}

/* The span that waits for what a message set off, of which a part is to blame.
 */
static void report_waiter(const struct choice *c, struct buf *out)
{
	const struct span *spans = c->t->spans;
	uint32_t job = c->headline;

	while (job != SPAN_NONE && !(spans[job].flags & SPAN_IS_AWAITED))
		job = spans[job].parent;
	if (job == SPAN_NONE || spans[job].parent == SPAN_NONE)
		return;
	buf_add_text(out, "; ");
	wording_add_span(out, c->t, spans[job].parent);
	buf_add_text(out, " waits for ");
	wording_add_span(out, c->t, job);
	buf_add_text(out, ", ");
	wording_add_duration(out,
			     sat_sub_i64(spans[job].end_ns,
					 trace_awaited_from(c->t, job)));
}

static void report_why(const struct choice *c, struct buf *out)
{
	report_ground(c, out);
	report_request(c, out);
	report_waiter(c, out);
	if (!c->loop && c->retry && !choice_is_pause(c)) {
		buf_addf(out, "; tried %u times, ", c->retry->count);
		report_failures(c, out);
	}
	if (guilty_want_is_narrow(c->want))
		buf_add_text(out, "; selected by option, not ranked");
	else if (c->want->by == GUILTY_BY_SELF)
		buf_add_text(out, "; ranked by self time");
	else if (c->want->by == GUILTY_BY_DURATION)
		buf_add_text(out, "; ranked by duration");
}

static void report_unknown(const struct choice *c, struct buf *out)
{
	/* How much of it there is has been told. */
	if (sat_mul_i64(c->best->self_ns, 100) >=
	    sat_mul_i64(c->best->duration_ns, OWN_TIME_PERCENT)) {
		buf_add_text(out, "in the span's code or a wait inside it; a "
				  "profile shows which");
		return;
	}
	wording_add_duration(out, c->best->self_ns);
	buf_add_text(out, " of ");
	wording_add_duration(out, c->best->duration_ns);
	buf_add_text(out, " are self time; the rest is in its child spans");
}

static void report_cause(const struct choice *c, struct buf *out)
{
	/* How many there are, and of what, has been told. The mean is of calls
	 * that overlap, too. */
	if (c->loop) {
		const uint32_t *members =
			c->repeats.members + c->loop->member_first;
		int64_t sum = 0;

		for (uint32_t i = 0; i < c->loop->count; i++)
			sum = sat_add_i64(
				sum,
				span_duration_ns(&c->t->spans[members[i]]));
		buf_add_text(out, "a call takes ");
		wording_add_duration(out, sum / (int64_t)c->loop->count);
		buf_add_text(out, " on average");
	} else if (choice_ground(c) == CHOICE_OWN) {
		report_unknown(c, out);
	} else if (c->queue) {
		/* Whose affair it is that messages wait. */
		wording_add(out, span_service(c->t, c->queue->receiver),
			    WORDING_TEXT_BYTES);
		buf_add_text(out, c->queue->has_moved
					  ? " lags behind"
					  : " received this message late; "
					    "others did not wait");
	} else {
		report_why(c, out);
	}
}

static void report_confidence(const struct choice *c, struct buf *out)
{
	int64_t whole, measure = choice_measure(c, &whole);
	bool is_of_change = c->is_by_change && c->change.trace_ns;

	buf_addf(out,
		 is_of_change ? "the traces: %d %% of the growth"
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

/* ---- the path ---- */

static bool add_path(const struct choice *c, struct result *result,
		     struct error *err)
{
	uint32_t count = c->step_count;
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
			result->span.path_left_out = i + 1 - PATH_TAIL_STEPS;
			buf_addf(&text, "... %u spans ...",
				 result->span.path_left_out);
			i = PATH_TAIL_STEPS;
		} else {
			wording_add_span(&text, c->t, c->steps[i]);
		}
		if (!wording_take(&text, &result->arena,
				  &result->span.path[result->span.path_count++],
				  err))
			return false;
	}
	return true;
}

bool choice_texts_write(const struct choice *c, struct result *result,
			struct error *err)
{
	struct cause *cause = &result->cause;
	struct buf text;

	buf_init(&text, WORDING_BYTES);
	report_why(c, &text);
	/* Of all requests nothing is usual for this one. */
	if (c->typical && !result->span.is_typical_like)
		report_change(c, &text);
	if (!wording_take(&text, &result->arena, &result->span.why, err) ||
	    !add_path(c, result, err))
		return false;
	report_cause(c, &text);
	if (!wording_take(&text, &result->arena, &cause->text, err))
		return false;
	report_confidence(c, &text);
	return wording_take(&text, &result->arena, &cause->confidence_text,
			    err) &&
	       finding_texts_write(&c->calls, result, err);
}

/* The choice of the span as --why tells it: who competed, by what, and why
 * the others lost. */

/* Candidates told; below these it is all about crumbs. */
#define TOLD_CANDIDATES 6u

/* Names in these lines: they stand in a list and should fit a line. */
#define NAME_BYTES 80u

static int64_t measure_of(const struct choice *c, size_t i)
{
	const struct candidate *item = &c->candidates.items[i];

	if (c->is_by_change)
		return c->time_changes.items[i].own_ns;
	switch (c->want->by) {
	case GUILTY_BY_SELF:
		return item->self_ns;
	case GUILTY_BY_DURATION:
		return item->duration_ns;
	case GUILTY_BY_CRITICAL_PATH:
		break;
	}
	return item->score;
}

static bool is_before(const struct choice *c, size_t a, size_t b)
{
	int64_t left = measure_of(c, a), right = measure_of(c, b);

	return left > right || (left == right && a < b);
}

static size_t best_of(const struct choice *c)
{
	return (size_t)(c->best - c->candidates.items);
}

/* The next after `last` in order of what decides, without the best one;
 * SIZE_MAX: none. A few passes over all are less than a sorted copy. */
static size_t find_after(const struct choice *c, size_t last)
{
	size_t found = SIZE_MAX;

	for (size_t i = 0; i < c->candidates.count; i++) {
		if (i == best_of(c) ||
		    (last != SIZE_MAX && !is_before(c, last, i)))
			continue;
		if (found == SIZE_MAX || is_before(c, i, found))
			found = i;
	}
	return found;
}

static void report_head(const struct choice *c, struct buf *out)
{
	buf_addf(out, "span: %zu candidate%s, ", c->candidates.count,
		 c->candidates.count == 1 ? "" : "s");
	if (guilty_want_is_narrow(c->want))
		buf_add_text(out, "matching the options, by ");
	else
		buf_add_text(out, "by ");
	if (c->is_by_change)
		buf_add_text(out, "growth over its baseline");
	else if (c->want->by == GUILTY_BY_SELF)
		buf_add_text(out, "self time");
	else if (c->want->by == GUILTY_BY_DURATION)
		buf_add_text(out, "duration");
	else
		buf_add_text(out, "score: self time on the critical path, half "
				  "for a call whose callee has spans, unless "
				  "that is most of the path");
	if (!c->typical)
		buf_add_text(out, "; no baseline");
	else if (!c->is_by_change)
		buf_add_text(out, "; none was clearly slower than normal");
}

static void reason_of_typical(const struct time_change *g, struct buf *out)
{
	if (!g->is_known) {
		buf_add_text(out, ", no baseline");
		return;
	}
	if (g->is_new) {
		buf_add_text(out, ", ");
		report_new(g, out);
	} else {
		buf_add_text(out, ", normally ");
		wording_add_duration(out, g->typical_ns);
		buf_addf(out, " (%u traces)", g->typical_count);
	}
	buf_add_text(out, ", grew ");
	wording_add_duration(out, g->grown_ns);
	if (g->own_ns != g->grown_ns)
		buf_add_text(out, ", half of it counts");
}

/* The span that runs the chosen loop, and the calls it repeats. */
static bool is_of_loop(const struct choice *c, size_t i)
{
	uint32_t span = c->candidates.items[i].span;

	if (!choice_is_loop(c))
		return false;
	if (span == c->headline)
		return true;
	for (size_t j = 0; j < c->repeats.count; j++) {
		const struct repeat *r = &c->repeats.items[j];

		if (r->parent == c->headline &&
		    c->repeats.members[r->member_first] == span)
			return true;
	}
	return false;
}

static void report_less(const struct choice *c, size_t i, struct buf *out)
{
	int64_t best = c->is_by_change ? c->change.change_ns
				       : measure_of(c, best_of(c));

	if (c->plan) {
		buf_add_text(out, "others did not grow by it");
		return;
	}
	if (c->retry_ns)
		best = c->retry_ns;
	buf_add_text(out, c->is_by_change ? "grew less" : "was shorter");
	if (best > 0)
		buf_addf(out, ", %.0f %% of the chosen one",
			 100 * (double)measure_of(c, i) / (double)best);
}

static void report_lost(const struct choice *c, size_t i, struct buf *out)
{
	const struct time_change *g =
		c->typical ? &c->time_changes.items[i] : NULL;

	if (!g || !c->is_by_change || !g->is_known)
		report_less(c, i, out);
	else if (!g->is_longer && !g->is_new)
		buf_add_text(out, "within its normal range");
	else if (!g->is_grown)
		buf_addf(out, "its growth in self time is under %d %% of the "
			      "path",
			 TIME_CHANGE_PATH_PERCENT);
	else
		report_less(c, i, out);
}

/* A process's own code counts together at its entry span. */
static void report_won(const struct choice *c, size_t i, struct buf *out)
{
	if (choice_is_loop(c)) {
		buf_add_text(out, "the loop counts together");
		return;
	}
	if (c->plan) {
		buf_add_text(out, "chosen by the account, for its calls");
		return;
	}
	buf_add_text(out, "chosen");
	if (c->retry_ns) {
		buf_add_text(out, ", its attempts and the pauses together ");
		wording_add_duration(out, c->retry_ns);
		return;
	}
	if (!c->is_by_change || c->change.change_ns == measure_of(c, i))
		return;
	buf_add_text(out, ", with the code of its process grew ");
	wording_add_duration(out, c->change.change_ns);
}

static void report_candidate(const struct choice *c, size_t i, struct buf *out)
{
	const struct candidate *item = &c->candidates.items[i];

	buf_add_text(out, "span: ");
	wording_add(out, span_service(c->t, item->span), NAME_BYTES);
	buf_add_char(out, ' ');
	wording_add(out, span_name(c->t, item->span), NAME_BYTES);
	if (item->count > 1)
		buf_addf(out, " x%u", item->count);
	buf_add_text(out, ": duration ");
	wording_add_duration(out, item->duration_ns);
	buf_add_text(out, ", self time on the path ");
	wording_add_duration(out, item->critical_ns);
	if (item->score != item->critical_ns) {
		buf_add_text(out, ", score ");
		wording_add_duration(out, item->score);
	}
	if (c->typical)
		reason_of_typical(&c->time_changes.items[i], out);
	buf_add_text(out, ": ");
	if (is_of_loop(c, i))
		buf_add_text(out, "part of the loop");
	else if (i == best_of(c))
		report_won(c, i, out);
	else
		report_lost(c, i, out);
}

static void reason_of_loop(const struct choice *c, struct buf *out)
{
	const struct repeat *r = c->loop;

	buf_addf(out, "span: loop of %u x ", r->count);
	wording_add_call(out, &c->calls, r->leaf);
	buf_add_text(out, " in ");
	wording_add(out, span_name(c->t, r->parent), NAME_BYTES);
	buf_add_text(out, ": ");
	wording_add_duration(out,
			     choice_is_loop(c) ? c->loop_sum_ns : r->sum_ns);
	if (c->is_by_change && choice_is_loop(c)) {
		buf_add_text(out, ", grew ");
		wording_add_duration(out, c->change.change_ns);
	}
	buf_add_text(out, choice_is_loop(c) ? ": chosen" : "");
}

static void reason_keep(struct buf *text, struct notes *reasons)
{
	notes_add(reasons, "%s", buf_text(text));
	buf_clear(text);
}

static const char *const account_whys[ACCOUNT_WHYS] = {
	[ACCOUNT_SLOWER] = "slower per call",
	[ACCOUNT_MORE_CALLS] = "more calls",
	[ACCOUNT_LESS_OVERLAP] = "less overlap of its calls",
	[ACCOUNT_NEW] = "new",
	[ACCOUNT_GONE] = "gone",
};

static const char *const account_less[ACCOUNT_WHYS] = {
	[ACCOUNT_SLOWER] = "faster per call",
	[ACCOUNT_MORE_CALLS] = "fewer calls",
	[ACCOUNT_LESS_OVERLAP] = "more overlap of its calls",
	[ACCOUNT_NEW] = "new",
	[ACCOUNT_GONE] = "gone",
};

/* Cells told; the rest is one line. */
#define TOLD_CELLS 8u

static void add_change(struct buf *out, double ns)
{
	buf_add_char(out, ns < 0 ? '-' : '+');
	wording_add_duration(out, sat_from_f64(fabs(ns)));
}

static void report_cell(const struct choice *c,
			const struct account_growth_cell *cell,
			struct buf *out)
{
	const struct operation *o = &c->typical->operations[cell->place];
	const struct account_change *a = c->typical->account;
	uint32_t called = account_served(a, account_called(a, cell));

	buf_add_text(out, "account: ");
	add_change(out, cell->change_ns);
	buf_add_char(out, ' ');
	wording_add(out, o->service, NAME_BYTES);
	buf_add_char(out, ' ');
	wording_add(out, o->name, NAME_BYTES);
	buf_addf(out, ": %s",
		 cell->change_ns < 0 ? account_less[cell->why]
				     : account_whys[cell->why]);
	if (called == OPERATION_NONE)
		return;
	buf_add_text(out, ", most of it ");
	wording_add(out, c->typical->operations[called].name, NAME_BYTES);
}

/* The extra time of the request over those before it, on average, by place: the
 * lines add up. */
static void report_account(const struct choice *c, struct notes *reasons)
{
	const struct account_change *a = c->typical ? c->typical->account : NULL;
	double told_ns = 0;
	struct buf text;

	if (!a || a->root != c->times->root)
		return;
	buf_init(&text, WORDING_BYTES);
	buf_add_text(&text, "account: ");
	add_change(&text, a->growth.total_ns);
	buf_add_text(&text, " in all, ");
	wording_add_duration(&text, sat_from_f64(a->now.total_ns));
	buf_add_text(&text, " against ");
	wording_add_duration(&text, sat_from_f64(a->before.total_ns));
	buf_add_text(&text, " in ");
	report_sample(a->before.requests, &text);
	buf_add_text(&text, ", mean");
	reason_keep(&text, reasons);
	for (uint32_t i = 0; i < a->growth.count && i < TOLD_CELLS; i++) {
		report_cell(c, &a->growth.cells[i], &text);
		told_ns += a->growth.cells[i].change_ns;
		reason_keep(&text, reasons);
	}
	if (a->growth.count > TOLD_CELLS) {
		buf_add_text(&text, "account: ");
		add_change(&text, a->growth.total_ns - told_ns);
		buf_addf(&text, " in %u more", a->growth.count - TOLD_CELLS);
		reason_keep(&text, reasons);
	}
	buf_release(&text);
}

void choice_reasons_report(const struct choice *c, struct notes *reasons)
{
	size_t at = best_of(c), told = 0, last = SIZE_MAX;
	struct buf text;

	notes_init(reasons);
	buf_init(&text, WORDING_BYTES);
	report_head(c, &text);
	reason_keep(&text, reasons);
	if (c->loop) {
		reason_of_loop(c, &text);
		reason_keep(&text, reasons);
	}
	for (; told < TOLD_CANDIDATES && at != SIZE_MAX; told++) {
		report_candidate(c, at, &text);
		reason_keep(&text, reasons);
		at = last = find_after(c, last);
	}
	if (told < c->candidates.count)
		notes_add(reasons, "span: %zu more, with less",
			  c->candidates.count - told);
	report_account(c, reasons);
	buf_release(&text);
}

/* The error when no span of the trace is the one asked for, with the names of
 * those that are there. */

/* Names listed when the one asked for is not there. */
#define LISTED_NAMES 5u
#define LISTED_NAME_BYTES 60u

/* Returns whether the name of this candidate is among those of better ones. */
static bool is_listed(const struct choice *c, const uint32_t *listed,
		      size_t count, uint32_t span, bool is_service)
{
	for (size_t i = 0; i < count; i++) {
		struct str a = is_service ? span_service(c->t, listed[i])
					  : span_name(c->t, listed[i]);
		struct str b = is_service ? span_service(c->t, span)
					  : span_name(c->t, span);

		if (str_equal(a, b))
			return true;
	}
	return false;
}

static void list_item(const struct choice *c, uint32_t span, bool is_service,
		      struct buf *out)
{
	char id[17];

	if (c->want->span_id) {
		span_id_format(c->t->spans[span].span_id, id);
		buf_addf(out, "%s ", id);
	}
	wording_add(out,
		    is_service ? span_service(c->t, span)
			       : span_name(c->t, span),
		    LISTED_NAME_BYTES);
}

/* The best candidates by the name that was asked for. */
static void list_names(const struct choice *c, bool is_service, struct buf *out)
{
	uint32_t listed[LISTED_NAMES];
	size_t count = 0;

	for (size_t i = 0; i < c->candidates.count; i++) {
		uint32_t span = c->candidates.items[i].span;

		if (!c->want->span_id &&
		    is_listed(c, listed, count, span, is_service))
			continue;
		if (count == LISTED_NAMES) {
			buf_add_text(out, " and more");
			return;
		}
		buf_add_text(out, count ? ", " : "");
		list_item(c, span, is_service, out);
		listed[count++] = span;
	}
}

static void choice_explain(const struct choice *c, struct buf *out)
{
	bool has_service = c->missing == CHOICE_MISSING_SPAN;
	char id[17];

	buf_add_text(out, "no span ");
	if (c->want->span_id) {
		span_id_format(c->want->span_id, id);
		buf_addf(out, "%s ", id);
	}
	if (c->want->name.len) {
		buf_add_text(out, "\"");
		wording_add(out, c->want->name, LISTED_NAME_BYTES);
		buf_add_text(out, "\" ");
	}
	if (c->want->service.len) {
		buf_add_text(out, "of service \"");
		wording_add(out, c->want->service, LISTED_NAME_BYTES);
		buf_add_text(out, "\" ");
	}
	buf_add_text(out, has_service ? "in the trace; there is "
				      : "in the trace; its services are ");
	list_names(c, !has_service, out);
}

bool missing_span_explain(const struct choice *c, struct error *err)
{
	struct buf text;

	if (c->missing == CHOICE_MISSING_ALL)
		return error_set(err, ERROR_NOT_FOUND,
				 "the trace has no spans");
	buf_init(&text, WORDING_BYTES);
	choice_explain(c, &text);
	error_set(err, ERROR_NOT_FOUND, "%s", buf_text(&text));
	buf_release(&text);
	return false;
}
