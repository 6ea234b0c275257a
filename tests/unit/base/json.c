/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "testing.h"

#include <float.h>
#include <math.h>

#include "base/json.h"

static struct error err;

static struct json_reader *open_text(struct str text)
{
	struct json_reader *r = json_new(text, &err);

	assert_non_null(r);
	return r;
}

static void assert_fails(struct json_reader *r, enum error_code code,
			 const char *message)
{
	struct error found;

	assert_true(json_failed(r));
	assert_false(json_check(r, &found));
	assert_string_equal(found.message, message);
	assert_int_equal(found.code, code);
	assert_int_equal(json_peek(r), JSON_END);
	assert_false(json_next_item(r));
	assert_false(json_skip(r));
	assert_true(json_at_end(r));
	json_free(r);
}

static void test_walk(void **state)
{
	struct json_reader *r = open_text(STR(
		" {\"a\" : [1, -2 ,\"x\"] ,\"skip\":{\"b\":[[]]},\"t\":true,"
		"\"n\":null , \"e\":{} } "));
	struct str text;
	int64_t number;
	bool is_true;

	(void)state;
	assert_int_equal(json_peek(r), JSON_OBJECT);
	assert_true(json_enter(r, JSON_OBJECT));
	assert_int_equal(json_peek(r), JSON_STRING);
	assert_true(json_next_key(r, &text));
	assert_text(text, "a");
	assert_true(json_enter(r, JSON_ARRAY));
	assert_true(json_next_item(r));
	assert_int_equal(json_peek(r), JSON_NUMBER);
	assert_true(json_i64(r, &number) && number == 1);
	assert_true(json_next_item(r));
	assert_true(json_i64(r, &number) && number == -2);
	assert_true(json_next_item(r));
	assert_true(json_text(r, &text));
	assert_text(text, "x");
	assert_int_equal(json_peek(r), JSON_END);
	assert_false(json_failed(r));
	assert_false(json_next_item(r));
	assert_true(json_next_key(r, &text));
	assert_true(json_skip(r));
	assert_true(json_next_key(r, &text));
	assert_text(text, "t");
	assert_true(json_bool(r, &is_true) && is_true);
	assert_true(json_next_key(r, &text));
	assert_int_equal(json_peek(r), JSON_NULL);
	assert_true(json_i64(r, &number) && number == 0);
	assert_true(json_next_key(r, &text));
	assert_true(json_enter(r, JSON_OBJECT));
	assert_int_equal(json_peek(r), JSON_END);
	assert_false(json_next_key(r, &text));
	assert_false(json_next_key(r, &text));
	assert_false(json_failed(r));
	assert_true(json_at_end(r));
	assert_true(json_check(r, &err));
	json_free(r);
}

/* Items may also be read without asking for each. */
static void test_array_without_asking(void **state)
{
	struct json_reader *r = open_text(STR("[1,2,3]"));
	int64_t sum = 0;
	int64_t v = 0;

	(void)state;
	assert_true(json_enter(r, JSON_ARRAY));
	while (json_peek(r) != JSON_END) {
		assert_true(json_i64(r, &v));
		sum += v;
	}
	assert_int_equal(sum, 6);
	assert_false(json_next_item(r));
	assert_true(json_check(r, &err));
	assert_true(json_at_end(r));
	json_free(r);
}

struct message_case {
	const char *text;
	const char *message;
};

