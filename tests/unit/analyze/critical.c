/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "times_fixture.h"

#include "analyze/trace_analysis.h"

static void expect(const struct fixture_times *c, uint64_t id, double self_ms,
		   double critical_ms, double through_ms)
{
	uint32_t span = fixture_span(&c->t, id);

	assert_int_equal(c->times.self_ns[span], fixture_ms(self_ms));
	assert_int_equal(c->times.critical_ns[span], fixture_ms(critical_ms));
	assert_int_equal(c->times.through_ns[span], fixture_ms(through_ms));
	assert_int_equal(c->times.is_on_path[span],
			 through_ms > 0 &&
				 c->times.tree[span] == c->times.root);
}

static void back_to_back(void **state)
{
	struct fixture_times c;

	(void)state;
	fixture_times_begin(&c, "1 0 s I parent 0 100\n"
		  "2 1 s I A 0 50\n"
		  "3 1 s I B 50 100\n");
	expect(&c, 1, 0, 0, 100);
	expect(&c, 2, 50, 50, 50);
	expect(&c, 3, 50, 50, 50);
	assert_int_equal(c.times.path_ns, fixture_ms(100));
	fixture_times_end(&c);
}

static void parallel(void **state)
{
	struct fixture_times c;

	(void)state;
	fixture_times_begin(&c, "1 0 s I parent 0 100\n"
		  "2 1 s I A 10 60\n"
		  "3 1 s I B 20 90\n");
	expect(&c, 1, 20, 30, 100);
	expect(&c, 2, 50, 0, 0);
	expect(&c, 3, 70, 70, 70);
	fixture_times_end(&c);
}

static void overflow(void **state)
{
	struct fixture_times c;

	(void)state;
	fixture_times_begin(&c, "1 0 s I A 0 30\n"
		  "2 1 s I B 15 35\n"
		  "3 2 s I C 20 40\n");
	expect(&c, 1, 15, 15, 30);
	expect(&c, 2, 5, 5, 15);
	expect(&c, 3, 20, 10, 10);
	fixture_times_end(&c);
}

static void async(void **state)
{
	struct fixture_times c;

	(void)state;
	fixture_times_begin(&c, "1 0 s I parent 0 10\n"
		  "2 1 s I child 50 80\n"
		  "3 2 s I below 55 65\n");
	expect(&c, 1, 10, 10, 10);
	expect(&c, 2, 20, 20, 30);
	expect(&c, 3, 10, 10, 10);
	assert_int_equal(c.times.async_count, 1);
	assert_int_equal(c.times.path_ns, fixture_ms(10));
	assert_int_equal(c.times.tree[fixture_span(&c.t, 3)],
			 fixture_span(&c.t, 2));
	fixture_times_end(&c);
}

static void not_waited_for_by_nature(void **state)
{
	struct fixture_times c;

	(void)state;
	fixture_times_begin(&c, "1 0 s S parent 0 100\n"
		  "2 1 s P send 10 60\n"
		  "3 2 w K process 20 50\n"
		  "4 1 s I detached 60 90 follows\n"
		  "5 1 s K receive 90 95\n");
	expect(&c, 1, 45, 45, 100);
	expect(&c, 2, 50, 50, 50);
	expect(&c, 3, 30, 30, 30);
	expect(&c, 4, 30, 30, 30);
	expect(&c, 5, 5, 5, 5);
	assert_int_equal(c.times.async_count, 2);
	fixture_times_end(&c);
}

/* Begun and left: the answer was sent at 20 ms. What ends half after it was
 * waited for as long as could be. */
static void fire_and_forget(void **state)
{
	struct fixture_times c;

	(void)state;
	fixture_times_begin(&c, "1 0 s S GET 0 20\n"
		  "2 1 s I mail 10 1200\n"
		  "3 2 s I render 20 1100\n"
		  "4 1 s I log 5 35\n");
	expect(&c, 1, 5, 5, 20);
	expect(&c, 2, 110, 110, 1190);
	expect(&c, 4, 30, 15, 15);
	assert_int_equal(c.times.async_count, 1);
	assert_int_equal(c.times.path_ns, fixture_ms(20));
	fixture_times_end(&c);
}

/* A parent that gave up, or whose end was lost, had waited; and of another
 * process it is not known who did. */
