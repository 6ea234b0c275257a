/* SPDX-License-Identifier: Apache-2.0
 *
 * The checkups that there are, one in each room; for checkup.c alone.
 */
#ifndef BACKEND_CHECKUPS_H
#define BACKEND_CHECKUPS_H

#include "backend/checkup.h"

extern const struct trace_checkup checkup_cloud_trace;
extern const struct profile_checkup checkup_pyroscope;
extern const struct profile_checkup checkup_parca;
extern const struct profile_checkup checkup_cloud_profiler;

#endif
