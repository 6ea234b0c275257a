/* SPDX-License-Identifier: Apache-2.0
 *
 * A server sums the snapshots of a window, and of all instances: what is in
 * use has a meaning only per snapshot.
 */
#ifndef BACKEND_SNAPSHOTS_H
#define BACKEND_SNAPSHOTS_H

#include "backend/fetch_profile.h"

struct snapshots_side {
	struct profile_query query; /* that the profile answers */
	struct profile *profile;
};

/* Divides the sides, the slow one first, by the number of snapshots in them;
 * both or, when a number is not known, none. Notes say which. count is 1 or
 * 2; instance_label: of the service, NULL when it has none. False when
 * asking failed as a whole. */
bool snapshots_divide(struct backends *b, const struct snapshots_side *sides,
		      size_t count, const char *instance_label,
		      struct error *err) MUST_CHECK;

#endif
