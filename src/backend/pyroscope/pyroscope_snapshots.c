/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backend/answer.h"
#include "backend/backends.h"
#include "backend/pyroscope/pyroscope_calls.h"
#include "base/json.h"
#include "base/jsonw.h"
#include "base/num.h"

/* Below every sender's interval (10 to 60 s): each point is one snapshot. */
#define POINT_STEP_MS 5000

enum { HEATMAP, POINTS };
_Static_assert(POINTS + 1 == PYROSCOPE_SNAPSHOTS_ATTEMPTS, "each is asked for");

struct snapshots_query {
	const struct profile_query *query;
	const char *instance_label;
	int64_t step_ms;
	bool is_heatmap;
};

static void add_query(struct jsonw *w, const void *what)
{
	const struct snapshots_query *q = what;

	jsonw_pair_text(w, "profileTypeID", q->query->type_id);
	jsonw_pair_text(w, "labelSelector", q->query->selector);
	jsonw_pair_f64(w, "step", (double)q->step_ms / 1000, 3);
	if (q->is_heatmap) {
		jsonw_pair_text(w, "queryType",
				"HEATMAP_QUERY_TYPE_INDIVIDUAL");
		jsonw_pair_text(w, "exemplarType", "EXEMPLAR_TYPE_NONE");
	} else if (q->instance_label) {
		jsonw_key(w, "groupBy");
		jsonw_array(w);
		jsonw_text(w, q->instance_label);
		jsonw_array_end(w);
	}
}

/* A point at t counts what lies in [t - step, t], and what comes after the
 * last point is left out: the window ends with a point. */
static struct time_range points_range(struct time_range range, int64_t *step_ms)
{
	int64_t start_ms, end_ms, length_ms;

	pyroscope_range_ms(range, &start_ms, &end_ms);
	length_ms = end_ms - start_ms + 1;
	if (!*step_ms || *step_ms > length_ms / 2)
		*step_ms = (length_ms + 1) / 2;
	start_ms = end_ms - (length_ms - 1) / *step_ms * *step_ms;
	if (start_ms >= end_ms) /* one point alone is refused */
		start_ms = end_ms - 1;
	return (struct time_range){ start_ms * NS_PER_MS,
				    (end_ms + 1) * NS_PER_MS };
}

bool pyroscope_snapshots_request(const struct side *side,
				 const struct profile_query *query,
				 const char *instance_label, unsigned attempt,
				 struct http_request *request,
				 struct error *err)
{
	struct snapshots_query q = {
		.query = query,
		.instance_label = instance_label,
		.step_ms = attempt == HEATMAP ? 0 : POINT_STEP_MS,
		.is_heatmap = attempt == HEATMAP,
	};
	struct time_range range = points_range(query->range, &q.step_ms);

	return pyroscope_ask(&side->endpoint,
			     attempt == HEATMAP ? "SelectHeatmap"
						: "SelectSeries",
			     range, add_query, &q, request, err);
}

/* "counts":[3,0,..] */
static void read_slot(struct json_reader *r, struct str key, void *sum)
{
	int64_t count, *total = sum;

	if (!str_equal(key, STR("counts"))) {
		json_skip(r);
		return;
	}
	if (json_enter(r, JSON_ARRAY))
		while (json_next_item(r))
			if (json_i64(r, &count) && count > 0)
				*total = sat_add_i64(*total, count);
}

static void read_point(struct json_reader *r, struct str key, void *sum)
{
	int64_t *total = sum;
	double value;

	if (!str_equal(key, STR("value")))
		json_skip(r);
	else if (json_f64(r, &value) && value > 0)
		*total = sat_add_i64(*total, 1);
}

static void read_series(struct json_reader *r, struct str key, void *sum)
{
	if (str_equal(key, STR("slots")))
		json_each_object(r, read_slot, sum);
	else if (str_equal(key, STR("points")))
		json_each_object(r, read_point, sum);
	else
		json_skip(r);
}

static void read_all(struct json_reader *r, void *into)
{
	json_each_object(r, read_series, into);
}

enum answer pyroscope_snapshots_answer(const struct side *side,
				       const struct http_response *response,
				       int64_t *count, struct error *err)
{
	*count = 0;
	if (!pyroscope_read(&side->endpoint, response, STR("series"), read_all,
			    count, err))
		return err->code == ERROR_AUTH ? ANSWER_ERROR : ANSWER_TRY_NEXT;
	if (*count > 0)
		return ANSWER_OK;
	error_set(err, ERROR_NOT_FOUND,
		  "pyroscope: no snapshots in this window");
	return ANSWER_TRY_NEXT;
}
