/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/formats.h"

#include <math.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/timefmt.h"
#include "decode/taker.h"

/* Request counts per time step: Tempo's metrics, Jaeger's summaries. */

struct counting {
	struct json_reader *r;
	struct step_counts *out;
	int64_t server_step_ns;
	uint32_t *parts; /* number of the server's steps within each of ours */
	uint32_t trace_count;
};

static bool counting_init(struct counting *c, struct str bytes,
			  struct step_counts *out, struct error *err)
{
	*c = (struct counting){ .out = out };
	c->r = json_new(bytes, err);
	if (!c->r)
		return false;
	c->parts = mem_calloc((size_t)out->step_count + 1, sizeof *c->parts);
	if (c->parts)
		return true;
	json_free(c->r);
	return error_memory(err, "counts");
}

static bool counting_finish(struct counting *c, const char *what,
			    struct error *err)
{
	bool is_read;

	json_expect_end(c->r, "answer");
	is_read = json_check(c->r, err) ||
		  error_prefix(err, "damaged or cut-off %s", what);
	json_free(c->r);
	mem_free(c->parts);
	return is_read;
}

/* Returns false if the time is in no step. */
static bool step_of(const struct step_counts *out, int64_t time_ns,
		    uint32_t *step)
{
	int64_t since_ns = sat_sub_i64(time_ns, out->from_ns);

	if (since_ns < 0 || since_ns / out->step_ns >= out->step_count)
		return false;
	*step = (uint32_t)(since_ns / out->step_ns);
	return true;
}

static void step_counts_add(struct step_counts *out, uint32_t step,
			    int64_t count)
{
	if (out->counts[step] < 0)
		out->counts[step] = 0;
	out->counts[step] = sat_add_i64(out->counts[step], count);
}

/* Reads a document whose only list, `name`, contains objects. */
static void read_member(struct counting *c, struct str name,
			void (*read)(struct counting *c))
{
	if (!json_enter(c->r, JSON_OBJECT))
		return;
	while (json_next_named(c->r, name))
		if (json_enter_nullable(c->r, JSON_ARRAY))
			while (json_next_object(c->r))
				read(c);
}

/* ---- Tempo ---- */

/* The value of a sample is the count of the step that ends at its time; missing
 * values are 0. Counts are doubles. */
static void read_count_sample(struct counting *c)
{
	uint64_t end_ms = 0;
	double value = 0;
	int64_t middle_ns;
	struct str key;
	uint32_t step;

	while (json_next_key(c->r, &key))
		if (str_equal(key, STR("timestampMs")))
			end_ms = json_u64_capped(c->r);
		else if (!str_equal(key, STR("value")))
			json_skip(c->r);
		else if (!json_f64(c->r, &value))
			return;
	if (end_ms > INT64_MAX / NS_PER_MS || !(value >= 0 && value < 1e15))
		return;
	middle_ns = (int64_t)end_ms * NS_PER_MS - c->server_step_ns / 2;
	if (step_of(c->out, middle_ns, &step)) {
		step_counts_add(c->out, step, (int64_t)(value + 0.5));
		c->parts[step]++;
	}
}

static void read_count_series(struct counting *c)
{
	while (json_next_named(c->r, STR("samples")))
		if (json_enter_nullable(c->r, JSON_ARRAY))
			while (json_next_object(c->r))
				read_count_sample(c);
}

bool decode_tempo_counts(struct str bytes, int64_t server_step_ns,
			 struct step_counts *out, struct error *err)
{
	struct counting c;
	int64_t step_ns;

	if (!counting_init(&c, bytes, out, err))
		return false;
	c.server_step_ns = server_step_ns;
	read_member(&c, STR("series"), read_count_series);
	step_ns = c.out->step_ns;
	/* The server's latest steps may be missing: the sum would then be
	 * incomplete. */
	for (uint32_t i = 0; i < c.out->step_count; i++)
		if (c.parts[i] && sat_mul_i64(c.parts[i] + (int64_t)1,
					      c.server_step_ns) <= step_ns)
			c.out->counts[i] = -1;
	return counting_finish(&c, "TraceQL metrics", err);
}

/* ---- Jaeger ---- */

static void read_summary(struct counting *c)
{
	uint64_t start_ns = 0;
	uint32_t step;

	while (json_next_named(c->r, STR("minStartTimeUnixNano")))
		start_ns = json_u64_capped(c->r);
	c->trace_count++;
	if (start_ns && step_of(c->out, history_time(start_ns), &step))
		step_counts_add(c->out, step, 1);
}

bool decode_jaeger_counts(struct str bytes, struct step_counts *out,
			  uint32_t *trace_count, struct error *err)
{
	struct counting c;

	if (!counting_init(&c, bytes, out, err))
		return false;
	for (uint32_t i = 0; i < out->step_count; i++)
		step_counts_add(out, i, 0);
	read_member(&c, STR("summaries"), read_summary);
	*trace_count = c.trace_count;
	return counting_finish(&c, "trace summaries", err);
}

/* Tempo's histogram_over_time(): a series per bucket, labelled by its upper
 * bound in seconds; instant queries have one value, others one per step, which
 * are added up. */

/* Limit of a plausible count. */
#define COUNT_MAX 1e15

struct bucket_reading {
	struct json_reader *r;
	struct duration_buckets *out;
	double edge_s; /* of the current series */
	double count;
	bool is_partial;
};

