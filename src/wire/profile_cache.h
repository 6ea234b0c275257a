/* SPDX-License-Identifier: Apache-2.0
 *
 * Profiles that servers keep one by one under a name of their own (Cloud
 * Profiler), kept for later runs: they never change, and servers count how
 * often they are asked for. A file for each, bounded in age and size.
 */
#ifndef WIRE_PROFILE_CACHE_H
#define WIRE_PROFILE_CACHE_H

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

struct profile_cache;

/* As cache_open(). The endpoint's URL is part of what profiles are told apart
 * by, beside their names, which begin with their project. */
struct profile_cache *profile_cache_open(const char *folder, const char *scope,
					 const char *url,
					 struct error *err) MUST_CHECK;

/* Removes what is too old or too much, and frees. */
void profile_cache_close(struct profile_cache *c);

/* Fills bytes; false when there is none. */
bool profile_cache_find(struct profile_cache *c, struct str name,
			struct buf *bytes) MUST_CHECK;

/* Keeps the profile unless it is too large. */
bool profile_cache_add(struct profile_cache *c, struct str name,
		       struct str bytes, struct error *err) MUST_CHECK;

#endif
