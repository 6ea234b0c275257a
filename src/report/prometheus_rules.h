/* SPDX-License-Identifier: Apache-2.0
 *
 * Rules for Prometheus of a service level objective: records of how much of the
 * requests is bad, over each window that is looked at, and an alert for each
 * pair of burn rates. YAML as promtool reads it; nothing in it needs a server
 * younger than 2.26.
 */
#ifndef REPORT_PROMETHEUS_RULES_H
#define REPORT_PROMETHEUS_RULES_H

#include "backend/metric_names.h"
#include "base/out.h"

struct prometheus_rules {
	struct metric_indicator indicator; /* with a service */
	double objective;                  /* 0 < objective < 1 */
	int64_t threshold_ns;              /* in words; 0: none */
	int64_t window_ns;                 /* of the budget, from an hour on */
};

/* A file of one group. Pairs that can never fire are left out, with a comment
 * that says so. */
void prometheus_rules_write(const struct prometheus_rules *r, struct out *out);

/* ---- pieces, for further rules ---- */

/* PromQL of the part of the requests of a window that is bad, 0..1. */
void prometheus_bad_part(struct buf *out, const struct metric_indicator *of,
			 int64_t window_ns);

/* A key and foreign or long text behind it, as a block where it is plain. The
 * line begins with so many blanks. */
void yaml_pair(struct out *out, size_t indent, const char *key,
	       struct str text);

/* A text as a scalar in double quotes. */
void yaml_text(struct out *out, struct str text);

#endif
