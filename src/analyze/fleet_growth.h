/* SPDX-License-Identifier: Apache-2.0
 *
 * What grew in a fleet. One service has some dozen functions that tell how far
 * unchanged ones wander, a fleet has thousands: noise is taken from all of them
 * and, for each service, drawn towards what services are like (empirical
 * Bayes), so that what one service alone could not tell from noise is told.
 * False claims are controlled over services. Pure arithmetic, no words.
 */
#ifndef ANALYZE_FLEET_GROWTH_H
#define ANALYZE_FLEET_GROWTH_H

#include "analyze/gates.h"
#include "model/fleet.h"
#include "model/profile.h"

/* Fewer functions do not show what most of a service did. */
#define FLEET_PEERS 6

/* Judges all services that are FLEET_COMPARED; some become FLEET_FEW_SAMPLES,
 * FLEET_FEW_FUNCTIONS or FLEET_BLIND. Only growth of functions and new ones have limits here:
 * what a service takes as a whole follows its traffic. Sorts the services. */
bool fleet_growth_find(struct fleet *f, const struct gate_limits *limits,
		       struct error *err) MUST_CHECK;

/* Of the profiles of a service what is kept of it in a fleet: samples by
 * function, now and in each part of before. */

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
