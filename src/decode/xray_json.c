/* SPDX-License-Identifier: Apache-2.0
 *
 * AWS X-Ray: the answer of BatchGetTraces, whose segments are documents in
 * strings; a trace or a segment of it; or segment documents by themselves, as
 * SDKs send them. A segment is a span of a process, a subsegment one within.
 * What X-Ray infers of the other side of a call repeats the call, as a process
 * that nobody measured: it is left out.
 * Subsegments that were sent by themselves do not say what they ran in: that
 * is what their segment did, which comes later as a rule.
 */
#include <string.h>

#include "base/map.h"
#include "decode/formats.h"
#include "decode/trace_json.h"
#include "decode/xray_segment.h"

/* A process that spans name before it is described. Places of which it is known
 * that they are one process form a ring. */
struct place {
	uint32_t process;
	uint32_t next;    /* of the ring */
	uint32_t top;     /* towards the one by which its ring is told */
	struct str attrs; /* as describe() reads them; no pointer: not known */
};

struct span_key {
	struct trace_id trace_id;
	uint64_t span_id;
};

struct xray {
	struct trace_json t;
	struct xray_segment segment;
	struct buf document; /* a segment's, out of its string */
	struct buf attrs;    /* of the process being described */
	struct arena arena;
	struct map places_by_span; /* struct span_key -> place */
	struct map callers; /* struct span_key of what is left out -> caller */
	struct map parents; /* struct span_key of those that were named */
	uint64_t *caller_ids;
	size_t caller_count, caller_cap;
	struct place *places;
	size_t place_count, place_cap;
};

static bool no_memory(struct xray *x)
{
	return arena_fail(&x->arena, "the trace", &x->t.err);
}

/* ---- processes ---- */

static struct str key_bytes(const struct span_key *key)
{
	return (struct str){ (const char *)key, sizeof *key };
}

static struct span_key key_of(const struct xray *x, uint64_t span_id)
{
	struct span_key key;

	memset(&key, 0, sizeof key);
	key.trace_id = x->segment.trace_id;
	key.span_id = span_id;
	return key;
}

static uint32_t find_place(const struct xray *x, uint64_t span_id)
{
	struct span_key key = key_of(x, span_id);

	return map_find(&x->places_by_span, key_bytes(&key));
}

static bool add_key(struct xray *x, struct map *map, uint64_t span_id,
		    uint32_t value)
{
	struct span_key key = key_of(x, span_id);
	struct str kept = arena_str(&x->arena, key_bytes(&key));
	uint32_t found;

	return (kept.ptr && map_insert(map, kept, value, &found)) ||
	       no_memory(x);
}

static bool add_place(struct xray *x, uint32_t *place)
{
	void *items = x->places;
	uint32_t process;

	if (!taker_process_reserve(x->t.to, &process, &x->t.err))
		return false;
	if (!arena_reserve(&x->arena, &items, &x->place_cap, x->place_count + 1,
			   sizeof *x->places))
		return no_memory(x);
	x->places = items;
	*place = (uint32_t)x->place_count++;
	x->places[*place] = (struct place){ .process = process,
					    .next = *place,
					    .top = *place };
	return true;
}

static void add_process_attr(struct xray *x, struct str key, struct str value)
{
	struct xray_text head = { key.len, value.len };

	buf_add(&x->attrs, &head, sizeof head);
	buf_add_str(&x->attrs, key);
	buf_add_str(&x->attrs, value);
}

/* What the segment says of its process, into x->attrs. */
static bool collect_process(struct xray *x)
{
	const struct xray_segment *s = &x->segment;

	buf_clear(&x->attrs);
	add_process_attr(x, STR("service.name"),
			 xray_segment_text(s, s->spans[0].name));
	for (uint32_t i = s->spans[0].note; i; i = s->notes[i - 1].next)
		if (s->notes[i - 1].kind == XRAY_OF_PROCESS)
			add_process_attr(
				x, xray_segment_text(s, s->notes[i - 1].key),
				xray_segment_text(s, s->notes[i - 1].value));
	return buf_check(&x->attrs, "a segment", &x->t.err);
}

