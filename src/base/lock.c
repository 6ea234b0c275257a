/* SPDX-License-Identifier: Apache-2.0 */
#include "base/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/out.h"

#define TRY_MS 20u

/* Sets fd where it has it; false where none can be had at all. */
static bool lock_try(struct lock *l, struct error *err)
{
	struct stat held, named;

	l->fd = open(l->path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (l->fd < 0)
		return error_set(err, ERROR_OUTPUT, "%s: cannot write: %s",
				 l->path, strerror(errno));
	/* Whoever had it before may have removed the file meanwhile, and others
	 * hold the lock of a new one. */
	if ((flock(l->fd, LOCK_EX | LOCK_NB) &&
	     (errno == EWOULDBLOCK || errno == EINTR)) ||
	    fstat(l->fd, &held) || stat(l->path, &named) ||
	    held.st_dev != named.st_dev || held.st_ino != named.st_ino ||
	    !outfile_remember(l->path)) {
		close(l->fd);
		l->fd = -1;
	}
	return true;
}

/* Blocks signals, so that a handler never finds the file without its entry in
 * the list of files to remove. */
static bool try_undisturbed(struct lock *l, struct error *err)
{
	sigset_t all, before;
	bool is_ok;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	is_ok = lock_try(l, err);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return is_ok;
}

bool lock_take(struct lock *l, const char *path, unsigned wait_ms,
	       struct error *err)
{
	const struct timespec pause = { 0, TRY_MS * 1000000L };
	size_t size = strlen(path) + sizeof ".lock";
	struct stat st;

	*l = (struct lock){ .fd = -1 };
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return true;
	l->path = mem_alloc(size);
	if (!l->path)
		return error_memory(err, "a file name");
	snprintf(l->path, size, "%s.lock", path);
	for (unsigned waited_ms = 0; try_undisturbed(l, err); waited_ms += TRY_MS) {
		if (l->fd >= 0)
			return true;
		if (waited_ms >= wait_ms) {
			error_set(err, ERROR_PARTIAL,
				  "%s: another run of tracefind is at work on "
				  "it; try again when that has ended",
				  path);
			break;
		}
		nanosleep(&pause, NULL);
	}
	lock_release(l);
	return false;
}

void lock_release(struct lock *l)
{
	if (l->fd >= 0) {
		unlink(l->path);
		outfile_forget(l->path);
		close(l->fd);
	}
	mem_free(l->path);
	*l = (struct lock){ .fd = -1 };
}
