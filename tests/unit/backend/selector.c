/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "../unit.h"
#include "../starving.h"
#include "backend/selector.h"
#include "base/buf.h"

static struct error err;

static struct str value_of(void *context, struct str label)
{
	(void)context;
	if (str_equal(label, STR("version")))
		return STR("1.0.0");
	if (str_equal(label, STR("zone")))
		return STR("us-central1-a");
	if (str_equal(label, STR("service.name")))
		return STR("auth \"x\"\n");
	return STR("");
}

static bool matches(const char *text)
{
	struct selector *s = selector_parse(str_from(text), &err);
	bool is_match;

	if (!s)
		fail_msg("%s: %s", text, err.message);
	assert_true(selector_matches(s, value_of, NULL, &is_match, &err));
	selector_free(s);
	return is_match;
}

static void test_matching(void **state)
{
	static const struct {
		const char *text;
		bool is_match;
	} cases[] = {
		{ "{}", true },
		{ " { } ", true },
		{ "{version=\"1.0.0\"}", true },
		{ "{version=\"1.0\"}", false },
		{ "{version!=\"1.0\"}", true },
		{ "{version!=\"1.0.0\"}", false },
		{ "{ version = '1.0.0' , zone=~`us-.*`, }", true },
		{ "{version=\"1.0.0\",zone=\"x\"}", false },
		{ "{zone=~\"us-central\"}", false }, /* whole values */
		{ "{zone=~\"us-central.*\"}", true },
		{ "{zone=~\"eu|us-central1-a\"}", true },
		{ "{zone!~\"us-.*\"}", false },
		{ "{zone!~\"eu-.*\"}", true },
		{ "{region=\"\"}", true },
		{ "{region!=\"\"}", false },
		{ "{region=~\".+\"}", false },
		{ "{\"service.name\"=\"auth \\\"x\\\"\\n\"}", true },
		{ "{service.name=~\"AUTH.*\"}", false },
		{ "{service.name=~\"(?is:AUTH .*)\"}", true },
		{ "{version=~\"1\\\\.0\\\\.0\"}", true },
		{ "{version=~`1\\.0\\.0`}", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (matches(cases[i].text) != cases[i].is_match)
			fail_msg("%s", cases[i].text);
}

static void test_mistakes(void **state)
{
	static const struct {
		const char *text;
		const char *says;
	} cases[] = {
		{ "", "byte 1: the opening {" },
		{ "version=\"1\"", "byte 1: the opening {" },
		{ "{version}", "byte 9: one of = != =~ !~" },
		{ "{version!\"1\"}", "byte 10: one of = != =~ !~" },
		{ "{version=1}", "byte 10: a value in quotes" },
		{ "{version=\"1}", "byte 13: a closing quote" },
		{ "{version=\"1\" zone=\"2\"}", "byte 14: a comma" },
		{ "{=\"1\"}", "byte 2: a label" },
		{ "{a=\"1\"} x", "byte 9: the end" },
		{ "{a=~\"(\"}", "at character 2" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_null(selector_parse(str_from(cases[i].text), &err));
		assert_int_equal(err.code, ERROR_USAGE);
		if (!strstr(err.message, cases[i].says))
			fail_msg("%s: %s", cases[i].text, err.message);
	}
}

static void test_limit(void **state)
{
	(void)state;
	for (unsigned over = 0; over < 2; over++) {
		struct selector *s;
		struct buf text;

		buf_init(&text, LIMIT_OPTION_VALUE_BYTES);
		buf_add_char(&text, '{');
		for (unsigned i = 0; i < LIMIT_SELECTOR_MATCHERS + over; i++)
			buf_addf(&text, "l%u=\"\",", i);
		buf_add_char(&text, '}');
		s = selector_parse(buf_str(&text), &err);
		assert_int_equal(s != NULL, !over);
		selector_free(s);
		buf_release(&text);
	}
	assert_int_equal(err.code, ERROR_LIMIT);
}

/* Labels and values together; "a" and the ends of texts take a little. */
static void test_size(void **state)
{
	const size_t each = 60000;

	(void)state;
	for (unsigned count = 4; count <= 5; count++) {
		struct selector *s;
		struct buf text;

		buf_init(&text, MIB);
		buf_add_char(&text, '{');
		for (unsigned i = 0; i < count; i++) {
			buf_add_text(&text, "a=\"");
			for (size_t k = 0; k < each; k++)
				buf_add_char(&text, 'v');
			buf_add_text(&text, "\",");
		}
		buf_add_char(&text, '}');
		s = selector_parse(buf_str(&text), &err);
		assert_int_equal(s != NULL,
				 count * each < LIMIT_SELECTOR_BYTES);
		selector_free(s);
		buf_release(&text);
	}
	assert_int_equal(err.code, ERROR_LIMIT);
}

static void test_no_memory(void **state)
{
	struct selector *s = NULL;

	(void)state;
	for (long n = 0; !s; n++) {
		starve_after(n);
		s = selector_parse(STR("{a=\"1\",b=~\"2\"}"), &err);
		stop_starving();
		if (!s)
			assert_int_equal(err.code, ERROR_MEMORY);
		assert_true(n < 1000);
	}
	selector_free(s);
}

UNIT_TESTS(selector)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_matching),
		cmocka_unit_test(test_mistakes),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