static bool describe(struct xray *x, uint32_t process, struct str attrs)
{
	struct taker *to = x->t.to;
	struct xray_text head;

	taker_attrs_begin(to, ATTRS_OF_PROCESS);
	while (attrs.len >= sizeof head) {
		struct str key, value;

		memcpy(&head, attrs.ptr, sizeof head);
		attrs = str_slice(attrs, sizeof head, attrs.len);
		key = str_slice(attrs, 0, head.at);
		value = str_slice(attrs, head.at, head.len);
		attrs = str_slice(attrs, head.at + head.len, attrs.len);
		if (!taker_attr(to, key, value, &x->t.err))
			return false;
	}
	return taker_process_describe(to, process, &x->t.err);
}

/* All of a ring that is not described yet. */
static bool describe_ring(struct xray *x, uint32_t first, struct str attrs)
{
	uint32_t at = first;

	do {
		struct place *place = &x->places[at];

		if (!place->attrs.ptr) {
			place->attrs = attrs;
			if (!describe(x, place->process, attrs))
				return false;
		}
		at = place->next;
	} while (at != first);
	return true;
}

/* The one of its ring that all come to, by ways that get shorter. */
static uint32_t top_of(const struct xray *x, uint32_t at)
{
	while (x->places[at].top != at) {
		struct place *place = &x->places[at];

		place->top = x->places[place->top].top;
		at = place->top;
	}
	return at;
}

/* Two places turn out to be one process. */
static bool join_places(struct xray *x, uint32_t a, uint32_t b)
{
	struct place *one = &x->places[a], *other = &x->places[b];
	uint32_t next, top;

	if (a == b)
		return true;
	if (one->attrs.ptr)
		return other->attrs.ptr || describe_ring(x, b, one->attrs);
	if (other->attrs.ptr)
		return describe_ring(x, a, other->attrs);
	/* Within one ring this would part it. */
	top = top_of(x, a);
	if (top == top_of(x, b))
		return true;
	x->places[top_of(x, b)].top = top;
	next = one->next;
	one->next = other->next;
	other->next = next;
	return true;
}

/* The place of the document's spans. */
static bool choose_place(struct xray *x, uint32_t *place)
{
	const struct xray_segment *s = &x->segment;

	*place = s->is_subsegment ? find_place(x, s->parent_id)
				  : find_place(x, s->spans[0].id);
	if (*place != MAP_NONE)
		return true;
	return add_place(x, place) &&
	       (!s->is_subsegment || !s->parent_id ||
		add_key(x, &x->places_by_span, s->parent_id, *place));
}

/* Spans below which others may come by themselves. */
static bool place_spans(struct xray *x, uint32_t place)
{
	const struct xray_segment *s = &x->segment;

	for (size_t i = 0; i < s->span_count; i++) {
		uint32_t own = find_place(x, s->spans[i].id);

		if (!(own == MAP_NONE ? add_key(x, &x->places_by_span,
						s->spans[i].id, place)
				      : join_places(x, own, place)))
			return false;
	}
	return true;
}

static bool describe_segment(struct xray *x, uint32_t place)
{
	struct str attrs;

	if (x->segment.is_subsegment || x->places[place].attrs.ptr)
		return true;
	if (!collect_process(x))
		return false;
	attrs = arena_str(&x->arena, buf_str(&x->attrs));
	return attrs.ptr ? describe_ring(x, place, attrs) : no_memory(x);
}

/* ---- what is inferred ---- */

/* The document is left out: what comes below it is its caller's. */
static bool leave_out(struct xray *x)
{
	void *items = x->caller_ids;

	if (!arena_reserve(&x->arena, &items, &x->caller_cap,
			   x->caller_count + 1, sizeof *x->caller_ids))
		return no_memory(x);
	x->caller_ids = items;
	x->caller_ids[x->caller_count] = x->segment.parent_id;
	return add_key(x, &x->callers, x->segment.spans[0].id,
		       (uint32_t)x->caller_count++);
}

/* Unless something below it came before. */
static bool may_be_left_out(const struct xray *x)
{
	struct span_key key = key_of(x, x->segment.spans[0].id);

	return x->segment.is_inferred && x->segment.parent_id &&
	       x->segment.span_count == 1 &&
	       map_find(&x->parents, key_bytes(&key)) == MAP_NONE;
}

