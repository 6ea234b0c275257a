/* SPDX-License-Identifier: Apache-2.0
 *
 * Text of the answer of `show`: the trace as a tree with times and bars.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/jsonw.h"
#include "base/mem.h"
#include "base/num.h"
#include "model/trace.h"
#include "render/input.h"
#include "render/page.h"
#include "render/render.h"
#include "render/units.h"

/* Attributes for output: those used by the analysis and those read on request
 * in one list, sorted by key. */

static int compare_items(const void *left, const void *right)
{
	const struct attr_text *a = left, *b = right;
	int order = str_compare(a->key, b->key);

	return order ? order : compare_u64(a->at, b->at);
}

static void attr_add(struct attr_list *list, const struct trace *t,
		     uint32_t key, uint32_t value)
{
	list->items[list->count] = (struct attr_text){
		.key = trace_text(t, key),
		.value = trace_text(t, value),
		.at = list->count,
	};
	list->count++;
}

static void attrs_collect(const struct trace *t, const struct attr *attrs,
			  size_t attr_count, const struct detail *details,
			  size_t detail_count, enum detail_kind kind,
			  struct out *out, struct attr_list *list)
{
	size_t kept = 0;

	*list = (struct attr_list){ .count = 0 };
	list->items =
		mem_calloc(attr_count + detail_count + 1, sizeof *list->items);
	if (!list->items) {
		out_fail_memory(out);
		return;
	}
	for (size_t i = 0; i < attr_count; i++)
		attr_add(list, t, attrs[i].key, attrs[i].value);
	for (size_t i = 0; i < detail_count; i++)
		if (details[i].kind == kind)
			attr_add(list, t, details[i].key, details[i].value);
	qsort(list->items, list->count, sizeof *list->items, compare_items);
	/* Of duplicate keys the last one counts, as in decoding. */
	for (size_t i = 0; i < list->count; i++)
		if (i + 1 == list->count ||
		    !str_equal(list->items[i].key, list->items[i + 1].key))
			list->items[kept++] = list->items[i];
	list->count = kept;
}

void attr_list_span(const struct trace *t, uint32_t span, struct out *out,
		    struct attr_list *list)
{
	const struct span *s = &t->spans[span];

	attrs_collect(t, t->attrs + s->attr_first, s->attr_count,
		      t->details + s->detail_first, s->detail_count,
		      DETAIL_ATTR, out, list);
}

void attr_list_resource(const struct trace *t, uint32_t resource,
			struct out *out, struct attr_list *list)
{
	const struct resource *r = &t->resources[resource];

	attrs_collect(t, t->attrs + r->attr_first, r->attr_count,
		      t->details + r->detail_first, r->detail_count,
		      DETAIL_ATTR, out, list);
}

void attr_list_part(const struct trace *t, const struct detail *part,
		    const struct detail *end, struct out *out,
		    struct attr_list *list)
{
	enum detail_kind kind = part->kind == DETAIL_EVENT ? DETAIL_EVENT_ATTR
							   : DETAIL_LINK_ATTR;
	const struct detail *first = part + 1;
	size_t count = 0;

	while (first + count < end && first[count].kind == kind)
		count++;
	attrs_collect(t, NULL, 0, first, count, kind, out, list);
}

void attr_list_release(struct attr_list *list)
{
	mem_free(list->items);
	*list = (struct attr_list){ .count = 0 };
}

void attr_list_json(const struct attr_list *list, struct jsonw *w)
{
	for (size_t i = 0; i < list->count; i++) {
		jsonw_key_str(w, list->items[i].key);
		jsonw_str(w, list->items[i].value);
	}
}

/* A single span with everything known about it, and details of spans in a
 * waterfall. */

#define INDENT 2u
#define KEY_COLUMNS 30u
#define LABEL_COLUMNS 10u

/* Writes a value with its lines below each other, so that stack traces are
 * readable. */
