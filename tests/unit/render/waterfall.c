/* SPDX-License-Identifier: Apache-2.0
 *
 * Trees of odd shapes and times at the ends of the range.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../unit.h"
#include "support.h"

static void render_at(const struct sample *s, unsigned width, struct buf *out)
{
	struct render_style style = { .width = width, .use_unicode = true };

	render_to(s, "table", style, out);
	text_check(out, width);
}

static bool has_text(const struct buf *out, const char *text)
{
	return str_find(buf_str(out), str_from(text)) != SIZE_MAX;
}

/* A chain of 120 spans: drawn as deep as there is room, then numbered. */
static void test_deep(void **state)
{
	static const unsigned widths[] = { 0, 60, 80, 200 };

	(void)state;
	for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
		struct sample s;
		struct buf out;

		sample_show(&s);
		for (uint32_t j = 0; j < 120; j++) {
			s.waterfall[j] = s.waterfall[3];
			s.waterfall[j].depth = j * 1000;
			s.waterfall[j].count = j;
		}
		s.result.waterfall_count = 120;
		render_at(&s, widths[i], &out);
		assert_true(has_text(&out, "(119000) "));
		assert_true(has_text(&out, "  x119"));
		buf_release(&out);
		sample_release(&s);
	}
}

static void test_times(void **state)
{
	struct sample s;
	struct buf out;

	(void)state;
	sample_show(&s);
	s.trace.start_ns = 0;
	s.trace.end_ns = INT64_MAX;
	s.waterfall[0].start_ns = INT64_MIN;
	s.waterfall[0].end_ns = INT64_MAX;
	s.waterfall[1].start_ns = s.waterfall[1].end_ns = INT64_MAX;
	s.waterfall[2].start_ns = s.waterfall[2].end_ns = 0;
	s.waterfall[3].duration_ns = s.waterfall[3].self_ns = INT64_MAX;
	render_at(&s, 0, &out);
	buf_release(&out);
	s.trace.end_ns = 0;
	render_at(&s, 0, &out);
	buf_release(&out);
	sample_release(&s);
}

static void test_empty(void **state)
{
	struct sample s;
	struct buf out;

	(void)state;
	sample_show(&s);
	s.result.waterfall_count = 0;
	render_at(&s, 80, &out);
	assert_true(str_starts(buf_str(&out), STR("duration 651 ms: 10 spans")));
	buf_release(&out);
	sample_release(&s);
}

/* Rows beyond the limit for tables stay: half a tree misleads. */
static void test_limit(void **state)
{
	struct render_style style = { .limit = 1 };
	struct sample s;
	struct buf out;

	(void)state;
	sample_show(&s);
	render_to(&s, "table", style, &out);
	assert_true(has_text(&out, "smtp"));
	buf_release(&out);
	sample_release(&s);
}

static void test_tree_lines(void **state)
{
	struct sample s;
	struct buf out;

	(void)state;
	sample_show(&s);
	render_at(&s, 200, &out);
	assert_true(has_text(&out, ">*  │ └ user-db UserRepository"));
	assert_true(
		has_text(&out, " *  │   ├ user-db SELECT preferences  x52"));
	assert_true(has_text(&out, "  ! │   └ user-db INSERT audit "));
	assert_true(has_text(&out, " *  └ api_server render "));
	assert_true(has_text(&out, "    their parent is not in the trace:\n"
				   "    mailer send mail "));
	buf_release(&out);
	sample_release(&s);
}

/* The names' colours come from one palette or the other, never from both. */
static void test_colors(void **state)
{
	struct render_style style = { .use_color = true };
	struct sample s;
	struct buf out;

	(void)state;
	sample_show(&s);
	render_to(&s, "table", style, &out);
	assert_true(has_text(&out, "\033[96muser-db\033[m"));
	assert_false(has_text(&out, "\033[38;5;"));
	buf_release(&out);
	style.has_256_colors = true;
	render_to(&s, "table", style, &out);
	assert_true(has_text(&out, "\033[38;5;30muser-db\033[m"));
	assert_false(has_text(&out, "\033[96m"));
	assert_true(has_text(&out, "\033[33m")); /* marks stay */
	buf_release(&out);
	sample_release(&s);
}

UNIT_TESTS(waterfall)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_tree_lines),
		cmocka_unit_test(test_colors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
