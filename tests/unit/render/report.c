/* SPDX-License-Identifier: Apache-2.0
 *
 * What is said when something is missing, unknown or the same as before.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../unit.h"
#include "support.h"

static const struct render_style plain = { .use_unicode = true };

static void expect_in(const struct sample *s, struct render_style style,
		      const char *text)
{
	struct buf out;

	render_to(s, "table", style, &out);
	if (str_find(buf_str(&out), str_from(text)) == SIZE_MAX)
		fail_msg("\"%s\" is not in:\n%s", text, buf_text(&out));
	buf_release(&out);
}

static void expect(const struct sample *s, const char *text)
{
	expect_in(s, plain, text);
}

static void expect_not_in(const struct sample *s, struct render_style style,
			  const char *text)
{
	struct buf out;

	render_to(s, "table", style, &out);
	if (str_find(buf_str(&out), str_from(text)) != SIZE_MAX)
		fail_msg("\"%s\" is in:\n%s", text, buf_text(&out));
	buf_release(&out);
}

static void expect_not(const struct sample *s, const char *text)
{
	expect_not_in(s, plain, text);
}

/* With --why. */
static void sample_whole(struct sample *s)
{
	sample_slow(s);
	s->result.shows_reasons = true;
}

static void test_answer(void **state)
{
	struct sample s;

	(void)state;
	sample_slow(&s);
	expect(&s, "user-db UserRepository.findByEmail took 612 ms, "
		   "normally 48 ms\n");
	s.result.span.typical_like = STR("for its size");
	s.result.cause.headline = STR("52 queries one after another");
	expect(&s, "took 612 ms, normally 48 ms for its size: 52 queries one "
		   "after another\n");
	s.result.span.typical_like = s.result.cause.headline = STR("");
	s.result.span.typical_ns = -1;
	expect(&s, "findByEmail took 612 ms\n");
	s.result.span.count = 52;
	expect(&s, "findByEmail took 612 ms\n");
	s.result.cause.kind = CAUSE_UNKNOWN;
	expect(&s, "findByEmail took 612 ms in 52 calls\n");
	s.result.has_span = false;
	expect(&s, "no span to blame was found\n");
}

/* What is as it always was has no code to look at; the rows stay. */
static void test_healthy(void **state)
{
	struct sample s;

	(void)state;
	sample_slow(&s);
	expect(&s, "  function  ");
	s.result.is_healthy = true;
	expect_not(&s, "  function  ");
	expect(&s, "findByEmail");
}

/* What the cause repeats of the line above is told once. */
static void test_cause_adds(void **state)
{
	struct sample s;

	(void)state;
	sample_whole(&s);
	s.result.span.why = STR("a call to pay; grew by 70 ms");
	s.result.cause.text = STR("a call to pay; no function grew");
	expect(&s, "  cause       a call to pay; grew by 70 ms\n"
		   "              no function grew\n");
	s.result.cause.text = STR("a call to payments; no function grew");
	expect(&s, "              a call to payments; no function grew\n");
	s.result.span.why = STR("a call to pay, up 70 ms (normally 9 ms)");
	s.result.cause.text = STR("a call to pay; no function grew");
	expect(&s, "  cause       a call to pay, up 70 ms (normally 9 ms)\n"
		   "              no function grew\n");
	s.result.cause.text = STR("a call to pay");
	expect(&s, "  cause       a call to pay, up 70 ms (normally 9 ms)\n"
		   "  compared");
	s.result.span.why = STR("a call to pay");
	s.result.cause.text = STR("a call to pay; no function grew");
	expect(&s, "  cause       a call to pay\n"
		   "              no function grew\n");
	s.result.cause.text = STR("a call to pay");
	expect(&s, "  cause       a call to pay\n  compared");
}

static void test_long_path(void **state)
{
	struct str path[14];
	struct sample s;

	(void)state;
	sample_whole(&s);
	for (size_t i = 0; i < 14; i++)
		path[i] = STR("svc step");
	path[0] = STR("svc first");
	path[13] = STR("svc last");
	s.result.span.path = path;
	s.result.span.path_count = 14;
	expect(&s, "svc first > svc step > svc step > (5 spans) > svc step > ");
	expect(&s, " > svc last\n");
	/* One of them stands for many. */
	s.result.span.path_left_out = 68;
	expect(&s, " > (72 spans) > ");
	s.result.span.path_left_out = 0;
	s.result.span.path_count = 10;
	expect_not(&s, "spans) >");
}