static void write_value(struct page *p, struct str value, size_t indent)
{
	bool is_first = true;

	do {
		const char *end = memchr(value.ptr, '\n', value.len);
		size_t len = end ? (size_t)(end - value.ptr) : value.len;

		out_repeat(p->out, " ", is_first ? 0 : indent);
		page_cell(p, PAINT_NONE, str_slice(value, 0, len), 0, 0);
		out_char(p->out, '\n');
		is_first = false;
		value = str_slice(value, end ? len + 1 : len, value.len);
	} while (value.len);
}

static void write_attr(struct page *p, struct str key, struct str value,
		       size_t indent)
{
	out_repeat(p->out, " ", indent);
	page_cell(p, PAINT_DIM, key, 0, KEY_COLUMNS);
	out_repeat(p->out, " ", 2);
	write_value(p, value, indent + KEY_COLUMNS + 2);
}

static void write_list(struct page *p, const char *title,
		       const struct attr_list *list)
{
	if (!list->count)
		return;
	out_char(p->out, '\n');
	page_paint(p, PAINT_BOLD, title);
	out_char(p->out, '\n');
	for (size_t i = 0; i < list->count; i++)
		write_attr(p, list->items[i].key, list->items[i].value, INDENT);
}

/* ---- events and links ---- */

static void write_event_head(struct page *p, const struct trace *t,
			     const struct span *s, const struct detail *d,
			     size_t indent)
{
	int64_t after_ns = sat_sub_i64(d->time_ns, s->start_ns);
	char text[UNIT_TEXT_BYTES];

	/* An event may be before the span, by clock skew or wrong
	 * instrumentation. */
	format_duration(after_ns < 0 ? sat_sub_i64(0, after_ns) : after_ns,
			text);
	out_repeat(p->out, " ", indent);
	page_paint(p, PAINT_DIM, after_ns < 0 ? "-" : "+");
	page_field(p, PAINT_DIM, ALIGN_LEFT, 9, text);
	page_cell(p, PAINT_NONE, name_shown(trace_text(t, d->key)), 0, 0);
	out_char(p->out, '\n');
}

/* title NULL: none, and the parts follow directly. */
static void write_parts(struct page *p, const struct trace *t,
			const struct span *s, enum detail_kind kind,
			const char *title, size_t indent)
{
	enum detail_kind below =
		kind == DETAIL_EVENT ? DETAIL_EVENT_ATTR : DETAIL_LINK_ATTR;
	const struct detail *details = t->details + s->detail_first;
	uint32_t first = 0;

	while (first < s->detail_count && details[first].kind != kind)
		first++;
	if (first == s->detail_count)
		return;
	if (title) {
		out_char(p->out, '\n');
		page_paint(p, PAINT_BOLD, title);
		out_char(p->out, '\n');
	}
	for (uint32_t i = 0; i < s->detail_count; i++) {
		const struct detail *d = &details[i];

		if (d->kind == kind && kind == DETAIL_EVENT) {
			write_event_head(p, t, s, d, indent);
		} else if (d->kind == kind) {
			out_repeat(p->out, " ", indent);
			page_cell(p, PAINT_DIM, STR("trace"), 0, 6);
			page_cell(p, PAINT_NONE, trace_text(t, d->key), 0, 0);
			page_cell(p, PAINT_DIM, STR("  span"), 0, 7);
			page_cell(p, PAINT_NONE, trace_text(t, d->value), 0, 0);
			out_char(p->out, '\n');
		} else if (d->kind == below) {
			write_attr(p, trace_text(t, d->key),
				   trace_text(t, d->value), indent + 2);
		}
	}
}

static void write_failure(struct page *p, const struct trace *t, uint32_t span,
			  size_t indent)
{
	struct str text = trace_text(t, t->spans[span].status_message);
	struct str error = span_attr(t, span, STR("error"));

	if (!text.len)
		text = error.ptr ? error
				 : span_attr(t, span, STR("error.type"));
	if (!text.len)
		return;
	out_repeat(p->out, " ", indent);
	page_paint(p, PAINT_BAD, "! ");
	write_value(p, text, indent + 2);
}

