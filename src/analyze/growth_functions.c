/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/growth_functions.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/function_totals.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"
#include "model/profile_merge.h"

#define BLOCKS GROWTH_BLOCKS
#define THIRD 3u /* blocks of the first third, and of the last */

struct growth_functions {
	struct growth_blocks want;
	struct arena arena;
	/* The first and the last thirds of all processes. */
	struct profile early;
	struct profile late;
	struct func_table table;
	double *values; /* by function and block: a snapshot's */
	uint32_t *ids;  /* entries of what was found */
};

static size_t block_count(const struct growth_functions *s)
{
	return s->want.process_count * BLOCKS;
}

/* ---- functions ---- */

static bool merge_thirds(struct growth_functions *s, struct error *err)
{
	const struct profile *early[GROWTH_PROCESSES * THIRD];
	const struct profile *late[GROWTH_PROCESSES * THIRD];
	struct notes *notes = s->want.notes;
	size_t n = 0;

	for (size_t i = 0; i < s->want.process_count; i++)
		for (size_t k = 0; k < THIRD; k++) {
			early[n] = &s->want.profiles[i * BLOCKS + k];
			late[n++] =
				&s->want.profiles[i * BLOCKS + BLOCKS - 1 - k];
		}
	return profile_merge(&s->early, early, n, notes, err) &&
	       profile_merge(&s->late, late, n, notes, err);
}

/* A snapshot's bytes of each function that stacks are charged to: its share of
 * the slice of what the process held then. */
static bool add_slice(struct growth_functions *s, size_t at, struct error *err)
{
	const struct profile *p = &s->want.profiles[at];
	const struct growth_segment *g = &s->want.segments[at / BLOCKS];
	struct func_side side = { .profile = p };
	double scale;

	if (p->total <= 0)
		return true;
	scale = g->values[at % BLOCKS] / (double)p->total;
	if (!func_side_bind(&s->table, &side, err))
		return false;
	for (uint32_t i = 0; i < p->stack_count; i++) {
		const struct stack *stack = &p->stacks[i];
		uint32_t id = side.entries[func_side_owner(&side, stack)];

		if (id != ENTRY_NONE)
			s->values[id * block_count(s) + at] +=
				scale * (double)stack->value;
	}
	return true;
}

static bool add_slices(struct growth_functions *s, struct error *err)
{
	s->values = arena_array(&s->arena, s->table.count * block_count(s) + 1,
				sizeof *s->values);
	if (!s->values)
		return arena_fail(&s->arena, "functions", err);
	for (size_t at = 0; at < block_count(s); at++)
		if (!add_slice(s, at, err))
			return false;
	return true;
}

static void judge_function(const struct growth_functions *s, uint32_t id,
			   struct growth *out)
{
	const double *values = s->values + id * block_count(s);
	struct growth_segment own[GROWTH_PROCESSES];

	for (size_t i = 0; i < s->want.process_count; i++) {
		own[i] = s->want.segments[i];
		memcpy(own[i].values, values + i * BLOCKS,
		       sizeof own[i].values);
	}
	growth_judge(own, s->want.process_count, s->want.least, out);
}

struct candidate {
	uint32_t id;
	struct growth growth;
	struct str key;
};

static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	int order = compare_f64(y->growth.end - y->growth.start,
				x->growth.end - x->growth.start);

	return order ? order : str_compare(x->key, y->key);
}

/* Those that grew most; what holds nothing is none. */
static bool choose_functions(struct growth_functions *s, struct candidate **out,
			     size_t *count, struct error *err)
{
	const struct func_table *t = &s->table;
	struct candidate *all =
		arena_array(&s->arena, t->count + 1, sizeof *all);
	size_t n = 0;

	if (!all)
		return arena_fail(&s->arena, "functions", err);
	for (uint32_t i = 0; i < t->count; i++) {
		struct candidate *c = &all[n];

		c->id = i;
		c->key = t->entries[i].key;
		judge_function(s, i, &c->growth);
		n += c->growth.start > 0 || c->growth.end > 0;
	}
	if (n)
		qsort(all, n, sizeof *all, compare_candidates);
	*out = all;
	*count = min_size(n, GROWTH_FUNCTIONS);
	return true;
}

