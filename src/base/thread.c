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

bool thread_try(struct thread *t, void (*run)(void *task), void *task)
{
	struct start *start = NULL;

	*t = (struct thread){ .is_running = false };
	hash_bytes("", 0); /* draws the key that all threads share */
	if (thread_is_worth_it())
		start = mem_alloc(sizeof *start);
	if (!start)
		return false;
	*start = (struct start){ run, task };
	t->is_running = !pthread_create(&t->id, NULL, run_start, start);
	if (!t->is_running)
		mem_free(start);
	return t->is_running;
}

void thread_start(struct thread *t, void (*run)(void *task), void *task)
{
	if (!thread_try(t, run, task))
		run(task);
}

void thread_join(struct thread *t)
{
	if (t->is_running)
		pthread_join(t->id, NULL);
	t->is_running = false;
}

void thread_both(void (*run)(void *task), void *first, void *second,
		 bool is_worth_it)
{
	struct thread beside = { .is_running = false };
	bool is_beside = is_worth_it && thread_try(&beside, run, second);

	run(first);
	if (!is_beside)
		run(second);
	thread_join(&beside);
}

struct half {
	struct thread_part part;
	void (*run)(struct thread_part *part);
};

static void run_half(void *task)
{
	struct half *half = task;

	half->run(&half->part);
}

void thread_halves(void (*run)(struct thread_part *part), void *task,
		   size_t count, size_t least)
{
	struct half first = { { task, 0, count / 2, 0 }, run };
	struct half second = { { task, count / 2, count, 1 }, run };

	thread_both(run_half, &first, &second, count >= least);
}

/* Fails for a count that is too large only. */
void tokens_init(struct tokens *t, unsigned count)
{
	(void)sem_init(&t->sem, 0, count);
}

void tokens_release(struct tokens *t)
{
	sem_destroy(&t->sem);
}

void tokens_give(struct tokens *t)
{
	sem_post(&t->sem);
}

/* A signal may have ended the waiting. */
void tokens_take(struct tokens *t)
{
	while (sem_wait(&t->sem))
		;
}
