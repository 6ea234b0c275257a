/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/findings.h"

#include <stdlib.h>

#include "analyze/calls.h"
#include "analyze/trace_analysis.h"
#include "base/num.h"
#include "model/result.h"

/* Calls that overlap by less than a tenth follow one another on a clock that
 * is read too late. */
#define SMALL_OVERLAP 10

/* A child of the span under examination. */
struct child {
	uint64_t key; /* of itself and of the call inside */
	int64_t start_ns;
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

static int compare_child(const void *left, const void *right)
{
	const struct child *a = left;
	const struct child *b = right;
	int order = compare_u64(a->key, b->key);

	return order ? order : compare_i64(a->place, b->place);
}

/* Spans are numbered by their recorded starts. */
static int compare_child_start(const void *left, const void *right)
{
	const struct child *a = left;
	const struct child *b = right;
	int order = compare_i64(a->start_ns, b->start_ns);

	return order ? order : compare_i64(a->span, b->span);
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

#define REPEAT_TURN_SPANS 8u

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
		uint8_t kind = s->children[a->place + i].kind;

		if (kind != a->kind &&
		    (kind != CALL_CACHE || a->kind != CALL_DATABASE) &&
		    (kind <= CALL_CACHE || a->kind <= CALL_CACHE))
			return false;
	}
	run->is_loose |= !is_equal;
	return true;
}

/* Facts that decide whether a run is reported. */
struct turns {
	uint32_t count; /* without attempts that failed */
	uint32_t spans; /* of one turn */
	int64_t longest_ns;
	bool is_loose;
	int64_t turn_ns; /* all queries of all turns */
};

#define REPEAT_TURN_SHARE 10

#define REPEAT_TURN_COUNT 3u

#define REPEAT_CALL_MEAN_NS ((int64_t)100000000)

#define REPEAT_DB_NS ((int64_t)50000000)

#define REPEAT_CACHE_NS ((int64_t)100000000)

/* Caches answer in a millisecond: 20 and more that take 100 ms together. */
#define REPEAT_CACHE_COUNT 20u

#define REPEAT_CALL_NS ((int64_t)300000000)

/* HTTP, RPC and messages: 10 and more that take 300 ms together, of 100 ms
 * at most on average: slower ones are slow calls, whatever their number. */
#define REPEAT_CALL_COUNT 10u

/* Database calls: 5 and more that take 50 ms together. */
#define REPEAT_DB_COUNT 5u

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

/* Less time is told when history says that their number grew: 48 calls of
 * 3 ms, usually 2, are why a request is slow, though no rule of thumb would
 * mind them. */
#define REPEAT_MINOR_NS ((int64_t)10000000)

/* Sets is_minor. */
static bool is_repeat(struct repeat *r, const struct turns *t)
{
	int64_t least_ns;

	/* No waves of calls, of which each waits for the one before. */
	if (r->is_parallel && (t->count < REPEAT_PARALLEL_COUNT ||
			       r->sum_ns < sat_mul_i64(t->longest_ns,
						       REPEAT_PARALLEL_WAVES))) {
		r->is_at_once = r->is_minor = true;
		return t->count >= REPEAT_CALL_COUNT &&
		       r->sum_ns >= REPEAT_MINOR_NS;
	}
	/* Loops over several calls: turns of 2 to 8 spans that repeat exactly,
	 * 3 turns and more, whose queries take as long together as those of a
	 * plain loop. Told are those that take a tenth of it and 100 ms at most
	 * on average: else three turns are three slow queries. */
	if (r->kind == CALL_DATABASE && !t->is_loose && t->spans > 1 &&
	    t->count >= REPEAT_TURN_COUNT && t->turn_ns >= REPEAT_DB_NS &&
	    sat_mul_i64(r->sum_ns, REPEAT_TURN_SHARE) >= t->turn_ns &&
	    r->sum_ns / r->count <= REPEAT_CALL_MEAN_NS)
		return true;
	if (!is_often(r, t, &least_ns) || r->sum_ns < REPEAT_MINOR_NS)
		return false;
	r->is_minor = r->sum_ns < least_ns;
	return true;
}

/* Room for one more of so many members. */
static bool repeats_reserve(struct search *s, uint32_t members_more)
{
	struct repeats *out = s->out;
	void *items = out->items;
	void *members = out->members;

	if (!arena_reserve(s->arena, &items, &out->cap, out->count + 1,
			   sizeof *out->items))
		return false;
	out->items = items;
	if (!arena_reserve(s->arena, &members, &out->member_cap,
			   out->member_count + members_more,
			   sizeof *out->members))
		return false;
	out->members = members;
	return true;
}

