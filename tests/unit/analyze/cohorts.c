/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "../unit.h"
#include "history_fixture.h"

#include "analyze/contrasts.h"

#define MINUTE 60000.0

enum { SLOW, BEFORE, SLOW_ONLY };

struct asked {
	struct past p;
	struct window_roles roles;
	struct baseline_choice baseline;
	struct cohorts out;
};

static void begin(struct asked *a)
{
	*a = (struct asked){ 0 };
	past_init(&a->p);
	past_operation(&a->p, "web", "GET /", SPAN_KIND_SERVER);
	past_window(&a->p, 0, 10 * MINUTE);
	past_window(&a->p, -10 * MINUTE, 0);
	past_window(&a->p, 0, 10 * MINUTE);
	window_roles_init(&a->roles);
	a->roles.slow = SLOW;
	a->roles.slow_only = SLOW_ONLY;
	a->roles.baselines[BASELINE_PREVIOUS] = BEFORE;
}

/* Durations spread by some 20 % around ms, in a fixed pattern. */
static void add(struct asked *a, uint32_t window, int count, double ms,
		const char *instance)
{
	uint32_t symbol = instance ? past_symbol(&a->p, instance) : 0;
	double from = a->p.h.windows[window].range.from_ns == FIXTURE_BASE_NS
			      ? 0
			      : -10 * MINUTE;

	for (int i = 0; i < count; i++)
		past_span(&a->p, window, 0, from + i * 1000,
			  ms * (0.8 + 0.04 * (i * 7 % 11)))
			->instance = symbol;
}

/* The span in question carries profile id 7. */
static void find(struct asked *a, double duration_ms)
{
	struct cohort_want want = {
		.history = &a->p.h,
		.roles = &a->roles,
		.duration_ns = fixture_ms(duration_ms),
		.profile_id = 7,
		.slow_range = a->p.h.windows[SLOW].range,
		.baseline = &a->baseline,
	};
	struct error err = { 0 };

	assert_true(baseline_choose(&a->p.h, &a->roles, 0, want.duration_ns,
				    NULL, &a->p.arena, &a->baseline, &err));
	assert_true(cohorts_find(&want, &a->p.arena, &a->out, &err));
}

static void end(struct asked *a)
{
	past_release(&a->p);
}

/* 22 spans a side: eleven durations of 0.8 to 1.2 times, twice. */
static void whole_operation(void **state)
{
	struct asked a;

	(void)state;
	begin(&a);
	add(&a, BEFORE, 22, 50, NULL);
	add(&a, SLOW, 22, 500, NULL);
	find(&a, 600);
	assert_int_equal(a.out.mode, COHORT_WINDOW);
	assert_false(a.out.is_against_fast);
	assert_int_equal(a.out.window_count, 22);
	/* Half way between 50 and 500 ms: 158. */
	assert_in_range(a.out.threshold_ns, fixture_ms(158.1),
			fixture_ms(158.2));
	assert_int_equal(a.out.slow.count, 23);
	assert_int_equal(a.out.slow.profile_ids[0], 7);
	assert_int_equal(a.out.slow.span_count, 23);
	assert_float_equal(a.out.slow.mean_duration_ns,
			   (22 * 500e6 + 600e6) / 23, 1);
	assert_int_equal(a.out.fast.count, 0);
	assert_true(isnan(a.out.fast.mean_duration_ns));
	assert_int_equal(a.out.baseline.count, 22);
	assert_int_equal(a.out.baseline.p50_ns, fixture_ms(50));
	assert_float_equal(a.out.percentile, 20.0 / 22, 1e-9);
	assert_true(a.out.p < 1e-6);
	assert_int_equal(a.out.p50_ns, fixture_ms(500));
	assert_int_equal(a.out.before_count, 22);
	assert_int_equal(a.out.before_p50_ns, fixture_ms(50));
	end(&a);
}

