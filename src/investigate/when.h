/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds since when a service, an operation or a function takes more or less
 * time, and what else changed then: versions, instances, traffic. Servers with
 * time series are queried for the whole window at once; profiles and traces
 * that have to be fetched are compared in a few slices, and in halves of the
 * one with the change point.
 */
#ifndef INVESTIGATE_WHEN_H
#define INVESTIGATE_WHEN_H

#include "analyze/onset.h"
#include "investigate/investigation.h"
#include "investigate/profile_service.h"
#include "model/metrics.h"

/* Window limits: shorter windows have too few steps or, for a function, slices;
 * servers keep a week, and process one day at a time. */
#define WHEN_LEAST_NS (20 * NS_PER_MIN)
#define WHEN_LEAST_SLICED_NS NS_PER_HOUR
#define WHEN_MOST_NS (7 * NS_PER_DAY)

/* The question; strings may be empty. */
struct when_want {
	struct str service;
	struct str name;     /* operation */
	struct str function; /* function in the service's profiles */
	struct time_range window;
};

enum when_measure {
	WHEN_CPU = 0,  /* or the type of --type; whole service */
	WHEN_FUNCTION, /* the same for one function */
	WHEN_DURATION, /* of requests of the service, or of an operation */
	WHEN_TRAFFIC,  /* requests per second */
	WHEN_MEASURES
};

/* One measure over the window. */
struct when_series {
	bool is_known;
	/* The level from starts[i] to starts[i + 1] is amounts[i] /
	 * counts[i]. */
	int64_t *starts;
	double *amounts;
	double *counts; /* 0: not known there */
	size_t count;
	bool is_per_request; /* else per second */
	bool is_log;         /* geometric means of nanoseconds */
	bool is_sliced;      /* measured in a few slices */
	struct change_points found;
	const char
		*reason; /* why it is not known, in a server's words, or NULL */
};

/* A version that appeared. */
struct when_version {
	struct str from;
	struct str to;
	struct time_range at; /* between these */
	bool is_partial;      /* the old one kept running */
	bool is_near;         /* near the change point */
};

#define WHEN_VERSIONS 16

/* Instances before and after the change point. */
struct when_instances {
	bool is_known;
	uint32_t before;
	uint32_t after;
	uint32_t new_count;  /* of those after */
	uint32_t gone_count; /* of those before */
};

/* A change point in time. */
struct when_step {
	struct time_range at; /* between these times */
	double before;        /* levels, in the unit of the series */
	double after;
};

struct when {
	/* Set by the caller. */
	struct investigation *v;
	struct when_want want;
	/* The answer, in the backends' arena. */
	struct steps steps; /* of the window, which is rounded to steps */
	struct str type_id; /* of the profiles */
	struct when_series series[WHEN_MEASURES];
	enum when_measure lead; /* the measure whose change point is reported */
	struct when_step step;  /* the largest, if lead has one */
	struct str function;    /* its full name */
	struct when_version versions[WHEN_VERSIONS]; /* in order of time */
	size_t version_count;
	bool has_versions; /* there are versions to distinguish */
	struct when_instances instances;
	struct shortfall
		lack; /* why WHEN_CPU is not known, if it has no reason */
	size_t request_count; /* sent; at most request_limit */
	size_t request_limit;
	/* Used internally by the queries: */
	struct profile_service profiles;
	struct step_rows requests; /* by version; count 0: not known */
	struct step_rows means;
	struct step_rows totals;
	struct step_rows spans; /* found by searches, by version */
};

/* Runs all queries. ERROR_NOT_FOUND with v->shortfall, or with a message, if
 * there is no data. */
bool when_find(struct when *w, struct error *err) MUST_CHECK;

/* Returns the level of step i of a series; NAN: not known. */
double when_level(const struct when_series *s, size_t i);

/* Returns a change point of a series in time. */
struct when_step when_step_of(const struct when_series *s, size_t i);

/* Returns whether the lead has a change point. */
static inline bool when_has_step(const struct when *w)
{
	return w->series[w->lead].found.kind == SERIES_STEP;
}

/* Shared by when.c and when_slices.c. */

/* ---- when.c: time series of servers ---- */

/* Finds the change points of one series, with the versions that appeared as
 * hints. */
bool when_judge(const struct when *w, struct when_series *s,
		struct error *err) MUST_CHECK;

/* Allocates a series of count steps, all unknown. */
bool when_series_make(struct when *w, struct when_series *s, size_t count,
		      struct error *err) MUST_CHECK;

/* Finds why there are no spans of the operation. Returns false. */
bool when_fail_operation(struct when *w, struct error *err);

/* Returns the requests in a part of the window, all versions; 0: not known. */
double when_requests_in(const struct when *w, struct time_range range);

/* ---- when_slices.c: slices of profiles and traces ---- */

/* Measures the lead in slices, as many as the request budget allows, then in
 * halves. */
bool when_ask_slices(struct when *w, struct error *err) MUST_CHECK;

/* ---- when.c: other changes ---- */

/* Counts a span of a version in a step, where only searches show versions. */
bool when_count_version(struct when *w, struct str version, size_t step,
			struct error *err) MUST_CHECK;

/* Fills versions from requests, or from profiles. */
void when_find_versions(struct when *w);

/* Runs jobs and counts their requests. */
bool when_run(struct when *w, struct job *const *jobs, size_t count,
	      struct error *err) MUST_CHECK;

#endif
