/* SPDX-License-Identifier: Apache-2.0
 *
 * Which stacks of a profile serve requests. Samples that carry the id of a span
 * do, and what they begin with tells the others: loops of uploaders, tickers
 * and idle workers begin elsewhere, and no request waits in them.
 */
#ifndef ANALYZE_REQUEST_ROOTS_H
#define ANALYZE_REQUEST_ROOTS_H

#include "analyze/code_kind.h"
#include "model/profile.h"

/* Outermost functions that are told apart; of more nothing is known. */
#define REQUEST_ROOTS 4u

/* A root holds this part of the samples of spans at least, beneath which code
 * of the application runs. Threads that a request starts carry its id for as
 * long as they live (loops of connections that are kept), and run none. */
#define REQUEST_ROOT_SHARE 0.2

/* Samples of spans that tell the roots: few, where requests hardly compute and
 * snapshots meet one of them now and then. */
#define REQUEST_ROOT_SAMPLES 3

struct request_roots {
	struct str names[REQUEST_ROOTS]; /* borrowed from the profiles */
	/* 0: no samples told; then those of widely used servers count. */
	size_t count;
};

/* From profiles of samples that carry span ids, none of them packed; those
 * without stacks tell nothing. rules: the user's about kinds of code, or
 * NULL. */
void request_roots_find(const struct profile *const *profiles, size_t count,
			const struct code_rules *rules,
			struct request_roots *out);

/* Leaves of a profile what serves requests, as if there were no more of it;
 * returns which part was left out, 0..1. It stays as it is (0) when it is packed,
 * or when nothing of it begins with them. */
double request_roots_keep(const struct request_roots *roots, struct profile *p);

#endif
