/* SPDX-License-Identifier: Apache-2.0 */

#include <stdlib.h>

#include "analyze/calls.h"
#include "analyze/trace_analysis.h"
#include "base/error.h"
#include "base/map.h"
#include "base/num.h"
#include "model/trace.h"

/* Clocks of different hosts disagree. A server span that does not fit into
 * its caller's time is moved into it, for the sums only: profiles are stored
 * with the times of their own host. */

/* Identity of a host, best first, as Jaeger takes it; the last two are its
 * own process tags. */
static const char *const host_names[] = { "host.id", "host.ip", "host.name",
					  "ip", "hostname" };

/* A callee that lasts at most this much longer than its call is measured by
 * another clock, not left behind by its caller (CRISP). */
#define LONGER_PERCENT 1

struct skew {
	const struct trace *t;
	const int64_t *late_ns;
	struct arena scratch;
	uint32_t *hosts;    /* per resource: symbol of its host, 0 unknown */
	struct map trusted; /* pairs of resources whose clocks agree */
};

static uint32_t host_of(const struct trace *t, uint32_t resource)
{
	const struct resource *r = &t->resources[resource];

	for (size_t n = 0; n < sizeof host_names / sizeof *host_names; n++) {
		uint32_t key = symtab_find(&t->symtab, str_from(host_names[n]));

		for (uint32_t i = 0; key != MAP_NONE && i < r->attr_count;
		     i++) {
			const struct attr *a = &t->attrs[r->attr_first + i];

			if (a->key == key)
				return a->value;
		}
	}
	return 0;
}

/* A server's span ends when its answer has been sent, and the caller may have
 * read it by then: so much later, or this part of the call, is no sign of
 * another clock. What is over is cut off. */
#define LATE_END_NS NS_PER_MS
#define LATE_END_PERCENT 1

static bool span_fits_in(const struct span *child, const struct span *parent)
{
	int64_t late = span_duration_ns(parent) / 100 * LATE_END_PERCENT;

	late = max_i64(late, LATE_END_NS);
	return child->start_ns >= parent->start_ns &&
	       child->start_ns < parent->end_ns &&
	       child->end_ns <= sat_add_i64(parent->end_ns, late);
}

static uint64_t pair_key(const struct span *child, const struct span *parent)
{
	return (uint64_t)parent->resource << 32 | child->resource;
}

/* Returns a span with the times that it had, where its start was rounded. */
static struct span span_begun(const struct skew *k, uint32_t span)
{
	struct span s = k->t->spans[span];

	s.start_ns = sat_add_i64(s.start_ns, k->late_ns[span]);
	s.end_ns = sat_add_i64(s.end_ns, k->late_ns[span]);
	return s;
}

/* One fitting call shows that the clocks agree; another that reaches beyond its
 * caller's was left alone by it. One that lies apart shows that they do not. */
static bool find_trusted(struct skew *k)
{
	uint32_t ignored;

	for (uint32_t i = 0; i < k->t->span_count; i++) {
		struct span child, parent;

		if (!span_is_served_call(k->t, i))
			continue;
		child = span_begun(k, i);
		parent = span_begun(k, child.parent);
		if (span_fits_in(&child, &parent) &&
		    !map_insert_u64(&k->trusted, pair_key(&child, &parent), 1,
				    &ignored))
			return false;
	}
	return true;
}

/* At most as long as its call, but for what two clocks measure differently. */
static bool is_as_long(const struct span *child, const struct span *parent)
{
	int64_t longest = span_duration_ns(parent);

	longest = sat_add_i64(longest, longest / 100 * LONGER_PERCENT);
	return span_duration_ns(child) <= longest;
}

/* Returns whether these are the two sides of a call. The caller's may have no
 * kind, if it did nothing else; or it is not in the trace: still nothing starts
 * before the span that started it. */
