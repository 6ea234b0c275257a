/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers of Prometheus' HTTP API: instant and range queries, exemplars, lists
 * of label values and of series.
 */
#ifndef DECODE_PROMETHEUS_JSON_H
#define DECODE_PROMETHEUS_JSON_H

#include "base/arena.h"
#include "base/error.h"
#include "model/metrics.h"

/* Which of them it is: the answer itself does not say. */
enum metric_form {
	METRIC_FORM_QUERY,
	METRIC_FORM_EXEMPLARS,
	METRIC_FORM_NAMES,
	METRIC_FORM_SERIES
};

/* Fills out with what the arena then holds. Values that are no finite numbers
 * are left out. ERROR_LIMIT past LIMIT_METRIC_SERIES or LIMIT_METRIC_POINTS. */
bool decode_prometheus(struct str body, enum metric_form form,
		       struct arena *arena, struct metric_answer *out,
		       struct error *err) MUST_CHECK;

#endif
