/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/leak.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/growth.h"
#include "backend/fetch_profile.h"
#include "base/mem.h"
#include "base/num.h"
#include "investigate/investigation.h"
#include "investigate/profile_service.h"
#include "investigate/service_metrics.h"

/* Two files within it are of one moment. */
#define STEP_MIN_MS 1000
/* As of a server's series. */
#define STEPS_MOST 2880

/* ---- one file ---- */

static bool read_as(struct leak *l, const char *path, const char *word,
		    struct profile *p, struct error *err)
{
	struct profile_query query = { .type_id = word };
	struct profile_fetch fetch;
	struct job *job = &fetch.job;

	profile_fetch_init(&fetch, &query, p);
	fetch.paths = &path;
	fetch.path_count = 1;
	if (!jobs_run(l->v->backends, &job, 1, err))
		return false;
	if (!fetch.job.has_answer)
		*err = fetch.job.err;
	return fetch.job.has_answer;
}

static bool profile_offers(const struct profile *p, struct str type)
{
	for (uint32_t i = 0; i < p->type_count; i++)
		if (str_equal(profile_text(p, p->types[i].type), type))
			return true;
	return false;
}

static enum leak_what what_of(const struct profile *p)
{
	return str_equal(profile_unit(p), STR("bytes")) ? LEAK_MEMORY
							: LEAK_THREADS;
}

/* Always false. */
static bool fail_odd(struct leak *l, const struct leak_file *f, struct str type,
		     struct error *err)
{
	l->odd = f;
	l->odd_type = type;
	return error_set(err, ERROR_FORMAT, "%s", "");
}

/* Reads what was allocated since the process began, which falls only where
 * another one began. */
static bool read_made(struct leak *l, struct leak_file *f,
		      const struct profile *held, struct error *err)
{
	struct profile p;
	bool done = true;

	f->made = -1;
	if (!profile_offers(held, STR("alloc_space")))
		return true;
	profile_init(&p);
	done = read_as(l, f->path, "alloc_space", &p, err);
	if (done && p.total > 0)
		f->made = (double)p.total;
	profile_release(&p);
	return done;
}

static bool take_file(struct leak *l, struct leak_file *f,
		      const struct profile *p, struct error *err)
{
	struct arena *arena = l->v->backends->arena;
	struct str type = profile_type_name(p), unit = profile_unit(p), id;
	struct leak_subject *s = &l->subjects[what_of(p)];

	if (!p->is_gauge || p->total <= 0)
		return true;
	if (p->time_ns <= 0)
		return fail_odd(l, f, (struct str){ NULL, 0 }, err);
	f->time_ns = p->time_ns;
	f->held[what_of(p)] = (double)p->total;
	/* The first file with a subject determines the type for all. */
	id = arena_printf(arena, "%.*s/%.*s", STR_ARGS(type), STR_ARGS(unit));
	if (!id.ptr)
		return arena_fail(arena, "the profile's type", err);
	if (!s->type_id.ptr)
		s->type_id = id;
	if (!str_equal(s->type_id, id))
		return fail_odd(l, f, id, err);
	return read_made(l, f, p, err);
}

static bool read_file(struct leak *l, struct leak_file *f, struct error *err)
{
	const char *word = l->v->question->type;
	struct profile p;
	bool done;

	profile_init(&p);
	done = read_as(l, f->path, word ? word : "", &p, err);
	if (done && !word && profile_offers(&p, STR("inuse_space")) &&
	    !(p.is_gauge && what_of(&p) == LEAK_MEMORY)) {
		profile_release(&p);
		profile_init(&p);
		done = read_as(l, f->path, "inuse_space", &p, err);
	}
	done = done && take_file(l, f, &p, err);
	profile_release(&p);
	/* Other files may have the requested type. */
	return done || (word && err->code == ERROR_NOT_FOUND);
}

/* ---- all of them ---- */

static int file_compare(const void *left, const void *right)
{
	const struct leak_file *a = left, *b = right;
	int order = str_compare(a->instance, b->instance);

	if (!order)
		order = compare_i64(a->time_ns, b->time_ns);
	return order ? order : strcmp(a->path, b->path);
}

