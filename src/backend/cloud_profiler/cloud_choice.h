/* SPDX-License-Identifier: Apache-2.0
 *
 * Which series and profiles of Cloud Profiler's list a selector and a window
 * mean.
 */
#ifndef BACKEND_CLOUD_CHOICE_H
#define BACKEND_CLOUD_CHOICE_H

#include "backend/cloud_profiler/cloud_profiles.h"
#include "backend/source.h"

struct cloud_choice {
	const struct profile_list *list;
	bool *series; /* of the list, by index: chosen */
};

/* What a series has under a label; its service under "service_name" as well.
 * Empty where it has none. */
struct str cloud_series_value(const struct profile_list *list,
			      const struct stored_series *series,
			      struct str label);

/* The series that the selector selects and that have a profile in the range.
 * Release in any case. */
bool cloud_choose_series(struct cloud_choice *c,
			 const struct profile_list *list, const char *selector,
			 struct time_range range, struct error *err) MUST_CHECK;
void cloud_choice_release(struct cloud_choice *c);

/* Counts the profiles that a query is about, and sets their marks (one for
 * each of the list; may be NULL). */
bool cloud_choose_profiles(const struct profile_list *list,
			   const struct profile_query *query, bool *marks,
			   uint32_t *count, struct error *err) MUST_CHECK;

#endif
