/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/profile_service.h"

#include <stdlib.h>

#include "analyze/growth.h"
#include "backend/fetch_profile.h"
#include "backend/selector.h"
#include "base/mem.h"
#include "investigate/investigation.h"
#include "model/fleet.h"

/* Steps of the window for CPU by service and version, of all services at once:
 * the resolution of a version's start. */
#define STEPS 60
/* Those of senders that upload every 15 s at most have no gaps. */
#define STEP_MIN_MS 15000

/* Senders that upload seldom do so once a minute. */
#define LONGEST_PROFILE_NS NS_PER_MIN

/* Maximum number of CPU types queried; nearly all senders have one. */
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

static int seen_compare(const void *left, const void *right)
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
		qsort(all->items, all->count, sizeof *all->items, seen_compare);
	return true;
}

static bool sightings_ask(struct sightings *all, const struct fleet *f,
			  struct investigation *v, struct error *err)
{
	struct arena *arena = v->backends->arena;
	struct totals_job *jobs = arena_array(arena, QUESTIONS, sizeof *jobs);
	struct job *list[QUESTIONS];
	struct str types[TYPES];
	size_t type_count = 0, n;

	if (!jobs)
		return arena_fail(arena, "the requests", err);
	for (size_t i = 0; i < f->count; i++) {
		struct str type = f->items[i].type_id;
		size_t k = 0;

		while (k < type_count && !str_equal(types[k], type))
			k++;
		if (k == type_count && k < TYPES && type.len)
			types[type_count++] = type;
	}
	n = type_count * VERSION_LABELS;
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

/* Returns which one came later; if both came together, which stayed. */
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
	/* A profile is stored at its start. */
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

/* Sightings of one service and label are contiguous. */
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

/* Sets the sides of all services by the versions that were there when. */
static bool fleet_find_versions(struct fleet *f, struct investigation *v,
				struct error *err)
{
	struct sightings all = { .count = 0 };

	if (!sightings_ask(&all, f, v, err))
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

/* Number of consecutive refusals after which a server is not queried
 * further. */
#define MOST_REFUSALS 12

/* One service on its way: what is now, then the parts of what was. */
struct visit {
	struct fleet_service *service;
	struct profile profiles[FLEET_QUESTIONS];
	struct profile_fetch fetches[FLEET_QUESTIONS];
};

/* ---- which services ---- */

static bool fleet_fail(struct fleet *f, struct error *err)
{
	return arena_fail(&f->arena, "the fleet", err);
}

static bool fleet_plan_all(struct fleet *f, struct investigation *v,
			   struct error *err)
{
	struct services all = { .backends = v->backends,
				.note = v->note,
				.window = f->window };

	if (!services_fetch(&all, err))
		return false;
	f->items = arena_array(&f->arena, all.count + 1, sizeof *f->items);
	if (!f->items)
		return fleet_fail(f, err);
	for (size_t i = 0; i < all.count; i++) {
		const struct service_row *row = &all.rows[i];
		struct fleet_service *s = &f->items[f->count];

		*s = (struct fleet_service){
			.name = arena_str(&f->arena, row->name),
			.type_id = arena_str(&f->arena, row->cpu_type),
			.after.range = f->window,
			.before.range = f->baseline,
			.state = !row->cpu_type.len ? FLEET_NO_CPU
				 : f->count < LIMIT_FLEET_SERVICES
					 ? FLEET_WAITING
					 : FLEET_LEFT_OUT,
		};
		f->count++;
		if (!s->name.ptr || !s->type_id.ptr)
			return fleet_fail(f, err);
	}
	return f->baseline.to_ns || fleet_find_versions(f, v, err);
}

bool fleet_plan(struct fleet *f, struct investigation *v,
		struct fleet_file *file, const char *path, struct str question,
		bool *is_resumed, struct error *err)
{
	int64_t now_ns = v->backends->now_ns;

	if (!fleet_file_open(file, path, question, f, now_ns, err))
		return false;
	*is_resumed = f->count > 0;
	if (*is_resumed)
		return true;
	f->started_ns = now_ns;
	return fleet_plan_all(f, v,
			      err) && fleet_file_begin(file, f, question, err);
}

/* ---- asking ---- */

static struct time_range range_of(const struct fleet_service *s, size_t i)
{
	struct time_range whole = s->before.range;
	int64_t length = (whole.to_ns - whole.from_ns) / FLEET_PARTS;

	if (!i)
		return s->after.range;
	return (struct time_range){
		whole.from_ns + length * (int64_t)(i - 1),
		i == FLEET_PARTS ? whole.to_ns
				 : whole.from_ns + length * (int64_t)i,
	};
}

static bool select_side(struct investigation *v, const struct fleet_service *s,
			const struct fleet_side *side, struct str *out,
			struct error *err)
{
	struct arena *arena = v->backends->arena;

