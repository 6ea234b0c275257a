/* SPDX-License-Identifier: Apache-2.0
 *
 * The line under a table of functions: shares per category of code.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "render/formats.h"
#include "render/kind_words.h"
#include "render/units.h"

/* "CPU by category" */
#define LABEL_BYTES 48
#define GAP_COLUMNS 2u

/* Less is no news, and changes under it are seldom more than noise. */
#define SHOWN_SHARE 0.01
#define SHOWN_CHANGE 0.05
/* 25 % less 20 % is a bit less than 5 % in binary. */
#define ROUNDING 1e-9

struct kind_row {
	enum code_kind kind;
	double share;
	double before;
	bool is_changed;
};

/* The largest first, then in the order of the kinds. */
static int compare_rows(const void *left, const void *right)
{
	const struct kind_row *a = left, *b = right;
	int order = compare_f64(b->share, a->share);

	return order ? order : (int)a->kind - (int)b->kind;
}

static size_t collect_rows(const struct result *r,
			   struct kind_row rows[CODE_KIND_COUNT])
{
	size_t count = 0;

	for (int i = 0; i < CODE_KIND_COUNT; i++) {
		enum code_kind kind = (enum code_kind)i;
		struct kind_row row = {
			.kind = kind,
			.share = kind_share(&r->categories, kind),
			.before = kind_share(&r->baseline_categories, kind),
		};

		row.is_changed =
			r->baseline_categories.total > 0 &&
			fabs(row.share - row.before) >= SHOWN_CHANGE - ROUNDING;
		if (row.share >= SHOWN_SHARE || row.is_changed)
			rows[count++] = row;
	}
	qsort(rows, count, sizeof *rows, compare_rows);
	return count;
}

static void add_percent(struct page *p, double share)
{
	char text[UNIT_TEXT_BYTES];

	format_percent(share, text);
	page_number(p, text);
}

/* "CPU by category"; where the type is not known "by category". */
static void label_write(const struct result *r, char label[LABEL_BYTES])
{
	const char *word = measure_word(r->profile.type);
	bool is_known = strcmp(word, measure_word(STR(""))) != 0;

	snprintf(label, LABEL_BYTES, "%s%sby category", is_known ? word : "",
		 is_known ? " " : "");
}

void table_categories(struct page *p, const struct result *r)
{
	struct kind_row rows[CODE_KIND_COUNT];
	size_t count = collect_rows(r, rows);

	char label[LABEL_BYTES];

	if (r->categories.total <= 0 || !count)
		return;
	for (size_t i = 0; i < count; i++) {
		page_text(p, i ? ", " : "");
		page_text(p, code_kind_words(rows[i].kind));
		page_text(p, " ");
		add_percent(p, rows[i].share);
		if (!rows[i].is_changed)
			continue;
		page_text(p, " (was ");
		add_percent(p, rows[i].before);
		page_text(p, ")");
	}
	out_char(p->out, '\n');
	label_write(r, label);
	page_flush(p, PAINT_NONE, label, strlen(label) + GAP_COLUMNS);
}
