/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "../unit.h"
#include "model/history.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "../starving.h"

static const struct operation operations[] = {
	{ { "cart", 4 }, { "GET /cart", 9 }, SPAN_KIND_SERVER },
	{ { "cart", 4 }, { "SELECT", 6 }, SPAN_KIND_CLIENT },
	{ { "db", 2 }, { "SELECT", 6 }, SPAN_KIND_SERVER },
};

static struct history h;
static struct error err;

static int setup(void **state)
{
	(void)state;
	history_init(&h, operations, 3);
	h.window_count = 1;
	h.windows[0].range = (struct time_range){ 1000, 2000 };
	error_clear(&err);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	history_release(&h);
	return 0;
}

static void add_trace(unsigned char id, int64_t start_ns)
{
	struct history_trace trace = { .start_ns = start_ns };

	trace.id.bytes[15] = id;
	assert_true(history_add_trace(&h, 0, &trace, &err));
}

static void add_span(uint32_t operation, uint64_t id, int64_t start_ns,
		     int64_t duration_ns)
{
	struct history_span span = { .operation = operation,
				     .span_id = id,
				     .start_ns = start_ns,
				     .duration_ns = duration_ns };

	assert_true(history_add_span(&h, 0, &span, &err));
}

static void check_span(uint32_t at, uint64_t id, uint32_t trace,
		       int64_t duration_ns)
{
	const struct history_span *s = &h.windows[0].spans[at];

	assert_int_equal(s->span_id, id);
	assert_int_equal(s->trace, trace);
	assert_int_equal(s->duration_ns, duration_ns);
}

static void test_operations_are_told_apart(void **state)
{
	(void)state;
	assert_int_equal(history_operation(&h, STR("cart"), STR("SELECT"),
					   SPAN_KIND_CLIENT),
			 1);
	assert_int_equal(history_operation(&h, STR("db"), STR("SELECT"),
					   SPAN_KIND_SERVER),
			 2);
	assert_int_equal(history_operation(&h, STR("db"), STR("SELECT"),
					   SPAN_KIND_CLIENT),
			 OPERATION_NONE);
	assert_int_equal(history_operation(&h, STR("d"), STR("SELECT"),
					   SPAN_KIND_SERVER),
			 OPERATION_NONE);
}

static void test_texts_are_interned(void **state)
{
	uint32_t a, b, none;

	(void)state;
	assert_int_equal(history_text(&h, 0).len, 0);
	assert_true(history_symbol(&h, STR(""), &none, &err));
	assert_true(history_symbol(&h, STR("pod-a"), &a, &err));
	assert_true(history_symbol(&h, STR("pod-a"), &b, &err));
	assert_int_equal(none, 0);
	assert_int_equal(a, b);
	assert_true(str_equal(history_text(&h, a), STR("pod-a")));
}

static void test_window_is_put_in_order(void **state)
{
	(void)state;
	add_trace(2, 1500);
	add_span(0, 21, 1500, 40);
	add_span(1, 20, 1510, 10);
	add_trace(1, 1100);
	add_span(0, 12, 1100, 30);
	add_span(1, 11, 1100, 20);
	history_finish_window(&h, 0);
	assert_int_equal(h.windows[0].trace_count, 2);
	assert_int_equal(h.windows[0].traces[0].id.bytes[15], 1);
	assert_int_equal(h.windows[0].span_count, 4);
	check_span(0, 11, 0, 20);
	check_span(1, 12, 0, 30);
	check_span(2, 21, 1, 40);
	check_span(3, 20, 1, 10);
}

/* Starts over all sizes of distances, some of them equal; one id stands in two
 * traces, which makes no copies of it. */
static void test_many_spans_are_put_in_order(void **state)
{
	static const int64_t ranges[] = { 7, 3000, INT64_C(1) << 40,
					  INT64_MAX };
	const struct history_window *w = &h.windows[0];

	for (size_t r = 0; r < sizeof ranges / sizeof *ranges; r++) {
		uint64_t random = 1;

		teardown(state);
		setup(state);
		h.windows[0].range = (struct time_range){ 0, INT64_MAX };
		add_trace(1, 1);
		for (uint32_t i = 0; i < 3000; i++) {
			random = random * 6364136223846793005u + 1;
			if (i == 2000)
				add_trace(2, 2);
			add_span(0, 1 + (i * 7919u % 2999),
				 (int64_t)((random >> 1) % (uint64_t)ranges[r]),
				 i);
		}
		history_finish_window(&h, 0);
		assert_int_equal(w->span_count, 3000);
		for (uint32_t i = 1; i < w->span_count; i++) {
			const struct history_span *a = &w->spans[i - 1];
			const struct history_span *b = &w->spans[i];

			assert_true(a->start_ns < b->start_ns ||
				    (a->start_ns == b->start_ns &&
				     a->span_id <= b->span_id));
		}
	}
}

