/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/traits.h"

static const struct profile_traits pyroscope = { .has_span_samples = true };
static const struct profile_traits parca = { .has_span_samples = false };
static const struct profile_traits cloud_profiler = {
	.is_list = true,
	.has_targets = true,
};

const struct profile_traits *profile_traits_of(enum source_kind kind,
					       const struct endpoint *endpoint)
{
	if (kind == SOURCE_CLOUD_PROFILER)
		return &cloud_profiler;
	return endpoint->parca ? &parca : &pyroscope;
}
