/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "../unit.h"
#include "history_fixture.h"

#include "analyze/request_history.h"

#define MINUTE 60000.0

enum { NOW, BEFORE, SELECTED };

struct asked {
	struct past p;
	struct window_roles roles;
	struct baseline_choice baseline;
	struct cohorts cohorts;
	struct onset onset;
	struct request_history *out;
};

/* Slow from 100 ms on, in the last five of ten minutes. */
static void begin(struct asked *a)
{
	*a = (struct asked){ 0 };
	past_init(&a->p);
	past_operation(&a->p, "web", "GET /", SPAN_KIND_SERVER);
	past_operation(&a->p, "web", "POST /", SPAN_KIND_SERVER);
	past_window(&a->p, 0, 12 * MINUTE);
	past_window(&a->p, -12 * MINUTE, 0);
	past_window(&a->p, 0, 12 * MINUTE);
	window_roles_init(&a->roles);
	a->roles.slow = NOW;
	a->roles.baselines[BASELINE_PREVIOUS] = BEFORE;
	a->roles.slow_only = SELECTED;
	a->baseline.chosen = BASELINE_PREVIOUS;
	a->baseline.window = BEFORE;
	a->baseline.slots[BASELINE_PREVIOUS].range =
		a->p.h.windows[BEFORE].range;
	a->cohorts.is_judged = true;
	a->cohorts.mode = COHORT_WINDOW;
	a->cohorts.threshold_ns = fixture_ms(100);
}

static void build(struct asked *a)
{
	struct request_history_want want = {
		.history = &a->p.h,
		.roles = &a->roles,
		.start_ns = FIXTURE_BASE_NS + fixture_ms(7 * MINUTE),
		.duration_ns = fixture_ms(400),
		.cohorts = &a->cohorts,
		.baseline = &a->baseline,
		.slow_range = a->p.h.windows[NOW].range,
		.onset = &a->onset,
	};
	struct error err = { 0 };

	want.slow_range.from_ns += fixture_ms(6 * MINUTE);
	assert_true(request_history_build(&want, &a->p.arena, &a->out, &err));
}

static void end(struct asked *a)
{
	past_release(&a->p);
}

static const struct request_bucket *bucket_of(const struct asked *a, double ms)
{
	static const struct request_bucket none;
	const struct request_history *h = a->out;

	for (size_t i = 0; i < h->bucket_count; i++)
		if (fixture_ms(ms) >= h->buckets[i].from_ns &&
		    fixture_ms(ms) < h->buckets[i].to_ns)
			return &h->buckets[i];
	fail();
	return &none;
}

static void by_duration(void **state)
{
	const struct request_bucket *b;
	struct asked a;

	(void)state;
	begin(&a);
	past_span(&a.p, BEFORE, 0, -MINUTE, 11);
	past_span(&a.p, BEFORE, 1, -MINUTE, 12);
	past_span(&a.p, NOW, 0, 1 * MINUTE, 300); /* before it became slow */
	past_span(&a.p, NOW, 0, 2 * MINUTE, 13);
	past_span(&a.p, NOW, 0, 8 * MINUTE, 310);
	past_span(&a.p, SELECTED, 0, 9 * MINUTE, 450);
	build(&a);
	b = bucket_of(&a, 15);
	assert_int_equal(b->now_count, 1);
	assert_int_equal(b->baseline_count, 1);
	assert_int_equal(b->slow_count, 0);
	b = bucket_of(&a, 300);
	assert_int_equal(b->now_count, 2);
	assert_int_equal(b->slow_count, 1);
	assert_int_equal(b->selected_count, 1);
	assert_int_equal(b->example_count, 3);
	/* Slow ones first, the longest before others. */
	assert_int_equal(b->examples[0].duration_ns, fixture_ms(450));
	assert_int_equal(b->examples[1].duration_ns, fixture_ms(310));
	assert_int_equal(b->examples[2].duration_ns, fixture_ms(300));
	assert_int_equal(a.out->selected_count, 1);
	assert_int_equal(a.out->threshold_ns, fixture_ms(100));
	end(&a);
}