/* Figures as in the table, of what they are. */
static void test_function(void **state)
{
	struct sample s;

	(void)state;
	sample_whole(&s);
	expect(&s, "FindByEmail   user_repository.go:88\n");
	expect(&s,
	       "119 ms of CPU per request (was 7.47 ms); hottest callee: "
	       "database/sql.(*Rows).Next\n");
	s.rows[0].change = CHANGE_NOISE;
	expect(&s, "(was 7.47 ms); may be noise; hottest");
	s.rows[0].is_with_all = true;
	s.rows[0].change = CHANGE_SAME;
	expect(&s, "(was 7.47 ms); grew as much as all others");
	s.rows[0].baseline_total_value = 0;
	s.rows[0].change = CHANGE_NEW;
	expect(&s, "119 ms of CPU per request (was 0)");
	s.result.normalize = NORMALIZE_VALUE;
	s.result.exposure = s.result.baseline_exposure = 1;
	s.result.profile.type = STR("alloc_space/bytes");
	s.result.profile.unit = STR("bytes");
	expect(&s, "11.1 GiB of allocated bytes (was 0)");
	s.result.has_baseline = s.result.is_compared = false;
	expect(&s, "11.1 GiB of allocated bytes; hottest");
	expect(&s, "; no baseline: profile without a comparison\n");
}

/* The largest is told of what did not grow, unless it only calls others. */
static void test_none_grew(void **state)
{
	struct sample s;

	(void)state;
	sample_slow(&s);
	for (size_t i = 0; i < s.result.function_count; i++)
		s.rows[i].change = CHANGE_NOISE;
	expect(&s, "function    no function clearly grew; the most is in\n");
	for (size_t i = 0; i < s.result.function_count; i++)
		s.rows[i].self_lib = 0;
	expect(&s, "function    no function clearly grew\n");
}

static void test_no_functions(void **state)
{
	struct sample s;

	(void)state;
	sample_slow(&s);
	s.result.function_count = 0;
	expect(&s, "function    no change: the differences of 29 functions are "
		   "within noise\n");
	s.result.noise_count = 0;
	expect(&s, "function    no change\n");
	s.result.has_baseline = false;
	s.result.profile.total_value = 10;
	expect(&s, "function    no function has a value\n");
	s.result.profile.total_value = 0;
	expect(&s, "function    the profile holds no samples\n");
	s.result.has_profile = false;
	expect(&s, "function    no profile for this service\n");
	s.result.cause.kind = CAUSE_WAIT;
	expect(&s,
	       "function    none: no profile of the service shows the wait\n");
	s.result.cause.kind = CAUSE_DOWNSTREAM;
	expect(&s, "function    none: the service waits for its callees\n");
	expect_not(&s, "compared");
	notes_add(&s.result.notes, "no profile: 404");
	expect(&s, "function    no profile: 404\n");
	expect_not(&s, "note  no profile");
}

static void test_local_time(void **state)
{
	struct render_style local = plain;
	struct sample s;

	(void)state;
	local.use_local_time = true;
	setenv("TZ", "NST3:30", 1);
	sample_whole(&s);
	expect_in(&s, local,
		  "06:30-06:40 -03:30, 10 m, 18,230 samples: healthy, p50");
	/* The day is that of the zone, too. */
	s.result.baseline.range.from_ns -= 7 * NS_PER_HOUR;
	s.result.baseline.range.to_ns -= 7 * NS_PER_HOUR;
	expect_in(&s, local, "2026-11-20 23:30-23:40 -03:30, 10 m, ");
	setenv("TZ", "UTC", 1);
}

static void test_compared(void **state)
{
	struct sample s;
	struct baseline_info *b = &s.result.baseline;

	(void)state;
	sample_whole(&s);
	expect(&s, "compared    2026-11-21 10:10-10:20 UTC, 10 m, 1,830 "
		   "samples, with\n");
	expect(&s, "10:00-10:10 UTC, 10 m, 18,230 samples: healthy, p50 48 ms");
	b->healthy = 0;
	b->range.from_ns += NS_PER_S;
	expect(&s, "10:00:01-10:10:00 UTC, 9 m 59 s, 18,230 samples: not "
		   "healthy, ");
	b->healthy = -1;
	b->kind = STR("1d");
	b->range.from_ns -= NS_PER_DAY + NS_PER_S;
	b->range.to_ns -= NS_PER_DAY;
	expect(&s, "1 day earlier, 2026-11-20 10:00-10:10 UTC, 10 m, 18,230 "
		   "samples: health not checked, ");
	b->range.to_ns += NS_PER_DAY;
	expect(&s, "2026-11-20 10:00 to 2026-11-21 10:10 UTC");
	b->range = (struct time_range){ 0, 0 };
	b->samples = -1;
	b->kind = b->text = STR("before.pb.gz");
	expect(&s, "before.pb.gz: health not checked\n");
}

