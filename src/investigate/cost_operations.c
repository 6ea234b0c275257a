/* SPDX-License-Identifier: Apache-2.0
 *
 * CPU of operations: the samples of some of their requests, by the spans that
 * the samples carry. Nothing else tells them apart; what carries none is not
 * divided.
 */
#include <math.h>
#include <stdlib.h>

#include "backend/fetch_history.h"
#include "base/mem.h"
#include "base/num.h"
#include "investigate/cost.h"

/* Servers give the newest traces of what is asked for: parts of the window
 * spread them over it. */
#define HISTORY_PARTS 4u
#define TRACES_PER_PART 100u

/* Fewer requests tell what one of them took, and not what they take. */
#define LEAST_SPANS 5u

/* No samples at all of so many still leave it possible, in one case of twenty,
 * that there are three to be expected. */
#define UNSEEN_SAMPLES 3

struct operation_spans {
	uint32_t operation; /* of the history */
	size_t seen;
	uint64_t *ids; /* in order of time */
	size_t count;
	struct comparison samples;
};

struct asking {
	struct cost *c;
	struct history h;
	struct operation_spans *items; /* by operation of the history */
	size_t count;
	size_t seen; /* of all operations */
};

static bool ask_traces(struct investigation *v, struct history *h,
		       struct time_range range, struct error *err)
{
	struct history_window *w = &h->windows[h->window_count++];
	struct history_job jobs[HISTORY_PARTS];
	struct job *list[HISTORY_PARTS];
	int64_t part_ns = (range.to_ns - range.from_ns) / HISTORY_PARTS;

	w->range = range;
	w->slow_operation = OPERATION_NONE;
	for (unsigned i = 0; i < HISTORY_PARTS; i++) {
		history_job_init(&jobs[i], h, 0, TRACES_PER_PART);
		jobs[i].range.from_ns += part_ns * i;
		if (i + 1 < HISTORY_PARTS)
			jobs[i].range.to_ns = jobs[i].range.from_ns + part_ns;
		list[i] = &jobs[i].job;
	}
	return jobs_run(v->backends, list, HISTORY_PARTS, err);
}

static int compare_by_seen(const void *left, const void *right)
{
	const struct operation_spans *a = left, *b = right;

	if (a->seen != b->seen)
		return a->seen < b->seen ? 1 : -1;
	return a->operation < b->operation ? -1 : a->operation > b->operation;
}

/* Those with the most requests. */
static void choose(struct asking *a)
{
	const struct history_window *w = &a->h.windows[0];

	a->count = a->h.operation_count;
	for (uint32_t i = 0; i < a->count; i++)
		a->items[i].operation = i;
	for (uint32_t i = 0; i < w->span_count; i++) {
		uint32_t id = w->spans[i].operation;

		if (id >= a->count ||
		    !span_kind_is_request(a->h.operations[id].kind))
			continue;
		a->items[id].seen++;
		a->seen++;
	}
	if (a->count)
		qsort(a->items, a->count, sizeof *a->items, compare_by_seen);
	while (a->count && !a->items[a->count - 1].seen)
		a->count--;
	a->c->operation_total = a->count;
	a->count = min_size(a->count, COST_OPERATIONS);
}

static bool take_ids(struct asking *a, struct operation_spans *o,
		     struct error *err)
{
	const struct history_window *w = &a->h.windows[0];
	struct arena *arena = a->c->v->backends->arena;

	o->ids = arena_array(arena, o->seen, sizeof *o->ids);
	if (!o->ids)
		return arena_fail(arena, "the spans", err);
	for (uint32_t i = 0; i < w->span_count; i++)
		if (w->spans[i].operation == o->operation &&
		    w->spans[i].profile_id && o->count < LIMIT_COHORT_SPANS)
			o->ids[o->count++] = w->spans[i].profile_id;
	return true;
}

static bool ask_samples(struct asking *a, struct error *err)
{
	const struct comparison *all = &a->c->chosen.comparison;
	struct job *jobs[COST_OPERATIONS * COMPARISON_PARTS];
	size_t n = 0;

	for (size_t i = 0; i < a->count; i++) {
		struct operation_spans *o = &a->items[i];

		if (!take_ids(a, o, err))
			return false;
		if (o->count < LEAST_SPANS)
			continue;
		o->samples.type_id = all->type_id;
		o->samples.slow.range = all->slow.range;
		o->samples.slow.selector = all->slow.selector;
		o->samples.slow.span_ids = o->ids;
		o->samples.slow.span_id_count = o->count;
		comparison_request(&o->samples, COMPARISON_PARTS, jobs, &n);
	}
	return !n || jobs_run(a->c->v->backends, jobs, n, err);
}

