/* SPDX-License-Identifier: Apache-2.0
 *
 * Response cache for repeated requests (--cache): a folder only accessible to
 * the user, with a case file for each request. Limited in age and size.
 */
#ifndef WIRE_CACHE_H
#define WIRE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "wire/http_message.h"

struct cache;

/* Opens the folder, creating it with mode 0700; refuses one that others can
 * write to. scope separates equal requests with different logins, such as the
 * name of a context; NULL: none. */
struct cache *cache_open(const char *folder, const char *scope,
			 struct error *err) MUST_CHECK;

/* Removes expired and excess files, and frees. */
void cache_close(struct cache *c);

/* Fills the response from the cache; returns false if there is no fresh
 * readable one. */
bool cache_find(struct cache *c, const struct http_request *request,
		const char *url, struct http_response *response) MUST_CHECK;

/* Stores the response if it is successful and not too large. */
bool cache_add(struct cache *c, const struct http_request *request,
	       const char *url, const struct http_response *response,
	       int64_t started_ns, struct error *err) MUST_CHECK;

/* Cache of profiles that servers store individually under unique names (Cloud
 * Profiler): they never change, and requests count towards a quota. A file per
 * profile; limited in age and size. */

struct profile_cache;

/* As cache_open(). Profiles are identified by the endpoint's URL and their
 * names, which begin with their project. */
struct profile_cache *profile_cache_open(const char *folder, const char *scope,
					 const char *url,
					 struct error *err) MUST_CHECK;

/* Removes expired and excess files, and frees. */
void profile_cache_close(struct profile_cache *c);

/* Reads a profile into bytes; returns false if absent. */
bool profile_cache_find(struct profile_cache *c, struct str name,
			struct buf *bytes) MUST_CHECK;

/* Stores the profile unless it is too large. */
bool profile_cache_add(struct profile_cache *c, struct str name,
		       struct str bytes, struct error *err) MUST_CHECK;

#endif
