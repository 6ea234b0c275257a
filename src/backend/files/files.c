/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/files/files.h"

#include <string.h>
#include <sys/stat.h>

#include "backend/backends.h"
#include "backend/fetch_profile.h"
#include "backend/input.h"
#include "backend/jobs.h"
#include "backend/profile_backend.h"
#include "backend/rooms.h"
#include "base/num.h"
#include "base/out.h"
#include "base/thread.h"
#include "model/profile.h"

/* Profiles from files; the second of two files is read while the first is. */

/* Smaller files are read faster than a thread is started. */
#define AHEAD_BYTES ((off_t)(32 * KIB))

/* Sums of smaller files are sorted, so that the result does not depend on the
 * order of the files. Larger ones may have too many duplicates of a stack for
 * the memory before equal ones are merged. */
#define LOOSE_MIN_BYTES (256 * KIB)
#define LOOSE_MAX_BYTES (64 * MIB)

static bool read_file(const char *path, struct profile_want want,
		      enum stack_order order, struct profile *profile,
		      struct notes *notes, struct error *err)
{
	struct input in;
	bool done = input_open_profile(&in, path, err);

	if (done) {
		want.packed_min_bytes =
			order == STACKS_SUMMED ? 0 : LOOSE_MIN_BYTES;
		want.packed_max_bytes =
			order == STACKS_SUMMED	    ? UINT64_MAX
			: order == STACKS_ANY_ORDER ? LOOSE_MAX_BYTES
						    : 0;
		done = (in.feed ? decode_profile_feed(in.format, in.feed, &want,
						      profile, notes, err)
				: decode_profile(in.format, in.bytes, &want,
						 profile, notes, err)) ||
		       error_prefix(err, "%s", in.name);
	}
	input_release(&in);
	return done;
}

bool fetch_profile_file(struct backends *b, const char *path, struct str type,
			const struct type_name *like, struct profile *profile,
			struct error *err)
{
	struct profile_want want = b->want;

	want.type = type;
	want.like = like;
	return read_file(path, want, b->file_order, profile, b->notes, err);
}

/* ---- two files ---- */

static bool is_large(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) &&
	       st.st_size >= AHEAD_BYTES;
}

static void read_ahead(void *task)
{
	struct file_ahead *a = task;

	a->is_read = read_file(a->path, a->want, a->order, a->profile,
			       &a->notes, &a->err);
}

/* Resets the state. The notes are large and stay as they are. */
static void file_ahead_init(struct file_ahead *a)
{
	a->path = NULL;
}

/* Label filters cache the current sample: they can be used for one file
 * only. */
void file_ahead_start(struct file_ahead *a, const struct backends *b,
		      const char *first, const char *second, struct str type,
		      const struct type_name *like, struct profile *profile)
{
	file_ahead_init(a);
	a->is_read = false;
	if (!thread_is_worth_it() || b->want.labels || !is_large(first) ||
	    !is_large(second))
		return;
	a->path = second;
	a->want = b->want;
	a->want.type = type;
	a->want.like = like;
	a->order = b->file_order;
	a->profile = profile;
	notes_init(&a->notes);
	error_clear(&a->err);
	thread_start(&a->thread, read_ahead, a);
}

/* Another type may match equally well. */
static bool is_only_type(const struct profile *p, const struct type_name *like)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < p->type_count; i++)
		count += type_name_equal(
			(struct type_name){ profile_text(p, p->types[i].type),
					    profile_text(p, p->types[i].unit) },
			*like);
	return count == 1 &&
	       type_name_equal((struct type_name){ profile_type_name(p),
						   profile_unit(p) },
			       *like);
}

bool file_ahead_take(struct file_ahead *a, struct backends *b,
		     const struct type_name *like)
{
	if (!a || !a->path)
		return false;
	thread_join(&a->thread);
	a->path = NULL;
	if (a->is_read && like && is_only_type(a->profile, like)) {
		notes_append(b->notes, &a->notes);
		return true;
	}
	profile_release(a->profile);
	return false;
}

/* Several profiles from files, added up. */

/* Sums of 1, 2, 4... files: each file is added up only as many times as the
 * count has binary digits. */
#define PILE_MAX 16
_Static_assert(LIMIT_ARGUMENTS < 1u << (PILE_MAX - 1),
	       "all files find a place");

struct pile {
	struct profile sums[PILE_MAX];
	unsigned files[PILE_MAX]; /* number of files in each sum */
	size_t count;
};

struct files {
	struct backends *backends;
	struct pile pile;
	struct profile pair[2]; /* being read */
	struct str wanted;      /* type */
	const char *first;      /* one with samples; NULL: none yet */
	struct type_name type;  /* of first */
	bool is_several;
};

