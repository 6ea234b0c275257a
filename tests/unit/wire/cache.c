/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "wire/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"

#define URL "http://h/api?q=1"
#define SPARE_S 60

static char base[] = "/tmp/tracefind-cache-XXXXXX";
static char folder[64];

static struct endpoint endpoint = { .url = "http://h" };
static struct http_request request = { .endpoint = &endpoint,
				       .method = "POST" };

static void clear(void)
{
	char line[100];

	snprintf(line, sizeof line, "rm -rf %s/a", base);
	assert_int_equal(system(line), 0);
}

static int folder_begin(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(base));
	snprintf(folder, sizeof folder, "%s/a/b", base);
	return 0;
}

static int folder_end(void **state)
{
	(void)state;
	clear();
	return rmdir(base);
}

static struct cache *open_ok(const char *scope)
{
	struct error err;
	struct cache *c = cache_open(folder, scope, &err);

	if (!c)
		fail_msg("%s", err.message);
	return c;
}

static void add(struct cache *c, const char *url, int status, struct str body)
{
	struct http_response response = { .status = status };
	struct error err;

	buf_init(&response.body, LIMIT_BODY_PLAIN_BYTES);
	buf_add_str(&response.body, body);
	snprintf(response.content_type, sizeof response.content_type,
		 "text/plain");
	if (!cache_add(c, &request, url, &response, 1, &err))
		fail_msg("%s", err.message);
	http_response_release(&response);
}

static bool finds(struct cache *c, const char *url, const char *body)
{
	struct http_response response = { 0 };
	bool is_found = cache_find(c, &request, url, &response);

	if (is_found && body) {
		assert_int_equal(response.status, 200);
		assert_string_equal(response.content_type, "text/plain");
		assert_string_equal(buf_text(&response.body), body);
	}
	http_response_release(&response);
	return is_found;
}

static void test_answers(void **state)
{
	struct cache *c = open_ok("prod");

	(void)state;
	assert_false(finds(c, URL, NULL));
	add(c, URL, 200, STR("one"));
	assert_true(finds(c, URL, "one"));
	cache_close(c);
	c = open_ok("prod");
	assert_true(finds(c, URL, "one"));
	add(c, URL, 200, STR("two"));
	assert_true(finds(c, URL, "two"));
	/* Refusals and failures are asked for again. */
	add(c, URL "0", 404, STR("no"));
	assert_false(finds(c, URL "0", NULL));
	cache_close(c);
	clear();
}

/* All that may change the answer makes another request. */
static void test_keys(void **state)
{
	struct cache *c = open_ok("prod"), *other = open_ok("dev");

	(void)state;
	add(c, URL, 200, STR("one"));
	assert_false(finds(other, URL, NULL));
	assert_false(finds(c, URL "0", NULL));
	endpoint.tenant_id = "t";
	assert_false(finds(c, URL, NULL));
	endpoint.tenant_id = NULL;
	endpoint.username = "u";
	assert_false(finds(c, URL, NULL));
	endpoint.username = NULL;
	request.accept = "text/plain";
	assert_false(finds(c, URL, NULL));
	request.accept = NULL;
	request.method = "GET";
	assert_false(finds(c, URL, NULL));
	request.method = "POST";
	buf_init(&request.body, 100);
	buf_add_text(&request.body, "x");
	assert_false(finds(c, URL, NULL));
	buf_release(&request.body);
	assert_true(finds(c, URL, "one"));
	cache_close(c);
	cache_close(other);
	clear();
}

/* Puts the only file's time so many seconds back. */
static void age(int64_t seconds)
{
	struct timespec now, times[2];
	DIR *dir = opendir(folder);
	struct dirent *item;

	clock_gettime(CLOCK_REALTIME, &now);
	now.tv_sec -= seconds;
	times[0] = times[1] = now;
	while ((item = readdir(dir)))
		if (item->d_name[0] != '.')
			assert_int_equal(
				utimensat(dirfd(dir), item->d_name, times, 0),
				0);
	closedir(dir);
}

static size_t count_files(void)
{
	DIR *dir = opendir(folder);
	struct dirent *item;
	size_t count = 0;

	while ((item = readdir(dir)))
		count += item->d_name[0] != '.';
	closedir(dir);
	return count;
}

static void test_age(void **state)
{
	struct cache *c = open_ok(NULL);

	(void)state;
	add(c, URL, 200, STR("one"));
	age(LIMIT_CACHE_AGE_S - SPARE_S);
	assert_true(finds(c, URL, "one"));
	age(LIMIT_CACHE_AGE_S + SPARE_S);
	assert_false(finds(c, URL, NULL));
	age(-SPARE_S);
	assert_false(finds(c, URL, NULL));
	age(LIMIT_CACHE_AGE_S + SPARE_S);
	add(c, URL "0", 200, STR("two"));
	assert_int_equal(count_files(), 2);
	cache_close(c);
	assert_int_equal(count_files(), 1);
	clear();
}

