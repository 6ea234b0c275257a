/* SPDX-License-Identifier: Apache-2.0 */
#include "testing.h"

#include "../starving.h"
#include "base/thread.h"

struct task {
	int runs;
	pthread_t ran_on;
};

static void run(void *data)
{
	struct task *task = data;

	task->runs++;
	task->ran_on = pthread_self();
}

static void test_runs_once(void **state)
{
	struct task task = { .runs = 0 };
	struct thread t;

	(void)state;
	thread_start(&t, run, &task);
	thread_join(&t);
	assert_int_equal(task.runs, 1);
	assert_false(t.is_running);
	thread_join(&t); /* nothing is left to wait for */
	assert_int_equal(!pthread_equal(task.ran_on, pthread_self()),
			 thread_is_worth_it());
}

static void test_without_a_thread(void **state)
{
	struct task task = { .runs = 0 };
	struct thread t;

	(void)state;
	starve_after(0);
	thread_start(&t, run, &task);
	stop_starving();
	assert_int_equal(task.runs, 1);
	assert_false(t.is_running);
	assert_true(pthread_equal(task.ran_on, pthread_self()));
	thread_join(&t);
	starve_after(0);
	assert_false(thread_try(&t, run, &task));
	stop_starving();
	assert_int_equal(task.runs, 1);
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
	struct task tasks[4] = { { .runs = 0 } };

	(void)state;
	thread_both(run, &tasks[0], &tasks[1], true);
	assert_true(pthread_equal(tasks[0].ran_on, pthread_self()));
	assert_int_equal(!pthread_equal(tasks[1].ran_on, pthread_self()),
			 thread_is_worth_it());
	thread_both(count, &tasks[2], &tasks[3], false);
	assert_true(pthread_equal(tasks[3].ran_on, pthread_self()));
	starve_after(0);
	thread_both(run, &tasks[0], &tasks[1], true);
	stop_starving();
	assert_true(pthread_equal(tasks[1].ran_on, pthread_self()));
	assert_int_equal(tasks[0].runs, 2);
	assert_int_equal(tasks[1].runs, 2);
	assert_int_equal(tasks[2].runs, 1);
	assert_int_equal(tasks[3].runs, 2);
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
	starve_after(0);
	assert_halves(ITEMS, 0, false);
	stop_starving();
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runs_once),
		cmocka_unit_test(test_without_a_thread),
		cmocka_unit_test(test_both),
		cmocka_unit_test(test_halves),
		cmocka_unit_test(test_tokens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
