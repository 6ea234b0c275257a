/* SPDX-License-Identifier: Apache-2.0
 *
 * What comparisons of profiles say, as the numbers that the rules of
 * analyze/verdict.h are about.
 */
#ifndef CLI_INQUEST_MEASURE_H
#define CLI_INQUEST_MEASURE_H

#include "cli/inquest.h"

/* Whether the server cut so much off that functions are not told. */
bool inquest_is_cut(const struct comparison *c);

/* Whether the cohort has samples enough; whether it is to be shown, rather than
 * the service. */
bool inquest_has_cohort_samples(const struct inquest *q);
bool inquest_is_of_cohort(const struct inquest *q);

/* The function that leads a comparison; *out is left as it is when there is
 * nothing to compare. False only without memory. */
bool inquest_measure(struct inquest *q, struct comparison *c,
		     struct wait_measure *out, struct error *err) MUST_CHECK;

/* CPU per request, of the cohort or of this request alone: fills cpu and
 * cpu_verdict. Reasons tell all there is: with them, what is below as well. */
bool inquest_measure_cpu(struct inquest *q, struct error *err) MUST_CHECK;

/* The measures below take longer than all that is shown, and few verdicts rest
 * on them: each is taken once, where one does. */

/* CPU of the service: fills the neighbour's measure but for gc_share. */
bool inquest_measure_service(struct inquest *q, struct error *err) MUST_CHECK;

/* What grew in garbage collection and allocation: fills gc_share, of the
 * neighbour's measure as well. */
bool inquest_measure_gc(struct inquest *q, struct error *err) MUST_CHECK;

#endif
