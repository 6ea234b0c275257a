/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/formats.h"

#include <math.h>

#include "base/json.h"
#include "base/num.h"
#include "base/timefmt.h"

struct reader {
	struct json_reader *r;
	struct arena *arena;
	struct metric_answer *out;
	size_t series_cap;
	size_t exemplar_cap;
	size_t name_cap;
	size_t point_total;
	struct error err; /* limit or out of memory */
};

static bool fail_memory(struct reader *d)
{
	arena_fail(d->arena, "metrics", &d->err);
	return json_fail(d->r, "no memory");
}

static bool fail_limit(struct reader *d, const char *what, size_t limit)
{
	error_set(&d->err, ERROR_LIMIT,
		  "more than %zu %s in one response: use a shorter window or "
		  "one service",
		  limit, what);
	return json_fail(d->r, "too much");
}

/* Appends an item to a growing array; returns NULL on failure. */
static void *item_add(struct reader *d, void **items, size_t *cap, size_t count,
		      size_t size)
{
	if (!arena_reserve(d->arena, items, cap, count + 1, size)) {
		fail_memory(d);
		return NULL;
	}
	return (char *)*items + count * size;
}

static struct str text_keep(struct reader *d, struct str text)
{
	struct str copy = arena_str(d->arena, text);

	if (!copy.ptr)
		fail_memory(d);
	return copy.ptr ? copy : STR("");
}

/* ---- labels ---- */

static void read_labels(struct reader *d, struct metric_series *s)
{
	size_t cap = s->label_count;
	struct str key;

	if (!json_enter_if(d->r, JSON_OBJECT))
		return;
	while (json_next_key(d->r, &key)) {
		struct metric_label *label;

		if (s->label_count == LIMIT_METRIC_LABELS) {
			json_skip(d->r);
			continue;
		}
		label = item_add(d, (void **)&s->labels, &cap, s->label_count,
				 sizeof *label);
		if (!label)
			return;
		label->name = text_keep(d, key);
		label->value = text_keep(d, json_text_nullable(d->r));
		s->label_count++;
	}
}

/* ---- points ---- */

/* Reads seconds since 1970, with decimals. */
static bool read_time(struct reader *d, int64_t *time_ns)
{
	double seconds;

	if (!json_f64(d->r, &seconds))
		return false;
	/* Rounded to milliseconds, the resolution of servers. */
	*time_ns = fabs(seconds) < 9e9
			   ? (int64_t)llround(seconds * 1e3) * NS_PER_MS
			   : 0;
	return true;
}

/* Reads "1.5", "NaN", "+Inf" or "-Inf". */
static bool read_value(struct reader *d, double *value)
{
	struct str text;

	if (json_peek(d->r) != JSON_STRING)
		return json_f64(d->r, value);
	if (!json_text(d->r, &text))
		return false;
	if (!parse_f64(text, value))
		*value = NAN;
	return true;
}

/* Reads [1700000000.123,"1.5"]. */
static void read_point(struct reader *d, struct metric_series *s, size_t *cap)
{
	struct metric_point *point, p = { 0, NAN };

	if (!json_enter(d->r, JSON_ARRAY) || !json_next_item(d->r) ||
	    !read_time(d, &p.time_ns) || !json_next_item(d->r) ||
	    !read_value(d, &p.value))
		return;
	while (json_next_item(d->r))
		json_skip(d->r);
	if (!isfinite(p.value) || json_failed(d->r))
		return;
	if (d->point_total++ == LIMIT_METRIC_POINTS) {
		fail_limit(d, "points", LIMIT_METRIC_POINTS);
		return;
	}
	point = item_add(d, (void **)&s->points, cap, s->point_count,
			 sizeof *point);
	if (point) {
		*point = p;
		s->point_count++;
	}
}

static struct metric_series *add_series(struct reader *d)
{
	struct metric_answer *a = d->out;
	struct metric_series *s;

	if (a->series_count == LIMIT_METRIC_SERIES) {
		fail_limit(d, "series", LIMIT_METRIC_SERIES);
		return NULL;
	}
	s = item_add(d, (void **)&a->series, &d->series_cap, a->series_count,
		     sizeof *s);
	if (s) {
		*s = (struct metric_series){ .label_count = 0 };
		a->series_count++;
	}
	return s;
}

static void read_series(struct reader *d)
{
	struct metric_series *s = add_series(d);
	size_t cap = 0;
	struct str key;

	if (!s || !json_enter(d->r, JSON_OBJECT))
		return;
	while (json_next_key(d->r, &key)) {
		if (str_equal(key, STR("metric"))) {
			read_labels(d, s);
		} else if (str_equal(key, STR("value"))) {
			read_point(d, s, &cap);
		} else if (str_equal(key, STR("values"))) {
			if (json_enter(d->r, JSON_ARRAY))
				while (json_next_item(d->r))
					read_point(d, s, &cap);
		} else {
			json_skip(d->r);
		}
	}
}

/* A scalar is a point without labels; strings are not needed. */
static void read_result(struct reader *d, bool is_scalar)
{
	struct metric_series *s;
	size_t cap = 0;

	if (is_scalar) {
		s = add_series(d);
		if (s)
			read_point(d, s, &cap);
		return;
	}
	if (json_enter_nullable(d->r, JSON_ARRAY))
		while (json_next_item(d->r))
			read_series(d);
}

