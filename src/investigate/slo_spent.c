/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/slo_spent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/operations.h"
#include "analyze/search_summary.h"
#include "backend/fetch_hits.h"
#include "backend/fetch_metrics.h"
#include "base/num.h"
#include "investigate/slo_request.h"

/* Steps of the count of bad requests: an incident of half an hour is not lost
 * in a month. */
#define STEPS 2000

/* Parts of the range that are searched without such a count. */
#define PARTS 20u

/* Bad requests of one kind in one step. */
struct cell {
	bool is_failed;
	double weight; /* how many there are */
	size_t taken;  /* of them into the sample */
	bool is_asked;
	struct find_query query;
	struct hits hits;
	struct buf page;
	struct hits_job job;
};

struct sampling {
	struct slo_spent *s;
	struct backends *b;
	struct cell *cells; /* by kind, then by time */
	size_t count;
};

/* ---- cells ---- */

static struct cell *cell_add(struct sampling *m, struct time_range range,
			     bool is_failed, double weight)
{
	const struct trace_traits *traits = backends_trace_traits(m->b);
	const struct slo *slo = m->s->slo;
	struct cell *c = &m->cells[m->count++];

	c->is_failed = is_failed;
	c->weight = weight;
	c->query = (struct find_query){
		.service = str_from(slo->service),
		.name = str_from(slo->operation),
		.is_error = is_failed,
		.min_duration_ns = is_failed ? 0 : slo->bound_ns,
		.range = range,
		.trace_limit = traits->page_of_spans ? traits->page_of_spans
						     : traits->search_least,
	};
	hits_init(&c->hits);
	buf_init(&c->page, LIMIT_URL_BYTES);
	return c;
}

static bool cells_reserve(struct sampling *m, size_t count, struct error *err)
{
	m->cells = arena_array(m->b->arena, count + 1, sizeof *m->cells);
	return m->cells || arena_fail(m->b->arena, "bad requests", err);
}

static void cells_release(struct sampling *m)
{
	for (size_t i = 0; i < m->count; i++) {
		hits_release(&m->cells[i].hits);
		buf_release(&m->cells[i].page);
	}
}

/* ---- by metrics ---- */

enum { ASK_ALL, ASK_GOOD, ASK_FAILED, ASKED };

static int64_t step_of(struct time_range range)
{
	int64_t step_ns = (range.to_ns - range.from_ns) / STEPS;

	step_ns -= step_ns % NS_PER_S;
	return step_ns < NS_PER_MIN ? NS_PER_MIN : step_ns;
}

static bool job_init(const struct sampling *m, struct metric_job *job,
		     enum metric_part part, struct error *err)
{
	struct time_range range = m->s->range;
	int64_t step_ns = step_of(range);
	struct metric_query query = {
		.ask = METRIC_ASK_RANGE,
		.range = { sat_add_i64(range.from_ns, step_ns), range.to_ns },
		.step_ns = step_ns,
	};
	struct buf text;

	buf_init(&text, LIMIT_URL_BYTES);
	metric_part_expression(&text, &m->s->slo->indicator, part, "increase",
			       step_ns);
	if (text.state == BUF_OK)
		query.expression = arena_str(m->b->arena, buf_str(&text));
	buf_release(&text);
	metric_job_init(job, &query);
	return query.expression.ptr ||
	       arena_fail(m->b->arena, "a question", err);
}

/* At each step; where it says nothing there was nothing. */
static void take_points(const struct metric_job *job, struct time_range range,
			int64_t step_ns, double *counts)
{
	const struct metric_answer *a = &job->answer;

	for (size_t i = 0; a->series_count && i < a->series[0].point_count;
	     i++) {
		const struct metric_point *p = &a->series[0].points[i];
		int64_t at = (p->time_ns - range.from_ns) / step_ns - 1;

		if (at >= 0 && at <= STEPS)
			counts[at] = p->value;
	}
}

static bool cells_count(struct sampling *m, const struct metric_job *jobs,
			struct error *err)
{
	struct time_range range = m->s->range;
	int64_t step_ns = step_of(range);
	double(*counts)[STEPS + 1] =
		arena_array(m->b->arena, ASKED, sizeof *counts);