/* ---- single span ---- */

/* Maximum spans of the path from the root, as in the answer of `slow`. */
#define PATH_SPANS 12u

static void write_path(struct page *p, const struct trace *t, uint32_t span)
{
	uint32_t path[PATH_SPANS];
	size_t count = 0;
	uint32_t at = span;

	for (; at != SPAN_NONE && count < PATH_SPANS; at = t->spans[at].parent)
		path[count++] = at;
	if (at != SPAN_NONE)
		page_text(p, "... > ");
	while (count-- > 0) {
		uint32_t parent = t->spans[path[count]].parent;
		struct str service = span_service(t, path[count]);

		if (parent == SPAN_NONE ||
		    !str_equal(service, span_service(t, parent))) {
			page_name(p, service, 0);
			page_text(p, " ");
		}
		page_name(p, span_name(t, path[count]), 0);
		page_text(p, count ? " > " : "");
	}
	page_flush(p, PAINT_NONE, "  where", LABEL_COLUMNS);
}

static void write_span_times(struct page *p, const struct trace *t,
			     const struct waterfall_row *row)
{
	const struct span *s = &t->spans[row->span];
	char text[UNIT_TEXT_BYTES];
	struct page_time start;

	page_time(p, s->start_ns, t->start_ns, &start);
	format_duration(sat_sub_i64(s->start_ns, t->start_ns), text);
	page_textf(p, "%s %s %s, %s after the trace began", start.date,
		   start.clock, start.zone, text);
	page_flush(p, PAINT_NONE, "  start", LABEL_COLUMNS);
	format_duration(row->self_ns, text);
	page_textf(p, "self %s", text);
	format_duration(row->critical_ns, text);
	if (row->is_on_path)
		page_textf(p, ", %s of it on the critical path", text);
	else
		page_text(p, ", not on the critical path");
	format_count(s->child_count, text);
	page_textf(p, "; %s, %s %s", span_kind_word((enum span_kind)s->kind),
		   text, s->child_count == 1 ? "child" : "children");
	page_flush(p, PAINT_NONE, "  time", LABEL_COLUMNS);
}

static void span_answer(struct page *p, const struct render_input *in)
{
	const struct trace *t = in->trace;
	uint32_t span = in->result->view.span;
	char text[UNIT_TEXT_BYTES];

	page_name(p, span_service(t, span), p->width / 4);
	page_text(p, "  ");
	page_name(p, span_name(t, span), p->width / 3);
	page_text(p, "  duration ");
	format_duration(span_duration_ns(&t->spans[span]), text);
	page_number(p, text);
	page_flush(p, PAINT_BOLD, "", 0);
}

static void write_ids(struct page *p, const struct trace *t, uint32_t span)
{
	char id[33];

	span_id_format(t->spans[span].span_id, id);
	page_textf(p, "span %s", id);
	if (!trace_id_is_zero(&t->id)) {
		trace_id_format(&t->id, id);
		page_textf(p, " of trace %s", id);
	}
	page_flush(p, PAINT_NONE, "", 0);
	out_char(p->out, '\n');
}

static void span_evidence(struct page *p, const struct render_input *in)
{
	const struct trace *t = in->trace;
	uint32_t span = in->result->view.span;
	const struct span *s = &t->spans[span];
	const struct waterfall_row *row = NULL;

	for (size_t i = 0; i < in->result->span_count && !row; i++)
		if (in->result->spans[i].span == span)
			row = &in->result->spans[i];
	write_path(p, t, span);
	if (row)
		write_span_times(p, t, row);
	if (s->flags & SPAN_IS_ERROR) {
		page_text(p, "yes");
		if (s->status_message)
			page_text(p, ": ");
		page_foreign(p, trace_text(t, s->status_message));
		page_flush(p, PAINT_BAD, "  failed", LABEL_COLUMNS);
	}
}