/* Five a side at one and a half times: the smallest that counts. */
static void smallest_move(void **state)
{
	struct asked a;

	(void)state;
	for (int i = 0; i < 2; i++) {
		begin(&a);
		for (int j = 0; j < 5; j++) {
			past_span(&a.p, BEFORE, 0, -MINUTE + j, 100);
			past_span(&a.p, SLOW, 0, j, 150 - i);
		}
		find(&a, 155);
		/* 149 of 100 ms: also beyond doubt, by ranks. */
		assert_int_equal(a.out.mode, COHORT_WINDOW);
		end(&a);
	}
	begin(&a);
	for (int j = 0; j < 5; j++) {
		past_span(&a.p, BEFORE, 0, -MINUTE + j, 100);
		past_span(&a.p, SLOW, 0, j, 119);
	}
	find(&a, 155);
	assert_int_equal(a.out.mode, COHORT_HEALTHY);
	end(&a);
}

static void healthy_operation(void **state)
{
	struct asked a;

	(void)state;
	begin(&a);
	add(&a, BEFORE, 44, 50, NULL);
	add(&a, SLOW, 44, 51, NULL);
	find(&a, 600);
	assert_int_equal(a.out.mode, COHORT_HEALTHY);
	assert_float_equal(a.out.percentile, 1, 1e-9);
	assert_int_equal(a.out.slow.count, 1);
	assert_int_equal(a.out.p50_ns, fixture_ms(51));
	find(&a, 55);
	assert_int_equal(a.out.mode, COHORT_HEALTHY);
	assert_float_equal(a.out.percentile, 28.0 / 44, 1e-9);
	end(&a);
}

/* Too few to be beyond chance, but longer by half. */
static void few_and_far(void **state)
{
	static const double now[] = { 40, 60, 75, 100, 110 };
	static const double before[] = { 49, 50, 50, 60, 70 };
	struct asked a;

	(void)state;
	for (int less = 0; less < 2; less++) {
		begin(&a);
		for (int i = 0; i < 5; i++) {
			past_span(&a.p, BEFORE, 0, -5 * MINUTE + i, before[i]);
			past_span(&a.p, SLOW, 0, MINUTE + i,
				  now[i] - (less && i == 2));
		}
		find(&a, 120);
		assert_true(a.out.p > group_rule_p(GROUP_DRIFTED));
		assert_int_equal(a.out.mode == COHORT_WINDOW, !less);
		end(&a);
	}
}

/* The operation's median now, where it was 50 before; and a day and a week
 * before. */
static enum cohort_mode small_move(double now, double day, double week)
{
	enum cohort_mode mode;
	struct asked a;

	begin(&a);
	add(&a, BEFORE, 110, 50, NULL);
	add(&a, SLOW, 110, now, NULL);
	a.roles.baselines[BASELINE_DAY] =
		past_window(&a.p, -1440 * MINUTE, -1430 * MINUTE);
	a.roles.baselines[BASELINE_WEEK] =
		past_window(&a.p, -10080 * MINUTE, -10070 * MINUTE);
	for (int i = 0; i < 33; i++) {
		double spread = 0.8 + 0.04 * (i * 7 % 11);

		past_span(&a.p, a.roles.baselines[BASELINE_DAY], 0,
			  -1440 * MINUTE + i, day * spread);
		past_span(&a.p, a.roles.baselines[BASELINE_WEEK], 0,
			  -10080 * MINUTE + i, week * spread);
	}
	find(&a, 2 * now);
	assert_int_equal(a.out.is_small_move, a.out.mode == COHORT_WINDOW);
	mode = a.out.mode;
	end(&a);
	return mode;
}

static void small_moves(void **state)
{
	(void)state;
	assert_int_equal(small_move(57.5, 50.5, 49.5), COHORT_WINDOW);
	/* Such medians have been seen, or may be any day. */
	assert_int_equal(small_move(57.5, 58, 49.5), COHORT_HEALTHY);
	assert_int_equal(small_move(57.5, 55, 47), COHORT_HEALTHY);
	/* It is certain, and nothing. */
	assert_int_equal(small_move(52, 50.1, 49.9), COHORT_HEALTHY);
}