/* Files without any such type are skipped; if all are, the last one queried for
 * a type reports the types it has. */
static bool read_all(struct leak *l, struct error *err)
{
	struct arena *arena = l->v->backends->arena;

	l->files = arena_array(arena, l->path_count, sizeof *l->files);
	if (!l->files)
		return arena_fail(arena, "the files", err);
	for (size_t i = 0; i < l->path_count; i++) {
		struct leak_file *f = &l->files[l->file_count];
		struct str path = str_from(l->paths[i]);
		const char *slash = strrchr(path.ptr, '/');

		*f = (struct leak_file){ .path = path.ptr,
					 .instance = STR("."),
					 .made = -1 };
		if (slash)
			f->instance = str_slice(path, 0,
						(size_t)(slash - path.ptr));
		if (!read_file(l, f, err))
			return false;
		l->file_count += f->time_ns > 0;
	}
	if (!l->file_count && err->code == ERROR_NOT_FOUND)
		return false;
	error_clear(err);
	if (l->file_count && l->file_count < l->path_count)
		investigation_note(
			l->v,
			(struct note){ .kind = NOTE_FILES_HOLD_NOTHING,
				       .count = l->path_count - l->file_count,
				       .total = l->path_count });
	if (l->file_count)
		qsort(l->files, l->file_count, sizeof *l->files, file_compare);
	return true;
}

static void cut_steps(struct leak *l)
{
	int64_t first = INT64_MAX, last = 0, length_ms;

	for (size_t i = 0; i < l->file_count; i++) {
		first = min_i64(first, l->files[i].time_ns);
		last = max_i64(last, l->files[i].time_ns);
	}
	length_ms = (last - first) / NS_PER_MS;
	l->step_ms = max_i64((length_ms / STEPS_MOST + 999) / 1000 * 1000,
			     STEP_MIN_MS);
	l->step_count = (size_t)(length_ms / l->step_ms) + 1;
	l->window.from_ns = first;
	l->window.to_ns =
		first + (int64_t)l->step_count * l->step_ms * NS_PER_MS;
	for (size_t i = 0; i < l->file_count; i++)
		l->files[i].step = leak_step(l, l->files[i].time_ns);
}

/* ---- a series ---- */

/* Files [from, to) are of one process after another in one place. */
static bool fill_row(struct leak *l, struct leak_row *row, enum leak_what what,
		     size_t from, size_t to, struct error *err)
{
	struct arena *arena = l->v->backends->arena;
	size_t *counts = arena_array(arena, l->step_count, sizeof *counts);
	bool *begins = arena_array(arena, l->step_count, sizeof *begins);
	double made = -1;

	row->instance = l->files[from].instance;
	row->values = arena_array(arena, l->step_count, sizeof *row->values);
	if (!counts || !begins || !row->values)
		return arena_fail(arena, "the series", err);
	for (size_t i = from; i < to; i++) {
		const struct leak_file *f = &l->files[i];
		double *value = &row->values[f->step];

		if (!(f->held[what] > 0))
			continue;
		*value += (f->held[what] - *value) / (double)++counts[f->step];
		begins[f->step] |= f->made >= 0 && f->made < made;
		made = f->made;
	}
	if (made >= 0)
		row->begins = begins;
	return true;
}

static bool fill_series(struct leak *l, struct leak_series *series,
			enum leak_what what, struct error *err)
{
	struct arena *arena = l->v->backends->arena;
	size_t from = 0;

	series->rows = arena_array(arena, l->file_count, sizeof *series->rows);
	if (!series->rows)
		return arena_fail(arena, "the series", err);
	series->has_answer = true;
	series->is_per_snapshot = true;
	while (from < l->file_count) {
		size_t to = from;
		bool has_any = false;

		for (; to < l->file_count && str_equal(l->files[to].instance,
						       l->files[from].instance);
		     to++)
			has_any |= l->files[to].held[what] > 0;
		if (has_any && !fill_row(l, &series->rows[series->count++],
					 what, from, to, err))
			return false;
		from = to;
	}
	return true;
}

/* Reads all files: window, steps, types of the subjects, and a series of each
 * that there is (has_answer). */
