/* SPDX-License-Identifier: Apache-2.0
 *
 * What tools and compilers write into the names of functions that is none of
 * the name, a row each, by format: the one place that knows. What says how a
 * frame ran goes at the door, in profile_build_name(). What tells functions
 * apart within one build but not across two stays to be shown, and is left out
 * of the identity. analyze/function_identity.c says which functions of two
 * profiles are one by it.
 */
#ifndef MODEL_FUNCTION_NAME_H
#define MODEL_FUNCTION_NAME_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

/* A name in pieces, without the mark between them: "JS:" and "parse /app/w.js"
 * of "JS:*parse /app/w.js". Most have one piece. */
struct name_pieces {
	struct str first;
	struct str rest;
};

/* The name without marks of how its code ran: compiled, interpreted, inlined,
 * by which compiler. */
struct name_pieces function_name_unmarked(struct str name);

/* How much of a name is its identity. */
enum name_key {
	/* Without what is numbered afresh in each run or build. */
	NAME_KEY_EXACT = 0,
	/* Without what an edit elsewhere in the file, or another folder or
	 * bundle, changes as well: lines of definitions, folders of releases,
	 * hashes of bundles. Several functions of one file may have it. */
	NAME_KEY_STABLE,
};

/* Appends the identity of a name to out. Whether the other one may differ. */
bool function_key(struct str name, enum name_key key, struct buf *out);

#endif
