/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../unit.h"
#include "analyze/function_extent.h"
#include "base/buf.h"
#include "base/num.h"

static const struct {
	const char *name;
	const char *source;
	uint32_t line;
	uint32_t first; /* 0: not found */
	uint32_t last;
} cases[] = {
	/* Go: a method, its closure, the line behind it. */
	{ "shop/store.(*Users).load",
	  "package store\n\n// load loads.\nfunc (u *Users) load() {\n"
	  "\tfor {\n\t\tx()\n\t}\n}\n\nfunc (u *Users) save() {\n\ty()\n}\n",
	  6, 4, 8 },
	{ "shop/store.(*Users).load.func1.2",
	  "func (u *Users) load() {\n\tgo func() {\n\t\tx()\n\t}()\n}\n", 3, 1,
	  5 },
	{ "shop/store.(*Users).load-fm",
	  "func (u *Users) load() {\n\tx()\n}\n", 2, 1, 3 },
	{ "main.find[go.shape.string]", "func find[K any]() {\n\tx()\n}\n", 2,
	  1, 3 },
	/* Of another version of the source. */
	{ "shop/store.(*Users).load",
	  "func (u *Users) load() {\n\tx()\n}\n\n"
	  "func (u *Users) save() {\n\ty()\n}\n",
	  6, 0, 0 },
	{ "main.load", "func reload() {\n\tx()\n}\n", 2, 0, 0 },
	{ "main.load", "func load() {\n}\n", 9, 0, 0 },
	{ "main.load", "func load() {\n\tx()\n}\n", 0, 0, 0 },
	{ "main.load", "", 1, 0, 0 },
	{ "<module>", "x = 1\n", 1, 0, 0 },
	/* A signature of several lines, a brace of its own. */
	{ "main.load",
	  "func load(\n\ta int,\n\tb int,\n) error {\n\tx()\n\ty()\n}\nvar z int\n",
	  5, 1, 7 },
	{ "load", "static int\nload(int a)\n{\n\tx();\nout:\n#if 0\n\ty();\n}\nint z;\n",
	  7, 2, 8 },
	/* Python: what follows ends it, blank lines do not belong to it. */
	{ "users.views.load",
	  "class A:\n    def load(self):\n        if self:\n"
	  "            x()\n\n        # not\n        y()\n\n"
	  "    def save(self):\n        pass\n",
	  4, 2, 7 },
	{ "users.load.<locals>.<lambda>", "def load():\n    x()", 2, 1, 2 },
	/* Java, C++, Ruby, JavaScript. */
	{ "com/acme/Users.load(Ljava/lang/String;)V",
	  "class Users {\n  void load(String a) {\n    x();\n  }\n}\n", 3, 2,
	  4 },
	{ "com.acme.Users.lambda$load$0",
	  "class Users {\n  void load() {\n    f(() -> {\n      x();\n    });\n"
	  "  }\n}\n",
	  4, 2, 6 },
	{ "acme::Users::load(int, char const*) const",
	  "void Users::load(int a, char const *b) const {\n  x();\n}\n", 2, 1,
	  3 },
	{ "Users#load", "class Users\n  def load\n    x\n  end\nend\n", 3, 2, 4 },
	{ "load", "const load = async () => {\r\n  await x();\r\n};\r\n", 2, 1,
	  3 },
	/* A call of itself is not its beginning, but one line may be all. */
	{ "fib", "def fib(n):\n    return fib(n - 1) + fib(n - 2)\n", 2, 1, 2 },
	{ "one", "int one(void) { return 1; }\nint two;\n", 1, 1, 1 },
};

static void test_extents(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct function_extent e = { 0 };
		bool is_found = function_extent_find(
			str_from(cases[i].source), str_from(cases[i].name),
			cases[i].line, &e);

		if (is_found != (cases[i].first > 0) ||
		    e.first != cases[i].first || e.last != cases[i].last)
			fail_msg("case %zu, %s: %u to %u", i, cases[i].name,
				 e.first, e.last);
	}
}

static void test_text_is_of_lines(void **state)
{
	struct function_extent e;

	(void)state;
	assert_true(function_extent_find(STR("x\nvoid f() {\n  y\n}\nz\n"),
					 STR("f"), 3, &e));
	assert_true(str_equal(e.text, STR("void f() {\n  y\n}")));
}

static bool find_behind(size_t blocks)
{
	struct function_extent e;
	struct buf source;
	bool is_found;

	buf_init(&source, 1 << 20);
	buf_add_text(&source, "void f() {\n");
	for (size_t i = 0; i < blocks; i++)
		buf_add_text(&source, "  x\n");
	buf_add_text(&source, "}\n");
	is_found = function_extent_find(buf_str(&source), STR("f"),
					(uint32_t)blocks + 1, &e);
	buf_release(&source);
	return is_found;
}

static void test_length_has_a_limit(void **state)
{
	(void)state;
	assert_true(find_behind(3000));
	assert_false(find_behind(3001));
}

UNIT_TESTS(function_extent)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_extents),
		cmocka_unit_test(test_text_is_of_lines),
		cmocka_unit_test(test_length_has_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
