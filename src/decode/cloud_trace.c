/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/cloud_trace.h"

#include "base/num.h"
#include "base/timefmt.h"
#include "decode/trace_json.h"

enum field {
	FIELD_END,
	FIELD_ID,
	FIELD_KIND,
	FIELD_LABELS,
	FIELD_NAME,
	FIELD_PARENT,
	FIELD_START,
};

struct reader {
	struct json_reader *r;
	const struct cloud_sink *sink;
	void *context;
	struct google_labels labels;
	struct buf name;
	struct buf late; /* spans that came before their trace's id */
	struct trace_id trace_id;
	bool has_trace_id;
	size_t span_count;   /* of the trace being read */
	struct error failed; /* of the sink, or memory */
};

static bool stored(struct reader *c, bool is_stored)
{
	return is_stored || json_fail(c->r, "%s", c->failed.message);
}

/* ---- spans ---- */

/* Decimal, as proto3 writes a fixed64; "0" and nothing are no id. */
static uint64_t read_id(struct reader *c)
{
	struct str text = STR("");
	uint64_t id = 0;

	if (json_peek(c->r) == JSON_NULL)
		json_skip(c->r);
	else if (json_number_text(c->r, &text) && text.len &&
		 !parse_u64(text, &id))
		json_fail(c->r,
			  "'%.*s' is no span id: decimal numbers of 64 "
			  "bits are expected",
			  STR_ARGS(text));
	return id;
}

static int64_t read_time(struct reader *c)
{
	struct str text = json_text_nullable(c->r);
	int64_t time_ns = 0;

	if (text.len && !parse_rfc3339(text, &time_ns))
		json_fail(c->r, "'%.*s' is no time", STR_ARGS(text));
	return time_ns;
}

static enum span_kind read_kind(struct reader *c)
{
	struct str text = STR("");

	if (json_peek(c->r) == JSON_NULL)
		json_skip(c->r);
	else
		(void)!json_number_text(c->r, &text);
	return google_kind(text);
}

/* Strings by the format's definition. */
static void read_labels(struct reader *c)
{
	struct attr_key label;
	struct str name, value, key;

	if (!json_enter_nullable(c->r, JSON_OBJECT))
		return;
	while (json_next_key(c->r, &name)) {
		attr_key_set(&label, name);
		if (json_peek(c->r) != JSON_STRING) {
			json_skip(c->r);
			continue;
		}
		if (json_text(c->r, &value) &&
		    google_labels_take(&c->labels, attr_key_str(&label), value,
				       &key) &&
		    c->sink->attr)
			stored(c, c->sink->attr(c->context, key, value,
						&c->failed));
	}
}

static void read_field(struct reader *c, int field, struct cloud_span *span)
{
	switch (field) {
	case FIELD_ID:
		span->span_id = read_id(c);
		break;
	case FIELD_PARENT:
		span->parent_id = read_id(c);
		break;
	case FIELD_KIND:
		span->kind = read_kind(c);
		break;
	case FIELD_NAME:
		buf_clear(&c->name);
		buf_add_str(&c->name, json_text_nullable(c->r));
		break;
	case FIELD_START:
		span->start_ns = read_time(c);
		break;
	case FIELD_END:
		span->end_ns = read_time(c);
		break;
	case FIELD_LABELS:
		read_labels(c);
		break;
	default:
		json_skip(c->r);
		break;
	}
}

static bool is_complete(struct reader *c)
{
	return (google_labels_are_complete(&c->labels) &&
		c->name.state != BUF_OUT_OF_MEMORY) ||
	       error_memory(&c->failed, "a span");
}

static void read_span(struct reader *c)
{
	static const struct json_name names[] = {
		JSON_NAME("spanId", FIELD_ID),
		JSON_NAME("parentSpanId", FIELD_PARENT),
		JSON_NAME("kind", FIELD_KIND),
		JSON_NAME("name", FIELD_NAME),
		JSON_NAME("startTime", FIELD_START),
		JSON_NAME("endTime", FIELD_END),
		JSON_NAME("labels", FIELD_LABELS),
		NAMES_END,
	};
	struct cloud_span span = { .trace_id = c->trace_id,
				   .labels = &c->labels };
	struct str key;

	if (!c->has_trace_id) {
		json_fail(c->r, "a span of a trace without an id");
		return;
	}
	google_labels_clear(&c->labels);
	buf_clear(&c->name);
	if (c->sink->begin)
		c->sink->begin(c->context);
	while (json_next_key(c->r, &key))
		read_field(c, trace_json_field(names, key), &span);
	if (json_failed(c->r) || !stored(c, is_complete(c)))
		return;
	/* What the two kinds there are cannot tell is a label. */
	if (span.kind == SPAN_KIND_INTERNAL && c->labels.has_kind)
		span.kind = c->labels.kind;
	span.name = buf_str(&c->name);
	c->span_count++;
	stored(c, c->sink->span(c->context, &span, &c->failed));
}

