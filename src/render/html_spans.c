/* SPDX-License-Identifier: Apache-2.0
 *
 * Waterfall as a list: a row per span on a common time axis, colored by
 * service, the critical path underlined; rows expand to the span's details.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/out.h"
#include "render/html.h"
#include "render/input.h"
#include "render/page.h"
#include "render/render.h"
#include "render/units.h"

/* Details of a span: ids and times, attributes, events, links. */

/* Bytes of markup for a key and its value. */
#define PAIR_BYTES 27u
/* Bytes of markup for a span. */
#define SPAN_BYTES 300u

static size_t pair_bytes(const struct trace *t, uint32_t key, uint32_t value)
{
	return PAIR_BYTES + trace_text(t, key).len + trace_text(t, value).len;
}

static size_t all_bytes(const struct trace *t, const struct attr *attrs,
			size_t attr_count, const struct detail *details,
			size_t detail_count)
{
	size_t bytes = SPAN_BYTES;

	for (size_t i = 0; i < attr_count; i++)
		bytes += pair_bytes(t, attrs[i].key, attrs[i].value);
	for (size_t i = 0; i < detail_count; i++)
		bytes += pair_bytes(t, details[i].key, details[i].value);
	return bytes;
}

size_t html_span_bytes(const struct trace *t, uint32_t span)
{
	const struct span *s = &t->spans[span];

	return all_bytes(t, t->attrs + s->attr_first, s->attr_count,
			 t->details + s->detail_first, s->detail_count) +
	       trace_text(t, s->status_message).len;
}

size_t html_process_bytes(const struct trace *t, uint32_t resource)
{
	const struct resource *r = &t->resources[resource];

	return all_bytes(t, t->attrs + r->attr_first, r->attr_count,
			 t->details + r->detail_first, r->detail_count);
}

/* Keeps line breaks and tabs, so that stack traces are readable. */
static void write_value(struct html *h, struct str value)
{
	size_t from = 0;

	for (size_t i = 0; i < value.len; i++) {
		if (value.ptr[i] != '\n' && value.ptr[i] != '\t')
			continue;
		html_text(h, str_slice(value, from, i - from));
		out_char(h->out, value.ptr[i]);
		from = i + 1;
	}
	html_text(h, str_slice(value, from, value.len - from));
}

static void write_pair(struct html *h, struct str key, struct str value)
{
	out_text(h->out, "<dt>");
	html_text(h, name_shown(key));
	out_text(h->out, "</dt><dd>");
	write_value(h, value);
	out_text(h->out, "</dd>\n");
}

static void write_list(struct html *h, const char *title,
		       const struct attr_list *list)
{
	if (!list->count)
		return;
	if (title)
		outf(h->out, "<h3>%s</h3>", title);
	out_text(h->out, "<dl class=\"pairs\">");
	for (size_t i = 0; i < list->count; i++)
		write_pair(h, list->items[i].key, list->items[i].value);
	out_text(h->out, "</dl>");
}

/* ---- events and links ---- */

static void write_part_head(struct html *h, const struct trace *t,
			    const struct span *s, const struct detail *d)
{
	int64_t after_ns = sat_sub_i64(d->time_ns, s->start_ns);
	char text[24];

	if (d->kind == DETAIL_LINK) {
		out_text(h->out, "trace <code>");
		html_text(h, trace_text(t, d->key));
		out_text(h->out, "</code> span <code>");
		html_text(h, trace_text(t, d->value));
		out_text(h->out, "</code>");
		return;
	}
	/* An event may be before the span, by clock skew or wrong
	 * instrumentation. */
	format_duration(after_ns < 0 ? sat_sub_i64(0, after_ns) : after_ns,
			text);
	outf(h->out, "%s%s <b>", after_ns < 0 ? "-" : "+", text);
	html_text(h, name_shown(trace_text(t, d->key)));
	out_text(h->out, "</b>");
}

