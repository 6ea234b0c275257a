/* SPDX-License-Identifier: Apache-2.0
 *
 * Takes rights away from the process that it will not need, so that a mistake
 * in reading hostile data has little to gain: Landlock for files and programs,
 * a seccomp filter for system calls. Linux only; elsewhere nothing is there to
 * be had. Knows no file by name: who calls it says which stay open.
 *
 * Sources: the kernel's userspace-api/landlock and seccomp_filter documents.
 */
#ifndef BASE_CONFINE_H
#define BASE_CONFINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum confine_flags {
	CONFINE_READING = 1 << 0, /* files that were not named, too */
	CONFINE_NETWORK = 1 << 1, /* no connections over TCP */
};

struct confine {
	int ruleset; /* -1: none */
	int version; /* of Landlock, 0: there is none */
	uint64_t files;
};

/* Begins a list of what stays open. False where the kernel has no Landlock,
 * with errno. flags: enum confine_flags. Writing, running programs and
 * listening on TCP are always limited. */
bool confine_begin(struct confine *c, unsigned flags) MUST_CHECK;

/* path may be read, and all below when it is a folder. Missing ones and those
 * that cannot be looked at are no failure: they cannot be read anyway. */
void confine_allow_read(struct confine *c, const char *path);

/* path, a file that is there, may be written in place; in a folder, and all
 * below, files may be made, replaced and removed, but not read. */
void confine_allow_write(struct confine *c, const char *path);

/* path, a program, may be started, with what starts programs on this system. */
void confine_allow_program(struct confine *c, const char *path);

/* From here on only what was allowed; for good, and for all threads that are
 * started from now on. False with errno when the kernel refuses. Releases. */
bool confine_end(struct confine *c) MUST_CHECK;

/* No other programs, no looking into other processes, no name spaces, no keys
 * of the kernel, no typing on the terminal: such system calls fail with EPERM
 * from here on. False with errno where that cannot be had. */
bool confine_calls(void) MUST_CHECK;

/* From here on what confine_open() is asked for by a path below root, links
 * and dots taken out, has to lie there, whatever links say; other paths stay as
 * they are. Where Landlock is in force this is a second lock, elsewhere the only
 * one. False with errno when root cannot be opened. */
bool confine_below(const char *root) MUST_CHECK;

/* open() for reading. EACCES: it leads out of the root. Linux 5.6 looks it up
 * and opens it in one (openat2()); elsewhere who swaps a folder for a link in
 * between wins. */
int confine_open(const char *path, int flags) MUST_CHECK;

/* The accesses that stay open to a confined process for its own working:
 * libraries that it loads late and what these read, devices, and the places
 * that its outputs are written to. Knows no option. */

/* Reading paths that are separated by ':'. NULL: none. */
void confine_allow_read_list(struct confine *c, const char *paths);

/* Reading what belongs to the system. */
void confine_allow_system(struct confine *c);

/* Writing to its devices. */
void confine_allow_devices(struct confine *c);

/* A file is replaced by a new one beside it; a link stays where it is, and what
 * it leads to is replaced (base/out.h). NULL: none. */
void confine_allow_output(struct confine *c, const char *path);

#endif
