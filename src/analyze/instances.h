/* SPDX-License-Identifier: Apache-2.0
 *
 * How many instances of a service a window's traces saw.
 */
#ifndef ANALYZE_INSTANCES_H
#define ANALYZE_INSTANCES_H

#include "model/history.h"

/* Spans needed by instance. When instances share the load alike, with ten
 * spans for each that was seen the chance that one was missed is below
 * k exp(-10) for k of them. */
#define INSTANCES_SPANS 10u

/* More are not told apart. */
#define INSTANCES_MAX 100u

/* Distinct instances in the spans of a service that start in a range; of one
 * version only, unless version is empty. 0: not known, as spans carry no
 * instance or are too few to have seen all. */
uint32_t instances_count(const struct history *h, uint32_t window,
			 struct time_range range, struct str service,
			 struct str version);

#endif
