/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "testing.h"

#include "base/gz.h"

static struct error err;

static struct buf pack(struct str plain)
{
	struct buf packed;

	buf_init(&packed, 64 * MIB);
	assert_true(gz_deflate(plain, &packed, &err));
	return packed;
}

static struct buf pack_zeros(size_t len)
{
	char *zeros = mem_calloc(len, 1);
	struct buf packed;

	assert_non_null(zeros);
	packed = pack((struct str){ zeros, len });
	mem_free(zeros);
	return packed;
}

/* Text that packs to about a third. */
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

/* Feeds in pieces; the verdict and, when good, the bytes must be those of
 * the whole. */
static bool stream(struct str packed, size_t step, size_t ceiling,
		   struct buf *out)
{
	struct gz_stream *z = gz_stream_new(ceiling, &err);
	bool is_done = true;

	assert_non_null(z);
	while (packed.len && is_done) {
		is_done = gz_stream_feed(z, str_slice(packed, 0, step), out,
					 &err);
		packed = str_slice(packed, step, packed.len);
	}
	is_done = is_done && gz_stream_finish(z, &err);
	gz_stream_free(z);
	return is_done;
}

static void assert_unpacks(struct str packed, struct str expected)
{
	static const size_t steps[] = { 1, 7, 4096, SIZE_MAX };
	struct buf out;

	buf_init(&out, 64 * MIB);
	buf_add_text(&out, "> ");
	if (!gz_inflate(packed, "x.gz", &out, &err))
		fail_msg("%s", err.message);
	assert_int_equal(out.len, expected.len + 2);
	assert_memory_equal(out.data, "> ", 2);
	assert_memory_equal(out.data + 2, expected.ptr, expected.len);
	for (size_t i = 0; i < COUNT_OF(steps); i++) {
		buf_clear(&out);
		if (!stream(packed, steps[i], expected.len, &out))
			fail_msg("%s", err.message);
		assert_true(str_equal(buf_str(&out), expected));
	}
	buf_release(&out);
}

static void assert_refused(struct str packed, enum error_code code,
			   const char *whole, const char *streamed)
{
	struct buf out;

	buf_init(&out, 64 * MIB);
	assert_false(gz_inflate(packed, "x.gz", &out, &err));
	assert_int_equal(err.code, code);
	assert_string_equal(err.message, whole);
	for (size_t step = 1; step < 100; step += 49) {
		buf_clear(&out);
		assert_false(stream(packed, step, 64 * MIB, &out));
		assert_int_equal(err.code, code);
		assert_string_equal(err.message, streamed);
	}
	buf_release(&out);
}

static void assert_truncated(struct str packed)
{
	assert_refused(packed, ERROR_FORMAT,
		       "x.gz: truncated: the compressed data ends early",
		       "content: truncated: the compressed data ends early");
}

static void assert_damaged(struct str packed)
{
	assert_refused(packed, ERROR_FORMAT,
		       "x.gz: damaged: the compressed data is not valid",
		       "content: damaged: the compressed data is not valid");
}

static void test_recognise(void **state)
{
	(void)state;
	assert_true(gz_is(STR("\x1f\x8b")));
	assert_false(gz_is(STR("\x1f")));
	assert_false(gz_is(STR("{}")));
	assert_false(gz_is((struct str){ NULL, 0 }));
}

static void test_there_and_back(void **state)
{
	static const size_t sizes[] = { 0,     1,     100,     65535,
					65536, 65537, 1000000, 5000000 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		struct buf plain = sample(sizes[i]);
		struct buf packed = pack(buf_str(&plain));

		assert_unpacks(buf_str(&packed), buf_str(&plain));
		buf_release(&packed);
		buf_release(&plain);
	}
}

static void test_equal_input_gives_equal_bytes(void **state)
{
	struct buf one = pack(STR("hello hello hello"));
	struct buf two = pack(STR("hello hello hello"));

	(void)state;
	assert_true(gz_is(buf_str(&one)));
	assert_true(str_equal(buf_str(&one), buf_str(&two)));
	assert_memory_equal(one.data + 4, "\0\0\0\0", 4);
	buf_release(&one);
	buf_release(&two);
}

