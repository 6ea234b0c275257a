/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/findings.h"

#include <stdlib.h>

#include "analyze/collect.h"
#include "analyze/skew.h"
#include "analyze/wording.h"
#include "base/num.h"

bool collect_add(struct collect *k, struct str kind, const uint32_t *spans,
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

bool collect_add_rest(struct collect *k, struct str kind, size_t count,
		      const char *what)
{
	if (count <= FINDINGS_PER_KIND)
		return true;
	buf_addf(&k->text, "%zu more %s", count - FINDINGS_PER_KIND, what);
	return collect_add(k, kind, NULL, 0);
}

static bool add_repeats(struct collect *k, const struct repeats *repeats)
{
	for (size_t i = 0; i < repeats->count && i < FINDINGS_PER_KIND; i++) {
		const struct repeat *r = &repeats->items[i];

		wording_add_span(&k->text, k->t, r->parent);
		buf_addf(&k->text, ": %u x ", r->count);
		wording_add_call(&k->text, k->calls, r->leaf);
		buf_addf(&k->text, ", %s, ", repeat_manner(r));
		wording_add_duration(&k->text, r->sum_ns);
		if (!collect_add(k, STR("n_plus_one"),
				 repeats->members + r->member_first, r->count))
			return false;
	}
	return collect_add_rest(k, STR("n_plus_one"), repeats->count,
				"loops of calls");
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

void collect_place(struct collect *k, uint32_t call)
{
	uint32_t server = span_server_side(k->t, call);
	struct str instance = { "", 0 };

	if (server != SPAN_NONE)
		instance =
			resource_instance(k->t, k->t->spans[server].resource);
	if (!instance.len) {
		wording_add_peer(&k->text, " at ", k->calls, call);
		return;
	}
	buf_add_text(&k->text, " at ");
	wording_add(&k->text, span_service(k->t, server), WORDING_TEXT_BYTES);
	buf_add_text(&k->text, " (");
	wording_add(&k->text, instance, WORDING_TEXT_BYTES);
	buf_add_char(&k->text, ')');
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
	return collect_add(k, STR("slow_query"), k->spans + g->first, g->count);
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
		if (!add_slow_query(k, &k->groups[i]))
			return false;
	}
	return collect_add_rest(k, STR("slow_query"), k->group_count,
				"slow queries");
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

/* "HTTP 503" */
static bool add_code(struct buf *out, const struct trace *t, uint32_t span,
		     const char *protocol, const char *name)
{
	struct str code = span_attr(t, span, str_from(name));

	if (!code.len)
		return false;
	buf_addf(out, "%s ", protocol);
	wording_add(out, code, WORDING_TEXT_BYTES);
	return true;
}

void finding_tell_error(struct buf *out, const struct trace *t, uint32_t span)
{
	struct str text = trace_text(t, t->spans[span].status_message);

	if (!text.len)
		text = span_attr(t, span, STR("exception.message"));
	if (!text.len)
		text = span_attr(t, span, STR("error.type"));
	if (text.len)
		wording_add(out, text, WORDING_TEXT_BYTES);
	else if (!add_code(out, t, span, "HTTP", "http.response.status_code") &&
		 !add_code(out, t, span, "HTTP", "http.status_code") &&
		 !add_code(out, t, span, "gRPC", "rpc.grpc.status_code"))
		buf_add_text(out, "failed");
}

static bool add_error(struct collect *k, const struct group *g)
{
	wording_add_span(&k->text, k->t, g->span);
	buf_add_text(&k->text, ": ");
	finding_tell_error(&k->text, k->t, g->span);
	if (g->count > 1)
		buf_addf(&k->text, " (%u times)", g->count);
	if (g->rank_ns)
		buf_add_text(&k->text, "; the request failed with it");
	return collect_add(k, STR("error"), k->spans + g->first, g->count);
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
	return collect_add_rest(k, STR("error"), k->group_count,
				"kinds of errors");
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
	return collect_add(k, STR("async_work"), k->spans, count);
}

/* The tree that took longest is analysed; the waterfall shows all. */
static bool add_roots(struct collect *k)
{
	const struct trace *t = k->t;

	if (t->root_count < 2)
		return true;
	buf_addf(&k->text, "%u more %s besides ", t->root_count - 1,
		 t->root_count == 2 ? "root" : "roots");
	wording_add_span(&k->text, t, t->roots[0]);
	buf_add_text(&k->text, t->root_count == 2 ? ": " : ", the longest ");
	wording_add_span(&k->text, t, t->roots[1]);
	buf_add_text(&k->text, ", ");
	wording_add_duration(&k->text,
			     span_duration_ns(&t->spans[t->roots[1]]));
	return collect_add(k, STR("other_roots"), t->roots + 1,
			   t->root_count - 1);
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
	int64_t least, most;
	uint32_t count = find_skewed(k, &least, &most);
	uint32_t moved = 0;

	if (!count)
		return true;
	for (uint32_t i = 0; i < k->t->span_count; i++)
		moved += k->times->shift_ns[i] != 0;
	buf_addf(&k->text,
		 "clocks disagree: %u %s not fit into the caller's time, by ",
		 count, count == 1 ? "call does" : "calls do");
	wording_add_duration(&k->text, least);
	if (least != most) {
		buf_add_text(&k->text, " to ");
		wording_add_duration(&k->text, most);
	}
	buf_addf(&k->text, "; %u %s moved for the critical path only", moved,
		 moved == 1 ? "span" : "spans");
	return collect_add(k, STR("clock_skew"), k->spans, count);
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
	buf_init(&k.text, WORDING_BYTES);
	is_done = prepare(&k) && add_repeats(&k, repeats) &&
		  collect_retries(&k) && collect_fan_outs(&k) &&
		  collect_cold_calls(&k) && add_slow_queries(&k) &&
		  collect_consecutive(&k) && collect_queue_gaps(&k) &&
		  collect_gaps(&k) && add_errors(&k) &&
		  collect_message_delays(&k) && add_async(&k) &&
		  add_roots(&k) && add_skew(&k);
	buf_release(&k.text);
	arena_release(&k.scratch);
	return is_done;
}
