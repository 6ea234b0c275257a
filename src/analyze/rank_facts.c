/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/rank_facts.h"

static void take_diff(struct rank_facts *f, const struct diff *d)
{
	const struct block_values *blocks = d->want->blocks;

	f->is_judged = true;
	f->method = d->method;
	f->value_type = profile_type_name(d->t->sides[SIDE_SLOW].profile);
	f->window_cv = d->window_cv;
	f->is_share = d->want->normalize == NORMALIZE_SHARE;
	f->is_together = d->is_together;
	f->drift = d->drift;
	for (int s = 0; s < SIDE_COUNT; s++) {
		f->blocks[s] = blocks ? blocks->sides[s].count : 0;
		f->period[s] = d->period[s];
	}
}

bool rank_facts_take(struct rank_facts *f, const struct func_table *t,
		     const struct diff *d, struct arena *arena,
		     struct error *err)
{
	f->merged_count = t->merged_count;
	f->move_count = t->move_count;
	for (size_t i = 0; i < t->move_count; i++) {
		struct func_move *move = &f->moves[i];

		*move = t->moves[i];
		move->from = arena_str(arena, move->from);
		move->to = arena_str(arena, move->to);
		if (!move->from.ptr || !move->to.ptr)
			return arena_fail(arena, "ranking functions", err);
	}
	if (d)
		take_diff(f, d);
	return true;
}
