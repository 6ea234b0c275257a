/* SPDX-License-Identifier: Apache-2.0
 *
 * One unit a table, and numbers that add up to the last digit shown.
 */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../unit.h"
#include "../random.h"
#include "base/num.h"
#include "render/units.h"

/* A result of one unit whose sides have these totals. */
static struct result sides(const char *unit, int64_t before, int64_t after)
{
	struct result r = { .is_compared = true,
			    .has_baseline = true,
			    .normalize = NORMALIZE_VALUE,
			    .exposure = 1,
			    .baseline_exposure = 1 };

	r.profile.unit = str_from(unit);
	r.profile.type = STR("");
	r.profile.total_value = after;
	r.baseline.total_value = before;
	return r;
}

static void expect_scale(const char *unit, int64_t most, const char *name,
			 const char *shown)
{
	struct result r = sides(unit, 0, most);
	char text[UNIT_TEXT_BYTES];
	struct scale s;

	scale_init(&s, &r);
	assert_string_equal(s.unit, name);
	scale_format(&s, scale_after(&s, most), text);
	assert_string_equal(text, shown);
}

/* The largest unit of which there is one. */
static void test_units(void **state)
{
	(void)state;
	expect_scale("nanoseconds", 999, "ns", "999");
	expect_scale("nanoseconds", 1000, "us", "1.000");
	expect_scale("nanoseconds", 999999, "us", "1,000.0");
	expect_scale("nanoseconds", 1000000, "ms", "1.000");
	expect_scale("nanoseconds", 999000000, "ms", "999.0");
	expect_scale("nanoseconds", 1000000000, "s", "1.000");
	expect_scale("nanoseconds", 99990000000, "s", "99.99");
	expect_scale("nanoseconds", 1234567000000000, "s", "1,234,567");
	expect_scale("microseconds", 1000000, "s", "1.000");
	expect_scale("milliseconds", 999, "ms", "999.0");
	expect_scale("seconds", 3, "s", "3.000");
	expect_scale("bytes", 1023, "B", "1,023");
	expect_scale("bytes", 1024, "KiB", "1.000");
	expect_scale("bytes", 1048575, "KiB", "1,024");
	expect_scale("bytes", 1048576, "MiB", "1.000");
	expect_scale("bytes", INT64_C(1) << 30, "GiB", "1.000");
	expect_scale("bytes", INT64_C(1) << 40, "TiB", "1.000");
	expect_scale("bytes", INT64_C(1) << 52, "TiB", "4,096");
}

/* One by one up to ten millions. */
static void test_counts(void **state)
{
	(void)state;
	expect_scale("count", 0, "", "0");
	expect_scale("count", 3, "", "3");
	expect_scale("count", 9999999, "", "9,999,999");
	expect_scale("count", 10000000, "million", "10.00");
	expect_scale("count", 999900000, "million", "999.9");
	expect_scale("count", 1000000000, "billion", "1.000");
	expect_scale("count", INT64_C(1000000000000), "trillion", "1.000");
	expect_scale("count", INT64_MAX, "trillion", "9,223,372");
}

/* Counts are not divided, unless they are: by requests or seconds. */
static void test_divided_counts(void **state)
{
	struct result r = sides("count", 7, 9);
	char text[UNIT_TEXT_BYTES];
	struct scale s;

	(void)state;
	r.normalize = NORMALIZE_REQUEST;
	r.exposure = 4;
	scale_init(&s, &r);
	assert_int_equal(s.decimals, 3);
	scale_format(&s, scale_after(&s, 9), text);
	assert_string_equal(text, "2.250");
	scale_format(&s, scale_before(&s, 7), text);
	assert_string_equal(text, "7.000");
}

/* Which side is the largest, and a function that is more than all: a negative
 * value makes room for it. */
