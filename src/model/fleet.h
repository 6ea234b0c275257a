/* SPDX-License-Identifier: Apache-2.0
 *
 * The services of a fleet: what the functions of each took now and before, in
 * samples, and what came of comparing all of them. Few numbers a function, so
 * that a fleet fits into memory and into a file.
 */
#ifndef MODEL_FLEET_H
#define MODEL_FLEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "base/timefmt.h"

/* The equal parts in which the baseline is queried, which show how a function
 * varies by itself; with what is now, four requests a service. */
#define FLEET_PARTS 3

/* Functions of a service with a smaller part of both sides together are not
 * kept: half of it was never a cause. At most 400 are left of a service. */
#define FLEET_LEAST_SHARE 0.005

/* The outcome of a service. */
enum fleet_state {
	FLEET_WAITING = 0, /* not asked yet */
	FLEET_COMPARED,
	FLEET_FEW_SAMPLES,   /* hardly any */
	FLEET_BLIND,         /* noise would have hidden a growth of a half */
	FLEET_FEW_FUNCTIONS, /* that show what unchanged ones do */
	FLEET_NO_BASELINE,   /* nothing was there before */
	FLEET_NO_CANDIDATE,  /* nothing is there now */
	FLEET_NO_CPU,        /* no CPU profiles */
	FLEET_NO_VERSIONS,   /* none came in the window */
	FLEET_NO_TEST,       /* values that are no samples */
	FLEET_FAILED,        /* the server gave no answer */
	FLEET_LEFT_OUT,      /* beyond the most services of a run */
	FLEET_STATES
};

struct fleet_function {
	struct str name; /* NULL: it did not grow, nobody asks who it was */
	struct str file; /* NULL unknown */
	uint32_t line;
	/* Samples of its own and of what it calls that is nobody's own. */
	double after;
	double before[FLEET_PARTS];
	/* Found by fleet_growth_find(). */
	double p;      /* that it did not grow */
	double q;      /* among those of its service */
	double growth; /* beside what most functions did; of what it was */
	double low, high; /* 95 % */
	double added;     /* samples more than without the growth */
	bool is_grown;    /* told from noise, and beyond the limits */
	bool is_new;
};

struct fleet_side {
	struct time_range range;
	struct str version; /* NULL: all of them */
};

struct fleet_service {
	struct str name;
	struct str type_id; /* empty: no CPU profiles */
	struct str version_label; /* NULL: sides are windows of all of it */
	enum fleet_state state;
	struct str reason; /* of FLEET_FAILED, in the server's words */
	struct fleet_side after;
	struct fleet_side before;
	struct fleet_function *functions; /* when judged those that are grown
					     first, by what they add */
	size_t count;
	/* All samples; those of a part in which there were none are 0. */
	double after_samples;
	double before_samples[FLEET_PARTS];
	double sample_cores; /* one sample of now, in CPU seconds a second */
	/* Found by fleet_growth_find(). */
	double drift;       /* of most functions: after to before, of shares */
	double p;           /* that nothing grew */
	double seen_growth; /* of a tenth of it, as would have been seen */
	size_t grown;       /* functions that are */
};

struct fleet {
	struct arena arena;          /* of all that is here */
	struct fleet_service *items; /* most CPU first; when judged those that
					grew first, by what they add */
	size_t count;
	/* What was asked for; the sides of services lie in it. */
	struct time_range window;
	struct time_range baseline; /* both ends 0: by version */
	int64_t started_ns;
	/* Found by fleet_growth_find(). */
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
