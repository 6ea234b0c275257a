/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "../skipping.h"
#include "testing.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/out.h"

static void test_memory(void **state)
{
	struct error err;
	struct buf b;
	struct out o;

	(void)state;
	buf_init(&b, 10);
	out_init_memory(&o, &b);
	out_text(&o, "ab");
	out_char(&o, 'c');
	out_str(&o, STR("d"));
	out_repeat(&o, "--", 2);
	outf(&o, "%d", 5);
	assert_string_equal(buf_text(&b), "abcd----5");
	assert_true(out_finish(&o, "it", &err));
	out_text(&o, "12");
	assert_false(out_finish(&o, "it", &err));
	assert_int_equal(err.code, ERROR_LIMIT);
	out_release(&o);
	buf_release(&b);
}

static void test_int(void **state)
{
	static const int64_t values[] = { 0,   7,  -7,        10,        -1000,
					  999, 42, INT64_MAX, INT64_MIN, -1 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(values); i++) {
		char want[32];
		struct buf b;
		struct out o;

		snprintf(want, sizeof want, "%lld", (long long)values[i]);
		buf_init(&b, 100);
		out_init_memory(&o, &b);
		out_int(&o, values[i]);
		assert_string_equal(buf_text(&b), want);
		out_release(&o);
		buf_release(&b);
	}
}

/* Sizes around the chunk, all in order. */
static void test_file(void **state)
{
	char path[] = "/tmp/tracefind-out-XXXXXX";
	int fd = mkstemp(path);
	size_t sizes[] = { 1, 65535, 65536, 3, 65537, 200000, 0, 65530, 7 };
	struct error err;
	struct out o;
	size_t total = 0;
	char *back;

	(void)state;
	assert_true(fd >= 0);
	unlink(path);
	assert_true(out_init_fd(&o, fd, &err));
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		char *part = mem_alloc(sizes[i]);

		memset(part, 'a' + (int)i, sizes[i]);
		out_add(&o, part, sizes[i]);
		total += sizes[i];
		mem_free(part);
	}
	assert_true(out_finish(&o, path, &err));
	out_release(&o);
	assert_int_equal(lseek(fd, 0, SEEK_END), total);
	back = mem_alloc(total);
	assert_int_equal(pread(fd, back, total, 0), total);
	total = 0;
	for (size_t i = 0; i < COUNT_OF(sizes); i++)
		for (size_t k = 0; k < sizes[i]; k++)
			assert_int_equal(back[total++], 'a' + i);
	mem_free(back);
	close(fd);
}

static void test_long_format(void **state)
{
	char text[2001];
	struct buf b;
	struct out o;

	(void)state;
	memset(text, 'x', 2000);
	text[2000] = '\0';
	buf_init(&b, 10000);
	out_init_memory(&o, &b);
	for (int len = 505; len < 520; len++) {
		buf_clear(&b);
		outf(&o, "%.*s!", len, text);
		assert_int_equal(b.len, len + 1);
		assert_int_equal(b.data[len], '!');
	}
	outf(&o, "%s", text);
	starve_once_after(0);
	outf(&o, "%s", text);
	assert_true(stop_starving());
	assert_int_equal(b.state, BUF_OUT_OF_MEMORY);
	buf_release(&b);
}

static void test_full_device(void **state)
{
	int fd = open("/dev/full", O_WRONLY);
	struct error err;
	struct out o;

	(void)state;
	if (fd < 0)
		SKIP_BECAUSE("no /dev/full: mount /dev");
	assert_true(out_init_fd(&o, fd, &err));
	out_text(&o, "x");
	assert_false(o.is_failed);
	assert_false(out_finish(&o, "report.svg", &err));
	assert_int_equal(err.code, ERROR_OUTPUT);
	assert_contains(err.message, "report.svg: cannot write: ");
	assert_contains(err.message, strerror(ENOSPC));
	assert_false(out_is_broken_pipe(&o));
	out_repeat(&o, "more", 100000);
	assert_false(out_finish(&o, "report.svg", &err));
	out_release(&o);
	close(fd);
}

static void test_broken_pipe(void **state)
{
	struct error err;
	struct out o;
	int ends[2];

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	assert_true(out_init_fd(&o, ends[1], &err));
	out_text(&o, "x");
	assert_false(out_finish(&o, "standard output", &err));
	assert_true(out_is_broken_pipe(&o));
	out_release(&o);
	close(ends[1]);
}

static void test_starved(void **state)
{
	struct error err;
	struct out o;

	(void)state;
	starve_once_after(0);
	assert_false(out_init_fd(&o, 1, &err));
	assert_true(stop_starving());
	assert_int_equal(err.code, ERROR_MEMORY);
	out_release(&o);
}

UNIT_TESTS(out)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_int),
		cmocka_unit_test(test_file),
		cmocka_unit_test(test_long_format),
		cmocka_unit_test(test_full_device),
		cmocka_unit_test(test_broken_pipe),
		cmocka_unit_test(test_starved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
