/* SPDX-License-Identifier: Apache-2.0
 *
 * The services that sent profiles in a window: how much CPU each took, how
 * that went over the window, and its types of profiles. Knows no options.
 */
#ifndef INVESTIGATE_SERVICES_H
#define INVESTIGATE_SERVICES_H

#include "backend/backends.h"
#include "investigate/investigation.h"
#include "model/fleet.h"

/* Longer windows would need steps so long that hardly any fit into the day
 * that a server answers at once. */
#define SERVICES_MAX_NS (20 * NS_PER_DAY)

struct service_row {
	struct str name;
	struct name_list types; /* full ids */
	struct str cpu_type;    /* empty: it sends no CPU profiles */
	double *cpu_ns;         /* of each step; NULL: not known */
	double total_ns;
};

struct services {
	/* Set by the caller. */
	struct backends *backends;
	note_taker note;
	const char *service;      /* no other; NULL: all */
	struct time_range window; /* at most SERVICES_MAX_NS; whole steps when
				   * answered */
	/* The answer, in the backends' arena. */
	int64_t step_ms;
	size_t step_count;
	struct str selector;
	struct service_row *rows; /* most CPU first */
	size_t count;
};

/* Asks for all of it. No rows: none sent profiles.
 * Without an answer about CPU the rest is there, and a note. */
bool services_fetch(struct services *s, struct error *err) MUST_CHECK;

/* Names of all services in the window, or in its last day, where there is none
 * of the name that was wanted. None also where the server does not say. */
bool services_ask_names(const struct services *s, struct name_list *names,
			struct error *err) MUST_CHECK;

/* Every service that sends profiles, asked about in turn: what its functions
 * take now and what they took before. Four questions a service, whose profiles
 * are forgotten when they are counted. No words, no options. */

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
