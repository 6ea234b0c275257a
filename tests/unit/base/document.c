/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "base/buf.h"
#include "base/document.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/num.h"
#include "testing.h"

static struct error err;

static struct document *read_document(const char *text)
{
	struct document *d = document_read(str_from(text), &err);

	if (!d)
		fail_msg("%s: %s", text, err.message);
	return d;
}

static void check_text(struct str is, const char *want)
{
	assert_true(str_equal(is, str_from(want)));
}

static void test_values(void **state)
{
	struct document *d = read_document(
		"{\"a\":\"x\\u00e4\", \"n\": 3, \"t\": \"-4\", \"w\": 5.0,"
		" \"f\": 5.5, \"l\": [\"p\", 1, null], \"b\": true,"
		" \"o\": {\"i\": \"in\"}, \"z\": null, \"0\": \"a\\u0000b\"}");
	const struct document *list = document_get(d, "l");
	int64_t number;
	double real;

	(void)state;
	check_text(document_text_at(d, "a"), "x\xC3\xA4");
	check_text(document_text_at(d, "n"), "");
	check_text(document_text_at(d, "nothing"), "");
	check_text(document_text_at(document_get(d, "o"), "i"), "in");
	assert_true(str_equal(document_text_at(d, "0"), STR("a\0b")));
	assert_true(document_i64(document_get(d, "n"), &number) && number == 3);
	assert_true(document_i64(document_get(d, "t"), &number) &&
		    number == -4);
	assert_true(document_i64(document_get(d, "w"), &number) && number == 5);
	assert_true(document_i64(document_get(d, "z"), &number) && number == 0);
	assert_true(document_i64(NULL, &number) && number == 0);
	assert_false(document_i64(document_get(d, "f"), &number));
	assert_false(document_i64(document_get(d, "a"), &number));
	assert_false(document_i64(list, &number));
	assert_true(document_f64(document_get(d, "f"), &real) && real == 5.5);
	assert_true(document_f64(document_get(d, "n"), &real) && real == 3);
	assert_true(document_f64(document_get(d, "z"), &real) && real == 0);
	assert_true(document_f64(NULL, &real) && real == 0);
	assert_false(document_f64(document_get(d, "t"), &real));
	assert_int_equal(document_count(list), 3);
	check_text(document_text(document_at(list, 0)), "p");
	assert_true(document_is_null(document_at(list, 2)));
	assert_null(document_at(list, 3));
	assert_int_equal(document_count(d), 0);
	assert_true(document_is_object(d) && !document_is_list(d));
	assert_true(document_is_list(list) && !document_is_text(list));
	assert_true(document_is_true(document_get(d, "b")));
	assert_false(document_is_true(document_get(d, "n")));
	assert_false(document_is_false(document_get(d, "b")));
	assert_true(document_is_number(document_get(d, "f")));
	assert_false(document_is_number(document_get(d, "t")));
	assert_true(document_is_null(document_get(d, "nothing")));
	document_free(d);
	document_free(NULL);
}

static void test_order_of_members(void **state)
{
	struct document *d = read_document("{\"b\":1,\"a\":2,\"c\":3}");
	const struct document *value;
	struct str key;
	void *place = NULL;
	char keys[4] = "";
	size_t count = 0;

	(void)state;
	while (document_next(d, &place, &key, &value))
		keys[count++] = key.ptr[0];
	assert_string_equal(keys, "bac");
	document_free(d);
	place = NULL;
	assert_false(document_next(NULL, &place, &key, &value));
}

static void check_written(const char *text, const char *want)
{
	struct document *d = read_document(text);
	struct buf b;

	buf_init(&b, KIB);
	document_write(d, &b);
	assert_int_equal(b.state, BUF_OK);
	assert_string_equal(buf_text(&b), want);
	buf_release(&b);
	buf_init(&b, 2);
	document_write(d, &b);
	assert_true(strlen(want) <= 2 || b.state == BUF_OVER_LIMIT);
	buf_release(&b);
	document_free(d);
}

static void test_written(void **state)
{
	struct buf b;

	(void)state;
	check_written(
		"{ \"b\" : [ 1, -0.1, 1e3, null ], \"a\": \"\\u00e4\\n\" }",
		"{\"b\":[1,-0.1,1000.0,null],\"a\":\"\xC3\xA4\\n\"}");
	check_written("0.3", "0.3");
	check_written("9007199254740993", "9007199254740993");
	check_written("false", "false");
	buf_init(&b, KIB);
	document_write(NULL, &b);
	assert_int_equal(b.len, 0);
	buf_release(&b);
}

