/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/flame.h"

#include <stdlib.h>

#include "analyze/category_share.h"
#include "analyze/code_kind.h"
#include "analyze/diff.h"
#include "analyze/function_table.h"
#include "base/map.h"
#include "base/num.h"
#include "base/system.h"

#define WHAT "the flame graph"

_Static_assert((int)SIDE_SLOW == (int)FLAME_SLOW &&
		       (int)SIDE_BASELINE == (int)FLAME_BASELINE,
	       "sides are the same in both");

/* A node while stacks are added: children later than their parent, else in
 * any order. */
struct growing {
	uint32_t parent;
	uint32_t entry;
	uint32_t first_child; /* FLAME_NONE: none */
	uint32_t next_sibling;
	uint32_t place; /* in the answer */
	struct flame_values values[FLAME_SIDES];
};

struct stack_frames {
	const uint32_t *frames;
	uint32_t count;
	uint32_t shared; /* the first ones, with the stack before */
};

struct build {
	struct flame *f;
	const struct flame_want *want;
	struct arena scratch;
	const struct func_table *t;
	struct map map; /* (parent, entry) -> node */
	struct growing *nodes;
	size_t count;
	size_t cap;
	uint32_t *order; /* entries by name */
	/* The entries and nodes of the previous stack: neighbours have their
	 * first frames in common. */
	uint32_t *path_entries;
	uint32_t *path_nodes;
	uint32_t path_length;
	uint32_t *frame_entries; /* by frame of the side */
	bool is_ordered;         /* equal paths come one after another */
};

static bool no_memory(const struct build *b, struct error *err)
{
	return arena_fail(b->f->arena.is_over_limit ? &b->f->arena
						    : &b->scratch,
			  WHAT, err);
}

/* ---- growing ---- */

/* FLAME_NONE in *node when there is no room for another. Of stacks in order
 * what is not on the path is nowhere. */
static bool node_at(struct build *b, uint32_t parent, uint32_t entry,
		    uint32_t *node, struct error *err)
{
	uint64_t key = (uint64_t)parent << 32 | entry;

	*node = b->is_ordered ? MAP_NONE : map_find_u64(&b->map, key);
	if (*node != MAP_NONE || b->count >= LIMIT_FLAME_NODES)
		return true;
	*node = (uint32_t)b->count;
	if (!b->is_ordered &&
	    !map_insert_u64(&b->map, key, (uint32_t)b->count, node))
		return no_memory(b, err);
	if (!arena_reserve(&b->scratch, (void **)&b->nodes, &b->cap,
			   b->count + 1, sizeof *b->nodes))
		return no_memory(b, err);
	b->nodes[b->count++] = (struct growing){ .parent = parent,
						 .entry = entry,
						 .first_child = FLAME_NONE,
						 .next_sibling = FLAME_NONE };
	return true;
}

_Static_assert(FLAME_NONE == MAP_NONE, "what is not found is no node");

/* The node that the stack ends in. The first `shared` frames are those of the
 * stack before. */
static bool stack_walk(struct build *b, const struct stack_frames *stack,
		       uint32_t *end, struct error *err)
{
	uint32_t known = b->path_length;
	uint32_t i = stack->shared < known ? stack->shared : known;

	*end = i ? b->path_nodes[i - 1] : 0;
	for (; i < stack->count; i++) {
		uint32_t from = b->want->is_reversed ? stack->count - 1 - i : i;
		uint32_t entry = b->frame_entries[stack->frames[from]];
		uint32_t node;

		if (i < known && b->path_entries[i] == entry) {
			*end = b->path_nodes[i];
			continue;
		}
		known = 0;
		b->path_length = i;
		if (!node_at(b, *end, entry, &node, err))
			return false;
		if (node == FLAME_NONE) {
			b->f->cut_stacks++;
			return true;
		}
		b->path_entries[i] = entry;
		b->path_nodes[i] = *end = node;
		b->path_length = i + 1;
	}
	return true;
}

