/* SPDX-License-Identifier: Apache-2.0
 *
 * The way between a call and its server side: what is usual for it, and when it
 * is what grew. Operation 0 is the root, 1 the call, 2 its server side.
 */
#include "../unit.h"
#include "history_fixture.h"

#include "analyze/choice.h"
#include "analyze/typical.h"

#define TRACES 10

static const uint32_t served[] = { 0, 1u << 2, 0 };
static const struct time_range all = { 0, 0 };

struct asked {
	struct past p;
	struct typical typical;
	struct trace t;
	struct arena arena;
	struct trace_times times;
	struct result result;
	struct guilty_want want;
	struct choice c;
	struct guilty_pick pick;
};

static void begin(struct asked *a)
{
	*a = (struct asked){ .want.by = GUILTY_BY_CRITICAL_PATH };
	past_init(&a->p);
	past_operation(&a->p, "web", "GET /", SPAN_KIND_SERVER);
	past_operation(&a->p, "web", "call", SPAN_KIND_CLIENT);
	past_operation(&a->p, "cat", "List", SPAN_KIND_SERVER);
	past_window(&a->p, 0, 100000);
	past_window(&a->p, 0, 100000);
}

/* Traces of a window, each with so many calls; the server's clock is an hour
 * ahead. */
static void happened(struct asked *a, uint32_t window, int calls,
		     int server_sides, double call_ms, double server_ms)
{
	for (int i = 0; i < TRACES; i++) {
		double at = i * 100;

		past_span(&a->p, window, 0, at, call_ms * calls + 10);
		for (int j = 0; j < calls; j++)
			past_add(&a->p, window, 1, at, call_ms);
		for (int j = 0; j < server_sides; j++)
			past_add(&a->p, window, 2, at + 3600000, server_ms);
	}
}

static void build(struct asked *a)
{
	struct error err = { 0 };

	assert_true(typical_build(&a->p.h, 0, all, 0, UINT32_MAX, &a->p.arena,
				  &a->typical, &err));
	assert_true(typical_add_gaps(&a->typical, &a->p.h, 0, all, served, 1,
				     &err));
}

static void choose(struct asked *a, const char *text)
{
	struct error err = { 0 };

	build(a);
	fixture_trace(&a->t, text);
	arena_init(&a->arena, GIB);
	arena_init(&a->result.arena, GIB);
	assert_true(trace_times_compute(&a->t, &a->arena, &a->times, &err));
	assert_true(choice_make(&a->c, &a->t, &a->times, &a->want, &a->typical,
				&a->result, &err));
	assert_true(choice_conclude(&a->c, &a->result, &a->pick, &err));
}

static void end(struct asked *a)
{
	choice_release(&a->c);
	arena_release(&a->result.arena);
	arena_release(&a->arena);
	trace_release(&a->t);
	past_release(&a->p);
}

static void the_usual_way_is_a_mean_by_trace(void **state)
{
	const struct typical_operation *o;
	struct asked a;

	(void)state;
	begin(&a);
	happened(&a, 0, 2, 2, 25, 22);
	happened(&a, 1, 2, 2, 25, 22);
	build(&a);
	o = &a.typical.items[1];
	assert_true(o->is_gap);
	assert_int_equal(o->own_count, TRACES);
	assert_int_equal(o->own_p50_ns, fixture_ms(3));
	assert_true(o->is_own_compared);
	assert_false(o->has_own_moved);
	past_release(&a.p);
}

static void it_moved_for_most_requests(void **state)
{
	struct asked a;

	(void)state;
	begin(&a);
	happened(&a, 0, 1, 1, 25, 22);
	happened(&a, 1, 1, 1, 45, 22);
	build(&a);
	assert_true(a.typical.items[1].has_own_moved);
	past_release(&a.p);
}