static bool leak_files_read(struct leak *l, struct leak_series list[LEAK_WHATS],
			    struct error *err)
{
	l->v->backends->file_order = STACKS_IN_ORDER;
	if (!read_all(l, err))
		return false;
	if (l->file_count)
		cut_steps(l);
	for (int i = 0; i < LEAK_WHATS; i++)
		if (l->subjects[i].type_id.ptr &&
		    !fill_series(l, &list[i], (enum leak_what)i, err))
			return false;
	return true;
}

/* The files of a subject that lie in a part of a process's life, in the run's
 * arena; NULL: no memory. */
static const char *const *leak_files_within(const struct leak *l,
					    const struct leak_subject *s,
					    const struct leak_segment *segment,
					    struct time_range range,
					    size_t *count)
{
	const char **list =
		arena_array(l->v->backends->arena, l->file_count, sizeof *list);
	size_t from = leak_step(l, range.from_ns);
	size_t to = leak_step(l, range.to_ns);

	*count = 0;
	for (size_t i = 0; list && i < l->file_count; i++)
		if (str_equal(l->files[i].instance, segment->instance) &&
		    l->files[i].held[s->what] > 0 && l->files[i].step >= from &&
		    l->files[i].step < to)
			list[(*count)++] = l->files[i].path;
	return list;
}

/* When a file of the list was taken. */
static int64_t leak_file_time(const struct leak *l, const char *path)
{
	for (size_t i = 0; i < l->file_count; i++)
		if (l->files[i].path == path)
			return l->files[i].time_ns;
	return 0;
}

/* Processes that are looked at function by function: eight blocks of three are
 * 24 profiles, within the requests of a run. */
#define LEAK_PROCESSES 3

#define BLOCKS GROWTH_BLOCKS
#define SLICES (LEAK_PROCESSES * BLOCKS)
#define THIRD 3u /* blocks of the last third */
/* The requests for the function that leaks, beside the slices. */
#define LAST_REQUESTS 2u
/* The files whose allocations are counted since the process began: those of the
 * first and of the last one. */
#define LAST_FILES 3u
/* A process is looked at when it lived half as long as the longest. */
#define LIFE_SHARE 2

/* The profiles of the blocks of some processes. */
struct slices {
	struct leak *l;
	struct leak_subject *subject;
	size_t process_count;
	struct str selectors[LEAK_PROCESSES];
	struct profile_fetch fetches[SLICES];
	struct profile profiles[SLICES];
	struct snapshots_job counts[LEAK_PROCESSES];
	struct growth_segment segments[LEAK_PROCESSES];
	struct growth_functions *functions;
};

/* ---- asking ---- */

/* Segments are sorted by length. */
static void choose_processes(struct slices *s, bool wants_functions)
{
	const struct leak_segment *all = s->subject->segments;
	size_t left = backends_requests_left(s->l->v->backends);
	size_t each = wants_functions ? BLOCKS + 1 : 1;
	size_t most = left > LAST_REQUESTS ? (left - LAST_REQUESTS) / each : 0;
	int64_t longest = all[0].range.to_ns - all[0].range.from_ns;

	most = min_size(max_size(most, 1), LEAK_PROCESSES);
	while (s->process_count < most &&
	       s->process_count < s->subject->segment_count) {
		struct time_range r = all[s->process_count].range;

		if (r.to_ns - r.from_ns < longest / LIFE_SHARE)
			break;
		s->process_count++;
	}
}

static bool slices_ask(struct slices *s, bool wants_functions,
		       struct error *err)
{
	struct leak *l = s->l;
	struct arena *arena = l->v->backends->arena;
	struct job *jobs[SLICES + LEAK_PROCESSES];
	size_t n = 0;