static void not_left_behind(void **state)
{
	static const char *const texts[] = {
		"1 0 s S GET 0 20 error\n2 1 s I mail 10 1200\n",
		"1 0 s S GET 0 -\n2 1 s I mail 10 1200\n",
		"1 0 s S GET 0 20\n2 1 t I mail 10 1200\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct fixture_times c;

		fixture_times_begin(&c, texts[i]);
		assert_int_equal(c.times.async_count, 0);
		fixture_times_end(&c);
	}
}

/* A consumer in another process works on its own, whatever sent to it. */
static void consumer_elsewhere(void **state)
{
	struct fixture_times c;

	(void)state;
	fixture_times_begin(&c, "1 0 s S parent 0 100\n"
		  "2 1 w K process 60 300\n"
		  "3 2 w I work 70 290\n");
	expect(&c, 1, 100, 100, 100);
	expect(&c, 2, 20, 20, 240);
	expect(&c, 3, 220, 220, 220);
	assert_int_equal(c.times.async_count, 1);
	fixture_times_end(&c);
}

/* The longer root is analysed; a span whose parent is not there is one. */
static void several_roots(void **state)
{
	struct fixture_times c;

	(void)state;
	fixture_times_begin(&c, "1 0 s S short 0 100\n"
		  "2 1 s I below 10 90\n"
		  "3 ff s S orphan 20 200\n"
		  "4 3 s I step 20 150\n");
	assert_int_equal(c.times.root, fixture_span(&c.t, 3));
	assert_int_equal(c.times.path_ns, fixture_ms(180));
	expect(&c, 3, 50, 50, 180);
	expect(&c, 4, 130, 130, 130);
	expect(&c, 1, 20, 20, 100);
	expect(&c, 2, 80, 80, 80);
	fixture_times_end(&c);
}

/* A runs into B by 0.9 of 100 ms: they follow one another, and what is below
 * A is cut with it. By 1 ms they ran side by side. */
static void small_overlap(void **state)
{
	struct fixture_times c;

	(void)state;
	fixture_times_begin(&c, "1 0 s I parent 0 100\n"
		  "2 1 s I A 0 50.9\n"
		  "3 2 s I below 40 50.9\n"
		  "4 1 s I B 50 100\n");
	expect(&c, 1, 0, 0, 100);
	expect(&c, 2, 40, 40, 50);
	expect(&c, 3, 10.9, 10, 10);
	expect(&c, 4, 50, 50, 50);
	fixture_times_end(&c);
	fixture_times_begin(&c, "1 0 s I parent 0 100\n"
		  "2 1 s I A 0 51\n"
		  "4 1 s I B 50 100\n");
	expect(&c, 1, 0, 50, 100);
	expect(&c, 2, 51, 0, 0);
	fixture_times_end(&c);
	/* another one begins, or ends, while both run */
	fixture_times_begin(&c, "1 0 s I parent 0 100\n"
		  "2 1 s I A 0 50.9\n"
		  "3 1 s I begins 50.5 60\n"
		  "4 1 s I B 50 100\n");
	expect(&c, 2, 50.9, 0, 0);
	fixture_times_end(&c);
	fixture_times_begin(&c, "1 0 s I parent 0 100\n"
		  "2 1 s I A 0 50.9\n"
		  "3 1 s I ends 40 50.5\n"
		  "4 1 s I B 50 100\n");
	expect(&c, 2, 50.9, 0, 0);
	expect(&c, 3, 10.5, 10, 10);
	fixture_times_end(&c);
	/* A began after B */
	fixture_times_begin(&c, "1 0 s I parent 0 100\n"
		  "2 1 s I A 50.1 50.9\n"
		  "4 1 s I B 50 100\n");
	expect(&c, 2, 0.8, 0, 0);
	fixture_times_end(&c);
}

/* Of branches side by side the slowest is on the path. */
static void fan_out(void **state)
{
	struct fixture_times c;

	(void)state;
	fixture_times_begin(&c, "1 0 s S root 0 120\n"
		  "2 1 s C part 10 40\n"
		  "3 1 s C part 10 110\n"
		  "4 3 t S part 15 105\n"
		  "5 1 s C part 10 50\n");
	expect(&c, 1, 20, 20, 120);
	expect(&c, 2, 30, 0, 0);
	expect(&c, 3, 10, 10, 100);
	expect(&c, 4, 90, 90, 90);
	expect(&c, 5, 40, 0, 0);
	fixture_times_end(&c);
}

