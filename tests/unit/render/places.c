/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a function stands, as tables show it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../unit.h"
#include "render/page.h"

static const struct render_style unicode = { .use_unicode = true };
static const struct render_style ascii = { .use_unicode = false };

static void check_place(const struct render_style *style, const char *root,
			size_t max, const char *want)
{
	struct page p;
	struct buf text;
	struct out out;

	buf_init(&text, 4096);
	out_init_memory(&out, &text);
	page_begin(&p, style, &out);
	p.source_root = str_from(root);
	page_place(&p, PAINT_NONE, STR("/build/shop/store/users.go"), 69, max);
	page_end(&p);
	assert_string_equal(buf_text(&text), want);
	buf_release(&text);
}

static void the_root_is_left_out(void **state)
{
	(void)state;
	check_place(&unicode, "/build/shop/", 0, "store/users.go:69");
	check_place(&unicode, "/srv/", 0, "/build/shop/store/users.go:69");
}

/* Neither a part of a folder nor of a file's name, as long as there is room
 * for the latter. */
static void whole_folders_are_cut(void **state)
{
	(void)state;
	check_place(&unicode, "", 29, "/build/shop/store/users.go:69");
	check_place(&unicode, "", 28, "…/shop/store/users.go:69");
	check_place(&unicode, "", 24, "…/shop/store/users.go:69");
	check_place(&unicode, "", 23, "…/store/users.go:69");
	check_place(&ascii, "", 21, ".../store/users.go:69");
	check_place(&ascii, "", 20, ".../users.go:69");
	check_place(&unicode, "/build/shop/", 16, "…/users.go:69");
	check_place(&unicode, "/build/shop/", 9, "…rs.go:69");
}

static void columns_are_those_that_are_shown(void **state)
{
	struct page p;
	struct buf text;
	struct out out;

	(void)state;
	buf_init(&text, 4096);
	out_init_memory(&out, &text);
	page_begin(&p, &unicode, &out);
	p.source_root = STR("/build/");
	assert_int_equal(page_place_columns(&p, STR("/build/a.go"), 7), 6);
	assert_int_equal(page_place_columns(&p, STR(""), 7), 0);
	page_end(&p);
	buf_release(&text);
}

UNIT_TESTS(places)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_root_is_left_out),
		cmocka_unit_test(whole_folders_are_cut),
		cmocka_unit_test(columns_are_those_that_are_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
