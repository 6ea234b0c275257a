/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/cost.h"

#include <math.h>
#include <string.h>

#include "backend/fetch_history.h"
#include "base/num.h"

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

/* Which rows of versions are of a side: those of the baseline's version, all
 * others, or all. */
static bool is_of_side(const struct cost *c, struct str version, bool is_base)
{
	const struct baseline_want *want = &c->v->question->baseline;

	return !c->want->is_compared || want->kind != BASELINE_WANT_VERSION ||
	       str_equal(version, want->version) == is_base;
}

static double part_of_step(const struct steps *s, size_t i,
			   struct time_range range)
{
	int64_t from = (s->from_ms + s->step_ms * (int64_t)i) * NS_PER_MS;
	int64_t to = from + s->step_ms * NS_PER_MS;

	return fmax(0, (double)(min_i64(to, range.to_ns) -
				max_i64(from, range.from_ns)) /
			       (double)(to - from));
}

static void sum_parts(const struct cost *c, const struct steps_job *job,
		      const struct comparison_side *side, bool is_base,
		      double parts[COMPARISON_PARTS])
{
	int64_t length = side->range.to_ns - side->range.from_ns;
	const struct steps *s = &job->query.steps;

	memset(parts, 0, COMPARISON_PARTS * sizeof *parts);
	for (size_t k = 0; k < job->rows.count; k++) {
		if (!is_of_side(c, job->rows.items[k].name, is_base))
			continue;
		for (size_t i = 0; i < s->count * COMPARISON_PARTS; i++) {
			int64_t at = (int64_t)(i % COMPARISON_PARTS);
			struct time_range part = {
				side->range.from_ns +
					length / COMPARISON_PARTS * at,
				side->range.from_ns +
					length / COMPARISON_PARTS * (at + 1),
			};
			size_t step = i / COMPARISON_PARTS;

			parts[at] += job->rows.items[k].values[step] *
				     part_of_step(s, step, part);
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

/* Nothing needs it: what goes wrong is a note. */
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
		if (investigation_must_end(err))
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

/* Of both sides by the same source, else there is nothing to compare. */
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
	if (!cost_ask_metrics(c, err))
		return false;
	is_missing = !c->requests.source ||
		     (all->has_base && !c->baseline_requests.source);
	if (!is_missing || c->requests.source == COST_GIVEN ||
	    c->baseline_requests.source == COST_GIVEN)
		return true;
	if (all->has_base)
		c->requests = c->baseline_requests = (struct cost_number){ 0 };
	return count_traced(c, err);
}

static bool compare_by_request(struct cost *c)
{
	struct comparison *all = &c->chosen.comparison;

	if (c->requests.source && c->baseline_requests.source)
		return true;
	comparison_uncount(all);
	investigation_note(c->v, (struct note){ NOTE_REQUESTS_SIDES });
	return false;
}

/* ---- the machine ---- */

static void give(double each, struct cost_number instances,
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
	give(want->cores, c->instances, &cpu->allocated);
	give(want->memory_bytes, c->instances,
	     &c->resources[COST_MEMORY].allocated);
	if (c->what == COST_CPU && !cpu->used.source && profiled >= 0)
		cpu->used = (struct cost_number){ profiled, COST_OF_PROFILES };
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

/* A snapshot of the heap is a part of what a process takes, and none of how
 * that went over time. */
static bool check_memory(struct cost *c, struct error *err)
{
	if (c->what != COST_MEMORY ||
	    (c->resources[COST_MEMORY].used.source && !c->want->is_compared))
		return true;
	return investigation_fail(
		c->v,
		(struct shortfall){ .kind = SHORTFALL_MEMORY,
				    .has_id = c->want->is_compared },
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

/* Of another part of the service's requests than the candidate. */
static bool is_other_part(const struct cost *c)
{
	const struct question *q = c->v->question;

	return q->baseline.kind == BASELINE_WANT_VERSION ||
	       q->baseline_selector;
}

static bool compare(struct cost *c, struct error *err)
{
	struct comparison *all = &c->chosen.comparison;
	struct rank_want want = {
		.by = RANK_SELF_LIB,
		.rules = c->v->question->rules,
	};

	if (!all->has_base)
		return !c->want->is_compared ||
		       investigation_fail(
			       c->v, (struct shortfall){ SHORTFALL_BASELINE },
			       err);
	c->is_by_request = compare_by_request(c);
	if (!c->is_by_request && is_other_part(c))
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
	    !count_requests(c, err) || !check_memory(c, err))
		return false;
	if (!c->want->profiles.only_span_count)
		c->seconds = seconds_of(&c->chosen.comparison.slow);
	if (!check_length(c, err) || !find_functions(c, err))
		return false;
	settle_resources(c);
	return (!c->want->has_operations || c->what == COST_MEMORY ||
		cost_ask_operations(c, err)) &&
	       (!c->want->has_size || cost_ask_size(c, err)) && compare(c, err);
}