	for (size_t i = 0; i < s->process_count; i++) {
		const struct leak_segment *segment = &s->subject->segments[i];
		struct profile_query query = { .range = segment->range };
		struct str *selector = &s->selectors[i];

		if (!l->path_count) {
			*selector = l->found.selector;
			if (l->found.instance_label.ptr &&
			    segment->instance.len)
				*selector = selector_with(
					l->v, l->found.selector,
					l->found.instance_label,
					segment->instance, false);
			if (!selector->ptr)
				return arena_fail(arena, "a selector", err);
		}
		query.type_id = s->subject->type_id.ptr;
		query.selector = selector->ptr;
		snapshots_job_init(&s->counts[i], &query, NULL);
		if (!l->path_count)
			jobs[n++] = &s->counts[i].job;
		for (size_t k = 0; wants_functions && k < BLOCKS; k++) {
			size_t at = i * BLOCKS + k;
			struct profile_fetch *f = &s->fetches[at];

			query.range = leak_block(segment, k);
			profile_fetch_init(f, &query, &s->profiles[at]);
			if (l->path_count)
				f->paths = leak_files_within(
					l, s->subject, segment, query.range,
					&f->path_count);
			if (l->path_count && !f->paths)
				return arena_fail(arena, "the files", err);
			jobs[n++] = &f->job;
		}
	}
	return jobs_run(l->v->backends, jobs, n, err);
}

/* ---- snapshots ---- */

/* Steps of other processes have as many, as far as is known. */
static void apply_snapshots(struct slices *s)
{
	struct leak_subject *subject = s->subject;
	double sum = 0;
	size_t known = 0;

	for (size_t i = 0; i < s->process_count; i++) {
		struct leak_segment *segment = &subject->segments[i];

		if (!s->counts[i].job.has_answer || !segment->points)
			continue;
		segment->per_point =
			(double)s->counts[i].count / (double)segment->points;
		sum += segment->per_point;
		known++;
	}
	for (size_t i = 0; i < subject->segment_count; i++) {
		struct leak_segment *segment = &subject->segments[i];

		if (known > 0 &&
		    (i >= s->process_count || !s->counts[i].job.has_answer))
			segment->per_point = sum / (double)known;
		for (size_t k = 0; k < BLOCKS; k++)
			segment->growth.values[k] /= segment->per_point;
	}
	subject->is_per_snapshot = true;
	if (known == 0)
		investigation_note(
			s->l->v,
			(struct note){ .kind = NOTE_SNAPSHOTS_UNKNOWN,
				       .reason =
					       s->counts[0].job.err.message });
}

double leak_least(const struct leak_subject *s, double start)
{
	static const struct {
		double part;
		double least;
	} limits[LEAK_WHATS] = {
		/* Twenty samples of an allocation profile of 512 KiB. */
		[LEAK_MEMORY] = { 0.05, 10 * (double)MIB },
		[LEAK_THREADS] = { 0.2, 50 },
	};
	double part = limits[s->what].part * start;

	return part > limits[s->what].least ? part : limits[s->what].least;
}

/* By all of its processes. */
static void judge_total(struct leak_subject *s)
{
	struct growth_segment all[GROWTH_SEGMENTS_MAX];
	size_t count = min_size(s->segment_count, GROWTH_SEGMENTS_MAX);
	double scratch[2];
	size_t order[1];

	for (size_t i = 0; i < count; i++)
		all[i] = s->segments[i].growth;
	growth_judge(all, count, 0, &s->total);
	growth_judge(all, count, leak_least(s, s->total.start), &s->total);
	growth_settle(&s->total, 1, GROWTH_Q, scratch, order);
}

/* ---- what else is known of a function ---- */

/* Queries about the longest-lived process, in the last third of its lifetime;
 * results are in values, 0: not known. */
struct last_third {
	struct time_range range;
	double hours;
	struct profile_fetch fetches[LAST_FILES];
	struct profile profiles[LAST_FILES];
	bool is_asked[LAST_FILES];
	double values[LAST_FILES];
};

static bool ask_last(struct slices *s, struct last_third *last,
		     struct error *err)
{
	static const char *const words[LAST_REQUESTS] = { "inuse_objects",
							  "alloc" };
	struct backends *b = s->l->v->backends;
	const struct profile_backend *p = backends_profiles(b);
	struct job *jobs[LAST_REQUESTS];
	size_t n = 0;

