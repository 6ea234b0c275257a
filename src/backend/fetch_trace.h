/* SPDX-License-Identifier: Apache-2.0
 *
 * A trace by its id from whichever server holds traces, by the forms of the
 * question that it knows, best first.
 */
#ifndef BACKEND_FETCH_TRACE_H
#define BACKEND_FETCH_TRACE_H

#include <stddef.h>

#include "backend/backends.h"
#include "backend/jobs.h"
#include "base/arena.h"
#include "base/error.h"
#include "model/history.h"
#include "model/trace.h"

/* Outside: of the window that was given. */
enum trace_found { TRACE_NOT_FOUND = 0, TRACE_FOUND, TRACE_FOUND_OUTSIDE };

/* Within the window first; NULL: whenever it was. Not found is no failure. */
bool trace_fetch(struct backends *b, const struct trace_id *id,
		 const struct time_range *window, struct trace *trace,
		 enum trace_found *found, struct error *err) MUST_CHECK;

/* Traces that links lead to, from whichever trace server answers: by the ids
 * that a trace names, and by asking who names it. */

/* A trace by its id. */
struct trace_job {
	struct job job;
	struct trace_id id;
	struct trace *trace; /* set up by the caller, empty when not found */
};

void trace_job_init(struct trace_job *job, const struct trace_id *id,
		    struct trace *trace);

/* Returns whether the server can be asked which traces have links to one. */
bool linking_can_ask(const struct backends *b);

/* Traces with a link to this one. */
struct linking_job {
	struct job job;
	struct trace_id id;
	struct time_range range;
	struct hits hits; /* the caller's to release */
};

void linking_job_init(struct linking_job *job, const struct trace_id *id,
		      struct time_range range);

/* One question for traces that a query describes, or a page of its answer, from
 * whichever trace server answers. */

struct hits_job {
	struct job job;
	const struct find_query *query;
	struct hits *hits;     /* what fits is added; answer_count is set */
	struct buf *next_page; /* the token, where there is one */
	bool is_extra;         /* a case may lack it: set after the init */
};

/* attempt: of the form that answered last, else 0. All is borrowed. */
void hits_job_init(struct hits_job *job, const struct find_query *query,
		   unsigned attempt, struct hits *hits, struct buf *next_page);

/* Asks. *attempt: as above, and the one that answered. */
bool hits_fetch(struct backends *b, const struct find_query *query,
		unsigned *attempt, struct hits *hits, struct buf *next_page,
		struct error *err) MUST_CHECK;

/* The searches that a case file holds, handed over one by one. Knows neither
 * what they looked for nor what their answers mean. */

struct har; /* wire/har.h */
struct http_response;

typedef void (*held_search_taker)(void *context,
				  const struct http_response *response);

/* Hands over the answers of all that have one, in the case's order, and counts
 * them. */
bool held_searches_each(const struct har *har, held_search_taker take,
			void *context, size_t *count,
			struct error *err) MUST_CHECK;

/* Returns whether there is one. */
bool held_searches_any(const struct har *har);

/* The trace that a user names, from a server or files: what the text means, the
 * trace, and why there is none. */

/* The text that a user pastes for a trace: up to 32 hex digits, a W3C
 * traceparent, a Grafana, Tempo or Jaeger URL that holds an id, what Google's
 * headers and logs have, an id with the hyphens of a UUID or of X-Ray, a file,
 * "-". Jaeger and Tempo's search print ids without leading zeros, so an id of
 * fewer digits is padded on the left; a file of that name comes first. */

struct trace_arg {
	struct trace_id id;
	unsigned id_digits; /* as given: fewer than 32 were padded; 0 none */
	uint64_t span_id;   /* of a traceparent or the like, else 0 */
	const char *path;   /* a file or "-"; NULL: look the id up */
};

/* Appends what else the text, with a short id, may mean, or nothing: for the
 * message that there is no such trace. */
void trace_arg_doubt(const struct trace_arg *arg, const char *text,
		     struct buf *out);

/* ERROR_USAGE says what is wrong with the text. path is borrowed. */
bool trace_arg_parse(const char *text, struct trace_arg *out,
		     struct error *err) MUST_CHECK;

struct trace_named {
	struct trace_arg arg;
	const char *text;         /* as given; NULL: nothing was */
	const char *const *paths; /* of files; borrowed */
	size_t count;             /* 0: the server is asked */
};

/* Several texts are files of one trace; with none, the file that stands for the
 * server of traces is read. ERROR_USAGE. */
bool trace_named_parse(struct trace_named *n, const char *const *texts,
		       size_t count, const struct backends *b,
		       struct error *err) MUST_CHECK;

/* The files that the trace of a run came from, open, where they hold other
 * traces as well. */
struct trace_files;
void trace_files_free(struct trace_files *f);

/* Adds those of the traces that have a link to this one, always the same. */
bool trace_files_linking(struct trace_files *f, const struct trace_id *id,
			 struct hits *hits, struct error *err) MUST_CHECK;

/* After that: into an initialised trace, which is empty when it is not there. */
bool trace_files_fetch(struct trace_files *f, const struct trace_id *id,
		       struct trace *trace, struct error *err) MUST_CHECK;

/* Reads it; files with other traces go to b->trace_files. window: where the
 * server looks first, or NULL. */
bool trace_named_fetch(const struct trace_named *n, struct backends *b,
		       const struct time_range *window, struct trace *trace,
		       enum trace_found *found, struct error *err) MUST_CHECK;

/* Names where it came from; without spans ERROR_NOT_FOUND, and why. */
bool trace_named_check(const struct trace_named *n, struct backends *b,
		       const struct trace *trace, enum trace_found found,
		       struct arena *arena, struct str *source,
		       struct error *err) MUST_CHECK;

#endif
