/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of the pprof decoder share.
 */
#ifndef PPROF_TESTING_H
#define PPROF_TESTING_H

#include "profile_testing.h"

static struct notes notes;

static inline bool decode(struct str bytes, const char *type, struct profile *p)
{
	struct profile_want want = want_of(type);

	notes_init(&notes);
	profile_init(p);
	return decode_pprof(bytes, &want, p, &notes, &err);
}

#endif
