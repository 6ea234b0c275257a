/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/chosen.h"

#include <stdlib.h>

#include "analyze/ordering.h"
#include "backend/fetch_history.h"
#include "base/num.h"
#include "investigate/investigation.h"

/* Servers return the newest traces of a query: parts of the window spread them
 * over it. */
#define PARTS 4u
#define TRACES_PER_PART 100u
#define SLOW_TRACES 100u

#define SLOW_PERCENT 90
#define FAST_PERCENT 50

#define SIDE_MAX (LIMIT_COHORT_SPANS / 2)

enum { WINDOW_ALL, WINDOW_SLOW };

/* The kinds under which a service serves requests. */
static const enum span_kind kinds[] = { SPAN_KIND_SERVER, SPAN_KIND_CONSUMER,
					SPAN_KIND_INTERNAL };

#define KINDS (sizeof kinds / sizeof *kinds)

struct finding_spans {
	struct investigation *v;
	struct operation operations[KINDS];
	struct history history;
	int64_t *durations; /* of all, ascending */
	size_t count;
	int64_t slow_from_ns;
	int64_t fast_to_ns;
};

static bool searches_run(struct finding_spans *f, struct history_job *jobs,
			 size_t n, struct error *err)
{
	struct job *list[PARTS];

	for (size_t i = 0; i < n; i++)
		list[i] = &jobs[i].job;
	if (!jobs_run(f->v->backends, list, n, err))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!jobs[i].job.has_answer) {
			*err = jobs[i].job.err;
			return false;
		}
	return true;
}

static bool ask_all(struct finding_spans *f, struct time_range range,
		    struct error *err)
{
	struct history_job jobs[PARTS];
	int64_t part_ns = (range.to_ns - range.from_ns) / (int64_t)PARTS;
	size_t n = part_ns > 0 ? PARTS : 1;

	f->history.window_count = 2;
	f->history.windows[WINDOW_ALL] = f->history.windows[WINDOW_SLOW] =
		(struct history_window){ .range = range,
					 .slow_operation = OPERATION_NONE };
	for (size_t i = 0; i < n; i++) {
		history_job_init(&jobs[i], &f->history, WINDOW_ALL,
				 TRACES_PER_PART);
		jobs[i].range.from_ns += (int64_t)i * part_ns;
		if (i + 1 < n)
			jobs[i].range.to_ns = jobs[i].range.from_ns + part_ns;
	}
	return searches_run(f, jobs, n, err);
}

/* Spans wanted on either side: below, one request is all there is to see. */
#define FAST_SPANS_MIN 5u

static bool take_durations(struct finding_spans *f, struct error *err)
{
	const struct history_window *w = &f->history.windows[WINDOW_ALL];

	f->durations = arena_array(f->v->backends->arena, w->span_count + 1,
				   sizeof *f->durations);
	if (!f->durations)
		return arena_fail(f->v->backends->arena, "the spans", err);
	for (uint32_t i = 0; i < w->span_count; i++)
		f->durations[f->count++] = w->spans[i].duration_ns;
	values_sort(f->durations, f->count);
	if (f->count < 2 * FAST_SPANS_MIN)
		return investigation_fail(
			f->v,
			(struct shortfall){ .kind = SHORTFALL_FEW_SPANS,
					    .service = f->operations[0].service,
					    .name = f->operations[0].name,
					    .count = f->count },
			err);
	f->slow_from_ns = values_quantile(f->durations, f->count, SLOW_PERCENT);
	f->fast_to_ns = values_quantile(f->durations, f->count, FAST_PERCENT);
	return true;
}

/* The kind that most of the spans are of. */
static uint32_t main_operation(const struct finding_spans *f)
{
	const struct history_window *w = &f->history.windows[WINDOW_ALL];
	size_t counts[KINDS] = { 0 };
	uint32_t best = 0;

	for (uint32_t i = 0; i < w->span_count; i++)
		if (w->spans[i].operation < KINDS)
			counts[w->spans[i].operation]++;
	for (uint32_t i = 1; i < KINDS; i++)
		if (counts[i] > counts[best])
			best = i;
	return best;
}

static void take_ids(const struct finding_spans *f, unsigned window,
		     struct fast_spans *out)
{
	const struct history_window *w = &f->history.windows[window];

	for (uint32_t i = 0; i < w->span_count; i++) {
		const struct history_span *span = &w->spans[i];

		if (!span->profile_id)
			continue;
		if (span->duration_ns >= f->slow_from_ns &&
		    out->slow_count < SIDE_MAX)
			out->slow_ids[out->slow_count++] = span->profile_id;
		else if (window == WINDOW_ALL &&
			 span->duration_ns <= f->fast_to_ns &&
			 out->fast_count < SIDE_MAX)
			out->fast_ids[out->fast_count++] = span->profile_id;
	}
}

static int id_compare(const void *a, const void *v)
{
	return compare_u64(*(const uint64_t *)a, *(const uint64_t *)v);
}

/* A slow span may be in both windows. */
static size_t ids_sort(uint64_t *ids, size_t count)
{
	size_t kept = 0;

	if (count)
		qsort(ids, count, sizeof *ids, id_compare);
	for (size_t i = 0; i < count; i++)
		if (!kept || ids[i] != ids[kept - 1])
			ids[kept++] = ids[i];
	return kept;
}

static bool take_sides(struct finding_spans *f, struct fast_spans *out,
		       struct error *err)
{
	struct arena *arena = f->v->backends->arena;

	out->slow_ids = arena_array(arena, SIDE_MAX, sizeof *out->slow_ids);
	out->fast_ids = arena_array(arena, SIDE_MAX, sizeof *out->fast_ids);
	if (!out->slow_ids || !out->fast_ids)
		return arena_fail(arena, "the spans", err);
	take_ids(f, WINDOW_ALL, out);
	take_ids(f, WINDOW_SLOW, out);
	out->slow_count = ids_sort(out->slow_ids, out->slow_count);
	out->fast_count = ids_sort(out->fast_ids, out->fast_count);
	if (out->slow_count < FAST_SPANS_MIN ||
	    out->fast_count < FAST_SPANS_MIN)
		return investigation_fail(
			f->v,
			(struct shortfall){ .kind = SHORTFALL_FEW_SPAN_IDS,
					    .service = f->operations[0].service,
					    .count = f->count,
					    .slow_count = out->slow_count,
					    .fast_count = out->fast_count },
			err);
	out->slow_from_ns = f->slow_from_ns;
	out->fast_to_ns = f->fast_to_ns;
	return true;
}

bool fast_spans_find(struct investigation *v, struct str service,
		     struct str name, struct time_range range,
		     struct fast_spans *out, struct error *err)
{
	struct finding_spans f = { .v = v };
	struct history_window *slow = &f.history.windows[WINDOW_SLOW];
	struct history_job job;
	bool done;

	*out = (struct fast_spans){ .slow_ids = NULL };
	for (size_t i = 0; i < KINDS; i++)
		f.operations[i] = (struct operation){ service, name, kinds[i] };
	history_init(&f.history, f.operations, KINDS);
	done = backends_probe_traces(v->backends, err) &&
	       ask_all(&f, range, err) && take_durations(&f, err);
	if (done) {
		/* More of the slow ones, which a sample of all has few of. */
		slow->slow_operation = main_operation(&f);
		slow->min_duration_ns = f.slow_from_ns;
		history_job_init(&job, &f.history, WINDOW_SLOW, SLOW_TRACES);
		done = searches_run(&f, &job, 1, err) &&
		       take_sides(&f, out, err);
	}
	history_release(&f.history);
	return done;
}
