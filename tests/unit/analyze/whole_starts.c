/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "times_fixture.h"

#include <stdio.h>

#include "analyze/trace_analysis.h"

/* Other requests of process s: 8 spans that begin at whole milliseconds. */
#define EIGHT                                                                  \
	"e1 0 s I other 1001 1001.5\n"                                         \
	"e2 0 s I other 1002 1002.5\n"                                         \
	"e3 0 s I other 1003 1003.5\n"                                         \
	"e4 0 s I other 1004 1004.5\n"                                         \
	"e5 0 s I other 1005 1005.5\n"                                         \
	"e6 0 s I other 1006 1006.5\n"                                         \
	"e7 0 s I other 1007 1007.5\n"                                         \
	"e8 0 s I other 1008 1008.5\n"

static void expect_late(const struct fixture_times *c, uint64_t id, double ms)
{
	uint32_t span = fixture_span(&c->t, id);

	assert_int_equal(c->times.late_ns[span], fixture_ms(ms));
	assert_int_equal(c->times.shift_ns[span], fixture_ms(ms));
}

static void expect_none(const char *text)
{
	struct fixture_times c;

	fixture_times_begin(&c, text);
	assert_int_equal(c.times.late_count, 0);
	fixture_times_end(&c);
}

static void in_a_row(void **state)
{
	struct fixture_times c;

	(void)state;
	fixture_times_begin(&c, EIGHT "1 0 s S parent 0 5.1\n"
			"2 1 s C query 0 0.4\n"
			"3 1 s C query 0 0.3\n"
			"4 1 s C query 0 2.9\n"
			"5 1 s C query 3 4.2\n");
	/* the shortest first, of those that begin in one millisecond */
	expect_late(&c, 3, 0);
	expect_late(&c, 2, 0.3);
	expect_late(&c, 4, 0.7);
	expect_late(&c, 5, 0.6);
	assert_int_equal(c.times.self_ns[fixture_span(&c.t, 1)],
			 fixture_ms(5.1 - 0.4 - 0.3 - 2.9 - 1.2));
	assert_int_equal(c.times.critical_ns[fixture_span(&c.t, 1)],
			 fixture_ms(5.1 - 0.4 - 0.3 - 2.9 - 1.2));
	assert_int_equal(c.times.late_count, 3);
	fixture_times_end(&c);
}

static void overlaps(void **state)
{
	struct fixture_times c;

	(void)state;
	fixture_times_begin(&c, EIGHT "1 0 s S parent 0 9.5\n"
			"2 1 s C query 0 1.999999\n"
			"3 1 s C query 1 4.5\n"
			"4 0 s I other 1009 1009.5\n");
	expect_late(&c, 3, 0.999999);
	fixture_times_end(&c);
	expect_none(EIGHT "1 0 s S parent 0 9.5\n"
			  "2 1 s C query 0 2\n"
			  "3 1 s C query 1 4.5\n"
			  "4 0 s I other 1009 1009.5\n");
}

static void processes(void **state)
{
	struct fixture_times c;

	(void)state;
	/* 12 spans; 11 may be by chance */
	fixture_times_begin(&c, EIGHT "1 0 s S parent 0 9.5\n"
			"2 1 s C query 0 1.5\n"
			"3 1 s C query 1 4.5\n"
			"4 0 s I other 1009 1009.5\n");
	expect_late(&c, 3, 0.5);
	fixture_times_end(&c);
	expect_none(EIGHT "1 0 s S parent 0 9.5\n"
			  "2 1 s C query 0 1.5\n"
			  "3 1 s C query 1 4.5\n");
	/* what never ended tells nothing */
	expect_none(EIGHT "1 0 s S parent 0 9.5\n"
			  "2 1 s C query 0 1.5\n"
			  "3 1 s C query 1 4.5\n"
			  "4 0 s I other 1009 -\n");
	/* some start is finer */
	expect_none(EIGHT "1 0 s S parent 0 9.5\n"
			  "2 1 s C query 0 1.5\n"
			  "3 1 s C query 1 4.5\n"
			  "4 0 s I other 1009.000001 1009.5\n");
	/* 12 of the root's process, 3 of another with a row */
	expect_none(EIGHT "1 0 s S parent 0 9.5\n"
			  "4 0 s I other 1009 1009.5\n"
			  "5 0 s I other 1010 1010.5\n"
			  "6 0 s I other 1011 1011.5\n"
			  "7 1 t S served 1 8.5\n"
			  "8 7 t C query 2 3.5\n"
			  "9 7 t C query 3 4.5\n");
}

