/* SPDX-License-Identifier: Apache-2.0
 *
 * What the search for the profile that explains has in hand: what was asked
 * for, what came, and what was decided so far. Data alone.
 */
#ifndef INVESTIGATE_PROFILE_INQUIRY_H
#define INVESTIGATE_PROFILE_INQUIRY_H

#include "analyze/contention.h"
#include "analyze/verdict.h"
#include "investigate/comparison.h"
#include "investigate/coverage.h"
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
	const char *inuse_id;
	const char *forced_id; /* of --type; NULL: auto */
	bool is_forced_gauge;
	bool has_ignored_spans; /* the server gave the whole service instead */
	bool is_wall_cpu; /* no CPU type: the busy part of wall stands for it */
	struct comparison request; /* CPU of this very request */
	struct comparison cohort;  /* CPU of requests like it */
	struct comparison service_cpu;
	struct comparison waits[WAIT_TYPES];
	struct comparison alloc;
	struct comparison heap; /* what is in use, beside it */
	struct comparison final; /* the chosen one again, in parts */
	struct comparison *shown;
	/* What the budget left of them: parts a side, 0 not planned. */
	bool is_request_spared;
	bool has_span_samples; /* the server tells samples of spans apart */
	size_t cpu_parts;
	size_t last_parts;
	struct coverage coverage; /* of both windows, by the service's CPU */
	struct count_job slow_count;
	struct count_job base_count;
	struct cpu_measure cpu;
	enum cpu_verdict cpu_verdict;
	struct wait_measure measures[WAIT_TYPES];
	enum wait_type wait;
	struct wait_measure alloc_lead;
	struct wait_measure heap_lead;
	struct request_roots roots; /* of the stacks that serve requests */
	double background_share;    /* left out of the type that is shown */
	/* So are waits for calls, which spans tell: of all calls, or of those
	 * that pass through a tracing library. */
	bool are_calls_left_out[WAIT_TYPES];
	bool are_calls_told[WAIT_TYPES];
	/* The function that decided, NULL: none did. */
	const struct wait_measure *lead;
	/* The CPU that grew in the whole service grew in the slow requests'
	 * samples too: it is theirs. */
	bool is_own_cpu;
	double gc_share;
	/* Parts of the service's CPU that garbage collection and allocation
	 * take, where that is why the request did not run. */
	double gc_now;
	double gc_before;
	bool is_gc_pause;
	/* Computes many times as much, and waits for a processor. */
	bool is_starved;
	struct contention contention; /* when nothing else explains it */
	struct pool_holder holder;    /* of what a pool's waiters wait for */
	/* Wall clock time per request that went by in code that computes, more
	 * than usual, while CPU time did not grow; ns, 0: not found. */
	double unrun_ns;
	bool is_service_measured; /* and the next: see measures.c */
	bool is_gc_measured;
	size_t note_count; /* of the result before it was ranked */
};

#endif
