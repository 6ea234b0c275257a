/* SPDX-License-Identifier: Apache-2.0
 *
 * One task beside another, for the two sides of a comparison. What they say
 * does not depend on whether they ran at once: a task shares nothing with its
 * caller that either changes before thread_join().
 */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

struct thread {
	pthread_t id;
	bool is_running;
};

/* Runs the task on a thread of its own. Where there is but one processor, or
 * no thread is to be had, it is done when this returns. */
void thread_start(struct thread *t, void (*run)(void *task), void *task);

/* Waits until the task is done. */
void thread_join(struct thread *t);

/* Whether this process may run on two processors or more. */
bool thread_is_worth_it(void);

#endif
