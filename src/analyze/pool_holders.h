/* SPDX-License-Identifier: Apache-2.0
 *
 * A pool of connections that ran out: which stacks wait for one, and whose
 * requests keep the connections. Who waits is seen in profiles, who holds only
 * in the traces.
 */
#ifndef ANALYZE_POOL_HOLDERS_H
#define ANALYZE_POOL_HOLDERS_H

#include "base/error.h"
#include "model/history.h"
#include "model/profile.h"

/* Part of what a function waits for, in a profile of waiting, that is a
 * connection to a database, 0..1; 0 of packed stacks. */
double pool_wait_share(const struct profile *p, struct str function);

/* Attributes by which calls to databases are known. */
#define POOL_KEYS 2u
extern const struct history_key pool_keys[POOL_KEYS];

/* Who holds this part of all the time that connections are held is told. Half:
 * then nobody else holds as much. */
#define POOL_HOLDER_SHARE 0.5

struct pool_holder {
	bool is_found;
	struct str request; /* what was served, borrowed */
	struct str call;    /* its longest call to a database, borrowed */
	double share;       /* of all that is held in the slow window */
	int64_t held_ns;    /* by one request, median */
	int64_t typical_ns; /* the same in the other window, -1 not known */
};

/* Of a history of one service (history_init_service()) with pool_keys for its
 * keys: a request holds a connection while it calls a database, by the calls
 * that began within it. *out borrows the history. */
bool pool_holder_find(const struct history *h, uint32_t slow, uint32_t base,
		      struct pool_holder *out, struct error *err) MUST_CHECK;

#endif
