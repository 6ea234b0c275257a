/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "testing.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../write_file.h"
#include "base/feed.h"
#include "base/gz.h"

#define PLAIN_BYTES 300000u

static struct error err;
static char path[] = "/tmp/tracefind-feed-XXXXXX";
static char plain[PLAIN_BYTES];

static int make_file(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof plain; i++)
		plain[i] = (char)('a' + i * i / 7 % 26);
	return make_temporary(path) ? 0 : -1;
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static void put_packed(size_t cut)
{
	struct buf packed;

	buf_init(&packed, MIB);
	assert_true(
		gz_deflate((struct str){ plain, sizeof plain }, &packed, &err));
	write_file(path, str_slice(buf_str(&packed), 0, packed.len - cut));
	buf_release(&packed);
}

static struct feed *open_file(size_t max_plain_bytes)
{
	bool is_regular;
	struct feed *f =
		feed_open(path, MIB, max_plain_bytes, &is_regular, &err);

	assert_true(is_regular);
	assert_non_null(f);
	return f;
}

static void expect_from(struct feed *f, size_t at, size_t room)
{
	char *got = mem_alloc(room);
	size_t expected = at < sizeof plain ? sizeof plain - at : 0;

	if (expected > room)
		expected = room;
	assert_int_equal(feed_read(f, got, room), expected);
	assert_memory_equal(got, plain + (expected ? at : 0), expected);
	mem_free(got);
}

/* Step by step, past the end, forwards and backwards. */
static void expect_plain(struct feed *f)
{
	expect_from(f, 0, 1);
	expect_from(f, 1, 99999);
	expect_from(f, 100000, PLAIN_BYTES);
	expect_from(f, PLAIN_BYTES, 10);
	feed_seek(f, 0);
	expect_from(f, 0, PLAIN_BYTES);
	feed_seek(f, 77777);
	expect_from(f, 77777, 5);
	feed_seek(f, 99998);
	expect_from(f, 99998, 5);
	feed_seek(f, PLAIN_BYTES + 1);
	expect_from(f, PLAIN_BYTES + 1, 5);
	assert_true(feed_check(f, &err));
	feed_free(f);
}

static void test_memory(void **state)
{
	struct feed *f = feed_new((struct str){ plain, sizeof plain }, &err);
	struct str bytes;

	(void)state;
	assert_true(feed_in_memory(f, &bytes));
	assert_ptr_equal(bytes.ptr, plain);
	assert_int_equal(bytes.len, sizeof plain);
	expect_plain(f);
}

static void test_file(void **state)
{
	struct str bytes;
	struct feed *f;

	(void)state;
	write_file(path, (struct str){ plain, sizeof plain });
	f = open_file(MIB);
	assert_false(feed_in_memory(f, &bytes));
	expect_plain(f);
}

static void test_packed_file(void **state)
{
	(void)state;
	put_packed(0);
	expect_plain(open_file(MIB));
}

static void expect_failure(struct feed *f, const char *message)
{
	char *got = mem_alloc(PLAIN_BYTES);
	size_t len = feed_read(f, got, PLAIN_BYTES);

	assert_memory_equal(got, plain, len);
	assert_false(feed_check(f, &err));
	assert_contains(err.message, message);
	feed_seek(f, 0);
	assert_int_equal(feed_read(f, got, 1), 0);
	assert_false(feed_check(f, &err));
	mem_free(got);
	feed_free(f);
}

static void test_cut_file(void **state)
{
	(void)state;
	put_packed(100);
	expect_failure(open_file(MIB), "truncated");
}

static void test_ceiling(void **state)
{
	struct feed *f;

	(void)state;
	put_packed(0);
	f = open_file(PLAIN_BYTES);
	expect_from(f, 0, PLAIN_BYTES);
	assert_true(feed_check(f, &err));
	feed_free(f);
	expect_failure(open_file(PLAIN_BYTES - 1), "limit");
}

/* Folders, pipes, what is not there and what is too large is for others. */
static void test_no_file(void **state)
{
	bool is_regular = true;

	(void)state;
	assert_null(feed_open("/", MIB, MIB, &is_regular, &err));
	assert_false(is_regular);
	is_regular = true;
	assert_null(feed_open("/nowhere", MIB, MIB, &is_regular, &err));
	assert_false(is_regular);
	write_file(path, (struct str){ plain, 100 });
	is_regular = true;
	assert_null(feed_open(path, 99, MIB, &is_regular, &err));
	assert_false(is_regular);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	is_regular = true;
	assert_null(feed_open(path, MIB, MIB, &is_regular, &err));
	assert_false(is_regular);
}

/* What was looked at is read again, whether all of it is still at hand, or
 * part of it, or nothing. */
static void expect_front(struct feed *f)
{
	struct str front = feed_front(f);

	assert_int_equal(front.len, FEED_FRONT_BYTES);
	assert_memory_equal(front.ptr, plain, front.len);
	assert_ptr_equal(feed_front(f).ptr, front.ptr);
	expect_from(f, 0, 1000);
	feed_seek(f, 500);
	expect_from(f, 500, FEED_FRONT_BYTES - 500);
	expect_from(f, FEED_FRONT_BYTES, 1000);
	feed_seek(f, 10);
	expect_from(f, 10, PLAIN_BYTES);
	feed_seek(f, 0);
	expect_plain(f);
}

static void test_front(void **state)
{
	struct feed *f;

	(void)state;
	expect_front(feed_new((struct str){ plain, sizeof plain }, &err));
	write_file(path, (struct str){ plain, sizeof plain });
	expect_front(open_file(MIB));
	put_packed(0);
	expect_front(open_file(MIB));
	write_file(path, STR("all"));
	f = open_file(MIB);
	assert_true(str_equal(feed_front(f), STR("all")));
	feed_free(f);
	put_packed(100);
	f = open_file(MIB);
	assert_true(feed_front(f).len <= FEED_FRONT_BYTES);
	expect_failure(f, "truncated");
}

static void test_starved(void **state)
{
	struct feed *f = NULL;
	bool is_regular;

	(void)state;
	put_packed(0);
	for (long n = 0; !f; n++) {
		assert_true(n < 20);
		error_clear(&err);
		starve_after(n);
		f = feed_open(path, MIB, MIB, &is_regular, &err);
		stop_starving();
		assert_true(is_regular);
		assert_int_equal(err.code, f ? ERROR_NONE : ERROR_MEMORY);
	}
	feed_free(f);
}

UNIT_TESTS(feed)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory),
		cmocka_unit_test_setup_teardown(test_file, make_file,
						remove_file),
		cmocka_unit_test_setup_teardown(test_packed_file, make_file,
						remove_file),
		cmocka_unit_test_setup_teardown(test_cut_file, make_file,
						remove_file),
		cmocka_unit_test_setup_teardown(test_ceiling, make_file,
						remove_file),
		cmocka_unit_test_setup_teardown(test_no_file, make_file,
						remove_file),
		cmocka_unit_test_setup_teardown(test_front, make_file,
						remove_file),
		cmocka_unit_test_setup_teardown(test_starved, make_file,
						remove_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