static void test_findings(void **state)
{
	struct trace_finding many[20];
	struct sample s;

	(void)state;
	sample_whole(&s);
	expect(&s, "also  user-db runs 3 ms ahead of api_server\n");
	expect_not(&s, "also  user-db find: 52 x");
	for (size_t i = 0; i < 20; i++)
		many[i] = s.findings[1];
	s.result.findings = many;
	s.result.finding_count = 20;
	expect(&s, "also  12 more findings (-o json)\n");
}

static void test_diff_answers(void **state)
{
	struct sample s;

	(void)state;
	sample_diff(&s);
	expect(&s,
	       "FindByEmail grew by 111 ms, from 7.47 ms to 119 ms; total CPU "
	       "per request from 182 ms to 183 ms (+0.4 %)\n");
	expect(&s, "  total  baseline  change ");
	expect(&s, "strong: x16, significant (q < 0.001)\n");
	s.rows[0].q = 0.03;
	expect(&s, "fair: x16, significant (q < 0.05)\n");
	s.rows[0].q = NAN;
	expect(&s, "weak: significance not tested\n");
	s.result.rank_by = RANK_SELF_LIB;
	expect(&s, "FindByEmail grew by 106 ms, from 7.29 ms to 113 ms");
	expect(&s, "self+lib  baseline  change ");
	s.result.rank_by = RANK_DELTA;
	s.rows[0].change = CHANGE_SHRUNK;
	s.rows[0].delta = -0.1;
	expect(&s, "FindByEmail shrank by ");
	s.rows[0].change = CHANGE_NEW;
	expect(&s, "FindByEmail is new with 111 ms");
	s.rows[0].change = CHANGE_GONE;
	expect(&s, "FindByEmail is gone, was 111 ms");
}

/* Nothing is certain of single functions; the whole may be, or agree. */
static void test_diff_uncertain(void **state)
{
	struct sample s;

	(void)state;
	sample_diff(&s);
	s.result.function_count = 1;
	s.rows[0].change = CHANGE_NOISE;
	s.result.baseline_exposure = 10000;
	s.result.whole.is_changed = true;
	s.result.whole.delta = 0.9;
	s.result.whole.q = 0.0003;
	expect(&s, "the whole profile grew, no single function significantly: "
		   "total CPU per request from 18.2 ms to 183 ms (x10); "
		   "most in main.(*UserRepository).FindByEmail (+118 ms)\n");
	expect(&s, "strong: the total changed significantly (q < 0.001)\n");
	s.result.whole.is_together = true;
	expect(&s, "the whole profile grew: total CPU per request from 18.2 "
		   "ms to 183 ms (x10), no function more than others\n");
	s.result.whole.is_changed = s.result.whole.is_together = false;
	expect(&s, "no significant change: total CPU per request from 18.2 ms "
		   "to 183 ms (x10); the largest, "
		   "main.(*UserRepository).FindByEmail (+118 ms), may be "
		   "noise; detectable: a change of the total by 30 % or "
		   "more\n");
	s.result.baseline.total_value = 1830000000000;
	s.rows[0].change = CHANGE_SAME;
	expect(&s, "no change detected: total CPU per request from 183 ms to "
		   "183 ms (0.0 %); detectable: 40 % or more in a function "
		   "with 1 % of the total\n");
	s.result.whole.is_equal = true;
	expect(&s, "no change: total CPU per request from 183 ms to 183 ms "
		   "(0.0 %)\n");
	s.result.whole.is_equal = false;
	s.result.whole.function_detectable = 0.05;
	expect(&s, "no change: total CPU per request from 183 ms to 183 ms "
		   "(0.0 %)\n");
	s.result.whole.detectable = 0.6;
	expect(&s, "no significant change: ");
	s.result.is_compared = false;
	s.result.function_count = 0;
	s.result.noise_count = 0;
	expect(&s, "not compared: no baseline\n");
}

