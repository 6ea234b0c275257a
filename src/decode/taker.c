/* SPDX-License-Identifier: Apache-2.0 */
#include "decode/taker.h"

#include <stdarg.h>
#include <stdio.h>

#define WHAT "other traces"

/* The resource whose attributes were read last. */
#define PROCESS_READ_LAST (UINT32_MAX - 1)

/* Memory kept between traces. */
#define KEPT_BYTES (256 * KIB)

struct waiting_span {
	struct span_input in;
	struct str name;
	struct str attrs; /* see struct span_facts */
	uint64_t profile_id;
};

struct taken_process {
	struct str service;
	struct str instance;
	struct str version;
	struct str attrs;
	bool is_described;
};

void taker_init(struct taker *t)
{
	arena_init(&t->arena, LIMIT_DECODE_HEAP_BYTES);
	if (!t->b)
		facts_init(&t->facts);
	if (t->gather)
		t->facts.history = t->gather->history;
}

void taker_release(struct taker *t)
{
	arena_release(&t->arena);
	if (!t->b)
		facts_release(&t->facts);
}

/* ---- attributes ---- */

void taker_attrs_begin(struct taker *t, enum attrs_of of)
{
	if (t->b) {
		if (of == ATTRS_OF_PROCESS)
			trace_build_process_begin(t->b);
		else
			trace_build_attrs_begin(t->b);
	} else if (of == ATTRS_OF_PROCESS) {
		facts_clear_process(&t->facts);
		t->facts.scope = FACTS_PROCESS;
	} else {
		facts_clear_span(&t->facts);
		t->facts.scope = FACTS_SPAN;
	}
}

bool taker_wants_fact(const struct taker *t, struct str key)
{
	return facts_find(&t->facts, key) != FACT_NONE ||
	       facts_key(&t->facts, key) < HISTORY_KEYS;
}

bool taker_set_fact(struct taker *t, struct str key, struct str value)
{
	uint32_t wanted = facts_key(&t->facts, key);

	facts_set(&t->facts, facts_find(&t->facts, key), value);
	if (wanted < HISTORY_KEYS)
		facts_add_attr(&t->facts, wanted, value);
	return true;
}

bool taker_text(struct taker *t, struct str text, uint32_t *symbol,
		struct error *err)
{
	return !t->b || trace_build_text(t->b, text, symbol, err);
}

bool taker_name(struct taker *t, struct str text, struct span_input *in,
		struct error *err)
{
	if (t->b)
		return trace_build_text(t->b, text, &in->name, err);
	facts_set(&t->facts, FACT_NAME, text);
	return true;
}

/* ---- resources ---- */

static bool watch_process(struct taker *t, struct error *err)
{
	if (t->facts.is_starved)
		return error_memory(err, "a span");
	return t->watch->service(t->watch->context,
				 t->facts.texts[FACT_SERVICE], err);
}

bool taker_process(struct taker *t, uint32_t *process, struct error *err)
{
	if (t->b)
		return trace_build_resource(t->b, process, err);
	*process = PROCESS_READ_LAST;
	return !t->watch || watch_process(t, err);
}

bool taker_process_reserve(struct taker *t, uint32_t *process,
			   struct error *err)
{
	void *items = t->processes;

	if (t->b)
		return trace_build_resource_reserve(t->b, process, err);
	*process = (uint32_t)t->process_count;
	if (t->watch)
		return true;
	if (!arena_reserve(&t->arena, &items, &t->process_cap,
			   t->process_count + 1, sizeof *t->processes))
		return arena_fail(&t->arena, WHAT, err);
	t->processes = items;
	t->processes[t->process_count++] =
		(struct taken_process){ .service = STR(""),
					.instance = STR(""),
					.version = STR(""),
					.attrs = STR("") };
	return true;
}

static bool keep_process(struct taker *t, struct taken_process *p,
			 struct error *err)
{
	const struct span_facts *f = &t->facts;

	p->service = arena_str(&t->arena, f->texts[FACT_SERVICE]);
	p->instance = arena_str(&t->arena, facts_instance(f));
	p->version = arena_str(&t->arena, f->texts[FACT_VERSION]);
	p->attrs = arena_str(&t->arena, buf_str(&f->of_process));
	p->is_described = true;
	if (f->is_starved)
		return error_memory(err, WHAT);
	return (p->service.ptr && p->instance.ptr && p->version.ptr &&
		p->attrs.ptr) ||
	       arena_fail(&t->arena, WHAT, err);
}

bool taker_process_describe(struct taker *t, uint32_t process,
			    struct error *err)
{
	if (t->b)
		return trace_build_resource_describe(t->b, process, err);
	return t->watch ? watch_process(t, err)
			: keep_process(t, &t->processes[process], err);
}