static bool side_grow(struct build *b, enum diff_side s, struct error *err)
{
	const struct func_side *side = &b->t->sides[s];
	const struct profile *p = side->profile;
	struct stack_frames last = { .frames = p->frame_ids };

	b->frame_entries = arena_array(&b->scratch, p->frame_count,
				       sizeof *b->frame_entries);
	if (!b->frame_entries)
		return no_memory(b, err);
	for (uint32_t i = 0; i < p->frame_count; i++)
		b->frame_entries[i] = side->entries[p->frames[i].function];
	b->path_length = 0;
	/* Stacks are in the order of their names. Where there are two sides
	 * the second one has to find the nodes of the first. */
	b->is_ordered = !b->t->sides[SIDE_BASELINE].profile &&
			!b->want->is_reversed && !b->t->merged_count;
	for (uint32_t i = 0; i < p->stack_count; i++) {
		const struct stack *stack = &p->stacks[i];
		const uint32_t *frames = &p->frame_ids[stack->frame_first];
		uint32_t count = stack->frame_count, shared = 0, end;
		int64_t *self;

		if (stack->value < 0) {
			b->f->negative[s] =
				sat_add_i64(b->f->negative[s], stack->value);
			continue;
		}
		while (!b->want->is_reversed && shared < last.count &&
		       shared < count && last.frames[shared] == frames[shared])
			shared++;
		last = (struct stack_frames){ frames, count, shared };
		if (!stack_walk(b, &last, &end, err))
			return false;
		self = &b->nodes[end].values[s].self;
		*self = sat_add_i64(*self, stack->value);
	}
	return true;
}

static void add_totals(struct build *b)
{
	for (size_t i = b->count; i-- > 0;) {
		struct growing *n = &b->nodes[i];

		for (int s = 0; s < FLAME_SIDES; s++) {
			struct flame_values *v = &n->values[s];
			struct growing *above = &b->nodes[i ? n->parent : 0];
			int64_t *sum = &above->values[s].total;

			v->total = sat_add_i64(v->total, v->self);
			if (i)
				*sum = sat_add_i64(*sum, v->total);
		}
	}
}

/* ---- order ---- */

static int compare_names(const void *left, const void *right, void *data)
{
	const struct func_entry *entries =
		((const struct build *)data)->t->entries;
	const struct func_entry *a = &entries[*(const uint32_t *)left];
	const struct func_entry *b = &entries[*(const uint32_t *)right];
	int order = str_compare(a->name, b->name);

	return order ? order : str_compare(a->key, b->key);
}

/* Puts each node before its siblings, the last names first. */
static bool link_siblings(struct build *b, struct error *err)
{
	uint32_t *heads = arena_array(&b->scratch, b->t->count, sizeof *heads);
	uint32_t *next = arena_array(&b->scratch, b->count, sizeof *next);

	b->order = arena_array(&b->scratch, b->t->count, sizeof *b->order);
	if (!heads || !next || !b->order)
		return no_memory(b, err);
	for (uint32_t e = 0; e < b->t->count; e++)
		b->order[e] = e;
	system_sort(b->order, b->t->count, sizeof *b->order, compare_names, b);
	/* Nodes of each entry, as a list through `next` from its head. */
	for (size_t e = 0; e < b->t->count; e++)
		heads[e] = FLAME_NONE;
	for (uint32_t i = 1; i < b->count; i++) {
		next[i] = heads[b->nodes[i].entry];
		heads[b->nodes[i].entry] = i;
	}
	for (size_t k = b->t->count; k-- > 0;) {
		uint32_t i = heads[b->order[k]];

		for (; i != FLAME_NONE; i = next[i]) {
			struct growing *n = &b->nodes[i];
			uint32_t *first = &b->nodes[n->parent].first_child;

			n->next_sibling = *first;
			*first = i;
		}
	}
	return true;
}

/* Ends the node and those above it that have no more children; the next node
 * in depth-first order, or FLAME_NONE. */
static uint32_t node_climb(const struct build *b, uint32_t i)
{
	for (;;) {
		const struct growing *n = &b->nodes[i];

		b->f->nodes[n->place].end = b->f->node_count;
		if (!i)
			return FLAME_NONE;
		if (n->next_sibling != FLAME_NONE)
			return n->next_sibling;
		i = n->parent;
	}
}

