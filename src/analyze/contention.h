/* SPDX-License-Identifier: Apache-2.0
 *
 * Detects CPU starvation: if all operations of a service, or of one instance of
 * it, became slower by a similar factor, the machine does not give it the CPU
 * it needs. A pool or a lock would add the same wait to each operation, a slow
 * function affects some, and a call is the time of another service.
 */
#ifndef ANALYZE_CONTENTION_H
#define ANALYZE_CONTENTION_H

#include "base/error.h"
#include "model/history.h"
#include "model/profile.h"

/* Attributes of processes that name where an instance runs: most specific
 * first. */
#define CONTENTION_PLACES 3u
extern const struct history_key contention_places[CONTENTION_PLACES];

struct contention {
	struct str instance;          /* one of the slow ones; borrowed */
	uint32_t slow_instance_count; /* 0: not limited to some instances, or
				       * their number is not known */
	uint32_t instance_count;      /* in the slow window, 0: not known */
	struct str place; /* node, else zone, of all slow instances; borrowed,
			   * empty: not known, or several */
	uint32_t operation_count; /* compared, all of them slower; 0: not the
				   * machine */
	double least_ratio;       /* of self time, slow to typical */
	double most_ratio;
};

/* Compares the slow window of a history of one service (history_init_service())
 * with a healthy one. Instances are distinguished if only some are slow; their
 * place is known if the history has contention_places as its keys. *out borrows
 * from the history. */
bool contention_find(struct history *h, uint32_t slow, uint32_t base,
		     struct contention *out, struct error *err) MUST_CHECK;

/* An exhausted connection pool: stacks that wait for a connection, and requests
 * that hold them. Profiles show the waiters, only traces the holders. */

/* Returns which fraction of a function's waits, in a profile of waiting, is for
 * a database connection, 0..1; 0 for packed stacks. */
double pool_wait_share(const struct profile *p, struct str function);

/* Attributes that mark calls to databases. */
#define POOL_KEYS 2u
extern const struct history_key pool_keys[POOL_KEYS];

struct pool_holder {
	bool is_found;
	struct str request; /* operation that was served, borrowed */
	struct str call;    /* its longest call to a database, borrowed */
	double share;       /* of all holding time in the slow window */
	int64_t held_ns;    /* median per request */
	int64_t typical_ns; /* the same in the other window, -1: not known */
};

/* Finds the requests that hold the connections, in a history of one service
 * (history_init_service()) with pool_keys as its keys: a request holds a
 * connection during its calls to a database, which are those that began within
 * it. *out borrows from the history. */
bool pool_holder_find(const struct history *h, uint32_t slow, uint32_t base,
		      struct pool_holder *out, struct error *err) MUST_CHECK;

#endif
