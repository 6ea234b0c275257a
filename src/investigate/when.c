/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/when.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/onset.h"
#include "backend/fetch_history.h"
#include "backend/fetch_profile.h"
#include "base/num.h"
#include "investigate/investigation.h"
#include "investigate/profile_service.h"
#include "model/metrics.h"

/* ---- versions ---- */

/* A version with at least this part of the requests kept running. */
#define GOES_ON 0.1

/* Steps after its start that are checked for it. */
#define AFTER_STEPS 10

/* An error's words, kept. */
static const char *when_reason(const struct when *w, const struct error *err)
{
	return arena_str(w->v->backends->arena, str_from(err->message)).ptr;
}

static double row_sum(const struct step_row *row, size_t from, size_t to)
{
	double sum = 0;

	for (size_t i = from; i < to; i++)
		sum += row->values[i];
	return sum;
}

/* The version that had most of the steps before. */
static const struct step_row *row_before(const struct step_rows *rows,
					 size_t from, size_t to)
{
	const struct step_row *best = NULL;
	double most = 0;

	for (size_t i = 0; i < rows->count; i++) {
		double sum = row_sum(&rows->items[i], from, to);

		if (rows->items[i].name.len && sum > most) {
			most = sum;
			best = &rows->items[i];
		}
	}
	return best;
}

static int64_t step_time(const struct when *w, size_t step)
{
	return (w->steps.from_ms + w->steps.step_ms * (int64_t)step) *
	       NS_PER_MS;
}

static void add_version(struct when *w, const struct step_rows *rows,
			const struct step_row *row, size_t first)
{
	size_t from = first > AFTER_STEPS ? first - AFTER_STEPS : 0;
	size_t to = min_size(first + AFTER_STEPS, w->steps.count);
	const struct step_row *old = row_before(rows, from, first);

	if (!old || w->version_count == WHEN_VERSIONS)
		return;
	w->versions[w->version_count++] = (struct when_version){
		.from = old->name,
		.to = row->name,
		/* Few requests: it may have been there for a step. */
		.at = { step_time(w, first - 1), step_time(w, first + 1) },
		.is_partial = row_sum(old, first + (to - first) / 2, to) >
			      GOES_ON * row_sum(old, from, first),
	};
}

static int version_compare(const void *a, const void *b)
{
	const struct when_version *x = a, *y = b;
	int order = compare_i64(x->at.from_ns, y->at.from_ns);

	return order ? order : str_compare(x->to, y->to);
}

void when_find_versions(struct when *w)
{
	const struct step_rows *rows = w->requests.count ? &w->requests
				       : w->spans.count  ? &w->spans
							 : &w->totals;

	for (size_t i = 0; i < rows->count; i++) {
		const struct step_row *row = &rows->items[i];
		size_t first = 0;

		while (first < w->steps.count && !(row->values[first] > 0))
			first++;

		w->has_versions |= row->name.len > 0;
		if (row->name.len && first > 0 && first < w->steps.count)
			add_version(w, rows, row, first);
	}
	if (w->version_count)
		qsort(w->versions, w->version_count, sizeof *w->versions,
		      version_compare);
}

/* ---- instances ---- */

/* Minutes looked at on either side of the step, and those nearest to it that
 * are not: they take over from each other. */
#define SIDE_STEPS 30
#define BETWEEN_STEPS 2

static size_t steps_between(const struct totals_query *q, int64_t from_ns,
			    int64_t to_ns)
{
	int64_t step_ns = q->step_ms * NS_PER_MS;

	return (size_t)((to_ns - from_ns + step_ns - 1) / step_ns);
}

