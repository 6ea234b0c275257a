/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/findings.h"

#include <stdlib.h>

#include "analyze/calls.h"
#include "analyze/messages.h"
#include "analyze/trace_analysis.h"
#include "base/num.h"
#include "model/result.h"
#include "model/trace_join.h"

/* Spans of one parent that do the same thing, whoever does it for them:
 * attempts at one call, branches of a fan-out, turns of a loop. */

struct sibling_item {
	uint64_t key; /* what it does and what the call inside does */
	int64_t start_ns;
	uint32_t parent;
	uint32_t span;
};

/* The call that a wrapper makes, or the span itself. */
static uint32_t call_within(const struct calls *c, uint32_t span)
{
	uint32_t leaf = calls_inside(c, span);

	return leaf == SPAN_NONE ? span : leaf;
}

static int compare_sibling(const void *left, const void *right)
{
	const struct sibling_item *a = left;
	const struct sibling_item *b = right;
	int order = compare_i64(a->parent, b->parent);

	if (!order)
		order = compare_u64(a->key, b->key);
	if (!order)
		order = compare_i64(a->start_ns, b->start_ns);
	return order ? order : compare_i64(a->span, b->span);
}

static bool is_like(const struct sibling_item *a, const struct sibling_item *b)
{
	return a->parent == b->parent && a->key == b->key;
}

bool siblings_find(const struct calls *c, const struct trace_times *times,
		   struct arena *arena, struct siblings *out, struct error *err)
{
	uint32_t n = c->t->span_count;
	struct sibling_item *items = arena_array(arena, n, sizeof *items);
	uint32_t count = 0;

	*out = (struct siblings){ 0 };
	out->groups = arena_array(arena, n, sizeof *out->groups);
	out->members = arena_array(arena, n, sizeof *out->members);
	if (!items || !out->groups || !out->members)
		return arena_fail(arena, "the trace", err);
	for (uint32_t i = 0; i < n; i++) {
		if (times->tree[i] != i)
			items[count++] = (struct sibling_item){
				.key = (uint64_t)c->like[i] << 32 |
				       c->like[call_within(c, i)],
				.start_ns =
					trace_times_start_ns(c->t, times, i),
				.parent = c->t->spans[i].parent,
				.span = i,
			};
	}
	if (count)
		qsort(items, count, sizeof *items, compare_sibling);
	for (uint32_t i = 0; i < count; i++) {
		struct sibling_group *g = &out->groups[out->count];

		out->members[i] = items[i].span;
		if (!i || !is_like(&items[i], &items[i - 1]))
			*g = (struct sibling_group){ .member_first = i };
		g->count++;
		if (i + 1 < count && is_like(&items[i], &items[i + 1]))
			continue;
		g->parent = items[i].parent;
		g->leaf = calls_inside(c, out->members[g->member_first]);
		out->count += g->count > 1;
	}
	return true;
}

/* The same call made again because it failed. What a retried call costs is
 * spread over its attempts, and its callee often goes on after the caller
 * gave up: the server's own durations tell more than what fits into the
 * client's time. */

struct search {
	const struct calls *calls;
	const struct trace *t;
	const struct trace_times *times;
	struct retries *out;
};

/* A server side explains its attempt when it lasts half as long. */
#define SERVER_SHARE 2

/* Levels looked down for the failure that began it. */
#define ERROR_SPANS 64

bool call_has_failed(const struct calls *c, uint32_t span)
{
	return calls_has_failed(c, span) ||
	       calls_has_failed(c, call_within(c, span));
}

/* One attempt after the other: those side by side are hedged or fanned out. */
static bool is_next_attempt(const struct search *s, uint32_t before,
			    uint32_t after)
{
	uint32_t first = call_within(s->calls, before);
	uint32_t again = call_within(s->calls, after);

	if (trace_times_start_ns(s->t, s->times, after) <
		    trace_times_end_ns(s->t, s->times, before) ||
	    (!call_has_failed(s->calls, before) &&
	     !calls_is_resent(s->calls, again)))
		return false;
	return calls_is_same_request(s->calls, first, again);
}

/* The failure an attempt ends in: down through the first failed child. */
static uint32_t deepest_error(const struct trace *t, uint32_t span)
{
	uint32_t found = span;

	for (int depth = 0; depth < ERROR_SPANS; depth++) {
		const struct span *s = &t->spans[span];
		uint32_t next = SPAN_NONE;

		for (uint32_t i = 0; i < s->child_count; i++) {
			uint32_t child = t->children[s->child_first + i];

			if (t->spans[child].flags & SPAN_IS_ERROR)
				next = child;
		}
		if (next == SPAN_NONE)
			break;
		found = span = next;
	}
	return found;
}

