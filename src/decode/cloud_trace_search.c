/* SPDX-License-Identifier: Apache-2.0
 *
 * A page of Cloud Trace's list into a history, or into what a search found.
 */
#include "decode/cloud_trace.h"
#include "decode/history.h"

struct sink {
	struct gather gather;
	struct span_facts facts;
};

/* Those of a process that a history asks for. */
static void set_process(struct sink *s, const struct google_labels *labels)
{
	struct str value;

	facts_clear_process(&s->facts);
	s->facts.scope = FACTS_PROCESS;
	for (unsigned i = 0; i < GOOGLE_RESOURCE_KEYS; i++)
		if (google_labels_resource(labels, i, &value))
			facts_set(&s->facts,
				  facts_find(&s->facts, google_resource_key(i)),
				  value);
}

static void begin(void *context)
{
	struct sink *s = context;

	facts_clear_span(&s->facts);
}

static bool take_attr(void *context, struct str key, struct str value,
		      struct error *err)
{
	struct sink *s = context;

	(void)err;
	s->facts.scope = FACTS_SPAN;
	facts_set(&s->facts, facts_find(&s->facts, key), value);
	return true;
}

static bool add_span(void *context, const struct cloud_span *span,
		     struct error *err)
{
	struct sink *s = context;
	struct gather *g = &s->gather;
	struct span_facts *f = &s->facts;
	uint32_t trace;

	set_process(s, span->labels);
	facts_set(f, FACT_NAME, span->name);
	f->span_id = span->span_id;
	f->kind = span->kind;
	f->has_kind = true;
	f->is_error = span->labels->is_error;
	f->start_ns = span->start_ns > 0 ? (uint64_t)span->start_ns : 0;
	f->duration_ns = span->end_ns > span->start_ns
				 ? (uint64_t)(span->end_ns - span->start_ns)
				 : 0;
	if (!gather_trace(g, &span->trace_id, &trace, err))
		return false;
	gather_extent(g, trace, f);
	/* A root may name a parent that never came. */
	if (span->parent_id == 0 || g->want->has_roots_only)
		gather_root(g, trace, f->texts[FACT_SERVICE],
			    f->texts[FACT_NAME]);
	return gather_span(g, trace, f, err);
}

static bool end_trace(void *context, const struct trace_id *id,
		      size_t span_count, struct error *err)
{
	struct sink *s = context;
	const struct history_want *want = s->gather.want;
	uint32_t trace;

	(void)span_count;
	if (!gather_trace(&s->gather, id, &trace, err))
		return false;
	/* The rest of the trace was not asked for. */
	if (want->hits && want->has_roots_only)
		gather_stats_forget(&s->gather, trace);
	return true;
}

static bool keep_token(void *context, struct str token, struct error *err)
{
	struct sink *s = context;
	struct buf *out = s->gather.want->next_page;

	(void)err;
	if (!out) {
		s->gather.is_sample = true;
		return true;
	}
	buf_clear(out);
	buf_add_str(out, token);
	return true;
}

bool decode_cloud_trace_search(struct str bytes, struct history *h,
			       const struct history_want *want,
			       struct error *err)
{
	static const struct cloud_sink sink = {
		.begin = begin,
		.attr = take_attr,
		.span = add_span,
		.trace = end_trace,
		.next_page = keep_token,
	};
	struct sink s;
	size_t trimmed;
	bool is_read;

	gather_init(&s.gather, h, want);
	facts_init(&s.facts);
	is_read = cloud_trace_read(bytes, &sink, &s, &trimmed, err);
	facts_release(&s.facts);
	return gather_finish(&s.gather, is_read, err);
}
