/* SPDX-License-Identifier: Apache-2.0
 *
 * SLO compliance: the fraction of good requests against an objective, over the
 * window of the error budget and over those for its burn rate. Counted from
 * metrics, else from traces.
 */
#ifndef INVESTIGATE_SLO_H
#define INVESTIGATE_SLO_H

#include "analyze/burn.h"
#include "backend/backends.h"
#include "backend/metrics.h"
#include "backend/profile_backend.h"
#include "investigate/question.h"

/* A window; all end at the same time. */
struct slo_window {
	int64_t length_ns;
	struct burn_count count; /* total 0: no requests */
	bool is_known;
	bool is_sample; /* by traces: counted from a sample */
};

/* Why metrics cannot be used. */
enum slo_lack {
	SLO_LACKS_NOTHING = 0,
	SLO_LACKS_SERVER,    /* why: in its words */
	SLO_LACKS_METRIC,    /* no known metric of the service */
	SLO_LACKS_LATENCY,   /* no metric of its latency */
	SLO_LACKS_OPERATION, /* the metric has no operations */
	SLO_LACKS_BUCKETS,   /* no bucket near the threshold: the highest is
			      * below */
};

struct slo {
	/* Set by the caller. */
	struct backends *backends;
	const char *service;
	const char *operation; /* NULL: all */
	double objective;      /* 0..1 */
	int64_t threshold_ns;  /* 0: only failed requests are bad */
	int64_t window_ns;     /* of the error budget */
	int64_t to_ns;         /* end of all windows */
	/* The answer, in the backends' arena. */
	struct metric_indicator indicator; /* without a source: by traces */
	enum slo_lack lack;
	struct error why;     /* also: why a window is not known */
	int64_t bound_ns;     /* requests up to this duration are good */
	bool is_interpolated; /* bound_ns is the threshold, inside a bucket */
	int64_t other_ns;     /* other edge of the bucket; 0: the threshold is
			       * an edge */
	double other_bad;     /* bad requests by that edge; -1: not known */
	double failed;        /* in the budget's window; -1: not known */
	struct burn_pair pairs[BURN_PAIRS];
	size_t pair_count;
	struct slo_window windows[BURN_WINDOWS]; /* ascending */
	size_t window_count;
};

/* Sets up the list of windows. */
void slo_init(struct slo *s);

/* Counts requests by metrics. *is_told: succeeded; else lack has the reason,
 * and the error of a server that did not answer is in why. */
bool slo_ask_metrics(struct slo *s, bool *is_told,
		     struct error *err) MUST_CHECK;

/* Counts requests by traces; their server must answer. */
bool slo_ask_traces(struct slo *s, struct error *err) MUST_CHECK;

/* Returns the window of this length, which must exist. */
const struct slo_window *slo_window(const struct slo *s, int64_t length_ns);

/* Returns the window of the error budget. */
static inline const struct slo_window *slo_budget(const struct slo *s)
{
	return &s->windows[s->window_count - 1];
}

bool slo_pair_fires(const struct slo *s, const struct burn_pair *pair);

/* Returns whether the pair could fire if all of its windows were known. */
bool slo_pair_is_open(const struct slo *s, const struct burn_pair *pair);

/* Returns the window that shows the current burn rate: the shortest one of at
 * least an hour with enough bad requests, else the longest. */
const struct slo_window *slo_present(const struct slo *s);

/* Returns the seconds until the error budget is used up at the current rate;
 * INFINITY: it is not being used up. */
double slo_seconds_left(const struct slo *s);

/* Investigates one bad request of a service as a slow trace. */

/* Returns the entry span of the service's bad request: the longest of those
 * above the threshold, else the first that failed; SPAN_NONE: none. */
uint32_t slo_request_span(const struct slo *s, const struct trace *t,
			  bool *is_failed);

/* The consumers of an error budget: a sample of the bad requests, each
 * investigated as a slow trace. If metrics count bad requests over time, the
 * sample is distributed likewise; else it is taken from searches. */

struct slo_spent {
	/* Set by the caller. */
	const struct slo *slo;           /* after counting */
	const struct question *question; /* for each request */
	struct time_range range;         /* of the bad requests */
	size_t wanted;                   /* at most LIMIT_SLO_SAMPLE */
	/* Deadline on the monotonic clock, after which only a first request is
	 * still investigated; 0: none. */
	int64_t end_ns;
	/* The answer, in the backends' arena. */
	double bad;             /* in the range; by traces the number found */
	double kept;            /* fraction of these in `from` */
	struct time_range from; /* the part of the range with stored traces */
	struct spent_request *requests;
	struct spent spent;   /* summary of the requests */
	size_t missing_count; /* chosen, but without a trace */
	size_t unread_count;  /* trace could not be read */
	size_t late_count;    /* no time was left */
	struct error reason;  /* of that, or why there is no answer */
};

/* Runs the sample. Returns false if no further query is possible; without an
 * answer, but with a reason, if traces do not show the cause. */
bool slo_spent_find(struct slo_spent *s, struct error *err) MUST_CHECK;

/* Evaluates the condition of a latency alert for current requests: a quantile
 * of their latency above a threshold, in each minute for some time. From
 * metrics, with the expression of an alerting rule; else from traces, one
 * service at a time. */

#define ALERT_STEP_NS NS_PER_MIN

/* Maximum number of minutes by traces, over all services: each may take a
 * query. */
#define ALERT_TRACED_STEPS 120u

enum alert_state {
	ALERT_SILENT = 0, /* no requests in the whole time */
	ALERT_QUIET,
	ALERT_FIRES, /* every step has a value above the threshold */
};

struct alert_service {
	struct str name;
	enum alert_state state;
	size_t sample_count; /* steps with a value */
	size_t above_count;
	double last_s; /* value of the last of them */
	double highest_s;
	bool is_sample; /* traces: only some requests of a step were examined */
};

/* The slowest request of the slowest service in that time. */
struct alert_trace {
	char id[33]; /* empty: none found */
	int64_t duration_ns;
	struct str service;
	struct str name;     /* empty: not known */
	bool is_exemplar;    /* from the metrics, not found in traces */
	struct error reason; /* why there is none */
};

struct alert {
	/* Set by the caller. */
	struct backends *backends;
	const char *const *services;
	size_t service_count; /* 0: all; only by metrics */
	const char *pattern;  /* metric_services_pattern() of them */
	const struct metric_source *source; /* of latency; NULL: by traces */
	double threshold_s;
	double quantile;
	bool is_of_failed;        /* search the slowest among failed requests */
	struct time_range window; /* whole minutes */
	/* The answer, in the backends' arena. */
	struct alert_service *list; /* firing ones first, then by latency */
	size_t count;
	size_t step_count;
	struct alert_trace slowest; /* if any fires */
};

/* Evaluates the alert. ERROR_NOT_FOUND without a message: none of the services
 * had a request. */
bool alert_evaluate(struct alert *a, struct error *err) MUST_CHECK;

/* Finds the slowest request above the threshold, from traces or exemplars; if
 * there is none the reason is set, which is not a failure. Uses only fields set
 * by the caller. */
bool alert_find_slowest(struct alert *a, struct str service,
			struct error *err) MUST_CHECK;

/* Returns the number of firing services. */
size_t alert_firing(const struct alert *a);

/* Returns whether a named service had no requests. */
bool alert_lacks(const struct alert *a);

/* Sets the state of a service from the values of its steps: counts those above
 * the threshold, out of step_count. */
void alert_judge(struct alert_service *s, const double *values, size_t count,
		 size_t step_count, double threshold_s);

#endif
