/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings in the making, between findings.c, which puts them in order, and
 * the files that look for one sort each.
 */
#ifndef ANALYZE_COLLECT_H
#define ANALYZE_COLLECT_H

#include "analyze/findings.h"

/* A span among others with equal keys, which make one finding. */
struct item {
	uint64_t key;
	int64_t rank_ns;
	uint32_t message;
	uint32_t span;
};

struct group {
	uint32_t first; /* into collect.spans */
	uint32_t count;
	uint32_t span; /* the member of the highest rank */
	int64_t rank_ns;
};

struct collect {
	const struct calls *calls;
	const struct trace *t;
	const struct trace_times *times;
	struct siblings siblings;
	struct retries retries;
	struct result *result;
	struct arena scratch;
	struct item *items; /* as many as there are spans */
	uint32_t item_count;
	struct group *groups;
	uint32_t group_count;
	uint32_t *spans;
	int64_t *durations;
	bool *is_told; /* per span: its failure is part of a finding */
	struct error *err;
};

bool collect_gaps(struct collect *k) MUST_CHECK;

#endif
