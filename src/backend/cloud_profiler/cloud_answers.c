/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/cloud_profiler/cloud_profiles.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backend/backends.h"
#include "backend/fetch_profile.h"
#include "backend/jobs.h"
#include "backend/selector.h"
#include "backend/source.h"
#include "base/instance.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "model/profile.h"
#include "model/profile_list.h"

/* Which series and profiles of Cloud Profiler's list a selector and a window
 * mean. */

/* Returns the value of a series under a label; its service under "service_name"
 * as well. Empty where it has none. */
static struct str cloud_series_value(const struct profile_list *list,
				     const struct stored_series *series,
				     struct str label)
{
	if (str_equal(label, STR("service_name")) ||
	    str_equal(label, STR("target")))
		return stored_series_service(list, series);
	return stored_series_label(list, series, label);
}

struct series_view {
	const struct profile_list *list;
	const struct stored_series *series;
};

static struct str view_value(void *context, struct str label)
{
	const struct series_view *v = context;

	return cloud_series_value(v->list, v->series, label);
}

struct cloud_choice {
	const struct profile_list *list;
	bool *series; /* of the list, by index: chosen */
};

static bool choice_init(struct cloud_choice *c, const struct profile_list *list,
			const char *text, struct error *err)
{
	struct selector *selector = selector_parse(str_from(text), err);
	bool is_ok;

	*c = (struct cloud_choice){ .list = list };
	if (!selector)
		return false;
	c->series =
		mem_calloc((size_t)list->series_count + 1, sizeof *c->series);
	is_ok = c->series || error_memory(err, "the selector");
	for (uint32_t i = 0; is_ok && i < list->series_count; i++) {
		struct series_view view = { list, &list->series[i] };

		is_ok = selector_matches(selector, view_value, &view,
					 &c->series[i], err);
	}
	selector_free(selector);
	return is_ok;
}

/* Leaves of the chosen series those with a profile in the range. */
static bool choice_narrow(struct cloud_choice *c, struct time_range range,
			  struct error *err)
{
	bool *is_seen =
		mem_calloc((size_t)c->list->series_count + 1, sizeof *is_seen);

	if (!is_seen)
		return error_memory(err, "the selector");
	for (uint32_t i = 0; i < c->list->count; i++)
		if (stored_profile_is_in(&c->list->profiles[i], range))
			is_seen[c->list->profiles[i].series] = true;
	for (uint32_t i = 0; i < c->list->series_count; i++)
		c->series[i] &= is_seen[i];
	mem_free(is_seen);
	return true;
}

/* The series that the selector selects and that have a profile in the range.
 * Release in any case. */
static bool cloud_choose_series(struct cloud_choice *c,
				const struct profile_list *list,
				const char *selector, struct time_range range,
				struct error *err)
{
	return choice_init(c, list, selector, err) &&
	       choice_narrow(c, range, err);
}

static void cloud_choice_release(struct cloud_choice *c)
{
	mem_free(c->series);
}

/* Counts the profiles that a query is about, and sets their marks (one for
 * each of the list; may be NULL). */
static bool cloud_choose_profiles(const struct profile_list *list,
				  const struct profile_query *query,
				  bool *marks, uint32_t *count,
				  struct error *err)
{
	const struct cloud_type *type =
		cloud_type_find(str_from(query->type_id));
	struct cloud_choice c;
	bool is_ok = choice_init(&c, list, query->selector, err);

	*count = 0;
	for (uint32_t i = 0; is_ok && type && i < list->count; i++) {
		const struct stored_profile *p = &list->profiles[i];

		/* Parts of a window count a profile across their border once:
		 * in the part in which it began. */
		if (!c.series[p->series] ||
		    list->series[p->series].type != type->type ||
		    !stored_profile_is_in(p, query->range) ||
		    (query->is_continued &&
		     p->start_ns < query->range.from_ns))
			continue;
		if (marks)
			marks[i] = true;
		(*count)++;
	}
	cloud_choice_release(&c);
	return is_ok;
}