/* Members by start: the time that one of them ran, each moment once. */
static void add_member(const struct search *s, struct repeat *r,
		       struct turns *turns, uint32_t span)
{
	const struct span *m = &s->calls->t->spans[span];
	int64_t start_ns = trace_times_start_ns(s->calls->t, s->times, span);
	int64_t end_ns = trace_times_end_ns(s->calls->t, s->times, span);
	int64_t from = start_ns > r->end_ns ? start_ns : r->end_ns;

	if (sat_sub_i64(r->end_ns, start_ns) >
	    span_duration_ns(m) / SMALL_OVERLAP)
		r->is_parallel = true;
	if (end_ns > from)
		r->sum_ns = sat_add_i64(r->sum_ns, end_ns - from);
	if (end_ns > r->end_ns)
		r->end_ns = end_ns;
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
	struct repeats *out = s->out;
	int64_t start_ns =
		trace_times_start_ns(s->calls->t, s->times, list->span);
	struct turns turns = { .is_loose = run->is_loose };
	struct repeat r = {
		.parent = parent,
		.leaf = list->leaf,
		.count = run->count,
		.member_first = (uint32_t)out->member_count,
		.kind = (enum call_kind)list->kind,
		.start_ns = start_ns,
		.end_ns = start_ns,
		.holder = SPAN_NONE,
	};

	for (uint32_t i = 0; i < run->count; i++)
		add_member(s, &r, &turns, list[i].span);
	sum_turns(s, &turns, list, run->count);
	fill_parallel(&r);
	if (!is_repeat(&r, &turns) ||
	    calls_is_page(s->calls, list[0].leaf, list[1].leaf))
		return true;
	if (!repeats_reserve(s, r.count))
		return false;
	out->items[out->count++] = r;
	for (uint32_t i = 0; i < r.count; i++)
		out->members[out->member_count++] = list[i].span;
	return true;
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
		run.count = i < count && list[i].kind != CALL_NONE &&
			    calls_text_is_whole(s->calls, list[i].leaf);
	}
	return true;
}

static bool search_children(struct search *s, uint32_t parent)
{
	const struct calls *c = s->calls;
	const struct trace *t = c->t;
	const struct span *p = &t->spans[parent];
	uint32_t count = 0;

	if (p->child_count < REPEAT_DB_COUNT)
		return true;
	for (uint32_t i = 0; i < p->child_count; i++) {
		uint32_t span = t->children[p->child_first + i];
		uint32_t inside, call;

		if (s->times->tree[span] == span)
			continue;
		inside = calls_inside(c, span);
		call = inside == SPAN_NONE ? span : inside;
		s->children[count++] = (struct child){
			.key = (uint64_t)c->key[span] << 32 | c->key[call],
			.start_ns = trace_times_start_ns(t, s->times, span),
			.span = span,
			.leaf = call,
			.kind = inside == SPAN_NONE ? CALL_NONE
						    : c->kind[inside],
		};
	}
	if (count < REPEAT_DB_COUNT)
		return true;
	if (s->times->late_count)
		qsort(s->children, count, sizeof *s->children,
		      compare_child_start);
	for (uint32_t i = 0; i < count; i++) {
		s->children[i].place = i;
		s->sorted[i] = s->children[i];
	}
	qsort(s->sorted, count, sizeof *s->sorted, compare_child);
	return find_runs(s, parent, count);
}

/* ---- calls below repeated spans ---- */

#define PATH_NONE UINT32_MAX

/* A span by the way to it from the top of its tree: spans whose ways are alike
 * have one number. Whoever was called does not matter on the way. */
struct way {
	int64_t start_ns;
	uint32_t above; /* the way to its parent */
	uint32_t key;
	uint32_t span;
};

/* Loops whose calls have one way. */
struct told {
	uint32_t first;  /* of them, REPEAT_NONE: none */
	uint32_t count;  /* calls of the largest */
	uint32_t member; /* the way to members around their calls */
	int64_t sum_ns;
	bool is_major;
};

#define REPEAT_NONE UINT32_MAX

struct nest {
	struct search *s;
	uint32_t *path;       /* by span */
	uint32_t *path_above; /* by path: that of the parents, PATH_NONE */
	uint32_t path_count;
	uint32_t *queue;   /* spans, level by level */
	struct way *ways;  /* of one level; then of all calls */
	uint32_t *climb;   /* spans on the way up */
	uint32_t *visited; /* by span: number of the climb that met it */
	uint32_t round;
	struct told *told; /* by path */
	uint32_t *next;    /* by repeat: another one of its way */
	bool *is_dropped;  /* by repeat */
};

