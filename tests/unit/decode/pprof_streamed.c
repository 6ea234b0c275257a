/* SPDX-License-Identifier: Apache-2.0
 *
 * pprof read through a window: a message larger than any, in each order of
 * its fields, out of memory, a file and a packed file. Names of types and of
 * labels, which come last in most, are not known while samples are read.
 */
#include "../unit.h"
#include "pprof_making.h"

#include <unistd.h>

#include "../write_file.h"
#include "base/gz.h"
#include "base/num.h"

#define SAMPLES 20000u
#define LOCATIONS 3000u

static char path[] = "/tmp/tracefind-pprof-XXXXXX";

static int make_file(void **state)
{
	(void)state;
	return make_temporary(path) ? 0 : -1;
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

/* ---- the message ---- */

enum part { TYPES, FIRST_SAMPLES, OTHER_SAMPLES, PLACES, TEXTS, PARTS };

enum text { EMPTY, COUNT_TYPE, COUNT, CPU_TYPE, NS, KEY, VALUE, NAMES };

/* Values of both types differ; each third one is labelled. */
static void put_samples(struct buf *b, unsigned first, unsigned end)
{
	for (unsigned i = first; i < end; i++) {
		uint64_t ids[] = { 1 + i * 7 % LOCATIONS, 1 + i % 50, 1 };
		uint64_t values[] = { 1, 10000000 };
		struct buf sample;

		buf_init(&sample, MIB);
		put_packed(&sample, 1, ids, COUNT_OF(ids));
		put_packed(&sample, 2, values, COUNT_OF(values));
		if (i % 3 == 0)
			PUT_INTS(&sample, 3, KEY, VALUE);
		put_bytes(b, 2, buf_str(&sample));
		buf_release(&sample);
	}
}

static void put_places(struct buf *b)
{
	for (uint64_t id = 1; id <= LOCATIONS; id++) {
		struct buf location;

		buf_init(&location, MIB);
		put_int(&location, 1, id);
		PUT_INTS(&location, 4, id, 5);
		put_bytes(b, 4, buf_str(&location));
		buf_release(&location);
		PUT_INTS(b, 5, id, NAMES - 1 + id);
	}
}

static void put_texts(struct buf *b)
{
	static const char *const texts[] = { "",    "samples",     "count",
					     "cpu", "nanoseconds", "user",
					     "anna" };

	for (size_t i = 0; i < COUNT_OF(texts); i++)
		put_bytes(b, 6, str_from(texts[i]));
	for (unsigned i = 1; i <= LOCATIONS; i++) {
		char name[32];

		snprintf(name, sizeof name, "function_%u", i);
		put_bytes(b, 6, str_from(name));
	}
}

static void put_part(struct buf *b, enum part part)
{
	switch (part) {
	case TYPES:
		PUT_INTS(b, 1, COUNT_TYPE, COUNT);
		PUT_INTS(b, 1, CPU_TYPE, NS);
		break;
	case FIRST_SAMPLES:
		put_samples(b, 0, SAMPLES / 2);
		break;
	case OTHER_SAMPLES:
		put_samples(b, SAMPLES / 2, SAMPLES);
		break;
	case PLACES:
		put_places(b);
		break;
	default:
		put_texts(b);
	}
}

static const enum part orders[][PARTS] = {
	{ TYPES, FIRST_SAMPLES, OTHER_SAMPLES, PLACES, TEXTS },
	{ FIRST_SAMPLES, OTHER_SAMPLES, PLACES, TEXTS, TYPES },
	{ TEXTS, PLACES, TYPES, FIRST_SAMPLES, OTHER_SAMPLES },
	{ PLACES, FIRST_SAMPLES, TYPES, TEXTS, OTHER_SAMPLES },
};

static void put_message(struct buf *b, const enum part *order)
{
	buf_init(b, 16 * MIB);
	for (int i = 0; i < PARTS; i++)
		put_part(b, order[i]);
}

/* ---- reading ---- */

static struct profile read_feed(struct feed *feed,
				const struct profile_want *want)
{
	struct profile p;

	assert_non_null(feed);
	notes_init(&notes);
	profile_init(&p);
	assert_decoded(decode_pprof_feed(feed, want, &p, &notes, &err));
	assert_true(profile_check(&p, &err));
	feed_free(feed);
	return p;
}

static struct feed *open_file(struct str bytes)
{
	bool is_regular;

	write_file(path, bytes);
	return feed_open(path, 64 * MIB, 64 * MIB, &is_regular, &err);
}

static void expect_total(struct str bytes, const struct profile_want *want,
			 int64_t total)
{
	struct buf packed;
	struct profile read[3];

	buf_init(&packed, 16 * MIB);
	assert_true(gz_deflate(bytes, &packed, &err));
	read[0] = read_feed(feed_new(bytes, &err), want);
	read[1] = read_feed(open_file(bytes), want);
	read[2] = read_feed(open_file(buf_str(&packed)), want);
	for (size_t i = 0; i < COUNT_OF(read); i++) {
		assert_int_equal(read[i].total, total);
		assert_int_equal(read[i].packed != NULL,
				 want->packed_max_bytes != 0);
		assert_same_sums(&read[0], &read[i]);
	}
	for (size_t i = 0; i < COUNT_OF(read); i++)
		profile_release(&read[i]);
	buf_release(&packed);
}

static void test_orders(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(orders); i++) {
		struct buf b;

		put_message(&b, orders[i]);
		for (int is_packed = 0; is_packed < 2; is_packed++) {
			struct profile_want want = want_of("");

			want.packed_max_bytes = is_packed ? b.len : 0;
			expect_total(buf_str(&b), &want,
				     SAMPLES * INT64_C(10000000));
			want.type = STR("samples");
			expect_total(buf_str(&b), &want, SAMPLES);
		}
		buf_release(&b);
	}
}

