/* SPDX-License-Identifier: Apache-2.0
 *
 * Where rendered bytes go: a buffered writer over a file, a descriptor or
 * memory. Like struct buf, failures stick and are told once, by out_finish(),
 * which also flushes.
 */
#ifndef BASE_OUT_H
#define BASE_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

struct out {
	int fd;             /* -1 when writing to memory */
	struct buf *memory; /* NULL when writing to fd */
	char *chunk;
	size_t used;
	int error_number; /* errno of the first failure */
	bool is_failed;
};

/* Borrowed descriptor. False when the chunk could not be allocated. */
bool out_init_fd(struct out *o, int fd, struct error *err) MUST_CHECK;
void out_init_memory(struct out *o, struct buf *memory);
void out_release(struct out *o);

/* Writes what it has buffered and overwrites that, of a file that may hold
 * secrets. Not for memory. */
void out_wipe(struct out *o);

/* Failures stick: check once, at the end (out_finish). */
void out_add(struct out *o, const void *data, size_t len);
void out_str(struct out *o, struct str text);
void out_text(struct out *o, const char *text);
void out_char(struct out *o, char c);
void out_repeat(struct out *o, const char *text, size_t times);
/* Decimal, as "%" PRId64 but many times as quick. */
void out_int(struct out *o, int64_t value);
void outf(struct out *o, const char *format, ...) PRINTF_LIKE(2, 3);

/* For writers that lacked memory for what they were to write. */
void out_fail_memory(struct out *o);

/* Flushes; false with ERROR_OUTPUT naming `name` and the system's reason. */
bool out_finish(struct out *o, const char *name, struct error *err) MUST_CHECK;

/* True when the first failure was EPIPE: the reader went away. */
bool out_is_broken_pipe(const struct out *o);

/* Files appear whole or not at all: written to a temporary neighbour, synced,
 * renamed. Unfinished ones are removed, also from a signal handler. Special
 * files (/dev/stdout, pipes) are written in place. */

struct outfile {
	struct out out;
	char *path;
	char *temp_path; /* NULL when written in place */
	int fd;
};

/* Opens path for writing; mode is the new file's permission (0666 before
 * umask for ordinary output, 0600 for case files). */
bool outfile_open(struct outfile *f, const char *path, unsigned mode,
		  struct error *err) MUST_CHECK;

/* Flushes, syncs, renames, releases. On failure nothing is left behind. */
bool outfile_commit(struct outfile *f, struct error *err) MUST_CHECK;

/* Drops it without a trace. Harmless after commit. */
void outfile_abort(struct outfile *f);

/* Enters a file into the list of the unfinished, and takes it off; path stays
 * the caller's. False: there are too many. */
bool outfile_remember(const char *path) MUST_CHECK;
void outfile_forget(const char *path);

/* Removes every unfinished file; only async-signal-safe calls. */
void outfile_remove_unfinished(void);

/* Removes unfinished files that runs left in a folder when they were killed or
 * the power was cut: those an hour old whose process is gone. */
void outfile_sweep(const char *folder);

/* Makes the folders that lead to path, with mode 0700, where they are not there
 * yet; not path itself. */
bool folders_make(const char *path, struct error *err) MUST_CHECK;

/* Reads a whole file or, for "-", standard input into out (bounded by its
 * max_bytes). Directories and missing files (ERROR_USAGE) and unreadable ones
 * (ERROR_AUTH, ERROR_FORMAT) give their reason. */
bool file_read(const char *path, struct buf *out, struct error *err) MUST_CHECK;

/* The same, where its beginning may tell that it is of no use: may_go_on() sees
 * what has come a few times, after FILE_FRONT_BYTES first, and ends it. */
#define FILE_FRONT_BYTES MIB
bool file_read_judged(const char *path, struct buf *out,
		      bool (*may_go_on)(void *context, struct str front,
					struct error *err),
		      void *context, struct error *err) MUST_CHECK;

/* The reason for what errno says of a file that is read. Returns false. */
bool file_fail_read(const char *name, int error_number, struct error *err);

/* Returns whether errno says of a name that nothing has it; all else is a
 * reason why what may be there cannot be looked at. */
bool file_is_absent(int error_number);

#endif
