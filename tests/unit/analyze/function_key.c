/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../unit.h"
#include "analyze/function_table.h"

/* Name and identity; NULL: the name itself. */
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
	/* Kotlin counts within the function, JavaScript and Python not. */
	{ "com/acme/CartKt$place$1.invokeSuspend", NULL },
	{ "./dist/cart.js:(anonymous):L12", NULL },
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

static void test_keys(void **state)
{
	struct buf out;

	(void)state;
	buf_init(&out, 4096);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		const char *want = keys[i][1] ? keys[i][1] : keys[i][0];

		buf_clear(&out);
		function_key(str_from(keys[i][0]), &out);
		assert_string_equal(buf_text(&out), want);
	}
	buf_release(&out);
}

/* An identity is its own identity. */
static void test_keys_are_stable(void **state)
{
	struct buf once, twice;

	(void)state;
	buf_init(&once, 4096);
	buf_init(&twice, 4096);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		buf_clear(&once);
		buf_clear(&twice);
		function_key(str_from(keys[i][0]), &once);
		function_key(buf_str(&once), &twice);
		assert_string_equal(buf_text(&twice), buf_text(&once));
	}
	buf_release(&once);
	buf_release(&twice);
}

UNIT_TESTS(function_key)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_keys_are_stable),
	};

	return cmocka_run_group_tests_name("analyze/function_key", tests, NULL,
					   NULL);
}
