/* SPDX-License-Identifier: Apache-2.0
 *
 * Did a change make it slower? A candidate beside its baseline, each of several
 * runs (files), of slices of a window, or a snapshot; how far the runs of a side
 * lie apart is the noise. The comparison itself is the one that `diff` makes.
 * No words, no options.
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

/* How long the requests of a service took in two windows, operation by
 * operation, of as many of them as a trace server gives. No words, no options.
 */

/* The role of traces in a check. */
enum latency_want {
	LATENCY_OFF = 0,
	LATENCY_IF_KNOWN, /* what they cannot tell is only said */
	LATENCY_NEEDED,
};

struct latency_window {
	struct time_range range;
	size_t requests;      /* that were looked at, of all operations */
	int64_t counted;      /* that the server counted; -1 not known */
	bool is_counted_part; /* there are more than that */
};

struct check_latency {
	bool is_known;      /* the server answered */
	const char *reason; /* why not; NULL: it was not asked */
	struct latency_window after;
	struct latency_window before;
	struct latency_row *rows; /* those with the most requests first */
	size_t count;
};

/* Requests of the service in both windows; where the question's baseline is a
 * version, of that one and of others. What is only wished for and cannot be had
 * is no failure. */
bool check_latency_find(struct check_latency *l, struct investigation *v,
			struct str service, struct time_range after,
			struct time_range before, enum latency_want want,
			struct error *err) MUST_CHECK;

/* Where in the repository the functions lie that `check` names: profiles know
 * files as they were called where the program was built. */

/* Where a hit is shown in the repository. */
struct check_place {
	struct str path; /* relative, '/' between folders */
	uint32_t line;   /* 1 and more */
	bool is_known;   /* else where functions of no known file are shown */
};

/* "FROM=TO" each: how files of profiles begin, and in the repository. */
struct path_maps {
	const char *const *items;
	size_t count;
};

/* A place for each hit of the gates, in the arena. A file is found by
 * the maps, else it is the longest end of its name that is a file below the
 * working folder. */
bool check_places_find(const struct path_maps *m, const struct gates *g,
		       struct arena *arena, const struct check_place **out,
		       struct error *err) MUST_CHECK;

/* Files of one side; count 0: none. */
struct check_files {
	const char *const *paths;
	size_t count;
};

struct check_want {
	struct check_files candidate; /* else what `live` is of */
	struct check_files baseline;
	const struct snapshot *snapshot; /* as the baseline; NULL: none */
	struct chosen_want live;
	/* That the runs or the window of a side served. Where both are known,
	 * values are compared by request. */
	struct request_counts requests;
	struct request_counts baseline_requests;
	/* A function that is known not to have changed; empty: none. */
	struct str reference;
	/* Nothing is compared: the candidate is to be kept. */
	bool is_alone;
	struct gate_limits limits;
	/* Requests of the live service; with nothing else no profiles. */
	enum latency_want latency;
	bool is_latency_alone;
};

/* One side as it is compared: a profile, and the runs or slices it is the sum
 * of. */
struct check_side {
	struct str name; /* for people */
	struct time_range range; /* both ends 0: not known */
	const struct profile *whole;
	struct rank_slices runs;
	int64_t samples; /* -1 unknown */
	bool is_of_files;
	bool is_of_whole_runs; /* of processes that ended, not for a time */
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
	/* Values are by requests that were counted; else per request means per
	 * run. */
	bool is_by_request;
	bool is_interleaved; /* the runs of the sides were taken by turns */
	struct gates gates;
	struct check_latency latency;
	/* private */
	struct chosen chosen;
	struct snapshot snapshot; /* the wanted one, borrowed, as compared */
	struct profile snapshot_whole;
};

/* want and v must outlive it. Release also after failure. */
void check_init(struct check *c, struct investigation *v,
		const struct check_want *want);
void check_release(struct check *c);

/* Fetches both sides. A shortfall or an error when there is no profile of the
 * candidate, or no baseline. */
bool check_fetch(struct check *c, struct error *err) MUST_CHECK;

/* Compares them: fills the investigation's result, and the gates. */
bool check_judge(struct check *c, struct error *err) MUST_CHECK;

/* The candidate as a snapshot; release it after failure, too. */
bool check_snapshot(struct check *c, struct snapshot *s,
		    struct error *err) MUST_CHECK;

#endif
