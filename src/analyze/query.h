/* SPDX-License-Identifier: Apache-2.0
 *
 * The form of a query fit for people: literals masked as by
 * query_normalize(), the case of keywords as it was written.
 */
#ifndef ANALYZE_QUERY_H
#define ANALYZE_QUERY_H

#include "base/buf.h"
#include "base/str.h"

/* Appends; never fails but by the ceiling of out. */
void query_mask(struct str query, struct buf *out);

#endif
