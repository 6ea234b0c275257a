/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/leak.h"

#include <stdlib.h>
#include <string.h>

#include "backend/fetch_profile.h"
#include "base/mem.h"
#include "base/num.h"

/* Senders upload every 10 to 60 s: shorter steps show gaps that are none. */
#define STEP_MIN_MS 15000
/* Points of a series: a step of 15 s over twelve hours. */
#define STEPS_MOST 2880
/* Servers refuse to look at more than a day at once by default. */
#define ASK_MAX_MS (NS_PER_DAY / NS_PER_MS)
/* The steps of a list of profiles that are added up here: each step is a
 * profile of its own, and platforms send one a minute of all instances. */
#define LIST_STEPS 48
/* A gap is at least this many upload intervals; one upload may be lost. */
#define GAP_SHORT 2
#define GAP_LONG 3
/* A block has to have some of them to be a mean. */
#define BLOCK_POINTS 2
/* A process that began within the window warms up first: a tenth of its life,
 * ten minutes at least, a quarter at most. */
#define WARM_UP_NS (10 * NS_PER_MIN)
/* Uploads are up to a minute apart: of a process that sent some all the time
 * the first and the last lie so far within the window. */
#define EDGES_NS (2 * NS_PER_MIN)

/* ---- asking ---- */

static void cut_window(struct leak *l, int64_t most)
{
	int64_t from_ms = l->window.from_ns / NS_PER_MS;
	int64_t length_ms = l->window.to_ns / NS_PER_MS - from_ms;

	l->step_ms = (length_ms / most + 999) / 1000 * 1000;
	if (l->step_ms < STEP_MIN_MS)
		l->step_ms = STEP_MIN_MS;
	l->step_count = (size_t)(length_ms / l->step_ms);
	l->window.from_ns = from_ms * NS_PER_MS;
	l->window.to_ns =
		(from_ms + l->step_ms * (int64_t)l->step_count) * NS_PER_MS;
}

static struct leak_row *row_find(struct leak_series *s, struct str name,
				 size_t *cap, const struct leak *l,
				 struct error *err)
{
	struct arena *arena = l->v->backends->arena;
	struct leak_row *row;

	for (size_t i = 0; i < s->count; i++)
		if (str_equal(s->rows[i].instance, name))
			return &s->rows[i];
	if (!arena_reserve(arena, (void **)&s->rows, cap, s->count + 1,
			   sizeof *s->rows)) {
		arena_fail(arena, "series", err);
		return NULL;
	}
	row = &s->rows[s->count];
	row->instance = name;
	row->begins = NULL;
	row->values = arena_array(arena, l->step_count, sizeof(double));
	if (!row->values) {
		arena_fail(arena, "series", err);
		return NULL;
	}
	s->count++;
	return row;
}

/* Instances past the limit are none of the answer: thousands of processes are
 * enough, and each is compared with those before it. */
static bool take_part(struct leak_series *s, const struct totals_job *job,
		      size_t first_step, size_t *cap, const struct leak *l,
		      struct error *err)
{
	for (size_t i = 0; i < job->totals.count; i++) {
		const struct total *total = &job->totals.items[i];
		struct leak_row *row;

		if (s->count == LIMIT_LEAK_INSTANCES)
			break;
		row = row_find(s, total->name, cap, l, err);
		if (!row)
			return false;
		for (size_t k = 0; k < job->query.step_count; k++)
			row->values[first_step + k] += total->values[k];
	}
	return true;
}

static void part_init(struct totals_job *job, const struct leak *l,
		      const char *type_id, size_t part, size_t parts)
{
	size_t from = l->step_count * part / parts;
	struct totals_query query = {
		.type_id = type_id,
		.selector = l->found.selector.ptr,
		.label = l->found.instance_label.ptr
				 ? l->found.instance_label.ptr
				 : "service_name",
		.from_ms = l->window.from_ns / NS_PER_MS +
			   (int64_t)from * l->step_ms,
		.step_ms = l->step_ms,
		.step_count = l->step_count * (part + 1) / parts - from,
	};

	totals_job_init(job, &query);
}

static bool take_series(struct leak *l, struct leak_series *s,
			const struct totals_job *parts, size_t count,
			struct error *err)
{
	size_t cap = 0;

	for (size_t i = 0; i < count; i++)
		if (!parts[i].job.has_answer) {
			s->err = parts[i].job.err;
			return true;
		}
	s->has_answer = true;
	for (size_t i = 0; i < count; i++)
		if (!take_part(s, &parts[i], l->step_count * i / count, &cap, l,
			       err))
			return false;
	return true;
}

/* ---- lists ---- */

/* The profiles of a type, step by step. */
struct listed_steps {
	struct profile_fetch fetches[LIST_STEPS];
	struct profile profiles[LIST_STEPS];
	struct snapshots_job counts[LIST_STEPS];
	struct job *jobs[2 * LIST_STEPS];
};