static void calls_without_a_server_side_tell_nothing(void **state)
{
	struct asked a;

	(void)state;
	begin(&a);
	happened(&a, 0, 2, 1, 25, 22);
	build(&a);
	assert_false(a.typical.items[1].is_gap);
	assert_int_equal(a.typical.items[1].own_count, 0);
	past_release(&a.p);
}

/* A call to something else, too: the server side lies in the shorter one. */
static void other_calls_of_that_name_are_told_by_their_times(void **state)
{
	struct asked a;

	(void)state;
	begin(&a);
	for (int i = 0; i < TRACES; i++) {
		past_span(&a.p, 0, 0, i * 100, 80);
		past_add(&a.p, 0, 1, i * 100, 70);
		past_add(&a.p, 0, 1, i * 100 + 1, 30);
		past_add(&a.p, 0, 2, i * 100 + 3, 25);
	}
	build(&a);
	assert_int_equal(a.typical.items[1].own_count, TRACES);
	assert_int_equal(a.typical.items[1].own_p50_ns, fixture_ms(5));
	past_release(&a.p);
}

/* Up to so many of them. */
static void calls_are_paired_up_to_the_limit(void **state)
{
	struct asked a;

	(void)state;
	for (int count = 64; count <= 65; count++) {
		begin(&a);
		for (int i = 0; i < TRACES; i++) {
			past_span(&a.p, 0, 0, i * 100, 80);
			for (int j = 0; j < count; j++)
				past_add(&a.p, 0, 1, i * 100, 30);
			past_add(&a.p, 0, 2, i * 100 + 3, 25);
		}
		build(&a);
		assert_int_equal(a.typical.items[1].own_count,
				 count == 64 ? TRACES : 0);
		past_release(&a.p);
	}
}

static void a_server_side_longer_than_its_call_is_no_way(void **state)
{
	struct asked a;

	(void)state;
	begin(&a);
	happened(&a, 0, 1, 1, 20, 22);
	build(&a);
	assert_int_equal(a.typical.items[1].own_p50_ns, 0);
	past_release(&a.p);
}

/* 140 ms on the way, usually 3: all of it counts. */
static void what_grew_on_the_way_is_the_network(void **state)
{
	struct asked a;

	(void)state;
	begin(&a);
	happened(&a, 0, 1, 1, 25, 22);
	happened(&a, 1, 1, 1, 165, 22);
	choose(&a, "1 0 web S \"GET /\" 0 180\n"
		   "2 1 web C call 5 170\n"
		   "3 2 cat S List 100 125\n");
	assert_int_equal(a.result.span.span, fixture_span(&a.t, 2));
	assert_int_equal(choice_ground(&a.c), CHOICE_WAY);
	assert_int_equal(a.result.cause.kind, CAUSE_NETWORK);
	assert_int_equal(a.pick.change_ns, fixture_ms(137));
	assert_true(a.pick.is_gap);
	assert_false(a.pick.has_manifold_change);
	assert_int_equal(choice_served_ns(&a.c), fixture_ms(25));
	end(&a);
}

static void clocks_do_not_matter(void **state)
{
	struct asked a;

	(void)state;
	begin(&a);
	happened(&a, 0, 1, 1, 25, 22);
	happened(&a, 1, 1, 1, 165, 22);
	choose(&a, "1 0 web S \"GET /\" 0 180 @host.name=a\n"
		   "2 1 web C call 5 170 @host.name=a\n"
		   "3 2 cat S List -900 -875 @host.name=a\n");
	assert_int_equal(choice_ground(&a.c), CHOICE_WAY);
	assert_int_equal(a.pick.change_ns, fixture_ms(137));
	end(&a);
}

/* It is the lesser part of the call, and yet what grew. */
static void growth_outweighs_the_proportions_of_the_trace(void **state)
{
	struct asked a;

	(void)state;
	begin(&a);
	happened(&a, 0, 1, 1, 205, 200);
	happened(&a, 1, 1, 1, 285, 200);
	choose(&a, "1 0 web S \"GET /\" 0 300\n"
		   "2 1 web C call 5 290\n"
		   "3 2 cat S List 50 252\n");
	assert_int_equal(a.result.span.span, fixture_span(&a.t, 2));
	assert_int_equal(choice_ground(&a.c), CHOICE_WAY);
	assert_int_equal(a.result.cause.kind, CAUSE_NETWORK);
	end(&a);
}

