/* SPDX-License-Identifier: Apache-2.0
 *
 * Running two tasks in parallel: the two sides of a comparison, or reading and
 * processing. Results do not depend on scheduling: data that either the task or
 * its caller changes before thread_join() is not shared, or guarded by a token.
 *
 * Threads are kept for reuse until exit, so privileges must be dropped
 * (confine.h) before the first one starts.
 */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/system.h"

#ifdef SYSTEM_LINUX
#include <semaphore.h>
#endif

struct worker;

struct thread {
	struct worker *worker; /* NULL: not running */
};

/* Runs the task on another thread. With a single processor, or if no thread can
 * be had, runs it before returning. */
void thread_start(struct thread *t, void (*run)(void *task), void *task);

/* Same, but returns false without running the task if no thread can be had. */
bool thread_try(struct thread *t, void (*run)(void *task), void *task);

/* Waits until the task is done. */
void thread_join(struct thread *t);

/* Runs both tasks: in parallel if is_worth_it (they are large enough), else the
 * first, then the second. */
void thread_both(void (*run)(void *task), void *first, void *second,
		 bool is_worth_it);

/* A contiguous part of the items of a task: from first up to, not including,
 * end. */
struct thread_part {
	void *task;
	size_t first, end;
	unsigned number;
};

#define THREAD_HALVES 2

/* Runs the task over the two halves of the items: in parallel if there are at
 * least `least` items, else the first, then the second. */
void thread_halves(void (*run)(struct thread_part *part), void *task,
		   size_t count, size_t least);

/* A counting semaphore, for resources that two threads hand to each other. */
struct tokens {
#ifdef SYSTEM_LINUX
	sem_t sem;
#else
	pthread_mutex_t lock;
	pthread_cond_t is_there;
	unsigned count;
#endif
};

void tokens_init(struct tokens *t, unsigned count);
void tokens_release(struct tokens *t);
void tokens_give(struct tokens *t);

/* Waits for a token. */
void tokens_take(struct tokens *t);

/* Returns whether this process may run on two or more processors. */
bool thread_is_worth_it(void);

#endif