static bool find_parent(struct xray *x)
{
	struct span_key key = key_of(x, x->segment.parent_id);
	uint32_t caller = map_find(&x->callers, key_bytes(&key));

	if (caller != MAP_NONE)
		x->segment.parent_id = x->caller_ids[caller];
	return !x->segment.parent_id ||
	       add_key(x, &x->parents, x->segment.parent_id, 0);
}

/* ---- spans ---- */

/* What OpenTelemetry says of a call of an AWS SDK. Those of X-Ray write the
 * service in either case. */
static bool add_call(struct xray *x, struct str name, struct str operation)
{
	struct taker *to = x->t.to;
	struct error *err = &x->t.err;

	if (str_equal_nocase(name, STR("dynamodb")) &&
	    !taker_attr(to, STR("db.system"), STR("dynamodb"), err))
		return false;
	if (str_equal_nocase(name, STR("sqs")) &&
	    !taker_attr(to, STR("messaging.system"), STR("aws_sqs"), err))
		return false;
	if (str_equal_nocase(name, STR("sns")) &&
	    !taker_attr(to, STR("messaging.system"), STR("aws.sns"), err))
		return false;
	return taker_attr(to, STR("rpc.system"), STR("aws-api"), err) &&
	       taker_attr(to, STR("rpc.service"), name, err) &&
	       (!operation.len ||
		taker_attr(to, STR("rpc.method"), operation, err));
}

static bool add_attrs(struct xray *x, const struct xray_span *span)
{
	const struct xray_segment *s = &x->segment;
	struct taker *to = x->t.to;

	taker_attrs_begin(to, ATTRS_OF_SPAN);
	for (uint32_t i = span->note; i; i = s->notes[i - 1].next) {
		const struct xray_note *note = &s->notes[i - 1];

		if (note->kind == XRAY_ATTR &&
		    !taker_attr(to, xray_segment_text(s, note->key),
				xray_segment_text(s, note->value), &x->t.err))
			return false;
	}
	return true;
}

static bool add_link(struct xray *x, struct str value)
{
	struct trace_build *b = x->t.to->b;
	struct xray_link link;

	if (!taker_has_links(x->t.to))
		return true;
	memcpy(&link, value.ptr, sizeof link);
	return trace_build_part_begin(b, DETAIL_LINK, &x->t.err) &&
	       trace_build_link_end(b, &link.trace_id, link.span_id, &x->t.err);
}

/* Exceptions have no time: a span ends with them. */
static bool end_exception(struct xray *x, bool *is_open, uint64_t end_ns)
{
	uint32_t name = 0;

	if (!*is_open)
		return true;
	*is_open = false;
	if (!taker_text(x->t.to, STR("exception"), &name, &x->t.err))
		return false;
	trace_build_event_end(x->t.to->b, end_ns, name);
	return true;
}

static bool add_parts(struct xray *x, const struct xray_span *span)
{
	const struct xray_segment *s = &x->segment;
	struct taker *to = x->t.to;
	uint64_t end_ns = (uint64_t)span->end_ns;
	bool is_open = false;

	for (uint32_t i = span->note; i; i = s->notes[i - 1].next) {
		const struct xray_note *note = &s->notes[i - 1];
		struct str value = xray_segment_text(s, note->value);

		if (note->kind == XRAY_LINK) {
			if (!end_exception(x, &is_open, end_ns) ||
			    !add_link(x, value))
				return false;
		} else if (!taker_has_details(to)) {
			continue;
		} else if (note->kind == XRAY_EXCEPTION) {
			if (!end_exception(x, &is_open, end_ns) ||
			    !trace_build_part_begin(to->b, DETAIL_EVENT,
						    &x->t.err))
				return false;
			is_open = true;
		} else if (note->kind == XRAY_OF_EVENT && is_open &&
			   !taker_attr(to, xray_segment_text(s, note->key),
				       value, &x->t.err)) {
			return false;
		}
	}
	return end_exception(x, &is_open, end_ns);
}

