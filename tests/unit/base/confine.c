/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "base/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../skipping.h"

/* What is taken away does not come back: each test has a process of its own,
 * which ends with 0, or with the line that failed. */
#define WANT(so)                                                               \
	do {                                                                   \
		if (!(so))                                                     \
			_exit(__LINE__ % 255 + 1);                             \
	} while (0)

static void in_process(void (*body)(void))
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		body();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status))
		fail_msg("line %d, or that much more than a multiple of 255",
			 WEXITSTATUS(status) - 1);
}

static bool has_landlock(void)
{
	struct confine c;
	bool has = confine_begin(&c, 0);

	if (has)
		close(c.ruleset);
	return has;
}

static char folder[64], inside[96], outside[96];

static bool can_open(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void limit_all(void)
{
	struct confine c;

	WANT(confine_begin(&c, CONFINE_READING));
	confine_allow_read(&c, "/usr");
	confine_allow_read(&c, "/nonexistent");
	confine_allow_write(&c, folder);
	confine_allow_write(&c, "/dev/null");
	WANT(confine_end(&c));
	WANT(can_open("/usr", O_RDONLY | O_DIRECTORY));
	WANT(can_open(inside, O_WRONLY | O_CREAT));
	WANT(can_open(inside, O_WRONLY | O_TRUNC));
	WANT(!can_open(inside, O_RDONLY) && errno == EACCES);
	WANT(can_open(folder, O_RDONLY | O_DIRECTORY));
	WANT(can_open("/dev/null", O_WRONLY));
	WANT(!unlink(inside));
	WANT(!can_open("/usr/made", O_WRONLY | O_CREAT) && errno == EACCES);
	WANT(!can_open(outside, O_RDONLY) && errno == EACCES);
	WANT(!can_open(outside, O_WRONLY) && errno == EACCES);
	WANT(unlink(outside) && errno == EACCES);
	execl("/bin/true", "true", (char *)NULL);
	WANT(errno == EACCES);
}

static void test_files(void **state)
{
	(void)state;
	if (!has_landlock())
		SKIP_BECAUSE("no Landlock in this kernel");
	in_process(limit_all);
}

static void leave_reading(void)
{
	struct confine c;

	WANT(confine_begin(&c, 0));
	WANT(confine_end(&c));
	WANT(can_open(outside, O_RDONLY));
	WANT(!can_open(outside, O_WRONLY) && errno == EACCES);
}

static void test_reading(void **state)
{
	(void)state;
	if (!has_landlock())
		SKIP_BECAUSE("no Landlock in this kernel");
	in_process(leave_reading);
}

static bool opens(const char *path, int flags)
{
	int fd = confine_open(path, flags);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* folder/: "here" and a link to it by its whole path, and two that lead out, to
 * a file and to the folder of it. */
static void stay_below(void)
{
	char here[96], link[96], out[96], up[96], below[96], beside[96];

	snprintf(here, sizeof here, "%s/here", folder);
	snprintf(link, sizeof link, "%s/link", folder);
	snprintf(out, sizeof out, "%s/out", folder);
	snprintf(up, sizeof up, "%s/up", folder);
	snprintf(below, sizeof below, "%s/up/%s", folder,
		 strrchr(outside, '/') + 1);
	snprintf(beside, sizeof beside, "%s-beside", folder);
	WANT(can_open(here, O_WRONLY | O_CREAT));
	WANT(can_open(beside, O_WRONLY | O_CREAT));
	WANT(!symlink(here, link) && !symlink(outside, out) &&
	     !symlink("..", up));
	WANT(opens(out, O_RDONLY) && opens(below, O_RDONLY));
	WANT(confine_below(folder));
	WANT(opens(here, O_RDONLY) && opens(link, O_RDONLY));
	WANT(opens(folder, O_RDONLY | O_DIRECTORY));
	WANT(!opens(out, O_RDONLY) && errno == EACCES);
	WANT(!opens(up, O_RDONLY | O_DIRECTORY) && errno == EACCES);
	WANT(!opens(below, O_RDONLY) && errno == EACCES);
	WANT(!opens(inside, O_RDONLY) && errno == ENOENT);
	/* Not below it: none of its business. */
	WANT(opens(outside, O_RDONLY) && opens(beside, O_RDONLY));
	WANT(!unlink(here) && !unlink(link) && !unlink(out) && !unlink(up) &&
	     !unlink(beside));
	WANT(!confine_below(here) && errno == ENOENT);
}

static void test_below(void **state)
{
	(void)state;
	in_process(stay_below);
}

static void limit_calls(void)
{
	WANT(confine_calls());
	execl("/bin/true", "true", (char *)NULL);
	WANT(errno == EPERM);
	WANT(can_open(outside, O_RDONLY));
}

static void try_calls(void)
{
	WANT(confine_calls());
}

static void test_calls(void **state)
{
	int status = 0;
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		try_calls();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	if (status)
		SKIP_BECAUSE(
			"no filters of calls in this kernel, or for this processor");
	in_process(limit_calls);
}

static int make_files(void **state)
{
	(void)state;
	snprintf(folder, sizeof folder, "/tmp/tracefind-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(inside, sizeof inside, "%s/inside", folder);
	snprintf(outside, sizeof outside, "%s.outside", folder);
	return can_open(outside, O_WRONLY | O_CREAT) ? 0 : -1;
}

static int remove_files(void **state)
{
	(void)state;
	unlink(inside);
	return unlink(outside) | rmdir(folder);
}

UNIT_TESTS(confine)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_reading),
		cmocka_unit_test(test_below),
		cmocka_unit_test(test_calls),
	};

	return cmocka_run_group_tests(tests, make_files, remove_files);
}
