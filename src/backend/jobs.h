/* SPDX-License-Identifier: Apache-2.0
 *
 * Questions to servers that do not depend on each other, run side by side. A
 * job knows how to ask at its attempt and how to judge the answer; an attempt
 * that did not serve is followed by the next one in a later round.
 */
#ifndef BACKEND_JOBS_H
#define BACKEND_JOBS_H

#include "backend/backends.h"

struct job;

/* The questions of jobs to the profile server: some list what they have and
 * select nothing, so that this side answers instead
 * (profile_backend.answer_jobs). */
enum job_question {
	QUESTION_SERVER = 0, /* the server's to answer, whichever it is */
	QUESTION_NAMES,      /* struct names_job */
	QUESTION_SERIES,     /* struct series_job */
	QUESTION_PROFILE,    /* struct profile_fetch */
	QUESTION_SNAPSHOTS,  /* struct snapshots_job */
	QUESTION_TOTALS,     /* sums over time */
};

/* The subjects of jobs, named when one gets no answer (backends.h). */
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
	/* Builds the request of job->attempt. False: there is none to send,
	 * the job ends with err. */
	bool (*request)(struct job *job, struct backends *b,
			struct http_request *request, struct error *err);
	/* Judges one answer and keeps what it says, in the order of the jobs.
	 * Others may be on their way, so that it sends nothing but where
	 * jobs.c knows of it. False asks again with the attempt, which it has
	 * raised. What went wrong is left in job->err. */
	bool (*answer)(struct job *job, struct backends *b,
		       const struct http_response *response);
	enum job_question question;
	enum job_about about;
	struct time_range (*range)(const struct job *job); /* NULL: of none */
	/* Older releases of its server lack the route, and answers do without:
	 * that it is missing is no gap, when the server itself says so. */
	bool is_newer;
	bool is_aid; /* it makes others cheaper: without it nothing is lost */
};

/* The first member of what the job fetches. */
struct job {
	const struct job_type *type;
	unsigned attempt; /* from 0; the one that answered */
	bool has_answer;  /* set by answer(): there is something to use */
	bool is_done;
	bool is_gap; /* noted: its question got lost */
	/* The last answer that came: its status (0: none came), and whether
	 * its server said that it has no such route. */
	int status;
	bool is_route_missing;
	/* Of the profile server, as it was known when it was asked. */
	const struct profile_backend *asked;
	struct error err; /* why there is none */
};

/* Runs all that are not done until they are; at most LIMIT_BATCH requests at
 * a time. False only when no request could be sent at all; a server's
 * refusal is in job->err; questions that got lost are noted (backends.h). */
bool jobs_run(struct backends *b, struct job *const *jobs, size_t n,
	      struct error *err) MUST_CHECK;

/* ---- which server of profiles it is ---- */

/* The server, other than this one (NULL: any), that may have answered so;
 * NULL: none. */
const struct profile_backend *profiles_likely(
	const struct profile_backend *known,
	const struct http_response *response);

/* Reads the names of an answer of any server; they live in the arena. */
bool profiles_kept_names(const char *url, struct str asked,
			 const struct http_response *response, bool is_types,
			 struct arena *arena, struct name_list *names);

/* Before each request of a job: what has to be known first is learned, and the
 * job is put to the server as it is known. */
bool profiles_prepare(struct backends *b, struct job *job,
		      struct error *err) MUST_CHECK;

/* True when the answer, or that to another job, told that the server is of
 * another kind than the job was put to: it is to be asked again from its first
 * attempt. May ask the server, once a run. */
bool profiles_recognise(struct backends *b, const struct job *job,
			const struct http_response *response);

/* The server is this one, and its room remembers that. */
void profiles_settle(struct side *side, const struct profile_backend *profiles,
		     void *room);

/* Forgets what the room remembers. */
void profiles_release(struct side *side);

#endif
