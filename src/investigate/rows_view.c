/* SPDX-License-Identifier: Apache-2.0 */
#include "investigate/rows_view.h"

static bool keep_text(struct arena *arena, struct str *text)
{
	if (text->len)
		*text = arena_str(arena, *text);
	return !text->len || text->ptr;
}

/* The texts of rows, and the unit, lie in the profiles, which are about to
 * go. */
static bool keep_rows(struct result *result, struct error *err)
{
	struct arena *arena = &result->arena;

	result->table = NULL;
	if (!keep_text(arena, &result->profile.unit) ||
	    !keep_text(arena, &result->source_root))
		return arena_fail(arena, "the unit", err);
	for (size_t i = 0; i < result_listed(result); i++) {
		struct function_row *row = &result->functions[i];

		if (!keep_text(arena, &row->name) ||
		    !keep_text(arena, &row->file) ||
		    !keep_text(arena, &row->leaf) ||
		    !keep_text(arena, &row->through))
			return arena_fail(arena, "the rows", err);
	}
	return true;
}

bool rows_view_begin(struct investigation *v, size_t note_count,
		     struct kept_verdict *kept, struct error *err)
{
	struct result *result = v->result;

	*kept = (struct kept_verdict){ result->categories,
				       result->baseline_categories };
	result->verdict_rows = result->functions;
	result->verdict_count = result->function_count;
	result->notes.count = note_count;
	result->has_locations_in_names =
		v->question->view.granularity != GRANULARITY_FUNCTION;
	return keep_rows(result, err);
}

void rows_view_end(struct investigation *v, const struct kept_verdict *kept)
{
	v->result->categories = kept->categories;
	v->result->baseline_categories = kept->baseline_categories;
}

void rows_view_empty(struct investigation *v)
{
	struct result *result = v->result;

	result->function_count = result->function_total = 0;
	result->function_listed = 0;
	result->noise_count = 0;
	result->rank_facts = NULL;
	investigation_note(v, (struct note){ NOTE_NOTHING_MATCHES });
}