	if (!selector_of_service(arena, s->name.ptr, out, err))
		return false;
	if (!side->version.ptr)
		return true;
	*out = selector_with(v, *out, s->version_label, side->version, false);
	return out->ptr || arena_fail(arena, "the requests", err);
}

static bool visit_begin(struct visit *visit, struct fleet_service *s,
			struct investigation *v, struct job **jobs, size_t *n,
			struct error *err)
{
	struct str after, before;

	visit->service = s;
	if (!select_side(v, s, &s->after, &after, err) ||
	    !select_side(v, s, &s->before, &before, err))
		return false;
	for (size_t i = 0; i < FLEET_QUESTIONS; i++) {
		const struct profile_query query = {
			.type_id = s->type_id.ptr,
			.selector = i ? before.ptr : after.ptr,
			.range = range_of(s, i),
			.is_continued = i > 1,
		};

		profile_fetch_init(&visit->fetches[i], &query,
				   &visit->profiles[i]);
		jobs[(*n)++] = &visit->fetches[i].job;
	}
	return true;
}

/* ---- answers ---- */

/* All of them, on the way. */
struct asking {
	struct fleet *fleet;
	struct investigation *v;
	struct fleet_file *file;
	struct visit *visits;
	size_t next;
	size_t refused; /* services in a row */
};

static bool visit_end(struct asking *a, struct visit *visit, struct error *err)
{
	const struct profile *profiles[FLEET_QUESTIONS];
	struct fleet_service *s = visit->service;
	struct fleet *f = a->fleet;

	for (size_t i = 0; i < FLEET_QUESTIONS; i++) {
		const struct job *job = &visit->fetches[i].job;

		/* An empty result is an answer. */
		if (job->has_answer || job->err.code == ERROR_NOT_FOUND)
			continue;
		s->state = FLEET_FAILED;
		s->reason = arena_str(&f->arena, str_from(job->err.message));
		if (!s->reason.ptr)
			return fleet_fail(f, err);
		*err = job->err;
		return ++a->refused < MOST_REFUSALS;
	}
	a->refused = 0;
	for (size_t i = 0; i < FLEET_QUESTIONS; i++)
		profiles[i] = &visit->profiles[i];
	return fleet_count(f, s, profiles, a->v->question->rules,
			   a->v->backends->notes, err) &&
	       fleet_file_take(a->file, f, (size_t)(s - f->items), err);
}

/* ---- all of them ---- */

/* Services queried concurrently: four times as many profiles are in memory. */
#define FLEET_BATCH 4

static bool ask_batch(struct asking *a, struct error *err)
{
	struct job *jobs[FLEET_BATCH * FLEET_QUESTIONS];
	struct fleet *f = a->fleet;
	size_t count = 0, n = 0;
	bool done = true;

	for (; done && a->next < f->count && count < FLEET_BATCH; a->next++)
		if (f->items[a->next].state == FLEET_WAITING)
			done = visit_begin(&a->visits[count++],
					   &f->items[a->next], a->v, jobs, &n,
					   err);
	done = done && (!n || jobs_run(a->v->backends, jobs, n, err));
	for (size_t i = 0; i < count; i++) {
		done = done && visit_end(a, &a->visits[i], err);
		for (size_t k = 0; k < FLEET_QUESTIONS; k++)
			profile_release(&a->visits[i].profiles[k]);
	}
	return done;
}

/* A longer window would be split, and need more queries than announced. */
static bool check_windows(const struct fleet *f, struct investigation *v,
			  struct error *err)
{
	int64_t most_ns = v->backends->profile_window_ns;

	for (size_t i = 0; most_ns && i < f->count; i++)
		for (size_t k = 0; k < FLEET_QUESTIONS; k++) {
			struct time_range r = range_of(&f->items[i], k);

			if (r.to_ns - r.from_ns > most_ns)
				return investigation_fail(
					v,
					(struct shortfall){
						.kind = SHORTFALL_LONG_WINDOW,
						.count = (size_t)(most_ns /
								  NS_PER_S),
					},
					err);
		}
	return true;
}

bool fleet_ask(struct fleet *f, struct investigation *v,
	       struct fleet_file *file, struct error *err)
{
	struct asking a = { .fleet = f, .v = v, .file = file };
	bool done = true;

	a.visits = mem_calloc(FLEET_BATCH, sizeof *a.visits);
	if (!a.visits)
		return error_memory(err, "the fleet");
	while (done && a.next < f->count)
		done = ask_batch(&a, err) && check_windows(f, v, err);
	mem_free(a.visits);
	return done;
}
