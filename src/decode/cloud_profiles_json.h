/* SPDX-License-Identifier: Apache-2.0
 *
 * One page of Cloud Profiler's list of profiles (ListProfilesResponse,
 * google/devtools/cloudprofiler/v2/profiler.proto, in its JSON form). Pages
 * are read twice: first what is told of the profiles, then the bytes of those
 * that are wanted.
 */
#ifndef DECODE_CLOUD_PROFILES_JSON_H
#define DECODE_CLOUD_PROFILES_JSON_H

#include "base/buf.h"
#include "model/profile_list.h"

struct cloud_page {
	struct buf next_token; /* empty: the last page */
	uint32_t profile_count;
	int64_t skipped;   /* that the server could not fetch */
	uint32_t nameless; /* or without time or service: left out */
};

/* Which profiles' bytes are wanted, and what becomes of them. */
struct cloud_take {
	bool (*is_wanted)(void *context, struct str name);
	/* As the agent sent them: a pprof file, mostly gzip. The bytes are
	 * the reader's. False with err ends the reading. */
	bool (*take)(void *context, struct str name, struct str bytes,
		     struct error *err);
	void *context;
};

void cloud_page_init(struct cloud_page *page);
void cloud_page_release(struct cloud_page *page);

/* Adds the profiles to the list, as of page number `index`. */
bool cloud_page_decode(struct str bytes, uint32_t index,
		       struct profile_list *list, struct cloud_page *page,
		       struct error *err) MUST_CHECK;

/* Gives away the bytes of wanted profiles, one at a time; a damaged one fails
 * with its name. */
bool cloud_page_take(struct str bytes, const struct cloud_take *take,
		     struct cloud_page *page, struct error *err) MUST_CHECK;

/* Duration in proto3 JSON: "10s", "9.980s". Saturates. */
bool cloud_duration_parse(struct str text, int64_t *out_ns) MUST_CHECK;

#endif
