/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules that turn measured time into a cause: whether CPU time explains the
 * growth of a span, which kind of waiting does otherwise, and the confidence.
 * Pure functions of numbers.
 */
#ifndef ANALYZE_VERDICT_H
#define ANALYZE_VERDICT_H

#include "model/profile.h"
#include "model/result.h"

/* Fraction of a growth that must be found as CPU time (or as waiting of one
 * kind) to be its cause. Half: then nothing else can be as large. */
#define VERDICT_EXPLAINED 0.5

/* Fraction of the CPU's growth in garbage collection and allocation from which
 * allocation is the cause: allocating code is then to be examined, not the code
 * that is on CPU. Computing code allocates, too. */
#define VERDICT_ALLOC 0.5

/* Minimum growth of a wait, per request of its service, relative to the growth
 * of the request: a smaller one explains nothing, since it is only assumed to
 * belong to the slow operation, whose part of the requests is estimated from a
 * sample. */
#define VERDICT_CRUMB 0.02

/* Garbage collection with this fraction of a service's CPU, and grown by a
 * large factor, stops its requests. From the second value on it is reported
 * before any wait is queried. */
#define VERDICT_GC_PART 0.25
#define VERDICT_GC_MOST 0.4

/* A wait that explains the time and grew by this factor is not noise, however
 * few samples it has. */
#define VERDICT_BEYOND_NOISE 10.0

/* Minimum number of samples for a decision at any evidence level. */
#define VERDICT_SAMPLES 20

/* CPU time per request of the operation, on both sides. */
struct cpu_measure {
	double slow_ns;
	double base_ns;   /* NaN: not measured */
	double change_ns; /* growth to explain, per request */
	double own_ns;    /* self time per request, slow side */
	double samples;   /* of the slow side */
	/* Samples if all self time of the slow side had been on CPU. */
	double possible_samples;
};

enum cpu_verdict {
	CPU_UNKNOWN, /* too few samples */
	CPU_EXPLAINS,
	CPU_PARTLY,
	CPU_WAITS, /* the time was not spent on CPU */
};

/* Returns whether CPU time explains the growth: by half of it; without a
 * baseline by half of the self time. A span too short for samples
 * (VERDICT_SAMPLES ticks of self time in all requests together) is
 * CPU_UNKNOWN. */
enum cpu_verdict verdict_cpu(const struct cpu_measure *m);

/* Returns whether most of the self time was on CPU, grown or not: half of its
 * possible ticks were observed, less two standard errors of their count. */
bool verdict_is_on_cpu(const struct cpu_measure *m);

/* Returns whether time that is not on CPU is spent waiting for a busy
 * processor: see VERDICT_MANIFOLD. blocked_ns: from a profile of waiting;
 * are_waits_seen: which covers everything that blocks. */
bool verdict_is_starved(const struct cpu_measure *m, double blocked_ns,
			bool are_waits_seen);

/* Returns whether garbage collection explains time that is in no profile of
 * requests: by its fraction of the service's CPU, now and before, and of the
 * growth there. */
bool verdict_is_gc(double now, double before, double of_growth, double least);

/* Returns whether the duration is normal for a span that took own_ns, change_ns
 * more than typical (-1: not known): less than three times the typical time,
 * which occurs now and then. */
bool verdict_is_ordinary(int64_t own_ns, int64_t change_ns);

/* A kind of waiting, or the CPU time of the whole service. */
enum wait_type {
	WAIT_MUTEX,
	WAIT_BLOCK,
	WAIT_NEIGHBOUR, /* other code on the CPU: CPU time of the service */
	WAIT_WALL,
	WAIT_OFF_CPU,
	WAIT_GOROUTINE,
	WAIT_TYPES
};