/* What jansson says quotes the text, which may be secret: none of it is told.
 */
static void test_refusals(void **state)
{
	static const struct {
		struct str text;
		const char *message;
	} cases[] = {
		{ { "", 0 }, "byte 0: the JSON text ends too early" },
		{ { "{\"a\":", 5 }, "byte 5: the JSON text ends too early" },
		{ { "{\"a\":s3cret}", 12 }, "byte 6: it is not valid JSON" },
		{ { "{\"a\":1,\"a\":2}", 13 },
		  "byte 10: a member stands there twice" },
		{ { "\"\xFF\"", 3 }, "byte 1: a byte that is no UTF-8" },
		{ { "\"\xED\xA0\x80\"", 5 },
		  "byte 1: a byte that is no UTF-8" },
		{ { "\"\\ud800\"", 8 }, "byte 8: it is not valid JSON" },
		{ { "{} {}", 5 }, "byte 4: more stands behind it" },
		{ { "99999999999999999999", 20 },
		  "byte 20: a number is too large" },
		{ { "1e999", 5 }, "byte 5: a number is too large" },
		{ { "{\"\\u0000\":1}", 12 }, "byte 9: a name with a NUL" },
		{ { "[1,]", 4 }, "byte 4: it is not valid JSON" },
		{ { "'a'", 3 }, "byte 1: it is not valid JSON" },
		{ { "nul", 3 }, "byte 3: it is not valid JSON" },
		{ { "[\0]", 3 }, "byte 2: the JSON text ends too early" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		assert_null(document_read(cases[i].text, &err));
		assert_int_equal(err.code, ERROR_FORMAT);
		assert_string_equal(err.message, cases[i].message);
	}
	assert_null(document_read_object(STR("[]"), &err));
	assert_string_equal(err.message, "it is no JSON object");
}

static struct document *read_nested(unsigned levels, const char *open,
				    const char *close)
{
	struct document *d;
	struct buf b;

	buf_init(&b, MIB);
	for (unsigned i = 0; i < levels; i++)
		buf_add_text(&b, open);
	buf_add_text(&b, "\"[[{{\\\"[\"");
	for (unsigned i = 0; i < levels; i++)
		buf_add_text(&b, close);
	d = document_read(buf_str(&b), &err);
	buf_release(&b);
	return d;
}

static void test_depth(void **state)
{
	struct document *d;

	(void)state;
	d = read_nested(LIMIT_JSON_DEPTH, "[", "]");
	assert_non_null(d);
	document_free(d);
	d = read_nested(LIMIT_JSON_DEPTH, "{\"a\":", "}");
	assert_non_null(d);
	document_free(d);
	assert_null(read_nested(LIMIT_JSON_DEPTH + 1, "[", "]"));
	assert_int_equal(err.code, ERROR_LIMIT);
	assert_string_equal(err.message,
			    "byte 320: nested deeper than the limit of "
			    "320 levels");
	assert_null(read_nested(100000, "[", ""));
	assert_int_equal(err.code, ERROR_LIMIT);
}

static void test_size(void **state)
{
	static char text[LIMIT_DOCUMENT_BYTES + 1];
	struct document *d;

	(void)state;
	memset(text, ' ', sizeof text);
	text[0] = '1';
	d = document_read((struct str){ text, sizeof text - 1 }, &err);
	assert_non_null(d);
	document_free(d);
	assert_null(document_read((struct str){ text, sizeof text }, &err));
	assert_int_equal(err.code, ERROR_LIMIT);
	assert_string_equal(err.message, "it has more than 1048576 bytes");
}

static int countdown;

static int fail_at_zero(size_t size)
{
	(void)size;
	return countdown-- > 0;
}

/* However early memory is lacking. */
static void test_no_memory(void **state)
{
	struct document *d = NULL;

	(void)state;
	for (int i = 0; !d && i < 100; i++) {
		countdown = i;
		mem_set_gate(fail_at_zero);
		d = document_read(STR("{\"a\":[1,\"two, of more than "
				      "sixteen bytes\",{\"b\":3.5}]}"),
				  &err);
		mem_set_gate(NULL);
		if (!d)
			assert_int_equal(err.code, ERROR_MEMORY);
	}
	assert_non_null(d);
	document_free(d);
}

UNIT_TESTS(document)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_order_of_members),
		cmocka_unit_test(test_written),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
