/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/function_costs.h"
#include "backend/fetch_history.h"
#include "base/mem.h"
#include "base/num.h"
#include "investigate/chosen.h"
#include "investigate/service_metrics.h"

/* Points of a gauge whose mean is that of the window. */
#define GAUGE_STEPS 60
/* The part of these that has to be there. */
#define COVERED 0.9

enum asked {
	ASK_REQUESTS,
	ASK_CPU,
	ASK_MEMORY,
	ASK_COUNT,
	ASK_BILLED,
	ASK_CPU_REQUEST,
	ASK_CPU_LIMIT,
	ASK_MEMORY_REQUEST,
	ASK_MEMORY_LIMIT,
	ASK_BASELINE_REQUESTS, /* the last, optional */
	ASKED
};

static struct service_metric cost_gauge(const struct cost *c,
					enum metric_meaning meaning,
					enum metric_over over)
{
	struct time_range range = cost_window(c);
	int64_t step = (range.to_ns - range.from_ns) / GAUGE_STEPS;

	return (struct service_metric){
		.meaning = meaning,
		.over = over,
		.range = range,
		.step_ns = max_i64(step - step % NS_PER_S, 15 * NS_PER_S),
	};
}

static void list_questions(const struct cost *c,
			   struct service_metric list[ASKED])
{
	const struct comparison *all = &c->chosen.comparison;
	const struct time_range sides[] = { all->slow.range, all->base.range };

	for (size_t i = 0; i < 2; i++) {
		int64_t step_ns = (sides[i].to_ns - sides[i].from_ns) /
				  COMPARISON_PARTS;

		list[i ? ASK_BASELINE_REQUESTS : ASK_REQUESTS] =
			(struct service_metric){
				.meaning = METRIC_REQUESTS,
				.range = sides[i],
				.step_ns = step_ns - step_ns % NS_PER_S,
			};
	}
	list[ASK_CPU] = (struct service_metric){ .meaning = METRIC_CPU,
						 .range = cost_window(c) };
	list[ASK_BILLED] = (struct service_metric){ .meaning = METRIC_INSTANCES,
						    .range = cost_window(c) };
	list[ASK_MEMORY] = cost_gauge(c, METRIC_MEMORY, METRIC_OVER_SUM);
	list[ASK_COUNT] = cost_gauge(c, METRIC_MEMORY, METRIC_OVER_COUNT);
	list[ASK_CPU_REQUEST] =
		cost_gauge(c, METRIC_CPU_REQUEST, METRIC_OVER_SUM);
	list[ASK_CPU_LIMIT] = cost_gauge(c, METRIC_CPU_LIMIT, METRIC_OVER_SUM);
	list[ASK_MEMORY_REQUEST] =
		cost_gauge(c, METRIC_MEMORY_REQUEST, METRIC_OVER_SUM);
	list[ASK_MEMORY_LIMIT] =
		cost_gauge(c, METRIC_MEMORY_LIMIT, METRIC_OVER_SUM);
}

/* ---- answers ---- */

/* Only some profiles of the service are looked at, and nobody counts requests
 * of these. */
static bool cost_is_of_selector(const struct cost *c)
{
	return c->v->question->selector || c->v->question->baseline_selector;
}

/* Each part was measured, or nothing is known. */
static void take_requests(const struct service_metric *q,
			  struct comparison_side *side, struct cost_number *out)
{
	double parts[COMPARISON_PARTS];
	double length_s = time_range_seconds(side->range) / COMPARISON_PARTS;

	if (out->source || q->point_count < COMPARISON_PARTS)
		return;
	for (size_t i = 0; i < COMPARISON_PARTS; i++)
		parts[i] = q->points[i].value * length_s;
	cost_count_side(side, parts, false, COST_OF_METRICS, out);
}

static double steps_of(const struct service_metric *q)
{
	return (double)((q->range.to_ns - q->range.from_ns) /
			max_i64(q->step_ns, NS_PER_S));
}

static void take_number(const struct service_metric *q, double factor,
			enum cost_source source, struct cost_number *out)
{
	double steps = steps_of(q), value = 0;

	/* The mean over the whole window: missing points mean 0. */
	for (size_t i = 0; q->step_ns && i < q->point_count; i++)
		value += q->points[i].value;
	if (q->step_ns)
		value = steps > 0 ? value / steps : 0;
	else if (q->point_count)
		value = q->points[0].value;
	value *= factor;
	if (!out->source && value > 0)
		*out = (struct cost_number){ value, source };
}