static void make_file(unsigned number, int64_t size, int64_t age_s)
{
	struct timespec now, times[2];
	char path[128];
	int fd;

	snprintf(path, sizeof path, "%s/%032x.har.gz", folder, number);
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, size), 0);
	clock_gettime(CLOCK_REALTIME, &now);
	now.tv_sec -= age_s;
	times[0] = times[1] = now;
	assert_int_equal(futimens(fd, times), 0);
	close(fd);
}

static bool has_file(unsigned number)
{
	char path[128];

	snprintf(path, sizeof path, "%s/%032x.har.gz", folder, number);
	return access(path, F_OK) == 0;
}

/* The files are sparse: they take no room. */
static void test_size(void **state)
{
	struct cache *c = open_ok(NULL);

	(void)state;
	make_file(1, (int64_t)LIMIT_CACHE_BYTES / 2, 300);
	make_file(2, (int64_t)LIMIT_CACHE_BYTES / 2 - (int64_t)MIB, 200);
	add(c, URL, 200, STR("one"));
	cache_close(c);
	assert_true(has_file(1) && has_file(2));
	c = open_ok(NULL);
	make_file(3, 2 * (int64_t)MIB, 100);
	add(c, URL, 200, STR("one"));
	cache_close(c);
	assert_false(has_file(1));
	assert_true(has_file(2) && has_file(3));
	clear();
}

static void test_count(void **state)
{
	struct cache *c = open_ok(NULL);

	(void)state;
	for (unsigned i = 0; i < LIMIT_CACHE_FILES - 1; i++)
		make_file(i, 1, 10);
	add(c, URL, 200, STR("one"));
	cache_close(c);
	assert_int_equal(count_files(), LIMIT_CACHE_FILES);
	c = open_ok(NULL);
	make_file(LIMIT_CACHE_FILES, 1, 10);
	add(c, URL, 200, STR("one"));
	cache_close(c);
	assert_int_equal(count_files(), LIMIT_CACHE_FILES);
	clear();
}

static void test_body_limit(void **state)
{
	struct cache *c = open_ok(NULL);
	char *text = mem_alloc(LIMIT_CACHE_BODY_BYTES + 1);

	(void)state;
	assert_non_null(text);
	/* Too regular a text would be taken for a bomb when it is unpacked. */
	for (uint32_t i = 0, x = 1; i <= LIMIT_CACHE_BODY_BYTES; i++) {
		x = x * 1103515245u + 12345u;
		text[i] = (char)('a' + (x >> 16) % 16);
	}
	add(c, URL, 200, (struct str){ text, LIMIT_CACHE_BODY_BYTES + 1 });
	assert_false(finds(c, URL, NULL));
	add(c, URL, 200, (struct str){ text, LIMIT_CACHE_BODY_BYTES });
	assert_true(finds(c, URL, NULL));
	mem_free(text);
	cache_close(c);
	clear();
}

/* Damage is as good as nothing; other files are nobody's business. */
static void test_damage(void **state)
{
	struct cache *c = open_ok(NULL);
	struct dirent *item;
	DIR *dir;

	(void)state;
	add(c, URL, 200, STR("one"));
	dir = opendir(folder);
	while ((item = readdir(dir))) {
		int fd = openat(dirfd(dir), item->d_name, O_WRONLY);

		if (fd < 0)
			continue;
		assert_int_equal(ftruncate(fd, 20), 0);
		close(fd);
	}
	closedir(dir);
	assert_false(finds(c, URL, NULL));
	add(c, URL, 200, STR("two"));
	assert_true(finds(c, URL, "two"));
	cache_close(c);
	clear();
}

/* Whoever waits for the other end of a pipe waits for ever. */
static void test_pipe(void **state)
{
	struct cache *c = open_ok(NULL);
	struct dirent *item;
	DIR *dir;

	(void)state;
	add(c, URL, 200, STR("one"));
	dir = opendir(folder);
	while ((item = readdir(dir))) {
		if (item->d_name[0] == '.')
			continue;
		assert_int_equal(unlinkat(dirfd(dir), item->d_name, 0), 0);
		assert_int_equal(mkfifoat(dirfd(dir), item->d_name, 0600), 0);
	}
	closedir(dir);
	alarm(20);
	assert_false(finds(c, URL, NULL));
	add(c, URL, 200, STR("two"));
	assert_true(finds(c, URL, "two"));
	alarm(0);
	cache_close(c);
	clear();
}

static void test_folder(void **state)
{
	char message[200];
	struct error err;
	struct stat st;
	struct cache *c = open_ok(NULL);

	(void)state;
	add(c, URL, 200, STR("one"));
	cache_close(c);
	assert_int_equal(stat(folder, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	assert_int_equal(chmod(folder, 0720), 0);
	assert_null(cache_open(folder, NULL, &err));
	snprintf(message, sizeof message,
		 "--cache: others may write to %s, so it cannot be trusted: "
		 "chmod 700 it",
		 folder);
	assert_string_equal(err.message, message);
	clear();
}

UNIT_TESTS(cache)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_age),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_count),
		cmocka_unit_test(test_body_limit),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_pipe),
		cmocka_unit_test(test_folder),
	};

	return cmocka_run_group_tests(tests, folder_begin, folder_end);
}
