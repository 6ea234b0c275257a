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

static void print_head(const char *item)
{
	printf("%-28s %8ss %12s %5s %9s %9s %8s %9s\n", "job", item, "bytes",
	       "runs", "best ms", "MB/s", "ns/item", "heap MiB");
}

static void print_line(const struct job *job, size_t items, int runs,
		       int64_t best_ns, size_t heap_bytes)
{
	double ns = (double)best_ns;

	printf("%-28s %9zu %12zu %5d %9.2f", job->name, items, job->bytes, runs,
	       ns / (double)NS_PER_MS);
	if (job->bytes)
		printf(" %9.1f", (double)job->bytes * 1000 / ns);
	else
		printf(" %9s", "-");
	printf(" %8.1f %9.1f\n", ns / (double)items,
	       (double)heap_bytes / (double)MIB);
	fflush(stdout);
}

static bool measure_job(const struct job *job, const struct job_input *input,
			double *ns_per_item, struct error *err)
{
	int64_t best_ns = INT64_MAX, spent_ns = 0;
	size_t heap_bytes = 0;
	int runs = 0;

	while (runs < RUNS_MIN || (runs < RUNS_MAX && spent_ns < JOB_NS)) {
		int64_t start_ns = cpu_now_ns();
		bool done = job->run(input->context, &heap_bytes, err);
		int64_t ns = cpu_now_ns() - start_ns;

		input->drop(input->context);
		if (!done)
			return error_prefix(err, "%s", job->name);
		best_ns = ns < best_ns ? ns : best_ns;
		spent_ns += ns;
		runs++;
	}
	/* A clock too coarse to see the job at all. */
	best_ns = best_ns > 0 ? best_ns : 1;
	print_line(job, input->items, runs, best_ns, heap_bytes);
	*ns_per_item = (double)best_ns / (double)input->items;
	return true;
}

bool bench_jobs(const struct job *jobs, size_t count,
		const struct job_input *input, struct job_costs *costs,
		struct error *err)
{
	for (size_t i = 0; i < count; i++) {
		if (!measure_job(&jobs[i], input, &costs->ns_per_item[i], err))
			return false;
		costs->names[i] = jobs[i].name;
	}
	costs->count = count;
	return true;
}

int bench_main(const char *item, uint32_t small, uint32_t large,
	       bench_all *measure)
{
	struct job_costs before = { 0 }, after = { 0 };
	struct error err = { 0 };

	print_head(item);
	if (!measure(small, &before, &err) || !measure(large, &after, &err)) {
		fprintf(stderr, "%s\n", err.message);
		return 1;
	}
	for (size_t i = 0; i < after.count; i++) {
		double from = before.ns_per_item[i], to = after.ns_per_item[i];

		printf("growth: %-28s %8.1f -> %8.1f ns/item, x %.2f\n",
		       after.names[i], from, to, to / from);
	}
	return 0;
}