	if (!counts)
		return arena_fail(m->b->arena, "bad requests", err);
	for (size_t i = 0; i < ASKED; i++)
		take_points(&jobs[i], range, step_ns, counts[i]);
	if (!cells_reserve(m, 2 * (STEPS + 1), err))
		return false;
	for (int kind = 0; kind < 2; kind++)
		for (size_t i = 0; i <= STEPS; i++) {
			double bad = counts[ASK_ALL][i] - counts[ASK_GOOD][i];
			double failed = fmin(bad, counts[ASK_FAILED][i]);
			double weight = kind ? failed : bad - failed;
			int64_t from_ns = range.from_ns + (int64_t)i * step_ns;

			if (weight > 0)
				cell_add(m,
					 (struct time_range){
						 from_ns, from_ns + step_ns },
					 kind == 1, weight);
		}
	return true;
}

static bool count_metrics(struct sampling *m, struct error *err)
{
	static const enum metric_part parts[ASKED] = { METRIC_PART_ALL,
						       METRIC_PART_GOOD,
						       METRIC_PART_FAILED };
	struct metric_job jobs[ASKED];
	struct job *list[ASKED];
	size_t asked = m->s->slo->indicator.tells_errors ? ASKED : ASK_FAILED;

	memset(jobs, 0, sizeof jobs);
	for (size_t i = 0; i < asked; i++) {
		if (!job_init(m, &jobs[i], parts[i], err))
			return false;
		list[i] = &jobs[i].job;
	}
	if (!jobs_run(m->b, list, asked, err))
		return false;
	for (size_t i = 0; i < asked; i++)
		if (!jobs[i].job.has_answer) {
			*err = jobs[i].job.err;
			return false;
		}
	return cells_count(m, jobs, err);
}

/* ---- searches ---- */

/* Those that are wanted and were not asked for. */
static bool search(struct sampling *m, struct error *err)
{
	struct job **jobs =
		arena_array(m->b->arena, m->count + 1, sizeof *jobs);
	size_t n = 0;

	if (!jobs)
		return arena_fail(m->b->arena, "searches", err);
	for (size_t i = 0; i < m->count; i++) {
		struct cell *c = &m->cells[i];

		if (!c->taken || c->is_asked)
			continue;
		c->is_asked = true;
		hits_job_init(&c->job, &c->query, 0, &c->hits, &c->page);
		jobs[n++] = &c->job.job;
	}
	if (n && !jobs_run(m->b, jobs, n, err))
		return false;
	for (size_t i = 0; i < m->count; i++) {
		const struct job *job = &m->cells[i].job.job;

		if (!m->cells[i].is_asked || job->has_answer)
			continue;
		if (slo_is_final(&job->err)) {
			*err = job->err;
			return false;
		}
		if (m->s->reason.code == ERROR_NONE)
			m->s->reason = job->err;
	}
	return true;
}

static bool search_parts(struct sampling *m, struct error *err)
{
	struct time_range range = m->s->range;
	int64_t part_ns = (range.to_ns - range.from_ns) / PARTS;

	if (!cells_reserve(m, (size_t)2 * PARTS, err))
		return false;
	for (int kind = m->s->slo->threshold_ns ? 0 : 1; kind < 2; kind++)
		for (size_t i = 0; i < PARTS; i++) {
			int64_t from_ns = range.from_ns + (int64_t)i * part_ns;

			cell_add(m,
				 (struct time_range){ from_ns,
						      from_ns + part_ns },
				 kind == 1, 0)
				->taken = 1;
		}
	if (!search(m, err))
		return false;
	for (size_t i = 0; i < m->count; i++)
		m->cells[i].weight = (double)m->cells[i].hits.count;
	return true;
}

/* ---- the sample ---- */

static double weight_of(const struct sampling *m)
{
	double sum = 0;

	for (size_t i = 0; i < m->count; i++)
		sum += m->cells[i].weight;
	return sum;
}

/* Every so many bad requests one is taken. */
static void take(struct sampling *m)
{
	double each = weight_of(m) / (double)m->s->wanted;
	double next = each / 2, sum = 0;

	for (size_t i = 0; i < m->count; i++) {
		m->cells[i].taken = 0;
		sum += m->cells[i].weight;
		for (; next < sum && each > 0; next += each)
			m->cells[i].taken++;
	}
}

