/* SPDX-License-Identifier: Apache-2.0
 *
 * Listings read part by part: OFFSET and cursors of databases, page numbers
 * and tokens of addresses. Such calls repeat by design and are no N+1.
 */
#ifndef ANALYZE_PAGING_H
#define ANALYZE_PAGING_H

#include <stdbool.h>

#include "base/str.h"

/* A database operation that goes on reading an open cursor: "getMore",
 * "scroll", "fetch". */
bool paging_is_cursor(struct str operation);

/* Two queries of one form: does the second read the next part? Values may
 * have been replaced by placeholders before they came here. */
bool paging_is_next_query(struct str before, struct str after);

/* Two addresses or query strings of one form: does a parameter such as page,
 * offset or cursor differ, or does the path name a scroll? */
bool paging_is_next_url(struct str before, struct str after);

/* One address for whatever is asked: GraphQL's. */
bool paging_is_any_query(struct str url);

/* The same path and query string, whatever the scheme and the host. */
bool paging_is_same_path(struct str a, struct str b);

#endif