/* Notes how many profiles a window has, and whether a wider one has more. */

/* With this number, a doubled function with a share of 1 % is significant. */
#define SAMPLES_ENOUGH 10000

/* Minimum factor by which a wider window has to increase the number for a
 * note. */
#define WIDER_FACTOR 3

static uint32_t count_profiles(const struct profile_list *list,
			       const struct profile_query *query,
			       struct time_range range)
{
	struct profile_query wider = *query;
	struct error ignored;
	uint32_t count;

	wider.range = range;
	return cloud_choose_profiles(list, &wider, NULL, &count, &ignored)
		       ? count
		       : 0;
}

/* Returns a wider range: around a trace on both sides, else with the same end.
 * If it was limited to the slow part, so is the wider one. */
static struct time_range range_widen(struct time_range range, int64_t length_ns,
				     const struct time_range *around)
{
	int64_t middle_ns;

	if (!around)
		return (struct time_range){ sat_sub_i64(range.to_ns, length_ns),
					    range.to_ns };
	middle_ns = around->from_ns + (around->to_ns - around->from_ns) / 2;
	return (struct time_range){
		range.from_ns > around->from_ns
			? range.from_ns
			: sat_sub_i64(middle_ns, length_ns),
		range.to_ns < around->to_ns ? range.to_ns
					    : sat_add_i64(middle_ns, length_ns),
	};
}

/* Returns the shortest common length with enough profiles; 0: none. */
static int64_t find_wider(const struct profile_list *list,
			  const struct profile_query *query, uint32_t count,
			  int64_t now_ns, const struct time_range *around,
			  uint32_t *more)
{
	static const int64_t steps_ns[] = {
		15 * NS_PER_MIN, 30 * NS_PER_MIN,  NS_PER_HOUR,
		3 * NS_PER_HOUR, 12 * NS_PER_HOUR, NS_PER_DAY,
	};

	for (size_t i = 0; i < sizeof steps_ns / sizeof *steps_ns; i++) {
		struct time_range wider =
			range_widen(query->range, steps_ns[i], around);

		if (wider.to_ns > now_ns)
			wider.to_ns = now_ns;
		*more = count_profiles(list, query, wider);
		if (*more >= WIDER_FACTOR * count)
			return steps_ns[i];
	}
	return 0;
}

void cloud_answers_note(struct backends *b, const struct profile_query *query,
			int64_t samples, const struct time_range *around)
{
	char length[32], offer[80] = "";
	const struct profile_list *list;
	struct error ignored;
	int64_t wider_ns = 0;
	uint32_t count, more;
	bool is_fatal;

	list = cloud_profiles_list(b, &is_fatal, &ignored);
	count = list ? count_profiles(list, query, query->range) : 0;
	if (!count)
		return;
	if (samples < SAMPLES_ENOUGH)
		wider_ns = find_wider(list, query, count, b->now_ns, around,
				      &more);
	if (wider_ns) {
		format_duration_option(wider_ns, length);
		/* The slow part may turn out to be shorter. */
		snprintf(offer, sizeof offer,
			 "; --%s %s would bring %s%" PRIu32 " instead",
			 around ? "pad" : "since", length,
			 around ? "up to " : "", more);
	}
	notes_add(b->notes,
		  "Cloud Profiler profiles one instance at a time: %" PRIu32
		  " profile%s in this window%s",
		  count, &"s"[count == 1], offer);
}

/* A profile summed from many short ones that arrive one after another: they are
 * decoded on arrival and added up a few at a time, so that memory holds the sum
 * and a few of them. */

/* Number of profiles added up at once: the sum is copied each time, so larger
 * batches are cheaper; those of 10 s are small. */
#define PARTS 32

struct cloud_sum {
	struct backends *backends;
	const struct cloud_type *type;
	struct profile *parts[1 + PARTS]; /* the first is the sum so far */
	size_t count;
	int64_t profiled_ns;
};

static void part_free(struct profile *p)
{
	if (p)
		profile_release(p);
	mem_free(p);
}