/* show --span: a span with everything known about it. */
static void span_detail_render(struct page *p, const struct render_input *in)
{
	const struct trace *t = in->trace;
	uint32_t span = in->result->view.span;
	const struct span *s = &t->spans[span];
	struct attr_list list;

	span_answer(p, in);
	write_ids(p, t, span);
	span_evidence(p, in);
	attr_list_span(t, span, p->out, &list);
	write_list(p, "attributes", &list);
	attr_list_release(&list);
	attr_list_resource(t, s->resource, p->out, &list);
	write_list(p, "resource", &list);
	attr_list_release(&list);
	write_parts(p, t, s, DETAIL_EVENT, "events", INDENT);
	write_parts(p, t, s, DETAIL_LINK, "links", INDENT);
	report_tail(p, in->result, STR(""), STR(""));
}

/* ">*! ": guilty, on the critical path, error. */
#define MARK_COLUMNS 4u
#define TIME_COLUMNS 9u
#define GAP_COLUMNS 2u
#define FIXED_COLUMNS (MARK_COLUMNS + 3 * TIME_COLUMNS + GAP_COLUMNS)

/* Tree lines, two columns per level. Deeper rows are drawn at the last level
 * and show their depth. */
#define LEVEL_COLUMNS 2u
#define LEVELS_MAX 64u

#define BAR_MIN_COLUMNS 12u
#define BAR_MAX_COLUMNS 60u
#define BAR_UNCUT_COLUMNS 40u
#define LABEL_MIN_COLUMNS 20u
/* Tree lines are shortened to keep this width of the name, and dropped to keep
 * the second. */
#define NAME_MIN_COLUMNS 8u
#define NAME_LEAST_COLUMNS 4u

struct waterfall {
	const struct trace *trace;
	const struct waterfall_row *rows;
	size_t count;
	bool *has_next;   /* by row: it has a later sibling */
	int64_t start_ns; /* of the trace */
	int64_t duration_ns;
	size_t label_columns; /* 0 = unlimited */
	size_t label_pad;
	size_t bar_columns;
	uint32_t levels; /* tree levels drawn */
	bool is_terse;   /* show services only where they change */
	bool has_path;
	bool has_error;
	bool has_guilty;
	bool has_hidden;
};

/* Parts of a label besides service and name, which come before `repeat`. */
struct label {
	uint32_t levels;
	char depth[UNIT_TEXT_BYTES];      /* "(312) " when too deep to draw */
	char repeat[2 * UNIT_TEXT_BYTES]; /* "  x52", "  +12 spans" */
};

/* ---- layout ---- */

/* From the last row to the first: remembers the next row of each level until a
 * shallower one. */
static void find_siblings(struct waterfall *w)
{
	bool is_open[LEVELS_MAX + 1] = { false };

	for (size_t i = w->count; i-- > 0;) {
		uint32_t depth = w->rows[i].depth;

		if (depth > LEVELS_MAX)
			continue;
		w->has_next[i] = is_open[depth];
		is_open[depth] = true;
		for (uint32_t d = depth + 1; d <= LEVELS_MAX; d++)
			is_open[d] = false;
	}
}

static size_t label_columns(const struct label *label)
{
	return label->levels * LEVEL_COLUMNS + str_from(label->depth).len +
	       str_from(label->repeat).len + 1;
}

static struct label label_of(const struct waterfall *w,
			     const struct waterfall_row *row)
{
	struct label label = { 0 };

	label.levels = row->depth < w->levels ? row->depth : w->levels;
	if (row->depth > w->levels)
		snprintf(label.depth, sizeof label.depth, "(%u) ",
			 (unsigned)row->depth);
	if (row->count > 1)
		snprintf(label.repeat, sizeof label.repeat, "  x%u",
			 (unsigned)row->count);
	if (row->hidden) {
		size_t len = strlen(label.repeat);

		snprintf(label.repeat + len, sizeof label.repeat - len, "  +%u",
			 (unsigned)row->hidden);
	}
	while (w->label_columns && label.levels &&
	       label_columns(&label) + NAME_MIN_COLUMNS > w->label_columns)
		label.levels--;
	return label;
}