static void add_attempt(const struct search *s, struct retry *r, uint32_t span)
{
	uint32_t call = call_within(s->calls, span);
	uint32_t server = span_server_side(s->t, call);
	int64_t start_ns = trace_times_start_ns(s->t, s->times, span);

	s->out->members[s->out->member_count++] = span;
	s->out->is_member[span] = true;
	s->out->is_member[call] = true;
	r->count++;
	r->has_succeeded = !call_has_failed(s->calls, span);
	if (!r->has_succeeded) {
		r->error_count++;
		r->error = deepest_error(s->t, span);
	}
	r->pause_ns = sat_add_i64(r->pause_ns,
				  sat_sub_i64(start_ns, r->end_ns));
	r->end_ns = trace_times_end_ns(s->t, s->times, span);
	r->through_ns = sat_add_i64(r->through_ns, s->times->through_ns[span]);
	if (server != SPAN_NONE) {
		int64_t ns = span_duration_ns(&s->t->spans[server]);

		if (ns >= span_duration_ns(&s->t->spans[call]) / SERVER_SHARE &&
		    (r->server == SPAN_NONE || ns > r->server_ns)) {
			r->server = server;
			r->server_ns = ns;
		}
	}
}

static void add_retry(struct search *s, const struct sibling_group *g,
		      const uint32_t *list, uint32_t count)
{
	int64_t start_ns = trace_times_start_ns(s->t, s->times, list[0]);
	int64_t last_start =
		trace_times_start_ns(s->t, s->times, list[count - 1]);
	struct retry *r = &s->out->items[s->out->count++];

	*r = (struct retry){
		.parent = g->parent,
		.call = call_within(s->calls, list[0]),
		.member_first = (uint32_t)s->out->member_count,
		.server = SPAN_NONE,
		.error = SPAN_NONE,
		.start_ns = start_ns,
		.end_ns = start_ns,
	};
	for (uint32_t i = 0; i < count; i++)
		add_attempt(s, r, list[i]);
	r->lost_ns = sat_sub_i64(r->has_succeeded ? last_start : r->end_ns,
				 r->start_ns);
}

static void search_group(struct search *s, const struct siblings *siblings,
			 const struct sibling_group *g)
{
	const uint32_t *list = siblings->members + g->member_first;
	uint32_t run;

	for (uint32_t i = 0; i < g->count; i += run) {
		for (run = 1; i + run < g->count; run++) {
			if (!is_next_attempt(s, list[i + run - 1],
					     list[i + run]))
				break;
		}
		if (run > 1)
			add_retry(s, g, list + i, run);
	}
}

static int compare_retry(const void *left, const void *right)
{
	const struct retry *a = left;
	const struct retry *b = right;
	int order = compare_i64(b->lost_ns, a->lost_ns);

	return order ? order : compare_i64(a->call, b->call);
}

bool retries_find(const struct calls *c, const struct trace_times *times,
		  const struct siblings *siblings, struct arena *arena,
		  struct retries *out, struct error *err)
{
	uint32_t n = c->t->span_count;
	struct search s = { .calls = c, .t = c->t, .times = times, .out = out };

	*out = (struct retries){ 0 };
	out->items = arena_array(arena, n, sizeof *out->items);
	out->members = arena_array(arena, n, sizeof *out->members);
	out->is_member = arena_array(arena, n, sizeof *out->is_member);
	if (!out->items || !out->members || !out->is_member)
		return arena_fail(arena, "the trace", err);
	for (uint32_t i = 0; i < siblings->count; i++) {
		const struct sibling_group *g = &siblings->groups[i];

		if (g->leaf != SPAN_NONE)
			search_group(&s, siblings, g);
	}
	if (out->count)
		qsort(out->items, out->count, sizeof *out->items,
		      compare_retry);
	return true;
}

/* A span among others with equal keys, which make one finding. */
struct item {
	uint64_t key;
	int64_t rank_ns;
	uint32_t message;
	uint32_t span;
};

struct group {
	uint32_t first; /* into collect.spans */
	uint32_t count;
	uint32_t span; /* the member of the highest rank */
	int64_t rank_ns;
};

struct collect {
	const struct calls *calls;
	const struct trace *t;
	const struct trace_times *times;
	struct siblings siblings;
	struct retries retries;
	struct result *result;
	struct arena scratch;
	struct item *items; /* as many as there are spans */
	uint32_t item_count;
	struct group *groups;
	uint32_t group_count;
	uint32_t *spans;
	int64_t *durations;
	bool *is_told; /* per span: its failure is part of a finding */
	struct error *err;
};

/* Adds a finding about these spans. */
static bool collect_add(struct collect *k, const struct finding_facts *facts,
			const uint32_t *spans, size_t count)
{
	struct result *r = k->result;
	size_t size = r->finding_count * sizeof *r->findings;
	size_t kept = count < FINDING_SPAN_IDS ? count : FINDING_SPAN_IDS;
	struct trace_finding *grown =
		arena_grow(&r->arena, r->findings, size, size + sizeof *grown);
	struct trace_finding *f;

	if (!grown)
		return arena_fail(&r->arena, "the answer", k->err);
	r->findings = grown;
	f = &grown[r->finding_count];
	*f = (struct trace_finding){
		.kind = str_from(finding_kind_name(facts->kind)),
		.facts = *facts,
		.span_id_count = kept,
	};
	f->span_ids = arena_array(&r->arena, kept, sizeof *f->span_ids);
	if (!f->span_ids)
		return arena_fail(&r->arena, "the answer", k->err);
	for (size_t i = 0; i < kept; i++)
		f->span_ids[i] = k->t->spans[spans[i]].span_id;
	r->finding_count++;
	return true;
}

