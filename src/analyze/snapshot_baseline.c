/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/snapshot_make.h"

#include <math.h>

#include "analyze/function_table.h"
#include "base/num.h"
#include "model/source_path.h"

/* Returns the sum over all runs. */
static int64_t whole_value(const struct snapshot *s,
			   const struct snapshot_value *v)
{
	return (int64_t)llround(fmin(v->mean * s->exposure * s->runs, 0x1p62));
}

/* Where the snapshot had several functions of its name, and the runs have one:
 * the one of the place that the name ends in, "users/views.py" of "get
 * (users/views.py)". */
static uint32_t unplaced_find(const struct func_table *t, struct str name,
			      struct buf *key)
{
	size_t at = str_behind_last(name, '(');
	uint32_t id;

	if (at < 2 || name.ptr[at - 2] != ' ' || !str_ends(name, STR(")")))
		return ENTRY_NONE;
	id = func_table_find(t, str_slice(name, 0, at - 2));
	if (id == ENTRY_NONE)
		return id;
	buf_clear(key);
	source_path_stable(t->entries[id].file, key);
	return str_equal(buf_str(key), str_slice(name, at, name.len - at - 1))
		       ? id
		       : ENTRY_NONE;
}

/* The entries of the snapshot's functions, by their place in it. */
static bool functions_join(struct func_table *t, const struct snapshot *s,
			   struct buf *key, struct error *err)
{
	t->snapshot_ids = arena_array(t->arena, s->count, sizeof(uint32_t));
	if (!t->snapshot_ids)
		return arena_fail(t->arena, "comparing runs", err);
	for (size_t i = 0; i < s->count; i++) {
		const struct snapshot_function *f = &s->functions[i];
		uint32_t *id = &t->snapshot_ids[i];

		if (!func_table_find_name(t, f->name, f->file, key, id, err))
			return false;
		if (*id == ENTRY_NONE)
			*id = unplaced_find(t, f->name, key);
		if (!buf_check(key, "a function name", err))
			return false;
		if (*id == ENTRY_NONE && !func_table_add(t, f->name, id, err))
			return false;
	}
	return true;
}

bool snapshot_join(struct func_table *t, const struct snapshot *s,
		   const struct profile *whole, struct error *err)
{
	struct buf key;
	bool is_done;

	buf_init(&key, 2 * LIMIT_STRING_BYTES);
	is_done = functions_join(t, s, &key, err);
	buf_release(&key);
	for (size_t i = 0; is_done && i < s->count; i++) {
		const struct snapshot_function *f = &s->functions[i];
		struct func_entry *e = &t->entries[t->snapshot_ids[i]];
		struct side_values *v = &e->values[SIDE_BASELINE];

		v->self_lib = sat_add_i64(
			v->self_lib, whole_value(s, &f->values[RANK_SELF_LIB]));
		v->self = sat_add_i64(v->self,
				      whole_value(s, &f->values[RANK_SELF]));
		v->total = sat_add_i64(v->total,
				       whole_value(s, &f->values[RANK_TOTAL]));
		if (!e->file.ptr)
			e->file = f->file;
	}
	t->sides[SIDE_BASELINE].profile = whole;
	return is_done;
}

/* One run's distance from the mean, in spreads: so many runs, half of them
 * above and half below, one in the middle where they are odd, have the standard
 * deviation of 1 and add up to nothing. */
static double run_value(const struct snapshot *s,
			const struct snapshot_value *v, uint32_t run)
{
	double offset = run % 2 ? 1 : -1;

	if (s->runs % 2 == 0)
		offset *= sqrt((s->runs - 1.0) / s->runs);
	else if (run == s->runs - 1)
		offset = 0;
	return s->exposure * fmax(0, v->mean + v->spread * offset);
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
		out->exposures[k] =
			is_share ? s->whole.mean * s->exposure : s->length;
	}
	for (size_t i = 0; i < s->count; i++) {
		const struct snapshot_value *v =
			&s->functions[i].values[by == RANK_DELTA ? RANK_TOTAL
								 : by];
		uint32_t id = t->snapshot_ids[i];

		for (uint32_t k = 0; k < runs; k++)
			out->values[id * (size_t)runs + k] +=
				run_value(s, v, k);
	}
	return true;
}
