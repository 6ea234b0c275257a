/* SPDX-License-Identifier: Apache-2.0
 *
 * Of the profiles of a service what is kept of it in a fleet: samples by
 * function, now and in each part of before.
 */
#ifndef ANALYZE_FLEET_COUNT_H
#define ANALYZE_FLEET_COUNT_H

#include "model/fleet.h"
#include "model/profile.h"

struct code_rules;

/* Profiles of a service: what is now, then the parts of what was. */
#define FLEET_QUESTIONS (1 + FLEET_PARTS)

/* Sets the state of the service, and its functions when it can be compared.
 * Profiles without samples are as good as none. rules: the user's, or NULL. */
bool fleet_count(struct fleet *f, struct fleet_service *s,
		 const struct profile *const profiles[FLEET_QUESTIONS],
		 const struct code_rules *rules, struct notes *notes,
		 struct error *err) MUST_CHECK;

#endif
