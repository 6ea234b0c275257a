/* SPDX-License-Identifier: Apache-2.0
 *
 * Profiles of one type on two sides: the slow one and what it is compared
 * with. Each side is fetched in a few equal parts, so that the statistics see
 * how much a function wanders by itself; the sum of the parts is the side.
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

/* How finely profiles are asked for, so that a run keeps to
 * LIMIT_ORDINARY_REQUESTS whatever the service offers. Nothing here asks. */

/* Parts of a side. Four a side leave six degrees of freedom for the noise, at
 * eight requests a type; more parts would make each too thin. */
#define COMPARISON_PARTS 4

/* A round of profiles and what may follow it, in requests. */
struct budget_want {
	size_t left;       /* that the run may still send */
	size_t fixed;      /* of this round, asked for in any case */
	size_t sides;      /* of the comparison in parts: 1 or 2 */
	size_t later;      /* of the next round, should it come to that */
	bool has_request;  /* the profile of this very request is wanted */
	bool has_coverage; /* when the service was there is */
};

struct budget_plan {
	size_t parts; /* a side: at least 1, at most COMPARISON_PARTS */
	bool has_request;
	bool has_coverage;
};

/* Returns the plan that fits. First the one request goes, which those like it
 * outweigh, then parts, then what most windows do without. */
struct budget_plan budget_plan(const struct budget_want *want);

/* Parts a side of a last comparison: at most COMPARISON_PARTS, 1 when no two
 * of them fit. */
size_t budget_parts(size_t left, size_t sides);

/* For which part of a window a service was there and profiled: one that began
 * or ended in the middle of it has no rate over all of it. Tells nothing of
 * gaps in between, and asks nothing of its own. */

/* A profile is uploaded every 15 s or less often; longer windows than an hour
 * are asked about in longer steps, or not at all. */
#define COVERAGE_STEP_NS (30 * NS_PER_S)
#define COVERAGE_STEPS 120

struct coverage {
	struct totals_job job;
	bool is_asked;
};

/* Begins the question over both windows; false when there is nothing to ask
 * (selector NULL), or too many steps of this length. The texts stay the
 * caller's and outlive the run. */
bool coverage_request(struct coverage *c, const char *type_id,
		      const char *selector, struct time_range slow,
		      struct time_range base, int64_t step_ns);

/* Steps in which a window of any length can be asked about, whole seconds. */
int64_t coverage_step_ns(struct time_range window);

/* After the job ran: what of a window there were samples in; both ends 0: all
 * of it, as far as is known. */
struct time_range coverage_of(const struct coverage *c,
			      struct time_range window);

struct comparison_side {
	struct time_range range;
	/* What of it the service was there for, or more than it is; both ends
	 * 0: all of it. */
	struct time_range lively;
	struct str selector; /* NUL-terminated */
	/* Only samples of these spans, in order of time; count 0: all. */
	const uint64_t *span_ids;
	size_t span_id_count;
	/* The range is that of the samples; else that of the spans, around
	 * which they are looked for. */
	bool has_exact_range;
	/* Files instead of the server; the selector is then their name. */
	const char *const *paths;
	size_t path_count;
	/* Requests served in the range, -1 unknown; of spans their number. */
	double requests;
	bool is_requests_sampled;
	/* At the same time, where what is compared is what one of them does; 0:
	 * what all do. */
	uint32_t instances;
	/* How much of the range was profiled, by the answers; 0: all. */
	double profiled_s;
	/* Filled by comparison_apply(). */
	struct profile profile;                 /* the sum */
	struct profile parts[COMPARISON_PARTS]; /* empty when there is one */
	/* Requests when known, or seconds; a part that was not profiled at
	 * all has none. */
	double exposure[COMPARISON_PARTS];
	size_t part_count;
};

struct comparison {
	const char *type_id;
	enum scope scope;
	struct comparison_side slow;
	struct comparison_side base;
	bool has_base; /* wanted; after take: it has samples */
	bool is_gauge; /* values per snapshot, see comparison_divide() */
	/* Sides that are asked for at once stay packed, where they can, until
	 * comparison_unpack(): for totals, files, lines and kinds of code. */
	bool packs_for_later;
	bool is_asked;
	const struct error *slow_error; /* why there is no slow side, or NULL */
	struct profile_fetch fetches[2 * COMPARISON_PARTS];
	size_t fetch_count;
};

/* Sides are to be filled in then. Release also when never asked. */
void comparison_init(struct comparison *c, const char *type_id,
		     enum scope scope);
void comparison_release(struct comparison *c);

/* Adds the requests to jobs[*n..]; parts 1 asks for a side at once. Room for
 * 2 * COMPARISON_PARTS jobs is needed. */
