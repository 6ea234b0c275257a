/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "../unit.h"
#include "trace_fixture.h"

#include "analyze/operations.h"

struct asked {
	struct trace t;
	struct arena arena;
	struct trace_times times;
	struct operations operations;
};

static void begin(struct asked *a, const char *text)
{
	struct error err = { 0 };

	fixture_trace(&a->t, text);
	arena_init(&a->arena, GIB);
	assert_true(trace_times_compute(&a->t, &a->arena, &a->times, &err));
	assert_true(operations_collect(&a->t, &a->times, &a->operations, &err));
}

static void end(struct asked *a)
{
	arena_release(&a->arena);
	trace_release(&a->t);
}

static void expect(const struct asked *a, uint32_t index, const char *service,
		   const char *name, enum span_kind kind)
{
	const struct operation *o = &a->operations.items[index];

	assert_true(index < a->operations.count);
	assert_true(str_equal(o->service, str_from(service)));
	assert_true(str_equal(o->name, str_from(name)));
	assert_int_equal(o->kind, kind);
}

/* The two queries meet with 60 + 60 ms; what ran beside them is not asked. */
static void by_time_through(void **state)
{
	struct asked a;

	(void)state;
	begin(&a, "1 0 web S \"GET /\" 0 400\n"
		  "2 1 web C call 10 390\n"
		  "3 2 cat S List 12 388\n"
		  "4 3 cat C SELECT 20 80\n"
		  "5 3 cat C SELECT 80 140\n"
		  "6 3 cat I rank 150 250\n"
		  "7 3 cat I beside 160 240\n");
	assert_int_equal(a.operations.count, 5);
	assert_int_equal(a.operations.left_out, 0);
	expect(&a, 0, "web", "GET /", SPAN_KIND_SERVER);
	expect(&a, 1, "web", "call", SPAN_KIND_CLIENT);
	expect(&a, 2, "cat", "List", SPAN_KIND_SERVER);
	expect(&a, 3, "cat", "SELECT", SPAN_KIND_CLIENT);
	expect(&a, 4, "cat", "rank", SPAN_KIND_INTERNAL);
	assert_int_equal(a.operations.root, 0);
	assert_true(a.operations.has_single_root);
	assert_false(a.operations.is_root_called);
	assert_true(str_equal(a.operations.root_service, STR("web")));
	assert_true(str_equal(a.operations.root_name, STR("GET /")));
	assert_int_equal(operations_find_span(a.operations.items,
					      a.operations.count, &a.t,
					      fixture_span(&a.t, 5)),
			 3);
	assert_int_equal(operations_find_span(a.operations.items,
					      a.operations.count, &a.t,
					      fixture_span(&a.t, 7)),
			 OPERATION_NONE);
	assert_int_equal(span_entry(&a.t, fixture_span(&a.t, 6)),
			 fixture_span(&a.t, 3));
	assert_int_equal(span_entry(&a.t, fixture_span(&a.t, 2)),
			 fixture_span(&a.t, 1));
	end(&a);
}

/* A consumer of a tenth of the request's time is asked about with what is
 * below it; one of a little less is not. What each waits for in its own process:
 * the call to another one makes its own time unknown. */
/* Servers take the request that delivered the page for the root. */
static void root_of_a_page(void **state)
{
	struct asked a;

	(void)state;
	begin(&a, "1 0 shop S \"GET /\" 100 180\n"
		  "2 1 browser I documentLoad 50 1050\n");
	expect(&a, 0, "browser", "documentLoad", SPAN_KIND_INTERNAL);
	assert_true(a.operations.has_single_root);
	assert_true(str_equal(a.operations.root_service, STR("shop")));
	assert_true(str_equal(a.operations.root_name, STR("GET /")));
	end(&a);
}

