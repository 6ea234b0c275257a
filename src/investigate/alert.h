/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether requests of services take too long right now, by the condition of an
 * alert: a quantile of their latency above a threshold, minute by minute for
 * some time. Asked of metrics, by the expression that a rule has; else of
 * traces, a service at a time. Knows no options and has no words.
 */
#ifndef INVESTIGATE_ALERT_H
#define INVESTIGATE_ALERT_H

#include "backend/backends.h"
#include "backend/metrics.h"

#define ALERT_STEP_NS NS_PER_MIN

/* Minutes of traces, of all services: each may take a question of its own. */
#define ALERT_TRACED_STEPS 120u

enum alert_state {
	ALERT_SILENT = 0, /* no request in the whole time */
	ALERT_QUIET,
	ALERT_FIRES, /* every step has a value, and it is above */
};

struct alert_service {
	struct str name;
	enum alert_state state;
	size_t sample_count; /* steps with a value */
	size_t above_count;
	double last_s; /* of the last of them */
	double highest_s;
	bool is_sample; /* traces: of some requests of a step, not of all */
};

/* The slowest request in that time of the service that is slowest. */
struct alert_trace {
	char id[33]; /* empty: none was found */
	int64_t duration_ns;
	struct str service;
	struct str name;     /* empty: not known */
	bool is_exemplar;    /* of the metrics, not found among the traces */
	struct error reason; /* why there is none */
};

struct alert {
	/* Set by the caller. */
	struct backends *backends;
	const char *const *services;
	size_t service_count; /* 0: all, by metrics only */
	const char *pattern;  /* metric_services_pattern() of them */
	const struct metric_source *source; /* of latency; NULL: by traces */
	double threshold_s;
	double quantile;
	bool is_of_failed;        /* the slowest is one of those that failed */
	struct time_range window; /* whole minutes */
	/* The answer, in the backends' arena. */
	struct alert_service *list; /* those that fire first, then by latency */
	size_t count;
	size_t step_count;
	struct alert_trace slowest; /* where one fires */
};

/* False without an answer. That none of the services had a request is
 * ERROR_NOT_FOUND without words. */
bool alert_evaluate(struct alert *a, struct error *err) MUST_CHECK;

/* The slowest above the threshold, by traces or exemplars; that there is none
 * is a reason, no failure. Only what is set by the caller counts. */
bool alert_find_slowest(struct alert *a, struct str service,
			struct error *err) MUST_CHECK;

/* How many services fire. */
size_t alert_firing(const struct alert *a);

/* Whether a service that was named had no request to judge. */
bool alert_lacks(const struct alert *a);

/* What the values of a service's steps make of it: those that are above, of as
 * many as there have to be. */
void alert_judge(struct alert_service *s, const double *values, size_t count,
		 size_t step_count, double threshold_s);

#endif