	for (size_t i = 0; i < LAST_REQUESTS; i++) {
		struct profile_query query = { .selector = s->selectors[0].ptr,
					       .range = last->range };
		struct error ignored;
		struct str type;
		bool is_gauge;

		if (!profile_type_resolve(str_from(words[i]),
					  &s->l->found.types, b->arena, &type,
					  &is_gauge, &ignored) ||
		    (p->counts_totals && p->counts_totals(&b->profiles, type)))
			continue;
		query.type_id = type.ptr;
		profile_fetch_init(&last->fetches[i], &query,
				   &last->profiles[i]);
		last->is_asked[i] = true;
		jobs[n++] = &last->fetches[i].job;
	}
	return !n || jobs_run(b, jobs, n, err);
}

/* Allocations between the first and the last file. Files are read one by one,
 * since the second of a pair would be read for the first's type. */
static bool ask_last_files(struct slices *s, struct last_third *last,
			   struct error *err)
{
	static const char *const words[LAST_FILES] = { "inuse_objects",
						       "alloc_space",
						       "alloc_space" };
	const struct leak *l = s->l;
	size_t count;
	const char *const *paths = leak_files_within(
		l, s->subject, &s->subject->segments[0], last->range, &count);

	if (!paths)
		return arena_fail(l->v->backends->arena, "the files", err);
	for (size_t i = 0; i < LAST_FILES; i++) {
		struct profile_query query = { .type_id = words[i] };
		struct profile_fetch *f = &last->fetches[i];
		struct job *job = &f->job;

		profile_fetch_init(f, &query, &last->profiles[i]);
		f->paths = i == 1 ? &paths[count - 1] : paths;
		f->path_count = i ? 1 : count;
		last->is_asked[i] = true;
		if (!jobs_run(l->v->backends, &job, 1, err))
			return false;
	}
	last->hours = (double)(leak_file_time(l, paths[count - 1]) -
			       leak_file_time(l, paths[0])) /
		      NS_PER_HOUR;
	return true;
}

static bool take_last(struct slices *s, struct last_third *last, size_t index,
		      struct error *err)
{
	struct leak_function *f = &s->subject->functions[index];
	double held = 0, own, made;

	for (size_t i = 0; i < LAST_FILES; i++)
		if (last->is_asked[i] && last->fetches[i].job.has_answer &&
		    !growth_functions_value(s->functions, index,
					    &last->profiles[i],
					    &last->values[i], err))
			return false;
	for (size_t k = BLOCKS - THIRD; k < BLOCKS; k++) {
		if (!growth_functions_value(s->functions, index,
					    &s->profiles[k], &own, err))
			return false;
		held += own;
	}
	if (last->values[0] > 0)
		f->bytes_each = held / last->values[0];
	made = last->values[1] - last->values[2];
	f->allocated_hour = last->hours > 0 ? made / last->hours : 0;
	return true;
}

static bool ask_more(struct slices *s, size_t index, struct error *err)
{
	const struct leak_segment *segment = &s->subject->segments[0];
	struct last_third *last = mem_calloc(1, sizeof *last);
	bool done;

	if (!last)
		return error_memory(err, "the blocks");
	last->range = (struct time_range){
		leak_block(segment, BLOCKS - THIRD).from_ns,
		leak_block(segment, BLOCKS - 1).to_ns
	};
	for (size_t i = 0; i < LAST_FILES; i++)
		profile_init(&last->profiles[i]);
	last->hours = time_range_seconds(last->range) / 3600;
	done = (s->l->path_count ? ask_last_files(s, last, err)
				 : ask_last(s, last, err)) &&
	       take_last(s, last, index, err);
	for (size_t i = 0; i < LAST_FILES; i++)
		profile_release(&last->profiles[i]);
	mem_free(last);
	return done;
}

/* ---- functions ---- */

static bool take_functions(struct slices *s, struct error *err)
{
	struct growth_function found[GROWTH_FUNCTIONS];
	struct leak_subject *subject = s->subject;
	struct arena *arena = s->l->v->backends->arena;
	size_t first = SIZE_MAX;

	if (!growth_functions_find(s->functions, found,
				   &subject->function_count, err))
		return false;
	subject->processes = s->process_count;
	subject->functions = arena_array(arena, GROWTH_FUNCTIONS,
					 sizeof *subject->functions);
	if (!subject->functions)
		return arena_fail(arena, "functions", err);
	for (size_t i = 0; i < subject->function_count; i++) {
		subject->functions[i].found = found[i];
		if (found[i].growth.kind == GROWTH_ENDLESS && first == SIZE_MAX)
			first = i;
	}
	subject->is_leak |= first != SIZE_MAX;
	return first == SIZE_MAX || subject->what != LEAK_MEMORY ||
	       ask_more(s, first, err);
}