static void test_largest(void **state)
{
	struct result r = sides("nanoseconds", 2000000000, 5000);
	struct function_row row = { .total_value = -3000000000000 };
	struct scale s;

	(void)state;
	scale_init(&s, &r);
	assert_string_equal(s.unit, "s");
	assert_int_equal(s.decimals, 3);
	r.has_baseline = false;
	scale_init(&s, &r);
	assert_string_equal(s.unit, "us");
	r.functions = &row;
	r.function_count = 1;
	scale_init(&s, &r);
	assert_string_equal(s.unit, "s");
	assert_int_equal(s.decimals, 0);
}

static void expect_sum(const struct scale *s, int64_t before, int64_t after)
{
	int64_t a = scale_after(s, after), b = scale_before(s, before);
	char text[3][UNIT_TEXT_BYTES];
	double sum, step = pow(10, -s->decimals);
	char digits[3][UNIT_TEXT_BYTES];

	scale_format(s, b, text[0]);
	scale_format_signed(s, a - b, text[1]);
	scale_format(s, a, text[2]);
	for (int i = 0; i < 3; i++) {
		size_t len = 0;

		for (const char *c = text[i]; *c; c++)
			if (*c != ',')
				digits[i][len++] = *c;
		digits[i][len] = '\0';
	}
	sum = strtod(digits[0], NULL) + strtod(digits[1], NULL);
	if (fabs(sum - strtod(digits[2], NULL)) >= step / 2)
		fail_msg("%s %s is not %s", text[0], text[1], text[2]);
}

/* So many 65536ths: of large numbers without overflow. */
static int64_t part_of(int64_t most, uint32_t parts)
{
	return (int64_t)((double)most / 65536 * parts);
}

/* As they are printed, whatever the unit and what they are divided by. */
static void test_adds_up(void **state)
{
	static const char *const units[] = { "nanoseconds", "seconds", "bytes",
					     "count" };
	static const double exposures[] = { 1, 3, 7.77, 86400 };
	static const enum normalize ways[] = { NORMALIZE_VALUE, NORMALIZE_RATE,
					       NORMALIZE_REQUEST };
	uint32_t random = 42;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		int64_t most = INT64_C(1) << (next_random(&random) % 50);
		int64_t before = part_of(most, next_random(&random));
		int64_t after = part_of(most, next_random(&random));
		struct result r = sides(units[i % 4], before, after);
		struct scale s;

		r.normalize = ways[i % 3];
		if (r.normalize != NORMALIZE_VALUE) {
			r.exposure = exposures[next_random(&random) % 4];
			r.baseline_exposure =
				exposures[next_random(&random) % 4];
		}
		scale_init(&s, &r);
		expect_sum(&s, before, after);
		expect_sum(&s, before / 3, after / 7);
	}
}

static void test_signs(void **state)
{
	static const struct {
		int64_t steps;
		int decimals;
		const char *plain;
		const char *is_signed;
	} cases[] = {
		{ 0, 1, "0.0", "0.0" },
		{ 0, 0, "0", "0" },
		{ 1, 1, "0.1", "+0.1" },
		{ -1, 1, "-0.1", "-0.1" },
		{ 3165, 1, "316.5", "+316.5" },
		{ -1234567, 3, "-1,234.567", "-1,234.567" },
		{ 5, 3, "0.005", "+0.005" },
		{ INT64_MIN, 0, "-9,223,372,036,854,775,808",
		  "-9,223,372,036,854,775,808" },
	};
	char text[UNIT_TEXT_BYTES];

	(void)state;
	for (size_t i = 0; i + 1 < sizeof cases / sizeof *cases; i++) {
		struct scale s = { .decimals = cases[i].decimals };

		scale_format(&s, cases[i].steps, text);
		assert_string_equal(text, cases[i].plain);
		scale_format_signed(&s, cases[i].steps, text);
		assert_string_equal(text, cases[i].is_signed);
	}
}

