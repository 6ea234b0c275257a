/* SPDX-License-Identifier: Apache-2.0
 *
 * What one span says: its ids and times, attributes, events, links.
 */
#include "base/escape.h"
#include "base/num.h"
#include "render/formats.h"
#include "render/html.h"

/* Markup around a key and its value. */
#define PAIR_BYTES 27u
/* And around all of a span. */
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

/* Its lines and tabs as they are: a stack trace has to stay readable. */
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
	/* Clocks and instrumentation err; so may an event. */
	format_duration(after_ns < 0 ? sat_sub_i64(0, after_ns) : after_ns,
			text);
	outf(h->out, "%s%s <b>", after_ns < 0 ? "-" : "+", text);
	html_text(h, name_shown(trace_text(t, d->key)));
	out_text(h->out, "</b>");
}

/* The attributes of an event or a link follow it. */
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

static void write_failure(struct html *h, const struct span *s)
{
	struct str text = trace_text(h->in->trace, s->status_message);

	if (!(s->flags & SPAN_IS_ERROR) || !text.len)
		return;
	out_text(h->out, "<p class=\"failure\">");
	write_value(h, text);
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

void html_span_details(struct html *h, const struct waterfall_row *row,
		       const uint32_t *numbers)
{
	const struct trace *t = h->in->trace;
	const struct span *s = &t->spans[row->span];
	struct attr_list list;

	out_text(h->out, "<div class=\"says\">");
	write_failure(h, s);
	write_times(h, row);
	attr_list_span(t, row->span, h->out, &list);
	write_list(h, NULL, &list);
	attr_list_release(&list);
	write_parts(h, t, s, DETAIL_EVENT, "Events");
	write_parts(h, t, s, DETAIL_LINK, "Links");
	write_ids(h, s, numbers[s->resource]);
	out_text(h->out, "</div>");
}

/* ---- processes ---- */

static void write_process(struct html *h, uint32_t resource, uint32_t number)
{
	const struct trace *t = h->in->trace;
	struct attr_list list;

	outf(h->out, "<details id=\"process-%u\"><summary>", (unsigned)number);
	html_text(h, name_shown(trace_text(t, t->resources[resource].service)));
	out_text(h->out, "</summary>");
	attr_list_resource(t, resource, h->out, &list);
	if (!list.count)
		out_text(h->out, "<p>nothing else is known of it</p>");
	write_list(h, NULL, &list);
	attr_list_release(&list);
	out_text(h->out, "</details>\n");
}

void html_processes(struct html *h, const uint32_t *resources, uint32_t count)
{
	if (!count)
		return;
	out_text(h->out, "<div class=\"processes\"><h3>Processes</h3>\n");
	for (uint32_t i = 0; i < count; i++)
		write_process(h, resources[i], i + 1);
	out_text(h->out, "</div>\n");
}