/* Attributes of an event or a link follow it. */
static uint32_t write_part(struct html *h, const struct trace *t,
			   const struct span *s, uint32_t i)
{
	const struct detail *d = t->details + s->detail_first;
	uint8_t below = d[i].kind == DETAIL_EVENT ? DETAIL_EVENT_ATTR
						  : DETAIL_LINK_ATTR;
	bool has_list;

	out_text(h->out, "<li>");
	write_part_head(h, t, s, &d[i]);
	i++;
	has_list = i < s->detail_count && d[i].kind == below;
	out_text(h->out, has_list ? "<dl class=\"pairs\">" : "");
	for (; i < s->detail_count && d[i].kind == below; i++)
		write_pair(h, trace_text(t, d[i].key),
			   trace_text(t, d[i].value));
	out_text(h->out, has_list ? "</dl></li>" : "</li>");
	return i;
}

static void write_parts(struct html *h, const struct trace *t,
			const struct span *s, enum detail_kind kind,
			const char *title)
{
	bool has_any = false;

	for (uint32_t i = 0; i < s->detail_count;) {
		if (t->details[s->detail_first + i].kind != kind) {
			i++;
			continue;
		}
		if (!has_any)
			outf(h->out, "<h3>%s</h3><ul class=\"parts\">", title);
		has_any = true;
		i = write_part(h, t, s, i);
	}
	out_text(h->out, has_any ? "</ul>" : "");
}

/* ---- the span ---- */

static void write_times(struct html *h, const struct waterfall_row *row)
{
	const struct trace *t = h->in->trace;
	const struct span *s = &t->spans[row->span];
	struct page_time start;
	char text[24];

	out_text(h->out, "<p>");
	if (row->count > 1)
		outf(h->out, "the first of %u like it: ", (unsigned)row->count);
	page_time(&h->page, s->start_ns, t->start_ns, &start);
	outf(h->out, "%s span, began %.15s %s", span_kind_word(s->kind),
	     start.clock, start.zone);
	if (row->is_on_path && row->critical_ns > 0) {
		format_duration(row->critical_ns, text);
		outf(h->out, ", %s on the critical path", text);
	} else if (row->is_on_path) {
		out_text(h->out, ", on the critical path");
	}
	out_text(h->out, "</p>");
}

static void write_ids(struct html *h, const struct span *s, uint32_t process)
{
	struct str service = trace_text(
		h->in->trace, h->in->trace->resources[s->resource].service);
	char id[17];

	span_id_format(s->span_id, id);
	outf(h->out,
	     "<p class=\"ids\">span <code>%s</code>, process "
	     "<a href=\"#process-%u\">",
	     id, (unsigned)process);
	html_text(h, name_shown(service));
	out_text(h->out, "</a></p>");
}

/* numbers: of resources, from 1, by index. */
static void html_span_details(struct html *h, const struct waterfall_row *row,
			      const uint32_t *numbers)
{
	const struct trace *t = h->in->trace;
	const struct span *s = &t->spans[row->span];
	struct attr_list list;
	struct str text;

	out_text(h->out, "<div class=\"says\">");
	text = trace_text(h->in->trace, s->status_message);
	if ((s->flags & SPAN_IS_ERROR) && text.len) {
		out_text(h->out, "<p class=\"failure\">");
		write_value(h, text);
		out_text(h->out, "</p>");
	}
	write_times(h, row);
	attr_list_span(t, row->span, h->out, &list);
	write_list(h, NULL, &list);
	attr_list_release(&list);
	write_parts(h, t, s, DETAIL_EVENT, "Events");
	write_parts(h, t, s, DETAIL_LINK, "Links");
	write_ids(h, s, numbers[s->resource]);
	out_text(h->out, "</div>");
}

/* ---- resources ---- */

