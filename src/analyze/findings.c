/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/findings.h"

#include <stdlib.h>

#include "analyze/skew.h"
#include "analyze/wording.h"
#include "base/num.h"

/* A span among others with equal keys, which make one finding. */
struct item {
	uint64_t key;
	uint32_t message;
	uint32_t span;
};

struct group {
	uint32_t first; /* into the items */
	uint32_t count;
	uint32_t span;   /* first member */
	int64_t rank_ns; /* higher ones come first */
};

struct collect {
	const struct calls *calls;
	const struct trace *t;
	const struct trace_times *times;
	struct result *result;
	struct arena scratch;
	struct item *items;
	uint32_t item_count;
	struct group *groups;
	uint32_t group_count;
	uint32_t *spans;
	struct buf text;
	struct error *err;
};

/* Ends a finding whose words are in k->text. */
static bool add(struct collect *k, struct str kind, const uint32_t *spans,
		size_t count)
{
	struct result *r = k->result;
	size_t size = r->finding_count * sizeof *r->findings;
	size_t kept = count < FINDING_SPAN_IDS ? count : FINDING_SPAN_IDS;
	struct finding *grown =
		arena_grow(&r->arena, r->findings, size, size + sizeof *grown);
	struct finding *f;

	if (!grown)
		return arena_fail(&r->arena, "the answer", k->err);
	r->findings = grown;
	f = &grown[r->finding_count];
	*f = (struct finding){ .kind = kind, .span_id_count = kept };
	if (!wording_take(&k->text, &r->arena, &f->text, k->err))
		return false;
	f->span_ids = arena_array(&r->arena, kept, sizeof *f->span_ids);
	if (!f->span_ids)
		return arena_fail(&r->arena, "the answer", k->err);
	for (size_t i = 0; i < kept; i++)
		f->span_ids[i] = k->t->spans[spans[i]].span_id;
	r->finding_count++;
	return true;
}

static bool add_rest(struct collect *k, struct str kind, size_t count,
		     const char *what)
{
	if (count <= FINDINGS_PER_KIND)
		return true;
	buf_addf(&k->text, "%zu more %s", count - FINDINGS_PER_KIND, what);
	return add(k, kind, NULL, 0);
}

static bool add_repeats(struct collect *k, const struct repeats *repeats)
{
	for (size_t i = 0; i < repeats->count && i < FINDINGS_PER_KIND; i++) {
		const struct repeat *r = &repeats->items[i];

		wording_add_span(&k->text, k->t, r->parent);
		buf_addf(&k->text, ": %u x ", r->count);
		wording_add_call(&k->text, k->calls, r->leaf);
		buf_add_text(&k->text, ", one after another, ");
		wording_add_duration(&k->text, r->sum_ns);
		if (!add(k, STR("n_plus_one"),
			 repeats->members + r->member_first, r->count))
			return false;
	}
	return add_rest(k, STR("n_plus_one"), repeats->count, "loops of calls");
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

static int compare_group(const void *left, const void *right)
{
	const struct group *a = left;
	const struct group *b = right;
	int order = compare_i64(b->rank_ns, a->rank_ns);

	return order ? order : compare_i64(a->span, b->span);
}

/* Equal items become groups: those with the longest span first, or by the
 * time of the first one. */
static void group_items(struct collect *k, bool is_by_duration)
{
	struct group *g = NULL;

	k->group_count = 0;
	if (k->item_count)
		qsort(k->items, k->item_count, sizeof *k->items, compare_item);
	for (uint32_t i = 0; i < k->item_count; i++) {
		const struct item *item = &k->items[i];
		int64_t ns = span_duration_ns(&k->t->spans[item->span]);

		k->spans[i] = item->span;
		if (!i || item->key != item[-1].key ||
		    item->message != item[-1].message) {
			g = &k->groups[k->group_count++];
			*g = (struct group){ .first = i, .span = item->span };
		}
		g->count++;
		if (is_by_duration && ns > g->rank_ns)
			g->rank_ns = ns;
	}
	if (k->group_count)
		qsort(k->groups, k->group_count, sizeof *k->groups,
		      compare_group);
}

static bool add_slow_query(struct collect *k, const struct group *g)
{
	wording_add(&k->text, span_service(k->t, g->span), WORDING_TEXT_BYTES);
	buf_add_text(&k->text, ": ");
	wording_add_call(&k->text, k->calls, g->span);
	buf_add_text(&k->text, g->count > 1 ? " took up to " : " took ");
	wording_add_duration(&k->text, g->rank_ns);
	wording_add_peer(&k->text, " at ", k->calls, g->span);
	if (g->count > 1)
		buf_addf(&k->text, ", %u times slow", g->count);
	return add(k, STR("slow_query"), k->spans + g->first, g->count);
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
			.span = i,
		};
	}
	group_items(k, true);
	for (uint32_t i = 0; i < k->group_count && i < FINDINGS_PER_KIND; i++) {
		if (!add_slow_query(k, &k->groups[i]))
			return false;
	}
	return add_rest(k, STR("slow_query"), k->group_count, "slow queries");
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