static void count_instances(struct when *w, const struct totals_job *t)
{
	size_t end = SIDE_STEPS - BETWEEN_STEPS;
	size_t begin =
		SIDE_STEPS + BETWEEN_STEPS +
		steps_between(&t->query, w->step.at.from_ns, w->step.at.to_ns);

	for (size_t i = 0; i < t->totals.count; i++) {
		const struct total *total = &t->totals.items[i];
		struct step_row row = { total->name, total->values };
		bool was = row_sum(&row, 0, end) > 0;
		bool is = begin < t->query.step_count &&
			  row_sum(&row, begin, t->query.step_count) > 0;

		w->instances.before += was;
		w->instances.after += is;
		w->instances.new_count += is && !was;
		w->instances.gone_count += was && !is;
	}
	w->instances.is_known = w->instances.before && w->instances.after;
}

static bool ask_instances(struct when *w, struct error *err)
{
	int64_t step_ns = NS_PER_MIN;
	int64_t from_ns = w->step.at.from_ns - SIDE_STEPS * step_ns;
	int64_t to_ns = w->step.at.to_ns + SIDE_STEPS * step_ns;
	struct totals_query query = {
		.type_id = w->type_id.ptr,
		.selector = w->profiles.selector.ptr,
		.label = w->profiles.instance_label.ptr,
		.from_ms = from_ns / NS_PER_MS,
		.step_ms = step_ns / NS_PER_MS,
	};
	struct totals_job t;
	struct job *job = &t.job;

	query.step_count = steps_between(&query, from_ns, to_ns);
	totals_job_init(&t, &query);
	if (!when_run(w, &job, 1, err))
		return false;
	if (job->has_answer)
		count_instances(w, &t);
	return true;
}

/* Finds the versions that coincide with the change point, and the instances
 * around it. */
static bool when_ask_beside(struct when *w, struct error *err)
{
	for (size_t i = 0; i < w->version_count; i++) {
		struct when_version *v = &w->versions[i];

		v->is_near = sat_sub_i64(v->at.from_ns, w->step.at.to_ns) <=
				     ONSET_NEAR_NS &&
			     sat_sub_i64(w->step.at.from_ns, v->at.to_ns) <=
				     ONSET_NEAR_NS;
	}
	if (!w->profiles.instance_label.ptr || !w->type_id.len ||
	    w->request_count >= w->request_limit)
		return true;
	return ask_instances(w, err);
}

/* Enough steps to separate relevant changes, in answers of some 100 KB. */
#define STEPS_MOST 480

#define MINUTE_MS (NS_PER_MIN / NS_PER_MS)

/* Servers refuse to look at more than a day at once by default. */
#define ASK_MOST_MS (NS_PER_DAY / NS_PER_MS)
#define PARTS_MOST 8

/* ---- the window ---- */

/* Minutes that divide a day. */
static const int64_t step_minutes[] = { 1, 2, 3, 5, 10, 15, 20, 30, 60 };

/* The window in whole steps: minutes where there are not too many. */
static void when_cut_window(struct when *w)
{
	struct time_range *window = &w->want.window;
	struct steps *s = &w->steps;
	int64_t length_ms = (window->to_ns - window->from_ns) / NS_PER_MS;
	int64_t to_ms = window->to_ns / NS_PER_MS;
	size_t i = 0;

	while (i + 1 < COUNT_OF(step_minutes) &&
	       length_ms > step_minutes[i] * MINUTE_MS * STEPS_MOST)
		i++;
	s->step_ms = step_minutes[i] * MINUTE_MS;
	to_ms -= to_ms % s->step_ms;
	s->count = (size_t)((length_ms + s->step_ms - 1) / s->step_ms);
	s->from_ms = to_ms - s->step_ms * (int64_t)s->count;
	*window = (struct time_range){ s->from_ms * NS_PER_MS,
				       to_ms * NS_PER_MS };
}

/* ---- asking ---- */

/* The queries for some steps: by version if the server supports it. */
struct asked {
	struct steps_job requests[PARTS_MOST];
	struct steps_job means[PARTS_MOST];
	struct totals_job totals[PARTS_MOST];
	size_t parts;
	struct job *jobs[3 * PARTS_MOST + 2];
	size_t job_count;
};

