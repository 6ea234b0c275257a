/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/findings.h"

#include <stdlib.h>

#include "analyze/collect.h"
#include "analyze/skew.h"
#include "base/num.h"
#include "model/trace_join.h"

bool collect_add(struct collect *k, const struct finding_facts *facts,
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

bool collect_add_rest(struct collect *k, enum finding_kind kind, size_t count)
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

/* Of one rank the group that began first. */
static int compare_group(const void *left, const void *right)
{
	const struct group *a = left;
	const struct group *b = right;
	int order = compare_i64(b->rank_ns, a->rank_ns);

	return order ? order : compare_i64(a->span, b->span);
}

void collect_group(struct collect *k)
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

/* part >= whole * percent / 100, without overflow. */
bool collect_matters(const struct collect *k, int64_t time_ns, int64_t least_ns,
		     int64_t percent)
{
	return time_ns >= least_ns &&
	       sat_mul_i64(time_ns, 100) >=
		       sat_mul_i64(k->times->path_ns, percent);
}

static int compare_duration(const void *left, const void *right)
{
	return compare_i64(*(const int64_t *)left, *(const int64_t *)right);
}

int64_t collect_median(struct collect *k, const uint32_t *spans, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		k->durations[i] = span_duration_ns(&k->t->spans[spans[i]]);
	qsort(k->durations, count, sizeof *k->durations, compare_duration);
	return k->durations[(count - 1) / 2];
}

/* Of groups ranked by time. */
static bool add_group(struct collect *k, enum finding_kind kind,
		      const struct group *g)
{
	const struct finding_facts facts = {
		.kind = kind,
		.span = g->span,
		.count = g->count,
		.time_ns = g->rank_ns,
	};

	return collect_add(k, &facts, k->spans + g->first, g->count);
}

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
	collect_group(k);
	for (uint32_t i = 0; i < k->group_count && i < FINDINGS_PER_KIND; i++) {
		if (!add_group(k, FINDING_SLOW_QUERY, &k->groups[i]))
			return false;
	}
	return collect_add_rest(k, FINDING_SLOW_QUERY, k->group_count);
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

static bool add_error(struct collect *k, const struct group *g)
{
	const struct finding_facts facts = {
		.kind = FINDING_ERROR,
		.span = g->span,
		.count = g->count,
		.is_fatal = g->rank_ns != 0,
	};

	return collect_add(k, &facts, k->spans + g->first, g->count);
}

static uint32_t last_child(const struct collect *k, uint32_t span)
{
	const struct span *s = &k->t->spans[span];

	for (uint32_t i = s->child_count; i-- > 0;) {
		uint32_t child = k->t->children[s->child_first + i];

		if (k->times->tree[child] == k->times->root)
			return child;
	}
	return SPAN_NONE;
}

/* The failure that ended the request: from the root down, each failed span
 * did nothing more after the failed one below it. SPAN_NONE when the request
 * went well or failed by itself. */
static uint32_t find_fatal(const struct collect *k)
{
	const struct span *spans = k->t->spans;
	uint32_t span = k->times->root;
	uint32_t below;

	if (!(spans[span].flags & SPAN_IS_ERROR))
		return SPAN_NONE;
	for (;;) {
		below = last_child(k, span);
		if (below == SPAN_NONE || !(spans[below].flags & SPAN_IS_ERROR))
			return span == k->times->root ? SPAN_NONE : span;
		span = below;
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
	fatal = t->span_count ? find_fatal(k) : SPAN_NONE;
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
	collect_group(k);
	for (uint32_t i = 0; i < k->group_count && i < FINDINGS_PER_KIND; i++) {
		if (!add_error(k, &k->groups[i]))
			return false;
	}
	return collect_add_rest(k, FINDING_ERROR, k->group_count);
}

static uint32_t root_of(const struct trace *t, uint32_t span)
{
	while (t->spans[span].parent != SPAN_NONE)
		span = t->spans[span].parent;
	return span;
}

/* The part of it that ran when its request was over. */
static int64_t after_request(const struct collect *k, uint32_t span)
{
	uint32_t root = root_of(k->t, span);
	int64_t after_ns =
		sat_sub_i64(k->t->spans[span].end_ns, k->t->spans[root].end_ns);
	int64_t all_ns = span_duration_ns(&k->t->spans[span]);

	if (after_ns < 0)
		return 0;
	return after_ns < all_ns ? after_ns : all_ns;
}

/* What is analysed itself is told by the answer. */
static bool add_async(struct collect *k)
{
	struct finding_facts facts = { .kind = FINDING_ASYNC_WORK,
				       .span = SPAN_NONE };
	const struct trace *t = k->t;

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
	facts.time_ns = after_request(k, facts.span);
	return collect_add(k, &facts, k->spans, facts.count);
}

/* What a message set off and its sender waited for. */
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

/* Requests of a session are told with it. */
static bool is_one_story(const struct collect *k)
{
	return !k->times->session.request_count;
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

/* Moves of calls against their callers, smallest and largest. */
static uint32_t find_skewed(struct collect *k, int64_t *least, int64_t *most)
{
	uint32_t count = 0;

	*least = INT64_MAX;
	*most = 0;
	for (uint32_t i = 0; i < k->t->span_count; i++) {
		int64_t ns = clock_skew_ns(k->t, k->times->shift_ns, i);

		if (!ns)
			continue;
		k->spans[count++] = i;
		ns = ns < 0 ? sat_sub_i64(0, ns) : ns;
		*most = ns > *most ? ns : *most;
		*least = ns < *least ? ns : *least;
	}
	return count;
}

static bool add_skew(struct collect *k)
{
	struct finding_facts facts = { .kind = FINDING_CLOCK_SKEW };

	facts.count = find_skewed(k, &facts.other_ns, &facts.time_ns);
	if (!facts.count)
		return true;
	for (uint32_t i = 0; i < k->t->span_count; i++)
		facts.moved_count += k->times->shift_ns[i] != 0;
	return collect_add(k, &facts, k->spans, facts.count);
}

static bool prepare(struct collect *k)
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
	is_done = prepare(&k) && add_repeats(&k, repeats) &&
		  collect_retries(&k) && collect_fan_outs(&k) &&
		  collect_cold_calls(&k) && add_slow_queries(&k) &&
		  collect_consecutive(&k) && collect_queue_gaps(&k) &&
		  collect_gaps(&k) && add_errors(&k) &&
		  collect_message_delays(&k) && add_awaited(&k) &&
		  add_session(&k) &&
		  (!is_one_story(&k) || (add_async(&k) && add_roots(&k))) &&
		  add_skew(&k);
	arena_release(&k.scratch);
	return is_done;
}
