/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/nplusone.h"

#include <stdlib.h>

#include "base/num.h"

/* Wrapper spans looked through to find the call inside. */
#define CHAIN_SPANS 4

/* Spans of one turn of the loop, as in Sentry's M:N+1 rule. */
#define TURN_SPANS 5u

/* A child of the span under examination. */
struct child {
	uint64_t key; /* of itself and of the call inside */
	uint32_t span;
	uint32_t leaf;
	uint32_t place; /* among its siblings */
	uint8_t kind;   /* of the call inside, enum call_kind */
};

struct run {
	uint32_t first; /* into the sorted children */
	uint32_t count;
};

struct search {
	const struct calls *calls;
	const struct trace_times *times;
	struct arena *arena;
	struct child *children; /* in order of start */
	struct child *sorted;   /* by key, then by start */
	struct repeats *out;
};

static bool is_call(const struct calls *c, uint32_t span)
{
	return c->kind[span] != CALL_NONE;
}

/* The call a span makes: its own, or the one inside wrappers that do little
 * else; SPAN_NONE when it makes none. */
static uint32_t find_leaf(const struct calls *c, uint32_t span)
{
	const struct trace *t = c->t;
	const struct span *top = &t->spans[span];
	uint32_t at = span;

	for (int i = 0; i < CHAIN_SPANS; i++) {
		const struct span *s = &t->spans[at];

		if (is_call(c, at))
			return span_duration_ns(s) >= span_duration_ns(top) / 2
				       ? at
				       : SPAN_NONE;
		if (s->kind != SPAN_KIND_INTERNAL || s->child_count != 1 ||
		    s->resource != top->resource)
			break;
		at = t->children[s->child_first];
	}
	return SPAN_NONE;
}

static struct child examine(const struct calls *c, uint32_t span,
			    uint32_t place)
{
	uint32_t leaf = find_leaf(c, span);
	uint32_t call = leaf == SPAN_NONE ? span : leaf;

	return (struct child){
		.key = (uint64_t)c->key[span] << 32 | c->key[call],
		.span = span,
		.leaf = call,
		.place = place,
		.kind = leaf == SPAN_NONE ? CALL_NONE : c->kind[leaf],
	};
}

static int compare_child(const void *left, const void *right)
{
	const struct child *a = left;
	const struct child *b = right;
	int order = compare_u64(a->key, b->key);

	return order ? order : compare_i64(a->place, b->place);
}

static bool is_same_kind(const struct child *a, const struct child *b)
{
	return a->kind == b->kind ||
	       (a->kind == CALL_CACHE && b->kind == CALL_DATABASE) ||
	       (a->kind > CALL_CACHE && b->kind > CALL_CACHE);
}

/* Between two repetitions only calls of the same kind, or the same spans as
 * in the turn before. */
static bool is_next_turn(const struct search *s, const struct child *before,
			 const struct child *a, const struct child *b)
{
	const struct child *list = s->children;
	uint32_t stride = b->place - a->place;
	bool is_equal = !before || a->place - before->place == stride;
	bool is_calls = true;

	if (stride > TURN_SPANS || s->calls->t->spans[b->span].start_ns <
					   s->calls->t->spans[a->span].end_ns)
		return false;
	for (uint32_t i = 1; i < stride; i++) {
		is_calls &= is_same_kind(&list[a->place + i], a);
		is_equal = is_equal &&
			   (!before || list[a->place + i].key ==
					       list[before->place + i].key);
	}
	return is_calls || is_equal;
}

static bool is_repeat(const struct repeat *r)
{
	if (r->kind == CALL_DATABASE)
		return r->count >= REPEAT_DB_COUNT && r->sum_ns >= REPEAT_DB_NS;
	return r->count >= REPEAT_CALL_COUNT && r->sum_ns >= REPEAT_CALL_NS &&
	       r->sum_ns / r->count <= REPEAT_CALL_MEAN_NS;
}

