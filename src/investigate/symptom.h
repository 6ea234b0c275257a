/* SPDX-License-Identifier: Apache-2.0
 *
 * What other traces say about the slow one: what its operations usually take,
 * since when they are slow, which requests are slow like it, and which earlier
 * window is healthy. The profiles are then asked to explain the difference.
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

/* One a window; the slow window and the one before it are asked about in
 * slices, four and two, and once more each for a trace that was joined. */
#define FOREIGN_JOBS 2u
#define HISTORY_JOBS (HISTORY_WINDOWS + 10 + FOREIGN_JOBS)

/* The nature of a baseline, beside its kind and range. */
enum base_is {
	BASE_IS_WINDOW = 0,    /* base_choice */
	BASE_IS_VERSION,       /* base_version, by label alone */
	BASE_IS_VERSION_SPANS, /* base_version, base_p50_ns over its spans */
	BASE_IS_OTHER_VERSIONS,
};

/* The traces' half of the question. Borrowed from the run. */
struct symptom {
	struct str service;  /* as traces have it */
	uint32_t resource;   /* of the process that owns the time */
	uint32_t entry;      /* the span by which it was called */
	uint32_t operation;  /* its number; OPERATION_NONE: not asked for */
	uint64_t profile_id; /* of this request in it, 0 none */
	int64_t own_ns;      /* its own time in this request */
	int64_t change_ns;   /* what there is to explain, per request */
	/* The same of all requests of the operation on average, few or most of
	 * which are slow: what profiles of a whole service tell of. */
	double mean_change_ns;
	bool is_own_time; /* which calls of the span are no part of */
	/* And what those of the operation that have spans grew by; 0: it makes
	 * none, or not known. */
	double mean_calls_ns;
	int64_t grown_ns; /* the same of this request, where it grew more */
	bool is_close_span;  /* another span took nearly as long */
	bool is_alone;       /* others lost no time there */
	bool has_history;    /* growth is against other traces */
	bool is_healthy;     /* the operation is as quick as ever */
	bool is_exception;   /* so, and this request took longer than usual */
	bool is_outside;     /* so, but more grew than the process took */
	bool is_ordinary;    /* and so is the span itself */
	bool is_of_callee; /* service is what was called, by its peer's name */
	/* How quick it is, and how slow this one; NULL: not known. */
	const struct cohorts *cohorts;
	/* What requests like this one have in common; NULL: not known. */
	const struct contrasts *contrasts;
	const struct history *history; /* whose symbols they hold */
	/* One of those: who bears it takes as long as ever, so that nothing is
	 * wrong with this one. NULL: none. */
	const struct contrast *usual;
	struct time_range slow; /* windows to compare */
	/* That one before it was cut to the time of symptom. */
	struct time_range slow_asked;
	struct time_range base;
	bool has_base;
	int base_healthy; /* as in struct baseline_info */
	struct str base_kind;
	/* By which traces chose the window; NULL: they did not. */
	const struct baseline_choice *base_choice;
	enum base_is base_is;
	int64_t base_p50_ns;
	size_t base_span_count;
	/* Requests of the operation that carry span profiles. */
	const uint64_t *slow_ids;
	size_t slow_id_count;
	const uint64_t *base_ids;
	size_t base_id_count;
	bool is_base_fast;      /* base_ids are of the same minutes */
	double slow_own_ns;     /* mean own time of the slow ones, 0 unknown */
	double operation_per_s; /* its requests as traces show them */
	/* Instances that served the windows, 0 unknown. */
	uint32_t slow_instances;
	uint32_t base_instances;
	struct str instance; /* NULL ptr: not one instance alone */
	/* Version of the slow ones when others are fast, and version to
	 * compare with; NULL ptr: not by version. */
	struct str slow_version;
	struct str base_version;
	bool is_base_beside; /* base_version in the slow window too */
};

/* Everything that was fetched and found for it. */
struct operation_history {
	struct operations operations;
	struct history history;
	struct history_key keys[HISTORY_KEYS]; /* of the history */
	struct window_roles roles;
	/* How many requests like this one there were around it and before. */
	struct count_job density;
	struct history_job jobs[HISTORY_JOBS];
	size_t job_count;
	/* Before, requests of the slow window were as quick as ever, and are
	 * part of the window before; 0: none of them. */
	int64_t healthy_to_ns;
	bool is_answered;
	struct onset onset;
	struct onset own_onset; /* of the own time of some operation */
	struct onset wait_onset; /* of the queue that is the answer */
	struct deploy deploy;
	struct baseline_choice baseline;
	struct typical typical;
	bool has_typical;
	struct cohorts cohorts;
	struct contrasts contrasts;
};

void operation_history_init(struct operation_history *s);
void operation_history_release(struct operation_history *s);