/* "DynamoDB.GetItem": the operation tells calls of one service apart. */
static bool name_span(struct xray *x, const struct xray_span *span,
		      struct span_input *in)
{
	struct str name = xray_segment_text(&x->segment, span->name);
	struct str operation = xray_segment_text(&x->segment, span->operation);

	if (!span->is_aws || !operation.len)
		return taker_name(x->t.to, name, in, &x->t.err);
	buf_clear(&x->attrs);
	buf_add_str(&x->attrs, name);
	buf_add_char(&x->attrs, '.');
	buf_add_str(&x->attrs, operation);
	return buf_check(&x->attrs, "a segment", &x->t.err) &&
	       taker_name(x->t.to, buf_str(&x->attrs), in, &x->t.err);
}

static bool store_span(struct xray *x, size_t index, uint32_t process)
{
	const struct xray_segment *s = &x->segment;
	const struct xray_span *span = &s->spans[index];
	struct span_input in = {
		.trace_id = s->trace_id,
		.span_id = span->id,
		.parent_id =
			index ? s->spans[span->parent - 1].id : s->parent_id,
		.resource = process,
		.start_unix_ns = (uint64_t)span->start_ns,
		.end_unix_ns = (uint64_t)span->end_ns,
		.kind = SPAN_KIND_INTERNAL,
		.flags = span->is_error ? SPAN_IS_ERROR : 0,
	};

	if (span->is_call)
		in.kind = SPAN_KIND_CLIENT;
	else if (!index && !s->is_subsegment)
		in.kind = SPAN_KIND_SERVER;
	return add_attrs(x, span) &&
	       (!span->is_aws ||
		add_call(x, xray_segment_text(s, span->name),
			 xray_segment_text(s, span->operation))) &&
	       add_parts(x, span) && name_span(x, span, &in) &&
	       (!span->message.len ||
		taker_text(x->t.to, xray_segment_text(s, span->message),
			   &in.status_message, &x->t.err)) &&
	       taker_span(x->t.to, &in, &x->t.err);
}

static bool store_segment(struct xray *x)
{
	uint32_t place;

	if (may_be_left_out(x))
		return leave_out(x);
	if (!find_parent(x) || !choose_place(x, &place))
		return false;
	for (size_t i = 0; i < x->segment.span_count; i++)
		if (!store_span(x, i, x->places[place].process))
			return false;
	return place_spans(x, place) && describe_segment(x, place);
}

/* ---- documents ---- */

static void begin_segment(struct xray *x)
{
	xray_segment_begin(&x->segment, x->t.r);
}

static void read_member(struct xray *x, struct str key)
{
	xray_segment_member(&x->segment, x->t.r, key);
}

static void end_segment(struct xray *x)
{
	struct trace_json *t = &x->t;

	if (x->segment.err.code != ERROR_NONE && t->err.code == ERROR_NONE)
		t->err = x->segment.err;
	if (!x->segment.is_any || !xray_segment_end(&x->segment, t->r))
		return;
	x->segment.is_any = false;
	(void)trace_json_taken(t, store_segment(x));
}

static void read_segment(struct xray *x)
{
	struct str key;

	begin_segment(x);
	while (json_next_key(x->t.r, &key))
		read_member(x, key);
	end_segment(x);
}

/* A document in a string: a reader of its own. */
static void read_string(struct xray *x)
{
	struct trace_json *t = &x->t;
	struct json_reader *outer = t->r;
	struct error err;

	error_clear(&err);
	buf_clear(&x->document);
	if (!json_string_long(outer, &x->document))
		return;
	t->r = json_new(buf_str(&x->document), &t->err);
	if (t->r) {
		if (json_enter_if(t->r, JSON_OBJECT))
			read_segment(x);
		json_expect_end(t->r, "segment");
		if (!json_check(t->r, &err) && t->err.code == ERROR_NONE)
			(void)json_fail(outer, "in a segment's document: %s",
					err.message);
		json_free(t->r);
	}
	t->r = outer;
	(void)trace_json_taken(t, t->err.code == ERROR_NONE);
}

