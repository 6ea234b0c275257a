/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "analyze/calls.h"
#include "analyze/session.h"
#include "analyze/skew.h"
#include "analyze/trace_analysis.h"
#include "base/num.h"

/* Siblings that overlap by less than this part of their parent's time follow
 * one another, on clocks that are not quite exact (CRISP's rule). */
#define SMALL_OVERLAP 100

/* A span's time on the clock of its root. */
struct extent {
	int64_t start_ns;
	int64_t end_ns;
	uint32_t span;
};

struct frame {
	uint32_t span;
	uint32_t next; /* children looked at so far */
	uint32_t count;
	int64_t at_ns;  /* the walk has come back to here */
	uint32_t last;  /* the child walked last, among the span's */
	bool is_sorted; /* starts of the children are in order */
};

struct path {
	const struct trace *t;
	struct trace_times *times;
	struct arena scratch;
	uint32_t session_root;   /* SPAN_NONE: there is none */
	uint32_t *order;         /* all spans, parents before children */
	struct extent *whole;    /* per span, moved but not clipped */
	struct extent *clipped;  /* per span, inside all that wait for it */
	struct extent *children; /* waited-for children, as trace->children */
	int64_t *starts;         /* of children, as above, when asked for */
	struct frame *frames;
};

static bool allocate(struct path *p, struct arena *arena, struct error *err)
{
	struct trace_times *times = p->times;
	size_t n = p->t->span_count;

	times->self_ns = arena_array(arena, n, sizeof *times->self_ns);
	times->critical_ns = arena_array(arena, n, sizeof *times->critical_ns);
	times->through_ns = arena_array(arena, n, sizeof *times->through_ns);
	times->shift_ns = arena_array(arena, n, sizeof *times->shift_ns);
	times->tree = arena_array(arena, n, sizeof *times->tree);
	times->is_on_path = arena_array(arena, n, sizeof *times->is_on_path);
	if (!times->self_ns || !times->critical_ns || !times->through_ns ||
	    !times->shift_ns || !times->tree || !times->is_on_path)
		return arena_fail(arena, "the trace", err);
	p->order = arena_array(&p->scratch, n, sizeof *p->order);
	p->whole = arena_array(&p->scratch, n, sizeof *p->whole);
	p->clipped = arena_array(&p->scratch, n, sizeof *p->clipped);
	p->children = arena_array(&p->scratch, n, sizeof *p->children);
	p->starts = arena_array(&p->scratch, n, sizeof *p->starts);
	p->frames = arena_array(&p->scratch, n, sizeof *p->frames);
	if (!p->order || !p->whole || !p->clipped || !p->children ||
	    !p->starts || !p->frames)
		return arena_fail(&p->scratch, "the trace", err);
	return true;
}

/* Level by level: the list itself is the queue. */
static void order_spans(struct path *p)
{
	const struct trace *t = p->t;
	uint32_t count = 0;

	for (uint32_t i = 0; i < t->root_count; i++)
		p->order[count++] = t->roots[i];
	for (uint32_t i = 0; i < count; i++) {
		const struct span *s = &t->spans[p->order[i]];

		for (uint32_t c = 0; c < s->child_count; c++)
			p->order[count++] = t->children[s->child_first + c];
	}
}

/* Most of it ran after its parent, of the same process, had ended well: who
 * begins something and leaves did not wait for it. What a parent that failed
 * leaves behind was waited for until then. */
static bool is_left_behind(const struct path *p, uint32_t span)
{
	const struct span *s = &p->t->spans[span];
	const struct span *above = &p->t->spans[s->parent];
	const struct extent *child = &p->whole[span];
	const struct extent *parent = &p->whole[s->parent];

	return s->resource == above->resource &&
	       !(above->flags & (SPAN_IS_ERROR | SPAN_IS_UNFINISHED)) &&
	       child->end_ns > parent->end_ns &&
	       sat_sub_i64(child->end_ns, parent->end_ns) >
		       sat_sub_i64(child->end_ns, child->start_ns) / 2;
}

/* Nobody waited for it: it belongs to no parent's time. */
static bool is_detached(const struct path *p, uint32_t span)
{
	const struct extent *child = &p->whole[span];
	const struct extent *parent;

	if (!span_is_awaited(p->t, span))
		return true;
	parent = &p->whole[p->t->spans[span].parent];
	if (p->t->spans[span].parent == p->session_root ||
	    is_left_behind(p, span))
		return true;
	return (child->start_ns >= parent->end_ns &&
		child->end_ns > parent->end_ns) ||
	       (child->end_ns <= parent->start_ns &&
		child->start_ns < parent->start_ns);
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
	if (value < low)
		return low;
	return value > high ? high : value;
}

static void place_span(struct path *p, uint32_t span)
{
	const struct span *s = &p->t->spans[span];
	int64_t shift = p->times->shift_ns[span];

	p->whole[span] = (struct extent){
		.start_ns = sat_add_i64(s->start_ns, shift),
		.end_ns = sat_add_i64(s->end_ns, shift),
		.span = span,
	};
}

