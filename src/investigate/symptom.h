/* SPDX-License-Identifier: Apache-2.0
 *
 * Evidence from other traces about the slow one: typical durations of its
 * operations, the onset, similar slow requests, and a healthy earlier window.
 * Profiles then have to explain the difference.
 */
#ifndef INVESTIGATE_SYMPTOM_H
#define INVESTIGATE_SYMPTOM_H

#include "analyze/contrasts.h"
#include "analyze/operations.h"
#include "analyze/typical.h"
#include "backend/fetch_history.h"
#include "investigate/investigation.h"
#include "investigate/profile_service.h"
#include "investigate/suspect.h"

/* Maximum number of jobs: one per window; the slow window and the one before it
 * are queried in slices, four and two; all of it again for a joined trace. */
#define FOREIGN_JOBS 2u
#define HISTORY_JOBS (HISTORY_WINDOWS + 10 + FOREIGN_JOBS)

/* The kind of baseline that was found. */
enum base_is {
	BASE_IS_WINDOW = 0,    /* base_choice */
	BASE_IS_VERSION,       /* base_version, by its label only */
	BASE_IS_VERSION_SPANS, /* base_version, with base_p50_ns over its
				* spans */
	BASE_IS_OTHER_VERSIONS,
};

/* The results from traces. Borrowed from the run. */
struct symptom {
	struct str service;  /* as named in traces */
	uint32_t resource;   /* of the process where the time was spent */
	uint32_t entry;      /* its entry span */
	uint32_t operation;  /* index; OPERATION_NONE: not queried */
	uint64_t profile_id; /* of this request there, 0: none */
	int64_t own_ns;      /* its self time in this request */
	int64_t change_ns;   /* growth to explain, per request */
	/* The mean growth over all requests of the operation, only some of
	 * which may be slow: comparable with profiles of a whole service. */
	double mean_change_ns;
	bool is_own_time; /* own_ns is without calls that have spans */
	/* Mean growth of the operation's calls with spans; 0: it makes none, or
	 * not known. */
	double mean_calls_ns;
	int64_t grown_ns; /* growth of this request, if larger */
	bool is_close_span;  /* another span took nearly as long */
	bool is_alone;       /* other requests lost no time there */
	bool has_history;    /* growth is relative to other traces */
	bool is_healthy;     /* the operation is not slower than before */
	bool is_exception;   /* is_healthy, but this request is slower than
			      * typical */
	bool is_outside;     /* is_exception, but more grew than the process
			      * took */
	bool is_ordinary;    /* is_exception, but the span itself is normal */
	bool is_of_callee; /* service is the callee, named by peer attributes */
	/* Durations of slow and fast requests; NULL: not known. */
	const struct cohorts *cohorts;
	/* Attributes that set slow requests apart; NULL: not known. */
	const struct contrasts *contrasts;
	const struct history *history; /* owns the symbols of these */
	/* One of them: requests with it are not slower than before, so this one
	 * is normal. NULL: none. */
	const struct contrast *usual;
	struct time_range slow; /* the windows to compare */
	/* The slow window before it was limited to the time since the onset. */
	struct time_range slow_asked;
	struct time_range base;
	bool has_base;
	int base_healthy; /* as in struct baseline_info */
	struct str base_kind;
	/* How traces chose the window; NULL: they did not. */
	const struct baseline_choice *base_choice;
	enum base_is base_is;
	int64_t base_p50_ns;
	size_t base_span_count;
	/* Span profile ids of the operation's requests. */
	const uint64_t *slow_ids;
	size_t slow_id_count;
	const uint64_t *base_ids;
	size_t base_id_count;
	bool is_base_fast;      /* base_ids are in the same window */
	double slow_own_ns;     /* mean self time of the slow ones, 0:
				 * unknown */
	double operation_per_s; /* requests per second, from traces */
	/* Number of instances that served the windows, 0: unknown. */
	uint32_t slow_instances;
	uint32_t base_instances;
	struct str instance; /* NULL ptr: more than one */
	/* Version of the slow requests if others are fast, and the version to
	 * compare with; NULL ptr: not by version. */
	struct str slow_version;
	struct str base_version;
	bool is_base_beside; /* base_version also ran in the slow window */
};

/* All data that was fetched and computed for it. */
struct operation_history {
	struct operations operations;
	struct history history;
	struct history_key keys[HISTORY_KEYS]; /* of the history */
	struct window_roles roles;
	/* Counts of requests like the traced one, around it and before. */
	struct count_job density;
	struct history_job jobs[HISTORY_JOBS];
	size_t job_count;
	/* Requests before this time, in the slow window, are not slow and count
	 * to the window before; 0: none. */
	int64_t healthy_to_ns;
	bool is_answered;
	struct onset onset;
	struct onset own_onset; /* of the self time of some operation */
	struct onset wait_onset; /* of the queue that is the cause */
	struct deploy deploy;
	struct baseline_choice baseline;
	struct typical typical;
	bool has_typical;
	struct cohorts cohorts;
	struct contrasts contrasts;
};