/* The wait in the first function of a comparison. */
struct wait_measure {
	bool is_known;      /* compared with a baseline */
	bool is_grown;      /* the first function is new or grown */
	bool is_owner;      /* is_grown, and it is application code */
	double change;      /* of that function, in ns per unit of exposure */
	double before;      /* in the baseline */
	double needed;      /* ns per unit of exposure that would explain
			     * everything */
	double per_request_ns; /* change, per request of the slow operation */
	/* Negligible per request of the service: see VERDICT_CRUMB. */
	bool is_crumb;
	bool is_by_request; /* the exposure is requests: more traffic is no
			     * growth */
	struct str name;    /* of that function, borrowed */
	bool is_lock;       /* frames beneath it are locks */
	double gc_share;    /* fraction of the growth in garbage collection,
			     * 0..1 */
};

/* Returns the type that explains the waiting, WAIT_TYPES if none does: the
 * first in order whose owner grew to at least twice its value (per request: 1.5
 * times) and by at least half of the need. Wall clock time of a function that
 * also leads the service's CPU time is WAIT_NEIGHBOUR, if that is likely. */
enum wait_type verdict_wait(const struct wait_measure measures[WAIT_TYPES]);

/* Returns whether a kind of waiting may explain the cause found in the trace. A
 * call to a service without spans always waits: only profiles of the caller are
 * queried. */
bool verdict_asks_for(enum cause_kind trace_cause, enum wait_type type);

/* Drops waits for the answer of a slow call, which any profile has; keeps other
 * reasons for the caller to wait, locks and the CPU. */
void verdict_keep_locks(struct wait_measure measures[WAIT_TYPES]);

/* Returns whether a growth is at least the required fraction of the need; false
 * if the need is not known (0: no other request of the window was found). */
bool verdict_explains(double change, double needed);

/* Returns the same for one measure without a significance test: a function with
 * half of the need that doubled is likely the cause, even if its noise hides
 * the growth. */
bool verdict_is_likely(const struct wait_measure *m);

/* Returns the cause: lock for a mutex, or if the frames beneath are locks;
 * alloc for a neighbour that is the garbage collector; cpu for another
 * neighbour. */
enum cause_kind verdict_wait_cause(enum wait_type type,
				   const struct wait_measure *m);

/* Returns whether spans show the cause, so that no profile changes it. */
bool verdict_is_of_trace(enum cause_kind kind);

/* The facts that confidence is based on. */
struct confidence_facts {
	enum scope scope;
	bool has_profile;
	bool has_baseline;
	int healthy;     /* as in struct baseline_info */
	int64_t samples; /* slow side; -1: unknown */
	bool is_tested;  /* the first function's change was tested */
	double q;
	bool is_manifold;      /* not tested, but see VERDICT_BEYOND_NOISE */
	bool is_grown;         /* the first function is new or grown */
	bool has_close_second; /* the second function grew nearly as much */
	bool is_close_span;    /* another span took nearly as much time */
	bool is_alone;         /* other requests were not slower there */
	bool may_be_chance;    /* the increase in slow requests may be chance */
	bool is_trace_enough;  /* spans show the cause: a call, a loop */
	bool has_history;
	bool is_healthy_operation;
	bool is_partial_trace;
	bool is_partly_cpu; /* less than half of it was on CPU */
	bool is_of_one_operation; /* no other operation confirms that it is the
				   * machine */
	bool has_few_messages; /* the typical wait is based on fewer than
				* five */
};

/* Reasons for a low confidence, in the order in which they are listed. */
enum weakness {
	WEAKNESS_NO_PROFILE,
	WEAKNESS_OTHER_TIME, /* the file is of another time than the trace */
	WEAKNESS_TIME_UNKNOWN,
	WEAKNESS_NO_BASELINE,
	WEAKNESS_NOTHING_GREW, /* no function, significantly */
	WEAKNESS_NOT_TESTED,
	WEAKNESS_WHOLE_SERVICE, /* not from this request */
	WEAKNESS_FEW_SAMPLES,
	WEAKNESS_NEAR_NOISE,
	WEAKNESS_CLOSE_SECOND, /* function */
	WEAKNESS_PARTLY_CPU,
	WEAKNESS_NO_HISTORY,
	WEAKNESS_HEALTHY_OPERATION,
	WEAKNESS_BASELINE_UNCHECKED,
	WEAKNESS_BASELINE_UNHEALTHY,
	WEAKNESS_CLOSE_SPAN,
	WEAKNESS_ALONE,
	WEAKNESS_MAY_BE_CHANCE,
	WEAKNESS_ONE_OPERATION,
	WEAKNESS_PARTIAL_TRACE,
	WEAKNESSES
};

