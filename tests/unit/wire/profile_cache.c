/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "wire/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "support.h"

static char base[] = "/tmp/tracefind-profiles-XXXXXX";
static char folder[64];
static struct error err;

static int setup(void **state)
{
	(void)state;
	snprintf(base, sizeof base, "/tmp/tracefind-profiles-XXXXXX");
	if (!mkdtemp(base))
		return 1;
	snprintf(folder, sizeof folder, "%s/profiles", base);
	return 0;
}

/* The only file of the folder, or the last one. */
static void file_of(char *path, size_t size)
{
	DIR *dir = opendir(folder);
	struct dirent *item;

	assert_non_null(dir);
	path[0] = '\0';
	while ((item = readdir(dir)))
		if (item->d_name[0] != '.')
			snprintf(path, size, "%s/%s", folder, item->d_name);
	closedir(dir);
}

static int teardown(void **state)
{
	char path[400];

	(void)state;
	if (!access(folder, F_OK)) {
		for (file_of(path, sizeof path); path[0];
		     file_of(path, sizeof path))
			unlink(path);
		rmdir(folder);
	}
	return rmdir(base);
}

static struct profile_cache *open_ok(const char *scope, const char *url)
{
	struct profile_cache *c = profile_cache_open(folder, scope, url, &err);

	if (!c)
		fail_msg("%s", err.message);
	return c;
}

static bool finds(struct profile_cache *c, const char *name, const char *want)
{
	struct buf bytes;
	bool is_found;

	buf_init(&bytes, MIB);
	is_found = profile_cache_find(c, str_from(name), &bytes);
	if (is_found && !str_equal(buf_str(&bytes), str_from(want)))
		fail_msg("%s", buf_text(&bytes));
	buf_release(&bytes);
	return is_found;
}

static void keep(struct profile_cache *c, const char *name, const char *bytes)
{
	assert_true(
		profile_cache_add(c, str_from(name), str_from(bytes), &err));
}

static void test_kept_by_name(void **state)
{
	struct profile_cache *c = open_ok("prod", "https://a");

	(void)state;
	assert_false(finds(c, "projects/p/profiles/1", ""));
	keep(c, "projects/p/profiles/1", "one");
	keep(c, "projects/q/profiles/1", "other\nproject");
	profile_cache_close(c);
	c = open_ok("prod", "https://a");
	assert_true(finds(c, "projects/p/profiles/1", "one"));
	assert_true(finds(c, "projects/q/profiles/1", "other\nproject"));
	assert_false(finds(c, "projects/p/profiles/", ""));
	profile_cache_close(c);
	c = open_ok("dev", "https://a");
	assert_false(finds(c, "projects/p/profiles/1", ""));
	profile_cache_close(c);
	c = open_ok("prod", "https://b");
	assert_false(finds(c, "projects/p/profiles/1", ""));
	profile_cache_close(c);
}

static void test_only_the_user_may_read(void **state)
{
	struct profile_cache *c = open_ok(NULL, "https://a");
	char path[400];
	struct stat st;

	(void)state;
	keep(c, "n", "one");
	assert_int_equal(stat(folder, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	file_of(path, sizeof path);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	profile_cache_close(c);
	assert_int_equal(chmod(folder, 0777), 0);
	assert_null(profile_cache_open(folder, NULL, "https://a", &err));
	assert_contains(err.message, "others may write");
}

/* A file under the hash of another name is not believed. */
static void test_names_are_compared(void **state)
{
	struct profile_cache *c = open_ok(NULL, "https://a");
	char path[400];
	FILE *file;

	(void)state;
	keep(c, "name", "one");
	file_of(path, sizeof path);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("nama 3\none", file);
	fclose(file);
	assert_false(finds(c, "name", ""));
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("name 3\non", file); /* cut */
	fclose(file);
	assert_false(finds(c, "name", ""));
	file = fopen(path, "w");
	assert_non_null(file);
	fputs("name 3\none", file);
	fclose(file);
	assert_true(finds(c, "name", "one"));
	profile_cache_close(c);
}

static void test_age(void **state)
{
	struct profile_cache *c = open_ok(NULL, "https://a");
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT },
				     { .tv_sec = time(NULL) } };
	char path[400];

	(void)state;
	keep(c, "name", "one");
	file_of(path, sizeof path);
	times[1].tv_sec -= LIMIT_PROFILE_CACHE_AGE_S - 60;
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	assert_true(finds(c, "name", "one"));
	times[1].tv_sec -= 120;
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	assert_false(finds(c, "name", ""));
	profile_cache_close(c); /* changed: tidies */
	file_of(path, sizeof path);
	assert_string_equal(path, "");
}

static void test_size(void **state)
{
	struct profile_cache *c = open_ok(NULL, "https://a");
	size_t size = LIMIT_PROFILE_CACHE_FILE_BYTES;
	char *bytes = malloc(size + 1);
	char path[400];

	(void)state;
	assert_non_null(bytes);
	memset(bytes, 'x', size + 1);
	assert_true(profile_cache_add(c, STR("n"),
				      (struct str){ bytes, size + 1 }, &err));
	file_of(path, sizeof path);
	assert_string_equal(path, "");
	assert_true(profile_cache_add(c, STR("n"), (struct str){ bytes, size },
				      &err));
	file_of(path, sizeof path);
	assert_string_not_equal(path, "");
	free(bytes);
	profile_cache_close(c);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

UNIT_TESTS(profile_cache)
{
	const struct CMUnitTest tests[] = {
		TEST(test_kept_by_name),
		TEST(test_only_the_user_may_read),
		TEST(test_names_are_compared),
		TEST(test_age),
		TEST(test_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
