/* SPDX-License-Identifier: Apache-2.0
 *
 * The gate of a pipeline: whether what a comparison found breaks the limits
 * that were set, holds them, or cannot tell. Only what is told from noise
 * breaks a limit, and where hardly any change could have been seen nothing
 * holds one. Facts of a ranked result; no words.
 */
#ifndef ANALYZE_GATES_H
#define ANALYZE_GATES_H

#include "analyze/latency.h"
#include "model/result.h"

enum gate_kind {
	GATE_TOTAL = 0, /* growth of all that is spent, of what it was */
	/* Growth of a function, with what it calls or of what it does itself:
	 * judged beside what all did. */
	GATE_FUNCTION,
	GATE_NEW,       /* share of a function that was not there before */
	GATE_LATENCY,   /* growth of what requests of an operation take */
	GATE_COUNT
};

/* Limits in parts, 0.03 for 3 %; negative: not looked at. */
struct gate_limits {
	double limit[GATE_COUNT];
	/* Nobody asked for the total by name or counted requests, and a busy
	 * machine or more work would move it as well: where it grew for certain
	 * that is no verdict, and where it follows the traffic it is no limit. */
	bool is_total_open;
};

/* Fewer samples of a side tell nothing of a gate: half a function of a tenth is
 * five of them. */
#define GATES_MIN_SAMPLES 100

/* A gate is blind when not even a growth of a half of all that is spent, or of
 * a function that is a tenth of it, would have been seen. */
#define GATES_BLIND 0.5
#define GATES_BLIND_SHARE 0.1

/* Rows that are told where nothing is certain. */
#define GATES_NEAREST 3

/* One limit broken: by the lower end of the interval. */
struct gate_hit {
	enum gate_kind gate;
	const struct function_row *row; /* NULL: all of it, or an operation */
	const struct latency_row *operation; /* of GATE_LATENCY */
	bool is_self; /* of what the function does itself */
	/* Of what it was, by its own values; of GATE_NEW the share that it has.
	 * INFINITY: it was not there. */
	double growth;
	double low; /* 95 % interval; NaN unknown */
	double high;
	double beside; /* the end that is judged: low, beside what all did */
	double q; /* NaN not tested */
};

/* Returns whether it is of a function of the runtime, the collector or the
 * kernel. */
bool gate_hit_is_of_machine(const struct gate_hit *hit);

/* Shares of a profile whose functions' smallest visible growth is told; people
 * are told of the fifth, 2 %. */
#define GATES_POWERS 12
#define GATES_POWER_TOLD 4

struct gates_power {
	double share;
	double growth; /* seen in four of five cases; NaN unknown */
};

enum gates_outcome { GATES_HELD = 0, GATES_BROKEN, GATES_UNKNOWN };

/* Why it is not known. */
enum gates_lack {
	GATES_LACK_NONE = 0,
	GATES_LACK_TEST,     /* values that no test can tell from noise */
	GATES_LACK_SAMPLES,  /* fewer than GATES_MIN_SAMPLES */
	GATES_LACK_POWER,    /* blind */
	GATES_LACK_SIDE,     /* nothing to compare with */
	GATES_LACK_REQUESTS, /* of each operation, to judge its latency */
	GATES_LACK_LATENCY,  /* blind to the latency of the busiest one */
	GATES_LACK_ANSWER,   /* no server told how long requests take */
	/* Those that follow are no lack of data. */
	/* All of it certainly grew beyond its limit, by the code or by the
	 * machine: see is_total_open. */
	GATES_LACK_WHOLE,
	GATES_LACK_TRAFFIC, /* of shares and of values a second no total is judged */
	/* A function grew beside the others and took what it did: it grew, or all
	 * the others shrank. */
	GATES_LACK_BESIDE,
	/* Two groups of functions moved apart under a load that nobody counted: one
	 * changed, and which is not known. */
	GATES_LACK_SPLIT,
};

struct gates {
	struct gate_limits limits;
	enum gates_outcome outcome;
	/* Of each limit in force that did not break, why it is not judged; and of
	 * the one that is told. */
	enum gates_lack lacks[GATE_COUNT];
	enum gate_kind lacking;
	struct gate_hit *hits; /* the worst first; in the result's arena */
	size_t hit_count;
	size_t grown_count; /* told from noise, but maybe within the limits */
	size_t shrunk_count;
	struct gate_hit largest; /* of those that grew; row NULL: none did */
	/* Where the gate is blind: what is nearest to being certain, and how many
	 * more runs a side, like those that there are, would do. */
	const struct function_row *nearest[GATES_NEAREST];
	size_t nearest_count;
	size_t runs_lacking;
	struct gate_hit total; /* what became of the whole */
	/* Values of a second follow the traffic: of the whole nothing is
	 * judged. */
	bool is_relative;
	bool has_total;        /* it can be told: values are no shares */
	bool is_total_certain; /* told from noise */
	struct gates_power powers[GATES_POWERS];
	bool has_power; /* it is known */
	/* The least share of a function whose growth by the limit would have
	 * been seen; NaN: of none. */
	double seen_share;
	/* The least growth that would have been seen of GATES_BLIND_SHARE. */
	double seen_growth;
	double other_common; /* of GATES_LACK_SPLIT: that of the other group */
	/* Of GATES_LACK_BESIDE: the one that moved most beside the others. */
	const struct function_row *beside;
	/* What most functions did, which they were judged beside: 0.05 for 5 %
	 * more; 0 nothing. */
	double common;
};

/* Returns whether this limit was set, and can be judged in such a comparison.
 */
static inline bool gates_has(const struct gates *g, enum gate_kind gate)
{
	return g->limits.limit[gate] >= 0;
}

/* Why the gate cannot tell. */
static inline enum gates_lack gates_lack(const struct gates *g)
{
	return g->lacks[g->lacking];
}

/* Returns whether it is too little data that leaves limits open: what grew for
 * certain, by the code or not, is none. */
bool gates_lack_data(const struct gates *g);

/* Judges a result that functions_rank() filled with all rows, by totals. */
bool gates_judge(struct gates *g, const struct gate_limits *limits,
		 struct result *result, struct error *err) MUST_CHECK;

/* Growth of a row by its own values, certain or not. */
struct gate_hit gates_row_growth(const struct function_row *row,
				 const struct result *result);

/* Nothing is judged yet. */
void gates_init(struct gates *g, const struct gate_limits *limits);

/* Judges operations, those with the most requests first, beside what was
 * judged already. */
bool gates_judge_latency(struct gates *g, const struct latency_row *rows,
			 size_t count, struct arena *arena,
			 struct error *err) MUST_CHECK;

/* Latency was to be judged, and nothing is known of it. */
void gates_miss_latency(struct gates *g);

#endif
