/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../unit.h"
#include "analyze/calls.h"
#include "analyze/trace_analysis.h"
#include "base/limits.h"

struct query_case {
	const char *query;
	const char *normal;
};

static const struct query_case cases[] = {
	/* literals */
	{ "SELECT * FROM users WHERE id = 17",
	  "select * from users where id = ?" },
	{ "SELECT 'it''s', N'x', E'a\\'b', X'ff', 1.5e-3, .5, 0x1F",
	  "select ?, ?, ?, ?, ?, ?, ?" },
	{ "WHERE a = -1 AND b=+2 AND c - 3 > 4",
	  "where a = ? and b=? and c - ? > ?" },
	{ "SELECT $$body 'x'$$, $t$ $$ 1 $t$", "select ?, ?" },
	{ "WHERE t1.col2 = 3 AND table_4 = 5",
	  "where t1.col2 = ? and table_4 = ?" },
	{ "WHERE a = 'unfinished", "where a = ?" },
	{ "WHERE a = $tag$unfinished", "where a = ?" },
	/* placeholders */
	{ "a = ? AND b = $1 AND c = :name AND d = @p1 AND e = %s AND f = "
	  "%(key)s AND g = ?3 AND h = :1",
	  "a = ? and b = ? and c = ? and d = ? and e = ? and f = ? and g = ? "
	  "and h = ?" },
	{ "SELECT a::text, @@version, 5 % 2, x %similar",
	  "select a::text, @@version, ? % ?, x %similar" },
	/* blanks and comments */
	{ "  SELECT\n\t 1 -- the one\n + 2 /* a /* nested */ b */ ;  ",
	  "select ? + ? ;" },
	{ "/* app='x', id='17' */ SELECT a", "select a" },
	{ "SELECT a /* never closed", "select a" },
	{ "-- only a comment", "" },
	{ "", "" },
	{ "SELECT '/* no comment */', '--'", "select ?, ?" },
	/* lists */
	{ "WHERE id IN (1, 2,3) AND k in('a','b') AND z IN ($1)",
	  "where id in (?) and k in(?) and z in (?)" },
	{ "WHERE id IN (SELECT id FROM t WHERE a = 1)",
	  "where id in (select id from t where a = ?)" },
	{ "WHERE id IN (1, f(2))", "where id in (?, f(?))" },
	{ "WHERE id NOT IN (-1,\n-2)", "where id not in (?)" },
	{ "SELECT coalesce(?, ?)", "select coalesce(?, ?)" },
	{ "INSERT INTO t (a, b) VALUES (1, 'x'), (2, 'y'), (3, 'z')",
	  "insert into t (a, b) values (?, ?)" },
	{ "INSERT INTO t VALUES (1, now()),(2, now()) RETURNING id",
	  "insert into t values (?, now()) returning id" },
	{ "INSERT INTO t VALUES (1), (DEFAULT), (2) ON CONFLICT DO NOTHING",
	  "insert into t values (?), (default) on conflict do nothing" },
	{ "VALUES (1, (2)), (3, (4))", "values (?, (?))" },
	{ "INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a = VALUES(a), "
	  "b = VALUES(b)",
	  "insert into t values (?) on DUPLICATE KEY update a = values(a), "
	  "b = values(b)" },
	/* names keep their case */
	{ "Select \"Users\".\"Id\" From \"Users\" Where \"Users\".\"Id\"=1",
	  "select \"Users\".\"Id\" from \"Users\" where \"Users\".\"Id\"=?" },
	{ "SELECT `Order`.`x y` FROM Orders AS O",
	  "select `Order`.`x y` from Orders as O" },
	{ "SELECT t.Order, From_Date FROM t",
	  "select t.Order, From_Date from t" },
	{ "SELECT [dbo].[T] FROM x", "select [dbo].[T] from x" },
	/* MySQL's texts in double quotes */
	{ "WHERE name = \"bob\" AND t.a = \"t\".\"b\" AND x LIKE \"%a\"",
	  "where name = ? and t.a = \"t\".\"b\" and x like ?" },
	{ "WHERE name IN (\"a\", \"b\")", "where name in (?)" },
	/* JSON queries */
	{ "{\"find\": \"users\", \"filter\": {\"age\": -17, \"ok\": true, "
	  "\"in\": [\"a\", 2]}}",
	  "{\"find\": ?, \"filter\": {\"age\": ?, \"ok\": true, "
	  "\"in\": [?, ?]}}" },
	{ "[{\"$match\": {\"a\": \"x\\\"y\"}}]", "[{\"$match\": {\"a\": ?}}]" },
};

