/* SPDX-License-Identifier: Apache-2.0
 *
 * What runs of the program hold against each other: a file that is read,
 * changed and written anew would lose what another run wrote in between. By
 * flock(), which ends with the process, whatever ends it.
 */
#ifndef BASE_LOCK_H
#define BASE_LOCK_H

#include <stdbool.h>

#include "base/error.h"

struct lock {
	int fd;
	char *path;
};

/* Holds the lock of the file at path, which need not be there: that of its
 * neighbour PATH.lock, which lock_release() removes. Waits for another run up
 * to wait_ms and then fails with ERROR_PARTIAL; a name that stands for no
 * ordinary file, and a file system without locks, is held by nobody. */
bool lock_take(struct lock *l, const char *path, unsigned wait_ms,
	       struct error *err) MUST_CHECK;

/* Harmless where nothing is held. */
void lock_release(struct lock *l);

#endif
