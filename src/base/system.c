/* SPDX-License-Identifier: Apache-2.0 */
#include "base/system.h"

#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#ifdef SYSTEM_LINUX

#include <sys/auxv.h>

void system_sort(void *items, size_t count, size_t size,
		 int (*compare)(const void *a, const void *b, void *context),
		 void *context)
{
	qsort_r(items, count, size, compare, context);
}

int system_pipe(int ends[2])
{
	return pipe2(ends, O_CLOEXEC);
}

int system_wait_input(int fd, const sigset_t *mask)
{
	struct pollfd input = { .fd = fd, .events = POLLIN };

	return ppoll(&input, 1, NULL, mask);
}

bool system_random(void *bytes, size_t size)
{
	return getrandom(bytes, size, GRND_NONBLOCK) == (ssize_t)size;
}

const void *system_random_of_start(void)
{
	return (const void *)getauxval(AT_RANDOM);
}

void system_wipe(void *ptr, size_t size)
{
	explicit_bzero(ptr, size);
}

double system_log_gamma(double x)
{
	int sign;

	return lgamma_r(x, &sign);
}

#else

/* Context for qsort(), which does not pass any. */
static _Thread_local struct {
	int (*compare)(const void *a, const void *b, void *context);
	void *context;
} sorting;

static int compare_in_context(const void *a, const void *b)
{
	return sorting.compare(a, b, sorting.context);
}

void system_sort(void *items, size_t count, size_t size,
		 int (*compare)(const void *a, const void *b, void *context),
		 void *context)
{
	sorting.compare = compare;
	sorting.context = context;
	/* qsort() must not get NULL, even with count 0. */
	if (count)
		qsort(items, count, size, compare_in_context);
}

/* Between the two calls another thread may start a program, which then keeps
 * the pipe open while it runs: such programs are waited for anyway. */
int system_pipe(int ends[2])
{
	if (pipe(ends))
		return -1;
	if (fcntl(ends[0], F_SETFD, FD_CLOEXEC) != -1 &&
	    fcntl(ends[1], F_SETFD, FD_CLOEXEC) != -1)
		return 0;
	close(ends[0]);
	close(ends[1]);
	return -1;
}

/* poll() does not take a mask, and does not support terminals on macOS. */
int system_wait_input(int fd, const sigset_t *mask)
{
	fd_set inputs;

	FD_ZERO(&inputs);
	FD_SET(fd, &inputs);
	return pselect(fd + 1, &inputs, NULL, NULL, NULL, mask);
}

bool system_random(void *bytes, size_t size)
{
	return !getentropy(bytes, size);
}

const void *system_random_of_start(void)
{
	return NULL;
}

/* volatile, so that the compiler cannot know the function. */
static void *(*const volatile set_bytes)(void *ptr, int byte,
					 size_t size) = memset;

void system_wipe(void *ptr, size_t size)
{
	set_bytes(ptr, 0, size);
}

/* lgamma() stores the sign in a global, which nothing reads. */
double system_log_gamma(double x)
{
	return lgamma(x);
}

#endif
