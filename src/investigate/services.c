/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/profile_service.h"

#include <stdlib.h>
#include <string.h>

#include "backend/fetch_profile.h"
#include "backend/selector.h"
#include "base/num.h"
#include "investigate/investigation.h"
#include "investigate/service_metrics.h"

/* Senders upload every 10 to 15 s: shorter steps would show gaps. */
#define STEP_MIN_MS 15000

/* Servers refuse to look at more than a day at once by default. */
#define ASK_MAX_MS (NS_PER_DAY / NS_PER_MS)

/* The name of nearly all senders for CPU time; the others are queried once
 * their types are known. */
#define TYPICAL_CPU "process_cpu:cpu:nanoseconds:cpu:nanoseconds"

/* The longest range that servers answer at once by default. */
#define NAMES_WINDOW_NS NS_PER_DAY

/* Other ids of CPU time: one per runtime of a kind of its own. */
#define OTHER_TYPES 4

static const char *const labels[] = { "service_name", "__profile_type__" };

/* One type's CPU in a part of the window. */
struct totals_part {
	struct totals_job job;
	size_t first_step;
};

/* Steps of a window at most; 20, 30 and 60 columns show them evenly. */
#define SERVICES_STEPS 60

/* Whole steps, the last of which ends with the window. */
static void cut_window(struct services *s)
{
	int64_t to_ms = sat_add_i64(s->window.to_ns, NS_PER_MS - 1) / NS_PER_MS;
	int64_t length_ms = to_ms - s->window.from_ns / NS_PER_MS;

	s->step_ms = (length_ms + SERVICES_STEPS - 1) / SERVICES_STEPS;
	s->step_ms += (1000 - s->step_ms % 1000) % 1000; /* whole seconds */
	if (s->step_ms < STEP_MIN_MS)
		s->step_ms = STEP_MIN_MS;
	if (length_ms < 2 * s->step_ms)
		s->step_ms = length_ms < 2 ? 1 : (length_ms + 1) / 2;
	s->step_count = (size_t)((length_ms + s->step_ms - 1) / s->step_ms);
	if (s->step_count < 2)
		s->step_count = 2;
	s->window.to_ns = sat_mul_i64(to_ms, NS_PER_MS);
	s->window.from_ns =
		(to_ms - s->step_ms * (int64_t)s->step_count) * NS_PER_MS;
}

/* ---- asking ---- */

static size_t part_count(const struct services *s)
{
	size_t fitting = (size_t)(ASK_MAX_MS / s->step_ms);

	return (s->step_count + fitting - 1) / fitting;
}

static struct time_range part_range(const struct services *s, size_t from,
				    size_t to)
{
	int64_t step_ns = s->step_ms * NS_PER_MS;

	return (struct time_range){ s->window.from_ns + (int64_t)from * step_ns,
				    s->window.from_ns + (int64_t)to * step_ns };
}

static void totals_init(struct totals_part *t, const struct services *s,
			const char *type_id, size_t from, size_t to)
{
	struct time_range range = part_range(s, from, to);
	const struct totals_query query = {
		.type_id = type_id,
		.selector = s->selector.ptr,
		.label = labels[0],
		.from_ms = range.from_ns / NS_PER_MS,
		.step_ms = s->step_ms,
		.step_count = to - from,
	};

	totals_job_init(&t->job, &query);
	t->first_step = from;
}

/* ---- rows ---- */

static int pair_compare(const void *a, const void *b)
{
	const struct str *x = a, *y = b;
	int order = str_compare(x[0], y[0]);

	return order ? order : str_compare(x[1], y[1]);
}

static int row_compare_names(const void *a, const void *b)
{
	const struct service_row *x = a, *y = b;

	return str_compare(x->name, y->name);
}

static int row_compare(const void *a, const void *b)
{
	const struct service_row *x = a, *y = b;
	int order = compare_f64(y->total_ns, x->total_ns);

	return order ? order : row_compare_names(a, b);
}

/* All parts' pairs of service and type, sorted; those without both are left
 * out. */
static bool gather_pairs(struct services *s, const struct series_job *parts,
			 size_t n, struct str **out, size_t *count,
			 struct error *err)
{
	struct str *pairs;
	size_t room = 0;

	for (size_t i = 0; i < n; i++)
		room += parts[i].series.count;
	pairs = arena_array(s->backends->arena, room, 2 * sizeof *pairs);
	if (room && !pairs)
		return arena_fail(s->backends->arena, "the services", err);
	*count = 0;
	for (size_t i = 0; i < n; i++) {
		const struct series_list *list = &parts[i].series;

		for (size_t k = 0; k < list->count; k++) {
			if (!list->values[2 * k].ptr ||
			    !list->values[2 * k + 1].ptr)
				continue;
			memcpy(pairs + 2 * (*count)++, list->values + 2 * k,
			       2 * sizeof *pairs);
		}
	}
	if (*count)
		qsort(pairs, *count, 2 * sizeof *pairs, pair_compare);
	*out = pairs;
	return true;
}