/* Ten of 70 take ten times as long, none before. */
static void two_modes(void **state)
{
	struct asked a;

	(void)state;
	begin(&a);
	add(&a, BEFORE, 70, 50, NULL);
	add(&a, SLOW, 60, 50, NULL);
	add(&a, SLOW, 10, 500, NULL);
	find(&a, 520);
	assert_int_equal(a.out.mode, COHORT_BIMODAL);
	assert_true(a.out.is_against_fast);
	assert_true(a.out.is_new);
	assert_int_equal(a.out.slow.count, 11);
	assert_int_equal(a.out.fast.count, 60);
	assert_int_equal(a.out.fast.p50_ns, fixture_ms(50));
	end(&a);
	/* The same part was slow before. */
	begin(&a);
	add(&a, BEFORE, 60, 50, NULL);
	add(&a, BEFORE, 10, 500, NULL);
	add(&a, SLOW, 60, 50, NULL);
	add(&a, SLOW, 10, 500, NULL);
	find(&a, 520);
	assert_int_equal(a.out.mode, COHORT_HEALTHY);
	assert_true(a.out.is_part_as_ever);
	assert_false(a.out.is_against_fast);
	assert_false(a.out.is_new);
	assert_true(a.out.is_as_before);
	end(&a);
}

/* Slow ones among 70 now, and among so many before. */
static enum cohort_mode mode_of_part(int now, int before, int before_all)
{
	enum cohort_mode mode;
	struct asked a;

	begin(&a);
	add(&a, BEFORE, before_all - before, 50, NULL);
	add(&a, BEFORE, before, 500, NULL);
	add(&a, SLOW, 70 - now, 50, NULL);
	add(&a, SLOW, now, 500, NULL);
	find(&a, 520);
	mode = a.out.mode;
	end(&a);
	return mode;
}

static void a_part_must_have_grown(void **state)
{
	(void)state;
	/* Of 10 and 5 %, 23 and 2.5 %. */
	assert_int_equal(mode_of_part(7, 2, 40), COHORT_HEALTHY);
	assert_int_equal(mode_of_part(16, 1, 40), COHORT_BIMODAL);
	/* Of 10 and 1 %, where a hundred were seen. */
	assert_int_equal(mode_of_part(7, 1, 100), COHORT_BIMODAL);
	/* None before: they are new, or have not been seen. */
	assert_int_equal(mode_of_part(7, 0, 10), COHORT_BIMODAL);
}

/* As many as before, but not as a day before. */
static void a_part_older_than_the_baseline(void **state)
{
	struct asked a;

	(void)state;
	begin(&a);
	add(&a, BEFORE, 60, 50, NULL);
	add(&a, BEFORE, 10, 500, NULL);
	add(&a, SLOW, 60, 50, NULL);
	add(&a, SLOW, 10, 500, NULL);
	a.roles.baselines[BASELINE_DAY] =
		past_window(&a.p, -1440 * MINUTE, -1430 * MINUTE);
	for (int i = 0; i < 60; i++)
		past_span(&a.p, a.roles.baselines[BASELINE_DAY], 0,
			  -1440 * MINUTE + i, 50);
	find(&a, 520);
	assert_int_equal(a.out.mode, COHORT_BIMODAL);
	assert_true(a.out.is_new);
	assert_false(a.out.is_part_as_ever);
	end(&a);
}

/* So many of 50 ms and so many of `slow_ms`, now and before; what is found when
 * the request took own_ms. */
