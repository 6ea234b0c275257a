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
#include "model/profile.h"

/* Attributes of processes that tell where an instance runs: nearest first. */
#define CONTENTION_PLACES 3u
extern const struct history_key contention_places[CONTENTION_PLACES];

struct contention {
	struct str instance;          /* a slow one; borrowed */
	uint32_t slow_instance_count; /* 0: not of some instances, but of all
					 or of who knows how many */
	uint32_t instance_count;      /* seen in the slow window, 0 not known */
	struct str place; /* node, else zone, of all slow instances; borrowed,
			     empty: not known, or not one */
	uint32_t operation_count; /* compared, all of them slower; 0: it is not
				     the machine */
	double least_ratio;       /* of own time, slow against usual */
	double most_ratio;
};

/* Compares in a history of one service (history_init_service()) its slow window
 * against one that is healthy. Instances are told apart when some are slow and
 * others are as quick as ever; where they run is known when the history has
 * contention_places for its keys. *out borrows the history. */
bool contention_find(struct history *h, uint32_t slow, uint32_t base,
		     struct contention *out, struct error *err) MUST_CHECK;

/* A pool of connections that ran out: which stacks wait for one, and whose
 * requests keep the connections. Who waits is seen in profiles, who holds only
 * in the traces. */

/* Part of what a function waits for, in a profile of waiting, that is a
 * connection to a database, 0..1; 0 of packed stacks. */
double pool_wait_share(const struct profile *p, struct str function);

/* Attributes by which calls to databases are known. */
#define POOL_KEYS 2u
extern const struct history_key pool_keys[POOL_KEYS];

struct pool_holder {
	bool is_found;
	struct str request; /* what was served, borrowed */
	struct str call;    /* its longest call to a database, borrowed */
	double share;       /* of all that is held in the slow window */
	int64_t held_ns;    /* by one request, median */
	int64_t typical_ns; /* the same in the other window, -1 not known */
};

/* Finds who holds the connections, in a history of one service
 * (history_init_service()) with pool_keys for its keys: a request holds a
 * connection while it calls a database, by the calls that began within it. *out
 * borrows the history. */
bool pool_holder_find(const struct history *h, uint32_t slow, uint32_t base,
		      struct pool_holder *out, struct error *err) MUST_CHECK;

#endif