static void ends(void **state)
{
	struct fixture_times c;

	(void)state;
	/* 7 of 12 finer than starts; 6 are no more than half */
	fixture_times_begin(&c, "1 0 s S parent 0 9.5\n"
		  "2 1 s C query 0 1.5\n"
		  "3 1 s C query 1 4.5\n"
		  "4 0 s I other 1009 1009.5\n"
		  "5 0 s I other 1010 1010.5\n"
		  "6 0 s I other 1011 1011.5\n"
		  "7 0 s I other 1012 1012.5\n"
		  "8 0 s I other 1013 1014\n"
		  "9 0 s I other 1014 1015\n"
		  "a 0 s I other 1015 1016\n"
		  "b 0 s I other 1016 1017\n"
		  "c 0 s I other 1017 1018\n");
	expect_late(&c, 3, 0.5);
	fixture_times_end(&c);
	expect_none("1 0 s S parent 0 9.5\n"
		    "2 1 s C query 0 1.5\n"
		    "3 1 s C query 1 4.5\n"
		    "4 0 s I other 1009 1009.5\n"
		    "5 0 s I other 1010 1010.5\n"
		    "6 0 s I other 1011 1011.5\n"
		    "7 0 s I other 1012 1013\n"
		    "8 0 s I other 1013 1014\n"
		    "9 0 s I other 1014 1015\n"
		    "a 0 s I other 1015 1016\n"
		    "b 0 s I other 1016 1017\n"
		    "c 0 s I other 1017 1018\n");
}

static void last_child(void **state)
{
	struct fixture_times c;

	(void)state;
	/* ended within its parent, and that within its own */
	fixture_times_begin(&c, EIGHT "1 0 s S root 0 9.4\n"
			"2 1 s I parent 1 9.2\n"
			"3 2 s I child 9 9.5\n"
			"4 1 s I before 0 1.2\n");
	expect_late(&c, 3, 0);
	expect_late(&c, 2, 0.3);
	expect_late(&c, 1, 0.1);
	expect_late(&c, 4, 0.1);
	assert_int_equal(c.times.async_count, 0);
	fixture_times_end(&c);
	fixture_times_begin(&c, EIGHT "1 0 s S root 0 9.000001\n"
			"2 1 s I child 9 10\n"
			"3 0 s I other 1009 1009.5\n"
			"4 0 s I other 1010 1010.5\n");
	expect_late(&c, 1, 0.999999);
	assert_int_equal(c.times.async_count, 0);
	fixture_times_end(&c);
	/* a millisecond late: work that was left behind */
	fixture_times_begin(&c, EIGHT "1 0 s S root 0 9.000001\n"
			"2 1 s I child 9 10.000001\n"
			"3 0 s I other 1009 1009.5\n"
			"4 0 s I other 1010 1010.5\n");
	assert_int_equal(c.times.late_count, 0);
	assert_int_equal(c.times.async_count, 1);
	fixture_times_end(&c);
}

static void below(void **state)
{
	struct fixture_times c;

	(void)state;
	/* what begins with a span that is moved begins no earlier */
	fixture_times_begin(&c, EIGHT "1 0 s S parent 0 9.5\n"
			"2 1 s I first 0 1.6\n"
			"3 1 s I second 1 6.5\n"
			"4 3 s C query 1 3.2\n"
			"5 3 s C query 3 5.5\n"
			"6 4 t S served 1.2 2.9\n");
	expect_late(&c, 3, 0.6);
	expect_late(&c, 4, 0.6);
	expect_late(&c, 5, 0.8);
	/* what that calls begins within the call, on whichever clock */
	assert_int_equal(c.times.late_ns[fixture_span(&c.t, 6)], 0);
	assert_int_equal(c.times.shift_ns[fixture_span(&c.t, 6)],
			 fixture_ms(0.4));
	assert_int_equal(clock_skew_ns(&c.t, &c.times, fixture_span(&c.t, 6)),
			 0);
	fixture_times_end(&c);
}

