/* SPDX-License-Identifier: Apache-2.0
 *
 * Detects unbounded growth of a process's memory or the like over hours, from
 * means of eight intervals. Tests of single measurements find trends in any
 * slow variation, means of intervals rarely do; and a trend that levels off,
 * follows the load or occurs in one process only is not a leak. Pure; the unit
 * of values is the caller's.
 */
#ifndef ANALYZE_GROWTH_H
#define ANALYZE_GROWTH_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/code_kind.h"
#include "analyze/gates.h"
#include "model/fleet.h"
#include "model/profile.h"

#define GROWTH_BLOCKS 8u
/* Maximum number of processes; further ones are ignored. */
#define GROWTH_SEGMENTS_MAX 64u

/* The process lifetime, or the part of it in the window. */
struct growth_segment {
	double hours[GROWTH_BLOCKS];  /* middle of each interval */
	double values[GROWTH_BLOCKS]; /* means */
	double load[GROWTH_BLOCKS];   /* traffic, in any unit */
	bool has_load;
};

enum growth_kind {
	GROWTH_NONE = 0,   /* not significant */
	GROWTH_SMALL,      /* below the relevant minimum */
	GROWTH_UNEVEN,     /* not in every segment, or not all the time */
	GROWTH_LEVELS_OFF, /* for example a cache that fills */
	GROWTH_WITH_LOAD,  /* not more than the load grew */
	GROWTH_ENDLESS,
};

struct growth {
	enum growth_kind kind;
	double per_hour; /* median of all slopes (Theil and Sen) */
	double low;      /* its 95 % interval */
	double high;
	double start; /* means of the first and of the last third */
	double end;
	double p;           /* of no trend, one-sided (Mann and Kendall) */
	double q;           /* corrected for all tests */
	double late_share;  /* slope at the end relative to the mean slope; 1:
			     * linear */
	double load_growth; /* of the load, relative to its start; 0: not
			     * known */
	size_t rising;      /* number of growing segments */
	size_t segment_count;
};

/* Computes everything except significance: kind is valid if the trend is
 * significant. least: minimum relevant growth, in the unit of values. */
void growth_judge(const struct growth_segment *segments, size_t count,
		  double least, struct growth *out);

/* The limit of q for a whole process: false alarms for constant, sawtooth and
 * filling memory stay under 1 % (the tests count them). */
#define GROWTH_Q 0.002
/* The limit of q for its parts, if the whole was found to grow. */
#define GROWTH_PART_Q 0.01

/* Sets kind to GROWTH_NONE where growth is not significant, by the false
 * discovery rate among all in the list. Small growth is not counted as a test.
 * scratch holds 2 * count numbers, order count. */
void growth_settle(struct growth *list, size_t count, double most_q,
		   double *scratch, size_t *order);

/* Finds the functions whose memory grows: tests each function that stacks are
 * charged to, from profiles of the intervals of some processes, and finds the
 * call path of the growth. Pure. */

/* Number of functions tested: those that grew most. */
#define GROWTH_FUNCTIONS 20u

struct growth_blocks {
	/* GROWTH_BLOCKS of each process, one process after another; each a sum
	 * of a few snapshots. */
	const struct profile *profiles;
	/* Totals of the processes, per snapshot. */
	const struct growth_segment *segments;
	size_t process_count;           /* at most GROWTH_PROCESSES */
	double least;                   /* minimum relevant growth */
	double most_q;                  /* GROWTH_Q or GROWTH_PART_Q */
	const struct code_rules *rules; /* the user's, or NULL */
	struct arena *keep;             /* for the names of functions found */
	struct notes *notes;
};

struct growth_function {
	struct str name;
	struct str file; /* NULL ptr: unknown */
	uint32_t line;
	struct growth growth;
	/* "main > serve > handle": callers, root first, of the largest growth;
	 * only for the first function with unbounded growth. NULL ptr: not
	 * determined. */
	struct str path;
};

struct growth_functions;

/* growth_functions_new() returns NULL without memory; growth_functions_find()
 * fills list with *count functions, sorted by growth and tested together. Free
 * also after failure. */
struct growth_functions *growth_functions_new(const struct growth_blocks *want,
					      struct error *err) MUST_CHECK;
bool growth_functions_find(struct growth_functions *g,
			   struct growth_function list[GROWTH_FUNCTIONS],
			   size_t *count, struct error *err) MUST_CHECK;
/* Finds the value that another profile charges to the function at this index of
 * the list. */
bool growth_functions_value(const struct growth_functions *g, size_t index,
			    const struct profile *p, double *out,
			    struct error *err) MUST_CHECK;
void growth_functions_free(struct growth_functions *g);

/* Regressions across a fleet. One service has some dozen functions from which
 * noise can be estimated, a fleet has thousands: noise is estimated from all of
 * them and, for each service, shrunk towards the fleet's distribution
 * (empirical Bayes), so that changes become significant that one service alone
 * could not show. False claims are controlled over all services. Pure
 * arithmetic. */

/* Minimum number of functions to determine the common factor of a service. */
#define FLEET_PEERS 6

/* Evaluates all services that are FLEET_COMPARED; some become
 * FLEET_FEW_SAMPLES, FLEET_FEW_FUNCTIONS or FLEET_BLIND. Limits apply only to
 * functions, grown or new: the total of a service follows its traffic. Sorts
 * the services. */
bool fleet_growth_find(struct fleet *f, const struct gate_limits *limits,
		       struct error *err) MUST_CHECK;

/* Reduces the profiles of a service to what a sweep keeps: samples by function,
 * current and in each part of the baseline. */

struct code_rules;

/* Profiles per service: the current one, then the parts of the baseline. */
#define FLEET_QUESTIONS (1 + FLEET_PARTS)

/* Sets the state of the service, and its functions if it can be compared.
 * Profiles without samples count as missing. rules: the user's, or NULL. */
bool fleet_count(struct fleet *f, struct fleet_service *s,
		 const struct profile *const profiles[FLEET_QUESTIONS],
		 const struct code_rules *rules, struct notes *notes,
		 struct error *err) MUST_CHECK;

#endif
