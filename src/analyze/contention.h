/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether all that a service does, or one instance of it, became slower by a
 * like factor: then it is the machine that does not give it the CPU it asks
 * for. A pool or a lock adds the same wait to each operation, a function grows
 * in some, a call is another's time.
 */
#ifndef ANALYZE_CONTENTION_H
#define ANALYZE_CONTENTION_H

#include "base/error.h"
#include "model/history.h"

/* By how much own times grew that count, beyond chance: TYPICAL_MOVED_P. */
#define CONTENTION_RATIO 1.5

/* How far apart the factors of its operations may be: code waits for disks and
 * timers too, which it gets as soon as ever. */
#define CONTENTION_SPREAD 4.0

/* Operations that are needed. Two that usually take as long grow by a like
 * factor whatever the reason: if each took as much more as the mean, their
 * factors have to be so far apart, several times what medians of some dozens
 * wander. */
#define CONTENTION_OPERATIONS 2u
#define CONTENTION_UNLIKE 1.2

/* Attributes of processes that tell where an instance runs: nearest first. */
#define CONTENTION_PLACES 3u
extern const struct history_key contention_places[CONTENTION_PLACES];

struct contention {
	bool is_found;
	struct str instance;          /* a slow one; borrowed */
	uint32_t slow_instance_count; /* 0: not of some instances, but of all
					 or of who knows how many */
	uint32_t instance_count;      /* seen in the slow window, 0 not known */
	struct str place; /* node, else zone, of all slow instances; borrowed,
			     empty: not known, or not one */
	uint32_t operation_count; /* compared, all of them slower */
	double least_ratio;       /* of own time, slow against usual */
	double most_ratio;
};

/* Of a history of one service (history_init_service()): its slow window
 * against one that is healthy. Instances are told apart when some are slow and
 * others are as quick as ever; where they run is known when the history has
 * contention_places for its keys. *out borrows the history. */
bool contention_find(struct history *h, uint32_t slow, uint32_t base,
		     struct contention *out, struct error *err) MUST_CHECK;

#endif
