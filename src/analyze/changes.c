/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/changes.h"

#include <math.h>

#define MEASURES 3

/* ---- one family of tests ---- */

struct family {
	struct diff *const *members;
	double *p;
	double *q;
	size_t *order;
	size_t count;
};

/* The value that another measure has, too, on both sides, is no test of its
 * own. Members come in the order of the measures they were made for. */
static bool is_same_value(const struct diff *a, const struct diff *b,
			  uint32_t id)
{
	const struct side_values *v = a->t->entries[id].values;

	for (int s = 0; s < SIDE_COUNT; s++)
		if (side_value(&v[s], a->want->by) !=
		    side_value(&v[s], b->want->by))
			return false;
	return true;
}

/* The first measure that has the value of this one, or this one. */
static size_t teller(const struct family *f, size_t member, uint32_t id)
{
	size_t first = 0;

	while (first < member &&
	       !is_same_value(f->members[first], f->members[member], id))
		first++;
	return first;
}

/* known: by measure and entry. */
static void hand_out(const struct family *f, double *known)
{
	size_t entries = f->members[0]->t->count, at = 0;

	for (size_t m = 0; m < MEASURES; m++) {
		struct diff *d = f->members[m];

		for (size_t i = 0; i < d->count; i++) {
			size_t first = teller(f, m, d->ids[i]);
			double *q = &known[first * entries + d->ids[i]];

			if (first == m)
				*q = f->q[at++];
			d->q[i] = *q;
		}
	}
}

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
	const struct func_table *t = members[0]->t;
	struct family f = { .members = members };
	size_t room = 0;
	double *known, factor;

	for (size_t m = 0; m < MEASURES; m++)
		room += members[m]->count;
	f.p = arena_array(t->arena, room, sizeof *f.p);
	f.q = arena_array(t->arena, room, sizeof *f.q);
	f.order = arena_array(t->arena, room, sizeof *f.order);
	known = arena_array(t->arena, MEASURES * t->count, sizeof *known);
	if (!f.p || !f.q || !f.order || !known)
		return arena_fail(t->arena, "comparing functions", err);
	for (size_t m = 0; m < MEASURES; m++)
		for (size_t i = 0; i < members[m]->count; i++)
			if (teller(&f, m, members[m]->ids[i]) == m)
				f.p[f.count++] = members[m]->p[i];
	false_discovery_adjust(f.p, f.q, f.order, f.count);
	factor = members[0]->want->normalize == NORMALIZE_SHARE
			 ? any_dependence(f.count)
			 : 1;
	for (size_t i = 0; i < f.count; i++)
		f.q[i] = fmin(1, factor * f.q[i]);
	hand_out(&f, known);
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

/* A part is never new where the whole was there before. */
static enum change change_of(const struct func_entry *e, double delta)
{
	if (delta > 0)
		return e->values[SIDE_BASELINE].total ? CHANGE_GROWN
						      : CHANGE_NEW;
	return e->values[SIDE_SLOW].total ? CHANGE_SHRUNK : CHANGE_GONE;
}

static void take_parts(struct changes *c)
{
	for (uint32_t id = 0; id < c->total.t->count; id++) {
		struct entry_diff *whole = &c->total.rows[id];
		const struct entry_diff *parts[] = { &c->owned.rows[id],
						     &c->self.rows[id] };

		for (size_t i = 0; i < 2; i++) {
			if (change_is_real(whole->change) ||
			    !tells(parts[i], whole))
				continue;
			whole->change = change_of(&c->total.t->entries[id],
						  whole->delta);
			whole->effect = parts[i]->effect;
			whole->q = parts[i]->q;
			whole->is_with_all = false;
		}
	}
}

bool changes_find(struct changes *c, const struct func_table *t,
		  const struct diff_want *total, const struct diff_want *owned,
		  const struct diff_want *self, struct error *err)
{
	struct diff *const members[MEASURES] = { &c->total, &c->owned,
						 &c->self };
	const struct diff_want *const wants[MEASURES] = { total, owned, self };

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