static void test_several_members(void **state)
{
	struct buf plain = sample(200000);
	struct buf packed;

	(void)state;
	buf_init(&packed, 64 * MIB);
	assert_true(gz_deflate(STR(""), &packed, &err));
	assert_true(gz_deflate(buf_str(&plain), &packed, &err));
	assert_true(gz_deflate(STR("tail"), &packed, &err));
	buf_release(&plain);
	plain = sample(200000);
	plain.max_bytes += 4;
	buf_add_text(&plain, "tail");
	assert_unpacks(buf_str(&packed), buf_str(&plain));
	buf_add(&packed, "\0\0\0\0\0", 5);
	assert_unpacks(buf_str(&packed), buf_str(&plain));
	buf_add_text(&packed, "junk");
	assert_damaged(buf_str(&packed));
	buf_release(&packed);
	buf_release(&plain);
}

static void test_member_with_a_name(void **state)
{
	struct buf packed = pack(STR("abc"));
	struct buf named;

	(void)state;
	buf_init(&named, 1000);
	buf_add(&named, "\x1f\x8b\x08\x08\0\0\0\0\0\xff", 10);
	buf_add(&named, "cpu.pb", 7);
	buf_add(&named, packed.data + 10, packed.len - 10);
	assert_unpacks(buf_str(&named), STR("abc"));
	buf_release(&packed);
	buf_release(&named);
}

/* HTTP's "deflate" has a zlib header instead. */
/* RFC 1952, section 8. */
static uint32_t crc_of(struct str bytes)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < bytes.len; i++) {
		crc ^= (unsigned char)bytes.ptr[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
	}
	return ~crc;
}

#define HEADER_BYTES 10u
#define FLAGS_AT 3u

/* With the parts that these flags stand for. */
static struct buf with_header(unsigned flags, unsigned wrong_crc)
{
	struct buf body = pack(STR("content of the member")), b;
	uint32_t crc;

	buf_init(&b, MIB);
	buf_add(&b, body.data, HEADER_BYTES);
	b.data[FLAGS_AT] = (char)flags;
	if (flags & 4)
		buf_add_str(&b, STR("\x05\0extra"));
	if (flags & 8)
		buf_add(&b, "a name", sizeof "a name");
	if (flags & 16)
		buf_add(&b, "", 1);
	crc = crc_of(buf_str(&b)) ^ wrong_crc;
	if (flags & 2) {
		buf_add_char(&b, (char)crc);
		buf_add_char(&b, (char)(crc >> 8));
	}
	buf_add_str(&b, str_slice(buf_str(&body), HEADER_BYTES, body.len));
	buf_release(&body);
	return b;
}

/* In pieces of so many bytes; false where it is refused. */
static bool read_pieces(struct str packed, size_t step, struct buf *out)
{
	struct gz_reader *r = gz_reader_new(PACKING_GZIP, "x.gz",
					    packed.len, MIB, &err);
	bool is_done = true;

	assert_non_null(r);
	while (packed.len && is_done) {
		struct str piece = str_slice(packed, 0, step);
		char *into = buf_reserve(out, 1000);
		size_t len;

		packed = str_slice(packed, piece.len, packed.len);
		is_done = gz_reader_read(r, &piece, into, 1000, &len, &err);
		buf_commit(out, len);
		assert_true(!is_done || !piece.len);
	}
	is_done = is_done && gz_reader_finish(r, &err);
	gz_reader_free(r);
	return is_done;
}

/* However a header is cut, and whatever it has; one and another one. */
static void test_headers(void **state)
{
	struct buf out;

	(void)state;
	buf_init(&out, MIB);
	for (unsigned flags = 0; flags < 32; flags++) {
		struct buf b = with_header(flags, 0);
		struct buf wrong = with_header(flags, 0x100);
		struct buf again = with_header(flags, 0);

		buf_add_str(&b, buf_str(&again));
		for (size_t step = 1; step < 30; step++) {
			buf_clear(&out);
			if (!read_pieces(buf_str(&b), step, &out))
				fail_msg("flags %u, step %zu: %s", flags, step,
					 err.message);
			assert_string_equal(buf_text(&out),
					    "content of the member"
					    "content of the member");
			buf_clear(&out);
			assert_int_equal(
				read_pieces(buf_str(&wrong), step, &out),
				!(flags & 2));
		}
		buf_release(&b);
		buf_release(&again);
		buf_release(&wrong);
	}
	for (unsigned flag = 32; flag < 256; flag *= 2) {
		struct buf b = with_header(flag, 0);

		buf_clear(&out);
		assert_false(gz_inflate(buf_str(&b), "x.gz", &out, &err));
		assert_contains(err.message, "x.gz: damaged");
		buf_release(&b);
	}
	buf_release(&out);
}