/* One that counts the others, when count is more than may be listed. */
static bool collect_add_rest(struct collect *k, enum finding_kind kind,
			     size_t count)
{
	struct finding_facts facts = { .kind = kind };

	if (count <= FINDINGS_PER_KIND)
		return true;
	facts.more_count = count - FINDINGS_PER_KIND;
	return collect_add(k, &facts, NULL, 0);
}

static bool add_repeats(struct collect *k, const struct repeats *repeats)
{
	for (size_t i = 0; i < repeats->count && i < FINDINGS_PER_KIND; i++) {
		const struct repeat *r = &repeats->items[i];
		const struct finding_facts facts = {
			.kind = FINDING_N_PLUS_ONE,
			.span = r->parent,
			.call = r->leaf,
			.count = r->count,
			.manner = repeat_manner(r),
			.time_ns = r->sum_ns,
		};

		if (!collect_add(k, &facts, repeats->members + r->member_first,
				 r->count))
			return false;
	}
	return collect_add_rest(k, FINDING_N_PLUS_ONE, repeats->count);
}

static int compare_item(const void *left, const void *right)
{
	const struct item *a = left;
	const struct item *b = right;
	int order = compare_u64(a->key, b->key);

	if (!order)
		order = compare_i64(a->message, b->message);
	return order ? order : compare_i64(a->span, b->span);
}

/* Sorts groups; ties by their start. */
static int compare_group(const void *left, const void *right)
{
	const struct group *a = left;
	const struct group *b = right;
	int order = compare_i64(b->rank_ns, a->rank_ns);

	return order ? order : compare_i64(a->span, b->span);
}

/* Makes groups of k->items with equal key and message, the highest rank
 * first; their spans are in k->spans. */
static void collect_group(struct collect *k)
{
	struct group *g = NULL;

	k->group_count = 0;
	if (k->item_count)
		qsort(k->items, k->item_count, sizeof *k->items, compare_item);
	for (uint32_t i = 0; i < k->item_count; i++) {
		const struct item *item = &k->items[i];

		k->spans[i] = item->span;
		if (!i || item->key != item[-1].key ||
		    item->message != item[-1].message) {
			g = &k->groups[k->group_count++];
			*g = (struct group){ .first = i,
					     .span = item->span,
					     .rank_ns = item->rank_ns };
		}
		g->count++;
		if (item->rank_ns > g->rank_ns) {
			g->rank_ns = item->rank_ns;
			g->span = item->span;
		}
	}
	if (k->group_count)
		qsort(k->groups, k->group_count, sizeof *k->groups,
		      compare_group);
}

/* A time that is worth a word: at least least_ns and percent of the critical
 * path.
 * part >= whole * percent / 100, without overflow. */
static bool collect_matters(const struct collect *k, int64_t time_ns,
			    int64_t least_ns, int64_t percent)
{
	return time_ns >= least_ns &&
	       sat_mul_i64(time_ns, 100) >=
		       sat_mul_i64(k->times->path_ns, percent);
}

/* Returns the median duration of these spans; the lower of two. */
static int64_t collect_median(struct collect *k, const uint32_t *spans,
			      uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		k->durations[i] = span_duration_ns(&k->t->spans[spans[i]]);
	qsort(k->durations, count, sizeof *k->durations, compare_i64_items);
	return k->durations[(count - 1) / 2];
}

/* The parts of a call that its callee does not cover. */
struct rim {
	uint32_t server; /* the first server side */
	int64_t before_ns;
	int64_t behind_ns;
	bool is_moved; /* by the clocks' difference: only the sum is known */
};

static int64_t moved_start(const struct collect *k, uint32_t span)
{
	return sat_add_i64(k->t->spans[span].start_ns,
			   k->times->shift_ns[span]);
}

static int64_t moved_end(const struct collect *k, uint32_t span)
{
	return sat_add_i64(k->t->spans[span].end_ns, k->times->shift_ns[span]);
}

/* Finds the time around a call's server side. Proxies may try several servers
 * within one call. */
static struct rim find_rim(const struct collect *k, uint32_t client)
{
	const struct trace *t = k->t;
	const struct span *s = &t->spans[client];
	struct rim rim = { .server = span_server_side(t, client) };
	int64_t start_ns, end_ns;

	start_ns = moved_start(k, rim.server);
	end_ns = moved_end(k, rim.server);
	for (uint32_t i = 0; i < s->child_count; i++) {
		uint32_t child = t->children[s->child_first + i];

		start_ns = min_i64(start_ns, moved_start(k, child));
		end_ns = max_i64(end_ns, moved_end(k, child));
		rim.is_moved |= clock_skew_ns(t, k->times, child) != 0;
	}
	/* Left alone by its caller, or on a clock of its own: then the times
	 * between the two say nothing. */
	if (start_ns >= moved_end(k, client) ||
	    end_ns <= moved_start(k, client))
		return rim;
	rim.before_ns =
		max_i64(0, sat_sub_i64(start_ns, moved_start(k, client)));
	rim.behind_ns = max_i64(0, sat_sub_i64(moved_end(k, client), end_ns));
	return rim;
}

