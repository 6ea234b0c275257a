/* SPDX-License-Identifier: Apache-2.0
 *
 * Fetches a trace by id from any kind of traces server, trying the forms of the
 * query that it supports, best first.
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

/* TRACE_FOUND_OUTSIDE: found outside of the given window. */
enum trace_found { TRACE_NOT_FOUND = 0, TRACE_FOUND, TRACE_FOUND_OUTSIDE };

/* Fetches a trace, searching the window first; NULL: any time. Not found is not
 * a failure: see *found. */
bool trace_fetch(struct backends *b, const struct trace_id *id,
		 const struct time_range *window, struct trace *trace,
		 enum trace_found *found, struct error *err) MUST_CHECK;

/* Linked traces, from any traces server: by the ids that a trace links to, and
 * by a search for traces that link to it. */

/* A trace by its id. */
struct trace_job {
	struct job job;
	struct trace_id id;
	struct trace *trace; /* initialized by the caller, empty when not
			      * found */
};

void trace_job_init(struct trace_job *job, const struct trace_id *id,
		    struct trace *trace);

/* Returns whether the server supports searching for links to a trace. */
bool linking_can_ask(const struct backends *b);

/* Traces with a link to this one. */
struct linking_job {
	struct job job;
	struct trace_id id;
	struct time_range range;
	struct hits hits; /* released by the caller */
};

void linking_job_init(struct linking_job *job, const struct trace_id *id,
		      struct time_range range);

/* One query for the traces that match a search, or one page of its answer, from
 * any traces server. */

struct hits_job {
	struct job job;
	const struct find_query *query;
	struct hits *hits;     /* matching traces are added; answer_count is
				* set */
	struct buf *next_page; /* receives the page token, if there is one */
	bool is_extra;         /* a case may lack it: set after the init */
};

/* Prepares a job. attempt: the form that was answered last, else 0. Borrows all
 * arguments. */
void hits_job_init(struct hits_job *job, const struct find_query *query,
		   unsigned attempt, struct hits *hits, struct buf *next_page);

/* Fetches a page. *attempt: as above; set to the one that was answered. */
bool hits_fetch(struct backends *b, const struct find_query *query,
		unsigned *attempt, struct hits *hits, struct buf *next_page,
		struct error *err) MUST_CHECK;

/* The searches recorded in a case file, in order. Their queries and answers are
 * not interpreted here. */

struct har; /* wire/har.h */
struct http_response;

typedef void (*held_search_taker)(void *context,
				  const struct http_response *response);

/* Passes every search answer of the case on in its order, and counts them. */
bool held_searches_each(const struct har *har, held_search_taker take,
			void *context, size_t *count,
			struct error *err) MUST_CHECK;

/* Returns whether the case has a search. */
bool held_searches_any(const struct har *har);

/* The trace that a user names, from a server or from files: parsing of the
 * text, the trace itself, and the error if there is none. */

/* The text that a user pastes for a trace: up to 32 hex digits, a W3C
 * traceparent, a Grafana, Tempo or Jaeger URL that holds an id, the formats of
 * Google's headers and logs, an id with the hyphens of a UUID or of X-Ray, a
 * file, "-". Jaeger and Tempo's search print ids without leading zeros, so a
 * shorter id is padded on the left; a file of that name takes precedence. */

struct trace_arg {
	struct trace_id id;
	unsigned id_digits; /* as given: fewer than 32 were padded; 0: no id */
	uint64_t span_id;   /* from a traceparent or the like, else 0 */
	const char *path;   /* a file or "-"; NULL: look the id up */
};

/* Appends other meanings of a text with a short id, or nothing: for the message
 * that there is no such trace. */
void trace_arg_doubt(const struct trace_arg *arg, const char *text,
		     struct buf *out);

/* Parses the text. ERROR_USAGE with what is wrong with it. Borrows path. */
bool trace_arg_parse(const char *text, struct trace_arg *out,
		     struct error *err) MUST_CHECK;

struct trace_named {
	struct trace_arg arg;
	const char *text;         /* as given; NULL: nothing */
	const char *const *paths; /* of files; borrowed */
	size_t count;             /* 0: the server is queried */
};

/* Parses the arguments. Several texts are files of one trace; with none, the
 * file given instead of a traces server is read. ERROR_USAGE. */
bool trace_named_parse(struct trace_named *n, const char *const *texts,
		       size_t count, const struct backends *b,
		       struct error *err) MUST_CHECK;

/* The files that the trace of a run came from, kept open if they contain other
 * traces as well. */
struct trace_files;
void trace_files_free(struct trace_files *f);

/* Adds the traces of the files that have a link to this one, in a deterministic
 * order. */
bool trace_files_linking(struct trace_files *f, const struct trace_id *id,
			 struct hits *hits, struct error *err) MUST_CHECK;

/* Reads a trace into an initialized one, which stays empty if it is not in the
 * files. Call after trace_files_linking(). */
bool trace_files_fetch(struct trace_files *f, const struct trace_id *id,
		       struct trace *trace, struct error *err) MUST_CHECK;

/* Fetches the trace; files with other traces go to b->trace_files. window:
 * where the server searches first, or NULL. */
bool trace_named_fetch(const struct trace_named *n, struct backends *b,
		       const struct time_range *window, struct trace *trace,
		       enum trace_found *found, struct error *err) MUST_CHECK;

/* Sets the name of the source; ERROR_NOT_FOUND with the reason if the trace has
 * no spans. */
bool trace_named_check(const struct trace_named *n, struct backends *b,
		       const struct trace *trace, enum trace_found found,
		       struct arena *arena, struct str *source,
		       struct error *err) MUST_CHECK;

#endif