static void test_zlib_wrapped_stream(void **state)
{
	const struct str packed = STR("\x78\x01\x01\x03\x00\xfc\xff"
				      "abc\x02\x4d\x01\x27");
	struct buf out;

	(void)state;
	buf_init(&out, 100);
	for (size_t step = 1; step < 20; step++) {
		buf_clear(&out);
		assert_true(stream(packed, step, 3, &out));
		assert_text(buf_str(&out), "abc");
	}
	assert_false(stream(str_slice(packed, 0, 13), 1, 3, &out));
	assert_contains(err.message, "truncated");
	buf_release(&out);
}

static void test_every_cut(void **state)
{
	struct buf plain = sample(400);
	struct buf packed = pack(buf_str(&plain));
	struct buf out;

	(void)state;
	for (size_t len = 1; len < packed.len; len++)
		assert_truncated(str_slice(buf_str(&packed), 0, len));
	buf_init(&out, 100);
	assert_false(gz_inflate(STR(""), "x.gz", &out, &err));
	assert_contains(err.message, "truncated");
	/* No body at all is not a body cut short. */
	assert_true(stream(STR(""), 1, 10, &out));
	assert_int_equal(out.len, 0);
	buf_release(&out);
	buf_release(&packed);
	buf_release(&plain);
}

static void test_damage(void **state)
{
	struct buf plain = sample(400);
	struct buf packed = pack(buf_str(&plain));
	struct buf out;

	(void)state;
	buf_init(&out, 10000);
	for (size_t at = 10; at < packed.len; at++) {
		packed.data[at] ^= 0x10;
		buf_clear(&out);
		assert_false(gz_inflate(buf_str(&packed), "x.gz", &out, &err));
		assert_int_equal(err.code, ERROR_FORMAT);
		buf_clear(&out);
		assert_false(stream(buf_str(&packed), 64, MIB, &out));
		assert_int_equal(err.code, ERROR_FORMAT);
		packed.data[at] ^= 0x10;
	}
	packed.data[packed.len - 8] ^= 1;
	assert_damaged(buf_str(&packed));
	buf_release(&out);
	buf_release(&packed);
	buf_release(&plain);
}

static void test_ceiling_from_both_sides(void **state)
{
	struct buf plain = sample(100000);
	struct buf packed = pack(buf_str(&plain));
	struct buf out;

	(void)state;
	buf_init(&out, 100000);
	assert_true(gz_inflate(buf_str(&packed), "x.gz", &out, &err));
	buf_release(&out);
	buf_init(&out, 99999);
	assert_false(gz_inflate(buf_str(&packed), "x.gz", &out, &err));
	assert_int_equal(err.code, ERROR_LIMIT);
	assert_string_equal(err.message, "x.gz: unpacks to more than the "
					 "limit of 99999 bytes");
	buf_release(&out);
	buf_init(&out, MIB);
	assert_true(stream(buf_str(&packed), 999, 100000, &out));
	buf_clear(&out);
	assert_false(stream(buf_str(&packed), 999, 99999, &out));
	assert_int_equal(err.code, ERROR_LIMIT);
	assert_contains(err.message, "more than the limit of 99999 bytes");
	buf_release(&out);
	buf_init(&out, 99999);
	assert_false(stream(buf_str(&packed), 999, MIB, &out));
	assert_int_equal(err.code, ERROR_LIMIT);
	buf_release(&out);
	buf_release(&packed);
	buf_release(&plain);
}

/* Zeros pack 1000 to 1; the ratio allows a MiB and 200 times the size. */
static void test_ratio_from_both_sides(void **state)
{
	size_t len = MIB;
	size_t good = 0;
	size_t bad = 0;

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct buf packed = pack_zeros(len);

		len = MIB + 200 * packed.len;
		buf_release(&packed);
	}
	for (size_t n = len - 400; n <= len + 400; n += 50) {
		struct buf packed = pack_zeros(n);
		bool is_honest = n <= MIB + 200 * packed.len;
		struct buf out;

		buf_init(&out, 64 * MIB);
		assert_int_equal(gz_inflate(buf_str(&packed), "x", &out, &err),
				 is_honest);
		if (!is_honest) {
			assert_int_equal(err.code, ERROR_LIMIT);
			assert_contains(err.message,
					"x: unpacks to more than 200 times");
		}
		buf_clear(&out);
		assert_int_equal(
			stream(buf_str(&packed), SIZE_MAX, 64 * MIB, &out),
			is_honest);
		good += is_honest;
		bad += !is_honest;
		buf_release(&out);
		buf_release(&packed);
	}
	assert_true(good > 0 && bad > 0);
}