static const char *name_of(const char *path)
{
	return strcmp(path, "-") ? path : "standard input";
}

/* ---- the pile ---- */

/* Replaces the sums from `first` on by one. */
static bool pile_add_up(struct files *f, size_t first, struct error *err)
{
	struct pile *pile = &f->pile;
	const struct profile *parts[PILE_MAX];
	struct profile sum;
	unsigned files = 0;
	bool is_done;

	profile_init(&sum);
	for (size_t i = first; i < pile->count; i++) {
		parts[i - first] = &pile->sums[i];
		files += pile->files[i];
	}
	is_done = profile_merge(&sum, parts, pile->count - first,
				f->backends->notes, err);
	for (size_t i = first; i < pile->count; i++)
		profile_release(&pile->sums[i]);
	pile->sums[first] = sum;
	pile->files[first] = files;
	pile->count = first + 1;
	return is_done;
}

/* Takes over the profile, and leaves an empty one. */
static bool pile_push(struct files *f, struct profile *p, struct error *err)
{
	struct pile *pile = &f->pile;

	pile->sums[pile->count] = *p;
	pile->files[pile->count++] = 1;
	profile_init(p);
	while (pile->count > 1 &&
	       pile->files[pile->count - 2] == pile->files[pile->count - 1])
		if (!pile_add_up(f, pile->count - 2, err))
			return false;
	return true;
}

/* ---- files ---- */

static bool check_type(const struct files *f, const char *path,
		       const struct profile *p, struct error *err)
{
	const struct type_name own = { profile_type_name(p), profile_unit(p) };

	if (type_name_equal(own, f->type))
		return true;
	return error_set(err, ERROR_FORMAT,
			 "%s holds %.*s/%.*s and %s %.*s/%.*s: different types "
			 "cannot be added up; if both have one in common, "
			 "choose it with --type",
			 name_of(f->first), STR_ARGS(f->type.type),
			 STR_ARGS(f->type.unit), name_of(path),
			 STR_ARGS(own.type), STR_ARGS(own.unit));
}

static bool files_take(struct files *f, const char *path, struct profile *p,
		       struct error *err)
{
	struct arena *arena = f->backends->arena;

	if (p->whole_total <= 0) {
		notes_add(f->backends->notes, "%s holds no samples",
			  name_of(path));
		profile_release(p);
		return true;
	}
	/* Other files may have another unit. */
	if (f->is_several && !profile_to_nanoseconds(p, err))
		return false;
	if (f->first) {
		if (!check_type(f, path, p, err))
			return false;
	} else {
		f->first = path;
		f->type.type = arena_str(arena, profile_type_name(p));
		f->type.unit = arena_str(arena, profile_unit(p));
		if (!f->type.type.ptr || !f->type.unit.ptr)
			return arena_fail(arena, "the profile's type", err);
	}
	return pile_push(f, p, err);
}

static const struct type_name *files_type_like(const struct files *f)
{
	return f->first ? &f->type : NULL;
}

/* A file without the type is read once more, to report its types. */
static bool read_one(struct files *f, const char *path, struct profile *p,
		     struct error *err)
{
	struct error other = { 0 };

	if (fetch_profile_file(f->backends, path, f->wanted, files_type_like(f),
			       p, err))
		return true;
	if (!f->first || err->code != ERROR_NOT_FOUND)
		return false;
	profile_release(p);
	if (!fetch_profile_file(f->backends, path, STR(""), NULL, p, &other))
		return false;
	if (str_equal(profile_type_name(p), f->type.type) &&
	    time_unit_ns(profile_unit(p)) && time_unit_ns(f->type.unit))
		return true;
	(void)check_type(f, path, p, err);
	return false;
}

static bool read_pair(struct files *f, const char *const paths[2],
		      struct error *err)
{
	struct file_ahead ahead;
	bool is_done;

	file_ahead_start(&ahead, f->backends, paths[0], paths[1], f->wanted,
			 files_type_like(f), &f->pair[1]);
	is_done = read_one(f, paths[0], &f->pair[0], err) &&
		  files_take(f, paths[0], &f->pair[0], err);
	if (!file_ahead_take(&ahead, f->backends, files_type_like(f)) &&
	    is_done)
		is_done = read_one(f, paths[1], &f->pair[1], err);
	return is_done && files_take(f, paths[1], &f->pair[1], err);
}

bool fetch_profile_files(struct backends *b, const char *const *paths,
			 size_t count, struct str type, struct profile *profile,
			 struct error *err)
{
	struct files f = { .backends = b,
			   .wanted = type,
			   .is_several = count > 1 };
	bool is_done = true;

