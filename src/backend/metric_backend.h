/* SPDX-License-Identifier: Apache-2.0
 *
 * Interface to a kind of metrics server. All speak PromQL over one API and
 * differ in its address and in the metrics they have; metrics.h builds the
 * expressions. Sends nothing.
 */
#ifndef BACKEND_METRIC_BACKEND_H
#define BACKEND_METRIC_BACKEND_H

#include "backend/source.h"
#include "model/metrics.h"

enum metric_ask {
	METRIC_ASK_NOW = 0,   /* an expression at one time */
	METRIC_ASK_RANGE,     /* over a window, with a step */
	METRIC_ASK_EXEMPLARS, /* of the selector */
	METRIC_ASK_NAMES,     /* which of the given names exist */
};

struct metric_query {
	enum metric_ask ask;
	struct str expression;   /* PromQL */
	struct time_range range; /* METRIC_ASK_NOW: at its end */
	int64_t step_ns;         /* whole seconds; METRIC_ASK_RANGE */
	const struct str *names; /* for METRIC_ASK_NAMES */
	size_t name_count;
};

struct metric_backend {
	const char *name;  /* at the start of messages: "prometheus" */
	const char *title; /* "Prometheus" */
	/* It has the metrics of the cloud platform itself. */
	bool is_cloud;
	/* Path of the build information, for status_version_read(); NULL:
	 * none. */
	const char *version_path;

	/* Appends the path, which follows the address and the project if there
	 * is one. */
	void (*path)(const struct metric_query *query, struct buf *out);
	enum answer (*answer)(const struct metric_query *query,
			      const struct endpoint *e,
			      const struct http_response *response,
			      struct arena *arena, struct metric_answer *out,
			      struct error *err);
};

#endif
