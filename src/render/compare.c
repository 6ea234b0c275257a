/* SPDX-License-Identifier: Apache-2.0
 *
 * Text of the answers of `diff` and `profile`: the function, then the sides.
 */
#include <math.h>
#include <stdio.h>

#include "base/num.h"
#include "render/render.h"
#include "render/units.h"

/* Maximum number of functions named as explanation of the total change, the
 * largest first. */
#define MOST_ROWS 3

/* Minimum part of it for each. */
#define MOST_PART 0.05

/* A smaller change of the total counts as none. */
#define WHOLE_PART 0.0005

/* "Unchanged" requires that both sides are within this ratio, and that a change
 * of the total by SEEN_PART was detectable. */
#define SAME_RATIO 1.1
#define SEEN_PART 0.5
#define DOUBT_PART 0.05

/* Minimum relative change of a function. */
#define SAME_PART 0.05

#define CHANGE_BYTES 256

/* "from 16.2 s to 22.5 s" */
static void from_to(const struct result *r, int64_t before, int64_t after,
		    char *out, size_t size)
{
	char from[UNIT_TEXT_BYTES], to[UNIT_TEXT_BYTES];

	scale_say(r, before, true, from);
	scale_say(r, after, false, to);
	snprintf(out, size, "from %s to %s", from, to);
}

/* Returns the baseline relative to the candidate; 0 if that is 0. */
static double whole_ratio(const struct result *r)
{
	double after = (double)r->profile.total_value / r->exposure;
	double before = (double)r->baseline.total_value / r->baseline_exposure;

	return before > 0 ? after / before : 0;
}

/* "+34 %", "-0.4 %", "0.0 %", "x60" */
static void ratio_text(double ratio, char out[UNIT_TEXT_BYTES])
{
	double percent = 100 * (ratio - 1);
	int decimals = fabs(percent) < 9.95;

	format_growth(ratio - 1, true, out);
	if (fabs(percent) < 100 * WHOLE_PART)
		snprintf(out, UNIT_TEXT_BYTES, "0.0 %%");
	else if (*out != 'x')
		snprintf(out, UNIT_TEXT_BYTES, "%+.*f %%", decimals, percent);
}

/* "total samples from 8,502 to 9,471 (+11 %)" */
static void add_whole(struct page *p, const struct result *r)
{
	char measure[2 * UNIT_TEXT_BYTES], sides[CHANGE_BYTES];
	char ratio[UNIT_TEXT_BYTES];

	if (r->normalize == NORMALIZE_SHARE) {
		page_textf(p, "compared by share%s",
			   r->profile.is_of_rest ? " of the filtered profile"
						 : "");
		return;
	}
	scale_measure(r, measure);
	from_to(r, r->baseline.total_value, r->profile.total_value, sides,
		sizeof sides);
	page_textf(p,
		   r->profile.is_of_rest ? "%s left by the filters %s"
					 : "total %s %s",
		   measure, sides);
	if (r->baseline.total_value > 0) {
		ratio_text(whole_ratio(r), ratio);
		page_text(p, " (");
		page_number(p, ratio);
		page_text(p, ")");
	}
}

/* "shop.find grew by 6.3 s, from 16.2 s to 22.5 s". */
static void add_function(struct page *p, const struct result *r,
			 const struct function_row *row)
{
	enum rank_by measure = row_measure(r, row);
	int64_t before = row_before(row, measure);
	int64_t after = row_value(row, measure);
	char sides[CHANGE_BYTES / 2], by[UNIT_TEXT_BYTES], text[CHANGE_BYTES];

	from_to(r, before, after, sides, sizeof sides);
	scale_say_change(r, after, before, by);
	if (row->change == CHANGE_NEW)
		snprintf(text, sizeof text, " is new with %s", by);
	else if (row->change == CHANGE_GONE)
		snprintf(text, sizeof text, " is gone, was %s", by);
	else
		snprintf(text, sizeof text, " %s by %s, %s",
			 row->delta >= 0 ? "grew" : "shrank", by, sides);
	page_name(p, row->name, 0);
	page_text(p, text);
	row_replaced(p, r, row);
}

/* Appends which functions account for the change of the total: "most in a (-1.5
 * s), b (-1.1 s)". */
