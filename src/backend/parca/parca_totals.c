/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/parca/parca_calls.h"

#include <string.h>

#include "backend/answer.h"
#include "backend/backends.h"
#include "backend/gather.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/num.h"

/* Parca's steps begin at multiples of their length, ours end with the window:
 * finer ones are asked for, and each counts where its middle lies. */
#define STEPS_IN_ONE 12

int64_t parca_totals_step_s(const struct totals_query *query)
{
	int64_t step_s = query->step_ms / 1000 / STEPS_IN_ONE;

	return step_s > 1 ? step_s : 1;
}

struct reader {
	const struct side *side;
	int64_t step_ms; /* Parca's */
	struct total_gatherer into;
};

/* {"name":"job","value":"cart"}: of types that are no delta all labels come,
 * whichever were asked for. */
static void read_label(struct json_reader *json, struct reader *r,
		       struct total *into)
{
	const struct totals_query *q = r->into.query;
	const char *label = parca_label(r->side, q->label);
	const char *beside = q->beside ? parca_label(r->side, q->beside) : NULL;
	struct str key, text, value = STR("");
	bool is_label = false, is_beside = false;

	if (!json_enter(json, JSON_OBJECT))
		return;
	while (json_next_key(json, &key)) {
		if (str_equal(key, STR("name"))) {
			if (!json_text(json, &text))
				return;
			is_label = str_equal(text, str_from(label));
			is_beside = beside && str_equal(text, str_from(beside));
		} else if (str_equal(key, STR("value"))) {
			if (json_text(json, &text)) {
				value = arena_str(r->into.arena, text);
				r->into.is_failed |= !value.ptr;
			}
		} else {
			json_skip(json);
		}
	}
	if (is_label)
		into->name = value;
	else if (is_beside)
		into->beside = value;
}

/* {"labels":[..]} */
static void read_labelset(struct json_reader *json, struct reader *r,
			  struct total *into)
{
	struct str key;

	if (!json_enter(json, JSON_OBJECT))
		return;
	while (json_next_key(json, &key)) {
		if (!str_equal(key, STR("labels"))) {
			json_skip(json);
			continue;
		}
		if (!json_enter(json, JSON_ARRAY))
			return;
		while (json_next_item(json))
			read_label(json, r, into);
	}
}

/* Steps at the edges reach beyond the window, their samples do not. */
static void keep_sample(const struct reader *r, int64_t start_ns, double value,
			struct total *into)
{
	const struct totals_query *q = r->into.query;
	int64_t count = (int64_t)q->step_count, after_ms, step;

	if (!(value > 0) ||
	    !sub_i64(start_ns / NS_PER_MS, q->from_ms, &after_ms) ||
	    after_ms < -r->step_ms || after_ms > count * q->step_ms)
		return;
	step = (after_ms + r->step_ms / 2) / q->step_ms;
	step = step < 0 ? 0 : step >= count ? count - 1 : step;
	into->values[step] += value;
}

/* {"timestamp":"2026-11-21T16:00:00Z","value":"34800000000","duration":"0",
 * "count":2}: of snapshots, which last for no time, a step has the first as its
 * value, taken here for that of all of them. */
static void read_sample(struct json_reader *json, const struct reader *r,
			struct total *into)
{
	int64_t start_ns = INT64_MIN, value = 0, duration_ns = -1, count = 1;
	struct str key, text;

	if (!json_enter(json, JSON_OBJECT))
		return;
	while (json_next_key(json, &key)) {
		if (str_equal(key, STR("timestamp"))) {
			if (!json_text(json, &text))
				return;
			if (!parse_rfc3339(text, &start_ns))
				start_ns = INT64_MIN;
		} else if (str_equal(key, STR("value"))) {
			if (!json_i64(json, &value))
				return;
		} else if (str_equal(key, STR("duration"))) {
			if (!json_i64(json, &duration_ns))
				return;
		} else if (str_equal(key, STR("count"))) {
			if (!json_i64(json, &count))
				return;
		} else {
			json_skip(json);
		}
	}
	if (!duration_ns && count > 1)
		keep_sample(r, start_ns, (double)value * (double)count, into);
	else
		keep_sample(r, start_ns, (double)value, into);
}

static void read_one(struct json_reader *json, struct reader *r)
{
	struct total *into = total_gatherer_add(&r->into);
	struct str key;

	if (!into) {
		json_skip(json);
		return;
	}
	if (!json_enter(json, JSON_OBJECT))
		return;
	while (json_next_key(json, &key)) {
		if (str_equal(key, STR("labelset"))) {
			read_labelset(json, r, into);
		} else if (str_equal(key, STR("samples"))) {
			if (!json_enter(json, JSON_ARRAY))
				return;
			while (json_next_item(json))
				read_sample(json, r, into);
		} else {
			json_skip(json);
		}
	}
}

/* [{"labelset":{..},"samples":[..]}] */
static void read_all(struct json_reader *json, void *into)
{
	if (json_enter(json, JSON_ARRAY))
		while (json_next_item(json))
			read_one(json, into);
}

bool parca_totals_answer(const struct backends *b,
			 const struct totals_query *query,
			 const struct http_response *response,
			 struct totals *totals, struct error *err)
{
	struct reader r = { .side = &b->profiles,
			    .step_ms = 1000 * parca_totals_step_s(query) };

	total_gatherer_init(&r.into, query, b->arena, totals);
	if (parca_is_empty_range(response))
		return true;
	return parca_read(&b->profiles.endpoint, response, STR("series"),
			  read_all, &r, err) &&
	       total_gatherer_finish(&r.into, err);
}
