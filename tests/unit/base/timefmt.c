/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "testing.h"

#include <stdlib.h>
#include <time.h>

#include "base/timefmt.h"

struct case_ns {
	const char *text;
	int64_t ns;
};

static void test_rfc3339(void **state)
{
	static const struct case_ns good[] = {
		{ "1970-01-01T00:00:00Z", 0 },
		{ "1969-12-31T23:59:59.999999999Z", -1 },
		{ "2026-11-21T01:17:00.000000000Z", 1795223820 * NS_PER_S },
		{ "2026-11-21t03:17:00.5+02:00", 1795223820500000000 },
		{ "2026-11-20T19:47:00-05:30", 1795223820 * NS_PER_S },
		{ "2024-02-29T12:00:00.123Z", 1709208000123000000 },
		{ "2000-02-29T00:00:00z", 951782400 * NS_PER_S },
		{ "2016-12-31T23:59:60Z", 1483228800 * NS_PER_S },
		{ "2262-04-11T23:47:16.854775807Z", INT64_MAX },
		{ "1677-09-21T00:12:43.145224192Z", INT64_MIN },
	};
	static const char *const bad[] = {
		"",
		"2026-11-21",
		"2026-11-21T10:05Z",
		"2026-11-21T10:05:00",
		"2026-11-21 10:05:00Z",
		"2026-13-01T00:00:00Z",
		"2026-00-01T00:00:00Z",
		"2026-02-29T00:00:00Z",
		"1900-02-29T00:00:00Z",
		"2026-04-31T00:00:00Z",
		"2026-01-00T00:00:00Z",
		"2026-01-01T24:00:00Z",
		"2026-01-01T00:60:00Z",
		"2026-01-01T00:00:61Z",
		"2026-01-01T00:00:00.Z",
		"2026-01-01T00:00:00.1234567890Z",
		"2026-01-01T00:00:00+24:00",
		"2026-01-01T00:00:00+01:60",
		"2026-01-01T00:00:00+0100",
		"2026-01-01T00:00:00ZZ",
		"26-01-01T00:00:00Z",
		"+026-01-01T00:00:00Z",
		"2262-04-11T23:47:16.854775808Z",
		"1677-09-21T00:12:43.145224191Z",
		"9999-12-31T23:59:59Z",
		"0000-01-01T00:00:00Z",
	};
	int64_t ns;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(good); i++) {
		ns = 77;
		if (!parse_rfc3339(str_from(good[i].text), &ns) ||
		    ns != good[i].ns)
			fail_msg("%s: %lld", good[i].text, (long long)ns);
	}
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		if (parse_rfc3339(str_from(bad[i]), &ns))
			fail_msg("%s was taken", bad[i]);
}

static void test_rfc3339_there_and_back(void **state)
{
	/* A prime step of about 41 days through all years that fit. */
	const int64_t step = 3600000000000011;
	char text[TIME_RFC3339_BYTES];
	int64_t back;

	(void)state;
	for (int64_t ns = INT64_MIN; ns < INT64_MAX - step; ns += step) {
		time_t seconds = (time_t)(ns / NS_PER_S - (ns % NS_PER_S < 0));
		char expected[32];
		struct tm tm;

		format_rfc3339(ns, text);
		assert_int_equal(strlen(text), 30);
		assert_true(parse_rfc3339(str_from(text), &back));
		assert_true(back == ns);
		assert_non_null(gmtime_r(&seconds, &tm));
		strftime(expected, sizeof expected, "%Y-%m-%dT%H:%M:%S", &tm);
		assert_memory_equal(text, expected, 19);
	}
	format_rfc3339(INT64_MAX, text);
	assert_string_equal(text, "2262-04-11T23:47:16.854775807Z");
	format_rfc3339(-1, text);
	assert_string_equal(text, "1969-12-31T23:59:59.999999999Z");
}