static void long_message(void **state)
{
	struct asked a;

	(void)state;
	begin(&a, "1 0 web S \"GET /\" 0 100\n"
		  "2 1 web I render 10 20\n"
		  "3 1 cat S List 20 90\n"
		  "4 1 web P publish 95 96\n"
		  "5 4 idx K process 120 320\n"
		  "6 5 idx I tokenize 130 310\n"
		  "7 4 log K write 105 114.9\n"
		  "8 4 log K append 105 115\n");
	assert_int_equal(a.operations.count, 7);
	assert_int_equal(operations_find_span(a.operations.items,
					      a.operations.count, &a.t,
					      fixture_span(&a.t, 7)),
			 OPERATION_NONE);
	expect(&a, 0, "web", "GET /", SPAN_KIND_SERVER);
	expect(&a, 1, "idx", "process", SPAN_KIND_CONSUMER);
	expect(&a, 2, "idx", "tokenize", SPAN_KIND_INTERNAL);
	assert_int_equal(a.operations.below[0], OPERATIONS_BELOW_UNKNOWN);
	assert_int_equal(a.operations.below[1], 1u << 2);
	assert_int_equal(a.operations.below[2], 0);
	assert_int_equal(a.operations.root, 0);
	end(&a);
}

/* Of a message that waited both ends are asked about, however short. */
static void message_that_waited(void **state)
{
	struct asked a;

	(void)state;
	begin(&a, "1 0 web S \"GET /\" 0 100\n"
		  "2 1 web I render 10 90\n"
		  "4 1 web P publish 95 96\n"
		  "5 4 idx K process 106 107\n"
		  "6 4 log K write 105.9 106\n");
	assert_int_equal(a.operations.count, 4);
	expect(&a, 2, "web", "publish", SPAN_KIND_PRODUCER);
	expect(&a, 3, "idx", "process", SPAN_KIND_CONSUMER);
	end(&a);
}

/* Who called the root sends no spans, such as a browser or a load generator that
 * makes the trace id: to servers none of its traces has a root. */
static void caller_without_spans(void **state)
{
	struct asked a;

	(void)state;
	begin(&a, "1 9 web S \"GET /\" 0 400\n"
		  "2 1 web C call 10 390\n");
	assert_true(a.operations.has_single_root);
	assert_true(a.operations.is_root_called);
	assert_true(str_equal(a.operations.root_name, STR("GET /")));
	end(&a);
}

/* Several roots: which one a search should name is not known, and each may be
 * the slow one. */
static void two_roots(void **state)
{
	struct asked a;

	(void)state;
	begin(&a, "1 0 web S \"GET /\" 0 400\n"
		  "2 9 cat S lost 500 600\n");
	assert_false(a.operations.has_single_root);
	assert_null(a.operations.root_service.ptr);
	assert_int_equal(a.operations.count, 2);
	expect(&a, 1, "cat", "lost", SPAN_KIND_SERVER);
	end(&a);
}

static void too_many(void **state)
{
	char text[4096];
	struct asked a;
	int len;

	(void)state;
	len = snprintf(text, sizeof text, "1 0 web S root 0 1000\n");
	for (unsigned i = 0; i < OPERATIONS_MAX; i++)
		len += snprintf(text + len, sizeof text - (size_t)len,
				"%x 1 web I step%u %u %u\n", i + 2, i, i * 20,
				i * 20 + 10);
	begin(&a, text);
	assert_int_equal(a.operations.count, OPERATIONS_MAX);
	assert_int_equal(a.operations.left_out, 1);
	expect(&a, 0, "web", "root", SPAN_KIND_SERVER);
	end(&a);
}

static void nothing(void **state)
{
	struct asked a;

	(void)state;
	begin(&a, "");
	assert_int_equal(a.operations.count, 0);
	assert_int_equal(a.operations.root, OPERATION_NONE);
	end(&a);
}

UNIT_TESTS(operations)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_time_through),
		cmocka_unit_test(root_of_a_page),
		cmocka_unit_test(long_message),
		cmocka_unit_test(message_that_waited),
		cmocka_unit_test(caller_without_spans),
		cmocka_unit_test(two_roots),
		cmocka_unit_test(too_many),
		cmocka_unit_test(nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
