/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "backend/answer.h"
#include "backend/backends.h"
#include "backend/gather.h"
#include "backend/pyroscope/pyroscope_calls.h"
#include "base/json.h"
#include "base/jsonw.h"
#include "base/num.h"

static void add_query(struct jsonw *w, const void *what)
{
	const struct totals_query *q = what;

	jsonw_pair_text(w, "profileTypeID", q->type_id);
	jsonw_pair_text(w, "labelSelector", q->selector);
	jsonw_pair_f64(w, "step", (double)q->step_ms / 1000, 3);
	jsonw_key(w, "groupBy");
	jsonw_array(w);
	jsonw_text(w, q->label);
	if (q->beside)
		jsonw_text(w, q->beside);
	jsonw_array_end(w);
}

static int64_t first_point_ms(const struct totals_query *query)
{
	return query->from_ms + query->step_ms - 1;
}

bool pyroscope_totals_request(const struct side *side,
			      const struct totals_query *query,
			      struct http_request *request, struct error *err)
{
	int64_t length_ms = query->step_ms * (int64_t)query->step_count;
	struct time_range range = { first_point_ms(query) * NS_PER_MS,
				    (query->from_ms + length_ms) * NS_PER_MS };

	return pyroscope_ask(&side->endpoint, "SelectSeries", range, add_query,
			     query, request, err);
}

/* {"name":"service_name","value":"a"}: only labels that were asked for. */
static void read_label(struct json_reader *r, struct total_gatherer *g,
		       struct total *into)
{
	const char *beside = g->query->beside;
	struct str key, text, value = STR("");
	bool is_beside = false;

	if (!json_enter(r, JSON_OBJECT))
		return;
	while (json_next_key(r, &key)) {
		if (str_equal(key, STR("name"))) {
			if (json_text(r, &text))
				is_beside = beside &&
					    str_equal(text, str_from(beside));
		} else if (!str_equal(key, STR("value"))) {
			json_skip(r);
		} else if (json_text(r, &text)) {
			value = arena_str(g->arena, text);
			g->is_failed |= !value.ptr;
		}
	}
	*(is_beside ? &into->beside : &into->name) = value;
}

static void read_labels(struct json_reader *r, struct total_gatherer *g,
			struct total *into)
{
	if (json_enter(r, JSON_ARRAY))
		while (json_next_item(r))
			read_label(r, g, into);
}

/* A point at t counts the step that ends there. */
static void keep_point(const struct total_gatherer *g, int64_t time_ms,
		       double value, struct total *into)
{
	const struct totals_query *q = g->query;
	int64_t after_ms;

	if (!(value > 0) || !isfinite(value) ||
	    !sub_i64(time_ms, first_point_ms(q), &after_ms) || after_ms < 0 ||
	    after_ms / q->step_ms >= (int64_t)q->step_count)
		return;
	into->values[after_ms / q->step_ms] += value;
}

/* {"value":1.5,"timestamp":"1795271102000"} */
static void read_point(struct json_reader *r, const struct total_gatherer *g,
		       struct total *into)
{
	int64_t time_ms = INT64_MIN;
	double value = 0;
	struct str key;

	if (!json_enter(r, JSON_OBJECT))
		return;
	while (json_next_key(r, &key)) {
		if (str_equal(key, STR("value"))) {
			if (!json_f64(r, &value))
				return;
		} else if (str_equal(key, STR("timestamp"))) {
			if (!json_i64(r, &time_ms))
				return;
		} else {
			json_skip(r);
		}
	}
	keep_point(g, time_ms, value, into);
}

static void read_points(struct json_reader *r, const struct total_gatherer *g,
			struct total *into)
{
	if (json_enter(r, JSON_ARRAY))
		while (json_next_item(r))
			read_point(r, g, into);
}

static void read_one(struct json_reader *r, struct total_gatherer *g)
{
	struct total *into = total_gatherer_add(g);
	struct str key;

	if (!into) {
		json_skip(r);
		return;
	}
	if (!json_enter(r, JSON_OBJECT))
		return;
	while (json_next_key(r, &key)) {
		if (str_equal(key, STR("labels")))
			read_labels(r, g, into);
		else if (str_equal(key, STR("points")))
			read_points(r, g, into);
		else
			json_skip(r);
	}
}

/* [{"labels":[..],"points":[..]}] */
static void read_all(struct json_reader *r, void *into)
{
	if (json_enter(r, JSON_ARRAY))
		while (json_next_item(r))
			read_one(r, into);
}

bool pyroscope_totals_answer(const struct backends *b,
			     const struct totals_query *query,
			     const struct http_response *response,
			     struct totals *totals, struct error *err)
{
	struct total_gatherer g;

	total_gatherer_init(&g, query, b->arena, totals);
	return pyroscope_read(&b->profiles.endpoint, response, STR("series"),
			      read_all, &g, err) &&
	       total_gatherer_finish(&g, err);
}
