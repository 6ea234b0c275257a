/* SPDX-License-Identifier: Apache-2.0
 *
 * The time between a call and its server side as it usually is: network,
 * proxies, setting up connections, queues before the handler. Made of
 * durations alone, so that it does not matter what the clocks say.
 */
#ifndef ANALYZE_TYPICAL_GAP_H
#define ANALYZE_TYPICAL_GAP_H

#include "analyze/typical.h"

/* Fills own_* of operations that are calls (is_gap), by what serves them
 * (operations.served): of each trace the mean of its calls, where it has as
 * many server sides as calls, else of those calls that a server side fits
 * into. Windows and range as in typical_build(). */
bool typical_add_gaps(struct typical *u, const struct history *h,
		      uint32_t window, struct time_range range,
		      const uint32_t *served, uint32_t slow_window,
		      struct error *err) MUST_CHECK;

#endif