/* What changed is shown; what did not is counted, unless nothing did. */
static void test_changes_only(void **state)
{
	struct sample s;

	(void)state;
	sample_diff(&s);
	s.rows[4].delta = 0.001;
	s.result.function_count = 5;
	expect_not_in(&s, (struct render_style){ .limit = 10 }, "logRequest");
	expect_in(&s, (struct render_style){ .limit = 10 },
		  "32 more functions within noise (-n 0 for all)\n");
	expect_in(&s, (struct render_style){ .limit = 2 },
		  "2 more changed, 32 within noise (-n 0 for all)\n");
	expect(&s, "logRequest");
	s.rows[4].delta = 0.4;
	s.rows[4].baseline_total_value /= 2;
	expect_in(&s, (struct render_style){ .limit = 10 }, "grown?");
	expect_in(
		&s, (struct render_style){ .limit = 10 },
		"main.encodeAnswer                                             "
		"   calls main.(*UserRepository).FindByEmail\n");
	for (size_t i = 0; i < 5; i++)
		s.rows[i].change = CHANGE_SAME;
	expect_in(&s, (struct render_style){ .limit = 10 }, "logRequest");
}

/* Each row adds up as it is printed, in whatever unit. */
static void test_adds_up(void **state)
{
	struct sample s;

	(void)state;
	sample_diff(&s);
	expect(&s, " 119.0       7.5  +111.5  grown ");
	s.result.exposure = s.result.baseline_exposure = 1;
	s.result.normalize = NORMALIZE_VALUE;
	expect(&s, "  CPU, s; self+lib: function and its library calls\n");
	expect(&s, " 11.9       7.5    +4.4  grown ");
	s.result.normalize = NORMALIZE_SHARE;
	s.result.exposure = 18300000000;
	s.result.baseline_exposure = 182300000000;
	expect(&s, "  CPU, %; self+lib: function and its library calls\n");
	expect(&s, " 65.0       4.1   +60.9  grown ");
}

/* What a screen has no room for. */
static void test_short(void **state)
{
	struct excess_part parts[2] = { { .kind = EXCESS_CPU, .ns = 2 },
					{ .kind = EXCESS_REST, .ns = 1 } };
	struct str path[5] = { STR("web /"), STR("api /"), STR("api get"),
			       STR("db read"), STR("db find") };
	struct sample s;

	(void)state;
	sample_slow(&s);
	memcpy(s.result.cause.excess.parts, parts, sizeof parts);
	s.result.cause.excess.count = 2;
	s.result.span.path = path;
	s.result.span.path_count = 5;
	s.result.categories = (struct category_shares){ .total = 1000 };
	s.result.categories.value[CODE_APPLICATION] = 1000;
	expect(&s, "  where       web / > (2 spans) > db read > db find\n");
	expect(&s, "10:10-10:20 UTC, with 10:00-10:10 UTC: healthy\n");
	expect_not(&s, "grew by");
	expect_not(&s, "by category");
	expect_not(&s, "hottest");
	s.result.span.share = 0.5;
	expect(&s, "db find; 50.0 % of the critical path\n");
	s.result.baseline.is_text_plain = false;
	expect(&s, "healthy, p50 48 ms over 212 spans\n");
	s.result.baseline.range = s.result.profile.range;
	s.result.baseline.text = STR("the other instances");
	expect(&s, "10:10-10:20 UTC, with the other instances\n");
	s.result.shows_reasons = true;
	expect(&s, "web / > api / > api get > db read > db find\n");
	expect(&s, "  grew by     ");
	expect(&s, "CPU by category  application 100 %\n");
	expect(&s, "; hottest callee: ");
}

/* Five rows, unless -n says otherwise. */
static void test_short_rows(void **state)
{
	struct render_style style = { .limit = 10 };
	struct function_row rows[7];
	struct sample s;

	(void)state;
	sample_slow(&s);
	for (size_t i = 0; i < 7; i++) {
		rows[i] = s.rows[0];
		rows[i].name = i < 5 ? STR("kept") : STR("left");
	}
	s.result.functions = rows;
	s.result.function_count = 7;
	expect_in(&s, style, "kept");
	expect_not_in(&s, style, "left");
	style.has_limit = true;
	expect_in(&s, style, "left");
}

