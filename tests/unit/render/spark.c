/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "render/page.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void check_spark(bool use_unicode, const double *values, size_t count,
			size_t cells, const char *want)
{
	const struct render_style style = { .use_unicode = use_unicode };
	struct page p;
	struct buf text;
	struct out out;

	buf_init(&text, 4096);
	out_init_memory(&out, &text);
	page_begin(&p, &style, &out);
	spark_write(&p, PAINT_NONE, values, count, cells);
	page_end(&p);
	assert_string_equal(buf_text(&text), want);
	buf_release(&text);
}

static void bars_are_eighths_of_the_tallest(void **state)
{
	const double values[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8 };

	(void)state;
	check_spark(true, values, 9, 9, " ▁▂▃▄▅▆▇█");
	check_spark(false, values, 9, 9, " .:-=+*#@");
}

/* Little is more than nothing. */
static void a_sliver_is_seen(void **state)
{
	const double values[] = { 1e-9, 0, 1000 };
	const double none[] = { 0, 0 };

	(void)state;
	check_spark(true, values, 3, 3, "▁ █");
	check_spark(true, none, 2, 2, "  ");
}

/* Averages 1.5, 4 and 8; five steps in two cells are two and three. */
static void steps_share_a_cell(void **state)
{
	const double even[] = { 1, 2, 4, 4, 16, 0 };
	const double odd[] = { 2, 2, 8, 8, 8 };

	(void)state;
	check_spark(true, even, 6, 3, "▂▄█");
	check_spark(true, odd, 5, 2, "▂█");
}

static void too_few_steps_leave_blanks(void **state)
{
	const double values[] = { 1, 2 };

	(void)state;
	check_spark(true, values, 2, 5, "▄█   ");
	check_spark(true, values, 0, 2, "  ");
}

UNIT_TESTS(spark)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bars_are_eighths_of_the_tallest),
		cmocka_unit_test(a_sliver_is_seen),
		cmocka_unit_test(steps_share_a_cell),
		cmocka_unit_test(too_few_steps_leave_blanks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
