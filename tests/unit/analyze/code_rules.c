/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "../unit.h"
#include "analyze/code_kind.h"
#include "base/buf.h"

static struct error err;
static struct arena arena;
static struct code_rules rules;
static struct rules_fault fault;

static bool parse(const char *text)
{
	error_clear(&err);
	return code_rules_parse(&rules, &arena, str_from(text), &fault, &err);
}

static int setup(void **state)
{
	(void)state;
	arena_init(&arena, MIB);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

static const char *kind_of(const char *name, const char *file)
{
	return code_kind_name(
		code_classify(&rules, str_from(name), str_from(file), 0).kind);
}

static void test_parse(void **state)
{
	(void)state;
	assert_true(
		parse("# ours\n"
		      "\n"
		      "go application pkg github.com/acme\r\n"
		      "  any\tdatabase  name-prefix   MyDriver.  # home made\n"
		      "rust,native lock name-is take it now\n"
		      "ruby idle name-suffix Pool#take"));
	assert_int_equal(rules.count, 4);
	assert_int_equal(rules.items[0].languages, LANGUAGE_GO);
	assert_int_equal(rules.items[0].kind, CODE_APPLICATION);
	assert_int_equal(rules.items[0].op, OP_PKG);
	assert_string_equal(rules.items[0].text.ptr, "github.com/acme");
	assert_int_equal(rules.items[1].languages, LANGUAGE_ANY);
	assert_string_equal(rules.items[1].text.ptr, "MyDriver.");
	assert_int_equal(rules.items[2].languages,
			 LANGUAGE_RUST | LANGUAGE_NATIVE);
	assert_string_equal(rules.items[2].text.ptr, "take it now");
	assert_string_equal(rules.items[3].text.ptr, "Pool#take");
	assert_true(parse(""));
	assert_int_equal(rules.count, 0);
}

/* Each test word, and the first rule that matches. */
static void test_match(void **state)
{
	(void)state;
	assert_true(parse("go application pkg github.com/lib/pq\n"
			  "any database name-prefix MyDriver.\n"
			  "any lock name-suffix .acquireSlot\n"
			  "any idle name-is app.waitForWork\n"
			  "any serialisation name-has Codec\n"
			  "any library file-prefix /opt/framework/\n"
			  "node http_client file-has /clients/\n"
			  "any runtime name-has Codec\n"));
	assert_string_equal(kind_of("github.com/lib/pq.(*conn).recv1", ""),
			    "application");
	assert_string_equal(kind_of("MyDriver.Run", ""), "database");
	assert_string_equal(kind_of("pool.Pool.acquireSlot", ""), "lock");
	assert_string_equal(kind_of("app.waitForWork", ""), "idle");
	assert_string_equal(kind_of("app.waitForWorkers", "a.py"),
			    "application");
	assert_string_equal(kind_of("main.(*CartCodec).Put", ""),
			    "serialisation");
	assert_string_equal(kind_of("run", "/opt/framework/x.py"), "library");
	assert_string_equal(kind_of("get", "/app/clients/tax.js"),
			    "http_client");
	assert_string_equal(kind_of("get", "/app/clients/tax.py"),
			    "application");
	assert_string_equal(kind_of("encoding/json.Marshal", ""),
			    "serialisation");
}

static void assert_refused(const char *text, size_t line,
			   enum rules_fault_kind kind)
{
	assert_false(parse(text));
	assert_int_equal(err.code, ERROR_USAGE);
	assert_int_equal(fault.kind, kind);
	assert_int_equal(fault.line, line);
}

static void assert_bad_word(const char *text, size_t line,
			    enum rules_place place, const char *word)
{
	assert_refused(text, line, RULES_FAULT_WORD);
	assert_int_equal(fault.place, place);
	assert_true(str_equal(fault.word, str_from(word)));
}

static void test_bad_lines(void **state)
{
	(void)state;
	assert_bad_word("\n# x\njava lock pkg a\n", 3, RULES_LANGUAGE, "java");
	assert_bad_word("go, lock pkg a", 1, RULES_LANGUAGE, "");
	assert_bad_word("go db pkg a", 1, RULES_KIND, "db");
	assert_bad_word("go", 1, RULES_KIND, "");
	assert_bad_word("go lock is a", 1, RULES_TEST, "is");
	assert_bad_word("go lock", 1, RULES_TEST, "");
	assert_refused("go lock pkg", 1, RULES_FAULT_NO_TEXT);
	assert_refused("go lock pkg # nothing", 1, RULES_FAULT_NO_TEXT);
}

static struct str filled(struct buf *text, const char *line, size_t count)
{
	for (size_t i = 0; i < count; i++)
		buf_add_text(text, line);
	assert_true(buf_check(text, "test", &err));
	return buf_str(text);
}

static void test_count_limit(void **state)
{
	struct buf text;

	(void)state;
	buf_init(&text, MIB);
	assert_true(parse(filled(&text, "go lock pkg a\n", LIMIT_RULES).ptr));
	assert_int_equal(rules.count, LIMIT_RULES);
	assert_refused(filled(&text, "go lock pkg a\n", 1).ptr, LIMIT_RULES + 1,
		       RULES_FAULT_COUNT);
	buf_release(&text);
}

static void test_text_limit(void **state)
{
	struct buf text;

	(void)state;
	buf_init(&text, MIB);
	buf_add_text(&text, "go lock pkg ");
	assert_true(parse(filled(&text, "x", LIMIT_RULE_TEXT_BYTES).ptr));
	assert_refused(filled(&text, "x", 1).ptr, 1, RULES_FAULT_TEXT);
	assert_int_equal(fault.bytes, LIMIT_RULE_TEXT_BYTES + 1);
	buf_release(&text);
}

static void test_file_limit(void **state)
{
	struct buf text;

	(void)state;
	buf_init(&text, MIB);
	assert_true(parse(filled(&text, "#", LIMIT_RULE_FILE_BYTES).ptr));
	assert_refused(filled(&text, "#", 1).ptr, 0, RULES_FAULT_FILE);
	assert_int_equal(fault.bytes, LIMIT_RULE_FILE_BYTES + 1);
	buf_release(&text);
}

/* Bytes that no editor writes. */
static void test_hostile(void **state)
{
	static const char bytes[] = "go\0lock pkg a\n\xff\xfe any\n";

	(void)state;
	error_clear(&err);
	assert_false(code_rules_parse(&rules, &arena,
				      (struct str){ bytes, sizeof bytes - 1 },
				      &fault, &err));
	assert_int_equal(err.code, ERROR_USAGE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

UNIT_TESTS(code_rules)
{
	const struct CMUnitTest tests[] = {
		TEST(test_parse),      TEST(test_match),
		TEST(test_bad_lines),  TEST(test_count_limit),
		TEST(test_text_limit), TEST(test_file_limit),
		TEST(test_hostile),
	};

	return cmocka_run_group_tests_name("analyze/code_rules", tests, NULL,
					   NULL);
}
