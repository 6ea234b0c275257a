/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/snapshot.h"

#include <math.h>

#include "base/document.h"
#include "base/jsonw.h"
#include "base/num.h"

#define MARK "tracefind_snapshot"
#define VERSION 1

/* Digits of means and deviations: finer values are noise. */
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

static bool read_number(const struct document *d, double *into,
			struct error *err)
{
	return (document_f64(d, into) && *into >= 0 && *into <= 0x1p60) ||
	       error_set(err, ERROR_FORMAT, "a number out of range");
}

/* Leaves missing counts unchanged. */
static bool read_count(const struct document *d, int64_t *into,
		       struct error *err)
{
	return document_is_null(d) || (document_i64(d, into) && *into >= 0) ||
	       error_set(err, ERROR_FORMAT,
			 "a count that is no whole number, or below 0");
}

/* Reads [mean, standard deviation]. */
static bool read_value(const struct document *d, struct snapshot_value *into,
		       struct error *err)
{
	if (d && (!document_is_list(d) || document_count(d) > 2))
		return error_set(err, ERROR_FORMAT,
				 "no list of a mean and a spread");
	return read_number(document_at(d, 0), &into->mean, err) &&
	       read_number(document_at(d, 1), &into->spread, err);
}

static bool read_function(struct snapshot *s, const struct document *d,
			  struct snapshot_function *f, struct error *err)
{
	struct str file = document_text_at(d, "file");

	f->name = arena_str(&s->arena, document_text_at(d, "name"));
	if (file.len)
		f->file = arena_str(&s->arena, file);
	if (!f->name.ptr || (file.len && !f->file.ptr))
		return arena_fail(&s->arena, "the snapshot", err);
	if (!f->name.len)
		return error_set(err, ERROR_FORMAT,
				 "a function without a name");
	for (size_t m = 0; m < SNAPSHOT_MEASURES; m++)
		if (!read_value(document_get(d, measures[m]), &f->values[m],
				err))
			return false;
	return true;
}

static bool read_functions(struct snapshot *s, const struct document *list,
			   struct error *err)
{
	size_t count = document_count(list);

	if (list && !document_is_list(list))
		return error_set(err, ERROR_FORMAT, "functions are no list");
	if (count > LIMIT_SNAPSHOT_FUNCTIONS)
		return error_set(err, ERROR_LIMIT, "more than %u functions",
				 LIMIT_SNAPSHOT_FUNCTIONS);
	s->functions = arena_array(&s->arena, count + 1, sizeof *s->functions);
	if (!s->functions)
		return arena_fail(&s->arena, "the snapshot", err);
	for (; s->count < count; s->count++)
		if (!read_function(s, document_at(list, s->count),
				   &s->functions[s->count], err))
			return false;
	return true;
}

static bool read_per(struct snapshot *s, const struct document *d,
		     struct error *err)
{
	size_t i = 0;

	while (d && i < COUNT_OF(units_of_work) &&
	       !str_equal(document_text(d), str_from(units_of_work[i])))
		i++;
	if (i == COUNT_OF(units_of_work))
		return error_set(err, ERROR_FORMAT,
				 "values per run, request or second only");
	s->is_of_runs = d && i == 0;
	s->per = i == 2 ? NORMALIZE_RATE : NORMALIZE_REQUEST;
	return true;
}

static bool read_head(struct snapshot *s, const struct document *d,
		      struct error *err)
{
	struct str *const texts[] = { &s->type, &s->unit, &s->source };
	static const char *const names[] = { "type", "unit", "source" };
	int64_t runs = 0;

	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		*texts[i] = arena_str(&s->arena, document_text_at(d, names[i]));
		if (!texts[i]->ptr)
			return arena_fail(&s->arena, "the snapshot", err);
	}
	if (!read_per(s, document_get(d, "per"), err) ||
	    !read_count(document_get(d, "runs"), &runs, err) ||
	    !read_number(document_get(d, "run_length"), &s->exposure, err) ||
	    !read_number(document_get(d, "run_seconds"), &s->seconds, err) ||
	    !read_count(document_get(d, "samples"), &s->samples, err) ||
	    !read_count(document_get(d, "period"), &s->period, err) ||
	    !read_value(document_get(d, "total"), &s->whole, err))
		return false;
	if (runs > LIMIT_ARGUMENTS)
		return error_set(err, ERROR_LIMIT, "more than %u runs",
				 LIMIT_ARGUMENTS);
	s->runs = (uint32_t)runs;
	s->length = s->exposure;
	return (runs && s->exposure > 0 && s->unit.len && s->whole.mean > 0) ||
	       error_set(err, ERROR_FORMAT,
			 "a snapshot without runs, run_length, unit or total");
}

bool snapshot_read(struct snapshot *s, struct str bytes, struct error *err)
{
	struct document *d =
		document_read_within(bytes, LIMIT_SNAPSHOT_BYTES, err);
	int64_t version = 0;
	bool done = d && read_count(document_get(d, MARK), &version, err) &&
		    (version == VERSION ||
		     error_set(err, ERROR_FORMAT,
			       "a snapshot of version %d is wanted, this is of "
			       "%lld",
			       VERSION, (long long)version)) &&
		    read_functions(s, document_get(d, "functions"), err) &&
		    read_head(s, d, err);

	document_free(d);
	return done;
}

/* ---- writing ---- */

/* Rounds to this many significant digits. */
static double value_rounded(double value, int digits)
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
	jsonw_addf(w, "%s:[%g, %g]", name, value_rounded(v->mean, MEAN_DIGITS),
		   value_rounded(v->spread, SPREAD_DIGITS));
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
		   STR_WHOLE(s->source), per, s->runs,
		   value_rounded(s->exposure, 9));
	if (s->seconds > 0)
		jsonw_pair_f64(w, "run_seconds", value_rounded(s->seconds, 4),
			       -1);
	jsonw_pair_known(w, "samples", s->samples);
	jsonw_pair_known(w, "period", s->period ? s->period : -1);
	write_value(w, "total", &s->whole);
}

/* The head an item a line as well. */
void snapshot_write(const struct snapshot *s, struct out *out)
{
	static const enum rank_by order[] = { RANK_TOTAL, RANK_SELF_LIB,
					      RANK_SELF };
	struct jsonw w;

	jsonw_init(&w, out, 1);
	jsonw_object(&w);
	write_head(&w, s);
	jsonw_key(&w, "functions");
	out_text(out, "[");
	for (size_t i = 0; i < s->count; i++) {
		const struct snapshot_function *f = &s->functions[i];

		out_text(out, i ? ",\n" : "\n");
		jsonw_init(&w, out, 0);
		jsonw_addf(&w, "{name:%.*s", STR_WHOLE(f->name));
		if (f->file.len)
			jsonw_pair_str(&w, "file", f->file);
		for (size_t k = 0; k < COUNT_OF(order); k++)
			write_value(&w, measures[order[k]],
				    &f->values[order[k]]);
		jsonw_object_end(&w);
	}
	out_text(out, "\n]\n}\n");
}