static struct profile *part_new(struct error *err)
{
	struct profile *p = mem_calloc(1, sizeof *p);

	if (p)
		profile_init(p);
	else
		error_memory(err, "a profile");
	return p;
}

static void parts_free(struct cloud_sum *sum)
{
	for (size_t i = 0; i < sum->count; i++)
		part_free(sum->parts[i]);
	sum->count = 0;
}

static bool sum_merge(struct cloud_sum *sum, struct profile *into,
		      struct error *err)
{
	const struct profile *parts[1 + PARTS];

	for (size_t i = 0; i < sum->count; i++)
		parts[i] = sum->parts[i];
	return profile_merge(into, parts, sum->count, sum->backends->notes,
			     err);
}

static bool sum_add_up(struct cloud_sum *sum, struct error *err)
{
	struct profile *all = part_new(err);

	if (!all)
		return false;
	if (!sum_merge(sum, all, err)) {
		part_free(all);
		return false;
	}
	parts_free(sum);
	sum->parts[sum->count++] = all;
	return true;
}

/* Sample types are named differently by language: the default of the file is
 * the requested type. */
static bool part_decode(struct cloud_sum *sum, struct str plain,
			struct profile *into, struct error *err)
{
	const char *const names[] = { sum->type->sample, sum->type->other, "" };
	size_t count = sum->type->is_main ? 3 : 2;

	for (size_t i = 0; i < count; i++) {
		struct profile_want want = sum->backends->want;

		if (i == 1 && !*names[i])
			continue;
		want.type = str_from(names[i]);
		profile_release(into);
		profile_init(into);
		error_clear(err);
		if (decode_profile(FORMAT_PPROF, plain, &want, into,
				   sum->backends->notes, err))
			return true;
		if (err->code != ERROR_NOT_FOUND)
			return false;
	}
	return false;
}

/* Returns a part of "process_cpu:cpu:nanoseconds:cpu:nanoseconds" by its
 * number. */
static struct str type_part(const char *id, unsigned number)
{
	struct str rest = str_from(id);

	while (number--)
		rest = str_slice(rest, str_find(rest, STR(":")) + 1, rest.len);
	return str_slice(rest, 0, str_find(rest, STR(":")));
}

static bool part_read(struct cloud_sum *sum, struct str bytes,
		      struct profile *into, struct error *err)
{
	struct str unit = type_part(sum->type->id, 2), plain, own;
	int64_t ns = time_unit_ns(unit), factor = 1;
	struct buf storage;
	bool is_ok;

	buf_init(&storage, LIMIT_BODY_PLAIN_BYTES);
	plain = decode_plain(bytes, "the profile", &storage, err);
	is_ok = plain.ptr && part_decode(sum, plain, into, err);
	if (is_ok) {
		/* Profiles of several languages are added up and compared under
		 * one name and in one unit; Node.js uses microseconds. */
		own = profile_unit(into);
		if (!str_equal(unit, own))
			factor = ns > 0 ? time_unit_ns(own) / ns : 0;
		is_ok = factor == 0 ||
			profile_restate(into, type_part(sum->type->id, 1), unit,
					factor, err);
	}
	buf_release(&storage);
	return is_ok;
}

/* Adds a pprof file, gzip or plain. */
static bool cloud_sum_add(struct cloud_sum *sum, struct str bytes,
			  const struct stored_profile *profile,
			  struct error *err)
{
	struct profile *part;

	if (sum->count == 1 + PARTS && !sum_add_up(sum, err))
		return false;
	part = part_new(err);
	if (!part)
		return false;
	if (!part_read(sum, bytes, part, err)) {
		part_free(part);
		return error_prefix(err, "Cloud Profiler: %.*s",
				    STR_ARGS(profile->name));
	}
	if (!part->duration_ns)
		part->duration_ns =
			sat_sub_i64(profile->end_ns, profile->start_ns);
	if (!part->time_ns)
		part->time_ns = profile->start_ns;
	sum->profiled_ns = sat_add_i64(sum->profiled_ns, part->duration_ns);
	sum->parts[sum->count++] = part;
	return true;
}

