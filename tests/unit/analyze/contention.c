/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "history_fixture.h"

#include "analyze/contention.h"

enum { SEARCH, PRODUCT, QUERY };

#define BASE 0
#define SLOW 1

static void begin(struct past *p)
{
	past_init(p);
	past_operation(p, "cat", "Search", SPAN_KIND_SERVER);
	past_operation(p, "cat", "Product", SPAN_KIND_SERVER);
	past_operation(p, "cat", "SELECT", SPAN_KIND_CLIENT);
	past_window(p, 0, 100000);
	past_window(p, 0, 100000);
}

/* Requests of an operation in a window, each with a query of 20 ms beside so
 * much of its own. */
static void took(struct past *p, uint32_t window, const char *instance,
		 uint32_t operation, double own_ms)
{
	uint32_t symbol = past_symbol(p, instance);

	for (int i = 0; i < 10; i++) {
		double at = i * 1000;

		past_span(p, window, operation, at, own_ms + 20 + i * 0.01)
			->instance = symbol;
		past_add(p, window, QUERY, at + 1, 20)->instance = symbol;
	}
}

/* What it usually takes on two instances. */
static void usually(struct past *p, double search_ms, double product_ms)
{
	took(p, BASE, "pod-1", SEARCH, search_ms);
	took(p, BASE, "pod-2", SEARCH, search_ms);
	took(p, BASE, "pod-1", PRODUCT, product_ms);
	took(p, BASE, "pod-2", PRODUCT, product_ms);
}

static void lately(struct past *p, const char *instance, double search_ms,
		   double product_ms)
{
	took(p, SLOW, instance, SEARCH, search_ms);
	took(p, SLOW, instance, PRODUCT, product_ms);
}

static struct contention find(struct past *p)
{
	struct contention found;
	struct error err = { 0 };

	assert_true(contention_find(&p->h, SLOW, BASE, &found, &err));
	assert_int_equal(p->h.window_count, 2);
	return found;
}

static void one_instance_of_two(void **state)
{
	struct contention c;
	struct past p;

	(void)state;
	begin(&p);
	usually(&p, 12, 4);
	lately(&p, "pod-1", 12, 4);
	lately(&p, "pod-2", 60, 18);
	c = find(&p);
	assert_int_equal(c.slow_instance_count, 1);
	assert_int_equal(c.instance_count, 2);
	assert_true(str_equal(c.instance, STR("pod-2")));
	assert_int_equal(c.operation_count, 2);
	assert_float_equal(c.least_ratio, 4.5, 0.1);
	assert_float_equal(c.most_ratio, 5, 0.1);
	past_release(&p);
}

/* The factors are those of all that are slow, whichever is met first. */
static void two_instances_of_three(void **state)
{
	struct contention c;
	struct past p;

	(void)state;
	begin(&p);
	usually(&p, 12, 4);
	lately(&p, "pod-1", 60, 18);
	lately(&p, "pod-2", 36, 10);
	lately(&p, "pod-3", 12, 4);
	c = find(&p);
	assert_int_equal(c.slow_instance_count, 2);
	assert_float_equal(c.least_ratio, 2.5, 0.1);
	assert_float_equal(c.most_ratio, 5, 0.1);
	past_release(&p);
}

static void all_of_them(void **state)
{
	struct contention c;
	struct past p;

	(void)state;
	begin(&p);
	usually(&p, 12, 4);
	lately(&p, "pod-1", 60, 18);
	lately(&p, "pod-2", 60, 18);
	c = find(&p);
	assert_true(c.operation_count);
	assert_int_equal(c.slow_instance_count, 0);
	assert_int_equal(c.instance_count, 2);
	past_release(&p);
}

static void as_ever(void **state)
{
	struct past p;

	(void)state;
	begin(&p);
	usually(&p, 12, 4);
	lately(&p, "pod-1", 13, 4);
	lately(&p, "pod-2", 12, 4.2);
	assert_false(find(&p).operation_count);
	past_release(&p);
}

/* Puts the spans of the slow window, of one instance, on a node. */
static void runs_on(struct past *p, const char *instance, const char *node)
{
	struct history_window *w = &p->h.windows[SLOW];
	uint32_t symbol = past_symbol(p, instance);
	struct error err = { 0 };

	p->h.keys = contention_places;
	p->h.key_count = CONTENTION_PLACES;
	for (uint32_t i = 0; i < w->span_count; i++)
		if (w->spans[i].instance == symbol)
			assert_true(history_add_attr(&p->h, &w->spans[i], 1,
						     str_from(node), &err));
}

static void the_node_of_the_slow_ones(void **state)
{
	struct contention c;
	struct past p;

	(void)state;
	begin(&p);
	usually(&p, 12, 4);
	lately(&p, "pod-1", 12, 4);
	lately(&p, "pod-2", 60, 18);
	lately(&p, "pod-3", 60, 18);
	runs_on(&p, "pod-1", "node-1");
	runs_on(&p, "pod-2", "node-2");
	runs_on(&p, "pod-3", "node-2");
	c = find(&p);
	assert_int_equal(c.slow_instance_count, 2);
	assert_true(str_equal(c.place, STR("node-2")));
	past_release(&p);
}

