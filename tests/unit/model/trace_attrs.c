/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/trace_build.h"

/* The search needs the order; a key out of place would not be found. */
static void test_every_key_is_found(void **state)
{
	(void)state;
	for (unsigned i = 0; i < KEPT_COUNT; i++) {
		assert_int_equal(kept_find(kept_key(i)), i);
		if (i > 0)
			assert_true(str_compare(kept_key(i - 1), kept_key(i)) <
				    0);
	}
}

static void test_kept_keys(void **state)
{
	(void)state;
	assert_true(attr_is_kept(STR("service.name")));
	assert_true(attr_is_kept(STR("@jaeger@warnings")));
	assert_true(attr_is_kept(STR("url.scheme")));
	assert_true(attr_is_kept(STR("pyroscope.profile.id")));
	assert_true(attr_is_kept(STR("db.query.text")));
	assert_false(attr_is_kept(STR("db.query")));
	assert_false(attr_is_kept(STR("")));
	assert_false(attr_is_kept(STR("zzz")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_key_is_found),
		cmocka_unit_test(test_kept_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