static void steps_init(struct listed_steps *s, const struct leak *l,
		       const char *type_id)
{
	for (size_t i = 0; i < l->step_count; i++) {
		int64_t step_ns = l->step_ms * NS_PER_MS;
		struct profile_query query = {
			.type_id = type_id,
			.selector = l->found.selector.ptr,
			.range.from_ns =
				l->window.from_ns + (int64_t)i * step_ns,
			.is_continued = i > 0,
		};

		query.range.to_ns = query.range.from_ns + step_ns;
		profile_init(&s->profiles[i]);
		profile_fetch_init(&s->fetches[i], &query, &s->profiles[i]);
		s->jobs[i] = &s->fetches[i].job;
		snapshots_job_init(&s->counts[i], &query, NULL);
		s->jobs[l->step_count + i] = &s->counts[i].job;
	}
}

static bool take_steps(const struct leak *l, struct leak_series *series,
		       const struct listed_steps *s, struct error *err)
{
	struct arena *arena = l->v->backends->arena;

	series->rows = arena_array(arena, 1, sizeof *series->rows);
	if (!series->rows)
		return arena_fail(arena, "series", err);
	series->rows->instance = STR("");
	series->rows->values =
		arena_array(arena, l->step_count, sizeof(double));
	if (!series->rows->values)
		return arena_fail(arena, "series", err);
	for (size_t i = 0; i < l->step_count; i++) {
		const struct snapshots_job *count = &s->counts[i];

		if (s->fetches[i].job.has_answer) {
			series->has_answer = true;
			if (count->job.has_answer)
				series->rows->values[i] =
					(double)s->profiles[i].total /
					(double)count->count;
		} else {
			series->err = s->fetches[i].job.err;
		}
	}
	series->count = series->has_answer;
	series->is_per_snapshot = true;
	return true;
}

static bool ask_steps(struct leak *l, struct leak_series *series,
		      struct error *err)
{
	struct listed_steps *s = mem_calloc(1, sizeof *s);
	bool done;

	if (!s)
		return error_memory(err, "the blocks");
	steps_init(s, l, series->type_id);
	done = jobs_run(l->v->backends, s->jobs, 2 * l->step_count, err) &&
	       take_steps(l, series, s, err);
	for (size_t i = 0; i < l->step_count; i++)
		profile_release(&s->profiles[i]);
	mem_free(s);
	return done;
}

bool leak_series_ask(struct leak *l, struct leak_series *list, size_t count,
		     struct error *err)
{
	bool is_list = backends_profile_traits(l->v->backends)->is_list;
	struct arena *arena = l->v->backends->arena;
	struct totals_job *parts;
	struct job **jobs;
	bool done = true;
	size_t fitting, n;

	cut_window(l, is_list ? LIST_STEPS : STEPS_MOST);
	if (is_list) {
		/* Lists do not distinguish instances, which are profiled one
		 * after another. */
		l->found.instance_label = (struct str){ NULL, 0 };
		for (size_t i = 0; done && i < count; i++)
			done = ask_steps(l, &list[i], err);
		return done;
	}
	fitting = (size_t)(ASK_MAX_MS / l->step_ms);
	n = (l->step_count + fitting - 1) / fitting;
	parts = arena_array(arena, count * n, sizeof *parts);
	jobs = arena_array(arena, count * n, sizeof *jobs);
	if (!parts || !jobs)
		return arena_fail(arena, "the requests", err);
	for (size_t i = 0; i < count * n; i++) {
		part_init(&parts[i], l, list[i / n].type_id, i % n, n);
		jobs[i] = &parts[i].job;
	}
	if (!jobs_run(l->v->backends, jobs, count * n, err))
		return false;
	for (size_t i = 0; done && i < count; i++)
		done = take_series(l, &list[i], parts + i * n, n, err);
	return done;
}

/* ---- restarts ---- */

/* Returns the typical interval between uploads, in steps. */
static size_t leak_series_rhythm(const double *values, size_t count)
{
	size_t ways[16] = { 0 }, seen = 0, last = SIZE_MAX, sum = 0;

	for (size_t i = 0; i < count; i++) {
		if (!(values[i] > 0))
			continue;
		if (last != SIZE_MAX) {
			ways[min_size(i - last, 15)]++;
			seen++;
		}
		last = i;
	}
	for (size_t i = 1; i < 16; i++) {
		sum += ways[i];
		if (2 * sum >= seen)
			return i;
	}
	return 1;
}

struct cutter {
	struct leak *l;
	struct leak_subject *subject;
	const struct leak_row *row;
	const double *load; /* or NULL */
	size_t cap;
	struct error *err;
};

static int64_t step_ns(const struct cutter *c, size_t step)
{
	return c->l->window.from_ns + (int64_t)step * c->l->step_ms * NS_PER_MS;
}

struct time_range leak_block(const struct leak_segment *s, size_t i)
{
	int64_t length = s->range.to_ns - s->range.from_ns;

	return (struct time_range){
		s->range.from_ns + length / GROWTH_BLOCKS * (int64_t)i,
		s->range.from_ns + length / GROWTH_BLOCKS * (int64_t)(i + 1)
	};
}

size_t leak_step(const struct leak *l, int64_t time_ns)
{
	return (size_t)((time_ns - l->window.from_ns) /
			(l->step_ms * NS_PER_MS));
}