/* The end of a span was lost: it lasted at least as long as what it waited
 * for, else all of that would look like work nobody waited for. */
static void extend_unfinished(struct path *p, uint32_t span)
{
	uint32_t parent = p->t->spans[span].parent;

	if (parent != SPAN_NONE && span_is_awaited(p->t, span) &&
	    (p->t->spans[parent].flags & SPAN_IS_UNFINISHED) &&
	    p->whole[span].end_ns > p->whole[parent].end_ns)
		p->whole[parent].end_ns = p->whole[span].end_ns;
}

static void clip_span(struct path *p, uint32_t span)
{
	uint32_t above = p->t->spans[span].parent;
	const struct extent *parent;
	struct extent *own = &p->clipped[span];

	*own = p->whole[span];
	p->times->tree[span] = span;
	if (above == SPAN_NONE)
		return;
	if (is_detached(p, span)) {
		p->times->async_count++;
		return;
	}
	parent = &p->clipped[above];
	p->times->tree[span] = p->times->tree[above];
	own->start_ns = clamp(own->start_ns, parent->start_ns, parent->end_ns);
	own->end_ns = clamp(own->end_ns, parent->start_ns, parent->end_ns);
}

static int compare_start(const void *left, const void *right)
{
	const struct extent *a = left;
	const struct extent *b = right;

	return compare_i64(a->start_ns, b->start_ns);
}

/* Latest end first; of two ends the longer, then the earlier in order. */
static int compare_end(const void *left, const void *right)
{
	const struct extent *a = left;
	const struct extent *b = right;
	int order = compare_i64(b->end_ns, a->end_ns);

	if (!order)
		order = compare_i64(a->start_ns, b->start_ns);
	return order ? order : compare_i64(a->span, b->span);
}

/* Copies the waited-for children of a span into its part of p->children. */
static uint32_t gather(struct path *p, uint32_t span,
		       const struct extent *extents)
{
	const struct span *s = &p->t->spans[span];
	struct extent *list = p->children + s->child_first;
	uint32_t count = 0;

	for (uint32_t i = 0; i < s->child_count; i++) {
		uint32_t child = p->t->children[s->child_first + i];

		if (p->times->tree[child] != child)
			list[count++] = extents[child];
	}
	return count;
}

static int64_t self_time(struct path *p, uint32_t span)
{
	const struct extent *own = &p->whole[span];
	const struct extent *list = p->children + p->t->spans[span].child_first;
	uint32_t count = gather(p, span, p->whole);
	int64_t covered_to = own->start_ns;
	int64_t self = own->end_ns - own->start_ns;

	if (count > 1)
		qsort(p->children + p->t->spans[span].child_first, count,
		      sizeof *list, compare_start);
	for (uint32_t i = 0; i < count; i++) {
		int64_t from = list[i].start_ns > covered_to ? list[i].start_ns
							     : covered_to;
		int64_t to = list[i].end_ns < own->end_ns ? list[i].end_ns
							  : own->end_ns;

		if (to <= from)
			continue;
		self -= to - from;
		covered_to = to;
	}
	return self;
}

/* A parent that was shortened on the way shortens what is below it. */
static void shorten_children(struct path *p, const struct frame *f)
{
	struct extent *list = p->children + p->t->spans[f->span].child_first;

	for (uint32_t i = 0; i < f->count; i++) {
		list[i].start_ns = clamp(list[i].start_ns, INT64_MIN, f->at_ns);
		list[i].end_ns = clamp(list[i].end_ns, INT64_MIN, f->at_ns);
		p->clipped[list[i].span] = list[i];
	}
}

static struct frame enter(struct path *p, uint32_t span)
{
	const struct extent *own = &p->clipped[span];
	struct frame frame = { .span = span, .at_ns = own->end_ns };

	p->times->through_ns[span] = own->end_ns - own->start_ns;
	frame.count = gather(p, span, p->clipped);
	frame.last = frame.count;
	shorten_children(p, &frame);
	if (frame.count > 1)
		qsort(p->children + p->t->spans[span].child_first, frame.count,
		      sizeof *p->children, compare_end);
	return frame;
}

static int compare_time(const void *left, const void *right)
{
	return compare_i64(*(const int64_t *)left, *(const int64_t *)right);
}

/* Whether a child starts after from and before to. */
static bool has_start_between(struct path *p, struct frame *f, int64_t from,
			      int64_t to)
{
	const struct extent *list =
		p->children + p->t->spans[f->span].child_first;
	int64_t *starts = p->starts + p->t->spans[f->span].child_first;
	uint32_t low = 0, high = f->count;

	if (!f->is_sorted) {
		for (uint32_t i = 0; i < f->count; i++)
			starts[i] = list[i].start_ns;
		qsort(starts, f->count, sizeof *starts, compare_time);
		f->is_sorted = true;
	}
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (starts[middle] > from)
			high = middle;
		else
			low = middle + 1;
	}
	return low < f->count && starts[low] < to;
}

