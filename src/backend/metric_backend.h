/* SPDX-License-Identifier: Apache-2.0
 *
 * What a server of metrics is. All speak PromQL over one API, so that they
 * differ in where it is and what they have; metrics.h says what to ask
 * for. Knows no server by name, sends nothing, and does not know who asks.
 */
#ifndef BACKEND_METRIC_BACKEND_H
#define BACKEND_METRIC_BACKEND_H

#include "backend/source.h"
#include "model/metrics.h"

enum metric_ask {
	METRIC_ASK_NOW = 0,   /* an expression at one moment */
	METRIC_ASK_RANGE,     /* over a window, step by step */
	METRIC_ASK_EXEMPLARS, /* of the selector */
	METRIC_ASK_NAMES,     /* which of these there are */
};

struct metric_query {
	enum metric_ask ask;
	struct str expression;   /* PromQL */
	struct time_range range; /* METRIC_ASK_NOW: at its end */
	int64_t step_ns;         /* whole seconds; METRIC_ASK_RANGE */
	const struct str *names; /* METRIC_ASK_NAMES */
	size_t name_count;
};

struct metric_backend {
	const char *name;  /* as messages begin: "prometheus" */
	const char *title; /* "Prometheus" */
	/* It has what the platform measures itself. */
	bool is_cloud;
	/* Build information, for status_version_read(); NULL: none. */
	const char *version_path;

	/* Appended to the address, behind the project where there is one. */
	void (*path)(const struct metric_query *query, struct buf *out);
	enum answer (*answer)(const struct metric_query *query,
			      const struct endpoint *e,
			      const struct http_response *response,
			      struct arena *arena, struct metric_answer *out,
			      struct error *err);
};

#endif