/* Means by block. False: a block has too little. */
static bool fill_blocks(const struct cutter *c, struct leak_segment *s)
{
	struct growth_segment *g = &s->growth;

	g->has_load = c->load != NULL;
	for (size_t i = 0; i < GROWTH_BLOCKS; i++) {
		struct time_range block = leak_block(s, i);
		size_t from = leak_step(c->l, block.from_ns), count = 0;
		size_t loads = 0;
		size_t to = leak_step(c->l, block.to_ns);
		double sum = 0, load = 0;

		for (size_t k = from; k < to; k++) {
			sum += c->row->values[k];
			count += c->row->values[k] > 0;
			load += c->load ? c->load[k] : 0;
			/* Nothing was profiled where there is nothing. */
			loads += !c->subject->is_per_snapshot ||
				 (c->load && c->load[k] > 0);
		}
		if (count < BLOCK_POINTS)
			return false;
		s->points += count;
		g->hours[i] = (double)((block.from_ns + block.to_ns) / 2 -
				       c->l->window.from_ns) /
			      (double)NS_PER_HOUR;
		g->values[i] = sum / (double)count;
		g->has_load &= loads > 0;
		g->load[i] = loads ? load / (double)loads : 0;
	}
	return true;
}

/* Steps [from, to) of one process. */
static bool add_segment(struct cutter *c, size_t from, size_t to,
			bool is_from_start)
{
	struct leak_subject *subject = c->subject;
	struct leak_segment s = {
		.instance = c->row->instance,
		.range = { step_ns(c, from), step_ns(c, to) },
		.steps = c->row->values,
		.per_point = 1,
	};
	int64_t length = s.range.to_ns - s.range.from_ns;
	int64_t warm_up = length / 10;

	if (warm_up < WARM_UP_NS)
		warm_up = WARM_UP_NS < length / 4 ? WARM_UP_NS : length / 4;
	if (is_from_start) {
		s.range.from_ns += warm_up;
		length -= warm_up;
	}
	if (length > subject->longest_ns)
		subject->longest_ns = length;
	if (length < LEAK_LEAST_NS - EDGES_NS || !fill_blocks(c, &s)) {
		subject->short_count++;
		return true;
	}
	if (!arena_reserve(c->l->v->backends->arena,
			   (void **)&subject->segments, &c->cap,
			   subject->segment_count + 1,
			   sizeof *subject->segments))
		return arena_fail(c->l->v->backends->arena, "processes",
				  c->err);
	subject->segments[subject->segment_count++] = s;
	return true;
}

/* A restart: less than half behind a gap, or less than three quarters behind a
 * long one. Without a gap it is a cache that was emptied. */
static bool is_restart(const double *values, size_t last, size_t next,
		       size_t rhythm)
{
	size_t gap = next - last;

	return (gap >= GAP_SHORT * rhythm &&
		values[next] < 0.5 * values[last]) ||
	       (gap > GAP_LONG * rhythm && values[next] < 0.75 * values[last]);
}

static bool row_cut(struct cutter *c)
{
	const double *values = c->row->values;
	size_t count = c->l->step_count;
	size_t usual = leak_series_rhythm(values, count);
	size_t begin = SIZE_MAX, last = SIZE_MAX;
	bool is_from_start = false;

	for (size_t i = 0; i < count; i++) {
		if (!(values[i] > 0))
			continue;
		if (begin == SIZE_MAX) {
			begin = i;
			is_from_start = i > GAP_LONG * usual;
		} else if (c->row->begins
				   ? c->row->begins[i]
				   : is_restart(values, last, i, usual)) {
			if (!add_segment(c, begin, last + 1, is_from_start))
				return false;
			c->subject->restarts++;
			begin = i;
			is_from_start = true;
		}
		last = i;
	}
	return begin == SIZE_MAX ||
	       add_segment(c, begin, last + 1, is_from_start);
}

static int segment_compare(const void *a, const void *b)
{
	const struct leak_segment *x = a, *y = b;
	int order = compare_i64(y->range.to_ns - y->range.from_ns,
				x->range.to_ns - x->range.from_ns);

	if (!order)
		order = str_compare(x->instance, y->instance);
	return order ? order : compare_i64(x->range.from_ns, y->range.from_ns);
}

bool leak_segments_cut(struct leak *l, struct leak_subject *s,
		       const struct leak_series *series,
		       const struct leak_series *load, struct error *err)
{
	struct cutter c = { .l = l, .subject = s, .err = err };

	s->is_per_snapshot = series->is_per_snapshot;
	for (size_t i = 0; i < series->count; i++) {
		c.row = &series->rows[i];
		c.load = NULL;
		for (size_t k = 0; load && k < load->count && !c.load; k++)
			if (str_equal(load->rows[k].instance, c.row->instance))
				c.load = load->rows[k].values;
		s->instance_count++;
		if (!row_cut(&c))
			return false;
	}
	if (s->segment_count)
		qsort(s->segments, s->segment_count, sizeof *s->segments,
		      segment_compare);
	return true;
}
