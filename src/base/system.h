/* SPDX-License-Identifier: Apache-2.0
 *
 * Portability: all uses of features beyond POSIX.1-2008 that Linux, macOS and
 * FreeBSD do not share, and their stand-ins. There are two variants only, not
 * one per system: Linux (glibc or musl), and the stand-ins for all others.
 * -Dstandins=true builds the stand-ins on Linux, to test what other systems
 * get. tests/lint/linux.py finds uses elsewhere.
 *
 *   feature                     where         stand-in
 *   Landlock, seccomp           confine.c     no sandbox, as on older kernels
 *   thread affinity             thread.c      left to the scheduler
 *   unnamed semaphores          thread.c      a mutex and a condition
 *   dl_iterate_phdr()           library.c     none; only for the sandbox
 *   qsort_r() as in POSIX 2024  here          qsort(), context of the thread
 *   pipe2()                     here          pipe() and fcntl()
 *   ppoll()                     here          pselect()
 *   getrandom(), AT_RANDOM      here          getentropy()
 *   explicit_bzero()            here          memset() through a pointer
 *   lgamma_r()                  here          lgamma(), its sign unused
 *   loading libraries late      meson.build   linking them
 *
 * Features of glibc only, not of musl:
 *
 *   mallopt(), one heap         mem.c         default heap
 *   dlinfo(RTLD_DI_SERINFO)     library.c     none; only for the sandbox
 *
 * All of these systems have, beyond POSIX.1-2008: memmem(), strcasestr(),
 * strtod_l(), lists of available processors, terminal ioctl()s, flock().
 */
#ifndef BASE_SYSTEM_H
#define BASE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/select.h> /* sigset_t */

#if defined __linux__ && !defined STANDINS
#define SYSTEM_LINUX 1
/* __GLIBC__ is defined by any header of glibc. */
#ifdef __GLIBC__
#define SYSTEM_GLIBC 1
#endif
#endif

/* For strtod_l(). */
#if defined __APPLE__ || defined __FreeBSD__
#include <xlocale.h>
#endif

/* Other name of the modification time in struct stat. */
#ifdef __APPLE__
#define st_mtim st_mtimespec
#else
/* int64_t is intmax_t, so compilers can check %jd in formats. */
#define SYSTEM_INT64_IS_INTMAX 1
#endif

/* Sorts like qsort(); compare also receives the context, and must not sort. */
void system_sort(void *items, size_t count, size_t size,
		 int (*compare)(const void *a, const void *b, void *context),
		 void *context);

/* Creates a pipe that is closed in child programs (O_CLOEXEC). Non-zero:
 * errno. */
int system_pipe(int ends[2]);

/* Waits until fd is readable or a signal that the mask admits was handled.
 * Negative: errno, EINTR for a signal. */
int system_wait_input(int fd, const sigset_t *mask);

/* Fills with up to 256 cryptographically secure random bytes, without blocking.
 * Returns false if none are available yet, early after boot. */
bool system_random(void *bytes, size_t size);

/* Returns the 16 random bytes that the kernel passed at program start; NULL
 * where there are none and system_random() never fails. */
const void *system_random_of_start(void);

/* Zeroes memory; not optimized away. */
void system_wipe(void *ptr, size_t size);

/* Returns the logarithm of the gamma function of x > 0. */
double system_log_gamma(double x);

#endif
