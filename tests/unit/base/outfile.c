/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "testing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/out.h"

static struct error err;
static char folder[] = "/tmp/tracefind-outfile-XXXXXX";
static char path_text[512];

static const char *in_folder(const char *name)
{
	snprintf(path_text, sizeof path_text, "%s/%s", folder, name);
	return path_text;
}

static int make_folder(void **state)
{
	(void)state;
	memcpy(folder + strlen(folder) - 6, "XXXXXX", 6);
	umask(022);
	return mkdtemp(folder) ? 0 : -1;
}

static int count_files(void)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int count = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		count += strcmp(entry->d_name, ".") &&
			 strcmp(entry->d_name, "..");
	closedir(dir);
	return count;
}

/* Fails when a test left more behind than the names it knows. */
static int remove_folder(void **state)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	(void)state;
	assert_non_null(dir);
	while ((entry = readdir(dir)))
		unlink(in_folder(entry->d_name));
	closedir(dir);
	return rmdir(folder);
}

static void put_file(const char *name, const char *text)
{
	FILE *file = fopen(in_folder(name), "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void assert_content(const char *name, const char *expected)
{
	struct buf b;

	buf_init(&b, 1000);
	assert_true(file_read(in_folder(name), &b, &err));
	assert_string_equal(buf_text(&b), expected);
	buf_release(&b);
}

static unsigned mode_of(const char *name)
{
	struct stat st;

	assert_int_equal(stat(in_folder(name), &st), 0);
	return st.st_mode & 0777;
}

static void write_file(const char *path, unsigned mode, const char *text)
{
	struct outfile f;

	assert_true(outfile_open(&f, path, mode, &err));
	out_text(&f.out, text);
	assert_true(outfile_commit(&f, &err));
	outfile_abort(&f);
}

static void test_appears_at_commit(void **state)
{
	struct outfile f;

	(void)state;
	assert_true(outfile_open(&f, in_folder("a"), 0666, &err));
	out_text(&f.out, "new");
	assert_int_equal(access(in_folder("a"), F_OK), -1);
	assert_int_equal(count_files(), 1);
	assert_true(outfile_commit(&f, &err));
	assert_content("a", "new");
	assert_int_equal(mode_of("a"), 0644);
	assert_int_equal(count_files(), 1);
	outfile_remove_unfinished();
	assert_content("a", "new");
}

static void test_old_content_until_commit(void **state)
{
	struct outfile f;

	(void)state;
	put_file("a", "old");
	assert_true(outfile_open(&f, in_folder("a"), 0666, &err));
	out_text(&f.out, "new");
	assert_content("a", "old");
	outfile_abort(&f);
	outfile_abort(&f);
	assert_content("a", "old");
	assert_int_equal(count_files(), 1);
	write_file(in_folder("a"), 0666, "new");
	assert_content("a", "new");
}

static void test_permissions(void **state)
{
	(void)state;
	write_file(in_folder("a"), 0600, "secret");
	assert_int_equal(mode_of("a"), 0600);
	put_file("b", "old");
	assert_int_equal(chmod(in_folder("b"), 0664), 0);
	write_file(in_folder("b"), 0666, "new");
	assert_int_equal(mode_of("b"), 0664);
	write_file(in_folder("b"), 0600, "secret");
	assert_int_equal(mode_of("b"), 0600);
}

static void test_link_stays(void **state)
{
	struct stat st;

	(void)state;
	put_file("a", "old");
	assert_int_equal(symlink("a", in_folder("link")), 0);
	write_file(in_folder("link"), 0666, "new");
	assert_content("a", "new");
	assert_int_equal(lstat(in_folder("link"), &st), 0);
	assert_true(S_ISLNK(st.st_mode));
}

static void test_relative_path(void **state)
{
	int before = open(".", O_RDONLY | O_DIRECTORY);

	(void)state;
	assert_int_equal(chdir(folder), 0);
	write_file("a", 0666, "new");
	assert_int_equal(fchdir(before), 0);
	close(before);
	assert_content("a", "new");
}

static void test_signal_removes_unfinished(void **state)
{
	struct outfile f;
	struct outfile g;

	(void)state;
	put_file("a", "old");
	assert_true(outfile_open(&f, in_folder("a"), 0666, &err));
	assert_true(outfile_open(&g, in_folder("b"), 0666, &err));
	assert_int_equal(count_files(), 3);
	errno = 77;
	outfile_remove_unfinished();
	assert_int_equal(errno, 77);
	assert_int_equal(count_files(), 1);
	assert_content("a", "old");
	outfile_remove_unfinished();
	outfile_abort(&f);
	assert_false(outfile_commit(&g, &err));
	assert_int_equal(err.code, ERROR_OUTPUT);
	assert_int_equal(count_files(), 1);
}

static void put_aged(const char *name, time_t age_s)
{
	const struct timespec times[2] = { { time(NULL) - age_s, 0 },
					   { time(NULL) - age_s, 0 } };

	put_file(name, "x");
	assert_int_equal(utimensat(AT_FDCWD, in_folder(name), times, 0), 0);
}

/* The process is gone, and the file is old. */
static void test_sweeps_what_is_left(void **state)
{
	pid_t gone = fork();
	char name[64];

	(void)state;
	if (!gone)
		_exit(0);
	assert_int_equal(waitpid(gone, NULL, 0), gone);
	snprintf(name, sizeof name, ".tracefind-%ld-0.tmp", (long)gone);
	put_aged(name, 3700);
	snprintf(name, sizeof name, ".tracefind-%ld-1.tmp", (long)gone);
	put_aged(name, 3500);
	snprintf(name, sizeof name, ".tracefind-%ld-2.tmp", (long)getpid());
	put_aged(name, 3700);
	snprintf(name, sizeof name, ".tracefind-%ld-0.tmpx", (long)gone);
	put_aged(name, 3700);
	put_aged("other", 3700);
	outfile_sweep(folder);
	assert_int_equal(count_files(), 4);
	outfile_sweep("/nonexistent");
}

static void test_many_at_once(void **state)
{
	struct outfile f[LIMIT_OUTPUTS + 5];
	size_t count = 0;
	char name[16];

	(void)state;
	for (; count < COUNT_OF(f); count++) {
		snprintf(name, sizeof name, "n%zu", count);
		if (!outfile_open(&f[count], in_folder(name), 0666, &err))
			break;
	}
	assert_int_equal(count, LIMIT_OUTPUTS + 4);
	assert_int_equal(err.code, ERROR_OUTPUT);
	assert_int_equal(count_files(), count);
	while (count--)
		outfile_abort(&f[count]);
	assert_int_equal(count_files(), 0);
}

static void test_special_files_in_place(void **state)
{
	struct outfile f;
	char text[8] = "";
	int fd;

	(void)state;
	assert_int_equal(mkfifo(in_folder("fifo"), 0600), 0);
	fd = open(in_folder("fifo"), O_RDONLY | O_NONBLOCK);
	write_file(in_folder("fifo"), 0666, "piped");
	assert_int_equal(read(fd, text, sizeof text), 5);
	assert_string_equal(text, "piped");
	close(fd);
	write_file("/dev/null", 0666, "nothing");
	assert_true(outfile_open(&f, "/dev/full", 0666, &err));
	assert_null(f.temp_path);
	out_text(&f.out, "x");
	assert_false(outfile_commit(&f, &err));
	assert_int_equal(err.code, ERROR_OUTPUT);
	assert_contains(err.message, "/dev/full: cannot write: ");
	assert_int_equal(count_files(), 1);
}

/* As in `-o json=/dev/stdout >> log`: behind what is there. */
static void test_named_descriptor_appends(void **state)
{
	char name[32];
	int fd;

	(void)state;
	put_file("a", "first ");
	fd = open(in_folder("a"), O_WRONLY | O_APPEND);
	snprintf(name, sizeof name, "/dev/fd/%d", fd);
	write_file(name, 0666, "second");
	assert_int_equal(write(fd, "!", 1), 1);
	close(fd);
	assert_content("a", "first second!");
	assert_int_equal(count_files(), 1);
}

static void test_unwritable_places(void **state)
{
	struct outfile f;

	(void)state;
	assert_false(outfile_open(&f, folder, 0666, &err));
	assert_int_equal(err.code, ERROR_OUTPUT);
	assert_contains(err.message, strerror(EISDIR));
	assert_false(outfile_open(&f, in_folder("none/a"), 0666, &err));
	assert_contains(err.message, "none/a: cannot write: ");
	assert_contains(err.message, strerror(ENOENT));
	put_file("a", "");
	assert_false(outfile_open(&f, in_folder("a/b"), 0666, &err));
	assert_contains(err.message, strerror(ENOTDIR));
	assert_false(outfile_open(&f, "", 0666, &err));
	outfile_abort(&f);
	assert_int_equal(count_files(), 1);
}

static void test_disk_full_keeps_the_old_file(void **state)
{
	struct rlimit before;
	struct rlimit small;
	struct outfile f;

	(void)state;
	put_file("a", "old");
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = before;
	small.rlim_cur = 1000;
	assert_true(outfile_open(&f, in_folder("a"), 0666, &err));
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	out_repeat(&f.out, "0123456789", 200);
	assert_false(outfile_commit(&f, &err));
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_contains(err.message, strerror(EFBIG));
	assert_content("a", "old");
	assert_int_equal(count_files(), 1);
}

static void test_starved(void **state)
{
	bool is_open = false;

	(void)state;
	put_file("a", "old");
	for (long n = 0; !is_open; n++) {
		struct outfile f;

		starve_once_after(n);
		is_open = outfile_open(&f, in_folder("a"), 0666, &err);
		assert_int_equal(stop_starving(), !is_open);
		if (!is_open)
			assert_int_equal(err.code, ERROR_MEMORY);
		outfile_abort(&f);
		assert_int_equal(count_files(), 1);
	}
	assert_content("a", "old");
}

static void test_read_sizes(void **state)
{
	static const size_t sizes[] = { 0, 1, 65535, 65536, 65537, 300000 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		struct outfile f;
		struct buf b;

		assert_true(outfile_open(&f, in_folder("a"), 0666, &err));
		out_repeat(&f.out, "x", sizes[i]);
		assert_true(outfile_commit(&f, &err));
		buf_init(&b, sizes[i]);
		assert_true(file_read(in_folder("a"), &b, &err));
		assert_int_equal(b.len, sizes[i]);
		buf_release(&b);
		if (!sizes[i])
			continue;
		buf_init(&b, sizes[i] - 1);
		assert_false(file_read(in_folder("a"), &b, &err));
		assert_int_equal(err.code, ERROR_LIMIT);
		assert_contains(err.message, "larger than the limit");
		buf_release(&b);
	}
}

/* Through a pipe, so that the size is not known before. */
static bool read_stdin(size_t size, size_t ceiling, struct buf *b)
{
	int saved = dup(STDIN_FILENO);
	int ends[2];
	bool is_read;
	char *text = mem_calloc(size + 1, 1);

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], text, size), size);
	mem_free(text);
	close(ends[1]);
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	buf_init(b, ceiling);
	is_read = file_read("-", b, &err);
	dup2(saved, STDIN_FILENO);
	close(saved);
	return is_read;
}

