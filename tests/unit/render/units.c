/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "base/num.h"
#include "render/units.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_share(void **state)
{
	static const struct {
		double share;
		const char *text;
	} cases[] = {
		{ 0.65, "65.0 %" },
		{ 1, "100.0 %" },
		{ 0, "0.0 %" },
		{ -0.0, "0.0 %" },
		{ 0.00049, "0.0 %" },
		{ 0.0005, "0.1 %" },
		{ 0.9996, "100.0 %" },
		{ 0.9994, "99.9 %" },
		{ -0.25, "-25.0 %" },
		{ 12.5, "1250.0 %" },
		{ 1e300, "100000000000.0 %" },
	};
	char text[UNIT_TEXT_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		format_share(cases[i].share, text);
		assert_string_equal(text, cases[i].text);
	}
	format_share((double)NAN, text);
	assert_string_equal(text, "-");
}

static void test_percent(void **state)
{
	char text[UNIT_TEXT_BYTES];

	(void)state;
	format_percent(0.654, text);
	assert_string_equal(text, "65 %");
	format_percent(0.655, text);
	assert_string_equal(text, "66 %");
	format_percent(0, text);
	assert_string_equal(text, "0 %");
	format_percent(-0.25, text);
	assert_string_equal(text, "-25 %");
	format_percent((double)NAN, text);
	assert_string_equal(text, "-");
}

static void expect_growth(double growth, bool is_signed, const char *text)
{
	char out[UNIT_TEXT_BYTES];

	format_growth(growth, is_signed, out);
	assert_string_equal(out, text);
}

/* From ten times as much on a factor: people do not read "+5900 %". */
static void test_growth(void **state)
{
	(void)state;
	expect_growth(0.0423, true, "+4.2 %");
	expect_growth(0.0423, false, "4.2 %");
	expect_growth(-0.5, true, "-50.0 %");
	expect_growth(1.9439, true, "+194 %");
	expect_growth(8.99, true, "+899 %");
	expect_growth(8.996, true, "x10");
	expect_growth(59, true, "x60");
	expect_growth(59, false, "x60");
	expect_growth(1233.9, true, "x1,235");
	expect_growth(1e300, true, "x1,000,000,000");
	expect_growth((double)INFINITY, true, "new");
	expect_growth((double)NAN, true, "-");
}

static void test_count(void **state)
{
	static const struct {
		int64_t count;
		const char *text;
	} cases[] = {
		{ 0, "0" },
		{ 999, "999" },
		{ 1000, "1,000" },
		{ 18230, "18,230" },
		{ -1234567, "-1,234,567" },
		{ INT64_MAX, "9,223,372,036,854,775,807" },
		{ INT64_MIN, "-9,223,372,036,854,775,808" },
	};
	char text[UNIT_TEXT_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		format_count(cases[i].count, text);
		assert_string_equal(text, cases[i].text);
	}
}

static void test_size(void **state)
{
	static const struct {
		int64_t size;
		const char *text;
	} cases[] = {
		{ 0, "0 B" },
		{ 1023, "1023 B" },
		{ 1024, "1.00 KiB" },
		{ 1536 * 1024, "1.50 MiB" },
		{ 10239, "10.0 KiB" },
		{ 102399, "100 KiB" },
		{ 1023 * 1024, "1023 KiB" },
		{ 1024 * 1024 - 1, "1.00 MiB" },
		{ INT64_MAX, "8.00 EiB" },
	};
	char text[UNIT_TEXT_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		format_size(cases[i].size, text);
		assert_string_equal(text, cases[i].text);
	}
}

static void test_value(void **state)
{
	char text[UNIT_TEXT_BYTES];

	(void)state;
	format_value(567300000, STR("nanoseconds"), text);
	assert_string_equal(text, "567 ms");
	format_value(1500, STR("microseconds"), text);
	assert_string_equal(text, "1.5 ms");
	format_value(-2048, STR("bytes"), text);
	assert_string_equal(text, "-2.00 KiB");
	format_value(52000, STR("count"), text);
	assert_string_equal(text, "52,000");
	format_value(7, (struct str){ NULL, 0 }, text);
	assert_string_equal(text, "7");
	format_value(INT64_MIN, STR("seconds"), text);
	assert_int_equal(text[0], '-');
}

