/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/json.h"
#include "base/jsonw.h"
#include "base/num.h"
#include "source/answer.h"
#include "source/parca.h"
#include "source/pyroscope.h"

static void add_query(struct jsonw *w, const void *what)
{
	const struct totals_query *q = what;

	jsonw_key(w, "profileTypeID");
	jsonw_text(w, q->type_id);
	jsonw_key(w, "labelSelector");
	jsonw_text(w, q->selector);
	jsonw_key(w, "step");
	jsonw_f64(w, (double)q->step_ms / 1000, 3);
	jsonw_key(w, "groupBy");
	jsonw_array(w);
	jsonw_text(w, q->label);
	jsonw_array_end(w);
}

static int64_t first_point_ms(const struct totals_query *query)
{
	return query->from_ms + query->step_ms - 1;
}

bool source_totals_request(const struct endpoint *endpoint,
			   const struct totals_query *query,
			   struct http_request *request, struct error *err)
{
	int64_t length_ms = query->step_ms * (int64_t)query->step_count;
	struct time_range range = { first_point_ms(query) * NS_PER_MS,
				    (query->from_ms + length_ms) * NS_PER_MS };

	if (endpoint->parca)
		return parca_totals_request(endpoint, query, request, err);
	return pyroscope_ask(endpoint, "SelectSeries", range, add_query, query,
			     request, err);
}

struct totals_reader {
	const struct totals_query *query;
	struct arena *arena;
	struct totals *totals;
	size_t cap;
	bool is_failed;
};

/* {"name":"service_name","value":"a"}: only that label was asked for. */
static void read_label(struct json_reader *r, struct totals_reader *t,
		       struct total *into)
{
	struct str key, text;

	if (!json_enter(r, JSON_OBJECT))
		return;
	while (json_next_key(r, &key)) {
		if (!str_equal(key, STR("value"))) {
			json_skip(r);
		} else if (json_text(r, &text)) {
			into->name = arena_str(t->arena, text);
			t->is_failed |= !into->name.ptr;
		}
	}
}

static void read_labels(struct json_reader *r, struct totals_reader *t,
			struct total *into)
{
	if (json_enter(r, JSON_ARRAY))
		while (json_next_item(r))
			read_label(r, t, into);
}

/* A point at t counts the step that ends there. */
static void keep_point(const struct totals_reader *t, int64_t time_ms,
		       double value, struct total *into)
{
	const struct totals_query *q = t->query;
	int64_t after_ms;

	if (!(value > 0) || !isfinite(value) ||
	    !sub_i64(time_ms, first_point_ms(q), &after_ms) || after_ms < 0 ||
	    after_ms / q->step_ms >= (int64_t)q->step_count)
		return;
	into->values[after_ms / q->step_ms] += value;
}

/* {"value":1.5,"timestamp":"1795271102000"} */
static void read_point(struct json_reader *r, const struct totals_reader *t,
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
	keep_point(t, time_ms, value, into);
}

static void read_points(struct json_reader *r, const struct totals_reader *t,
			struct total *into)
{
	if (json_enter(r, JSON_ARRAY))
		while (json_next_item(r))
			read_point(r, t, into);
}

/* Room for one more, empty; NULL past the limit or without memory. */
static struct total *new_total(struct totals_reader *t)
{
	struct totals *list = t->totals;
	void *items = list->items;
	struct total *into;

	if (t->is_failed || list->count >= LIMIT_NAMES)
		return NULL;
	if (!arena_reserve(t->arena, &items, &t->cap, list->count + 1,
			   sizeof *list->items)) {
		t->is_failed = true;
		return NULL;
	}
	list->items = items;
	into = &list->items[list->count];
	*into = (struct total){ .name = STR("") };
	into->values = arena_array(t->arena, t->query->step_count,
				   sizeof *into->values);
	t->is_failed |= !into->values;
	if (into->values)
		list->count++;
	return into->values ? into : NULL;
}

static void read_one(struct json_reader *r, struct totals_reader *t)
{
	struct total *into = new_total(t);
	struct str key;

	if (!into) {
		json_skip(r);
		return;
	}
	if (!json_enter(r, JSON_OBJECT))
		return;
	while (json_next_key(r, &key)) {
		if (str_equal(key, STR("labels")))
			read_labels(r, t, into);
		else if (str_equal(key, STR("points")))
			read_points(r, t, into);
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

bool source_totals_answer(const struct endpoint *endpoint,
			  const struct http_response *response,
			  const struct totals_query *query, struct arena *arena,
			  struct totals *totals, struct error *err)
{
	struct totals_reader t = { .query = query,
				   .arena = arena,
				   .totals = totals };

	if (endpoint->parca)
		return parca_totals_answer(endpoint, response, query, arena,
					   totals, err);
	*totals = (struct totals){ .items = NULL };
	if (!pyroscope_read(endpoint, response, STR("series"), read_all, &t,
			    err))
		return false;
	if (t.is_failed)
		return arena_fail(arena, "the server's series", err);
	return true;
}
