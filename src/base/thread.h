/* SPDX-License-Identifier: Apache-2.0
 *
 * One task beside another: the two sides of a comparison, or reading and what
 * is made of it. What they say does not depend on whether they ran at once: a
 * task shares nothing with its caller that either changes before thread_join()
 * or without a token for it.
 *
 * Threads are kept for further tasks until the program ends: what a program
 * takes away from itself (confine.h) it has to before the first one starts.
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
	struct worker *worker; /* NULL: nothing runs */
};

/* Runs the task on a thread of its own. Where there is but one processor, or
 * no thread is to be had, it is done when this returns. */
void thread_start(struct thread *t, void (*run)(void *task), void *task);

/* Where no thread is to be had, nothing is done, and it says false. */
bool thread_try(struct thread *t, void (*run)(void *task), void *task);

/* Waits until the task is done. */
void thread_join(struct thread *t);

/* Runs both tasks, of one kind: one beside the other where they are large
 * enough to be worth a thread, else the first one first. */
void thread_both(void (*run)(void *task), void *first, void *second,
		 bool is_worth_it);

/* Some of the items that a task goes over: those from the first up to the end,
 * and which of the parts these are. */
struct thread_part {
	void *task;
	size_t first, end;
	unsigned number;
};

#define THREAD_HALVES 2

/* Runs the task over the two halves of the items: one beside the other where
 * there are at least as many as are worth a thread, else the first one first.
 */
void thread_halves(void (*run)(struct thread_part *part), void *task,
		   size_t count, size_t least);

/* Each allows to use one thing of several, which two threads hand to each
 * other. */
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

/* Waits until there is one. */
void tokens_take(struct tokens *t);

/* Returns whether this process may run on two processors or more. */
bool thread_is_worth_it(void);

#endif