	profile_init(&f.pair[0]);
	profile_init(&f.pair[1]);
	for (size_t i = 0; is_done && i + 1 < count; i += 2)
		is_done = read_pair(&f, paths + i, err);
	if (is_done && count % 2)
		is_done = read_one(&f, paths[count - 1], f.pair, err) &&
			  files_take(&f, paths[count - 1], f.pair, err);
	/* If only one of several files has samples, it still has to be
	 * sorted. */
	if (is_done && (f.pile.count > 1 ||
			(f.pile.count == 1 && f.pile.sums[0].packed)))
		is_done = pile_add_up(&f, 0, err);
	if (is_done && f.pile.count) {
		profile_release(profile);
		*profile = f.pile.sums[0];
		f.pile.count = 0;
	}
	for (size_t i = 0; i < f.pile.count; i++)
		profile_release(&f.pile.sums[i]);
	profile_release(&f.pair[0]);
	profile_release(&f.pair[1]);
	return is_done;
}

/* Profile files one by one, unchanged. */

/* Files lack the prefix that Pyroscope adds to a type: it is chosen like in
 * Pyroscope's agents, by the beginning of the name of the file's default sample
 * type. Mutex and block profiles have the same names. */
static struct str kind_of(struct str type, const char *path)
{
	static const struct {
		const char *front;
		struct str kind;
	} kinds[] = {
		{ "cpu", { "process_cpu", 11 } },
		{ "samples", { "process_cpu", 11 } },
		{ "alloc_", { "memory", 6 } },
		{ "inuse_", { "memory", 6 } },
		{ "space", { "memory", 6 } },
		{ "objects", { "memory", 6 } },
		{ "contentions", { "mutex", 5 } },
		{ "delay", { "mutex", 5 } },
	};

	if (str_find(str_from(path), STR("block")) != SIZE_MAX &&
	    (str_equal(type, STR("delay")) ||
	     str_equal(type, STR("contentions"))))
		return STR("block");
	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		if (str_starts(type, str_from(kinds[i].front)))
			return kinds[i].kind;
	return type;
}

/* Returns a bit mask of the types that Go counts since process start, and thus
 * repeats in each profile: allocations, and waits for locks and channels. A
 * profile over an interval (net/http/pprof with seconds=) has a duration
 * instead. */
static uint64_t counts_since_start(const struct profile *p)
{
	static const struct str names[] = { { "alloc_objects", 13 },
					    { "alloc_space", 11 },
					    { "contentions", 11 },
					    { "delay", 5 } };
	uint64_t found = 0;

	if (p->duration_ns)
		return 0;
	for (uint32_t i = 0; i < p->type_count; i++)
		for (size_t k = 0; k < COUNT_OF(names); k++)
			if (str_equal(profile_text(p, p->types[i].type),
				      names[k]))
				found |= UINT64_C(1) << i;
	return found;
}

/* *left_out: the types that cannot be added up. */
static bool find_left_out(const struct profile *p, uint64_t *left_out,
			  struct error *err)
{
	uint64_t all = p->type_count < 64 ? (UINT64_C(1) << p->type_count) - 1
					  : UINT64_MAX;

	*left_out = counts_since_start(p);
	if (*left_out != all || !all)
		return true;
	return error_set(err, ERROR_FORMAT,
			 "its values count from the start of the process, so a "
			 "server would count them repeatedly; use "
			 "net/http/pprof with ?seconds=30");
}

/* Reads type and time from the file. instead: receives the bytes to send if
 * something is left out, or if the compression is not known to receivers. */
static bool file_describe(struct backends *b, const char *path,
			  struct str bytes, bool is_for_sums,
			  struct whole_profile *w, struct buf *instead,
			  struct error *err)
{
	uint64_t left_out = 0;
	struct profile_want want = b->want;
	struct profile p;
	struct buf storage;
	struct str plain;
	char looks_like[256];
	bool is_ok;

	profile_init(&p);
	buf_init(&storage, LIMIT_BODY_PLAIN_BYTES);
	plain = decode_plain(bytes, path, &storage, err);
	is_ok = plain.ptr != NULL;
	if (is_ok &&
	    format_sniff(plain, looks_like, sizeof looks_like) != FORMAT_PPROF)
		is_ok = error_set(err, ERROR_FORMAT,
				  "only pprof is sent unchanged; tracefind "
				  "profile FILE -o pprof=NEW converts other "
				  "formats");
	is_ok = is_ok &&
		decode_profile(FORMAT_PPROF, plain, &want, &p, NULL, err);
	if (is_ok) {
		w->kind = arena_str(b->arena,
				    kind_of(profile_type_name(&p), path));
		w->start_ns = p.time_ns;
	}
	is_ok = is_ok && (!is_for_sums || find_left_out(&p, &left_out, err)) &&
		(!left_out || pprof_leave_out(plain, left_out, instead, err));
	w->is_narrowed = left_out != 0;
	if (is_ok && !left_out && packing_is_zstd(packing_of(bytes))) {
		buf_add_str(instead, plain);
		is_ok = buf_check(instead, "a profile", err);
	}
	profile_release(&p);
	buf_release(&storage);
	return is_ok && (w->kind.ptr || arena_fail(b->arena, "a profile", err));
}

