/* SPDX-License-Identifier: Apache-2.0
 *
 * Turns one or two profiles into ranked functions: flat and cumulative values
 * counted as in pprof, the owner frame of each stack, differences with a
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

/* One side divided into equal parts, by time or by the spans of the cohort: the
 * variance between parts is the noise of the sides. The profile of the side is
 * the sum of its parts. Borrowed. */
struct rank_slices {
	const struct profile *const *profiles;
	/* Seconds of each part; requests with NORMALIZE_REQUEST; unused with
	 * NORMALIZE_SHARE. NULL: all equal. */
	const double *exposure;
	size_t count; /* 0: not divided */
	/* Contains the stacks of the profiles, and their sum is the side's
	 * profile; NULL: the profiles have their own stacks. */
	const struct profile_runs *folded;
};

struct rank_want {
	enum rank_by by;
	enum normalize normalize;
	size_t limit; /* rows kept; 0: all */
	/* Total number of rows, for web pages, which show more than are kept;
	 * 0: no more. */
	size_t listed;
	/* Name of the suspect span (or code.function), to prefer the function
	 * of that name when an N+1 loop is explained; may be empty. */
	struct str span_name;
	bool is_loop; /* an N+1 was found: rank callers of the hot driver */
	/* Length of each side for NORMALIZE_RATE, in ns. */
	int64_t window_ns;
	int64_t baseline_ns;
	/* Requests of each side for NORMALIZE_REQUEST, 0: unknown: then values
	 * per second are compared, or the values themselves if the length is
	 * not known or does not matter. */
	double slow_requests;
	double baseline_requests;
	/* The user chose how to normalize, and is told if it is not
	 * possible. */
	bool is_way_asked;
	/* Requests were counted from sampled traces: the standard error is the
	 * square root. */
	bool is_requests_sampled;
	struct rank_slices slow_slices;
	struct rank_slices baseline_slices;
	/* Set if the baseline is a snapshot: its profile is that of
	 * snapshot_profile(), its slices those of the snapshot. */
	const struct snapshot *baseline_snapshot;
	/* The parts of both sides alternated in time: differences between
	 * windows are included in their variance. */
	bool is_interleaved;
	bool is_of_runs; /* the parts are runs of a program */
	/* A function known from the user to be unchanged: its change is the
	 * common factor. Empty: none. */
	struct str reference;
	const struct code_rules *rules; /* the user's rules about kinds, or
					 * NULL */
	/* Rows and order as in pprof: names are unchanged, including generated
	 * numbers in them. */
	bool is_plain;
	/* Graphs follow: also fill result->changes and the details of the
	 * comparison. */
	bool is_drawn;
};

/* Returns how two profiles without windows are best compared: by share if one
 * has no length; per second if both were sampled for different fixed lengths;
 * else by their own values, as always for values in use. A length in whole
 * seconds is taken as fixed; any other is the duration of a process that
 * completed its work: *is_of_whole_runs, which the user should know. */
enum normalize profiles_default_normalize(const struct profile *slow,
					  const struct profile *baseline,
					  bool *is_of_whole_runs);

/* Returns whether the length looks fixed, a whole number of seconds; one in
 * twenty others may look like it. */
bool profile_is_of_a_time(const struct profile *p);

/* Sums values of both sides by stack text, for folded and difffolded. Lines are
 * in bytewise order of their frame names, root first; baseline may be NULL.
 * Frame names equal after escape_folded() are one stack. */
bool stack_lines_build(const struct profile *slow,
		       const struct profile *baseline, struct arena *arena,
		       struct stack_line **lines, size_t *count,
		       struct error *err) MUST_CHECK;

/* Copies files and lines to functions that were ranked from a profile without
 * them: samples of spans have names only, while the same functions of the whole
 * service have files and lines. */

/* Sets the files of functions in profiles without files, by name, from n
 * profiles of the same code: the kind of a short name like "call" or "each" is
 * known only from its file. Profiles with files are unchanged. If a name occurs
 * in several files the samples decide first whether it is application code,
 * then the file; a tie leaves it unknown. Lines stay unknown. rules: the
 * user's, or NULL. */
bool profiles_take_files(struct profile *const *profiles, size_t count,
			 const struct profile *const *from, size_t n,
			 const struct code_rules *rules,
			 struct error *err) MUST_CHECK;

/* Sets the lines of frames in profiles without lines, if the n profiles of the
 * same code have samples on only one line of the function. */
bool profiles_take_lines(struct profile *const *profiles, size_t count,
			 const struct profile *const *from, size_t n,
			 struct error *err) MUST_CHECK;

/* Sets file and, if with_lines, the hottest line of rows that have none. Names
 * must be equal, and so must the file of a row that has one. Files are borrowed
 * from the result's arena. */
bool rows_add_locations(struct result *result, const struct profile *p,
			bool with_lines, struct error *err) MUST_CHECK;

#endif
