/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/cloud_profiler/cloud_answers.h"

#include <string.h>

#include "backend/cloud_profiler/cloud_choice.h"
#include "backend/cloud_profiler/cloud_profiles.h"
#include "backend/cloud_profiler/cloud_sum.h"
#include "backend/cloud_profiler/cloud_types.h"
#include "backend/fetch_profile.h"
#include "base/instance.h"
#include "base/map.h"
#include "base/mem.h"

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

/* Rows of texts, each kind once. */
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
	/* Of one instance at a time profiles are taken: which one is chance, so
	 * none is compared with the others. */
	if (instance_is_name(str_from(label)))
		return (struct str){ NULL, 0 };
	value = cloud_series_value(list, s, str_from(label));
	return value.len ? value : (struct str){ NULL, 0 };
}

/* True when there was no such row yet. */
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

/* ---- snapshots ---- */

static bool answer_snapshots(struct snapshots_job *s,
			     const struct profile_list *list)
{
	uint32_t count;
	bool is_ok = cloud_choose_profiles(list, &s->query, NULL, &count,
					   &s->job.err);

	s->count = count;
	return is_ok && count > 0;
}

/* ---- profiles ---- */

struct profile_answers {
	struct backends *backends;
	const struct profile_list *list;
	bool *is_wanted; /* by any */
	struct {
		struct profile_fetch *fetch;
		struct cloud_sum *sum;
		bool *marks;
	} items[LIMIT_BATCH];
	size_t count;
};

static void answers_release(struct profile_answers *a)
{
	for (size_t i = 0; i < a->count; i++) {
		cloud_sum_free(a->items[i].sum);
		mem_free(a->items[i].marks);
	}
	mem_free(a->is_wanted);
	a->count = 0;
}

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
	uint32_t count;

	a->items[a->count].fetch = f;
	a->items[a->count].marks = marks;
	a->items[a->count].sum =
		cloud_sum_new(a->backends, str_from(f->query.type_id), err);
	if (!a->items[a->count++].sum)
		return false;
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

	profile_release(f->into);
	profile_init(f->into);
	if (f->job.is_done)
		return true;
	f->job.is_done = true;
	f->job.has_answer = cloud_sum_finish(a->items[i].sum, f->into,
					     &f->profiled_ns, &f->job.err);
	if (f->job.has_answer || f->job.err.code != ERROR_MEMORY)
		return true;
	*err = f->job.err;
	return false;
}

static void refuse(struct profile_answers *a, const struct error *why)
{
	for (size_t i = 0; i < a->count; i++) {
		struct job *job = &a->items[i].fetch->job;

		if (!job->is_done)
			job->err = *why;
		job->is_done = true;
	}
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
		refuse(a, &why);
	}
	for (size_t i = 0; is_ok && i < a->count; i++)
		is_ok = finish_profile(a, i, err);
	return is_ok;
}

/* The profiles of up to LIMIT_BATCH jobs, from *at on, fetched together. */
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
	answers_release(&a);
	return is_ok;
}

/* ---- all ---- */

static void answer_plain(struct job *job, struct backends *b,
			 const struct profile_list *list)
{
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
		job->has_answer =
			answer_snapshots((struct snapshots_job *)job, list);
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

static bool is_any_asked(struct job *const *jobs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (jobs[i]->type->question != QUESTION_SERVER &&
		    !jobs[i]->is_done)
			return true;
	return false;
}

static void refuse_all(struct job *const *jobs, size_t n,
		       const struct error *why)
{
	for (size_t i = 0; i < n; i++) {
		if (jobs[i]->type->question == QUESTION_SERVER ||
		    jobs[i]->is_done)
			continue;
		jobs[i]->err = *why;
		jobs[i]->is_done = true;
	}
}

bool cloud_answers(struct backends *b, struct job *const *jobs, size_t n,
		   struct error *err)
{
	const struct profile_list *list;
	struct error why;
	bool is_fatal;
	size_t at = 0;

	if (!is_any_asked(jobs, n))
		return true;
	list = cloud_profiles_list(b, &is_fatal, &why);
	if (!list) {
		*err = why;
		if (!is_fatal)
			refuse_all(jobs, n, &why);
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
