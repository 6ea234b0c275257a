/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "base/library.h"
#include "../skipping.h"
#include "testing.h"

/* A library that is there wherever the tests run. */
#define LIBC "libc.so.6"

static int (*absolute)(int);
static int (*unknown)(void);

static const struct library_symbol known_symbols[] = {
	{ "abs", &absolute },
};
static const struct library_symbol unknown_symbols[] = {
	{ "abs", &absolute },
	{ "tracefind_has_no_such_function", &unknown },
};

static void test_load(void **state)
{
	struct error err = { 0 };
	atomic_bool is_loaded = false;

	(void)state;
	absolute = NULL;
	if (!library_load(LIBC, known_symbols, 1, &is_loaded, &err))
		SKIP_BECAUSE("no glibc");
	assert_true(is_loaded);
	assert_int_equal(absolute(-7), 7);
	/* As another thread has done. */
	absolute = NULL;
	assert_true(library_load(LIBC, known_symbols, 1, &is_loaded, &err));
	assert_null(absolute);
}

static void test_no_library(void **state)
{
	struct error err = { 0 };
	atomic_bool is_loaded = false;

	(void)state;
	assert_false(library_load("libabsent.so.99", known_symbols, 1,
				  &is_loaded, &err));
	assert_false(is_loaded);
	assert_int_equal(err.code, ERROR_INTERNAL);
	assert_non_null(strstr(err.message, "libabsent.so.99 cannot be loaded; "
					    "is it installed? ("));
}

static void test_no_symbol(void **state)
{
	struct error err = { 0 };
	atomic_bool is_loaded = false;

	(void)state;
	assert_false(library_load(LIBC, unknown_symbols, 2, &is_loaded, &err));
	assert_false(is_loaded);
	assert_int_equal(err.code, ERROR_INTERNAL);
}

UNIT_TESTS(library)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_load),
		cmocka_unit_test(test_no_library),
		cmocka_unit_test(test_no_symbol),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
