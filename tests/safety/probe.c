/* SPDX-License-Identifier: Apache-2.0
 *
 * Preloaded into the program: when it first takes something from a server, or
 * writes to standard output, when its sandbox must be closed, tries what a
 * hostile answer would want it to do. What came of it goes to PROBE_REPORT, a
 * line each: NAME ERRNO, 0 when it worked.
 *
 *   PROBE_READ     file to read      PROBE_WRITE   file to make
 *   PROBE_NAMED    file to read      PROBE_BESIDE  file to make
 *   PROBE_READ_BESIDE, PROBE_READ_BELOW   files to read near an output
 *   PROBE_PORT     of a server on this machine
 *   PROBE_VERSION  of Landlock that the kernel is to seem to have; 0: none
 *   PROBE_SECCOMP  "none": the kernel seems to have no seccomp
 *   PROBE_OPENAT2  "none": nor openat2()
 */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int report = -1;

__attribute__((constructor)) static void open_report(void)
{
	const char *path = getenv("PROBE_REPORT");

	if (path)
		report = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
}

static void tell(const char *name, bool is_done)
{
	dprintf(report, "%s %d\n", name, is_done ? 0 : errno);
}

static void try_file(const char *name, const char *variable, int flags)
{
	const char *path = getenv(variable);
	int fd;

	if (!path)
		return;
	fd = open(path, flags | O_CLOEXEC, 0600);
	tell(name, fd >= 0);
	if (fd >= 0)
		close(fd);
}

/* In a child, which tells by its status why it still is this program. */
static void try_program(void)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		char *const nothing[] = { NULL };

		execle("/bin/true", "true", (char *)NULL, nothing);
		_exit(errno);
	}
	waitpid(pid, &status, 0);
	errno = WEXITSTATUS(status);
	tell("exec", errno == 0);
}

static void try_network(void)
{
	const char *port = getenv("PROBE_PORT");
	struct sockaddr_in to = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	tell("listen", bind(fd, (struct sockaddr *)&to, sizeof to) == 0);
	close(fd);
	if (!port)
		return;
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	to.sin_port = htons((unsigned short)strtoul(port, NULL, 10));
	tell("connect", connect(fd, (struct sockaddr *)&to, sizeof to) == 0);
	close(fd);
}

static void try_all(void)
{
	char key = 'x';

	try_file("read", "PROBE_READ", O_RDONLY);
	try_file("read-beside", "PROBE_READ_BESIDE", O_RDONLY);
	try_file("read-below", "PROBE_READ_BELOW", O_RDONLY);
	try_file("named", "PROBE_NAMED", O_RDONLY);
	try_file("write", "PROBE_WRITE", O_WRONLY | O_CREAT);
	try_file("beside", "PROBE_BESIDE", O_WRONLY | O_CREAT);
	try_program();
	try_network();
	tell("trace", ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0);
	errno = 0;
	/* Without a terminal ENOTTY, or EIO, when it is let through. */
	(void)ioctl(STDIN_FILENO, TIOCSTI, &key);
	tell("type", errno != EPERM);
}

static void try_once(void)
{
	if (report < 0)
		return;
	try_all();
	close(report);
	report = -1;
}

ssize_t recv(int fd, void *data, size_t len, int flags)
{
	static ssize_t (*next)(int, void *, size_t, int);

	if (!next)
		next = (ssize_t(*)(int, void *, size_t, int))dlsym(RTLD_NEXT,
								   "recv");
	try_once();
	return next(fd, data, len, flags);
}

ssize_t write(int fd, const void *data, size_t len)
{
	static ssize_t (*next)(int, const void *, size_t);

	if (!next)
		next = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT,
								    "write");
	if (fd == STDOUT_FILENO)
		try_once();
	return next(fd, data, len);
}

#define CREATE_RULESET 444 /* landlock_create_ruleset() */
#define OPENAT2 437

/* The kernel as it is to seem. */
long syscall(long number, ...)
{
	static long (*next)(long, ...);
	const char *version = getenv("PROBE_VERSION");
	const char *seccomp = getenv("PROBE_SECCOMP");
	long a[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (!next)
		next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	if (number == SYS_seccomp && seccomp) {
		errno = EINVAL;
		return -1;
	}
	if (number == OPENAT2 && getenv("PROBE_OPENAT2")) {
		errno = ENOSYS;
		return -1;
	}
	if (number == CREATE_RULESET && version) {
		long seeming = strtol(version, NULL, 10);

		if (seeming == 0) {
			errno = ENOSYS;
			return -1;
		}
		if (!a[0])
			return seeming;
	}
	return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
