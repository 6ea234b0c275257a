/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "history_fixture.h"

#include "analyze/contrasts.h"

static void begin(struct past *p)
{
	past_init(p);
	past_operation(p, "web", "GET /", SPAN_KIND_SERVER);
	past_window(p, 0, 1000000);
}

/* `slow` spans of 500 ms and `fast` ones of 50. */
static void add(struct past *p, const char *instance, int slow, int fast)
{
	uint32_t symbol = past_symbol(p, instance);

	for (int i = 0; i < slow + fast; i++) {
		struct history_span *s =
			past_span(p, 0, 0, i * 1000, i < slow ? 500 : 50);

		s->instance = symbol;
		s->version = past_symbol(p, "1.5");
	}
}

static struct concentration find(struct past *p, enum concentration_by by)
{
	struct error err = { 0 };
	struct concentration c;

	struct concentration_want want = {
		.now = { &p->h, 0, 0, p->h.windows[0].range },
		.before = { &p->h, 0, UINT32_MAX, { 0, 0 } },
		.threshold_ns = fixture_ms(100),
		.by = by,
	};

	if (p->h.window_count > 1)
		want.before = (struct group_spans){ &p->h, 0, 1,
						    p->h.windows[1].range };
	assert_true(concentration_find(&want, &c, &err));
	return c;
}

/* 8 of 10 slow ones on pod-3 (80 %); the others have 2 slow of 20. */
static void concentrated(void **state)
{
	struct concentration c;
	struct past p;

	(void)state;
	begin(&p);
	add(&p, "pod-1", 1, 9);
	add(&p, "pod-2", 1, 9);
	add(&p, "pod-3", 8, 2);
	c = find(&p, CONCENTRATION_INSTANCE);
	assert_true(c.is_found);
	assert_true(str_equal(c.value, STR("pod-3")));
	assert_int_equal(c.slow_count, 8);
	assert_int_equal(c.span_count, 10);
	assert_int_equal(c.other_slow_count, 2);
	assert_int_equal(c.other_count, 20);
	assert_int_equal(c.p50_ns, fixture_ms(500));
	assert_int_equal(c.other_p50_ns, fixture_ms(50));
	/* All have the same version: nothing to compare with. */
	assert_false(find(&p, CONCENTRATION_VERSION).is_found);
	assert_int_equal(find(&p, CONCENTRATION_VERSION).value_count, 1);
	past_release(&p);
}

/* 7 of 9 are less than 80 %. */
static void spread(void **state)
{
	struct past p;

	(void)state;
	begin(&p);
	add(&p, "pod-1", 2, 18);
	add(&p, "pod-3", 7, 3);
	assert_false(find(&p, CONCENTRATION_INSTANCE).is_found);
	past_release(&p);
}

/* The other pod is slow in one of three spans. */
static void others_slow(void **state)
{
	struct past p;

	(void)state;
	begin(&p);
	add(&p, "pod-1", 3, 6);
	add(&p, "pod-3", 30, 3);
	assert_false(find(&p, CONCENTRATION_INSTANCE).is_found);
	past_release(&p);
}

/* Two slow spans of 2 against none of 4: 1 in 15, no proof. Four of 4 against
 * none of 8: 1 in 495. */
static void chance(void **state)
{
	struct past p;

	(void)state;
	begin(&p);
	add(&p, "pod-1", 0, 4);
	add(&p, "pod-3", 2, 0);
	assert_false(find(&p, CONCENTRATION_INSTANCE).is_found);
	past_release(&p);
	begin(&p);
	add(&p, "pod-1", 0, 8);
	add(&p, "pod-3", 4, 0);
	assert_true(find(&p, CONCENTRATION_INSTANCE).is_found);
	past_release(&p);
}

static void without_label(void **state)
{
	struct concentration_want none = { .now.window = UINT32_MAX,
					   .before.window = UINT32_MAX };
	struct concentration c;
	struct error err = { 0 };
	struct past p;

	(void)state;
	begin(&p);
	past_span(&p, 0, 0, 0, 500);
	c = find(&p, CONCENTRATION_INSTANCE);
	assert_false(c.is_found);
	assert_int_equal(c.value_count, 0);
	none.now.history = none.before.history = &p.h;
	assert_true(concentration_find(&none, &c, &err));
	assert_false(c.is_found);
	past_release(&p);
}