static void add_most(struct page *p, const struct result *r)
{
	size_t told = 0;

	for (size_t i = 0; i < result_verdict_count(r) && told < MOST_ROWS;
	     i++) {
		const struct function_row *row = &result_verdict(r)[i];
		bool is_same_way = (row->delta > 0) == (r->whole.delta > 0);
		char by[UNIT_TEXT_BYTES];

		if (row->through.len || !is_same_way ||
		    fabs(row->delta) < MOST_PART * fabs(r->whole.delta))
			continue;
		scale_say_change(r, row->total_value, row->baseline_total_value,
				 by);
		page_text(p, told++ ? ", " : "; most in ");
		page_name(p, row->name, 0);
		page_textf(p, " (%c%s)", row->delta > 0 ? '+' : '-', by);
	}
}

static bool has_certain(const struct result *r)
{
	return result_verdict_count(r) &&
	       change_is_real(result_verdict(r)->change);
}

/* Returns "the whole profile doubled" for approximately that. */
static const char *whole_words(double ratio)
{
	if (ratio > 1.95 && ratio < 2.05)
		return "doubled";
	if (ratio > 0.49 && ratio < 0.51)
		return "halved";
	if (ratio > 0.64 && ratio < 0.69)
		return "shrank by a third";
	return ratio > 1 ? "grew" : "shrank";
}

static const char *whole_name(const struct result *r)
{
	return r->profile.is_of_rest ? "the filtered profile"
				     : "the whole profile";
}

/* For no significant change: what there is, and what would have been
 * detectable. */
static void add_uncertain(struct page *p, const struct result *r)
{
	const struct function_row *row = result_verdict(r);
	char by[UNIT_TEXT_BYTES], percent[UNIT_TEXT_BYTES];

	page_text(p, "no significant change: ");
	add_whole(p, r);
	if (result_verdict_count(r) && row->change == CHANGE_NOISE) {
		scale_say_change(r, row_value(row, row_measure(r, row)),
				 row_before(row, row_measure(r, row)), by);
		page_text(p, "; the largest, ");
		page_name(p, row->name, 0);
		page_textf(p, " (%c%s), may be noise",
			   row->delta > 0 ? '+' : '-', by);
	}
	if (r->whole.detectable > 0) {
		format_percent(r->whole.detectable, percent);
		page_text(p, "; detectable: a change of the total by ");
		page_number(p, percent);
		page_text(p, " or more");
	}
}

/* Returns whether a possibly insignificant change is a large enough part to be
 * mentioned. */
static bool has_doubt(const struct result *r)
{
	return result_verdict_count(r) &&
	       result_verdict(r)->change == CHANGE_NOISE &&
	       fabs(result_verdict(r)->delta) >= DOUBT_PART;
}

/* Returns whether the sides agree, and either are equal, as the same profile
 * twice, or a relevant change was detectable. */
static bool is_unchanged(const struct result *r)
{
	double ratio = whole_ratio(r);
	bool is_same = fmax(ratio, 1 / ratio) < SAME_RATIO;

	if (r->normalize == NORMALIZE_SHARE || has_doubt(r))
		return !has_doubt(r);
	return !r->whole.is_changed && is_same &&
	       (r->whole.is_equal || !(r->whole.detectable > SEEN_PART));
}

/* No change, although it would have been detectable. */
static void add_unchanged(struct page *p, const struct result *r)
{
	char percent[UNIT_TEXT_BYTES];

	if (r->whole.is_equal || !(r->whole.function_detectable > SAME_PART)) {
		page_text(p, "no change: ");
		add_whole(p, r);
		return;
	}
	page_text(p, "no change detected: ");
	add_whole(p, r);
	format_percent(r->whole.function_detectable, percent);
	page_text(p, "; detectable: ");
	page_number(p, percent);
	page_text(p, " or more in a function with 1 % of the total");
}

