/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cloud_answers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "cli/cloud_profiles.h"
#include "cli/cloud_sum.h"
#include "cli/cloud_types.h"
#include "cli/fetch.h"
#include "source/selector.h"

/* ---- which profiles ---- */

/* Series that a selector selects, by index. */
struct choice {
	const struct profile_list *list;
	bool *series;
};

struct series_view {
	const struct profile_list *list;
	const struct stored_series *series;
};

static struct str series_value(void *context, struct str label)
{
	const struct series_view *v = context;

	if (str_equal(label, STR("service_name")) ||
	    str_equal(label, STR("target")))
		return stored_series_service(v->list, v->series);
	return stored_series_label(v->list, v->series, label);
}

static bool choice_fill(struct choice *c, const struct selector *selector,
			struct error *err)
{
	for (uint32_t i = 0; i < c->list->series_count; i++) {
		struct series_view view = { c->list, &c->list->series[i] };

		if (!selector_matches(selector, series_value, &view,
				      &c->series[i], err))
			return false;
	}
	return true;
}

static void choice_release(struct choice *c)
{
	mem_free(c->series);
}

/* Release in any case. */
static bool choice_init(struct choice *c, const struct profile_list *list,
			const char *text, struct error *err)
{
	struct selector *selector = selector_parse(str_from(text), err);
	bool is_ok = false;

	*c = (struct choice){ .list = list };
	if (!selector)
		return false;
	c->series =
		mem_calloc((size_t)list->series_count + 1, sizeof *c->series);
	is_ok = c->series ? choice_fill(c, selector, err)
			  : error_memory(err, "the selector");
	selector_free(selector);
	return is_ok;
}

