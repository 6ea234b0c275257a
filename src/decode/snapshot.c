/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/snapshot.h"

#include <math.h>

#include "base/json.h"
#include "base/jsonw.h"
#include "base/num.h"

#define MARK "tracefind_snapshot"
#define VERSION 1

/* Digits of means and spreads: what is finer is noise in any case. */
#define MEAN_DIGITS 5
#define SPREAD_DIGITS 2

/* In the order of enum rank_by. */
static const char *const measures[SNAPSHOT_MEASURES] = {
	[RANK_SELF_LIB] = "self_with_libraries",
	[RANK_SELF] = "self",
	[RANK_TOTAL] = "total",
};

static const char *const units_of_work[] = { "run", "request", "second" };

bool snapshot_is(struct str bytes)
{
	return str_find(str_slice(bytes, 0, 40), STR("\"" MARK "\"")) != SIZE_MAX;
}

/* ---- reading ---- */

struct reader {
	struct json_reader *json;
	struct snapshot *s;
	size_t cap;
	int64_t version;
	struct error *err; /* of our own */
	bool is_out_of_memory;
};

static void read_text(struct reader *r, struct str *into)
{
	*into = arena_str(&r->s->arena, json_text_nullable(r->json));
	r->is_out_of_memory |= !into->ptr;
}

static void read_number(struct reader *r, double *into)
{
	if (json_f64(r->json, into) && !(*into >= 0 && *into <= 0x1p60))
		json_fail(r->json, "a number out of range");
}

static void read_count(struct reader *r, int64_t *into)
{
	if (json_peek(r->json) == JSON_NULL)
		json_skip(r->json);
	else if (json_i64(r->json, into) && *into < 0)
		json_fail(r->json, "a number below 0");
}

/* [mean, spread] */
static void read_value(struct reader *r, struct snapshot_value *into)
{
	double *const parts[] = { &into->mean, &into->spread };
	size_t n = 0;

	if (!json_enter(r->json, JSON_ARRAY))
		return;
	while (json_next_item(r->json)) {
		if (n == COUNT_OF(parts)) {
			json_fail(r->json, "more than a mean and a spread");
			return;
		}
		read_number(r, parts[n++]);
	}
}

static void read_per(struct reader *r)
{
	struct str text;
	size_t i = 0;

	if (!json_text(r->json, &text))
		return;
	while (i < COUNT_OF(units_of_work) &&
	       !str_equal(text, str_from(units_of_work[i])))
		i++;
	if (i == COUNT_OF(units_of_work)) {
		json_fail(r->json, "values per run, request or second only");
		return;
	}
	r->s->is_of_runs = i == 0;
	r->s->per = i == 2 ? NORMALIZE_RATE : NORMALIZE_REQUEST;
}

static void read_function(struct reader *r)
{
	struct snapshot *s = r->s;
	struct snapshot_function *f;
	struct str key;

	if (s->count >= LIMIT_SNAPSHOT_FUNCTIONS) {
		json_fail(r->json, "more than %u functions",
			  LIMIT_SNAPSHOT_FUNCTIONS);
		return;
	}
	if (!arena_reserve(&s->arena, (void **)&s->functions, &r->cap,
			   s->count + 1, sizeof *s->functions)) {
		r->is_out_of_memory = true;
		return;
	}
	f = &s->functions[s->count];
	*f = (struct snapshot_function){ .name = { NULL, 0 } };
	while (json_next_key(r->json, &key)) {
		size_t m = 0;

		while (m < SNAPSHOT_MEASURES &&
		       !str_equal(key, str_from(measures[m])))
			m++;
		if (str_equal(key, STR("name")))
			read_text(r, &f->name);
		else if (str_equal(key, STR("file")))
			read_text(r, &f->file);
		else if (m < SNAPSHOT_MEASURES)
			read_value(r, &f->values[m]);
		else
			json_skip(r->json);
	}
	if (!f->name.len)
		json_fail(r->json, "a function without a name");
	s->count++;
}

static void read_functions(struct reader *r)
{
	if (!json_enter(r->json, JSON_ARRAY))
		return;
	while (!r->is_out_of_memory && json_next_object(r->json))
		read_function(r);
}

