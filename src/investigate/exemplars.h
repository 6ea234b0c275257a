/* SPDX-License-Identifier: Apache-2.0
 *
 * Which trace stands for the slow requests of a service by its metrics: an
 * exemplar of the latency histogram from the buckets of the slowest 5 %.
 */
#ifndef INVESTIGATE_EXEMPLARS_H
#define INVESTIGATE_EXEMPLARS_H

#include "investigate/service_metrics.h"

enum exemplar_lack {
	EXEMPLAR_FOUND = 0,
	EXEMPLAR_NO_METRICS, /* none of the known ones names the service */
	EXEMPLAR_NO_LATENCY,
	EXEMPLAR_NO_OPERATION, /* the histogram has none */
	EXEMPLAR_NONE,         /* it has no exemplars */
};

struct exemplar_choice {
	struct service_metrics metrics;
	const char *operation; /* NULL: all of them */
	struct time_range window;

	enum exemplar_lack lack;
	struct exemplar exemplar; /* the value in seconds */
	size_t count;             /* of all in the window */
	size_t slow_count;        /* in the buckets from that of p95 on, of
				     which it is the median; 0: it is the
				     longest */
	double p95_s;             /* 0: not known */
};

/* service and operation are borrowed. False: nothing was answered; that there
 * is none is in lack. */
bool exemplar_choose(struct exemplar_choice *c, struct backends *b,
		     const char *service, const char *operation,
		     struct time_range window, struct error *err) MUST_CHECK;

/* The choice itself, of exemplars in seconds, whose order changes. */
void exemplar_pick(struct exemplar_choice *c, struct exemplar *list,
		   size_t count);

#endif