static void write_process(struct html *h, uint32_t resource, uint32_t number)
{
	const struct trace *t = h->in->trace;
	struct attr_list list;

	outf(h->out, "<details id=\"process-%u\"><summary>", (unsigned)number);
	html_text(h, name_shown(trace_text(t, t->resources[resource].service)));
	out_text(h->out, "</summary>");
	attr_list_resource(t, resource, h->out, &list);
	if (!list.count)
		out_text(h->out, "<p>no further data</p>");
	write_list(h, NULL, &list);
	attr_list_release(&list);
	out_text(h->out, "</details>\n");
}

/* Levels indented by html.css; deeper rows show their depth. */
#define LEVELS_MAX 20u
/* Number of colors in html.css. */
#define SERVICE_COLORS 12u
#define TICKS 4
/* More rows are only laid out when visible. */
#define LONG_ROWS 200u

struct fall {
	struct html *h;
	const struct trace *t;
	const struct waterfall_row *rows;
	size_t count;
	int64_t from_ns;
	int64_t length_ns;
	uint32_t *parents; /* parent row, UINT32_MAX for roots */
	uint32_t *left;    /* by row: descendants that are not drawn */
	bool *is_drawn;
	bool *has_details;
	uint32_t *numbers;   /* by resource, from 1 */
	uint32_t *processes; /* resources, in row order */
	uint32_t process_count;
	size_t drawn;
	/* In order of appearance. */
	struct str services[SERVICE_COLORS];
	size_t service_count;
};

bool html_has_spans(const struct render_input *in)
{
	return in->trace && in->result->waterfall_count > 0;
}

/* ---- rows of a large trace ---- */

struct choice {
	int64_t duration_ns;
	uint32_t row;
	uint8_t grade;
};

/* Orders rows by relevance, then duration. */
static int compare_choices(const void *left, const void *right)
{
	const struct choice *a = left, *b = right;
	int order = (int)a->grade - (int)b->grade;

	if (!order)
		order = compare_i64(b->duration_ns, a->duration_ns);
	return order ? order : compare_u64(a->row, b->row);
}

/* Selects a row with its ancestors; returns false if they exceed the limit. */
static bool draw_row(struct fall *f, uint32_t row)
{
	size_t count = 0;

	for (uint32_t i = row; i != UINT32_MAX && !f->is_drawn[i];
	     i = f->parents[i])
		count++;
	if (f->drawn + count > LIMIT_PAGE_SPANS)
		return false;
	f->drawn += count;
	for (uint32_t i = row; i != UINT32_MAX && !f->is_drawn[i];
	     i = f->parents[i])
		f->is_drawn[i] = true;
	return true;
}

/* Stops at the first row that does not fit: checking the ancestors of all
 * others would take too long. If it is the very first, the top is shown. */
static void choose_rows(struct fall *f, const struct choice *order)
{
	size_t bytes = 0;

	for (size_t i = 0; i < f->count; i++)
		if (!draw_row(f, order[i].row))
			break;
	for (uint32_t i = 0; !f->drawn && i < LIMIT_PAGE_SPANS; i++)
		f->is_drawn[i] = true;
	if (!f->drawn)
		f->drawn = LIMIT_PAGE_SPANS;
	for (size_t i = 0; i < f->count; i++) {
		uint32_t row = order[i].row;
		uint32_t resource;

		if (!f->is_drawn[row])
			continue;
		resource = f->t->spans[f->rows[row].span].resource;
		bytes += html_span_bytes(f->t, f->rows[row].span);
		if (!f->numbers[resource])
			bytes += html_process_bytes(f->t, resource);
		if (bytes > LIMIT_PAGE_DETAIL_BYTES)
			break;
		f->has_details[row] = true;
		/* Numbered later, since these are not in row order. */
		f->numbers[resource] = UINT32_MAX;
	}
}

