/* SPDX-License-Identifier: Apache-2.0
 *
 * The trace that a user names, from a server or files: what the text means, the
 * trace, and why there is none.
 */
#ifndef BACKEND_TRACE_NAMED_H
#define BACKEND_TRACE_NAMED_H

#include "backend/backends.h"
#include "backend/fetch_trace.h"
#include "base/arena.h"

/* What a user pastes where a trace is asked for: up to 32 hex digits, a W3C
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

/* Reads it. window: where the server looks first, or NULL. */
bool trace_named_fetch(const struct trace_named *n, struct backends *b,
		       const struct time_range *window, struct trace *trace,
		       enum trace_found *found, struct error *err) MUST_CHECK;

/* Names where it came from; without spans ERROR_NOT_FOUND, and why. */
bool trace_named_check(const struct trace_named *n, struct backends *b,
		       const struct trace *trace, enum trace_found found,
		       struct arena *arena, struct str *source,
		       struct error *err) MUST_CHECK;

#endif
