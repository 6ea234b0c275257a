/* SPDX-License-Identifier: Apache-2.0
 *
 * The searches that a case file holds, handed over one by one. Knows neither
 * what they looked for nor what their answers mean.
 */
#ifndef BACKEND_HELD_SEARCHES_H
#define BACKEND_HELD_SEARCHES_H

#include <stddef.h>

#include "base/error.h"

struct har; /* wire/har.h */
struct http_response;

typedef void (*held_search_taker)(void *context,
				  const struct http_response *response);

/* Hands over the answers of all that have one, in the case's order, and counts
 * them. */
bool held_searches_each(const struct har *har, held_search_taker take,
			void *context, size_t *count,
			struct error *err) MUST_CHECK;

/* Whether there is one. */
bool held_searches_any(const struct har *har);

#endif
