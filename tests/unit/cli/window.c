/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../unit.h"
#include "cli/context.h"

/* 2026-11-21T10:00:00Z */
#define NOW_NS (1795255200 * NS_PER_S)

static struct options with(const char *from, const char *to, const char *since,
			   const char *around)
{
	return (struct options){ .from = from,
				 .to = to,
				 .since = since,
				 .around = around,
				 .pad_ns = 5 * NS_PER_MIN };
}

static void expect_window(struct options o, int64_t from_s, int64_t to_s)
{
	struct error err = { 0 };
	struct time_range r;

	if (!window_resolve(&o, NOW_NS, 15 * NS_PER_MIN, &r, &err))
		fail_msg("%s", err.message);
	assert_int_equal(r.from_ns - NOW_NS, from_s * NS_PER_S);
	assert_int_equal(r.to_ns - NOW_NS, to_s * NS_PER_S);
}

static void expect_usage(struct options o, const char *part)
{
	struct error err = { 0 };
	struct time_range r;

	assert_false(window_resolve(&o, NOW_NS, NS_PER_HOUR, &r, &err));
	assert_int_equal(err.code, ERROR_USAGE);
	if (!strstr(err.message, part))
		fail_msg("\"%s\" lacks \"%s\"", err.message, part);
}

static void windows_follow_the_options(void **state)
{
	(void)state;
	expect_window(with(NULL, NULL, NULL, NULL), -900, 0);
	expect_window(with(NULL, NULL, "1h", NULL), -3600, 0);
	expect_window(with("now-2h", "now-1h", NULL, NULL), -7200, -3600);
	expect_window(with(NULL, "now-1h", "30m", NULL), -5400, -3600);
	expect_window(with("2026-11-21T09:00:00Z", NULL, NULL, NULL), -3600, 0);
	expect_window(with("1795251600", NULL, NULL, NULL), -3600, 0);
	expect_window(with(NULL, NULL, NULL, "now-1h"), -3900, -3300);
	expect_window(with(NULL, NULL, NULL, "now-1m"), -360, 0);
}

static void contradictions_are_refused(void **state)
{
	(void)state;
	expect_usage(with("now-1h", NULL, "1h", NULL), "--since and --from");
	expect_usage(with(NULL, "now", NULL, "now-1h"), "--around");
	expect_usage(with("now", "now-1h", NULL, NULL), "empty time window");
	expect_usage(with("now", "now", NULL, NULL), "empty time window");
	expect_usage(with("yesterday", NULL, NULL, NULL), "--from");
	expect_usage(with(NULL, NULL, "soon", NULL), "--since \"soon\"");
	expect_usage(with(NULL, NULL, "0s", NULL), "--since");
}

static void a_span_window_ends_now_at_the_latest(void **state)
{
	struct time_range r = window_around(NOW_NS - NS_PER_MIN, NOW_NS,
					    5 * NS_PER_MIN, NOW_NS);

	(void)state;
	assert_int_equal(r.from_ns, NOW_NS - 6 * NS_PER_MIN);
	assert_int_equal(r.to_ns, NOW_NS);
	r = window_around(NOW_NS + NS_PER_DAY, NOW_NS + NS_PER_DAY, NS_PER_MIN,
			  NOW_NS);
	assert_int_equal(r.to_ns, NOW_NS + NS_PER_DAY + NS_PER_MIN);
	r = window_around(INT64_MIN, INT64_MAX, NS_PER_MIN, NOW_NS);
	assert_int_equal(r.from_ns, INT64_MIN);
}

static struct baseline_want parse(const char *text)
{
	struct options o = { .baseline = text };
	struct baseline_want want;
	struct error err = { 0 };

	if (!baseline_parse(&o, NOW_NS, &want, &err))
		fail_msg("%s", err.message);
	return want;
}

static void baselines_have_seven_forms(void **state)
{
	char path[] = "/tmp/baseline-XXXXXX";
	int fd = mkstemp(path);
	struct baseline_want want;

	(void)state;
	assert_int_equal(parse(NULL).kind, BASELINE_WANT_AUTO);
	assert_int_equal(parse("auto").kind, BASELINE_WANT_AUTO);
	assert_int_equal(parse("previous").kind, BASELINE_WANT_PREVIOUS);
	assert_int_equal(parse("none").kind, BASELINE_WANT_NONE);
	want = parse("7d");
	assert_int_equal(want.kind, BASELINE_WANT_SHIFT);
	assert_int_equal(want.shift_ns, 7 * NS_PER_DAY);
	want = parse("version=1.4..5");
	assert_int_equal(want.kind, BASELINE_WANT_VERSION);
	assert_string_equal(want.version.ptr, "1.4..5");
	want = parse("now-2h..now-1h");
	assert_int_equal(want.kind, BASELINE_WANT_RANGE);
	assert_int_equal(want.range.to_ns, NOW_NS - NS_PER_HOUR);
	assert_true(fd >= 0);
	assert_int_equal(parse(path).kind, BASELINE_WANT_FILE);
	close(fd);
	unlink(path);
}

static void unknown_baselines_are_refused(void **state)
{
	static const char *const bad[] = {
		"",          "soon", "../missing.pb.gz", "now..now-1h",
		"now..soon", "-1h",  "version="
	};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct options o = { .baseline = bad[i] };
		struct baseline_want want;
		struct error err = { 0 };

		assert_false(baseline_parse(&o, NOW_NS, &want, &err));
		assert_int_equal(err.code, ERROR_USAGE);
		assert_non_null(strstr(err.message, "--baseline"));
	}
}

/* A link to itself is there, and no file: as with a disk that fails. */
static void unreadable_baselines_tell_why(void **state)
{
	const char name[] = "a-baseline-of-itself";
	struct options o = { .baseline = name };
	struct baseline_want want;
	struct error err = { 0 };

	(void)state;
	unlink(name);
	assert_int_equal(symlink(name, name), 0);
	assert_false(baseline_parse(&o, NOW_NS, &want, &err));
	assert_int_equal(unlink(name), 0);
	assert_int_equal(err.code, ERROR_FORMAT);
	assert_non_null(strstr(err.message, "cannot read: Too many levels"));
}

static void the_previous_window_keeps_a_gap(void **state)
{
	struct time_range slow = { NOW_NS - 10 * NS_PER_MIN, NOW_NS };
	struct time_range r = window_previous(slow);

	(void)state;
	assert_int_equal(slow.from_ns - r.to_ns, 30 * NS_PER_S);
	assert_int_equal(r.to_ns - r.from_ns, 10 * NS_PER_MIN);
}

static void samples_of_a_span_are_stamped_before_it(void **state)
{
	struct time_range r = window_of_samples(NOW_NS, NOW_NS + NS_PER_S);

	(void)state;
	assert_int_equal(NOW_NS - r.from_ns, 30 * NS_PER_S);
	assert_int_equal(r.to_ns - NOW_NS, 16 * NS_PER_S);
	assert_int_equal(window_of_samples(INT64_MIN, INT64_MAX).from_ns,
			 INT64_MIN);
}

UNIT_TESTS(window)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_follow_the_options),
		cmocka_unit_test(contradictions_are_refused),
		cmocka_unit_test(a_span_window_ends_now_at_the_latest),
		cmocka_unit_test(baselines_have_seven_forms),
		cmocka_unit_test(unknown_baselines_are_refused),
		cmocka_unit_test(unreadable_baselines_tell_why),
		cmocka_unit_test(the_previous_window_keeps_a_gap),
		cmocka_unit_test(samples_of_a_span_are_stamped_before_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
