/* SPDX-License-Identifier: Apache-2.0
 *
 * Which types of profiles a service sends, or all services, and which services
 * there are. Knows no options.
 */
#ifndef INVESTIGATE_PROFILE_TYPES_H
#define INVESTIGATE_PROFILE_TYPES_H

#include "backend/backends.h"

struct profile_types {
	/* Set by the caller. */
	const char *service; /* no other; NULL: all */
	struct time_range window;
	/* The answer, in the backends' arena. */
	struct name_list ids;      /* full ones */
	struct name_list services; /* of any type */
};

bool profile_types_ask(struct profile_types *t, struct backends *b,
		       struct error *err) MUST_CHECK;

#endif
