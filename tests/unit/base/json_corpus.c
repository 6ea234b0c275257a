/* SPDX-License-Identifier: Apache-2.0
 *
 * The reader against another JSON library: the same verdict on snippets, the
 * same content in recorded answers, however the bytes arrive.
 */
#include "../unit.h"
#include "testing.h"

#include <dirent.h>
#include <stdlib.h>

#include <jansson.h>

/* Both libraries name the kinds alike; so the other one's are asked for
 * before ours get other names. */
static int tree_kind(json_t *tree)
{
	return json_is_object(tree)   ? 'o'
	       : json_is_array(tree)  ? 'a'
	       : json_is_string(tree) ? 's'
	       : json_is_number(tree) ? 'n'
	       : json_is_true(tree)   ? 't'
	       : json_is_false(tree)  ? 'f'
				      : '0';
}

#define JSON_OBJECT OUR_OBJECT
#define JSON_ARRAY OUR_ARRAY
#define JSON_STRING OUR_STRING
#define JSON_TRUE OUR_TRUE
#define JSON_FALSE OUR_FALSE
#define JSON_NULL OUR_NULL
#include "base/json.h"
#include "base/json_reader.h"
#include "base/out.h"

#define FLAGS (JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL)

static struct error err;

static void compare_value(struct json_reader *r, json_t *expected);

static void compare_object(struct json_reader *r, json_t *expected)
{
	struct str key;
	size_t count = 0;

	assert_int_equal(json_peek(r), JSON_OBJECT);
	assert_true(json_enter(r, JSON_OBJECT));
	while (json_next_key(r, &key)) {
		char *name = mem_strndup(key.ptr, key.len);
		json_t *value = json_object_get(expected, name);

		assert_non_null(value);
		mem_free(name);
		compare_value(r, value);
		count++;
	}
	assert_int_equal(count, json_object_size(expected));
}

static void compare_array(struct json_reader *r, json_t *expected)
{
	size_t count = 0;

	assert_int_equal(json_peek(r), JSON_ARRAY);
	assert_true(json_enter(r, JSON_ARRAY));
	while (json_next_item(r))
		compare_value(r, json_array_get(expected, count++));
	assert_int_equal(count, json_array_size(expected));
}

static void compare_string(struct json_reader *r, json_t *expected)
{
	struct str text;

	assert_int_equal(json_peek(r), JSON_STRING);
	assert_true(json_text(r, &text));
	assert_int_equal(text.len, json_string_length(expected));
	assert_memory_equal(text.ptr, json_string_value(expected), text.len);
}

/* Nested as deep as the documents, which are our own. */
static void compare_value(struct json_reader *r, json_t *expected)
{
	int kind = tree_kind(expected);
	double number;
	bool is_true;

	assert_non_null(expected);
	if (kind == 'o') {
		compare_object(r, expected);
	} else if (kind == 'a') {
		compare_array(r, expected);
	} else if (kind == 's') {
		compare_string(r, expected);
	} else if (kind == 'n') {
		assert_int_equal(json_peek(r), JSON_NUMBER);
		assert_true(json_f64(r, &number));
		assert_true(number >= json_number_value(expected) &&
			    number <= json_number_value(expected));
	} else if (kind == '0') {
		assert_int_equal(json_peek(r), JSON_NULL);
		assert_true(json_skip(r));
	} else {
		assert_true(json_bool(r, &is_true));
		assert_int_equal(is_true, kind == 't');
	}
}

static void compare_by(struct json_reader *r, json_t *expected)
{
	assert_non_null(r);
	compare_value(r, expected);
	assert_true(json_at_end(r));
	assert_true(json_check(r, &err));
	json_free(r);
}

static bool is_accepted_by(struct json_reader *r)
{
	bool is_one = json_skip(r) && json_at_end(r) && !json_failed(r);

	json_free(r);
	return is_one;
}

/* The document comes in two pieces: a window of the least size ends behind
 * this many of its bytes, since blanks fill it up in front. */
