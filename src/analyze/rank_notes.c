/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/rank_notes.h"

#include "analyze/drift.h"

/* From which drift of all shares the reader must be told. */
#define NOTED_DRIFT 1.25
#define NOTED_COMMON_RATE 1.1

static void note_untested(const struct profile *p, struct notes *notes)
{
	struct str type = profile_type_name(p);

	notes_add(notes,
		  "not tested for significance: values of \"%.*s\" are no "
		  "whole samples; changes under %.0f %% of the total or under "
		  "%.0f %% of the function are ignored",
		  STR_ARGS(type), 100 * DIFF_UNTESTED_DELTA,
		  100 * (DIFF_UNTESTED_RATIO - 1));
}

static void note_blocks(const struct diff *d, struct notes *notes)
{
	const struct block_values *blocks = d->want->blocks;

	notes_add(notes,
		  "noise was measured on %zu blocks of the slow side and %zu "
		  "of the baseline; between the two windows it is taken as "
		  "%.0f %%",
		  blocks->sides[SIDE_SLOW].count,
		  blocks->sides[SIDE_BASELINE].count, 100 * DIFF_WINDOW_CV);
}

static void note_method(const struct diff *d, struct notes *notes)
{
	switch (d->method) {
	case DIFF_UNTESTED:
		note_untested(d->t->sides[SIDE_SLOW].profile, notes);
		break;
	case DIFF_ASSUMED:
		notes_add(notes,
			  "significance is approximate: one window a side, "
			  "noise taken as %.0f times that of independent "
			  "samples plus %.1f %% by which functions wander "
			  "from one window to the next",
			  OVERDISPERSION_BASE, 100 * d->window_cv);
		break;
	case DIFF_BLOCKS:
	case DIFF_BLOCK_VALUES:
		note_blocks(d, notes);
		break;
	}
	if (d->method != DIFF_UNTESTED && d->method != DIFF_BLOCK_VALUES &&
	    d->period[SIDE_SLOW] != d->period[SIDE_BASELINE])
		notes_add(notes,
			  "the sides were sampled every %.0f and %.0f: "
			  "compared by what the samples stand for",
			  d->period[SIDE_SLOW], d->period[SIDE_BASELINE]);
}

/* No more than so much is taken for what all have in common. */
static bool is_bounded(const struct diff *d)
{
	return d->drift >= DIFF_COMMON_RATE || d->drift <= 1 / DIFF_COMMON_RATE;
}

static void note_drift(const struct diff *d, struct notes *notes)
{
	bool is_share = d->want->normalize == NORMALIZE_SHARE;
	double least = is_share ? NOTED_DRIFT : NOTED_COMMON_RATE;

	if (d->is_together || (d->drift >= 1 / least && d->drift <= least))
		return;
	if (is_share)
		notes_add(notes,
			  "most shares went to %.2g %% of what they were: "
			  "functions that only followed are called the same",
			  100 * d->drift);
	else
		notes_add(notes,
			  "most functions went to %.3g %% of what they took%s: "
			  "put down to the load or the host as a whole",
			  100 * d->drift, is_bounded(d) ? " and beyond" : "");
}

static void note_moves(const struct func_table *t, struct notes *notes)
{
	for (size_t i = 0; i < t->move_count; i++) {
		const struct func_move *move = &t->moves[i];

		notes_add(notes,
			  "renamed since the baseline: %.*s is now %.*s, %zu "
			  "function%s counted under the new name",
			  STR_ARGS(move->from), STR_ARGS(move->to), move->count,
			  move->count == 1 ? "" : "s");
	}
}

void rank_notes_add(const struct func_table *t, const struct diff *d,
		    struct notes *notes)
{
	if (t->merged_count)
		notes_add(notes,
			  "%zu functions whose names differ only in generated "
			  "numbers were counted as one each",
			  t->merged_count);
	note_moves(t, notes);
	if (!d)
		return;
	note_method(d, notes);
	note_drift(d, notes);
}
