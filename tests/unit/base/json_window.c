/* SPDX-License-Identifier: Apache-2.0
 *
 * What only a reader over a window can do wrong, and the ways of finding the
 * end of a string against each other. Documents in pieces: json_corpus.c.
 */
#include "../unit.h"
#include "testing.h"

#include "base/json.h"
#include "base/json_reader.h"

static struct error err;
static struct feed *feed;

static struct json_reader *open_window(struct str text)
{
	struct json_reader *r;

	feed = feed_new(text, &err);
	r = json_new_window(feed, JSON_WINDOW_LEAST, &err);
	assert_non_null(r);
	return r;
}

static void finish(struct json_reader *r)
{
	assert_true(json_at_end(r));
	assert_true(json_check(r, &err));
	json_free(r);
	feed_free(feed);
}

static void add_filled(struct buf *b, const char *head, char c, size_t len,
		       const char *tail)
{
	buf_add_text(b, head);
	while (len--)
		buf_add_char(b, c);
	buf_add_text(b, tail);
}

/* Strings around the size of the window and past the limit of one string. */
static void test_long_strings(void **state)
{
	static const size_t lengths[] = {
		JSON_WINDOW_LEAST - 2, JSON_WINDOW_LEAST - 1,
		JSON_WINDOW_LEAST,     JSON_WINDOW_LEAST + 1,
		3 * JSON_WINDOW_LEAST, LIMIT_STRING_BYTES,
		LIMIT_STRING_BYTES + 1
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(lengths); i++) {
		size_t kept = lengths[i] > LIMIT_STRING_BYTES
				      ? LIMIT_STRING_BYTES
				      : lengths[i];
		struct json_reader *r;
		struct str text;
		struct buf b;

		buf_init(&b, MIB);
		add_filled(&b, "[1,\"", 'x', lengths[i], "\",2]");
		r = open_window(buf_str(&b));
		assert_true(json_enter(r, JSON_ARRAY) && json_next_item(r));
		assert_true(json_skip(r) && json_next_item(r));
		assert_true(json_text(r, &text));
		assert_int_equal(text.len, kept);
		assert_int_equal(json_trimmed(r), kept != lengths[i]);
		for (size_t at = 0; at < text.len; at++)
			assert_int_equal(text.ptr[at], 'x');
		assert_true(json_next_item(r) && json_skip(r));
		assert_false(json_next_item(r));
		finish(r);
		buf_release(&b);
	}
}

/* The longest number that is taken and the next, at the window's end. */
static void test_long_numbers(void **state)
{
	(void)state;
	for (size_t len = LIMIT_NUMBER_BYTES - 1; len <= LIMIT_NUMBER_BYTES;
	     len++) {
		struct json_reader *r;
		struct str text;
		struct buf b;

		buf_init(&b, MIB);
		add_filled(&b, "", ' ', JSON_WINDOW_LEAST - 10, "[");
		add_filled(&b, "", '7', len, "]");
		r = open_window(buf_str(&b));
		assert_true(json_enter(r, JSON_ARRAY) && json_next_item(r));
		if (len < LIMIT_NUMBER_BYTES) {
			assert_true(json_number_text(r, &text));
			assert_int_equal(text.len, len);
			assert_false(json_next_item(r));
			finish(r);
		} else {
			assert_false(json_number_text(r, &text));
			assert_false(json_check(r, &err));
			assert_contains(err.message, "too many digits");
			json_free(r);
			feed_free(feed);
		}
		buf_release(&b);
	}
}

/* A value of many windows, as it is written. */
static void test_raw(void **state)
{
	struct json_reader *r;
	struct buf b, raw;

	(void)state;
	buf_init(&b, MIB);
	buf_init(&raw, MIB);
	add_filled(&b, "[{\"a\" : \"", 'y', 5 * JSON_WINDOW_LEAST,
		   "\\n\" },3]");
	r = open_window(buf_str(&b));
	assert_true(json_enter(r, JSON_ARRAY) && json_next_item(r));
	assert_true(json_raw(r, &raw));
	assert_int_equal(raw.len, b.len - 4);
	assert_memory_equal(raw.data, b.data + 1, raw.len);
	assert_true(json_next_item(r) && json_skip(r));
	assert_false(json_next_item(r));
	finish(r);
	buf_release(&b);
	buf_release(&raw);
}

