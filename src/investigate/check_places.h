/* SPDX-License-Identifier: Apache-2.0
 *
 * Where in the repository the functions lie that `check` names: profiles know
 * files as they were called where the program was built.
 */
#ifndef INVESTIGATE_CHECK_PLACES_H
#define INVESTIGATE_CHECK_PLACES_H

#include "analyze/gates.h"
#include "base/arena.h"
#include "base/error.h"

/* Where a hit is shown in the repository. */
struct check_place {
	struct str path; /* relative, '/' between folders */
	uint32_t line;   /* 1 and more */
	bool is_known;   /* else where functions of no known file are shown */
};

/* "FROM=TO" each: how files of profiles begin, and in the repository. */
struct path_maps {
	const char *const *items;
	size_t count;
};

/* A place for each hit of the gates, in the arena. A file is found by
 * the maps, else it is the longest end of its name that is a file below the
 * working folder. */
bool check_places_find(const struct path_maps *m, const struct gates *g,
		       struct arena *arena, const struct check_place **out,
		       struct error *err) MUST_CHECK;

#endif