static bool is_remote_pair(const struct skew *k, uint32_t span,
			   const struct span *s, const struct span *parent)
{
	if (span_is_served_call(k->t, span))
		return true;
	if (s->kind != SPAN_KIND_SERVER)
		return false;
	return s->start_ns < parent->start_ns ||
	       (parent->kind == SPAN_KIND_INTERNAL &&
		parent->child_count == 1 && is_as_long(s, parent));
}

/* A caller that waits for an answer has not ended before the request
 * arrived. */
static bool is_apart(const struct span *child, const struct span *parent)
{
	return child->start_ns >= parent->end_ns ||
	       child->end_ns <= parent->start_ns;
}

/* Returns the smallest offset that fits. For a callee outside of its call the
 * position is unknown: the middle, as in Jaeger. */
static int64_t span_align(const struct span *child, const struct span *parent)
{
	int64_t room =
		sat_sub_i64(span_duration_ns(parent), span_duration_ns(child));

	if (room >= 0 && is_apart(child, parent))
		return sat_sub_i64(sat_add_i64(parent->start_ns, room / 2),
				   child->start_ns);
	if (room >= 0 && child->end_ns > parent->end_ns)
		return sat_sub_i64(parent->end_ns, child->end_ns);
	if (child->start_ns < parent->start_ns || is_as_long(child, parent) ||
	    is_apart(child, parent))
		return sat_sub_i64(parent->start_ns, child->start_ns);
	return 0;
}

static int64_t shift_of(const struct skew *k, uint32_t span,
			int64_t parent_shift)
{
	struct span child = span_begun(k, span);
	struct span parent = span_begun(k, child.parent);
	struct span moved = parent;
	uint32_t host = k->hosts[child.resource];
	/* Hosts may be called alike: what begins before it is called is on
	 * another clock. */
	bool is_same_clock = child.resource == parent.resource ||
			     (host && host == k->hosts[parent.resource] &&
			      child.start_ns >= parent.start_ns);

	if (is_same_clock || span_fits_in(&child, &parent))
		return parent_shift;
	moved.start_ns = sat_add_i64(moved.start_ns, parent_shift);
	moved.end_ns = sat_add_i64(moved.end_ns, parent_shift);
	if (parent_shift && span_fits_in(&child, &moved))
		return 0;
	/* A caller that failed may have given up on a callee that went on. */
	if (!is_remote_pair(k, span, &child, &parent) ||
	    (child.start_ns >= parent.start_ns &&
	     (parent.flags & SPAN_IS_ERROR)) ||
	    (map_find_u64(&k->trusted, pair_key(&child, &parent)) != MAP_NONE &&
	     !is_apart(&child, &parent)))
		return parent_shift;
	return sat_add_i64(parent_shift, span_align(&child, &parent));
}

/* Fills shift_ns[span], except for late_ns; order lists all spans, parents
 * first. */
static bool clock_shifts_compute(const struct trace *t, const uint32_t *order,
				 const int64_t *late_ns, int64_t *shift_ns,
				 struct error *err)
{
	struct skew k = { .t = t, .late_ns = late_ns };
	bool is_done;

	arena_init(&k.scratch, LIMIT_DECODE_HEAP_BYTES);
	map_init(&k.trusted, &k.scratch);
	k.hosts = arena_array(&k.scratch, t->resource_count, sizeof *k.hosts);
	is_done = k.hosts && find_trusted(&k);
	for (uint32_t i = 0; is_done && i < t->resource_count; i++)
		k.hosts[i] = host_of(t, i);
	for (uint32_t i = 0; is_done && i < t->span_count; i++) {
		uint32_t parent = t->spans[order[i]].parent;

		if (parent != SPAN_NONE)
			shift_ns[order[i]] =
				shift_of(&k, order[i], shift_ns[parent]);
	}
	if (!is_done)
		arena_fail(&k.scratch, "the trace", err);
	arena_release(&k.scratch);
	return is_done;
}