/* A file is identified by a hash of its content. */
static bool file_give(struct backends *b, const char *path,
		      const struct whole_query *query,
		      const struct whole_taker *taker, struct error *err)
{
	struct whole_profile w = { .name = str_from(path) };
	struct error why = { 0 };
	struct buf bytes, instead;
	bool is_ok = true;

	if (query->service)
		w.labels[w.label_count++] =
			(struct whole_label){ STR("service_name"),
					      str_from(query->service) };
	buf_init(&bytes, LIMIT_BODY_WIRE_BYTES);
	buf_init(&instead, LIMIT_BODY_PLAIN_BYTES);
	if (!file_read(path, &bytes, &why) ||
	    !file_describe(b, path, buf_str(&bytes), query->is_for_sums, &w,
			   &instead, &why)) {
		if (why.code == ERROR_FORMAT)
			error_prefix(&why, "%s", path);
		is_ok = taker->take(taker->context, &w, &why, err);
	} else {
		w.name = buf_str(&bytes);
		if (taker->wants(taker->context, &w)) {
			w.bytes = buf_str(instead.len ? &instead : &bytes);
			is_ok = taker->take(taker->context, &w, NULL, err);
		}
	}
	buf_release(&instead);
	buf_release(&bytes);
	return is_ok;
}

/* Passes profiles on one by one, unchanged; for struct profile_backend. */
static bool files_each(struct backends *b, const struct whole_query *query,
		       const struct whole_taker *taker, struct error *err)
{
	struct path_list list;

	if (!profile_paths_expand(&list, query->paths, query->path_count,
				  b->arena, err))
		return false;
	for (size_t i = 0; i < list.count; i++)
		if (!file_give(b, list.items[i], query, taker, err))
			return false;
	return true;
}

/* Files instead of a profile server: each query names its files. Two are read
 * side by side. */

static struct str type_of(const struct profile_fetch *f)
{
	return str_from(f->query.type_id);
}

static void fetch_read(struct backends *b, struct profile_fetch *f)
{
	f->job.is_done = true;
	f->job.has_answer =
		f->path_count > 1
			? fetch_profile_files(b, f->paths, f->path_count,
					      type_of(f), f->into, &f->job.err)
			: fetch_profile_file(b, f->paths[0], type_of(f),
					     f->like, f->into, &f->job.err);
}

/* Reads both files; the first, read for its default type, may have the wanted
 * one. */
static void read_both(struct backends *b, struct profile_fetch *first,
		      struct profile_fetch *second)
{
	struct file_ahead ahead;
	struct type_name like;

	file_ahead_init(&ahead);
	if (first->path_count == 1)
		file_ahead_start(&ahead, b, first->paths[0], second->paths[0],
				 type_of(second), NULL, second->into);
	fetch_read(b, first);
	if (!first->job.has_answer) {
		(void)file_ahead_take(&ahead, b, NULL);
		second->job.err = first->job.err;
		second->job.is_done = true;
		return;
	}
	like = (struct type_name){ profile_type_name(first->into),
				   profile_unit(first->into) };
	second->job.is_done = second->job.has_answer =
		file_ahead_take(&ahead, b, &like);
	if (second->job.is_done)
		return;
	second->like = &like;
	fetch_read(b, second);
	second->like = NULL;
}

/* The second file of a batch is read for the type of the first, and not at all
 * if that failed. */
static bool answer_jobs(struct backends *b, struct job *const *jobs, size_t n,
			struct error *err)
{
	struct profile_fetch *first = NULL;

	(void)err;
	for (size_t i = 0; i < n; i++) {
		struct profile_fetch *f = (struct profile_fetch *)jobs[i];

		if (jobs[i]->type->question != QUESTION_PROFILE ||
		    jobs[i]->is_done || !f->path_count)
			continue;
		if (first) {
			read_both(b, first, f);
			first = NULL;
		} else {
			first = f;
		}
	}
	if (first)
		fetch_read(b, first);
	return true;
}

const struct profile_backend profile_files = {
	.name = "file",
	.title = "file",
	.answer_jobs = answer_jobs,
	.each = files_each,
};
