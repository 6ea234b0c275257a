/* SPDX-License-Identifier: Apache-2.0
 *
 * Cloud Trace of Google Cloud: a server of traces by project, that is asked in
 * a small language of filters and answers in pages, against a quota.
 */
#ifndef BACKEND_CLOUD_TRACE_H
#define BACKEND_CLOUD_TRACE_H

#include "backend/trace_backend.h"

/* The list of Cloud Trace v1: its filter language and its parameters. */

/* Adds "+root:NAME", "latency:250ms" and the like; terms are all to hold. The
 * value is quoted where it is not plain, so that it is one term always. */
void cloud_filter_add(struct buf *filter, const char *key, struct str value);
/* Traces of at least this duration; nothing for 0 and less. */
void cloud_filter_add_latency(struct buf *filter, int64_t duration_ns);

/* Read units that a request takes of those that a project has a minute; 0:
 * none of Cloud Trace's. path: with its query. */
unsigned cloud_trace_units(struct str path);

#endif
