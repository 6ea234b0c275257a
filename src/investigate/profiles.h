/* SPDX-License-Identifier: Apache-2.0
 *
 * The profile half of `slow`: which type on which rung of the ladder explains
 * what the span grew by, asked for step by step, cheapest and strongest
 * evidence first (rules in analyze/verdict.h).
 */
#ifndef INVESTIGATE_PROFILES_H
#define INVESTIGATE_PROFILES_H

#include "analyze/verdict.h"
#include "investigate/comparison.h"
#include "investigate/investigation.h"
#include "investigate/profile_service.h"
#include "investigate/symptom.h"

struct profile_inquiry {
	struct investigation *v;
	const struct symptom *s;
	enum cause_kind trace_cause; /* what the trace alone said */
	struct profile_service service;
	const char *type_ids[WAIT_TYPES]; /* NULL: not offered */
	const char *cpu_id;
	const char *alloc_id;
	const char *forced_id; /* of --type; NULL: auto */
	bool is_forced_gauge;
	bool has_ignored_spans; /* the server gave the whole service instead */
	bool is_wall_cpu; /* no CPU type: the busy part of wall stands for it */
	struct comparison request; /* CPU of this very request */
	struct comparison cohort;  /* CPU of requests like it */
	struct comparison service_cpu;
	struct comparison waits[WAIT_TYPES];
	struct comparison alloc;
	struct comparison final; /* the chosen one again, in parts */
	struct comparison *shown;
	/* What the budget left of them: parts a side, 0 not planned. */
	bool is_request_spared;
	bool has_span_samples; /* the server tells samples of spans apart */
	size_t cpu_parts;
	size_t last_parts;
	struct count_job slow_count;
	struct count_job base_count;
	struct cpu_measure cpu;
	enum cpu_verdict cpu_verdict;
	struct wait_measure measures[WAIT_TYPES];
	enum wait_type wait;
	struct wait_measure alloc_lead;
	/* The function that decided, NULL: none did. */
	const struct wait_measure *lead;
	double gc_share;
	bool is_service_measured; /* and the next: see inquiry_measure.h */
	bool is_gc_measured;
	size_t note_count; /* of the result before it was ranked */
};

/* NULL without memory. The service is to be filled in then. */
struct profile_inquiry *profile_inquiry_new(struct investigation *v,
					    const struct symptom *s,
					    struct error *err);
void profile_inquiry_free(struct profile_inquiry *q);

/* Looks for the profile that explains: q->shown is then what the answer is of,
 * NULL when none explains anything; fills result->profile, ->baseline,
 * ->functions and completes ->cause but for its words. False: no profile at
 * all, with the reason; the trace's half of the answer stands. */
bool profile_inquiry_run(struct profile_inquiry *q,
			 struct error *err) MUST_CHECK;

#endif
