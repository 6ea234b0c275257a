/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "analyze/calls.h"
#include "analyze/trace_analysis.h"
#include "base/mem.h"
#include "base/num.h"

/* Fewer equal siblings are easier read one by one. */
#define FOLD_COUNT 3u

/* A span below the row in hand; equal keys are repeats of each other. */
struct item {
	int64_t start_ns;
	uint32_t key;
	uint32_t span;
};

/* A row to come: its spans lie side by side in fall.members. */
struct node {
	int64_t start_ns;
	uint32_t member_first;
	uint32_t count;
	uint32_t depth;
};

struct fall {
	const struct trace *t;
	const struct trace_times *times;
	const struct guilty_pick *pick;
	struct result *result;
	bool can_fold;
	struct waterfall_row *rows;
	size_t row_count;
	struct calls calls;
	struct arena scratch;
	uint32_t *members;
	uint32_t member_count;
	struct item *items;
	struct node *nodes; /* stack, next row on top */
	uint32_t node_count;
};

static int64_t start_of(const struct fall *f, uint32_t span)
{
	return sat_add_i64(f->t->spans[span].start_ns,
			   f->times->shift_ns[span]);
}

static int compare_key(const void *left, const void *right)
{
	const struct item *a = left;
	const struct item *b = right;
	int order = compare_i64(a->key, b->key);

	if (!order)
		order = compare_i64(a->start_ns, b->start_ns);
	return order ? order : compare_i64(a->span, b->span);
}

/* Members lie in the order of keys, which breaks ties the same each time. */
static int compare_node(const void *left, const void *right)
{
	const struct node *a = left;
	const struct node *b = right;
	int order = compare_i64(b->start_ns, a->start_ns);

	return order ? order : compare_i64(b->member_first, a->member_first);
}

static void push_node(struct fall *f, const struct item *items, uint32_t count,
		      uint32_t depth)
{
	f->nodes[f->node_count++] = (struct node){
		.start_ns = items->start_ns,
		.member_first = f->member_count,
		.count = count,
		.depth = depth,
	};
	for (uint32_t i = 0; i < count; i++)
		f->members[f->member_count++] = items[i].span;
}

/* Stacks the rows of these items, the earliest on top. */
static void push_items(struct fall *f, uint32_t count, uint32_t depth,
		       bool can_fold)
{
	uint32_t first_node = f->node_count;
	uint32_t run;

	if (count > 1)
		qsort(f->items, count, sizeof *f->items, compare_key);
	for (uint32_t i = 0; i < count; i += run) {
		for (run = 1; can_fold && i + run < count; run++) {
			if (f->items[i + run].key != f->items[i].key)
				break;
		}
		if (run < FOLD_COUNT)
			run = 1;
		push_node(f, &f->items[i], run, depth);
	}
	if (f->node_count > first_node)
		qsort(f->nodes + first_node, f->node_count - first_node,
		      sizeof *f->nodes, compare_node);
}

static void push_roots(struct fall *f)
{
	for (uint32_t i = 0; i < f->t->root_count; i++)
		f->items[i] = (struct item){
			.start_ns = start_of(f, f->t->roots[i]),
			.key = f->calls.key[f->t->roots[i]],
			.span = f->t->roots[i],
		};
	push_items(f, f->t->root_count, 0, false);
}

static void push_below(struct fall *f, const struct node *node)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < node->count; i++) {
		uint32_t span = f->members[node->member_first + i];
		const struct span *s = &f->t->spans[span];

		for (uint32_t c = 0; c < s->child_count; c++) {
			uint32_t child = f->t->children[s->child_first + c];

			f->items[count++] = (struct item){
				.start_ns = start_of(f, child),
				.key = f->calls.key[child],
				.span = child,
			};
		}
	}
	push_items(f, count, node->depth + 1, f->can_fold);
}

static bool is_guilty(const struct fall *f, uint32_t span)
{
	const struct guilty_pick *pick = f->pick;

	return pick && (span == pick->span ||
			(f->result->has_span && span == f->result->span.span));
}

static void add_member(struct fall *f, struct waterfall_row *row, uint32_t span)
{
	const struct span *s = &f->t->spans[span];
	const struct trace_times *times = f->times;
	int64_t end = sat_add_i64(s->end_ns, times->shift_ns[span]);

	if (!row->count++)
		row->end_ns = end;
	else if (end > row->end_ns)
		row->end_ns = end;
	row->duration_ns = sat_add_i64(row->duration_ns, span_duration_ns(s));
	row->self_ns = sat_add_i64(row->self_ns, times->self_ns[span]);
	if (times->is_on_path[span]) {
		row->critical_ns =
			sat_add_i64(row->critical_ns, times->critical_ns[span]);
		row->is_on_path = true;
	}
	row->is_error |= (s->flags & SPAN_IS_ERROR) != 0;
	row->is_guilty |= is_guilty(f, span);
}

static void add_row(struct fall *f, const struct node *node)
{
	struct waterfall_row *row = &f->rows[f->row_count++];

	*row = (struct waterfall_row){
		.span = f->members[node->member_first],
		.depth = node->depth,
		.start_ns = node->start_ns,
	};
	for (uint32_t i = 0; i < node->count; i++)
		add_member(f, row, f->members[node->member_first + i]);
}