static void add_answer(struct page *p, const struct result *r)
{
	if (!r->is_compared || !result_verdict_count(r) ||
	    result_verdict(r)->change == CHANGE_NONE) {
		page_text(p, r->noise_count || r->is_compared
				     ? "no change"
				     : "not compared: no baseline");
	} else if (r->whole.is_together) {
		page_textf(p, "%s %s: ", whole_name(r),
			   whole_words(whole_ratio(r)));
		add_whole(p, r);
		if (has_certain(r))
			add_most(p, r);
		else
			page_text(p, ", no function more than others");
	} else if (has_certain(r)) {
		add_function(p, r, result_verdict(r));
		page_text(p, "; ");
		add_whole(p, r);
	} else if (r->whole.is_changed) {
		page_textf(p,
			   "%s %s, no single function significantly: ",
			   whole_name(r), whole_words(whole_ratio(r)));
		add_whole(p, r);
		add_most(p, r);
	} else if (is_unchanged(r)) {
		add_unchanged(p, r);
	} else {
		add_uncertain(p, r);
	}
}

void diff_answer(struct page *p, const struct render_input *in)
{
	add_answer(p, in->result);
	page_flush(p, PAINT_BOLD, "", 0);
}

struct side {
	const char *label;
	struct str name; /* selector, file or kind */
	struct time_range range;
	int64_t samples;
	int64_t value;
	int64_t whole_value; /* larger if label filters exclude samples */
	bool is_net;
};

static void add_part(struct page *p, bool *has_parts)
{
	if (*has_parts)
		page_text(p, ", ");
	*has_parts = true;
}

static void write_side(struct page *p, const struct result *r,
		       const struct side *side)
{
	/* The number of samples is the only value, as in folded stacks and
	 * async-profiler. */
	static const char *const types[] = { "samples/count", "cpu/count",
					     "wall/count" };
	bool is_count = str_equal(r->profile.unit, STR("count"));
	bool is_told = is_count && side->samples == side->value &&
		       str_is_one_of(r->profile.type, types, COUNT_OF(types));
	bool has_parts = false;
	char text[UNIT_TEXT_BYTES];

	if (side->range.from_ns || side->range.to_ns) {
		add_part(p, &has_parts);
		page_window(p, side->range, 0);
	}
	if (side->range.to_ns || side->samples >= 0) {
		add_part(p, &has_parts);
		page_extent(p, &(struct extent){
				       .range = side->range,
				       .samples = side->samples,
			       });
	}
	if (side->is_net || !is_told) {
		add_part(p, &has_parts);
		format_value(side->value, r->profile.unit, text);
		if (side->is_net)
			page_text(p, "net ");
		page_number(p, text);
		if (is_count)
			page_textf(p, " %s", measure_noun(r->profile.type));
		else
			page_textf(p, " of %s", measure_word(r->profile.type));
	}
	if (!side->is_net && side->value != side->whole_value) {
		format_value(side->whole_value, r->profile.unit, text);
		page_text(p, ", of ");
		page_number(p, text);
	}
	if (side->name.len) {
		page_text(p, "   ");
		page_foreign(p, side->name);
	}
	page_flush(p, PAINT_NONE, side->label, EVIDENCE_COLUMNS);
}

static void write_after(struct page *p, const struct result *r,
			const char *label)
{
	int64_t whole = r->profile.total_value;
	struct side side = {
		.label = label,
		.name = r->profile.text.len ? r->profile.text
					    : r->profile.selector,
		.range = r->profile.range,
		.samples = r->profile.samples,
		.value = r->profile.is_difference
				 ? r->profile.net_value
				 : whole - r->profile.untagged_value,
		.whole_value = whole,
		.is_net = r->profile.is_difference,
	};

	if (r->has_profile)
		write_side(p, r, &side);
}

static void write_before(struct page *p, const struct result *r)
{
	struct side side = {
		.label = "  baseline",
		.name = r->baseline.text.len ? r->baseline.text
					     : r->baseline.kind,
		.range = r->baseline.range,
		.samples = r->baseline.samples,
		.value = r->baseline.total_value,
		.whole_value = r->baseline.total_value,
	};

	if (r->has_baseline)
		write_side(p, r, &side);
}

static void write_functions(struct page *p, const struct result *r)
{
	if (!r->function_count)
		return;
	out_char(p->out, '\n');
	table_functions(p, r);
}

/* From here on a false alarm has a probability of 1 %. */
#define STRONG_Q 0.01

/* Returns the next round number above q: more digits would be false
 * precision. */
static const char *q_words(double q)
{
	if (q < 0.001)
		return "q < 0.001";
	if (q < 0.01)
		return "q < 0.01";
	return q < 0.02 ? "q < 0.02" : "q < 0.05";
}

