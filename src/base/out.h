/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffered output to a file, a descriptor or memory. As with struct buf,
 * failures stick and are reported once, by out_finish(), which also flushes.
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

/* Writes to a descriptor, borrowed. Fails if the buffer cannot be allocated. */
bool out_init_fd(struct out *o, int fd, struct error *err) MUST_CHECK;
void out_init_memory(struct out *o, struct buf *memory);
void out_release(struct out *o);

/* Flushes the buffer and overwrites it, for files that may hold secrets. Not
 * for memory. */
void out_wipe(struct out *o);

/* Failures stick: check once, at the end (out_finish()). */
void out_add(struct out *o, const void *data, size_t len);
void out_str(struct out *o, struct str text);
void out_text(struct out *o, const char *text);
void out_char(struct out *o, char c);
void out_repeat(struct out *o, const char *text, size_t times);
/* Writes a decimal, as "%" PRId64 but many times faster. */
void out_int(struct out *o, int64_t value);
void outf(struct out *o, const char *format, ...) PRINTF_LIKE(2, 3);

/* Records an out-of-memory failure of the caller's. */
void out_fail_memory(struct out *o);

/* Flushes. On failure returns false with ERROR_OUTPUT, the `name` and the
 * system's reason. */
bool out_finish(struct out *o, const char *name, struct error *err) MUST_CHECK;

/* Returns whether the first failure was EPIPE: the reader closed the pipe. */
bool out_is_broken_pipe(const struct out *o);

/* Atomic file output: written to a temporary file beside the target, synced and
 * renamed. Unfinished files are removed, also by signal handlers. Special files
 * (/dev/stdout, pipes) are written in place. */

struct outfile {
	struct out out;
	char *path;
	char *temp_path; /* NULL when written in place */
	int fd;
};

/* Opens path for writing; mode is the new file's permission (0666 before umask
 * for ordinary output, 0600 for case files). */
bool outfile_open(struct outfile *f, const char *path, unsigned mode,
		  struct error *err) MUST_CHECK;

/* Flushes, syncs, renames, releases. On failure the temporary file is
 * removed. */
bool outfile_commit(struct outfile *f, struct error *err) MUST_CHECK;

/* Removes the temporary file and releases. A no-op after outfile_commit(). */
void outfile_abort(struct outfile *f);

/* Add a file to the list of unfinished files, and remove it; path is borrowed.
 * Returns false if the list is full. */
bool outfile_remember(const char *path) MUST_CHECK;
void outfile_forget(const char *path);

/* Removes every unfinished file. Async-signal-safe. */
void outfile_remove_unfinished(void);

/* Removes temporary files left in a folder by runs that were killed or lost
 * power: those older than an hour whose process has ended. */
void outfile_sweep(const char *folder);

/* Creates the missing parent folders of path, mode 0700; not path itself. */
bool folders_make(const char *path, struct error *err) MUST_CHECK;

/* Reads a whole file, or standard input for "-", into out, limited by its
 * max_bytes. Errors have the reason: ERROR_USAGE for directories and missing
 * files, ERROR_AUTH or ERROR_FORMAT for unreadable ones. */
bool file_read(const char *path, struct buf *out, struct error *err) MUST_CHECK;

/* Same, but may_go_on() is called with the data read so far, first after
 * FILE_FRONT_BYTES and then a few more times, and can stop reading by returning
 * false. */
#define FILE_FRONT_BYTES MIB
bool file_read_judged(const char *path, struct buf *out,
		      bool (*may_go_on)(void *context, struct str front,
					struct error *err),
		      void *context, struct error *err) MUST_CHECK;

/* Sets the error for a failed read from errno. Returns false. */
bool file_fail_read(const char *name, int error_number, struct error *err);

/* Returns whether errno means that no such file exists, as opposed to one that
 * cannot be accessed. */
bool file_is_absent(int error_number);

#endif
