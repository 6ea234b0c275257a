/* SPDX-License-Identifier: Apache-2.0
 *
 * One span with all that is known of it, and what spans say in a waterfall.
 */
#include <string.h>

#include "base/num.h"
#include "render/formats.h"
#include "render/units.h"

#define INDENT 2u
#define KEY_COLUMNS 30u
#define LABEL_COLUMNS 10u

/* A value as it is, each of its lines below the other: a stack trace has to
 * stay readable. */
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

	/* Clocks and instrumentation err; so may an event. */
	format_duration(after_ns < 0 ? sat_sub_i64(0, after_ns) : after_ns,
			text);
	out_repeat(p->out, " ", indent);
	page_paint(p, PAINT_DIM, after_ns < 0 ? "-" : "+");
	page_field(p, PAINT_DIM, ALIGN_LEFT, 9, text);
	page_cell(p, PAINT_NONE, name_shown(trace_text(t, d->key)), 0, 0);
	out_char(p->out, '\n');
}

static void write_link_head(struct page *p, const struct trace *t,
			    const struct detail *d, size_t indent)
{
	out_repeat(p->out, " ", indent);
	page_cell(p, PAINT_DIM, STR("trace"), 0, 6);
	page_cell(p, PAINT_NONE, trace_text(t, d->key), 0, 0);
	page_cell(p, PAINT_DIM, STR("  span"), 0, 7);
	page_cell(p, PAINT_NONE, trace_text(t, d->value), 0, 0);
	out_char(p->out, '\n');
}

static bool has_parts(const struct trace *t, const struct span *s,
		      enum detail_kind kind)
{
	for (uint32_t i = 0; i < s->detail_count; i++)
		if (t->details[s->detail_first + i].kind == kind)
			return true;
	return false;
}

/* title NULL: none, and the parts follow at once. */
static void write_parts(struct page *p, const struct trace *t,
			const struct span *s, enum detail_kind kind,
			const char *title, size_t indent)
{
	enum detail_kind below =
		kind == DETAIL_EVENT ? DETAIL_EVENT_ATTR : DETAIL_LINK_ATTR;

	if (!has_parts(t, s, kind))
		return;
	if (title) {
		out_char(p->out, '\n');
		page_paint(p, PAINT_BOLD, title);
		out_char(p->out, '\n');
	}
	for (uint32_t i = 0; i < s->detail_count; i++) {
		const struct detail *d = &t->details[s->detail_first + i];

		if (d->kind == kind && kind == DETAIL_EVENT)
			write_event_head(p, t, s, d, indent);
		else if (d->kind == kind)
			write_link_head(p, t, d, indent);
		else if (d->kind == below)
			write_attr(p, trace_text(t, d->key),
				   trace_text(t, d->value), indent + 2);
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

void span_events_write(struct page *p, const struct render_input *in,
		       uint32_t span, size_t indent)
{
	const struct show_view *view = &in->result->view;
	const struct span *s = &in->trace->spans[span];
	bool is_failed = s->flags & SPAN_IS_ERROR;

	if (is_failed)
		write_failure(p, in->trace, span, indent);
	if (view->has_events || is_failed)
		write_parts(p, in->trace, s, DETAIL_EVENT, NULL, indent);
}

/* ---- one span ---- */

/* The way down from the root, as in the answer of `slow`. */
#define PATH_SPANS 12u

static void add_step(struct page *p, const struct trace *t, uint32_t span)
{
	uint32_t parent = t->spans[span].parent;
	struct str service = span_service(t, span);

	if (parent == SPAN_NONE ||
	    !str_equal(service, span_service(t, parent))) {
		page_name(p, service, 0);
		page_text(p, " ");
	}
	page_name(p, span_name(t, span), 0);
}

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
		add_step(p, t, path[count]);
		page_text(p, count ? " > " : "");
	}
	page_flush(p, PAINT_NONE, "  where", LABEL_COLUMNS);
}

static const struct waterfall_row *row_of(const struct result *r, uint32_t span)
{
	for (size_t i = 0; i < r->span_count; i++)
		if (r->spans[i].span == span)
			return &r->spans[i];
	return NULL;
}

static void write_times(struct page *p, const struct trace *t,
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

void span_answer(struct page *p, const struct render_input *in)
{
	const struct trace *t = in->trace;
	uint32_t span = in->result->view.span;
	char text[UNIT_TEXT_BYTES];

	page_name(p, span_service(t, span), p->width / 4);
	page_text(p, "  ");
	page_name(p, span_name(t, span), p->width / 3);
	page_text(p, "  took ");
	format_duration(span_duration_ns(&t->spans[span]), text);
	page_number(p, text);
	page_flush(p, PAINT_BOLD, "", 0);
}

static void write_ids(struct page *p, const struct trace *t, uint32_t span)
{
	char id[33];

	span_id_format(t->spans[span].span_id, id);
	page_textf(p, "span %s of trace ", id);
	trace_id_format(&t->id, id);
	page_text(p, id);
	page_flush(p, PAINT_NONE, "", 0);
	out_char(p->out, '\n');
}

void span_evidence(struct page *p, const struct render_input *in)
{
	const struct trace *t = in->trace;
	uint32_t span = in->result->view.span;
	const struct span *s = &t->spans[span];
	const struct waterfall_row *row = row_of(in->result, span);

	write_path(p, t, span);
	if (row)
		write_times(p, t, row);
	if (s->flags & SPAN_IS_ERROR) {
		page_text(p, "yes");
		if (s->status_message)
			page_text(p, ": ");
		page_foreign(p, trace_text(t, s->status_message));
		page_flush(p, PAINT_BAD, "  failed", LABEL_COLUMNS);
	}
}

void span_detail_render(struct page *p, const struct render_input *in)
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