static bool keep_repeat(struct search *s, const struct repeat *r,
			const struct child *list)
{
	struct repeats *out = s->out;
	void *items = out->items;
	void *members = out->members;

	if (!arena_reserve(s->arena, &items, &out->cap, out->count + 1,
			   sizeof *out->items))
		return false;
	out->items = items;
	if (!arena_reserve(s->arena, &members, &out->member_cap,
			   out->member_count + r->count, sizeof *out->members))
		return false;
	out->members = members;
	out->items[out->count++] = *r;
	for (uint32_t i = 0; i < r->count; i++)
		out->members[out->member_count++] = list[i].span;
	return true;
}

/* Adds the run when it is long enough. */
static bool add_run(struct search *s, uint32_t parent, struct run run)
{
	const struct child *list = s->sorted + run.first;
	const struct trace *t = s->calls->t;
	struct repeat r = {
		.parent = parent,
		.leaf = list->leaf,
		.count = run.count,
		.member_first = (uint32_t)s->out->member_count,
		.kind = (enum call_kind)list->kind,
		.start_ns = t->spans[list->span].start_ns,
		.end_ns = t->spans[list[run.count - 1].span].end_ns,
	};

	for (uint32_t i = 0; i < run.count; i++) {
		uint32_t span = list[i].span;

		r.sum_ns = sat_add_i64(r.sum_ns,
				       span_duration_ns(&t->spans[span]));
		r.through_ns =
			sat_add_i64(r.through_ns, s->times->through_ns[span]);
	}
	return !is_repeat(&r) || keep_repeat(s, &r, list);
}

static bool can_repeat(const struct search *s, const struct child *child)
{
	return child->kind != CALL_NONE && child->kind != CALL_CACHE &&
	       calls_text_is_whole(s->calls, child->leaf);
}

/* Cuts the sorted children into runs of one key. */
static bool find_runs(struct search *s, uint32_t parent, uint32_t count)
{
	const struct child *list = s->sorted;
	struct run run = { 0 };

	for (uint32_t i = 0; i <= count; i++) {
		const struct child *a = run.count ? &list[i - 1] : NULL;

		if (a && i < count && list[i].key == a->key &&
		    is_next_turn(s, run.count > 1 ? a - 1 : NULL, a,
				 &list[i])) {
			run.count++;
			continue;
		}
		if (run.count >= REPEAT_DB_COUNT && !add_run(s, parent, run))
			return false;
		run = (struct run){ i, i < count && can_repeat(s, &list[i]) };
	}
	return true;
}

static bool search_children(struct search *s, uint32_t parent)
{
	const struct trace *t = s->calls->t;
	const struct span *p = &t->spans[parent];
	uint32_t count = 0;

	if (p->child_count < REPEAT_DB_COUNT)
		return true;
	for (uint32_t i = 0; i < p->child_count; i++) {
		uint32_t span = t->children[p->child_first + i];

		if (s->times->tree[span] == span)
			continue;
		s->children[count] = examine(s->calls, span, count);
		s->sorted[count] = s->children[count];
		count++;
	}
	if (count < REPEAT_DB_COUNT)
		return true;
	qsort(s->sorted, count, sizeof *s->sorted, compare_child);
	return find_runs(s, parent, count);
}

static int compare_repeat(const void *left, const void *right)
{
	const struct repeat *a = left;
	const struct repeat *b = right;
	int order = compare_i64(b->through_ns, a->through_ns);

	if (!order)
		order = compare_i64(b->sum_ns, a->sum_ns);
	return order ? order : compare_i64(a->leaf, b->leaf);
}

bool repeats_find(const struct calls *c, const struct trace_times *times,
		  struct arena *arena, struct repeats *out, struct error *err)
{
	uint32_t n = c->t->span_count;
	struct search s = {
		.calls = c,
		.times = times,
		.arena = arena,
		.children = arena_array(arena, n, sizeof *s.children),
		.sorted = arena_array(arena, n, sizeof *s.sorted),
		.out = out,
	};
	bool is_done = s.children && s.sorted;

	*out = (struct repeats){ 0 };
	for (uint32_t i = 0; is_done && i < n; i++)
		is_done = search_children(&s, i);
	if (!is_done)
		return arena_fail(arena, "the trace", err);
	if (out->count)
		qsort(out->items, out->count, sizeof *out->items,
		      compare_repeat);
	return true;
}