/* Traces may not be kept as long as metrics are: what lies before the first
 * that is found is left out. */
static bool drop_forgotten(struct sampling *m)
{
	int64_t first_ns = INT64_MAX;
	double all = weight_of(m);
	bool has_dropped = false;

	for (size_t i = 0; i < m->count; i++)
		if (m->cells[i].hits.count)
			first_ns = min_i64(first_ns,
					   m->cells[i].query.range.from_ns);
	if (first_ns == INT64_MAX)
		return false;
	for (size_t i = 0; i < m->count; i++) {
		struct cell *c = &m->cells[i];

		if (c->query.range.from_ns >= first_ns)
			continue;
		has_dropped |= c->taken > 0;
		c->weight = 0;
	}
	m->s->from.from_ns = has_dropped ? first_ns : m->s->range.from_ns;
	m->s->kept = all > 0 ? weight_of(m) / all : 1;
	return has_dropped;
}

/* Ids are random: the first ones by id are a sample. */
static int compare_ids(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	return memcmp(x->id.bytes, y->id.bytes, sizeof x->id.bytes);
}

static bool is_chosen(const struct trace_id *list, size_t count,
		      const struct trace_id *id)
{
	for (size_t i = 0; i < count; i++)
		if (trace_id_equal(&list[i], id))
			return true;
	return false;
}

/* The index of the hits is of no use from here on. */
static size_t choose(struct sampling *m, struct trace_id *ids,
		     struct time_range *ranges)
{
	size_t count = 0;

	for (size_t i = 0; i < m->count; i++) {
		struct cell *c = &m->cells[i];
		size_t left = c->taken;

		if (c->hits.count)
			qsort(c->hits.items, c->hits.count,
			      sizeof *c->hits.items, compare_ids);
		for (size_t k = 0; left && k < c->hits.count; k++) {
			const struct hit *hit = &c->hits.items[k];

			if (hit_is_health_check(hit) ||
			    is_chosen(ids, count, &hit->id))
				continue;
			ranges[count] = c->query.range;
			ids[count++] = hit->id;
			left--;
		}
		m->s->missing_count += left;
	}
	return count;
}

/* ---- all of it ---- */

static bool look_at(struct slo_spent *s, const struct trace_id *ids,
		    const struct time_range *ranges, size_t n,
		    struct error *err)
{
	struct backends *b = s->slo->backends;
	size_t count = 0;

	s->requests = arena_array(b->arena, n + 1, sizeof *s->requests);
	if (!s->requests)
		return arena_fail(b->arena, "bad requests", err);
	for (size_t i = 0; i < n; i++) {
		struct error why = { 0 };

		if (slo_request_look(s->slo, s->question, &ids[i], ranges[i],
				     &s->requests[count], &why)) {
			count++;
			continue;
		}
		if (slo_is_final(&why)) {
			*err = why;
			return false;
		}
		if (why.code == ERROR_NOT_FOUND && !why.message[0]) {
			s->missing_count++;
			continue;
		}
		gaps_count(&b->gaps, &why);
		if (!s->unread_count++)
			s->reason = why;
	}
	return spent_sum(s->requests, count, b->arena, &s->spent, err);
}

static bool sample(struct sampling *m, struct error *err)
{
	bool has_counts = m->s->slo->indicator.source.name != NULL;
	struct trace_id ids[LIMIT_SLO_SAMPLE];
	struct time_range ranges[LIMIT_SLO_SAMPLE];

	if (!(has_counts ? count_metrics(m, err) : search_parts(m, err)))
		return false;
	m->s->bad = weight_of(m);
	take(m);
	if (!search(m, err))
		return false;
	if (has_counts && drop_forgotten(m)) {
		take(m);
		if (!search(m, err))
			return false;
	}
	return look_at(m->s, ids, ranges, choose(m, ids, ranges), err);
}

bool slo_spent_find(struct slo_spent *s, struct error *err)
{
	struct sampling m = { .s = s, .b = s->slo->backends };
	struct error why = { 0 };
	bool done;

	s->kept = 1;
	s->from = s->range;
	done = backends_probe_traces(m.b, &why) && sample(&m, &why);
	cells_release(&m);
	if (done)
		return true;
	if (slo_is_final(&why)) {
		*err = why;
		return false;
	}
	s->reason = why;
	return true;
}
