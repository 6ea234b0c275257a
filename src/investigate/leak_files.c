/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/leak.h"

#include <stdlib.h>
#include <string.h>

#include "backend/fetch_profile.h"
#include "base/num.h"

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

static bool offers(const struct profile *p, struct str type)
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

/* Of all files of a subject the first says which type it is. */
static bool settle_type(struct leak *l, const struct leak_file *f,
			struct leak_subject *s, const struct profile *p,
			struct error *err)
{
	struct arena *arena = l->v->backends->arena;
	struct str type = profile_type_name(p), unit = profile_unit(p);
	struct str id = arena_printf(arena, "%.*s/%.*s", STR_ARGS(type),
				     STR_ARGS(unit));

	if (!id.ptr)
		return arena_fail(arena, "the profile's type", err);
	if (!s->type_id.ptr)
		s->type_id = id;
	return str_equal(s->type_id, id) || fail_odd(l, f, id, err);
}

/* What was allocated since the process began falls only where another one
 * began. */
static bool read_made(struct leak *l, struct leak_file *f,
		      const struct profile *held, struct error *err)
{
	struct profile p;
	bool done = true;

	f->made = -1;
	if (!offers(held, STR("alloc_space")))
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
	enum leak_what what = what_of(p);

	if (!p->is_gauge || p->total <= 0)
		return true;
	if (p->time_ns <= 0)
		return fail_odd(l, f, (struct str){ NULL, 0 }, err);
	f->time_ns = p->time_ns;
	f->held[what] = (double)p->total;
	return settle_type(l, f, &l->subjects[what], p, err) &&
	       read_made(l, f, p, err);
}

static bool read_file(struct leak *l, struct leak_file *f, struct error *err)
{
	const char *word = l->v->question->type;
	struct profile p;
	bool done;

	profile_init(&p);
	done = read_as(l, f->path, word ? word : "", &p, err);
	if (done && !word && offers(&p, STR("inuse_space")) &&
	    !(p.is_gauge && what_of(&p) == LEAK_MEMORY)) {
		profile_release(&p);
		profile_init(&p);
		done = read_as(l, f->path, "inuse_space", &p, err);
	}
	done = done && take_file(l, f, &p, err);
	profile_release(&p);
	/* Others may have the type that was asked for. */
	return done || (word && err->code == ERROR_NOT_FOUND);
}

/* ---- all of them ---- */

static int compare_files(const void *left, const void *right)
{
	const struct leak_file *a = left, *b = right;
	int order = str_compare(a->instance, b->instance);

	if (!order)
		order = compare_i64(a->time_ns, b->time_ns);
	return order ? order : strcmp(a->path, b->path);
}

static struct str folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (struct str){ path, (size_t)(slash - path) }
		     : str_from(".");
}

/* Files without any such type are left out; when all are, the last one that
 * was asked for a type says what it has instead. */
static bool read_all(struct leak *l, struct error *err)
{
	struct arena *arena = l->v->backends->arena;

	l->files = arena_array(arena, l->path_count, sizeof *l->files);
	if (!l->files)
		return arena_fail(arena, "the files", err);
	for (size_t i = 0; i < l->path_count; i++) {
		struct leak_file *f = &l->files[l->file_count];

		*f = (struct leak_file){ .path = l->paths[i],
					 .instance = folder_of(l->paths[i]),
					 .made = -1 };
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
		qsort(l->files, l->file_count, sizeof *l->files, compare_files);
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

bool leak_files_read(struct leak *l, struct leak_series list[LEAK_WHATS],
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

const char *const *leak_files_within(const struct leak *l,
				     const struct leak_subject *s,
				     const struct leak_segment *segment,
				     struct time_range range, size_t *count)
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

int64_t leak_file_time(const struct leak *l, const char *path)
{
	for (size_t i = 0; i < l->file_count; i++)
		if (l->files[i].path == path)
			return l->files[i].time_ns;
	return 0;
}