void comparison_request(struct comparison *c, size_t parts, struct job **jobs,
			size_t *n);

/* Requests of a side of time parts, from counts over its range. Call between
 * comparison_request() and comparison_rank(); unknown counts change nothing. */
void comparison_count(struct comparison_side *side,
		      const struct count_job *counts);

/* Sets the parts of the sides' ranges for which the service was there, both
 * ends 0: all. Before comparison_apply(). */
void comparison_cover(struct comparison *c, struct time_range slow,
		      struct time_range base);

/* After the jobs ran: adds up the parts. A side that could not be had is
 * noted and empty; false only without memory. */
bool comparison_apply(struct comparison *c, struct investigation *v,
		      struct error *err) MUST_CHECK;

/* Before anything else is done with sides that packs_for_later left packed;
 * comparison_rank() does it, too. */
bool comparison_unpack(struct comparison *c, struct error *err) MUST_CHECK;

/* After comparison_apply() of a gauge asked for at once: values per snapshot.
 * False when asking failed as a whole. */
bool comparison_divide(struct comparison *c, struct investigation *v,
		       struct str instance_label, struct error *err) MUST_CHECK;

/* Returns whether the server heeded the spans that c asked for; service: the
 * same type of all requests, taken too. A server that ignores spans answers
 * each part with the whole service. True when the two cannot be compared. */
bool comparison_is_of_spans(const struct comparison *c,
			    const struct comparison *service);

/* Gives profiles of spans, which come without files, those of the service's
 * functions: what kind of code each is depends on them. */
bool comparison_apply_files(struct comparison *c,
			    const struct comparison *service,
			    const struct code_rules *rules,
			    struct error *err) MUST_CHECK;

/* Gives profiles of spans that came without lines those of the service, of
 * functions with one line there. */
bool comparison_apply_lines(struct comparison *c,
			    const struct comparison *service,
			    struct error *err) MUST_CHECK;

/* Leaves of all profiles, the parts too, what serves requests; returns the part
 * of the slow side that was left out. */
double comparison_keep_roots(struct comparison *c,
			     const struct request_roots *roots);

/* calls_leave_out() of all profiles, the parts too; whether the slow side has
 * less then. */
bool comparison_leave_out_calls(struct comparison *c,
				const struct code_rules *rules, bool are_all,
				bool *has_less, struct error *err) MUST_CHECK;

/* Replaces all profiles, the parts too, by what the view leaves of them;
 * notes how much. is_of_rest: shares are of what is left from then on, by view
 * and labels; else they stay shares of the whole. */
bool comparison_filter(struct comparison *c, struct investigation *v,
		       bool is_of_rest, struct error *err) MUST_CHECK;

/* Settles rows that were not there before, or are not any more, which moved
 * with no others: they are new or gone, or that may be noise. comparison_rank()
 * does it. */
void rows_settle_new(struct result *r);

/* Ranks functions into the result, which keeps its notes. */
bool comparison_rank(struct comparison *c, const struct rank_want *want,
		     struct result *result, struct error *err) MUST_CHECK;

/* Fills the facts of both sides: result->profile and ->baseline. */
bool comparison_report(const struct comparison *c, struct result *result,
		       struct error *err) MUST_CHECK;

/* A side of its own, like another one but for its range and samples: asked for
 * as a whole, taken (false: it has no samples) and put in the baseline's place,
 * which leaves an empty one behind. */
void comparison_side_like(struct comparison_side *side,
			  const struct comparison_side *other);
void comparison_side_request(struct comparison_side *side, const char *type_id,
			     struct profile_fetch *fetch);
bool comparison_side_apply(struct comparison_side *side,
			   const struct profile_fetch *fetch);
void comparison_use_base(struct comparison *c, struct comparison_side *base);
void comparison_side_release(struct comparison_side *side);

/* Notes how little there is behind the slow side, where a server has little by
 * nature. around: the window around a trace; NULL without one. */
void comparison_note_extent(const struct comparison *c, struct investigation *v,
			    const struct time_range *around);

/* The slices of a side, in arrays of COMPARISON_PARTS. */
void comparison_slices(const struct comparison_side *side,
		       const struct profile *parts[COMPARISON_PARTS],
		       double exposure[COMPARISON_PARTS],
		       struct rank_slices *slices);

/* Takes back comparison_count(). */
void comparison_uncount(struct comparison *c);

/* For how long the service was there and profiled. */
double comparison_seconds(const struct comparison_side *side);

/* Requests where known, else seconds. */
double comparison_exposure(const struct comparison_side *side);

/* CPU seconds per second. */
double comparison_cores(const struct comparison_side *side);

/* Value per request where requests are known, else per second; 0 without
 * samples. */
double comparison_rate(const struct comparison_side *side, int64_t value);

#endif