static void assert_is_bomb(const struct buf *bytes, size_t max_cap)
{
	struct buf out;

	buf_init(&out, GIB);
	assert_false(gz_inflate(buf_str(bytes), "x.gz", &out, &err));
	assert_int_equal(err.code, ERROR_LIMIT);
	assert_contains(err.message, "x.gz: unpacks to more than 200 times");
	assert_true(out.cap <= max_cap);
	buf_release(&out);
}

/* One of many members, and one whose bytes would allow 200 MiB in the end, but
 * not so soon. */
static void test_bombs_in_disguise(void **state)
{
	struct buf packed = pack_zeros(MIB), all;

	(void)state;
	buf_init(&all, 4 * MIB);
	for (int i = 0; i < 400; i++)
		buf_add_str(&all, buf_str(&packed));
	assert_is_bomb(&all, 4 * MIB);
	buf_release(&packed);
	packed = pack_zeros(60 * MIB);
	buf_clear(&all);
	buf_add_str(&all, buf_str(&packed));
	for (size_t i = 0; i < MIB; i++)
		buf_add_char(&all, '\0');
	memset(all.data + all.len - 4, 0xFF, 4);
	assert_is_bomb(&all, 64 * MIB + 2);
	buf_release(&packed);
	buf_release(&all);
}

/* Honest, but more than is taken without measuring it first. */
static void test_large_and_honest(void **state)
{
	struct buf plain, packed, out;

	(void)state;
	buf_init(&plain, 128 * MIB);
	buf_init(&out, 128 * MIB);
	buf_init(&packed, 128 * MIB);
	for (unsigned i = 0; plain.len < 80 * MIB; i++)
		buf_addf(&plain, "%08x%1000s", i * 2654435761u, "");
	assert_true(gz_deflate(buf_str(&plain), &packed, &err));
	assert_true(plain.len > 50 * packed.len);
	assert_true(gz_inflate(buf_str(&packed), "x", &out, &err));
	assert_true(str_equal(buf_str(&out), buf_str(&plain)));
	buf_clear(&out);
	packed.len /= 2;
	assert_false(gz_inflate(buf_str(&packed), "x", &out, &err));
	assert_contains(err.message, "truncated");
	buf_release(&plain);
	buf_release(&packed);
	buf_release(&out);
}

/* Neither the claim of a size in the last bytes nor a bomb takes memory. */
static void test_bomb(void **state)
{
	struct buf packed = pack_zeros(40 * MIB);
	struct buf out;

	(void)state;
	buf_init(&out, 64 * MIB);
	assert_false(gz_inflate(buf_str(&packed), "x.gz", &out, &err));
	assert_string_equal(err.message,
			    "x.gz: unpacks to more than 200 times its size; "
			    "refused as a decompression bomb");
	assert_true(out.cap < 16 * MIB);
	buf_clear(&out);
	assert_false(stream(buf_str(&packed), 512, 64 * MIB, &out));
	assert_contains(err.message, "decompression bomb");
	assert_true(out.len < 2 * MIB);
	buf_release(&out);
	buf_release(&packed);
	packed = pack(STR("abc"));
	memset(packed.data + packed.len - 4, 0xFF, 4);
	buf_init(&out, 64 * MIB);
	assert_false(gz_inflate(buf_str(&packed), "x.gz", &out, &err));
	assert_contains(err.message, "damaged");
	assert_true(out.cap <= 2 * MIB);
	buf_release(&out);
	buf_release(&packed);
}

static void test_failed_stream_stays_failed(void **state)
{
	struct gz_stream *z = gz_stream_new(MIB, &err);
	struct buf out;

	(void)state;
	buf_init(&out, MIB);
	assert_false(gz_stream_feed(z, STR("no gzip"), &out, &err));
	assert_false(gz_stream_feed(z, STR("x"), &out, &err));
	assert_false(gz_stream_finish(z, &err));
	gz_stream_free(z);
	gz_stream_free(NULL);
	buf_release(&out);
}