/* ---- names ---- */

static bool names_add(struct name_list *names, size_t *cap, struct arena *arena,
		      struct str name, struct error *err)
{
	void *items = names->items;

	if (!arena_reserve(arena, &items, cap, names->count + 1,
			   sizeof *names->items))
		return arena_fail(arena, "the names", err);
	names->items = items;
	names->items[names->count++] = name;
	return true;
}

static bool series_names(struct names_job *n, size_t *cap, struct arena *arena,
			 const struct profile_list *list,
			 const struct stored_series *s)
{
	const struct cloud_type *types;
	size_t count;

	if (!n->selector)
		return names_add(&n->names, cap, arena,
				 stored_series_service(list, s), &n->job.err);
	types = cloud_types_of(s->type, &count);
	for (size_t i = 0; i < count; i++)
		if (!names_add(&n->names, cap, arena, str_from(types[i].id),
			       &n->job.err))
			return false;
	return true;
}

static bool answer_names(struct names_job *n, struct backends *b,
			 const struct profile_list *list)
{
	struct cloud_choice c;
	size_t cap = 0;
	bool is_ok =
		cloud_choose_series(&c, list, n->selector ? n->selector : "{}",
				    n->range, &n->job.err);

	n->names = (struct name_list){ .items = NULL };
	for (uint32_t i = 0; is_ok && i < list->series_count; i++)
		if (c.series[i])
			is_ok = series_names(n, &cap, b->arena, list,
					     &list->series[i]);
	cloud_choice_release(&c);
	name_list_sort(&n->names);
	return is_ok;
}

/* ---- series ---- */

/* Rows of texts without duplicates. */
struct rows {
	struct series_job *job;
	struct arena *arena;
	size_t cap;
	struct map seen;
	struct arena scratch;
};

static struct str label_value(const struct profile_list *list,
			      const struct stored_series *s, const char *label,
			      const char *type_id)
{
	struct str value;

	if (!strcmp(label, "__profile_type__"))
		return str_from(type_id);
	/* Profiles are taken of one instance at a time, chosen at random, so
	 * instances are not compared. */
	if (instance_is_name(str_from(label)))
		return (struct str){ NULL, 0 };
	value = cloud_series_value(list, s, str_from(label));
	return value.len ? value : (struct str){ NULL, 0 };
}

/* *is_new: there was no such row yet. */
static bool row_is_new(struct rows *r, const struct str *row, bool *is_new,
		       struct error *err)
{
	size_t count = r->job->label_count;
	struct buf text;
	struct str key = { NULL, 0 };
	uint32_t at = 0;
	bool is_ok;

	buf_init(&text, LIMIT_OPTION_VALUE_BYTES);
	for (size_t i = 0; i < count; i++) {
		buf_addf(&text, "%zu:", row[i].len);
		buf_add_str(&text, row[i].ptr ? row[i] : STR(""));
	}
	is_ok = buf_check(&text, "a series", err);
	*is_new = is_ok && map_find(&r->seen, buf_str(&text)) == MAP_NONE;
	if (*is_new)
		key = arena_str(&r->scratch, buf_str(&text));
	buf_release(&text);
	if (*is_new && (!key.ptr || !map_insert(&r->seen, key, 0, &at)))
		return arena_fail(&r->scratch, "the series", err);
	return is_ok;
}

static bool row_add(struct rows *r, const struct profile_list *list,
		    const struct stored_series *s, const char *type_id)
{
	struct series_job *job = r->job;
	size_t used = job->series.count * job->label_count;
	void *values = job->series.values;
	bool is_new;

	if (job->series.count >= LIMIT_SERIES)
		return true;
	if (!arena_reserve(r->arena, &values, &r->cap, used + job->label_count,
			   sizeof *job->series.values))
		return arena_fail(r->arena, "the series", &job->job.err);
	job->series.values = values;
	for (size_t i = 0; i < job->label_count; i++)
		job->series.values[used + i] =
			label_value(list, s, job->labels[i], type_id);
	if (!row_is_new(r, job->series.values + used, &is_new, &job->job.err))
		return false;
	job->series.count += is_new;
	return true;
}

