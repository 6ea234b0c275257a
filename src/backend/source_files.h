/* SPDX-License-Identifier: Apache-2.0
 *
 * Source lines from the disk for a listing. Where a file is looked for follows
 * pprof: its name is trimmed (path_trim()); an absolute one must be there, of
 * another every folder of the search path and all folders above it are tried.
 * Knows neither options nor what the lines are of.
 */
#ifndef BACKEND_SOURCE_FILES_H
#define BACKEND_SOURCE_FILES_H

#include "base/error.h"
#include "model/call_graph.h"

struct source_places {
	struct str trim_path; /* cut off the names, as path_trim() does */
	struct str folders;   /* to look in, as path_list_next() reads them;
			       * empty: the working folder */
};

/* Replaces the lines of each listing by all lines around them, with their
 * text, or says why there is no source. False only without memory. */
bool source_files_read(const struct source_places *places,
		       struct listings *l, struct error *err) MUST_CHECK;

#endif
