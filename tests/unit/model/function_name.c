/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "../unit.h"
#include "base/num.h"
#include "model/function_name.h"

/* What is no line and no place: name and both identities; NULL: the name
 * itself.
 */
static const char *const keys[][2] = {
	{ "main.main", NULL },
	{ "shop/store.(*DB).query.func1", NULL },
	{ "main.Map[go.shape.string].func1", "main.Map[...].func1" },
	{ "main.Map[go.shape.int_0]", "main.Map[...]" },
	{ "main.Map[...]", NULL },
	{ "main.Put[go.shape.map[string]int,go.shape.*uint8].Add",
	  "main.Put[...].Add" },
	{ "main.Map[go.shape.int", NULL },
	{ "main.Map[string]", NULL },
	/* Numbers that tell closures of one function apart. */
	{ "main.serve.func1.2", NULL },
	{ "main.serve.gowrap1", NULL },
	{ "main.(*T).Close-fm", NULL },
	{ "core[f3a1b2c3d4e5f607]::fmt::write", "core::fmt::write" },
	{ "core[f3a1b2c3]::fmt::write", NULL },
	{ "<shop[0123456789abcdef]::Cart as Add>::add::{closure#0}",
	  "<shop::Cart as Add>::add::{closure#0}" },
	{ "Shop.Cart+<>c__DisplayClass5_0.<Place>b__0",
	  "Shop.Cart+<>c__DisplayClass.<Place>b__0" },
	{ "Shop.Cart.<>c.<Place>b__12_3", "Shop.Cart.<>c.<Place>b__3" },
	{ "Shop.Cart+<PlaceAsync>d__12.MoveNext",
	  "Shop.Cart+<PlaceAsync>d__.MoveNext" },
	{ "Shop.Cart.<Place>g__Check|5_0", "Shop.Cart.<Place>g__Check|" },
	{ "operator|", NULL },
	{ "a|5", NULL },
	{ "", NULL },
	{ "copy_items.isra.0", "copy_items" },
	{ "copy_items.constprop.12.isra.0", "copy_items" },
	{ "copy_items.part.3.cold", "copy_items" },
	{ "copy_items.cold.1", "copy_items" },
	{ "copy_items.llvm.1234567890", "copy_items" },
	{ "copy_items.lto_priv.0", "copy_items" },
	{ "copy.2", NULL },
	{ "freezer.cold_start", NULL },
	{ "shop::place::h0123456789abcdef", "shop::place" },
	{ "shop::place::h0123456789abcdeg", NULL },
	{ "::h0123456789abcdef", NULL },
	{ "shop::place::h0123456789abcdef.llvm.77", "shop::place" },
	{ "_ZN4shop5place17h0123456789abcdefE", "_ZN4shop5place" },
	{ "_ZN4shop5place17h0123456789abcdefE.llvm.77", "_ZN4shop5place" },
	{ "_ZN4shop5placeE", NULL },
	{ "com/acme/Cart.lambda$place$7", "com/acme/Cart.lambda$place$" },
	{ "com/acme/Cart.lambda$new$0.apply",
	  "com/acme/Cart.lambda$new$.apply" },
	{ "com/acme/Cart.lambda$place", NULL },
	{ "lambda$", NULL },
	/* Kotlin counts within the function. */
	{ "com/acme/CartKt$place$1.invokeSuspend", NULL },
	{ "(anonymous)", NULL },
	{ "place.<locals>.<lambda>", NULL },
	{ "com/acme/A$$Lambda/0x00007f1c2c0a1a40.apply",
	  "com/acme/A$$Lambda.apply" },
	{ "com/acme/A$$Lambda$14/0x0000000800c8a440.apply",
	  "com/acme/A$$Lambda.apply" },
	{ "com.acme.A$$Lambda+0x00007f1c2c0a1a40.apply",
	  "com.acme.A$$Lambda.apply" },
	{ "com/acme/A$$Lambda$14.apply", "com/acme/A$$Lambda.apply" },
	{ "com/sun/proxy/$Proxy132.find", "com/sun/proxy/$Proxy.find" },
	{ "com/acme/$ProxyFactory.make", NULL },
	{ "jdk/internal/reflect/GeneratedMethodAccessor81.invoke",
	  "jdk/internal/reflect/GeneratedMethodAccessor.invoke" },
	{ "com/acme/Repo$$SpringCGLIB$$0.find",
	  "com/acme/Repo$$SpringCGLIB$$.find" },
	{ "com/acme/Repo$$EnhancerBySpringCGLIB$$9be2c1a0.find",
	  "com/acme/Repo$$EnhancerBySpringCGLIB$$.find" },
	{ "java/lang/invoke/LambdaForm$MH/0x00007f00aa11bb22.invoke",
	  "java/lang/invoke/LambdaForm$MH/0x?.invoke" },
	{ "jit 0xdeadbeef01", "jit 0x?" },
	{ "[app+0x1f3a]", NULL },
};

