/* SPDX-License-Identifier: Apache-2.0 */
#include "report/texts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/rank_facts.h"
#include "base/num.h"
#include "model/result.h"
#include "render/units.h"

/* From which drift of all shares the reader must be told. */
#define NOTED_DRIFT 1.25
#define NOTED_COMMON_RATE 1.1

static void note_way(const struct rank_facts *f, struct notes *notes)
{
	const char *why = "the length of the profiles is not known";

	if (f->is_gauge)
		why = "memory in use is a level, not a rate";
	else if (f->asked_way == NORMALIZE_REQUEST)
		why = "the number of requests is not known";
	if (f->is_other_way)
		notes_add(notes, "not compared per %s: %s",
			  f->asked_way == NORMALIZE_REQUEST ? "request"
							    : "second",
			  why);
	if (f->is_rate_of_samples)
		notes_add(notes,
			  "sample counts are compared as if both sides had the "
			  "same sampling rate, which this type does not "
			  "record");
}

/* Only what the reader can do better is a note. */
static void note_slices(const struct rank_facts *f, struct notes *notes,
			struct notes *reasons)
{
	const char *what = f->is_of_runs ? "runs" : "time slices";

	if (f->is_of_runs && !f->is_interleaved)
		notes_add(notes,
			  "all runs of one side were taken after those of the "
			  "other: a change of the machine in between looks "
			  "like a code change; alternate the runs");
	notes_add(reasons,
		  "noise: measured on %zu %s of the comparison and %zu of the "
		  "baseline: functions vary by %.1f %% beyond sampling error",
		  f->slices[SIDE_SLOW], what, f->slices[SIDE_BASELINE],
		  100 * f->window_cv);
}

static void note_periods(const struct rank_facts *f, struct notes *notes)
{
	char slow[UNIT_TEXT_BYTES], baseline[UNIT_TEXT_BYTES];

	format_value(sat_round_f64(f->period[SIDE_SLOW]), f->value_unit, slow);
	format_value(sat_round_f64(f->period[SIDE_BASELINE]), f->value_unit,
		     baseline);
	/* They may differ by less than is told. */
	if (strcmp(slow, baseline) == 0)
		return;
	notes_add(notes,
		  "the sides were sampled every %s and %s: compared by value, "
		  "not by number of samples",
		  slow, baseline);
}

static void note_method(const struct rank_facts *f, bool is_of_request,
			struct notes *notes, struct notes *reasons)
{
	switch (f->method) {
	case DIFF_UNTESTED:
		notes_add(notes,
			  "significance not tested: \"%.*s\" profiles have no "
			  "sample counts; changes under %.0f %% of the total "
			  "or under %.0f %% of the function are left out",
			  STR_ARGS(f->value_type), 100 * DIFF_UNTESTED_DELTA,
			  100 * (DIFF_UNTESTED_RATIO - 1));
		break;
	case DIFF_ASSUMED:
		/* Whoever asks about a request has no files to add. */
		if (!is_of_request)
			notes_add(notes,
				  "noise is estimated from one profile per "
				  "side; tracefind check measures it with "
				  "several");
		notes_add(reasons,
			  "noise: estimated: %.1f times that of independent "
			  "samples, plus %.1f %% between profiles%s",
			  f->phi, 100 * f->window_cv,
			  /* where it was not only taken for granted */
			  f->peers ? ", as in most profiles" : "");
		break;
	case DIFF_SLICES:
	case DIFF_SLICE_VALUES:
		note_slices(f, notes, reasons);
		break;
	}
	if (f->method != DIFF_UNTESTED && f->method != DIFF_SLICE_VALUES &&
	    f->period[SIDE_SLOW] != f->period[SIDE_BASELINE])
		note_periods(f, notes);
}

static void note_drift(const struct rank_facts *f, struct notes *notes)
{
	double least = f->is_share ? NOTED_DRIFT : NOTED_COMMON_RATE;

	if (f->is_together || (f->drift >= 1 / least && f->drift <= least))
		return;
	if (f->is_share)
		notes_add(notes,
			  "most shares changed to %.3g %% of the baseline; "
			  "changes below are relative to that",
			  100 * f->drift);
	else
		notes_add(notes,
			  "most functions are at %.3g %% of the baseline%s "
			  "(load or host); changes below are relative to that",
			  100 * f->drift, f->is_drift_bounded ? " and beyond" : "");
}

static void note_joined(const struct rank_facts *f, struct notes *notes)
{
	char more[64] = "";

	if (f->joined_count > 1)
		snprintf(more, sizeof more, ", and so %s %zu more",
			 f->joined_count == 2 ? "is" : "are",
			 f->joined_count - 1);
	notes_add(notes,
		  "\"%.*s\" is one row of several functions of that name, in "
		  "different files or libraries%s",
		  STR_ARGS(f->joined), more);
}

