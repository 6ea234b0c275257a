/* SPDX-License-Identifier: Apache-2.0
 *
 * What a user pastes where a trace is asked for: 16 or 32 hex digits, a W3C
 * traceparent, a Grafana, Tempo or Jaeger URL that holds an id, a file, "-".
 */
#ifndef CLI_TRACE_ARG_H
#define CLI_TRACE_ARG_H

#include "base/error.h"
#include "model/trace.h"

struct trace_arg {
	struct trace_id id;
	uint64_t span_id; /* of a traceparent, else 0 */
	const char *path; /* a file or "-"; NULL: look the id up */
};

/* ERROR_USAGE says what is wrong with the text. path is borrowed. */
bool trace_arg_parse(const char *text, struct trace_arg *out,
		     struct error *err) MUST_CHECK;

#endif
