/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON of Cloud Trace v1: a trace ({"projectId", "traceId", "spans"}), a
 * page of a list ({"traces", "nextPageToken"}), or several of them. Events and
 * links do not exist there; of each span's labels some are of its process,
 * which is put together from them again. Nothing is kept but the span being
 * read.
 */
#include "base/num.h"
#include "base/timefmt.h"
#include "decode/formats.h"
#include "decode/google_labels.h"
#include "decode/trace_json.h"

/* GetTrace gives so many spans of a trace, and does not say when there are
 * more (Google's page of quotas and limits of Cloud Trace). */
#define SPANS_MAX ((size_t)10000)

enum field {
	FIELD_END,
	FIELD_ID,
	FIELD_KIND,
	FIELD_LABELS,
	FIELD_NAME,
	FIELD_PARENT,
	FIELD_START,
};

struct cloud {
	struct trace_json t;
	struct google_labels labels;
	struct trace_id trace_id;
	bool has_trace_id;
	size_t span_count; /* of the trace being read */
};

/* ---- spans ---- */

/* Decimal, as proto3 writes a fixed64; "0" and nothing are no id. */
static uint64_t read_id(struct cloud *c)
{
	struct str text = STR("");
	uint64_t id = 0;

	if (json_peek(c->t.r) == JSON_NULL)
		json_skip(c->t.r);
	else if (json_number_text(c->t.r, &text) && text.len &&
		 !parse_u64(text, &id))
		json_fail(c->t.r,
			  "'%.*s' is no span id: decimal numbers of 64 "
			  "bits are expected",
			  STR_ARGS(text));
	return id;
}

static int64_t read_time(struct cloud *c)
{
	struct str text = json_text_nullable(c->t.r);
	int64_t time_ns = 0;

	if (text.len && !parse_rfc3339(text, &time_ns))
		json_fail(c->t.r, "'%.*s' is no time", STR_ARGS(text));
	return time_ns;
}

static enum span_kind read_kind(struct cloud *c)
{
	struct str text = STR("");

	if (json_peek(c->t.r) == JSON_NULL)
		json_skip(c->t.r);
	else
		(void)!json_number_text(c->t.r, &text);
	return google_kind(text);
}

/* Strings by the format's definition. */
static void read_labels(struct cloud *c)
{
	struct trace_json *t = &c->t;
	struct attr_key label;
	struct str name, value, key;

	if (!json_enter_nullable(t->r, JSON_OBJECT))
		return;
	while (json_next_key(t->r, &name)) {
		attr_key_set(&label, name);
		if (json_peek(t->r) != JSON_STRING) {
			json_skip(t->r);
			continue;
		}
		if (json_text(t->r, &value) &&
		    google_labels_take(&c->labels, attr_key_str(&label), value,
				       &key))
			trace_json_taken(
				t, taker_attr(t->to, key, value, &t->err));
	}
}

/* Times before 1970 become ones that takers call impossible. */
static void read_field(struct cloud *c, int field, struct span_input *in)
{
	switch (field) {
	case FIELD_ID:
		in->span_id = read_id(c);
		break;
	case FIELD_PARENT:
		in->parent_id = read_id(c);
		break;
	case FIELD_KIND:
		in->kind = (uint8_t)read_kind(c);
		break;
	case FIELD_NAME:
		trace_json_name(&c->t, in);
		break;
	case FIELD_START:
		in->start_unix_ns = (uint64_t)read_time(c);
		break;
	case FIELD_END:
		in->end_unix_ns = (uint64_t)read_time(c);
		break;
	case FIELD_LABELS:
		read_labels(c);
		break;
	default:
		json_skip(c->t.r);
		break;
	}
}

/* What of the labels is none of the span's attributes. */
static bool use_labels(struct cloud *c, struct span_input *in)
{
	const struct google_labels *labels = &c->labels;

	if (!google_labels_are_complete(labels))
		return error_memory(&c->t.err, "a span");
	/* What the two kinds there are cannot tell is a label. */
	if (in->kind == SPAN_KIND_INTERNAL)
		in->kind = (uint8_t)labels->kind;
	in->flags = labels->is_error ? SPAN_IS_ERROR : 0;
	return !labels->has_message ||
	       taker_text(c->t.to, buf_str(&labels->message),
			  &in->status_message, &c->t.err);
}

static bool describe_process(struct cloud *c, uint32_t process)
{
	struct taker *to = c->t.to;
	struct str value;

	taker_attrs_begin(to, ATTRS_OF_PROCESS);
	for (unsigned i = 0; i < GOOGLE_RESOURCE_KEYS; i++)
		if (google_labels_resource(&c->labels, i, &value) &&
		    !taker_attr(to, google_resource_key(i), value, &c->t.err))
			return false;
	return taker_process_describe(to, process, &c->t.err);
}

