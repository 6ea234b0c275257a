/* SPDX-License-Identifier: Apache-2.0
 *
 * Trace events for Perfetto and chrome://tracing: the "Trace Event Format",
 * complete events (ph X) and metadata (ph M). A process is a service; its spans
 * that overlap without nesting are in separate lanes, since events of a thread
 * must nest.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/timefmt.h"
#include "render/render.h"

/* A span to place; sorted so that parents come before their children. */
struct placed {
	int64_t start_ns;
	int64_t end_ns;
	struct str service;
	size_t at; /* row */
	uint32_t pid;
	uint32_t tid;
};

/* Open spans of a lane, innermost last, are a linked list: below[] is the
 * enclosing one. */
struct lane {
	size_t top;     /* index into items, NONE: empty */
	int64_t end_ns; /* end of the outermost: the lane is free then */
	uint32_t tid;
};

#define NONE SIZE_MAX

struct layout {
	struct placed *items;
	size_t count;
	size_t *below;      /* by item: the enclosing one in its lane */
	struct lane *lanes; /* of the current service, by tid - 1 */
	uint32_t lane_count;
	uint32_t *heap;  /* min-heap of lanes by end_ns, then tid */
	uint32_t *owner; /* by span: lane of its item, once placed */
};

static int compare_items(const void *left, const void *right)
{
	const struct placed *a = left, *b = right;
	int order = str_compare(a->service, b->service);

	if (!order)
		order = compare_i64(a->start_ns, b->start_ns);
	if (!order)
		order = compare_i64(b->end_ns, a->end_ns);
	return order ? order : compare_u64(a->at, b->at);
}

/* ---- lanes ---- */

static bool is_earlier(const struct layout *l, uint32_t a, uint32_t b)
{
	if (l->lanes[a].end_ns != l->lanes[b].end_ns)
		return l->lanes[a].end_ns < l->lanes[b].end_ns;
	return a < b;
}

static void lanes_swap(uint32_t *a, uint32_t *b)
{
	uint32_t c = *a;

	*a = *b;
	*b = c;
}

/* Restores the heap after its first lane got a later end. */
static void sink_first(struct layout *l)
{
	uint32_t at = 0;

	for (;;) {
		uint32_t least = at;

		for (uint32_t c = 2 * at + 1; c <= 2 * at + 2; c++)
			if (c < l->lane_count &&
			    is_earlier(l, l->heap[c], l->heap[least]))
				least = c;
		if (least == at)
			return;
		lanes_swap(&l->heap[at], &l->heap[least]);
		at = least;
	}
}

/* Returns a free lane, or a new one. */
static uint32_t free_lane(struct layout *l, const struct placed *item)
{
	uint32_t lane = l->lane_count ? l->heap[0] : 0;

	if (!l->lane_count || l->lanes[lane].end_ns > item->start_ns) {
		lane = l->lane_count++;
		l->heap[lane] = lane;
		l->lanes[lane] = (struct lane){ .tid = lane + 1 };
		l->lanes[lane].end_ns = item->end_ns;
		for (uint32_t at = lane; at; at = (at - 1) / 2) {
			if (!is_earlier(l, l->heap[at], l->heap[(at - 1) / 2]))
				break;
			lanes_swap(&l->heap[at], &l->heap[(at - 1) / 2]);
		}
	} else {
		l->lanes[lane].end_ns = item->end_ns;
		sink_first(l);
	}
	l->lanes[lane].top = NONE;
	return lane;
}

/* Prefers the parent's lane if the span nests there, so that calls within a
 * service are stacked. */
static void span_place(struct layout *l, const struct trace *t, size_t i,
		       uint32_t span, struct str service)
{
	struct placed *item = &l->items[i];
	uint32_t parent = t->spans[span].parent;
	uint32_t lane = UINT32_MAX;
	size_t top = NONE;

	if (parent != SPAN_NONE && str_equal(span_service(t, parent), service))
		lane = l->owner[parent];
	if (lane != UINT32_MAX) {
		/* Closes spans that have ended. */
		top = l->lanes[lane].top;
		while (top != NONE && l->items[top].end_ns <= item->start_ns)
			top = l->below[top];
		l->lanes[lane].top = top;
	}
	if (top == NONE || l->items[top].end_ns < item->end_ns)
		lane = free_lane(l, item);
	l->below[i] = l->lanes[lane].top;
	l->lanes[lane].top = i;
	l->owner[span] = lane;
	item->tid = l->lanes[lane].tid;
}

static void layout_release(struct layout *l)
{
	mem_free(l->items);
	mem_free(l->below);
	mem_free(l->lanes);
	mem_free(l->heap);
	mem_free(l->owner);
}

