/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/check.h"

#include <stdlib.h>

#include "backend/fetch_history.h"
#include "base/num.h"

/* Traces per run. With five operations of equal traffic about 300 requests of
 * each are seen: a factor of 1.3 is then detected with a power of 90 %. */
#define RUN_TRACES 200u
/* Runs where each request is paid for out of a quota. */
#define METERED_RUNS 4u

enum { AFTER, BEFORE, SIDES };

struct asking {
	struct investigation *v;
	struct str service;
	struct history h; /* a window a side */
	size_t runs;
	struct history_job searches[SIDES][LATENCY_RUNS];
	struct count_job counts[SIDES];
	bool is_by_version;
};

/* ---- asking ---- */

/* Searches both sides, and counts them: but for those of a version, which
 * nobody does. */
static bool searches_run(struct asking *a, const struct check_latency *l,
			 struct error *err)
{
	struct job *jobs[SIDES * (LATENCY_RUNS + 1)];
	size_t n = 0;
	const struct time_range ranges[SIDES] = { l->after.range,
						  l->before.range };

	a->runs = backends_trace_traits(a->v->backends)->is_metered
			  ? METERED_RUNS
			  : LATENCY_RUNS;
	a->is_by_version =
		a->v->question->baseline.kind == BASELINE_WANT_VERSION;
	a->h.is_of_requests = true;
	a->h.window_count = SIDES;
	for (uint32_t side = 0; side < SIDES; side++) {
		int64_t part_ns = (ranges[side].to_ns - ranges[side].from_ns) /
				  (int64_t)a->runs;

		a->h.windows[side].range = ranges[side];
		a->h.windows[side].slow_operation = OPERATION_NONE;
		count_job_init(&a->counts[side], a->service, ranges[side],
			       max_i64(1, part_ns));
		for (size_t i = 0; i < a->runs; i++) {
			struct history_job *job = &a->searches[side][i];

			history_job_init(job, &a->h, side, RUN_TRACES);
			job->range.from_ns += part_ns * (int64_t)i;
			if (i + 1 < a->runs)
				job->range.to_ns = job->range.from_ns + part_ns;
			jobs[n++] = &job->job;
		}
		if (!a->is_by_version)
			jobs[n++] = &a->counts[side].job;
	}
	return jobs_run(a->v->backends, jobs, n, err);
}

/* Checks the answers: one that is missing makes a smaller sample; of a side all
 * must not be. */
static bool check_answers(const struct asking *a, struct error *err)
{
	const struct error *first = NULL;
	size_t missing = 0;

	for (size_t side = 0; side < SIDES; side++) {
		size_t had = 0;

		for (size_t i = 0; i < a->runs; i++) {
			const struct job *job = &a->searches[side][i].job;

			had += job->has_answer;
			if (!job->has_answer && !first)
				first = &job->err;
		}
		if (!had) {
			*err = *first;
			return false;
		}
		missing += a->runs - had;
	}
	if (first)
		investigation_note(
			a->v, (struct note){ .kind = NOTE_QUESTIONS_UNANSWERED,
					     .count = missing,
					     .total = SIDES * a->runs,
					     .reason = first->message });
	return true;
}

/* Takes a count; what a server adds up only later is missing. */
static void take_count(const struct count_job *job, struct latency_window *out)
{
	out->counted = -1;
	out->is_counted_part = job->is_sample;
	for (uint32_t i = 0; job->job.has_answer && i < job->step_count; i++) {
		if (job->counts[i] < 0)
			out->is_counted_part = true;
		else
			out->counted = sat_add_i64(max_i64(out->counted, 0),
						   job->counts[i]);
	}
}

/* ---- requests ---- */

/* The version of the baseline is of it alone, and no other is. */
static bool is_of_side(const struct asking *a, const struct history_span *span,
		       size_t side)
{
	struct str version = history_text(&a->h, span->version);

	return span->operation < a->h.operation_count &&
	       (!a->is_by_version ||
		str_equal(version, a->v->question->baseline.version) ==
			(side == BEFORE));
}

static struct latency_sample *sample_of(struct latency_operation *o,
					size_t side)
{
	return side == AFTER ? &o->after : &o->before;
}

