/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/growth.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/function_table.h"
#include "analyze/stats.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"
#include "model/profile.h"

#define BLOCKS GROWTH_BLOCKS
#define PAIRS (BLOCKS * (BLOCKS - 1) / 2)
/* Thirds of eight blocks. */
#define FIRST_END 3u
#define LAST_BEGIN 5u

/* A filling cache whose time constant is half the window has 0.48 at its end,
 * one that fills more slowly cannot be told from a leak within the window. */
#define LATE_SHARE_LEAST 0.5

/* A load that grew by less explains nothing. */
#define LOAD_GROWTH_LEAST 0.1
/* Growth with the load is at most proportional to it if there is a constant
 * part; caches and queues may lag behind a varying load. */
#define LOAD_ELASTICITY 1.5

/* Variance of Kendall's S without ties, which only make it smaller. */
static double variance_of_s(void)
{
	double n = BLOCKS;

	return n * (n - 1) * (2 * n + 5) / 18;
}

static double values_mean(const double *values, size_t from, size_t to)
{
	double sum = 0;

	for (size_t i = from; i < to; i++)
		sum += values[i];
	return sum / (double)(to - from);
}

/* ---- slopes ---- */

static size_t add_slopes(const double *hours, const double *values, size_t from,
			 double *out)
{
	size_t n = 0;

	for (size_t i = from; i < BLOCKS; i++)
		for (size_t j = i + 1; j < BLOCKS; j++)
			if (hours[j] > hours[i])
				out[n++] = (values[j] - values[i]) /
					   (hours[j] - hours[i]);
	return n;
}

/* Ranks as far from the middle as the variance of S says (Sen). */
static void find_slope(const struct growth_segment *s, size_t count,
		       struct growth *out)
{
	double slopes[GROWTH_SEGMENTS_MAX * PAIRS];
	double off = normal_two_sided_quantile(0.05) *
		     sqrt(variance_of_s() * (double)count);
	size_t n = 0;
	double low, high;

	for (size_t i = 0; i < count; i++)
		n += add_slopes(s[i].hours, s[i].values, 0, slopes + n);
	if (!n)
		return;
	out->per_hour = stats_median(slopes, n);
	low = ((double)n - off) / 2 - 1;
	high = ((double)n + off) / 2;
	out->low = slopes[low > 0 ? (size_t)low : 0];
	out->high = slopes[high < (double)(n - 1) ? (size_t)high : n - 1];
}

/* ---- conditions ---- */

/* All segments as one, block by block. */
static void mean_segment(const struct growth_segment *s, size_t count,
			 struct growth_segment *out)
{
	memset(out, 0, sizeof *out);
	out->has_load = true;
	for (size_t i = 0; i < count; i++) {
		out->has_load &= s[i].has_load;
		for (size_t k = 0; k < BLOCKS; k++) {
			double n = (double)count;

			out->hours[k] += (s[i].hours[k] - s[i].hours[0]) / n;
			out->values[k] += s[i].values[k] / n;
			out->load[k] += s[i].load[k] / n;
		}
	}
}

static enum growth_kind find_kind(const struct growth_segment *all,
				  const struct growth *g, double least)
{
	double middle = values_mean(all->values, FIRST_END, LAST_BEGIN);
	double load_middle = values_mean(all->load, FIRST_END, LAST_BEGIN);
	double load_end = values_mean(all->load, LAST_BEGIN, BLOCKS);

	if (g->end - g->start < least)
		return GROWTH_SMALL;
	/* Each third has to lie above the one before. */
	if (g->rising < g->segment_count || !(g->start < middle) ||
	    !(middle < g->end))
		return GROWTH_UNEVEN;
	if (g->late_share < LATE_SHARE_LEAST)
		return GROWTH_LEVELS_OFF;
	/* A load that rose over the window, by enough. */
	return g->load_growth >= LOAD_GROWTH_LEAST &&
			       load_end > load_middle * 0.95 &&
			       g->end - g->start <= LOAD_ELASTICITY *
							    g->load_growth *
							    g->start
		       ? GROWTH_WITH_LOAD
		       : GROWTH_ENDLESS;
}

void growth_judge(const struct growth_segment *s, size_t count, double least,
		  struct growth *out)
{
	struct growth_segment all;
	double slopes[PAIRS], z, load;
	int total_s = 0;
	size_t n;

	*out = (struct growth){ .p = 1, .q = 1 };
	if (count > GROWTH_SEGMENTS_MAX)
		count = GROWTH_SEGMENTS_MAX;
	if (!count)
		return;
	out->segment_count = count;
	for (size_t i = 0; i < count; i++) {
		const double *values = s[i].values;
		int kendall_s = 0;

		for (size_t a = 0; a < BLOCKS; a++)
			for (size_t b = a + 1; b < BLOCKS; b++)
				kendall_s += compare_f64(values[b], values[a]);
		total_s += kendall_s;
		out->rising += kendall_s > 0;
	}
	z = (total_s - (total_s > 0)) / sqrt(variance_of_s() * (double)count);
	out->p = z > 0 ? normal_two_sided(z) / 2 : 1;
	mean_segment(s, count, &all);
	find_slope(s, count, out);
	out->start = values_mean(all.values, 0, FIRST_END);
	out->end = values_mean(all.values, LAST_BEGIN, BLOCKS);
	n = add_slopes(all.hours, all.values, LAST_BEGIN, slopes);
	if (n && out->per_hour > 0)
		out->late_share = stats_median(slopes, n) / out->per_hour;
	load = values_mean(all.load, 0, FIRST_END);
	if (all.has_load && load > 0)
		out->load_growth =
			(values_mean(all.load, LAST_BEGIN, BLOCKS) - load) /
			load;
	out->kind = find_kind(&all, out, least);
}