static void read_spans(struct reader *c)
{
	if (!json_enter_nullable(c->r, JSON_ARRAY))
		return;
	while (json_next_item(c->r))
		if (json_enter_nullable(c->r, JSON_OBJECT))
			read_span(c);
}

/* ---- traces ---- */

static void read_late(struct reader *c)
{
	struct json_reader *outer = c->r;

	if (c->late.len == 0)
		return;
	c->r = json_new(buf_str(&c->late), &c->failed);
	if (c->r) {
		read_spans(c);
		if (c->failed.code == ERROR_NONE)
			(void)!json_check(c->r, &c->failed);
		json_free(c->r);
	}
	c->r = outer;
	stored(c, c->failed.code == ERROR_NONE);
}

static void read_trace_id(struct reader *c)
{
	struct str text = json_text_nullable(c->r);

	c->has_trace_id = trace_id_parse(text, &c->trace_id);
	if (!c->has_trace_id)
		json_fail(c->r, "'%.*s' is no trace id", STR_ARGS(text));
}

static void read_next_page(struct reader *c)
{
	struct str token = json_text_nullable(c->r);

	if (token.len && c->sink->next_page)
		stored(c, c->sink->next_page(c->context, token, &c->failed));
}

static void trace_begin(struct reader *c)
{
	c->has_trace_id = false;
	c->span_count = 0;
	buf_clear(&c->late);
}

static void trace_end(struct reader *c)
{
	if (!json_failed(c->r))
		read_late(c);
	if (!json_failed(c->r) && c->has_trace_id && c->sink->trace)
		stored(c, c->sink->trace(c->context, &c->trace_id,
					 c->span_count, &c->failed));
	/* The page around the last trace of a list ends as well. */
	trace_begin(c);
}

static void read_trace_member(struct reader *c, struct str key)
{
	if (str_equal(key, STR("traceId")))
		read_trace_id(c);
	else if (!str_equal(key, STR("spans")))
		json_skip(c->r);
	else if (c->has_trace_id)
		read_spans(c);
	else if (c->late.len == 0)
		(void)!json_raw(c->r, &c->late);
	else
		json_skip(c->r);
}

static void read_trace(struct reader *c)
{
	struct str key;

	trace_begin(c);
	while (json_next_key(c->r, &key))
		read_trace_member(c, key);
	trace_end(c);
}

static void read_traces(struct reader *c)
{
	if (!json_enter_nullable(c->r, JSON_ARRAY))
		return;
	while (json_next_item(c->r))
		if (json_enter_nullable(c->r, JSON_OBJECT))
			read_trace(c);
}

/* A trace, or a page of them: the two share no key. */
static void read_document(struct reader *c)
{
	struct str key;

	if (json_peek(c->r) == JSON_ARRAY) {
		read_traces(c);
		return;
	}
	if (!json_enter(c->r, JSON_OBJECT))
		return;
	trace_begin(c);
	while (json_next_key(c->r, &key))
		if (str_equal(key, STR("traces")))
			read_traces(c);
		else if (str_equal(key, STR("nextPageToken")))
			read_next_page(c);
		else
			read_trace_member(c, key);
	trace_end(c);
}

bool cloud_trace_read(struct str bytes, const struct cloud_sink *sink,
		      void *context, size_t *trimmed, struct error *err)
{
	struct reader c = { .sink = sink, .context = context };
	bool is_read;

	c.r = json_new(bytes, err);
	if (!c.r)
		return false;
	google_labels_init(&c.labels);
	buf_init(&c.name, LIMIT_STRING_BYTES);
	buf_init(&c.late, LIMIT_BODY_PLAIN_BYTES);
	while (!json_at_end(c.r))
		read_document(&c);
	is_read = c.failed.code == ERROR_NONE;
	if (!is_read)
		*err = c.failed;
	else if (!json_check(c.r, err))
		is_read = error_prefix(err, "damaged or cut-off %s",
				       "Cloud Trace JSON");
	*trimmed = json_trimmed(c.r);
	json_free(c.r);
	google_labels_release(&c.labels);
	buf_release(&c.name);
	buf_release(&c.late);
	return is_read;
}