/* Texts of the profiles go with them. */
static bool keep_function(const struct growth_functions *s,
			  const struct candidate *c, struct growth_function *f,
			  struct error *err)
{
	const struct func_entry *e = &s->table.entries[c->id];
	struct arena *arena = s->want.keep;

	f->growth = c->growth;
	f->line = e->line;
	f->name = arena_str(arena, e->name);
	if (e->file.len)
		f->file = arena_str(arena, e->file);
	return (f->name.ptr && (!e->file.len || f->file.ptr)) ||
	       arena_fail(arena, "functions", err);
}

static bool settle(struct growth_functions *s, const struct candidate *found,
		   size_t count, struct growth_function *list,
		   struct error *err)
{
	struct growth growths[GROWTH_FUNCTIONS];
	double scratch[2 * GROWTH_FUNCTIONS];
	size_t order[GROWTH_FUNCTIONS];

	s->ids = arena_array(&s->arena, count + 1, sizeof *s->ids);
	if (!s->ids)
		return arena_fail(&s->arena, "functions", err);
	for (size_t i = 0; i < count; i++)
		growths[i] = found[i].growth;
	growth_settle(growths, count, s->want.most_q, scratch, order);
	for (size_t i = 0; i < count; i++) {
		list[i] = (struct growth_function){ .line = 0 };
		s->ids[i] = found[i].id;
		if (!keep_function(s, &found[i], &list[i], err))
			return false;
		list[i].growth = growths[i];
	}
	return true;
}

/* ---- which way ---- */

static void stack_names(const struct func_side *side, const struct stack *stack,
			struct buf *out)
{
	buf_clear(out);
	for (uint32_t i = 0; i < stack->frame_count; i++) {
		uint32_t function = func_side_function(side, stack, i);

		buf_add_str(out, function_name(side->profile, function));
		buf_add_char(out, '\n');
	}
}

/* What the function's stacks held in the first thirds, by their names. */
static bool early_stacks(struct growth_functions *s, uint32_t id,
			 struct map *known, double *values, struct error *err)
{
	const struct func_side *side = &s->table.sides[SIDE_BASELINE];
	const struct profile *p = &s->early;
	struct buf names;
	bool done = true;

	buf_init(&names, LIMIT_PAGE_TEXT_BYTES);
	for (uint32_t i = 0; done && i < p->stack_count; i++) {
		const struct stack *stack = &p->stacks[i];
		struct str key;
		uint32_t at;

		if (side->entries[func_side_owner(side, stack)] != id)
			continue;
		stack_names(side, stack, &names);
		key = arena_str(&s->arena, buf_str(&names));
		done = (key.ptr && map_insert(known, key, i, &at)) ||
		       arena_fail(&s->arena, "stacks", err);
		if (done)
			values[at] += (double)stack->value;
	}
	buf_release(&names);
	return done;
}

/* What the processes held in a third of their blocks, by what the profiles of
 * those add up to. */
static double third_scale(const struct growth_functions *s,
			  const struct profile *p, bool is_late)
{
	size_t from = is_late ? BLOCKS - THIRD : 0;
	double held = 0;

	for (size_t i = 0; i < s->want.process_count; i++)
		for (size_t k = from; k < from + THIRD; k++)
			held += s->want.segments[i].values[k];
	return p->total > 0 ? held / (double)p->total : 0;
}