/* "strong: +19 %, significant (q < 0.001)" */
static void add_certainty(struct page *p, const struct result *r,
			  const struct function_row *row)
{
	double now = scale_exact(r, row_value(row, row_measure(r, row)), false);
	double before =
		scale_exact(r, row_before(row, row_measure(r, row)), true);
	char ratio[UNIT_TEXT_BYTES];

	page_text(p, row->q <= STRONG_Q ? "strong: " : "fair: ");
	if (before > 0 && now > 0) {
		ratio_text(now / before, ratio);
		page_number(p, ratio);
		page_text(p, ", ");
	}
	page_textf(p, "significant (%s)", q_words(row->q));
}

/* Confidence of the first line. */
static void write_confidence(struct page *p, const struct result *r)
{
	double q = has_certain(r) ? result_verdict(r)->q : NAN;

	if (has_certain(r) && isnan(q))
		page_text(p, "weak: significance not tested");
	else if (has_certain(r))
		add_certainty(p, r, result_verdict(r));
	else if (r->whole.is_changed && !isnan(r->whole.q))
		page_textf(p,
			   "%s: the total changed significantly (%s)",
			   r->whole.q <= STRONG_Q ? "strong" : "fair",
			   q_words(r->whole.q));
	else if (r->whole.is_changed)
		page_text(p, "weak: significance not tested");
	else
		return;
	page_flush(p, PAINT_NONE, "  confidence", EVIDENCE_COLUMNS);
}

void diff_evidence(struct page *p, const struct render_input *in)
{
	write_before(p, in->result);
	write_after(p, in->result, "  comparison");
	evidence_commits(p, in->result);
	write_confidence(p, in->result);
}

void report_diff(struct page *p, const struct render_input *in)
{
	const struct result *r = in->result;

	diff_answer(p, in);
	if (!p->style.is_quiet) {
		out_char(p->out, '\n');
		diff_evidence(p, in);
	}
	write_functions(p, r);
	report_tail(p, r, STR(""), STR(""));
}

const char *profile_without_rows(const struct result *r)
{
	return r->profile.total_value > 0 ? "no function has a value"
					  : "the profile holds no samples";
}

/* The answer for a difference: what grew most. */
static void difference_answer(struct page *p, const struct result *r)
{
	const struct function_row *row = result_verdict(r);
	int64_t grown = row_value(row, row_measure(r, row));
	char text[UNIT_TEXT_BYTES];

	if (grown <= 0) {
		page_text(p, "no function grew");
		return;
	}
	format_value(grown, r->profile.unit, text);
	page_name(p, row->name, 0);
	page_textf(p, " grew by %s", text);
}

void profile_answer(struct page *p, const struct render_input *in)
{
	const struct result *r = in->result;
	const struct function_row *row =
		r->function_count ? result_verdict(r) : NULL;

	/* The first row has the largest self value; 0 if everything is in
	 * callees. */
	if (row && r->profile.is_difference) {
		difference_answer(p, r);
	} else if (row && row->self_value <= 0 && row->self_lib_value <= 0 &&
		   row->total_value <= 0) {
		page_text(p, "no function has a value above zero");
	} else if (row) {
		enum rank_by measure = row_measure(r, row);
		char share[UNIT_TEXT_BYTES];
		char text[CHANGE_BYTES];

		format_share(row_share(row, measure), share);
		snprintf(text, sizeof text, "  %s of %s%s", share,
			 measure_word(r->profile.type),
			 measure == RANK_SELF    ? " itself"
			 : measure == RANK_TOTAL ? " with its callees"
						 : "");
		page_name(p, row->name, 0);
		page_text(p, text);
	} else {
		page_text(p, profile_without_rows(r));
	}
	page_flush(p, PAINT_BOLD, "", 0);
}

void profile_evidence(struct page *p, const struct render_input *in)
{
	write_after(p, in->result, "  profile");
}

void report_profile(struct page *p, const struct render_input *in)
{
	const struct result *r = in->result;

	profile_answer(p, in);
	if (!p->style.is_quiet && r->has_profile) {
		out_char(p->out, '\n');
		profile_evidence(p, in);
	}
	write_functions(p, r);
	report_tail(p, r, STR(""), STR(""));
}
