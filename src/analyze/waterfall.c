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
		f->nodes[f->node_count++] = (struct node){
			.start_ns = f->items[i].start_ns,
			.member_first = f->member_count,
			.count = run,
			.depth = depth,
		};
		for (uint32_t k = 0; k < run; k++)
			f->members[f->member_count++] = f->items[i + k].span;
	}
	if (f->node_count > first_node)
		qsort(f->nodes + first_node, f->node_count - first_node,
		      sizeof *f->nodes, compare_node);
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

static void add_member(struct fall *f, struct waterfall_row *row, uint32_t span)
{
	const struct span *s = &f->t->spans[span];
	const struct trace_times *times = f->times;
	const struct guilty_pick *pick = f->pick;
	const struct result *r = f->result;
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
	row->is_guilty |= pick && (span == pick->span ||
				   (r->has_span && span == r->span.span));
}

static bool rows_make(struct fall *f, struct error *err)
{
	const struct trace *t = f->t;
	uint32_t n = t->span_count;
	struct result *r = f->result;

	f->members = arena_array(&f->scratch, n, sizeof *f->members);
	f->items = arena_array(&f->scratch, n, sizeof *f->items);
	f->nodes = arena_array(&f->scratch, n, sizeof *f->nodes);
	if (!f->members || !f->items || !f->nodes)
		return arena_fail(&f->scratch, "the trace", err);
	if (!calls_build(t, &f->scratch, &f->calls, err))
		return false;
	f->rows = arena_array(&r->arena, n, sizeof *f->rows);
	if (!f->rows)
		return arena_fail(&r->arena, "the waterfall", err);
	for (uint32_t i = 0; i < t->root_count; i++)
		f->items[i] = (struct item){
			.start_ns = start_of(f, t->roots[i]),
			.key = f->calls.key[t->roots[i]],
			.span = t->roots[i],
		};
	push_items(f, t->root_count, 0, false);
	while (f->node_count) {
		struct node node = f->nodes[--f->node_count];
		const uint32_t *members = f->members + node.member_first;
		struct waterfall_row *row = &f->rows[f->row_count++];

		*row = (struct waterfall_row){
			.span = members[0],
			.depth = node.depth,
			.start_ns = node.start_ns,
		};
		for (uint32_t i = 0; i < node.count; i++)
			add_member(f, row, members[i]);
		push_below(f, &node);
	}
	return true;
}

static bool rows_build(struct fall *f, struct error *err)
{
	bool is_done;

	arena_init(&f->scratch, LIMIT_DECODE_HEAP_BYTES);
	is_done = rows_make(f, err);
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
	if (!rows_build(&f, err))
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
	if (!rows_build(&f, err))
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
};

/* Rows come depth first, so what is below a row follows it. Collapsed are rows
 * from a depth on, and those of a service. */
static void rows_collapse(struct selection *s)
{
	const struct waterfall_want *want = s->want;
	struct waterfall_row *above = NULL;
	uint64_t least = DEPTH_NONE;
	size_t kept = 0;

	for (size_t i = 0; i < want->collapse_count; i++) {
		struct str text = str_from(want->collapse[i]);
		uint64_t depth;

		if (str_is_digits(text) && parse_u64(text, &depth) &&
		    depth < least)
			least = depth;
	}
	for (size_t i = 0; i < s->count; i++) {
		const struct waterfall_row *row = &s->rows[i];
		bool is_collapsed = row->depth >= least;

		if (above && row->depth > above->depth) {
			above->hidden += row->count;
			continue;
		}
		for (size_t k = 0; k < want->collapse_count; k++) {
			struct str text = str_from(want->collapse[k]);

			is_collapsed |=
				!str_is_digits(text) &&
				str_equal(span_service(s->t, row->span), text);
		}
		s->rows[kept] = *row;
		above = is_collapsed ? &s->rows[kept] : NULL;
		kept++;
	}
	s->count = kept;
}

/* From the last row to the first: a row that is kept needs the nearest row
 * before it that is one level up. */
static bool keep_wanted(struct selection *s, struct error *err)
{
	const struct waterfall_want *want = s->want;
	bool *is_needed = mem_calloc(s->count + 1, sizeof *is_needed);
	size_t at = s->count;

	if (!is_needed)
		return error_memory(err, "the waterfall");
	for (size_t i = s->count; i-- > 0;) {
		const struct waterfall_row *row = &s->rows[i];
		/* A depth is below the count of rows. */
		uint32_t depth = row->depth;
		bool is_wanted =
			(!want->is_failed || row->is_error) &&
			(!want->service.len ||
			 str_equal(span_service(s->t, row->span),
				   want->service));

		if (!is_needed[depth] && !is_wanted)
			continue;
		is_needed[depth] = false;
		if (depth)
			is_needed[depth - 1] = true;
		s->rows[--at] = *row;
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
	if (want->collapse_count)
		rows_collapse(&s);
	if (want->limit && s.count > want->limit)
		s.count = want->limit;
	if (s.count != result->waterfall_count)
		result->waterfall_total = result->waterfall_count;
	result->waterfall_count = s.count;
	return true;
}