static bool build(struct fall *f, struct error *err)
{
	uint32_t n = f->t->span_count;
	struct result *r = f->result;

	f->members = arena_array(&f->scratch, n, sizeof *f->members);
	f->items = arena_array(&f->scratch, n, sizeof *f->items);
	f->nodes = arena_array(&f->scratch, n, sizeof *f->nodes);
	if (!f->members || !f->items || !f->nodes)
		return arena_fail(&f->scratch, "the trace", err);
	if (!calls_build(f->t, &f->scratch, &f->calls, err))
		return false;
	f->rows = arena_array(&r->arena, n, sizeof *f->rows);
	if (!f->rows)
		return arena_fail(&r->arena, "the waterfall", err);
	push_roots(f);
	while (f->node_count) {
		struct node node = f->nodes[--f->node_count];

		add_row(f, &node);
		push_below(f, &node);
	}
	return true;
}

static bool build_rows(struct fall *f, struct error *err)
{
	bool is_done;

	arena_init(&f->scratch, LIMIT_DECODE_HEAP_BYTES);
	is_done = build(f, err);
	arena_release(&f->scratch);
	return is_done;
}

bool waterfall_build(const struct trace *t, const struct trace_times *times,
		     const struct guilty_pick *pick, struct result *result,
		     struct error *err)
{
	struct fall f = { .t = t,
			  .times = times,
			  .pick = pick,
			  .result = result,
			  .can_fold = !result->view.has_events &&
				      !result->view.has_errors };

	result->waterfall_count = 0;
	if (!build_rows(&f, err))
		return false;
	result->waterfall = f.rows;
	result->waterfall_count = f.row_count;
	return true;
}

bool waterfall_spans(const struct trace *t, const struct trace_times *times,
		     const struct guilty_pick *pick, struct result *result,
		     struct error *err)
{
	struct fall f = {
		.t = t, .times = times, .pick = pick, .result = result
	};

	result->span_count = 0;
	if (!build_rows(&f, err))
		return false;
	result->spans = f.rows;
	result->span_count = f.row_count;
	return true;
}

/* No row collapses what is below it. */
#define DEPTH_NONE UINT32_MAX

struct selection {
	const struct trace *t;
	const struct waterfall_want *want;
	struct waterfall_row *rows;
	size_t count;
	uint32_t depth; /* collapsed from here on, DEPTH_NONE */
};

static bool is_depth(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text);
}

static void find_depth(struct selection *s)
{
	s->depth = DEPTH_NONE;
	for (size_t i = 0; i < s->want->collapse_count; i++) {
		const char *text = s->want->collapse[i];
		uint64_t depth;

		if (is_depth(text) && parse_u64(str_from(text), &depth) &&
		    depth < s->depth)
			s->depth = (uint32_t)depth;
	}
}

static bool collapses(const struct selection *s, const struct waterfall_row *r)
{
	if (r->depth >= s->depth)
		return true;
	for (size_t i = 0; i < s->want->collapse_count; i++)
		if (!is_depth(s->want->collapse[i]) &&
		    str_equal(span_service(s->t, r->span),
			      str_from(s->want->collapse[i])))
			return true;
	return false;
}

/* Rows come depth first, so what is below a row follows it. */
static void collapse(struct selection *s)
{
	struct waterfall_row *above = NULL;
	size_t kept = 0;

	for (size_t i = 0; i < s->count; i++) {
		if (above && s->rows[i].depth > above->depth) {
			above->hidden += s->rows[i].count;
			continue;
		}
		s->rows[kept] = s->rows[i];
		above = collapses(s, &s->rows[i]) ? &s->rows[kept] : NULL;
		kept++;
	}
	s->count = kept;
}

static bool is_wanted(const struct selection *s, const struct waterfall_row *r)
{
	if (s->want->is_failed && !r->is_error)
		return false;
	return !s->want->service.len ||
	       str_equal(span_service(s->t, r->span), s->want->service);
}

/* From the last row to the first: a row that is kept needs the nearest row
 * before it that is one level up. */
static bool keep_wanted(struct selection *s, struct error *err)
{
	bool *is_needed = mem_calloc(s->count + 1, sizeof *is_needed);
	size_t at = s->count;

	if (!is_needed)
		return error_memory(err, "the waterfall");
	for (size_t i = s->count; i-- > 0;) {
		/* A depth is below the count of rows. */
		uint32_t depth = s->rows[i].depth;

		if (!is_needed[depth] && !is_wanted(s, &s->rows[i]))
			continue;
		is_needed[depth] = false;
		if (depth)
			is_needed[depth - 1] = true;
		s->rows[--at] = s->rows[i];
	}
	memmove(s->rows, s->rows + at, (s->count - at) * sizeof *s->rows);
	s->count -= at;
	mem_free(is_needed);
	return true;
}

bool waterfall_select(const struct trace *t, const struct waterfall_want *want,
		      struct result *result, struct error *err)
{
	struct selection s = {
		.t = t,
		.want = want,
		.rows = result->waterfall,
		.count = result->waterfall_count,
	};

	if ((want->is_failed || want->service.len) && s.count &&
	    !keep_wanted(&s, err))
		return false;
	find_depth(&s);
	if (want->collapse_count)
		collapse(&s);
	if (want->limit && s.count > want->limit)
		s.count = want->limit;
	if (s.count != result->waterfall_count)
		result->waterfall_total = result->waterfall_count;
	result->waterfall_count = s.count;
	return true;
}