void operation_history_init(struct operation_history *s);
void operation_history_release(struct operation_history *s);

/* Returns the operation of a span; OPERATION_NONE: not queried. */
uint32_t operation_history_find(const struct operation_history *s,
				const struct trace *t, uint32_t span);

/* Prepares the windows to query for other traces; none if the trace came from a
 * file. window: around the trace. Adds at most one job, for servers where
 * counting is cheaper than searching: its answer makes the searches cheaper. */
bool operation_history_prepare(struct operation_history *s,
			       struct investigation *v, const struct suspect *g,
			       struct time_range window, struct job **jobs,
			       size_t *n, struct error *err) MUST_CHECK;

/* Adds the queries to the traces server, for jobs_run(). */
void operation_history_request(struct operation_history *s,
			       const struct investigation *v,
			       const struct suspect *g,
			       struct time_range window, struct job **jobs,
			       size_t *n);

/* Adds windows of an hour and of days ago, unless the one before suffices.
 * After operation_history_judge(), which has to be called again when the jobs,
 * at most BASELINES_FAR, ran. */
#define BASELINES_FAR 3u
void operation_history_request_far(struct operation_history *s,
				   const struct investigation *v,
				   struct time_range window, struct job **jobs,
				   size_t *n);

/* Adds windows between those already queried, if these leave open which is
 * healthy. After the far windows; at most BASELINES_BETWEEN jobs, after which
 * operation_history_judge() is called again. */
void operation_history_request_between(struct operation_history *s,
				       const struct investigation *v,
				       const struct suspect *g,
				       struct time_range window,
				       struct job **jobs, size_t *n);

/* Adds the query for similar slow requests, if the suspect was found by typical
 * durations and its operation was not queried yet. At most one job; none, and
 * no slow_only, if all HISTORY_WINDOWS are in use. */
void operation_history_request_again(struct operation_history *s,
				     const struct investigation *v,
				     const struct suspect *g,
				     struct time_range window,
				     struct job **jobs, size_t *n);

/* Computes typical durations, for guilty_find(), after the jobs ran. */
bool operation_history_judge(struct operation_history *s,
			     struct investigation *v, const struct suspect *g,
			     struct error *err) MUST_CHECK;

/* Fills in the symptom that profiles have to explain, after the suspect was
 * found. */
bool symptom_fill(struct symptom *out, struct operation_history *s,
		  struct investigation *v, const struct suspect *g,
		  struct time_range window, struct error *err) MUST_CHECK;

/* Sets the part about cohorts: the requests to compare, whether the operation
 * is healthy, and how much of the growth the slow requests share. entry_ns:
 * time spent in the process; growth beyond it happened elsewhere. */
void symptom_use_cohorts(struct symptom *out, const struct cohorts *c,
			 int64_t entry_ns, bool is_fast_wanted,
			 bool has_own_moved);

/* Baselines by version: --baseline version=V uses the ranges in which traces
 * show that version of the service, the slow window first. A slow version is
 * compared with another one. */

/* Completes *out for the requested version, or for the version that the slow
 * requests share; else changes nothing. Call after cohorts were found; the
 * operation may be OPERATION_NONE. Ids live in the arena. */
bool version_baseline_use(struct symptom *out,
			  const struct operation_history *s, uint32_t operation,
			  struct time_range window,
			  const struct baseline_want *want, struct arena *arena,
			  struct error *err) MUST_CHECK;

/* Sets a shortfall, with the existing versions, if neither traces nor profiles
 * have the requested version. */
bool version_baseline_check(struct investigation *v, const struct symptom *s,
			    const struct profile_service *service,
			    const struct baseline_want *want,
			    struct error *err) MUST_CHECK;

/* Limits the selectors of a comparison to versions. If profiles have no such
 * version label nothing is changed: only the windows distinguish the two.
 * Returns false without memory. */
bool version_baseline_select(const struct symptom *s, struct investigation *v,
			     const struct profile_service *service,
			     struct str *slow_selector,
			     struct str *base_selector,
			     struct error *err) MUST_CHECK;

/* Follows links of a trace to related ones: consumers of its messages, or the
 * sender of the message that it received, whose spans are in other traces: in
 * the files that the trace came from, and on its server. Takes a few requests,
 * and none for a trace without messages and links. */

/* Joins linked traces to v->trace (model/trace_join.h) and finds the suspect
 * again. Traces that cannot be fetched are only noted: the answer is then about
 * this one trace. may_ask: query the server, too. */
bool links_follow(struct investigation *v, struct suspect *s, bool may_ask,
		  struct error *err) MUST_CHECK;

/* Typical waits of messages whose sender and receiver are in different traces:
 * a search does not return these as pairs, so a few pairs are fetched. */

/* Adds the waits of baseline messages to h->typical, for the linked message
 * with the longest wait if that may be the cause. They stay unknown if they
 * cannot be fetched. */
bool usual_waits_ask(struct operation_history *h, struct investigation *v,
		     const struct suspect *s, struct error *err) MUST_CHECK;

#endif
