/* SPDX-License-Identifier: Apache-2.0
 *
 * Preloaded into the program: lets the n-th allocation or system call since
 * main() fail, and counts both. What fails is told by the environment:
 *
 *   FAULT_KIND     "allocation" or "call"
 *   FAULT_AT       which one, from 1; 0: none, only count
 *   FAULT_FOREVER  set: that one and all after it
 *   FAULT_ERRNO    number that the call fails with; 0: reads and writes of one
 *                  byte, from FAULT_AT on
 *   FAULT_SIGNAL   number of a signal that the thread gets instead; the call is
 *                  made
 *   FAULT_BYTES    reads and writes are of so many bytes at most
 *   FAULT_REPORT   file that is written when main() has returned, one line:
 *                  ALLOCATIONS CALLS LIVE, the last being blocks that the
 *                  program itself asked for and did not free
 *
 * Allocations of libraries fail, too; what they keep until the end is theirs.
 * glibc only: the allocator is reached by the names that it keeps for such
 * purposes.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

static atomic_bool is_on;
static bool fails_allocations, fails_calls, is_forever;
static int fault_errno, fault_signal;
static long fault_at, most_bytes;
static atomic_long allocations, calls, live;

/* Is this the one? */
static bool strikes(atomic_long *counter, bool is_kind)
{
	long number;

	if (!atomic_load(&is_on))
		return false;
	number = atomic_fetch_add(counter, 1) + 1;
	return is_kind && fault_at &&
	       (number == fault_at || (is_forever && number > fault_at));
}

/* ---- allocations ---- */

static bool is_starved(void)
{
	if (!strikes(&allocations, fails_allocations))
		return false;
	errno = ENOMEM;
	return true;
}

/* The program's own blocks, by address: a hash table that is never full, since
 * no case has as many. Removed ones leave a mark, so that searches go on. */
#define BLOCKS (1u << 20)
#define REMOVED ((void *)1)
static void *_Atomic blocks[BLOCKS];
static uintptr_t code_from, code_to;

static size_t place_of(const void *block)
{
	return ((uintptr_t)block >> 4) * 0x9e3779b97f4a7c15u >> 44;
}

static void *count_live(void *block, const void *caller)
{
	size_t at = place_of(block);

	if (!block || !atomic_load(&is_on) || (uintptr_t)caller < code_from ||
	    (uintptr_t)caller >= code_to)
		return block;
	for (void *old;; at = (at + 1) % BLOCKS) {
		old = atomic_load(&blocks[at]);
		if ((!old || old == REMOVED) &&
		    atomic_compare_exchange_strong(&blocks[at], &old, block))
			break;
	}
	atomic_fetch_add(&live, 1);
	return block;
}

static bool forget(const void *block)
{
	size_t at = place_of(block);

	for (void *old; block && (old = atomic_load(&blocks[at])) != NULL;
	     at = (at + 1) % BLOCKS) {
		if (old != block)
			continue;
		atomic_store(&blocks[at], REMOVED);
		atomic_fetch_sub(&live, 1);
		return true;
	}
	return false;
}

#define CALLER __builtin_return_address(0)

void *malloc(size_t size)
{
	return is_starved() ? NULL : count_live(__libc_malloc(size), CALLER);
}

void *calloc(size_t count, size_t size)
{
	return is_starved() ? NULL
			    : count_live(__libc_calloc(count, size), CALLER);
}

void *realloc(void *block, size_t size)
{
	bool is_own;
	void *moved;

	if (is_starved())
		return NULL;
	is_own = forget(block);
	moved = __libc_realloc(block, size);
	if (block && !is_own)
		return moved;
	return count_live(moved ? moved : block, CALLER) ? moved : NULL;
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
	if (is_starved())
		return ENOMEM;
	*block = count_live(__libc_memalign(alignment, size), CALLER);
	return *block ? 0 : ENOMEM;
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return is_starved()
		       ? NULL
		       : count_live(__libc_memalign(alignment, size), CALLER);
}

