/* SPDX-License-Identifier: Apache-2.0
 *
 * What a user pastes where a trace is asked for: up to 32 hex digits, a W3C
 * traceparent, a Grafana, Tempo or Jaeger URL that holds an id, what Google's
 * headers and logs have, an id with the hyphens of a UUID or of X-Ray, a file,
 * "-". Jaeger and Tempo's search print ids without leading zeros, so an id of
 * fewer digits is padded on the left; a file of that name comes first.
 */
#ifndef CLI_TRACE_ARG_H
#define CLI_TRACE_ARG_H

#include "base/buf.h"
#include "base/error.h"
#include "model/trace.h"

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

#endif
