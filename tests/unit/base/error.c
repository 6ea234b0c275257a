/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "testing.h"

#include "base/error.h"

static void fill(char *text, size_t len)
{
	memset(text, 'x', len);
	text[len] = '\0';
}

static void test_set_and_clear(void **state)
{
	struct error err;

	(void)state;
	assert_false(error_set(&err, ERROR_USAGE, "no %s, %d", "this", 7));
	assert_int_equal(err.code, ERROR_USAGE);
	assert_string_equal(err.message, "no this, 7");
	error_clear(&err);
	assert_int_equal(err.code, ERROR_NONE);
	assert_string_equal(err.message, "");
}

static void test_prefix(void **state)
{
	struct error err;

	(void)state;
	error_set(&err, ERROR_FORMAT, "byte 3: bad");
	assert_false(error_prefix(&err, "%s", "a.json"));
	assert_string_equal(err.message, "a.json: byte 3: bad");
	assert_int_equal(err.code, ERROR_FORMAT);
}

static void test_longest_message(void **state)
{
	char text[LIMIT_ERROR_BYTES + 1];
	struct error err;

	(void)state;
	fill(text, LIMIT_ERROR_BYTES - 1);
	error_set(&err, ERROR_FORMAT, "%s", text);
	assert_string_equal(err.message, text);
	fill(text, LIMIT_ERROR_BYTES);
	error_set(&err, ERROR_FORMAT, "%s", text);
	assert_int_equal(strlen(err.message), LIMIT_ERROR_BYTES - 1);
	assert_string_equal(err.message + LIMIT_ERROR_BYTES - 5, "x...");
}

static void test_cut_keeps_characters_whole(void **state)
{
	char text[2 * LIMIT_ERROR_BYTES + 1];
	struct error err;
	size_t len;

	(void)state;
	for (size_t shift = 0; shift < 2; shift++) {
		fill(text, shift);
		while (strlen(text) < LIMIT_ERROR_BYTES + 10)
			memcpy(text + strlen(text), "\xC3\xA9", 3);
		error_set(&err, ERROR_FORMAT, "%s", text);
		len = strlen(err.message);
		assert_string_equal(err.message + len - 3, "...");
		assert_int_equal((len - 3 - shift) % 2, 0);
		assert_true(len >= LIMIT_ERROR_BYTES - 2);
	}
}

static void test_prefix_on_a_full_message(void **state)
{
	char text[LIMIT_ERROR_BYTES];
	struct error err;

	(void)state;
	fill(text, LIMIT_ERROR_BYTES - 1);
	error_set(&err, ERROR_FORMAT, "%s", text);
	error_prefix(&err, "file");
	assert_memory_equal(err.message, "file: xxx", 9);
	assert_int_equal(strlen(err.message), LIMIT_ERROR_BYTES - 1);
	assert_string_equal(err.message + LIMIT_ERROR_BYTES - 4, "...");
	error_set(&err, ERROR_FORMAT, "bad");
	error_prefix(&err, "%s", text);
	assert_int_equal(strlen(err.message), LIMIT_ERROR_BYTES - 1);
	assert_string_equal(err.message + LIMIT_ERROR_BYTES - 4, "...");
}

static void test_exit_codes(void **state)
{
	(void)state;
	assert_int_equal(error_exit_code(ERROR_NONE), 0);
	assert_int_equal(error_exit_code(ERROR_USAGE), 2);
	assert_int_equal(error_exit_code(ERROR_AUTH), 3);
	assert_int_equal(error_exit_code(ERROR_PARTIAL), 4);
	assert_int_equal(error_exit_code(ERROR_NOT_FOUND), 5);
	assert_int_equal(error_exit_code(ERROR_NETWORK), 6);
	assert_int_equal(error_exit_code(ERROR_FORMAT), 7);
	assert_int_equal(error_exit_code(ERROR_LIMIT), 7);
	assert_int_equal(error_exit_code(ERROR_OUTPUT), 1);
	assert_int_equal(error_exit_code(ERROR_MEMORY), 1);
	assert_int_equal(error_exit_code(ERROR_INTERNAL), 1);
	assert_int_equal(error_exit_code(ERROR_INTERRUPTED), 130);
}

UNIT_TESTS(error)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set_and_clear),
		cmocka_unit_test(test_prefix),
		cmocka_unit_test(test_longest_message),
		cmocka_unit_test(test_cut_keeps_characters_whole),
		cmocka_unit_test(test_prefix_on_a_full_message),
		cmocka_unit_test(test_exit_codes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
