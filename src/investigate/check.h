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
#include "investigate/check_latency.h"
#include "investigate/chosen.h"
#include "model/profile_runs.h"
#include "model/snapshot.h"

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
	/* That the runs or the window of a side served; 0: not known. Where both
	 * are, values are compared by request. */
	double requests;
	double baseline_requests;
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
