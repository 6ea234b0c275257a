/* SPDX-License-Identifier: Apache-2.0
 *
 * From one or two profiles to ranked functions: flat and cumulative values
 * as pprof counts them, the owner frame of each stack, differences with a
 * significance test. Pure functions of the model.
 */
#ifndef ANALYZE_PROFILE_ANALYSIS_H
#define ANALYZE_PROFILE_ANALYSIS_H

#include "analyze/code_kind.h"
#include "base/error.h"
#include "model/profile.h"
#include "model/result.h"

struct code_rules;   /* analyze/code_kind.h */
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
	/* A function that did not change, by the user's word: what it did is what
	 * all have in common. Empty: none is known. */
	struct str reference;
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

/* Returns whether its length was asked for, as far as that shows: of twenty
 * others one may look like it. */
bool profile_is_of_a_time(const struct profile *p);

/* Adds up values of both sides by stack text, for folded and difffolded.
 * Lines come in bytewise order of their frame names, root first; baseline
 * may be NULL. Frame names equal after escape_folded() are one stack. */
bool stack_lines_build(const struct profile *slow,
		       const struct profile *baseline, struct arena *arena,
		       struct stack_line **lines, size_t *count,
		       struct error *err) MUST_CHECK;

/* Files and lines for functions that were ranked from a profile without them:
 * samples of spans come by name only, the same functions of the whole service
 * come with places. */

/* Gives the functions of profiles without files theirs, by name, from n
 * profiles of the same code: whose code a bare "call" or "each" is only its
 * place tells. Profiles with files of their own are left alone. Where a name
 * lies in several files the samples decide first whether it is the
 * application's, then the file; a tie leaves it unknown. Lines stay unknown.
 * rules: the user's, or NULL. */
bool profiles_take_files(struct profile *const *profiles, size_t count,
			 const struct profile *const *from, size_t n,
			 const struct code_rules *rules,
			 struct error *err) MUST_CHECK;

/* Gives the frames of profiles without lines the line of their function where
 * the n profiles of the same code have samples on one line of it only. */
bool profiles_take_lines(struct profile *const *profiles, size_t count,
			 const struct profile *const *from, size_t n,
			 struct error *err) MUST_CHECK;

/* Fills file and, with_lines, the hottest line of rows that have none. Names
 * must be equal, and files that a row has. Files are borrowed from the
 * result's arena. */
bool rows_add_locations(struct result *result, const struct profile *p,
			bool with_lines, struct error *err) MUST_CHECK;

#endif
