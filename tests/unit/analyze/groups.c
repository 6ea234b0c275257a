/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "history_fixture.h"

#include "analyze/groups.h"

/* So many that took as long. */
static struct span_group make(struct past *p, size_t count, int64_t took_ns)
{
	struct span_group g = { .count = 0 };
	struct error err = { 0 };

	assert_true(group_reserve(&g, count, &p->arena, &err));
	for (size_t i = 0; i < count; i++)
		group_take(&g, took_ns);
	group_end(&g);
	return g;
}

/* Groups of two lengths: the fewest and the least that a rule accepts, and one
 * less of either. */
static void slower(void **state)
{
	static const struct {
		enum group_rule rule;
		size_t least;
		int64_t took_ns; /* of 1000 */
	} rows[] = {
		{ GROUP_MOVED, 5, 1500 },
		{ GROUP_DRIFTED, 5, 1200 },
		{ GROUP_OWN_MOVED, 5, 1200 },
		{ GROUP_CREPT, 10, 1500 },
		{ GROUP_ONE_SLOWER, 10, 1200 },
		{ GROUP_ANOTHER_SLOWER, 5, 1200 },
	};
	struct past p;

	(void)state;
	past_init(&p);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		for (int lack = 0; lack < 4; lack++) {
			struct span_group a =
				make(&p, rows[i].least - (lack == 1),
				     rows[i].took_ns - (lack == 2));
			struct span_group b =
				make(&p, rows[i].least - (lack == 3), 1000);
			struct group_test t = group_test(&a, &b);

			assert_int_equal(group_is_slower(&t, rows[i].rule, 1),
					 !lack);
		}
	}
	past_release(&p);
}

/* Of so many that were tried one may be as far apart by chance. */
static void tried(void **state)
{
	struct past p;
	struct span_group a, b;
	struct group_test t;

	(void)state;
	past_init(&p);
	a = make(&p, 10, 1200);
	b = make(&p, 10, 1000);
	t = group_test(&a, &b);
	assert_true(t.z > 0 && t.p > 1e-6 && t.p < 1e-4);
	assert_true(group_is_slower(&t, GROUP_ONE_SLOWER, 10));
	assert_false(group_is_slower(&t, GROUP_ONE_SLOWER, 1000));
	/* A longer median, and shorter by rank: some noise of few. */
	t.z = -t.z;
	assert_false(group_is_slower(&t, GROUP_ONE_SLOWER, 1));
	assert_true(group_is_slower(&t, GROUP_MOVED, 1) == (t.ratio >= 1.5));
	past_release(&p);
}

/* Slower by half whatever chance says, by a fifth only beyond it. */
static void moved(void **state)
{
	struct past p;
	struct span_group before, now;
	struct group_test t;

	(void)state;
	past_init(&p);
	before = make(&p, 6, 1000);
	now = make(&p, 6, 1000);
	for (int i = 0; i < 4; i++)
		now.values[2 + i] = 1300;
	before.values[5] = 2000;
	before.values[4] = 1400;
	group_end(&now);
	t = group_test(&now, &before);
	assert_true(t.p > 0.01 && t.ratio > 1.2);
	assert_false(group_has_moved(&t));
	for (int i = 0; i < 4; i++)
		now.values[2 + i] = 1500;
	group_end(&now);
	t = group_test(&now, &before);
	assert_true(t.p > 0.01);
	assert_true(group_has_moved(&t));
	past_release(&p);
}

