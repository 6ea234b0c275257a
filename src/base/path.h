/* SPDX-License-Identifier: Apache-2.0
 *
 * Source file paths as text, without access to the file system.
 */
#ifndef BASE_PATH_H
#define BASE_PATH_H

#include "base/buf.h"
#include "base/str.h"

/* Returns the part after the last '/'. */
struct str path_base(struct str path);

/* Appends the shortest equivalent path: without "//", "." and "x/.."; "." for
 * an empty one. */
void path_clean(struct str path, struct buf *out);

/* Returns the path without its prefix, as pprof does. If `trim` is empty: cuts
 * everything up to the last component of one of the folders of `search`; else
 * cuts one of the prefixes in `trim`. Lists are separated by ':'. */
struct str path_trim(struct str path, struct str trim, struct str search);

/* Takes the next item off a ':'-separated list, skipping empty ones; false at
 * its end. */
bool path_list_next(struct str *list, struct str *item);

#endif
