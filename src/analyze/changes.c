/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/changes.h"

#include <math.h>

#define MEASURES 3

/* ---- one family of tests ---- */

/* Sum of 1/i: what control under any dependence costs. */
static double any_dependence(size_t count)
{
	double sum = 0;

	for (size_t i = 1; i <= count; i++)
		sum += 1 / (double)i;
	return sum;
}

static bool adjust(struct diff *const members[MEASURES], struct error *err)
{
	struct arena *arena = members[0]->t->arena;
	size_t room = 0, count = 0;
	double *p, *q, factor;
	size_t *order;

	for (size_t m = 0; m < MEASURES; m++)
		room += members[m]->count;
	p = arena_array(arena, room, sizeof *p);
	q = arena_array(arena, room, sizeof *q);
	order = arena_array(arena, room, sizeof *order);
	if (!p || !q || !order)
		return arena_fail(arena, "comparing functions", err);
	for (size_t m = 0; m < MEASURES; m++)
		for (size_t i = 0; i < members[m]->count; i++)
			p[count++] = members[m]->p[i];
	false_discovery_adjust(p, q, order, count);
	factor = members[0]->want->normalize == NORMALIZE_SHARE
			 ? any_dependence(count)
			 : 1;
	for (size_t m = 0; m < MEASURES; m++) {
		members[m]->family = factor * (double)count;
		members[m]->level = fmin(members[m]->level, members[0]->level);
	}
	for (size_t m = 0, at = 0; m < MEASURES; m++)
		for (size_t i = 0; i < members[m]->count; i++)
			members[m]->q[i] = fmin(1, factor * q[at++]);
	return true;
}

/* ---- what a part tells of the whole ---- */

static bool tells(const struct entry_diff *part, const struct entry_diff *whole)
{
	double most = CHANGES_PART * fabs(whole->delta);

	return change_is_real(part->change) &&
	       (part->delta > 0) == (whole->delta > 0) &&
	       fabs(whole->delta) >= DIFF_MIN_DELTA &&
	       fabs(part->delta) <= most &&
	       CHANGES_PART * fabs(part->delta) >= fabs(whole->delta);
}

static void take_parts(struct changes *c)
{
	for (uint32_t id = 0; id < c->total.t->count; id++) {
		struct entry_diff *whole = &c->total.rows[id];
		const struct entry_diff *parts[] = { &c->self_lib.rows[id],
						     &c->self.rows[id] };

		for (size_t i = 0; i < 2; i++) {
			if (change_is_real(whole->change) ||
			    !tells(parts[i], whole))
				continue;
			whole->change = diff_name_change(
				&c->total.t->entries[id], whole->delta);
			whole->effect = parts[i]->effect;
			whole->q = parts[i]->q;
			whole->deviations = parts[i]->deviations;
			whole->is_with_all = false;
		}
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
