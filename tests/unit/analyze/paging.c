/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../unit.h"
#include "analyze/calls.h"

static void expect_query(const char *before, const char *after, bool is_page)
{
	assert_int_equal(
		paging_is_next_query(str_from(before), str_from(after)),
		is_page);
}

static void expect_url(const char *before, const char *after, bool is_page)
{
	assert_int_equal(paging_is_next_url(str_from(before), str_from(after)),
			 is_page);
}

static void operations(void **state)
{
	(void)state;
	assert_true(paging_is_cursor(STR("getMore")));
	assert_true(paging_is_cursor(STR("GETMORE")));
	assert_true(paging_is_cursor(STR("scroll")));
	assert_false(paging_is_cursor(STR("find")));
	assert_false(paging_is_cursor(STR("")));
}

static void offsets(void **state)
{
	(void)state;
	expect_query("SELECT a LIMIT 10 OFFSET 10",
		     "SELECT a LIMIT 10 OFFSET 20", true);
	expect_query("SELECT a LIMIT 10 OFFSET 10",
		     "SELECT a LIMIT 10 OFFSET 10", false);
	expect_query("SELECT a limit 10 offset ?", "SELECT a limit 10 offset ?",
		     true);
	expect_query("(SELECT a OFFSET $2)", "(SELECT a OFFSET $2)", true);
	expect_query("SELECT a LIMIT 0, 10", "SELECT a LIMIT 10, 10", true);
	expect_query("SELECT a LIMIT 0, 10", "SELECT a LIMIT 0, 10", true);
	expect_query("SELECT a LIMIT 1", "SELECT a LIMIT 1", false);
	expect_query("SELECT a LIMIT ?", "SELECT a LIMIT ?", false);
	/* a column of that name */
	expect_query("SELECT offset_ms FROM t", "SELECT offset_ms FROM t",
		     false);
	expect_query("", "", false);
}

static void cursors(void **state)
{
	(void)state;
	expect_query("FETCH NEXT FROM c", "FETCH NEXT FROM c", true);
	expect_query("fetch forward 100 from c", "fetch forward 100 from c",
		     true);
	expect_query("SELECT fetch FROM t", "SELECT fetch FROM t", false);
	expect_query("{\"size\":1}", "{\"search_after\":[1]}", true);
	expect_query("{\"size\":1}", "{\"size\":1}", false);
}

static void behind_the_last(void **state)
{
	(void)state;
	expect_query("SELECT a WHERE id > 9 ORDER BY id LIMIT 50",
		     "SELECT a WHERE id > 59 ORDER BY id LIMIT 50", true);
	expect_query("SELECT a WHERE id > ? ORDER BY id LIMIT 1",
		     "SELECT a WHERE id > ? ORDER BY id LIMIT 1", false);
	expect_query("SELECT a WHERE id = ? ORDER BY id LIMIT 50",
		     "SELECT a WHERE id = ? ORDER BY id LIMIT 50", false);
	expect_query("SELECT a WHERE id > ?", "SELECT a WHERE id > ?", false);
}

static void addresses(void **state)
{
	(void)state;
	expect_url("http://h/a?page=1", "http://h/a?page=2", true);
	expect_url("http://h/a?page=1", "http://h/a?page=1", false);
	expect_url("http://h/a?n=5", "http://h/a?n=5&pageToken=xyz", true);
	expect_url("/a?q=x&Cursor=1", "/a?q=x&cursor=2", true);
	expect_url("offset=0&limit=5", "offset=5&limit=5", true);
	expect_url("/a?id=1", "/a?id=2", false);
	expect_url("/page/1", "/page/2", false);
	expect_url("/_search/scroll", "/_search/scroll", true);
	expect_url("/a?", "/a?", false);
	expect_url("", "", false);
}

static void graphql(void **state)
{
	(void)state;
	assert_true(paging_is_any_query(STR("https://h/api/graphql")));
	assert_true(paging_is_any_query(STR("/graphql?op=a")));
	assert_false(paging_is_any_query(STR("/graphql/users")));
	assert_false(paging_is_any_query(STR("/a?next=/graphql")));
	assert_false(paging_is_any_query(STR("")));
}

static void same_path(void **state)
{
	(void)state;
	assert_true(paging_is_same_path(STR("http://a/x?y=1"),
					STR("https://b:8080/x?y=1")));
	assert_false(paging_is_same_path(STR("http://a/x?y=1"),
					 STR("http://a/x?y=2")));
	assert_true(paging_is_same_path(STR("http://a"), STR("http://b")));
	assert_true(paging_is_same_path(STR("/x"), STR("http://b/x")));
}

UNIT_TESTS(paging)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operations), cmocka_unit_test(offsets),
		cmocka_unit_test(cursors),    cmocka_unit_test(behind_the_last),
		cmocka_unit_test(addresses),  cmocka_unit_test(same_path),
		cmocka_unit_test(graphql),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
