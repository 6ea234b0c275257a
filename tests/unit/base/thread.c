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
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runs_once),
		cmocka_unit_test(test_without_a_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
