/* SPDX-License-Identifier: Apache-2.0
 *
 * Decorations that compilers, runtimes and tools add to function names, a table
 * row each: the one place that knows these formats. Decorations that describe
 * how a frame ran are removed when it is read, in profile_build_name(). Those
 * that distinguish functions within one build but differ between builds are
 * displayed, but are not part of the identity that analyze/function_identity.c
 * matches functions of two profiles by.
 */
#ifndef MODEL_FUNCTION_NAME_H
#define MODEL_FUNCTION_NAME_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

/* A name in two pieces around a removed mark: "JS:" and "parse /app/w.js" of
 * "JS:*parse /app/w.js". Most names have one piece. */
struct name_pieces {
	struct str first;
	struct str rest;
};

/* Returns the name without marks of how its code ran: compiled, interpreted,
 * inlined, by which compiler. */
struct name_pieces function_name_unmarked(struct str name);

/* How much of a name is part of its identity. */
enum name_key {
	/* Without numbers that differ from run to run or build to build. */
	NAME_KEY_EXACT = 0,
	/* Also without parts that change when another part of the file is
	 * edited or the folder or bundle is renamed: lines of definitions,
	 * release folders, bundle hashes. Several functions of a file may share
	 * it. */
	NAME_KEY_STABLE,
};

/* Appends the identity of a name to out. Returns whether the identities for the
 * two keys may differ. */
bool function_key(struct str name, enum name_key key, struct buf *out);

#endif