static bool build_rows(struct services *s, const struct series_job *parts,
		       size_t n, struct error *err)
{
	struct str *pairs, *types;
	size_t count = 0, used = 0;

	if (!gather_pairs(s, parts, n, &pairs, &count, err))
		return false;
	s->rows = arena_array(s->backends->arena, count + 1, sizeof *s->rows);
	types = arena_array(s->backends->arena, count + 1, sizeof *types);
	if (!s->rows || !types)
		return arena_fail(s->backends->arena, "the services", err);
	for (size_t i = 0; i < count; i++) {
		const struct str *pair = &pairs[2 * i];

		if (i && !pair_compare(pair, pair - 2))
			continue;
		if (!i || !str_equal(pair[0], pair[-2]))
			s->rows[s->count++] = (struct service_row){
				.name = pair[0],
				.types = { .items = types + used },
			};
		types[used++] = pair[1];
		s->rows[s->count - 1].types.count++;
	}
	for (size_t i = 0; i < s->count; i++) {
		struct service_row *row = &s->rows[i];
		struct error none = { 0 };
		bool is_gauge;

		/* Only time can be told as cores. */
		if (!profile_type_resolve(STR("cpu"), &row->types,
					  s->backends->arena, &row->cpu_type,
					  &is_gauge, &none) ||
		    str_find(row->cpu_type, STR(":nanoseconds:")) == SIZE_MAX)
			row->cpu_type = STR("");
	}
	return true;
}

static struct service_row *row_find(const struct services *s, struct str name)
{
	struct service_row key = { .name = name };

	return s->count ? bsearch(&key, s->rows, s->count, sizeof *s->rows,
				  row_compare_names)
			: NULL;
}

/* Rows still stand in the order of their names. */
static bool add_totals(struct services *s, const struct totals_part *t,
		       struct error *err)
{
	for (size_t i = 0; i < t->job.totals.count; i++) {
		const struct total *total = &t->job.totals.items[i];
		struct service_row *row = row_find(s, total->name);

		if (!row ||
		    !str_equal(row->cpu_type, str_from(t->job.query.type_id)))
			continue;
		if (!row->cpu_ns)
			row->cpu_ns =
				arena_array(s->backends->arena, s->step_count,
					    sizeof *row->cpu_ns);
		if (!row->cpu_ns)
			return arena_fail(s->backends->arena, "the services",
					  err);
		for (size_t k = 0; k < t->job.query.step_count; k++) {
			row->cpu_ns[t->first_step + k] += total->values[k];
			row->total_ns += total->values[k];
		}
	}
	return true;
}

/* ---- rounds ---- */

/* A sum over half a window would be a wrong one: all parts or none. */
static bool take_totals(struct services *s, const struct totals_part *parts,
			size_t n, struct error *err)
{
	for (size_t i = 0; i < n; i++) {
		if (parts[i].job.job.has_answer)
			continue;
		s->note(&(struct note){ .kind = NOTE_CPU_MISSING,
					.reason =
						parts[i].job.job.err.message },
			s->backends->notes);
		return true;
	}
	for (size_t i = 0; i < n; i++)
		if (!add_totals(s, &parts[i], err))
			return false;
	return true;
}

static bool take_series(struct services *s, const struct series_job *parts,
			size_t n, struct error *err)
{
	for (size_t i = 0; i < n; i++) {
		if (!parts[i].job.has_answer) {
			*err = parts[i].job.err;
			return false;
		}
		if (parts[i].series.count == LIMIT_SERIES)
			s->note(&(struct note){ .kind = NOTE_SERIES_CUT,
						.count = LIMIT_SERIES },
				s->backends->notes);
	}
	return build_rows(s, parts, n, err);
}

static bool ask_typical(struct services *s, struct error *err)
{
	size_t n = part_count(s);
	struct series_job *series =
		arena_array(s->backends->arena, n, sizeof *series);
	struct totals_part *totals =
		arena_array(s->backends->arena, n, sizeof *totals);
	struct job **jobs =
		arena_array(s->backends->arena, 2 * n, sizeof *jobs);

	if (!series || !totals || !jobs)
		return arena_fail(s->backends->arena, "the requests", err);
	for (size_t i = 0; i < n; i++) {
		size_t from = s->step_count * i / n;
		size_t to = s->step_count * (i + 1) / n;

		series_job_init(&series[i], s->selector.ptr, labels, 2,
				part_range(s, from, to));
		totals_init(&totals[i], s, TYPICAL_CPU, from, to);
		jobs[2 * i] = &series[i].job;
		jobs[2 * i + 1] = &totals[i].job.job;
	}
	return jobs_run(s->backends, jobs, 2 * n, err) &&
	       take_series(s, series, n, err) && take_totals(s, totals, n, err);
}

