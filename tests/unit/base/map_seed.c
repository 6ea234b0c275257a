/* SPDX-License-Identifier: Apache-2.0
 *
 * The key of the maps, on a system that gives no randomness when it is asked,
 * and has a clock, processes and addresses that can be guessed.
 */
#include "testing.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/map.h"

static const char *program;

/* Slow, so that threads that draw a key of their own meet here. */
ssize_t getrandom(void *out, size_t len, unsigned flags)
{
	(void)out;
	(void)len;
	(void)flags;
	usleep(10000);
	errno = EAGAIN;
	return -1;
}

int clock_gettime(clockid_t id, struct timespec *now)
{
	static atomic_int calls;

	(void)id;
	*now = (struct timespec){ .tv_sec = ++calls };
	return 0;
}

pid_t getpid(void)
{
	return 1;
}

static void *hash_text(void *hash)
{
	*(uint64_t *)hash = hash_bytes("text", 4);
	return NULL;
}

/* What two threads that come first make of one text. */
static int print_hashes(void)
{
	uint64_t first = 0, second = 1;
	pthread_t beside;

	if (pthread_create(&beside, NULL, hash_text, &first))
		return 1;
	hash_text(&second);
	pthread_join(beside, NULL);
	printf("%016llx %016llx\n", (unsigned long long)first,
	       (unsigned long long)second);
	return 0;
}

static void read_hashes(char first[17], char second[17])
{
	char command[4200];
	FILE *run;

	snprintf(command, sizeof command, "'%s' print", program);
	run = popen(command, "r");
	assert_non_null(run);
	assert_int_equal(fscanf(run, "%16s %16s", first, second), 2);
	assert_int_equal(pclose(run), 0);
}

static void test_threads_have_one_key(void **state)
{
	char first[17], second[17];

	(void)state;
	for (int i = 0; i < 5; i++) {
		read_hashes(first, second);
		assert_string_equal(first, second);
	}
}

static void test_no_key_is_guessed(void **state)
{
	char first[17], second[17], other[17];

	(void)state;
	read_hashes(first, other);
	read_hashes(second, other);
	assert_string_not_equal(first, second);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads_have_one_key),
		cmocka_unit_test(test_no_key_is_guessed),
	};

	if (argc > 1 && !strcmp(argv[1], "print"))
		return print_hashes();
	program = argv[0];
	/* Where it may not be switched off, keys differ by addresses. */
	(void)personality(ADDR_NO_RANDOMIZE);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
