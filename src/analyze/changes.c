/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/diff.h"

#include <math.h>

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

static void adjust_family(struct diff *const members[MEASURES], bool is_both,
			  double *p, double *q, size_t *order)
{
	size_t count = 0;

	for (size_t m = 0; m < MEASURES; m++)
		for (size_t i = 0; i < members[m]->count; i++)
			if (is_of_both(members[m], i) == is_both)
				p[count++] = members[m]->p[i];
	false_part_adjust(p, q, order, count);
	for (size_t m = 0, at = 0; m < MEASURES; m++) {
		if (is_both)
			members[m]->family = (double)count;
		for (size_t i = 0; i < members[m]->count; i++)
			if (is_of_both(members[m], i) == is_both)
				members[m]->q[i] = q[at++];
	}
}

static bool adjust(struct diff *const members[MEASURES], struct error *err)
{
	struct arena *arena = members[0]->t->arena;
	size_t room = 0;
	double *p, *q;
	size_t *order;

	for (size_t m = 0; m < MEASURES; m++)
		room += members[m]->count;
	p = arena_array(arena, room, sizeof *p);
	q = arena_array(arena, room, sizeof *q);
	order = arena_array(arena, room, sizeof *order);
	if (!p || !q || !order)
		return arena_fail(arena, "comparing functions", err);
	adjust_family(members, true, p, q, order);
	adjust_family(members, false, p, q, order);
	return true;
}

/* ---- what a part tells of the whole ---- */

/* A part of a function tells for its total when their changes lie within this
 * factor of each other. */
#define CHANGES_PART 2.0

/* The total moved as its part did, for all that can be seen. */
static bool is_of_whole(const struct entry_diff *part,
			const struct entry_diff *whole)
{
	double most = CHANGES_PART * fabs(whole->delta);

	return (part->delta > 0) == (whole->delta > 0) &&
	       fabs(part->delta) <= most &&
	       CHANGES_PART * fabs(part->delta) >= fabs(whole->delta);
}

static void take_part(const struct diff *d, uint32_t id,
		      const struct entry_diff *part, struct entry_diff *whole)
{
	whole->change = part->change;
	whole->effect = part->effect;
	whole->q = part->q;
	whole->deviations = part->deviations;
	whole->is_with_all = false;
	if (is_of_whole(part, whole)) {
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
	if (!adjust(members, err))
		return false;
	for (size_t m = 0; m < MEASURES; m++)
		diff_judge(members[m]);
	take_parts(c);
	return true;
}
