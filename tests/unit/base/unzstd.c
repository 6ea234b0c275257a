/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "testing.h"

#include <zstd.h>

#include "base/gz.h"

static struct error err;

/* With a check sum, as the program zstd has it. */
static void add_frame(struct buf *out, struct str plain, int window_bits)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();
	size_t bound = ZSTD_compressBound(plain.len), len;
	char *into = buf_reserve(out, bound);

	assert_non_null(into);
	ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
	/* Else a frame of known size has no larger window than that. */
	ZSTD_CCtx_setParameter(c, ZSTD_c_contentSizeFlag, !window_bits);
	ZSTD_CCtx_setParameter(c, ZSTD_c_windowLog, window_bits);
	if (window_bits) {
		ZSTD_inBuffer in = { plain.ptr, plain.len, 0 };
		ZSTD_outBuffer packed = { into, bound, 0 };

		assert_int_equal(ZSTD_compressStream2(c, &packed, &in,
						      ZSTD_e_flush),
				 0);
		assert_int_equal(
			ZSTD_compressStream2(c, &packed, &in, ZSTD_e_end), 0);
		len = packed.pos;
	} else {
		len = ZSTD_compress2(c, into, bound, plain.ptr, plain.len);
	}
	assert_false(ZSTD_isError(len));
	buf_commit(out, len);
	ZSTD_freeCCtx(c);
}

static struct buf pack(struct str plain)
{
	struct buf b;

	buf_init(&b, 64 * MIB);
	add_frame(&b, plain, 0);
	return b;
}

/* The length of what comes behind them goes in front. */
static size_t begin_message(struct buf *b)
{
	buf_add(b, "\0\0\0\0", 4);
	return b->len;
}

static void end_message(struct buf *b, size_t start)
{
	for (unsigned i = 0; i < 4; i++)
		b->data[start - 4 + i] =
			(char)((b->len - start) >> (24 - 8 * i) & 0xff);
}

static void add_message(struct buf *b, struct str plain)
{
	size_t start = begin_message(b);

	add_frame(b, plain, 0);
	end_message(b, start);
}

/* In pieces of so many bytes, into rooms of so many. */
static bool read_pieces(struct str packed, size_t step, size_t room,
			struct buf *out)
{
	struct gz_reader *r = gz_reader_new(packing_of(packed), "x.zst",
					    packed.len, 64 * MIB, &err);
	bool is_done = true;

	assert_non_null(r);
	while (packed.len && is_done) {
		struct str piece = str_slice(packed, 0, step);
		size_t len = room;

		packed = str_slice(packed, piece.len, packed.len);
		while (is_done && len == room) {
			char *into = buf_reserve(out, room);

			assert_non_null(into);
			is_done = gz_reader_read(r, &piece, into, room, &len,
						 &err);
			buf_commit(out, len);
		}
		assert_true(!is_done || !piece.len);
	}
	is_done = is_done && gz_reader_finish(r, &err);
	gz_reader_free(r);
	return is_done;
}

static void assert_unpacks(struct str packed, struct str expected)
{
	static const size_t sizes[] = { 1, 7, 4096, 4 * MIB };
	struct buf out;

	buf_init(&out, 64 * MIB);
	if (!gz_inflate(packed, "x.zst", &out, &err))
		fail_msg("%s", err.message);
	assert_true(str_equal(buf_str(&out), expected));
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		buf_clear(&out);
		if (!read_pieces(packed, sizes[i], sizes[i], &out))
			fail_msg("steps of %zu: %s", sizes[i], err.message);
		assert_true(str_equal(buf_str(&out), expected));
	}
	buf_release(&out);
}

static void assert_refused(struct str packed, const char *why)
{
	struct buf out;

	buf_init(&out, 64 * MIB);
	assert_false(gz_inflate(packed, "x.zst", &out, &err));
	assert_int_equal(err.code, ERROR_FORMAT);
	assert_string_equal(err.message, why);
	for (size_t step = 1; step < 100; step += 49) {
		buf_clear(&out);
		assert_false(read_pieces(packed, step, 1000, &out));
		assert_string_equal(err.message, why);
	}
	buf_release(&out);
}

