/* SPDX-License-Identifier: Apache-2.0
 *
 * Trace events read back by another JSON reader: viewers want the events of a
 * thread to nest, whatever the spans do.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "../unit.h"
#include "render/render.h"

#define SPANS_MAX 400u
#define BASE_NS 1795228418000000000

struct made {
	struct result result;
	struct trace trace;
	struct trace_build *build;
	struct waterfall_row rows[SPANS_MAX];
	uint32_t resources[3];
	struct error err;
};

static void begin(struct made *m)
{
	static const char *const services[] = { "web", "db", "" };

	memset(m, 0, sizeof *m);
	trace_init(&m->trace);
	m->trace.wants_details = true;
	m->build = trace_build_new(&m->trace, NULL, &m->err);
	assert_non_null(m->build);
	for (size_t i = 0; i < 3; i++) {
		trace_build_attrs_begin(m->build);
		assert_true(trace_build_attr(m->build, STR("service.name"),
					     str_from(services[i]), &m->err));
		assert_true(trace_build_resource(m->build, &m->resources[i],
						 &m->err));
	}
}

static void add(struct made *m, uint64_t id, uint64_t parent, int service,
		int64_t from_ns, int64_t to_ns)
{
	struct span_input in = {
		.trace_id = { { 1 } },
		.span_id = id,
		.parent_id = parent,
		.resource = m->resources[service],
		.start_unix_ns = (uint64_t)(BASE_NS + from_ns),
		.end_unix_ns = (uint64_t)(BASE_NS + to_ns),
	};

	trace_build_attrs_begin(m->build);
	assert_true(trace_build_attr(m->build, STR("odd \"key\""), STR("v\n"),
				     &m->err));
	assert_true(trace_build_span(m->build, &in, &m->err));
}

/* The document; rows in the order of the trace. */
static json_t *render(struct made *m, struct buf *out)
{
	const struct render_format *f = render_find(STR("chrome"));
	struct render_input in = { .result = &m->result, .trace = &m->trace };
	json_error_t error;
	struct out writer;
	json_t *root;

	assert_true(trace_build_finish(m->build, &m->err));
	trace_build_free(m->build);
	assert_true(m->trace.span_count <= SPANS_MAX);
	for (uint32_t i = 0; i < m->trace.span_count; i++)
		m->rows[i] = (struct waterfall_row){ .span = i, .count = 1 };
	m->result.command = "show";
	m->result.spans = m->rows;
	m->result.span_count = m->trace.span_count;
	buf_init(out, 64 * MIB);
	out_init_memory(&writer, out);
	f->render(&in, &writer);
	assert_true(out_finish(&writer, "memory", &m->err));
	out_release(&writer);
	root = json_loadb(out->data, out->len, 0, &error);
	if (!root)
		fail_msg("%s", error.text);
	return root;
}

static int64_t number(const json_t *event, const char *key)
{
	return json_integer_value(json_object_get(event, key));
}

/* Nanoseconds of a number of microseconds; exact in tests this small. */
static int64_t ns(const json_t *event, const char *key)
{
	return (int64_t)(json_real_value(json_object_get(event, key)) * 1000 +
			 0.5);
}

static bool is_span(const json_t *event)
{
	return !strcmp(json_string_value(json_object_get(event, "ph")), "X");
}

/* Events that share a lane are apart, or one holds the other. */
static void check_nesting(const json_t *events)
{
	for (size_t i = 0; i < json_array_size(events); i++)
		for (size_t j = 0; j < i; j++) {
			const json_t *a = json_array_get(events, i);
			const json_t *b = json_array_get(events, j);
			int64_t a_from, a_to, b_from, b_to;

			if (!is_span(a) || !is_span(b) ||
			    number(a, "pid") != number(b, "pid") ||
			    number(a, "tid") != number(b, "tid"))
				continue;
			a_from = ns(a, "ts");
			a_to = a_from + ns(a, "dur");
			b_from = ns(b, "ts");
			b_to = b_from + ns(b, "dur");
			assert_true(a_to <= b_from || b_to <= a_from ||
				    (a_from >= b_from && a_to <= b_to) ||
				    (b_from >= a_from && b_to <= a_to));
		}
}

static void drop(struct made *m, json_t *root, struct buf *out)
{
	json_decref(root);
	buf_release(out);
	trace_release(&m->trace);
}

static const json_t *event_of(const json_t *events, const char *span_id)
{
	for (size_t i = 0; i < json_array_size(events); i++) {
		const json_t *event = json_array_get(events, i);
		const json_t *args = json_object_get(event, "args");
		const char *id =
			json_string_value(json_object_get(args, "span_id"));

		if (id && !strcmp(id, span_id))
			return event;
	}
	fail_msg("no span %s", span_id);
	return NULL;
}

/* 1 holds 2; 3 overlaps 2 and goes to a lane of its own, which 4 uses again;
 * 5 is of another service. */
static void test_lanes(void **state)
{
	struct made m;
	struct buf out;
	json_t *root, *events;

	(void)state;
	begin(&m);
	add(&m, 1, 0, 0, 0, 100000);
	add(&m, 2, 1, 0, 10000, 50001);
	add(&m, 3, 1, 0, 20000, 60000);
	add(&m, 4, 1, 0, 60000, 120000);
	add(&m, 5, 2, 1, 10000, 20000);
	root = render(&m, &out);
	events = json_object_get(root, "traceEvents");
	assert_int_equal(json_array_size(events), 7);
	check_nesting(events);
	assert_int_equal(number(event_of(events, "0000000000000001"), "tid"),
			 1);
	assert_int_equal(number(event_of(events, "0000000000000002"), "tid"),
			 1);
	assert_int_equal(number(event_of(events, "0000000000000003"), "tid"),
			 2);
	assert_int_equal(number(event_of(events, "0000000000000004"), "tid"),
			 2);
	assert_int_equal(number(event_of(events, "0000000000000005"), "pid"),
			 1);
	assert_int_equal(number(event_of(events, "0000000000000001"), "pid"),
			 2);
	assert_int_equal(ns(event_of(events, "0000000000000002"), "dur"),
			 40001);
	assert_non_null(strstr(buf_text(&out), "\"dur\":40.001"));
	assert_non_null(strstr(buf_text(&out), "\"odd \\\"key\\\"\":\"v\\n\""));
	drop(&m, root, &out);
}

/* Spans without order, of zero length, equal, outside their parents. */
static void test_any_spans_nest(void **state)
{
	uint32_t random = 1;

	(void)state;
	for (int round = 0; round < 20; round++) {
		struct made m;
		struct buf out;
		json_t *root;

		begin(&m);
		for (uint64_t id = 1; id <= 150; id++) {
			int64_t from, len;
			uint64_t parent;

			random = random * 1664525u + 1013904223u;
			from = random >> 8 & 127;
			random = random * 1664525u + 1013904223u;
			len = random >> 8 & 31;
			random = random * 1664525u + 1013904223u;
			parent = (random >> 8) % id;
			add(&m, id, parent, (int)(random >> 28) % 3, from,
			    from + len);
		}
		root = render(&m, &out);
		check_nesting(json_object_get(root, "traceEvents"));
		drop(&m, root, &out);
	}
}

static void test_no_spans(void **state)
{
	struct made m;
	struct buf out;
	json_t *root;

	(void)state;
	begin(&m);
	root = render(&m, &out);
	assert_int_equal(json_array_size(json_object_get(root, "traceEvents")),
			 0);
	drop(&m, root, &out);
}

UNIT_TESTS(chrome)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lanes),
		cmocka_unit_test(test_any_spans_nest),
		cmocka_unit_test(test_no_spans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
