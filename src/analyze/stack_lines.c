/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "analyze/profile_analysis.h"
#include "base/escape.h"
#include "base/map.h"
#include "base/num.h"
#include "base/system.h"

/* A stack as numbers that order as its names do. */
struct line {
	const uint32_t *ranks;
	uint32_t count;
	int64_t before;
	int64_t after;
};

struct lines {
	struct arena *arena; /* of the answer */
	struct arena *scratch;
	struct map map; /* escaped name -> index of names */
	struct str *names;
	size_t name_count;
	size_t name_cap;
	uint32_t *rank_of_name;
	struct line *items;
	size_t count;
};

static bool no_memory(const struct arena *arena, struct error *err)
{
	return arena_fail(arena, "adding up stacks", err);
}

/* ---- names ---- */

static bool name_intern(struct lines *l, struct str name, uint32_t *id,
			struct error *err)
{
	struct str copy;

	*id = map_find(&l->map, name);
	if (*id != MAP_NONE)
		return true;
	copy = arena_str(l->arena, name);
	if (!copy.ptr)
		return no_memory(l->arena, err);
	if (!arena_reserve(l->scratch, (void **)&l->names, &l->name_cap,
			   l->name_count + 1, sizeof *l->names) ||
	    !map_insert(&l->map, copy, (uint32_t)l->name_count, id))
		return no_memory(l->scratch, err);
	l->names[l->name_count++] = copy;
	return true;
}

/* Name of each function of the profile, as a folded line shows it. */
static bool names_add(struct lines *l, const struct profile *p,
		      uint32_t **name_ids, struct error *err)
{
	struct buf text;
	struct out out;
	bool is_done = true;

	*name_ids =
		arena_array(l->scratch, p->function_count, sizeof **name_ids);
	if (!*name_ids)
		return no_memory(l->scratch, err);
	/* An escape is at most three times as long: U+FFFD for a byte. */
	buf_init(&text, 4 * LIMIT_STRING_BYTES);
	out_init_memory(&out, &text);
	for (uint32_t f = 0; is_done && f < p->function_count; f++) {
		buf_clear(&text);
		escape_folded(&out, function_name(p, f));
		is_done = buf_check(&text, "a function name", err) &&
			  name_intern(l, buf_str(&text), &(*name_ids)[f], err);
	}
	out_release(&out);
	buf_release(&text);
	return is_done;
}

static int compare_names(const void *left, const void *right, void *data)
{
	const struct str *names = ((const struct lines *)data)->names;

	return str_compare(names[*(const uint32_t *)left],
			   names[*(const uint32_t *)right]);
}

/* Puts names into order; ranks then compare as names do. */
static bool names_rank(struct lines *l, struct error *err)
{
	uint32_t *order = arena_array(l->scratch, l->name_count, sizeof *order);
	struct str *sorted =
		arena_array(l->scratch, l->name_count, sizeof *sorted);

	l->rank_of_name =
		arena_array(l->scratch, l->name_count, sizeof *l->rank_of_name);
	if (!order || !sorted || !l->rank_of_name)
		return no_memory(l->scratch, err);
	for (uint32_t i = 0; i < l->name_count; i++)
		order[i] = i;
	system_sort(order, l->name_count, sizeof *order, compare_names, l);
	for (uint32_t i = 0; i < l->name_count; i++) {
		l->rank_of_name[order[i]] = i;
		sorted[i] = l->names[order[i]];
	}
	l->names = sorted;
	return true;
}

/* ---- lines ---- */

static bool stacks_add(struct lines *l, const struct profile *p,
		       const uint32_t *name_ids, bool is_baseline,
		       struct error *err)
{
	uint32_t *ranks =
		arena_array(l->scratch, p->frame_id_count, sizeof *ranks);

	if (!ranks)
		return no_memory(l->scratch, err);
	for (uint32_t i = 0; i < p->stack_count; i++) {
		const struct stack *stack = &p->stacks[i];
		const uint32_t *ids = &p->frame_ids[stack->frame_first];
		struct line *line = &l->items[l->count++];

		for (uint32_t k = 0; k < stack->frame_count; k++) {
			uint32_t function = p->frames[ids[k]].function;

			ranks[k] = l->rank_of_name[name_ids[function]];
		}
		line->ranks = ranks;
		line->count = stack->frame_count;
		ranks += stack->frame_count;
		line->before = is_baseline ? stack->value : 0;
		line->after = is_baseline ? 0 : stack->value;
	}
	return true;
}

static int compare_lines(const void *left, const void *right)
{
	const struct line *a = left, *b = right;

	for (uint32_t i = 0; i < a->count && i < b->count; i++)
		if (a->ranks[i] != b->ranks[i])
			return compare_i64(a->ranks[i], b->ranks[i]);
	return compare_i64(a->count, b->count);
}

/* Adds up equal neighbours of the sorted lines; lines that cancel out are
 * dropped. */
static void lines_merge(struct lines *l)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->count; i++) {
		struct line *last = kept ? &l->items[kept - 1] : NULL;

		if (!last || compare_lines(last, &l->items[i])) {
			l->items[kept++] = l->items[i];
			continue;
		}
		last->before = sat_add_i64(last->before, l->items[i].before);
		last->after = sat_add_i64(last->after, l->items[i].after);
	}
	l->count = 0;
	for (size_t i = 0; i < kept; i++)
		if (l->items[i].before || l->items[i].after)
			l->items[l->count++] = l->items[i];
}

static bool lines_write(const struct lines *l, struct stack_line **lines,
			size_t *count, struct error *err)
{
	size_t total = 0;
	struct str *names;

	for (size_t i = 0; i < l->count; i++)
		total += l->items[i].count;
	*lines = arena_array(l->arena, l->count, sizeof **lines);
	names = arena_array(l->arena, total, sizeof *names);
	if (!*lines || !names)
		return no_memory(l->arena, err);
	for (size_t i = 0; i < l->count; i++) {
		const struct line *item = &l->items[i];

		(*lines)[i] = (struct stack_line){ names, item->count,
						   item->before, item->after };
		for (uint32_t k = 0; k < item->count; k++)
			*names++ = l->names[item->ranks[k]];
	}
	*count = l->count;
	return true;
}

static bool lines_build(struct lines *l, const struct profile *slow,
			const struct profile *baseline, struct error *err)
{
	size_t stack_count = slow->stack_count;
	uint32_t *slow_names, *baseline_names = NULL;

	if (baseline)
		stack_count += baseline->stack_count;
	map_init(&l->map, l->scratch);
	l->items = arena_array(l->scratch, stack_count, sizeof *l->items);
	if (!l->items)
		return no_memory(l->scratch, err);
	if (!names_add(l, slow, &slow_names, err) ||
	    (baseline && !names_add(l, baseline, &baseline_names, err)) ||
	    !names_rank(l, err) ||
	    !stacks_add(l, slow, slow_names, false, err) ||
	    (baseline && !stacks_add(l, baseline, baseline_names, true, err)))
		return false;
	qsort(l->items, l->count, sizeof *l->items, compare_lines);
	lines_merge(l);
	return true;
}

bool stack_lines_build(const struct profile *slow,
		       const struct profile *baseline, struct arena *arena,
		       struct stack_line **lines, size_t *count,
		       struct error *err)
{
	struct arena scratch;
	struct lines l = { .arena = arena, .scratch = &scratch };
	bool is_done;

	arena_init(&scratch, LIMIT_ANALYZE_HEAP_BYTES);
	is_done = lines_build(&l, slow, baseline, err) &&
		  lines_write(&l, lines, count, err);
	arena_release(&scratch);
	return is_done;
}
