/* SPDX-License-Identifier: Apache-2.0
 *
 * Cloud Trace of Google Cloud: a traces server by project with its own filter
 * language, paged answers and a quota.
 */
#ifndef BACKEND_CLOUD_TRACE_H
#define BACKEND_CLOUD_TRACE_H

#include "backend/trace_backend.h"

/* Filters and parameters of Cloud Trace v1's list method. */

/* Adds a term, "+root:NAME", "latency:250ms" and the like; all terms have to
 * match. The value is quoted where it is not plain, so that it is always one
 * term. */
void cloud_filter_add(struct buf *filter, const char *key, struct str value);
/* Adds the condition that traces take at least this long; nothing for 0 and
 * less. */
void cloud_filter_add_latency(struct buf *filter, int64_t duration_ns);

/* Returns the read units that a request uses of the project's quota per minute;
 * 0: not a request to Cloud Trace. path: including its query. */
unsigned cloud_trace_units(struct str path);

#endif