/* Two spans of the same times: the one that is first in order. */
static void twins(void **state)
{
	struct fixture_times c;

	(void)state;
	fixture_times_begin(&c, "1 0 s S root 0 100\n"
		  "3 1 s I two 10 90\n"
		  "2 1 s I one 10 90\n"
		  "4 1 s I shorter 20 90\n");
	expect(&c, 2, 80, 80, 80);
	expect(&c, 3, 80, 0, 0);
	expect(&c, 4, 70, 0, 0);
	fixture_times_end(&c);
}

static void zero_lengths(void **state)
{
	struct fixture_times c;

	(void)state;
	fixture_times_begin(&c, "1 0 s I root 0 10\n"
		  "2 1 s I at-end 10 10\n"
		  "3 1 s I inside 5 5\n"
		  "4 1 s I at-start 0 0\n"
		  "5 1 s I tail 5 10\n"
		  "6 1 s I twin 5 5\n");
	expect(&c, 1, 5, 5, 10);
	expect(&c, 5, 5, 5, 5);
	expect(&c, 3, 0, 0, 0);
	assert_int_equal(c.times.async_count, 0);
	fixture_times_end(&c);
}

static void lost_end(void **state)
{
	struct fixture_times c;

	(void)state;
	fixture_times_begin(&c, "1 0 s S root 0 -\n"
		  "2 1 s I A 10 60\n"
		  "3 1 s I B 70 90\n");
	expect(&c, 1, 20, 20, 90);
	expect(&c, 2, 50, 50, 50);
	assert_int_equal(c.times.async_count, 0);
	fixture_times_end(&c);
}

static void no_spans(void **state)
{
	struct fixture_times c;

	(void)state;
	fixture_times_begin(&c, "");
	assert_int_equal(c.times.root, SPAN_NONE);
	assert_int_equal(c.times.path_ns, 0);
	fixture_times_end(&c);
}

/* ---- random trees against a slow and simple oracle ---- */

#define ORACLE_SPANS 60

static unsigned next_random(unsigned *seed)
{
	*seed = *seed * 1103515245u + 12345u;
	return *seed / 65536;
}

static void random_trace(struct trace *t, unsigned seed)
{
	struct error err = { 0 };
	struct trace_build *b;
	uint32_t resource;
	unsigned count = 2 + next_random(&seed) % (ORACLE_SPANS - 2);

	trace_init(t);
	b = trace_build_new(t, NULL, &err);
	assert_non_null(b);
	trace_build_attrs_begin(b);
	assert_true(trace_build_resource(b, &resource, &err));
	for (unsigned i = 1; i <= count; i++) {
		unsigned start = i == 1 ? 100 : next_random(&seed) % 500;
		unsigned ns = i == 1 ? 350 : next_random(&seed) % 200;
		struct span_input in = {
			.trace_id = { { 1 } },
			.span_id = i,
			.parent_id =
				i == 1 ? 0 : 1 + next_random(&seed) % (i - 1),
			.resource = resource,
			.start_unix_ns = 1000000 + start,
			.end_unix_ns = 1000000 + start + ns,
			.flags = next_random(&seed) % 16 ? 0
							 : SPAN_IS_FOLLOWS_FROM,
		};

		assert_true(trace_build_span(b, &in, &err));
	}
	assert_true(trace_build_finish(b, &err));
	trace_build_free(b);
}

struct oracle {
	const struct trace *t;
	int64_t from[ORACLE_SPANS], to[ORACLE_SPANS];
	bool is_out[ORACLE_SPANS]; /* not waited for */
	int64_t self[ORACLE_SPANS], critical[ORACLE_SPANS];
	unsigned small_overlaps;
};

static bool oracle_is_child(const struct oracle *o, uint32_t child,
			    uint32_t parent)
{
	return o->t->spans[child].parent == parent && !o->is_out[child];
}