static bool answer_series(struct series_job *s, struct backends *b,
			  const struct profile_list *list)
{
	struct rows r = { .job = s, .arena = b->arena };
	struct cloud_choice c;
	bool is_ok = cloud_choose_series(&c, list, s->selector, s->range,
					 &s->job.err);

	arena_init(&r.scratch, LIMIT_CONTEXT_BYTES);
	map_init(&r.seen, &r.scratch);
	s->series = (struct series_list){ .label_count = s->label_count };
	for (uint32_t i = 0; is_ok && i < list->series_count; i++) {
		const struct cloud_type *types;
		size_t count;

		if (!c.series[i])
			continue;
		types = cloud_types_of(list->series[i].type, &count);
		for (size_t k = 0; is_ok && k < count; k++)
			is_ok = row_add(&r, list, &list->series[i],
					types[k].id);
	}
	arena_release(&r.scratch);
	cloud_choice_release(&c);
	return is_ok;
}

/* ---- profiles ---- */

struct profile_answers {
	struct backends *backends;
	const struct profile_list *list;
	bool *is_wanted; /* by any job */
	struct {
		struct profile_fetch *fetch;
		struct cloud_sum *sum;
		bool *marks;
	} items[LIMIT_BATCH];
	size_t count;
};

static bool take_profile(void *context, uint32_t index, struct str bytes,
			 bool *is_good, struct error *err)
{
	struct profile_answers *a = context;

	for (size_t i = 0; i < a->count; i++) {
		struct profile_fetch *f = a->items[i].fetch;
		struct error why;

		if (!a->items[i].marks[index] || f->job.is_done ||
		    cloud_sum_add(a->items[i].sum, bytes,
				  &a->list->profiles[index], &why))
			continue;
		if (why.code == ERROR_MEMORY) {
			*err = why;
			return false;
		}
		*is_good = false;
		f->job.err = why;
		f->job.is_done = true; /* without an answer */
	}
	return true;
}

static bool begin_profile(struct profile_answers *a, struct profile_fetch *f,
			  struct error *err)
{
	bool *marks = mem_calloc((size_t)a->list->count + 1, sizeof *marks);
	struct cloud_sum *sum = mem_calloc(1, sizeof *sum);
	uint32_t count;

	a->items[a->count].fetch = f;
	a->items[a->count].marks = marks;
	a->items[a->count++].sum = sum;
	if (!sum)
		return error_memory(err, "a profile");
	sum->backends = a->backends;
	sum->type = cloud_type_find(str_from(f->query.type_id));
	if (!marks)
		return error_memory(err, "the profiles");
	if (f->query.span_id_count) {
		error_set(&f->job.err, ERROR_NOT_FOUND,
			  "Cloud Profiler keeps no samples by span");
		f->job.is_done = true;
		return true;
	}
	f->job.is_done = !cloud_choose_profiles(a->list, &f->query, marks,
						&count, &f->job.err);
	for (uint32_t i = 0; !f->job.is_done && i < a->list->count; i++)
		a->is_wanted[i] |= marks[i];
	return true;
}

static bool finish_profile(struct profile_answers *a, size_t i,
			   struct error *err)
{
	struct profile_fetch *f = a->items[i].fetch;
	struct cloud_sum *sum = a->items[i].sum;

	profile_release(f->into);
	profile_init(f->into);
	if (f->job.is_done)
		return true;
	f->job.is_done = true;
	f->job.has_answer = sum_merge(sum, f->into, &f->job.err);
	/* From the files if they have a duration, else from the list. */
	f->profiled_ns = sum->profiled_ns;
	parts_free(sum);
	if (f->job.has_answer || f->job.err.code != ERROR_MEMORY)
		return true;
	*err = f->job.err;
	return false;
}

