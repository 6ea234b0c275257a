/* SPDX-License-Identifier: Apache-2.0
 *
 * Which functions of two profiles are one: the only place that decides it, for
 * comparisons, gates and snapshots alike. A function is known by its name, less
 * what tools, compilers and virtual machines write into it
 * (model/function_name.h), and, where several functions of one profile have
 * that name, by its place: the file with its folder, or the library
 * (model/source_path.h). Two builds may differ in more of both than that, such
 * as the line of a closure or the hash of a bundle, which still tell apart the
 * functions of one build. So there are two identities of a function, an exact
 * and a stable one; the exact ones count where those of one side are all among
 * those of the other, and the stable one where they are not.
 */
#ifndef ANALYZE_FUNCTION_IDENTITY_H
#define ANALYZE_FUNCTION_IDENTITY_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "model/function_name.h"
#include "model/profile.h"

enum diff_side { SIDE_SLOW = 0, SIDE_BASELINE, SIDE_COUNT };

enum func_naming {
	FUNC_NAMES_MATCHED = 0, /* by what both sides have */
	FUNC_NAMES_STABLE, /* as any other build can know them: for snapshots */
	FUNC_NAMES_PLAIN,  /* by their names as they are */
};

/* The functions of one side. */
struct func_names {
	const struct profile *profile; /* may be NULL */
	enum func_naming naming;
	const struct func_names *other; /* side */
	/* By function, what is known of their identities: hashes, which are
	 * enough to look most of them up, and which of them are the name. */
	uint32_t *hashes;
	bool *is_name;
	/* By function: how it is known, see func_names_find(). */
	unsigned char *keys;
	size_t unsettled_count; /* whose exact and stable identity differ */
	/* By symbol: functions of that name lie in several files. */
	bool *is_shared;
	bool has_shared;
	bool has_places; /* files or libraries are told */
	bool is_done;
	struct error err;
};

/* Finds out how the functions of both sides are known. The names of both are
 * looked through at once. Memory comes from the arena. */
bool func_names_find(struct func_names names[SIDE_COUNT], struct arena *arena,
		     struct error *err) MUST_CHECK;

/* The identity of a side's function: its name, or what is put into the buffer.
 */
bool func_names_identity(const struct func_names *names, uint32_t f,
			 struct buf *key, struct str *identity,
			 struct error *err) MUST_CHECK;

/* The place is part of the identity. */
bool func_names_is_placed(const struct func_names *names, uint32_t f);

/* Several functions of its name are one row, as the other side tells no
 * places. */
bool func_names_is_joined(const struct func_names *names, uint32_t f);

/* Appends the identity of a name, with its place where that is not empty.
 * Whether the exact and the stable one differ. */
bool func_identity_add(struct str name, struct str place, enum name_key key,
		       struct buf *out);

/* The file or library of a function, empty where it has none that stays what it
 * is in the next run. */
struct str func_place(const struct profile *p, uint32_t f);

#endif