/* The stack of the function that grew most. */
static bool find_stack(struct growth_functions *s, uint32_t id,
		       const struct stack **grown, struct error *err)
{
	const struct func_side *side = &s->table.sides[SIDE_SLOW];
	double *values = arena_array(&s->arena, s->early.stack_count + 1,
				     sizeof *values);
	double early = third_scale(s, &s->early, false), best = 0;
	double late = third_scale(s, &s->late, true);
	struct map known;
	struct buf names;

	*grown = NULL;
	map_init(&known, &s->arena);
	if (!values)
		return arena_fail(&s->arena, "stacks", err);
	if (!early_stacks(s, id, &known, values, err))
		return false;
	buf_init(&names, LIMIT_PAGE_TEXT_BYTES);
	for (uint32_t i = 0; i < s->late.stack_count; i++) {
		const struct stack *stack = &s->late.stacks[i];
		double growth = late * (double)stack->value;
		uint32_t at;

		if (side->entries[func_side_owner(side, stack)] != id)
			continue;
		stack_names(side, stack, &names);
		at = map_find(&known, buf_str(&names));
		if (at != MAP_NONE)
			growth -= early * values[at];
		if (growth > best) {
			best = growth;
			*grown = stack;
		}
	}
	buf_release(&names);
	return true;
}

static bool find_path(struct growth_functions *s, uint32_t id,
		      struct growth_function *f, struct error *err)
{
	const struct func_side *side = &s->table.sides[SIDE_SLOW];
	struct arena *arena = s->want.keep;
	const struct stack *grown;
	struct buf path;

	if (!find_stack(s, id, &grown, err))
		return false;
	if (!grown)
		return true;
	buf_init(&path, LIMIT_PAGE_TEXT_BYTES);
	for (uint32_t i = 0; i < grown->frame_count; i++) {
		uint32_t function = func_side_function(side, grown, i);

		buf_add_text(&path, i ? " > " : "");
		buf_add_str(&path, function_name(&s->late, function));
	}
	f->path = arena_str(arena, buf_str(&path));
	buf_release(&path);
	return f->path.ptr || arena_fail(arena, "a path", err);
}

/* ---- all of it ---- */

struct growth_functions *growth_functions_new(const struct growth_blocks *want,
					      struct error *err)
{
	struct growth_functions *s = mem_calloc(1, sizeof *s);

	if (!s) {
		error_memory(err, "functions");
		return NULL;
	}
	s->want = *want;
	arena_init(&s->arena, LIMIT_ANALYZE_HEAP_BYTES);
	profile_init(&s->early);
	profile_init(&s->late);
	return s;
}

void growth_functions_free(struct growth_functions *s)
{
	if (!s)
		return;
	profile_release(&s->early);
	profile_release(&s->late);
	arena_release(&s->arena);
	mem_free(s);
}

static bool explain_first(struct growth_functions *s,
			  struct growth_function *list, size_t count,
			  struct error *err)
{
	for (size_t i = 0; i < count; i++)
		if (list[i].growth.kind == GROWTH_ENDLESS)
			return find_path(s, s->ids[i], &list[i], err);
	return true;
}

bool growth_functions_find(struct growth_functions *s,
			   struct growth_function list[GROWTH_FUNCTIONS],
			   size_t *count, struct error *err)
{
	struct candidate *found = NULL;

	return merge_thirds(s, err) &&
	       func_table_build(&s->table, &s->arena, &s->late, &s->early,
				s->want.rules, false, err) &&
	       add_slices(s, err) && choose_functions(s, &found, count, err) &&
	       settle(s, found, *count, list, err) &&
	       explain_first(s, list, *count, err);
}

bool growth_functions_value(const struct growth_functions *s, size_t index,
			    const struct profile *p, double *out,
			    struct error *err)
{
	struct func_side side = { .profile = p };
	uint32_t id = s->ids[index];

	*out = 0;
	if (!func_side_bind(&s->table, &side, err))
		return false;
	for (uint32_t i = 0; i < p->stack_count; i++)
		if (side.entries[func_side_owner(&side, &p->stacks[i])] == id)
			*out += (double)p->stacks[i].value;
	return true;
}
