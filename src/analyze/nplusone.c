/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/nplusone.h"

#include <stdlib.h>

#include "analyze/retries.h"
#include "base/num.h"

/* Calls that overlap by less than a tenth follow one another on a clock that
 * is read too late. */
#define SMALL_OVERLAP 10

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
	bool is_loose; /* its turns were not all alike */
};

struct search {
	const struct calls *calls;
	const struct trace_times *times;
	struct arena *arena;
	struct child *children; /* in order of start */
	struct child *sorted;   /* by key, then by start */
	struct repeats *out;
};

static struct child examine(const struct calls *c, uint32_t span,
			    uint32_t place)
{
	uint32_t leaf = calls_inside(c, span);
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

static bool is_same_turn(const struct search *s, const struct child *before,
			 const struct child *a, const struct child *b)
{
	const struct child *list = s->children;
	uint32_t stride = b->place - a->place;

	if (!before)
		return true;
	if (a->place - before->place != stride)
		return false;
	for (uint32_t i = 1; i < stride; i++) {
		if (list[a->place + i].key != list[before->place + i].key)
			return false;
	}
	return true;
}

/* Between two repetitions only calls of the same kind, or the same spans as
 * in the turn before. */
static bool is_next_turn(const struct search *s, struct run *run,
			 const struct child *a, const struct child *b)
{
	uint32_t stride = b->place - a->place;
	bool is_equal;

	if (stride > REPEAT_TURN_SPANS)
		return false;
	is_equal = is_same_turn(s, run->count > 1 ? a - 1 : NULL, a, b);
	for (uint32_t i = 1; !is_equal && i < stride; i++) {
		if (!is_same_kind(&s->children[a->place + i], a))
			return false;
	}
	run->is_loose |= !is_equal;
	return true;
}

/* What decides whether a run is worth a word. */
struct turns {
	uint32_t count; /* without attempts that failed */
	uint32_t spans; /* of one turn */
	int64_t longest_ns;
	bool is_loose;
	int64_t turn_ns; /* all queries of all turns */
};

static bool is_small_loop(const struct repeat *r, const struct turns *t)
{
	return !t->is_loose && t->spans > 1 && t->count >= REPEAT_TURN_COUNT &&
	       t->turn_ns >= REPEAT_DB_NS &&
	       sat_mul_i64(r->sum_ns, REPEAT_TURN_SHARE) >= t->turn_ns &&
	       r->sum_ns / r->count <= REPEAT_CALL_MEAN_NS;
}

/* Often enough for their kind; *least_ns: what they must take together. */
static bool is_often(const struct repeat *r, const struct turns *t,
		     int64_t *least_ns)
{
	if (r->kind == CALL_DATABASE) {
		*least_ns = REPEAT_DB_NS;
		return t->count >= REPEAT_DB_COUNT;
	}
	if (r->kind == CALL_CACHE) {
		*least_ns = REPEAT_CACHE_NS;
		return t->count >= REPEAT_CACHE_COUNT;
	}
	*least_ns = REPEAT_CALL_NS;
	return t->count >= REPEAT_CALL_COUNT &&
	       r->sum_ns / r->count <= REPEAT_CALL_MEAN_NS;
}

/* No waves of calls, of which each waits for the one before. */
static bool is_at_once(const struct repeat *r, const struct turns *t)
{
	return r->is_parallel &&
	       (t->count < REPEAT_PARALLEL_COUNT ||
		r->sum_ns < sat_mul_i64(t->longest_ns, REPEAT_PARALLEL_WAVES));
}

/* Sets is_minor. */
static bool is_repeat(struct repeat *r, const struct turns *t)
{
	int64_t least_ns;

	if (is_at_once(r, t)) {
		r->is_at_once = r->is_minor = true;
		return t->count >= REPEAT_CALL_COUNT &&
		       r->sum_ns >= REPEAT_MINOR_NS;
	}
	if (r->kind == CALL_DATABASE && is_small_loop(r, t))
		return true;
	if (!is_often(r, t, &least_ns) || r->sum_ns < REPEAT_MINOR_NS)
		return false;
	r->is_minor = r->sum_ns < least_ns;
	return true;
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

/* Members by start: the time that one of them ran, each moment once. */
static void add_member(const struct search *s, struct repeat *r,
		       struct turns *turns, uint32_t span)
{
	const struct span *m = &s->calls->t->spans[span];
	int64_t from = m->start_ns > r->end_ns ? m->start_ns : r->end_ns;

	if (sat_sub_i64(r->end_ns, m->start_ns) >
	    span_duration_ns(m) / SMALL_OVERLAP)
		r->is_parallel = true;
	if (m->end_ns > from)
		r->sum_ns = sat_add_i64(r->sum_ns, m->end_ns - from);
	if (m->end_ns > r->end_ns)
		r->end_ns = m->end_ns;
	if (span_duration_ns(m) > turns->longest_ns)
		turns->longest_ns = span_duration_ns(m);
	turns->count += !call_has_failed(s->calls, span);
	r->through_ns = sat_add_i64(r->through_ns, s->times->through_ns[span]);
}

/* Queries of all turns: from the first span of the first one to the last
 * span of the last one, which may be cut. */
static void sum_turns(const struct search *s, struct turns *turns,
		      const struct child *list, uint32_t count)
{
	const struct trace *t = s->calls->t;

	turns->spans = list[1].place - list->place;
	for (uint32_t i = list->place; i <= list[count - 1].place; i++) {
		const struct child *child = &s->children[i];

		if (child->kind == CALL_DATABASE)
			turns->turn_ns = sat_add_i64(
				turns->turn_ns,
				span_duration_ns(&t->spans[child->span]));
	}
}

/* Side by side only some of the calls are on the path; what the rest took is
 * no time of the parent's own. */
static void fill_parallel(struct repeat *r)
{
	if (r->is_parallel && r->through_ns > 0 && r->through_ns < r->sum_ns)
		r->through_ns = r->sum_ns;
}

/* Adds the run when it is long enough. */
static bool add_run(struct search *s, uint32_t parent, const struct run *run)
{
	const struct child *list = s->sorted + run->first;
	int64_t start_ns = s->calls->t->spans[list->span].start_ns;
	struct turns turns = { .is_loose = run->is_loose };
	struct repeat r = {
		.parent = parent,
		.leaf = list->leaf,
		.count = run->count,
		.member_first = (uint32_t)s->out->member_count,
		.kind = (enum call_kind)list->kind,
		.start_ns = start_ns,
		.end_ns = start_ns,
	};

	for (uint32_t i = 0; i < run->count; i++)
		add_member(s, &r, &turns, list[i].span);
	sum_turns(s, &turns, list, run->count);
	fill_parallel(&r);
	if (!is_repeat(&r, &turns) ||
	    calls_is_page(s->calls, list[0].leaf, list[1].leaf))
		return true;
	return keep_repeat(s, &r, list);
}

static bool can_repeat(const struct search *s, const struct child *child)
{
	return child->kind != CALL_NONE &&
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
		    is_next_turn(s, &run, a, &list[i])) {
			run.count++;
			continue;
		}
		if (run.count >= REPEAT_TURN_COUNT && !add_run(s, parent, &run))
			return false;
		run = (struct run){ .first = i };
		run.count = i < count && can_repeat(s, &list[i]);
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

enum repeat_manner repeat_manner(const struct repeat *r)
{
	if (r->is_at_once)
		return REPEAT_SIDE_BY_SIDE;
	return r->is_parallel ? REPEAT_SOME_AT_A_TIME : REPEAT_ONE_BY_ONE;
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
