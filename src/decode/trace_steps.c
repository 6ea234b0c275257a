/* SPDX-License-Identifier: Apache-2.0
 *
 * Tempo's query_range with by(): a series for each value of the attribute,
 * with a sample for each step, which ends at its time. A span without the
 * attribute is of "nil".
 */
#include "decode/trace_steps.h"

#include <math.h>

#include "base/json.h"
#include "base/num.h"
#include "base/timefmt.h"

struct reading {
	struct json_reader *r;
	const struct steps *steps;
	struct arena *arena;
	struct step_rows *out;
	size_t cap;
	struct step_row row; /* of the series at hand */
	bool is_starved;
	bool is_partial;
};

static void read_objects(struct reading *d, void (*read)(struct reading *d))
{
	if (!json_enter_if(d->r, JSON_ARRAY))
		return;
	while (json_next_item(d->r))
		if (json_enter_if(d->r, JSON_OBJECT))
			read(d);
}

/* {"key":"resource.service.version","value":{"stringValue":"1.4.0"}}, the only
 * text among the labels. */
static void read_label(struct reading *d)
{
	while (json_next_named(d->r, STR("value"))) {
		if (!json_enter_if(d->r, JSON_OBJECT))
			continue;
		while (json_next_named(d->r, STR("stringValue"))) {
			struct str text = json_text_nullable(d->r);

			if (str_equal(text, STR("nil")) || !text.len)
				continue;
			d->row.name = arena_str(d->arena, text);
			d->is_starved |= !d->row.name.ptr;
		}
	}
}

/* "NaN" for a step without spans. */
static double read_value(struct reading *d)
{
	double value = 0;

	if (json_peek(d->r) == JSON_STRING) {
		json_skip(d->r);
		return NAN;
	}
	return json_f64(d->r, &value) ? value : NAN;
}

static void keep_sample(struct reading *d, uint64_t end_ms, double value)
{
	const struct steps *s = d->steps;
	int64_t since_ms;

	if (end_ms > INT64_MAX || !isfinite(value) || value < 0 ||
	    !sub_i64((int64_t)end_ms, s->from_ms, &since_ms) || since_ms < 1)
		return;
	since_ms = (since_ms - 1) / s->step_ms;
	if (since_ms < (int64_t)s->count)
		d->row.values[since_ms] += value;
}

static void read_sample(struct reading *d)
{
	uint64_t end_ms = 0;
	double value = 0;
	struct str key;

	while (json_next_key(d->r, &key))
		if (str_equal(key, STR("timestampMs")))
			end_ms = json_u64_capped(d->r);
		else if (str_equal(key, STR("value")))
			value = read_value(d);
		else
			json_skip(d->r);
	keep_sample(d, end_ms, value);
}

static void keep_row(struct reading *d)
{
	void *items = d->out->items;

	if (json_failed(d->r) || d->out->count == LIMIT_NAMES)
		return;
	if (!arena_reserve(d->arena, &items, &d->cap, d->out->count + 1,
			   sizeof *d->out->items)) {
		d->is_starved = true;
		return;
	}
	d->out->items = items;
	d->out->items[d->out->count++] = d->row;
}

static void read_series(struct reading *d)
{
	struct str key;

	d->row = (struct step_row){ .name = STR("") };
	d->row.values =
		arena_array(d->arena, d->steps->count, sizeof *d->row.values);
	if (!d->row.values) {
		d->is_starved = true;
		return;
	}
	while (json_next_key(d->r, &key))
		if (str_equal(key, STR("labels")))
			read_objects(d, read_label);
		else if (str_equal(key, STR("samples")))
			read_objects(d, read_sample);
		else
			json_skip(d->r);
	keep_row(d);
}

static void read_answer(struct reading *d)
{
	struct str key;

	if (!json_enter(d->r, JSON_OBJECT))
		return;
	while (!d->is_starved && json_next_key(d->r, &key))
		if (str_equal(key, STR("series")))
			read_objects(d, read_series);
		else if (!str_equal(key, STR("status")))
			json_skip(d->r);
		else
			d->is_partial = str_equal(json_text_nullable(d->r),
						  STR("PARTIAL"));
	if (!d->is_starved)
		json_expect_end(d->r, "answer");
}

bool decode_tempo_steps(struct str bytes, const struct steps *steps,
			struct arena *arena, struct step_rows *out,
			struct error *err)
{
	struct reading d = { .r = json_new(bytes, err),
			     .steps = steps,
			     .arena = arena,
			     .out = out };
	bool is_read;

	*out = (struct step_rows){ .count = 0 };
	if (!d.r)
		return false;
	read_answer(&d);
	is_read =
		d.is_starved
			? arena_fail(arena, "the versions over time", err)
			: json_check(d.r, err) ||
				  error_prefix(
					  err,
					  "damaged or cut-off TraceQL metrics");
	json_free(d.r);
	if (is_read && d.is_partial)
		return error_set(err, ERROR_PARTIAL,
				 "TraceQL metrics of a part of the spans only");
	return is_read;
}