static void oracle_clip(struct oracle *o, uint32_t span)
{
	const struct span *s = &o->t->spans[span];

	o->from[span] = s->start_ns;
	o->to[span] = s->end_ns;
	o->is_out[span] = true;
	if (s->parent != SPAN_NONE) {
		const struct span *p = &o->t->spans[s->parent];
		int64_t low = o->from[s->parent], high = o->to[s->parent];
		bool is_after =
			s->start_ns >= p->end_ns && s->end_ns > p->end_ns;
		bool is_before =
			s->end_ns <= p->start_ns && s->start_ns < p->start_ns;

		bool is_left =
			s->end_ns > p->end_ns &&
			s->end_ns - p->end_ns > (s->end_ns - s->start_ns) / 2;

		o->is_out[span] = is_after || is_before || is_left ||
				  (s->flags & SPAN_IS_FOLLOWS_FROM);
		if (!o->is_out[span]) {
			o->from[span] = s->start_ns < low    ? low
					: s->start_ns > high ? high
							     : s->start_ns;
			o->to[span] = s->end_ns < low    ? low
				      : s->end_ns > high ? high
							 : s->end_ns;
		}
	}
	for (uint32_t c = 0; c < o->t->span_count; c++) {
		if (o->t->spans[c].parent == span)
			oracle_clip(o, c);
	}
}

static void oracle_cut(struct oracle *o, uint32_t span, int64_t limit)
{
	o->from[span] = o->from[span] > limit ? limit : o->from[span];
	o->to[span] = o->to[span] > limit ? limit : o->to[span];
	for (uint32_t c = 0; c < o->t->span_count; c++) {
		if (oracle_is_child(o, c, span))
			oracle_cut(o, c, limit);
	}
}

/* Less than a hundredth of the parent in common with the child taken last,
 * begun and ended before it, no other child's begin or end in between. */
static bool oracle_is_just_before(const struct oracle *o, uint32_t child,
				  uint32_t last, int64_t at)
{
	uint32_t parent = o->t->spans[child].parent;
	int64_t end = o->to[child];

	if (last == SPAN_NONE || o->from[child] >= at || end >= o->to[last] ||
	    (end - at) * 100 >= o->to[parent] - o->from[parent])
		return false;
	for (uint32_t c = 0; c < o->t->span_count; c++) {
		if (!oracle_is_child(o, c, parent) || c == child || c == last)
			continue;
		if ((o->from[c] > at && o->from[c] < end) ||
		    (o->to[c] > at && o->to[c] <= end))
			return false;
	}
	return true;
}

/* The rule in words: the child with the largest end, longer first, when it
 * ended by the cursor or just behind it; whatever is left belongs to the
 * span. */
static void oracle_walk(struct oracle *o, uint32_t span)
{
	bool is_used[ORACLE_SPANS] = { false };
	uint32_t last = SPAN_NONE;
	int64_t at = o->to[span];

	for (;;) {
		uint32_t best = SPAN_NONE;

		for (uint32_t c = 0; c < o->t->span_count; c++) {
			if (!oracle_is_child(o, c, span) || is_used[c])
				continue;
			if (best == SPAN_NONE || o->to[c] > o->to[best] ||
			    (o->to[c] == o->to[best] &&
			     o->from[c] < o->from[best]))
				best = c;
		}
		if (best == SPAN_NONE)
			break;
		is_used[best] = true;
		if (o->to[best] > at) {
			if (!oracle_is_just_before(o, best, last, at))
				continue;
			o->small_overlaps++;
			oracle_cut(o, best, at);
		}
		o->critical[span] += at - o->to[best];
		oracle_walk(o, best);
		at = o->from[best];
		last = best;
	}
	o->critical[span] += at - o->from[span];
}

/* Tick by tick: a nanosecond of the span in which no child runs. */
static void oracle_self(struct oracle *o, uint32_t span)
{
	const struct span *s = &o->t->spans[span];

	for (int64_t at = s->start_ns; at < s->end_ns; at++) {
		bool is_covered = false;

		for (uint32_t c = 0; c < o->t->span_count; c++)
			is_covered |= oracle_is_child(o, c, span) &&
				      o->t->spans[c].start_ns <= at &&
				      o->t->spans[c].end_ns > at;
		o->self[span] += !is_covered;
	}
}

static void check_sums(const struct trace *t, const struct trace_times *times)
{
	int64_t sums[ORACLE_SPANS] = { 0 };

	for (uint32_t i = 0; i < t->span_count; i++)
		sums[times->tree[i]] += times->critical_ns[i];
	for (uint32_t i = 0; i < t->span_count; i++) {
		if (times->tree[i] == i)
			assert_int_equal(sums[i],
					 span_duration_ns(&t->spans[i]));
	}
	assert_int_equal(sums[times->root], times->path_ns);
}

