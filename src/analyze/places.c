/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/places.h"

#include <stdlib.h>

#include "base/num.h"

/* A frame of the profile with what its stacks are worth. */
struct place {
	struct str name;
	struct str file;
	uint32_t line;
	int64_t value;
};

/* By name, the hottest line of a name first. */
static int compare_places(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	int order = str_compare(a->name, b->name);

	if (!order)
		order = compare_i64(b->value, a->value);
	if (!order)
		order = str_compare(a->file, b->file);
	return order ? order : compare_u64(a->line, b->line);
}

static void add_values(const struct profile *p, struct place *places)
{
	for (uint32_t i = 0; i < p->stack_count; i++) {
		const struct stack *s = &p->stacks[i];

		for (uint32_t f = 0; f < s->frame_count; f++) {
			uint32_t id = p->frame_ids[s->frame_first + f];

			places[id].value =
				sat_add_i64(places[id].value, s->value);
		}
	}
}

static void list_places(const struct profile *p, struct place *places)
{
	for (uint32_t i = 0; i < p->frame_count; i++) {
		uint32_t function = p->frames[i].function;

		places[i] = (struct place){ .name = function_name(p, function),
					    .file = function_file(p, function),
					    .line = p->frames[i].line };
	}
}

static const struct place *find_place(const struct place *places, size_t count,
				      struct str name)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (str_compare(places[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && str_equal(places[low].name, name) ? &places[low]
								: NULL;
}

static bool take_place(struct result *result, struct function_row *row,
		       const struct place *place, bool with_lines,
		       struct error *err)
{
	if (!place || !place->file.len)
		return true;
	row->file = arena_str(&result->arena, place->file);
	row->line = with_lines ? place->line : 0;
	return row->file.ptr || arena_fail(&result->arena, "the answer", err);
}

bool rows_add_places(struct result *result, const struct profile *p,
		     bool with_lines, struct error *err)
{
	struct arena scratch;
	struct place *places;
	bool done = true;

	arena_init(&scratch, LIMIT_ANALYZE_HEAP_BYTES);
	places = arena_array(&scratch, p->frame_count, sizeof *places);
	if (!places) {
		done = arena_fail(&scratch, "places of functions", err);
		goto out;
	}
	list_places(p, places);
	add_values(p, places);
	qsort(places, p->frame_count, sizeof *places, compare_places);
	for (size_t i = 0; done && i < result->function_count; i++) {
		struct function_row *row = &result->functions[i];

		if (!row->file.len)
			done = take_place(
				result, row,
				find_place(places, p->frame_count, row->name),
				with_lines, err);
	}
out:
	arena_release(&scratch);
	return done;
}