static void find_of(struct asked *a, const int now[2], const int before[2],
		    double slow_ms, double own_ms)
{
	begin(a);
	add(a, BEFORE, before[0], 50, NULL);
	add(a, BEFORE, before[1], slow_ms, NULL);
	add(a, SLOW, now[0], 50, NULL);
	add(a, SLOW, now[1], slow_ms, NULL);
	find(a, own_ms);
}

static void how_many_make_a_part(void **state)
{
	static const struct {
		int now[2], before[2];
		enum cohort_mode mode;
	} rows[] = {
		/* a second mode has three of a hundred */
		{ { 165, 5 }, { 22, 0 }, COHORT_HEALTHY },
		{ { 194, 6 }, { 22, 0 }, COHORT_BIMODAL },
		/* two are none, and three may be one */
		{ { 28, 2 }, { 110, 0 }, COHORT_HEALTHY },
		{ { 27, 3 }, { 110, 0 }, COHORT_UNSURE },
		/* of two modes a growth is believed at one in twenty */
		{ { 91, 9 }, { 98, 2 }, COHORT_BIMODAL },
		{ { 92, 8 }, { 98, 2 }, COHORT_UNSURE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct asked a;

		find_of(&a, rows[i].now, rows[i].before, 500, 520);
		if (a.out.mode != rows[i].mode)
			fail_msg("row %zu: %d", i, (int)a.out.mode);
		end(&a);
	}
}

/* It is one of the fast ones: slow are those from it on. */
static void a_fast_one(void **state)
{
	static const int now[] = { 50, 30 }, before[] = { 80, 0 };
	struct asked a;

	(void)state;
	find_of(&a, now, before, 500, 60);
	assert_true(a.out.threshold_ns <= fixture_ms(60));
	end(&a);
}

/* The slowest of forty are two. */
static void how_many_make_a_tail(void **state)
{
	static const struct {
		int now, before;
		double own_ms;
		bool is_tail;
	} rows[] = {
		{ 40, 40, 1500, true },
		{ 39, 40, 1500, false },
		{ 40, 39, 1500, false },
		{ 40, 40, 70, false }, /* and it is none of them */
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct asked a;

		begin(&a);
		add(&a, BEFORE, rows[i].before - 3, 50, NULL);
		add(&a, BEFORE, 3, 100, NULL);
		add(&a, SLOW, rows[i].now - 16, 50, NULL);
		add(&a, SLOW, 16, 130, NULL);
		find(&a, rows[i].own_ms);
		if (a.out.is_tail != rows[i].is_tail)
			fail_msg("row %zu", i);
		end(&a);
	}
}

/* Four slow ones are too few to be a part, and too many to deny it. */
static void few_slow(void **state)
{
	struct asked a;

	(void)state;
	begin(&a);
	add(&a, BEFORE, 66, 50, NULL);
	add(&a, SLOW, 60, 50, NULL);
	add(&a, SLOW, 4, 500, NULL);
	find(&a, 520);
	assert_int_equal(a.out.mode, COHORT_UNSURE);
	assert_false(a.out.is_against_fast);
	assert_true(a.out.part_p > group_rule_p(GROUP_MORE) &&
		    a.out.part_p < group_rule_p(GROUP_MAYBE_MORE));
	end(&a);
	assert_int_equal(mode_of_part(2, 0, 66), COHORT_HEALTHY);
	assert_int_equal(mode_of_part(4, 2, 66), COHORT_HEALTHY);
}

/* The request took twice what is usual, and 17 of 192 did, of the window before
 * 1 of 98; as many as now did so a day ago, or hardly any. */
static void few_slow_before_alone(void **state)
{
	static const struct {
		int slow_a_day_ago;
		enum cohort_mode mode;
	} cases[] = {
		{ 15, COHORT_HEALTHY },
		{ 3, COHORT_UNSURE },
	};
	struct asked a;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		begin(&a);
		add(&a, BEFORE, 97, 50, NULL);
		add(&a, BEFORE, 1, 90, NULL);
		add(&a, SLOW, 175, 50, NULL);
		add(&a, SLOW, 17, 90, NULL);
		a.roles.baselines[BASELINE_DAY] =
			past_window(&a.p, -1440 * MINUTE, -1430 * MINUTE);
		for (int j = 0; j < 198; j++)
			past_span(&a.p, a.roles.baselines[BASELINE_DAY], 0,
				  -1440 * MINUTE + j,
				  j < cases[i].slow_a_day_ago ? 90 : 50);
		find(&a, 100);
		assert_int_equal(a.out.earlier_count, 198);
		assert_int_equal(a.out.mode, cases[i].mode);
		end(&a);
	}
}

