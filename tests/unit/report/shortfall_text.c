/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../unit.h"
#include "report/texts.h"

static struct error err;

static struct shortfall ordinary(enum shortfall_kind kind)
{
	static struct str names[] = { { "1.0", 3 }, { "1.1", 3 } };
	static const struct name_list list = { names, 2 };
	static const struct name_list none;

	return (struct shortfall){
		.kind = kind,
		.missing = { .service = STR("shop"),
			     .type_id = STR("cpu"),
			     .services = &none },
		.service = STR("shop"),
		.name = STR("pod"),
		.value = STR("9.9"),
		.attr = "k8s.namespace.name",
		.names = list,
		.count = 2,
		.span_id = 0xab,
	};
}

/* Whatever an investigation can lack has a line with the reason. */
static void each_shortfall_has_words(void **state)
{
	(void)state;
	for (int i = SHORTFALL_NONE + 1; i < SHORTFALL_KINDS; i++) {
		struct shortfall s = ordinary((enum shortfall_kind)i);

		error_set(&err, ERROR_NOT_FOUND, "%s", "");
		assert_false(shortfall_explain(&s, &err));
		assert_int_not_equal(err.code, ERROR_NONE);
		assert_true(strlen(err.message) > 10);
		assert_null(strstr(err.message, "(null)"));
	}
}

static void other_errors_stay(void **state)
{
	struct shortfall none = { SHORTFALL_NONE };

	(void)state;
	error_set(&err, ERROR_NETWORK, "no route");
	assert_false(shortfall_explain(&none, &err));
	assert_string_equal(err.message, "no route");
	assert_int_equal(err.code, ERROR_NETWORK);
}

static void names_and_next_steps_stand_in_them(void **state)
{
	struct shortfall version = ordinary(SHORTFALL_VERSION);
	struct shortfall spans = ordinary(SHORTFALL_SPANS);

	(void)state;
	shortfall_explain(&version, &err);
	assert_string_equal(err.message,
			    "--baseline version=9.9: not a version of service "
			    "\"shop\"; it has 1.0, 1.1");
	shortfall_explain(&spans, &err);
	assert_non_null(strstr(err.message, "00000000000000ab and the others"));
	assert_non_null(strstr(err.message, "widen with --since"));
}

UNIT_TESTS(shortfall_text)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_shortfall_has_words),
		cmocka_unit_test(other_errors_stay),
		cmocka_unit_test(names_and_next_steps_stand_in_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