/* A gap of the span whose time the cause has told. */
static void test_short_findings(void **state)
{
	struct trace_finding many[4];
	struct sample s;

	(void)state;
	sample_slow(&s);
	for (size_t i = 0; i < 4; i++) {
		many[i] = s.findings[1];
		many[i].text = STR("a thing");
	}
	many[0].text = STR("a gap");
	many[0].facts.kind = FINDING_GAP;
	many[0].facts.span = s.result.span.span;
	s.result.findings = many;
	s.result.finding_count = 4;
	expect_not(&s, "a gap");
	expect(&s, "also  1 more finding (--why)\n");
	s.result.shows_reasons = true;
	expect(&s, "a gap");
}

static void test_limit(void **state)
{
	struct render_style style = { .limit = 2 };
	struct sample s;
	struct buf out;

	(void)state;
	sample_slow(&s);
	render_to(&s, "table", style, &out);
	assert_true(str_find(buf_str(&out), STR("encodeAnswer")) != SIZE_MAX);
	assert_true(str_find(buf_str(&out), STR("Cache")) == SIZE_MAX);
	assert_true(str_find(buf_str(&out), STR("2 more changed, 32 within ")) !=
		    SIZE_MAX);
	buf_release(&out);
}

static void test_formats(void **state)
{
	(void)state;
	assert_string_equal(render_find(STR("difffolded"))->name, "difffolded");
	assert_null(render_find(STR("folde")));
	assert_null(render_find(STR("")));
	for (const struct render_format *f = render_formats; f->name; f++) {
		assert_true(render_find(str_from(f->name)) == f);
		assert_int_equal(f->suffix[0], '.');
		assert_non_null(f->help);
	}
}

/* Parts of a hundred: 41 + 38 + 20 + 0.6 and, before, 61 + 6 + 20 + 13. */
static void test_kinds(void **state)
{
	struct sample s;
	struct category_shares *now = &s.result.categories;
	struct category_shares *was = &s.result.baseline_categories;

	(void)state;
	sample_whole(&s);
	expect_not(&s, "by category");
	*now = (struct category_shares){ .total = 1000 };
	now->value[CODE_APPLICATION] = 414;
	now->value[CODE_GC_ALLOC] = 380;
	now->value[CODE_DATABASE] = 200;
	now->value[CODE_IDLE] = 6;
	expect(&s,
	       "\n\nCPU by category  application 41 %, gc and allocation 38 %, "
	       "database 20 %\n\n");
	*was = (struct category_shares){ .total = 100 };
	was->value[CODE_APPLICATION] = 61;
	was->value[CODE_GC_ALLOC] = 6;
	was->value[CODE_DATABASE] = 20;
	was->value[CODE_HTTP_CLIENT] = 13;
	expect(&s,
	       "CPU by category  application 41 % (was 61 %), gc and allocation 38 % "
	       "(was 6 %), database 20 %, HTTP client 0 % (was 13 %)\n");
	/* 5 points are shown, 4 are not. */
	was->value[CODE_DATABASE] = 25;
	expect(&s, "database 20 % (was 25 %)");
	was->value[CODE_DATABASE] = 24;
	expect(&s, "database 20 %, HTTP");
	/* Of one and the same share the first kind comes first. */
	*was = (struct category_shares){ .total = 0 };
	now->value[CODE_APPLICATION] = 380;
	expect(&s, "CPU by category  application 38 %, gc and allocation 38 %");
	s.result.profile.type = STR("odd/things");
	expect(&s, "\nby category  application 38 %");
}

UNIT_TESTS(report)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answer),
		cmocka_unit_test(test_healthy),
		cmocka_unit_test(test_cause_adds),
		cmocka_unit_test(test_long_path),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_function),
		cmocka_unit_test(test_none_grew),
		cmocka_unit_test(test_no_functions),
		cmocka_unit_test(test_local_time),
		cmocka_unit_test(test_compared),
		cmocka_unit_test(test_findings),
		cmocka_unit_test(test_diff_answers),
		cmocka_unit_test(test_diff_uncertain),
		cmocka_unit_test(test_changes_only),
		cmocka_unit_test(test_adds_up),
		cmocka_unit_test(test_short),
		cmocka_unit_test(test_short_rows),
		cmocka_unit_test(test_short_findings),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_formats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
