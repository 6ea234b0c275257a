/* SPDX-License-Identifier: Apache-2.0
 *
 * What the search for the profile that explains has in hand: what was asked
 * for, what came, and what was decided so far. Data alone.
 */
#ifndef INVESTIGATE_PROFILE_INQUIRY_H
#define INVESTIGATE_PROFILE_INQUIRY_H

#include "analyze/contention.h"
#include "analyze/verdict.h"
#include "investigate/comparison.h"
#include "investigate/investigation.h"
#include "investigate/profile_service.h"
#include "investigate/symptom.h"

struct profile_inquiry {
	struct investigation *v;
	const struct symptom *s;
	enum cause_kind trace_cause; /* what the trace alone said */
	struct profile_service service;
	const char *type_ids[WAIT_TYPES]; /* NULL: not offered */
	const char *cpu_id;
	const char *alloc_id;
	const char *inuse_id;
	const char *forced_id; /* of --type; NULL: auto */
	bool is_forced_gauge;
	bool has_ignored_spans; /* the server gave the whole service instead */
	bool is_wall_cpu; /* no CPU type: the busy part of wall stands for it */
	struct comparison request; /* CPU of this very request */
	struct comparison cohort;  /* CPU of requests like it */
	struct comparison service_cpu;
	struct comparison waits[WAIT_TYPES];
	struct comparison alloc;
	struct comparison heap; /* what is in use, beside it */
	struct comparison final; /* the chosen one again, in parts */
	struct comparison *shown;
	/* What the budget left of them: parts a side, 0 not planned. */
	bool is_request_spared;
	bool has_span_samples; /* the server tells samples of spans apart */
	size_t cpu_parts;
	size_t last_parts;
	struct coverage coverage; /* of both windows, by the service's CPU */
	struct count_job slow_count;
	struct count_job base_count;
	struct cpu_measure cpu;
	enum cpu_verdict cpu_verdict;
	struct wait_measure measures[WAIT_TYPES];
	enum wait_type wait;
	struct wait_measure alloc_lead;
	struct wait_measure heap_lead;
	struct request_roots roots; /* of the stacks that serve requests */
	double background_share;    /* left out of the type that is shown */
	/* So are waits for calls, which spans tell: of all calls, or of those
	 * that pass through a tracing library. */
	bool are_calls_left_out[WAIT_TYPES];
	bool are_calls_told[WAIT_TYPES];
	/* The function that decided, NULL: none did. */
	const struct wait_measure *lead;
	/* The CPU that grew in the whole service grew in the slow requests'
	 * samples too: it is theirs. */
	bool is_own_cpu;
	double gc_share;
	/* Parts of the service's CPU that garbage collection and allocation
	 * take, where that is why the request did not run. */
	double gc_now;
	double gc_before;
	bool is_gc_pause;
	/* Computes many times as much, and waits for a processor. */
	bool is_starved;
	struct contention contention; /* when nothing else explains it */
	struct pool_holder holder;    /* of what a pool's waiters wait for */
	/* Wall clock time per request that went by in code that computes, more
	 * than usual, while CPU time did not grow; ns, 0: not found. */
	double unrun_ns;
	bool is_service_measured; /* and the next: see measures.c */
	bool is_gc_measured;
	size_t note_count; /* of the result before it was ranked */
};

/* The profile half of `slow`: which type on which rung of the ladder explains
 * what the span grew by, asked for step by step, cheapest and strongest
 * evidence first (rules in analyze/verdict.h). */

/* NULL without memory. The service is to be filled in then. */
struct profile_inquiry *profile_inquiry_new(struct investigation *v,
					    const struct symptom *s,
					    struct error *err);
void profile_inquiry_free(struct profile_inquiry *q);

/* Looks for the profile that explains: q->shown is then what the answer is of,
 * NULL when none explains anything; fills result->profile, ->baseline,
 * ->functions and completes ->cause but for its words. False: no profile at
 * all, with the reason; the trace's half of the answer stands. */
bool profile_inquiry_run(struct profile_inquiry *q,
			 struct error *err) MUST_CHECK;

/* The choice of an inquiry, put into the answer: rows and both sides; and the
 * view of them that filters ask for. Has no words. */