void free(void *block)
{
	forget(block);
	__libc_free(block);
}

/* ---- system calls ---- */

static bool is_struck(void)
{
	if (!strikes(&calls, fails_calls))
		return false;
	if (fault_signal)
		raise(fault_signal);
	if (fault_signal || fault_errno == 0)
		return false;
	errno = fault_errno;
	return true;
}

/* One byte at a time from FAULT_AT on. */
static size_t shortened(size_t len)
{
	bool is_short = fails_calls && fault_errno == 0 && fault_signal == 0 &&
			fault_at && atomic_load(&is_on) &&
			atomic_load(&calls) >= fault_at;

	if (most_bytes && atomic_load(&is_on) && len > (size_t)most_bytes)
		return (size_t)most_bytes;
	return is_short && len > 1 ? 1 : len;
}

#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char *name)
{
	bool was_on = atomic_exchange(&is_on, false);
	void *function = dlsym(RTLD_NEXT, name);

	atomic_store(&is_on, was_on);
	return function;
}

#define FAILING(result, name, parameters, arguments)                           \
	FAILING_AS(result, name, parameters, arguments, -1)

/* failure: what a failed call returns. */
#define FAILING_AS(result, name, parameters, arguments, failure)               \
	result name parameters                                                 \
	{                                                                      \
		static __typeof__(&name) next;                                 \
                                                                               \
		if (is_struck())                                               \
			return failure;                                        \
		if (!next)                                                     \
			next = REAL(name);                                     \
		return next arguments;                                         \
	}

/* A signal that comes before the program knows what to do then ends it, as it
 * must: it waits for the next call. */
static bool is_handling_struck(void)
{
	if (!fault_signal)
		return is_struck();
	if (strikes(&calls, fails_calls))
		fault_at++;
	return false;
}

#define HANDLING(name, parameters, arguments)                                  \
	int name parameters                                                    \
	{                                                                      \
		return is_handling_struck() ? -1 : REAL(name) arguments;       \
	}

FAILING(int, fsync, (int fd), (fd))
FAILING(int, close, (int fd), (fd))
FAILING(int, rename, (const char *from, const char *to), (from, to))
FAILING(int, unlink, (const char *path), (path))
FAILING(int, mkdir, (const char *path, mode_t mode), (path, mode))
FAILING(int, fstat, (int fd, struct stat *s), (fd, s))
FAILING(int, stat, (const char *path, struct stat *s), (path, s))
FAILING(int, lstat, (const char *path, struct stat *s), (path, s))
FAILING(int, fstatat, (int folder, const char *path, struct stat *s, int flags),
	(folder, path, s, flags))
FAILING(int, access, (const char *path, int mode), (path, mode))
FAILING(int, fchmod, (int fd, mode_t mode), (fd, mode))
FAILING(int, dup2, (int from, int to), (from, to))
FAILING(pid_t, fork, (void), ())
FAILING(pid_t, waitpid, (pid_t pid, int *status, int options),
	(pid, status, options))
HANDLING(sigaction,
	 (int number, const struct sigaction *now, struct sigaction *before),
	 (number, now, before))
HANDLING(sigprocmask, (int how, const sigset_t *now, sigset_t *before),
	 (how, now, before))
FAILING_AS(char *, getcwd, (char *out, size_t size), (out, size), NULL)
FAILING_AS(char *, realpath, (const char *path, char *out), (path, out), NULL)
FAILING_AS(DIR *, opendir, (const char *path), (path), NULL)
FAILING_AS(struct dirent64 *, readdir64, (DIR * folder), (folder), NULL)

