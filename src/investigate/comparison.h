/* SPDX-License-Identifier: Apache-2.0
 *
 * Profiles of one type on two sides: the slow one and its baseline. Each side
 * is fetched in a few equal parts, from which the variance of each function is
 * estimated; the sum of the parts is the side.
 */
#ifndef INVESTIGATE_COMPARISON_H
#define INVESTIGATE_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/profile_analysis.h"
#include "analyze/request_history.h"
#include "backend/fetch_history.h"
#include "backend/fetch_profile.h"
#include "investigate/investigation.h"

/* Splits the budget: into how many parts profiles are divided so that a run
 * stays within LIMIT_ORDINARY_REQUESTS, whatever the service offers. Sends
 * nothing. */

/* Parts per side. Four give six degrees of freedom for the noise, at eight
 * requests per type; with more, each would have too few samples. */
#define COMPARISON_PARTS 4

/* The requests of a round of profiles and of the rounds that may follow. */
struct budget_want {
	size_t left;       /* requests left in the run */
	size_t fixed;      /* of this round, sent in any case */
	size_t sides;      /* to be divided into parts: 1 or 2 */
	size_t later;      /* of the next round, in case it follows */
	bool has_request;  /* the profile of the traced request is wanted */
	bool has_coverage; /* the coverage query is wanted */
};

struct budget_plan {
	size_t parts; /* per side: at least 1, at most COMPARISON_PARTS */
	bool has_request;
	bool has_coverage;
};

/* Returns the plan that fits. If requests are short, the profile of the traced
 * request is dropped first, as similar requests have more samples, then parts,
 * then coverage, which few windows need. */
struct budget_plan budget_plan(const struct budget_want *want);

/* Returns the parts per side of a last comparison: at most COMPARISON_PARTS, 1
 * if two do not fit. */
size_t budget_parts(size_t left, size_t sides);

/* The part of a window in which a service ran and was profiled: if it started
 * or ended within the window, a rate over the whole window is wrong. Gaps in
 * between are not detected. */

/* Shortest step, as profiles are uploaded every 15 s or less often. Windows
 * longer than an hour need longer steps, or are not queried. */
#define COVERAGE_STEP_NS (30 * NS_PER_S)
#define COVERAGE_STEPS 120

struct coverage {
	struct totals_job job;
	bool is_asked;
};

/* Prepares the query over both windows; returns false if there is nothing to
 * query (selector NULL), or too many steps of this length. The texts are
 * borrowed and must outlive the run. */
bool coverage_request(struct coverage *c, const char *type_id,
		      const char *selector, struct time_range slow,
		      struct time_range base, int64_t step_ns);

/* Returns a step with which a window of any length can be queried, in whole
 * seconds. */
int64_t coverage_step_ns(struct time_range window);

/* Returns, after the job ran, the part of a window with samples; both ends 0:
 * all of it, as far as known. */
struct time_range coverage_of(const struct coverage *c,
			      struct time_range window);

struct comparison_side {
	struct time_range range;
	/* The part in which the service ran, rounded up to steps; both ends 0:
	 * all of it. */
	struct time_range lively;
	struct str selector; /* NUL-terminated */
	/* Limits samples to these spans, in order of time; count 0: no
	 * limit. */
	const uint64_t *span_ids;
	size_t span_id_count;
	/* The range is that of the samples; else that of the spans, and samples
	 * are searched around it. */
	bool has_exact_range;
	/* Files instead of the server; the selector is then their name. */
	const char *const *paths;
	size_t path_count;
	/* Requests served in the range, -1: unknown; for spans their number. */
	double requests;
	bool is_requests_sampled;
	/* Instances running at the same time, where values are per instance; 0:
	 * values are of all instances. */
	uint32_t instances;
	/* Profiled part of the range, from the answers; 0: all. */
	double profiled_s;
	/* Filled by comparison_apply(). */
	struct profile profile;                 /* the sum */
	struct profile parts[COMPARISON_PARTS]; /* empty when there is one */
	/* Requests if known, else seconds; 0 for a part that was not profiled
	 * at all. */
	double exposure[COMPARISON_PARTS];
	size_t part_count;
};

struct comparison {
	const char *type_id;
	enum scope scope;
	struct comparison_side slow;
	struct comparison_side base;
	bool has_base; /* wanted; after comparison_apply(): has samples */
	bool is_gauge; /* values per snapshot, see comparison_divide() */
	/* Profiles fetched undivided stay packed where possible until
	 * comparison_unpack(), for totals, files, lines and kinds of code. */
	bool packs_for_later;
	bool is_asked;
	const struct error *slow_error; /* why there is no slow side, or NULL */
	struct profile_fetch fetches[2 * COMPARISON_PARTS];
	size_t fetch_count;
};

/* Initializes a comparison; the caller then fills in the sides. Release it even
 * if it was never fetched. */
void comparison_init(struct comparison *c, const char *type_id,
		     enum scope scope);
void comparison_release(struct comparison *c);

