/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/files/fetch_files.h"

#include <string.h>

#include "backend/files/fetch_file.h"
#include "model/profile_merge.h"

/* Sums of 1, 2, 4... files: each file is added up so many times only as the
 * count has binary digits. */
#define PILE_MAX 16
_Static_assert(LIMIT_ARGUMENTS < 1u << (PILE_MAX - 1),
	       "all files find a place");

struct pile {
	struct profile sums[PILE_MAX];
	unsigned files[PILE_MAX]; /* behind each sum */
	size_t count;
};

struct files {
	struct backends *backends;
	struct pile pile;
	struct profile pair[2]; /* being read */
	struct str wanted;      /* type */
	const char *first;      /* one with samples; NULL: none yet */
	struct type_name type;  /* of it */
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

/* Takes the profile, and leaves an empty one. */
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

static bool keep_type(struct files *f, const char *path,
		      const struct profile *p, struct error *err)
{
	struct arena *arena = f->backends->arena;

	f->first = path;
	f->type.type = arena_str(arena, profile_type_name(p));
	f->type.unit = arena_str(arena, profile_unit(p));
	return (f->type.type.ptr && f->type.unit.ptr) ||
	       arena_fail(arena, "the profile's type", err);
}

static bool check_type(const struct files *f, const char *path,
		       const struct profile *p, struct error *err)
{
	const struct type_name own = { profile_type_name(p), profile_unit(p) };

	if (type_name_equal(own, f->type))
		return true;
	return error_set(err, ERROR_FORMAT,
			 "%s holds %.*s/%.*s and %s %.*s/%.*s: different "
			 "things cannot be added up; if both have one in "
			 "common, ask for it with --type",
			 name_of(f->first), STR_ARGS(f->type.type),
			 STR_ARGS(f->type.unit), name_of(path),
			 STR_ARGS(own.type), STR_ARGS(own.unit));
}

static bool take(struct files *f, const char *path, struct profile *p,
		 struct error *err)
{
	if (p->whole_total <= 0) {
		notes_add(f->backends->notes, "%s holds no samples",
			  name_of(path));
		profile_release(p);
		return true;
	}
	/* Others may have the same in another unit. */
	if (f->is_several && !profile_to_nanoseconds(p, err))
		return false;
	if (!(f->first ? check_type(f, path, p, err)
		       : keep_type(f, path, p, err)))
		return false;
	return pile_push(f, p, err);
}

static const struct type_name *like(const struct files *f)
{
	return f->first ? &f->type : NULL;
}

/* One without the type is read once more, to tell what it holds instead. */
static bool read_one(struct files *f, const char *path, struct profile *p,
		     struct error *err)
{
	struct error other = { 0 };

	if (fetch_profile_file(f->backends, path, f->wanted, like(f), p, err))
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
			 like(f), &f->pair[1]);
	is_done = read_one(f, paths[0], &f->pair[0], err) &&
		  take(f, paths[0], &f->pair[0], err);
	if (!file_ahead_take(&ahead, f->backends, like(f)) && is_done)
		is_done = read_one(f, paths[1], &f->pair[1], err);
	return is_done && take(f, paths[1], &f->pair[1], err);
}

/* Nothing, or one in order: of several files one alone may hold samples. */
static bool is_added_up(const struct pile *pile)
{
	return !pile->count || (pile->count == 1 && !pile->sums[0].packed);
}

static bool read_all(struct files *f, const char *const *paths, size_t count,
		     struct error *err)
{
	for (size_t i = 0; i + 1 < count; i += 2)
		if (!read_pair(f, paths + i, err))
			return false;
	if (count % 2 && (!read_one(f, paths[count - 1], f->pair, err) ||
			  !take(f, paths[count - 1], f->pair, err)))
		return false;
	return is_added_up(&f->pile) || pile_add_up(f, 0, err);
}

bool fetch_profile_files(struct backends *b, const char *const *paths,
			 size_t count, struct str type, struct profile *profile,
			 struct error *err)
{
	struct files f = { .backends = b,
			   .wanted = type,
			   .is_several = count > 1 };
	bool is_done;

	profile_init(&f.pair[0]);
	profile_init(&f.pair[1]);
	is_done = read_all(&f, paths, count, err);
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
