/* SPDX-License-Identifier: Apache-2.0
 *
 * What kinds of servers can do, and how much they give at once. Code outside
 * backend/ asks for these, not for the name of a server.
 */
#ifndef BACKEND_TRAITS_H
#define BACKEND_TRAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "backend/source.h"

struct trace_traits {
	/* Requests use up a quota: it may end in the middle of a run, which is
	 * then told. */
	bool is_metered;
	/* Lists attributes (tags) and their values; else services and names,
	 * where lists_names. */
	bool lists_tags;
	bool lists_names;
	/* A condition on errors leaves nothing else in the answer. */
	bool finds_errors_only;
	/* Gives the slowest first. */
	bool sorts_by_duration;
	/* Durations in its lists may be that much off. */
	int64_t duration_slack_ns;
	/* Slices in which a slow window is asked about, and traces of each; 0:
	 * the window's own share. */
	unsigned history_slices;
	uint32_t history_slice_traces;
	/* Traces of a search at least and at most, and how often one may ask
	 * on. By pages: of a page, where spans are asked for, and where roots
	 * are. */
	uint32_t search_least;
	uint32_t search_most;
	unsigned search_rounds;
	uint32_t page_of_spans; /* 0: no pages */
	uint32_t page_of_roots;
};

/* For the kind of the traces' side. */
const struct trace_traits *trace_traits_of(enum source_kind kind);

struct profile_traits {
	/* Samples can be selected by the ids of their spans. */
	bool has_span_samples;
	/* Nothing is selected: a list of profiles is fetched and added up, so
	 * that further questions of the same list cost nothing. */
	bool is_list;
	/* Services are called by targets of the platform's own (jobs, Cloud
	 * Run services) as well. */
	bool has_targets;
};

/* For the kind of the profiles' side, and what was found out about it. */
const struct profile_traits *profile_traits_of(enum source_kind kind,
					       const struct endpoint *endpoint);

#endif