/* The most that a value can be, by the second of a nanosecond. */
static void test_saturation(void **state)
{
	struct result r = sides("nanoseconds", INT64_MAX, INT64_MAX);
	char text[UNIT_TEXT_BYTES];
	struct scale s;

	(void)state;
	scale_init(&s, &r);
	assert_int_equal(scale_after(&s, INT64_MAX), INT64_C(9223372037));
	r.normalize = NORMALIZE_RATE;
	r.exposure = 1e-9;
	scale_init(&s, &r);
	assert_int_equal(scale_after(&s, INT64_MAX), INT64_C(9000000000000000));
	assert_int_equal(scale_after(&s, -INT64_MAX),
			 -INT64_C(9000000000000000));
	scale_format_signed(&s,
			    scale_after(&s, -INT64_MAX) -
				    scale_before(&s, INT64_MAX),
			    text);
	assert_int_equal(text[0], '-');
	assert_int_equal(scale_delta(&s, (double)INFINITY), 0);
	assert_int_equal(scale_delta(&s, (double)NAN), 0);
	assert_int_equal(scale_delta(&s, 1e300), INT64_C(9000000000000000));
}

/* In per cent of each side, one digit after the point. */
static void test_shares(void **state)
{
	struct result r = sides("nanoseconds", 1000, 400);
	char text[UNIT_TEXT_BYTES];
	struct scale s;

	(void)state;
	r.normalize = NORMALIZE_SHARE;
	r.exposure = 400;
	r.baseline_exposure = 1000;
	scale_init(&s, &r);
	assert_string_equal(s.unit, "%");
	assert_int_equal(scale_after(&s, 400), 1000);
	assert_int_equal(scale_before(&s, 500), 500);
	assert_int_equal(scale_delta(&s, -0.066), -66);
	scale_format(&s, scale_after(&s, 100), text);
	assert_string_equal(text, "25.0");
	scale_say(&r, 100, false, text);
	assert_string_equal(text, "25.0 %");
	scale_say_change(&r, 100, 184, text);
	assert_string_equal(text, "6.6 points");
	r.is_compared = false;
	scale_init(&s, &r);
	assert_string_equal(s.unit, "us");
}

/* Each in the unit that fits it. */
static void test_sentences(void **state)
{
	struct result r = sides("nanoseconds", 53, 322000000);
	char text[UNIT_TEXT_BYTES];

	(void)state;
	scale_say(&r, 322000000, false, text);
	assert_string_equal(text, "322 ms");
	scale_say(&r, 53, true, text);
	assert_string_equal(text, "53 ns");
	scale_say(&r, -5300000, false, text);
	assert_string_equal(text, "-5.30 ms");
	scale_say_change(&r, 2000000, 322000000, text);
	assert_string_equal(text, "320 ms");
	r.normalize = NORMALIZE_REQUEST;
	r.exposure = 100;
	scale_say(&r, 322000000, false, text);
	assert_string_equal(text, "3.22 ms");
	scale_say(&r, 322000000, true, text);
	assert_string_equal(text, "322 ms");
	r = sides("count", 1902, 2871);
	scale_say_change(&r, 2871, 1902, text);
	assert_string_equal(text, "969");
}

static void test_measure(void **state)
{
	struct result r = sides("nanoseconds", 1, 1);
	char text[2 * UNIT_TEXT_BYTES];

	(void)state;
	r.profile.type = STR("cpu");
	scale_measure(&r, text);
	assert_string_equal(text, "CPU");
	r.normalize = NORMALIZE_RATE;
	scale_measure(&r, text);
	assert_string_equal(text, "CPU per second");
	r.normalize = NORMALIZE_REQUEST;
	scale_measure(&r, text);
	assert_string_equal(text, "CPU per request");
	r.is_compared = false;
	scale_measure(&r, text);
	assert_string_equal(text, "CPU");
}

UNIT_TESTS(scale)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_divided_counts),
		cmocka_unit_test(test_largest),
		cmocka_unit_test(test_adds_up),
		cmocka_unit_test(test_signs),
		cmocka_unit_test(test_saturation),
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_sentences),
		cmocka_unit_test(test_measure),
	};

	return cmocka_run_group_tests_name("render/scale", tests, NULL, NULL);
}