#define TRUNCATED "x.zst: truncated: the compressed data ends early"
#define DAMAGED "x.zst: damaged: the compressed data is not valid"

/* Text that packs to about a half. */
static struct buf sample(size_t len)
{
	struct buf b;
	uint32_t x = 1;

	buf_init(&b, len);
	while (b.len < len) {
		x = x * 1664525 + 1013904223;
		buf_add_char(&b, (char)('a' + (x >> 28)));
	}
	return b;
}

static void test_recognise(void **state)
{
	(void)state;
	assert_int_equal(packing_of(STR("\x28\xb5\x2f\xfd")), PACKING_ZSTD);
	assert_int_equal(packing_of(STR("\x5a\x2a\x4d\x18")), PACKING_ZSTD);
	assert_int_equal(packing_of(STR("\0\0\0\x09\x28\xb5\x2f\xfd")),
			 PACKING_ZSTD_MESSAGES);
	assert_int_equal(packing_of(STR("\x1f\x8b\x08")), PACKING_GZIP);
	assert_int_equal(packing_of(STR("\x28\xb5\x2f")), PACKING_NONE);
	assert_int_equal(packing_of(STR("\x6a\x2a\x4d\x18")), PACKING_NONE);
	assert_int_equal(packing_of(STR("")), PACKING_NONE);
}

static void test_frames(void **state)
{
	static const size_t sizes[] = { 0, 1, 100, 65536, 1000000, 5000000 };
	struct buf all, plain;

	(void)state;
	buf_init(&all, 64 * MIB);
	/* pzstd says in front, in a frame that is skipped, how long one is. */
	buf_add(&all, "\x50\x2a\x4d\x18\x04\0\0\0....", 12);
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		struct buf one = sample(sizes[i]), packed;

		packed = pack(buf_str(&one));
		assert_unpacks(buf_str(&packed), buf_str(&one));
		buf_release(&packed);
		buf_release(&one);
	}
	plain = sample(200000);
	add_frame(&all, str_slice(buf_str(&plain), 0, 70000), 0);
	add_frame(&all, STR(""), 0);
	add_frame(&all, str_slice(buf_str(&plain), 70000, plain.len), 20);
	assert_unpacks(buf_str(&all), buf_str(&plain));
	/* None is padded. */
	buf_add(&all, "\0\0\0\0\0", 5);
	assert_refused(buf_str(&all), DAMAGED);
	buf_release(&plain);
	buf_release(&all);
}

static void test_messages(void **state)
{
	struct buf plain = sample(300000), all;
	struct str text = buf_str(&plain);
	size_t start;

	(void)state;
	buf_init(&all, 64 * MIB);
	add_message(&all, str_slice(text, 0, 5));
	/* Nothing packs to nothing. */
	end_message(&all, begin_message(&all));
	add_message(&all, str_slice(text, 5, 199995));
	start = begin_message(&all);
	add_frame(&all, str_slice(text, 200000, 100), 0);
	add_frame(&all, str_slice(text, 200100, text.len), 0);
	end_message(&all, start);
	assert_unpacks(buf_str(&all), text);
	end_message(&all, begin_message(&all));
	assert_unpacks(buf_str(&all), text);
	buf_release(&all);
	buf_release(&plain);
}

static void test_length_that_is_wrong(void **state)
{
	struct buf all;

	(void)state;
	buf_init(&all, MIB);
	add_message(&all, STR("abc"));
	add_message(&all, STR("def"));
	all.data[3]--;
	assert_refused(buf_str(&all), DAMAGED);
	all.data[3] = (char)(all.data[3] + 2);
	assert_refused(buf_str(&all), DAMAGED);
	buf_release(&all);
}

static void test_every_cut(void **state)
{
	struct buf plain = sample(400);
	struct buf packed = pack(buf_str(&plain)), messages;

	(void)state;
	for (size_t len = 4; len < packed.len; len++)
		assert_refused(str_slice(buf_str(&packed), 0, len), TRUNCATED);
	buf_init(&messages, MIB);
	add_message(&messages, STR("the first"));
	add_message(&messages, buf_str(&plain));
	for (size_t len = 8; len < messages.len; len++)
		if (len != 4u + (unsigned char)messages.data[3])
			assert_refused(str_slice(buf_str(&messages), 0, len),
				       TRUNCATED);
	buf_release(&messages);
	buf_release(&packed);
	buf_release(&plain);
}