/* Returns the service to show: empty if it is the same as the parent's and
 * space is scarce. */
static struct str row_service(const struct waterfall *w,
			      const struct waterfall_row *row)
{
	uint32_t parent = w->trace->spans[row->span].parent;
	struct str service = span_service(w->trace, row->span);

	if (w->is_terse && row->depth && parent != SPAN_NONE &&
	    str_equal(service, span_service(w->trace, parent)))
		return STR("");
	return service;
}

static size_t widest_label(struct page *p, const struct waterfall *w)
{
	size_t widest = LABEL_MIN_COLUMNS;

	for (size_t i = 0; i < w->count; i++) {
		const struct waterfall_row *row = &w->rows[i];
		struct label label = label_of(w, row);
		size_t columns =
			label_columns(&label) +
			page_columns(p, row_service(w, row), 0) +
			page_columns(p,
				     name_shown(span_name(w->trace, row->span)),
				     0);

		if (columns > widest)
			widest = columns;
	}
	return widest;
}

/* Names get the space they need as long as bars keep a sixth of the line. */
static void lay_out(struct page *p, struct waterfall *w)
{
	size_t room;
	size_t label;

	w->levels = LEVELS_MAX;
	if (!p->width) {
		label = widest_label(p, w);
		w->label_pad =
			label < PAGE_ALIGN_COLUMNS ? label : PAGE_ALIGN_COLUMNS;
		w->bar_columns = BAR_UNCUT_COLUMNS;
		return;
	}
	room = p->width - FIXED_COLUMNS;
	w->bar_columns = p->width / 6;
	if (w->bar_columns < BAR_MIN_COLUMNS)
		w->bar_columns = BAR_MIN_COLUMNS;
	if (room < w->bar_columns + LABEL_MIN_COLUMNS)
		w->bar_columns = room - LABEL_MIN_COLUMNS;
	w->levels = (uint32_t)((room - w->bar_columns) / 2 / LEVEL_COLUMNS);
	if (w->levels > LEVELS_MAX)
		w->levels = LEVELS_MAX;
	label = widest_label(p, w);
	w->is_terse = label > room - w->bar_columns;
	if (w->is_terse)
		label = widest_label(p, w);
	if (label > room - w->bar_columns)
		label = room - w->bar_columns;
	w->label_columns = label;
	w->label_pad = label;
	w->bar_columns = room - label;
	if (w->bar_columns > BAR_MAX_COLUMNS)
		w->bar_columns = BAR_MAX_COLUMNS;
}

/* ---- rows ---- */

/* is_going[d]: the line of level d + 1 continues below this row. */
static void write_tree(struct page *p, uint32_t levels, const bool *is_going)
{
	bool is_unicode = p->style.use_unicode;

	for (uint32_t d = 1; d < levels; d++)
		page_paint(p, PAINT_DIM,
			   !is_going[d] ? "  "
			   : is_unicode ? "│ "
					: "| ");
	if (!levels)
		return;
	if (is_going[levels])
		page_paint(p, PAINT_DIM, is_unicode ? "├ " : "|-");
	else
		page_paint(p, PAINT_DIM, is_unicode ? "└ " : "`-");
}

static void write_label(struct page *p, const struct waterfall *w, size_t i,
			const bool *is_going)
{
	const struct waterfall_row *row = &w->rows[i];
	struct str service = row_service(w, row);
	struct str name = name_shown(span_name(w->trace, row->span));
	struct label label = label_of(w, row);
	size_t used = label_columns(&label);
	/* For service and name, 0 = unlimited. */
	size_t room = !w->label_columns ? 0
		      : w->label_columns > used + NAME_LEAST_COLUMNS
			      ? w->label_columns - used
			      : NAME_LEAST_COLUMNS;
	size_t columns = page_columns(p, service, room / 2);
	size_t name_max = room ? room - columns : 0;

	write_tree(p, label.levels, is_going);
	page_paint(p, PAINT_DIM, label.depth);
	page_cell(p, paint_of_name(span_service(w->trace, row->span)), service,
		  room / 2, 0);
	out_text(p->out, service.len ? " " : "");
	used += columns + page_columns(p, name, name_max);
	page_cell(p,
		  row->is_error    ? PAINT_BAD
		  : row->is_guilty ? PAINT_BOLD
				   : PAINT_NONE,
		  name, name_max, 0);
	page_paint(p, PAINT_BOLD, label.repeat);
	used -= service.len ? 0 : 1;
	if (used < w->label_pad)
		out_repeat(p->out, " ", w->label_pad - used);
}