/* Each allocation in turn is the one that fails. */
static void test_starved(void **state)
{
	struct buf plain = sample(100000);
	struct buf packed = pack(buf_str(&plain));
	struct str cut = str_slice(buf_str(&packed), 0, 1000);
	bool is_done = false;
	int failures = 0;

	(void)state;
	for (long n = 0; !is_done; n++) {
		struct buf out;
		struct gz_stream *z;

		buf_init(&out, MIB);
		starve_once_after(n);
		is_done = gz_deflate(buf_str(&plain), &out, &err);
		buf_clear(&out);
		is_done = is_done &&
			  gz_inflate(buf_str(&packed), "x", &out, &err);
		buf_release(&out);
		z = is_done ? gz_stream_new(MIB, &err) : NULL;
		is_done = z && gz_stream_feed(z, buf_str(&packed), &out, &err);
		gz_stream_free(z);
		if (is_done && !gz_inflate(cut, "x", &out, &err))
			is_done = err.code == ERROR_FORMAT;
		assert_int_equal(stop_starving(), !is_done);
		if (!is_done) {
			assert_int_equal(err.code, ERROR_MEMORY);
			failures++;
		}
		buf_release(&out);
	}
	assert_true(failures >= 6);
	buf_release(&packed);
	buf_release(&plain);
}

/* Other bytes, the same content, each time the same. */
static void test_fast(void **state)
{
	struct buf plain = sample(300000), packed = pack(buf_str(&plain));
	struct buf fast[2], out;

	(void)state;
	buf_init(&out, 64 * MIB);
	for (size_t i = 0; i < 2; i++) {
		buf_init(&fast[i], 64 * MIB);
		assert_true(gz_deflate_fast(buf_str(&plain), &fast[i], &err));
	}
	assert_true(str_equal(buf_str(&fast[0]), buf_str(&fast[1])));
	assert_false(str_equal(buf_str(&fast[0]), buf_str(&packed)));
	assert_true(fast[0].len < plain.len);
	assert_true(gz_inflate(buf_str(&fast[0]), "x", &out, &err));
	assert_true(str_equal(buf_str(&out), buf_str(&plain)));
	buf_release(&plain);
	buf_release(&packed);
	buf_release(&out);
	for (size_t i = 0; i < 2; i++)
		buf_release(&fast[i]);
}

/* Whether the word, given as its neighbours in the alphabet, lies in the memory
 * that malloc() takes from; the first byte behind it is not part of it. */
static bool is_in_heap(const char *neighbours)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];
	bool is_found = false;

	assert_non_null(maps);
	while (fgets(line, sizeof line, maps)) {
		unsigned long from, to;
		size_t at = 0;

		if (!strstr(line, "[heap]") ||
		    sscanf(line, "%lx-%lx", &from, &to) != 2)
			continue;
		for (const char *p = (const char *)from;
		     !is_found && p < (const char *)to; p++) {
			at = *p == neighbours[at] + 1 ? at + 1 : 0;
			is_found = !neighbours[at];
		}
	}
	fclose(maps);
	return is_found;
}

/* What was unpacked is no longer in the state, in either way. A sanitizer has a
 * heap of its own. */
static void test_leaves_nothing(void **state)
{
	/* Which does not pay to be stored as it is. */
	struct str plain =
		STR("secretly______________________________________"
		    "______________________________________________");
	struct buf packed = pack(plain);
	struct buf out;

	(void)state;
	buf_init(&out, 1024);
	assert_true(gz_inflate(buf_str(&packed), "x", &out, &err));
	assert_true(str_equal(buf_str(&out), plain));
	buf_wipe(&out);
	buf_clear(&out);
	assert_false(is_in_heap("rdbqdskx"));
	assert_true(stream(buf_str(&packed), 7, 1024, &out));
	buf_wipe(&out);
	assert_false(is_in_heap("rdbqdskx"));
	buf_release(&out);
	buf_release(&packed);
}

UNIT_TESTS(gz)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recognise),
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_equal_input_gives_equal_bytes),
		cmocka_unit_test(test_several_members),
		cmocka_unit_test(test_member_with_a_name),
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_zlib_wrapped_stream),
		cmocka_unit_test(test_every_cut),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_ceiling_from_both_sides),
		cmocka_unit_test(test_ratio_from_both_sides),
		cmocka_unit_test(test_bomb),
		cmocka_unit_test(test_bombs_in_disguise),
		cmocka_unit_test(test_large_and_honest),
		cmocka_unit_test(test_failed_stream_stays_failed),
		cmocka_unit_test(test_starved),
		cmocka_unit_test(test_fast),
		cmocka_unit_test(test_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
