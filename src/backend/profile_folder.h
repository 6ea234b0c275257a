/* SPDX-License-Identifier: Apache-2.0
 *
 * The files that a list of paths means where some of them are folders: the
 * profiles in it, by their names. Reads no file.
 */
#ifndef BACKEND_PROFILE_FOLDER_H
#define BACKEND_PROFILE_FOLDER_H

#include "base/arena.h"
#include "base/error.h"

struct path_list {
	const char **items; /* in the arena, or those given */
	size_t count;
	size_t passed; /* files of folders whose names are no profile's */
};

/* A folder stands for the profiles right in it, in the order of their names;
 * all else stands for itself. ERROR_USAGE: no such path. ERROR_NOT_FOUND: no
 * profile in a folder. ERROR_LIMIT: more than LIMIT_ARGUMENTS. */
bool profile_paths_expand(struct path_list *out, const char *const *paths,
			  size_t count, struct arena *arena,
			  struct error *err) MUST_CHECK;

#endif
