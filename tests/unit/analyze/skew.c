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

static void skewed_callee(void **state)
{
	struct fixture_times c;

	(void)state;
	fixture_times_begin(&c, "1 0 a C client 100 200 @host.name=a\n"
		  "2 1 b S server 350 410 @host.name=b\n"
		  "3 2 b I work 360 390 @host.name=b\n");
	assert_int_equal(c.times.shift_ns[fixture_span(&c.t, 2)],
			 fixture_ms(-230));
	expect(&c, 1, 40, 40, 100);
	expect(&c, 2, 30, 30, 60);
	expect(&c, 3, 30, 30, 30);
	assert_int_equal(c.times.async_count, 0);
	fixture_times_end(&c);
}

static void skew_early_and_longer(void **state)
{
	struct fixture_times c;

	(void)state;
	fixture_times_begin(&c, "1 0 a C client 210 260 @host.name=a\n"
		  "2 1 b S server 200 280 @host.name=b\n");
	assert_int_equal(c.times.shift_ns[fixture_span(&c.t, 2)],
			 fixture_ms(10));
	expect(&c, 1, 0, 0, 50);
	expect(&c, 2, 80, 50, 50);
	fixture_times_end(&c);
}

/* 1 % longer than its call is a matter of clocks and is capped, more is not:
 * then only what fits into the call counts. */
static void skew_slightly_longer(void **state)
{
	struct fixture_times c;

	(void)state;
	fixture_times_begin(&c, "1 0 a C client 100 200 @host.name=a\n"
		  "2 1 b S server 150 251 @host.name=b\n");
	assert_int_equal(c.times.shift_ns[fixture_span(&c.t, 2)],
			 fixture_ms(-50));
	expect(&c, 1, 0, 0, 100);
	expect(&c, 2, 101, 100, 100);
	fixture_times_end(&c);
	fixture_times_begin(&c, "1 0 a C client 100 200 @host.name=a\n"
		  "2 1 b S server 150 251.1 @host.name=b\n");
	assert_int_equal(c.times.shift_ns[fixture_span(&c.t, 2)], 0);
	expect(&c, 1, 50, 50, 100);
	expect(&c, 2, 101.1, 50, 50);
	fixture_times_end(&c);
}

/* The client's span is missing; a callee cannot begin before its caller. */
static void skew_without_client(void **state)
{
	struct fixture_times c;

	(void)state;
	fixture_times_begin(&c, "1 0 a S root 100 200 @host.name=a\n"
		  "2 1 b S early 20 80 @host.name=b\n"
		  "3 1 c S late 190 250 @host.name=c\n");
	assert_int_equal(c.times.shift_ns[fixture_span(&c.t, 2)],
			 fixture_ms(100));
	assert_int_equal(c.times.shift_ns[fixture_span(&c.t, 3)], 0);
	expect(&c, 2, 60, 60, 60);
	expect(&c, 3, 60, 10, 10);
	fixture_times_end(&c);
}

/* The caller's side has no kind, and only this child. */
static void skew_without_kind(void **state)
{
	struct fixture_times c;

	(void)state;
	fixture_times_begin(&c, "1 0 a S root 0 300 @host.name=a\n"
		  "2 1 a I call 100 200 @host.name=a\n"
		  "3 2 b S serve 150 210 @host.name=b\n"
		  "4 1 a I calls 210 300 @host.name=a\n"
		  "5 4 c S serve 260 310 @host.name=c\n"
		  "6 4 a I step 210 220 @host.name=a\n");
	assert_int_equal(c.times.shift_ns[fixture_span(&c.t, 3)],
			 fixture_ms(-10));
	assert_int_equal(c.times.shift_ns[fixture_span(&c.t, 5)], 0);
	fixture_times_end(&c);
	/* longer than its call: that one did not wait */
	fixture_times_begin(&c, "1 0 a S root 0 300 @host.name=a\n"
		  "2 1 a I call 100 200 @host.name=a\n"
		  "3 2 b S serve 150 252 @host.name=b\n");
	assert_int_equal(c.times.shift_ns[fixture_span(&c.t, 3)], 0);
	fixture_times_end(&c);
}

/* The caller gave up after 100 ms; its callee went on, or began later. */
static void given_up(void **state)
{
	struct fixture_times c;

	(void)state;
	fixture_times_begin(&c, "1 0 a S root 0 500 @host.name=a\n"
		  "2 1 a C call 0 100 error @host.name=a\n"
		  "3 2 b S serve 5 400 @host.name=b\n"
		  "4 1 a C call 200 300 error @host.name=a\n"
		  "5 4 c S serve 320 420 @host.name=c\n");
	assert_int_equal(c.times.shift_ns[fixture_span(&c.t, 3)], 0);
	assert_int_equal(c.times.shift_ns[fixture_span(&c.t, 5)], 0);
	expect(&c, 2, 5, 5, 100);
	expect(&c, 3, 395, 95, 95);
	expect(&c, 4, 100, 100, 100);
	assert_int_equal(c.times.tree[fixture_span(&c.t, 5)],
			 fixture_span(&c.t, 5));
	fixture_times_end(&c);
}

