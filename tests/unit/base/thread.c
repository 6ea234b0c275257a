/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "testing.h"

#include <signal.h>

#include "../starving.h"
#include "base/thread.h"

struct task {
	int runs;
	pthread_t ran_on;
	bool is_signalled;
};

static void run(void *data)
{
	struct task *task = data;
	sigset_t blocked;

	task->runs++;
	task->ran_on = pthread_self();
	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	task->is_signalled = !sigismember(&blocked, SIGINT);
}

/* Its thread is busy until it is let go. */
static void wait(void *data)
{
	tokens_take(data);
}

/* To fewer processors than this thread? It is kept, and can be asked. */
static bool is_limited(const struct task *task)
{
	cpu_set_t here, there;

	assert_int_equal(sched_getaffinity(0, sizeof here, &here), 0);
	assert_int_equal(
		pthread_getaffinity_np(task->ran_on, sizeof there, &there), 0);
	return !CPU_EQUAL(&here, &there);
}

static bool ran_here(const struct task *task)
{
	return pthread_equal(task->ran_on, pthread_self());
}

/* Before any thread is there. */
static void test_without_memory(void **state)
{
	struct task task = { .runs = 0 };
	struct thread t;

	(void)state;
	starve_after(0);
	thread_start(&t, run, &task);
	stop_starving();
	assert_int_equal(task.runs, 1);
	assert_null(t.worker);
	assert_true(ran_here(&task));
	thread_join(&t);
	starve_after(0);
	assert_false(thread_try(&t, run, &task));
	stop_starving();
	assert_int_equal(task.runs, 1);
}

static void test_runs_once(void **state)
{
	struct task task = { .runs = 0 };
	struct thread t;

	(void)state;
	thread_start(&t, run, &task);
	thread_join(&t);
	assert_int_equal(task.runs, 1);
	assert_false(is_limited(&task));
	assert_null(t.worker);
	thread_join(&t); /* nothing is left to wait for */
	assert_int_equal(!ran_here(&task), thread_is_worth_it());
	assert_int_equal(task.is_signalled, ran_here(&task));
}

/* A thread is kept for the next task, which needs no memory then, and one that
 * is busy has no further task. */
static void test_runs_again(void **state)
{
	struct task first = { .runs = 0 }, second = { .runs = 0 };
	struct tokens let_go;
	struct thread t, busy;

	(void)state;
	thread_start(&t, run, &first);
	thread_join(&t);
	starve_after(0);
	thread_start(&t, run, &second);
	thread_join(&t);
	stop_starving();
	assert_int_equal(second.runs, 1);
	assert_true(pthread_equal(first.ran_on, second.ran_on));
	if (!thread_is_worth_it())
		return;
	tokens_init(&let_go, 0);
	assert_true(thread_try(&busy, wait, &let_go));
	starve_after(0);
	assert_false(thread_try(&t, run, &second));
	stop_starving();
	assert_true(thread_try(&t, run, &second));
	thread_join(&t);
	tokens_give(&let_go);
	thread_join(&busy);
	tokens_release(&let_go);
	assert_int_equal(second.runs, 2);
	assert_false(ran_here(&second));
	assert_false(pthread_equal(first.ran_on, second.ran_on));
}

/* Numbers them in the order in which they begin. */
static void count(void *data)
{
	static int runs;

	run(data);
	((struct task *)data)->runs = ++runs;
}

static void test_both(void **state)
{
	struct task first = { .runs = 0 }, second = { .runs = 0 };

	(void)state;
	thread_both(run, &first, &second, true);
	assert_int_equal(first.runs, 1);
	assert_int_equal(second.runs, 1);
	assert_true(ran_here(&first));
	assert_int_equal(!ran_here(&second), thread_is_worth_it());
	thread_both(count, &first, &second, false);
	assert_true(ran_here(&second));
	assert_int_equal(first.runs, 1);
	assert_int_equal(second.runs, 2);
}

#define ITEMS 7u

struct items {
	unsigned seen_by[ITEMS]; /* which part, from 1 on */
	pthread_t ran_on[THREAD_HALVES];
};

static void see(struct thread_part *part)
{
	struct items *items = part->task;

	items->ran_on[part->number] = pthread_self();
	for (size_t i = part->first; i < part->end; i++)
		items->seen_by[i] = 10 * items->seen_by[i] + part->number + 1;
}

static void assert_halves(size_t count, size_t least, bool is_beside)
{
	struct items items = { .seen_by = { 0 } };

	thread_halves(see, &items, count, least);
	for (size_t i = 0; i < ITEMS; i++)
		assert_int_equal(items.seen_by[i], i >= count      ? 0
						   : i < count / 2 ? 1
								   : 2);
	assert_true(pthread_equal(items.ran_on[0], pthread_self()));
	assert_int_equal(!pthread_equal(items.ran_on[1], pthread_self()),
			 is_beside);
}

static void test_halves(void **state)
{
	(void)state;
	assert_halves(ITEMS, ITEMS, thread_is_worth_it());
	assert_halves(ITEMS, ITEMS + 1, false);
	assert_halves(6, 1, thread_is_worth_it());
	assert_halves(1, 2, false);
	assert_halves(0, 1, false);
}

#define ROUNDS 10000u
#define PLACES 3u

struct ring {
	unsigned places[PLACES];
	struct tokens empty, full;
};

static void put_all(void *data)
{
	struct ring *ring = data;

	for (unsigned i = 0; i < ROUNDS; i++) {
		tokens_take(&ring->empty);
		ring->places[i % PLACES] = i;
		tokens_give(&ring->full);
	}
}

/* What one thread puts down the other finds, in order and none twice. */
static void test_tokens(void **state)
{
	struct ring ring;
	struct thread t;

	(void)state;
	tokens_init(&ring.empty, PLACES);
	tokens_init(&ring.full, 0);
	if (thread_try(&t, put_all, &ring)) {
		for (unsigned i = 0; i < ROUNDS; i++) {
			tokens_take(&ring.full);
			assert_int_equal(ring.places[i % PLACES], i);
			tokens_give(&ring.empty);
		}
	}
	thread_join(&t);
	tokens_release(&ring.empty);
	tokens_release(&ring.full);
}

UNIT_TESTS(thread)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_memory),
		cmocka_unit_test(test_runs_once),
		cmocka_unit_test(test_runs_again),
		cmocka_unit_test(test_both),
		cmocka_unit_test(test_halves),
		cmocka_unit_test(test_tokens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