static bool store_span(struct cloud *c, struct span_input *in)
{
	struct taker *to = c->t.to;
	struct error *err = &c->t.err;

	return use_labels(c, in) &&
	       taker_process_reserve(to, &in->resource, err) &&
	       taker_span(to, in, err) && describe_process(c, in->resource) &&
	       taker_settle(to, err);
}

static void read_span(struct cloud *c)
{
	static const struct json_name names[] = {
		JSON_NAME("spanId", FIELD_ID),
		JSON_NAME("kind", FIELD_KIND),
		JSON_NAME("name", FIELD_NAME),
		JSON_NAME("startTime", FIELD_START),
		JSON_NAME("endTime", FIELD_END),
		JSON_NAME("parentSpanId", FIELD_PARENT),
		JSON_NAME("labels", FIELD_LABELS),
		NAMES_END,
	};
	struct span_input in = { .trace_id = c->trace_id };
	unsigned at = 0;
	struct str key;

	if (!c->has_trace_id) {
		json_fail(c->t.r, "a span of a trace without an id");
		return;
	}
	google_labels_clear(&c->labels);
	taker_attrs_begin(c->t.to, ATTRS_OF_SPAN);
	while (json_next_key(c->t.r, &key))
		read_field(c, trace_json_next_field(names, &at, key), &in);
	if (json_failed(c->t.r))
		return;
	c->span_count++;
	trace_json_taken(&c->t, store_span(c, &in));
}

static void read_spans(struct cloud *c)
{
	if (json_enter_nullable(c->t.r, JSON_ARRAY))
		while (json_next_object(c->t.r))
			read_span(c);
}

/* ---- traces ---- */

static void read_late_spans(struct trace_json *t)
{
	/* A struct cloud begins with it. */
	read_spans((struct cloud *)t);
}

static void read_trace_id(struct cloud *c)
{
	struct str text = json_text_nullable(c->t.r);

	c->has_trace_id = trace_id_parse(text, &c->trace_id);
	if (!c->has_trace_id)
		json_fail(c->t.r, "'%.*s' is no trace id", STR_ARGS(text));
}

static void read_next_page(struct cloud *c)
{
	struct str token = json_text_nullable(c->t.r);

	if (token.len)
		taker_next_page(c->t.to, token);
}

static void trace_begin(struct cloud *c)
{
	c->has_trace_id = false;
	c->span_count = 0;
	buf_clear(&c->t.late);
}

static void trace_end(struct cloud *c)
{
	struct trace_json *t = &c->t;
	char hex[33];

	trace_json_read_late(t, read_late_spans);
	if (!json_failed(t->r) && c->has_trace_id)
		trace_json_taken(t,
				 taker_trace_end(t->to, &c->trace_id, &t->err));
	if (c->span_count >= SPANS_MAX) {
		trace_id_format(&c->trace_id, hex);
		taker_partial(t->to,
			      "Cloud Trace gives at most 10,000 spans of a "
			      "trace: of %s others may be missing",
			      hex);
	}
	/* The page around the last trace of a list ends as well. */
	trace_begin(c);
}

static void read_trace_member(struct cloud *c, struct str key)
{
	if (str_equal(key, STR("traceId")))
		read_trace_id(c);
	else if (!str_equal(key, STR("spans")))
		json_skip(c->t.r);
	else if (c->has_trace_id)
		read_spans(c);
	else
		trace_json_keep_late(&c->t);
}

static void read_trace(struct cloud *c)
{
	struct str key;

	trace_begin(c);
	while (json_next_key(c->t.r, &key))
		read_trace_member(c, key);
	trace_end(c);
}

static void read_traces(struct cloud *c)
{
	if (json_enter_nullable(c->t.r, JSON_ARRAY))
		while (json_next_object(c->t.r))
			read_trace(c);
}

/* A trace, or a page of them: the two share no key. */
static void read_document(struct cloud *c)
{
	struct str key;

	if (json_peek(c->t.r) == JSON_ARRAY) {
		read_traces(c);
		return;
	}
	if (!json_enter(c->t.r, JSON_OBJECT))
		return;
	trace_begin(c);
	while (json_next_key(c->t.r, &key))
		if (str_equal(key, STR("traces")))
			read_traces(c);
		else if (str_equal(key, STR("nextPageToken")))
			read_next_page(c);
		else
			read_trace_member(c, key);
	trace_end(c);
}

bool decode_cloud_trace_json(struct feed *feed, struct taker *to,
			     struct error *err)
{
	struct cloud c = { .has_trace_id = false };
	bool is_read;

	if (!trace_json_init(&c.t, feed, to, err))
		return false;
	google_labels_init(&c.labels);
	while (!json_at_end(c.t.r))
		read_document(&c);
	is_read = trace_json_finish(&c.t, "Cloud Trace JSON", err);
	google_labels_release(&c.labels);
	return is_read;
}
