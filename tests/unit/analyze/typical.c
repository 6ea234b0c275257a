/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "history_fixture.h"

#include "analyze/operations.h"
#include "analyze/typical.h"

enum { ROOT, SELECT, MISS };

static void begin(struct past *p)
{
	past_init(p);
	past_operation(p, "web", "GET /", SPAN_KIND_SERVER);
	past_operation(p, "web", "SELECT", SPAN_KIND_CLIENT);
	past_operation(p, "web", "miss", SPAN_KIND_INTERNAL);
}

static const struct time_range all = { 0, 0 };

static void build(struct past *p, uint32_t window, struct time_range range,
		  uint32_t slow, struct typical *out)
{
	struct error err = { 0 };

	assert_true(typical_build(&p->h, window, range, ROOT, slow, &p->arena,
				  out, &err));
}

/* Five traces: 10, 20 .. 50 ms, with 1, 2 .. 5 queries of 2 ms; a trace of
 * another root makes one of 90. */
static uint32_t add_queries(struct past *p)
{
	uint32_t window = past_window(p, 0, 1000);

	for (int i = 1; i <= 5; i++) {
		past_span(p, window, ROOT, i * 100, i * 10);
		for (int j = 0; j < i; j++)
			past_add(p, window, SELECT, i * 100 + j, 2);
	}
	past_span(p, window, SELECT, 900, 90);
	return window;
}

static void medians(void **state)
{
	const struct typical_operation *o;
	struct typical u;
	struct past p;

	(void)state;
	begin(&p);
	build(&p, add_queries(&p), all, UINT32_MAX, &u);
	assert_int_equal(u.trace_count, 5);
	o = &u.items[ROOT];
	assert_int_equal(o->span_count, 5);
	assert_int_equal(o->span_p50_ns, fixture_ms(30));
	assert_int_equal(o->span_p90_ns, fixture_ms(40));
	assert_int_equal(o->calls_p50, 1);
	assert_float_equal(o->share, 1, 1e-9);
	assert_float_equal(o->slow_share, -1, 0);
	o = &u.items[SELECT];
	assert_int_equal(o->span_count, 16);
	assert_int_equal(o->trace_count, 6);
	assert_int_equal(o->span_p50_ns, fixture_ms(2));
	/* Sums 2, 4, 6, 8, 10, 90; calls 1, 1, 2, 3, 4, 5. */
	assert_int_equal(o->sum_p50_ns, fixture_ms(7));
	assert_int_equal(o->sum_p90_ns, fixture_ms(10));
	assert_int_equal(o->calls_p50, 2);
	assert_int_equal(o->calls_p90, 4);
	assert_float_equal(o->share, 1, 1e-9);
	past_release(&p);
}

static void duration_of_calls(void **state)
{
	struct typical u;
	struct past p;

	(void)state;
	begin(&p);
	build(&p, add_queries(&p), all, UINT32_MAX, &u);
	/* As many calls as usual: one takes 2 ms, four take two times what
	 * two of them do. */
	assert_int_equal(typical_duration(&u, &u.items[SELECT], 1, 4),
			 fixture_ms(2));
	assert_int_equal(typical_duration(&u, &u.items[SELECT], 4, 4),
			 fixture_ms(14));
	/* 70 calls: all of them would take the sum, half of them the half. */
	assert_int_equal(typical_duration(&u, &u.items[SELECT], 70, 70),
			 fixture_ms(7));
	assert_int_equal(typical_duration(&u, &u.items[SELECT], 35, 70),
			 fixture_ms(3.5));
	/* One of too many. */
	assert_int_equal(typical_duration(&u, &u.items[SELECT], 1, 70),
			 fixture_ms(0.1));
	assert_int_equal(typical_duration(&u, &u.items[ROOT], 1, 1),
			 fixture_ms(30));
	assert_int_equal(typical_duration(&u, NULL, 1, 1), -1);
	past_release(&p);
}

/* Never seen in five traces of the root: new. In four: nobody knows. */
static void new_call(void **state)
{
	struct past p;
	struct typical u;

	(void)state;
	begin(&p);
	build(&p, add_queries(&p), all, UINT32_MAX, &u);
	assert_true(typical_is_known(&u, &u.items[MISS]));
	assert_int_equal(typical_duration(&u, &u.items[MISS], 1, 1), 0);
	build(&p, 0,
	      (struct time_range){ FIXTURE_BASE_NS,
				   FIXTURE_BASE_NS + fixture_ms(450) },
	      UINT32_MAX, &u);
	assert_int_equal(u.trace_count, 4);
	assert_false(typical_is_known(&u, &u.items[MISS]));
	assert_int_equal(typical_duration(&u, &u.items[MISS], 1, 1), -1);
	assert_false(typical_is_known(&u, &u.items[ROOT]));
	past_release(&p);
}

