/* SPDX-License-Identifier: Apache-2.0
 *
 * A finding in words: the texts of the answer, its notes on the comparison, and
 * the reasoning that --why prints. Decides nothing.
 */
#ifndef REPORT_FINDING_REPORT_H
#define REPORT_FINDING_REPORT_H

#include "investigate/finding.h"

/* Why the span is to blame. */
bool suspect_report_write(const struct suspect *s, struct result *result,
			  struct error *err) MUST_CHECK;

/* The words for an error of suspect_find(). Always false. */
bool suspect_explain(const struct suspect *s, struct error *err);

/* The words for an error of slow_investigate(). Always false. */
bool finding_explain(const struct finding *f, const struct shortfall *shortfall,
		     struct error *err);

/* All there is to say of a finding; without profiles, what the trace says. */
bool finding_report_write(const struct finding *f,
			  const struct baseline_want *asked,
			  struct result *result, struct error *err) MUST_CHECK;

/* The same after slow_without_profiles(), with the reason among the notes. */
bool finding_report_missing(const struct finding *f, const char *why,
			    const struct baseline_want *asked,
			    struct result *result, struct notes *notes,
			    struct error *err) MUST_CHECK;

#endif