int64_t clock_skew_ns(const struct trace *t, const struct trace_times *times,
		      uint32_t span)
{
	const struct span *s = &t->spans[span];

	if (s->kind != SPAN_KIND_SERVER || s->parent == SPAN_NONE ||
	    span_fits_in(s, &t->spans[s->parent]))
		return 0;
	return sat_sub_i64(trace_times_skew_ns(times, span),
			   trace_times_skew_ns(times, s->parent));
}

/* Traces that are no request: a session in a browser, an installation, a
 * poller, a batch. Many requests follow one another in them, and between them
 * nothing runs, for nobody waits: the pauses explain nothing. */

/* Finds pauses: the end of running spans, in the order of their starts. */
struct pauses {
	int64_t start_ns;
	int64_t covered_to_ns;
	int64_t sum_ns;
	uint32_t count;
	uint32_t runs; /* spans that were added */
};

/* A pause is longer than requests wait for anything in between, and several
 * of them make up half of the time at least. */
#define SESSION_PAUSE_NS NS_PER_S

static void pauses_add(struct pauses *p, const struct span *s)
{
	int64_t pause_ns = sat_sub_i64(s->start_ns, p->covered_to_ns);

	if (!p->runs++) {
		p->start_ns = s->start_ns;
		p->covered_to_ns = s->end_ns;
		return;
	}
	if (pause_ns >= SESSION_PAUSE_NS) {
		p->count++;
		p->sum_ns = sat_add_i64(p->sum_ns, pause_ns);
	}
	p->covered_to_ns = max_i64(p->covered_to_ns, s->end_ns);
}

static int64_t pauses_length(const struct pauses *p)
{
	return sat_sub_i64(p->covered_to_ns, p->start_ns);
}

#define SESSION_PAUSE_PERCENT 50

#define SESSION_PAUSES 3u

static bool is_enough(const struct pauses *p)
{
	return p->count >= SESSION_PAUSES &&
	       sat_mul_i64(p->sum_ns, 100) >=
		       sat_mul_i64(pauses_length(p), SESSION_PAUSE_PERCENT);
}

/* Returns whether a root represents a session rather than work of its own: no
 * server waits in it and no message was received, its calls have pauses as
 * above, and most of them succeeded (retries have pauses, too). */
static bool session_is_root(const struct trace *t, uint32_t span)
{
	const struct span *s = &t->spans[span];
	struct pauses p = { 0 };
	uint32_t failed = 0;

	if (s->parent != SPAN_NONE || s->kind != SPAN_KIND_INTERNAL)
		return false;
	for (uint32_t i = 0; i < s->child_count; i++) {
		const struct span *child =
			&t->spans[t->children[s->child_first + i]];

		pauses_add(&p, child);
		failed += (child->flags & SPAN_IS_ERROR) != 0;
	}
	return is_enough(&p) && failed * 2 <= s->child_count;
}

/* Looks for such pauses between the trees of a trace, those of messages aside,
 * which are the story of one request. False, and an empty *out, when there are
 * not enough. */
static bool session_find(const struct trace *t, const struct trace_times *times,
			 struct session *out)
{
	struct pauses p = { 0 };

	*out = (struct session){ .slowest = SPAN_NONE };
	for (uint32_t i = 0; i < t->span_count; i++) {
		const struct span *s = &t->spans[i];

		/* A request of the session, not the story of a message, nor the
		 * session itself. */
		if (times->tree[i] != i || session_is_root(t, i) ||
		    (s->parent != SPAN_NONE &&
		     (s->kind == SPAN_KIND_CONSUMER ||
		      s->flags & SPAN_IS_FOLLOWS_FROM)))
			continue;
		pauses_add(&p, s);
		/* As recorded: what never ended seems to last to the end. */
		if (out->slowest == SPAN_NONE ||
		    span_duration_ns(s) >
			    span_duration_ns(&t->spans[out->slowest]))
			out->slowest = i;
	}
	if (!is_enough(&p)) {
		*out = (struct session){ .slowest = SPAN_NONE };
		return false;
	}
	out->request_count = p.runs;
	out->length_ns = pauses_length(&p);
	out->pause_ns = p.sum_ns;
	return true;
}

