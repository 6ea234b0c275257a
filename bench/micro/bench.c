/* SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include <stdio.h>
#include <time.h>

#include "base/timefmt.h"

/* Enough runs for one that nothing disturbed, and an end in sight. */
#define RUNS_MIN 3
#define RUNS_MAX 20
#define JOB_NS NS_PER_S

static int64_t cpu_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

void bench_head(const char *item)
{
	printf("%-28s %8ss %12s %5s %9s %9s %8s %9s\n", "job", item, "bytes",
	       "runs", "best ms", "MB/s", "ns/item", "heap MiB");
}

static void print_line(const struct job *job, int runs, int64_t best_ns,
		       size_t heap_bytes)
{
	double ns = (double)best_ns;

	printf("%-28s %9zu %12zu %5d %9.2f", job->name, job->items, job->bytes,
	       runs, ns / (double)NS_PER_MS);
	if (job->bytes)
		printf(" %9.1f", (double)job->bytes * 1000 / ns);
	else
		printf(" %9s", "-");
	printf(" %8.1f %9.1f\n", ns / (double)job->items,
	       (double)heap_bytes / (double)MIB);
	fflush(stdout);
}

bool bench_job(const struct job *job, double *ns_per_item, struct error *err)
{
	int64_t best_ns = INT64_MAX, spent_ns = 0;
	size_t heap_bytes = 0;
	int runs = 0;

	while (runs < RUNS_MIN || (runs < RUNS_MAX && spent_ns < JOB_NS)) {
		int64_t start_ns = cpu_now_ns();
		bool done = job->run(job->context, &heap_bytes, err);
		int64_t ns = cpu_now_ns() - start_ns;

		job->drop(job->context);
		if (!done)
			return error_prefix(err, "%s", job->name);
		best_ns = ns < best_ns ? ns : best_ns;
		spent_ns += ns;
		runs++;
	}
	/* A clock too coarse to see the job at all. */
	best_ns = best_ns > 0 ? best_ns : 1;
	print_line(job, runs, best_ns, heap_bytes);
	if (ns_per_item)
		*ns_per_item = (double)best_ns / (double)job->items;
	return true;
}

void bench_growth(const char *name, double small_ns, double large_ns)
{
	printf("growth: %-28s %8.1f -> %8.1f ns/item, x %.2f\n", name, small_ns,
	       large_ns, large_ns / small_ns);
}

int bench_end(bool done, const struct error *err)
{
	if (!done)
		fprintf(stderr, "%s\n", err->message);
	return !done;
}
