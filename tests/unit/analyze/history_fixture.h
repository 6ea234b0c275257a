/* SPDX-License-Identifier: Apache-2.0
 *
 * Histories put together by hand, for tests. Times are milliseconds after
 * FIXTURE_BASE_NS; spans are added in order of their start.
 */
#ifndef TESTS_ANALYZE_HISTORY_FIXTURE_H
#define TESTS_ANALYZE_HISTORY_FIXTURE_H

#include "model/history.h"
#include "trace_fixture.h"

#define FIXTURE_HISTORY_SPANS 4000

struct past {
	struct arena arena;
	struct history h;
	struct operation operations[4];
	uint64_t next_id;
};

static inline void past_init(struct past *p)
{
	struct error err = { 0 };

	*p = (struct past){ .next_id = 0x100 };
	arena_init(&p->arena, GIB);
	arena_init(&p->h.arena, GIB);
	assert_true(symtab_init(&p->h.symtab, &p->arena, &err));
	p->h.operations = p->operations;
}

/* The next operation, from 0. */
static inline void past_operation(struct past *p, const char *service,
				  const char *name, enum span_kind kind)
{
	assert_true(p->h.operation_count < 4);
	p->operations[p->h.operation_count++] =
		(struct operation){ str_from(service), str_from(name), kind };
}

static inline void past_release(struct past *p)
{
	arena_release(&p->h.arena);
	arena_release(&p->arena);
}

static inline uint32_t past_window(struct past *p, double from_ms, double to_ms)
{
	struct history_window *w = &p->h.windows[p->h.window_count];

	assert_true(p->h.window_count < HISTORY_WINDOWS);
	*w = (struct history_window){
		.range = { FIXTURE_BASE_NS + fixture_ms(from_ms),
			   FIXTURE_BASE_NS + fixture_ms(to_ms) },
		.slow_operation = OPERATION_NONE,
		.is_answered = true,
	};
	w->traces = arena_array(&p->arena, FIXTURE_HISTORY_SPANS,
				sizeof *w->traces);
	w->spans =
		arena_array(&p->arena, FIXTURE_HISTORY_SPANS, sizeof *w->spans);
	assert_non_null(w->traces);
	assert_non_null(w->spans);
	return p->h.window_count++;
}

/* The trace that the next spans belong to. */
static inline void past_trace(struct past *p, uint32_t window)
{
	struct history_window *w = &p->h.windows[window];

	assert_true(w->trace_count < FIXTURE_HISTORY_SPANS);
	w->traces[w->trace_count++] = (struct history_trace){ .start_ns = 0 };
}

/* Of the last trace; ids count up, profile id and span id are equal. */
static inline struct history_span *past_add(struct past *p, uint32_t window,
					    uint32_t operation, double start_ms,
					    double duration_ms)
{
	struct history_window *w = &p->h.windows[window];
	struct history_span *s = &w->spans[w->span_count++];

	assert_true(w->span_count < FIXTURE_HISTORY_SPANS);
	assert_true(w->trace_count > 0);
	*s = (struct history_span){
		.operation = operation,
		.trace = w->trace_count - 1,
		.span_id = p->next_id,
		.profile_id = p->next_id,
		.start_ns = FIXTURE_BASE_NS + fixture_ms(start_ms),
		.duration_ns = fixture_ms(duration_ms),
	};
	p->next_id++;
	return s;
}

/* A trace of its own. */
static inline struct history_span *past_span(struct past *p, uint32_t window,
					     uint32_t operation,
					     double start_ms,
					     double duration_ms)
{
	past_trace(p, window);
	return past_add(p, window, operation, start_ms, duration_ms);
}

static inline uint32_t past_symbol(struct past *p, const char *text)
{
	struct error err = { 0 };
	uint32_t id;

	assert_true(symtab_add(&p->h.symtab, str_from(text), &id, &err));
	return id;
}

#endif