static void a_way_as_long_as_ever_is_no_cause(void **state)
{
	struct asked a;

	(void)state;
	begin(&a);
	happened(&a, 0, 1, 1, 140, 20);
	happened(&a, 1, 1, 1, 220, 100);
	choose(&a, "1 0 web S \"GET /\" 0 240\n"
		   "2 1 web C call 5 225\n"
		   "3 2 cat S List 65 165\n");
	assert_int_equal(a.result.span.span, fixture_span(&a.t, 3));
	assert_int_equal(choice_ground(&a.c), CHOICE_OWN);
	end(&a);
}

/* The callee took 60 ms longer too: it does not get to its calls. */
static void a_callee_that_is_slower_itself_is_looked_at(void **state)
{
	struct asked a;

	(void)state;
	begin(&a);
	happened(&a, 0, 1, 1, 25, 20);
	happened(&a, 1, 1, 1, 185, 80);
	choose(&a, "1 0 web S \"GET /\" 0 200\n"
		   "2 1 web C call 5 190\n"
		   "3 2 cat S List 55 135\n");
	assert_int_not_equal(a.result.cause.kind, CAUSE_NETWORK);
	assert_string_equal(a.pick.service.ptr, "cat");
	end(&a);
}

/* Nothing tells what the way usually takes. */
static void without_a_usual_way_it_is_a_wait(void **state)
{
	struct asked a;

	(void)state;
	begin(&a);
	happened(&a, 0, 1, 0, 25, 0);
	happened(&a, 1, 1, 0, 165, 0);
	choose(&a, "1 0 web S \"GET /\" 0 180\n"
		   "2 1 web C call 5 170\n"
		   "3 2 cat S List 100 125\n");
	assert_int_equal(choice_ground(&a.c), CHOICE_GAP);
	assert_int_equal(a.result.cause.kind, CAUSE_WAIT);
	end(&a);
}

static void several_calls_count_together(void **state)
{
	struct asked a;

	(void)state;
	begin(&a);
	happened(&a, 0, 2, 2, 25, 22);
	happened(&a, 1, 2, 2, 85, 22);
	choose(&a, "1 0 web S \"GET /\" 0 180\n"
		   "2 1 web C call 5 90\n"
		   "3 2 cat S List 35 57\n"
		   "4 1 web C call 90 175\n"
		   "5 4 cat S List 120 142\n");
	assert_int_equal(choice_ground(&a.c), CHOICE_WAY);
	assert_int_equal(a.result.span.count, 2);
	assert_int_equal(a.pick.change_ns, fixture_ms(2 * 63 - 2 * 3));
	end(&a);
}

UNIT_TESTS(typical_gap)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_usual_way_is_a_mean_by_trace),
		cmocka_unit_test(it_moved_for_most_requests),
		cmocka_unit_test(calls_without_a_server_side_tell_nothing),
		cmocka_unit_test(
			other_calls_of_that_name_are_told_by_their_times),
		cmocka_unit_test(calls_are_paired_up_to_the_limit),
		cmocka_unit_test(a_server_side_longer_than_its_call_is_no_way),
		cmocka_unit_test(what_grew_on_the_way_is_the_network),
		cmocka_unit_test(clocks_do_not_matter),
		cmocka_unit_test(growth_outweighs_the_proportions_of_the_trace),
		cmocka_unit_test(a_way_as_long_as_ever_is_no_cause),
		cmocka_unit_test(a_callee_that_is_slower_itself_is_looked_at),
		cmocka_unit_test(without_a_usual_way_it_is_a_wait),
		cmocka_unit_test(several_calls_count_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
