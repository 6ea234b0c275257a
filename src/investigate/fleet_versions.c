/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "backend/fetch_profile.h"
#include "base/num.h"
#include "investigate/fleet.h"
#include "investigate/profile_service.h"

/* CPU by service and version is asked for in so many steps of the window, of
 * all services at once: so finely it is known when a version came. */
#define STEPS 60
/* Those of senders that upload every 15 s at most have no gaps. */
#define STEP_MIN_MS 15000

/* Senders that upload seldom do so once a minute. */
#define LONGEST_PROFILE_NS NS_PER_MIN

/* Kinds of CPU time that are asked about; nearly all senders have one. */
#define TYPES 4
#define QUESTIONS (TYPES * VERSION_LABELS)

/* A version of a service, and the steps in which it was there. */
struct seen {
	struct str service;
	struct str version;
	const char *label;
	size_t first;
	size_t last;
};

struct sightings {
	struct totals_query query; /* what its questions have in common */
	struct seen *items;
	size_t count;
};

/* ---- what was there when ---- */

static void cut_window(struct totals_query *q, struct time_range window)
{
	int64_t length_ms = (window.to_ns - window.from_ns) / NS_PER_MS;

	q->step_ms = (length_ms + STEPS - 1) / STEPS;
	q->step_ms += (1000 - q->step_ms % 1000) % 1000; /* whole seconds */
	if (q->step_ms < STEP_MIN_MS)
		q->step_ms = STEP_MIN_MS;
	q->step_count = (size_t)((length_ms + q->step_ms - 1) / q->step_ms);
	if (q->step_count < 2)
		q->step_count = 2;
	q->from_ms = window.from_ns / NS_PER_MS;
}

static bool take_total(struct seen *out, const struct total *t,
		       const struct totals_query *q)
{
	size_t from = 0, to = q->step_count;

	while (from < to && !(t->values[from] > 0))
		from++;
	while (to > from && !(t->values[to - 1] > 0))
		to--;
	*out = (struct seen){ .service = t->name,
			      .version = t->beside,
			      .label = q->beside,
			      .first = from,
			      .last = to - 1 };
	return from < to && t->name.len && t->beside.len;
}

/* Agents that name a version by several labels name it by the first of them. */
static size_t label_rank(const struct seen *s)
{
	size_t i = 0;

	while (i < VERSION_LABELS && version_labels[i] != s->label)
		i++;
	return i;
}

static int compare_seen(const void *left, const void *right)
{
	const struct seen *a = left, *b = right;
	int order = str_compare(a->service, b->service);

	if (!order)
		order = (label_rank(a) > label_rank(b)) -
			(label_rank(a) < label_rank(b));
	return order ? order : str_compare(a->version, b->version);
}

static bool take_answers(struct sightings *all, const struct totals_job *jobs,
			 size_t n, struct arena *arena, struct error *err)
{
	size_t room = 0;

	for (size_t i = 0; i < n; i++) {
		if (!jobs[i].job.has_answer) {
			*err = jobs[i].job.err;
			return false;
		}
		room += jobs[i].totals.count;
	}
	all->items = arena_array(arena, room + 1, sizeof *all->items);
	if (!all->items)
		return arena_fail(arena, "the versions", err);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < jobs[i].totals.count; k++)
			all->count += take_total(&all->items[all->count],
						 &jobs[i].totals.items[k],
						 &jobs[i].query);
	if (all->count)
		qsort(all->items, all->count, sizeof *all->items, compare_seen);
	return true;
}

static size_t list_types(const struct fleet *f, struct str out[TYPES])
{
	size_t n = 0;

	for (size_t i = 0; i < f->count; i++) {
		struct str type = f->items[i].type_id;
		size_t k = 0;

		while (k < n && !str_equal(out[k], type))
			k++;
		if (k == n && n < TYPES && type.len)
			out[n++] = type;
	}
	return n;
}