/* Servers write resultType before the result. */
static void read_query(struct reader *d)
{
	bool is_scalar = false;
	struct str key;

	if (!json_enter_nullable(d->r, JSON_OBJECT))
		return;
	while (json_next_key(d->r, &key)) {
		if (str_equal(key, STR("resultType")))
			is_scalar = str_equal(json_text_nullable(d->r),
					      STR("scalar"));
		else if (str_equal(key, STR("result")))
			read_result(d, is_scalar);
		else
			json_skip(d->r);
	}
}

/* ---- exemplars ---- */

static void read_trace_id(struct reader *d, struct exemplar *e)
{
	struct str key;

	if (!json_enter_if(d->r, JSON_OBJECT))
		return;
	while (json_next_key(d->r, &key))
		if (str_equal_nocase(key, STR("trace_id")) ||
		    str_equal_nocase(key, STR("traceid")))
			e->trace_id = text_keep(d, json_text_nullable(d->r));
		else
			json_skip(d->r);
}

static void read_exemplar(struct reader *d, double edge)
{
	struct metric_answer *a = d->out;
	struct exemplar *place, e = { .value = NAN, .edge = edge };
	struct str key;

	if (!json_enter(d->r, JSON_OBJECT))
		return;
	while (json_next_key(d->r, &key)) {
		if (str_equal(key, STR("labels")))
			read_trace_id(d, &e);
		else if (str_equal(key, STR("value"))) {
			if (!read_value(d, &e.value))
				return;
		} else if (str_equal(key, STR("timestamp"))) {
			if (!read_time(d, &e.time_ns))
				return;
		} else {
			json_skip(d->r);
		}
	}
	if (!e.trace_id.len || !isfinite(e.value) || json_failed(d->r))
		return;
	if (d->point_total++ == LIMIT_METRIC_POINTS) {
		fail_limit(d, "exemplars", LIMIT_METRIC_POINTS);
		return;
	}
	place = item_add(d, (void **)&a->exemplars, &d->exemplar_cap,
			 a->exemplar_count, sizeof *place);
	if (place) {
		*place = e;
		if (isnan(edge))
			place->edge = e.value;
		a->exemplar_count++;
	}
}

/* Reads the label le of a bucket; NAN without one. */
static double read_edge(struct reader *d)
{
	double edge = NAN;
	struct str key;

	if (!json_enter_if(d->r, JSON_OBJECT))
		return NAN;
	while (json_next_key(d->r, &key))
		if (!str_equal(key, STR("le")))
			json_skip(d->r);
		else if (!read_value(d, &edge))
			return NAN;
	return edge;
}

/* Reads [{"seriesLabels":{..},"exemplars":[..]}]. */
static void read_exemplars(struct reader *d)
{
	if (!json_enter_nullable(d->r, JSON_ARRAY))
		return;
	while (json_next_object(d->r)) {
		double edge = NAN;
		struct str key;

		while (json_next_key(d->r, &key)) {
			if (str_equal(key, STR("seriesLabels")))
				edge = read_edge(d);
			else if (!str_equal(key, STR("exemplars")))
				json_skip(d->r);
			else if (json_enter_nullable(d->r, JSON_ARRAY))
				while (json_next_item(d->r))
					read_exemplar(d, edge);
		}
	}
}

/* ---- lists ---- */

static void read_names(struct reader *d)
{
	struct metric_answer *a = d->out;

	if (!json_enter_nullable(d->r, JSON_ARRAY))
		return;
	while (json_next_item(d->r)) {
		struct str text, *name;

		if (!json_text(d->r, &text))
			return;
		if (a->name_count == LIMIT_NAMES)
			continue;
		name = item_add(d, (void **)&a->names, &d->name_cap,
				a->name_count, sizeof *name);
		if (!name)
			return;
		*name = text_keep(d, text);
		a->name_count++;
	}
}

static void read_series_list(struct reader *d)
{
	if (!json_enter_nullable(d->r, JSON_ARRAY))
		return;
	while (json_next_item(d->r)) {
		struct metric_series *s = add_series(d);

		if (!s)
			return;
		read_labels(d, s);
	}
}

/* ---- response ---- */

/* Reads warnings, and infos, which newer servers separate from them. */
static void read_warnings(struct reader *d)
{
	struct metric_answer *a = d->out;

	if (!json_enter_nullable(d->r, JSON_ARRAY))
		return;
	while (json_next_item(d->r)) {
		struct str text = json_text_nullable(d->r);

		if (!a->warning_count++)
			a->warning = text_keep(d, text);
	}
}

static void read_answer(struct reader *d, enum metric_form form)
{
	static void (*const readers[])(struct reader *) = {
		[METRIC_FORM_QUERY] = read_query,
		[METRIC_FORM_EXEMPLARS] = read_exemplars,
		[METRIC_FORM_NAMES] = read_names,
		[METRIC_FORM_SERIES] = read_series_list,
	};
	struct str key;

	if (!json_enter(d->r, JSON_OBJECT))
		return;
	while (json_next_key(d->r, &key)) {
		if (str_equal(key, STR("data")))
			readers[form](d);
		else if (str_equal(key, STR("warnings")) ||
			 str_equal(key, STR("infos")))
			read_warnings(d);
		else
			json_skip(d->r);
	}
	json_expect_end(d->r, "answer");
}

bool decode_prometheus(struct str body, enum metric_form form,
		       struct arena *arena, struct metric_answer *out,
		       struct error *err)
{
	struct reader d = { .arena = arena, .out = out };
	bool is_ok;

	*out = (struct metric_answer){ .series_count = 0 };
	d.r = json_new(body, err);
	if (!d.r)
		return false;
	read_answer(&d, form);
	is_ok = json_check(d.r, err);
	if (d.err.code != ERROR_NONE)
		*err = d.err;
	json_free(d.r);
	return is_ok;
}