/* From q->shown, NULL when no profile explains anything: then a note says
 * so. */
bool profile_inquiry_conclude(struct profile_inquiry *q,
			      struct error *err) MUST_CHECK;

/* Applies the filters, for the rows and drawings: all that was decided and said
 * is of the whole, so this comes after the words. */
bool profile_inquiry_view(struct profile_inquiry *q,
			  struct error *err) MUST_CHECK;

/* The rows once more, of what filters leave of the profiles, while the verdict
 * and what is said of the whole stay. */

/* The verdict that a view of the rows leaves as it is. */
struct kept_verdict {
	struct category_shares categories;
	struct category_shares baseline_categories;
};

/* Around ranking the rows once more. note_count: how many notes the result had
 * before it was first ranked. */
bool rows_view_begin(struct investigation *v, size_t note_count,
		     struct kept_verdict *kept, struct error *err) MUST_CHECK;
void rows_view_end(struct investigation *v, const struct kept_verdict *kept);

/* Instead of ranking: nothing was left. */
void rows_view_empty(struct investigation *v);

/* The outcome of comparisons of profiles, as the numbers that the rules of
 * analyze/verdict.h are about. */

/* "mutex", "block": as types are asked for. */
const char *wait_type_name(enum wait_type type);

/* Finds the types that the service sends, by its list of them. */
void inquiry_find_types(struct profile_inquiry *q);

/* Returns whether the server cut so much off that functions are not told. */
bool comparison_is_cut(const struct comparison *c);

/* Returns whether the cohort has samples enough; whether it is to be shown,
 * rather than the service. */
bool inquiry_has_cohort_samples(const struct profile_inquiry *q);
bool inquiry_is_of_cohort(const struct profile_inquiry *q);

/* The function that leads a comparison; *out is left as it is when there is
 * nothing to compare. False only without memory. */
bool inquiry_measure(struct profile_inquiry *q, struct comparison *c,
		     struct wait_measure *out, struct error *err) MUST_CHECK;

/* CPU per request, of the cohort or of this request alone: fills cpu and
 * cpu_verdict. Reasons tell all there is: with them, what is below as well. */
bool inquiry_measure_cpu(struct profile_inquiry *q,
			 struct error *err) MUST_CHECK;

/* The measures below take longer than all that is shown, and few verdicts rest
 * on them: each is taken once, where one does. */

/* CPU of the service: fills the neighbour's measure but for gc_share. */
bool inquiry_measure_service(struct profile_inquiry *q,
			     struct error *err) MUST_CHECK;

/* Sets is_own_cpu: whether the function that leads the service's CPU grew in
 * the slow requests' own samples, few as they may be, by half of what grew
 * there: is_own_cpu. After inquiry_measure_service(). */
void inquiry_measure_own_cpu(struct profile_inquiry *q);

/* Where requests begin, by all samples of spans that were fetched: roots. */
void inquiry_find_roots(struct profile_inquiry *q);

/* Measures the growth per request, in a comparison of wall clock time, in code
 * that computes rather than calls, waits for a lock or idles. */
bool inquiry_measure_computing(const struct comparison *c,
			       const struct code_rules *rules,
			       double *change_ns, struct error *err) MUST_CHECK;

/* Measures the growth of garbage collection and allocation: fills gc_share, of
 * the neighbour's measure as well, and their parts of the service's CPU. */
bool inquiry_measure_gc(struct profile_inquiry *q,
			struct error *err) MUST_CHECK;

/* Returns whether garbage collection explains time in which the request did not
 * run, from this part of the service's CPU on. Measures it. */
bool inquiry_is_gc(struct profile_inquiry *q, double least, bool *is_gc,
		   struct error *err) MUST_CHECK;

/* Returns whether what grew in a profile in waits for calls is told by the
 * spans of those calls: then none of it is time of the span's own. */
bool inquiry_are_calls_told(const struct profile_inquiry *q,
			    const struct comparison *c, bool *are_told,
			    struct error *err) MUST_CHECK;

/* Returns the part of its growth that the request was blocked, by the profile
 * that shows most; ns. */
double inquiry_blocked_ns(const struct profile_inquiry *q);

#endif
