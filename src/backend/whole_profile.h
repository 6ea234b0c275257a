/* SPDX-License-Identifier: Apache-2.0
 *
 * Profiles one by one, as agents sent them or as they lie on disk, from whoever
 * has them so.
 */
#ifndef BACKEND_WHOLE_PROFILE_H
#define BACKEND_WHOLE_PROFILE_H

#include "base/error.h"
#include "base/timefmt.h"
#include "model/profile_list.h"

struct whole_label {
	struct str name; /* "service_name", "version", "zone" */
	struct str value;
};

/* All is the giver's. */
struct whole_profile {
	struct str name;  /* tells it from all others of its source */
	struct str kind;  /* of samples, as Pyroscope calls it: "process_cpu" */
	struct str bytes; /* pprof, gzip or plain; empty before it is fetched */
	int64_t start_ns; /* 0: not known */
	struct whole_label labels[LIMIT_STORED_LABELS + 1];
	size_t label_count;
	bool is_narrowed; /* counts since the process began are left out */
};

struct whole_query {
	const char *service; /* of files: whose they are; NULL: all */
	struct time_range range;
	/* Files, and no server. */
	const char *const *paths;
	size_t path_count;
	/* For who adds up what comes: without counts since a process began. */
	bool is_for_sums;
};

struct whole_taker {
	/* Called for each first: whether it is wanted. */
	bool (*wants)(void *context, const struct whole_profile *profile);
	/* Called for those that are wanted. bytes are empty where there is no
	 * reading it: why says more. False with err ends it. */
	bool (*take)(void *context, const struct whole_profile *profile,
		     const struct error *why, struct error *err);
	void *context;
};

#endif