/* The program keeps its threads, and with them what each was given: a run that
 * was disturbed may need one that the others do not. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
		   void *(*run)(void *), void *argument)
{
	int failure = is_struck() ? errno
				  : REAL(pthread_create)(thread, attributes,
							 run, argument);

	if (!failure)
		forget(argument);
	return failure;
}

FAILING(off_t, lseek, (int fd, off_t to, int whence), (fd, to, whence))
FAILING(int, socket, (int domain, int type, int protocol),
	(domain, type, protocol))
FAILING(int, connect, (int fd, const struct sockaddr *to, socklen_t len),
	(fd, to, len))
FAILING(int, getsockopt,
	(int fd, int level, int name, void *value, socklen_t *len),
	(fd, level, name, value, len))
FAILING(int, setsockopt,
	(int fd, int level, int name, const void *value, socklen_t len),
	(fd, level, name, value, len))
FAILING(int, bind, (int fd, const struct sockaddr *to, socklen_t len),
	(fd, to, len))
FAILING(int, getsockname, (int fd, struct sockaddr *at, socklen_t *len),
	(fd, at, len))
FAILING(int, getpeername, (int fd, struct sockaddr *at, socklen_t *len),
	(fd, at, len))
FAILING(ssize_t, sendto,
	(int fd, const void *data, size_t len, int flags,
	 const struct sockaddr *to, socklen_t to_len),
	(fd, data, shortened(len), flags, to, to_len))
FAILING(ssize_t, recvfrom,
	(int fd, void *out, size_t len, int flags, struct sockaddr *from,
	 socklen_t *from_len),
	(fd, out, shortened(len), flags, from, from_len))
FAILING(int, socketpair, (int domain, int type, int protocol, int fds[2]),
	(domain, type, protocol, fds))
FAILING(int, poll, (struct pollfd * fds, nfds_t count, int timeout_ms),
	(fds, count, timeout_ms))
FAILING(int, ppoll,
	(struct pollfd * fds, nfds_t count, const struct timespec *timeout,
	 const sigset_t *mask),
	(fds, count, timeout, mask))
FAILING(ssize_t, getrandom, (void *out, size_t len, unsigned flags),
	(out, len, flags))
FAILING(int, pipe2, (int fds[2], int flags), (fds, flags))
FAILING(ssize_t, read, (int fd, void *out, size_t len),
	(fd, out, shortened(len)))
FAILING(ssize_t, write, (int fd, const void *data, size_t len),
	(fd, data, shortened(len)))
FAILING(ssize_t, pread, (int fd, void *out, size_t len, off_t at),
	(fd, out, shortened(len), at))
FAILING(ssize_t, recv, (int fd, void *out, size_t len, int flags),
	(fd, out, shortened(len), flags))
FAILING(ssize_t, send, (int fd, const void *data, size_t len, int flags),
	(fd, data, shortened(len), flags))

#define OPENING(name, parameters, ...)                                         \
	int name parameters                                                    \
	{                                                                      \
		mode_t mode = 0;                                               \
                                                                               \
		if (is_struck())                                               \
			return -1;                                             \
		if (flags & (O_CREAT | O_TMPFILE)) {                           \
			va_list list;                                          \
                                                                               \
			va_start(list, flags);                                 \
			mode = va_arg(list, mode_t);                           \
			va_end(list);                                          \
		}                                                              \
		return REAL(name)(__VA_ARGS__, mode);                          \
	}

OPENING(open, (const char *path, int flags, ...), path, flags)
OPENING(openat, (int folder, const char *path, int flags, ...), folder, path,
	flags)

/* They take an argument or none, of a word. */
#define CONTROLLING(name, type)                                                \
	int name(int fd, type command, ...)                                    \
	{                                                                      \
		void *argument;                                                \
		va_list list;                                                  \
                                                                               \
		if (is_struck())                                               \
			return -1;                                             \
		va_start(list, command);                                       \
		argument = va_arg(list, void *);                               \
		va_end(list);                                                  \
		return REAL(name)(fd, command, argument);                      \
	}

CONTROLLING(fcntl, int)
CONTROLLING(ioctl, unsigned long)

