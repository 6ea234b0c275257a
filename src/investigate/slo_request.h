/* SPDX-License-Identifier: Apache-2.0
 *
 * One bad request of a service, investigated as a slow trace is. Knows no
 * options and has no words.
 */
#ifndef INVESTIGATE_SLO_REQUEST_H
#define INVESTIGATE_SLO_REQUEST_H

#include "analyze/spent.h"
#include "investigate/question.h"
#include "investigate/slo.h"

/* Reads the trace, takes the part of it that is the request, and finds what
 * made it bad. Texts live in the backends' arena. False: it cannot be read;
 * ERROR_NOT_FOUND without words when it is not there, or shows no bad
 * request. */
bool slo_request_look(const struct slo *s, const struct question *question,
		      const struct trace_id *id, struct time_range range,
		      struct spent_request *out, struct error *err) MUST_CHECK;

/* The span with which the service was entered by a bad request: the longest of
 * those that took too long, else the first that failed; SPAN_NONE: there is
 * none. */
uint32_t slo_request_span(const struct slo *s, const struct trace *t,
			  bool *is_failed);

#endif