void growth_settle(struct growth *list, size_t count, double most_q,
		   double *scratch, size_t *order)
{
	double *q = scratch + count;
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		if (list[i].kind != GROWTH_SMALL)
			scratch[n++] = list[i].p;
	false_discovery_adjust(scratch, q, order, n);
	n = 0;
	for (size_t i = 0; i < count; i++) {
		bool is_tested = list[i].kind != GROWTH_SMALL;

		list[i].q = is_tested ? q[n] : list[i].p;
		if (list[i].q > most_q)
			list[i].kind = GROWTH_NONE;
		n += is_tested;
	}
}

/* Which functions hold more and more: growth.h for each function that stacks
 * are charged to, from the profiles of the blocks of some processes, and the
 * way to what grew. Pure. */

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

/* ---- functions ---- */

/* Processes of one question, whose profiles add up to its two thirds. */
#define GROWTH_PROCESSES 4u

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
static bool slices_add(struct growth_functions *s, struct error *err)
{
	size_t count = s->want.process_count * BLOCKS;

	s->values = arena_array(&s->arena, s->table.count * count + 1,
				sizeof *s->values);
	if (!s->values)
		return arena_fail(&s->arena, "functions", err);
	for (size_t at = 0; at < count; at++) {
		const struct profile *p = &s->want.profiles[at];
		const struct growth_segment *g = &s->want.segments[at / BLOCKS];
		struct func_side side = { .profile = p };
		double scale;

		if (p->total <= 0)
			continue;
		scale = g->values[at % BLOCKS] / (double)p->total;
		if (!func_side_bind(&s->table, &side, err))
			return false;
		for (uint32_t i = 0; i < p->stack_count; i++) {
			const struct stack *stack = &p->stacks[i];
			uint32_t id =
				side.entries[func_side_owner(&side, stack)];

			if (id != ENTRY_NONE)
				s->values[id * count + at] +=
					scale * (double)stack->value;
		}
	}
	return true;
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
	struct growth_segment own[GROWTH_PROCESSES];
	size_t processes = s->want.process_count, n = 0;

	if (!all)
		return arena_fail(&s->arena, "functions", err);
	for (uint32_t i = 0; i < t->count; i++) {
		const double *values = s->values + i * processes * BLOCKS;
		struct candidate *c = &all[n];

		c->id = i;
		c->key = t->entries[i].key;
		for (size_t k = 0; k < processes; k++) {
			own[k] = s->want.segments[k];
			memcpy(own[k].values, values + k * BLOCKS,
			       sizeof own[k].values);
		}
		growth_judge(own, processes, s->want.least, &c->growth);
		n += c->growth.start > 0 || c->growth.end > 0;
	}
	if (n)
		qsort(all, n, sizeof *all, compare_candidates);
	*out = all;
	*count = min_size(n, GROWTH_FUNCTIONS);
	return true;
}

static bool settle_functions(struct growth_functions *s,
			     const struct candidate *found, size_t count,
			     struct growth_function *list, struct error *err)
{
	struct growth growths[GROWTH_FUNCTIONS];
	double scratch[2 * GROWTH_FUNCTIONS];
	size_t order[GROWTH_FUNCTIONS];
	struct arena *arena = s->want.keep;

	s->ids = arena_array(&s->arena, count + 1, sizeof *s->ids);
	if (!s->ids)
		return arena_fail(&s->arena, "functions", err);
	for (size_t i = 0; i < count; i++)
		growths[i] = found[i].growth;
	growth_settle(growths, count, s->want.most_q, scratch, order);
	for (size_t i = 0; i < count; i++) {
		const struct func_entry *e = &s->table.entries[found[i].id];
		struct growth_function *f = &list[i];

		s->ids[i] = found[i].id;
		/* Texts of the profiles go with them. */
		*f = (struct growth_function){
			.growth = growths[i],
			.line = e->line,
			.name = arena_str(arena, e->name),
		};
		if (e->file.len)
			f->file = arena_str(arena, e->file);
		if (!f->name.ptr || (e->file.len && !f->file.ptr))
			return arena_fail(arena, "functions", err);
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

/* Finds the values of the function's stacks in the first thirds, by name. */
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

/* Returns the scale of a third: the memory of the processes in its intervals,
 * relative to the sum of their profiles. */
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

bool growth_functions_find(struct growth_functions *s,
			   struct growth_function list[GROWTH_FUNCTIONS],
			   size_t *count, struct error *err)
{
	struct candidate *found = NULL;

	if (!merge_thirds(s, err) ||
	    !func_table_build(&s->table, &s->arena, &s->late, &s->early,
			      s->want.rules, FUNC_NAMES_MATCHED, err) ||
	    !slices_add(s, err) || !choose_functions(s, &found, count, err) ||
	    !settle_functions(s, found, *count, list, err))
		return false;
	for (size_t i = 0; i < *count; i++)
		if (list[i].growth.kind == GROWTH_ENDLESS)
			return find_path(s, s->ids[i], &list[i], err);
	return true;
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