static bool judge_functions(struct slices *s, struct error *err)
{
	struct growth_blocks want = {
		.profiles = s->profiles,
		.segments = s->segments,
		.process_count = s->process_count,
		.least = leak_least(s->subject, s->subject->total.start),
		.most_q = s->subject->total.kind == GROWTH_ENDLESS
				  ? GROWTH_PART_Q
				  : GROWTH_Q,
		.rules = s->l->v->question->rules,
		.keep = s->l->v->backends->arena,
		.notes = s->l->v->backends->notes,
	};
	bool done;

	for (size_t i = 0; i < s->process_count * BLOCKS; i++)
		if (!s->fetches[i].job.has_answer) {
			investigation_note(
				s->l->v,
				(struct note){
					.kind = NOTE_SIDE_MISSING,
					.name = STR("block"),
					.reason = s->fetches[i].job.err.message,
				});
			return true;
		}
	for (size_t i = 0; i < s->process_count; i++)
		s->segments[i] = s->subject->segments[i].growth;
	s->functions = growth_functions_new(&want, err);
	done = s->functions && take_functions(s, err);
	growth_functions_free(s->functions);
	return done;
}

/* Fetches the blocks of some processes and judges the functions of a subject,
 * and first how many snapshots a step has, so that its segments are of one
 * snapshot from then on. wants_functions: else that alone. */
static bool leak_functions_judge(struct leak *l, struct leak_subject *subject,
				 bool wants_functions, struct error *err)
{
	struct slices *s = mem_calloc(1, sizeof *s);
	bool done;

	if (!s)
		return error_memory(err, "the blocks");
	s->l = l;
	s->subject = subject;
	for (size_t i = 0; i < SLICES; i++)
		profile_init(&s->profiles[i]);
	choose_processes(s, wants_functions);
	done = slices_ask(s, wants_functions, err);
	if (done) {
		if (!subject->is_per_snapshot)
			apply_snapshots(s);
		judge_total(subject);
		subject->is_leak = subject->total.kind == GROWTH_ENDLESS;
		done = !wants_functions || judge_functions(s, err);
	}
	for (size_t i = 0; i < SLICES; i++)
		profile_release(&s->profiles[i]);
	mem_free(s);
	return done;
}

/* Points of metrics: the blocks have dozens each. */
#define METRIC_STEPS 480

/* ---- which types ---- */

static bool find_type(const struct leak *l, const char *word, struct str *out)
{
	struct error ignored;
	bool is_gauge;

	return profile_type_resolve(str_from(word), &l->found.types,
				    l->v->backends->arena, out, &is_gauge,
				    &ignored) &&
	       l->found.types.count;
}

/* Finds the types: the given one, or both. */
static bool find_types(struct leak *l, struct error *err)
{
	struct str *threads = &l->subjects[LEAK_THREADS].type_id;
	const char *word = l->v->question->type;
	bool is_gauge;
	struct str id;

	for (int i = 0; i < LEAK_WHATS; i++)
		l->subjects[i].what = (enum leak_what)i;
	if (!word) {
		find_type(l, "inuse", &l->subjects[LEAK_MEMORY].type_id);
		if (!find_type(l, "goroutine", threads))
			find_type(l, "goroutineleak", threads);
		return true;
	}
	if (!profile_type_resolve(str_from(word), &l->found.types,
				  l->v->backends->arena, &id, &is_gauge, err)) {
		l->v->shortfall =
			(struct shortfall){ .kind = SHORTFALL_TYPE,
					    .service = str_from(l->service) };
		return false;
	}
	if (!is_gauge) /* of which nothing stays */
		return true;
	l->subjects[str_find(id, STR(":bytes")) != SIZE_MAX ? LEAK_MEMORY
							    : LEAK_THREADS]
		.type_id = id;
	return true;
}

/* ---- the server of metrics ---- */

