/* SPDX-License-Identifier: Apache-2.0 */
#include "base/thread.h"

#include <signal.h>
#include <unistd.h>

#include "base/mem.h"

#ifdef SYSTEM_LINUX
#include <sched.h>
#endif

/* A thread, kept after its task: waking it takes a third of the time of
 * creating one. */
struct worker {
	pthread_t id;
	struct worker *next; /* in the list of idle ones */
	void (*run)(void *task);
	void *task;
	struct tokens given, done;
};

static pthread_mutex_t idle_lock = PTHREAD_MUTEX_INITIALIZER;
static struct worker *idle;

static void *thread_work(void *data)
{
	struct worker *w = data;

	for (;;) {
		tokens_take(&w->given);
		w->run(w->task);
		tokens_give(&w->done);
	}
	return NULL;
}

static struct worker *worker_new(void)
{
	struct worker *w = mem_alloc(sizeof *w);
	sigset_t all, before;
	bool is_created;

	if (!w)
		return NULL;
	tokens_init(&w->given, 0);
	tokens_init(&w->done, 0);
	/* Blocks signals in the new thread: a signal meant to interrupt another
	 * thread's wait must not be delivered here. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	is_created = !pthread_create(&w->id, NULL, thread_work, w);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (is_created)
		return w;
	tokens_release(&w->given);
	tokens_release(&w->done);
	mem_free(w);
	return NULL;
}

#ifdef SYSTEM_LINUX

/* Processors this process may run on. */
struct processors {
	cpu_set_t set;
};

/* Linux may queue the new thread on its creator's processor for 3 ms and more,
 * as long as that keeps computing, although another one is idle
 * (docs/lab/performance.md, "a task begins on another processor"). */
static void give_elsewhere(struct worker *w, const struct processors *allowed)
{
	cpu_set_t others = allowed->set;
	int here = sched_getcpu();

	if (here >= 0)
		CPU_CLR((size_t)here, &others);
	(void)pthread_setaffinity_np(w->id, sizeof others, &others);
	tokens_give(&w->given);
	/* It was placed. Lift the restriction, since another processor may
	 * become better before it starts. */
	(void)pthread_setaffinity_np(w->id, sizeof allowed->set, &allowed->set);
}

/* Returns false if there is only one. */
static bool find_processors(struct processors *allowed)
{
	return !sched_getaffinity(0, sizeof allowed->set, &allowed->set) &&
	       CPU_COUNT(&allowed->set) > 1;
}

#else

/* All online processors. */
struct processors {
	long count;
};

static void give_elsewhere(struct worker *w, const struct processors *allowed)
{
	(void)allowed;
	tokens_give(&w->given);
}

static bool find_processors(struct processors *allowed)
{
	allowed->count = sysconf(_SC_NPROCESSORS_ONLN);
	return allowed->count > 1;
}

#endif

bool thread_is_worth_it(void)
{
	struct processors allowed;

	return find_processors(&allowed);
}

bool thread_try(struct thread *t, void (*run)(void *task), void *task)
{
	struct worker *w;
	struct processors allowed;

	*t = (struct thread){ .worker = NULL };
	if (!find_processors(&allowed))
		return false;
	pthread_mutex_lock(&idle_lock);
	w = idle;
	if (w)
		idle = w->next;
	pthread_mutex_unlock(&idle_lock);
	if (!w)
		w = worker_new();
	if (!w)
		return false;
	w->run = run;
	w->task = task;
	give_elsewhere(w, &allowed);
	t->worker = w;
	return true;
}

void thread_start(struct thread *t, void (*run)(void *task), void *task)
{
	if (!thread_try(t, run, task))
		run(task);
}

void thread_join(struct thread *t)
{
	if (!t->worker)
		return;
	tokens_take(&t->worker->done);
	pthread_mutex_lock(&idle_lock);
	t->worker->next = idle;
	idle = t->worker;
	pthread_mutex_unlock(&idle_lock);
	t->worker = NULL;
}

void thread_both(void (*run)(void *task), void *first, void *second,
		 bool is_worth_it)
{
	struct thread beside = { .worker = NULL };
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

#ifdef SYSTEM_LINUX

/* Only fails if count is too large. */
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

/* A signal may have interrupted the wait. */
void tokens_take(struct tokens *t)
{
	while (sem_wait(&t->sem))
		;
}

#else

void tokens_init(struct tokens *t, unsigned count)
{
	(void)pthread_mutex_init(&t->lock, NULL);
	(void)pthread_cond_init(&t->is_there, NULL);
	t->count = count;
}

void tokens_release(struct tokens *t)
{
	pthread_cond_destroy(&t->is_there);
	pthread_mutex_destroy(&t->lock);
}

void tokens_give(struct tokens *t)
{
	pthread_mutex_lock(&t->lock);
	t->count++;
	pthread_cond_signal(&t->is_there);
	pthread_mutex_unlock(&t->lock);
}

void tokens_take(struct tokens *t)
{
	pthread_mutex_lock(&t->lock);
	while (!t->count)
		pthread_cond_wait(&t->is_there, &t->lock);
	t->count--;
	pthread_mutex_unlock(&t->lock);
}

#endif
