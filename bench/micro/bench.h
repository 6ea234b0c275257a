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

struct job {
	const char *name;
	/* Measured. heap_bytes receives what the model's arena took. */
	bool (*run)(void *context, size_t *heap_bytes, struct error *err);
	/* Not measured: after each run, what run left is released. */
	void (*drop)(void *context);
	void *context;
	size_t items;
	size_t bytes; /* of input; 0: not a reader */
};

/* Column names, and what items are ("span"). */
void bench_head(const char *item);

/* The best of several runs. Adds to *ns_per_item, when not NULL. */
bool bench_job(const struct job *job, double *ns_per_item,
	       struct error *err) MUST_CHECK;

/* What an item costs in a small and a large input: equal when linear. */
void bench_growth(const char *name, double small_ns, double large_ns);

/* Tells err and returns the program's exit status. */
int bench_end(bool done, const struct error *err);

#endif