static void test_messages(void **state)
{
	static const struct message_case cases[] = {
		{ "", "byte 0: the text ends where a value should come" },
		{ "[1,]", "byte 3: ']' where a value should come" },
		{ "[1 2]", "byte 3: '2' where ',' or ']' should come" },
		{ "{\"a\" 1}",
		  "byte 5: '1' where ':' after a key should come" },
		{ "{\"a\":}", "byte 5: '}' where a value should come" },
		{ "{\"a\":1,}",
		  "byte 7: '}' where a key in quotes should come" },
		{ "{a:1}", "byte 1: 'a' where a key in quotes should come" },
		{ "{\"a\":1",
		  "byte 6: the text ends where ',' or '}' should come" },
		{ "[01]", "byte 1: malformed number" },
		{ "[1x]", "byte 1: malformed number" },
		{ "[tru]", "byte 1: unknown word" },
		{ "[trueish]", "byte 1: unknown word" },
		{ "[nul", "byte 1: unknown word" },
		{ "\xEF\xBB\xBF{}",
		  "byte 0: byte 0xef where a value should come" },
		{ "[\"a", "byte 3: the text ends inside a string" },
		{ "[\"a\\", "byte 4: the text ends where the rest of a string "
			    "should come" },
		{ "[\"\\x\"]", "byte 2: unknown escape in a string" },
		{ "[\"\\u12g4\"]", "byte 2: \\u without four hex digits in a "
				   "string" },
		{ "[\"\\u12",
		  "byte 2: \\u without four hex digits in a string" },
		{ "[\"a\nb\"]", "byte 3: bare control byte 0x0a in a string" },
		{ "[}", "byte 1: '}' where a value should come" },
		{ "{\"a\":[1}", "byte 7: '}' where ',' or ']' should come" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct json_reader *r = open_text(str_from(cases[i].text));

		assert_false(json_skip(r));
		assert_fails(r, ERROR_FORMAT, cases[i].message);
	}
}

static void test_wrong_kinds(void **state)
{
	struct json_reader *r;
	struct str text;
	struct buf out;
	uint64_t u;
	int64_t v;
	double d;
	bool b;

	(void)state;
	buf_init(&out, 100);
	r = open_text(STR(" [1]"));
	assert_false(json_enter(r, JSON_OBJECT));
	assert_fails(r, ERROR_FORMAT,
		     "byte 1: '[' where an object should come");
	r = open_text(STR("{}"));
	assert_false(json_enter(r, JSON_ARRAY));
	assert_fails(r, ERROR_FORMAT, "byte 0: '{' where an array should come");
	r = open_text(STR("1"));
	assert_false(json_text(r, &text));
	assert_fails(r, ERROR_FORMAT, "byte 0: '1' where a string should come");
	r = open_text(STR("null"));
	assert_false(json_string_long(r, &out));
	assert_fails(r, ERROR_FORMAT, "byte 0: 'n' where a string should come");
	r = open_text(STR("true"));
	assert_false(json_i64(r, &v));
	assert_fails(r, ERROR_FORMAT, "byte 0: 't' where a number should come");
	r = open_text(STR("[]"));
	assert_false(json_u64(r, &u));
	assert_fails(r, ERROR_FORMAT, "byte 0: '[' where a number should come");
	r = open_text(STR("{}"));
	assert_false(json_f64(r, &d));
	assert_fails(r, ERROR_FORMAT, "byte 0: '{' where a number should come");
	r = open_text(STR("1"));
	assert_false(json_bool(r, &b));
	assert_fails(r, ERROR_FORMAT,
		     "byte 0: '1' where true or false should come");
	r = open_text(STR("[]"));
	assert_true(json_enter(r, JSON_ARRAY));
	assert_false(json_text(r, &text));
	assert_fails(r, ERROR_FORMAT, "byte 1: ']' where a string should come");
	r = open_text(STR("  "));
	assert_int_equal(json_peek(r), JSON_END);
	assert_false(json_failed(r));
	assert_false(json_bool(r, &b));
	assert_fails(r, ERROR_FORMAT,
		     "byte 2: the text ends where true or false should come");
	buf_release(&out);
}

/* Servers write null, or another kind, for what is not there. */
static void test_kinds_that_stand_for_nothing(void **state)
{
	struct json_reader *r =
		open_text(STR("[null, [1], \"x\", null, \"y\", {}, 7]"));
	int64_t one;

	(void)state;
	assert_true(json_enter(r, JSON_ARRAY));
	assert_false(json_enter_nullable(r, JSON_ARRAY));
	assert_true(json_enter_nullable(r, JSON_ARRAY));
	assert_true(json_next_item(r) && json_i64(r, &one));
	assert_false(json_next_item(r));
	assert_false(json_enter_if(r, JSON_OBJECT));
	assert_true(str_equal(json_text_nullable(r), STR("")));
	assert_true(str_equal(json_text_nullable(r), STR("y")));
	assert_true(json_enter_if(r, JSON_OBJECT));
	assert_false(json_failed(r));
	json_free(r);

	r = open_text(STR("7"));
	assert_false(json_enter_nullable(r, JSON_ARRAY));
	assert_true(json_failed(r));
	json_free(r);
	r = open_text(STR("7"));
	assert_true(str_equal(json_text_nullable(r), STR("")));
	assert_true(json_failed(r));
	json_free(r);
}

static void add_a(struct json_reader *r, struct str key, void *into)
{
	int64_t *sum = into, value;

	if (!str_equal(key, STR("a")))
		json_skip(r);
	else if (json_i64(r, &value))
		*sum += value;
}

static void test_each_object(void **state)
{
	struct json_reader *r =
		open_text(STR("[{\"a\":1,\"b\":[8]},{},{\"a\":2,\"a\":4}]"));
	int64_t sum = 0;

	(void)state;
	json_each_object(r, add_a, &sum);
	assert_int_equal(sum, 7);
	assert_true(json_at_end(r));
	assert_false(json_failed(r));
	json_free(r);

	r = open_text(STR("{\"a\":1}"));
	json_each_object(r, add_a, &sum);
	assert_true(json_failed(r));
	json_free(r);

	sum = 0;
	r = open_text(STR("[{\"a\":1},7,{\"a\":2}]"));
	json_each_object(r, add_a, &sum);
	assert_int_equal(sum, 1);
	assert_true(json_failed(r));
	json_free(r);
}

static void test_misuse_is_told(void **state)
{
	struct json_reader *r = open_text(STR("[1]"));
	struct str key;

	(void)state;
	assert_false(json_next_item(r));
	assert_fails(r, ERROR_INTERNAL,
		     "byte 0: an item was read out of turn");
	r = open_text(STR("[1]"));
	assert_true(json_enter(r, JSON_ARRAY));
	assert_true(json_next_item(r));
	assert_false(json_next_item(r));
	assert_true(json_failed(r));
	json_free(r);
	r = open_text(STR("{\"a\":1}"));
	assert_true(json_enter(r, JSON_OBJECT));
	assert_false(json_skip(r));
	assert_true(json_failed(r));
	json_free(r);
	r = open_text(STR("{\"a\":1}"));
	assert_true(json_enter(r, JSON_OBJECT));
	assert_true(json_next_key(r, &key));
	assert_false(json_next_key(r, &key));
	assert_true(json_failed(r));
	json_free(r);
	r = open_text(STR("[1]"));
	assert_true(json_enter(r, JSON_ARRAY));
	assert_true(json_at_end(r));
	assert_true(json_failed(r));
	json_free(r);
}

static void test_failure_of_the_caller_sticks(void **state)
{
	struct json_reader *r = open_text(STR("[1,2]"));

	(void)state;
	assert_true(json_enter(r, JSON_ARRAY));
	assert_false(json_fail(r, "span %d without an id", 7));
	assert_false(json_fail(r, "another"));
	assert_fails(r, ERROR_FORMAT, "byte 1: span 7 without an id");
}

static void test_strings(void **state)
{
	struct json_reader *r = open_text(
		STR("[\"\",\"plain\",\"\\\"\\\\\\/\\b\\f\\n\\r\\t\","
		    "\"\\u0041\\u00e9\\u20AC\\ud83d\\ude00\","
		    "\"\\ud83d\",\"\\ude00x\",\"\\ud83d\\ud83d\\ude00\","
		    "\"\\ud83dx\\n\",\"a\\u0000b\",\"\xFF\xC3\","
		    "\"\xC3\xA9 \x7F\"]"));
	static const struct str expected[] = {
		{ "", 0 },
		{ "plain", 5 },
		{ "\"\\/\b\f\n\r\t", 8 },
		{ "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", 10 },
		{ "\xEF\xBF\xBD", 3 },
		{ "\xEF\xBF\xBDx", 4 },
		{ "\xEF\xBF\xBD\xF0\x9F\x98\x80", 7 },
		{ "\xEF\xBF\xBDx\n", 5 },
		{ "a\0b", 3 },
		{ "\xFF\xC3", 2 },
		{ "\xC3\xA9 \x7F", 4 },
	};
	struct str text;

	(void)state;
	assert_true(json_enter(r, JSON_ARRAY));
	for (size_t i = 0; i < COUNT_OF(expected); i++) {
		assert_true(json_next_item(r));
		assert_true(json_text(r, &text));
		assert_true(str_equal(text, expected[i]));
	}
	assert_false(json_next_item(r));
	assert_true(json_check(r, &err));
	json_free(r);
}

/* Every length and every place of a byte that ends a run of eight. */
static void test_runs_of_plain_bytes(void **state)
{
	char doc[64];

	(void)state;
	for (size_t len = 0; len < 40; len++) {
		for (size_t at = 0; at < len; at++) {
			struct json_reader *r;
			struct str text;

			memset(doc, 0xE9, sizeof doc);
			doc[0] = '"';
			doc[len + 1] = '"';
			doc[1 + at] = 0x20;
			r = open_text((struct str){ doc, len + 2 });
			assert_true(json_text(r, &text));
			assert_int_equal(text.len, len);
			json_free(r);
			doc[1 + at] = 0x1F;
			r = open_text((struct str){ doc, len + 2 });
			assert_false(json_text(r, &text));
			json_free(r);
		}
	}
}

static struct str long_string(char *doc, size_t len)
{
	doc[0] = '"';
	memset(doc + 1, 'x', len);
	doc[len + 1] = '"';
	return (struct str){ doc, len + 2 };
}

static void check_trim(struct json_reader *r, size_t expected, size_t trimmed)
{
	struct str text;

	assert_true(json_text(r, &text));
	assert_int_equal(text.len, expected);
	assert_int_equal(json_trimmed(r), trimmed);
	json_free(r);
}

static void test_trimming_from_both_sides(void **state)
{
	const size_t limit = LIMIT_STRING_BYTES;
	char *doc = mem_alloc(3 * limit);
	struct str text = long_string(doc, limit);

	(void)state;
	check_trim(open_text(text), limit, 0);
	text = long_string(doc, limit + 1);
	check_trim(open_text(text), limit, 1);
	/* A character across the limit goes whole. */
	text = long_string(doc, 2 * limit);
	memcpy(doc + 1 + limit - 2, "\xE2\x82\xAC", 3);
	check_trim(open_text(text), limit - 2, 1);
	memcpy(doc + 1 + limit - 6, "\\u20acyyyyyy", 12);
	check_trim(open_text(text), limit, 1);
	memcpy(doc + 1, "\\n", 2);
	memcpy(doc + 1 + limit - 6, "yyyyyyy\xE2\x82\xAC", 10);
	check_trim(open_text(text), limit, 1);
	memcpy(doc + 1 + limit - 6, "yyyyyy\xE2\x82\xACy", 10);
	check_trim(open_text(text), limit - 1, 1);
	mem_free(doc);
}

static void test_long_string(void **state)
{
	const size_t len = 300000;
	char *doc = mem_alloc(len + 2);
	struct str text = long_string(doc, len);
	struct json_reader *r = open_text(text);
	struct buf out;

	(void)state;
	buf_init(&out, len + 3);
	buf_add_text(&out, ">> ");
	assert_true(json_string_long(r, &out));
	assert_int_equal(out.len, len + 3);
	assert_memory_equal(out.data, ">> xxx", 6);
	assert_int_equal(json_trimmed(r), 0);
	assert_true(json_at_end(r));
	json_free(r);
	r = open_text(text);
	assert_false(json_string_long(r, &out));
	assert_fails(r, ERROR_LIMIT,
		     "a JSON string is larger than the limit of 300003 bytes");
	buf_release(&out);
	mem_free(doc);
}

struct number_case {
	const char *text;
	bool is_ok;
	int64_t value;
};

static void test_i64(void **state)
{
	static const struct number_case cases[] = {
		{ "0", true, 0 },
		{ "-9223372036854775808", true, INT64_MIN },
		{ "9223372036854775807", true, INT64_MAX },
		{ "\"9223372036854775807\"", true, INT64_MAX },
		{ "9223372036854775808", false, 0 },
		{ "-9223372036854775809", false, 0 },
		{ "1e3", true, 1000 },
		{ "\"1e3\"", true, 1000 },
		{ "5.0", true, 5 },
		{ "5.5", false, 0 },
		{ "9007199254740993", true, 9007199254740993 },
		{ "1.5e1", true, 15 },
		{ "null", true, 0 },
		{ "\"\"", false, 0 },
		{ "\" 1\"", false, 0 },
		{ "\"NaN\"", false, 0 },
		{ "\"0x10\"", false, 0 },
		{ "1e99", false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct json_reader *r = open_text(str_from(cases[i].text));
		int64_t value = 77;

		assert_int_equal(json_i64(r, &value), cases[i].is_ok);
		if (cases[i].is_ok)
			assert_true(value == cases[i].value);
		assert_int_equal(json_failed(r), !cases[i].is_ok);
		json_free(r);
	}
}

static void test_u64(void **state)
{
	struct json_reader *r = open_text(
		STR("18446744073709551615 \"18446744073709551615\" 1e19 null "
		    "-0"));
	uint64_t v = 0;

	(void)state;
	assert_true(json_u64(r, &v) && v == UINT64_MAX);
	assert_true(json_u64(r, &v) && v == UINT64_MAX);
	assert_true(json_u64(r, &v) && v == 10000000000000000000u);
	assert_true(json_u64(r, &v) && v == 0);
	assert_true(json_u64(r, &v) && v == 0);
	assert_true(json_at_end(r));
	json_free(r);
	r = open_text(STR("-1"));
	assert_false(json_u64(r, &v));
	assert_fails(r, ERROR_FORMAT,
		     "byte 2: '-1' is no whole number of 64 bits without "
		     "sign");
	r = open_text(STR("18446744073709551616"));
	assert_false(json_u64(r, &v));
	json_free(r);
}

static void test_f64(void **state)
{
	struct json_reader *r = open_text(STR(
		"1.25 -1e-3 \"2.5\" \"NaN\" \"Infinity\" \"-Infinity\" null "
		"1.7976931348623157e308"));
	double v = 0;

	(void)state;
	assert_true(json_f64(r, &v));
	assert_true(v >= 1.25 && v <= 1.25);
	assert_true(json_f64(r, &v));
	assert_true(v >= -1e-3 && v <= -1e-3);
	assert_true(json_f64(r, &v));
	assert_true(v >= 2.5 && v <= 2.5);
	assert_true(json_f64(r, &v) && isnan(v));
	assert_true(json_f64(r, &v) && isinf(v) && v > 0);
	assert_true(json_f64(r, &v) && isinf(v) && v < 0);
	assert_true(json_f64(r, &v) && v >= 0 && v <= 0);
	assert_true(json_f64(r, &v) && v >= DBL_MAX);
	json_free(r);
	r = open_text(STR("1e309"));
	assert_false(json_f64(r, &v));
	assert_fails(r, ERROR_FORMAT,
		     "byte 5: '1e309' is no number that fits a double");
	r = open_text(STR("\"nan\""));
	assert_false(json_f64(r, &v));
	json_free(r);
}

static void test_numbers_of_a_list(void **state)
{
	static const char *const others[] = {
		"-1",  "1.5", "1e3", "01", "1000000000000000000", "\"7\"",
		"1x", "null", "[1]", "",
	};
	struct json_reader *r = open_text(STR("[0, 7,999999999999999999 ]"));
	uint64_t value;

	(void)state;
	assert_false(json_next_whole(r, &value));
	assert_true(json_enter(r, JSON_ARRAY));
	assert_true(json_next_whole(r, &value) && value == 0);
	assert_true(json_next_whole(r, &value) && value == 7);
	assert_true(json_next_whole(r, &value) &&
		    value == UINT64_C(999999999999999999));
	assert_false(json_next_whole(r, &value));
	assert_false(json_next_item(r));
	assert_true(json_at_end(r) && !json_failed(r));
	json_free(r);
	for (size_t i = 0; i < COUNT_OF(others); i++) {
		char text[64];

		snprintf(text, sizeof text, "[%s]", others[i]);
		r = open_text(str_from(text));
		assert_true(json_enter(r, JSON_ARRAY));
		assert_false(json_next_whole(r, &value));
		assert_false(json_failed(r));
		assert_true(json_next_item(r) == (*others[i] != '\0'));
		assert_false(json_next_whole(r, &value));
		json_free(r);
	}
}

enum { FIELD_A, FIELD_SAME, FIELD_OTHER, FIELD_LONG, FIELD_EIGHT };

static struct json_fields fields = JSON_FIELDS(
	JSON_NAME("a", FIELD_A), JSON_NAME("b", FIELD_A),
	JSON_NAME("traceID", FIELD_SAME), JSON_NAME("traceId", FIELD_OTHER),
	JSON_NAME("eightxyz", FIELD_EIGHT),
	JSON_NAME("a_name_of_more_than_sixteen_bytes", FIELD_LONG));

/* Both ends alike, as long: no hash tells them apart. */
static struct json_fields alike = JSON_FIELDS(
	JSON_NAME("12345678one12345678", FIELD_A),
	JSON_NAME("12345678two12345678", FIELD_OTHER));

static void test_fields(void **state)
{
	struct json_reader *r = open_text(
		STR("{\"x\":[{}],\"traceId\":1,\"a\":2,\"c\":3,"
		    "\"a_name_of_more_than_sixteen_bytes\":4,"
		    "\"a_name_of_more_than_XXXXXXX_bytes\":5}"));
	int64_t value;

	(void)state;
	for (const struct json_name *n = fields.names; n->text.len; n++)
		assert_int_equal(json_field(&fields, n->text), n->field);
	assert_int_equal(json_field(&fields, STR("")), -1);
	assert_int_equal(json_field(&fields, STR("eightxyZ")), -1);
	assert_int_equal(json_field(&alike, STR("12345678one12345678")),
			 FIELD_A);
	assert_int_equal(json_field(&alike, STR("12345678two12345678")),
			 FIELD_OTHER);
	assert_int_equal(json_field(&alike, STR("12345678six12345678")), -1);
	assert_true(json_enter(r, JSON_OBJECT));
	assert_int_equal(json_next_field(r, &fields), FIELD_OTHER);
	assert_true(json_i64(r, &value) && value == 1);
	assert_int_equal(json_next_field(r, &fields), FIELD_A);
	assert_true(json_i64(r, &value) && value == 2);
	assert_int_equal(json_next_field(r, &fields), FIELD_LONG);
	assert_true(json_i64(r, &value) && value == 4);
	assert_int_equal(json_next_field(r, &fields), -1);
	assert_true(json_at_end(r) && !json_failed(r));
	json_free(r);
}

static void test_number_length_from_both_sides(void **state)
{
	char doc[LIMIT_NUMBER_BYTES + 1];
	struct json_reader *r;
	struct str text;

	(void)state;
	memset(doc, '1', sizeof doc);
	r = open_text((struct str){ doc, LIMIT_NUMBER_BYTES - 1 });
	assert_true(json_number_text(r, &text));
	assert_int_equal(text.len, LIMIT_NUMBER_BYTES - 1);
	json_free(r);
	r = open_text((struct str){ doc, LIMIT_NUMBER_BYTES });
	assert_false(json_skip(r));
	assert_fails(r, ERROR_FORMAT, "byte 0: a number of too many digits");
}

/* `depth` brackets, alternating by the bits of `pattern`, closed again. */
static struct str nested(char *doc, unsigned depth, unsigned pattern)
{
	size_t len = 0;

	for (unsigned i = 0; i < depth; i++) {
		struct str level =
			pattern >> i % 16 & 1 ? STR("{\"\":") : STR("[");

		memcpy(doc + len, level.ptr, level.len);
		len += level.len;
	}
	doc[len++] = '1';
	for (unsigned i = depth; i-- > 0;)
		doc[len++] = pattern >> i % 16 & 1 ? '}' : ']';
	return (struct str){ doc, len };
}

static void test_nesting_from_both_sides(void **state)
{
	static const unsigned patterns[] = { 0, 0xFFFF, 0x5555, 0x1234 };
	char doc[8 * LIMIT_JSON_DEPTH];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(patterns); i++) {
		struct json_reader *r =
			open_text(nested(doc, LIMIT_JSON_DEPTH, patterns[i]));

		assert_true(json_skip(r));
		assert_true(json_at_end(r));
		json_free(r);
		r = open_text(nested(doc, LIMIT_JSON_DEPTH + 1, patterns[i]));
		assert_false(json_skip(r));
		assert_false(json_check(r, &err));
		assert_int_equal(err.code, ERROR_LIMIT);
		assert_contains(err.message, "nested deeper than the limit of "
					     "320 levels");
		json_free(r);
	}
}

/* Where the outermost array may go without its end. */
static void test_open_end(void **state)
{
	static const struct {
		const char *text;
		int items;
		bool is_open;
	} cases[] = {
		{ "[", 0, true },          { "[ \n", 0, true },
		{ "[7", 1, true },         { "[7 ,", 1, true },
		{ "[7,8, \n", 2, true },   { "[7,8", 2, true },
		{ "[[1],[2]", 2, true },   { "[[1],[2],", 2, true },
		{ "[]", 0, false },        { "[7]", 1, false },
		{ "[7,]", -1, false },     { "[7 8", -1, false },
		{ "[7,8", 2, true },       { "[[1],[2", -1, false },
		{ "[[1],[2,", -1, false }, { "[7} ", -1, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct json_reader *r = open_text(str_from(cases[i].text));
		bool is_open;
		int items = 0;

		assert_true(json_enter(r, JSON_ARRAY));
		while (json_next_item_or_end(r, &is_open)) {
			json_skip(r);
			items++;
		}
		assert_int_equal(json_failed(r), cases[i].items < 0);
		assert_int_equal(is_open, cases[i].is_open);
		if (cases[i].items >= 0) {
			assert_int_equal(items, cases[i].items);
			assert_true(json_at_end(r));
		}
		json_free(r);
	}
}

/* Inside of another value an array needs its end. */
static void test_open_end_within(void **state)
{
	struct json_reader *r = open_text(STR("[[7"));
	bool is_open;

	(void)state;
	assert_true(json_enter(r, JSON_ARRAY));
	assert_true(json_enter(r, JSON_ARRAY));
	assert_true(json_next_item_or_end(r, &is_open));
	json_skip(r);
	assert_false(json_next_item_or_end(r, &is_open));
	assert_false(is_open);
	assert_true(json_failed(r));
	json_free(r);
}

static void test_many_documents(void **state)
{
	struct json_reader *r = open_text(STR("{\"a\":1}\n[2]{}\"x\" 3\n\n"));
	int count = 0;

	(void)state;
	while (!json_at_end(r)) {
		assert_true(json_skip(r));
		count++;
	}
	assert_int_equal(count, 5);
	assert_true(json_check(r, &err));
	json_free(r);
	r = open_text(STR("{} }"));
	assert_true(json_skip(r));
	assert_false(json_at_end(r));
	assert_false(json_skip(r));
	assert_fails(r, ERROR_FORMAT, "byte 3: '}' where a value should come");
}

static void test_end_is_expected(void **state)
{
	struct json_reader *r = open_text(STR("{} \n"));

	(void)state;
	assert_true(json_skip(r));
	json_expect_end(r, "answer");
	assert_true(json_check(r, &err));
	json_free(r);
	r = open_text(STR("{} {}"));
	assert_true(json_skip(r));
	json_expect_end(r, "answer");
	assert_fails(r, ERROR_FORMAT, "byte 3: more behind the answer");
}

static void test_raw(void **state)
{
	static const char doc[] = "{\"k\" : { \"a\":[1, \"\\u0041\\\"\"] } ,"
				  "\"n\":-1.5e3,\"s\":\"x\"}";
	static const char *const expected[] = {
		"{ \"a\":[1, \"\\u0041\\\"\"] }", "-1.5e3", "\"x\""
	};

	struct json_reader *r = open_text(str_from(doc));
	struct str key;
	struct buf out;
	size_t i = 0;

	(void)state;
	buf_init(&out, 100);
	assert_true(json_enter(r, JSON_OBJECT));
	while (json_next_key(r, &key)) {
		buf_clear(&out);
		assert_true(json_raw(r, &out));
		assert_string_equal(buf_text(&out), expected[i++]);
	}
	assert_int_equal(i, 3);
	assert_true(json_check(r, &err));
	json_free(r);
	buf_release(&out);
}

static void test_raw_over_limit(void **state)
{
	struct json_reader *r = open_text(STR("[1,2,3]"));
	struct buf out;

	(void)state;
	buf_init(&out, 6);
	assert_false(json_raw(r, &out));
	assert_fails(r, ERROR_LIMIT,
		     "a JSON value is larger than the limit of 6 bytes");
	buf_release(&out);
	r = open_text(STR("[1,2"));
	assert_false(json_raw(r, &out));
	assert_true(json_failed(r));
	json_free(r);
	buf_release(&out);
}

static void test_starved(void **state)
{
	struct json_reader *r;
	struct str text;

	(void)state;
	starve_once_after(0);
	assert_null(json_new(STR("1"), &err));
	assert_int_equal(err.code, ERROR_MEMORY);
	r = open_text(STR("\"a\\nb\""));
	starve_once_after(0);
	assert_false(json_text(r, &text));
	assert_true(stop_starving());
	assert_fails(r, ERROR_MEMORY, "out of memory for a JSON string");
	json_free(NULL);
}

UNIT_TESTS(json)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_walk),
		cmocka_unit_test(test_array_without_asking),
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_wrong_kinds),
		cmocka_unit_test(test_kinds_that_stand_for_nothing),
		cmocka_unit_test(test_misuse_is_told),
		cmocka_unit_test(test_failure_of_the_caller_sticks),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_runs_of_plain_bytes),
		cmocka_unit_test(test_trimming_from_both_sides),
		cmocka_unit_test(test_long_string),
		cmocka_unit_test(test_i64),
		cmocka_unit_test(test_u64),
		cmocka_unit_test(test_f64),
		cmocka_unit_test(test_numbers_of_a_list),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_number_length_from_both_sides),
		cmocka_unit_test(test_nesting_from_both_sides),
		cmocka_unit_test(test_open_end),
		cmocka_unit_test(test_open_end_within),
		cmocka_unit_test(test_many_documents),
		cmocka_unit_test(test_end_is_expected),
		cmocka_unit_test(test_each_object),
		cmocka_unit_test(test_raw),
		cmocka_unit_test(test_raw_over_limit),
		cmocka_unit_test(test_starved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