static struct steps part_of(const struct steps *s, size_t i, size_t parts)
{
	size_t from = s->count * i / parts, to = s->count * (i + 1) / parts;

	return (struct steps){ s->from_ms + s->step_ms * (int64_t)from,
			       s->step_ms, to - from };
}

static size_t count_parts(const struct steps *s)
{
	size_t fitting = (size_t)(ASK_MOST_MS / s->step_ms);

	return min_size((s->count + fitting - 1) / fitting, PARTS_MOST);
}

static void add_traced(struct when *w, const struct steps *steps,
		       struct asked *a)
{
	struct steps_query query = { .service = w->want.service,
				     .name = w->want.name };

	a->parts = count_parts(steps);
	for (size_t i = 0; i < a->parts; i++) {
		query.steps = part_of(steps, i, a->parts);
		query.measure = STEPS_COUNT;
		steps_job_init(&a->requests[i], &query);
		a->jobs[a->job_count++] = &a->requests[i].job;
		query.measure = STEPS_MEAN_S;
		steps_job_init(&a->means[i], &query);
		a->jobs[a->job_count++] = &a->means[i].job;
	}
}

static void add_totals(struct when *w, const struct steps *steps,
		       struct asked *a)
{
	const struct profile_service *p = &w->profiles;

	a->parts = count_parts(steps);
	for (size_t i = 0; i < a->parts; i++) {
		struct steps part = part_of(steps, i, a->parts);
		const struct totals_query query = {
			.type_id = w->type_id.ptr,
			.selector = p->selector.ptr,
			.label = p->version_label.ptr ? p->version_label.ptr
						      : "service_name",
			.from_ms = part.from_ms,
			.step_ms = part.step_ms,
			.step_count = part.count,
		};

		totals_job_init(&a->totals[i], &query);
		a->jobs[a->job_count++] = &a->totals[i].job;
	}
}

/* ---- answers ---- */

/* Maximum number of versions in a window; more would be useless. */
#define WHEN_NAMES 1000u

static struct step_row *row_named(struct when *w, struct step_rows *rows,
				  struct str name, size_t steps)
{
	for (size_t i = 0; i < rows->count; i++)
		if (str_equal(rows->items[i].name, name))
			return &rows->items[i];
	if (!rows->items)
		rows->items = arena_array(w->v->backends->arena, WHEN_NAMES,
					  sizeof *rows->items);
	if (!rows->items || rows->count == WHEN_NAMES)
		return NULL;
	rows->items[rows->count] = (struct step_row){
		.name = name,
		.values = arena_array(w->v->backends->arena, steps,
				      sizeof(double)),
	};
	return rows->items[rows->count].values ? &rows->items[rows->count++]
					       : NULL;
}

bool when_count_version(struct when *w, struct str version, size_t step,
			struct error *err)
{
	struct arena *arena = w->v->backends->arena;
	struct str kept = arena_str(arena, version);
	struct step_row *row =
		kept.ptr ? row_named(w, &w->spans, kept, w->steps.count) : NULL;

	if (!row)
		return arena_fail(arena, "the versions", err);
	row->values[step] += 1;
	return true;
}

static bool add_values(struct when *w, struct step_rows *into, size_t steps,
		       size_t first, struct str name, const double *values,
		       size_t count, struct error *err)
{
	struct step_row *row = row_named(w, into, name, steps);

	if (!row)
		return arena_fail(w->v->backends->arena, "the steps", err);
	for (size_t i = 0; i < count; i++)
		row->values[first + i] += values[i];
	return true;
}

