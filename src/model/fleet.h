/* SPDX-License-Identifier: Apache-2.0
 *
 * Services of a fleet: samples per function in the candidate and the baseline
 * window, and the result of comparing them. Few numbers per function, so that a
 * fleet fits into memory and into a file.
 */
#ifndef MODEL_FLEET_H
#define MODEL_FLEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "base/timefmt.h"

/* Number of equal parts that the baseline is queried in, to estimate the
 * run-to-run variance of each function; with the candidate, four requests per
 * service. */
#define FLEET_PARTS 3

/* Minimum share of a function in both sides together; smaller ones are dropped:
 * half that share was never a cause. Of a service at most LIMIT_FLEET_FUNCTIONS
 * are kept. */
#define FLEET_LEAST_SHARE 0.005

/* The outcome for a service. */
enum fleet_state {
	FLEET_WAITING = 0, /* not queried yet */
	FLEET_COMPARED,
	FLEET_FEW_SAMPLES, /* too few samples */
	FLEET_BLIND,       /* noise would have hidden growth by 50 % */
	/* Too few functions to estimate the common drift. */
	FLEET_FEW_FUNCTIONS,
	FLEET_NO_BASELINE,  /* no samples in the baseline */
	FLEET_NO_CANDIDATE, /* no samples in the candidate */
	FLEET_NO_CPU,       /* no CPU profiles */
	FLEET_NO_VERSIONS,  /* no deployment within the window */
	FLEET_NO_TEST,      /* values are not sampled */
	FLEET_FAILED,       /* request failed */
	FLEET_LEFT_OUT,     /* over the limit of services per run */
	FLEET_STATES
};

struct fleet_function {
	struct str name; /* NULL: it did not grow, so the name is not needed */
	struct str file; /* NULL unknown */
	uint32_t line;
	/* Samples in the function and in library and runtime code it calls. */
	double after;
	double before[FLEET_PARTS];
	/* Set by fleet_growth_find(). */
	double p;         /* p-value of "it did not grow" */
	double q;         /* q-value within the service */
	double growth;    /* relative growth beyond the common drift */
	double low, high; /* 95 % interval */
	double added;     /* samples due to the growth */
	bool is_grown;    /* significant and above the thresholds */
	bool is_new;
};

struct fleet_side {
	struct time_range range;
	struct str version; /* NULL: all of them */
};

struct fleet_service {
	struct str name;
	struct str type_id; /* empty: no CPU profiles */
	/* NULL: the sides are time windows of all versions. */
	struct str version_label;
	enum fleet_state state;
	struct str reason; /* of FLEET_FAILED, in the server's words */
	struct fleet_side after;
	struct fleet_side before;
	/* After the comparison, grown ones first, by samples added. */
	struct fleet_function *functions;
	size_t count;
	/* All samples; 0 for baseline parts without any. */
	double after_samples;
	double before_samples[FLEET_PARTS];
	/* One candidate sample, in CPU seconds per second. */
	double sample_cores;
	/* Set by fleet_growth_find(). */
	/* Common drift: ratio of shares, candidate to baseline, of most
	 * functions. */
	double drift;
	double p; /* p-value of "nothing grew" */
	/* Minimum detectable growth of a function with 10 % of it. */
	double seen_growth;
	size_t grown; /* number of functions that grew */
};

struct fleet {
	struct arena arena; /* owns everything here */
	/* Most CPU first; after the comparison, grown ones first, by samples
	 * added. */
	struct fleet_service *items;
	size_t count;
	/* As requested; the sides of services lie within. */
	struct time_range window;
	struct time_range baseline; /* both ends 0: by version */
	int64_t started_ns;
	/* Set by fleet_growth_find(). */
	size_t compared;
	size_t grown;
};

static inline double fleet_before(const struct fleet_function *f)
{
	double sum = 0;

	for (size_t i = 0; i < FLEET_PARTS; i++)
		sum += f->before[i];
	return sum;
}

static inline double fleet_before_samples(const struct fleet_service *s)
{
	double sum = 0;

	for (size_t i = 0; i < FLEET_PARTS; i++)
		sum += s->before_samples[i];
	return sum;
}

#endif