/* As the answer has it, or as the console shows it. */
static void read_document_member(struct xray *x)
{
	if (json_peek(x->t.r) == JSON_STRING)
		read_string(x);
	else if (json_enter_if(x->t.r, JSON_OBJECT))
		read_segment(x);
}

static void read_entries(struct xray *x)
{
	struct trace_json *t = &x->t;
	struct str key;

	if (!json_enter_nullable(t->r, JSON_ARRAY))
		return;
	while (json_next_object(t->r)) {
		begin_segment(x);
		while (json_next_key(t->r, &key))
			if (str_equal(key, STR("Document")))
				read_document_member(x);
			else
				read_member(x, key);
		end_segment(x);
	}
}

static void read_cut(struct xray *x)
{
	bool is_cut;

	if (json_peek(x->t.r) != JSON_TRUE)
		json_skip(x->t.r);
	else if (json_bool(x->t.r, &is_cut))
		taker_partial(x->t.to,
			      "X-Ray has more of this trace than it keeps: "
			      "segments are missing");
}

static void read_trace_member(struct xray *x, struct str key)
{
	if (str_equal(key, STR("Segments")))
		read_entries(x);
	else if (str_equal(key, STR("Document")))
		read_document_member(x);
	else if (str_equal(key, STR("LimitExceeded")))
		read_cut(x);
	else
		read_member(x, key);
}

static void read_traces(struct xray *x)
{
	struct str key;

	if (!json_enter_nullable(x->t.r, JSON_ARRAY))
		return;
	while (json_next_object(x->t.r)) {
		begin_segment(x);
		while (json_next_key(x->t.r, &key))
			read_trace_member(x, key);
		end_segment(x);
	}
}

static void read_next_page(struct xray *x)
{
	if (json_text_nullable(x->t.r).len)
		taker_partial(x->t.to,
			      "X-Ray's answer goes on elsewhere (NextToken): "
			      "segments are missing");
}

static void read_unprocessed(struct xray *x)
{
	if (!json_enter_if(x->t.r, JSON_ARRAY))
		return;
	while (json_next_item(x->t.r)) {
		struct str id = json_text_nullable(x->t.r);

		taker_partial(x->t.to, "X-Ray did not give trace %.*s",
			      STR_ARGS(id));
	}
}

/* An answer, a trace of it, or a segment: they share no key. */
static void read_object(struct xray *x)
{
	struct str key;

	begin_segment(x);
	while (json_next_key(x->t.r, &key))
		if (str_equal(key, STR("Traces")))
			read_traces(x);
		else if (str_equal(key, STR("UnprocessedTraceIds")))
			read_unprocessed(x);
		else if (str_equal(key, STR("NextToken")))
			read_next_page(x);
		else
			read_trace_member(x, key);
	end_segment(x);
}

static void read_input(struct xray *x)
{
	if (json_peek(x->t.r) != JSON_ARRAY) {
		if (json_enter(x->t.r, JSON_OBJECT))
			read_object(x);
		return;
	}
	if (json_enter(x->t.r, JSON_ARRAY))
		while (json_next_object(x->t.r))
			read_object(x);
}

bool decode_xray_json(struct feed *feed, struct taker *to, struct error *err)
{
	struct xray x = { .places = NULL };
	bool is_read;

	if (!trace_json_init(&x.t, feed, to, err))
		return false;
	arena_init(&x.arena, LIMIT_DECODE_HEAP_BYTES);
	map_init(&x.places_by_span, &x.arena);
	map_init(&x.callers, &x.arena);
	map_init(&x.parents, &x.arena);
	xray_segment_init(&x.segment);
	buf_init(&x.document, LIMIT_BODY_PLAIN_BYTES);
	buf_init(&x.attrs, LIMIT_BODY_PLAIN_BYTES);
	while (!json_at_end(x.t.r))
		read_input(&x);
	if (!json_failed(x.t.r))
		(void)trace_json_taken(&x.t, taker_settle(to, &x.t.err));
	is_read = trace_json_finish(&x.t, "AWS X-Ray JSON", err);
	buf_release(&x.attrs);
	buf_release(&x.document);
	xray_segment_release(&x.segment);
	arena_release(&x.arena);
	return is_read;
}