/* The sampling period is known of one side only. */
static void note_uncountable(const struct rank_facts *f, struct notes *notes)
{
	static const char *const names[] = {
		[SIDE_SLOW] = "slow side", [SIDE_BASELINE] = "baseline"
	};
	enum diff_side known =
		f->sample_values[SIDE_SLOW] > 0 ? SIDE_SLOW : SIDE_BASELINE;

	notes_add(notes,
		  "changes were not judged: the %s was sampled every %.0f, "
		  "the sampling period of the %s is not known; it may mix "
		  "several: compare one instance or one build",
		  names[known], f->sample_values[known],
		  names[known == SIDE_SLOW ? SIDE_BASELINE : SIDE_SLOW]);
}

/* Functions under other names than in the baseline, and cost that moved. */
static void note_names(const struct rank_facts *f, struct notes *notes)
{
	size_t more = f->renaming_count > RANK_RENAMINGS
			      ? f->renaming_count - RANK_RENAMINGS
			      : 0;

	for (size_t i = 0; i < f->renaming_count - more; i++)
		notes_add(notes, "probably renamed: %.*s -> %.*s",
			  STR_ARGS(f->renamings[i].from),
			  STR_ARGS(f->renamings[i].to));
	if (more)
		notes_add(notes, "%zu more function%s probably renamed", more,
			  more == 1 ? " was" : "s were");
	for (size_t i = 0; i < f->shift_count; i++) {
		const struct cost_shift *s = &f->shifts[i];

		notes_add(notes,
			  "cost moved from %.*s to %.*s, both called by %.*s",
			  STR_ARGS(s->from), STR_ARGS(s->to),
			  STR_ARGS(s->parent));
	}
	if (f->merged_count)
		notes_add(notes,
			  "%zu function%s several names that differ only in "
			  "lines, hashes or generated numbers: counted as "
			  "one%s",
			  f->merged_count,
			  f->merged_count == 1 ? " has" : "s have",
			  f->merged_count == 1 ? "" : " each");
	if (f->joined_count)
		note_joined(f, notes);
	for (size_t i = 0; i < f->move_count; i++) {
		const struct func_move *move = &f->moves[i];

		notes_add(notes,
			  "renamed since the baseline: %.*s is now %.*s, %zu "
			  "function%s counted under the new name",
			  STR_ARGS(move->from), STR_ARGS(move->to), move->count,
			  move->count == 1 ? "" : "s");
	}
}

void comparison_notes_add(const struct rank_facts *f, bool is_of_request,
			  struct notes *notes, struct notes *reasons)
{
	note_way(f, notes);
	if (f->is_side_empty)
		notes_add(notes,
			  "the %s profile is empty: no comparison",
			  f->empty_side == SIDE_BASELINE ? "baseline" : "slow");
	if (f->is_uncountable)
		note_uncountable(f, notes);
	note_names(f, notes);
	if (!f->is_judged)
		return;
	note_method(f, is_of_request, notes, reasons);
	note_drift(f, notes);
}

static const char *const commits_gaps[] = {
	[COMMITS_NO_LINE] = "the profile has no line of the function",
	[COMMITS_NO_FILE] = "the file is not below --source-path",
	[COMMITS_NO_FUNCTION] = "the function is not around its line: the "
				"source is of another version",
	[COMMITS_NO_GIT] = "git is not installed or does not start",
	[COMMITS_NO_TREE] = "git lists none: the file is not committed, or the "
			    "work tree belongs to another user",
	[COMMITS_LATE] = "git took longer than 3 s",
	[COMMITS_CHANGED] = "the function has changes that are not committed",
	[COMMITS_SHALLOW] = "the clone is shallow",
	[COMMITS_NO_FORMAT] = "the output of git log is not in a known form",
};

void comparison_notes_report(const struct result *r, struct notes *notes,
			     struct notes *reasons)
{
	const struct function_row *row;

	if (r->commits_gap)
		notes_add(reasons, "commits: none, %s",
			  commits_gaps[r->commits_gap]);
	if (!r->rank_facts)
		return;
	comparison_notes_add(r->rank_facts, r->has_span, notes, reasons);
	/* How clear the first row is, for who knows these figures. */
	row = result_verdict(r);
	if (!result_verdict_count(r) || !change_is_real(row->change) ||
	    isnan(row->q) || isnan(row->deviations))
		return;
	notes_add(reasons,
		  "certainty: %.*s: changed %.1f times as much as unchanged "
		  "functions of its size vary (q = %.2g)",
		  STR_ARGS(row->name), row->deviations, row->q);
}
