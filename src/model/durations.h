/* SPDX-License-Identifier: Apache-2.0
 *
 * How long something took how often, as servers that count give it: by powers
 * of two.
 */
#ifndef MODEL_DURATIONS_H
#define MODEL_DURATIONS_H

#include <stdint.h>

#define DURATION_BUCKETS 63u

/* counts[i] durations were over 2^(i - 1) ns and at most 2^i ns. */
struct duration_buckets {
	int64_t counts[DURATION_BUCKETS];
	int64_t total;
};

#endif
