/* SPDX-License-Identifier: Apache-2.0
 *
 * Parca lists series of one type at a time: all types are asked for side by
 * side once the first has answered.
 */
#ifndef BACKEND_PARCA_SERIES_H
#define BACKEND_PARCA_SERIES_H

#include "backend/jobs.h"

struct parca_question {
	const char *selector;
	const char *const *labels;
	size_t label_count;
	struct time_range range;
};

/* *lists: one a type of endpoint->parca, in b->arena; that of the first
 * type is read from the response, the others are asked for. False when any
 * failed. */
bool parca_series_all(struct backends *b, const struct parca_question *q,
		      const struct http_response *first,
		      struct series_list **lists, struct error *err) MUST_CHECK;

#endif