/* Answers of one window: the second one's spans lie behind the first one's, in
 * front of them, among them, and beside those that start together. */
static void test_answers_come_one_by_one(void **state)
{
	static const int64_t firsts[] = { 1500, 1000, 1205, 1290, 1200 };
	const struct history_window *w = &h.windows[0];

	for (size_t f = 0; f < sizeof firsts / sizeof *firsts; f++) {
		teardown(state);
		setup(state);
		add_trace(1, 1200);
		for (uint32_t i = 0; i < 100; i++)
			add_span(0, 2 * i + 2, 1299 - i, 1);
		history_finish_window(&h, 0);
		add_trace(2, firsts[f]);
		for (uint32_t i = 0; i < 30; i++)
			add_span(0, 2 * i + 1, firsts[f] + 29 - i, 1);
		history_finish_window(&h, 0);
		assert_int_equal(w->span_count, 130);
		for (uint32_t i = 1; i < w->span_count; i++) {
			const struct history_span *a = &w->spans[i - 1];
			const struct history_span *b = &w->spans[i];

			assert_true(a->start_ns < b->start_ns ||
				    (a->start_ns == b->start_ns &&
				     a->span_id < b->span_id));
		}
	}
}

/* The same order without memory for a quicker way to it. */
static void test_order_without_memory(void **state)
{
	(void)state;
	for (long n = 0; n < 5; n++) {
		teardown(state);
		setup(state);
		add_trace(1, 1000);
		for (uint32_t i = 0; i < 900; i++)
			add_span(0, i + 1, 1900 - i, 1);
		starve_once_after(n);
		history_finish_window(&h, 0);
		stop_starving();
		assert_int_equal(h.windows[0].span_count, 900);
		for (uint32_t i = 0; i < 900; i++)
			check_span(i, 900 - i, 0, 1);
	}
}

static void test_the_early_part_is_moved(void **state)
{
	(void)state;
	h.window_count = 2;
	h.windows[1].range = (struct time_range){ 500, 1000 };
	add_trace(1, 1010);
	add_span(0, 11, 1010, 20);
	add_span(1, 12, 1490, 5); /* of a trace that goes on behind */
	add_span(1, 13, 1600, 5);
	add_trace(2, 1500);
	add_span(0, 21, 1500, 40);
	history_finish_window(&h, 0);
	assert_true(history_move_before(&h, 0, 1, 1500, &err));
	assert_int_equal(h.windows[0].range.from_ns, 1500);
	assert_int_equal(h.windows[0].trace_count, 1);
	assert_int_equal(h.windows[0].span_count, 1);
	check_span(0, 21, 0, 40);
	assert_int_equal(h.windows[1].range.from_ns, 500);
	assert_int_equal(h.windows[1].range.to_ns, 1500);
	assert_true(h.windows[1].is_answered);
	assert_int_equal(h.windows[1].trace_count, 1);
	assert_int_equal(h.windows[1].span_count, 2);
	assert_int_equal(h.windows[1].spans[1].span_id, 12);
}

static void test_what_lies_outside_is_dropped(void **state)
{
	(void)state;
	add_trace(1, 999); /* begins before: all of it */
	add_span(0, 1, 1000, 5);
	add_trace(2, 1000); /* the first instant inside */
	add_span(0, 2, 1000, 5);
	add_trace(3, 1999); /* the last, with a span past it */
	add_span(0, 3, 1999, 5);
	add_span(1, 4, 2000, 5);
	add_trace(4, 2000);
	add_span(0, 5, 2000, 5);
	history_finish_window(&h, 0);
	assert_int_equal(h.windows[0].trace_count, 2);
	assert_int_equal(h.windows[0].span_count, 2);
	check_span(0, 2, 0, 5);
	check_span(1, 3, 1, 5);
}