struct split {
	struct buf padded;
	struct feed *feed;
	struct json_reader *r;
};

static void split_open(struct split *s, struct str text, size_t before)
{
	buf_init(&s->padded, 64 * MIB);
	for (size_t i = before; i < JSON_WINDOW_LEAST; i++)
		buf_add_char(&s->padded, ' ');
	buf_add_str(&s->padded, text);
	s->feed = feed_new(buf_str(&s->padded), &err);
	s->r = json_new_window(s->feed, JSON_WINDOW_LEAST, &err);
	assert_non_null(s->r);
}

static void split_close(struct split *s)
{
	feed_free(s->feed);
	buf_release(&s->padded);
}

static void compare_document(struct str text, json_t *expected)
{
	struct split s;

	compare_by(json_new(text, &err), expected);
	for (size_t i = 0; i < text.len && i < 64; i++) {
		split_open(&s, text, i);
		compare_by(s.r, expected);
		split_close(&s);
	}
}

/* True when the whole text is one document, wherever it is split. */
static bool is_accepted(struct str text)
{
	bool is_one = is_accepted_by(json_new(text, &err));
	struct split s;

	for (size_t i = 0; i < text.len; i++) {
		split_open(&s, text, i);
		assert_int_equal(is_accepted_by(s.r), is_one);
		split_close(&s);
	}
	return is_one;
}

static const char *const snippets[] = {
	"{}",
	"[]",
	"\"\"",
	"0",
	"-0",
	"1",
	"-1",
	"true",
	"false",
	"null",
	" \t\r\n[ ] ",
	"[1,2,3]",
	"[[],[[]],{}]",
	"{\"a\":{\"b\":[]}}",
	"{\"\":0}",
	"{\"a\":1,\"b\":2}",
	"[\"\\u00e9\\ud83d\\ude00\"]",
	"[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]",
	"[1.0,1e5,1E-5,1.5e+10,-0.0]",
	"[\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"]",
	"[\"\\u0000\"]",
	"[123456789012345678901234567890]",
	"[\"\x7F\"]",
	"[9223372036854775807]",
	/* bad from here on */
	"",
	" ",
	"{",
	"}",
	"[",
	"]",
	"\"",
	"{]",
	"[}",
	"[1",
	"[1,",
	"[1,]",
	"[,1]",
	"[,]",
	"{,}",
	"{\"a\"}",
	"{\"a\":}",
	"{\"a\":1,}",
	"{a:1}",
	"{'a':1}",
	"{1:2}",
	"{\"a\" \"b\"}",
	"{\"a\":1 \"b\":2}",
	"[1 2]",
	"[1:2]",
	"01",
	"-",
	"-01",
	"+1",
	".5",
	"1.",
	"1.e5",
	"1e",
	"1e+",
	"1e-",
	"0x10",
	"1a",
	"--1",
	"1-2",
	"1+2",
	"NaN",
	"Infinity",
	"-Infinity",
	"nan",
	"tru",
	"truee",
	"True",
	"TRUE",
	"nul",
	"nulll",
	"fals",
	"undefined",
	"[\"\\x\"]",
	"[\"\\u12\"]",
	"[\"\\u12g4\"]",
	"[\"\\U0041\"]",
	"[\"\\\"]",
	"[\"a\nb\"]",
	"[\"\t\"]",
	"[\"\x01\"]",
	"'a'",
	"\"a",
	"\"a\\",
	"[1]]",
	"{}}",
	"[] []",
	"1 2",
	"{} x",
	"[1],",
	",",
	":",
	"// x\n1",
	"/* */1",
	"[1]#",
	"\xEF\xBB\xBF[]",
	"\xA0[]",
	"[1\v]",
	"[1\f]",
	"[\302\2401]",
	"[true false]",
	"[\"a\"\"b\"]",
	"{\"a\":1:2}",
	"{\"a\":[}",
	"{\"a\":[1}",
	"[{\"a\":1]",
	"{[]:1}",
	"{null:1}",
};

