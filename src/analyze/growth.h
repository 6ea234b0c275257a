/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether something grows without end: what processes hold, over hours, in
 * means of eight blocks. Tests of single measurements see a trend in any slow
 * wandering, means of blocks seldom do; and a trend that levels off, follows
 * the load or shows in one process only is none of a leak. Pure; the unit of
 * values is the caller's.
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
/* The most processes that are looked at; of more the first ones. */
#define GROWTH_SEGMENTS_MAX 64u

/* The life of one process, or what of it was looked at. */
struct growth_segment {
	double hours[GROWTH_BLOCKS];  /* of the middle of each block */
	double values[GROWTH_BLOCKS]; /* means */
	double load[GROWTH_BLOCKS];   /* traffic, in any unit */
	bool has_load;
};

enum growth_kind {
	GROWTH_NONE = 0,   /* not beyond noise */
	GROWTH_SMALL,      /* less than is worth a word */
	GROWTH_UNEVEN,     /* not in every segment, or not all the time */
	GROWTH_LEVELS_OFF, /* a cache that fills */
	GROWTH_WITH_LOAD,  /* no more than the load grew */
	GROWTH_ENDLESS,
};

struct growth {
	enum growth_kind kind;
	double per_hour; /* median of all slopes (Theil and Sen) */
	double low;      /* its interval of 95 % */
	double high;
	double start; /* means of the first and of the last third */
	double end;
	double p;           /* of no trend, one-sided (Mann and Kendall) */
	double q;           /* the same among all that were tested */
	double late_share;  /* slope at the end by that of all; 1: a line */
	double load_growth; /* of the load, by its start; 0: not known */
	size_t rising;      /* segments that grew */
	size_t segment_count;
};

/* All but significance: kind is what it is if the trend is none of chance.
 * least: growth over the window that counts, in the unit of values. */
void growth_judge(const struct growth_segment *segments, size_t count,
		  double least, struct growth *out);

/* The limit of q for a process as a whole: false alarms of flat, sawing and
 * filling memory stay under 1 % (the tests count them). */
#define GROWTH_Q 0.002
/* The limit of q for its parts, where the whole was found to grow. */
#define GROWTH_PART_Q 0.01

/* Among so many that were judged: those that may be chance by this share of
 * false discoveries are GROWTH_NONE from here on. What is small is not among
 * the others. scratch holds 2 * count numbers, order count. */
void growth_settle(struct growth *list, size_t count, double most_q,
		   double *scratch, size_t *order);

/* The functions that hold more and more: a growth for each function that stacks
 * are charged to, from the profiles of the parts of some processes, and the way
 * to what grew. Pure. */

/* Functions that are tested, those that grew most. */
#define GROWTH_FUNCTIONS 20u

struct growth_blocks {
	/* GROWTH_BLOCKS of each process, one process after the other. Sums of
	 * some snapshots each. */
	const struct profile *profiles;
	/* What the processes held, by a snapshot. */
	const struct growth_segment *segments;
	size_t process_count;           /* at most GROWTH_PROCESSES */
	double least;                   /* growth that counts */
	double most_q;                  /* GROWTH_Q or GROWTH_PART_Q */
	const struct code_rules *rules; /* the user's, or NULL */
	struct arena *keep;             /* for names that are found */
	struct notes *notes;
};

struct growth_function {
	struct str name;
	struct str file; /* NULL ptr: unknown */
	uint32_t line;
	struct growth growth;
	/* "main > serve > handle": callers, root first, of what grew most; of
	 * the first that grows without end. NULL ptr: not looked for. */
	struct str path;
};

struct growth_functions;

/* Fills list with *count functions by their growth, judged together. Free also
 * after failure; NULL: no memory. */
struct growth_functions *growth_functions_new(const struct growth_blocks *want,
					      struct error *err) MUST_CHECK;
bool growth_functions_find(struct growth_functions *g,
			   struct growth_function list[GROWTH_FUNCTIONS],
			   size_t *count, struct error *err) MUST_CHECK;
/* Finds the value that another profile charges to the function found at this
 * place. */
bool growth_functions_value(const struct growth_functions *g, size_t index,
			    const struct profile *p, double *out,
			    struct error *err) MUST_CHECK;
void growth_functions_free(struct growth_functions *g);

/* The growth in a fleet. One service has some dozen functions that tell how far
 * unchanged ones wander, a fleet has thousands: noise is taken from all of them
 * and, for each service, drawn towards what services are like (empirical
 * Bayes), so that what one service alone could not tell from noise is told.
 * False claims are controlled over services. Pure arithmetic, no words. */

/* Fewer functions do not show what most of a service did. */
#define FLEET_PEERS 6

/* Judges all services that are FLEET_COMPARED; some become FLEET_FEW_SAMPLES,
 * FLEET_FEW_FUNCTIONS or FLEET_BLIND. Only growth of functions and new ones have limits here:
 * what a service takes as a whole follows its traffic. Sorts the services. */
bool fleet_growth_find(struct fleet *f, const struct gate_limits *limits,
		       struct error *err) MUST_CHECK;

/* The profiles of a service as a fleet keeps them: samples by function, now and
 * in each part of before. */

struct code_rules;

/* Profiles of a service: what is now, then the parts of what was. */
#define FLEET_QUESTIONS (1 + FLEET_PARTS)

/* Sets the state of the service, and its functions when it can be compared.
 * Profiles without samples are as good as none. rules: the user's, or NULL. */
bool fleet_count(struct fleet *f, struct fleet_service *s,
		 const struct profile *const profiles[FLEET_QUESTIONS],
		 const struct code_rules *rules, struct notes *notes,
		 struct error *err) MUST_CHECK;

#endif
