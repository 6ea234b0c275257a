/* SPDX-License-Identifier: Apache-2.0
 *
 * Every service that sends profiles, asked about in turn: what its functions
 * take now and what they took before. Four questions a service, whose profiles
 * are forgotten when they are counted. No words, no options.
 */
#ifndef INVESTIGATE_FLEET_H
#define INVESTIGATE_FLEET_H

#include "investigate/investigation.h"
#include "model/fleet.h"

/* Takes each service that was asked about, so that it need not be again. */
struct fleet_keeper {
	bool (*take)(void *context, const struct fleet *f, size_t index,
		     struct error *err);
	void *context;
};

static inline void fleet_init(struct fleet *f)
{
	*f = (struct fleet){ .count = 0 };
	arena_init(&f->arena, LIMIT_FLEET_HEAP_BYTES);
}

static inline void fleet_release(struct fleet *f)
{
	arena_release(&f->arena);
}

/* Finds out which services there are, the most CPU first, and their sides: the
 * window and the baseline that are set, or, without a baseline, the version that
 * came last in the window and what ran before it there. None: nothing sent
 * profiles. */
bool fleet_plan(struct fleet *f, struct investigation *v,
		struct error *err) MUST_CHECK;

/* Asks about those that are FLEET_WAITING. keeper may be NULL; what the server
 * refused is not handed to it, and where it refuses many in a row that is the
 * error. */
bool fleet_ask(struct fleet *f, struct investigation *v,
	       const struct fleet_keeper *keeper, struct error *err) MUST_CHECK;

#endif
