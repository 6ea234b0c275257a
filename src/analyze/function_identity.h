/* SPDX-License-Identifier: Apache-2.0
 *
 * Function identity: the only place that decides which functions of two
 * profiles are the same, for comparisons, gates and snapshots. A function is
 * identified by its name, without the parts that tools, compilers and virtual
 * machines generate (model/function_name.h), and, if several functions of one
 * profile have that name, by its place: file and folder, or library
 * (model/source_path.h). Two builds may differ in more, such as the line of a
 * closure or the hash of a bundle, which distinguish functions within one
 * build. So a function has two identities, exact and stable: the exact one is
 * used if all exact identities of one side exist on the other, else the stable
 * one.
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
	FUNC_NAMES_MATCHED = 0, /* matched with the other side */
	FUNC_NAMES_STABLE,      /* independent of the build: for snapshots */
	FUNC_NAMES_PLAIN,       /* names unchanged */
};

/* The functions of one side. */
struct func_names {
	const struct profile *profile; /* may be NULL */
	enum func_naming naming;
	const struct func_names *other; /* the other side */
	/* By function: the hashes of identities, with which most can be looked
	 * up, and whether the identity is just the name. */
	uint32_t *hashes;
	bool *is_name;
	/* By function: the identity in use, see func_names_find(). */
	unsigned char *keys;
	size_t unsettled_count; /* exact and stable identity differ */
	/* By symbol: functions of that name are in several files. */
	bool *is_shared;
	bool has_shared;
	bool has_places; /* files or libraries are known */
	bool is_done;
	struct error err;
};

/* Finds the identities of both sides' functions; names of both are processed
 * concurrently. Memory comes from the arena. */
bool func_names_find(struct func_names names[SIDE_COUNT], struct arena *arena,
		     struct error *err) MUST_CHECK;

/* Finds the identity of a side's function: its name, or a text in the
 * buffer. */
bool func_names_identity(const struct func_names *names, uint32_t f,
			 struct buf *key, struct str *identity,
			 struct error *err) MUST_CHECK;

/* Returns whether the place is part of the identity. */
bool func_names_is_placed(const struct func_names *names, uint32_t f);

/* Returns whether several functions of its name are merged into one row, as the
 * other side has no places. */
bool func_names_is_joined(const struct func_names *names, uint32_t f);

/* Appends the identity of a name, with its place unless that is empty. Returns
 * whether the exact and the stable one differ. */
bool func_identity_add(struct str name, struct str place, enum name_key key,
		       struct buf *out);

/* Returns the file or library of a function, empty if it has none that is
 * stable between runs. */
struct str func_place(const struct profile *p, uint32_t f);

#endif