/* All parts, or nothing: half a window would be another one. */
static bool take_traced(struct when *w, const struct steps *steps,
			const struct steps_job *parts, size_t n,
			struct step_rows *out, const char **reason,
			struct error *err)
{
	for (size_t i = 0; i < n; i++)
		if (!parts[i].job.has_answer) {
			*reason = when_reason(w, &parts[i].job.err);
			return true;
		}
	for (size_t i = 0; i < n; i++) {
		const struct steps_job *p = &parts[i];
		size_t first =
			(size_t)((p->query.steps.from_ms - steps->from_ms) /
				 steps->step_ms);

		for (size_t k = 0; k < p->rows.count; k++)
			if (!add_values(w, out, steps->count, first,
					p->rows.items[k].name,
					p->rows.items[k].values,
					p->query.steps.count, err))
				return false;
	}
	return true;
}

static bool take_totals(struct when *w, const struct steps *steps,
			const struct totals_job *parts, size_t n,
			struct step_rows *out, struct error *err)
{
	bool has_versions = w->profiles.version_label.ptr != NULL;

	for (size_t i = 0; i < n; i++)
		if (!parts[i].job.has_answer) {
			*err = parts[i].job.err;
			return false;
		}
	for (size_t i = 0; i < n; i++) {
		const struct totals_job *p = &parts[i];
		size_t first = (size_t)((p->query.from_ms - steps->from_ms) /
					steps->step_ms);

		for (size_t k = 0; k < p->totals.count; k++)
			if (!add_values(w, out, steps->count, first,
					has_versions ? p->totals.items[k].name
						     : STR(""),
					p->totals.items[k].values,
					p->query.step_count, err))
				return false;
	}
	return true;
}

static bool ask_profiles(struct when *w, struct profile_lookup *lookup,
			 struct asked *a, struct error *err)
{
	const char *word = w->v->question->type ? w->v->question->type : "cpu";
	bool is_gauge;

	if (!profile_lookup_apply(lookup, w->v, &w->profiles, err) ||
	    !profile_type_resolve(str_from(word), &w->profiles.types,
				  w->v->backends->arena, &w->type_id, &is_gauge,
				  err))
		return false;
	/* Values in use at one moment are not a cost of requests. */
	if (is_gauge)
		return investigation_fail(
			w->v,
			(struct shortfall){ .kind = SHORTFALL_GAUGE,
					    .name = w->type_id },
			err);
	/* A function is measured in slices; the total is of no use for it. */
	if (w->want.function.len && w->requests.count)
		return true;
	a->job_count = 0;
	add_totals(w, &w->steps, a);
	return when_run(w, a->jobs, a->job_count, err) &&
	       take_totals(w, &w->steps, a->totals, a->parts, &w->totals, err);
}

/* Queries requests and durations by version (is_traced), the service's names in
 * profiles (has_profiles), and then sums of profiles. Values without an answer
 * stay unknown. */
static bool when_ask_steps(struct when *w, bool is_traced, bool has_profiles,
			   struct error *err)
{
	struct asked *a = arena_array(w->v->backends->arena, 1, sizeof *a);
	struct when_series *durations = &w->series[WHEN_DURATION];
	struct profile_lookup lookup;

	if (!a)
		return arena_fail(w->v->backends->arena, "the requests", err);
	if (is_traced)
		add_traced(w, &w->steps, a);
	if (has_profiles &&
	    !profile_lookup_init(&lookup, w->v, NULL, 0, w->want.service,
				 w->want.window, err))
		return false;
	for (size_t i = 0; has_profiles && i < lookup.job_count; i++)
		a->jobs[a->job_count++] = lookup.jobs[i];
	if (!when_run(w, a->jobs, a->job_count, err) ||
	    !take_traced(w, &w->steps, a->requests, a->parts, &w->requests,
			 &w->series[WHEN_TRAFFIC].reason, err) ||
	    !take_traced(w, &w->steps, a->means, a->parts, &w->means,
			 &durations->reason, err))
		return false;
	if (!has_profiles || ask_profiles(w, &lookup, a, err))
		return true;
	/* Without profiles a service still has durations, unless a type of
	 * profile was requested. */
	if (w->want.function.len || w->v->question->type || !w->means.count ||
	    err->code == ERROR_MEMORY)
		return false;
	w->series[WHEN_CPU].reason = when_reason(w, err);
	w->lack = w->v->shortfall;
	w->v->shortfall.kind = SHORTFALL_NONE;
	error_clear(err);
	return true;
}

