/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs of the whole program within this process, and what has to hold of all
 * that it says. Included by targets that are one file.
 */
#ifndef TESTS_FUZZ_RUN_H
#define TESTS_FUZZ_RUN_H

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/output.h"
#include "cli/pages.h"
#include "fuzz.h"

#define PATH_BYTES 64

/* In place of the program's own: run follows run in this process, and none
 * leaves a sandbox. */
void sandbox_enter(const struct context *ctx)
{
	(void)ctx;
}

static inline int fuzz_file(const uint8_t *data, size_t size,
			    char path[PATH_BYTES])
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

static inline void catch_begin(struct caught *c)
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

static inline void catch_end(struct caught *c, struct buf texts[2])
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

static inline bool is_text(const char *format)
{
	return strcmp(format, "pprof") != 0;
}

/* A control of two bytes, U+0080 to U+009F. */
static inline bool is_c1(struct str c)
{
	return c.len == 2 && (unsigned char)c.ptr[0] == 0xc2 &&
	       (unsigned char)c.ptr[1] < 0xa0;
}

/* Nothing that a terminal obeys, and whole characters; tabs are ours in no
 * output. */
static inline void check_text(struct str text, const char *format)
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

/* What a run said and how it ended; release both texts. */
struct fuzz_run {
	struct buf texts[2]; /* standard output and error */
	int status;
};

/* args end with NULL; format: of standard output. */
static inline struct fuzz_run fuzz_run(const char *const *args,
				       const char *format)
{
	char *copies[16];
	struct fuzz_run r;
	struct caught c;
	int count = 0;

	for (; args[count]; count++)
		copies[count] = (char *)(uintptr_t)args[count];
	copies[count] = NULL;
	catch_begin(&c);
	r.status = cli_run(count, copies, NULL);
	catch_end(&c, r.texts);
	FUZZ_CHECK(r.status >= 0 && r.status <= 10, "status %d: %s", r.status,
		   buf_text(&r.texts[1]));
	check_text(buf_str(&r.texts[1]), "error");
	if (is_text(format))
		check_text(buf_str(&r.texts[0]), format);
	return r;
}

static inline void fuzz_run_release(struct fuzz_run *r)
{
	buf_release(&r->texts[0]);
	buf_release(&r->texts[1]);
}

/* Any choice is one. */
static inline const char *fuzz_format(size_t choice)
{
	size_t count = 0;

	while (output_format_name(count))
		count++;
	return output_format_name(choice % count);
}

#endif
