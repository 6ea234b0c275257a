/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/snapshot_make.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/diff.h"
#include "analyze/function_table.h"
#include "analyze/profile_analysis.h"
#include "base/num.h"
#include "model/snapshot.h"

bool snapshot_profile(const struct snapshot *s, struct profile *p,
		      struct error *err)
{
	struct profile_build *b = profile_build_new(p, err);
	bool done = b && profile_build_type(b, s->type, s->unit, err) &&
		    profile_build_finish(b, NULL, err);

	profile_build_free(b);
	if (!done)
		return false;
	p->total = p->whole_total = (int64_t)llround(
		fmin(s->whole.mean * s->exposure * s->runs, 0x1p62));
	p->sample_count = s->samples;
	p->period = s->period;
	p->duration_ns = sat_from_f64(s->seconds * 1e9);
	return true;
}

/* ---- made of a side ---- */

struct making {
	struct snapshot *s;
	struct func_table table;
	struct slice_values slices[SNAPSHOT_MEASURES];
	double exposure; /* of all runs */
};

/* Pearson's statistic of the runs as they were, around their common rate, which
 * runs of equal exposure with this spread have as well. */
static struct snapshot_value value_of(const double *values,
				      const double *exposures, size_t runs)
{
	struct snapshot_value out = { 0, 0 };
	double sum = 0, all = 0, squares = 0;

	for (size_t k = 0; k < runs; k++) {
		sum += values[k];
		all += exposures[k];
	}
	out.mean = sum / all;
	for (size_t k = 0; k < runs && out.mean > 0; k++) {
		double off = values[k] - out.mean * exposures[k];

		squares += off * off / exposures[k];
	}
	if (runs > 1)
		out.spread = sqrt(squares * (double)runs / all /
				  ((double)runs - 1));
	return out;
}

static bool values_make(struct making *m, const struct rank_slices *runs,
			struct error *err)
{
	double *values;

	for (int by = 0; by < SNAPSHOT_MEASURES; by++) {
		struct rank_want want = { .by = (enum rank_by)by,
					  .slow_slices = *runs };

		if (!slice_values_build(&m->slices[by], &m->table, &want, false,
					err))
			return false;
	}
	values = arena_array(m->table.arena, runs->count, sizeof *values);
	if (!values)
		return arena_fail(m->table.arena, "the snapshot", err);
	for (size_t k = 0; k < runs->count; k++)
		values[k] = (double)runs->profiles[k]->whole_total;
	m->s->whole = value_of(values, runs->exposure, runs->count);
	return true;
}

static int compare_functions(const void *left, const void *right)
{
	return str_compare(((const struct snapshot_function *)left)->name,
			   ((const struct snapshot_function *)right)->name);
}

/* Smaller functions are not kept: half of the least change that is claimed. */
#define SNAPSHOT_LEAST_SHARE 0.0005

static bool functions_make(const struct making *m, struct error *err)
{
	const struct func_table *t = &m->table;
	struct snapshot *s = m->s;
	struct snapshot_function *out;
	double least = SNAPSHOT_LEAST_SHARE *
		       (double)t->sides[SIDE_SLOW].profile->whole_total;

	s->functions = arena_array(&s->arena, t->count, sizeof *s->functions);
	if (!s->functions)
		return arena_fail(&s->arena, "the snapshot", err);
	for (uint32_t id = 0; id < t->count; id++) {
		const struct func_entry *e = &t->entries[id];

		if (func_is_nameless(t, id) ||
		    (double)e->values[SIDE_SLOW].total < least)
			continue;
		out = &s->functions[s->count++];
		out->name = arena_str(&s->arena, e->key);
		if (e->file.len)
			out->file = arena_str(&s->arena, e->file);
		if (!out->name.ptr || (e->file.len && !out->file.ptr))
			return arena_fail(&s->arena, "the snapshot", err);
		for (int by = 0; by < SNAPSHOT_MEASURES; by++) {
			const struct slice_side *side =
				&m->slices[by].sides[SIDE_SLOW];

			out->values[by] =
				value_of(side->values + id * side->count,
					 side->exposures, side->count);
		}
	}
	qsort(s->functions, s->count, sizeof *s->functions, compare_functions);
	return true;
}

bool snapshot_make(struct snapshot *s, const struct profile *whole,
		   const struct rank_slices *runs,
		   const struct code_rules *rules, struct error *err)
{
	struct making m = { .s = s };
	struct arena scratch;
	bool done;

	arena_init(&scratch, LIMIT_ANALYZE_HEAP_BYTES);
	for (size_t k = 0; k < runs->count; k++)
		m.exposure += runs->exposure[k];
	s->runs = (uint32_t)runs->count;
	s->exposure = s->length = m.exposure / (double)runs->count;
	s->seconds = (double)whole->duration_ns / 1e9 / (double)runs->count;
	s->samples = whole->sample_count;
	s->period = whole->period;
	done = func_table_build(&m.table, &scratch, whole, NULL, rules,
				FUNC_NAMES_STABLE, err) &&
	       values_make(&m, runs, err) && functions_make(&m, err);
	arena_release(&scratch);
	return done;
}
