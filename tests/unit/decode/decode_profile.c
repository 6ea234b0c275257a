/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "profile_testing.h"

/* The same 30 minutes of one service in every form that is read, recognised
 * by content as a file would be. */
static const struct {
	const char *path;
	enum format format;
} forms[] = {
	{ "pyroscope/merge-profile-proto/body.pb", FORMAT_PPROF },
	{ "pyroscope/tree-proto/body.pb", FORMAT_PYROSCOPE_TREE_PB },
	{ "pyroscope/flamegraph-proto/body.pb", FORMAT_PYROSCOPE_TREE_PB },
	{ "pyroscope/pprof-format-proto/body.pb", FORMAT_PYROSCOPE_TREE_PB },
	{ "pyroscope/flamegraph-json/body.json",
	  FORMAT_PYROSCOPE_FLAMEGRAPH_JSON },
};

static void decode_as(enum format format, struct str bytes, struct profile *p)
{
	struct profile_want want = want_of("cpu");
	struct notes notes;

	notes_init(&notes);
	profile_init(p);
	assert_decoded(decode_profile(format, bytes, &want, p, &notes, &err));
}

static void test_every_format(void **state)
{
	struct buf first;

	(void)state;
	buf_init(&first, MIB);
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		struct buf body;
		struct buf folded;
		struct profile p;

		read_fixture(forms[i].path, &body);
		decode_as(forms[i].format, buf_str(&body), &p);
		assert_int_equal(p.total, 351200000000);
		print_folded(&p, &folded);
		if (!i)
			buf_add_str(&first, buf_str(&folded));
		assert_string_equal(buf_text(&first), buf_text(&folded));
		profile_release(&p);
		decode_as(FORMAT_FOLDED, buf_str(&folded), &p);
		assert_folded(&p, buf_text(&first));
		profile_release(&p);
		buf_release(&folded);
		buf_release(&body);
	}
	buf_release(&first);
}

static void test_formats_are_recognised(void **state)
{
	char looks_like[64];

	(void)state;
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		struct buf body;

		read_fixture(forms[i].path, &body);
		assert_int_equal(format_sniff(buf_str(&body), looks_like,
					      sizeof looks_like),
				 forms[i].format);
		buf_release(&body);
	}
	assert_int_equal(format_sniff(STR("main;work 12\n"), looks_like,
				      sizeof looks_like),
			 FORMAT_FOLDED);
}

/* As editors on Windows save texts. */
static void test_marks_are_skipped(void **state)
{
	static const char *const paths[] = { "firefox/own.json",
					     "otlp-profiles/example.json",
					     "v8/work.cpuprofile",
					     "v8/page.trace.json",
					     "folded/py-spy.folded" };

	(void)state;
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		struct buf body, marked, folded;
		char looks_like[64];
		enum format format;
		struct profile p;

		read_fixture(paths[i], &body);
		format = format_sniff(buf_str(&body), looks_like,
				      sizeof looks_like);
		profile_init(&p);
		assert_decoded(decode_profile(format, buf_str(&body), NULL, &p,
					      NULL, &err));
		print_folded(&p, &folded);
		profile_release(&p);
		buf_init(&marked, MIB);
		buf_add_text(&marked, "\xef\xbb\xbf");
		buf_add_str(&marked, buf_str(&body));
		assert_int_equal(format_sniff(buf_str(&marked), looks_like,
					      sizeof looks_like),
				 format);
		profile_init(&p);
		assert_decoded(decode_profile(format, buf_str(&marked), NULL,
					      &p, NULL, &err));
		assert_folded(&p, buf_text(&folded));
		profile_release(&p);
		buf_release(&folded);
		buf_release(&marked);
		buf_release(&body);
	}
}

static void test_nothing_wanted(void **state)
{
	struct profile p;

	(void)state;
	profile_init(&p);
	assert_decoded(decode_profile(FORMAT_FOLDED, STR("a 1\n"), NULL, &p,
				      NULL, &err));
	assert_int_equal(p.total, 1);
	profile_release(&p);
}

/* A pprof profile of types "a" and "b", of which one sample has 5 and 0. */
#define FIVE_OF_A                                                              \
	"\x0a\x02\x08\x01\x0a\x02\x08\x02\x32\x00\x32\x01"                     \
	"a\x32\x01"                                                            \
	"b\x12\x07\x0a\x01\x01\x12\x02\x05\x00\x22\x02\x08\x01"

static void expect_notes(const char *type, size_t count)
{
	struct profile_want want = want_of(type);
	struct profile p;
	struct notes notes;

	notes_init(&notes);
	profile_init(&p);
	assert_decoded(decode_profile(FORMAT_PPROF, STR(FIVE_OF_A), &want, &p,
				      &notes, &err));
	assert_int_equal(notes.count, count);
	if (count)
		assert_string_equal(
			notes.text[0],
			"b, which is read by default, has no samples; --type "
			"names another: a");
	profile_release(&p);
}

static void test_default_type_without_samples(void **state)
{
	(void)state;
	expect_notes("", 1);
	expect_notes("a", 0);
	expect_notes("b", 0);
}

static void test_traces_are_no_profiles(void **state)
{
	struct profile p;

	(void)state;
	profile_init(&p);
	assert_refused(decode_profile(FORMAT_JAEGER_JSON, STR("{}"), NULL, &p,
				      NULL, &err),
		       ERROR_FORMAT, "Jaeger");
	profile_release(&p);
}

/* Not every format comes out of a feed. */
static void test_feeds(void **state)
{
	struct profile_want want = want_of("");
	struct feed *feed = feed_new(STR("main;work 3\n"), &err);
	struct trace trace;
	struct profile p;

	(void)state;
	assert_non_null(feed);
	profile_init(&p);
	trace_init(&trace);
	assert_refused(decode_profile_feed(FORMAT_CALLGRIND, feed, NULL, &p,
					   NULL, &err),
		       ERROR_FORMAT, "callgrind is not a profile");
	assert_refused(decode_trace_feed(FORMAT_FOLDED, feed, NULL, &trace,
					 NULL, &err),
		       ERROR_FORMAT, "folded stacks is not a trace format");
	want.labels = label_filter_new("a", NULL, &err);
	assert_non_null(want.labels);
	assert_refused(
		decode_profile_feed(FORMAT_FOLDED, feed, &want, &p, NULL, &err),
		ERROR_USAGE, "");
	label_filter_free(want.labels);
	assert_decoded(
		decode_profile_feed(FORMAT_FOLDED, feed, NULL, &p, NULL, &err));
	assert_int_equal(p.total, 3);
	trace_release(&trace);
	profile_release(&p);
	feed_free(feed);
}

UNIT_TESTS(decode_profile)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_format),
		cmocka_unit_test(test_formats_are_recognised),
		cmocka_unit_test(test_marks_are_skipped),
		cmocka_unit_test(test_nothing_wanted),
		cmocka_unit_test(test_default_type_without_samples),
		cmocka_unit_test(test_traces_are_no_profiles),
		cmocka_unit_test(test_feeds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