/* ---- series ---- */

bool when_series_make(struct when *w, struct when_series *s, size_t count,
		      struct error *err)
{
	struct arena *arena = w->v->backends->arena;

	s->count = count;
	s->starts = arena_array(arena, count + 1, sizeof *s->starts);
	s->amounts = arena_array(arena, count, sizeof *s->amounts);
	s->counts = arena_array(arena, count, sizeof *s->counts);
	return (s->starts && s->amounts && s->counts) ||
	       arena_fail(arena, "the steps", err);
}

static bool steps_make(struct when *w, struct when_series *s,
		       const struct steps *steps, struct error *err)
{
	if (!when_series_make(w, s, steps->count, err))
		return false;
	for (size_t i = 0; i <= steps->count; i++)
		s->starts[i] = (steps->from_ms + steps->step_ms * (int64_t)i) *
			       NS_PER_MS;
	return true;
}

static double rows_sum(const struct step_rows *rows, size_t i)
{
	double sum = 0;

	for (size_t k = 0; k < rows->count; k++)
		sum += rows->items[k].values[i];
	return sum;
}

/* A second. */
static void fill_rate(struct when_series *s, const struct steps *steps,
		      const struct step_rows *rows)
{
	size_t from = 0, to = steps->count;

	/* Steps before the first and behind the last that has anything are of a
	 * service that was not there, or not yet counted. */
	while (from < to && !(rows_sum(rows, from) > 0))
		from++;
	while (to > from && !(rows_sum(rows, to - 1) > 0))
		to--;
	for (size_t i = from; i < to; i++) {
		s->amounts[i] = rows_sum(rows, i);
		s->counts[i] = (double)steps->step_ms / 1000;
	}
	s->is_known = to > from;
}

/* Number of requests that determines a rate to a tenth. */
#define REQUESTS_TOLD 100
#define REACH_MOST 10

/* Returns the requests at a step. In a sample a step has few, so its rate is
 * uncertain: traffic changes slowly, and neighbouring steps are included. */
static double requests_at(const struct step_rows *requests, size_t count,
			  size_t i)
{
	size_t reach = 0, from = i, to = i + 1;
	double sum = rows_sum(requests, i);

	while (sum > 0 && sum < REQUESTS_TOLD && reach < REACH_MOST) {
		reach++;
		if (i < reach || i + reach >= count)
			break;
		from = i - reach;
		to = i + reach + 1;
		sum += rows_sum(requests, from) + rows_sum(requests, to - 1);
	}
	return sum / (double)(to - from);
}

static void fill_requests(struct when_series *s, const struct steps *steps,
			  const struct step_rows *rows,
			  const struct step_rows *requests)
{
	for (size_t i = 0; i < steps->count; i++) {
		double amount = rows_sum(rows, i);
		double count = requests_at(requests, steps->count, i);

		/* Without any profile it was not measured. */
		if (!(amount > 0) || !(count > 0))
			continue;
		s->amounts[i] = amount;
		s->counts[i] = count;
		s->is_known = true;
	}
	s->is_per_request = true;
}

/* Means by version, each of as many requests. */
static void fill_durations(struct when_series *s, const struct steps *steps,
			   const struct step_rows *means,
			   const struct step_rows *requests)
{
	for (size_t k = 0; k < requests->count; k++) {
		const struct step_row *of = &requests->items[k];
		const struct step_row *mean = NULL;

		for (size_t i = 0; i < means->count && !mean; i++)
			if (str_equal(means->items[i].name, of->name))
				mean = &means->items[i];
		for (size_t i = 0; mean && i < steps->count; i++) {
			if (!(of->values[i] > 0) || !(mean->values[i] > 0))
				continue;
			s->amounts[i] += of->values[i] * mean->values[i] *
					 (double)NS_PER_S;
			s->counts[i] += of->values[i];
			s->is_known = true;
		}
	}
	s->is_per_request = true;
}

