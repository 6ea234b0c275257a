/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "analyze/call_graph.h"
#include "base/num.h"
#include "base/path.h"
#include "base/system.h"

#define WHAT "listing functions"

/* A line of a function, as pprof tells them apart. */
struct spot {
	uint32_t function;
	struct str file;
	uint32_t line;
	int64_t flat;
	int64_t cum;
	uint32_t seen; /* number of the last stack, from 1 */
};

struct build {
	struct listings *l;
	const struct profile *p;
	struct arena scratch;
	struct spot *spots;
	uint32_t *spot_of; /* by frame, from 1; 0 not wanted */
	size_t spot_count;
};

static bool no_memory(const struct build *b, struct error *err)
{
	return arena_fail(b->l->arena.is_over_limit ? &b->l->arena
						    : &b->scratch,
			  WHAT, err);
}

/* Paths are told apart, and shown, without "." and "x/..". */
static bool clean_file(struct build *b, uint32_t function, struct str *file,
		       struct error *err)
{
	struct buf path;
	bool is_done;

	*file = function_file(b->p, function);
	if (!file->len)
		return true;
	buf_init(&path, LIMIT_STRING_BYTES + 1);
	path_clean(*file, &path);
	is_done = buf_check(&path, WHAT, err);
	*file = buf_str(&path);
	*file = arena_printf(&b->l->arena, "%.*s", STR_ARGS(*file));
	buf_release(&path);
	return is_done && (file->ptr || no_memory(b, err));
}

/* Frames come by function and line: equal ones are neighbours. */
static bool spots_make(struct build *b, struct regex *symbol, struct error *err)
{
	const struct profile *p = b->p;
	struct str file = STR("");
	bool is_match = false;

	b->spots = arena_array(&b->scratch, p->frame_count, sizeof *b->spots);
	b->spot_of =
		arena_array(&b->scratch, p->frame_count, sizeof *b->spot_of);
	if (!b->spots || !b->spot_of)
		return no_memory(b, err);
	for (uint32_t i = 0; i < p->frame_count; i++) {
		const struct frame *f = &p->frames[i];
		bool is_same = i && f[-1].function == f->function;

		if (!is_same)
			is_match = false;
		if (!is_same && !p->functions[f->function].is_nameless &&
		    !regex_match(symbol, function_name(p, f->function),
				 &is_match, err))
			return false;
		if (!is_match)
			continue;
		if (!is_same && !clean_file(b, f->function, &file, err))
			return false;
		if (!is_same || f[-1].line != f->line)
			b->spots[b->spot_count++] =
				(struct spot){ .function = f->function,
					       .file = file,
					       .line = f->line };
		b->spot_of[i] = (uint32_t)b->spot_count;
	}
	return true;
}

static void stack_add(struct build *b, uint32_t index)
{
	const struct stack *s = &b->p->stacks[index];

	for (uint32_t i = 0; i < s->frame_count; i++) {
		uint32_t frame = b->p->frame_ids[s->frame_first + i];
		struct spot *spot;

		if (!b->spot_of[frame])
			continue;
		spot = &b->spots[b->spot_of[frame] - 1];
		if (spot->seen != index + 1)
			spot->cum = sat_add_i64(spot->cum, s->value);
		spot->seen = index + 1;
		if (i + 1 == s->frame_count)
			spot->flat = sat_add_i64(spot->flat, s->value);
	}
}

/* By function and file, then line; of several mappings one after another. */
static int compare_spots(const void *left, const void *right, void *data)
{
	const struct build *b = data;
	const struct spot *x = left, *y = right;
	int order = str_compare(function_name(b->p, x->function),
				function_name(b->p, y->function));

	if (!order)
		order = str_compare(x->file, y->file);
	if (!order)
		order = compare_i64(x->line, y->line);
	return order ? order : compare_i64(x->function, y->function);
}

static void line_add(struct listing *l, const struct spot *s)
{
	struct source_line *line;

	l->flat = sat_add_i64(l->flat, s->flat);
	l->cum = sat_add_i64(l->cum, s->cum);
	if (!l->line_count || l->lines[l->line_count - 1].number != s->line)
		l->lines[l->line_count++] =
			(struct source_line){ .number = s->line };
	line = &l->lines[l->line_count - 1];
	line->flat = sat_add_i64(line->flat, s->flat);
	line->cum = sat_add_i64(line->cum, s->cum);
}

static bool write_listings(struct build *b, struct error *err)
{
	struct listings *l = b->l;
	struct source_line *lines =
		arena_array(&l->arena, b->spot_count, sizeof *lines);

	l->items = arena_array(&l->arena, b->spot_count, sizeof *l->items);
	if (!lines || !l->items)
		return no_memory(b, err);
	system_sort(b->spots, b->spot_count, sizeof *b->spots, compare_spots,
		    b);
	for (size_t i = 0; i < b->spot_count; i++) {
		const struct spot *s = &b->spots[i];
		const struct listing *last =
			l->count ? &l->items[l->count - 1] : NULL;
		struct str function = function_name(b->p, s->function);

		if (!s->cum && !s->flat)
			continue;
		if (!last || !str_equal(last->function, function) ||
		    !str_equal(last->file, s->file))
			l->items[l->count++] = (struct listing){
				.function = function,
				.file = s->file,
				.lines = lines + i,
			};
		line_add(&l->items[l->count - 1], s);
	}
	return true;
}

bool listings_build(struct listings *l, const struct profile *p,
		    struct regex *symbol, struct error *err)
{
	struct build b = { .l = l, .p = p };
	bool is_done;

	arena_init(&b.scratch, LIMIT_ANALYZE_HEAP_BYTES);
	l->total = p->whole_total;
	l->unit = profile_unit(p);
	is_done = spots_make(&b, symbol, err);
	for (uint32_t i = 0; is_done && i < p->stack_count; i++)
		stack_add(&b, i);
	is_done = is_done && write_listings(&b, err);
	arena_release(&b.scratch);
	return is_done;
}