static void test_read_standard_input(void **state)
{
	static const size_t sizes[] = { 0, 1, 1000, 60000 };
	struct buf b;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		assert_true(read_stdin(sizes[i], sizes[i], &b));
		assert_int_equal(b.len, sizes[i]);
		buf_release(&b);
		assert_true(read_stdin(sizes[i], MIB, &b));
		assert_int_equal(b.len, sizes[i]);
		buf_release(&b);
		if (!sizes[i])
			continue;
		assert_false(read_stdin(sizes[i], sizes[i] - 1, &b));
		assert_int_equal(err.code, ERROR_LIMIT);
		assert_contains(err.message, "standard input is larger");
		buf_release(&b);
	}
}

static void test_unreadable(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 1000);
	assert_false(file_read(in_folder("none"), &b, &err));
	assert_int_equal(err.code, ERROR_USAGE);
	assert_contains(err.message, "none: no such file");
	assert_false(file_read(folder, &b, &err));
	assert_int_equal(err.code, ERROR_USAGE);
	assert_contains(err.message, strerror(EISDIR));
	put_file("a", "x");
	starve_once_after(0);
	assert_false(file_read(in_folder("a"), &b, &err));
	assert_true(stop_starving());
	assert_int_equal(err.code, ERROR_MEMORY);
	buf_clear(&b);
	chmod(in_folder("a"), 0);
	/* The administrator may read everything. */
	if (geteuid() != 0) {
		assert_false(file_read(in_folder("a"), &b, &err));
		assert_int_equal(err.code, ERROR_AUTH);
	}
	buf_release(&b);
}

#define IN_FOLDER(test)                                                        \
	cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

UNIT_TESTS(outfile)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_appears_at_commit),
		IN_FOLDER(test_old_content_until_commit),
		IN_FOLDER(test_permissions),
		IN_FOLDER(test_link_stays),
		IN_FOLDER(test_relative_path),
		IN_FOLDER(test_signal_removes_unfinished),
		IN_FOLDER(test_sweeps_what_is_left),
		IN_FOLDER(test_many_at_once),
		IN_FOLDER(test_special_files_in_place),
		IN_FOLDER(test_named_descriptor_appends),
		IN_FOLDER(test_unwritable_places),
		IN_FOLDER(test_disk_full_keeps_the_old_file),
		IN_FOLDER(test_starved),
		IN_FOLDER(test_read_sizes),
		IN_FOLDER(test_read_standard_input),
		IN_FOLDER(test_unreadable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
