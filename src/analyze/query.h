/* SPDX-License-Identifier: Apache-2.0
 *
 * Queries without their literals: to tell which are the same, and fit for
 * people.
 */
#ifndef ANALYZE_QUERY_H
#define ANALYZE_QUERY_H

#include "base/buf.h"
#include "base/str.h"

/* A query with literals replaced by '?', blanks collapsed, comments dropped,
 * IN lists and VALUES rows collapsed, keywords lower-cased; appended to out. */
void query_normalize(struct str query, struct buf *out);

/* The form for people: literals masked alike, the case of keywords as it was
 * written. Appends; never fails but by the ceiling of out. */
void query_mask(struct str query, struct buf *out);

#endif
