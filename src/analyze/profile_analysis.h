/* SPDX-License-Identifier: Apache-2.0
 *
 * From one or two profiles to ranked functions: flat and cumulative values
 * as pprof counts them, the owner frame of each stack, differences with a
 * significance test. Pure functions of the model.
 */
#ifndef ANALYZE_PROFILE_ANALYSIS_H
#define ANALYZE_PROFILE_ANALYSIS_H

#include "base/error.h"
#include "model/profile.h"
#include "model/result.h"

struct code_rules;   /* analyze/code_rules.h */
struct profile_runs; /* model/profile_runs.h */
struct snapshot;     /* model/snapshot.h */

/* One side in equal parts, of the window's time or of the cohort's spans: how
 * much the parts differ tells how much the sides may. The profile of the side
 * is the sum of its blocks. Borrowed. */
struct rank_slices {
	const struct profile *const *profiles;
	/* Seconds of each block; its requests with NORMALIZE_REQUEST; not
	 * looked at with NORMALIZE_SHARE. NULL: all alike. */
	const double *exposure;
	size_t count; /* 0: not divided */
	/* The stacks of the profiles are in here, and the side's profile is the
	 * sum; NULL: in the profiles. */
	const struct profile_runs *folded;
};

struct rank_want {
	enum rank_by by;
	enum normalize normalize;
	size_t limit; /* rows kept; 0 = all */
	/* Rows in all for pages, which show more than is kept; 0: no more. */
	size_t listed;
	/* Name of the span (or code.function) under suspicion, to prefer the
	 * function of that name when an N+1 loop is explained; may be empty. */
	struct str span_name;
	bool is_loop; /* an N+1 was found: callers of the hot driver matter */
	/* Seconds of each side for NORMALIZE_RATE, in ns. */
	int64_t window_ns;
	int64_t baseline_ns;
	/* Requests of each side for NORMALIZE_REQUEST, 0 unknown: then values
	 * a second are compared, and where that is not known either, or where
	 * they are of no length of time, the values themselves. */
	double slow_requests;
	double baseline_requests;
	/* By the user, who is told when it cannot be. */
	bool is_way_asked;
	/* The requests are a count of sampled traces: uncertain by its root. */
	bool is_requests_sampled;
	struct rank_slices slow_slices;
	struct rank_slices baseline_slices;
	/* The baseline is one, and its profile that of snapshot_profile();
	 * its slices are those of the snapshot. */
	const struct snapshot *baseline_snapshot;
	/* The blocks of both sides were taken by turns: what sets windows apart
	 * is in how far they differ. */
	bool is_interleaved;
	bool is_of_runs; /* the blocks are runs of a program */
	const struct code_rules *rules; /* the user's about kinds, or NULL */
	/* Rows and their order as pprof has them: names count as they are,
	 * numbers in them that were generated too. */
	bool is_plain;
	/* Drawings follow: result->changes and how the sides were compared are
	 * wanted, too. */
	bool is_drawn;
};

/* How two profiles without windows are best compared: by share where one does
 * not tell its length, by the second when both were taken for a time of
 * different length, else by their own values, as what is in use always is. A
 * length that is a whole number of seconds was asked for; any other is how
 * long the process took, whose work is done then: *is_of_whole_runs, which
 * the reader should know of. */
enum normalize profiles_default_normalize(const struct profile *slow,
					  const struct profile *baseline,
					  bool *is_of_whole_runs);

/* Fills result->functions (+ counts, noise_count) and the shares of each kind
 * of code from the slow profile and, when not NULL, the baseline. Without a
 * baseline change stays CHANGE_NONE. Flat: the leaf frame's; total: once per
 * distinct function of a stack; owned: charged to the deepest application frame
 * (to the leaf when a stack has none). Rows are functions by name (file shown,
 * not compared; numbers that compilers and virtual machines generate do not
 * count), so two builds can be compared. Order: what grew, by the effect that
 * is certain; what shrank; the rest by value. Totals come by the size of their
 * change, those that only pass one on after those that hold it. With is_loop
 * the functions that run the loop, three at most, come first and are compared
 * by their total. delta is in parts of the slow side's total, but of shares,
 * where it is their difference. What weakens the comparison goes to
 * result->rank_facts. */
bool functions_rank(const struct profile *slow, const struct profile *baseline,
		    const struct rank_want *want, struct result *result,
		    struct error *err) MUST_CHECK;

/* Adds up values of both sides by stack text, for folded and difffolded.
 * Lines come in bytewise order of their frame names, root first; baseline
 * may be NULL. Frame names equal after escape_folded() are one stack. */
bool stack_lines_build(const struct profile *slow,
		       const struct profile *baseline, struct arena *arena,
		       struct stack_line **lines, size_t *count,
		       struct error *err) MUST_CHECK;

#endif