/* Back to an item, inside the same brackets, and out of them. */
static void resume(struct json_reader *r)
{
	struct feed_place place;
	struct str key;
	int64_t number;

	assert_true(json_enter(r, JSON_OBJECT) && json_next_key(r, &key));
	assert_true(json_enter(r, JSON_ARRAY) && json_next_item(r));
	assert_true(json_skip(r) && json_next_item(r));
	json_tell(r, &place);
	assert_int_equal(place.depth, 2);
	assert_true(json_skip(r) && !json_next_item(r));
	assert_true(json_next_key(r, &key) && json_skip(r));
	assert_false(json_next_key(r, &key));
	assert_true(json_at_end(r));
	json_resume(r, &place);
	assert_int_equal(json_peek(r), JSON_NUMBER);
	assert_true(json_i64(r, &number) && number == 42);
	assert_true(json_leave(r));
	assert_false(json_failed(r));
}

static void test_resume(void **state)
{
	struct json_reader *r;
	struct buf b;

	(void)state;
	buf_init(&b, MIB);
	add_filled(&b, "{\"data\":[\"", 'x', 4000, "\", 42 ],\"b\":{}} ");
	r = json_new(buf_str(&b), &err);
	resume(r);
	assert_true(json_at_end(r));
	json_free(r);
	r = open_window(buf_str(&b));
	resume(r);
	finish(r);
	/* What follows the place is checked. */
	b.data[b.len - 2] = ']';
	r = json_new(buf_str(&b), &err);
	assert_true(json_enter(r, JSON_OBJECT));
	assert_false(json_leave(r));
	json_free(r);
	buf_release(&b);
}

/* The offset in an error is that in the input. */
static void test_offset(void **state)
{
	struct json_reader *r;
	struct buf b;

	(void)state;
	buf_init(&b, MIB);
	add_filled(&b, "[", ' ', 9 * JSON_WINDOW_LEAST, "x]");
	r = open_window(buf_str(&b));
	assert_false(json_skip(r));
	assert_false(json_check(r, &err));
	assert_text(str_slice(str_from(err.message), 0, 11), "byte 4681: ");
	json_free(r);
	feed_free(feed);
	buf_release(&b);
}

static void test_mark_in_front(void **state)
{
	struct json_reader *r;

	(void)state;
	feed = feed_new(STR("\xef\xbb\xbf[]"), &err);
	r = json_new_feed(feed, &err);
	assert_true(json_skip(r));
	finish(r);
}

static size_t run_by_bytes(const char *text, size_t len)
{
	size_t at = 0;

	while (at < len && (unsigned char)text[at] >= 0x20 && text[at] != '"' &&
	       text[at] != '\\')
		at++;
	return at;
}

/* Every byte at every place of texts that no step divides, in front of bytes
 * that must not be looked at. */
static void test_plain_runs(void **state)
{
	char text[80];

	(void)state;
	for (size_t len = 0; len < 70; len += 3) {
		memset(text, 'a', sizeof text);
		text[len] = '"';
		for (size_t at = 0; at < len; at++) {
			for (unsigned byte = 0; byte < 256; byte++) {
				size_t expected;

				text[at] = (char)(unsigned char)byte;
				expected = run_by_bytes(text, len);
				assert_int_equal(json_plain_run(text, len),
						 expected);
				assert_int_equal(
					json_plain_run_words(text, len),
					expected);
			}
			text[at] = 'a';
		}
	}
}

UNIT_TESTS(json_window)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_long_strings),
		cmocka_unit_test(test_long_numbers),
		cmocka_unit_test(test_raw),
		cmocka_unit_test(test_resume),
		cmocka_unit_test(test_offset),
		cmocka_unit_test(test_mark_in_front),
		cmocka_unit_test(test_plain_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
