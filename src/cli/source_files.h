/* SPDX-License-Identifier: Apache-2.0
 *
 * Source lines from the disk for a listing. Where a file is looked for follows
 * pprof: its name is trimmed (path_trim()); an absolute one must be there, of
 * another every folder of --source-path and all folders above it are tried.
 */
#ifndef CLI_SOURCE_FILES_H
#define CLI_SOURCE_FILES_H

#include "cli/options.h"
#include "model/call_graph.h"

/* Replaces the lines of each listing by all lines around them, with their
 * text, or says why there is no source. False only without memory. */
bool source_files_read(const struct options *o, struct listings *l,
		       struct error *err) MUST_CHECK;

#endif