/* Groups k->items, and adds a finding for each group, those of the highest rank
 * first; ranks are times, but of errors. */
static bool add_groups(struct collect *k, enum finding_kind kind)
{
	collect_group(k);
	for (uint32_t i = 0; i < k->group_count && i < FINDINGS_PER_KIND; i++) {
		const struct group *g = &k->groups[i];
		struct finding_facts facts = {
			.kind = kind,
			.span = g->span,
			.count = g->count,
			.time_ns = g->rank_ns,
		};

		if (kind == FINDING_ERROR) {
			facts.is_fatal = g->rank_ns != 0;
			facts.time_ns = 0;
		} else if (kind == FINDING_QUEUE_GAP) {
			struct rim rim = find_rim(k, g->span);

			facts.other = rim.server;
			facts.rim = rim.is_moved ? CALL_RIM_BOTH
				    : rim.behind_ns > rim.before_ns
					    ? CALL_RIM_BEHIND
					    : CALL_RIM_BEFORE;
		} else if (kind == FINDING_MESSAGE_DELAY) {
			facts.span = k->t->spans[g->span].parent;
			facts.other = g->span;
		}
		if (!collect_add(k, &facts, k->spans + g->first, g->count))
			return false;
	}
	return collect_add_rest(k, kind, k->group_count);
}

/* One query that takes as long is worth a word by itself (Sentry's rule). */
#define SLOW_QUERY_NS ((int64_t)500000000)

static bool add_slow_queries(struct collect *k)
{
	k->item_count = 0;
	for (uint32_t i = 0; i < k->t->span_count; i++) {
		if (k->calls->kind[i] != CALL_DATABASE ||
		    span_duration_ns(&k->t->spans[i]) < SLOW_QUERY_NS)
			continue;
		k->items[k->item_count++] = (struct item){
			.key = k->calls->key[i],
			.rank_ns = span_duration_ns(&k->t->spans[i]),
			.span = i,
		};
	}
	return add_groups(k, FINDING_SLOW_QUERY);
}

/* Marks all spans that have a failed span below them. */
static bool *mark_above_errors(struct collect *k)
{
	const struct span *spans = k->t->spans;
	bool *is_above =
		arena_array(&k->scratch, k->t->span_count, sizeof *is_above);

	for (uint32_t i = 0; is_above && i < k->t->span_count; i++) {
		uint32_t up = spans[i].parent;

		if (!(spans[i].flags & SPAN_IS_ERROR))
			continue;
		while (up != SPAN_NONE && !is_above[up]) {
			is_above[up] = true;
			up = spans[up].parent;
		}
	}
	return is_above;
}

/* The failure that ended the request: from the root down, each failed span
 * did nothing more after the failed one below it. SPAN_NONE when the request
 * went well or failed by itself. */
static uint32_t find_fatal(const struct collect *k)
{
	const struct span *spans = k->t->spans;
	uint32_t span = k->times->root;
	if (!(spans[span].flags & SPAN_IS_ERROR))
		return SPAN_NONE;
	for (;;) {
		const uint32_t *children =
			k->t->children + spans[span].child_first;
		uint32_t left = spans[span].child_count;

		/* Async work did not end the request. */
		while (left &&
		       k->times->tree[children[left - 1]] != k->times->root)
			left--;
		if (!left || !(spans[children[left - 1]].flags & SPAN_IS_ERROR))
			return span == k->times->root ? SPAN_NONE : span;
		span = children[left - 1];
	}
}

/* Where failures began: failed spans without a failed one below them. Those
 * of retried calls have been told. */
static bool add_errors(struct collect *k)
{
	const struct trace *t = k->t;
	const bool *is_above = mark_above_errors(k);
	uint32_t fatal;

	if (!is_above)
		return arena_fail(&k->scratch, "the trace", k->err);
	k->item_count = 0;
	fatal = find_fatal(k);
	for (uint32_t i = 0; i < t->span_count; i++) {
		const struct span *s = &t->spans[i];

		if (!(s->flags & SPAN_IS_ERROR) || is_above[i] || k->is_told[i])
			continue;
		k->items[k->item_count++] = (struct item){
			.key = (uint64_t)t->resources[s->resource].service
				       << 32 |
			       s->name,
			.message = s->status_message,
			.rank_ns = i == fatal,
			.span = i,
		};
	}
	return add_groups(k, FINDING_ERROR);
}