static int compare_way(const void *left, const void *right)
{
	const struct way *a = left;
	const struct way *b = right;
	int order = compare_i64(a->above, b->above);

	if (!order)
		order = compare_i64(a->key, b->key);
	if (!order)
		order = compare_i64(a->start_ns, b->start_ns);
	return order ? order : compare_i64(a->span, b->span);
}

/* Tops of trees have ways of their own. */
static void number_level(struct nest *n, uint32_t count)
{
	const uint32_t *tree = n->s->times->tree;

	qsort(n->ways, count, sizeof *n->ways, compare_way);
	for (uint32_t i = 0; i < count; i++) {
		const struct way *w = &n->ways[i];

		if (!i || w->above != w[-1].above || w->key != w[-1].key ||
		    tree[w->span] == w->span)
			n->path_above[n->path_count++] = w->above;
		n->path[w->span] = n->path_count - 1;
	}
}

/* Level by level from the roots: parents are numbered before children. */
static void number_paths(struct nest *n)
{
	const struct calls *c = n->s->calls;
	const struct trace *t = c->t;
	const uint32_t *tree = n->s->times->tree;
	uint32_t first = 0, end = 0;

	for (uint32_t i = 0; i < t->span_count; i++)
		if (t->spans[i].parent == SPAN_NONE)
			n->queue[end++] = i;
	while (first < end) {
		uint32_t level_end = end, count = 0;

		for (; first < level_end; first++) {
			uint32_t span = n->queue[first];
			const struct span *s = &t->spans[span];

			n->ways[count++] = (struct way){
				.above = tree[span] == span
						 ? PATH_NONE
						 : n->path[s->parent],
				.key = c->kind[span] == CALL_NONE
					       ? c->like[span]
					       : c->key[span],
				.span = span,
			};
			for (uint32_t k = 0; k < s->child_count; k++)
				n->queue[end++] =
					t->children[s->child_first + k];
		}
		number_level(n, count);
	}
}

/* Replaces spans by their parents, each once; all are of one level of a tree,
 * whose top is left alone. */
static uint32_t climb_up(struct nest *n, uint32_t count)
{
	const struct span *spans = n->s->calls->t->spans;
	uint32_t kept = 0;

	n->round++;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t up = spans[n->climb[i]].parent;

		if (n->visited[up] == n->round)
			continue;
		n->visited[up] = n->round;
		n->climb[kept++] = up;
	}
	return kept;
}

/* The lowest span that all calls lie below, with the spans right below it that
 * they are in: false when it is their parent or too far up. */
static bool find_holders(struct nest *n, const struct way *calls,
			 uint32_t count, struct repeat *r)
{
	uint32_t left = count;

	for (uint32_t i = 0; i < count; i++)
		n->climb[i] = calls[i].span;
	for (uint32_t level = 0; level < REPEAT_NESTED_LEVELS; level++) {
		uint32_t holder = n->climb[0], holders = left;

		left = climb_up(n, left);
		if (left != 1)
			continue;
		r->parent = n->climb[0];
		r->holder = holder;
		r->holder_count = holders;
		return level > 0;
	}
	return false;
}

static void told_add(struct nest *n, uint32_t repeat)
{
	const struct repeats *out = n->s->out;
	const struct repeat *r = &out->items[repeat];
	struct told *t = &n->told[n->path[r->leaf]];
	uint32_t member = n->path[out->members[r->member_first]];

	n->next[repeat] = t->first;
	t->first = repeat;
	if (r->count > t->count)
		t->count = r->count;
	if (r->sum_ns > t->sum_ns)
		t->sum_ns = r->sum_ns;
	if (member < t->member)
		t->member = member;
	t->is_major |= !r->is_minor;
}

static void told_init(struct told *t)
{
	*t = (struct told){ .first = REPEAT_NONE, .member = PATH_NONE };
}

static void told_drop(struct nest *n, struct told *t)
{
	for (uint32_t i = t->first; i != REPEAT_NONE; i = n->next[i])
		n->is_dropped[i] = true;
	told_init(t);
}

/* Such calls stand for the repeated calls that they lie below when they are
 * more and take most of their time. */
#define REPEAT_NESTED_PERCENT 80

/* Drops all but one of nested loops. Returns false if this one is dropped. */
static bool drop_others(struct nest *n, const struct repeat *r)
{
	uint32_t path = n->path[r->leaf];
	uint32_t above[REPEAT_NESTED_LEVELS], count = 0;

	if (n->told[path].member == n->path[r->holder])
		return false;
	for (uint32_t up = n->path_above[path];
	     up != PATH_NONE && count < REPEAT_NESTED_LEVELS;
	     up = n->path_above[up]) {
		const struct told *outer = &n->told[up];
		int64_t least_ns =
			sat_mul_i64(outer->sum_ns, REPEAT_NESTED_PERCENT);

		if (outer->first != REPEAT_NONE &&
		    (r->count <= outer->count ||
		     (r->is_minor && outer->is_major) ||
		     sat_mul_i64(r->sum_ns, 100) < least_ns))
			return false;
		above[count++] = up;
	}
	told_drop(n, &n->told[path]);
	for (uint32_t i = 0; i < count; i++)
		told_drop(n, &n->told[above[i]]);
	return true;
}