/* One in five takes three times as long as the rest, as the slowest of the
 * baseline do; the request in question took thirty times as long. */
static void more_of_the_slowest(void **state)
{
	struct asked a;

	(void)state;
	begin(&a);
	add(&a, BEFORE, 185, 50, NULL);
	add(&a, BEFORE, 15, 100, NULL);
	add(&a, SLOW, 160, 50, NULL);
	add(&a, SLOW, 40, 130, NULL);
	find(&a, 1500);
	assert_int_equal(a.out.mode, COHORT_BIMODAL);
	assert_true(a.out.is_tail);
	assert_true(a.out.is_new);
	assert_in_range(a.out.threshold_ns, fixture_ms(58), fixture_ms(100));
	assert_int_equal(a.out.p99_ns > fixture_ms(140), 1);
	assert_int_equal(a.out.before_slow_count > 0, 1);
	end(&a);
	/* As many of them, and as slow. */
	begin(&a);
	add(&a, BEFORE, 170, 50, NULL);
	add(&a, BEFORE, 30, 130, NULL);
	add(&a, SLOW, 170, 50, NULL);
	add(&a, SLOW, 30, 130, NULL);
	find(&a, 1500);
	assert_int_equal(a.out.mode, COHORT_HEALTHY);
	assert_false(a.out.is_tail);
	end(&a);
}

/* Half of the slow ones are of one version, which has a quarter of the fast
 * ones: they are compared with those of the other. */
static void a_lead_that_was_found_otherwise(void **state)
{
	struct cohort_want want = { .lead = { CONCENTRATION_VERSION,
					      STR("1.5.0") } };
	struct error err = { 0 };
	struct asked a;
	uint32_t old, new;

	(void)state;
	begin(&a);
	add(&a, BEFORE, 80, 50, NULL);
	add(&a, SLOW, 60, 50, NULL);
	add(&a, SLOW, 20, 500, NULL);
	old = past_symbol(&a.p, "1.4.0");
	new = past_symbol(&a.p, "1.5.0");
	for (uint32_t i = 0; i < 80; i++)
		a.p.h.windows[SLOW].spans[i].version =
			i < 45 || i >= 72 ? old : new;
	find(&a, 520);
	assert_false(a.out.version.is_found);
	want.history = &a.p.h;
	want.roles = &a.roles;
	want.duration_ns = fixture_ms(520);
	want.profile_id = 7;
	want.slow_range = a.p.h.windows[SLOW].range;
	want.baseline = &a.baseline;
	assert_true(cohorts_find(&want, &a.p.arena, &a.out, &err));
	assert_int_equal(a.out.mode, COHORT_BIMODAL);
	assert_true(a.out.version.is_found);
	assert_int_equal(a.out.version.slow_count, 12);
	assert_int_equal(a.out.version.span_count, 27);
	assert_int_equal(a.out.version.other_slow_count, 8);
	assert_int_equal(a.out.version.other_count, 53);
	/* And the one in question. */
	assert_int_equal(a.out.slow.count, 13);
	assert_int_equal(a.out.fast.count, 45);
	end(&a);
}

