/* SPDX-License-Identifier: Apache-2.0
 *
 * Cloud Profiler, which lists all profiles of a project and selects none: what
 * is asked of it is answered from its list. What it is to the rest of backend/.
 */
#ifndef BACKEND_CLOUD_PROFILER_H
#define BACKEND_CLOUD_PROFILER_H

#include "backend/profile_backend.h"

extern const struct profile_backend profile_cloud;

#endif
