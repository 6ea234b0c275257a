/* SPDX-License-Identifier: Apache-2.0
 *
 * A trace of fixture_trace() with its times.
 */
#ifndef TEST_TIMES_FIXTURE_H
#define TEST_TIMES_FIXTURE_H

#include "trace_fixture.h"

#include "analyze/trace_analysis.h"

struct fixture_times {
	struct trace t;
	struct arena arena;
	struct trace_times times;
};

static inline void fixture_times_begin(struct fixture_times *c, const char *text)
{
	struct error err = { 0 };

	fixture_trace(&c->t, text);
	arena_init(&c->arena, GIB);
	assert_true(trace_times_compute(&c->t, &c->arena, &c->times, &err));
}

static inline void fixture_times_end(struct fixture_times *c)
{
	arena_release(&c->arena);
	trace_release(&c->t);
}

#endif