/* Durations from 90 to 420 ms leave no valley; but none was there before. */
static void new_part_without_valley(void **state)
{
	struct asked a;

	(void)state;
	begin(&a);
	add(&a, BEFORE, 66, 50, NULL);
	add(&a, SLOW, 60, 50, NULL);
	for (int i = 0; i < 12; i++)
		past_span(&a.p, SLOW, 0, MINUTE + i, 90 + 30 * i);
	find(&a, 450);
	/* 150 ms and more: ten of them. */
	assert_true(a.out.is_new);
	assert_int_equal(a.out.mode, COHORT_BIMODAL);
	assert_true(a.out.is_against_fast);
	assert_int_equal(a.out.slow.count, 11);
	assert_int_equal(a.out.slow_count, 10);
	assert_int_equal(a.out.window_count, 72);
	assert_int_equal(a.out.slow_p50_ns, fixture_ms(285));
	assert_int_equal(a.out.fast_p50_ns, fixture_ms(50));
	assert_int_equal(a.out.before_slow_count, 0);
	assert_false(a.out.is_as_before);
	for (int i = 0; i < 10; i++)
		past_span(&a.p, BEFORE, 0, -MINUTE + i, 400);
	find(&a, 450);
	assert_false(a.out.is_new);
	assert_int_equal(a.out.mode, COHORT_HEALTHY);
	end(&a);
}

/* A single distribution with a long tail: exp(0.9 z) for z at 200 evenly
 * spaced quantiles of a logistic distribution. Its tail is no second mode. */
static void tail_is_no_mode(void **state)
{
	struct asked a;

	(void)state;
	begin(&a);
	for (uint32_t w = SLOW; w <= BEFORE; w++)
		for (int i = 0; i < 200; i++) {
			double u = (i + 0.5) / 200;

			past_span(&a.p, w, 0, w ? -MINUTE + i : i,
				  50 * exp(0.9 * 0.5513 * log(u / (1 - u))));
		}
	for (double ms = 120; ms < 800; ms *= 1.3) {
		find(&a, ms);
		assert_int_equal(a.out.mode, COHORT_HEALTHY);
	}
	end(&a);
}

/* All slow ones come from one pod of three. */
static void one_instance(void **state)
{
	struct asked a;

	(void)state;
	begin(&a);
	add(&a, BEFORE, 22, 50, "pod-1");
	add(&a, SLOW, 22, 50, "pod-1");
	add(&a, SLOW, 22, 50, "pod-2");
	add(&a, SLOW, 22, 500, "pod-3");
	find(&a, 520);
	assert_int_equal(a.out.mode, COHORT_BIMODAL);
	assert_true(a.out.instance.is_found);
	assert_true(str_equal(a.out.instance.value, STR("pod-3")));
	assert_int_equal(a.out.instance.value_count, 3);
	assert_int_equal(a.out.instance.p50_ns, fixture_ms(500));
	assert_int_equal(a.out.instance.other_p50_ns, fixture_ms(50));
	assert_int_equal(a.out.slow.count, 23);
	assert_int_equal(a.out.fast.count, 44);
	assert_int_equal(a.out.instance.slow_count, 22);
	assert_int_equal(a.out.instance.other_slow_count, 0);
	end(&a);
}

/* Slow on both pods: the operation, not the pod. */
static void all_instances(void **state)
{
	struct asked a;

	(void)state;
	begin(&a);
	add(&a, BEFORE, 22, 50, "pod-1");
	add(&a, SLOW, 22, 500, "pod-2");
	add(&a, SLOW, 3, 500, "pod-3");
	find(&a, 520);
	assert_false(a.out.instance.is_found);
	assert_int_equal(a.out.mode, COHORT_WINDOW);
	end(&a);
}