static void count_left(struct fall *f)
{
	for (uint32_t i = 0; i < f->count; i++) {
		uint32_t at;

		if (f->is_drawn[i])
			continue;
		/* Parents come first, so theirs are known. */
		at = f->parents[i];
		if (at == UINT32_MAX)
			continue;
		if (!f->is_drawn[at])
			at = f->parents[i] = f->parents[at];
		if (at != UINT32_MAX)
			f->left[at] += f->rows[i].count + f->rows[i].hidden;
	}
}

static bool spans_choose(struct fall *f)
{
	struct choice *order = mem_calloc(f->count, sizeof *order);

	if (!order)
		return false;
	for (uint32_t i = 0; i < f->count; i++)
		order[i] = (struct choice){
			.duration_ns = f->rows[i].duration_ns,
			.row = i,
			.grade = f->rows[i].is_guilty ? 0
				 : f->rows[i].is_error
					 ? 1
					 : !f->rows[i].is_on_path + 2,
		};
	qsort(order, f->count, sizeof *order, compare_choices);
	/* Rows are depth-first: the parent is the last one of lower depth. */
	for (uint32_t i = 0; i < f->count; i++) {
		uint32_t above = i ? i - 1 : UINT32_MAX;

		while (above != UINT32_MAX &&
		       f->rows[above].depth >= f->rows[i].depth)
			above = f->parents[above];
		f->parents[i] = above;
	}
	choose_rows(f, order);
	/* Renumbers in row order: indices in the trace depend on the input. */
	for (size_t i = 0; i < f->count; i++) {
		uint32_t resource = f->t->spans[f->rows[i].span].resource;

		if (!f->has_details[i] || f->numbers[resource] != UINT32_MAX)
			continue;
		f->processes[f->process_count] = resource;
		f->numbers[resource] = ++f->process_count;
	}
	count_left(f);
	mem_free(order);
	return true;
}

/* ---- a row ---- */

/* Returns the next color, cyclically. */
static size_t service_color(struct fall *f, struct str name)
{
	size_t i = 0;
	uint32_t sum = 0;

	while (i < f->service_count && !str_equal(f->services[i], name))
		i++;
	if (i == f->service_count && i < SERVICE_COLORS)
		f->services[f->service_count++] = name;
	if (i < SERVICE_COLORS)
		return i;
	for (size_t k = 0; k < name.len; k++)
		sum = sum * 31 + (unsigned char)name.ptr[k];
	return sum % SERVICE_COLORS;
}

/* For a span blamed for repeated calls: their time, next to its own. */
static void write_calls(struct fall *f, uint32_t i)
{
	const struct waterfall_row *rows = f->rows;
	int64_t sum_ns = 0;
	uint32_t count = 0;
	char text[24];

	for (size_t k = i + 1; k < f->count && rows[k].depth > rows[i].depth;
	     k++) {
		if (f->parents[k] != i || !rows[k].is_guilty ||
		    rows[k].count < 2)
			continue;
		sum_ns = sat_add_i64(sum_ns, rows[k].duration_ns);
		count += rows[k].count;
	}
	if (!count)
		return;
	format_duration(sum_ns, text);
	outf(f->h->out, " <span class=\"calls\">%s in %u repeated calls</span>",
	     text, (unsigned)count);
}

static void write_name(struct fall *f, uint32_t i, size_t color)
{
	const struct waterfall_row *row = &f->rows[i];
	struct html *h = f->h;
	uint32_t hidden = row->hidden + f->left[i];

	out_text(h->out, "<span class=\"name\">");
	if (row->depth >= LEVELS_MAX)
		outf(h->out, "<span class=\"deep\">(%u)</span> ",
		     (unsigned)row->depth);
	outf(h->out, "<span class=\"service k%zu\">", color);
	html_text(h, span_service(f->t, row->span));
	out_text(h->out, "</span> <b>");
	html_text(h, name_shown(span_name(f->t, row->span)));
	out_text(h->out, "</b>");
	if (row->count > 1)
		outf(h->out, " <span class=\"count\">x%u</span>",
		     (unsigned)row->count);
	if (row->is_guilty)
		out_text(h->out, " <span class=\"blame\">to blame</span>");
	if (row->is_guilty)
		write_calls(f, i);
	if (row->is_error)
		out_text(h->out, " <span class=\"failed\">failed</span>");
	if (row->is_on_path)
		out_text(h->out, "<span class=\"vh\"> on the critical "
				 "path</span>");
	if (hidden)
		outf(h->out,
		     " <span class=\"left\">+%u<span class=\"vh\"> spans "
		     "below it, left out</span></span>",
		     (unsigned)hidden);
	out_text(h->out, "</span>");
}