static bool write_nodes(struct build *b, struct error *err)
{
	struct flame *f = b->f;

	f->nodes = arena_array(&f->arena, b->count, sizeof *f->nodes);
	if (!f->nodes)
		return no_memory(b, err);
	for (uint32_t i = 0; i != FLAME_NONE;) {
		struct growing *from = &b->nodes[i];
		struct flame_node *n = &f->nodes[f->node_count];

		/* Functions of the answer: the root's, then the entries. */
		*n = (struct flame_node){ .function = i ? from->entry + 1 : 0,
					  .parent = FLAME_NONE };
		from->place = f->node_count++;
		if (i) {
			n->parent = b->nodes[from->parent].place;
			n->depth = f->nodes[n->parent].depth + 1;
		}
		if (n->depth > f->depth)
			f->depth = n->depth;
		for (int s = 0; s < FLAME_SIDES; s++)
			n->values[s] = from->values[s];
		i = from->first_child != FLAME_NONE ? from->first_child
						    : node_climb(b, i);
	}
	return true;
}

/* ---- functions ---- */

_Static_assert(1 << (FLAME_GO - 1) == LANGUAGE_GO &&
		       1 << (FLAME_NATIVE - 1) == LANGUAGE_NATIVE,
	       "languages come in the same order");

/* The only one left, where the name leaves a choice. */
static enum flame_language language_of(const struct func_table *t,
				       const struct func_entry *e)
{
	unsigned own = code_languages_of(e->name, e->file);
	unsigned both = own & t->languages;
	unsigned bits = both ? both : own;

	for (int i = 0; i < LANGUAGE_COUNT; i++)
		if (bits == 1u << i)
			return (enum flame_language)(i + 1);
	return FLAME_LANGUAGE_UNKNOWN;
}

static bool write_function(struct build *b, const struct func_entry *e,
			   struct flame_function *out)
{
	const struct profile *slow = b->t->sides[SIDE_SLOW].profile;

	*out = (struct flame_function){
		.name = func_is_named_by_table(e)
				? arena_str(&b->f->arena, e->name)
				: e->name,
		.file = e->file,
		.line = e->line,
		.kind = kind_within(slow, func_entry_kind(e)),
		.language = language_of(b->t, e),
		.change = b->f->has_baseline ? CHANGE_SAME : CHANGE_NONE,
		.totals = { e->values[SIDE_SLOW].total,
			    e->values[SIDE_BASELINE].total },
		.self_lib = { e->values[SIDE_SLOW].self_lib,
			      e->values[SIDE_BASELINE].self_lib },
		.self = { e->values[SIDE_SLOW].self,
			  e->values[SIDE_BASELINE].self },
	};
	return out->name.ptr != NULL;
}

/* Returns the change to show: if the operation is not slower than before no
 * function is marked as grown. */
static enum change shown_change(const struct result *r, enum change change)
{
	return r->is_healthy && change_is_up(change) ? CHANGE_NOISE : change;
}

/* Marks the function that the answer names, where it blames one. */
static void mark_blamed(struct flame *f, const struct result *r)
{
	const struct function_row *row = result_verdict(r);

	if (!result_verdict_count(r) || r->is_healthy ||
	    !change_is_up(row->change))
		return;
	for (uint32_t i = 1; i < f->function_count; i++) {
		struct str shown = f->functions[i].name;

		/* Names may go on with a file and a line, see --granularity. */
		f->functions[i].is_to_blame = str_equal(shown, row->name) ||
					      (r->has_locations_in_names &&
					       shown.len > row->name.len &&
					       str_starts(shown, row->name) &&
					       shown.ptr[row->name.len] == ' ');
	}
}

/* The row of each function, of those of one name of the first. Samples of spans
 * come without lines; rows have those of their service. */
static bool take_rows(struct build *b, const struct result *r,
		      struct error *err)
{
	struct flame *f = b->f;
	struct map names;
	uint32_t at;

	map_init(&names, &b->scratch);
	for (uint32_t i = 1; i < f->function_count; i++)
		if (!map_insert(&names, f->functions[i].name, i, &at))
			return no_memory(b, err);
	for (size_t i = 0; i < result_listed(r); i++) {
		const struct function_row *row = &r->functions[i];
		struct flame_function *fn;

		at = map_find(&names, row->name);
		if (at == MAP_NONE || f->functions[at].row)
			continue;
		fn = &f->functions[at];
		fn->row = (uint32_t)i + 1;
		if (fn->line || !row->line ||
		    (fn->file.len && !str_equal(fn->file, row->file)))
			continue;
		fn->file = row->file;
		fn->line = row->line;
	}
	return true;
}

static bool write_functions(struct build *b, const struct result *r,
			    struct error *err)
{
	struct flame *f = b->f;