/* Leaves of the chosen series those with a profile in the range. */
static bool choice_narrow(struct choice *c, struct time_range range,
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

static bool choose(struct choice *c, const struct profile_list *list,
		   const char *selector, struct time_range range,
		   struct error *err)
{
	return choice_init(c, list, selector, err) &&
	       choice_narrow(c, range, err);
}

/* Parts of a window share what lies across their border: it is of the part in
 * which it began. */
static bool is_in_query(const struct stored_profile *p,
			const struct profile_query *query)
{
	return stored_profile_is_in(p, query->range) &&
	       (!query->is_continued || p->start_ns >= query->range.from_ns);
}

/* Marks the profiles that a query is about; returns how many. */
static bool select_profiles(const struct profile_list *list,
			    const struct profile_query *query, bool *marks,
			    uint32_t *count, struct error *err)
{
	const struct cloud_type *type =
		cloud_type_find(str_from(query->type_id));
	struct choice c;
	bool is_ok = choice_init(&c, list, query->selector, err);

	*count = 0;
	for (uint32_t i = 0; is_ok && type && i < list->count; i++) {
		const struct stored_profile *p = &list->profiles[i];

		if (!c.series[p->series] ||
		    list->series[p->series].type != type->type ||
		    !is_in_query(p, query))
			continue;
		if (marks)
			marks[i] = true;
		(*count)++;
	}
	choice_release(&c);
	return is_ok;
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

static bool answer_names(struct names_job *n, struct context *ctx,
			 const struct profile_list *list)
{
	struct choice c;
	size_t cap = 0;
	bool is_ok = choose(&c, list, n->selector ? n->selector : "{}",
			    n->range, &n->job.err);

	n->names = (struct name_list){ .items = NULL };
	for (uint32_t i = 0; is_ok && i < list->series_count; i++)
		if (c.series[i])
			is_ok = series_names(n, &cap, &ctx->arena, list,
					     &list->series[i]);
	choice_release(&c);
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

/* Of one instance at a time profiles are taken: which one is chance, so none
 * is compared with the others. */
static bool is_instance(const char *label)
{
	static const char *const names[] = { "instance", "pod", "hostname",
					     "container_id" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(label, names[i]))
			return true;
	return false;
}

static struct str label_value(const struct profile_list *list,
			      const struct stored_series *s, const char *label,
			      const char *type_id)
{
	struct series_view view = { list, s };
	struct str value;

	if (!strcmp(label, "__profile_type__"))
		return str_from(type_id);
	if (is_instance(label))
		return (struct str){ NULL, 0 };
	value = series_value(&view, str_from(label));
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

static bool answer_series(struct series_job *s, struct context *ctx,
			  const struct profile_list *list)
{
	struct rows r = { .job = s, .arena = &ctx->arena };
	struct choice c;
	bool is_ok = choose(&c, list, s->selector, s->range, &s->job.err);

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
	choice_release(&c);
	return is_ok;
}

/* ---- snapshots and sums over time ---- */

static bool answer_snapshots(struct snapshots_job *s,
			     const struct profile_list *list)
{
	uint32_t count;
	bool is_ok =
		select_profiles(list, &s->query, NULL, &count, &s->job.err);

	s->count = count;
	return is_ok && count > 0;
}

/* ---- profiles ---- */

struct profile_answers {
	struct context *ctx;
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
		cloud_sum_new(a->ctx, str_from(f->query.type_id), err);
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
	f->job.is_done = !select_profiles(a->list, &f->query, marks, &count,
					  &f->job.err);
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
	if (is_any && !cloud_profiles_fetch(a->ctx, a->is_wanted, take_profile,
					    a, &is_fatal, &why)) {
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
static bool answer_profiles(struct context *ctx,
			    const struct profile_list *list,
			    struct job *const *jobs, size_t n, size_t *at,
			    struct error *err)
{
	struct profile_answers a = { .ctx = ctx, .list = list };
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

static void answer_plain(struct job *job, struct context *ctx,
			 const struct profile_list *list)
{
	switch (job->type->question) {
	case QUESTION_NAMES:
		job->has_answer =
			answer_names((struct names_job *)job, ctx, list);
		break;
	case QUESTION_SERIES:
		job->has_answer =
			answer_series((struct series_job *)job, ctx, list);
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

bool cloud_answers(struct context *ctx, struct job *const *jobs, size_t n,
		   struct error *err)
{
	const struct profile_list *list;
	struct error why;
	bool is_fatal;
	size_t at = 0;

	if (!is_any_asked(jobs, n))
		return true;
	list = cloud_profiles_list(ctx, &is_fatal, &why);
	if (!list) {
		*err = why;
		if (!is_fatal)
			refuse_all(jobs, n, &why);
		return !is_fatal;
	}
	for (size_t i = 0; i < n; i++)
		if (!jobs[i]->is_done)
			answer_plain(jobs[i], ctx, list);
	while (at < n)
		if (!answer_profiles(ctx, list, jobs, n, &at, err))
			return false;
	return true;
}

/* ---- how much there is ---- */

/* With so many, a function of 1 % of them that doubled is beyond doubt. */
#define SAMPLES_ENOUGH 10000

/* A wider window is worth a word when it brings several times as much. */
#define WIDER_FACTOR 3

static uint32_t count_profiles(const struct profile_list *list,
			       const struct profile_query *query,
			       struct time_range range)
{
	struct profile_query wider = *query;
	struct error ignored;
	uint32_t count;

	wider.range = range;
	return select_profiles(list, &wider, NULL, &count, &ignored) ? count
								     : 0;
}

/* Around a trace it is widened on both sides, else it ends where it did. Where
 * it was cut to the time of slowness, a wider one is cut there as well. */
static struct time_range widen(struct time_range range, int64_t length_ns,
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

/* The least of some usual lengths that brings enough; 0: none does. */
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
			widen(query->range, steps_ns[i], around);

		if (wider.to_ns > now_ns)
			wider.to_ns = now_ns;
		*more = count_profiles(list, query, wider);
		if (*more >= WIDER_FACTOR * count)
			return steps_ns[i];
	}
	return 0;
}

void cloud_answers_note(struct context *ctx, const struct profile_query *query,
			int64_t samples, const struct time_range *around)
{
	char length[32], offer[80] = "";
	const struct profile_list *list;
	struct error ignored;
	int64_t wider_ns = 0;
	uint32_t count, more;
	bool is_fatal;

	if (ctx->profiles.kind != SOURCE_CLOUD_PROFILER)
		return;
	list = cloud_profiles_list(ctx, &is_fatal, &ignored);
	count = list ? count_profiles(list, query, query->range) : 0;
	if (!count)
		return;
	if (samples < SAMPLES_ENOUGH)
		wider_ns = find_wider(list, query, count, ctx->now_ns, around,
				      &more);
	if (wider_ns) {
		format_duration_option(wider_ns, length);
		/* The slowness may turn out to be shorter than that. */
		snprintf(offer, sizeof offer,
			 "; --%s %s would bring %s%" PRIu32 " instead",
			 around ? "pad" : "since", length,
			 around ? "up to " : "", more);
	}
	notes_add(&ctx->notes,
		  "Cloud Profiler looks at one instance at a time: %" PRIu32
		  " profile%s in this window%s",
		  count, &"s"[count == 1], offer);
}