static void test_labels(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(orders); i++) {
		struct profile_want want = want_of("samples");
		struct buf b;

		put_message(&b, orders[i]);
		want.packed_max_bytes = b.len;
		want.labels = label_filter_new("user=anna", NULL, &err);
		assert_non_null(want.labels);
		expect_total(buf_str(&b), &want, (SAMPLES + 2) / 3);
		label_filter_free(want.labels);
		buf_release(&b);
	}
}

/* Only where the message has so many bytes. */
static void test_sizes(void **state)
{
	struct profile_want want = want_of("samples");
	struct profile p;
	struct buf b;

	(void)state;
	put_message(&b, orders[0]);
	for (int is_too_long = 0; is_too_long < 2; is_too_long++) {
		want.packed_min_bytes = 0;
		want.packed_max_bytes = b.len - (unsigned)is_too_long;
		p = read_feed(feed_new(buf_str(&b), &err), &want);
		assert_int_equal(p.packed != NULL, !is_too_long);
		profile_release(&p);
		want.packed_min_bytes = b.len + (unsigned)is_too_long;
		want.packed_max_bytes = UINT64_MAX;
		p = read_feed(feed_new(buf_str(&b), &err), &want);
		assert_int_equal(p.packed != NULL, !is_too_long);
		profile_release(&p);
	}
	buf_release(&b);
}

/* ---- errors ---- */

static void expect_error(struct str bytes, const char *message)
{
	struct profile_want want = want_of("");
	struct feed *feeds[] = { feed_new(bytes, &err), open_file(bytes) };
	struct profile p;

	for (size_t i = 0; i < COUNT_OF(feeds); i++) {
		notes_init(&notes);
		profile_init(&p);
		assert_refused(
			decode_pprof_feed(feeds[i], &want, &p, &notes, &err),
			ERROR_FORMAT, message);
		profile_release(&p);
		feed_free(feeds[i]);
	}
}

/* Of what is kept, and lies behind what is not, the place in the input is told:
 * that of a number that ends early, or is no number. */
static void test_offsets(void **state)
{
	char message[100];
	size_t at;
	struct buf b;

	(void)state;
	put_message(&b, orders[3]);
	at = b.len;
	put_bytes(&b, 4, STR("\x08\x81"));
	put_part(&b, TYPES);
	snprintf(message, sizeof message, "at byte %zu: ends inside", at + 4);
	expect_error(buf_str(&b), message);
	b.len = at;
	put_bytes(&b, 4, STR("\x07\x01"));
	snprintf(message, sizeof message, "at byte %zu: a field has an",
		 at + 3);
	expect_error(buf_str(&b), message);
	b.len = at;
	put_bytes(&b, 2, STR("\x0a\x01\x81\x12\x02\x01\x01"));
	snprintf(message, sizeof message, "at byte %zu: ends inside", at + 5);
	expect_error(buf_str(&b), message);
	buf_release(&b);
}

static void test_damaged_file(void **state)
{
	struct profile_want want = want_of("");
	struct buf b, packed;
	struct feed *feed;
	struct profile p;

	(void)state;
	put_message(&b, orders[0]);
	buf_init(&packed, 16 * MIB);
	assert_true(gz_deflate(buf_str(&b), &packed, &err));
	feed = open_file(str_slice(buf_str(&packed), 0, packed.len / 2));
	notes_init(&notes);
	profile_init(&p);
	assert_refused(decode_pprof_feed(feed, &want, &p, &notes, &err),
		       ERROR_FORMAT, "truncated");
	profile_release(&p);
	feed_free(feed);
	buf_release(&b);
	buf_release(&packed);
}

/* Memory that is lacking once must not look like the end of the input. */
static void expect_lack_is_told(struct str bytes)
{
	struct profile_want want = want_of("");
	bool was_refused = true;

	for (long n = 0; was_refused; n++) {
		struct feed *feed = open_file(bytes);
		struct profile p;
		bool is_decoded;

		assert_non_null(feed);
		notes_init(&notes);
		profile_init(&p);
		error_clear(&err);
		starve_once_after(n);
		is_decoded = decode_pprof_feed(feed, &want, &p, &notes, &err);
		was_refused = stop_starving();
		if (!is_decoded)
			assert_int_equal(err.code, ERROR_MEMORY);
		else
			assert_int_equal(p.total, SAMPLES * INT64_C(10000000));
		profile_release(&p);
		feed_free(feed);
	}
}

static void test_lack_is_told(void **state)
{
	struct buf b, packed;

	(void)state;
	put_message(&b, orders[0]);
	expect_lack_is_told(buf_str(&b));
	buf_init(&packed, 16 * MIB);
	assert_true(gz_deflate(buf_str(&b), &packed, &err));
	expect_lack_is_told(buf_str(&packed));
	buf_release(&packed);
	buf_release(&b);
}

UNIT_TESTS(pprof_streamed)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_orders),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_offsets),
		cmocka_unit_test(test_damaged_file),
		cmocka_unit_test(test_lack_is_told),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
