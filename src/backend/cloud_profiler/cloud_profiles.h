/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of a Cloud Profiler's profiles, asked for once a run, and the bytes
 * of those that questions are about. Pages that hold wanted profiles are asked
 * for again, as many at a time as requests may run side by side.
 */
#ifndef BACKEND_CLOUD_PROFILES_H
#define BACKEND_CLOUD_PROFILES_H

#include "backend/backends.h"
#include "model/profile_list.h"

/* How long profiles are kept. */
#define CLOUD_RETENTION_NS (30 * NS_PER_DAY)

/* For struct profile_backend. */
void cloud_profiles_free(void *room);
bool cloud_profiles_keep(struct side *side, const char *folder,
			 const char *scope);
const struct error *cloud_profiles_lost(const struct side *side);

/* The list, fetched when it is first needed and borrowed from b; NULL with
 * err when it cannot be had. *is_fatal: nothing can go on; else the server
 * refused. */
const struct profile_list *cloud_profiles_list(struct backends *b,
					       bool *is_fatal,
					       struct error *err) MUST_CHECK;

/* A profile that was asked for, as its agent sent it; the bytes are the
 * reader's. *is_good: it can be read, and is worth keeping for later runs.
 * False with err ends the fetching. */
typedef bool (*cloud_profile_take)(void *context, uint32_t index,
				   struct str bytes, bool *is_good,
				   struct error *err);

/* Fetches the profiles with is_wanted[index], each given away once. Those that
 * the server does not give any more are noted. False: as above. */
bool cloud_profiles_fetch(struct backends *b, const bool *is_wanted,
			  cloud_profile_take take, void *context,
			  bool *is_fatal, struct error *err) MUST_CHECK;

#endif