static void side_by_side(void **state)
{
	struct fixture_times c;

	(void)state;
	/* three of 0.5 ms do not run in a row in one millisecond */
	expect_none(EIGHT "1 0 s S parent 0 9.5\n"
			  "2 1 s C query 1 1.5\n"
			  "3 1 s C query 1 1.5\n"
			  "4 1 s C query 1 1.5\n");
	fixture_times_begin(&c, EIGHT "1 0 s S parent 0 9.5\n"
			"2 1 s C query 1 1.499999\n"
			"3 1 s C query 1 1.5\n"
			"4 1 s C query 1 1.500001\n");
	expect_late(&c, 3, 0.499999);
	expect_late(&c, 4, 0.999999);
	fixture_times_end(&c);
	/* nor two of 0.4 ms in their parent's 0.7 */
	expect_none(EIGHT "1 0 s S parent 1 1.799999\n"
			  "2 1 s C query 1 1.4\n"
			  "3 1 s C query 1 1.4\n"
			  "4 0 s I other 1009 1009.5\n");
	fixture_times_begin(&c, EIGHT "1 0 s S parent 1 1.8\n"
			"2 1 s C query 1 1.4\n"
			"3 1 s C query 1 1.4\n"
			"4 0 s I other 1009 1009.5\n");
	expect_late(&c, 3, 0.4);
	fixture_times_end(&c);
	/* a row beside a long one; what fans out behind it does so at once */
	fixture_times_begin(&c, EIGHT "1 0 s S parent 0 99.5\n"
			"2 1 s C long 0 50.5\n"
			"3 1 s C query 2 4.4\n"
			"4 1 s C query 4 6.5\n"
			"5 1 s C branch 50 60.5\n"
			"6 1 s C branch 50 70.5\n");
	expect_late(&c, 3, 0);
	expect_late(&c, 4, 0.4);
	expect_late(&c, 5, 0.5);
	expect_late(&c, 6, 0.5);
	fixture_times_end(&c);
}

/* So many calls that end at 5.5, one that ends at 5.9, then one at 5. */
static int64_t late_after(unsigned count)
{
	struct fixture_times c;
	char text[8192];
	size_t at = 0;
	int64_t late;

	at += (size_t)snprintf(text, sizeof text, "1 0 s S parent 0 99.5\n");
	for (unsigned i = 0; i < count; i++)
		at += (size_t)snprintf(text + at, sizeof text - at,
				       "%x 1 s C query 1 5.5\n", 0x100 + i);
	snprintf(text + at, sizeof text - at,
		 "2 1 s C query 1 5.9\n3 1 s C query 5 9.5\n");
	fixture_times_begin(&c, text);
	late = c.times.late_ns[fixture_span(&c.t, 3)];
	fixture_times_end(&c);
	return late;
}

static void many_at_once(void **state)
{
	(void)state;
	assert_int_equal(late_after(31), fixture_ms(0.9));
	assert_int_equal(late_after(32), fixture_ms(0.5));
}

static void not_awaited(void **state)
{
	(void)state;
	expect_none(EIGHT "1 0 s S parent 0 9.5\n"
			  "2 1 s I query 0 1.5\n"
			  "3 1 s I detached 1 4.5 follows\n"
			  "4 1 s I detached 9 9.9 follows\n");
}

/* No clocks of hosts disagree when a callee's start is rounded. */
static void callee(void **state)
{
	struct fixture_times c;

	(void)state;
	fixture_times_begin(&c, EIGHT "1 0 t C call 0.999999 9.5 @host.name=t\n"
			"2 1 s S served 0 8.4\n"
			"3 2 s I work 0 0.5\n"
			"4 2 s I work 3 3.5\n"
			"5 2 s I work 4 4.5\n");
	expect_late(&c, 2, 0.999999);
	expect_late(&c, 3, 0.999999);
	expect_late(&c, 4, 0);
	assert_int_equal(clock_skew_ns(&c.t, &c.times, fixture_span(&c.t, 2)),
			 0);
	fixture_times_end(&c);
	/* by a millisecond they do */
	fixture_times_begin(&c, EIGHT "1 0 t C call 1 9.5 @host.name=t\n"
			"2 1 s S served 0 8.4\n"
			"3 2 s I work 0 0.5\n"
			"4 2 s I work 3 3.5\n"
			"5 2 s I work 4 4.5\n");
	assert_int_equal(c.times.late_count, 0);
	assert_int_equal(clock_skew_ns(&c.t, &c.times, fixture_span(&c.t, 2)),
			 fixture_ms(1));
	fixture_times_end(&c);
}

UNIT_TESTS(whole_starts)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_a_row),	cmocka_unit_test(overlaps),
		cmocka_unit_test(processes),	cmocka_unit_test(ends),
		cmocka_unit_test(last_child),	cmocka_unit_test(below),
		cmocka_unit_test(side_by_side), cmocka_unit_test(many_at_once),
		cmocka_unit_test(not_awaited),	cmocka_unit_test(callee),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