/* One trace in four misses the cache; in the slow window all or a third. */
static void call_of_few(void **state)
{
	struct past p;
	uint32_t healthy, slow, same;
	struct typical u;

	(void)state;
	begin(&p);
	healthy = past_window(&p, 0, 1000);
	slow = past_window(&p, 1000, 2000);
	same = past_window(&p, 1000, 2000);
	for (int i = 0; i < 40; i++) {
		past_span(&p, healthy, ROOT, i, 30);
		if (i % 4 == 0)
			past_add(&p, healthy, MISS, i, 25);
		past_span(&p, slow, ROOT, 1000 + i, 60);
		past_add(&p, slow, MISS, 1000 + i, 25);
		past_span(&p, same, ROOT, 1000 + i, 60);
		if (i % 3 == 0)
			past_add(&p, same, MISS, 1000 + i, 25);
	}
	build(&p, healthy, all, slow, &u);
	assert_float_equal(u.items[MISS].share, 0.25, 1e-9);
	assert_float_equal(u.items[MISS].slow_share, 1, 1e-9);
	assert_int_equal(typical_duration(&u, &u.items[MISS], 1, 1), 0);
	build(&p, healthy, all, same, &u);
	assert_float_equal(u.items[MISS].slow_share, 0.35, 1e-9);
	assert_int_equal(typical_duration(&u, &u.items[MISS], 1, 1),
			 fixture_ms(25));
	past_release(&p);
}

static void add_own(struct typical *u, struct past *p, uint32_t below_root,
		    uint32_t slow)
{
	const uint32_t below[] = { below_root, 0, 0 };
	struct error err = { 0 };

	assert_true(typical_add_own(u, &p->h, 0, all, below, slow, &err));
}

/* 100 ms with queries of 20-50 and 40-70 (they overlap: 50 together), one of
 * 90-130 that ends later, and one outside: 100 - 50 - 10 = 40. The part in
 * "miss" counts as its own when it does not wait for that. */
static void own_time(void **state)
{
	struct past p;
	struct typical u;

	(void)state;
	begin(&p);
	past_window(&p, 0, 10000);
	for (int i = 0; i < 5; i++) {
		past_span(&p, 0, ROOT, i * 1000, 100);
		past_add(&p, 0, MISS, i * 1000, 10);
		past_add(&p, 0, SELECT, i * 1000 + 20, 30);
		past_add(&p, 0, SELECT, i * 1000 + 40, 30);
		past_add(&p, 0, SELECT, i * 1000 + 90, 40);
		past_add(&p, 0, SELECT, i * 1000 + 200, 40);
	}
	build(&p, 0, all, UINT32_MAX, &u);
	add_own(&u, &p, 1u << SELECT, UINT32_MAX);
	assert_int_equal(u.items[ROOT].own_count, 5);
	assert_int_equal(u.items[ROOT].own_p50_ns, fixture_ms(40));
	assert_false(u.items[ROOT].is_own_compared);
	/* Side by side: which query waited for what is not known. */
	assert_int_equal(u.items[SELECT].own_count, 0);
	add_own(&u, &p, 1u << SELECT | 1u << MISS, UINT32_MAX);
	assert_int_equal(u.items[ROOT].own_p50_ns, fixture_ms(30));
	add_own(&u, &p, OPERATIONS_BELOW_UNKNOWN, UINT32_MAX);
	past_release(&p);
}

/* 20 ms of its own, then 24 (a fifth more) or 23. */
static void own_time_moved(void **state)
{
	struct past p;
	struct typical u;

	(void)state;
	begin(&p);
	past_window(&p, 0, 1000);
	for (int window = 1; window <= 2; window++)
		past_window(&p, window * 1000, window * 1000 + 1000);
	for (int i = 0; i < 10; i++) {
		past_span(&p, 0, ROOT, i, 120);
		past_add(&p, 0, SELECT, i, 100);
		past_span(&p, 1, ROOT, 1000 + i, 224);
		past_add(&p, 1, SELECT, 1000 + i, 200);
		past_span(&p, 2, ROOT, 2000 + i, 223);
		past_add(&p, 2, SELECT, 2000 + i, 200);
	}
	for (uint32_t slow = 1; slow <= 2; slow++) {
		build(&p, 0, all, slow, &u);
		add_own(&u, &p, 1u << SELECT, slow);
		assert_true(u.items[ROOT].is_own_compared);
		assert_int_equal(u.items[ROOT].has_own_moved, slow == 1);
		assert_true(u.items[SELECT].has_own_moved);
	}
	past_release(&p);
}

