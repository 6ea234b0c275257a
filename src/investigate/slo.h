/* SPDX-License-Identifier: Apache-2.0
 *
 * How much of a service's requests is good, against an objective: over the
 * window of its error budget and over those that tell how fast that is spent.
 * Counted by metrics, else by traces. Knows no options and has no words.
 */
#ifndef INVESTIGATE_SLO_H
#define INVESTIGATE_SLO_H

#include "analyze/burn.h"
#include "backend/backends.h"
#include "backend/metrics.h"
#include "backend/profile_backend.h"
#include "investigate/question.h"

/* A window that ends with the others. */
struct slo_window {
	int64_t length_ns;
	struct burn_count count; /* total 0: there was no request */
	bool is_known;
	bool is_sample; /* by traces: not all were counted */
};

/* Why metrics do not tell. */
enum slo_lack {
	SLO_LACKS_NOTHING = 0,
	SLO_LACKS_SERVER,    /* why: in its words */
	SLO_LACKS_METRIC,    /* none of the service */
	SLO_LACKS_LATENCY,   /* none tells how long its requests take */
	SLO_LACKS_OPERATION, /* it has no operations */
	SLO_LACKS_BUCKETS,   /* none near the threshold: the last is below */
};

struct slo {
	/* Set by the caller. */
	struct backends *backends;
	const char *service;
	const char *operation; /* NULL: all of them */
	double objective;      /* 0..1 */
	int64_t threshold_ns;  /* 0: only failed requests are bad */
	int64_t window_ns;     /* of the budget */
	int64_t to_ns;         /* where all windows end */
	/* The answer, in the backends' arena. */
	struct metric_indicator indicator; /* without a source: by traces */
	enum slo_lack lack;
	struct error why;     /* or why a window is not known */
	int64_t bound_ns;     /* good is what took no longer */
	bool is_interpolated; /* the threshold itself, inside a bucket */
	int64_t other_ns;     /* where the bucket has its other end; 0: the
				 threshold is an end */
	double other_bad;     /* so many were bad by that; -1 not known */
	double failed;        /* of the budget's window; -1 not known */
	struct burn_pair pairs[BURN_PAIRS];
	size_t pair_count;
	struct slo_window windows[BURN_WINDOWS]; /* ascending */
	size_t window_count;
};

/* Lists the windows. */
void slo_init(struct slo *s);

/* *is_told: metrics tell; else lack says why not, and a server that did not
 * answer is in why. */
bool slo_ask_metrics(struct slo *s, bool *is_told,
		     struct error *err) MUST_CHECK;

/* The same of the server of traces, which has to answer. */
bool slo_ask_traces(struct slo *s, struct error *err) MUST_CHECK;

/* The window of that length, which is one of them. */
const struct slo_window *slo_window(const struct slo *s, int64_t length_ns);

/* That of the budget. */
static inline const struct slo_window *slo_budget(const struct slo *s)
{
	return &s->windows[s->window_count - 1];
}

bool slo_pair_fires(const struct slo *s, const struct burn_pair *pair);

/* Returns whether it might fire, had each of its windows been answered. */
bool slo_pair_is_open(const struct slo *s, const struct burn_pair *pair);

/* How fast the budget is spent at present: the shortest of the windows from an
 * hour on that has bad requests enough to tell, else the longest. */
const struct slo_window *slo_present(const struct slo *s);

/* Seconds until the budget is used up at the present rate; INFINITY: it goes on
 * to last. */
double slo_seconds_left(const struct slo *s);

/* Returns whether nothing else can be asked after such an error. */
bool slo_is_final(const struct error *err);

/* One bad request of a service, investigated as a slow trace is. Knows no
 * options and has no words. */

/* The span with which the service was entered by a bad request: the longest of
 * those that took too long, else the first that failed; SPAN_NONE: there is
 * none. */
uint32_t slo_request_span(const struct slo *s, const struct trace *t,
			  bool *is_failed);

/* The consumers of an error budget: a sample of the bad requests, each
 * investigated as a slow one is. Where metrics count the bad ones over time,
 * the sample follows them; else what searches find. Knows no options and has no
 * words. */

struct slo_spent {
	/* Set by the caller. */
	const struct slo *slo;           /* after it was counted */
	const struct question *question; /* for each of them */
	struct time_range range;         /* whose bad requests are wanted */
	size_t wanted;                   /* at most LIMIT_SLO_SAMPLE */
	/* On the monotonic clock: from then on none but the first is looked at;
	 * 0: all are. */
	int64_t end_ns;
	/* The answer, in the backends' arena. */
	double bad;  /* in the range; by traces those found */
	double kept; /* part of those from where traces are kept on */
	struct time_range from; /* which is here */
	struct spent_request *requests;
	struct spent spent;   /* of these */
	size_t missing_count; /* chosen, but there is no trace of it, */
	size_t unread_count;  /* or it could not be read */
	size_t late_count;    /* or there was no time left for it */
	struct error reason;  /* of that, or why there is no answer */
};

/* False when nothing else can be asked; without an answer, and the reason, when
 * the traces do not tell. */
bool slo_spent_find(struct slo_spent *s, struct error *err) MUST_CHECK;

/* An alert on requests of services that take too long right now, by the
 * condition of an alert: a quantile of their latency above a threshold, minute
 * by minute for some time. Asked of metrics, by the expression that a rule has;
 * else of traces, a service at a time. Knows no options and has no words. */

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

/* Returns whether a service that was named had no request to judge. */
bool alert_lacks(const struct alert *a);

/* Judges a service by the values of its steps: those that are above, of as many
 * as there have to be. */
void alert_judge(struct alert_service *s, const double *values, size_t count,
		 size_t step_count, double threshold_s);

#endif
