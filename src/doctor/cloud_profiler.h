/* SPDX-License-Identifier: Apache-2.0
 *
 * doctor where the profiles are Cloud Profiler's: what its list tells.
 */
#ifndef DOCTOR_CLOUD_PROFILER_H
#define DOCTOR_CLOUD_PROFILER_H

#include "doctor/doctor.h"

/* Login, list, age of what is kept; sets is_profiles_up. False only when the
 * run cannot go on. */
bool doctor_cloud(struct doctor *d, struct error *err) MUST_CHECK;

#endif
