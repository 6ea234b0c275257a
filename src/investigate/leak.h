/* SPDX-License-Identifier: Apache-2.0
 *
 * The search for growth without end: of the memory in use of a service, and of
 * its goroutines or threads, over hours, by process, from restart to restart,
 * in intervals (analyze/growth.h), then function by function. The road is
 * leak.c, with the profiles of the intervals; leak_series.c has the time
 * series and what they are cut into. Files stand for a service that sends
 * profiles.
 */
#ifndef INVESTIGATE_LEAK_H
#define INVESTIGATE_LEAK_H

#include "analyze/growth.h"
#include "backend/metrics.h"
#include "investigate/investigation.h"
#include "investigate/profile_service.h"

/* A window of blocks of which each has some uploads, and the longest whose
 * steps are short enough to see a restart. */
#define LEAK_WINDOW_NS (6 * NS_PER_HOUR)
#define LEAK_LEAST_NS (40 * NS_PER_MIN)
#define LEAK_MOST_NS (7 * NS_PER_DAY)

enum leak_what { LEAK_MEMORY = 0, LEAK_THREADS, LEAK_WHATS };

/* The memory of a process from one restart to the next, as far as it lies in
 * the window. */
struct leak_segment {
	struct str instance; /* empty: they are not told apart */
	struct time_range range;
	size_t points;                /* uploads, or steps with several */
	const double *steps;          /* sums, of each step of the window */
	double per_point;             /* snapshots in each */
	struct growth_segment growth; /* by block, a snapshot */
};

struct leak_function {
	struct growth_function found;
	double bytes_each;     /* of an object that stays; 0: not known */
	double allocated_hour; /* bytes, by its allocations; 0: not known */
};

struct leak_subject {
	enum leak_what what;
	struct str type_id;            /* NULL ptr: the service sends none */
	struct leak_segment *segments; /* long enough, the longest first */
	size_t segment_count;
	size_t short_count; /* the others */
	int64_t longest_ns; /* of any */
	size_t instance_count;
	size_t restarts;
	bool is_per_snapshot;            /* what segments hold */
	struct growth total;             /* a process */
	struct leak_function *functions; /* tested, by growth */
	size_t function_count;
	size_t processes; /* that they were looked at in */
	bool is_leak;
};

/* A profile that lies in a file; those of a folder are of one process. */
struct leak_file {
	const char *path;
	struct str instance; /* the folder */
	int64_t time_ns;
	size_t step;
	double held[LEAK_WHATS]; /* 0: it has no such type */
	double made;             /* allocated since it began; -1: not known */
};

struct leak {
	/* Set by the caller. */
	struct investigation *v;
	const char *service; /* of files what they are called together */
	/* Files instead of a service; 0: none. The window is then theirs. */
	const char *const *paths;
	size_t path_count;
	struct time_range window;
	double limit_bytes; /* 0: not given */

	struct profile_service found;
	struct leak_file *files; /* by instance, then time */
	size_t file_count;
	/* What cannot be judged; NULL: all can. */
	const struct leak_file *odd;
	struct str odd_type; /* its own, when that is why */
	int64_t step_ms;
	size_t step_count;
	struct leak_subject subjects[LEAK_WHATS];
	struct str load_type; /* of profiles; NULL ptr: requests of metrics */
	bool has_load;
	/* Of the server of metrics. */
	bool is_limit_known; /* limit_bytes is its */
	double memory_bytes; /* of the largest process; 0: not known */
	struct metric_source sources[METRIC_MEANINGS];
};

/* False with an error without words: v->shortfall says why, or leak_lack()
 * does. */
bool leak_investigate(struct leak *l, struct error *err) MUST_CHECK;

/* Why there is nothing to judge, when there is not. */
enum leak_lack {
	LEAK_NO_LACK = 0,
	LEAK_NO_TIME, /* l->odd does not say when it was taken */
	LEAK_TYPES,   /* l->odd is of another type than files before it */
	LEAK_NO_TYPE, /* neither memory in use nor goroutines are sent */
	LEAK_SHORT,   /* no process lived long enough */
};
enum leak_lack leak_lack(const struct leak *l);

/* Returns whether any of them grows without end. */
bool leak_is_one(const struct leak *l);

/* Seconds until the limit; below 0: not known. At most, where what the process
 * takes is not known: what is in use is a part of it. */
double leak_seconds_left(const struct leak *l);

/* ---- between the files of it ---- */

/* The sums of a type's values by instance and step. */
struct leak_row {
	struct str instance;
	double *values;     /* step_count; 0: nothing was sent */
	const bool *begins; /* steps of a new process; NULL: not known */
};

struct leak_series {
	const char *type_id;
	struct leak_row *rows;
	size_t count;
	bool is_per_snapshot; /* else sums of those of a step */
	bool has_answer;
	struct error err;
};

/* Asks for all series side by side. */
bool leak_series_ask(struct leak *l, struct leak_series *list, size_t count,
		     struct error *err) MUST_CHECK;

/* Cuts the instances of a series at restarts into the subject's segments, with
 * means by block of what a step adds up to; load may be NULL. */
bool leak_segments_cut(struct leak *l, struct leak_subject *s,
		       const struct leak_series *series,
		       const struct leak_series *load,
		       struct error *err) MUST_CHECK;

/* Which step a time is in. */
size_t leak_step(const struct leak *l, int64_t time_ns);

/* The time of block i of a segment. */
struct time_range leak_block(const struct leak_segment *s, size_t i);

/* Returns the least growth of the subject that counts, given what there is at
 * the start. */
double leak_least(const struct leak_subject *s, double start);

#endif