static void write_bar(struct fall *f, const struct waterfall_row *row,
		      size_t color)
{
	int64_t from_ns = sat_sub_i64(row->start_ns, f->from_ns);
	char from[HTML_PERCENT_BYTES], width[HTML_PERCENT_BYTES];
	struct out *out = f->h->out;

	if (from_ns < 0)
		from_ns = 0;
	html_percent(from_ns, f->length_ns, from);
	html_percent(sat_sub_i64(sat_sub_i64(row->end_ns, f->from_ns), from_ns),
		     f->length_ns, width);
	outf(out,
	     "<svg class=\"bar k%zu\" aria-hidden=\"true\">"
	     "<rect x=\"%s\" y=\"6\" width=\"%s\" height=\"12\"/>",
	     color, from, width);
	if (row->is_on_path)
		outf(out,
		     "<rect class=\"crit\" x=\"%s\" y=\"19\" width=\"%s\" "
		     "height=\"3\"/>",
		     from, width);
	out_text(out, "</svg>");
}

static void write_row(struct fall *f, uint32_t i)
{
	const struct waterfall_row *row = &f->rows[i];
	const struct show_view *view = &f->h->in->result->view;
	uint32_t level = row->depth < LEVELS_MAX ? row->depth : LEVELS_MAX;
	size_t color = service_color(f, span_service(f->t, row->span));
	bool is_open = (view->is_one && view->span == row->span) ||
		       row->is_guilty || view->has_events || (view->has_errors && row->is_error);
	const char *tag = f->has_details[i] ? "summary" : "div";
	char id[17];
	const char *class = row->is_guilty    ? " class=\"guilty\""
			    : row->is_on_path ? " class=\"path\""
					      : "";
	struct out *out = f->h->out;

	span_id_format(f->t->spans[row->span].span_id, id);
	outf(out, "<li aria-level=\"%u\" data-span=\"%s\"%s>",
	     (unsigned)level + 1, id, class);
	if (f->has_details[i])
		outf(out, "<details%s>", is_open ? " open" : "");
	outf(out, "<%s class=\"row\">", tag);
	write_name(f, i, color);
	html_duration(f->h, "began after ",
		      sat_sub_i64(row->start_ns, f->from_ns));
	html_duration(f->h, "duration ", row->duration_ns);
	html_duration(f->h, "self ", row->self_ns);
	write_bar(f, row, color);
	outf(out, "</%s>", tag);
	if (f->has_details[i]) {
		html_span_details(f->h, row, f->numbers);
		out_text(out, "</details>");
	}
	out_text(out, "</li>\n");
}

/* ---- the section ---- */

static void write_axis(struct fall *f)
{
	struct out *out = f->h->out;
	char text[24];

	out_text(out, "<div class=\"row head\" aria-hidden=\"true\">"
		      "<span class=\"name\">service and span</span>"
		      "<span class=\"num\">start</span>"
		      "<span class=\"num\">duration</span>"
		      "<span class=\"num\">self</span><span class=\"axis\">");
	for (int i = 0; i <= TICKS; i++) {
		format_duration(f->length_ns / TICKS * i, text);
		outf(out, "<span>%s</span>", text);
	}
	out_text(out, "</span></div>\n");
}