static void larger(void **state)
{
	static const struct {
		enum group_rule rule;
		struct part now, before;
		bool is_larger;
	} rows[] = {
		{ GROUP_MORE, { 10, 20 }, { 0, 5 }, false }, /* chance */
		{ GROUP_MORE, { 100, 100 }, { 0, 5 }, true },
		{ GROUP_MORE, { 100, 100 }, { 0, 4 }, false }, /* few */
		{ GROUP_MORE, { 40, 100 }, { 20, 100 }, true },
		{ GROUP_MORE, { 39, 100 }, { 20, 100 }, false }, /* ratio */
		{ GROUP_MORE, { 8, 100 }, { 2, 100 }, false },   /* 0.054 */
		{ GROUP_MAYBE_MORE, { 8, 100 }, { 2, 100 }, true },
		{ GROUP_MORE_IN_MODE, { 9, 100 }, { 2, 100 }, true }, /* .03 */
		{ GROUP_MORE_IN_MODE, { 8, 100 }, { 2, 100 }, false },
		{ GROUP_MORE, { 9, 100 }, { 2, 100 }, false },
		{ GROUP_MAYBE_MORE, { 6, 100 }, { 2, 100 }, false }, /* .16 */
		{ GROUP_MANY_MORE, { 100, 100 }, { 0, 20 }, true },
		{ GROUP_MANY_MORE, { 100, 100 }, { 0, 19 }, false },
		{ GROUP_MORE_AT_ALL, { 2, 20 }, { 1, 20 }, true },
		{ GROUP_MORE_AT_ALL, { 0, 20 }, { 0, 20 }, false },
		{ GROUP_MORE_AT_ALL, { 2, 20 }, { 1, 19 }, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (part_is_larger(rows[i].now, rows[i].before, rows[i].rule) !=
		    rows[i].is_larger)
			fail_msg("row %zu: p is %g", i,
				 part_p(rows[i].now, rows[i].before));
	assert_true(part_share((struct part){ 0, 0 }) == 0);
}

/* One that was half as far from the others before is no news. */
static void apart(void **state)
{
	struct group_pair now, before;
	struct past p;

	(void)state;
	past_init(&p);
	now.with = make(&p, 5, 2000);
	now.without = before.without = make(&p, 5, 1000);
	before.with = make(&p, 5, 1500);
	assert_true(group_was_apart(&now, &before));
	before.with = make(&p, 5, 1499);
	assert_false(group_was_apart(&now, &before));
	before.with = make(&p, 4, 2000);
	assert_false(group_was_apart(&now, &before));
	before.with = make(&p, 5, 2000);
	before.without = make(&p, 4, 1000);
	assert_false(group_was_apart(&now, &before));
	past_release(&p);
}

/* Those of the operation that began in the range; of no window: none. */
static void spans(void **state)
{
	struct span_group g = { .count = 0 };
	struct error err = { 0 };
	struct group_spans from;
	struct past p;

	(void)state;
	past_init(&p);
	past_operation(&p, "web", "GET /", SPAN_KIND_SERVER);
	past_operation(&p, "db", "q", SPAN_KIND_SERVER);
	past_window(&p, 0, 1000);
	past_span(&p, 0, 0, 10, 7);
	past_span(&p, 0, 1, 20, 8);
	past_span(&p, 0, 0, 500, 9);
	past_span(&p, 0, 0, 30, 5);
	from = (struct group_spans){ &p.h, 0, 0, p.h.windows[0].range };
	from.range.to_ns = FIXTURE_BASE_NS + fixture_ms(500);
	assert_true(group_add(&g, &from, &p.arena, &err));
	from.window = 1;
	assert_int_equal(group_spans_most(&from), 0);
	assert_true(group_add(&g, &from, &p.arena, &err));
	group_end(&g);
	assert_int_equal(g.count, 2);
	assert_int_equal(g.values[0], fixture_ms(5));
	assert_int_equal(g.p50_ns, fixture_ms(6));
	assert_int_equal(group_from(&g, fixture_ms(7)), 1);
	assert_true(part_from(&g, fixture_ms(5)).some == 2);
	past_release(&p);
}

UNIT_TESTS(groups)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slower), cmocka_unit_test(tried),
		cmocka_unit_test(moved),  cmocka_unit_test(larger),
		cmocka_unit_test(apart),  cmocka_unit_test(spans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
