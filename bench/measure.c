/* SPDX-License-Identifier: Apache-2.0
 *
 * measure REPORT CPUS STACK_KIB PROGRAM [ARGUMENT...]
 *
 * Runs a program and writes one line to the file REPORT: its passed time, its
 * processor time in user and system mode (ns), its largest resident set (KiB)
 * and its exit status. It may use so many processors (0: all), and has so
 * large a stack (0: as it is). Small, because the kernel counts the memory of
 * a process before exec() to that after it: a parent of 20 MB would be all
 * one sees of a program that needs 5.
 */
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static long long timeval_ns(struct timeval t)
{
	return (long long)t.tv_sec * 1000000000 + t.tv_usec * 1000LL;
}

/* The last ones: the first has most of the interrupts. */
static int keep_cpus(long count)
{
	cpu_set_t may, keep;

	CPU_ZERO(&keep);
	if (sched_getaffinity(0, sizeof may, &may))
		return -1;
	for (size_t i = CPU_SETSIZE; i-- > 0 && count > 0;) {
		if (!CPU_ISSET(i, &may))
			continue;
		CPU_SET(i, &keep);
		count--;
	}
	return sched_setaffinity(0, sizeof keep, &keep);
}

static int keep_stack(long kib)
{
	struct rlimit limit = { (rlim_t)kib * 1024, (rlim_t)kib * 1024 };

	return setrlimit(RLIMIT_STACK, &limit);
}

static void run(char **args)
{
	long cpus = strtol(args[2], NULL, 10);
	long stack_kib = strtol(args[3], NULL, 10);

	if ((cpus && keep_cpus(cpus)) || (stack_kib && keep_stack(stack_kib)))
		perror("measure");
	else
		execvp(args[4], args + 4);
	fprintf(stderr, "%s: %s\n", args[4], strerror(errno));
	_exit(127);
}

static int report(const char *path, int64_t passed_ns, int status,
		  const struct rusage *usage)
{
	int code = WIFEXITED(status) ? WEXITSTATUS(status)
				     : 128 + WTERMSIG(status);
	FILE *file = fopen(path, "w");

	if (!file)
		return -1;
	fprintf(file, "%lld %lld %lld %ld %d\n", (long long)passed_ns,
		timeval_ns(usage->ru_utime), timeval_ns(usage->ru_stime),
		usage->ru_maxrss, code);
	return fclose(file);
}

int main(int argc, char **argv)
{
	struct rusage usage;
	int64_t start_ns;
	int status;
	pid_t child;

	if (argc < 5)
		return fprintf(stderr, "usage: measure REPORT CPUS STACK_KIB "
				       "PROGRAM [ARGUMENT...]\n"),
		       2;
	start_ns = now_ns();
	child = fork();
	if (child == 0)
		run(argv);
	if (child < 0 || wait4(child, &status, 0, &usage) != child ||
	    report(argv[1], now_ns() - start_ns, status, &usage))
		return perror("measure"), 1;
	return 0;
}
