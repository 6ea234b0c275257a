/* SPDX-License-Identifier: Apache-2.0
 *
 * What comparisons of profiles say, as the numbers that the rules of
 * analyze/verdict.h are about.
 */
#ifndef CLI_INQUEST_MEASURE_H
#define CLI_INQUEST_MEASURE_H

#include "cli/inquest.h"

/* The function that leads a comparison; *out is left as it is when there is
 * nothing to compare. False only without memory. */
bool inquest_measure(struct inquest *q, const struct comparison *c,
		     struct wait_measure *out, struct error *err) MUST_CHECK;

/* CPU per request, of the cohort or of this request alone, and the service's:
 * fills cpu, cpu_verdict, gc_share and the neighbour's measure. */
bool inquest_measure_cpu(struct inquest *q, struct error *err) MUST_CHECK;

#endif