static void check(const char *query, const char *normal)
{
	struct buf out;

	buf_init(&out, MIB);
	query_normalize(str_from(query), &out);
	assert_int_equal(out.state, BUF_OK);
	assert_string_equal(buf_text(&out), normal);
	buf_release(&out);
}

static void normal_forms(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		check(cases[i].query, cases[i].normal);
}

/* A normal form is its own normal form. */
static void normal_is_stable(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		check(cases[i].normal, cases[i].normal);
}

static void appends(void **state)
{
	struct buf out;

	(void)state;
	buf_init(&out, 100);
	buf_add_text(&out, "(x) ");
	query_normalize(STR(" VALUES (1), (2)"), &out);
	assert_string_equal(buf_text(&out), "(x) values (?)");
	buf_release(&out);
}

static void mask_keeps_case(void **state)
{
	struct buf out;

	(void)state;
	buf_init(&out, 1000);
	query_mask(
		STR("SELECT * FROM preferences\n WHERE user_id = 17 and x IN "
		    "(1,2)"),
		&out);
	assert_string_equal(buf_text(&out), "SELECT * FROM preferences WHERE "
					    "user_id = ? and x IN (?)");
	buf_release(&out);
}

static void ceiling_sticks(void **state)
{
	struct buf out;

	(void)state;
	buf_init(&out, 8);
	query_normalize(STR("INSERT INTO t VALUES (1, 2), (3, 4), (5, 6)"),
			&out);
	assert_int_equal(out.state, BUF_OVER_LIMIT);
	buf_release(&out);
}

/* Every prefix and every byte in front: no reading past the end. */
static void odd_bytes(void **state)
{
	static const char text[] =
		"SELECT E'a\\'b', $t$x$t$, N'q', \"a\"\"b\", `c`, 1e+5 FROM "
		"t WHERE a IN (1, 'x', \"y\") /* z */ VALUES (1), (2) -- e";

	(void)state;
	for (size_t len = 0; len < sizeof text; len++) {
		for (int c = 0; c < 256; c++) {
			char *copy = malloc(len + 1);
			struct buf out;

			assert_non_null(copy);
			memcpy(copy, text, len);
			copy[len] = (char)c;
			buf_init(&out, 1000);
			query_normalize((struct str){ copy, len + 1 }, &out);
			assert_int_equal(out.state, BUF_OK);
			buf_release(&out);
			free(copy);
		}
	}
}

static void check_repeated(const char *piece, const char *contains)
{
	size_t times = 60000 / strlen(piece);
	struct buf in, out;

	buf_init(&in, MIB);
	buf_init(&out, MIB);
	buf_add_text(&in, "SELECT ");
	for (size_t i = 0; i < times; i++)
		buf_add_text(&in, piece);
	query_normalize(buf_str(&in), &out);
	assert_int_equal(out.state, BUF_OK);
	assert_true(str_find(buf_str(&out), str_from(contains)) != SIZE_MAX);
	buf_release(&in);
	buf_release(&out);
}

static void long_texts(void **state)
{
	(void)state;
	check_repeated("in (", "in (in (in (");
	check_repeated("in (1,", "in (?,in (?,");
	check_repeated("/*", "select");
	check_repeated("$a", "select ?");
	check_repeated("$a ", "select $a $a");
	check_repeated("%(a", "%(a%(a");
	check_repeated("values (1), ", "values (?), values (?), ");
	check_repeated("'", "select");
}

UNIT_TESTS(query)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(normal_forms),
		cmocka_unit_test(normal_is_stable),
		cmocka_unit_test(appends),
		cmocka_unit_test(mask_keeps_case),
		cmocka_unit_test(ceiling_sticks),
		cmocka_unit_test(odd_bytes),
		cmocka_unit_test(long_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
