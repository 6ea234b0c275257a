/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/snapshot_make.h"

#include <math.h>

#include "analyze/function_table.h"

/* What all runs took. */
static double value_of_runs(const struct snapshot *s,
			    const struct snapshot_value *v)
{
	return v->mean * s->exposure * s->runs;
}

static int64_t whole_value(const struct snapshot *s,
			   const struct snapshot_value *v)
{
	return (int64_t)llround(fmin(value_of_runs(s, v), 0x1p62));
}

bool snapshot_join(struct func_table *t, const struct snapshot *s,
		   const struct profile *whole, struct error *err)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct snapshot_function *f = &s->functions[i];
		struct side_values *v;
		uint32_t id;

		if (!func_table_add(t, f->name, &id, err))
			return false;
		v = &t->entries[id].values[SIDE_BASELINE];
		v->self_lib = whole_value(s, &f->values[RANK_SELF_LIB]);
		v->self = whole_value(s, &f->values[RANK_SELF]);
		v->total = whole_value(s, &f->values[RANK_TOTAL]);
		if (!t->entries[id].file.ptr)
			t->entries[id].file = f->file;
	}
	t->sides[SIDE_BASELINE].profile = whole;
	return true;
}

/* One run's distance from the mean, in spreads: so many runs, half of them
 * above and half below, one in the middle where they are odd, have the standard
 * deviation of 1 and add up to nothing. */
static double run_offset(uint32_t run, uint32_t runs)
{
	double side = run % 2 ? 1 : -1;

	if (runs % 2 == 0)
		return side * sqrt((runs - 1.0) / runs);
	return run == runs - 1 ? 0 : side;
}

static double run_value(const struct snapshot *s,
			const struct snapshot_value *v, uint32_t run)
{
	return s->exposure *
	       fmax(0, v->mean + v->spread * run_offset(run, s->runs));
}

static const struct snapshot_value *
measure_of(const struct snapshot_function *f, enum rank_by by)
{
	return &f->values[by == RANK_DELTA ? RANK_TOTAL : by];
}

bool snapshot_slices(struct slice_side *out, const struct func_table *t,
		     const struct snapshot *s, enum rank_by by, bool is_share,
		     struct error *err)
{
	uint32_t runs = s->runs;

	out->count = runs;
	out->exposures = arena_array(t->arena, runs, sizeof *out->exposures);
	out->wholes = arena_array(t->arena, runs, sizeof *out->wholes);
	out->values =
		arena_array(t->arena, runs, t->count * sizeof *out->values);
	if (!out->exposures || !out->wholes || !out->values)
		return arena_fail(t->arena, "comparing runs", err);
	for (uint32_t k = 0; k < runs; k++) {
		out->wholes[k] = run_value(s, &s->whole, k);
		out->exposures[k] = is_share ? s->whole.mean * s->exposure
					     : s->length;
	}
	for (size_t i = 0; i < s->count; i++) {
		const struct snapshot_value *v =
			measure_of(&s->functions[i], by);
		uint32_t id = func_table_find(t, s->functions[i].name);

		for (uint32_t k = 0; id != ENTRY_NONE && k < runs; k++)
			out->values[id * (size_t)runs + k] =
				run_value(s, v, k);
	}
	return true;
}
