/* SPDX-License-Identifier: Apache-2.0
 *
 * Traces of Cloud Trace into the model. Events and links do not exist there;
 * of each span's labels some are of its process, which is put together from
 * them again.
 */
#include "decode/cloud_trace.h"
#include "decode/formats.h"

/* GetTrace gives so many spans of a trace, and does not say when there are
 * more (Google's page of quotas and limits of Cloud Trace). */
#define SPANS_MAX ((size_t)10000)

struct sink {
	struct trace_build *b;
	struct notes *notes;
};

static void begin(void *context)
{
	struct sink *s = context;

	trace_build_attrs_begin(s->b);
}

static bool add_attr(void *context, struct str key, struct str value,
		     struct error *err)
{
	struct sink *s = context;

	return trace_build_attr(s->b, key, value, err);
}

static bool describe_resource(struct sink *s, uint32_t resource,
			      const struct google_labels *labels,
			      struct error *err)
{
	struct str value;

	trace_build_attrs_begin(s->b);
	for (unsigned i = 0; i < GOOGLE_RESOURCE_KEYS; i++)
		if (google_labels_resource(labels, i, &value) &&
		    !trace_build_attr(s->b, google_resource_key(i), value, err))
			return false;
	return trace_build_resource_describe(s->b, resource, err);
}

/* Times before 1970 become ones that the model calls impossible. */
static bool add_span(void *context, const struct cloud_span *span,
		     struct error *err)
{
	struct sink *s = context;
	const struct google_labels *labels = span->labels;
	struct span_input in = {
		.trace_id = span->trace_id,
		.span_id = span->span_id,
		.parent_id = span->parent_id,
		.start_unix_ns = (uint64_t)span->start_ns,
		.end_unix_ns = (uint64_t)span->end_ns,
		.kind = (uint8_t)span->kind,
		.flags = labels->is_error ? SPAN_IS_ERROR : 0,
	};

	if (!trace_build_text(s->b, span->name, &in.name, err) ||
	    (labels->has_message &&
	     !trace_build_text(s->b, buf_str(&labels->message),
			       &in.status_message, err)))
		return false;
	return trace_build_resource_reserve(s->b, &in.resource, err) &&
	       trace_build_span(s->b, &in, err) &&
	       describe_resource(s, in.resource, labels, err);
}

static bool end_trace(void *context, const struct trace_id *id,
		      size_t span_count, struct error *err)
{
	struct sink *s = context;
	char hex[33];

	(void)err;
	if (span_count < SPANS_MAX)
		return true;
	trace_id_format(id, hex);
	notes_add(s->notes,
		  "Cloud Trace gives at most 10,000 spans of a trace: of %s "
		  "others may be missing",
		  hex);
	trace_build_partial(s->b);
	return true;
}

bool decode_cloud_trace_json(struct feed *feed, struct trace_build *b,
			     struct notes *notes, struct error *err)
{
	static const struct cloud_sink sink = {
		.begin = begin,
		.attr = add_attr,
		.span = add_span,
		.trace = end_trace,
	};
	struct sink s = { b, notes };
	struct str bytes;
	size_t trimmed;
	bool is_read;

	if (!feed_in_memory(feed, &bytes))
		return error_set(err, ERROR_INTERNAL,
				 "Cloud Trace JSON is read from memory only");
	is_read = cloud_trace_read(bytes, &sink, &s, &trimmed, err);

	if (is_read)
		trace_build_trimmed(b, trimmed);
	return is_read;
}