/* Child number `next` ran into the one walked last by so little that it came
 * before it: it started and ended first, and nothing else began or ended
 * while both ran. */
static bool is_just_before(struct path *p, struct frame *f, uint32_t next)
{
	const struct extent *list =
		p->children + p->t->spans[f->span].child_first;
	const struct extent *child = &list[next];
	const struct extent *own = &p->clipped[f->span];
	int64_t overlap = child->end_ns - f->at_ns;

	if (f->last == f->count || child->start_ns >= f->at_ns ||
	    child->end_ns >= list[f->last].end_ns ||
	    sat_mul_i64(overlap, SMALL_OVERLAP) >= own->end_ns - own->start_ns)
		return false;
	if ((next && list[next - 1].end_ns == child->end_ns) ||
	    (next + 1 < f->count && list[next + 1].end_ns > f->at_ns))
		return false;
	return !has_start_between(p, f, f->at_ns, child->end_ns);
}

/* The last-finishing child that ended by f->at_ns, or a little later when it
 * came before the child walked last; each taken once. */
static struct extent *next_child(struct path *p, struct frame *f)
{
	struct extent *list = p->children + p->t->spans[f->span].child_first;

	while (f->next < f->count) {
		uint32_t next = f->next++;
		struct extent *child = &list[next];

		if (child->end_ns > f->at_ns) {
			if (!is_just_before(p, f, next))
				continue;
			child->end_ns = f->at_ns;
			p->clipped[child->span].end_ns = f->at_ns;
		}
		f->last = next;
		return child;
	}
	return NULL;
}

/* Backwards from the end of a tree's top: what runs when nothing that is
 * waited for runs belongs to the span itself. */
static void walk(struct path *p, uint32_t top)
{
	size_t depth = 0;

	p->frames[depth++] = enter(p, top);
	while (depth) {
		struct frame *f = &p->frames[depth - 1];
		const struct extent *child = next_child(p, f);
		int64_t *critical = &p->times->critical_ns[f->span];

		if (!child) {
			*critical += f->at_ns - p->clipped[f->span].start_ns;
			depth--;
			continue;
		}
		*critical += f->at_ns - child->end_ns;
		f->at_ns = child->start_ns;
		p->frames[depth++] = enter(p, child->span);
	}
}

/* What others were joined to is what was asked about. */
static uint32_t first_top(const struct path *p)
{
	uint32_t joined = SPAN_NONE;

	if (p->t->joined_root_id)
		joined = trace_find_span(p->t, p->t->joined_root_id);
	return joined == SPAN_NONE
		       ? session_poll_work(p->t, p->times, p->t->roots[0])
		       : p->times->tree[joined];
}

static void compute(struct path *p)
{
	struct trace_times *times = p->times;
	uint32_t n = p->t->span_count;

	for (uint32_t i = 0; i < n; i++)
		place_span(p, i);
	for (uint32_t i = n; i-- > 0;)
		extend_unfinished(p, p->order[i]);
	for (uint32_t i = 0; i < n; i++)
		clip_span(p, p->order[i]);
	for (uint32_t i = 0; i < n; i++)
		times->self_ns[i] = self_time(p, i);
	for (uint32_t i = 0; i < n; i++) {
		if (times->tree[i] == i)
			walk(p, i);
	}
	if (!n)
		return;
	trace_times_focus(p->t, times,
			  session_find(p->t, times, &times->session)
				  ? times->session.slowest
				  : first_top(p));
}

void trace_times_focus(const struct trace *t, struct trace_times *times,
		       uint32_t top)
{
	times->root = top;
	times->path_ns = times->through_ns[top];
	for (uint32_t i = 0; i < t->span_count; i++)
		times->is_on_path[i] = times->tree[i] == top &&
				       (times->through_ns[i] || i == top);
}

bool trace_times_is_long_async(const struct trace_times *times, uint32_t span)
{
	return times->tree[span] == span && span != times->root &&
	       times->through_ns[span] >=
		       sat_mul_i64(times->path_ns, ASYNC_RATIO);
}

/* The longest root, when it stands for a session. */
static uint32_t find_session_root(const struct trace *t)
{
	return t->root_count && session_is_root(t, t->roots[0]) ? t->roots[0]
								: SPAN_NONE;
}

bool trace_times_compute(const struct trace *t, struct arena *arena,
			 struct trace_times *out, struct error *err)
{
	struct path p = { .t = t,
			  .times = out,
			  .session_root = find_session_root(t) };
	bool is_done;

	*out = (struct trace_times){ .root = SPAN_NONE };
	arena_init(&p.scratch, LIMIT_DECODE_HEAP_BYTES);
	is_done = allocate(&p, arena, err);
	if (is_done) {
		order_spans(&p);
		is_done = clock_shifts_compute(t, p.order, out->shift_ns, err);
	}
	if (is_done)
		compute(&p);
	arena_release(&p.scratch);
	return is_done;
}
