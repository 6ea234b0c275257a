/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../unit.h"
#include "../write_file.h"
#include "backend/input.h"

static char folder[] = "/tmp/tracefind-folder-XXXXXX";
static struct arena arena;
static struct error err;

static int setup(void **state)
{
	(void)state;
	arena_init(&arena, MIB);
	return mkdtemp(folder) ? 0 : 1;
}

static void path_of(const char *name, char out[200])
{
	snprintf(out, 200, "%s/%s", folder, name);
}

static void make(const char *name)
{
	char path[200];

	path_of(name, path);
	write_file(path, STR("x"));
}

static int teardown(void **state)
{
	char command[200];

	(void)state;
	snprintf(command, sizeof command, "rm -r %s", folder);
	arena_release(&arena);
	return system(command);
}

static bool expand(struct path_list *list, const char *path)
{
	return profile_paths_expand(list, &path, 1, &arena, &err);
}

static void test_folder(void **state)
{
	struct path_list list;
	char first[200];

	(void)state;
	assert_false(expand(&list, folder));
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	make("b.pb.gz");
	make("a.folded");
	make("bench.txt");
	make(".hidden.pb.gz");
	make(".pprof");
	path_of("pipe.pprof", first);
	assert_int_equal(mkfifo(first, 0600), 0);
	path_of("folder.pprof", first);
	assert_int_equal(mkdir(first, 0700), 0);
	assert_true(expand(&list, folder));
	assert_int_equal(list.count, 2);
	assert_int_equal(list.passed, 3);
	path_of("a.folded", first);
	assert_string_equal(list.items[0], first);
	/* A file stands for itself, whatever it is called. */
	path_of("bench.txt", first);
	assert_true(expand(&list, first));
	assert_int_equal(list.count, 1);
	path_of("nothing", first);
	assert_false(expand(&list, first));
	assert_int_equal(err.code, ERROR_USAGE);
}

static void test_limit(void **state)
{
	const char *paths[LIMIT_ARGUMENTS + 1];
	struct path_list list;
	char path[200];

	(void)state;
	make("b.pb.gz");
	path_of("b.pb.gz", path);
	for (size_t i = 0; i <= LIMIT_ARGUMENTS; i++)
		paths[i] = path;
	assert_true(profile_paths_expand(&list, paths, LIMIT_ARGUMENTS, &arena,
					 &err));
	assert_false(profile_paths_expand(&list, paths, LIMIT_ARGUMENTS + 1,
					  &arena, &err));
	assert_int_equal(err.code, ERROR_LIMIT);
}

UNIT_TESTS(profile_folder)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_folder),
		cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
