/* SPDX-License-Identifier: Apache-2.0
 *
 * How long the requests of a service took in two windows, operation by
 * operation, of as many of them as a trace server gives. No words, no options.
 */
#ifndef INVESTIGATE_CHECK_LATENCY_H
#define INVESTIGATE_CHECK_LATENCY_H

#include "analyze/latency.h"
#include "investigate/investigation.h"

/* Whether traces are asked. */
enum latency_want {
	LATENCY_OFF = 0,
	LATENCY_IF_KNOWN, /* what they cannot tell is only said */
	LATENCY_NEEDED,
};

struct latency_window {
	struct time_range range;
	size_t requests;      /* that were looked at, of all operations */
	int64_t counted;      /* that the server counted; -1 not known */
	bool is_counted_part; /* there are more than that */
};

struct check_latency {
	bool is_known;      /* the server answered */
	const char *reason; /* why not; NULL: it was not asked */
	struct latency_window after;
	struct latency_window before;
	struct latency_row *rows; /* those with the most requests first */
	size_t count;
};

/* Requests of the service in both windows; where the question's baseline is a
 * version, of that one and of others. What is only wished for and cannot be had
 * is no failure. */
bool check_latency_find(struct check_latency *l, struct investigation *v,
			struct str service, struct time_range after,
			struct time_range before, enum latency_want want,
			struct error *err) MUST_CHECK;

#endif
