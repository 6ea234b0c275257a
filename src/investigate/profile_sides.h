/* SPDX-License-Identifier: Apache-2.0
 *
 * Which samples the two sides of a comparison are of: those of the whole
 * service, of one instance or version of it, or of requests like the slow one.
 * Asks nothing.
 */
#ifndef INVESTIGATE_PROFILE_SIDES_H
#define INVESTIGATE_PROFILE_SIDES_H

#include "investigate/profile_inquiry.h"

/* Begins a comparison of the service's samples; of an instance alone when the
 * slow requests are all of it. */
bool inquiry_begin_service(struct profile_inquiry *q, struct comparison *c,
			   const char *type_id, struct error *err) MUST_CHECK;

/* Begins one of the samples of requests like the slow one. */
void inquiry_begin_cohort(const struct profile_inquiry *q, struct comparison *c,
			  const char *type_id);

/* Fills the sides of the latter alone. */
void inquiry_set_cohort(const struct profile_inquiry *q, struct comparison *c);

#endif
