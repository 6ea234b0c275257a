/* SPDX-License-Identifier: Apache-2.0
 *
 * Paths of source files as text: nothing here looks at a disk.
 */
#ifndef BASE_PATH_H
#define BASE_PATH_H

#include "base/buf.h"
#include "base/str.h"

/* The part behind the last '/'. */
struct str path_base(struct str path);

/* Appends the shortest path of the same meaning: no "//", ".", nor "x/..";
 * "." for an empty one. */
void path_clean(struct str path, struct buf *out);

/* The path without its front, as pprof does: without `trim` (empty) what
 * stands up to the last part of one of the folders of `search`; else one of
 * the fronts listed in `trim`. Lists are separated by ':'. */
struct str path_trim(struct str path, struct str trim, struct str search);

/* Takes the next item off a list separated by ':'; false at its end. Empty
 * items are left out. */
bool path_list_next(struct str *list, struct str *item);

#endif