/* What was found both ways counts once, in its window. */
static void found_twice(void **state)
{
	struct asked a;

	(void)state;
	begin(&a);
	past_span(&a.p, NOW, 0, 8 * MINUTE, 300);
	a.p.next_id--;
	past_span(&a.p, SELECTED, 0, 8 * MINUTE, 300);
	build(&a);
	assert_int_equal(bucket_of(&a, 300)->now_count, 1);
	assert_int_equal(a.out->selected_count, 0);
	end(&a);
}

static void over_time(void **state)
{
	struct asked a;

	(void)state;
	begin(&a);
	past_span(&a.p, BEFORE, 0, -12 * MINUTE, 10);
	past_span(&a.p, NOW, 0, 0, 20);
	past_span(&a.p, NOW, 0, 10, 30)->is_error = true;
	past_span(&a.p, NOW, 0, 11.5 * MINUTE, 500);
	past_span(&a.p, SELECTED, 0, 9 * MINUTE, 450);
	a.onset = (struct onset){ .is_found = true,
				  .has_start = true,
				  .start_ns = FIXTURE_BASE_NS };
	build(&a);
	assert_int_equal(a.out->window_count, 2);
	assert_int_equal(a.out->windows[0].role, REQUESTS_NOW);
	assert_int_equal(a.out->windows[0].count, 3);
	assert_int_equal(a.out->windows[0].p50_ns, fixture_ms(30));
	assert_false(a.out->windows[0].is_baseline);
	assert_true(a.out->windows[1].is_baseline);
	assert_int_equal(a.out->slot_count, 3);
	assert_int_equal(a.out->slots[0].count, 2);
	assert_int_equal(a.out->slots[0].error_count, 1);
	assert_int_equal(a.out->slots[0].shortest_ns, fixture_ms(20));
	assert_int_equal(a.out->slots[0].p50_ns, fixture_ms(25));
	assert_int_equal(a.out->slots[0].longest.duration_ns, fixture_ms(30));
	/* The last of the twelve, which ends with the window. */
	assert_int_equal(a.out->slots[1].slow_count, 1);
	assert_int_equal(a.out->slots[1].range.to_ns,
			 a.p.h.windows[NOW].range.to_ns);
	assert_int_equal(a.out->slots[2].role, REQUESTS_PREVIOUS);
	assert_int_equal(a.out->onset_ns, FIXTURE_BASE_NS);
	end(&a);
}

/* Of what is as quick as ever nothing is slow. */
static void healthy(void **state)
{
	struct asked a;

	(void)state;
	begin(&a);
	a.cohorts.mode = COHORT_HEALTHY;
	past_span(&a.p, NOW, 0, 8 * MINUTE, 300);
	build(&a);
	assert_int_equal(a.out->threshold_ns, 0);
	assert_int_equal(bucket_of(&a, 300)->slow_count, 0);
	end(&a);
}

static void nothing(void **state)
{
	struct asked a;

	(void)state;
	begin(&a);
	past_span(&a.p, NOW, 1, 8 * MINUTE, 300);
	build(&a);
	assert_null(a.out);
	end(&a);
}

/* Of many, as many as a bucket names. */
static void examples(void **state)
{
	struct asked a;

	(void)state;
	begin(&a);
	for (int i = 0; i < 20; i++)
		past_span(&a.p, NOW, 0, 7 * MINUTE + i, 300 + i);
	build(&a);
	assert_int_equal(bucket_of(&a, 300)->now_count, 20);
	assert_int_equal(bucket_of(&a, 300)->example_count, REQUEST_EXAMPLES);
	end(&a);
}

UNIT_TESTS(request_history)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_duration), cmocka_unit_test(found_twice),
		cmocka_unit_test(over_time),   cmocka_unit_test(healthy),
		cmocka_unit_test(nothing),     cmocka_unit_test(examples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