static void read_member(struct reader *r, struct str key)
{
	struct snapshot *s = r->s;
	int64_t runs = s->runs;

	if (str_equal(key, STR(MARK)))
		read_count(r, &r->version);
	else if (str_equal(key, STR("type")))
		read_text(r, &s->type);
	else if (str_equal(key, STR("unit")))
		read_text(r, &s->unit);
	else if (str_equal(key, STR("source")))
		read_text(r, &s->source);
	else if (str_equal(key, STR("per")))
		read_per(r);
	else if (str_equal(key, STR("runs")))
		read_count(r, &runs);
	else if (str_equal(key, STR("run_length")))
		read_number(r, &s->exposure);
	else if (str_equal(key, STR("run_seconds")))
		read_number(r, &s->seconds);
	else if (str_equal(key, STR("samples")))
		read_count(r, &s->samples);
	else if (str_equal(key, STR("period")))
		read_count(r, &s->period);
	else if (str_equal(key, STR("total")))
		read_value(r, &s->whole);
	else if (str_equal(key, STR("functions")))
		read_functions(r);
	else
		json_skip(r->json);
	if (runs > LIMIT_ARGUMENTS)
		json_fail(r->json, "more than %u runs", LIMIT_ARGUMENTS);
	else
		s->runs = (uint32_t)runs;
}

static void check_whole(struct reader *r)
{
	const struct snapshot *s = r->s;

	if (json_failed(r->json))
		return;
	if (r->version != VERSION)
		json_fail(r->json, "a snapshot of version %d is wanted, this "
				   "is of %lld",
			  VERSION, (long long)r->version);
	else if (!s->runs || !(s->exposure > 0) || !s->unit.len ||
		 !(s->whole.mean > 0))
		json_fail(r->json, "a snapshot without runs, run_length, unit "
				   "or total");
}

bool snapshot_read(struct snapshot *s, struct str bytes, struct error *err)
{
	struct reader r = { .s = s };
	struct str key;
	bool done;

	r.json = json_new(bytes, err);
	if (!r.json)
		return false;
	if (json_enter(r.json, JSON_OBJECT))
		while (!r.is_out_of_memory && json_next_key(r.json, &key))
			read_member(&r, key);
	check_whole(&r);
	s->length = s->exposure;
	done = r.is_out_of_memory
		       ? arena_fail(&s->arena, "the snapshot", err)
		       : json_check(r.json, err);
	json_free(r.json);
	return done;
}

/* ---- writing ---- */

/* So many significant digits. */
static double rounded(double value, int digits)
{
	double unit;

	if (!(value > 0))
		return 0;
	unit = pow(10, floor(log10(value)) + 1 - digits);
	return unit > 1 ? round(value / unit) * unit
			: round(value * round(1 / unit)) / round(1 / unit);
}

static void write_value(struct jsonw *w, const char *name,
			const struct snapshot_value *v)
{
	jsonw_addf(w, "%s:[%g, %g]", name, rounded(v->mean, MEAN_DIGITS),
		   rounded(v->spread, SPREAD_DIGITS));
}

static void write_head(struct jsonw *w, const struct snapshot *s)
{
	const char *per = s->per == NORMALIZE_RATE ? units_of_work[2]
			  : s->is_of_runs	   ? units_of_work[0]
						   : units_of_work[1];

	jsonw_addf(w,
		   "%s:%d, type:%.*s, unit:%.*s, source:%-.*s, per:%s, "
		   "runs:%u, run_length:%g",
		   MARK, VERSION, STR_WHOLE(s->type), STR_WHOLE(s->unit),
		   STR_WHOLE(s->source), per, s->runs, rounded(s->exposure, 9));
	if (s->seconds > 0)
		jsonw_pair_f64(w, "run_seconds", rounded(s->seconds, 4), -1);
	jsonw_pair_known(w, "samples", s->samples);
	jsonw_pair_known(w, "period", s->period ? s->period : -1);
	write_value(w, "total", &s->whole);
}

static void write_function(const struct snapshot_function *f, struct out *out)
{
	static const enum rank_by order[] = { RANK_TOTAL, RANK_SELF_LIB,
					      RANK_SELF };
	struct jsonw w;

	jsonw_init(&w, out, 0);
	jsonw_addf(&w, "{name:%.*s", STR_WHOLE(f->name));
	if (f->file.len)
		jsonw_pair_str(&w, "file", f->file);
	for (size_t i = 0; i < COUNT_OF(order); i++)
		write_value(&w, measures[order[i]], &f->values[order[i]]);
	jsonw_object_end(&w);
}

/* The head an item a line as well. */
void snapshot_write(const struct snapshot *s, struct out *out)
{
	struct jsonw w;

	jsonw_init(&w, out, 1);
	jsonw_object(&w);
	write_head(&w, s);
	jsonw_key(&w, "functions");
	out_text(out, "[");
	for (size_t i = 0; i < s->count; i++) {
		out_text(out, i ? ",\n" : "\n");
		write_function(&s->functions[i], out);
	}
	out_text(out, "\n]\n}\n");
}
