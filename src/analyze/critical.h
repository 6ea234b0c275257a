/* SPDX-License-Identifier: Apache-2.0
 *
 * Clocks of different hosts disagree. A server span that does not fit into
 * its caller's time is moved to its middle, as Jaeger does, for the sums
 * only: profiles are stored with the times of their own host.
 */
#ifndef ANALYZE_CRITICAL_H
#define ANALYZE_CRITICAL_H

#include "model/trace.h"

/* How far a server span was moved against its caller because it did not fit;
 * 0 for all others. */
int64_t clock_skew_ns(const struct trace *t, const int64_t *shift_ns,
		      uint32_t span);

#endif