static void test_measure_word(void **state)
{
	static const char *const cases[][2] = {
		{ "process_cpu:cpu:nanoseconds:cpu:nanoseconds", "CPU" },
		{ "process_cpu:samples:count::milliseconds", "CPU" },
		{ "cpu/nanoseconds", "CPU" },
		{ "instructions/count", "instructions" },
		{ "wall:samples:count:wall:microseconds", "wall time" },
		{ "memory:alloc_space:bytes:space:bytes", "allocated bytes" },
		{ "alloc:alloc_samples:count:cpu:nanoseconds", "allocations" },
		{ "memory:inuse_space:bytes:space:bytes", "memory in use" },
		{ "inuse_objects/count", "objects in use" },
		{ "goroutines:goroutine:count:goroutine:count", "goroutines" },
		{ "mutex:delay:nanoseconds:contentions:count",
		  "time waiting for locks" },
		{ "mutex:contentions:count:contentions:count",
		  "waits for locks" },
		{ "delay/nanoseconds", "blocked time" },
		{ "contentions/count", "blocking events" },
		{ "lock_time/nanoseconds", "time waiting for locks" },
		{ "block:delay:nanoseconds:contentions:count", "blocked time" },
		{ "off_cpu:off_cpu:nanoseconds::", "time off CPU" },
		{ "nobody:knows:count::", "the profile" },
		{ "", "the profile" },
		{ ":::::", "the profile" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_string_equal(measure_word(str_from(cases[i][0])),
				    cases[i][1]);
	assert_string_equal(measure_word((struct str){ NULL, 0 }),
			    "the profile");
	assert_string_equal(measure_noun(STR("alloc_objects/count")),
			    "allocations");
	assert_string_equal(measure_noun(STR("samples/count")), "value");
}

/* What was compared is told by the profiles; without them by the traces. */
static void test_compared_windows(void **state)
{
	const struct request_window windows[] = {
		{ .role = REQUESTS_NOW, .range = { 100, 200 } },
		{ .role = REQUESTS_PREVIOUS,
		  .range = { 0, 100 },
		  .is_baseline = true },
		{ .role = REQUESTS_HOUR, .range = { -100, 0 } },
	};
	struct result r = {
		.has_profile = true,
		.has_baseline = true,
		.profile.range = { 120, 190 },
		.baseline.range = { -80, -20 },
	};

	(void)state;
	assert_int_equal(request_window_compared(&r, &windows[0]).from_ns, 120);
	assert_int_equal(request_window_compared(&r, &windows[0]).to_ns, 190);
	assert_int_equal(request_window_compared(&r, &windows[1]).to_ns, 0);
	assert_int_equal(request_window_compared(&r, &windows[2]).to_ns, -20);
	assert_false(request_window_is_baseline(&r, &windows[0]));
	assert_false(request_window_is_baseline(&r, &windows[1]));
	assert_true(request_window_is_baseline(&r, &windows[2]));
	/* Of other minutes altogether. */
	r.profile.range = (struct time_range){ 200, 300 };
	assert_int_equal(request_window_compared(&r, &windows[0]).to_ns, 0);
	r.profile.is_file = true;
	assert_true(request_window_is_baseline(&r, &windows[1]));
	assert_int_equal(request_window_compared(&r, &windows[1]).to_ns, 0);
}

UNIT_TESTS(units)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_share),
		cmocka_unit_test(test_percent),
		cmocka_unit_test(test_growth),
		cmocka_unit_test(test_count),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_value),
		cmocka_unit_test(test_measure_word),
		cmocka_unit_test(test_compared_windows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
