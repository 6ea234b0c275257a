/* SPDX-License-Identifier: Apache-2.0
 *
 * Files appear whole or not at all: written to a temporary neighbour, synced,
 * renamed. Unfinished ones are removed, also from a signal handler. Special
 * files (/dev/stdout, pipes) are written in place.
 */
#ifndef BASE_OUTFILE_H
#define BASE_OUTFILE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/out.h"

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

/* The reason for what errno says of a file that is read. Returns false. */
bool file_fail_read(const char *name, int error_number, struct error *err);

/* Whether errno says of a name that nothing has it; all else is a reason why
 * what may be there cannot be looked at. */
bool file_is_absent(int error_number);

#endif
