/* SPDX-License-Identifier: Apache-2.0
 *
 * Built twice: with what this system has, and with what stands in for it.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../unit.h"
#include "base/num.h"
#include "base/system.h"
#include "base/thread.h"

#define ITEMS 5000u

/* The order of the numbers after the context is taken off, modulo 2^32. */
static int compare_from(const void *a, const void *b, void *context)
{
	const uint32_t *from = context;
	uint32_t first = *(const uint32_t *)a - *from;
	uint32_t second = *(const uint32_t *)b - *from;

	return (first > second) - (first < second);
}

struct sorted {
	uint32_t from;
	uint32_t items[ITEMS];
};

static void sort(void *data)
{
	struct sorted *s = data;

	for (uint32_t i = 0; i < ITEMS; i++)
		s->items[i] = i * UINT32_C(2654435761);
	system_sort(s->items, ITEMS, sizeof *s->items, compare_from, &s->from);
}

static void check_sorted(struct sorted *s)
{
	for (uint32_t i = 1; i < ITEMS; i++)
		assert_true(compare_from(&s->items[i - 1], &s->items[i],
					 &s->from) < 0);
}

/* Each thread has its own context. */
static void test_sorts_in_a_context(void **state)
{
	static struct sorted here = { .from = 0 },
			     there = { .from = UINT32_C(0x80000000) };
	struct thread beside;

	(void)state;
	for (int i = 0; i < 20; i++) {
		thread_start(&beside, sort, &there);
		sort(&here);
		thread_join(&beside);
		check_sorted(&here);
		check_sorted(&there);
	}
	system_sort(NULL, 0, sizeof *here.items, compare_from, &here.from);
}

static void test_programs_get_no_pipe(void **state)
{
	int ends[2];
	char byte = 0;

	(void)state;
	assert_int_equal(system_pipe(ends), 0);
	for (size_t i = 0; i < COUNT_OF(ends); i++)
		assert_true(fcntl(ends[i], F_GETFD) & FD_CLOEXEC);
	assert_int_equal(write(ends[1], "x", 1), 1);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	assert_int_equal(byte, 'x');
	close(ends[0]);
	close(ends[1]);
}

static volatile sig_atomic_t has_come;

static void on_signal(int number)
{
	(void)number;
	has_come = 1;
}

/* A signal that came before is not missed. */
static void test_waits_for_input_or_a_signal(void **state)
{
	struct sigaction action = { .sa_handler = on_signal }, before;
	sigset_t blocked, open;
	int ends[2];

	(void)state;
	assert_int_equal(system_pipe(ends), 0);
	sigaction(SIGUSR1, &action, &before);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	sigprocmask(SIG_BLOCK, &blocked, &open);
	raise(SIGUSR1);
	assert_false(has_come);
	assert_true(system_wait_input(ends[0], &open) < 0);
	assert_int_equal(errno, EINTR);
	assert_true(has_come);
	assert_int_equal(write(ends[1], "x", 1), 1);
	assert_int_equal(system_wait_input(ends[0], &open), 1);
	sigprocmask(SIG_SETMASK, &open, NULL);
	sigaction(SIGUSR1, &before, NULL);
	close(ends[0]);
	close(ends[1]);
}

static void test_random_bytes(void **state)
{
	unsigned char first[256] = { 0 }, second[256] = { 0 };

	(void)state;
	assert_true(system_random(first, sizeof first));
	assert_true(system_random(second, sizeof second));
	assert_memory_not_equal(first, second, sizeof first);
	/* The last ones, too. */
	assert_memory_not_equal(first + 240, second + 240, 16);
}

static void test_wipes(void **state)
{
	char text[] = "a secret", zeros[sizeof text - 3] = { 0 };

	(void)state;
	system_wipe(text + 1, sizeof text - 3);
	assert_int_equal(text[0], 'a');
	assert_memory_equal(text + 1, zeros, sizeof text - 3);
	assert_int_equal(text[sizeof text - 2], 't');
}

static void test_log_gamma(void **state)
{
	(void)state;
	assert_true(fabs(system_log_gamma(1)) < 1e-15);
	assert_true(fabs(system_log_gamma(5) - log(24)) < 1e-14);
	assert_true(fabs(system_log_gamma(0.5) - log(M_PI) / 2) < 1e-14);
}

#define ROUNDS 2000

struct turns {
	struct tokens mine, yours;
	int count;
};

static void take_turns(void *data)
{
	struct turns *t = data;

	for (int i = 0; i < ROUNDS; i++) {
		tokens_take(&t->yours);
		t->count++;
		tokens_give(&t->mine);
	}
}

static void test_tokens(void **state)
{
	struct turns t = { .count = 0 };
	struct thread beside;

	(void)state;
	tokens_init(&t.mine, 2);
	tokens_take(&t.mine);
	tokens_take(&t.mine);
	tokens_init(&t.yours, 0);
	if (thread_try(&beside, take_turns, &t)) {
		for (int i = 0; i < ROUNDS; i++) {
			tokens_give(&t.yours);
			tokens_take(&t.mine);
			assert_int_equal(t.count, i + 1);
		}
		thread_join(&beside);
	}
	tokens_release(&t.mine);
	tokens_release(&t.yours);
}

UNIT_TESTS(system)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sorts_in_a_context),
		cmocka_unit_test(test_programs_get_no_pipe),
		cmocka_unit_test(test_waits_for_input_or_a_signal),
		cmocka_unit_test(test_random_bytes),
		cmocka_unit_test(test_wipes),
		cmocka_unit_test(test_log_gamma),
		cmocka_unit_test(test_tokens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
