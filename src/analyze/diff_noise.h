/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows of a comparison as counts, how much they vary when nothing changed,
 * and which changes that hides. For the files of analyze/diff.h alone.
 */
#ifndef ANALYZE_DIFF_NOISE_H
#define ANALYZE_DIFF_NOISE_H

#include "analyze/diff.h"

/* The compared measure of an entry. */
int64_t diff_value(const struct diff *d, uint32_t id, enum side s);
struct counts diff_counts(const struct diff *d, uint32_t id);

/* Variance of the requests of a side relative to their square, where they were
 * counted in a sample. */
double diff_counted_variance(const struct diff *d, enum side s);

/* How the entry varies from block to block. */
struct dispersion diff_dispersion(const struct diff *d, uint32_t id);

/* Noise of the entry with the counts c, with what drifts between windows. */
struct noise diff_noise(const struct diff *d, uint32_t id,
			const struct counts *c);

/* The least part of the whole that a change is claimed of. */
double diff_least_delta(const struct diff *d);

/* Whether a change of the entry by DIFF_SAME_PART would have been seen. */
bool diff_is_visible(const struct diff *d, uint32_t id);

#endif