/* Name, exact identity, stable identity; NULL: as the one before. */
static const char *const placed[][3] = {
	/* py-spy record -f raw: the line at work is none of the name. */
	{ "parse (app.py:12)", "parse (app.py)", NULL },
	{ "parse (/srv/releases/20261129/app.py:12)",
	  "parse (/srv/releases/20261129/app.py)", "parse (releases/app.py)" },
	{ "_find_and_load (<frozen importlib._bootstrap>:1360)",
	  "_find_and_load (<frozen importlib._bootstrap>)", NULL },
	{ "<module> (app.py:33)", "<module> (app.py)", NULL },
	/* Some of a file are told apart by it. */
	{ "<lambda> (app.py:12)", NULL, "<lambda> (app.py)" },
	{ "parse (app.py)", NULL, NULL },
	/* No files. */
	{ "connect (db:5432)", NULL, NULL },
	{ "connect (10.0.0.1:80)", NULL, NULL },
	{ "worker (3)", NULL, NULL },
	{ "f(int, 3)", NULL, NULL },
	/* rbspy */
	{ "block in parse - app.rb:12", "block in parse - app.rb", NULL },
	{ "app.rb:12 - parse", "app.rb - parse", NULL },
	{ "pool - 3", NULL, NULL },
	/* jfrconv --lines */
	{ "com/acme/Cart.total:42", "com/acme/Cart.total", NULL },
	{ "com.acme.Cart.<init>:42", "com.acme.Cart.<init>", NULL },
	{ "com/acme/A$$Lambda/0x00007f1c2c0a1a40.apply:7",
	  "com/acme/A$$Lambda.apply", NULL },
	{ "Work.main:9", "Work.main", NULL },
	{ "worker:3", NULL, NULL },
	{ "db.example.com:5432", NULL, NULL },
	{ "std::vector", NULL, NULL },
	/* V8 below perf: where a function begins. */
	{ "JS:parse /app/w.js:3:15", NULL, "JS:parse app/w.js" },
	{ "JS:parse file:///srv/v7/app/w.js:3:15", NULL, "JS:parse app/w.js" },
	{ "JS:run node:vm:123:13", NULL, "JS:run node:vm" },
	{ "~parse /app/w.js:3:15", NULL, "~parse app/w.js" },
	{ "parse@https://shop.example/js/main.3f2a91bc.js:1:4821", NULL,
	  "parse@js/main.*.js" },
	/* Closures */
	{ "{closure:/srv/app/a.php(5)}", NULL, "{closure:app/a.php}" },
	{ "{closure:/srv/app/a.php:5}", NULL, "{closure:app/a.php}" },
	{ "{closure:Cart::total():5}", NULL, "{closure:Cart::total()}" },
	{ "(anonymous a.js:10)", NULL, "(anonymous a.js)" },
	{ "(anonymous main.3f2a91bc.js:1)", NULL, "(anonymous main.*.js)" },
	{ "(anonymous main.3f2a91bc.js)", NULL, "(anonymous main.*.js)" },
	{ "(anonymous:L#12:C#5)", NULL, "(anonymous)" },
	{ "./dist/cart.js:(anonymous):L12", NULL,
	  "./dist/cart.js:(anonymous)" },
	{ "./dist/cart.js:(anonymous):L12:C5", NULL,
	  "./dist/cart.js:(anonymous)" },
	{ "main::{{closure}}", NULL, NULL },
	{ "app.main.__lambda_L12_C5", NULL, "app.main.__lambda" },
	{ "shop.core$handler$fn__1834.invoke", NULL,
	  "shop.core$handler$fn__.invoke" },
	{ "main.sort__anon_1234", NULL, "main.sort__anon" },
	{ "camlShop__parse_268", NULL, "camlShop__parse" },
	{ "camlShop.parse_268", NULL, "camlShop.parse" },
	{ "Shop.parse_268", NULL, "Shop.parse" },
	{ "Stdlib.List.init_aux_135", NULL, "Stdlib.List.init_aux" },
	{ "Shop.fun_538", NULL, "Shop.fun" },
	{ "shop.parse_268", NULL, NULL },
	{ "Shop.Parse_268", NULL, NULL },
	{ "Shop.parse_v_2x", NULL, NULL },
	{ ".parse_268", NULL, NULL },
	{ "sha256__12", NULL, NULL },
	/* Trampolines of Python */
	{ "py::parse:/srv/releases/7/shop/app.py", NULL,
	  "py::parse:shop/app.py" },
	{ "py::<module>:<string>", NULL, NULL },
	/* Numbers of processes */
	{ "[perf-123.map]", "[perf-?.map]", NULL },
	{ "[jitted-123-45.so]", "[jitted-?.so]", NULL },
	{ "process 123:\"python3 work.py\"", "process ?:\"python3 work.py\"",
	  NULL },
	{ "thread (0x7F1C): worker", "thread (?): worker", NULL },
	{ "thread (pool)", NULL, NULL },
	/* Operators and destructors end and begin in what marks of V8 are. */
	{ "Foo::~Foo", NULL, NULL },
	{ "~Foo", NULL, NULL },
	{ "operator*", NULL, NULL },
	{ "GHC.Base.map'", NULL, NULL },
	{ "foldl'", NULL, NULL },
	{ "github.com/acme/x/v2.Get", NULL, NULL },
	{ "github.com/acme/x.Get", NULL, NULL },
};

