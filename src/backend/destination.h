/* SPDX-License-Identifier: Apache-2.0
 *
 * Where an export goes: a receiver at an address, each kind an object in a room
 * of its own, or a path. Does not know who exports what.
 */
#ifndef BACKEND_DESTINATION_H
#define BACKEND_DESTINATION_H

#include "backend/backends.h"
#include "backend/receiver.h"

struct destination {
	const struct receiver *receiver; /* NULL: a path */
	struct endpoint endpoint;
	const char *path;
	struct str name; /* for people, without secrets; in the arena */
};

/* "otlp+https://HOST[/PREFIX]", "file:PATH" or PATH; a plain address is the one
 * receiver's that takes traces, and of profiles ERROR_USAGE. The endpoint is
 * the side's with the address, and borrows from it and from text. */
bool destination_parse(struct destination *d, const struct side *to,
		       const char *text, bool is_of_profiles,
		       struct arena *arena, struct error *err) MUST_CHECK;

#endif