/* 10 to 50 ms beside queries of 2 ms; of four there is no mean. */
static void mean_of_own_times(void **state)
{
	struct error err = { 0 };
	struct past p;
	double ns;

	(void)state;
	begin(&p);
	past_window(&p, 0, 1000);
	for (int i = 1; i <= 5; i++) {
		past_span(&p, 0, ROOT, i * 100, i * 10 + 2);
		past_add(&p, 0, SELECT, i * 100, 2);
	}
	assert_true(typical_mean_own(&p.h, 0, all, ROOT, 1u << SELECT, &ns,
				     &err));
	assert_float_equal(ns, fixture_ms(30), 1);
	assert_true(typical_mean_own(&p.h, 0, all, ROOT,
				     OPERATIONS_BELOW_UNKNOWN, &ns, &err));
	assert_float_equal(ns, -1, 0);
	assert_true(typical_mean_own(&p.h, 1, all, ROOT, 0, &ns, &err));
	assert_float_equal(ns, -1, 0);
	assert_true(typical_mean_own(
		&p.h, 0,
		(struct time_range){ p.h.windows[0].spans[2].start_ns,
				     INT64_MAX },
		ROOT, 1u << SELECT, &ns, &err));
	assert_float_equal(ns, -1, 0);
	past_release(&p);
}

/* Its own 5 ms become 40 from 500 on, beside a call of 100: the whole grows
 * by a third, which is no step. 35 ms are asked for, and 36. */
static void own_onset(void **state)
{
	static const uint32_t below[] = { 1u << SELECT, 0, 0 };
	const uint32_t windows[] = { 0, 1 };
	struct error err = { 0 };
	struct onset onset;
	struct past p;

	(void)state;
	begin(&p);
	past_window(&p, 0, 1000);
	past_window(&p, 1000, 2000);
	for (uint32_t i = 0; i < 40; i++) {
		past_span(&p, i / 20, ROOT, i * 50, i < 10 ? 105 : 140);
		past_add(&p, i / 20, SELECT, i * 50 + 2, 100);
	}
	assert_true(onset_find(&p.h, windows, 2, ROOT, &p.arena, &onset, &err));
	assert_false(onset.is_found);
	assert_true(own_onset_find(&p.h, windows, below, fixture_ms(35), &onset,
				   &err));
	assert_true(onset.is_found);
	assert_int_equal(onset.start_ns, FIXTURE_BASE_NS + fixture_ms(500));
	assert_int_equal(onset.slow_p50_ns, fixture_ms(40));
	assert_int_equal(onset.fast_p50_ns, fixture_ms(5));
	assert_true(own_onset_find(&p.h, windows, below, fixture_ms(36), &onset,
				   &err));
	assert_false(onset.is_found);
	past_release(&p);
}

static void find_by_span(void **state)
{
	struct past p;
	struct typical u;
	struct trace t;

	(void)state;
	begin(&p);
	build(&p, add_queries(&p), all, UINT32_MAX, &u);
	fixture_trace(&t, "1 0 web S \"GET /\" 0 400\n"
			  "2 1 web C SELECT 10 390\n"
			  "3 1 web I SELECT 10 390\n");
	assert_ptr_equal(typical_find(&u, &t, fixture_span(&t, 1)),
			 &u.items[0]);
	assert_ptr_equal(typical_find(&u, &t, fixture_span(&t, 2)),
			 &u.items[1]);
	assert_null(typical_find(&u, &t, fixture_span(&t, 3)));
	trace_release(&t);
	past_release(&p);
}

static void most_moved(void **state)
{
	struct typical_operation items[] = {
		{ .has_own_moved = true,
		  .own_p50_ns = 10,
		  .slow_own_p50_ns = 30,
		  .calls_p50 = 1 },
		{ .has_own_moved = true,
		  .own_p50_ns = 10,
		  .slow_own_p50_ns = 21,
		  .calls_p50 = 2 },
		{ .own_p50_ns = 10, .slow_own_p50_ns = 900, .calls_p50 = 1 },
	};
	struct typical u = { .items = items, .operation_count = 3 };

	(void)state;
	assert_int_equal(typical_most_moved(&u), 1);
	items[1].has_own_moved = false;
	assert_int_equal(typical_most_moved(&u), 0);
	items[0].has_own_moved = false;
	assert_int_equal(typical_most_moved(&u), OPERATION_NONE);
}

UNIT_TESTS(typical)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(medians),
		cmocka_unit_test(duration_of_calls),
		cmocka_unit_test(new_call),
		cmocka_unit_test(call_of_few),
		cmocka_unit_test(own_time),
		cmocka_unit_test(own_time_moved),
		cmocka_unit_test(mean_of_own_times),
		cmocka_unit_test(own_onset),
		cmocka_unit_test(find_by_span),
		cmocka_unit_test(most_moved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
