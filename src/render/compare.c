/* SPDX-License-Identifier: Apache-2.0
 *
 * The answers of `diff` and `profile`: which function, then the sides.
 */
#include <stdio.h>

#include "render/formats.h"
#include "render/units.h"

/* "  before  " */
#define LABEL_COLUMNS 10u
#define NAME_MIN_COLUMNS 24u

/* "  grew from 4.0 % to 62.0 %": what stands behind the name. */
static void change_text(const struct result *r, const struct function_row *row,
			char *out, size_t size)
{
	enum rank_by measure = row_measure(r, row);
	char before[UNIT_TEXT_BYTES];
	char after[UNIT_TEXT_BYTES];

	format_share(row_baseline(row, measure), before);
	format_share(row_share(row, measure), after);
	if (row->change == CHANGE_NEW)
		snprintf(out, size, "  is new with %s", after);
	else if (row->change == CHANGE_GONE)
		snprintf(out, size, "  is gone, was %s", before);
	else
		snprintf(out, size, "  %s from %s to %s",
			 row->delta >= 0 ? "grew" : "shrank", before, after);
}

/* The name takes what the rest of the line leaves. */
static void add_named(struct page *p, const struct result *r,
		      const char *change, const char *end)
{
	char text[256];
	size_t room = NAME_MIN_COLUMNS;

	snprintf(text, sizeof text, "%s of %s%s", change,
		 measure_word(r->profile.type), end);
	if (p->width > room + str_from(text).len)
		room = p->width - str_from(text).len;
	page_name(p, r->functions[0].name, room);
	page_text(p, text);
}

void diff_answer(struct page *p, const struct render_input *in)
{
	const struct result *r = in->result;
	const struct function_row *row =
		r->function_count ? r->functions : NULL;
	bool is_noise = (row && row->change == CHANGE_NOISE) ||
			(!row && r->noise_count);
	char change[160];

	if (is_noise) {
		page_text(p, "nothing changed: the differences are not "
			     "distinguishable from noise");
	} else if (!row || row->change == CHANGE_SAME) {
		page_text(p, "nothing changed");
	} else if (row->change == CHANGE_NONE) {
		page_text(p, "not compared: no baseline");
	} else {
		change_text(r, row, change, sizeof change);
		add_named(p, r, change, "");
	}
	page_flush(p, PAINT_BOLD, "", 0);
}

struct side {
	const char *label;
	struct str name; /* selector, file or kind */
	struct time_range range;
	int64_t samples;
	int64_t total_value;
};

static void add_part(struct page *p, bool *has_parts)
{
	if (*has_parts)
		page_text(p, ", ");
	*has_parts = true;
}

static bool is_count(const struct result *r)
{
	return str_equal(r->profile.unit, STR("count"));
}

/* Folded stacks and async-profiler count samples, and nothing else. */
static bool is_told_by_samples(const struct result *r, const struct side *side)
{
	static const char *const types[] = { "samples/count", "cpu/count",
					     "wall/count" };

	if (!is_count(r) || side->samples != side->total_value)
		return false;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (str_equal(r->profile.type, str_from(types[i])))
			return true;
	return false;
}

static void write_side(struct page *p, const struct result *r,
		       const struct side *side)
{
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
	if (!is_told_by_samples(r, side)) {
		add_part(p, &has_parts);
		format_value(side->total_value, r->profile.unit, text);
		page_number(p, text);
		if (is_count(r))
			page_textf(p, " %s", measure_noun(r->profile.type));
		else
			page_textf(p, " of %s", measure_word(r->profile.type));
	}
	if (side->name.len) {
		page_text(p, "   ");
		page_foreign(p, side->name);
	}
	page_flush(p, PAINT_NONE, side->label, LABEL_COLUMNS);
}

static void write_after(struct page *p, const struct result *r,
			const char *label)
{
	struct side side = {
		.label = label,
		.name = r->profile.text.len ? r->profile.text
					    : r->profile.selector,
		.range = r->profile.range,
		.samples = r->profile.samples,
		.total_value = r->profile.total_value,
	};

	if (r->has_profile)
		write_side(p, r, &side);
}

static void write_before(struct page *p, const struct result *r)
{
	struct side side = {
		.label = "  before",
		.name = r->baseline.text.len ? r->baseline.text
					     : r->baseline.kind,
		.range = r->baseline.range,
		.samples = r->baseline.samples,
		.total_value = r->baseline.total_value,
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

void diff_evidence(struct page *p, const struct render_input *in)
{
	write_before(p, in->result);
	write_after(p, in->result, "  after");
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

static const char *top_words(enum rank_by measure)
{
	if (measure == RANK_SELF)
		return " itself";
	return measure == RANK_TOTAL ? " with what it calls" : "";
}

/* The first row has the largest value of its own, which may be zero where it
 * all is in what it calls. */
static bool has_value(const struct result *r)
{
	const struct function_row *row = &r->functions[0];

	return row->self_value > 0 || row->owned_value > 0 ||
	       row->total_value > 0;
}

const char *profile_without_rows(const struct result *r)
{
	return r->profile.total_value > 0 ? "no function has a value"
					  : "the profile holds no samples";
}

void profile_answer(struct page *p, const struct render_input *in)
{
	const struct result *r = in->result;

	if (r->function_count && !has_value(r)) {
		page_text(p, "no function has a value above zero");
	} else if (r->function_count) {
		const struct function_row *row = &r->functions[0];
		enum rank_by measure = row_measure(r, row);
		char share[UNIT_TEXT_BYTES];
		char text[UNIT_TEXT_BYTES + 2];

		format_share(row_share(row, measure), share);
		snprintf(text, sizeof text, "  %s", share);
		add_named(p, r, text, top_words(measure));
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
