/* SPDX-License-Identifier: Apache-2.0
 *
 * Responses of metrics servers: time series, exemplars (single measurements
 * with their trace), names. Arrays and texts live in the reader's arena.
 */
#ifndef MODEL_METRICS_H
#define MODEL_METRICS_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct metric_point {
	int64_t time_ns;
	double value; /* finite */
};

struct metric_label {
	struct str name;
	struct str value;
};

struct metric_series {
	struct metric_label *labels; /* including __name__ */
	size_t label_count;
	struct metric_point *points; /* by time; without missing values */
	size_t point_count;
};

struct exemplar {
	struct str trace_id;
	double value;
	double edge; /* upper bound of its bucket; the value if there is none */
	int64_t time_ns;
};

struct metric_answer {
	struct metric_series *series;
	size_t series_count;
	struct exemplar *exemplars; /* those with a trace id */
	size_t exemplar_count;
	struct str *names;
	size_t name_count;
	size_t warning_count; /* if not 0, results may be partial */
	struct str warning;   /* the first one, in the server's words */
};

/* Returns the value of a label, an empty str if absent. */
static inline struct str metric_label_find(const struct metric_series *s,
					   struct str name)
{
	for (size_t i = 0; i < s->label_count; i++)
		if (str_equal(s->labels[i].name, name))
			return s->labels[i].value;
	return STR("");
}

/* Duration histograms in powers of two, as returned by servers. */

#define DURATION_BUCKETS 63u

/* counts[i] is the number of durations in (2^(i - 1), 2^i] ns. */
struct duration_buckets {
	int64_t counts[DURATION_BUCKETS];
	int64_t total;
};

/* Values per time step of a window, a row for each value of an attribute (such
 * as the version). */

/* Equal time steps from from_ms on. */
struct steps {
	int64_t from_ms;
	int64_t step_ms; /* above 0 */
	size_t count;
};

struct step_row {
	struct str name; /* attribute value; empty: without the attribute */
	double *values;  /* by step; 0 if missing */
};

struct step_rows {
	struct step_row *items; /* in the server's order */
	size_t count;           /* at most LIMIT_NAMES */
};

#endif