static const struct {
	const char *name;
	const char *first;
	const char *rest;
} marks[] = {
	{ "JS:*parse /app/w.js:3:15", "JS:", "parse /app/w.js:3:15" },
	{ "JS:^parse /app/w.js:3:15", "JS:", "parse /app/w.js:3:15" },
	{ "JS:~parse /app/w.js:3:15", "JS:", "parse /app/w.js:3:15" },
	{ "JS:+parse /app/w.js:3:15", "JS:", "parse /app/w.js:3:15" },
	{ "JS:*'parse /app/w.js:3:15", "JS:", "parse /app/w.js:3:15" },
	{ "JS:parse /app/w.js:3:15", "JS:", "parse /app/w.js:3:15" },
	{ "LazyCompile:~parse /app/w.js:3", "JS:", "parse /app/w.js:3" },
	{ "Function:*parse /app/w.js:3", "JS:", "parse /app/w.js:3" },
	{ "Script:~ /app/w.js:1:1", "Script:", " /app/w.js:1:1" },
	{ "JS:*", "", "JS:*" },
	{ "Function::operator*", "", "Function::operator*" },
	{ "~Foo", "", "~Foo" },
	{ "*", "", "*" },
	{ "", "", "" },
	{ "read_[j]", "", "read" },
	{ "read_[k]", "", "read_[k]" },
	{ "int32 [shop] Price::Calc(int32)[Tier0]", "",
	  "int32 [shop] Price::Calc(int32)" },
	{ "int32 [shop] Price::Calc(int32)[OptimizedTier1]", "",
	  "int32 [shop] Price::Calc(int32)" },
	{ "int32 [shop] Price::Calc(int32[])", "",
	  "int32 [shop] Price::Calc(int32[])" },
	{ "f()[Tier9]", "", "f()[Tier9]" },
	{ "Cart[Tier0]", "", "Cart[Tier0]" },
	{ "]", "", "]" },
};

