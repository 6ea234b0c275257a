/* SPDX-License-Identifier: Apache-2.0
 *
 * Measures jobs and prints one line each. Jobs run in one thread, so time is
 * the processor time of the process: other load of the machine counts little.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* What all jobs on one input are given. */
struct job_input {
	void *context;
	/* Not measured: after each run, what it left is released. */
	void (*drop)(void *context);
	size_t items;
};

struct job {
	const char *name;
	/* Measured. heap_bytes receives what the model's arena took. */
	bool (*run)(void *context, size_t *heap_bytes, struct error *err);
	size_t bytes; /* of input; 0: not a reader */
};

#define JOBS_MAX 8u

/* What jobs on one input cost. */
struct job_costs {
	size_t count;
	const char *names[JOBS_MAX];
	double ns_per_item[JOBS_MAX];
};

/* The best of several runs of each job of a list. */
bool bench_jobs(const struct job *jobs, size_t count,
		const struct job_input *input, struct job_costs *costs,
		struct error *err) MUST_CHECK;

/* A program's main(): makes an input of so many items, calls bench_jobs() with
 * it and releases it, for a small and for a large one; item is what they are
 * ("span"). An item costs the same in both when a job is linear. */
typedef bool bench_all(uint32_t items, struct job_costs *costs,
		       struct error *err);
int bench_main(const char *item, uint32_t small, uint32_t large,
	       bench_all *measure);

#endif