static bool ask_others(struct services *s, struct error *err)
{
	struct str types[OTHER_TYPES];
	size_t count = 0, n = part_count(s);
	struct totals_part *totals;
	struct job **jobs;
	bool done = true;

	for (size_t i = 0; i < s->count; i++) {
		struct str type = s->rows[i].cpu_type;
		size_t k = 0;

		if (!type.len || str_equal(type, STR(TYPICAL_CPU)))
			continue;
		while (k < count && !str_equal(types[k], type))
			k++;
		if (k == count && count < OTHER_TYPES)
			types[count++] = type;
	}
	if (!count)
		return true;
	totals = arena_array(s->backends->arena, count * n, sizeof *totals);
	jobs = arena_array(s->backends->arena, count * n, sizeof *jobs);
	if (!totals || !jobs)
		return arena_fail(s->backends->arena, "the requests", err);
	for (size_t i = 0; i < count * n; i++) {
		size_t part = i % n;

		totals_init(&totals[i], s, types[i / n].ptr,
			    s->step_count * part / n,
			    s->step_count * (part + 1) / n);
		jobs[i] = &totals[i].job.job;
	}
	done = jobs_run(s->backends, jobs, count * n, err);
	for (size_t i = 0; done && i < count; i++)
		done = take_totals(s, totals + i * n, n, err);
	return done;
}

/* ---- what the kernel counted ---- */

/* The services whose profiles have more, and the one with the most of it. */
struct over_kernel {
	size_t count;
	struct str name;
	double factor;
};

static void take_kernel(struct services *s, struct service_row *row,
			double cores, struct over_kernel *over)
{
	double counted_ns =
		cores * (double)(s->window.to_ns - s->window.from_ns);
	double factor = row->total_ns / counted_ns;

	if (!row->cpu_ns || !(counted_ns > 0) || !(factor > 1))
		return;
	for (size_t i = 0; i < s->step_count; i++)
		row->cpu_ns[i] /= factor;
	row->total_ns = counted_ns;
	if (factor > LIKE_KERNEL)
		over->count++;
	if (factor > over->factor) {
		over->factor = factor;
		over->name = row->name;
	}
}

static bool ask_kernel(struct services *s, struct error *err)
{
	struct service_metrics m;
	struct service_metric cpu = { .meaning = METRIC_CPU,
				      .range = s->window };
	struct over_kernel over = { .count = 0 };

	if (!service_metrics_find_extra(&m, s->backends, s->service, s->window,
					err))
		return m.is_unheld;
	if (!m.sources[METRIC_CPU].name)
		return true;
	if (!service_metrics_ask(&m, &cpu, 1, err))
		return false;
	if (!cpu.has_answer) {
		*err = cpu.err;
		return false;
	}
	for (size_t i = 0; i < cpu.series_count; i++) {
		const struct metric_series *of = &cpu.series[i];
		const char *label = metric_series_label(&m.sources[METRIC_CPU]);
		struct str name = s->service ? str_from(s->service)
					     : metric_label_find(
						       of, str_from(label));
		struct service_row *row = row_find(s, name);

		if (row && of->point_count)
			take_kernel(s, row, of->points[0].value, &over);
	}
	if (over.count)
		s->note(&(struct note){ .kind = NOTE_SERVICES_OVER_KERNEL,
					.name = over.name,
					.count = over.count,
					.percent = 100 * over.factor },
			s->backends->notes);
	return true;
}

bool services_fetch(struct services *s, struct error *err)
{
	cut_window(s);
	if (!selector_of_service(s->backends->arena, s->service, &s->selector,
				 err) ||
	    !ask_typical(s, err) || !ask_others(s, err))
		return false;
	/* Nothing needs metrics: what goes wrong is a note. */
	if (s->asks_kernel && !s->backends->metrics.is_default) {
		if (!ask_kernel(s, err)) {
			if (error_ends_run(err))
				return false;
			s->note(&(struct note){ .kind = NOTE_METRICS_MISSING,
						.reason = err->message },
				s->backends->notes);
		}
		error_clear(err);
	}
	if (s->count)
		qsort(s->rows, s->count, sizeof *s->rows, row_compare);
	return true;
}

bool services_ask_names(const struct services *s, struct name_list *names,
			struct error *err)
{
	struct time_range range = s->window;
	struct names_job question;
	struct job *job = &question.job;

	if (range.to_ns - range.from_ns > NAMES_WINDOW_NS)
		range.from_ns = range.to_ns - NAMES_WINDOW_NS;
	services_job_init(&question, range);
	if (!jobs_run(s->backends, &job, 1, err))
		return false;
	names->count = 0;
	if (job->has_answer)
		*names = question.names;
	return true;
}