static void key_of(const char *name, enum name_key key, struct buf *out)
{
	buf_clear(out);
	function_key(str_from(name), key, out);
}

static void assert_key(const char *name, enum name_key key, const char *want)
{
	struct buf out;

	buf_init(&out, 4096);
	key_of(name, key, &out);
	if (strcmp(buf_text(&out), want))
		fail_msg("%s: %s, not %s", name, buf_text(&out), want);
	buf_release(&out);
}

static void test_keys(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		const char *want = keys[i][1] ? keys[i][1] : keys[i][0];

		assert_key(keys[i][0], NAME_KEY_EXACT, want);
		assert_key(keys[i][0], NAME_KEY_STABLE, want);
	}
	for (size_t i = 0; i < COUNT_OF(placed); i++) {
		const char *exact = placed[i][1] ? placed[i][1] : placed[i][0];

		assert_key(placed[i][0], NAME_KEY_EXACT, exact);
		assert_key(placed[i][0], NAME_KEY_STABLE,
			   placed[i][2] ? placed[i][2] : exact);
	}
}

static void assert_steady(const char *name, enum name_key key)
{
	struct buf once;

	buf_init(&once, 4096);
	key_of(name, key, &once);
	assert_key(buf_text(&once), key, buf_text(&once));
	buf_release(&once);
}

/* An identity is its own identity; and whoever says that both are the same is
 * right. */
static void test_keys_are_steady(void **state)
{
	struct buf exact, stable;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(keys); i++)
		assert_steady(keys[i][0], NAME_KEY_EXACT);
	buf_init(&exact, 4096);
	buf_init(&stable, 4096);
	for (size_t i = 0; i < COUNT_OF(placed); i++) {
		struct str name = str_from(placed[i][0]);
		bool differs = function_key(name, NAME_KEY_EXACT, &exact);

		assert_true(function_key(name, NAME_KEY_STABLE, &stable) ==
			    differs);
		if (strcmp(buf_text(&exact), buf_text(&stable)))
			assert_true(differs);
		assert_steady(placed[i][0], NAME_KEY_EXACT);
		assert_steady(placed[i][0], NAME_KEY_STABLE);
		buf_clear(&exact);
		buf_clear(&stable);
	}
	buf_release(&exact);
	buf_release(&stable);
}

static void test_marks(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(marks); i++) {
		struct name_pieces have =
			function_name_unmarked(str_from(marks[i].name));

		if (!str_equal(have.first, str_from(marks[i].first)) ||
		    !str_equal(have.rest, str_from(marks[i].rest)))
			fail_msg("%s: \"%.*s\" and \"%.*s\"", marks[i].name,
				 STR_ARGS(have.first), STR_ARGS(have.rest));
	}
}

/* Names full of beginnings and ends are looked through a few times, not once
 * for each. */
static void test_hostile(void **state)
{
	static const char *const pieces[] = { " (",        "@",
					      " - ",       "[perf-1",
					      "{closure:", "__lambda_L",
					      ":1",        "fn__1",
					      "-a",        "./a-" };
	static char name[60000];
	struct buf out;

	(void)state;
	buf_init(&out, 4 * sizeof name);
	for (size_t i = 0; i < COUNT_OF(pieces); i++) {
		size_t len = strlen(pieces[i]);

		for (size_t at = 0; at + len + 8 < sizeof name; at += len)
			memcpy(name + at, pieces[i], len + 1);
		strcat(name, "a.py:12)");
		key_of(name, NAME_KEY_STABLE, &out);
		assert_true(out.len > 0);
	}
	buf_release(&out);
}

UNIT_TESTS(function_name)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_keys_are_steady),
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests_name("model/function_name", tests, NULL,
					   NULL);
}
