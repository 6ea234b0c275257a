/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers kept for the next run that asks the same (--cache): a folder of the
 * user's alone with a case file for every request. Bounded in age and size.
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

/* Opens the folder, made with mode 0700 when it is not there; refuses one that
 * others may write to. scope tells requests apart that are equal but go by
 * another login, such as the name of a context; NULL: none. */
struct cache *cache_open(const char *folder, const char *scope,
			 struct error *err) MUST_CHECK;

/* Removes what is too old or too much, and frees. */
void cache_close(struct cache *c);

/* Fills the response from the folder; false when it holds none that is young
 * enough, or none that can be read. */
bool cache_find(struct cache *c, const struct http_request *request,
		const char *url, struct http_response *response) MUST_CHECK;

/* Keeps the answer of a request when it is a good one and not too large. */
bool cache_add(struct cache *c, const struct http_request *request,
	       const char *url, const struct http_response *response,
	       int64_t started_ns, struct error *err) MUST_CHECK;

/* Profiles that servers keep one by one under a name of their own (Cloud
 * Profiler), kept for later runs: they never change, and servers count how
 * often they are asked for. A file for each, bounded in age and size. */

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