/* The step in which a version came; the length of the series: none. */
static size_t step_at(const struct when_series *s, int64_t time_ns)
{
	size_t i = 0;

	while (i < s->count && s->starts[i] < time_ns)
		i++;
	return i;
}

bool when_judge(const struct when *w, struct when_series *s, struct error *err)
{
	const struct when_series *durations = &w->series[WHEN_DURATION];
	int64_t length_ns = s->count ? s->starts[s->count] - s->starts[0] : 0;
	size_t known[WHEN_VERSIONS + 1 + CHANGE_POINTS_MAX];
	struct change_series series = {
		.amounts = s->amounts,
		.counts = s->counts,
		.step_count = s->count,
		.is_log = s->is_log,
		.known = known,
		.known_count = w->version_count,
	};

	if (!s->is_known)
		return true;
	for (size_t i = 0; i < w->version_count; i++)
		known[i] = step_at(s, w->versions[i].at.from_ns +
					      w->steps.step_ms * NS_PER_MS);
	if (w->step.at.to_ns)
		known[series.known_count++] = step_at(
			s, w->step.at.from_ns +
				   (w->step.at.to_ns - w->step.at.from_ns) / 2);
	/* Change points at finer resolution show which slices to examine. */
	for (size_t i = 0;
	     s->is_sliced && s != durations && i < durations->found.count; i++)
		known[series.known_count++] =
			step_at(s, when_step_of(durations, i).at.from_ns);
	if (length_ns > NS_PER_DAY)
		series.day_steps =
			(size_t)((double)s->count * (double)NS_PER_DAY /
				 (double)length_ns);
	return change_points_find(&series, w->v->backends->arena, &s->found,
				  err);
}

/* Fills the series of what was answered, and looks for changes in them. */
static bool when_judge_steps(struct when *w, struct error *err)
{
	struct when_series *cpu = &w->series[WHEN_CPU];
	struct when_series *durations = &w->series[WHEN_DURATION];
	struct when_series *traffic = &w->series[WHEN_TRAFFIC];

	if (!steps_make(w, cpu, &w->steps, err) ||
	    !steps_make(w, durations, &w->steps, err) ||
	    !steps_make(w, traffic, &w->steps, err))
		return false;
	if (w->requests.count)
		fill_requests(cpu, &w->steps, &w->totals, &w->requests);
	else
		fill_rate(cpu, &w->steps, &w->totals);
	fill_durations(durations, &w->steps, &w->means, &w->requests);
	fill_rate(traffic, &w->steps, &w->requests);
	return when_judge(w, cpu, err) && when_judge(w, durations, err) &&
	       when_judge(w, traffic, err);
}

double when_requests_in(const struct when *w, struct time_range range)
{
	int64_t step_ns = w->steps.step_ms * NS_PER_MS;
	int64_t from_ns = w->steps.from_ms * NS_PER_MS;
	double sum = 0;

	for (size_t i = 0; i < w->steps.count; i++) {
		int64_t at_ns = from_ns + step_ns * (int64_t)i;
		double part = (double)(min_i64(at_ns + step_ns, range.to_ns) -
				       max_i64(at_ns, range.from_ns)) /
			      (double)step_ns;

		sum += fmax(part, 0) * rows_sum(&w->requests, i);
	}
	return sum;
}

/* ---- finer ---- */

/* Steps around the one in which it lies. */
#define AROUND_STEPS 3

