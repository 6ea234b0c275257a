/* SPDX-License-Identifier: Apache-2.0
 *
 * What kinds of servers of profiles can do. Code outside
 * backend/ asks for these, not for the name of a server.
 */
#ifndef BACKEND_TRAITS_H
#define BACKEND_TRAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "backend/source.h"

struct profile_traits {
	/* Samples can be selected by the ids of their spans. */
	bool has_span_samples;
	/* Nothing is selected: a list of profiles is fetched and added up, so
	 * that further questions of the same list cost nothing. */
	bool is_list;
	/* Services are called by targets of the platform's own (jobs, Cloud
	 * Run services) as well. */
	bool has_targets;
};

/* For the kind of the profiles' side, and what was found out about it. */
const struct profile_traits *profile_traits_of(enum source_kind kind,
					       const struct endpoint *endpoint);

#endif