static struct str error_text(const struct trace *t, uint32_t span)
{
	struct str text = trace_text(t, t->spans[span].status_message);

	if (!text.len)
		text = span_attr(t, span, STR("exception.message"));
	if (!text.len)
		text = span_attr(t, span, STR("error.type"));
	return text.len ? text : STR("failed");
}

static bool add_error(struct collect *k, const struct group *g)
{
	wording_add_span(&k->text, k->t, g->span);
	buf_add_text(&k->text, ": ");
	wording_add(&k->text, error_text(k->t, g->span), WORDING_TEXT_BYTES);
	if (g->count > 1)
		buf_addf(&k->text, " (%u times)", g->count);
	return add(k, STR("error"), k->spans + g->first, g->count);
}

/* Where failures began: failed spans without a failed one below them. */
static bool add_errors(struct collect *k)
{
	const struct trace *t = k->t;
	const bool *is_above = mark_above_errors(k);

	if (!is_above)
		return arena_fail(&k->scratch, "the trace", k->err);
	k->item_count = 0;
	for (uint32_t i = 0; i < t->span_count; i++) {
		const struct span *s = &t->spans[i];

		if (!(s->flags & SPAN_IS_ERROR) || is_above[i])
			continue;
		k->items[k->item_count++] = (struct item){
			.key = (uint64_t)t->resources[s->resource].service
				       << 32 |
			       s->name,
			.message = s->status_message,
			.span = i,
		};
	}
	group_items(k, false);
	for (uint32_t i = 0; i < k->group_count && i < FINDINGS_PER_KIND; i++) {
		if (!add_error(k, &k->groups[i]))
			return false;
	}
	return add_rest(k, STR("error"), k->group_count, "kinds of errors");
}

static bool add_async(struct collect *k)
{
	const struct trace *t = k->t;
	uint32_t count = 0;
	uint32_t longest = SPAN_NONE;

	for (uint32_t i = 0; i < t->span_count; i++) {
		if (k->times->tree[i] != i || t->spans[i].parent == SPAN_NONE)
			continue;
		k->spans[count++] = i;
		if (longest == SPAN_NONE ||
		    span_duration_ns(&t->spans[i]) >
			    span_duration_ns(&t->spans[longest]))
			longest = i;
	}
	if (!count)
		return true;
	buf_addf(&k->text, "%u %s nobody waited for, the longest ", count,
		 count == 1 ? "span" : "spans");
	wording_add_span(&k->text, t, longest);
	buf_add_text(&k->text, ", ");
	wording_add_duration(&k->text, span_duration_ns(&t->spans[longest]));
	buf_add_text(&k->text, "; not on the critical path");
	return add(k, STR("async_work"), k->spans, count);
}

static bool add_skew(struct collect *k)
{
	int64_t most = 0;
	uint32_t count = 0;

	for (uint32_t i = 0; i < k->t->span_count; i++) {
		int64_t ns = clock_skew_ns(k->t, k->times->shift_ns, i);

		if (!ns)
			continue;
		k->spans[count++] = i;
		ns = ns < 0 ? sat_sub_i64(0, ns) : ns;
		most = ns > most ? ns : most;
	}
	if (!count)
		return true;
	buf_addf(&k->text,
		 "clocks disagree: %u %s not fit into the caller's "
		 "time by up to ",
		 count, count == 1 ? "call does" : "calls do");
	wording_add_duration(&k->text, most);
	buf_add_text(&k->text, "; moved for the critical path only");
	return add(k, STR("clock_skew"), k->spans, count);
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
	size_t n = c->t->span_count;
	bool is_done;

	arena_init(&k.scratch, LIMIT_DECODE_HEAP_BYTES);
	buf_init(&k.text, WORDING_BYTES);
	k.items = arena_array(&k.scratch, n, sizeof *k.items);
	k.groups = arena_array(&k.scratch, n, sizeof *k.groups);
	k.spans = arena_array(&k.scratch, n, sizeof *k.spans);
	if (k.items && k.groups && k.spans)
		is_done = add_repeats(&k, repeats) && add_slow_queries(&k) &&
			  add_errors(&k) && add_async(&k) && add_skew(&k);
	else
		is_done = arena_fail(&k.scratch, "the trace", err);
	buf_release(&k.text);
	arena_release(&k.scratch);
	return is_done;
}