static bool ask(struct sightings *all, const struct fleet *f,
		struct investigation *v, struct error *err)
{
	struct arena *arena = v->backends->arena;
	struct totals_job *jobs = arena_array(arena, QUESTIONS, sizeof *jobs);
	struct job *list[QUESTIONS];
	struct str types[TYPES];
	size_t n = list_types(f, types) * VERSION_LABELS;

	if (!jobs)
		return arena_fail(arena, "the requests", err);
	all->query.selector = "{}";
	all->query.label = "service_name";
	cut_window(&all->query, f->window);
	for (size_t i = 0; i < n; i++) {
		struct totals_query query = all->query;

		query.type_id = types[i / VERSION_LABELS].ptr;
		query.beside = version_labels[i % VERSION_LABELS];
		totals_job_init(&jobs[i], &query);
		list[i] = &jobs[i].job;
	}
	return jobs_run(v->backends, list, n, err) &&
	       take_answers(all, jobs, n, arena, err);
}

/* ---- which of them are compared ---- */

/* Which came later; of two that came together which stayed. */
static bool is_later(const struct seen *a, const struct seen *b)
{
	return a->first != b->first ? a->first > b->first : a->last > b->last;
}

static bool set_side(struct fleet *f, struct fleet_side *side,
		     const struct seen *s, const struct totals_query *q,
		     struct error *err)
{
	int64_t from_ms = q->from_ms + (int64_t)s->first * q->step_ms;
	int64_t to_ms = q->from_ms + (int64_t)(s->last + 1) * q->step_ms;

	side->version = arena_str(&f->arena, s->version);
	side->range = (struct time_range){ from_ms * NS_PER_MS,
					   to_ms * NS_PER_MS };
	/* A profile stands where it began. */
	if (side->range.to_ns > f->window.to_ns - LONGEST_PROFILE_NS)
		side->range.to_ns = f->window.to_ns;
	return side->version.ptr || arena_fail(&f->arena, "the fleet", err);
}

/* The last that came, beside the last before it. What was there from the start
 * on came before the window. */
static bool set_sides(struct fleet *f, struct fleet_service *service,
		      const struct seen *list, size_t count,
		      const struct totals_query *q, struct error *err)
{
	const struct seen *newest = NULL, *older = NULL;

	for (size_t i = 0; i < count; i++)
		if (!newest || is_later(&list[i], newest))
			newest = &list[i];
	for (size_t i = 0; i < count; i++)
		if (&list[i] != newest &&
		    (!older || is_later(&list[i], older)))
			older = &list[i];
	if (!older || newest->first == older->first) {
		service->state = FLEET_NO_VERSIONS;
		return true;
	}
	service->version_label = arena_str(&f->arena, str_from(newest->label));
	if (!service->version_label.ptr)
		return arena_fail(&f->arena, "the fleet", err);
	return set_side(f, &service->after, newest, q, err) &&
	       set_side(f, &service->before, older, q, err);
}

static int compare_service(const void *key, const void *item)
{
	return str_compare(*(const struct str *)key,
			   ((const struct seen *)item)->service);
}

/* Those of one service and label stand together. */
static const struct seen *find_service(const struct sightings *all,
				       struct str name, size_t *count)
{
	const struct seen *end = all->items + all->count;
	const struct seen *found =
		all->count ? bsearch(&name, all->items, all->count,
				     sizeof *all->items, compare_service)
			   : NULL;

	*count = 0;
	while (found && found > all->items &&
	       str_equal(found[-1].service, name))
		found--;
	while (found && found + *count < end &&
	       str_equal(found[*count].service, name) &&
	       found[*count].label == found->label)
		++*count;
	return found;
}

bool fleet_find_versions(struct fleet *f, struct investigation *v,
			 struct error *err)
{
	struct sightings all = { .count = 0 };

	if (!ask(&all, f, v, err))
		return false;
	for (size_t i = 0; i < f->count; i++) {
		struct fleet_service *s = &f->items[i];
		size_t count;
		const struct seen *list = find_service(&all, s->name, &count);

		if (s->state == FLEET_WAITING &&
		    !set_sides(f, s, list, count, &all.query, err))
			return false;
	}
	return true;
}