static void write_time(struct page *p, int64_t time_ns)
{
	char text[UNIT_TEXT_BYTES];

	format_duration(time_ns, text);
	page_field(p, PAINT_NONE, ALIGN_RIGHT, TIME_COLUMNS, text);
}

/* Computes part * cells / whole without overflow; whole > 0, cells small. */
static size_t cells_scale(int64_t part, int64_t whole, size_t cells)
{
	const int64_t safe = INT64_MAX / PAGE_MAX_COLUMNS;

	if (part <= 0)
		return 0;
	if (part >= whole)
		return cells;
	if (whole > safe) {
		part /= PAGE_MAX_COLUMNS;
		whole /= PAGE_MAX_COLUMNS;
	}
	return (size_t)(part * (int64_t)cells / whole);
}

static void write_span_bar(struct page *p, const struct waterfall *w,
			   const struct waterfall_row *row)
{
	const char *unicode = row->is_on_path ? "█" : "▒";
	const char *ascii = row->is_on_path ? "#" : "=";
	enum paint paint = paint_of_name(span_service(w->trace, row->span));
	size_t from = cells_scale(sat_sub_i64(row->start_ns, w->start_ns),
				  w->duration_ns, w->bar_columns);
	size_t to = cells_scale(sat_sub_i64(row->end_ns, w->start_ns),
				w->duration_ns, w->bar_columns);

	/* The shortest span is still visible. */
	if (from == w->bar_columns)
		from--;
	if (to <= from)
		to = from + 1;
	if (row->is_error || row->is_guilty)
		paint = PAINT_BAD;
	out_repeat(p->out, " ", from);
	page_repeat(p, paint, p->style.use_unicode ? unicode : ascii,
		    to - from);
}

static void write_row(struct page *p, const struct waterfall *w, size_t i,
		      const bool *is_going)
{
	const struct waterfall_row *row = &w->rows[i];

	page_field(p, PAINT_BAD, ALIGN_LEFT, 1, row->is_guilty ? ">" : "");
	page_field(p, PAINT_MARK, ALIGN_LEFT, 1, row->is_on_path ? "*" : "");
	page_field(p, PAINT_BAD, ALIGN_LEFT, 2, row->is_error ? "!" : "");
	write_label(p, w, i, is_going);
	write_time(p, sat_sub_i64(row->start_ns, w->start_ns));
	write_time(p, row->duration_ns);
	write_time(p, row->self_ns);
	out_repeat(p->out, " ", GAP_COLUMNS);
	write_span_bar(p, w, row);
	out_char(p->out, '\n');
}