static void test_copies_are_merged(void **state)
{
	(void)state;
	add_trace(1, 1200);
	add_span(0, 7, 1200, 30);
	add_span(0, 7, 1200, 35); /* the longer one stays */
	add_span(1, 7, 1205, 5);  /* an id that client and server share */
	add_trace(1, 1100);       /* the same trace again */
	add_span(0, 7, 1200, 35);
	add_span(0, 0, 1300, 1); /* without ids they cannot be compared */
	add_span(0, 0, 1300, 1);
	history_finish_window(&h, 0);
	assert_int_equal(h.windows[0].trace_count, 1);
	assert_int_equal(h.windows[0].traces[0].start_ns, 1100);
	assert_int_equal(h.windows[0].span_count, 4);
	check_span(0, 7, 0, 35);
	check_span(1, 7, 0, 5);
}

/* Ids chosen to be looked for in one place all. */
static void test_copies_among_ids_that_collide(void **state)
{
	const uint64_t ids = 0xF1DE83E19937733Du;

	(void)state;
	add_trace(1, 1100);
	for (uint32_t i = 1; i <= 2000; i++)
		add_span(0, ids * i, 1100, i);
	add_span(0, ids, 1100, 2500);
	history_finish_window(&h, 0);
	assert_int_equal(h.windows[0].span_count, 2000);
	for (uint32_t i = 0; i < 2000; i++)
		if (h.windows[0].spans[i].span_id == ids)
			assert_int_equal(h.windows[0].spans[i].duration_ns,
					 2500);
}

static void test_only_traces_that_were_slow(void **state)
{
	(void)state;
	h.windows[0].slow_operation = 0;
	h.windows[0].min_duration_ns = 50;
	add_trace(1, 1100);
	add_span(0, 1, 1100, 49);
	add_span(1, 2, 1100, 80); /* another operation does not count */
	add_trace(2, 1200);
	add_span(1, 3, 1200, 1);
	add_span(0, 4, 1201, 50);
	history_finish_window(&h, 0);
	assert_int_equal(h.windows[0].trace_count, 1);
	assert_int_equal(h.windows[0].span_count, 2);
	check_span(0, 3, 0, 1);
	check_span(1, 4, 0, 50);
}

static void test_traces_up_to_the_limit(void **state)
{
	struct history_trace trace = { .start_ns = 1500 };

	(void)state;
	for (uint32_t i = 0; i < LIMIT_HISTORY_TRACES; i++) {
		memcpy(trace.id.bytes, &i, sizeof i);
		assert_true(history_add_trace(&h, 0, &trace, &err));
		add_span(0, i + 1, 1500, 1);
	}
	assert_false(h.windows[0].is_sample);
	assert_int_equal(h.windows[0].span_count, LIMIT_HISTORY_TRACES);
	trace.id.bytes[15] = 1;
	assert_true(history_add_trace(&h, 0, &trace, &err));
	/* Not of the trace before. */
	add_span(0, 1000000, 1500, 1);
	assert_true(h.windows[0].is_sample);
	assert_int_equal(h.windows[0].trace_count, LIMIT_HISTORY_TRACES);
	assert_int_equal(h.windows[0].span_count, LIMIT_HISTORY_TRACES);
	history_finish_window(&h, 0);
	assert_int_equal(h.windows[0].span_count, LIMIT_HISTORY_TRACES);
}

static void test_spans_up_to_the_limit(void **state)
{
	(void)state;
	add_trace(1, 1500);
	for (uint32_t i = 0; i < LIMIT_HISTORY_SPANS; i++)
		add_span(0, i + 1, 1500, 1);
	assert_false(h.windows[0].is_sample);
	add_span(0, LIMIT_HISTORY_SPANS + 1, 1500, 1);
	assert_true(h.windows[0].is_sample);
	assert_int_equal(h.windows[0].span_count, LIMIT_HISTORY_SPANS);
}

static void test_span_without_trace_is_dropped(void **state)
{
	(void)state;
	add_span(0, 1, 1500, 1);
	history_finish_window(&h, 0);
	assert_int_equal(h.windows[0].span_count, 0);
}