/* The analysed tree is part of the answer itself. */
static bool add_async(struct collect *k)
{
	struct finding_facts facts = { .kind = FINDING_ASYNC_WORK,
				       .span = SPAN_NONE };
	const struct trace *t = k->t;
	uint32_t root;
	int64_t after_ns;

	for (uint32_t i = 0; i < t->span_count; i++) {
		if (k->times->tree[i] != i || i == k->times->root ||
		    t->spans[i].parent == SPAN_NONE)
			continue;
		k->spans[facts.count++] = i;
		if (facts.span == SPAN_NONE ||
		    span_duration_ns(&t->spans[i]) >
			    span_duration_ns(&t->spans[facts.span]))
			facts.span = i;
	}
	if (!facts.count)
		return true;
	root = facts.span;
	while (t->spans[root].parent != SPAN_NONE)
		root = t->spans[root].parent;
	/* The part of it that ran when its request was over. */
	after_ns = sat_sub_i64(trace_times_end_ns(t, k->times, facts.span),
			       trace_times_end_ns(t, k->times, root));
	facts.time_ns = max_i64(
		0, min_i64(after_ns, span_duration_ns(&t->spans[facts.span])));
	return collect_add(k, &facts, k->spans, facts.count);
}

/* Finds work started by a message whose sender waited for it. */
static bool add_awaited(struct collect *k)
{
	const struct trace *t = k->t;
	size_t count = 0;

	for (uint32_t i = 0; i < t->span_count; i++) {
		const struct span *s = &t->spans[i];
		struct finding_facts facts = { .kind = FINDING_AWAITED_JOB,
					       .span = s->parent,
					       .other = i };

		if (!(s->flags & SPAN_IS_AWAITED) || s->parent == SPAN_NONE ||
		    ++count > FINDINGS_PER_KIND)
			continue;
		facts.time_ns =
			sat_sub_i64(s->end_ns, trace_awaited_from(t, i));
		if (!collect_add(k, &facts, &i, 1))
			return false;
	}
	return collect_add_rest(k, FINDING_AWAITED_JOB, count);
}

static bool add_session(struct collect *k)
{
	const struct session *s = &k->times->session;
	const struct finding_facts facts = {
		.kind = FINDING_SESSION,
		.span = s->slowest,
		.count = s->request_count,
		.time_ns = s->length_ns,
		.other_ns = s->pause_ns,
	};

	return !s->request_count || collect_add(k, &facts, &s->slowest, 1);
}

/* The tree that took longest is analysed; the waterfall shows all. */
static bool add_roots(struct collect *k)
{
	const struct trace *t = k->t;
	struct finding_facts facts = { .kind = FINDING_OTHER_ROOTS };

	if (t->root_count < 2)
		return true;
	facts.span = t->roots[0];
	facts.other = t->roots[1];
	facts.count = t->root_count - 1;
	return collect_add(k, &facts, t->roots + 1, facts.count);
}

static bool add_skew(struct collect *k)
{
	struct finding_facts facts = { .kind = FINDING_CLOCK_SKEW,
				       .other_ns = INT64_MAX };

	for (uint32_t i = 0; i < k->t->span_count; i++) {
		int64_t ns =
			sat_magnitude_i64(clock_skew_ns(k->t, k->times, i));

		facts.moved_count += trace_times_skew_ns(k->times, i) != 0;
		if (!ns)
			continue;
		k->spans[facts.count++] = i;
		/* The largest and smallest move against a caller. */
		facts.time_ns = max_i64(facts.time_ns, ns);
		facts.other_ns = min_i64(facts.other_ns, ns);
	}
	return !facts.count || collect_add(k, &facts, k->spans, facts.count);
}

static bool add_whole_starts(struct collect *k)
{
	struct finding_facts facts = { .kind = FINDING_WHOLE_STARTS };

	for (uint32_t i = 0; i < k->t->span_count; i++) {
		int64_t ns = k->times->late_ns[i];

		if (!ns)
			continue;
		k->spans[facts.count++] = i;
		facts.time_ns = max_i64(facts.time_ns, ns);
	}
	return !facts.count || collect_add(k, &facts, k->spans, facts.count);
}

/* Findings on calls of one span that belong together: attempts, branches,
 * turns, one after another. */

/* Calls side by side: each begins before the ones so far have ended. */
struct branches {
	const uint32_t *spans; /* by start */
	uint32_t count;
	uint32_t slowest;
	int64_t slowest_ns;
	int64_t start_ns;
	int64_t end_ns;
};

static bool add_retry_finding(struct collect *k, const struct retry *r)
{
	const uint32_t *members = k->retries.members + r->member_first;
	const struct finding_facts facts = {
		.kind = FINDING_RETRY,
		.span = r->parent,
		.call = r->call,
		.other = r->server,
		.failed = r->error,
		.count = r->count,
		.failed_count = r->error_count,
		.time_ns = r->lost_ns,
		.other_ns = r->server_ns,
		.pause_ns = r->pause_ns,
	};

	for (uint32_t i = 0; i < r->count; i++) {
		k->is_told[members[i]] = true;
		k->is_told[call_within(k->calls, members[i])] = true;
	}
	if (r->error != SPAN_NONE)
		k->is_told[r->error] = true;
	return collect_add(k, &facts, members, r->count);
}

/* Retries are told from the size on from which spans are candidates. */
#define RETRY_LEAST_PERCENT 1