/* a -> b (clock ahead) -> a: the way back needs no move. */
static void skew_there_and_back(void **state)
{
	struct fixture_times c;

	(void)state;
	fixture_times_begin(&c, "1 0 a C out 0 100 @host.name=a\n"
		  "2 1 b S in 1010 1090 @host.name=b\n"
		  "3 2 b C out 1020 1080 @host.name=b\n"
		  "4 3 a S in 30 70 @host.name=a\n");
	assert_int_equal(c.times.shift_ns[fixture_span(&c.t, 2)],
			 fixture_ms(-1000));
	assert_int_equal(c.times.shift_ns[fixture_span(&c.t, 3)],
			 fixture_ms(-1000));
	assert_int_equal(c.times.shift_ns[fixture_span(&c.t, 4)], 0);
	expect(&c, 4, 40, 40, 40);
	fixture_times_end(&c);
}

static void not_skewed(void **state)
{
	struct fixture_times c;

	(void)state;
	/* Same host; a caller that gave up; a pair that fits elsewhere. */
	fixture_times_begin(&c, "1 0 a S root 0 1000 @host.name=a\n"
		  "2 1 a C client 100 200 @host.name=a\n"
		  "3 2 b S server 150 210 @host.name=a\n"
		  "4 1 a C client 300 400 error @host.name=a\n"
		  "5 4 c S server 350 410 @host.name=c\n"
		  "6 1 a C client 500 600 @host.name=a\n"
		  "7 6 d S server 550 610 @host.name=d\n"
		  "8 1 a C client 700 800 @host.name=a\n"
		  "9 8 d S server 710 790 @host.name=d\n"
		  "a 1 a P send 810 820 @host.name=a\n"
		  "b a e K process 815 900 @host.name=e\n");
	for (uint32_t i = 0; i < c.t.span_count; i++)
		assert_int_equal(c.times.shift_ns[i], 0);
	expect(&c, 2, 50, 50, 100);
	expect(&c, 3, 60, 50, 50);
	fixture_times_end(&c);
}

/* Another call of the two fits, so that one which reaches beyond its caller's
 * was left alone by it; but none is served after its answer. */
static void apart_from_its_call(void **state)
{
	struct fixture_times c;

	(void)state;
	fixture_times_begin(&c, "1 0 a S root 0 1000 @host.name=a\n"
		  "2 1 a C client 100 226 @host.name=a\n"
		  "3 2 b S server 301 401 @host.name=b\n"
		  "4 1 a C client 500 600 @host.name=a\n"
		  "5 4 b S server 510 590 @host.name=b\n"
		  "6 1 a C client 700 800 @host.name=a\n"
		  "7 6 b S server 750 810 @host.name=b\n");
	assert_int_equal(c.times.shift_ns[fixture_span(&c.t, 3)],
			 fixture_ms(-188));
	assert_int_equal(c.times.shift_ns[fixture_span(&c.t, 5)], 0);
	assert_int_equal(c.times.shift_ns[fixture_span(&c.t, 7)], 0);
	expect(&c, 2, 26, 26, 126);
	expect(&c, 3, 100, 100, 100);
	fixture_times_end(&c);
	/* It took longer than its call as well: both begin together. */
	fixture_times_begin(&c, "1 0 a C client 100 226 @host.name=a\n"
		  "2 1 b S server 301 501 @host.name=b\n");
	assert_int_equal(c.times.shift_ns[fixture_span(&c.t, 2)],
			 fixture_ms(-201));
	expect(&c, 1, 0, 0, 126);
	expect(&c, 2, 200, 126, 126);
	fixture_times_end(&c);
}

/* A callee that ends just after its caller is on the same clock: what it ran
 * for is not moved onto what ran before it. Later, it is moved by no more than
 * that. */
static void ends_late(void **state)
{
	struct fixture_times c;

	(void)state;
	fixture_times_begin(&c, "1 0 a S root 0 1600 @host.name=a\n"
		  "2 1 a C call 10 1510 @host.name=a\n"
		  "3 2 a I refresh 20 980 @host.name=a\n"
		  "4 2 b S serve 1000 1525 @host.name=b\n");
	assert_int_equal(c.times.shift_ns[fixture_span(&c.t, 4)], 0);
	expect(&c, 3, 960, 960, 960);
	expect(&c, 4, 525, 510, 510);
	fixture_times_end(&c);
	fixture_times_begin(&c, "1 0 a S root 0 1600 @host.name=a\n"
		  "2 1 a C call 10 1510 @host.name=a\n"
		  "3 2 a I refresh 20 980 @host.name=a\n"
		  "4 2 b S serve 1000 1526 @host.name=b\n");
	assert_int_equal(c.times.shift_ns[fixture_span(&c.t, 4)],
			 fixture_ms(-16));
	expect(&c, 3, 960, 960, 960);
	expect(&c, 4, 526, 526, 526);
	fixture_times_end(&c);
	/* of a short call a millisecond is none either */
	fixture_times_begin(&c, "1 0 a C call 0 10 @host.name=a\n"
		  "2 1 b S serve 8 11 @host.name=b\n");
	assert_int_equal(c.times.shift_ns[fixture_span(&c.t, 2)], 0);
	fixture_times_end(&c);
}

UNIT_TESTS(skew)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(skewed_callee),
		cmocka_unit_test(skew_early_and_longer),
		cmocka_unit_test(skew_slightly_longer),
		cmocka_unit_test(skew_without_client),
		cmocka_unit_test(skew_without_kind),
		cmocka_unit_test(given_up),
		cmocka_unit_test(skew_there_and_back),
		cmocka_unit_test(not_skewed),
		cmocka_unit_test(ends_late),
		cmocka_unit_test(apart_from_its_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