static void lay_out(struct layout *l, const struct render_input *in)
{
	const struct trace *t = in->trace;
	const struct waterfall_row *rows = in->result->spans;
	uint32_t pid = 0;

	for (uint32_t i = 0; i < t->span_count; i++)
		l->owner[i] = UINT32_MAX;
	for (size_t i = 0; i < l->count; i++)
		l->items[i] = (struct placed){
			.start_ns = t->spans[rows[i].span].start_ns,
			.end_ns = t->spans[rows[i].span].end_ns,
			.service = span_service(t, rows[i].span),
			.at = i,
		};
	if (l->count)
		qsort(l->items, l->count, sizeof *l->items, compare_items);
	for (size_t i = 0; i < l->count; i++) {
		if (!i ||
		    !str_equal(l->items[i].service, l->items[i - 1].service)) {
			pid++;
			l->lane_count = 0;
		}
		l->items[i].pid = pid;
		span_place(l, t, i, rows[l->items[i].at].span,
			   l->items[i].service);
	}
}

/* ---- events ---- */

static void put_args(struct jsonw *w, const struct trace *t,
		     const struct waterfall_row *row)
{
	const struct span *s = &t->spans[row->span];
	struct attr_list list;
	char id[17];

	jsonw_addf(w, "args:{");
	span_id_format(s->span_id, id);
	jsonw_pair_text(w, "span_id", id);
	span_id_format(s->parent_id, id);
	jsonw_addf(w, "parent_span_id:%s, self_us:", s->parent_id ? id : NULL);
	jsonw_thousandths(w, row->self_ns);
	jsonw_pair_bool(w, "on_critical_path", row->is_on_path);
	jsonw_pair_bool(w, "error", row->is_error);
	jsonw_pair_str(w, "status_message", trace_text(t, s->status_message));
	jsonw_addf(w, "attributes:{");
	attr_list_span(t, row->span, w->out, &list);
	attr_list_json(&list, w);
	attr_list_release(&list);
	jsonw_addf(w, "}}");
}

static void put_event(struct jsonw *w, const struct render_input *in,
		      const struct placed *item)
{
	const struct waterfall_row *row = &in->result->spans[item->at];
	const struct trace *t = in->trace;

	jsonw_addf(w, "{ph:X");
	jsonw_pair_str(w, "name", name_shown(span_name(t, row->span)));
	jsonw_addf(w, "cat:%s, pid:%u, tid:%u, ts:",
		   span_kind_word((enum span_kind)t->spans[row->span].kind),
		   item->pid, item->tid);
	jsonw_thousandths(w, sat_sub_i64(item->start_ns, t->start_ns));
	jsonw_key(w, "dur");
	jsonw_thousandths(w, sat_sub_i64(item->end_ns, item->start_ns));
	put_args(w, t, row);
	jsonw_object_end(w);
}

void render_chrome(const struct render_input *in, struct out *out)
{
	size_t room = in->result->span_count + 1;
	struct layout l = { .count = in->result->span_count };
	struct jsonw w;
	char id[33], start[TIME_RFC3339_BYTES];
	struct str shown;

	l.items = mem_calloc(room, sizeof *l.items);
	l.below = mem_calloc(room, sizeof *l.below);
	l.lanes = mem_calloc(room, sizeof *l.lanes);
	l.heap = mem_calloc(room, sizeof *l.heap);
	l.owner =
		mem_calloc((size_t)in->trace->span_count + 1, sizeof *l.owner);
	if (!l.items || !l.below || !l.lanes || !l.heap || !l.owner) {
		layout_release(&l);
		out_fail_memory(out);
		return;
	}
	lay_out(&l, in);
	jsonw_init(&w, out, 0);
	jsonw_object(&w);
	/* Times are relative to the start of the trace: viewers store them as
	 * doubles, which lose nanoseconds in microseconds since 1970. */
	trace_id_format(&in->trace->id, id);
	format_rfc3339(in->trace->start_ns, start);
	shown = trace_id_is_zero(&in->trace->id) ? STR("") : str_from(id);
	jsonw_addf(&w,
		   "displayTimeUnit:ns, otherData:{trace_id:%-.*s, start:%s}",
		   STR_WHOLE(shown), start);
	jsonw_addf(&w, "traceEvents:[");
	for (size_t i = 0; i < l.count; i++) {
		if (!i || l.items[i].pid != l.items[i - 1].pid) {
			jsonw_addf(&w,
				   "{ph:M, name:process_name, pid:%u, args:{",
				   l.items[i].pid);
			jsonw_pair_str(&w, "name",
				       name_shown(l.items[i].service));
			jsonw_addf(&w, "}}");
		}
		out_char(out, '\n');
		put_event(&w, in, &l.items[i]);
	}
	jsonw_addf(&w, "]}");
	out_char(out, '\n');
	layout_release(&l);
}
