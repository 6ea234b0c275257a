/* SPDX-License-Identifier: Apache-2.0
 *
 * What a server of metrics answers: series of numbers over time, exemplars
 * (single measurements with the trace they were of), names. Arrays and texts
 * live in the arena of whoever read them.
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
	struct metric_label *labels; /* __name__ among them */
	size_t label_count;
	struct metric_point *points; /* by time; those without a value left
					out */
	size_t point_count;
};

struct exemplar {
	struct str trace_id;
	double value;
	double edge; /* upper one of its bucket; without one the value */
	int64_t time_ns;
};

struct metric_answer {
	struct metric_series *series;
	size_t series_count;
	struct exemplar *exemplars; /* those with a trace */
	size_t exemplar_count;
	struct str *names;
	size_t name_count;
	size_t warning_count; /* the answer may be partial */
	struct str warning;   /* the first of them, in the server's words */
};

/* Its value; an empty str when the series has no such label. */
static inline struct str metric_label_find(const struct metric_series *s,
					   struct str name)
{
	for (size_t i = 0; i < s->label_count; i++)
		if (str_equal(s->labels[i].name, name))
			return s->labels[i].value;
	return STR("");
}

/* How long something took how often, as servers that count give it: by powers
 * of two. */

#define DURATION_BUCKETS 63u

/* counts[i] durations were over 2^(i - 1) ns and at most 2^i ns. */
struct duration_buckets {
	int64_t counts[DURATION_BUCKETS];
	int64_t total;
};

/* The measurements in equal steps of a window, a row for each value of an
 * attribute (a version). */

/* Equal steps from from_ms on. */
struct steps {
	int64_t from_ms;
	int64_t step_ms; /* above 0 */
	size_t count;
};

struct step_row {
	struct str name; /* empty: without the attribute */
	double *values;  /* of each step; 0 where there is none */
};

struct step_rows {
	struct step_row *items; /* in the server's order */
	size_t count;           /* at most LIMIT_NAMES */
};

#endif
