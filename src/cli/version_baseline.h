/* SPDX-License-Identifier: Apache-2.0
 *
 * --baseline version=V: where the traces saw that version of the service, the
 * same minutes first. And the baseline of a version that is slow beside
 * another one: that other one.
 */
#ifndef CLI_VERSION_BASELINE_H
#define CLI_VERSION_BASELINE_H

#include "cli/profile_service.h"
#include "cli/slowness.h"

/* Completes *out for a version that was asked for, or that the slow requests
 * have in common; else changes nothing. After the cohorts were found; the
 * operation may be OPERATION_NONE. Ids live in the arena. */
bool version_baseline_use(struct slowness *out, const struct situation *s,
			  uint32_t operation, struct time_range window,
			  const struct baseline_want *want, struct arena *arena,
			  struct error *err) MUST_CHECK;

/* ERROR_NOT_FOUND when neither traces nor profiles know the version that was
 * asked for, with those there are. */
bool version_baseline_check(const struct slowness *s,
			    const struct profile_service *service,
			    const struct baseline_want *want,
			    struct error *err) MUST_CHECK;

/* Narrows the selectors of a comparison by version. Without the version among
 * the profiles' labels the windows alone tell the two apart: nothing is
 * changed. False: no memory. */
bool version_baseline_select(const struct slowness *s, struct context *ctx,
			     const struct profile_service *service,
			     struct str *slow_selector,
			     struct str *base_selector,
			     struct error *err) MUST_CHECK;

#endif