static void measure(const struct cost *c, const struct comparison_side *side,
		    double sample_value, struct cost_operation *out)
{
	double values[COMPARISON_PARTS], sum = 0, error;
	double each_s = c->unit_s / (double)side->span_id_count;

	for (size_t i = 0; i < side->part_count; i++) {
		values[i] = (double)side->parts[i].whole_total;
		sum += values[i];
	}
	error = cost_error(values, side->exposure, side->part_count,
			   sample_value);
	out->cpu_s = sum * each_s;
	out->low_s = isnan(error) ? 0 : out->cpu_s * fmax(0, 1 - error);
	out->high_s = isnan(error) ? UNSEEN_SAMPLES * sample_value * each_s
				   : out->cpu_s * (1 + error);
}

static bool take_operation(struct asking *a, struct operation_spans *o,
			   struct error *err)
{
	struct cost *c = a->c;
	const struct comparison *all = &c->chosen.comparison;
	struct comparison_side *side = &o->samples.slow;
	const struct operation *of = &a->h.operations[o->operation];
	struct cost_operation *out = &c->operations[c->operation_count++];

	*out = (struct cost_operation){
		.name = arena_str(c->v->backends->arena, of->name),
		.spans = o->count,
		.share = (double)o->seen / (double)a->seen,
	};
	if (!out->name.ptr)
		return arena_fail(c->v->backends->arena, "operations", err);
	if (!o->samples.is_asked)
		return true;
	if (!comparison_apply(&o->samples, c->v, err))
		return false;
	out->is_known = side->part_count > 0 &&
			comparison_is_of_spans(&o->samples, all);
	if (out->is_known)
		measure(c, side, c->functions.sample_value, out);
	return true;
}

/* Of all of them nothing is no cost of nothing: the samples carry no spans. */
static void judge(struct cost *c)
{
	double sum = 0;

	for (size_t i = 0; i < c->operation_count; i++)
		sum += c->operations[i].cpu_s;
	if (!c->operation_total)
		c->operation_lack = COST_LACK_REQUESTS;
	else if (!(sum > 0))
		c->operation_lack = COST_LACK_SPANS;
	else
		c->operation_lack = COST_LACK_NONE;
}

static bool ask(struct asking *a, struct error *err)
{
	struct cost *c = a->c;

	if (!ask_traces(c->v, &a->h, cost_window(c), err))
		return false;
	a->items = mem_calloc(a->h.operation_count + 1, sizeof *a->items);
	if (!a->items)
		return error_memory(err, "the operations");
	for (uint32_t i = 0; i < a->h.operation_count; i++)
		comparison_init(&a->items[i].samples, c->chosen.type_id.ptr,
				SCOPE_COHORT);
	choose(a);
	if (!ask_samples(a, err))
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (!take_operation(a, &a->items[i], err))
			return false;
	judge(c);
	return true;
}

bool cost_ask_operations(struct cost *c, struct error *err)
{
	struct backends *b = c->v->backends;
	struct asking a = { .c = c };
	bool done;

	c->operation_lack = COST_LACK_TRACES;
	if (b->traces.path)
		return true;
	if (!backends_probe_traces(b, err))
		return investigation_must_end(err) ? false : (error_clear(err), true);
	if (!backends_profile_traits(b)->has_span_samples) {
		c->operation_lack = COST_LACK_SPANS;
		return true;
	}
	history_init_service(&a.h, c->want->profiles.service);
	done = ask(&a, err);
	for (uint32_t i = 0; a.items && i < a.h.operation_count; i++)
		comparison_release(&a.items[i].samples);
	mem_free(a.items);
	history_release(&a.h);
	return done;
}

/* ---- one operation ---- */

static bool take_requests(struct investigation *v, const struct history *h,
			  struct str name, struct chosen_want *want,
			  struct error *err)
{
	const struct history_window *w = &h->windows[0];
	uint64_t *ids =
		arena_array(v->backends->arena, w->span_count + 1, sizeof *ids);
	size_t count = 0;

	if (!ids)
		return arena_fail(v->backends->arena, "the spans", err);
	for (uint32_t i = 0; i < w->span_count; i++)
		if (w->spans[i].profile_id && count < LIMIT_COHORT_SPANS)
			ids[count++] = w->spans[i].profile_id;
	want->only_spans = ids;
	want->only_span_count = count;
	want->only_text = name;
	return count >= LEAST_SPANS ||
	       investigation_fail(v,
				  (struct shortfall){
					  .kind = SHORTFALL_FEW_REQUESTS,
					  .service = want->service,
					  .name = name,
					  .count = count,
				  },
				  err);
}

bool cost_choose_requests(struct investigation *v, struct str name,
			  struct chosen_want *want, struct error *err)
{
	const struct operation operations[] = {
		{ want->service, name, SPAN_KIND_SERVER },
		{ want->service, name, SPAN_KIND_CONSUMER },
	};
	struct history h;
	bool done;

	history_init(&h, operations, 2);
	done = backends_probe_traces(v->backends, err) &&
	       ask_traces(v, &h, want->window, err) &&
	       take_requests(v, &h, name, want, err);
	history_release(&h);
	return done;
}
