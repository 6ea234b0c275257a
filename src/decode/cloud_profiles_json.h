/* SPDX-License-Identifier: Apache-2.0
 *
 * A page of Cloud Profiler's list of profiles (ListProfilesResponse,
 * google/devtools/cloudprofiler/v2/profiler.proto, in its JSON form). Pages are
 * read twice: first the metadata of all profiles, then the bytes of the
 * selected ones.
 */
#ifndef DECODE_CLOUD_PROFILES_JSON_H
#define DECODE_CLOUD_PROFILES_JSON_H

#include "base/buf.h"
#include "model/profile_list.h"

struct cloud_page {
	struct buf next_token; /* empty: the last page */
	uint32_t profile_count;
	int64_t skipped; /* profiles that the server failed to fetch */
	/* Profiles without name, time or service, left out. */
	uint32_t nameless;
};

/* Selects profiles whose bytes are to be read, and receives them. */
struct cloud_take {
	bool (*is_wanted)(void *context, struct str name);
	/* Receives the bytes as sent by the agent: a pprof file, mostly gzip;
	 * only valid during the call. Returning false, with err, ends
	 * reading. */
	bool (*take)(void *context, struct str name, struct str bytes,
		     struct error *err);
	void *context;
};

void cloud_page_init(struct cloud_page *page);
void cloud_page_release(struct cloud_page *page);

/* Adds the profiles to the list, with `index` as page number. */
bool cloud_page_decode(struct str bytes, uint32_t index,
		       struct profile_list *list, struct cloud_page *page,
		       struct error *err) MUST_CHECK;

/* Passes the bytes of selected profiles to take, one at a time; errors name the
 * damaged profile. */
bool cloud_page_take(struct str bytes, const struct cloud_take *take,
		     struct cloud_page *page, struct error *err) MUST_CHECK;

/* Parses a proto3 JSON duration: "10s", "9.980s". Saturates. */
bool cloud_duration_parse(struct str text, int64_t *out_ns) MUST_CHECK;

#endif