static bool collect_retries(struct collect *k)
{
	size_t count = 0;

	for (size_t i = 0; i < k->retries.count; i++) {
		const struct retry *r = &k->retries.items[i];

		if (!collect_matters(k, r->lost_ns, FINDING_LEAST_NS,
				     RETRY_LEAST_PERCENT))
			break;
		if (count++ < FINDINGS_PER_KIND && !add_retry_finding(k, r))
			return false;
	}
	return collect_add_rest(k, FINDING_RETRY, count);
}

/* The branches that begin with spans[0]. */
static struct branches cut_branches(const struct collect *k,
				    const uint32_t *spans, uint32_t count)
{
	struct branches b = { .spans = spans, .slowest_ns = -1 };

	b.start_ns = b.end_ns = trace_times_start_ns(k->t, k->times, spans[0]);
	while (b.count < count) {
		uint32_t span = spans[b.count];
		int64_t end_ns = trace_times_end_ns(k->t, k->times, span);
		int64_t length_ns = span_duration_ns(&k->t->spans[span]);

		if (b.count &&
		    trace_times_start_ns(k->t, k->times, span) >= b.end_ns)
			break;
		if (length_ns > b.slowest_ns) {
			b.slowest_ns = length_ns;
			b.slowest = span;
		}
		b.end_ns = max_i64(b.end_ns, end_ns);
		b.count++;
	}
	return b;
}

#define FAN_OUT_COUNT REPEAT_PARALLEL_COUNT

#define SHARD_TIMES 2

/* Branches of a fan-out: 3 tell a slow one, which takes twice the median and
 * ends last; without one, 6 are worth a word by their number. */
#define SHARD_COUNT 3u

#define FINDING_LEAST_PERCENT 5

static bool add_branches(struct collect *k, const struct branches *b,
			 uint32_t parent)
{
	struct finding_facts facts = {
		.kind = FINDING_SLOW_SHARD,
		.span = parent,
		.call = call_within(k->calls, b->slowest),
		.count = b->count,
		.time_ns = b->slowest_ns,
	};
	int64_t length_ns = sat_sub_i64(b->end_ns, b->start_ns);

	/* A few at a time is a loop, which has been told as such. */
	if (b->count < SHARD_COUNT ||
	    length_ns >= sat_mul_i64(b->slowest_ns, REPEAT_PARALLEL_WAVES) ||
	    !k->times->is_on_path[b->slowest] ||
	    !collect_matters(k, b->slowest_ns, FINDING_LEAST_NS,
			     FINDING_LEAST_PERCENT))
		return true;
	facts.other_ns = collect_median(k, b->spans, b->count);
	if (trace_times_end_ns(k->t, k->times, b->slowest) == b->end_ns &&
	    b->slowest_ns >= sat_mul_i64(facts.other_ns, SHARD_TIMES) &&
	    collect_matters(k, sat_sub_i64(b->slowest_ns, facts.other_ns),
			    FINDING_LEAST_NS, FINDING_LEAST_PERCENT))
		return collect_add(k, &facts, &b->slowest, 1);
	facts.kind = FINDING_FAN_OUT;
	facts.time_ns = length_ns;
	facts.other_ns = b->slowest_ns;
	return b->count < FAN_OUT_COUNT ||
	       collect_add(k, &facts, b->spans, b->count);
}

static bool collect_fan_outs(struct collect *k)
{
	size_t before = k->result->finding_count;

	for (uint32_t i = 0; i < k->siblings.count; i++) {
		const struct sibling_group *g = &k->siblings.groups[i];
		const uint32_t *list = k->siblings.members + g->member_first;

		for (uint32_t at = 0; at < g->count;) {
			struct branches b =
				cut_branches(k, list + at, g->count - at);

			if (k->result->finding_count - before >=
			    FINDINGS_PER_KIND)
				return true;
			if (!add_branches(k, &b, g->parent))
				return false;
			at += b.count;
		}
	}
	return true;
}

#define COLD_NS ((int64_t)50000000)

#define COLD_TIMES 5

/* The first of 4 and more calls takes 5 times the median of the others. */
#define COLD_COUNT 4u

static bool collect_cold_calls(struct collect *k)
{
	size_t most = k->result->finding_count + FINDINGS_PER_KIND;

	for (uint32_t i = 0; i < k->siblings.count; i++) {
		const struct sibling_group *g = &k->siblings.groups[i];
		const uint32_t *list = k->siblings.members + g->member_first;
		int64_t first_ns = span_duration_ns(&k->t->spans[list[0]]);
		struct finding_facts facts = {
			.kind = FINDING_COLD_CALL,
			.span = g->parent,
			.call = g->leaf,
			.count = g->count,
			.time_ns = first_ns,
		};
		uint32_t n = 1;

		if (k->result->finding_count >= most)
			break;
		if (g->leaf == SPAN_NONE || g->count < COLD_COUNT ||
		    !k->times->is_on_path[list[0]] ||
		    !collect_matters(k, first_ns, COLD_NS,
				     FINDING_LEAST_PERCENT) ||
		    call_has_failed(k->calls, list[0]))
			continue;
		/* One after another. */
		while (n < g->count &&
		       trace_times_start_ns(k->t, k->times, list[n]) >=
			       trace_times_end_ns(k->t, k->times, list[n - 1]))
			n++;
		if (n < g->count)
			continue;
		facts.other_ns = collect_median(k, list + 1, g->count - 1);
		if (first_ns >= sat_mul_i64(facts.other_ns, COLD_TIMES) &&
		    !collect_add(k, &facts, list, 1))
			return false;
	}
	return true;
}