	f->functions =
		arena_array(&f->arena, b->t->count + 1, sizeof *f->functions);
	if (!f->functions)
		return no_memory(b, err);
	f->functions[0] = (struct flame_function){ .name = STR("all") };
	for (int s = 0; s < FLAME_SIDES; s++)
		f->functions[0].totals[s] = f->nodes[0].values[s].total;
	for (size_t e = 0; e < b->t->count; e++)
		if (!write_function(b, &b->t->entries[e], &f->functions[e + 1]))
			return no_memory(b, err);
	f->function_count = (uint32_t)b->t->count + 1;
	f->source_root = func_table_root(b->t);
	for (size_t i = 0; f->has_baseline && i < r->change_count; i++) {
		const struct function_change *c = &r->changes[i];
		uint32_t entry = map_find(&b->t->map, c->key);
		enum change own = shown_change(r, c->change);
		enum change total = shown_change(r, c->total_change);

		/* The change of the total determines the color; for a function
		 * that is all of the profile on both sides, that of
		 * self+lib. */
		if (entry != MAP_NONE)
			f->functions[entry + 1].change =
				!change_is_real(total) && change_is_real(own)
					? own
					: total;
	}
	if (f->has_baseline)
		mark_blamed(f, r);
	return take_rows(b, r, err);
}

/* ---- the whole ---- */

static void set_head(struct flame *f, const struct profile *slow,
		     const struct profile *baseline, const struct result *r)
{
	f->unit = profile_unit(slow);
	f->whole[FLAME_SLOW] = slow->whole_total;
	f->sample_value[FLAME_SLOW] = profile_sample_value(slow);
	f->baseline_scale = 1;
	if (!baseline)
		return;
	f->has_baseline = true;
	f->normalize = r->normalize;
	f->baseline_scale = r->baseline_scale;
	f->whole[FLAME_BASELINE] = baseline->whole_total;
	if (!diff_sample_values(slow, baseline, f->sample_value))
		f->sample_value[FLAME_SLOW] = f->sample_value[FLAME_BASELINE] =
			0;
}

/* Most drawings are of what was ranked just before. */
static bool take_table(struct build *b, const struct profile *slow,
		       const struct profile *baseline, const struct result *r,
		       struct error *err)
{
	struct func_table *own;

	b->t = r->table;
	if (b->t && b->t->sides[SIDE_SLOW].profile == slow &&
	    b->t->sides[SIDE_BASELINE].profile == baseline &&
	    b->t->rules == b->want->rules &&
	    b->t->is_plain == b->want->is_plain)
		return true;
	b->t = own = arena_alloc(&b->scratch, sizeof *own);
	if (!own)
		return no_memory(b, err);
	return func_table_build(own, &b->scratch, slow, baseline,
				b->want->rules,
				b->want->is_plain ? FUNC_NAMES_PLAIN
						  : FUNC_NAMES_MATCHED,
				err);
}

static bool flame_fill(struct build *b, const struct profile *slow,
		       const struct profile *baseline, const struct result *r,
		       struct error *err)
{
	uint32_t root;

	set_head(b->f, slow, baseline, r);
	b->path_entries = arena_array(&b->scratch, LIMIT_STACK_FRAMES,
				      sizeof *b->path_entries);
	b->path_nodes = arena_array(&b->scratch, LIMIT_STACK_FRAMES,
				    sizeof *b->path_nodes);
	if (!b->path_entries || !b->path_nodes)
		return no_memory(b, err);
	if (!take_table(b, slow, baseline, r, err) ||
	    !node_at(b, FLAME_NONE, ENTRY_NONE, &root, err) ||
	    !side_grow(b, SIDE_SLOW, err) ||
	    (baseline && !side_grow(b, SIDE_BASELINE, err)))
		return false;
	add_totals(b);
	return link_siblings(b, err) && write_nodes(b, err) &&
	       write_functions(b, r, err);
}

bool flame_build(struct flame *f, const struct profile *slow,
		 const struct profile *baseline, const struct result *result,
		 const struct flame_want *want, struct error *err)
{
	struct build b = { .f = f, .want = want };
	struct arena arena = f->arena;
	bool is_done;

	*f = (struct flame){ .arena = arena, .is_reversed = want->is_reversed };
	arena_init(&b.scratch, LIMIT_ANALYZE_HEAP_BYTES);
	map_init(&b.map, &b.scratch);
	is_done = flame_fill(&b, slow, result->is_compared ? baseline : NULL,
			     result, err);
	arena_release(&b.scratch);
	return is_done;
}
