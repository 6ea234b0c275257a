/* SPDX-License-Identifier: Apache-2.0
 *
 * The state of the search for the profile that explains a slow span: queries,
 * answers and decisions so far. Data alone.
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
	enum cause_kind trace_cause; /* from the trace alone */
	struct profile_service service;
	const char *type_ids[WAIT_TYPES]; /* NULL: not offered */
	const char *cpu_id;
	const char *alloc_id;
	const char *inuse_id;
	const char *forced_id; /* from --type; NULL: auto */
	bool is_forced_gauge;
	bool has_ignored_spans; /* the server returned the whole service */
	bool is_wall_cpu; /* there is no CPU type: the running part of wall
			   * clock time is used */
	struct comparison request; /* CPU of the traced request */
	struct comparison cohort;  /* CPU of similar requests */
	struct comparison service_cpu;
	struct comparison waits[WAIT_TYPES];
	struct comparison alloc;
	struct comparison heap; /* memory in use, along with alloc */
	struct comparison final; /* the chosen one again, in parts */
	struct comparison *shown;
	/* Dropped for the budget; parts are per side, 0: not planned. */
	bool is_request_spared;
	bool has_span_samples; /* the server can select samples by span */
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
	struct request_roots roots; /* roots of the stacks that serve
				     * requests */
	double background_share;    /* fraction left out of the shown type */
	/* Waits for calls are left out as well, since spans show them: those of
	 * all calls, or of those that pass through a tracing library. */
	bool are_calls_left_out[WAIT_TYPES];
	bool are_calls_told[WAIT_TYPES];
	/* The function that decided; NULL: none. */
	const struct wait_measure *lead;
	/* The CPU growth of the whole service is also in the samples of the
	 * slow requests: it is theirs. */
	bool is_own_cpu;
	double gc_share;
	/* Fractions of the service's CPU used by garbage collection and
	 * allocation, if they are why the request did not run. */
	double gc_now;
	double gc_before;
	bool is_gc_pause;
	/* CPU use rose by a large factor, and threads wait for a processor. */
	bool is_starved;
	struct contention contention; /* when nothing else explains it */
	struct pool_holder holder;    /* of the pool that is waited for */
	/* Growth in wall clock time per request, in computing code, without
	 * growth in CPU time; ns, 0: none found. */
	double unrun_ns;
	bool is_service_measured; /* and the next: see measures.c */
	bool is_gc_measured;
	size_t note_count; /* of the result before ranking */
};

/* The part of `slow` about profiles: finds the type and evidence level that
 * explain the growth of the span, querying step by step, cheapest and strongest
 * evidence first (rules in analyze/verdict.h). */

/* Returns NULL without memory. The caller fills in the service. */
struct profile_inquiry *profile_inquiry_new(struct investigation *v,
					    const struct symptom *s,
					    struct error *err);
void profile_inquiry_free(struct profile_inquiry *q);

/* Searches for the profile that explains the span: sets q->shown to the
 * comparison that the answer is about, NULL if none explains anything; fills
 * result->profile, ->baseline, ->functions and completes ->cause except for its
 * text. Returns false with the reason if there is no profile at all; results
 * from traces remain valid. */
bool profile_inquiry_run(struct profile_inquiry *q,
			 struct error *err) MUST_CHECK;

/* Puts the chosen profile into the result: rows and both sides, and their
 * filtered view. */

/* Uses q->shown; NULL, if no profile explains anything, becomes a note. */
bool profile_inquiry_conclude(struct profile_inquiry *q,
			      struct error *err) MUST_CHECK;

/* Applies the filters to rows and graphs. Call it last: conclusions and texts
 * are about the unfiltered profiles. */
bool profile_inquiry_view(struct profile_inquiry *q,
			  struct error *err) MUST_CHECK;

/* Ranks the rows again after filtering, while the verdict and statements about
 * the whole profile stay. */

/* The parts of the verdict that a filtered view must not change. */
struct kept_verdict {
	struct category_shares categories;
	struct category_shares baseline_categories;
};

/* Called before and after ranking again. note_count: number of notes before the
 * first ranking. */
bool rows_view_begin(struct investigation *v, size_t note_count,
		     struct kept_verdict *kept, struct error *err) MUST_CHECK;
void rows_view_end(struct investigation *v, const struct kept_verdict *kept);

/* Called instead of ranking if nothing is left. */
void rows_view_empty(struct investigation *v);

/* Measures from comparisons of profiles, as input for the rules of
 * analyze/verdict.h. */

/* Returns "mutex", "block" and so on: the names of types in queries. */
const char *wait_type_name(enum wait_type type);

/* Finds the types that the service sends, from its list. */
void inquiry_find_types(struct profile_inquiry *q);

/* Returns whether the server truncated so much that functions cannot be
 * compared. */
bool comparison_is_cut(const struct comparison *c);

/* Return whether the cohort has enough samples, and whether it is shown instead
 * of the service. */
bool inquiry_has_cohort_samples(const struct profile_inquiry *q);
bool inquiry_is_of_cohort(const struct profile_inquiry *q);

/* Measures the leading function of a comparison; *out is unchanged if there is
 * nothing to compare. Returns false only without memory. */
bool inquiry_measure(struct profile_inquiry *q, struct comparison *c,
		     struct wait_measure *out, struct error *err) MUST_CHECK;

/* Measures CPU per request, of the cohort or of the traced request: fills cpu
 * and cpu_verdict. If the reasoning is wanted, also takes the measures
 * below. */
bool inquiry_measure_cpu(struct profile_inquiry *q,
			 struct error *err) MUST_CHECK;

/* The measures below take longer than everything that is shown, and few
 * verdicts depend on them: each is taken at most once, on demand. */

/* Measures the CPU of the service: fills the neighbour's measure but for
 * gc_share. */
bool inquiry_measure_service(struct profile_inquiry *q,
			     struct error *err) MUST_CHECK;

/* Sets is_own_cpu: whether the function that leads the service's CPU also grew
 * in the samples of the slow requests, even if few, by at least half of their
 * growth. After inquiry_measure_service(). */
void inquiry_measure_own_cpu(struct profile_inquiry *q);

/* Finds the roots of request stacks from all fetched samples of spans. */
void inquiry_find_roots(struct profile_inquiry *q);

/* Measures the growth per request, in a comparison of wall clock time, of
 * computing code: not of calls, locks or idle waits. */
bool inquiry_measure_computing(const struct comparison *c,
			       const struct code_rules *rules,
			       double *change_ns, struct error *err) MUST_CHECK;

/* Measures the growth of garbage collection and allocation: fills gc_share,
 * also that of the neighbour's measure, and their fractions of the service's
 * CPU. */
bool inquiry_measure_gc(struct profile_inquiry *q,
			struct error *err) MUST_CHECK;

/* Returns in *is_gc whether garbage collection explains the time in which the
 * request did not run: at least this fraction of the service's CPU. Measures it
 * on demand. */
bool inquiry_is_gc(struct profile_inquiry *q, double least, bool *is_gc,
		   struct error *err) MUST_CHECK;

/* Returns in *are_told whether the growth of waits for calls in a profile is
 * covered by the spans of these calls: then none of it is self time of the
 * span. */
bool inquiry_are_calls_told(const struct profile_inquiry *q,
			    const struct comparison *c, bool *are_told,
			    struct error *err) MUST_CHECK;

/* Returns how much of its growth the request was blocked, by the profile that
 * shows most; ns. */
double inquiry_blocked_ns(const struct profile_inquiry *q);

#endif
