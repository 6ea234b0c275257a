/* SPDX-License-Identifier: Apache-2.0
 *
 * Advisory file locks between runs of the program: when two runs read, change
 * and rewrite a file at the same time, one update would be lost. Uses flock(),
 * so the lock is released when the process ends, however it ends.
 */
#ifndef BASE_LOCK_H
#define BASE_LOCK_H

#include <stdbool.h>

#include "base/error.h"

struct lock {
	int fd;
	char *path;
};

/* Locks the file at path, which need not exist, through a lock file PATH.lock
 * that lock_release() removes. Waits up to wait_ms for another run, then fails
 * with ERROR_PARTIAL. Does nothing and succeeds for special files and on file
 * systems without locks. */
bool lock_take(struct lock *l, const char *path, unsigned wait_ms,
	       struct error *err) MUST_CHECK;

/* A no-op if nothing is locked. */
void lock_release(struct lock *l);

#endif
