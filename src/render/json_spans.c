/* SPDX-License-Identifier: Apache-2.0
 *
 * The machine's answer of `show`: every span of the trace, in tree order.
 */
#include "base/timefmt.h"
#include "render/formats.h"

const char *span_kind_word(enum span_kind kind)
{
	static const char *const words[] = {
		[SPAN_KIND_INTERNAL] = "internal",
		[SPAN_KIND_SERVER] = "server",
		[SPAN_KIND_CLIENT] = "client",
		[SPAN_KIND_PRODUCER] = "producer",
		[SPAN_KIND_CONSUMER] = "consumer",
	};

	return words[kind];
}

static void put_span_id(struct jsonw *w, const char *key, uint64_t id)
{
	char text[17];

	span_id_format(id, text);
	jsonw_pair_text(w, key, id ? text : NULL);
}

static void put_attrs(struct jsonw *w, const char *key, struct attr_list *list)
{
	jsonw_key(w, key);
	jsonw_object(w);
	attr_list_json(list, w);
	jsonw_object_end(w);
	attr_list_release(list);
}

static void put_parts(struct jsonw *w, const struct trace *t,
		      const struct span *s, enum detail_kind kind)
{
	const struct detail *d = t->details + s->detail_first;
	const struct detail *end = d + s->detail_count;
	struct attr_list list;

	jsonw_key(w, kind == DETAIL_EVENT ? "events" : "links");
	jsonw_array(w);
	for (; d < end; d++) {
		if (d->kind != kind)
			continue;
		jsonw_object(w);
		if (kind == DETAIL_EVENT) {
			jsonw_pair_time(w, "time", d->time_ns);
			jsonw_pair_str(w, "name", trace_text(t, d->key));
		} else {
			jsonw_pair_str(w, "trace_id", trace_text(t, d->key));
			jsonw_pair_str(w, "span_id", trace_text(t, d->value));
		}
		attr_list_part(t, d, end, w->out, &list);
		put_attrs(w, "attributes", &list);
		jsonw_object_end(w);
	}
	jsonw_array_end(w);
}

static void put_all_attrs(struct jsonw *w, const struct trace *t, uint32_t span)
{
	struct attr_list list;

	attr_list_span(t, span, w->out, &list);
	put_attrs(w, "attributes", &list);
	attr_list_resource(t, t->spans[span].resource, w->out, &list);
	put_attrs(w, "resource", &list);
}

static void put_span(struct jsonw *w, const struct trace *t,
		     const struct waterfall_row *row)
{
	const struct span *s = &t->spans[row->span];

	jsonw_object(w);
	put_span_id(w, "span_id", s->span_id);
	put_span_id(w, "parent_span_id", s->parent_id);
	jsonw_pair_i64(w, "depth", row->depth);
	jsonw_pair_str(w, "service", span_service(t, row->span));
	jsonw_pair_str(w, "name", span_name(t, row->span));
	jsonw_pair_text(w, "kind", span_kind_word((enum span_kind)s->kind));
	jsonw_pair_time(w, "start", s->start_ns);
	jsonw_pair_i64(w, "duration_ns", row->duration_ns);
	jsonw_pair_i64(w, "self_ns", row->self_ns);
	jsonw_pair_i64(w, "critical_ns", row->critical_ns);
	jsonw_pair_bool(w, "on_critical_path", row->is_on_path);
	jsonw_pair_bool(w, "guilty", row->is_guilty);
	jsonw_pair_bool(w, "error", row->is_error);
	jsonw_pair_str(w, "status_message", trace_text(t, s->status_message));
	put_all_attrs(w, t, row->span);
	put_parts(w, t, s, DETAIL_EVENT);
	put_parts(w, t, s, DETAIL_LINK);
	jsonw_object_end(w);
}

void json_spans(struct jsonw *w, const struct render_input *in)
{
	const struct result *r = in->result;

	jsonw_key(w, "spans");
	jsonw_array(w);
	for (size_t i = 0; i < r->span_count; i++)
		put_span(w, in->trace, &r->spans[i]);
	jsonw_array_end(w);
}