static bool ask_metrics(struct leak *l, struct service_metric *requests,
			struct error *err)
{
	struct backends *b = l->v->backends;
	struct time_range last = { l->window.to_ns - NS_PER_MIN * 5,
				   l->window.to_ns };
	int64_t step_ns = (l->window.to_ns - l->window.from_ns) / METRIC_STEPS;
	struct service_metric list[3] = {
		{ .meaning = METRIC_REQUESTS, .range = l->window },
		{ .meaning = METRIC_MEMORY, .range = last },
		{ .meaning = METRIC_MEMORY_LIMIT, .range = last },
	};
	struct service_metrics m;

	step_ns -= step_ns % NS_PER_S;
	list[0].step_ns = step_ns < NS_PER_MIN ? NS_PER_MIN : step_ns;
	if (!service_metrics_find(&m, b, l->service, l->window, err) ||
	    !service_metrics_ask(&m, list, COUNT_OF(list), err))
		return false;
	memcpy(l->sources, m.sources, sizeof l->sources);
	*requests = list[0];
	if (list[1].point_count)
		l->memory_bytes = list[1].points[0].value;
	if (list[2].point_count && !(l->limit_bytes > 0)) {
		l->limit_bytes = list[2].points[0].value;
		l->is_limit_known = true;
	}
	return true;
}

/* Uses the requests of the whole service as the load of each process. */
static void use_requests(struct leak_subject *s,
			 const struct service_metric *requests)
{
	for (size_t i = 0; i < s->segment_count; i++) {
		struct growth_segment *g = &s->segments[i].growth;

		g->has_load = true;
		for (size_t k = 0; k < GROWTH_BLOCKS; k++) {
			struct time_range block =
				leak_block(&s->segments[i], k);
			double sum = 0, count = 0;

			for (size_t n = 0; n < requests->point_count; n++) {
				const struct metric_point *p =
					&requests->points[n];

				if (p->time_ns <= block.from_ns ||
				    p->time_ns > block.to_ns)
					continue;
				sum += p->value;
				count++;
			}
			g->has_load &= count > 0;
			g->load[k] = count > 0 ? sum / count : 0;
		}
	}
}

/* ---- the road ---- */

static bool subject_judge(struct leak *l, struct leak_subject *s,
			  const struct leak_series *series,
			  const struct leak_series *load,
			  const struct service_metric *requests,
			  struct error *err)
{
	bool is_memory = s->what == LEAK_MEMORY;

	if (!leak_segments_cut(l, s, series, load, err))
		return false;
	if (!s->segment_count)
		return true;
	if (requests->point_count)
		use_requests(s, requests);
	l->has_load |= s->segments[0].growth.has_load;
	/* Total memory varies more than that of a function; for goroutines
	 * functions are tested only if the total grows. */
	return leak_functions_judge(l, s, is_memory, err) &&
	       (is_memory || !s->is_leak ||
		leak_functions_judge(l, s, true, err));
}

static bool ask_series(struct leak *l, struct leak_series list[LEAK_WHATS + 1],
		       size_t of[LEAK_WHATS + 1], struct error *err)
{
	size_t n = 0;

	for (int i = 0; i < LEAK_WHATS; i++)
		if (l->subjects[i].type_id.ptr) {
			of[i] = n;
			list[n++].type_id = l->subjects[i].type_id.ptr;
		}
	if (find_type(l, "cpu", &l->load_type)) {
		of[LEAK_WHATS] = n;
		list[n++].type_id = l->load_type.ptr;
	}
	return leak_series_ask(l, list, n, err);
}

static bool investigate_files(struct leak *l, struct error *err)
{
	const struct service_metric none = { .point_count = 0 };
	struct leak_series list[LEAK_WHATS] = { 0 };

	for (int i = 0; i < LEAK_WHATS; i++)
		l->subjects[i].what = (enum leak_what)i;
	if (!leak_files_read(l, list, err))
		return false;
	for (int i = 0; i < LEAK_WHATS; i++)
		if (list[i].has_answer &&
		    !subject_judge(l, &l->subjects[i], &list[i], NULL, &none,
				   err))
			return false;
	return leak_lack(l) == LEAK_NO_LACK ||
	       error_set(err, ERROR_NOT_FOUND, "%s", "");
}

