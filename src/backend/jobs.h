/* SPDX-License-Identifier: Apache-2.0
 *
 * Independent queries to servers, run concurrently. A job builds the request of
 * its current attempt and evaluates the answer; if an attempt fails, the next
 * one follows in a later round.
 */
#ifndef BACKEND_JOBS_H
#define BACKEND_JOBS_H

#include "backend/backends.h"

struct job;

/* The kinds of query to the profile server. Servers that only list profiles and
 * select nothing leave them to be answered locally
 * (profile_backend.answer_jobs). */
enum job_question {
	QUESTION_SERVER = 0, /* any other: answered by the server */
	QUESTION_NAMES,      /* struct names_job */
	QUESTION_SERIES,     /* struct series_job */
	QUESTION_PROFILE,    /* struct profile_fetch */
	QUESTION_SNAPSHOTS,  /* struct snapshots_job */
	QUESTION_TOTALS,     /* sums over time */
};

/* The subject of a job, named in the note if it gets no answer (backends.h). */
enum job_about {
	ABOUT_SOMETHING = 0,
	ABOUT_OTHER_TRACES,
	ABOUT_LINKED_TRACE,
	ABOUT_LINKING_TRACES,
	ABOUT_TRACES,
	ABOUT_REQUEST_COUNT,
	ABOUT_REQUEST_STEPS,
	ABOUT_DURATIONS,
	ABOUT_PROFILE,
	ABOUT_PROFILE_NAMES,
	ABOUT_SERIES,
	ABOUT_SNAPSHOTS,
	ABOUT_TOTALS,
	ABOUT_METRIC,
	ABOUT_NAMES,
};

struct job_type {
	/* Builds the request of job->attempt. Returns false if there is none to
	 * send; the job ends with err. */
	bool (*request)(struct job *job, struct backends *b,
			struct http_request *request, struct error *err);
	/* Evaluates one answer and stores its data; called in the order of the
	 * jobs. Other requests may be in flight, so it must not send any,
	 * except those that jobs.c provides for. Returns false to send the
	 * attempt again, after raising it. Errors are left in job->err. */
	bool (*answer)(struct job *job, struct backends *b,
		       const struct http_response *response);
	enum job_question question;
	enum job_about about;
	struct time_range (*range)(const struct job *job); /* NULL: no range */
	/* A route that older releases of the server lack, and that results do
	 * without: if the server itself reports it missing, no gap is noted. */
	bool is_newer;
	bool is_aid; /* only makes others cheaper: no gap without it */
};

/* The first member of any job. */
struct job {
	const struct job_type *type;
	unsigned attempt; /* from 0; at the end the one that was answered */
	bool has_answer;  /* set by answer(): there is usable data */
	bool is_done;
	bool is_gap; /* noted as a gap */
	/* The last answer: its status (0: none), and whether the server
	 * reported that it has no such route. */
	int status;
	bool is_route_missing;
	/* The profile server that the request was built for. */
	const struct profile_backend *asked;
	struct error err; /* why there is no answer */
};

/* Runs all unfinished jobs to the end, at most LIMIT_BATCH requests at a time.
 * Returns false only if no request could be sent at all; a server's refusal is
 * in job->err; queries without an answer are noted (backends.h). */
bool jobs_run(struct backends *b, struct job *const *jobs, size_t n,
	      struct error *err) MUST_CHECK;

/* ---- detecting the kind of profile server ---- */

/* Returns a kind of server other than `known` (NULL: any) that such an answer
 * may come from; NULL: none. */
const struct profile_backend *profiles_likely(
	const struct profile_backend *known,
	const struct http_response *response);

/* Reads the names in an answer of any kind of server; they live in the
 * arena. */
bool profiles_kept_names(const char *url, struct str asked,
			 const struct http_response *response, bool is_types,
			 struct arena *arena, struct name_list *names);

/* Called before each request of a job: gets what the server's kind requires to
 * be known first, and assigns the job to the server. */
bool profiles_prepare(struct backends *b, struct job *job,
		      struct error *err) MUST_CHECK;

/* Returns true if the answer, or that to another job, shows that the server is
 * of another kind than assumed: the job restarts at its first attempt. May send
 * a request, once a run. */
bool profiles_recognise(struct backends *b, const struct job *job,
			const struct http_response *response);

/* Sets the kind of the side's server, and its state. */
void profiles_settle(struct side *side, const struct profile_backend *profiles,
		     void *room);

/* Frees the state of the side's server. */
void profiles_release(struct side *side);

#endif