#define CONSECUTIVE_NS ((int64_t)500000000)

#define CONSECUTIVE_SAVING_NS ((int64_t)2000000000)

/* Three remote calls and more, one after another, each of 500 ms and more
 * and 500 ms apart at most, that would save 2 s side by side (Sentry's
 * rule). */
#define CONSECUTIVE_COUNT 3u

/* k->spans holds the run. */
static bool add_consecutive(struct collect *k, uint32_t parent, uint32_t count)
{
	int64_t sum_ns = 0, longest_ns = 0;
	uint32_t longest = k->spans[0];
	struct finding_facts facts = { .kind = FINDING_CONSECUTIVE,
				       .span = parent,
				       .count = count };

	for (uint32_t i = 0; i < count; i++) {
		int64_t ns = span_duration_ns(&k->t->spans[k->spans[i]]);

		sum_ns = sat_add_i64(sum_ns, ns);
		if (ns > longest_ns) {
			longest_ns = ns;
			longest = k->spans[i];
		}
	}
	facts.call = call_within(k->calls, longest);
	facts.time_ns = sum_ns;
	facts.other_ns = sat_sub_i64(sum_ns, longest_ns);
	return count < CONSECUTIVE_COUNT ||
	       facts.other_ns < CONSECUTIVE_SAVING_NS ||
	       collect_add(k, &facts, k->spans, count);
}

#define CONSECUTIVE_GAP_NS ((int64_t)500000000)

static bool collect_below(struct collect *k, uint32_t parent)
{
	const struct trace *t = k->t;
	const struct span *p = &t->spans[parent];
	int64_t ended_ns = 0;
	uint32_t count = 0;

	for (uint32_t i = 0; i < p->child_count; i++) {
		uint32_t child = t->children[p->child_first + i];
		uint32_t leaf = calls_inside(k->calls, child);
		int64_t gap_ns;

		if (k->times->tree[child] == child ||
		    k->retries.is_member[child] ||
		    span_duration_ns(&t->spans[child]) < CONSECUTIVE_NS ||
		    leaf == SPAN_NONE ||
		    (k->calls->kind[leaf] != CALL_HTTP &&
		     k->calls->kind[leaf] != CALL_RPC))
			continue;
		gap_ns = sat_sub_i64(trace_times_start_ns(t, k->times, child),
				     ended_ns);
		if (count && (gap_ns < 0 || gap_ns > CONSECUTIVE_GAP_NS)) {
			if (!add_consecutive(k, parent, count))
				return false;
			count = 0;
		}
		k->spans[count++] = child;
		ended_ns = trace_times_end_ns(t, k->times, child);
	}
	return !count || add_consecutive(k, parent, count);
}

static bool collect_consecutive(struct collect *k)
{
	size_t before = k->result->finding_count;

	for (uint32_t i = 0; i < k->t->span_count; i++) {
		if (k->result->finding_count - before >= FINDINGS_PER_KIND)
			break;
		if (k->t->spans[i].child_count >= CONSECUTIVE_COUNT &&
		    !collect_below(k, i))
			return false;
	}
	return true;
}

/* Findings on time between spans: before and behind the callee, inside a span
 * with no child, between sender and receiver of a message. */

/* Between the two sides of a call: a fifth of it. */
#define QUEUE_PERCENT 20

static bool collect_queue_gaps(struct collect *k)
{
	const struct result *r = k->result;
	/* The way to a callee that the answer is about. */
	bool is_answered = r->has_cause && r->cause.kind == CAUSE_NETWORK;

	k->item_count = 0;
	for (uint32_t i = 0; i < k->t->span_count; i++) {
		struct rim rim;
		int64_t ns, call_ns = span_duration_ns(&k->t->spans[i]);

		if (k->t->spans[i].kind != SPAN_KIND_CLIENT ||
		    !k->times->is_on_path[i] ||
		    span_server_side(k->t, i) == SPAN_NONE ||
		    (is_answered &&
		     k->calls->like[r->span.span] == k->calls->like[i]))
			continue;
		rim = find_rim(k, i);
		ns = rim.is_moved ? sat_add_i64(rim.before_ns, rim.behind_ns)
				  : max_i64(rim.before_ns, rim.behind_ns);
		if (sat_mul_i64(ns, 100) <=
			    sat_mul_i64(call_ns, QUEUE_PERCENT) ||
		    ns <= FINDING_LEAST_NS ||
		    !collect_matters(k, ns, FINDING_LEAST_NS,
				     FINDING_LEAST_PERCENT))
			continue;
		k->items[k->item_count++] = (struct item){
			.key = k->calls->like[i],
			.rank_ns = ns,
			.span = i,
		};
	}
	return add_groups(k, FINDING_QUEUE_GAP);
}