/* Nobody waits for a root that polls or starts a job: if its async work takes
 * this many times as long, the trace is about that work. */
#define POLL_RATIO 10

/* The longest of that, else the root. */
static uint32_t session_poll_work(const struct trace *t,
				  const struct trace_times *times,
				  uint32_t root)
{
	uint8_t kind = t->spans[root].kind;
	uint32_t longest = SPAN_NONE;

	if (kind != SPAN_KIND_CONSUMER && kind != SPAN_KIND_INTERNAL)
		return root;
	for (uint32_t i = 0; i < t->span_count; i++)
		if (times->tree[i] == i && i != root &&
		    (longest == SPAN_NONE ||
		     span_duration_ns(&t->spans[i]) >
			     span_duration_ns(&t->spans[longest])))
			longest = i;
	if (longest == SPAN_NONE ||
	    span_duration_ns(&t->spans[longest]) <
		    sat_mul_i64(times->through_ns[root], POLL_RATIO))
		return root;
	return longest;
}

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

static bool path_allocate(struct path *p, struct arena *arena,
			  struct error *err)
{
	struct trace_times *times = p->times;
	size_t n = p->t->span_count;

	times->self_ns = arena_array(arena, n, sizeof *times->self_ns);
	times->critical_ns = arena_array(arena, n, sizeof *times->critical_ns);
	times->through_ns = arena_array(arena, n, sizeof *times->through_ns);
	times->shift_ns = arena_array(arena, n, sizeof *times->shift_ns);
	times->late_ns = arena_array(arena, n, sizeof *times->late_ns);
	times->tree = arena_array(arena, n, sizeof *times->tree);
	times->is_on_path = arena_array(arena, n, sizeof *times->is_on_path);
	if (!times->self_ns || !times->critical_ns || !times->through_ns ||
	    !times->shift_ns || !times->late_ns || !times->tree ||
	    !times->is_on_path)
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

static int64_t ns_clamp(int64_t value, int64_t low, int64_t high)
{
	return max_i64(low, min_i64(value, high));
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
	own->start_ns =
		ns_clamp(own->start_ns, parent->start_ns, parent->end_ns);
	own->end_ns = ns_clamp(own->end_ns, parent->start_ns, parent->end_ns);
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
static uint32_t path_gather(struct path *p, uint32_t span,
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
	uint32_t count = path_gather(p, span, p->whole);
	int64_t covered_to = own->start_ns;
	int64_t self = own->end_ns - own->start_ns;

	if (count > 1)
		qsort(p->children + p->t->spans[span].child_first, count,
		      sizeof *list, compare_start);
	for (uint32_t i = 0; i < count; i++) {
		int64_t from = max_i64(list[i].start_ns, covered_to);
		int64_t to = min_i64(list[i].end_ns, own->end_ns);

		if (to <= from)
			continue;
		self -= to - from;
		covered_to = to;
	}
	return self;
}

static struct frame path_enter(struct path *p, uint32_t span)
{
	const struct extent *own = &p->clipped[span];
	struct frame frame = { .span = span, .at_ns = own->end_ns };
	struct extent *list = p->children + p->t->spans[span].child_first;

	p->times->through_ns[span] = own->end_ns - own->start_ns;
	frame.count = path_gather(p, span, p->clipped);
	frame.last = frame.count;
	/* A shortened parent also shortens the spans below it. */
	for (uint32_t i = 0; i < frame.count; i++) {
		list[i].start_ns = min_i64(list[i].start_ns, frame.at_ns);
		list[i].end_ns = min_i64(list[i].end_ns, frame.at_ns);
		p->clipped[list[i].span] = list[i];
	}
	if (frame.count > 1)
		qsort(list, frame.count, sizeof *list, compare_end);
	return frame;
}

/* Returns whether a child starts after from and before to. */
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
		qsort(starts, f->count, sizeof *starts, compare_i64_items);
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
static void path_walk(struct path *p, uint32_t top)
{
	size_t depth = 0;

	p->frames[depth++] = path_enter(p, top);
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
		p->frames[depth++] = path_enter(p, child->span);
	}
}

static void path_compute(struct path *p)
{
	const struct trace *t = p->t;
	struct trace_times *times = p->times;
	uint32_t n = t->span_count, joined = SPAN_NONE, top;

	for (uint32_t i = 0; i < n; i++)
		p->whole[i] = (struct extent){
			.start_ns = sat_add_i64(t->spans[i].start_ns,
						times->shift_ns[i]),
			.end_ns = sat_add_i64(t->spans[i].end_ns,
					      times->shift_ns[i]),
			.span = i,
		};
	/* The end of a span was lost: it lasted at least as long as what it
	 * waited for, else all of that would look like work nobody waited
	 * for. */
	for (uint32_t i = n; i-- > 0;) {
		uint32_t span = p->order[i], parent = t->spans[span].parent;

		if (parent != SPAN_NONE && span_is_awaited(t, span) &&
		    (t->spans[parent].flags & SPAN_IS_UNFINISHED))
			p->whole[parent].end_ns = max_i64(
				p->whole[parent].end_ns, p->whole[span].end_ns);
	}
	for (uint32_t i = 0; i < n; i++)
		clip_span(p, p->order[i]);
	for (uint32_t i = 0; i < n; i++)
		times->self_ns[i] = self_time(p, i);
	for (uint32_t i = 0; i < n; i++) {
		if (times->tree[i] == i)
			path_walk(p, i);
	}
	if (!n)
		return;
	/* The trace that others were joined to is the requested one. */
	if (t->joined_root_id)
		joined = trace_find_span(t, t->joined_root_id);
	if (session_find(t, times, &times->session))
		top = times->session.slowest;
	else if (joined != SPAN_NONE)
		top = times->tree[joined];
	else
		top = session_poll_work(t, times, t->roots[0]);
	trace_times_focus(t, times, top);
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

/* Work that nobody waited for is worth a look of its own when it takes at
 * least this many times as long as the path of the request it belongs to. */
#define ASYNC_RATIO 2

bool trace_times_is_long_async(const struct trace_times *times, uint32_t span)
{
	return times->tree[span] == span && span != times->root &&
	       times->through_ns[span] >=
		       sat_mul_i64(times->path_ns, ASYNC_RATIO);
}

bool trace_times_compute(const struct trace *t, struct arena *arena,
			 struct trace_times *out, struct error *err)
{
	struct path p = { .t = t, .times = out, .session_root = SPAN_NONE };
	bool is_done;

	/* The longest root, when it stands for a session. */
	if (t->root_count && session_is_root(t, t->roots[0]))
		p.session_root = t->roots[0];
	*out = (struct trace_times){ .root = SPAN_NONE };
	arena_init(&p.scratch, LIMIT_DECODE_HEAP_BYTES);
	is_done = path_allocate(&p, arena, err);
	if (is_done) {
		order_spans(&p);
		is_done = whole_starts_find(t, p.order, out->late_ns, err) &&
			  clock_shifts_compute(t, p.order, out->late_ns,
					       out->shift_ns, err);
	}
	for (uint32_t i = 0; is_done && i < t->span_count; i++) {
		out->shift_ns[i] =
			sat_add_i64(out->shift_ns[i], out->late_ns[i]);
		out->late_count += out->late_ns[i] != 0;
	}
	if (is_done)
		path_compute(&p);
	arena_release(&p.scratch);
	return is_done;
}
