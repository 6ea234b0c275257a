/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/snapshot_make.h"

#include <math.h>

#include "analyze/function_table.h"
#include "base/num.h"
#include "model/source_path.h"

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

/* The place that a name ends in, "users/views.py" of "get (users/views.py)",
 * and what is in front of it. */
static bool place_split(struct str name, struct str *bare, struct str *place)
{
	size_t at = str_behind_last(name, '(');

	if (at < 2 || name.ptr[at - 2] != ' ' || !str_ends(name, STR(")")))
		return false;
	*bare = str_slice(name, 0, at - 2);
	*place = str_slice(name, at, name.len - at - 1);
	return true;
}

/* Where the snapshot had several functions of its name, and the runs have one:
 * the one of its place. */
static uint32_t unplaced_find(const struct func_table *t, struct str name,
			      struct buf *key)
{
	struct str bare, place;
	uint32_t id;

	if (!place_split(name, &bare, &place))
		return ENTRY_NONE;
	id = func_table_find(t, bare);
	if (id == ENTRY_NONE)
		return id;
	buf_clear(key);
	source_path_stable(t->entries[id].file, key);
	return str_equal(buf_str(key), place) ? id : ENTRY_NONE;
}

static bool function_find(const struct func_table *t,
			  const struct snapshot_function *f, struct buf *key,
			  uint32_t *id, struct error *err)
{
	if (!func_table_find_name(t, f->name, f->file, key, id, err))
		return false;
	if (*id == ENTRY_NONE)
		*id = unplaced_find(t, f->name, key);
	return buf_check(key, "a function name", err);
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

		if (!function_find(t, f, key, id, err))
			return false;
		if (*id == ENTRY_NONE && !func_table_add(t, f->name, id, err))
			return false;
	}
	return true;
}

static void add(int64_t *sum, int64_t value)
{
	*sum = sat_add_i64(*sum, value);
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

		add(&v->self_lib, whole_value(s, &f->values[RANK_SELF_LIB]));
		add(&v->self, whole_value(s, &f->values[RANK_SELF]));
		add(&v->total, whole_value(s, &f->values[RANK_TOTAL]));
		if (!e->file.ptr)
			e->file = f->file;
	}
	t->sides[SIDE_BASELINE].profile = whole;
	return is_done;
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

static const struct snapshot_value *measure_of(
	const struct snapshot_function *f, enum rank_by by)
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
		out->exposures[k] =
			is_share ? s->whole.mean * s->exposure : s->length;
	}
	for (size_t i = 0; i < s->count; i++) {
		const struct snapshot_value *v =
			measure_of(&s->functions[i], by);
		uint32_t id = t->snapshot_ids[i];

		for (uint32_t k = 0; k < runs; k++)
			out->values[id * (size_t)runs + k] +=
				run_value(s, v, k);
	}
	return true;
}