static void random_trees(void **state)
{
	unsigned small_overlaps = 0;

	(void)state;
	for (unsigned seed = 1; seed <= 600; seed++) {
		struct trace t;
		struct arena arena;
		struct trace_times times;
		struct error err = { 0 };
		struct oracle o = { .t = &t };

		random_trace(&t, seed);
		arena_init(&arena, GIB);
		assert_true(trace_times_compute(&t, &arena, &times, &err));
		oracle_clip(&o, t.roots[0]);
		for (uint32_t i = 0; i < t.span_count; i++) {
			oracle_self(&o, i);
			if (o.is_out[i])
				oracle_walk(&o, i);
		}
		for (uint32_t i = 0; i < t.span_count; i++) {
			assert_int_equal(times.self_ns[i], o.self[i]);
			assert_int_equal(times.critical_ns[i], o.critical[i]);
			assert_int_equal(times.tree[i] == i, o.is_out[i]);
		}
		check_sums(&t, &times);
		small_overlaps += o.small_overlaps;
		arena_release(&arena);
		trace_release(&t);
	}
	/* the trees hold what they are to test */
	assert_in_range(small_overlaps, 20, UINT32_MAX);
}

/* ---- size ---- */

#define MANY 200000u

static void many(struct trace *t, bool is_deep)
{
	struct error err = { 0 };
	struct trace_build *b;
	uint32_t resource;

	trace_init(t);
	b = trace_build_new(t, NULL, &err);
	assert_non_null(b);
	trace_build_attrs_begin(b);
	assert_true(trace_build_resource(b, &resource, &err));
	for (uint32_t i = 0; i < MANY; i++) {
		uint64_t start = 1000000 + i;
		struct span_input in = {
			.trace_id = { { 1 } },
			.span_id = i + 1,
			.parent_id = is_deep ? i : i > 0,
			.resource = resource,
			.start_unix_ns = start,
			.end_unix_ns = is_deep ? 3000000 - i : start + 1,
		};

		if (!i)
			in.end_unix_ns = 3000000;
		assert_true(trace_build_span(b, &in, &err));
	}
	assert_true(trace_build_finish(b, &err));
	trace_build_free(b);
}

static void deep_chain(void **state)
{
	struct arena arena;
	struct trace_times times;
	struct error err = { 0 };
	struct trace t;

	(void)state;
	many(&t, true);
	arena_init(&arena, GIB);
	assert_true(trace_times_compute(&t, &arena, &times, &err));
	assert_int_equal(times.path_ns, 2000000);
	for (uint32_t i = 0; i + 1 < MANY; i++)
		assert_int_equal(times.critical_ns[i], 2);
	assert_int_equal(times.critical_ns[MANY - 1], 2000000 - 2 * (MANY - 1));
	arena_release(&arena);
	trace_release(&t);
}

static void wide_parent(void **state)
{
	struct arena arena;
	struct trace_times times;
	struct error err = { 0 };
	struct trace t;

	(void)state;
	many(&t, false);
	arena_init(&arena, GIB);
	assert_true(trace_times_compute(&t, &arena, &times, &err));
	assert_int_equal(times.critical_ns[0], 2000000 - (MANY - 1));
	assert_int_equal(times.self_ns[0], 2000000 - (MANY - 1));
	assert_int_equal(times.critical_ns[MANY / 2], 1);
	arena_release(&arena);
	trace_release(&t);
}

UNIT_TESTS(critical)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(back_to_back),
		cmocka_unit_test(parallel),
		cmocka_unit_test(overflow),
		cmocka_unit_test(async),
		cmocka_unit_test(fire_and_forget),
		cmocka_unit_test(not_left_behind),
		cmocka_unit_test(not_waited_for_by_nature),
		cmocka_unit_test(consumer_elsewhere),
		cmocka_unit_test(several_roots),
		cmocka_unit_test(small_overlap),
		cmocka_unit_test(fan_out),
		cmocka_unit_test(twins),
		cmocka_unit_test(zero_lengths),
		cmocka_unit_test(lost_end),
		cmocka_unit_test(no_spans),
		cmocka_unit_test(random_trees),
		cmocka_unit_test(deep_chain),
		cmocka_unit_test(wide_parent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
