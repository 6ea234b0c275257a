/* SPDX-License-Identifier: Apache-2.0
 *
 * --baseline version=V: where the traces saw that version of the service, the
 * same minutes first. And the baseline of a version that is slow beside
 * another one: that other one.
 */
#ifndef INVESTIGATE_VERSION_BASELINE_H
#define INVESTIGATE_VERSION_BASELINE_H

#include "investigate/profile_service.h"
#include "investigate/symptom.h"

/* Completes *out for a version that was asked for, or that the slow requests
 * have in common; else changes nothing. After the cohorts were found; the
 * operation may be OPERATION_NONE. Ids live in the arena. */
bool version_baseline_use(struct symptom *out,
			  const struct operation_history *s, uint32_t operation,
			  struct time_range window,
			  const struct baseline_want *want, struct arena *arena,
			  struct error *err) MUST_CHECK;

/* A shortfall when neither traces nor profiles know the version that was
 * asked for, with those there are. */
bool version_baseline_check(struct investigation *v, const struct symptom *s,
			    const struct profile_service *service,
			    const struct baseline_want *want,
			    struct error *err) MUST_CHECK;

/* Narrows the selectors of a comparison by version. Without the version among
 * the profiles' labels the windows alone tell the two apart: nothing is
 * changed. False: no memory. */
bool version_baseline_select(const struct symptom *s, struct investigation *v,
			     const struct profile_service *service,
			     struct str *slow_selector,
			     struct str *base_selector,
			     struct error *err) MUST_CHECK;

#endif
