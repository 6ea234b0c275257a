/* SPDX-License-Identifier: Apache-2.0
 *
 * Cloud Trace of Google Cloud: a server of traces by project, that is asked in
 * a small language of filters and answers in pages, against a quota.
 */
#ifndef BACKEND_CLOUD_TRACE_H
#define BACKEND_CLOUD_TRACE_H

#include "backend/trace_backend.h"

extern const struct trace_backend trace_cloud;

#endif