static void test_parse_duration(void **state)
{
	static const struct case_ns good[] = {
		{ "0", 0 },
		{ "0s", 0 },
		{ "1ns", 1 },
		{ "250us", 250 * NS_PER_US },
		{ "500ms", 500 * NS_PER_MS },
		{ "1h30m", 90 * NS_PER_MIN },
		{ "7d", 7 * NS_PER_DAY },
		{ "2w", 14 * NS_PER_DAY },
		{ "1m1ms", NS_PER_MIN + NS_PER_MS },
		{ "9223372036854775807ns", INT64_MAX },
		{ "106751d", 106751 * NS_PER_DAY },
	};
	static const char *const bad[] = {
		"",
		"1",
		"s",
		"1x",
		"1sec",
		"-1s",
		"+1s",
		"1 s",
		"1s ",
		" 1s",
		"1h30",
		"1.5h",
		"00",
		"1S",
		"9223372036854775808ns",
		"106752d",
		"9223372036s9223372036s",
		"1mss",
	};
	int64_t ns;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(good); i++) {
		ns = 77;
		if (!parse_duration(str_from(good[i].text), &ns) ||
		    ns != good[i].ns)
			fail_msg("%s: %lld", good[i].text, (long long)ns);
	}
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		if (parse_duration(str_from(bad[i]), &ns))
			fail_msg("%s was taken", bad[i]);
}

static void test_parse_time(void **state)
{
	const int64_t now = 1795223820 * NS_PER_S;
	static const struct case_ns good[] = {
		{ "now", 1795223820 * NS_PER_S },
		{ "now-1h30m", 1795218420 * NS_PER_S },
		{ "now-0", 1795223820 * NS_PER_S },
		{ "2026-11-21", 1795219200 * NS_PER_S },
		{ "2026-11-21T01:17:00Z", 1795223820 * NS_PER_S },
		{ "1795223820", 1795223820 * NS_PER_S },
		{ "1795223820123", 1795223820123 * NS_PER_MS },
		{ "1795223820123456", 1795223820123456 * NS_PER_US },
		{ "1795223820123456789", 1795223820123456789 },
	};
	static const char *const bad[] = {
		"",
		"now-",
		"now+1h",
		"now-1",
		"yesterday",
		"123",
		"17952238201",
		"-795223820",
		"9999999999999999",
		"9999999999999999999",
		"2026-11-21Z",
		"2026-11-31",
		"now-1h ",
	};
	struct error err;
	int64_t ns;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(good); i++) {
		ns = 77;
		if (!parse_time(str_from(good[i].text), now, &ns, &err) ||
		    ns != good[i].ns)
			fail_msg("%s: %lld", good[i].text, (long long)ns);
	}
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		if (parse_time(str_from(bad[i]), now, &ns, &err))
			fail_msg("%s was taken", bad[i]);
	assert_int_equal(err.code, ERROR_USAGE);
	assert_contains(err.message, "'now-1h ' is not a time");
	assert_contains(err.message, "now-1h30m");
}

static void test_local_offset(void **state)
{
	static const struct {
		const char *zone;
		int64_t time_s, offset_min;
		const char *text;
	} rows[] = {
		{ "UTC", 1795223825, 0, "UTC" },
		/* Either side of the end of summer time, 2026-10-25 01:00. */
		{ "CET-1CEST,M3.5.0,M10.5.0/3", 1792889999, 120, "+02:00" },
		{ "CET-1CEST,M3.5.0,M10.5.0/3", 1792890000, 60, "+01:00" },
		{ "IST-5:30", 1795223825, 330, "+05:30" },
		{ "NST3:30", -1, -210, "-03:30" },
		/* Local mean times had seconds: cut to minutes. */
		{ "LMT-0:19:32", 0, 19, "+00:19" },
	};
	char text[ZONE_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		int64_t offset_ns;

		setenv("TZ", rows[i].zone, 1);
		offset_ns = local_offset_ns(rows[i].time_s * NS_PER_S);
		assert_int_equal(offset_ns, rows[i].offset_min * NS_PER_MIN);
		format_zone(offset_ns, text);
		assert_string_equal(text, rows[i].text);
	}
	setenv("TZ", "UTC", 1);
	assert_int_equal(local_offset_ns(INT64_MIN), 0);
	assert_int_equal(local_offset_ns(INT64_MAX), 0);
}