static void write_rows(struct page *p, const struct waterfall *w,
		       const struct render_input *in)
{
	const struct show_view *view = &in->result->view;
	bool is_going[LEVELS_MAX + 1] = { false };
	bool is_orphan = false;

	out_repeat(p->out, " ", MARK_COLUMNS);
	page_field(p, PAINT_DIM, ALIGN_LEFT, w->label_pad, "service and span");
	page_field(p, PAINT_DIM, ALIGN_RIGHT, TIME_COLUMNS, "start");
	page_field(p, PAINT_DIM, ALIGN_RIGHT, TIME_COLUMNS, "duration");
	page_field(p, PAINT_DIM, ALIGN_RIGHT, TIME_COLUMNS, "self");
	out_char(p->out, '\n');
	for (size_t i = 0; i < w->count; i++) {
		const struct span *span = &w->trace->spans[w->rows[i].span];
		bool is_failed = span->flags & SPAN_IS_ERROR;
		uint32_t depth = w->rows[i].depth;
		size_t indent = MARK_COLUMNS +
				LEVEL_COLUMNS * (depth < w->levels ? depth + 1
								   : w->levels);

		/* Trees with a missing parent have a separate heading, unless
		 * there are no others: then the caller does not send spans. */
		if (!depth) {
			bool was_orphan = is_orphan;

			is_orphan = w->trace->root_count != 1 &&
				    span->flags & SPAN_IS_ORPHAN;
			if (is_orphan && !was_orphan)
				page_text(p, "their parent is not in the "
					     "trace:");
			else if (!is_orphan && was_orphan)
				page_text(p, "roots:");
			page_flush(p, PAINT_DIM, "", MARK_COLUMNS);
		}
		if (depth <= LEVELS_MAX)
			is_going[depth] = w->has_next[i];
		write_row(p, w, i, is_going);
		if (is_failed && (view->has_events || view->has_errors))
			write_failure(p, w->trace, w->rows[i].span, indent);
		if (view->has_events || (view->has_errors && is_failed))
			write_parts(p, w->trace, span, DETAIL_EVENT, NULL,
				    indent);
	}
}

/* ---- first and last lines ---- */

static void add_plural(struct page *p, const char *between, size_t count,
		       const char *noun)
{
	char text[UNIT_TEXT_BYTES];

	format_count((int64_t)count, text);
	page_textf(p, "%s%s %s%s", between, text, noun, count == 1 ? "" : "s");
}

/* Returns the top span, even if its row is not shown: the root. Chrome traces,
 * which have no id, have threads with any number of roots: the longest. */
static uint32_t find_top(const struct waterfall *w)
{
	const struct trace *t = w->trace;
	uint32_t top = t->root_count ? t->roots[0] : SPAN_NONE;

	if (!trace_id_is_zero(&t->id) || !t->root_count)
		return w->count ? w->rows[0].span : top;
	for (uint32_t i = 1; i < t->root_count; i++)
		if (span_duration_ns(&t->spans[t->roots[i]]) >
		    span_duration_ns(&t->spans[top]))
			top = t->roots[i];
	return top;
}

/* Writes the duration of the trace, which work after the response may extend,
 * by days if a message waits, and that of its root; for threads no root
 * represents the whole. */
static void write_times(struct page *p, const struct waterfall *w)
{
	const struct trace *t = w->trace;
	uint32_t top = find_top(w);
	int64_t trace_ns = sat_sub_i64(t->end_ns, t->start_ns);
	int64_t top_ns = trace_ns;
	char root[UNIT_TEXT_BYTES], whole[UNIT_TEXT_BYTES];
	bool is_of_threads;

	if (top != SPAN_NONE)
		top_ns = span_duration_ns(&t->spans[top]);
	format_duration(top_ns, root);
	format_duration(trace_ns, whole);
	is_of_threads = trace_id_is_zero(&t->id) && strcmp(root, whole) != 0;
	if (is_of_threads) {
		page_text(p, "the whole trace  took ");
		page_number(p, whole);
		page_text(p, ", its longest root ");
	}
	if (top != SPAN_NONE) {
		page_name(p, span_service(t, top), p->width / 4);
		page_text(p, "  ");
		page_name(p, span_name(t, top), p->width / 3);
		page_text(p, "  ");
	}
	page_text(p, is_of_threads ? "" : "duration ");
	page_number(p, root);
	if (is_of_threads || strcmp(root, whole) == 0)
		return;
	page_text(p, ", the whole trace ");
	page_number(p, whole);
}

static void write_answer(struct page *p, const struct waterfall *w)
{
	size_t errors = 0;

	for (uint32_t i = 0; i < w->trace->span_count; i++)
		errors += w->trace->spans[i].flags & SPAN_IS_ERROR;
	write_times(p, w);
	add_plural(p, ": ", w->trace->span_count, "span");
	add_plural(p, " in ", w->trace->service_count, "service");
	if (errors)
		add_plural(p, ", ", errors, "error");
	page_flush(p, PAINT_BOLD, "", 0);
}

