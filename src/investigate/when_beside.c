/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "analyze/onset.h"
#include "backend/fetch_profile.h"
#include "base/num.h"
#include "investigate/when_parts.h"

/* ---- versions ---- */

/* A version that has this part of what was there goes on. */
#define GOES_ON 0.1

/* Steps after it came that tell whether it does. */
#define AFTER_STEPS 10

static size_t first_of(const struct step_row *row, size_t count)
{
	size_t i = 0;

	while (i < count && !(row->values[i] > 0))
		i++;
	return i;
}

static double sum_of(const struct step_row *row, size_t from, size_t to)
{
	double sum = 0;

	for (size_t i = from; i < to; i++)
		sum += row->values[i];
	return sum;
}

/* The version that had most of the steps before. */
static const struct step_row *before_of(const struct step_rows *rows,
					size_t from, size_t to)
{
	const struct step_row *best = NULL;
	double most = 0;

	for (size_t i = 0; i < rows->count; i++) {
		double sum = sum_of(&rows->items[i], from, to);

		if (rows->items[i].name.len && sum > most) {
			most = sum;
			best = &rows->items[i];
		}
	}
	return best;
}

static int64_t time_of(const struct when *w, size_t step)
{
	return (w->steps.from_ms + w->steps.step_ms * (int64_t)step) *
	       NS_PER_MS;
}

static void add_version(struct when *w, const struct step_rows *rows,
			const struct step_row *row, size_t first)
{
	size_t from = first > AFTER_STEPS ? first - AFTER_STEPS : 0;
	size_t to = min_size(first + AFTER_STEPS, w->steps.count);
	const struct step_row *old = before_of(rows, from, first);

	if (!old || w->version_count == WHEN_VERSIONS)
		return;
	w->versions[w->version_count++] = (struct when_version){
		.from = old->name,
		.to = row->name,
		/* Few requests: it may have been there for a step. */
		.at = { time_of(w, first - 1), time_of(w, first + 1) },
		.is_partial = sum_of(old, first + (to - first) / 2, to) >
			      GOES_ON * sum_of(old, from, first),
	};
}

static int compare_times(const void *a, const void *b)
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
		size_t first = first_of(row, w->steps.count);

		w->has_versions |= row->name.len > 0;
		if (row->name.len && first > 0 && first < w->steps.count)
			add_version(w, rows, row, first);
	}
	if (w->version_count)
		qsort(w->versions, w->version_count, sizeof *w->versions,
		      compare_times);
}

static void mark_versions(struct when *w)
{
	for (size_t i = 0; i < w->version_count; i++) {
		struct when_version *v = &w->versions[i];

		v->is_near = sat_sub_i64(v->at.from_ns, w->step.at.to_ns) <=
				     ONSET_NEAR_NS &&
			     sat_sub_i64(w->step.at.from_ns, v->at.to_ns) <=
				     ONSET_NEAR_NS;
	}
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
		bool was = sum_of(&row, 0, end) > 0;
		bool is = begin < t->query.step_count &&
			  sum_of(&row, begin, t->query.step_count) > 0;

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

bool when_ask_beside(struct when *w, struct error *err)
{
	mark_versions(w);
	if (!w->profiles.instance_label.ptr || !w->type_id.len ||
	    w->request_count >= w->request_limit)
		return true;
	return ask_instances(w, err);
}
