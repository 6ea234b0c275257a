/* SPDX-License-Identifier: Apache-2.0 */
#include "base/thread.h"

#include <sched.h>

#include "base/map.h"
#include "base/mem.h"

struct start {
	void (*run)(void *task);
	void *task;
};

static void *run_start(void *data)
{
	struct start start = *(struct start *)data;

	mem_free(data);
	start.run(start.task);
	return NULL;
}

bool thread_is_worth_it(void)
{
	cpu_set_t set;

	return !sched_getaffinity(0, sizeof set, &set) && CPU_COUNT(&set) > 1;
}

void thread_start(struct thread *t, void (*run)(void *task), void *task)
{
	struct start *start = NULL;

	*t = (struct thread){ .is_running = false };
	hash_bytes("", 0); /* draws the key that all threads share */
	if (thread_is_worth_it())
		start = mem_alloc(sizeof *start);
	if (start) {
		*start = (struct start){ run, task };
		t->is_running = !pthread_create(&t->id, NULL, run_start, start);
		if (!t->is_running)
			mem_free(start);
	}
	if (!t->is_running)
		run(task);
}

void thread_join(struct thread *t)
{
	if (t->is_running)
		pthread_join(t->id, NULL);
	t->is_running = false;
}