static void test_format_clock(void **state)
{
	char text[16];

	(void)state;
	format_clock(1795223825 * NS_PER_S, false, text);
	assert_string_equal(text, "01:17");
	format_clock(1795223825 * NS_PER_S, true, text);
	assert_string_equal(text, "01:17:05");
	format_clock(-1, true, text);
	assert_string_equal(text, "23:59:59");
	format_clock(INT64_MIN, true, text);
	assert_string_equal(text, "00:12:43");
}

static void test_format_duration(void **state)
{
	static const struct case_ns cases[] = {
		{ "0 s", 0 },
		{ "1 ns", 1 },
		{ "999 ns", 999 },
		{ "1 us", 1000 },
		{ "1.05 us", 1049 },
		{ "48 us", 48000 },
		{ "48.1 us", 48123 },
		{ "612 ms", 612345678 },
		{ "999 ms", 999499999 },
		{ "1 s", 999500000 },
		{ "1.2 s", 1200000000 },
		{ "9.99 s", 9994999999 },
		{ "10 s", 9995000000 },
		{ "59.9 s", 59949999999 },
		{ "1 m", 59950000000 },
		{ "2 m 5 s", 125 * NS_PER_S },
		{ "59 m 59 s", 3599 * NS_PER_S },
		{ "1 h", 3599500000000 },
		{ "3 h 10 m", 190 * NS_PER_MIN },
		{ "1 d", 24 * NS_PER_HOUR - 1 },
		{ "7 d", 7 * NS_PER_DAY },
		{ "7 d 1 h", 7 * NS_PER_DAY + NS_PER_HOUR },
		{ "-612 ms", -612000000 },
		{ "106751 d 23 h", INT64_MAX - NS_PER_HOUR },
		{ "106752 d", INT64_MAX },
		{ "-106752 d", INT64_MIN },
	};
	char text[24];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		format_duration(cases[i].ns, text);
		assert_string_equal(text, cases[i].text);
	}
}

static void test_format_duration_option(void **state)
{
	static const struct case_ns cases[] = {
		{ "0", 0 },
		{ "0", -5 },
		{ "5m", 5 * NS_PER_MIN },
		{ "1h30m", 90 * NS_PER_MIN },
		{ "7d", 7 * NS_PER_DAY },
		{ "1s1ns", NS_PER_S + 1 },
		{ "106751d23h47m16s854ms775us807ns", INT64_MAX },
	};
	char text[32];
	int64_t back;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		format_duration_option(cases[i].ns, text);
		assert_string_equal(text, cases[i].text);
		assert_true(parse_duration(str_from(text), &back));
		assert_true(back == (cases[i].ns < 0 ? 0 : cases[i].ns));
	}
}

static void test_range_seconds(void **state)
{
	const int64_t from_ns = 1700000000 * NS_PER_S;
	const struct time_range half = { from_ns, from_ns + 1500000001 };
	const struct time_range back = { from_ns + NS_PER_S, from_ns };
	const struct time_range longest = { INT64_MIN, INT64_MAX };

	(void)state;
	/* Two epochs as doubles would be off by up to 256 ns. */
	assert_true(time_range_seconds(half) == 1.500000001);
	assert_true(time_range_seconds(back) == -1);
	assert_true(time_range_seconds((struct time_range){ 0, 0 }) == 0);
	/* Stops at 292 years, as longer is no number of nanoseconds. */
	assert_true(time_range_seconds(longest) == (double)INT64_MAX / 1e9);
}

static void test_clocks(void **state)
{
	int64_t first = clock_monotonic_ns();

	(void)state;
	assert_true(clock_monotonic_ns() >= first);
	assert_true(clock_now_ns() > 1700000000 * NS_PER_S);
}

UNIT_TESTS(timefmt)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rfc3339),
		cmocka_unit_test(test_rfc3339_there_and_back),
		cmocka_unit_test(test_parse_duration),
		cmocka_unit_test(test_parse_time),
		cmocka_unit_test(test_local_offset),
		cmocka_unit_test(test_format_clock),
		cmocka_unit_test(test_format_duration),
		cmocka_unit_test(test_format_duration_option),
		cmocka_unit_test(test_range_seconds),
		cmocka_unit_test(test_clocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
