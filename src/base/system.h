/* SPDX-License-Identifier: Apache-2.0
 *
 * Which system this is, and nothing else asks: what the program uses beyond
 * POSIX.1-2008 that not all of Linux, macOS and FreeBSD have, and what stands
 * in for it where it is not there. A system is Linux, whose C library is glibc
 * or musl, or has the stand-ins, so that there are two ways and not one for
 * each. -Dstandins=true builds with them on Linux: what is tested there is what
 * the others get. tests/lint/linux.py finds other uses.
 *
 *   what is used                where         where it is not there
 *   Landlock, seccomp           confine.c     no sandbox, as on older kernels
 *   affinity of a thread        thread.c      the system finds a processor
 *   unnamed semaphores          thread.c      a mutex and a condition
 *   dl_iterate_phdr()           library.c     only a sandbox needs to know
 *   qsort_r() as in POSIX 2024  here          qsort(), context of the thread
 *   pipe2()                     here          pipe() and fcntl()
 *   ppoll()                     here          pselect()
 *   getrandom(), AT_RANDOM      here          getentropy()
 *   explicit_bzero()            here          memset() through a pointer
 *   lgamma_r()                  here          lgamma(), its sign unused
 *   libraries opened late       meson.build   libraries linked
 *
 * and of glibc alone, which musl is without as well:
 *
 *   mallopt(), one heap         mem.c         the heap as it is
 *   dlinfo(RTLD_DI_SERINFO)     library.c     only a sandbox needs to know
 *
 * What all of them have and POSIX.1-2008 does not: memmem(), strcasestr(),
 * strtod_l(), lists of the processors that are there, ioctl() of terminals,
 * flock().
 */
#ifndef BASE_SYSTEM_H
#define BASE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/select.h> /* sigset_t */

#if defined __linux__ && !defined STANDINS
#define SYSTEM_LINUX 1
/* Any header of glibc tells. */
#ifdef __GLIBC__
#define SYSTEM_GLIBC 1
#endif
#endif

/* Where strtod_l() is declared. */
#if defined __APPLE__ || defined __FreeBSD__
#include <xlocale.h>
#endif

/* struct stat names the time of the last change so. */
#ifdef __APPLE__
#define st_mtim st_mtimespec
#else
/* An int64_t is what printf() has %jd for, so that compilers can check it. */
#define SYSTEM_INT64_IS_INTMAX 1
#endif

/* Sorts like qsort(); compare gets the context as well, and sorts nothing
 * itself. */
void system_sort(void *items, size_t count, size_t size,
		 int (*compare)(const void *a, const void *b, void *context),
		 void *context);

/* A pipe that programs which are started do not get. Not 0: errno. */
int system_pipe(int ends[2]);

/* Waits until there is something to read, or a signal that the mask lets come
 * has been handled. Less than 0: errno, EINTR for a signal. */
int system_wait_input(int fd, const sigset_t *mask);

/* Bytes that nobody can guess, at most 256, without waiting for them. False:
 * there are none yet, early after the system has started. */
bool system_random(void *bytes, size_t size);

/* The 16 such bytes that the system gave the program to start with; NULL where
 * it gives none, and system_random() never fails. */
const void *system_random_of_start(void);

/* Zeros that the compiler does not leave out. */
void system_wipe(void *ptr, size_t size);

/* The logarithm of the gamma function of x > 0. */
double system_log_gamma(double x);

#endif
