/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "analyze/code_kind.h"
#include "base/buf.h"

static struct error err;
static struct arena arena;
static struct code_rules rules;

static bool parse(const char *text)
{
	error_clear(&err);
	return code_rules_parse(&rules, &arena, "my.rules", str_from(text),
				&err);
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

static void assert_refused(const char *text, const char *place,
			   const char *reason)
{
	assert_false(parse(text));
	assert_int_equal(err.code, ERROR_USAGE);
	if (strncmp(err.message, place, strlen(place)) != 0 ||
	    !strstr(err.message, reason) || strchr(err.message, '\n'))
		fail_msg("%s", err.message);
}

static void test_bad_lines(void **state)
{
	(void)state;
	assert_refused("\n# x\njava lock pkg a\n", "my.rules:3: ",
		       "unknown language 'java' (one of any, go, jvm, python, "
		       "node, dotnet, ruby, rust, native)");
	assert_refused("go, lock pkg a", "my.rules:1: ", "no language");
	assert_refused("go db pkg a", "my.rules:1: ",
		       "unknown kind 'db' (one of application, database, "
		       "http_client, serialisation, lock, gc_alloc, runtime, "
		       "kernel, idle, library, stdlib, unknown)");
	assert_refused("go", "my.rules:1: ", "no kind");
	assert_refused("go lock is a", "my.rules:1: ",
		       "unknown test 'is' (one of pkg, name-prefix, "
		       "name-suffix, name-is, name-has, file-prefix, "
		       "file-has)");
	assert_refused("go lock", "my.rules:1: ", "no test");
	assert_refused("go lock pkg", "my.rules:1: ", "no text");
	assert_refused("go lock pkg # nothing", "my.rules:1: ", "no text");
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
	assert_refused(filled(&text, "go lock pkg a\n", 1).ptr,
		       "my.rules:1001: ", "more than 1000 rules");
	buf_release(&text);
}

static void test_text_limit(void **state)
{
	struct buf text;

	(void)state;
	buf_init(&text, MIB);
	buf_add_text(&text, "go lock pkg ");
	assert_true(parse(filled(&text, "x", LIMIT_RULE_TEXT_BYTES).ptr));
	assert_refused(filled(&text, "x", 1).ptr,
		       "my.rules:1: ", "501 bytes long (at most 500)");
	buf_release(&text);
}

static void test_file_limit(void **state)
{
	struct buf text;

	(void)state;
	buf_init(&text, MIB);
	assert_true(parse(filled(&text, "#", LIMIT_RULE_FILE_BYTES).ptr));
	assert_refused(filled(&text, "#", 1).ptr,
		       "my.rules: ", "65537 bytes long (at most 65536)");
	buf_release(&text);
}

/* Bytes that no editor writes. */
static void test_hostile(void **state)
{
	static const char bytes[] = "go\0lock pkg a\n\xff\xfe any\n";

	(void)state;
	error_clear(&err);
	assert_false(code_rules_parse(&rules, &arena, "x",
				      (struct str){ bytes, sizeof bytes - 1 },
				      &err));
	assert_int_equal(err.code, ERROR_USAGE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
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
