/* SPDX-License-Identifier: Apache-2.0
 *
 * Whatever the pieces, together they are the input, and each ends where a line
 * does.
 */
#include "../unit.h"
#include "../base/testing.h"

#include <stdlib.h>
#include <unistd.h>

#include "../write_file.h"
#include "base/gz.h"
#include "decode/folded.h"

#define PIECE ((size_t)LINE_PIECE_BYTES)
#define MOST_BYTES (8 * PIECE)

static struct error err;

/* Appends what is read to `got`; false when reading failed. */
static bool read_all(struct feed *feed, size_t max_bytes, struct buf *got,
		     unsigned *pieces)
{
	struct line_reader r;
	struct str lines;
	bool is_done;

	line_reader_init(&r, feed, max_bytes);
	*pieces = 0;
	do {
		is_done = line_reader_next(&r, &lines, &err);
		if (!is_done)
			break;
		if (!r.is_end) {
			assert_true(lines.len > 0);
			assert_int_equal(lines.ptr[lines.len - 1], '\n');
		}
		buf_add_str(got, lines);
		++*pieces;
	} while (!r.is_end);
	line_reader_release(&r);
	return is_done;
}

static void expect(struct str text, size_t max_bytes, unsigned wanted)
{
	struct feed *feed = feed_new(text, &err);
	unsigned pieces;
	struct buf got;

	assert_non_null(feed);
	buf_init(&got, MOST_BYTES);
	assert_true(read_all(feed, max_bytes, &got, &pieces));
	assert_true(str_equal(buf_str(&got), text));
	assert_int_equal(pieces, wanted);
	buf_release(&got);
	feed_free(feed);
}

/* Text of so many bytes with a line's end after every `line` of them. */
static struct str text_of(struct buf *b, size_t size, size_t line)
{
	buf_init(b, MOST_BYTES);
	assert_true(buf_reserve(b, size));
	for (size_t i = 0; i < size; i++)
		b->data[i] = (i + 1) % line ? (char)('a' + i % 23) : '\n';
	buf_commit(b, size);
	return buf_str(b);
}

static void expect_lines(size_t size, size_t line, unsigned pieces)
{
	struct buf b;

	expect(text_of(&b, size, line), MOST_BYTES, pieces);
	buf_release(&b);
}

static void test_small(void **state)
{
	(void)state;
	expect(STR(""), MOST_BYTES, 1);
	expect(STR("\n"), MOST_BYTES, 1);
	expect(STR("a 1"), MOST_BYTES, 1);
	expect(STR("a 1\nb 2\n\nc 3"), MOST_BYTES, 1);
}

/* Lines of a thousand bytes do not end where pieces do. */
static void test_pieces(void **state)
{
	(void)state;
	expect_lines(PIECE - 1, 1000, 1);
	expect_lines(PIECE, 1000, 2);
	expect_lines(PIECE + 1, 1000, 2);
	expect_lines(3 * PIECE + 12345, 1000, 4);
}

/* The end is only known once nothing more comes. */
static void test_lines_end_where_pieces_do(void **state)
{
	(void)state;
	expect_lines(PIECE, 64, 2);
	expect_lines(2 * PIECE, PIECE, 3);
	expect_lines(2 * PIECE - 1, PIECE, 2);
}

static void test_line_longer_than_a_piece(void **state)
{
	(void)state;
	expect_lines(3 * PIECE, 3 * PIECE, 1);
	expect_lines(5 * PIECE, 3 * PIECE + 7, 2);
}

static void expect_too_much(size_t size, size_t line, size_t max_bytes)
{
	struct buf b, got;
	struct feed *feed;
	unsigned pieces;

	feed = feed_new(text_of(&b, size, line), &err);
	buf_init(&got, MOST_BYTES);
	assert_false(read_all(feed, max_bytes, &got, &pieces));
	assert_int_equal(err.code, ERROR_LIMIT);
	assert_int_equal(got.len, 0);
	error_clear(&err);
	buf_release(&got);
	buf_release(&b);
	feed_free(feed);
}

static void test_line_longer_than_allowed(void **state)
{
	(void)state;
	expect_too_much(5 * PIECE, 5 * PIECE, 2 * PIECE);
}

/* What is left of the first piece does not fit before the second. */
static void test_rest_larger_than_allowed(void **state)
{
	(void)state;
	expect_too_much(2 * PIECE, 1000, PIECE + 10);
}

/* Reads as many whole lines as came, and then the reason. */
static void test_packed_file_that_breaks_off(void **state)
{
	char path[] = "/tmp/tracefind-lines-XXXXXX";
	int fd = mkstemp(path);
	struct buf b, packed, got;
	struct feed *feed;
	unsigned pieces;
	bool is_regular;
	struct str text = text_of(&b, 4 * PIECE, 1000);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	buf_init(&packed, MOST_BYTES);
	buf_init(&got, MOST_BYTES);
	assert_true(gz_deflate(text, &packed, &err));
	write_file(path, str_slice(buf_str(&packed), 0, packed.len * 2 / 3));
	feed = feed_open(path, MOST_BYTES, MOST_BYTES, &is_regular, &err);
	assert_non_null(feed);
	assert_false(read_all(feed, MOST_BYTES, &got, &pieces));
	assert_int_equal(err.code, ERROR_FORMAT);
	assert_true(pieces > 0);
	assert_true(str_starts(text, buf_str(&got)));
	error_clear(&err);
	feed_free(feed);
	buf_release(&got);
	buf_release(&packed);
	buf_release(&b);
	unlink(path);
}

UNIT_TESTS(line_reader)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_lines_end_where_pieces_do),
		cmocka_unit_test(test_line_longer_than_a_piece),
		cmocka_unit_test(test_line_longer_than_allowed),
		cmocka_unit_test(test_rest_larger_than_allowed),
		cmocka_unit_test(test_packed_file_that_breaks_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