/* Adds the requests to jobs[*n..]; parts 1: the side undivided. Needs room for
 * 2 * COMPARISON_PARTS jobs. */
void comparison_request(struct comparison *c, size_t parts, struct job **jobs,
			size_t *n);

/* Sets the requests of a side and of its parts in time from counts over its
 * range. Call between comparison_request() and comparison_rank(); unknown
 * counts change nothing. */
void comparison_count(struct comparison_side *side,
		      const struct count_job *counts);

/* Sets the parts of both ranges in which the service ran, both ends 0: all.
 * Before comparison_apply(). */
void comparison_cover(struct comparison *c, struct time_range slow,
		      struct time_range base);

/* Adds up the parts after the jobs ran. A side without an answer is noted and
 * empty; returns false only without memory. */
bool comparison_apply(struct comparison *c, struct investigation *v,
		      struct error *err) MUST_CHECK;

/* Unpacks sides that packs_for_later left packed; needed before any other use,
 * except that comparison_rank() does it, too. */
bool comparison_unpack(struct comparison *c, struct error *err) MUST_CHECK;

/* Divides the values of a gauge by the number of snapshots. After
 * comparison_apply(), for sides fetched undivided. Returns false if the queries
 * failed as a whole. */
bool comparison_divide(struct comparison *c, struct investigation *v,
		       struct str instance_label, struct error *err) MUST_CHECK;

/* Returns whether the server applied the span selector of c; service: the same
 * type over all requests, fetched too. A server that ignores spans returns the
 * whole service for each part. True if the two cannot be compared. */
bool comparison_is_of_spans(const struct comparison *c,
			    const struct comparison *service);

/* Copies the files of the service's functions to profiles of spans, which come
 * without files; the kind of code depends on them. */
bool comparison_apply_files(struct comparison *c,
			    const struct comparison *service,
			    const struct code_rules *rules,
			    struct error *err) MUST_CHECK;

/* Copies the service's lines to profiles of spans that came without lines, for
 * functions with a single line there. */
bool comparison_apply_lines(struct comparison *c,
			    const struct comparison *service,
			    struct error *err) MUST_CHECK;

/* Keeps only stacks that serve requests, in all profiles and parts; returns the
 * fraction of the slow side that was left out. */
double comparison_keep_roots(struct comparison *c,
			     const struct request_roots *roots);

/* Applies calls_leave_out() to all profiles and parts; *has_less: the slow side
 * lost samples. */
bool comparison_leave_out_calls(struct comparison *c,
				const struct code_rules *rules, bool are_all,
				bool *has_less, struct error *err) MUST_CHECK;

/* Applies the view to all profiles and parts; notes how much is left.
 * is_of_rest: from then on shares are of what view and labels leave; else they
 * stay shares of the whole. */
bool comparison_filter(struct comparison *c, struct investigation *v,
		       bool is_of_rest, struct error *err) MUST_CHECK;

/* Decides rows that appeared or disappeared and that did not move together with
 * others: new or gone, or possibly noise. Called by comparison_rank(). */
void rows_settle_new(struct result *r);

/* Ranks functions into the result; its notes are kept. */
bool comparison_rank(struct comparison *c, const struct rank_want *want,
		     struct result *result, struct error *err) MUST_CHECK;

/* Fills result->profile and result->baseline from both sides. */
bool comparison_report(const struct comparison *c, struct result *result,
		       struct error *err) MUST_CHECK;

/* A separate side that copies another one except its range and samples: fetched
 * undivided, applied (false: no samples) and swapped into the baseline's place,
 * which leaves it empty. */
void comparison_side_like(struct comparison_side *side,
			  const struct comparison_side *other);
void comparison_side_request(struct comparison_side *side, const char *type_id,
			     struct profile_fetch *fetch);
bool comparison_side_apply(struct comparison_side *side,
			   const struct profile_fetch *fetch);
void comparison_use_base(struct comparison *c, struct comparison_side *base);
void comparison_side_release(struct comparison_side *side);

/* Notes if the slow side has few profiles, for servers where that is normal.
 * around: the window around a trace; NULL without one. */
void comparison_note_extent(const struct comparison *c, struct investigation *v,
			    const struct time_range *around);

/* Returns the slices of a side, in arrays of COMPARISON_PARTS. */
void comparison_slices(const struct comparison_side *side,
		       const struct profile *parts[COMPARISON_PARTS],
		       double exposure[COMPARISON_PARTS],
		       struct rank_slices *slices);

/* Reverts comparison_count(). */
void comparison_uncount(struct comparison *c);

/* Returns for how many seconds the service ran and was profiled. */
double comparison_seconds(const struct comparison_side *side);

/* Returns the requests if known, else seconds. */
double comparison_exposure(const struct comparison_side *side);

/* Returns CPU seconds per second. */
double comparison_cores(const struct comparison_side *side);

/* Returns the value per request if requests are known, else per second; 0
 * without samples. */
double comparison_rate(const struct comparison_side *side, int64_t value);

#endif
