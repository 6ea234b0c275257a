/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "testing.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../write_file.h"
#include "base/lock.h"

static struct error err;
static char folder[] = "/tmp/tracefind-lock-XXXXXX";
static char path[64], lock_path[64];

static int make_folder(void **state)
{
	(void)state;
	memcpy(folder + strlen(folder) - 6, "XXXXXX", 6);
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof path, "%s/file", folder);
	snprintf(lock_path, sizeof lock_path, "%s/file.lock", folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(path);
	unlink(lock_path);
	return rmdir(folder);
}

static void test_is_held_by_one(void **state)
{
	struct lock first, second;

	(void)state;
	assert_true(lock_take(&first, path, 0, &err));
	assert_false(lock_take(&second, path, 30, &err));
	assert_int_equal(err.code, ERROR_PARTIAL);
	assert_non_null(strstr(err.message, "another run"));
	lock_release(&first);
	assert_int_not_equal(access(lock_path, F_OK), 0);
	assert_true(lock_take(&second, path, 0, &err));
	lock_release(&second);
	lock_release(&second);
}

/* A file that nobody holds any more is no obstacle. */
static void test_what_is_left_behind(void **state)
{
	struct lock l;

	(void)state;
	write_file(lock_path, STR(""));
	assert_true(lock_take(&l, path, 0, &err));
	lock_release(&l);
}

/* Each adds one to the number in the file; the lock's file comes and goes. */
static void test_waits_for_others(void **state)
{
	enum { RUNS = 8, TIMES = 20 };
	unsigned count = 0;
	FILE *f;

	(void)state;
	for (int i = 0; i < RUNS; i++) {
		if (fork())
			continue;
		for (int n = 0; n < TIMES; n++) {
			struct lock l;

			if (!lock_take(&l, path, 60000, &err))
				_exit(1);
			count = 0;
			f = fopen(path, "r");
			if (f && (fscanf(f, "%u", &count) != 1 || fclose(f)))
				_exit(1);
			f = fopen(path, "w");
			if (!f || fprintf(f, "%u", count + 1) < 0 || fclose(f))
				_exit(1);
			lock_release(&l);
		}
		_exit(0);
	}
	for (int i = 0; i < RUNS; i++) {
		int status;

		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	f = fopen(path, "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%u", &count), 1);
	fclose(f);
	assert_int_equal(count, RUNS * TIMES);
}

static void test_no_place(void **state)
{
	struct lock l;

	(void)state;
	assert_false(lock_take(&l, "/nonexistent/x", 0, &err));
	assert_int_equal(err.code, ERROR_OUTPUT);
	assert_true(lock_take(&l, "/dev/null", 0, &err));
	lock_release(&l);
}

UNIT_TESTS(lock)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_is_held_by_one,
						make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_what_is_left_behind,
						make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(test_waits_for_others,
						make_folder, remove_folder),
		cmocka_unit_test(test_no_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
