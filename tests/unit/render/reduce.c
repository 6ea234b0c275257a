/* SPDX-License-Identifier: Apache-2.0
 *
 * Documents cut to a budget: what stays, what is told to be left out, and how
 * it is had by that.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../unit.h"
#include "base/limits.h"
#include "base/mem.h"
#include "render/reduce.h"

struct sample {
	const char *json;
	size_t budget;
	const char *want; /* NULL: an error of this code */
	enum error_code code;
};

static void expect(const struct sample *s)
{
	struct reduction r = { str_from(s->json), s->budget, NULL };
	struct error err = { 0 };
	struct buf out;

	buf_init(&out, MIB);
	if (s->want) {
		if (!reduce(&r, &out, &err))
			fail_msg("%s: %s", s->json, err.message);
		assert_string_equal(buf_text(&out), s->want);
		assert_true(out.len <= s->budget);
	} else {
		assert_false(reduce(&r, &out, &err));
		assert_int_equal(err.code, s->code);
	}
	buf_release(&out);
}

static void test_whole(void **state)
{
	static const struct sample samples[] = {
		{ "{}", 100, "{}", ERROR_NONE },
		{ "{\"a\":1,\"b\":\"x\",\"c\":true,\"d\":false}", 100,
		  "{\"a\":1,\"b\":\"x\",\"c\":true,\"d\":false}", ERROR_NONE },
		/* What says nothing. */
		{ "{\"a\":null,\"b\":[],\"c\":{},\"d\":0}", 100, "{\"d\":0}",
		  ERROR_NONE },
		{ "{\"schema_version\":1,\"tool\":\"t\",\"requests\":[1],"
		  "\"x\":{\"requests\":7}}",
		  100, "{\"x\":{\"requests\":7}}", ERROR_NONE },
		/* Four digits, but whole numbers as they are. */
		{ "{\"a\":321913043.478261,\"b\":21.230009,\"c\":0.99837912,"
		  "\"d\":9007199254740993,\"e\":-1234.5}",
		  100,
		  "{\"a\":321913043,\"b\":21.23,\"c\":0.998379,"
		  "\"d\":9007199254740993,\"e\":-1234}",
		  ERROR_NONE },
		{ "{\"a\":{\"b\":[{\"c\":[[1]]}]}}", 100,
		  "{\"a\":{\"b\":[{\"c\":[[1]]}]}}", ERROR_NONE },
		{ "[1]", 100, NULL, ERROR_FORMAT },
		{ "{\"a\":", 100, NULL, ERROR_FORMAT },
		{ "{\"a\":1} x", 100, NULL, ERROR_FORMAT },
		/* Members that have no room, from the last on. */
		{ "{\"a\":1234567,\"b\":\"a text of more than forty bytes, "
		  "which is cut\",\"c\":1}",
		  60,
		  "{\"a\":1234567,\"c\":1,\"left_out\":[{\"path\":\"/b\"}]}",
		  ERROR_NONE },
		{ "{\"a\":{\"b\":{\"c\":{\"d\":1}},\"e\":{}}}", 100,
		  "{\"a\":{\"b\":{\"c\":{\"d\":1}}}}", ERROR_NONE },
		/* Before an answer loses a member, what it was come by goes. */
		{ "{\"baseline\":{\"text\":\"five minutes, 1 hour "
		  "earlier\"},\"history\":[],\"functions\":[{\"name\":\"main.work\"}]}",
		  85,
		  "{\"functions\":[{\"name\":\"main.work\"}],"
		  "\"left_out\":[{\"path\":\"/baseline\"}]}",
		  ERROR_NONE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
		expect(&samples[i]);
}

/* {"rows":[0,1,...]} */
static void make_rows(struct buf *b, unsigned count, const char *row)
{
	buf_add_text(b, "{\"rows\":[");
	for (unsigned i = 0; i < count; i++)
		buf_addf(b, "%s%s", i ? "," : "", row);
	buf_add_text(b, "]}");
}

static void expect_rows(unsigned count, size_t budget, const char *tail)
{
	struct buf json, out;
	struct reduction r;
	struct error err = { 0 };

	buf_init(&json, MIB);
	buf_init(&out, MIB);
	make_rows(&json, count, "7");
	r = (struct reduction){ buf_str(&json), budget, "3" };
	assert_true(reduce(&r, &out, &err));
	assert_true(out.len <= budget);
	assert_true(str_ends(buf_str(&out), str_from(tail)));
	buf_release(&json);
	buf_release(&out);
}

/* Twenty of a list at most, and less where there is less room. */
static void test_lists(void **state)
{
	(void)state;
	expect_rows(20, 1000, "7,7,7]}");
	expect_rows(21, 1000,
		    "7,7,7],\"left_out\":[{\"path\":\"/rows\",\"shown\":20,"
		    "\"of\":21,\"cursor\":\"3:20:/rows\"}]}");
	expect_rows(100, 100,
		    "[7,7,7,7,7],\"left_out\":[{\"path\":\"/rows\","
		    "\"shown\":5,\"of\":100,\"cursor\":\"3:5:/rows\"}]}");
}

/* Long texts are trimmed between characters. */
static void test_texts(void **state)
{
	struct buf json, out;
	struct reduction r;
	struct error err = { 0 };

	(void)state;
	buf_init(&json, MIB);
	buf_init(&out, MIB);
	buf_add_text(&json, "{\"a\":\"x");
	for (int i = 0; i < 300; i++)
		buf_add_text(&json, "\xc3\xa4");
	buf_add_text(&json, "\"}");
	r = (struct reduction){ buf_str(&json), 1000, NULL };
	assert_true(reduce(&r, &out, &err));
	assert_int_equal(out.len, strlen("{\"a\":\"x...\"}") + 2 * 199);
	assert_true(str_ends(buf_str(&out), STR("\xc3\xa4...\"}")));
	buf_release(&json);
	buf_release(&out);
}

struct part {
	const char *pointer;
	uint64_t offset;
	const char *want; /* NULL: there is none */
};

static void test_parts(void **state)
{
	static const char json[] =
		"{\"a/b\":{\"~\":5},\"list\":[{\"n\":1},{\"n\":2},{\"n\":3}],"
		"\"t\":\"text\"}";
	static const struct part parts[] = {
		{ "/list", 0,
		  "{\"path\":\"/list\",\"items\":[{\"n\":1},{\"n\":2},"
		  "{\"n\":3}],\"offset\":0,\"shown\":3,\"of\":3}" },
		{ "/list", 2,
		  "{\"path\":\"/list\",\"items\":[{\"n\":3}],\"offset\":2,"
		  "\"shown\":1,\"of\":3}" },
		{ "/list", 9,
		  "{\"path\":\"/list\",\"items\":[],\"offset\":9,\"shown\":0,"
		  "\"of\":3}" },
		{ "/list/1/n", 0, "{\"path\":\"/list/1/n\",\"value\":2}" },
		{ "/a~1b/~0", 0, "{\"path\":\"/a~1b/~0\",\"value\":5}" },
		{ "/t", 0, "{\"path\":\"/t\",\"value\":\"text\"}" },
		{ "/list/3", 0, NULL },
		{ "/list/x", 0, NULL },
		{ "/none", 0, NULL },
		{ "/t/more", 0, NULL },
		{ "list", 0, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		const struct reduction r = { str_from(json), 1000, "1" };
		struct error err = { 0 };
		struct buf out;
		bool is_there;

		buf_init(&out, MIB);
		is_there = reduce_part(&r, str_from(parts[i].pointer),
				       parts[i].offset, &out, &err);
		assert_int_equal(is_there, parts[i].want != NULL);
		if (is_there)
			assert_string_equal(buf_text(&out), parts[i].want);
		else
			assert_int_equal(err.code, ERROR_NOT_FOUND);
		buf_release(&out);
	}
}

/* Every element is had by following the cursors, each once. */
static void test_walk(void **state)
{
	struct buf json;
	struct reduction r;
	uint64_t offset = 0;
	unsigned pages = 0;

	(void)state;
	buf_init(&json, MIB);
	make_rows(&json, 500, "{\"name\":\"a function\",\"value\":12}");
	r = (struct reduction){ buf_str(&json), 1200, "1" };
	while (offset < 500) {
		struct error err = { 0 };
		struct buf out;
		const char *shown;

		buf_init(&out, MIB);
		assert_true(
			reduce_part(&r, STR("/rows"), offset, &out, &err));
		assert_true(out.len <= 1200);
		shown = strstr(buf_text(&out), "\"shown\":");
		assert_non_null(shown);
		assert_true(atoi(shown + 8) > 0);
		offset += (uint64_t)atoi(shown + 8);
		pages++;
		buf_release(&out);
	}
	assert_int_equal(offset, 500);
	assert_in_range(pages, 10, 25);
	buf_release(&json);
}

static void test_brief(void **state)
{
	static const char json[] =
		"{\"answer\":\"a\\u001bb\",\"n\":5,\"is\":true,"
		"\"o\":{\"k\":1,\"l\":[1,2],\"m\":{\"z\":\"q\"}},"
		"\"rows\":[{\"a\":1,\"b\":2},{\"a\":3}],\"notes\":[\"one\"]}";
	struct out out;
	struct buf text;

	(void)state;
	buf_init(&text, MIB);
	out_init_memory(&out, &text);
	brief_write(str_from(json), 500, &out);
	assert_string_equal(buf_text(&text), "answer: a\\x1bb\n"
					     "n: 5\n"
					     "is: yes\n"
					     "o: k 1, l [1, 2], m {z q}\n"
					     "rows:\n"
					     "  a 1, b 2\n"
					     "  a 3\n"
					     "notes:\n"
					     "  one\n");
	out_release(&out);
	buf_release(&text);
}

UNIT_TESTS(reduce)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole), cmocka_unit_test(test_lists),
		cmocka_unit_test(test_texts), cmocka_unit_test(test_parts),
		cmocka_unit_test(test_walk),  cmocka_unit_test(test_brief),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