struct confidence_rating {
	enum confidence confidence;
	bool is_no_answer; /* a single weakness that makes it weak */
	enum weakness weaknesses[WEAKNESSES];
	size_t weakness_count;
};

/* Adds a weakness where it is there; each at most once. */
static inline void confidence_lacks(struct confidence_rating *r, bool is_there,
				    enum weakness weakness)
{
	if (is_there)
		r->weaknesses[r->weakness_count++] = weakness;
}

/* Rates the confidence. strong: span or cohort (or an instance), at least 100
 * samples, q <= 0.01, healthy baseline, no close second, complete trace. fair:
 * a tested change, or one beyond noise, with at most two of these missing.
 * weak: all else. report/texts.h has the texts. */
struct confidence_rating verdict_confidence(const struct confidence_facts *f);

/* Completes the cause: adds the evidence of the profile to the cause suggested
 * by the trace alone, and rates the confidence. */

/* When a profile named by the user was taken. */
enum cause_file {
	CAUSE_FILE_FITS = 0, /* at the time of the trace; or from a server */
	CAUSE_FILE_OF_OTHER_TIME,
	CAUSE_FILE_OF_NO_TIME, /* without a timestamp */
};

struct cause_evidence {
	const struct profile *span; /* CPU samples of the span, NULL: none */
	/* Self time of the span with the samples, typically the entry of its
	 * process: without waits for other services. */
	int64_t span_own_ns;
	enum cause_file file;
};

/* The statement from the profile that is added to the trace's. */
enum cause_said {
	CAUSE_SAYS_NOTHING = 0,
	CAUSE_SAYS_CPU_SHARE,     /* of the span, instead of the trace's */
	CAUSE_SAYS_CPU_SHARE_TOO, /* of a loop's span, after the trace's */
	/* Too few samples of the span; seen in the profile of its service */
	CAUSE_SAYS_WHERE, /* there was no baseline */
	CAUSE_SAYS_GROWN, /* a function grew */
	CAUSE_SAYS_NOT_GROWN,
};

/* The facts for the texts in report/texts.h. */
struct cause_facts {
	enum cause_said said;
	int64_t own_ns; /* for a CPU share: the total of
			 * result->cause.on_cpu_ns */
	struct confidence_rating rating;
	bool is_span_measured; /* in addition to a profile of more than the
				* span */
};

/* Completes result->cause except for its texts: on_cpu_ns, kind (cpu or wait if
 * the trace left it unknown), confidence. No profile: weak. Profile without
 * baseline: weak. Compared with a baseline: fair if the first function is new
 * or grown and was tested, and a file is of the trace's time, else weak. A
 * queue is shown by traces: fair if the typical wait is known. strong needs
 * span samples and a healthy baseline and is never set without them. */
void cause_judge(const struct cause_evidence *evidence, struct result *result,
		 struct cause_facts *facts);

/* Decomposes the excess of a span over its typical time into parts shown by
 * spans and profiles, and an unattributed rest. Pure functions of numbers. */

/* Per request. 0 or less: not known, or no growth. */
struct excess_facts {
	int64_t total_ns; /* growth of the span */
	int64_t queue_ns; /* part of it, from spans */
	int64_t call_ns;
	double cpu_now_ns; /* on CPU, in similar requests */
	double cpu_before_ns; /* NaN: not known */
	double gc_share;      /* of the growth on CPU, 0..1 */
	double blocked_ns;    /* growth in the profile of waiting */
	double blocked_before_ns;
	struct str blocked_in; /* its leading function */
	const char *by;        /* type of that profile */
};

/* Returns the parts, largest first, ties in the order of their kinds. They add
 * up to the total: if more is measured than is left of it (concurrent threads),
 * the part is truncated, spans before CPU, CPU before waits. Empty (total_ns 0)
 * if nothing grew. */
void excess_sum(const struct excess_facts *f, struct excess *out);

#endif
