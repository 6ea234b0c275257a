/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "history_fixture.h"

#include "analyze/baseline.h"

#define MINUTE 60000.0

struct question {
	struct past p;
	struct window_roles roles;
	struct baseline_choice choice;
};

static void begin(struct question *q)
{
	past_init(&q->p);
	past_operation(&q->p, "web", "GET /", SPAN_KIND_SERVER);
	window_roles_init(&q->roles);
}

/* `count` spans of `duration` ms a second apart, `minutes` before the base,
 * in a window of ten minutes. */
static void add(struct question *q, enum baseline_slot slot, double minutes,
		int count, double duration)
{
	uint32_t window =
		past_window(&q->p, -minutes * MINUTE, (10 - minutes) * MINUTE);

	q->roles.baselines[slot] = window;
	for (int i = 0; i < count; i++)
		past_span(&q->p, window, 0, -minutes * MINUTE + i * 1000,
			  duration);
}

static void choose(struct question *q, double duration_ms,
		   const struct onset *onset)
{
	struct error err = { 0 };

	assert_true(baseline_choose(&q->p.h, &q->roles, 0,
				    fixture_ms(duration_ms), onset, &q->p.arena,
				    &q->choice, &err));
}

/* The previous window is slow already, an hour before too few spans, a day
 * before all is well: 22:13:20 less 24 h. */
static void nearest_healthy(void **state)
{
	struct question q;

	(void)state;
	begin(&q);
	add(&q, BASELINE_PREVIOUS, 10, 20, 500);
	add(&q, BASELINE_HOUR, 60, 4, 50);
	add(&q, BASELINE_DAY, 24 * 60, 5, 50);
	choose(&q, 600, NULL);
	assert_int_equal(q.choice.chosen, BASELINE_DAY);
	assert_int_equal(q.choice.window, 2);
	assert_false(q.choice.is_alike);
	assert_int_equal(q.choice.slots[0].healthy, 0);
	assert_int_equal(q.choice.slots[BASELINE_HOUR].healthy, -1);
	assert_int_equal(q.choice.slots[BASELINE_DAY].healthy, 1);
	assert_int_equal(q.choice.slots[BASELINE_WEEK].healthy, -1);
	assert_int_equal(q.choice.slots[BASELINE_WEEK].p50_ns, -1);
	assert_int_equal(q.choice.slots[0].said, BASELINE_NOT_FASTER);
	assert_int_equal(q.choice.slots[0].count, 20);
	assert_int_equal(q.choice.slots[0].p50_ns, fixture_ms(500));
	assert_int_equal(q.choice.slots[BASELINE_HOUR].said,
			 BASELINE_FEW_SPANS);
	assert_int_equal(q.choice.slots[BASELINE_HOUR].count, 4);
	assert_int_equal(q.choice.slots[BASELINE_DAY].said, BASELINE_HEALTHY);
	assert_int_equal(q.choice.slots[BASELINE_WEEK].said,
			 BASELINE_NO_ANSWER);
	past_release(&q.p);
}

/* Healthy from 1.5 times its median on. */
static void edge(void **state)
{
	struct question q;

	(void)state;
	begin(&q);
	add(&q, BASELINE_PREVIOUS, 10, 5, 40);
	choose(&q, 60, NULL);
	assert_int_equal(q.choice.slots[0].healthy, 1);
	assert_false(q.choice.is_alike);
	choose(&q, 59.9, NULL);
	assert_int_equal(q.choice.chosen, BASELINE_PREVIOUS);
	assert_true(q.choice.is_alike);
	assert_int_equal(q.choice.slots[0].healthy, 1);
	assert_int_equal(q.choice.slots[0].said, BASELINE_HEALTHY);
	assert_true(q.choice.is_only);
	past_release(&q.p);
	begin(&q);
	add(&q, BASELINE_PREVIOUS, 10, 5, 40);
	add(&q, BASELINE_HOUR, 10, 5, 45);
	choose(&q, 59.9, NULL);
	assert_false(q.choice.is_only);
	past_release(&q.p);
}

/* The slow part of the previous window does not count: 30 spans at 40 ms, 30
 * at 400 from half a minute on. */
static void before_onset(void **state)
{
	struct onset onset = { .is_found = true, .has_start = true };
	struct question q;

	(void)state;
	begin(&q);
	add(&q, BASELINE_PREVIOUS, 10, 30, 40);
	for (int i = 0; i < 31; i++)
		past_span(&q.p, 0, 0, -10 * MINUTE + 30000 + i * 1000, 400);
	choose(&q, 420, NULL);
	assert_true(q.choice.is_alike);
	onset.start_ns = FIXTURE_BASE_NS + fixture_ms(-10 * MINUTE + 30000);
	onset.end_ns = FIXTURE_BASE_NS;
	choose(&q, 420, &onset);
	assert_false(q.choice.is_alike);
	assert_int_equal(q.choice.slots[0].count, 30);
	assert_int_equal(q.choice.slots[0].range.to_ns, onset.start_ns);
	past_release(&q.p);
}

static void none(void **state)
{
	struct question q;

	(void)state;
	begin(&q);
	choose(&q, 420, NULL);
	assert_int_equal(q.choice.chosen, BASELINE_SLOTS);
	assert_int_equal(q.choice.window, WINDOW_NONE);
	assert_string_equal(baseline_slot_name(BASELINE_HOUR), "1h");
	assert_string_equal(baseline_slot_name(q.choice.chosen), "none");
	past_release(&q.p);
}

/* Medians now and of the windows before, nearest first; 0: no such window.
 * Which one is the baseline of a request that took four times as long as now.
 */