static bool investigate_service(struct leak *l, struct error *err)
{
	struct leak_series list[LEAK_WHATS + 1] = { 0 };
	size_t of[LEAK_WHATS + 1] = { SIZE_MAX, SIZE_MAX, SIZE_MAX };
	struct service_metric requests = { .point_count = 0 };
	const struct leak_series *load = NULL;
	struct investigation *v = l->v;
	struct profile_lookup lookup;

	if (!profile_lookup_init(&lookup, v, NULL, 0, str_from(l->service),
				 l->window, err) ||
	    !jobs_run(v->backends, lookup.jobs, lookup.job_count, err) ||
	    !profile_lookup_apply(&lookup, v, &l->found, err) ||
	    !find_types(l, err))
		return false;
	if (leak_lack(l) == LEAK_NO_TYPE)
		return error_set(err, ERROR_NOT_FOUND, "%s", "");
	if (!ask_series(l, list, of, err))
		return false;
	/* Metrics are optional: errors become notes. */
	if (!v->backends->metrics.is_default &&
	    !ask_metrics(l, &requests, err)) {
		if (error_ends_run(err))
			return false;
		investigation_note(v,
				   (struct note){ .kind = NOTE_METRICS_MISSING,
						  .reason = err->message });
		error_clear(err);
	}
	if (of[LEAK_WHATS] != SIZE_MAX && list[of[LEAK_WHATS]].has_answer)
		load = &list[of[LEAK_WHATS]];
	for (int i = 0; i < LEAK_WHATS; i++) {
		if (of[i] == SIZE_MAX)
			continue;
		if (!list[of[i]].has_answer) {
			*err = list[of[i]].err;
			return false;
		}
		if (!subject_judge(l, &l->subjects[i], &list[of[i]], load,
				   &requests, err))
			return false;
	}
	if (requests.point_count)
		l->load_type = (struct str){ NULL, 0 };
	return leak_lack(l) == LEAK_NO_LACK ||
	       error_set(err, ERROR_NOT_FOUND, "%s", "");
}

bool leak_investigate(struct leak *l, struct error *err)
{
	return l->path_count ? investigate_files(l, err)
			     : investigate_service(l, err);
}

enum leak_lack leak_lack(const struct leak *l)
{
	bool has_type = false, has_segment = false;

	if (l->odd)
		return l->odd_type.ptr ? LEAK_TYPES : LEAK_NO_TIME;
	for (int i = 0; i < LEAK_WHATS; i++) {
		has_type |= l->subjects[i].type_id.ptr != NULL;
		has_segment |= l->subjects[i].segment_count > 0;
	}
	if (!has_type)
		return LEAK_NO_TYPE;
	return has_segment ? LEAK_NO_LACK : LEAK_SHORT;
}

bool leak_is_one(const struct leak *l)
{
	return l->subjects[LEAK_MEMORY].is_leak ||
	       l->subjects[LEAK_THREADS].is_leak;
}

/* In the last block of those that lived then: the largest is the first that
 * comes to its end. */
static double largest_held(const struct leak_subject *s)
{
	int64_t last_ns = 0;
	double most = 0;

	for (size_t i = 0; i < s->segment_count; i++)
		if (s->segments[i].range.to_ns > last_ns)
			last_ns = s->segments[i].range.to_ns;
	for (size_t i = 0; i < s->segment_count; i++) {
		const struct leak_segment *segment = &s->segments[i];
		double held = segment->growth.values[GROWTH_BLOCKS - 1];

		if (last_ns - segment->range.to_ns < LEAK_LEAST_NS &&
		    held > most)
			most = held;
	}
	return most;
}

double leak_seconds_left(const struct leak *l)
{
	const struct leak_subject *s = &l->subjects[LEAK_MEMORY];
	double now = l->memory_bytes > 0 ? l->memory_bytes : largest_held(s);

	if (!s->is_leak || !(l->limit_bytes > 0) || !(s->total.per_hour > 0))
		return -1;
	return l->limit_bytes > now
		       ? (l->limit_bytes - now) / s->total.per_hour * 3600
		       : 0;
}