/* Its check sum finds what its grammar does not. */
static void test_damage(void **state)
{
	struct buf plain = sample(400);
	struct buf packed = pack(buf_str(&plain)), out;
	size_t unused = 0;

	(void)state;
	buf_init(&out, MIB);
	for (size_t at = 9; at < packed.len; at++) {
		packed.data[at] ^= 0x10;
		buf_clear(&out);
		/* A few bits stand for nothing. */
		if (gz_inflate(buf_str(&packed), "x.zst", &out, &err)) {
			assert_true(str_equal(buf_str(&out), buf_str(&plain)));
			unused++;
		} else {
			assert_int_equal(err.code, ERROR_FORMAT);
		}
		packed.data[at] ^= 0x10;
	}
	assert_true(unused < packed.len / 50);
	packed.data[packed.len - 1] ^= 1;
	assert_refused(buf_str(&packed), DAMAGED);
	buf_release(&out);
	buf_release(&packed);
	buf_release(&plain);
}

/* A mebibyte and two hundred times the size: as much as of gzip. */
static void test_ratio_from_both_sides(void **state)
{
	char *zeros = mem_calloc(8 * MIB, 1);
	size_t good = 0, bad = 0;

	(void)state;
	assert_non_null(zeros);
	for (size_t n = MIB; n <= 2 * MIB; n += 16 * KIB) {
		struct buf packed = pack((struct str){ zeros, n }), out;
		bool is_honest = n <= MIB + 200 * packed.len;

		buf_init(&out, 64 * MIB);
		assert_int_equal(gz_inflate(buf_str(&packed), "x", &out, &err),
				 is_honest);
		if (!is_honest) {
			assert_int_equal(err.code, ERROR_LIMIT);
			assert_string_equal(
				err.message,
				"x: unpacks to more than 200 times its size; "
				"refused as a decompression bomb");
			assert_true(out.cap <= 4 * MIB);
		}
		good += is_honest;
		bad += !is_honest;
		buf_release(&out);
		buf_release(&packed);
	}
	assert_true(good > 0 && bad > 0);
	mem_free(zeros);
}

static void test_ceiling_from_both_sides(void **state)
{
	struct buf plain = sample(100000);
	struct buf packed = pack(buf_str(&plain)), out;

	(void)state;
	buf_init(&out, 100000);
	assert_true(gz_inflate(buf_str(&packed), "x.zst", &out, &err));
	buf_release(&out);
	buf_init(&out, 99999);
	assert_false(gz_inflate(buf_str(&packed), "x.zst", &out, &err));
	assert_int_equal(err.code, ERROR_LIMIT);
	assert_string_equal(err.message, "x.zst: unpacks to more than the "
					 "limit of 99999 bytes");
	buf_release(&out);
	buf_release(&packed);
	buf_release(&plain);
}

static void test_window_from_both_sides(void **state)
{
	struct buf packed;

	(void)state;
	buf_init(&packed, MIB);
	add_frame(&packed, STR("abc"), 27);
	assert_unpacks(buf_str(&packed), STR("abc"));
	buf_clear(&packed);
	add_frame(&packed, STR("abc"), 28);
	assert_refused(buf_str(&packed),
		       "x.zst: packed by zstd with a window of more than 128 "
		       "MiB; unpack it first (zstd -d)");
	buf_release(&packed);
}

static void test_dictionary(void **state)
{
	/* A frame of a byte that names dictionary 7. */
	static const char packed[] = "\x28\xb5\x2f\xfd\x21\x07\x01\x09\0\0a";

	(void)state;
	assert_refused((struct str){ packed, sizeof packed - 1 },
		       "x.zst: packed by zstd with a dictionary; unpack it "
		       "first (zstd -d)");
}

UNIT_TESTS(unzstd)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recognise),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_length_that_is_wrong),
		cmocka_unit_test(test_every_cut),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_ratio_from_both_sides),
		cmocka_unit_test(test_ceiling_from_both_sides),
		cmocka_unit_test(test_window_from_both_sides),
		cmocka_unit_test(test_dictionary),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