static bool make_room(const struct asking *a, struct latency_operation *all,
		      struct arena *arena)
{
	for (size_t side = 0; side < SIDES; side++) {
		const struct history_window *w = &a->h.windows[side];

		for (uint32_t i = 0; i < w->span_count; i++)
			if (is_of_side(a, &w->spans[i], side))
				sample_of(&all[w->spans[i].operation], side)
					->count++;
		for (uint32_t i = 0; i < a->h.operation_count; i++) {
			struct latency_sample *s = sample_of(&all[i], side);

			s->requests = arena_array(arena, s->count + 1,
						  sizeof *s->requests);
			if (!s->requests)
				return false;
			s->count = 0;
		}
	}
	return true;
}

static size_t take_requests(const struct asking *a,
			    struct latency_operation *all, size_t side)
{
	const struct history_window *w = &a->h.windows[side];
	int64_t runs = (int64_t)a->runs;
	int64_t length_ns = w->range.to_ns - w->range.from_ns;
	int64_t part_ns = max_i64(1, length_ns / runs);
	size_t taken = 0;

	for (uint32_t i = 0; i < w->span_count; i++) {
		const struct history_span *span = &w->spans[i];
		int64_t run = (span->start_ns - w->range.from_ns) / part_ns;
		struct latency_sample *s;

		if (!is_of_side(a, span, side))
			continue;
		s = sample_of(&all[span->operation], side);
		s->requests[s->count++] = (struct latency_request){
			span->duration_ns,
			(uint32_t)min_i64(max_i64(run, 0), runs - 1)
		};
		taken++;
	}
	return taken;
}

static int row_compare(const void *left, const void *right)
{
	const struct latency_row *a = left, *b = right;
	size_t of_a = a->after.count + a->before.count;
	size_t of_b = b->after.count + b->before.count;

	if (of_a != of_b)
		return of_a < of_b ? 1 : -1;
	return str_compare(a->name, b->name);
}

static bool operations_judge(const struct asking *a, struct check_latency *l,
			     struct error *err)
{
	struct arena *arena = &a->v->result->arena;
	size_t count = a->h.operation_count;
	struct latency_operation *all =
		arena_array(arena, count + 1, sizeof *all);

	l->rows = arena_array(arena, count + 1, sizeof *l->rows);
	if (!all || !l->rows || !make_room(a, all, arena))
		return arena_fail(arena, "the requests", err);
	for (size_t i = 0; i < count; i++) {
		all[i].name = arena_str(arena, a->h.operations[i].name);
		if (!all[i].name.ptr)
			return arena_fail(arena, "the requests", err);
	}
	l->after.requests = take_requests(a, all, AFTER);
	l->before.requests = take_requests(a, all, BEFORE);
	if (!latency_judge(all, count, l->rows, arena, err))
		return false;
	for (size_t i = 0; i < count; i++)
		if (l->rows[i].after.count + l->rows[i].before.count)
			l->rows[l->count++] = l->rows[i];
	if (l->count)
		qsort(l->rows, l->count, sizeof *l->rows, row_compare);
	return true;
}

/* ---- the road ---- */

bool check_latency_find(struct check_latency *l, struct investigation *v,
			struct str service, struct time_range after,
			struct time_range before, enum latency_want want,
			struct error *err)
{
	struct arena *arena = v->backends->arena;
	struct asking *a = arena_array(arena, 1, sizeof *a);
	bool done;

	if (!a)
		return arena_fail(arena, "the requests", err);
	*a = (struct asking){ .v = v, .service = service };
	l->after.range = after;
	l->before.range = before;
	history_init_service(&a->h, service);
	done = backends_probe_traces(v->backends, err) &&
	       searches_run(a, l, err) && check_answers(a, err);
	if (done) {
		take_count(&a->counts[AFTER], &l->after);
		take_count(&a->counts[BEFORE], &l->before);
		done = operations_judge(a, l, err);
	}
	l->is_known = done;
	history_release(&a->h);
	if (done || want == LATENCY_NEEDED || error_ends_run(err))
		return done;
	l->reason = arena_printf(arena, "%s", err->message).ptr;
	error_clear(err);
	return l->reason || arena_fail(arena, "the reason", err);
}