static void take_answers(struct cost *c, const struct service_metric *list)
{
	struct comparison *all = &c->chosen.comparison;
	struct cost_resource *cpu = &c->resources[COST_CPU];
	struct cost_resource *memory = &c->resources[COST_MEMORY];

	take_requests(&list[ASK_REQUESTS], &all->slow, &c->requests);
	if (all->has_base)
		take_requests(&list[ASK_BASELINE_REQUESTS], &all->base,
			      &c->baseline_requests);
	take_number(&list[ASK_CPU], 1, COST_OF_METRICS, &cpu->used);
	take_number(&list[ASK_MEMORY], 1, COST_OF_METRICS, &memory->used);
	take_number(&list[ASK_BILLED], 1, COST_OF_METRICS, &c->instances);
	take_number(&list[ASK_COUNT], 1, COST_OF_METRICS, &c->instances);
	take_number(&list[ASK_CPU_REQUEST], 1, COST_OF_REQUESTS,
		    &cpu->allocated);
	take_number(&list[ASK_CPU_LIMIT], 1, COST_OF_LIMITS, &cpu->allocated);
	take_number(&list[ASK_MEMORY_REQUEST], 1, COST_OF_REQUESTS,
		    &memory->allocated);
	take_number(&list[ASK_MEMORY_LIMIT], 1, COST_OF_LIMITS,
		    &memory->allocated);
}

/* Queries the server of metrics: requests of the sides by part, what is used
 * and given. */
static bool cost_ask_metrics(struct cost *c, struct error *err)
{
	struct service_metric list[ASKED] = { 0 };
	struct service_metrics *m = &c->metrics;
	double share;

	if (!service_metrics_find(m, c->v->backends,
				  c->want->profiles.service.ptr, cost_window(c),
				  err) ||
	    !service_metrics_find_allocation(m, cost_window(c), err))
		return false;
	c->has_metrics = true;
	/* Metrics are of the whole service; they are not comparable with a
	 * subset of its profiles, such as those of a version. */
	if (c->v->question->baseline.kind == BASELINE_WANT_VERSION ||
	    cost_is_of_selector(c))
		return true;
	list_questions(c, list);
	if (!service_metrics_ask(m, list,
				 ASKED - !c->chosen.comparison.has_base, err))
		return false;
	take_answers(c, list);
	/* Metrics for only a part of the window give too low a mean, which is
	 * noted. */
	share = (double)list[ASK_COUNT].point_count /
		steps_of(&list[ASK_COUNT]);
	if (list[ASK_COUNT].point_count && share < COVERED)
		investigation_note(c->v,
				   (struct note){ .kind = NOTE_METRICS_PART,
						  .percent = 100 * share });
	return true;
}

/* CPU by operation: samples of some of its requests, by the span ids of
 * samples. There is no other way to distinguish operations; samples without
 * spans are not divided. */

/* Servers return the newest traces of a query: parts of the window spread them
 * over it. */
#define HISTORY_PARTS 4u
#define TRACES_PER_PART 100u

/* Minimum number of requests: fewer show the cost of one of them, not the
 * typical cost. */
#define LEAST_SPANS 5u

/* With no samples at all, up to three expected ones are still possible at 95 %
 * confidence. */
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

static int spans_compare(const void *left, const void *right)
{
	const struct operation_spans *a = left, *b = right;

	if (a->seen != b->seen)
		return a->seen < b->seen ? 1 : -1;
	return a->operation < b->operation ? -1 : a->operation > b->operation;
}

/* Those with the most requests. */
static void choose_operations(struct asking *a)
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
		qsort(a->items, a->count, sizeof *a->items, spans_compare);
	while (a->count && !a->items[a->count - 1].seen)
		a->count--;
	a->c->operation_total = a->count;
	a->count = min_size(a->count, COST_OPERATIONS);
}