static double read_number(struct json_reader *r)
{
	double value = 0;

	return json_f64(r, &value) ? value : 0;
}

static void read_count(struct bucket_reading *d)
{
	double value = read_number(d->r);

	/* False also for NaN. */
	if (value >= 0 && value < COUNT_MAX)
		d->count += value;
	else if (!json_failed(d->r))
		json_fail(d->r, "a count that is none");
}

/* {"key":"__bucket","value":{"doubleValue":0.001048576}} */
static void read_bucket_label(struct bucket_reading *d)
{
	bool is_bucket = false;
	double value = 0;
	struct str key;

	while (json_next_key(d->r, &key)) {
		if (str_equal(key, STR("key"))) {
			is_bucket = str_equal(json_text_nullable(d->r),
					      STR("__bucket"));
		} else if (!str_equal(key, STR("value"))) {
			json_skip(d->r);
		} else if (json_enter_if(d->r, JSON_OBJECT)) {
			while (json_next_named(d->r, STR("doubleValue")))
				value = read_number(d->r);
		}
	}
	if (is_bucket)
		d->edge_s = value;
}

static void read_bucket_sample(struct bucket_reading *d)
{
	while (json_next_named(d->r, STR("value")))
		read_count(d);
}

static void read_list(struct bucket_reading *d, void (*read)(struct bucket_reading *d))
{
	if (!json_enter_if(d->r, JSON_ARRAY))
		return;
	while (json_next_item(d->r))
		if (json_enter_if(d->r, JSON_OBJECT))
			read(d);
}

static void keep_series(struct bucket_reading *d)
{
	int64_t count = (int64_t)(d->count < COUNT_MAX ? d->count + 0.5 : 0);
	double edge_ns = d->edge_s * (double)NS_PER_S, power = 1;
	unsigned bucket = 0;

	if (json_failed(d->r))
		return;
	/* The bucket with this upper bound. */
	while (bucket < DURATION_BUCKETS &&
	       !(edge_ns > power * 0.999 && edge_ns < power * 1.001)) {
		bucket++;
		power *= 2;
	}
	if (bucket == DURATION_BUCKETS) {
		json_fail(d->r, "a bucket whose edge is no power of two");
		return;
	}
	d->out->counts[bucket] = sat_add_i64(d->out->counts[bucket], count);
	d->out->total = sat_add_i64(d->out->total, count);
}

static void read_bucket_series(struct bucket_reading *d)
{
	struct str key;

	d->edge_s = 0;
	d->count = 0;
	while (json_next_key(d->r, &key))
		if (str_equal(key, STR("labels")))
			read_list(d, read_bucket_label);
		else if (str_equal(key, STR("value")))
			read_count(d);
		else if (str_equal(key, STR("samples")))
			read_list(d, read_bucket_sample);
		else
			json_skip(d->r);
	keep_series(d);
}

static void read_bucket_answer(struct bucket_reading *d)
{
	struct str key;

	if (!json_enter(d->r, JSON_OBJECT))
		return;
	while (json_next_key(d->r, &key))
		if (str_equal(key, STR("series")))
			read_list(d, read_bucket_series);
		else if (!str_equal(key, STR("status")))
			json_skip(d->r);
		else
			d->is_partial = str_equal(json_text_nullable(d->r),
						  STR("PARTIAL"));
	json_expect_end(d->r, "answer");
}

bool decode_tempo_histogram(struct str bytes, struct duration_buckets *out,
			    struct error *err)
{
	struct bucket_reading d = { .r = json_new(bytes, err), .out = out };
	bool is_read;

	*out = (struct duration_buckets){ .total = 0 };
	if (!d.r)
		return false;
	read_bucket_answer(&d);
	is_read = json_check(d.r, err) ||
		  error_prefix(err, "damaged or cut-off TraceQL metrics");
	json_free(d.r);
	if (is_read && d.is_partial)
		return error_set(err, ERROR_PARTIAL,
				 "TraceQL metrics of a part of the spans only");
	return is_read;
}

/* Tempo's query_range with by(): a series per attribute value, with a sample
 * per step, which ends at its time. Spans without the attribute are "nil". */

struct reading {
	struct json_reader *r;
	const struct steps *steps;
	struct arena *arena;
	struct step_rows *out;
	size_t cap;
	struct step_row row; /* the current series */
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
 * string among the labels. */
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

static void read_sample(struct reading *d)
{
	uint64_t end_ms = 0;
	double value = 0;
	struct str key;
	const struct steps *s;
	int64_t since_ms;

	while (json_next_key(d->r, &key))
		if (str_equal(key, STR("timestampMs"))) {
			end_ms = json_u64_capped(d->r);
		} else if (!str_equal(key, STR("value"))) {
			json_skip(d->r);
		} else if (json_peek(d->r) == JSON_STRING) {
			/* "NaN" for a step without spans. */
			json_skip(d->r);
			value = NAN;
		} else if (!json_f64(d->r, &value)) {
			value = NAN;
		}
	s = d->steps;
	if (!(end_ms > INT64_MAX || !isfinite(value) || value < 0 ||
	      !sub_i64((int64_t)end_ms, s->from_ms, &since_ms) ||
	      since_ms < 1)) {
		since_ms = (since_ms - 1) / s->step_ms;
		if (since_ms < (int64_t)s->count)
			d->row.values[since_ms] += value;
	}
}

static void read_series(struct reading *d)
{
	void *items = d->out->items;
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