static void too_few(void **state)
{
	struct asked a;

	(void)state;
	begin(&a);
	add(&a, BEFORE, 22, 50, NULL);
	add(&a, SLOW, 4, 500, NULL);
	find(&a, 520);
	assert_int_equal(a.out.mode, COHORT_UNKNOWN);
	assert_int_equal(a.out.window_count, 4);
	end(&a);
	begin(&a);
	add(&a, SLOW, 22, 50, NULL);
	find(&a, 520);
	assert_int_equal(a.out.mode, COHORT_UNKNOWN);
	assert_int_equal(a.out.baseline.count, 0);
	assert_int_equal(a.out.before_count, 0);
	assert_int_equal(a.out.before_p50_ns, -1);
	end(&a);
}

/* Spans found by their duration join the slow ones, once each; they do not
 * count when shares are told. */
static void selected_spans(void **state)
{
	struct history_span *s;
	struct asked a;

	(void)state;
	begin(&a);
	add(&a, BEFORE, 22, 50, NULL);
	add(&a, SLOW, 22, 500, NULL);
	add(&a, SLOW_ONLY, 11, 500, NULL);
	s = &a.p.h.windows[SLOW_ONLY].spans[0];
	s->span_id = a.p.h.windows[SLOW].spans[0].span_id;
	s->profile_id = a.p.h.windows[SLOW].spans[0].profile_id;
	find(&a, 520);
	assert_int_equal(a.out.window_count, 22);
	assert_int_equal(a.out.slow.count, 22 + 10 + 1);
	end(&a);
}

/* Without ids there are spans, but nothing to ask profiles for. */
static void without_profile_ids(void **state)
{
	struct asked a;

	(void)state;
	begin(&a);
	add(&a, BEFORE, 22, 50, NULL);
	add(&a, SLOW, 22, 500, NULL);
	for (uint32_t i = 0; i < 22; i++) {
		a.p.h.windows[SLOW].spans[i].profile_id = 0;
		a.p.h.windows[BEFORE].spans[i].profile_id = 0;
	}
	find(&a, 520);
	assert_int_equal(a.out.slow.count, 1);
	assert_int_equal(a.out.slow.span_count, 23);
	assert_int_equal(a.out.baseline.count, 0);
	assert_int_equal(a.out.baseline.span_count, 22);
	end(&a);
}

/* More than a query takes: every n-th, and always the own one. */
static void many_ids(void **state)
{
	struct asked a;

	(void)state;
	begin(&a);
	add(&a, BEFORE, 22, 50, NULL);
	for (unsigned i = 0; i < LIMIT_COHORT_SPANS / 2; i++)
		past_span(&a.p, SLOW, 0, i, 500);
	find(&a, 520);
	assert_int_equal(a.out.slow.span_count, LIMIT_COHORT_SPANS / 2 + 1);
	assert_in_range(a.out.slow.count, LIMIT_COHORT_SPANS / 4,
			LIMIT_COHORT_SPANS / 2);
	assert_int_equal(a.out.slow.profile_ids[0], 7);
	end(&a);
}

UNIT_TESTS(cohorts)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_operation),
		cmocka_unit_test(smallest_move),
		cmocka_unit_test(healthy_operation),
		cmocka_unit_test(few_and_far),
		cmocka_unit_test(small_moves),
		cmocka_unit_test(two_modes),
		cmocka_unit_test(a_part_must_have_grown),
		cmocka_unit_test(a_part_older_than_the_baseline),
		cmocka_unit_test(how_many_make_a_part),
		cmocka_unit_test(a_fast_one),
		cmocka_unit_test(how_many_make_a_tail),
		cmocka_unit_test(few_slow),
		cmocka_unit_test(few_slow_before_alone),
		cmocka_unit_test(more_of_the_slowest),
		cmocka_unit_test(a_lead_that_was_found_otherwise),
		cmocka_unit_test(new_part_without_valley),
		cmocka_unit_test(tail_is_no_mode),
		cmocka_unit_test(one_instance),
		cmocka_unit_test(all_instances),
		cmocka_unit_test(too_few),
		cmocka_unit_test(selected_spans),
		cmocka_unit_test(without_profile_ids),
		cmocka_unit_test(many_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
