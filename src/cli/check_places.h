/* SPDX-License-Identifier: Apache-2.0
 *
 * Where in the repository the functions lie that `check` names: profiles know
 * files as they were called where the program was built.
 */
#ifndef CLI_CHECK_PLACES_H
#define CLI_CHECK_PLACES_H

#include "cli/options.h"
#include "report/check_answer.h"

/* A place for each hit of the gates, in the arena. A file is found by
 * --path-map, else it is the longest end of its name that is a file below the
 * working folder. */
bool check_places_find(const struct options *o, const struct gates *g,
		       struct arena *arena, const struct check_place **out,
		       struct error *err) MUST_CHECK;

#endif