/* OPERATION_NONE: the span's operation was not asked for. */
uint32_t operation_history_find(const struct operation_history *s,
				const struct trace *t, uint32_t span);

/* Prepares the windows whose other traces are queried; none when the trace came
 * from a file. window: around the trace. At most one job, for servers that
 * count for less than they search: its answer makes the searches cheaper. */
bool operation_history_prepare(struct operation_history *s,
			       struct investigation *v, const struct suspect *g,
			       struct time_range window, struct job **jobs,
			       size_t *n, struct error *err) MUST_CHECK;

/* The questions to the trace server, for jobs_run(). */
void operation_history_request(struct operation_history *s,
			       const struct investigation *v,
			       const struct suspect *g,
			       struct time_range window, struct job **jobs,
			       size_t *n);

/* After it was judged: windows of an hour and of days ago, unless the one before
 * tells all that they could. At most BASELINES_FAR jobs; when they ran it is to
 * be judged anew. */
#define BASELINES_FAR 3u
void operation_history_request_far(struct operation_history *s,
				   const struct investigation *v,
				   struct time_range window, struct job **jobs,
				   size_t *n);

/* Then: windows between those that were asked for, when these
 * leave open which is healthy. At most BASELINES_BETWEEN jobs; when they ran it
 * is to be judged anew. */
void operation_history_request_between(struct operation_history *s,
				       const struct investigation *v,
				       const struct suspect *g,
				       struct time_range window,
				       struct job **jobs, size_t *n);

/* After the guilty span was found by what is usual: requests slow like it,
 * when its operation was not asked for before. At most one job; none, and no
 * slow_only, when HISTORY_WINDOWS are taken. */
void operation_history_request_again(struct operation_history *s,
				     const struct investigation *v,
				     const struct suspect *g,
				     struct time_range window,
				     struct job **jobs, size_t *n);

/* After the jobs ran: what is usual, for guilty_find(). */
bool operation_history_judge(struct operation_history *s,
			     struct investigation *v, const struct suspect *g,
			     struct error *err) MUST_CHECK;

/* After the guilty span was found with it: the question to the profiles. */
bool symptom_fill(struct symptom *out, struct operation_history *s,
		  struct investigation *v, const struct suspect *g,
		  struct time_range window, struct error *err) MUST_CHECK;

/* A part of it: which requests are compared, whether the operation is healthy,
 * and how much of the growth the slow ones share. entry_ns: what the process
 * took; what grew by more than that was not spent in it. */
void symptom_use_cohorts(struct symptom *out, const struct cohorts *c,
			 int64_t entry_ns, bool is_fast_wanted,
			 bool has_own_moved);

/* --baseline version=V: where the traces saw that version of the service, the
 * same minutes first. And the baseline of a version that is slow beside
 * another one: that other one. */

/* Completes *out for a version that was asked for, or that the slow requests
 * have in common; else changes nothing. After the cohorts were found; the
 * operation may be OPERATION_NONE. Ids live in the arena. */
bool version_baseline_use(struct symptom *out,
			  const struct operation_history *s, uint32_t operation,
			  struct time_range window,
			  const struct baseline_want *want, struct arena *arena,
			  struct error *err) MUST_CHECK;

/* A shortfall when neither traces nor profiles know the version that was
 * asked for, with those there are. */
bool version_baseline_check(struct investigation *v, const struct symptom *s,
			    const struct profile_service *service,
			    const struct baseline_want *want,
			    struct error *err) MUST_CHECK;

/* Narrows the selectors of a comparison by version. Without the version among
 * the profiles' labels the windows alone tell the two apart: nothing is
 * changed. False: no memory. */
bool version_baseline_select(const struct symptom *s, struct investigation *v,
			     const struct profile_service *service,
			     struct str *slow_selector,
			     struct str *base_selector,
			     struct error *err) MUST_CHECK;

/* From a trace to those that belong to its story: what its messages set off, or
 * who sent the message that it took, in traces of their own that only links
 * lead to: in the files that the trace came from, and of its server. A few
 * requests, and none where a trace has neither messages nor links. */

/* Joins them to v->trace (model/trace_join.h) and finds the suspect again.
 * Traces that cannot be had are noted at most: the answer is then of this one
 * trace. may_ask: the server, too. */
bool links_follow(struct investigation *v, struct suspect *s, bool may_ask,
		  struct error *err) MUST_CHECK;

/* How long messages usually wait whose sender and receiver stand in traces of
 * their own: no search pairs those, so a few pairs are fetched. */

/* For the linked message that waited longest, when that may be what is slow:
 * adds to h->typical what messages of the baseline waited. What cannot be had
 * leaves it unknown. */
bool usual_waits_ask(struct operation_history *h, struct investigation *v,
		     const struct suspect *s, struct error *err) MUST_CHECK;

#endif
