/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings in the making, between findings.c, which puts them in order, and
 * the files that look for one sort each.
 */
#ifndef ANALYZE_COLLECT_H
#define ANALYZE_COLLECT_H

#include "analyze/findings.h"
#include "analyze/retries.h"

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

/* Adds a finding about these spans. */
bool collect_add(struct collect *k, const struct finding_facts *facts,
		 const uint32_t *spans, size_t count) MUST_CHECK;

/* One that counts the others, when count is more than may be listed. */
bool collect_add_rest(struct collect *k, enum finding_kind kind,
		      size_t count) MUST_CHECK;

/* Makes groups of k->items with equal key and message, the highest rank
 * first; their spans are in k->spans. */
void collect_group(struct collect *k);

/* A time that is worth a word: at least least_ns and percent of the critical
 * path. */
bool collect_matters(const struct collect *k, int64_t time_ns, int64_t least_ns,
		     int64_t percent);

/* Of the durations of these spans; the lower of two. */
int64_t collect_median(struct collect *k, const uint32_t *spans,
		       uint32_t count);

/* One sort each. */
bool collect_retries(struct collect *k) MUST_CHECK;
bool collect_fan_outs(struct collect *k) MUST_CHECK;
bool collect_cold_calls(struct collect *k) MUST_CHECK;
bool collect_consecutive(struct collect *k) MUST_CHECK;
bool collect_queue_gaps(struct collect *k) MUST_CHECK;
bool collect_gaps(struct collect *k) MUST_CHECK;
bool collect_message_delays(struct collect *k) MUST_CHECK;

#endif
