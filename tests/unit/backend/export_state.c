/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "../unit.h"
#include "../write_file.h"
#include "backend/export_state.h"
#include "base/timefmt.h"

static struct error err;
static char path[] = "/tmp/export-state-XXXXXX";

static struct export_key key_of(unsigned number)
{
	struct export_key key = { .bytes = { 1 } };

	memcpy(key.bytes + 4, &number, sizeof number);
	return key;
}

static struct export_state *open_state(const char *to)
{
	error_clear(&err);
	return export_state_open(path, "traces", STR("http://a"), str_from(to),
				 &err);
}

static void add(struct export_state *s, unsigned number, int64_t time_ns)
{
	struct export_key key = key_of(number);

	assert_true(export_state_add(s, &key, time_ns, &err));
}

static bool has(const struct export_state *s, unsigned number)
{
	struct export_key key = key_of(number);

	return export_state_has(s, &key);
}

static void test_remembers(void **state)
{
	struct export_state *s;

	(void)state;
	assert_true(make_temporary(path));
	unlink(path);
	s = open_state("http://b");
	assert_non_null(s);
	assert_false(has(s, 1));
	/* Nothing new: no file. */
	assert_true(export_state_save(s, true, &err));
	assert_int_not_equal(access(path, F_OK), 0);
	add(s, 1, 5 * NS_PER_S);
	add(s, 1, 7 * NS_PER_S);
	assert_true(export_state_save(s, true, &err));
	export_state_free(s);
	s = open_state("http://b");
	assert_true(has(s, 1));
	assert_false(has(s, 2));
	export_state_free(s);
	assert_null(open_state("http://c"));
	assert_int_equal(err.code, ERROR_USAGE);
	unlink(path);
}

/* As many as there is room for are kept; of more those that began last. */
static void test_limit(void **state)
{
	const unsigned most = LIMIT_EXPORT_KEPT;
	struct export_state *s;

	(void)state;
	assert_true(make_temporary(path));
	unlink(path);
	s = open_state("http://b");
	for (unsigned i = 0; i < most; i++)
		add(s, i, (int64_t)(most - i) * NS_PER_S);
	assert_true(export_state_save(s, true, &err));
	export_state_free(s);
	s = open_state("http://b");
	assert_true(has(s, 0) && has(s, most - 1));
	add(s, most, (int64_t)most * NS_PER_S);
	assert_true(export_state_save(s, true, &err));
	export_state_free(s);
	s = open_state("http://b");
	assert_true(has(s, 0) && has(s, most));
	assert_false(has(s, most - 1));
	export_state_free(s);
	unlink(path);
}

static void test_damaged(void **state)
{
	static const struct {
		const char *text;
		enum error_code code;
	} cases[] = {
		{ "", ERROR_USAGE },
		{ "a book\n", ERROR_USAGE },
		{ "tracefind export 1\nprofiles\nfrom http://a\nto http://b\n",
		  ERROR_USAGE },
		{ "tracefind export 1\ntraces\nfrom http://a\nto http://b\n12 "
		  "3\n",
		  ERROR_FORMAT },
		{ "tracefind export 1\ntraces\nfrom http://a\nto http://b\n"
		  "0102030405060708090a0b0c0d0e0f10 x\n",
		  ERROR_FORMAT },
		{ "tracefind export 1\ntraces\nfrom http://a\nto http://b\n"
		  "0102030405060708090a0b0c0d0e0f10 3",
		  ERROR_FORMAT },
	};

	(void)state;
	assert_true(make_temporary(path));
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		write_file(path, str_from(cases[i].text));
		assert_null(open_state("http://b"));
		assert_int_equal(err.code, cases[i].code);
	}
	unlink(path);
}

static void test_keys_of_texts(void **state)
{
	struct export_key a = export_key_of_text(STR("projects/p/profiles/a"));
	struct export_key b = export_key_of_text(STR("projects/p/profiles/b"));

	(void)state;
	assert_memory_not_equal(&a, &b, 8);
	assert_memory_not_equal(a.bytes + 8, b.bytes + 8, 8);
	b = export_key_of_text(STR("projects/p/profiles/a"));
	assert_memory_equal(&a, &b, sizeof a);
}

UNIT_TESTS(export_state)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_remembers),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_keys_of_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