static bool fetch_profiles(struct profile_answers *a, struct error *err)
{
	struct error why;
	bool is_fatal, is_any = false, is_ok = true;

	for (uint32_t i = 0; i < a->list->count; i++)
		is_any |= a->is_wanted[i];
	if (is_any && !cloud_profiles_fetch(a->backends, a->is_wanted,
					    take_profile, a, &is_fatal, &why)) {
		if (is_fatal || why.code == ERROR_MEMORY) {
			*err = why;
			return false;
		}
		for (size_t i = 0; i < a->count; i++) {
			struct job *job = &a->items[i].fetch->job;

			if (!job->is_done)
				job->err = why;
			job->is_done = true;
		}
	}
	for (size_t i = 0; is_ok && i < a->count; i++)
		is_ok = finish_profile(a, i, err);
	return is_ok;
}

/* Answers up to LIMIT_BATCH profile jobs, from *at on, whose profiles are
 * fetched together. */
static bool answer_profiles(struct backends *b, const struct profile_list *list,
			    struct job *const *jobs, size_t n, size_t *at,
			    struct error *err)
{
	struct profile_answers a = { .backends = b, .list = list };
	bool is_ok;

	a.is_wanted = mem_calloc((size_t)list->count + 1, sizeof *a.is_wanted);
	is_ok = a.is_wanted || error_memory(err, "the profiles");
	for (; is_ok && *at < n && a.count < LIMIT_BATCH; (*at)++)
		if (jobs[*at]->type->question == QUESTION_PROFILE &&
		    !jobs[*at]->is_done)
			is_ok = begin_profile(
				&a, (struct profile_fetch *)jobs[*at], err);
	is_ok = is_ok && (!a.count || fetch_profiles(&a, err));
	for (size_t i = 0; i < a.count; i++) {
		if (a.items[i].sum)
			parts_free(a.items[i].sum);
		mem_free(a.items[i].sum);
		mem_free(a.items[i].marks);
	}
	mem_free(a.is_wanted);
	return is_ok;
}

/* ---- all ---- */

static void answer_plain(struct job *job, struct backends *b,
			 const struct profile_list *list)
{
	struct snapshots_job *s;
	uint32_t count;

	switch (job->type->question) {
	case QUESTION_NAMES:
		job->has_answer =
			answer_names((struct names_job *)job, b, list);
		break;
	case QUESTION_SERIES:
		job->has_answer =
			answer_series((struct series_job *)job, b, list);
		break;
	case QUESTION_SNAPSHOTS:
		s = (struct snapshots_job *)job;
		job->has_answer = cloud_choose_profiles(list, &s->query, NULL,
							&count, &job->err) &&
				  count > 0;
		s->count = count;
		break;
	case QUESTION_TOTALS:
		error_set(&job->err, ERROR_NOT_FOUND,
			  "Cloud Profiler sums nothing up; tracefind profile "
			  "--service NAME does, for one");
		break;
	case QUESTION_SERVER:
	case QUESTION_PROFILE:
		return;
	}
	job->is_done = true;
}

bool cloud_answers(struct backends *b, struct job *const *jobs, size_t n,
		   struct error *err)
{
	const struct profile_list *list;
	struct error why;
	bool is_fatal, is_any = false;
	size_t at = 0;

	for (size_t i = 0; i < n; i++)
		is_any |= jobs[i]->type->question != QUESTION_SERVER &&
			  !jobs[i]->is_done;
	if (!is_any)
		return true;
	list = cloud_profiles_list(b, &is_fatal, &why);
	if (!list) {
		*err = why;
		for (size_t i = 0; i < n && !is_fatal; i++) {
			if (jobs[i]->type->question == QUESTION_SERVER ||
			    jobs[i]->is_done)
				continue;
			jobs[i]->err = why;
			jobs[i]->is_done = true;
		}
		return !is_fatal;
	}
	for (size_t i = 0; i < n; i++)
		if (!jobs[i]->is_done)
			answer_plain(jobs[i], b, list);
	while (at < n)
		if (!answer_profiles(b, list, jobs, n, &at, err))
			return false;
	return true;
}