static void test_snippets(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(snippets); i++) {
		struct str text = str_from(snippets[i]);
		json_t *tree = json_loadb(text.ptr, text.len, FLAGS, NULL);

		if (is_accepted(text) != (tree != NULL))
			fail_msg("'%s': the other says %s", snippets[i],
				 tree ? "good" : "bad");
		if (tree)
			compare_document(text, tree);
		json_decref(tree);
	}
}

/* Where we take what the other does not, on purpose (json.h). */
static void test_more_lenient(void **state)
{
	(void)state;
	assert_true(is_accepted(STR("[\"\xFF\"]")));
	assert_true(is_accepted(STR("[\"\\ud800\"]")));
	assert_true(is_accepted(STR("[1e999]")));
	assert_true(is_accepted(STR("{\"a\":1,\"a\":2}")));
	assert_false(is_accepted(STR("[1]\0")));
	assert_false(is_accepted(STR("[\"a\0b\"]")));
}

/* Cut anywhere, a document is never taken for whole. */
static void test_every_cut_is_noticed(void **state)
{
	const struct str doc =
		STR("{\"a\":[1,-2.5e3,\"x\\u00e9\\ud83d\\ude00\",true,false,"
		    "null,{}],\"b\":{\"c\":[]}}");

	(void)state;
	assert_true(is_accepted(doc));
	for (size_t len = 0; len < doc.len; len++)
		assert_false(is_accepted(str_slice(doc, 0, len)));
}

/* Each byte replaced by each of a few: the verdicts stay the same. */
static void test_mutations(void **state)
{
	static const char bytes[] = "\0\"\\{}[],:0-.eu \x1F\x7F";
	char doc[] = "{\"a\":[1,-2.5e3,\"x\\u0041\"],\"b\":[true,null,{}]}";

	(void)state;
	for (size_t at = 0; at < sizeof doc - 1; at++) {
		char kept = doc[at];

		for (size_t i = 0; i < sizeof bytes - 1; i++) {
			struct str text = { doc, sizeof doc - 1 };
			json_t *tree;

			doc[at] = bytes[i];
			tree = json_loadb(doc, text.len, FLAGS, NULL);
			if (is_accepted(text) != (tree != NULL))
				fail_msg("'%s'", doc);
			if (tree)
				compare_document(text, tree);
			json_decref(tree);
		}
		doc[at] = kept;
	}
}

/* One document, or several that follow each other. */
static void compare_file(const char *path)
{
	struct str text;
	struct buf b;

	buf_init(&b, 64 * MIB);
	assert_true(file_read(path, &b, &err));
	text = str_trim(buf_str(&b));
	while (text.len) {
		json_error_t why;
		json_t *tree = json_loadb(text.ptr, text.len,
					  FLAGS | JSON_DISABLE_EOF_CHECK, &why);
		struct str doc = str_slice(text, 0, (size_t)why.position);

		if (!tree)
			fail_msg("%s: %s", path, why.text);
		compare_document(doc, tree);
		json_decref(tree);
		text = str_trim(str_slice(text, doc.len, text.len));
	}
	buf_release(&b);
}

static void test_recorded_answers(void **state)
{
	char folder[1024];
	struct dirent *entry;
	DIR *dir;
	int count = 0;

	(void)state;
	assert_non_null(getenv("TESTDATA"));
	snprintf(folder, sizeof folder, "%s/json/recorded", getenv("TESTDATA"));
	dir = opendir(folder);
	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		char path[2048];

		if (!strstr(entry->d_name, ".json"))
			continue;
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		compare_file(path);
		count++;
	}
	closedir(dir);
	assert_true(count >= 7);
}

UNIT_TESTS(json_corpus)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_snippets),
		cmocka_unit_test(test_more_lenient),
		cmocka_unit_test(test_every_cut_is_noticed),
		cmocka_unit_test(test_mutations),
		cmocka_unit_test(test_recorded_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
