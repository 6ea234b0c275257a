/* SPDX-License-Identifier: Apache-2.0
 *
 * What comparisons of profiles say, as the numbers that the rules of
 * analyze/verdict.h are about.
 */
#ifndef INVESTIGATE_MEASURES_H
#define INVESTIGATE_MEASURES_H

#include "investigate/profile_inquiry.h"

/* "mutex", "block": as types are asked for. */
const char *wait_type_name(enum wait_type type);

/* What the service sends, by its list of types. */
void inquiry_find_types(struct profile_inquiry *q);

/* Whether the server cut so much off that functions are not told. */
bool comparison_is_cut(const struct comparison *c);

/* Whether the cohort has samples enough; whether it is to be shown, rather than
 * the service. */
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

/* Whether the function that leads the service's CPU grew in the slow requests'
 * own samples, few as they may be, by half of what grew there: is_own_cpu.
 * After inquiry_measure_service(). */
void inquiry_measure_own_cpu(struct profile_inquiry *q);

/* Where requests begin, by all samples of spans that were fetched: roots. */
void inquiry_find_roots(struct profile_inquiry *q);

/* What grew per request, in a comparison of wall clock time, in code that
 * computes rather than calls, waits for a lock or idles. */
bool inquiry_measure_computing(const struct comparison *c,
			       const struct code_rules *rules,
			       double *change_ns, struct error *err) MUST_CHECK;

/* What grew in garbage collection and allocation: fills gc_share, of the
 * neighbour's measure as well, and their parts of the service's CPU. */
bool inquiry_measure_gc(struct profile_inquiry *q,
			struct error *err) MUST_CHECK;

/* Whether garbage collection explains time in which the request did not run,
 * from this part of the service's CPU on. Measures it. */
bool inquiry_is_gc(struct profile_inquiry *q, double least, bool *is_gc,
		   struct error *err) MUST_CHECK;

/* Whether what grew in a profile in waits for calls is told by the spans of
 * those calls: then none of it is time of the span's own. */
bool inquiry_are_calls_told(const struct profile_inquiry *q,
			    const struct comparison *c, bool *are_told,
			    struct error *err) MUST_CHECK;

/* What of its growth the request was blocked, by the profile that tells most;
 * ns. */
double inquiry_blocked_ns(const struct profile_inquiry *q);

#endif