int prctl(int option, ...)
{
	unsigned long a[4];
	va_list list;

	if (is_struck())
		return -1;
	va_start(list, option);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(list, unsigned long);
	va_end(list);
	return REAL(prctl)(option, a[0], a[1], a[2], a[3]);
}

/* Those of Landlock and seccomp, which the library has no names for. */
long syscall(long number, ...)
{
	long a[6];
	va_list list;

	if (is_struck())
		return -1;
	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* Under other names, by which programs with large files reach them, and those
 * that are built to be checked. */
int fcntl64(int fd, int command, ...) __attribute__((alias("fcntl")));
int stat64(const char *path, struct stat64 *s) __attribute__((alias("stat")));
int lstat64(const char *path, struct stat64 *s) __attribute__((alias("lstat")));
int fstat64(int fd, struct stat64 *s) __attribute__((alias("fstat")));
int fstatat64(int folder, const char *path, struct stat64 *s, int flags)
	__attribute__((alias("fstatat")));
int __open64_2(const char *path, int flags);
int __open64_2(const char *path, int flags)
{
	return open(path, flags);
}

char *__realpath_chk(const char *path, char *out, size_t size);
char *__realpath_chk(const char *path, char *out, size_t size)
{
	(void)size;
	return realpath(path, out);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));
int openat64(int folder, const char *path, int flags, ...)
	__attribute__((alias("openat")));
off_t lseek64(int fd, off_t to, int whence) __attribute__((alias("lseek")));
ssize_t pread64(int fd, void *out, size_t len, off_t at)
	__attribute__((alias("pread")));

/* ---- begin and end ---- */

static long number_of(const char *name)
{
	const char *text = getenv(name);

	return text ? strtol(text, NULL, 10) : 0;
}

/* Opened before the program closes its sandbox. */
static FILE *open_report(void)
{
	const char *path = getenv("FAULT_REPORT");

	return path ? fopen(path, "we") : NULL;
}

static void report(FILE *file)
{
	if (!file)
		return;
	fprintf(file, "%ld %ld %ld\n", atomic_load(&allocations),
		atomic_load(&calls), atomic_load(&live));
	fclose(file);
}

static int (*program_main)(int argc, char **argv, char **envp);

/* The code of the program, which the loader lists first. */
static int find_code(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];

		if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
			continue;
		code_from = info->dlpi_addr + part->p_vaddr;
		code_to = code_from + part->p_memsz;
	}
	return 1;
}

static int counted_main(int argc, char **argv, char **envp)
{
	const char *kind = getenv("FAULT_KIND");
	FILE *file = open_report();
	int status;

	fails_allocations = kind && strcmp(kind, "allocation") == 0;
	fails_calls = kind && strcmp(kind, "call") == 0;
	is_forever = getenv("FAULT_FOREVER") != NULL;
	fault_at = number_of("FAULT_AT");
	fault_errno = (int)number_of("FAULT_ERRNO");
	fault_signal = (int)number_of("FAULT_SIGNAL");
	most_bytes = number_of("FAULT_BYTES");
	dl_iterate_phdr(find_code, NULL);
	atomic_store(&is_on, true);
	status = program_main(argc, argv, envp);
	atomic_store(&is_on, false);
	report(file);
	return status;
}

typedef int (*start_main)(int (*)(int, char **, char **), int, char **,
			  void (*)(void), void (*)(void), void (*)(void),
			  void *);

int __libc_start_main(int (*entry)(int, char **, char **), int argc,
		      char **argv, void (*init)(void), void (*fini)(void),
		      void (*at_exit)(void), void *stack_end);

int __libc_start_main(int (*entry)(int, char **, char **), int argc,
		      char **argv, void (*init)(void), void (*fini)(void),
		      void (*at_exit)(void), void *stack_end)
{
	start_main next = (start_main)real("__libc_start_main");

	program_main = entry;
	return next(counted_main, argc, argv, init, fini, at_exit, stack_end);
}
