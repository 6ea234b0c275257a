/* SPDX-License-Identifier: Apache-2.0
 *
 * The gate of a CI pipeline: whether a comparison breaks the given limits, is
 * within them, or is inconclusive. Only significant changes break a limit, and
 * if hardly any change is detectable no limit counts as held. Facts of a ranked
 * result; texts are elsewhere.
 */
#ifndef ANALYZE_GATES_H
#define ANALYZE_GATES_H

#include "analyze/latency.h"
#include "model/result.h"

enum gate_kind {
	GATE_TOTAL = 0, /* growth of the total */
	/* Growth of a function, in total or self time, relative to the common
	 * factor. */
	GATE_FUNCTION,
	GATE_NEW,       /* share of a function that did not exist before */
	GATE_LATENCY,   /* growth of an operation's latency */
	GATE_COUNT
};

/* Limits as fractions, 0.03 for 3 %; negative: not set. */
struct gate_limits {
	double limit[GATE_COUNT];
	/* The limit of the total was not set explicitly and requests are not
	 * counted, so a busy machine or more load would change the total as
	 * well: significant growth is then inconclusive, and growth with the
	 * traffic is ignored. */
	bool is_total_open;
};

/* Minimum number of samples per side for a verdict: half of a function with a
 * share of 10 % is five of these. */
#define GATES_MIN_SAMPLES 100

/* A gate is blind if neither a 50 % growth of the total, nor of a function with
 * a share of 10 %, is detectable. */
#define GATES_BLIND 0.5
#define GATES_BLIND_SHARE 0.1

/* Number of rows reported if nothing is significant. */
#define GATES_NEAREST 3

/* A broken limit: the lower end of the interval exceeds it. */
struct gate_hit {
	enum gate_kind gate;
	const struct function_row *row; /* NULL: the total, or an operation */
	const struct latency_row *operation; /* for GATE_LATENCY */
	bool is_self; /* of self time */
	/* Growth of its own values relative to the baseline; for GATE_NEW its
	 * share. INFINITY: it did not exist. */
	double growth;
	double low; /* 95 % interval; NaN: unknown */
	double high;
	double beside; /* the end that is compared with the limit: low, relative
			* to the common factor */
	double q; /* NaN: not tested */
};

/* Returns whether the function belongs to the runtime, the collector or the
 * kernel. */
bool gate_hit_is_of_machine(const struct gate_hit *hit);

/* Shares of a profile for which the minimum detectable growth of a function is
 * reported; text output has only the fifth, 2 %. */
#define GATES_POWERS 12
#define GATES_POWER_TOLD 4

struct gates_power {
	double share;
	double growth; /* detectable with a power of 80 %; NaN: unknown */
};

enum gates_outcome { GATES_HELD = 0, GATES_BROKEN, GATES_UNKNOWN };

/* Why the result is inconclusive. */
enum gates_lack {
	GATES_LACK_NONE = 0,
	GATES_LACK_TEST,     /* values that cannot be tested */
	GATES_LACK_SAMPLES,  /* fewer than GATES_MIN_SAMPLES */
	GATES_LACK_POWER,    /* blind, see GATES_BLIND */
	GATES_LACK_SIDE,     /* no baseline */
	GATES_LACK_REQUESTS, /* of each operation, for latency */
	GATES_LACK_LATENCY,  /* blind to the latency of the busiest operation */
	GATES_LACK_ANSWER,   /* no server has latencies */
	/* The reasons below are not a lack of data. */
	/* The total grew beyond its limit, because of the code or the machine:
	 * see is_total_open. */
	GATES_LACK_WHOLE,
	GATES_LACK_TRAFFIC, /* totals of shares and of values per second are not
			     * compared */
	/* A function grew relative to the others, but its own value did not
	 * change: it grew, or all the others shrank. */
	GATES_LACK_BESIDE,
	/* Two groups of functions diverged under an unknown load: one of them
	 * changed, and which is not known. */
	GATES_LACK_SPLIT,
};

struct gates {
	struct gate_limits limits;
	enum gates_outcome outcome;
	/* For each limit that did not break, why it is inconclusive; and the
	 * one that is reported. */
	enum gates_lack lacks[GATE_COUNT];
	enum gate_kind lacking;
	struct gate_hit *hits; /* worst first; in the result's arena */
	size_t hit_count;
	size_t grown_count; /* significant, but possibly within the limits */
	size_t shrunk_count;
	struct gate_hit largest; /* of those that grew; row NULL: none */
	/* If the gate is blind: the rows nearest to significance, and how many
	 * more runs per side, like the existing ones, would suffice. */
	const struct function_row *nearest[GATES_NEAREST];
	size_t nearest_count;
	size_t runs_lacking;
	struct gate_hit total; /* growth of the total */
	/* Values per second depend on traffic: the total is not compared. */
	bool is_relative;
	bool has_total;        /* it can be compared: values are not shares */
	bool is_total_certain; /* significant */
	struct gates_power powers[GATES_POWERS];
	bool has_power; /* powers are known */
	/* The smallest share of a function whose growth by the limit is
	 * detectable; NaN: none. */
	double seen_share;
	/* The smallest detectable growth of a function with
	 * GATES_BLIND_SHARE. */
	double seen_growth;
	double other_common; /* for GATES_LACK_SPLIT: common factor of the other
			      * group */
	/* For GATES_LACK_BESIDE: the function with the largest relative
	 * change. */
	const struct function_row *beside;
	/* The common change of most functions, 0.05 for 5 % more; 0: none. */
	double common;
};

/* Returns whether this limit was set, and applies to this comparison. */
static inline bool gates_has(const struct gates *g, enum gate_kind gate)
{
	return g->limits.limit[gate] >= 0;
}

/* Returns why the gate is inconclusive. */
static inline enum gates_lack gates_lack(const struct gates *g)
{
	return g->lacks[g->lacking];
}

/* Returns whether limits are inconclusive for lack of data, and not because
 * growth is significant but of unknown cause. */
bool gates_lack_data(const struct gates *g);

/* Evaluates a result that functions_rank() filled with all rows, by totals. */
bool gates_judge(struct gates *g, const struct gate_limits *limits,
		 struct result *result, struct error *err) MUST_CHECK;

/* Returns the growth of a row's own values, significant or not. */
struct gate_hit gates_row_growth(const struct function_row *row,
				 const struct result *result);

/* Initializes gates without a verdict. */
void gates_init(struct gates *g, const struct gate_limits *limits);

/* Evaluates the latency of operations, sorted by number of requests, in
 * addition to previous verdicts. */
bool gates_judge_latency(struct gates *g, const struct latency_row *rows,
			 size_t count, struct arena *arena,
			 struct error *err) MUST_CHECK;

/* Sets the lack of latency data, if there is a limit for latency. */
void gates_miss_latency(struct gates *g);

#endif
