/* SPDX-License-Identifier: Apache-2.0
 *
 * Since when a service, an operation or a function takes more or less than
 * before, and what else changed at that time: versions, instances, traffic.
 * Servers that add up over time are asked for the whole window at once; of
 * profiles and traces that have to be fetched a few slices are, and halves of
 * the one in which the step lies. Knows no options.
 */
#ifndef INVESTIGATE_WHEN_H
#define INVESTIGATE_WHEN_H

#include "analyze/onset.h"
#include "investigate/investigation.h"
#include "investigate/profile_service.h"
#include "model/metrics.h"

/* Windows: of shorter ones there are not steps enough, of a function slices;
 * servers keep a week, and look at a day at a time. */
#define WHEN_LEAST_NS (20 * NS_PER_MIN)
#define WHEN_LEAST_SLICED_NS NS_PER_HOUR
#define WHEN_MOST_NS (7 * NS_PER_DAY)

/* The question; texts may be empty. */
struct when_want {
	struct str service;
	struct str name;     /* of an operation */
	struct str function; /* in the service's profiles */
	struct time_range window;
};

enum when_measure {
	WHEN_CPU = 0,  /* or what --type says; of the whole service */
	WHEN_FUNCTION, /* the same of one function */
	WHEN_DURATION, /* of requests of the service, or of an operation */
	WHEN_TRAFFIC,  /* requests a second */
	WHEN_MEASURES
};

/* One thing measured over the window. */
struct when_series {
	bool is_known;
	/* amounts[i] / counts[i] from starts[i] to starts[i + 1]. */
	int64_t *starts;
	double *amounts;
	double *counts; /* 0: not known there */
	size_t count;
	bool is_per_request; /* else a second */
	bool is_log;         /* geometric means of nanoseconds */
	bool is_sliced;      /* looked at in a few slices */
	struct change_points found;
	const char
		*reason; /* why it is not known, in a server's words, or NULL */
};

/* A version that came. */
struct when_version {
	struct str from;
	struct str to;
	struct time_range at; /* between these */
	bool is_partial;      /* the old one went on */
	bool is_near;         /* the step */
};

#define WHEN_VERSIONS 16

/* Instances around the step. */
struct when_instances {
	bool is_known;
	uint32_t before;
	uint32_t after;
	uint32_t new_count;  /* of those after */
	uint32_t gone_count; /* of those before */
};

/* A step as a time. */
struct when_step {
	struct time_range at; /* it lies between these */
	double before;        /* levels, in the unit of the series */
	double after;
};

struct when {
	/* Set by the caller. */
	struct investigation *v;
	struct when_want want;
	/* The answer, in the backends' arena. */
	struct steps steps; /* of the window, which is whole ones */
	struct str type_id; /* of the profiles */
	struct when_series series[WHEN_MEASURES];
	enum when_measure lead; /* whose step is told */
	struct when_step step;  /* the largest, where lead has one */
	struct str function;    /* its full name */
	struct when_version versions[WHEN_VERSIONS]; /* by time */
	size_t version_count;
	bool has_versions; /* whether there are any to be told apart */
	struct when_instances instances;
	struct shortfall
		lack; /* why WHEN_CPU is not known, if it has no reason */
	size_t request_count; /* sent, at most request_limit */
	size_t request_limit;
	/* For those who ask: */
	struct profile_service profiles;
	struct step_rows requests; /* by version; count 0: not known */
	struct step_rows means;
	struct step_rows totals;
	struct step_rows spans; /* that searches brought, by version */
};

/* Asks for all of it. ERROR_NOT_FOUND with v->shortfall, or with words of its
 * own, when there is nothing to look at. */
bool when_find(struct when *w, struct error *err) MUST_CHECK;

/* Level of one step of a series; NAN: not known. */
double when_level(const struct when_series *s, size_t i);

/* A step of a series as a time. */
struct when_step when_step_of(const struct when_series *s, size_t i);

/* Returns whether the lead has a step. */
static inline bool when_has_step(const struct when *w)
{
	return w->series[w->lead].found.kind == SERIES_STEP;
}

/* The parts that when.c and when_slices.c share. */

/* ---- when.c: what servers add up over time ---- */

/* In one series; versions that came are known to matter. */
bool when_judge(const struct when *w, struct when_series *s,
		struct error *err) MUST_CHECK;

/* Room for so many steps, all of them unknown. */
bool when_series_make(struct when *w, struct when_series *s, size_t count,
		      struct error *err) MUST_CHECK;

/* There are no spans of the operation: asks why. Always false. */
bool when_fail_operation(struct when *w, struct error *err);

/* Requests of a part of the window, all versions; 0: not known. */
double when_requests_in(const struct when *w, struct time_range range);

/* ---- when_slices.c: what has to be fetched ---- */

/* The lead in slices, as many as requests are left for, then halves. */
bool when_ask_slices(struct when *w, struct error *err) MUST_CHECK;

/* ---- when.c: what else changed ---- */

/* A span of a version in a step, where only searches tell. */
bool when_count_version(struct when *w, struct str version, size_t step,
			struct error *err) MUST_CHECK;

/* By which versions there are requests, or profiles: fills versions. */
void when_find_versions(struct when *w);

/* Runs jobs, counted. */
bool when_run(struct when *w, struct job *const *jobs, size_t count,
	      struct error *err) MUST_CHECK;

#endif
