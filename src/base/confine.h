/* SPDX-License-Identifier: Apache-2.0
 *
 * Drops privileges the process will not need, to limit the damage of a bug in
 * parsing hostile data: Landlock for files and programs, a seccomp filter for
 * system calls. Linux only; a no-op elsewhere. Callers name the files that stay
 * accessible.
 *
 * Sources: the kernel's userspace-api/landlock and seccomp_filter documents.
 */
#ifndef BASE_CONFINE_H
#define BASE_CONFINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum confine_flags {
	CONFINE_READING = 1 << 0, /* allow reading any file */
	CONFINE_NETWORK = 1 << 1, /* forbid TCP connections */
};

struct confine {
	int ruleset; /* -1: none */
	int version; /* of the Landlock ABI; 0: unavailable */
	uint64_t files;
};

/* Starts a rule set. flags: enum confine_flags. Writing files, executing
 * programs and listening on TCP are always restricted. Returns false with errno
 * if the kernel has no Landlock. */
bool confine_begin(struct confine *c, unsigned flags) MUST_CHECK;

/* Allows reading path, and everything below if it is a directory. Missing and
 * inaccessible paths are not an error: they could not be read anyway. */
void confine_allow_read(struct confine *c, const char *path);

/* Allows writing path. An existing file may be written in place; in a directory
 * and below, files may be created, replaced and removed, but not read. */
void confine_allow_write(struct confine *c, const char *path);

/* Allows executing path, and the dynamic loader it needs. */
void confine_allow_program(struct confine *c, const char *path);

/* Enforces the rule set, irrevocably, for this thread and all threads started
 * later, and releases it. Returns false with errno if the kernel refuses. */
bool confine_end(struct confine *c) MUST_CHECK;

/* Blocks system calls (EPERM) that execute programs, inspect other processes,
 * create namespaces, use kernel keys or inject terminal input. Returns false
 * with errno where unsupported. */
bool confine_calls(void) MUST_CHECK;

/* From now on confine_open() fails for paths lexically below root that resolve
 * outside it through links; other paths are unaffected. With Landlock this is a
 * second barrier, elsewhere the only one. Returns false with errno if root
 * cannot be opened. */
bool confine_below(const char *root) MUST_CHECK;

/* open() for reading. Fails with EACCES if the path leads out of the root. From
 * Linux 5.6 on resolution and opening are atomic (openat2()); elsewhere a
 * directory swapped for a link in between goes unnoticed. */
int confine_open(const char *path, int flags) MUST_CHECK;

/* Accesses a confined process itself needs: libraries loaded late and the files
 * they read, devices, and output locations. */

/* Allows reading each path of a ':'-separated list. NULL: none. */
void confine_allow_read_list(struct confine *c, const char *paths);

/* Allows reading system files. */
void confine_allow_system(struct confine *c);

/* Allows writing to system devices. */
void confine_allow_devices(struct confine *c);

/* Allows replacing an output file by a new one written beside it; for a link,
 * its target is replaced (base/out.h). NULL: none. */
void confine_allow_output(struct confine *c, const char *path);

#endif