void trace_origin(struct page *p, const struct render_input *in)
{
	const struct result *r = in->result;
	struct page_time start;

	if (r->has_trace && r->trace.id.len) {
		page_text(p, "trace ");
		page_name(p, r->trace.id, 0);
		page_text(p, ", ");
	}
	page_time(p, r->trace.start_ns, r->trace.start_ns, &start);
	page_textf(p, "%s %.12s %s", start.date, start.clock, start.zone);
	if (r->has_trace && r->trace.source.len) {
		page_text(p, ", from ");
		page_name(p, r->trace.source, 0);
	}
	if (r->trace.is_partial)
		page_text(p, ", incomplete: the server left spans out");
	page_flush(p, PAINT_NONE, "", 0);
}

static void write_legend(struct page *p, const struct waterfall *w)
{
	if (w->has_guilty)
		page_text(p, "> where the time went   ");
	if (w->has_path)
		page_text(p, "* on the critical path   ");
	if (w->has_error)
		page_text(p, "! error   ");
	if (w->has_hidden)
		page_text(p, "+ spans below it, left out");
	while (p->line.len && p->line.data[p->line.len - 1] == ' ')
		p->line.len--;
	if (p->line.len)
		out_char(p->out, '\n');
	page_flush(p, PAINT_DIM, "", 0);
}

static struct waterfall waterfall_of(const struct render_input *in)
{
	struct waterfall w = {
		.trace = in->trace,
		.rows = in->result->waterfall,
		.count = in->result->waterfall_count,
		.start_ns = in->trace->start_ns,
		.duration_ns =
			sat_sub_i64(in->trace->end_ns, in->trace->start_ns),
	};

	if (w.duration_ns < 1)
		w.duration_ns = 1;
	return w;
}

void show_answer(struct page *p, const struct render_input *in)
{
	struct waterfall w = waterfall_of(in);

	if (in->result->view.is_one)
		span_answer(p, in);
	else
		write_answer(p, &w);
}

void show_evidence(struct page *p, const struct render_input *in)
{
	if (in->result->view.is_one)
		span_evidence(p, in);
}

static void render_text(struct page *p, const struct render_input *in)
{
	const struct result *r = in->result;
	struct waterfall w = waterfall_of(in);
	char some[UNIT_TEXT_BYTES], all[UNIT_TEXT_BYTES];

	if (r->view.is_one) {
		span_detail_render(p, in);
		return;
	}
	w.has_next = mem_calloc(w.count, sizeof *w.has_next);
	if (!w.has_next) {
		out_fail_memory(p->out);
		return;
	}
	find_siblings(&w);
	for (size_t i = 0; i < w.count; i++) {
		w.has_path |= w.rows[i].is_on_path;
		w.has_error |= w.rows[i].is_error;
		w.has_guilty |= w.rows[i].is_guilty;
		w.has_hidden |= w.rows[i].hidden != 0;
	}
	lay_out(p, &w);
	write_answer(p, &w);
	if (!p->style.is_quiet)
		trace_origin(p, in);
	out_char(p->out, '\n');
	write_rows(p, &w, in);
	/* Writes how many rows a selection left out, and how to see them. */
	if (r->waterfall_total) {
		format_count((int64_t)r->waterfall_count, some);
		format_count((int64_t)r->waterfall_total, all);
		page_textf(p, "%s of %s rows", some, all);
		page_flush(p, PAINT_DIM, "", MARK_COLUMNS);
	}
	if (!p->style.is_quiet)
		write_legend(p, &w);
	report_tail(p, r, STR(""), STR(""));
	mem_free(w.has_next);
}

/* Columns and lines must be preserved: a code block in Markdown. */
void waterfall_render(struct page *p, const struct render_input *in)
{
	if (p->style.is_markdown)
		markdown_text(p, in, render_text);
	else
		render_text(p, in);
}
