/* SPDX-License-Identifier: Apache-2.0
 *
 * The whole program, from the bytes of a file to each output. The first byte
 * chooses command and format; the rest is the file, for a comparison both
 * sides, divided where the two bytes after it say.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/limits.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/sandbox.h"
#include "fuzz.h"

#define PATH_BYTES 64

/* In place of the program's own: run follows run in this process, and none
 * leaves a sandbox. */
void sandbox_enter(const struct context *ctx)
{
	(void)ctx;
}

static int file_of(const uint8_t *data, size_t size, char path[PATH_BYTES])
{
	int fd = memfd_create("input", 0);

	FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size,
		   "cannot write");
	snprintf(path, PATH_BYTES, "/proc/self/fd/%d", fd);
	return fd;
}

/* Standard output and error of a run, into memory. */
struct caught {
	int saved[2];
	int fds[2];
};

static void catch_begin(struct caught *c)
{
	fflush(NULL);
	for (int i = 0; i < 2; i++) {
		c->saved[i] = fcntl(1 + i, F_DUPFD_CLOEXEC, 10);
		c->fds[i] = memfd_create("output", 0);
		FUZZ_CHECK(c->saved[i] >= 0 && c->fds[i] >= 0 &&
				   dup2(c->fds[i], 1 + i) == 1 + i,
			   "cannot redirect");
	}
}

static void catch_end(struct caught *c, struct buf texts[2])
{
	char chunk[4096];
	ssize_t len;

	fflush(NULL);
	for (int i = 0; i < 2; i++) {
		dup2(c->saved[i], 1 + i);
		close(c->saved[i]);
		buf_init(&texts[i], LIMIT_BODY_PLAIN_BYTES);
		lseek(c->fds[i], 0, SEEK_SET);
		while ((len = read(c->fds[i], chunk, sizeof chunk)) > 0)
			buf_add(&texts[i], chunk, (size_t)len);
		close(c->fds[i]);
	}
}

static bool is_text(const char *format)
{
	return strcmp(format, "pprof") != 0;
}

/* A control of two bytes, U+0080 to U+009F. */
static bool is_c1(struct str c)
{
	return c.len == 2 && (unsigned char)c.ptr[0] == 0xc2 &&
	       (unsigned char)c.ptr[1] < 0xa0;
}

/* Nothing that a terminal obeys, and whole characters; tabs are ours in no
 * output. */
static void check_text(struct str text, const char *format)
{
	for (size_t i = 0, len; i < text.len; i += len) {
		struct str rest = str_slice(text, i, text.len);
		unsigned char c = (unsigned char)text.ptr[i];

		FUZZ_CHECK(c >= 0x20 || c == '\n' || c == '\t' ||
				   (c == '\r' && !strcmp(format, "csv")),
			   "byte %02x in %s at %zu", c, format, i);
		FUZZ_CHECK(c != 0x7f, "DEL in %s at %zu", format, i);
		len = utf8_length(rest);
		FUZZ_CHECK(len, "byte %02x begins no character in %s at %zu", c,
			   format, i);
		FUZZ_CHECK(!is_c1(str_slice(rest, 0, len)),
			   "a control of two bytes in %s at %zu", format, i);
	}
}

static void check(int status, const char *format, struct buf texts[2])
{
	struct str said = buf_str(&texts[1]);

	FUZZ_CHECK(status >= 0 && status <= 10 && status != 3 && status != 6,
		   "status %d: %s", status, buf_text(&texts[1]));
	FUZZ_CHECK(status == 0 || said.len > 0, "status %d and no words",
		   status);
	check_text(said, "error");
	if (is_text(format))
		check_text(buf_str(&texts[0]), format);
}

static void run(const char *command, const char *format, char *a, char *b)
{
	char *args[] = { (char *)(uintptr_t) "tracefind",
			 (char *)(uintptr_t)command,
			 (char *)(uintptr_t) "--no-pager",
			 (char *)(uintptr_t) "-o",
			 (char *)(uintptr_t)format,
			 a,
			 b,
			 NULL };
	struct caught c;
	struct buf texts[2];
	int status;

	catch_begin(&c);
	status = cli_run(b ? 7 : 6, args);
	catch_end(&c, texts);
	check(status, format, texts);
	buf_release(&texts[0]);
	buf_release(&texts[1]);
}

static void compare(const char *format, const uint8_t *data, size_t size)
{
	char before[PATH_BYTES], after[PATH_BYTES];
	size_t middle = size < 2 ? 0 : (data[0] + 256u * data[1]) % (size - 1);
	int before_fd, after_fd;

	if (size < 2)
		return;
	before_fd = file_of(data + 2, middle, before);
	after_fd = file_of(data + 2 + middle, size - 2 - middle, after);
	run("diff", format, before, after);
	close(before_fd);
	close(after_fd);
}

static void alone(const char *command, const char *format, const uint8_t *data,
		  size_t size)
{
	char path[PATH_BYTES];
	int fd = file_of(data, size, path);

	run(command, format, path, NULL);
	close(fd);
}

static const char *format_of(size_t choice)
{
	size_t count = 0;

	while (output_format_name(count))
		count++;
	return output_format_name(choice % count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const tried[] = { "diff", "profile", "show",
					     "slow" };
	const char *command, *format;

	if (size == 0)
		return 0;
	setenv("HOME", "/nonexistent", 1);
	command = tried[data[0] % 4];
	format = format_of(data[0] / 4);
	if (!output_gives(command_find(str_from(command)), format))
		format = "table";
	if (strcmp(command, "diff") == 0)
		compare(format, data + 1, size - 1);
	else
		alone(command, format, data + 1, size - 1);
	return 0;
}
