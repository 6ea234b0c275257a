/* SPDX-License-Identifier: Apache-2.0
 *
 * Why a request was slow: from the span to blame over other traces of its
 * operation to the profile that explains it. Which server is asked for what, in
 * which order; no words.
 */
#ifndef INVESTIGATE_SLOW_H
#define INVESTIGATE_SLOW_H

#include "investigate/finding.h"

/* Profiles of servers, for the suspect that suspect_find() found. The window
 * is that of slow_window(). False: there is no profile, with the reason (see
 * investigation.shortfall); what the traces say stands. */
bool slow_investigate(struct investigation *v, struct slow_finding *f,
		      struct time_range window, struct error *err) MUST_CHECK;

/* The suspect's time and --pad, or what the user said. */
struct time_range slow_window(const struct investigation *v,
			      const struct suspect *s);

#endif