static bool narrow_by(struct when *w, const struct asked *a,
		      const struct steps *steps, struct error *err)
{
	struct step_rows requests = { 0 }, means = { 0 }, totals = { 0 };
	struct when_series fine = { 0 };
	const char *ignored;

	if (!take_traced(w, steps, a->requests,
			 w->requests.count ? a->parts : 0, &requests, &ignored,
			 err) ||
	    !steps_make(w, &fine, steps, err))
		return false;
	if (w->lead == WHEN_DURATION) {
		if (!take_traced(w, steps, a->means, a->parts, &means, &ignored,
				 err))
			return false;
		fill_durations(&fine, steps, &means, &requests);
	} else {
		if (!take_totals(w, steps, a->totals, a->parts, &totals, err))
			return false;
		if (requests.count)
			fill_requests(&fine, steps, &totals, &requests);
		else
			fill_rate(&fine, steps, &totals);
	}
	if (!when_judge(w, &fine, err))
		return false;
	for (size_t i = 0; i < fine.found.count; i++) {
		struct when_step step = when_step_of(&fine, i);

		if (step.at.from_ns < w->step.at.from_ns ||
		    step.at.to_ns > w->step.at.to_ns)
			continue;
		w->step.at = step.at;
	}
	return true;
}

/* If steps are longer than a minute: queries the minutes around the lead's
 * change point. */
static bool when_narrow(struct when *w, struct error *err)
{
	struct asked *a = arena_array(w->v->backends->arena, 1, sizeof *a);
	int64_t around_ms = AROUND_STEPS * w->steps.step_ms;
	struct steps fine = { .step_ms = MINUTE_MS };
	int64_t to_ms;

	if (w->series[w->lead].is_sliced || w->steps.step_ms == MINUTE_MS)
		return true;
	if (!a)
		return arena_fail(w->v->backends->arena, "the requests", err);
	fine.from_ms = w->step.at.from_ns / NS_PER_MS - around_ms;
	fine.from_ms -= fine.from_ms % MINUTE_MS;
	to_ms = min_i64(w->step.at.to_ns / NS_PER_MS + around_ms,
			w->want.window.to_ns / NS_PER_MS);
	fine.count = (size_t)((to_ms - fine.from_ms) / MINUTE_MS);
	if (w->requests.count)
		add_traced(w, &fine, a);
	if (w->lead == WHEN_CPU)
		add_totals(w, &fine, a);
	return when_run(w, a->jobs, a->job_count, err) &&
	       narrow_by(w, a, &fine, err);
}

double when_level(const struct when_series *s, size_t i)
{
	if (!(s->counts[i] > 0))
		return NAN;
	return s->is_log ? exp(s->amounts[i] / s->counts[i])
			 : s->amounts[i] / s->counts[i];
}

static int64_t step_middle(const struct when_series *s, size_t i)
{
	return s->starts[i] + (s->starts[i + 1] - s->starts[i]) / 2;
}

/* Returns the step; what lies within its first half is the new level's. */
struct when_step when_step_of(const struct when_series *s, size_t i)
{
	const struct change_point *p = &s->found.items[i];

	return (struct when_step){
		.at = { step_middle(s, p->low - 1), step_middle(s, p->high) },
		.before = s->is_log ? exp(p->before) : p->before,
		.after = s->is_log ? exp(p->after) : p->after,
	};
}

bool when_run(struct when *w, struct job *const *jobs, size_t count,
	      struct error *err)
{
	bool done = jobs_run(w->v->backends, jobs, count, err);

	w->request_count = backends_requests_sent(w->v->backends);
	return done;
}

static double step_size(const struct when_series *s)
{
	const struct change_point *p = &s->found.items[s->found.largest];

	if (!s->is_known || s->found.kind != SERIES_STEP)
		return 0;
	return s->is_log ? fabs(p->after - p->before)
			 : fabs(log(fmax(p->after, 1e-9 * p->before) /
				    fmax(p->before, 1e-9 * p->after)));
}

/* Chooses the series to lead: the given one; of a service its CPU or its
 * duration, whichever changed more. */
