/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../unit.h"
#include "report/texts.h"

static void expect(const struct symptom *s, const char *want)
{
	struct buf text;

	buf_init(&text, KIB);
	baseline_words_add(s, &text);
	assert_string_equal(buf_text(&text), want);
	buf_release(&text);
}

static void what_it_is_has_words(void **state)
{
	const struct baseline_choice choice = {
		.slots[BASELINE_PREVIOUS] = { .count = 98,
					      .p50_ns = 7 * NS_PER_MS },
	};
	struct symptom s = { .base_choice = &choice,
			     .base_version = STR("1.2"),
			     .base_p50_ns = 40 * NS_PER_MS,
			     .base_span_count = 20 };

	(void)state;
	expect(&s, "p50 7 ms over 98 spans");
	s.base_is = BASE_IS_VERSION;
	expect(&s, "1.2");
	s.base_is = BASE_IS_VERSION_SPANS;
	expect(&s, "p50 40 ms over 20 spans of version 1.2");
	s.base_is = BASE_IS_OTHER_VERSIONS;
	expect(&s, "other versions in the same minutes");
	s = (struct symptom){ .base_is = BASE_IS_WINDOW };
	expect(&s, "");
}

static void what_is_shown_decides(void **state)
{
	struct symptom s = { .base_is = BASE_IS_OTHER_VERSIONS,
			     .is_base_fast = true };
	struct comparison shown = { .scope = SCOPE_INSTANCE };
	struct profile_inquiry q = { .s = &s, .shown = &shown };
	struct result result = { .has_baseline = true };
	struct error err = { 0 };

	(void)state;
	arena_init(&result.arena, MIB);
	assert_true(baseline_words_write(&q, &result, &err));
	assert_string_equal(result.baseline.text.ptr,
			    "the other instances in the same minutes");
	shown.scope = SCOPE_COHORT;
	assert_true(baseline_words_write(&q, &result, &err));
	assert_string_equal(result.baseline.text.ptr,
			    "the fast requests in the same minutes");
	shown.scope = SCOPE_SERVICE;
	assert_true(baseline_words_write(&q, &result, &err));
	assert_string_equal(result.baseline.text.ptr,
			    "other versions in the same minutes");
	arena_release(&result.arena);
}

UNIT_TESTS(baseline_words)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_it_is_has_words),
		cmocka_unit_test(what_is_shown_decides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
