/* SPDX-License-Identifier: Apache-2.0
 *
 * Tempo's histogram_over_time(): a series for each bucket, named by its upper
 * edge in seconds; of an instant query with one value, else with one for each
 * step, which are counts that add up.
 */
#include "base/json.h"
#include "base/num.h"
#include "base/timefmt.h"
#include "decode/durations.h"

/* No count of spans is larger; what is, or is no number, is damage. */
#define COUNT_MAX 1e15

struct reading {
	struct json_reader *r;
	struct duration_buckets *out;
	double edge_s; /* of the series at hand */
	double count;
	bool is_partial;
};

static double read_number(struct json_reader *r)
{
	double value = 0;

	return json_f64(r, &value) ? value : 0;
}

static void read_count(struct reading *d)
{
	double value = read_number(d->r);

	/* False also for what is no number. */
	if (value >= 0 && value < COUNT_MAX)
		d->count += value;
	else if (!json_failed(d->r))
		json_fail(d->r, "a count that is none");
}

/* {"key":"__bucket","value":{"doubleValue":0.001048576}} */
static void read_label(struct reading *d)
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

static void read_sample(struct reading *d)
{
	while (json_next_named(d->r, STR("value")))
		read_count(d);
}

static void read_list(struct reading *d, void (*read)(struct reading *d))
{
	if (!json_enter_if(d->r, JSON_ARRAY))
		return;
	while (json_next_item(d->r))
		if (json_enter_if(d->r, JSON_OBJECT))
			read(d);
}

/* The bucket whose upper edge this is; none for what is no power of two. */
static bool bucket_of(double edge_s, unsigned *bucket)
{
	double edge_ns = edge_s * (double)NS_PER_S, power = 1;

	for (unsigned i = 0; i < DURATION_BUCKETS; i++, power *= 2)
		if (edge_ns > power * 0.999 && edge_ns < power * 1.001) {
			*bucket = i;
			return true;
		}
	return false;
}

static void keep_series(struct reading *d)
{
	int64_t count = (int64_t)(d->count < COUNT_MAX ? d->count + 0.5 : 0);
	unsigned bucket;

	if (json_failed(d->r))
		return;
	if (!bucket_of(d->edge_s, &bucket)) {
		json_fail(d->r, "a bucket whose edge is no power of two");
		return;
	}
	d->out->counts[bucket] = sat_add_i64(d->out->counts[bucket], count);
	d->out->total = sat_add_i64(d->out->total, count);
}

static void read_series(struct reading *d)
{
	struct str key;

	d->edge_s = 0;
	d->count = 0;
	while (json_next_key(d->r, &key))
		if (str_equal(key, STR("labels")))
			read_list(d, read_label);
		else if (str_equal(key, STR("value")))
			read_count(d);
		else if (str_equal(key, STR("samples")))
			read_list(d, read_sample);
		else
			json_skip(d->r);
	keep_series(d);
}

static void read_answer(struct reading *d)
{
	struct str key;

	if (!json_enter(d->r, JSON_OBJECT))
		return;
	while (json_next_key(d->r, &key))
		if (str_equal(key, STR("series")))
			read_list(d, read_series);
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
	struct reading d = { .r = json_new(bytes, err), .out = out };
	bool is_read;

	*out = (struct duration_buckets){ .total = 0 };
	if (!d.r)
		return false;
	read_answer(&d);
	is_read = json_check(d.r, err) ||
		  error_prefix(err, "damaged or cut-off TraceQL metrics");
	json_free(d.r);
	if (is_read && d.is_partial)
		return error_set(err, ERROR_PARTIAL,
				 "TraceQL metrics of a part of the spans only");
	return is_read;
}