static struct baseline_choice creeping(double now, double previous, double hour,
				       double day, double week)
{
	const double minutes[] = { 10, 20, 40, 60, 180, 1440, 10080 };
	const double p50s[] = { previous, 0, 0, hour, 0, day, week };
	struct baseline_choice choice;
	struct question q;

	begin(&q);
	for (unsigned i = 0; i < BASELINE_SLOTS; i++)
		if (p50s[i] > 0)
			add(&q, (enum baseline_slot)i, minutes[i], 30, p50s[i]);
	q.roles.slow = past_window(&q.p, 0, 10 * MINUTE);
	for (int i = 0; i < 30; i++)
		past_span(&q.p, q.roles.slow, 0, i * 1000, now);
	choose(&q, 4 * now, NULL);
	choice = q.choice;
	past_release(&q.p);
	return choice;
}

static void what_creeps(void **state)
{
	struct baseline_choice c = creeping(100, 95, 0, 50, 0);

	(void)state;
	assert_int_equal(c.chosen, BASELINE_DAY);
	assert_true(c.is_creeping);
	assert_int_equal(c.nearest, BASELINE_PREVIOUS);
	assert_int_equal(c.now_p50_ns, fixture_ms(100));
	/* Least of what counts, and less. */
	assert_int_equal(creeping(150, 120, 0, 100, 0).chosen, BASELINE_DAY);
	assert_int_equal(creeping(149, 120, 0, 100, 0).chosen,
			 BASELINE_PREVIOUS);
	/* The rise is fresh: the window before has none of it. */
	assert_int_equal(creeping(150, 119, 0, 100, 0).chosen,
			 BASELINE_PREVIOUS);
	/* As a week before: that day was quick. */
	assert_int_equal(creeping(100, 95, 0, 50, 100).chosen,
			 BASELINE_PREVIOUS);
	assert_int_equal(creeping(100, 95, 90, 80, 50).chosen, BASELINE_WEEK);
	assert_false(creeping(100, 95, 98, 97, 96).is_creeping);
}

/* Slow requests among a hundred, now and in each window; -1: not asked for. */
struct parts {
	int now;
	int before[BASELINE_SLOTS];
};

static void add_part(struct question *q, uint32_t window, double from_ms,
		     int slow)
{
	for (int i = 0; i < 100; i++)
		past_span(&q->p, window, 0, from_ms + i * 1000,
			  i < slow ? 500 : 40 + i % 20);
}

static struct baseline_choice choose_by_parts(const struct parts *parts)
{
	const double minutes[] = { 10, 20, 40, 60, 180, 1440, 10080 };
	struct baseline_choice choice;
	struct question q;

	begin(&q);
	for (unsigned i = 0; i < BASELINE_SLOTS; i++) {
		if (parts->before[i] < 0)
			continue;
		q.roles.baselines[i] = past_window(
			&q.p, -minutes[i] * MINUTE, (10 - minutes[i]) * MINUTE);
		add_part(&q, q.roles.baselines[i], -minutes[i] * MINUTE,
			 parts->before[i]);
	}
	q.roles.slow = past_window(&q.p, 0, 10 * MINUTE);
	add_part(&q, q.roles.slow, 0, parts->now);
	choose(&q, 520, NULL);
	choice = q.choice;
	past_release(&q.p);
	return choice;
}

/* All these windows have the same median. */
static void what_befalls_some_is_left_behind(void **state)
{
	const struct parts fresh = { 15, { 0, -1, -1, 0, -1, 0, 0 } };
	const struct parts older = { 15, { 14, 13, 0, 0, -1, -1, -1 } };
	const struct parts creeps = { 28, { 20, 9, 0, 0, -1, -1, -1 } };
	const struct parts few = { 4, { 4, 0, 0, 0, -1, -1, -1 } };
	const struct parts always = { 7, { 7, 6, 8, 7, 5, 9, 7 } };
	const struct parts good_day = { 7, { 7, -1, -1, 7, -1, 0, 9 } };
	struct baseline_choice c = choose_by_parts(&fresh);

	(void)state;
	assert_int_equal(c.chosen, BASELINE_PREVIOUS);
	assert_false(c.is_behind_fault);
	assert_false(baseline_is_open(&c));
	assert_int_equal(c.now_slow_count, 15);
	/* Half way from 49 to 520 ms. */
	assert_in_range(c.slow_from_ns, fixture_ms(155), fixture_ms(165));
	c = choose_by_parts(&older);
	assert_int_equal(c.chosen, BASELINE_TWO_THIRDS);
	assert_true(c.is_behind_fault);
	assert_int_equal(c.nearest, BASELINE_PREVIOUS);
	assert_int_equal(c.slots[BASELINE_PREVIOUS].said, BASELINE_IN_FAULT);
	assert_int_equal(c.slots[BASELINE_PREVIOUS].healthy, 0);
	assert_int_equal(c.slots[BASELINE_THIRD_HOUR].said, BASELINE_IN_FAULT);
	assert_false(baseline_is_open(&c));
	/* Each window has fewer than the one after it. */
	assert_int_equal(choose_by_parts(&creeps).chosen, BASELINE_TWO_THIRDS);
	/* None of them tells it alone. */
	assert_int_equal(choose_by_parts(&few).chosen, BASELINE_THIRD_HOUR);
	c = choose_by_parts(&always);
	assert_int_equal(c.chosen, BASELINE_PREVIOUS);
	assert_false(c.is_behind_fault);
	assert_true(baseline_is_open(&c));
	assert_int_equal(choose_by_parts(&good_day).chosen, BASELINE_PREVIOUS);
}

UNIT_TESTS(baseline)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nearest_healthy), cmocka_unit_test(edge),
		cmocka_unit_test(before_onset),    cmocka_unit_test(none),
		cmocka_unit_test(what_creeps),
		cmocka_unit_test(what_befalls_some_is_left_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