static bool keep_nested(struct nest *n, const struct repeat *r,
			const struct way *calls)
{
	struct repeats *out = n->s->out;

	if (!drop_others(n, r))
		return true;
	if (!repeats_reserve(n->s, r->count))
		return false;
	for (uint32_t i = 0; i < r->count; i++)
		out->members[out->member_count++] = calls[i].span;
	out->items[out->count] = *r;
	told_add(n, (uint32_t)out->count++);
	return true;
}

/* Returns whether so many like calls are a loop over the spans that they are
 * below. */
static bool add_nested(struct nest *n, const struct way *calls, uint32_t count)
{
	struct search *s = n->s;
	uint32_t leaf = calls->span;
	int64_t start_ns = trace_times_start_ns(s->calls->t, s->times, leaf);
	struct turns turns = { .is_loose = true };
	struct repeat r = {
		.leaf = leaf,
		.count = count,
		.member_first = (uint32_t)s->out->member_count,
		.kind = (enum call_kind)s->calls->kind[leaf],
		.start_ns = start_ns,
		.end_ns = start_ns,
	};

	if (!calls_text_is_whole(s->calls, leaf) ||
	    !find_holders(n, calls, count, &r))
		return true;
	for (uint32_t i = 0; i < count; i++)
		add_member(s, &r, &turns, calls[i].span);
	fill_parallel(&r);
	if (!is_repeat(&r, &turns) || r.is_at_once ||
	    calls_is_page(s->calls, calls[0].span, calls[1].span))
		return true;
	return keep_nested(n, &r, calls);
}

/* Calls by their ways, which are numbered from the roots on: outer ones come
 * before those within them. */
static bool find_nested(struct nest *n)
{
	const struct search *s = n->s;
	uint32_t count = 0, end;

	for (uint32_t i = 0; i < s->calls->t->span_count; i++)
		if (s->calls->kind[i] != CALL_NONE && s->times->tree[i] != i)
			n->ways[count++] =
				(struct way){ trace_times_start_ns(s->calls->t,
								   s->times, i),
					      n->path[i], 0, i };
	if (count)
		qsort(n->ways, count, sizeof *n->ways, compare_way);
	for (uint32_t first = 0; first < count; first = end) {
		for (end = first; end < count &&
				  n->ways[end].above == n->ways[first].above;
		     end++)
			;
		if (end - first >= REPEAT_DB_COUNT &&
		    !add_nested(n, n->ways + first, end - first))
			return false;
	}
	return true;
}

static bool search_nested(struct search *s)
{
	size_t n = s->calls->t->span_count, kept = 0;
	struct repeats *out = s->out;
	struct nest nest = {
		.s = s,
		.path = arena_array(s->arena, n, sizeof *nest.path),
		.path_above = arena_array(s->arena, n, sizeof *nest.path_above),
		.queue = arena_array(s->arena, n, sizeof *nest.queue),
		.ways = arena_array(s->arena, n, sizeof *nest.ways),
		.climb = arena_array(s->arena, n, sizeof *nest.climb),
		.visited = arena_array(s->arena, n, sizeof *nest.visited),
		.told = arena_array(s->arena, n, sizeof *nest.told),
		/* There are at most as many loops of either kind as spans. */
		.next = arena_array(s->arena, n, sizeof *nest.next),
		.is_dropped =
			arena_array(s->arena, n, sizeof *nest.is_dropped),
	};

	if (!nest.path || !nest.path_above || !nest.queue || !nest.ways ||
	    !nest.climb || !nest.visited || !nest.told || !nest.next ||
	    !nest.is_dropped)
		return false;
	number_paths(&nest);
	for (size_t i = 0; i < n; i++)
		told_init(&nest.told[i]);
	for (size_t i = 0; i < out->count; i++)
		told_add(&nest, (uint32_t)i);
	if (!find_nested(&nest))
		return false;
	for (size_t i = 0; i < out->count; i++)
		if (!nest.is_dropped[i])
			out->items[kept++] = out->items[i];
	out->count = kept;
	return true;
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
	is_done = is_done && search_nested(&s);
	if (!is_done)
		return arena_fail(arena, "the trace", err);
	if (out->count)
		qsort(out->items, out->count, sizeof *out->items,
		      compare_repeat);
	return true;
}
