/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/traits.h"

#include "backend/cloud_trace/cloud_trace_query.h"
#include "base/num.h"

/* A slow window is divided so that its beginning is not lost behind its end. Of
 * a metered server twelve lists a minute can be had, see cloud_trace_query.h: a
 * verdict has to do with fewer slices. A list costs the same whatever it holds,
 * so each is a full page. */
#define SLICES 4u
#define METERED_SLICES 2u

/* Each round keeps a tenth at default settings: this is a hundred million
 * traces. */
#define ROUNDS 8u
/* Pages may hold less than was asked for, even nothing, with more behind. */
#define PAGE_ROUNDS 4u

/* A Tempo sends what matches of a trace, a Jaeger whole traces; both need
 * several times the wanted ones, for each question leaves wanted/limit of what
 * is left. */
static const struct trace_traits tempo = {
	.lists_tags = true,
	.lists_names = true,
	.finds_errors_only = true,
	.duration_slack_ns = NS_PER_MS,
	.history_slices = SLICES,
	.search_least = 200,
	.search_most = 4000,
	.search_rounds = ROUNDS,
};

/* Without the condition on errors it ignores it. */
static const struct trace_traits jaeger = {
	.lists_names = true,
	.history_slices = SLICES,
	.search_least = 100,
	.search_most = 400,
	.search_rounds = ROUNDS,
};

/* It has no condition on errors. */
static const struct trace_traits cloud_trace = {
	.is_metered = true,
	.sorts_by_duration = true,
	.history_slices = METERED_SLICES,
	.history_slice_traces = CLOUD_TRACE_PAGE,
	.search_least = CLOUD_TRACE_PAGE,
	.search_most = CLOUD_TRACE_PAGE,
	.search_rounds = PAGE_ROUNDS,
	.page_of_spans = CLOUD_TRACE_PAGE,
	.page_of_roots = CLOUD_TRACE_PAGE_ROOTS,
};

const struct trace_traits *trace_traits_of(enum source_kind kind)
{
	if (kind == SOURCE_CLOUD_TRACE)
		return &cloud_trace;
	return kind == SOURCE_JAEGER ? &jaeger : &tempo;
}

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