/* 24 spans of the instance in a window, from 0.8 to 1.2 times ms. */
/* Of an instance, which runs a version of its own. */
static void add_around(struct past *p, uint32_t window, const char *instance,
		       double ms)
{
	double from = window ? -1000000 : 0;

	for (int i = 0; i < 24; i++) {
		struct history_span *s =
			past_span(p, window, 0, from + i * 1000,
				  ms * (0.8 + 0.04 * (i * 7 % 11)));

		s->instance = s->version = past_symbol(p, instance);
	}
}

static struct concentration find_slower_one(double first, double second,
					    double third)
{
	struct concentration c;
	struct past p;

	begin(&p);
	add_around(&p, 0, "pod-1", first);
	add_around(&p, 0, "pod-2", second);
	add_around(&p, 0, "pod-3", third);
	c = find(&p, CONCENTRATION_INSTANCE);
	past_release(&p);
	return c;
}

/* Slower than all others each: none is the one. */
static void two_that_stand_out(void **state)
{
	(void)state;
	for (int second = 0; second < 2; second++) {
		struct past p;

		begin(&p);
		add_around(&p, 0, "pod-1", 50);
		add_around(&p, 0, "pod-2", 50);
		add_around(&p, 0, "pod-3", second ? 66 : 50);
		add_around(&p, 0, "pod-4", 80);
		assert_int_equal(find(&p, CONCENTRATION_INSTANCE).is_found,
				 !second);
		past_release(&p);
	}
}

/* None of their spans is slow: it takes a third longer. */
static void slower_as_a_whole(void **state)
{
	struct concentration c = find_slower_one(50, 66, 50);

	(void)state;
	assert_true(c.is_found);
	assert_true(c.is_by_order);
	assert_int_equal(c.span_count, 24);
	assert_int_equal(c.other_count, 48);
	assert_true(c.p < group_rule_p(GROUP_ONE_SLOWER));
	assert_int_equal(c.p50_ns, fixture_ms(66));
	assert_int_equal(c.other_p50_ns, fixture_ms(50));
	assert_int_equal(c.value_count, 3);
	/* Certain, but as pods differ; and two of three are no exception. */
	assert_false(find_slower_one(50, 58, 50).is_found);
	assert_false(find_slower_one(66, 66, 50).is_found);
}

static struct concentration find_with_past(double now, double before,
					   enum concentration_by by)
{
	struct concentration c;
	struct past p;

	begin(&p);
	past_window(&p, -1000000, 0);
	add_around(&p, 1, "pod-1", 50);
	add_around(&p, 1, "pod-2", before);
	add_around(&p, 0, "pod-1", 50);
	add_around(&p, 0, "pod-2", now);
	c = find(&p, by);
	past_release(&p);
	return c;
}

static void slower_as_ever(void **state)
{
	const enum concentration_by by = CONCENTRATION_INSTANCE;

	(void)state;
	assert_true(find_with_past(66, 52, by).is_found);
	assert_false(find_with_past(66, 64, by).is_found);
	assert_true(find_with_past(66, 64, by).is_as_ever);
	/* So where all of its spans are slow ones. */
	assert_true(find_with_past(500, 50, by).is_found);
	assert_false(find_with_past(500, 480, by).is_found);
}

/* A canary that runs for hours. */
static void a_slower_version_is_news(void **state)
{
	(void)state;
	assert_true(find_with_past(66, 64, CONCENTRATION_VERSION).is_found);
	assert_true(find_with_past(500, 480, CONCENTRATION_VERSION).is_found);
}

UNIT_TESTS(concentration)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_that_stand_out),
		cmocka_unit_test(slower_as_a_whole),
		cmocka_unit_test(slower_as_ever),
		cmocka_unit_test(a_slower_version_is_news),
		cmocka_unit_test(concentrated),
		cmocka_unit_test(spread),
		cmocka_unit_test(others_slow),
		cmocka_unit_test(chance),
		cmocka_unit_test(without_label),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