static bool ask_samples(struct asking *a, struct error *err)
{
	const struct comparison *all = &a->c->chosen.comparison;
	const struct history_window *w = &a->h.windows[0];
	struct arena *arena = a->c->v->backends->arena;
	struct job *jobs[COST_OPERATIONS * COMPARISON_PARTS];
	size_t n = 0;

	for (size_t i = 0; i < a->count; i++) {
		struct operation_spans *o = &a->items[i];

		o->ids = arena_array(arena, o->seen, sizeof *o->ids);
		if (!o->ids)
			return arena_fail(arena, "the spans", err);
		for (uint32_t k = 0; k < w->span_count; k++)
			if (w->spans[k].operation == o->operation &&
			    w->spans[k].profile_id &&
			    o->count < LIMIT_COHORT_SPANS)
				o->ids[o->count++] = w->spans[k].profile_id;
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

static bool take_operation(struct asking *a, struct operation_spans *o,
			   struct error *err)
{
	struct cost *c = a->c;
	const struct comparison *all = &c->chosen.comparison;
	struct comparison_side *side = &o->samples.slow;
	const struct operation *of = &a->h.operations[o->operation];
	struct cost_operation *out = &c->operations[c->operation_count++];
	double values[COMPARISON_PARTS], sample = c->functions.sample_value;
	double each_s, sum = 0, error;

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
	if (!out->is_known)
		return true;
	for (size_t i = 0; i < side->part_count; i++) {
		values[i] = (double)side->parts[i].whole_total;
		sum += values[i];
	}
	error = cost_error(values, side->exposure, side->part_count, sample);
	each_s = c->unit_s / (double)side->span_id_count;
	out->cpu_s = sum * each_s;
	out->low_s = isnan(error) ? 0 : out->cpu_s * fmax(0, 1 - error);
	out->high_s = isnan(error) ? UNSEEN_SAMPLES * sample * each_s
				   : out->cpu_s * (1 + error);
	return true;
}

static bool ask_operations(struct asking *a, struct error *err)
{
	struct cost *c = a->c;
	double sum = 0;

	if (!ask_traces(c->v, &a->h, cost_window(c), err))
		return false;
	a->items = mem_calloc(a->h.operation_count + 1, sizeof *a->items);
	if (!a->items)
		return error_memory(err, "the operations");
	for (uint32_t i = 0; i < a->h.operation_count; i++)
		comparison_init(&a->items[i].samples, c->chosen.type_id.ptr,
				SCOPE_COHORT);
	choose_operations(a);
	if (!ask_samples(a, err))
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (!take_operation(a, &a->items[i], err))
			return false;
	/* Nothing in all of them is no cost of nothing, the samples carry no
	 * spans. */
	for (size_t i = 0; i < c->operation_count; i++)
		sum += c->operations[i].cpu_s;
	c->operation_lack = !c->operation_total ? COST_LACK_REQUESTS
			    : !(sum > 0)	? COST_LACK_SPANS
						: COST_LACK_NONE;
	return true;
}

static bool cost_ask_operations(struct cost *c, struct error *err)
{
	struct backends *b = c->v->backends;
	struct asking a = { .c = c };
	bool done;

	c->operation_lack = COST_LACK_TRACES;
	if (b->traces.path)
		return true;
	if (!backends_probe_traces(b, err))
		return error_ends_run(err) ? false : (error_clear(err), true);
	if (!backends_profile_traits(b)->has_span_samples) {
		c->operation_lack = COST_LACK_SPANS;
		return true;
	}
	history_init_service(&a.h, c->want->profiles.service);
	done = ask_operations(&a, err);
	for (uint32_t i = 0; a.items && i < a.h.operation_count; i++)
		comparison_release(&a.items[i].samples);
	mem_free(a.items);
	history_release(&a.h);
	return done;
}

/* ---- one operation ---- */

static bool take_operation_requests(struct investigation *v,
				    const struct history *h, struct str name,
				    struct chosen_want *want, struct error *err)
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
	       take_operation_requests(v, &h, name, want, err);
	history_release(&h);
	return done;
}

/* Steps of counted requests: fine enough for the parts of a side. */
#define COUNT_STEPS 240

void cost_init(struct cost *c, struct investigation *v,
	       const struct cost_want *want)
{
	*c = (struct cost){ .v = v, .want = want };
	chosen_init(&c->chosen, v, &want->profiles);
}

void cost_release(struct cost *c)
{
	chosen_release(&c->chosen);
}

/* Shares of what the profile holds are those of what the processes take. */
double cost_amount(const struct cost *c, double value)
{
	if (c->what == COST_MEMORY)
		return c->functions.whole.value > 0
			       ? c->resources[COST_MEMORY].used.value /
					 (double)GIB * value /
					 c->functions.whole.value
			       : -1;
	return c->seconds > 0 ? value * c->unit_s / c->seconds : -1;
}

double cost_per_request(const struct cost *c, double value)
{
	if (!c->requests.source)
		return -1;
	if (c->what == COST_MEMORY)
		return cost_amount(c, value) * c->seconds / c->requests.value;
	return value * c->unit_s / c->requests.value;
}

double cost_request_rate(const struct cost *c)
{
	return c->requests.source && c->seconds > 0
		       ? c->requests.value / c->seconds
		       : -1;
}

/* ---- requests ---- */

/* Where profiles are taken now and then, so much of the requests is theirs. */
void cost_count_side(struct comparison_side *side, const double *parts,
		     bool is_sampled, enum cost_source source,
		     struct cost_number *out)
{
	double sum = 0, share = comparison_seconds(side) /
				time_range_seconds(side->range);

	for (size_t i = 0; i < COMPARISON_PARTS; i++)
		sum += parts[i];
	if (!(sum > 0))
		return;
	side->requests = sum * share;
	side->is_requests_sampled = is_sampled;
	*out = (struct cost_number){ side->requests, source };
	for (size_t i = 0; i < side->part_count && !(side->profiled_s > 0); i++)
		side->exposure[i] = side->part_count == COMPARISON_PARTS
					    ? parts[i]
					    : side->requests;
}

static void take_given(const struct cost *c, struct comparison_side *side,
		       double requests, struct cost_number *out)
{
	double parts[COMPARISON_PARTS];

	if (!(requests > 0))
		return;
	*out = (struct cost_number){ requests, COST_GIVEN };
	side->requests = requests;
	if (c->chosen.is_file)
		return;
	for (size_t i = 0; i < COMPARISON_PARTS; i++)
		parts[i] = requests / COMPARISON_PARTS;
	cost_count_side(side, parts, false, COST_GIVEN, out);
}

static void sum_parts(const struct cost *c, const struct steps_job *job,
		      const struct comparison_side *side, bool is_base,
		      double parts[COMPARISON_PARTS])
{
	int64_t part_ns = (side->range.to_ns - side->range.from_ns) /
			  COMPARISON_PARTS;
	const struct baseline_want *want = &c->v->question->baseline;
	bool is_by_version = c->want->is_compared &&
			     want->kind == BASELINE_WANT_VERSION;
	const struct steps *s = &job->query.steps;
	int64_t step_ns = s->step_ms * NS_PER_MS;

	memset(parts, 0, COMPARISON_PARTS * sizeof *parts);
	for (size_t k = 0; k < job->rows.count; k++) {
		const struct step_row *row = &job->rows.items[k];

		/* A side has the baseline's version, all others, or all. */
		if (is_by_version &&
		    str_equal(row->name, want->version) != is_base)
			continue;
		for (size_t i = 0; i < s->count * COMPARISON_PARTS; i++) {
			size_t at = i % COMPARISON_PARTS;
			size_t step = i / COMPARISON_PARTS;
			int64_t part_from =
				side->range.from_ns + part_ns * (int64_t)at;
			int64_t from = s->from_ms * NS_PER_MS +
				       step_ns * (int64_t)step;
			int64_t within =
				min_i64(from + step_ns, part_from + part_ns) -
				max_i64(from, part_from);

			parts[at] += row->values[step] *
				     fmax(0, (double)within / (double)step_ns);
		}
	}
}

static void count_init(const struct cost *c, struct steps_job *job,
		       struct time_range range)
{
	struct steps_query query = { .service = c->want->profiles.service };
	struct steps *s = &query.steps;
	int64_t minutes = (range.to_ns - range.from_ns) / NS_PER_MIN;

	s->step_ms = (minutes / COUNT_STEPS + 1) * (NS_PER_MIN / NS_PER_MS);
	s->from_ms = range.from_ns / NS_PER_MS;
	s->from_ms -= s->from_ms % s->step_ms;
	s->count =
		(size_t)((range.to_ns / NS_PER_MS - s->from_ms) / s->step_ms) +
		1;
	steps_job_init(job, &query);
}

static void take_count(struct cost *c, const struct steps_job *job,
		       struct comparison_side *side, bool is_base,
		       struct cost_number *out)
{
	double parts[COMPARISON_PARTS];

	if (!job->job.has_answer)
		return;
	sum_parts(c, job, side, is_base, parts);
	cost_count_side(side, parts, true, COST_OF_TRACES, out);
}

/* Optional: errors become notes. */
static bool count_traced(struct cost *c, struct error *err)
{
	struct comparison *all = &c->chosen.comparison;
	struct steps_job jobs[2];
	struct job *list[] = { &jobs[0].job, &jobs[1].job };
	const char *reason = NULL;

	if (cost_is_of_selector(c)) {
		investigation_note(c->v,
				   (struct note){ NOTE_REQUESTS_SELECTED });
		return true;
	}
	count_init(c, &jobs[0], all->slow.range);
	count_init(c, &jobs[1], all->base.range);
	if (c->v->backends->traces.path)
		return true;
	if (!backends_probe_traces(c->v->backends, err) ||
	    !jobs_run(c->v->backends, list, 1 + all->has_base, err)) {
		if (error_ends_run(err))
			return false;
		reason = arena_printf(c->v->backends->arena, "%s", err->message)
				 .ptr;
		error_clear(err);
	} else {
		take_count(c, &jobs[0], &all->slow, false, &c->requests);
		if (all->has_base)
			take_count(c, &jobs[1], &all->base, true,
				   &c->baseline_requests);
		reason = jobs[0].job.err.message;
	}
	if (!c->requests.source)
		investigation_note(c->v,
				   (struct note){ .kind = NOTE_REQUESTS_UNKNOWN,
						  .reason = reason });
	else
		investigation_note(c->v, (struct note){ NOTE_REQUESTS_TRACED });
	return true;
}

/* Counts requests, of both sides by the same source, else there is nothing to
 * compare. */
static bool count_requests(struct cost *c, struct error *err)
{
	struct comparison *all = &c->chosen.comparison;
	const struct cost_want *want = c->want;
	bool is_missing;

	if (want->profiles.only_span_count) {
		all->slow.requests = (double)want->profiles.only_span_count;
		c->requests = (struct cost_number){ all->slow.requests,
						    COST_OF_TRACES };
		return true;
	}
	take_given(c, &all->slow, want->requests, &c->requests);
	take_given(c, &all->base, want->baseline_requests,
		   &c->baseline_requests);
	if (c->chosen.is_file)
		return true;
	/* Errors become notes. */
	if (!c->v->backends->metrics.is_default && !cost_ask_metrics(c, err)) {
		if (error_ends_run(err))
			return false;
		investigation_note(c->v,
				   (struct note){ .kind = NOTE_METRICS_MISSING,
						  .reason = err->message });
		error_clear(err);
	}
	is_missing = !c->requests.source ||
		     (all->has_base && !c->baseline_requests.source);
	if (!is_missing || c->requests.source == COST_GIVEN ||
	    c->baseline_requests.source == COST_GIVEN)
		return true;
	if (all->has_base)
		c->requests = c->baseline_requests = (struct cost_number){ 0 };
	return count_traced(c, err);
}

/* ---- the machine ---- */

static void number_give(double each, struct cost_number instances,
			struct cost_number *out)
{
	if (each > 0 && instances.value > 0)
		*out = (struct cost_number){ each * instances.value,
					     COST_GIVEN };
}

static void settle_resources(struct cost *c)
{
	const struct cost_want *want = c->want;
	struct cost_resource *cpu = &c->resources[COST_CPU];
	double profiled = cost_amount(c, c->functions.whole.value);

	if (want->instances > 0)
		c->instances =
			(struct cost_number){ want->instances, COST_GIVEN };
	number_give(want->cores, c->instances, &cpu->allocated);
	number_give(want->memory_bytes, c->instances,
		    &c->resources[COST_MEMORY].allocated);
	if (c->what == COST_CPU && !cpu->used.source && profiled >= 0)
		cpu->used = (struct cost_number){ profiled, COST_OF_PROFILES };
}

/* Settles the unit: what the kernel counted is the cost, which the profile
 * divides: some profilers count threads that wait for a CPU. Less in the
 * profile is a row of its own. */
static void settle_unit(struct cost *c)
{
	const struct cost_number *used = &c->resources[COST_CPU].used;
	double profiled = cost_amount(c, c->functions.whole.value);

	if (c->what != COST_CPU || used->source != COST_OF_METRICS ||
	    !(profiled > used->value))
		return;
	c->unit_s *= used->value / profiled;
	if (profiled > LIKE_KERNEL * used->value)
		investigation_note(c->v,
				   (struct note){
					   .kind = NOTE_PROFILE_OVER_KERNEL,
					   .percent = 100 * profiled /
						      used->value,
				   });
}

/* ---- the road ---- */

static double seconds_of(const struct comparison_side *side)
{
	double seconds = comparison_seconds(side);

	return seconds > 0 ? seconds
			   : (double)side->profile.duration_ns / NS_PER_S;
}

/* CPU is counted in time, what is held in bytes. */
static bool settle_what(struct cost *c, struct error *err)
{
	const struct profile *p = &c->chosen.comparison.slow.profile;
	int64_t unit_ns = time_unit_ns(profile_unit(p));

	c->unit_s = (double)unit_ns / NS_PER_S;
	if (p->is_gauge && str_equal(profile_unit(p), STR("bytes")))
		c->what = COST_MEMORY;
	if (c->what == COST_MEMORY || (unit_ns > 0 && !p->is_gauge))
		return true;
	return investigation_fail(c->v,
				  (struct shortfall){
					  .kind = SHORTFALL_NO_CPU,
					  .name = profile_type_name(p),
					  .value = profile_unit(p),
				  },
				  err);
}

/* Without either there is nothing to divide by. */
static bool check_length(struct cost *c, struct error *err)
{
	const struct comparison *all = &c->chosen.comparison;
	bool is_by_request = c->requests.source &&
			     (!all->has_base || c->baseline_requests.source);

	if (is_by_request ||
	    (c->seconds > 0 && (!all->has_base || seconds_of(&all->base) > 0)))
		return true;
	return investigation_fail(c->v,
				  (struct shortfall){
					  .kind = SHORTFALL_LENGTH,
					  .has_id = all->has_base,
				  },
				  err);
}

static bool find_functions(struct cost *c, struct error *err)
{
	const struct comparison_side *side = &c->chosen.comparison.slow;
	const struct profile *parts[COMPARISON_PARTS];
	double exposure[COMPARISON_PARTS];
	struct rank_slices slices;

	comparison_slices(side, parts, exposure, &slices);
	c->requests_error =
		side->is_requests_sampled ? 1.96 / sqrt(c->requests.value) : 0;
	return function_costs_find(&side->profile, &slices,
				   c->v->question->rules, c->v->backends->arena,
				   &c->functions, err);
}

static bool cost_compare(struct cost *c, struct error *err)
{
	const struct question *q = c->v->question;
	struct comparison *all = &c->chosen.comparison;
	struct rank_want want = { .by = RANK_SELF_LIB, .rules = q->rules };

	if (!all->has_base)
		return !c->want->is_compared ||
		       investigation_fail(
			       c->v, (struct shortfall){ SHORTFALL_BASELINE },
			       err);
	c->is_by_request = c->requests.source && c->baseline_requests.source;
	if (!c->is_by_request) {
		comparison_uncount(all);
		investigation_note(c->v, (struct note){ NOTE_REQUESTS_SIDES });
	}
	/* The baseline may be of another part of the service's requests than
	 * the candidate. */
	if (!c->is_by_request && (q->baseline.kind == BASELINE_WANT_VERSION ||
				  q->baseline_selector))
		return investigation_fail(
			c->v, (struct shortfall){ SHORTFALL_VERSION_REQUESTS },
			err);
	want.normalize = c->is_by_request ? NORMALIZE_REQUEST : NORMALIZE_RATE;
	return chosen_report(&c->chosen, c->v->result, err) &&
	       comparison_rank(all, &want, c->v->result, err);
}

bool cost_investigate(struct cost *c, struct error *err)
{
	c->v->backends->file_order = STACKS_IN_ORDER;
	c->operation_lack = COST_LACK_ASKED;
	if (!chosen_fetch(&c->chosen, err) || !settle_what(c, err) ||
	    !count_requests(c, err))
		return false;
	/* A snapshot of the heap is a part of what a process takes, and none of
	 * how that went over time. */
	if (c->what == COST_MEMORY &&
	    (!c->resources[COST_MEMORY].used.source || c->want->is_compared))
		return investigation_fail(
			c->v,
			(struct shortfall){ .kind = SHORTFALL_MEMORY,
					    .has_id = c->want->is_compared },
			err);
	if (!c->want->profiles.only_span_count)
		c->seconds = seconds_of(&c->chosen.comparison.slow);
	if (!check_length(c, err) || !find_functions(c, err))
		return false;
	settle_unit(c);
	settle_resources(c);
	return (!c->want->has_operations || c->what == COST_MEMORY ||
		cost_ask_operations(c, err)) &&
	       (!c->want->has_size || cost_ask_size(c, err)) &&
	       cost_compare(c, err);
}
