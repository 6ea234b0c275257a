/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../unit.h"
#include "base/instance.h"
#include "model/trace_build.h"

/* They are kept in the order of the table. */
static void test_every_key_is_found(void **state)
{
	unsigned char places[KEPT_PLACES];

	(void)state;
	kept_places_fill(places);
	assert_int_equal(kept_find(places, STR("")), KEPT_COUNT);
	assert_int_equal(kept_find(places, STR("db.query")), KEPT_COUNT);
	for (unsigned i = 0; i < KEPT_COUNT; i++) {
		assert_int_equal(kept_find(places, kept_key(i)), i);
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

/* A trace and its profiles are joined by what both call the instance. */
static void test_names_of_instances(void **state)
{
	(void)state;
	for (size_t i = 0; i < INSTANCE_ATTRS; i++) {
		assert_true(attr_is_kept(str_from(instance_attrs[i])));
		assert_true(instance_is_name(str_from(instance_attrs[i])));
	}
	for (size_t i = 0; i < INSTANCE_LABELS; i++)
		assert_true(instance_is_name(str_from(instance_labels[i])));
	assert_true(instance_is_name(STR("pod")));
	assert_false(instance_is_name(STR("po")));
	assert_false(instance_is_name(STR("pods")));
	assert_false(instance_is_name(STR("")));
}

UNIT_TESTS(trace_attrs)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_key_is_found),
		cmocka_unit_test(test_kept_keys),
		cmocka_unit_test(test_names_of_instances),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