static void slow_ones_on_several_nodes(void **state)
{
	struct contention c;
	struct past p;

	(void)state;
	begin(&p);
	usually(&p, 12, 4);
	lately(&p, "pod-1", 12, 4);
	lately(&p, "pod-2", 60, 18);
	lately(&p, "pod-3", 60, 18);
	runs_on(&p, "pod-2", "node-2");
	runs_on(&p, "pod-3", "node-3");
	c = find(&p);
	assert_int_equal(c.slow_instance_count, 2);
	assert_int_equal(c.place.len, 0);
	past_release(&p);
}

/* A function that grew is called by some operations. */
static void one_operation_alone(void **state)
{
	struct past p;

	(void)state;
	begin(&p);
	usually(&p, 12, 4);
	lately(&p, "pod-1", 60, 4);
	lately(&p, "pod-2", 60, 4);
	assert_false(find(&p).operation_count);
	past_release(&p);
}

/* Two of three that call it, by a factor that no sum would have. */
static void one_as_ever(void **state)
{
	enum { LIST = 3 };

	(void)state;
	for (int grown = 0; grown < 2; grown++) {
		struct past p;

		begin(&p);
		past_operation(&p, "cat", "List", SPAN_KIND_SERVER);
		usually(&p, 12, 4);
		took(&p, BASE, "pod-1", LIST, 8);
		lately(&p, "pod-1", 60, 20);
		took(&p, SLOW, "pod-1", LIST, grown ? 40 : 8);
		assert_int_equal(find(&p).operation_count > 0, grown);
		past_release(&p);
	}
}

/* Half of it waits for a timer, which fires as soon as ever: up to four times
 * as far apart. */
static void factors_apart(void **state)
{
	static const double product_ms[] = { 7.5, 9 };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct past p;

		begin(&p);
		usually(&p, 100, 1);
		lately(&p, "pod-1", 200, product_ms[i]);
		lately(&p, "pod-2", 200, product_ms[i]);
		assert_int_equal(find(&p).operation_count > 0, !i);
		past_release(&p);
	}
}

/* Whatever they do, they wait for the same pool. */
static void the_same_wait_for_all(void **state)
{
	struct past p;

	(void)state;
	begin(&p);
	usually(&p, 12, 4);
	lately(&p, "pod-1", 32, 24);
	lately(&p, "pod-2", 32, 24);
	assert_false(find(&p).operation_count);
	past_release(&p);
}

/* Operations as long as each other tell a factor from a sum by nothing: by 20 %
 * at least the factors of the sum have to differ. */
static void operations_as_long_as_each_other(void **state)
{
	static const double product_ms[] = { 11, 9.8, 9.3 };

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct past p;

		begin(&p);
		usually(&p, 12, product_ms[i]);
		lately(&p, "pod-1", 60, 5 * product_ms[i]);
		lately(&p, "pod-2", 60, 5 * product_ms[i]);
		assert_int_equal(find(&p).operation_count > 0, i == 2);
		past_release(&p);
	}
}

/* Of unlike length, and each took as much more: a wait, though the smaller
 * half of what was added would make a sum, too. */
static void nearly_the_same_wait(void **state)
{
	struct past p;

	(void)state;
	begin(&p);
	usually(&p, 12, 8);
	lately(&p, "pod-1", 32, 26);
	lately(&p, "pod-2", 32, 26);
	assert_false(find(&p).operation_count);
	past_release(&p);
}

/* A slow database is another's time. */
static void calls_are_not_their_own_time(void **state)
{
	struct past p;

	(void)state;
	begin(&p);
	usually(&p, 12, 4);
	for (int i = 0; i < 10; i++) {
		past_span(&p, SLOW, SEARCH, i * 1000, 212);
		past_add(&p, SLOW, QUERY, i * 1000 + 1, 200);
		past_span(&p, SLOW, PRODUCT, i * 1000, 104);
		past_add(&p, SLOW, QUERY, i * 1000 + 1, 100);
	}
	assert_false(find(&p).operation_count);
	past_release(&p);
}

static void nothing_is_known(void **state)
{
	struct past p;

	(void)state;
	begin(&p);
	assert_false(find(&p).operation_count);
	usually(&p, 12, 4);
	assert_false(find(&p).operation_count);
	past_release(&p);
}

UNIT_TESTS(contention)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_instance_of_two),
		cmocka_unit_test(two_instances_of_three),
		cmocka_unit_test(all_of_them),
		cmocka_unit_test(the_node_of_the_slow_ones),
		cmocka_unit_test(slow_ones_on_several_nodes),
		cmocka_unit_test(as_ever),
		cmocka_unit_test(one_operation_alone),
		cmocka_unit_test(one_as_ever),
		cmocka_unit_test(factors_apart),
		cmocka_unit_test(the_same_wait_for_all),
		cmocka_unit_test(operations_as_long_as_each_other),
		cmocka_unit_test(nearly_the_same_wait),
		cmocka_unit_test(calls_are_not_their_own_time),
		cmocka_unit_test(nothing_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
