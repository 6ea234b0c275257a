/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/diff.h"

#include <math.h>

#include "base/limits.h"
#include "base/map.h"

#define MEASURES 3

/* ---- families of tests ---- */

/* A function that one side lacks is found with few samples: in a program of which a
 * part was renamed those are many, and would let many others pass with them. They are
 * a family of their own. */
static bool is_of_both(const struct diff *d, size_t i)
{
	const struct side_values *v = d->t->entries[d->ids[i]].values;

	return v[SIDE_SLOW].total && v[SIDE_BASELINE].total;
}

/* With fewer samples on both sides two rows may be equal by chance. */
#define TWIN_SAMPLES 100

/* Rows that are in the same samples, as callers that only call the next one are: all
 * of them changed, or none did. */
struct twins {
	struct map seen;
	uint32_t count; /* of others */
};

/* Returns whether one of the same values was there; as many are taken for
 * different ones as there is memory for. */
static bool is_twin_of_seen(struct twins *t, const struct diff *d, size_t i)
{
	const struct side_values *v = d->t->entries[d->ids[i]].values;
	int64_t slow = side_value(&v[SIDE_SLOW], d->want->by);
	int64_t base = side_value(&v[SIDE_BASELINE], d->want->by);
	double samples = (double)slow / d->period[SIDE_SLOW] +
			 (double)base / d->period[SIDE_BASELINE];
	uint64_t key = (uint64_t)slow * UINT64_C(0x9e3779b97f4a7c15) ^
		       (uint64_t)base;
	uint32_t found = t->count;

	if (samples < TWIN_SAMPLES ||
	    !map_insert_u64(&t->seen, key, t->count, &found) ||
	    found == t->count) {
		t->count++;
		return false;
	}
	return true;
}

/* Room for what a family is adjusted with. */
struct family {
	double *p;
	double *q;
	bool *is_twin;
	size_t *order;
};

static void adjust_family(struct diff *const members[MEASURES], bool is_both,
			  const struct family *f, struct arena *scratch)
{
	struct twins twins = { .count = 0 };
	const double *q = f->q;
	size_t count = 0;

	map_init(&twins.seen, scratch);
	for (size_t m = 0; m < MEASURES; m++)
		for (size_t i = 0; i < members[m]->count; i++)
			if (is_of_both(members[m], i) == is_both) {
				f->is_twin[count] =
					is_twin_of_seen(&twins, members[m], i);
				f->p[count++] = members[m]->p[i];
			}
	false_part_adjust(f->p, f->is_twin, f->q, f->order, count);
	for (size_t m = 0, at = 0; m < MEASURES; m++) {
		if (is_both)
			members[m]->family = (double)twins.count;
		for (size_t i = 0; i < members[m]->count; i++)
			if (is_of_both(members[m], i) == is_both)
				members[m]->q[i] = q[at++];
	}
}

static bool changes_adjust(struct diff *const members[MEASURES],
			   struct error *err)
{
	struct arena *arena = members[0]->t->arena, scratch;
	struct family f;
	size_t room = 0;

	for (size_t m = 0; m < MEASURES; m++)
		room += members[m]->count;
	f = (struct family){
		.p = arena_array(arena, room, sizeof *f.p),
		.q = arena_array(arena, room, sizeof *f.q),
		.is_twin = arena_array(arena, room, sizeof *f.is_twin),
		.order = arena_array(arena, room, sizeof *f.order),
	};
	if (!f.p || !f.q || !f.is_twin || !f.order)
		return arena_fail(arena, "comparing functions", err);
	arena_init(&scratch, LIMIT_ANALYZE_HEAP_BYTES);
	adjust_family(members, true, &f, &scratch);
	adjust_family(members, false, &f, &scratch);
	arena_release(&scratch);
	return true;
}

/* ---- changes of a part ---- */

/* A part of a function represents its total if their changes are within this
 * factor of each other. */
#define CHANGES_PART 2.0

static void take_part(const struct diff *d, uint32_t id,
		      const struct entry_diff *part, struct entry_diff *whole)
{
	whole->change = part->change;
	whole->effect = part->effect;
	whole->q = part->q;
	whole->deviations = part->deviations;
	whole->is_with_all = false;
	/* The total moved as its part did, for all that can be seen. */
	if ((part->delta > 0) == (whole->delta > 0) &&
	    fabs(part->delta) <= CHANGES_PART * fabs(whole->delta) &&
	    fabs(whole->delta) <= CHANGES_PART * fabs(part->delta)) {
		whole->change =
			diff_name_change(&d->t->entries[id], whole->delta);
		return;
	}
	whole->delta = part->delta;
	whole->measure = part->measure;
}

/* The narrower part first: it names the code. */
static void take_parts(struct changes *c)
{
	for (uint32_t id = 0; id < c->total.t->count; id++) {
		struct entry_diff *whole = &c->total.rows[id];
		const struct entry_diff *parts[] = { &c->self.rows[id],
						     &c->self_lib.rows[id] };

		for (size_t i = 0; i < 2; i++)
			if (!change_is_real(whole->change) &&
			    change_is_real(parts[i]->change))
				take_part(&c->total, id, parts[i], whole);
	}
}

bool changes_find(struct changes *c, const struct func_table *t,
		  const struct diff_want *total,
		  const struct diff_want *self_lib,
		  const struct diff_want *self, struct error *err)
{
	struct diff *const members[MEASURES] = { &c->total, &c->self_lib,
						 &c->self };
	const struct diff_want *const wants[MEASURES] = { total, self_lib,
							  self };

	for (size_t m = 0; m < MEASURES; m++)
		if (!diff_test(members[m], t, wants[m], err))
			return false;
	if (!changes_adjust(members, err))
		return false;
	for (size_t m = 0; m < MEASURES; m++)
		diff_judge(members[m]);
	take_parts(c);
	return true;
}