static void test_lack_of_memory_is_told(void **state)
{
	struct history_trace trace = { .start_ns = 1500 };
	uint32_t symbol;

	(void)state;
	starve_after(0);
	assert_false(history_add_trace(&h, 0, &trace, &err));
	assert_int_equal(err.code, ERROR_MEMORY);
	assert_false(history_symbol(&h, STR("pod"), &symbol, &err));
	assert_true(stop_starving());
}

static const struct history_key keys[] = { { { "tenant", 6 }, false },
					   { { "zone", 4 }, true } };

static void test_attributes_of_a_span(void **state)
{
	char text[HISTORY_VALUE_BYTES + 1];
	struct str longest = { text, HISTORY_VALUE_BYTES };
	struct history_span first = { 0 }, second = { 0 };

	(void)state;
	memset(text, 'x', sizeof text);
	h.keys = keys;
	h.key_count = 2;
	assert_int_equal(history_key(&h, STR("zone")), 1);
	assert_int_equal(history_key(&h, STR("other")), HISTORY_KEYS);
	assert_true(history_add_attr(&h, &first, 0, STR("a"), &err));
	assert_true(history_add_attr(&h, &first, 0, STR("b"), &err));
	assert_true(history_add_attr(&h, &second, 1, longest, &err));
	longest.len++;
	assert_true(history_add_attr(&h, &second, 0, longest, &err));
	assert_int_equal(first.attr_count, 1);
	assert_int_equal(second.attr_count, 1);
	assert_true(str_equal(history_text(&h, history_attr(&h, &first, 0)),
			      STR("b")));
	assert_int_equal(history_attr(&h, &first, 1), 0);
	assert_int_equal(history_attr(&h, &second, 0), 0);
	assert_int_not_equal(history_attr(&h, &second, 1), 0);
}

static void test_attributes_up_to_the_limit(void **state)
{
	struct history_span span = { 0 };

	(void)state;
	h.keys = keys;
	h.key_count = 2;
	for (uint32_t i = 0; i <= LIMIT_HISTORY_ATTRS; i++) {
		span = (struct history_span){ 0 };
		assert_true(history_add_attr(&h, &span, 0, STR("a"), &err));
		if (i + 1 == LIMIT_HISTORY_ATTRS)
			assert_int_equal(span.attr_count, 1);
	}
	assert_int_equal(span.attr_count, 0);
	assert_int_equal(h.attr_count, LIMIT_HISTORY_ATTRS);
}

/* As many as there is room for, of one service. */
static void test_a_service_is_learned(void **state)
{
	uint32_t operation;
	char name[16];

	(void)state;
	history_init_service(&h, STR("cart"));
	for (uint32_t i = 0; i < HISTORY_LEARNED; i++) {
		snprintf(name, sizeof name, "op %u", i);
		assert_true(history_learn(&h, STR("cart"), str_from(name),
					  SPAN_KIND_SERVER, &operation, &err));
		assert_int_equal(operation, i);
	}
	assert_true(history_learn(&h, STR("cart"), STR("op 3"),
				  SPAN_KIND_SERVER, &operation, &err));
	assert_int_equal(operation, 3);
	assert_true(history_learn(&h, STR("cart"), STR("more"),
				  SPAN_KIND_SERVER, &operation, &err));
	assert_int_equal(operation, OPERATION_NONE);
	assert_true(history_learn(&h, STR("db"), STR("op 3"), SPAN_KIND_SERVER,
				  &operation, &err));
	assert_int_equal(operation, OPERATION_NONE);
}

UNIT_TESTS(history)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_operations_are_told_apart,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_texts_are_interned, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_window_is_put_in_order,
						setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_many_spans_are_put_in_order, setup, teardown),
		cmocka_unit_test_setup_teardown(test_answers_come_one_by_one,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_order_without_memory,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_the_early_part_is_moved,
						setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_what_lies_outside_is_dropped, setup, teardown),
		cmocka_unit_test_setup_teardown(test_copies_are_merged, setup,
						teardown),
		cmocka_unit_test_setup_teardown(
			test_copies_among_ids_that_collide, setup, teardown),
		cmocka_unit_test_setup_teardown(test_only_traces_that_were_slow,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_traces_up_to_the_limit,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_spans_up_to_the_limit,
						setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_span_without_trace_is_dropped, setup, teardown),
		cmocka_unit_test_setup_teardown(test_attributes_of_a_span,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_attributes_up_to_the_limit,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_lack_of_memory_is_told,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_service_is_learned,
						setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