static void choose_lead(struct when *w)
{
	const struct when_series *all = w->series;

	if (w->want.function.len)
		w->lead = WHEN_FUNCTION;
	else if (w->want.name.len || !all[WHEN_CPU].is_known)
		w->lead = WHEN_DURATION;
	else
		w->lead = step_size(&all[WHEN_DURATION]) >
					  step_size(&all[WHEN_CPU])
				  ? WHEN_DURATION
				  : WHEN_CPU;
}

/* Maximum number of requests of a run: 2 log2(window / minute) plus this
 * many. */
#define WHEN_REQUESTS 8

bool when_fail_operation(struct when *w, struct error *err)
{
	const struct find_query query = { .service = w->want.service,
					  .name = w->want.name,
					  .range = w->want.window };
	struct shortfall s = { .kind = SHORTFALL_OPERATION,
			       .service = query.service,
			       .name = query.name,
			       .window = query.range };

	return trace_lack_ask(w->v->backends, &query, &s.traces, err) &&
	       investigation_fail(w->v, s, err);
}

/* Once the time is known, less evidence suffices for other changes at that
 * time. */
static bool judge_others(struct when *w, struct error *err)
{
	for (int m = 0; m < WHEN_MEASURES; m++)
		if (m != (int)w->lead && !w->series[m].is_sliced &&
		    !when_judge(w, &w->series[m], err))
			return false;
	return true;
}

/* Without a server of traces there are profiles; an operation is of traces
 * alone. */
static bool find_traces(struct when *w, bool *is_traced, struct error *err)
{
	struct backends *b = w->v->backends;

	*is_traced = false;
	if (b->traces.path)
		return true;
	if (backends_probe_traces(b, err)) {
		*is_traced = backends_traces(b) &&
			     backends_traces(b)->steps_path != NULL;
		return true;
	}
	if (w->want.name.len || err->code == ERROR_MEMORY)
		return false;
	w->series[WHEN_TRAFFIC].reason = when_reason(w, err);
	w->series[WHEN_DURATION].reason = w->series[WHEN_TRAFFIC].reason;
	error_clear(err);
	return true;
}

bool when_find(struct when *w, struct error *err)
{
	const struct time_range *window = &w->want.window;
	bool has_profiles = !w->want.name.len && !w->v->backends->profiles.path;
	const struct when_series *durations = &w->series[WHEN_DURATION];
	const struct when_series *lead;
	double minutes =
		(double)(window->to_ns - window->from_ns) / (double)NS_PER_MIN;
	bool is_traced, is_searched;

	/* Minutes of the window, halved until one is left, twice, and a few
	 * more. */
	w->request_limit =
		(size_t)(2 * log2(fmax(minutes, 2))) + WHEN_REQUESTS;
	when_cut_window(w);
	if (!find_traces(w, &is_traced, err))
		return false;
	if (!when_ask_steps(w, is_traced, has_profiles, err))
		return false;
	when_find_versions(w);
	if (!when_judge_steps(w, err))
		return false;
	choose_lead(w);
	/* Servers without time series are searched; one that has them and found
	 * nothing is not queried again. */
	is_searched = w->want.name.len && !durations->is_known &&
		      (!is_traced || durations->reason);
	if ((w->want.function.len || is_searched) && !when_ask_slices(w, err))
		return false;
	lead = &w->series[w->lead];
	if (!lead->is_known && w->want.name.len)
		return when_fail_operation(w, err);
	if (!lead->is_known)
		return investigation_fail(
			w->v,
			(struct shortfall){ .kind = SHORTFALL_STEPS,
					    .service = w->want.service },
			err);
	if (lead->found.kind == SERIES_STEP && !lead->is_sliced)
		w->step = when_step_of(lead, lead->found.largest);
	if (!when_has_step(w))
		return true;
	return judge_others(w, err) && when_narrow(w, err) &&
	       when_ask_beside(w, err);
}
