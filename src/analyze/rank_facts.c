/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/rank_facts.h"

#include <math.h>

#include "analyze/diff.h"

#define WHAT "ranking functions"

const double rank_power_shares[RANK_POWER_SHARES] = {
	0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.5
};

/* Names of tables go with them. */
static bool keep_name(struct rank_facts *f, struct str name, struct str *out,
		      struct error *err)
{
	*out = arena_str(f->arena, name);
	return out->ptr || arena_fail(f->arena, WHAT, err);
}

bool rank_facts_add_renaming(struct rank_facts *f,
			     const struct func_entry *from,
			     const struct func_entry *to, struct error *err)
{
	struct func_renaming *kept;

	if (f->renaming_count++ >= RANK_RENAMINGS)
		return true;
	kept = &f->renamings[f->renaming_count - 1];
	return keep_name(f, from->name, &kept->from, err) &&
	       keep_name(f, to->name, &kept->to, err);
}

bool rank_facts_add_shift(struct rank_facts *f, const struct func_entry *from,
			  const struct func_entry *to,
			  const struct func_entry *parent, struct error *err)
{
	struct cost_shift *shift;

	if (!arena_reserve(f->arena, (void **)&f->shifts, &f->shift_cap,
			   f->shift_count + 1, sizeof *f->shifts))
		return arena_fail(f->arena, WHAT, err);
	shift = &f->shifts[f->shift_count++];
	return keep_name(f, from->name, &shift->from, err) &&
	       keep_name(f, to->name, &shift->to, err) &&
	       keep_name(f, parent->name, &shift->parent, err);
}

static void take_diff(struct rank_facts *f, const struct diff *d)
{
	const struct slice_values *slices = d->want->slices;

	f->is_judged = true;
	f->method = d->method;
	f->value_type = profile_type_name(d->t->sides[SIDE_SLOW].profile);
	f->value_unit = profile_unit(d->t->sides[SIDE_SLOW].profile);
	f->phi = d->noise.sampling;
	f->peers = d->noise.rows;
	f->window_cv = diff_typical_cv(d);
	f->is_share = d->want->normalize == NORMALIZE_SHARE;
	f->is_together = d->is_together;
	f->drift = d->drift;
	f->has_drift = d->has_drift;
	f->is_split = d->has_drift && !d->is_given &&
		      d->common.reading == REPLICATE_SPLIT;
	f->other_drift = d->drift * exp(d->common.other_log_ratio -
					d->common.log_ratio);
	f->is_relative = d->has_drift && !d->want->is_of_runs &&
			 d->want->normalize == NORMALIZE_RATE;
	f->is_drift_bounded = d->is_bounded;
	f->is_of_runs = d->want->is_of_runs;
	f->is_interleaved = d->want->is_interleaved;
	for (size_t i = 0; i < RANK_POWER_SHARES; i++)
		f->detectable[i] = diff_detectable_of(
			d, rank_power_shares[i], !f->is_relative);
	for (int s = 0; s < SIDE_COUNT; s++) {
		f->slices[s] = slices ? slices->sides[s].count : 0;
		f->period[s] = d->period[s];
	}
}

static int64_t entry_total(const struct func_entry *e)
{
	return sat_add_i64(e->values[SIDE_SLOW].total,
			   e->values[SIDE_BASELINE].total);
}

/* Smaller rows are not told of: most are not seen. */
#define RANK_JOINED_SHARE 0.01

static bool take_joined(struct rank_facts *f, const struct func_table *t,
			struct error *err)
{
	const struct func_entry *most = NULL;

	f->joined_count = 0;
	for (size_t i = 0; i < t->count; i++) {
		const struct func_entry *e = &t->entries[i];
		double share = 0;

		for (int s = 0; e->is_joined && s < SIDE_COUNT; s++)
			share = fmax(share, side_share(t->sides[s].profile,
						       e->values[s].total));
		if (share < RANK_JOINED_SHARE)
			continue;
		f->joined_count++;
		if (!most || entry_total(e) > entry_total(most))
			most = e;
	}
	return !most || keep_name(f, most->name, &f->joined, err);
}

bool rank_facts_take(struct rank_facts *f, const struct func_table *t,
		     const struct diff *d, struct error *err)
{
	f->merged_count = t->merged_count;
	if (!take_joined(f, t, err))
		return false;
	f->move_count = t->move_count;
	for (size_t i = 0; i < t->move_count; i++) {
		const struct func_move *move = &t->moves[i];

		f->moves[i].count = move->count;
		if (!keep_name(f, move->from, &f->moves[i].from, err) ||
		    !keep_name(f, move->to, &f->moves[i].to, err))
			return false;
	}
	if (d)
		take_diff(f, d);
	return true;
}
