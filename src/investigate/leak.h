/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds leaks: unbounded growth of a service's memory in use, and of its
 * goroutines or threads, over hours: by process, from restart to restart, in
 * intervals (analyze/growth.h), then function by function. leak.c has the
 * sequence of steps, with the profiles of the intervals; leak_series.c the time
 * series and their segments. Files can take the place of a service.
 */
#ifndef INVESTIGATE_LEAK_H
#define INVESTIGATE_LEAK_H

#include "analyze/growth.h"
#include "backend/metrics.h"
#include "investigate/investigation.h"
#include "investigate/profile_service.h"

/* Default, minimum and maximum window: intervals need a few uploads each, and
 * steps have to be short enough to show a restart. */
#define LEAK_WINDOW_NS (6 * NS_PER_HOUR)
#define LEAK_LEAST_NS (40 * NS_PER_MIN)
#define LEAK_MOST_NS (7 * NS_PER_DAY)

enum leak_what { LEAK_MEMORY = 0, LEAK_THREADS, LEAK_WHATS };

/* The memory of one process lifetime, as far as it lies in the window. */
struct leak_segment {
	struct str instance; /* empty: not distinguished */
	struct time_range range;
	size_t points;                /* uploads, or steps with several */
	const double *steps;          /* sum per step of the window */
	double per_point;             /* snapshots per point */
	struct growth_segment growth; /* by interval, per snapshot */
};

struct leak_function {
	struct growth_function found;
	double bytes_each;     /* per leaked object; 0: not known */
	double allocated_hour; /* bytes per hour, from allocations; 0: not
				* known */
};

struct leak_subject {
	enum leak_what what;
	struct str type_id;            /* NULL ptr: not sent by the service */
	struct leak_segment *segments; /* long enough ones, longest first */
	size_t segment_count;
	size_t short_count; /* number of shorter ones */
	int64_t longest_ns; /* of all segments */
	size_t instance_count;
	size_t restarts;
	bool is_per_snapshot;            /* unit of the segments */
	struct growth total;             /* per process */
	struct leak_function *functions; /* tested, by growth */
	size_t function_count;
	size_t processes; /* number of processes examined for them */
	bool is_leak;
};

/* A profile in a file; those of one folder are of one process. */
struct leak_file {
	const char *path;
	struct str instance; /* name of the folder */
	int64_t time_ns;
	size_t step;
	double held[LEAK_WHATS]; /* 0: no such type */
	double made;             /* allocated since process start; -1: not
				  * known */
};

struct leak {
	/* Set by the caller. */
	struct investigation *v;
	const char *service; /* for files: their common name */
	/* Files instead of a service; 0: none. The window is then that of the
	 * files. */
	const char *const *paths;
	size_t path_count;
	struct time_range window;
	double limit_bytes; /* 0: not given */

	struct profile_service found;
	struct leak_file *files; /* by instance, then time */
	size_t file_count;
	/* A file that cannot be evaluated; NULL: none. */
	const struct leak_file *odd;
	struct str odd_type; /* its type, if that is the reason */
	int64_t step_ms;
	size_t step_count;
	struct leak_subject subjects[LEAK_WHATS];
	struct str load_type; /* of profiles; NULL ptr: requests from metrics */
	bool has_load;
	/* From the metrics server. */
	bool is_limit_known; /* limit_bytes comes from metrics */
	double memory_bytes; /* of the largest process; 0: not known */
	struct metric_source sources[METRIC_MEANINGS];
};

/* Runs the search. Returns false with an error without a message: the reason is
 * in v->shortfall or returned by leak_lack(). */
bool leak_investigate(struct leak *l, struct error *err) MUST_CHECK;

/* Why there is nothing to evaluate. */
enum leak_lack {
	LEAK_NO_LACK = 0,
	LEAK_NO_TIME, /* l->odd has no timestamp */
	LEAK_TYPES,   /* l->odd has another type than earlier files */
	LEAK_NO_TYPE, /* the service sends neither memory in use nor
		       * goroutines */
	LEAK_SHORT,   /* no process lifetime is long enough */
};
enum leak_lack leak_lack(const struct leak *l);

/* Returns whether any subject is a leak. */
bool leak_is_one(const struct leak *l);

/* Returns the seconds until the limit is reached; below 0: not known. An upper
 * bound if the memory of the process is not known, as memory in use is only a
 * part of it. */
double leak_seconds_left(const struct leak *l);

/* ---- shared by the files of it ---- */

/* A type's values by instance and step. */
struct leak_row {
	struct str instance;
	double *values;     /* step_count; 0: nothing was sent */
	const bool *begins; /* steps with a new process; NULL: not known */
};

struct leak_series {
	const char *type_id;
	struct leak_row *rows;
	size_t count;
	bool is_per_snapshot; /* else sums over a step */
	bool has_answer;
	struct error err;
};

/* Fetches all series concurrently. */
bool leak_series_ask(struct leak *l, struct leak_series *list, size_t count,
		     struct error *err) MUST_CHECK;

/* Splits the instances of a series at restarts into the subject's segments,
 * with means per interval; load may be NULL. */
bool leak_segments_cut(struct leak *l, struct leak_subject *s,
		       const struct leak_series *series,
		       const struct leak_series *load,
		       struct error *err) MUST_CHECK;

/* Returns the step that contains a time. */
size_t leak_step(const struct leak *l, int64_t time_ns);

/* Returns the time range of interval i of a segment. */
struct time_range leak_block(const struct leak_segment *s, size_t i);

/* Returns the smallest growth of the subject that counts, given its value at
 * the start. */
double leak_least(const struct leak_subject *s, double start);

#endif
