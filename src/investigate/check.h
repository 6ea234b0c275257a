/* SPDX-License-Identifier: Apache-2.0
 *
 * The check command's comparison: a candidate with its baseline, each of
 * several runs (files), of slices of a window, or a snapshot. The variance
 * between the runs of a side is the noise. The comparison itself is that of
 * `diff`.
 */
#ifndef INVESTIGATE_CHECK_H
#define INVESTIGATE_CHECK_H

#include "analyze/gates.h"
#include "analyze/latency.h"
#include "base/arena.h"
#include "base/error.h"
#include "investigate/chosen.h"
#include "investigate/investigation.h"
#include "model/profile_runs.h"
#include "model/snapshot.h"

/* Compares the latency of a service's requests in two windows, operation by
 * operation, for the requests that a traces server returns. */

/* The use of traces in a check. */
enum latency_want {
	LATENCY_OFF = 0,
	LATENCY_IF_KNOWN, /* missing latencies are only noted */
	LATENCY_NEEDED,
};

struct latency_window {
	struct time_range range;
	size_t requests;      /* examined, of all operations */
	int64_t counted;      /* by the server; -1 not known */
	bool is_counted_part; /* counted is a lower bound */
};

struct check_latency {
	bool is_known;      /* the server answered */
	const char *reason; /* why not; NULL: not queried */
	struct latency_window after;
	struct latency_window before;
	struct latency_row *rows; /* sorted by number of requests, descending */
	size_t count;
};

/* Compares the service's requests in both windows; if the question's baseline
 * is a version, those of that version with those of others. With
 * LATENCY_IF_KNOWN missing data is not a failure. */
bool check_latency_find(struct check_latency *l, struct investigation *v,
			struct str service, struct time_range after,
			struct time_range before, enum latency_want want,
			struct error *err) MUST_CHECK;

/* The places in the repository of the functions that `check` reports: profiles
 * have file names as of the build. */

/* A hit's place in the repository. */
struct check_place {
	struct str path; /* relative, with '/' */
	uint32_t line;   /* 1 and more */
	bool is_known;   /* else a placeholder for functions without a known
			  * file */
};

/* Each "FROM=TO": a prefix of file names in profiles, and its replacement in
 * the repository. */
struct path_maps {
	const char *const *items;
	size_t count;
};

/* Returns in *out a place for each hit of the gates, in the arena. A file is
 * found by the maps, else by the longest suffix of its name that is a file
 * below the working folder. */
bool check_places_find(const struct path_maps *m, const struct gates *g,
		       struct arena *arena, const struct check_place **out,
		       struct error *err) MUST_CHECK;

/* Files of one side; count 0: none. */
struct check_files {
	const char *const *paths;
	size_t count;
};

struct check_want {
	struct check_files candidate; /* if empty: `live` */
	struct check_files baseline;
	const struct snapshot *snapshot; /* used as the baseline; NULL: none */
	struct chosen_want live;
	/* Requests that the runs or the window of a side served. If both are
	 * known, values are compared per request. */
	struct request_counts requests;
	struct request_counts baseline_requests;
	/* A function that is known to be unchanged; empty: none. */
	struct str reference;
	/* Nothing is compared: the candidate is only saved. */
	bool is_alone;
	struct gate_limits limits;
	/* Latency of the live service; is_latency_alone: without profiles. */
	enum latency_want latency;
	bool is_latency_alone;
};

/* One side of the comparison: a profile, and the runs or slices that it is the
 * sum of. */
struct check_side {
	struct str name; /* for messages */
	struct time_range range; /* both 0: not known */
	const struct profile *whole;
	struct rank_slices runs;
	int64_t samples; /* -1: unknown */
	bool is_of_files;
	bool is_of_whole_runs; /* of complete processes, not of a time limit */
	/* private */
	struct profile sum;
	struct profile_runs files; /* folded */
	const struct profile *parts[COMPARISON_PARTS];
	double exposure[COMPARISON_PARTS];
};

struct check {
	struct investigation *v;
	const struct check_want *want;
	struct check_side candidate;
	struct check_side baseline;
	enum normalize per;
	/* Values are per counted request; else "per request" means per run. */
	bool is_by_request;
	bool is_interleaved; /* the runs of the sides alternated */
	struct gates gates;
	struct check_latency latency;
	/* private */
	struct chosen chosen;
	struct snapshot snapshot; /* the wanted one, borrowed, as compared */
	struct profile snapshot_whole;
};

/* want and v must outlive c. Release also after failure. */
void check_init(struct check *c, struct investigation *v,
		const struct check_want *want);
void check_release(struct check *c);

/* Fetches both sides. Sets a shortfall or an error if there is no profile of
 * the candidate, or no baseline. */
bool check_fetch(struct check *c, struct error *err) MUST_CHECK;

/* Compares the sides: fills the investigation's result, and the gates. */
bool check_judge(struct check *c, struct error *err) MUST_CHECK;

/* Makes a snapshot of the candidate; release it after failure, too. */
bool check_snapshot(struct check *c, struct snapshot *s,
		    struct error *err) MUST_CHECK;

#endif