struct stretch {
	int64_t offset_ns; /* from the start of the span */
	int64_t length_ns;
	bool has_children; /* that were waited for */
};

static void stretch_widen(struct stretch *s, int64_t from, int64_t to,
			  int64_t start)
{
	int64_t length = sat_sub_i64(to, from);

	if (length <= s->length_ns)
		return;
	s->length_ns = length;
	s->offset_ns = sat_sub_i64(from, start);
}

/* The longest time in which no child ran. Children lie by recorded start;
 * moved ones of other hosts are inside their calls, so seldom among them. */
static struct stretch find_stretch(const struct collect *k, uint32_t span)
{
	const struct trace *t = k->t;
	const struct span *s = &t->spans[span];
	int64_t start = moved_start(k, span);
	int64_t covered_to = start;
	struct stretch found = { 0 };

	for (uint32_t i = 0; i < s->child_count; i++) {
		uint32_t child = t->children[s->child_first + i];

		if (k->times->tree[child] == child)
			continue;
		found.has_children = true;
		stretch_widen(&found, covered_to, moved_start(k, child), start);
		covered_to = max_i64(covered_to, moved_end(k, child));
	}
	stretch_widen(&found, covered_to, moved_end(k, span), start);
	return found;
}

/* A stretch without any child, of the whole critical path. */
#define GAP_PERCENT 30

/* Without children the whole span is one gap, which is no news. */
static bool collect_gaps(struct collect *k)
{
	for (uint32_t i = 0; i < k->t->span_count; i++) {
		struct finding_facts facts = { .kind = FINDING_GAP, .span = i };
		struct stretch s;

		if (!k->times->is_on_path[i] ||
		    k->calls->kind[i] != CALL_NONE ||
		    !k->t->spans[i].child_count)
			continue;
		s = find_stretch(k, i);
		if (!s.has_children ||
		    !collect_matters(k, s.length_ns, FINDING_LEAST_NS,
				     GAP_PERCENT))
			continue;
		facts.time_ns = s.length_ns;
		facts.other_ns = s.offset_ns;
		if (!collect_add(k, &facts, &i, 1))
			return false;
	}
	return true;
}

/* From the end of sending to the begin of working. */
#define MESSAGE_DELAY_NS ((int64_t)100000000)

static bool collect_message_delays(struct collect *k)
{
	const struct result *r = k->result;
	bool is_queue = r->has_cause && r->cause.kind == CAUSE_QUEUE;
	struct messages messages;

	if (!messages_find(k->t, k->times, &k->scratch, &messages, k->err))
		return false;
	k->item_count = 0;
	for (size_t i = 0; i < messages.count; i++) {
		const struct message *m = &messages.items[i];

		/* The subject of the answer is not a finding. */
		if (m->wait_ns < MESSAGE_DELAY_NS ||
		    (is_queue && r->span.span == m->receiver))
			continue;
		k->items[k->item_count++] = (struct item){
			.key = k->calls->like[m->receiver],
			.rank_ns = m->wait_ns,
			.span = m->receiver,
		};
	}
	return add_groups(k, FINDING_MESSAGE_DELAY);
}

static bool collect_init(struct collect *k)
{
	size_t n = k->t->span_count;

	k->items = arena_array(&k->scratch, n, sizeof *k->items);
	k->groups = arena_array(&k->scratch, n, sizeof *k->groups);
	k->spans = arena_array(&k->scratch, n, sizeof *k->spans);
	k->durations = arena_array(&k->scratch, n, sizeof *k->durations);
	k->is_told = arena_array(&k->scratch, n, sizeof *k->is_told);
	if (!k->items || !k->groups || !k->spans || !k->durations ||
	    !k->is_told)
		return arena_fail(&k->scratch, "the trace", k->err);
	return siblings_find(k->calls, k->times, &k->scratch, &k->siblings,
			     k->err) &&
	       retries_find(k->calls, k->times, &k->siblings, &k->scratch,
			    &k->retries, k->err);
}

bool findings_collect(const struct calls *c, const struct trace_times *times,
		      const struct repeats *repeats, struct result *result,
		      struct error *err)
{
	struct collect k = { .calls = c,
			     .t = c->t,
			     .times = times,
			     .result = result,
			     .err = err };
	bool is_done;

	arena_init(&k.scratch, LIMIT_DECODE_HEAP_BYTES);
	is_done = collect_init(&k) && add_repeats(&k, repeats) &&
		  collect_retries(&k) && collect_fan_outs(&k) &&
		  collect_cold_calls(&k) && add_slow_queries(&k) &&
		  collect_consecutive(&k) && collect_queue_gaps(&k) &&
		  collect_gaps(&k) && add_errors(&k) &&
		  collect_message_delays(&k) && add_awaited(&k) &&
		  add_session(&k) &&
		  /* Requests of a session are told with it. */
		  (times->session.request_count ||
		   (add_async(&k) && add_roots(&k))) &&
		  add_skew(&k) && add_whole_starts(&k);
	arena_release(&k.scratch);
	return is_done;
}