static void use_process(struct taker *t, const struct taken_process *p)
{
	facts_clear_process(&t->facts);
	t->facts.texts[FACT_SERVICE] = p->service;
	t->facts.texts[FACT_POD] = p->instance;
	t->facts.texts[FACT_VERSION] = p->version;
	facts_set_attrs(&t->facts, &t->facts.of_process, p->attrs);
}

/* ---- spans ---- */

/* The facts are those of the span and its resource. */
static bool span_gather(struct taker *t, const struct span_input *in,
			struct error *err)
{
	struct gather *g = t->gather;
	struct span_facts *f = &t->facts;
	uint32_t trace;

	f->span_id = in->span_id;
	f->parent_id = in->parent_id;
	f->start_ns = in->start_unix_ns;
	f->duration_ns = in->end_unix_ns > in->start_unix_ns
				 ? in->end_unix_ns - in->start_unix_ns
				 : 0;
	f->kind = (enum span_kind)in->kind;
	f->has_kind = true;
	f->is_error = in->flags & SPAN_IS_ERROR;
	if (!gather_trace(g, &in->trace_id, &trace, err))
		return false;
	gather_extent(g, trace, f);
	/* A root may have a parent id whose span is missing. */
	if (in->parent_id == 0 || g->want->has_roots_only)
		gather_root(g, trace, f->texts[FACT_SERVICE],
			    f->texts[FACT_NAME]);
	return gather_span(g, trace, f, err);
}

/* Keeps a span until its resource is described. */
static bool keep_waiting(struct taker *t, const struct span_input *in,
			 struct error *err)
{
	struct waiting_span span = {
		.in = *in,
		.name = arena_str(&t->arena, t->facts.texts[FACT_NAME]),
		.attrs = arena_str(&t->arena, buf_str(&t->facts.of_span)),
		.profile_id = t->facts.profile_id,
	};
	void *items = t->spans;

	if (t->facts.is_starved)
		return error_memory(err, WHAT);
	if (!span.name.ptr || !span.attrs.ptr ||
	    !arena_reserve(&t->arena, &items, &t->waiting_cap,
			   t->waiting_count + 1, sizeof span))
		return arena_fail(&t->arena, WHAT, err);
	t->spans = items;
	t->spans[t->waiting_count++] = span;
	return true;
}

bool taker_span(struct taker *t, const struct span_input *in, struct error *err)
{
	t->span_count++;
	if (t->b)
		return trace_build_span(t->b, in, err);
	if (t->watch)
		return true;
	if (in->resource == PROCESS_READ_LAST)
		return span_gather(t, in, err);
	if (!t->processes[in->resource].is_described)
		return keep_waiting(t, in, err);
	use_process(t, &t->processes[in->resource]);
	return span_gather(t, in, err);
}

bool taker_settle(struct taker *t, struct error *err)
{
	bool is_taken = true;

	if (!t->process_count)
		return true;
	for (size_t i = 0; is_taken && i < t->waiting_count; i++) {
		const struct waiting_span *w = &t->spans[i];

		use_process(t, &t->processes[w->in.resource]);
		t->facts.texts[FACT_NAME] = w->name;
		t->facts.profile_id = w->profile_id;
		facts_set_attrs(&t->facts, &t->facts.of_span, w->attrs);
		is_taken = span_gather(t, &w->in, err);
	}
	/* Their texts may be freed with the arena. */
	facts_clear_process(&t->facts);
	facts_clear_span(&t->facts);
	t->waiting_count = t->process_count = 0;
	if (t->arena.used_bytes < KEPT_BYTES)
		return is_taken;
	arena_release(&t->arena);
	t->spans = NULL;
	t->processes = NULL;
	t->waiting_cap = t->process_cap = 0;
	return is_taken;
}

/* ---- traces and pages ---- */

bool taker_trace_end(struct taker *t, const struct trace_id *id,
		     struct error *err)
{
	const struct history_want *want;
	uint32_t trace;

	if (t->watch)
		t->watch->trace_count++;
	if (!t->gather)
		return true;
	if (!gather_trace(t->gather, id, &trace, err))
		return false;
	want = t->gather->want;
	/* The rest of the trace was not requested. */
	if (want->hits && want->has_roots_only)
		gather_stats_forget(t->gather, trace);
	return true;
}

void taker_next_page(struct taker *t, struct str token)
{
	struct buf *out;

	if (!t->gather)
		return;
	out = t->gather->want->next_page;
	if (!out) {
		t->gather->is_sample = true;
		return;
	}
	buf_clear(out);
	buf_add_str(out, token);
}

void taker_partial(struct taker *t, const char *format, ...)
{
	char note[LIMIT_NOTE_BYTES];
	va_list args;

	if (t->gather)
		t->gather->is_sample = true;
	if (!t->b)
		return;
	va_start(args, format);
	vsnprintf(note, sizeof note, format, args);
	va_end(args);
	trace_build_partial(t->b);
	notes_add(t->notes, "%s", note);
}
