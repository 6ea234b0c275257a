/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "backend/fetch_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"

#define NOW (1000 * NS_PER_DAY)
#define EDGE (NOW - SERVER_LOOKBACK_NS)

static struct window_parts start(int64_t from_ns, int64_t to_ns,
				 int64_t longest_ns)
{
	struct time_range whole = { from_ns, to_ns };
	struct window_parts p;
	struct error err;

	assert_true(window_parts_start(&p, whole, NOW, longest_ns, &err));
	return p;
}

static void assert_part(const struct window_parts *p, int64_t from_ns,
			int64_t to_ns)
{
	assert_int_equal(p->part.from_ns, from_ns);
	assert_int_equal(p->part.to_ns, to_ns);
}

static void a_recent_window_is_one_part(void **state)
{
	struct window_parts p = start(EDGE, NOW, 0);

	(void)state;
	assert_part(&p, EDGE, NOW);
	assert_true(window_parts_is_whole(&p));
	assert_false(window_parts_next(&p));
}

static void the_lookback_is_an_edge(void **state)
{
	struct window_parts p = start(EDGE - 1, NOW, 0);

	(void)state;
	assert_part(&p, EDGE - 1, EDGE);
	assert_false(window_parts_is_whole(&p));
	assert_true(window_parts_next(&p));
	assert_part(&p, EDGE, NOW);
	assert_false(window_parts_is_whole(&p));
	assert_false(window_parts_next(&p));
}

static void an_old_window_is_one_part(void **state)
{
	struct window_parts p = start(EDGE - 9, EDGE, 0);

	(void)state;
	assert_part(&p, EDGE - 9, EDGE);
	assert_false(window_parts_next(&p));
}

static void a_limit_shortens_what_is_left(void **state)
{
	struct window_parts p = start(NOW - 50 * NS_PER_HOUR, NOW, 0);
	struct error err;

	(void)state;
	assert_true(window_parts_shorten(&p, NS_PER_DAY, &err));
	assert_part(&p, NOW - 50 * NS_PER_HOUR, NOW - 26 * NS_PER_HOUR);
	assert_true(window_parts_next(&p));
	assert_part(&p, NOW - 26 * NS_PER_HOUR, NOW - 2 * NS_PER_HOUR);
	assert_true(window_parts_next(&p));
	assert_part(&p, NOW - 2 * NS_PER_HOUR, NOW);
	assert_false(window_parts_next(&p));
}

static void a_known_limit_is_kept_from_the_start(void **state)
{
	struct window_parts p = start(EDGE - NS_PER_HOUR, NOW, NS_PER_DAY);
	size_t count = 1;

	(void)state;
	assert_part(&p, EDGE - NS_PER_HOUR, EDGE);
	while (window_parts_next(&p))
		count++;
	assert_int_equal(count, 8);
	assert_part(&p, NOW - NS_PER_DAY, NOW);
}

static void a_limit_that_is_no_shorter_ends_it(void **state)
{
	struct window_parts p = start(NOW - NS_PER_DAY, NOW, 0);
	struct error err;

	(void)state;
	assert_false(window_parts_shorten(&p, 0, &err));
	assert_false(window_parts_shorten(&p, NS_PER_DAY, &err));
	assert_int_equal(err.code, ERROR_LIMIT);
	assert_true(window_parts_shorten(&p, NS_PER_DAY - 1, &err));
}

static void the_number_of_parts_is_limited(void **state)
{
	const int64_t longest = NS_PER_S;
	struct time_range whole = { NOW - LIMIT_WINDOW_PARTS * longest, NOW };
	struct window_parts p;
	struct error err;

	(void)state;
	assert_false(window_parts_start(&p, whole, NOW, longest, &err));
	assert_int_equal(err.code, ERROR_LIMIT);
	whole.from_ns++;
	assert_true(window_parts_start(&p, whole, NOW, longest, &err));
}

static void the_ends_of_time_do_no_harm(void **state)
{
	struct window_parts p = start(INT64_MIN, INT64_MAX, 0);
	struct error err;

	(void)state;
	assert_part(&p, INT64_MIN, EDGE);
	assert_true(window_parts_next(&p));
	assert_part(&p, EDGE, INT64_MAX);
	assert_false(window_parts_next(&p));
	assert_false(window_parts_shorten(&p, 1, &err));
}

UNIT_TESTS(window_parts)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recent_window_is_one_part),
		cmocka_unit_test(the_lookback_is_an_edge),
		cmocka_unit_test(an_old_window_is_one_part),
		cmocka_unit_test(a_limit_shortens_what_is_left),
		cmocka_unit_test(a_known_limit_is_kept_from_the_start),
		cmocka_unit_test(a_limit_that_is_no_shorter_ends_it),
		cmocka_unit_test(the_number_of_parts_is_limited),
		cmocka_unit_test(the_ends_of_time_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
