/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../unit.h"
#include "report/texts.h"

static void expect(struct rules_fault fault, const char *message)
{
	struct error err = { 0 };

	assert_false(rules_fault_explain(&fault, "my.rules", &err));
	assert_int_equal(err.code, ERROR_USAGE);
	assert_string_equal(err.message, message);
}

#define EXPECT(message, ...)                                                   \
	expect((struct rules_fault){ __VA_ARGS__ }, message)

static void words(void **state)
{
	(void)state;
	EXPECT("my.rules:3: unknown language 'java' (one of any, go, jvm, "
	       "python, node, dotnet, ruby, rust, native)",
	       .kind = RULES_FAULT_WORD, .place = RULES_LANGUAGE,
	       .word = STR("java"), .line = 3);
	EXPECT("my.rules:1: unknown kind 'db' (one of application, database, "
	       "http_client, serialisation, lock, gc_alloc, runtime, kernel, "
	       "idle, library, stdlib, unknown)",
	       .kind = RULES_FAULT_WORD, .place = RULES_KIND, .word = STR("db"),
	       .line = 1);
	EXPECT("my.rules:1: no test: a rule is LANGUAGE KIND TEST TEXT, the "
	       "test one of pkg, name-prefix, name-suffix, name-is, name-has, "
	       "file-prefix, file-has",
	       .kind = RULES_FAULT_WORD, .place = RULES_TEST, .line = 1);
	/* A long word is cut. */
	EXPECT("my.rules:1: unknown test "
	       "'0123456789012345678901234567890123456789' (one of pkg, "
	       "name-prefix, name-suffix, name-is, name-has, file-prefix, "
	       "file-has)",
	       .kind = RULES_FAULT_WORD, .place = RULES_TEST, .line = 1,
	       .word = STR("0123456789012345678901234567890123456789x"));
}

static void sizes(void **state)
{
	(void)state;
	EXPECT("my.rules:1: no text to compare with: a rule is LANGUAGE KIND "
	       "TEST TEXT",
	       .kind = RULES_FAULT_NO_TEXT, .line = 1);
	EXPECT("my.rules:1: the text is 501 bytes long (at most 500)",
	       .kind = RULES_FAULT_TEXT, .line = 1, .bytes = 501);
	EXPECT("my.rules:1001: more than 1000 rules", .kind = RULES_FAULT_COUNT,
	       .line = 1001);
	EXPECT("my.rules: the rules are 65537 bytes long (at most 65536)",
	       .kind = RULES_FAULT_FILE, .bytes = 65537);
}

UNIT_TESTS(rules_fault_text)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words),
		cmocka_unit_test(sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