static void write_rows(struct fall *f)
{
	bool is_orphan = false, was_orphan = false;

	outf(f->h->out, "<ol class=\"rows%s\">\n",
	     f->drawn > LONG_ROWS ? " long" : "");
	for (uint32_t i = 0; i < f->count; i++) {
		if (!f->is_drawn[i])
			continue;
		/* Headings as in the table format. */
		if (!f->rows[i].depth)
			is_orphan = f->t->root_count != 1 &&
				    f->t->spans[f->rows[i].span].flags &
					    SPAN_IS_ORPHAN;
		if (is_orphan != was_orphan)
			outf(f->h->out, "<li class=\"apart\">%s</li>\n",
			     is_orphan ? "their parent is not in the trace:"
				       : "roots:");
		was_orphan = is_orphan;
		write_row(f, i);
	}
	out_text(f->h->out, "</ol>\n");
}

static void write_left_out(struct fall *f)
{
	const struct result *r = f->h->in->result;
	size_t all = r->waterfall_total ? r->waterfall_total : f->count;
	char some[UNIT_TEXT_BYTES], whole[UNIT_TEXT_BYTES];

	if (f->drawn == all)
		return;
	format_count((int64_t)f->drawn, some);
	format_count((int64_t)all, whole);
	outf(f->h->out, "<p class=\"hint\">%s of %s rows%s</p>\n", some, whole,
	     f->drawn < f->count
		     ? ": those to blame, that failed, on the critical path, "
		       "and the longest; those left out are counted in the row "
		       "above them"
		     : "");
}

static void write_section(struct fall *f)
{
	struct out *out = f->h->out;

	out_text(out,
		 "<section id=\"spans\" aria-labelledby=\"spans-title\">\n"
		 "<h2 id=\"spans-title\">Spans</h2>\n"
		 "<p class=\"hint\">One bar per span, coloured by service; "
		 "underlined: on the critical path; self: time without an active child "
		 "span. Open a row for the span's attributes.</p>\n"
		 "<div class=\"fall\" data-length=\"");
	outf(out, "%" PRId64 "\">\n", f->length_ns);
	write_axis(f);
	write_rows(f);
	out_text(out, "</div>\n");
	write_left_out(f);
	if (f->process_count) {
		out_text(f->h->out,
			 "<div class=\"processes\"><h3>Processes</h3>\n");
		for (uint32_t i = 0; i < f->process_count; i++)
			write_process(f->h, f->processes[i], i + 1);
		out_text(f->h->out, "</div>\n");
	}
	out_text(out, "</section>\n");
}

void html_spans_write(struct html *h)
{
	const struct render_input *in = h->in;
	struct fall f = { .h = h, .t = in->trace };

	if (!html_has_spans(in))
		return;
	f.rows = in->result->waterfall;
	f.count = in->result->waterfall_count;
	f.from_ns = in->trace->start_ns;
	f.length_ns = sat_sub_i64(in->trace->end_ns, in->trace->start_ns);
	if (f.length_ns < 1)
		f.length_ns = 1;
	f.parents = mem_calloc(f.count, sizeof *f.parents);
	f.left = mem_calloc(f.count, sizeof *f.left);
	f.is_drawn = mem_calloc(f.count, sizeof *f.is_drawn);
	f.has_details = mem_calloc(f.count, sizeof *f.has_details);
	f.numbers = mem_calloc(f.t->resource_count + 1, sizeof *f.numbers);
	f.processes = mem_calloc(f.t->resource_count + 1, sizeof *f.processes);
	if (f.parents && f.left && f.is_drawn && f.has_details && f.numbers &&
	    f.processes && spans_choose(&f))
		write_section(&f);
	else
		out_fail_memory(h->out);
	mem_free(f.parents);
	mem_free(f.left);
	mem_free(f.is_drawn);
	mem_free(f.has_details);
	mem_free(f.numbers);
	mem_free(f.processes);
}
