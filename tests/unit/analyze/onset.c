/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "../unit.h"
#include "history_fixture.h"

#include "analyze/onset.h"

#define MINUTE 60000.0

static int64_t at(double ms)
{
	return FIXTURE_BASE_NS + fixture_ms(ms);
}

static void begin(struct past *p)
{
	past_init(p);
	past_operation(p, "web", "GET /", SPAN_KIND_SERVER);
	past_operation(p, "web", "SELECT", SPAN_KIND_CLIENT);
	past_window(p, -10 * MINUTE, 0);
	past_window(p, 0, 10 * MINUTE);
}

/* Spans of `ms` in every `every` seconds of [from, to) seconds; durations
 * vary by up to a tenth in a fixed pattern. */
static void add(struct past *p, double from, double to, double every, double ms)
{
	int i = 0;

	for (double s = from; s < to; s += every, i++)
		past_span(p, s >= 0, 0, s * 1000,
			  ms * (0.9 + 0.02 * (i * 7 % 11)));
}

static struct onset find(struct past *p)
{
	const uint32_t windows[] = { 0, 1, UINT32_MAX };
	struct error err = { 0 };
	struct onset o;

	assert_true(onset_find(&p->h, windows, 3, 0, &p->arena, &o, &err));
	return o;
}

/* 40 ms until second 120, then 400; other operations do not matter. */
static void became_slow(void **state)
{
	struct past p;
	struct onset o;

	(void)state;
	begin(&p);
	add(&p, -600, 0, 10, 40);
	add(&p, 0, 120, 10, 40);
	add(&p, 120, 600, 10, 400);
	past_span(&p, 1, 1, 0, 5000);
	o = find(&p);
	assert_true(o.is_found);
	assert_true(o.has_start);
	assert_false(o.has_recovered);
	assert_int_equal(o.start_ns, at(120000));
	assert_int_equal(o.slow_count, 48);
	assert_int_equal(o.fast_count, 72);
	assert_in_range(o.slow_p50_ns, fixture_ms(360), fixture_ms(440));
	assert_in_range(o.fast_p50_ns, fixture_ms(36), fixture_ms(44));
	past_release(&p);
}

/* Slow from second 60 to second 240. */
static void recovered(void **state)
{
	struct time_range range = { at(0), at(10 * MINUTE) }, part;
	struct past p;
	struct onset o;

	(void)state;
	begin(&p);
	add(&p, -600, 0, 10, 40);
	add(&p, 0, 60, 10, 40);
	add(&p, 60, 240, 10, 400);
	add(&p, 240, 600, 10, 40);
	o = find(&p);
	assert_true(o.has_start && o.has_recovered);
	assert_int_equal(o.start_ns, at(60000));
	assert_int_equal(o.end_ns, at(240000));
	part = onset_slow_range(&o, range, at(100000));
	assert_int_equal(part.from_ns, at(60000));
	assert_int_equal(part.to_ns, at(240000));
	/* A trace outside the slow part is not explained by it. */
	part = onset_slow_range(&o, range, at(59999));
	assert_int_equal(part.from_ns, range.from_ns);
	part = onset_slow_range(&o, range, at(240000));
	assert_int_equal(part.to_ns, range.to_ns);
	/* Of a baseline the longer healthy part. */
	part = onset_healthy_range(&o, range);
	assert_int_equal(part.from_ns, at(240000));
	assert_int_equal(part.to_ns, range.to_ns);
	past_release(&p);
}

/* Nothing was drawn between second 120 and 240: it became slow in between, and
 * what is healthy for sure ends with the last fast span. */
static void gap_before_the_onset(void **state)
{
	struct time_range range = { at(0), at(5 * MINUTE) }, part;
	struct past p;
	struct onset o;

	(void)state;
	begin(&p);
	add(&p, 0, 120, 10, 40);
	add(&p, 240, 600, 10, 400);
	o = find(&p);
	assert_true(o.has_start);
	assert_int_equal(o.start_ns, at(240000));
	assert_int_equal(o.last_fast_ns, at(110000));
	part = onset_healthy_range(&o, range);
	assert_int_equal(part.from_ns, at(0));
	assert_int_equal(part.to_ns, at(110000) + 1);
	/* A window that was over before is taken whole. */
	range.to_ns = at(200000);
	part = onset_healthy_range(&o, range);
	assert_int_equal(part.to_ns, at(200000));
	past_release(&p);
}

static void slow_from_the_beginning(void **state)
{
	struct time_range before = { at(-10 * MINUTE), at(0) }, part;
	struct past p;
	struct onset o;

	(void)state;
	begin(&p);
	add(&p, -600, 300, 10, 400);
	add(&p, 300, 600, 10, 40);
	o = find(&p);
	assert_true(o.is_found);
	assert_false(o.has_start);
	assert_true(o.has_recovered);
	assert_int_equal(o.end_ns, at(300000));
	part = onset_healthy_range(&o, before);
	assert_int_equal(part.from_ns, part.to_ns);
	past_release(&p);
}

/* 1.4 times is no change, 1.6 times is one. */
static void ratio(void **state)
{
	struct past p;

	(void)state;
	for (int i = 0; i < 2; i++) {
		begin(&p);
		add(&p, -600, 0, 10, 40);
		add(&p, 0, 600, 10, i ? 64 : 56);
		assert_int_equal(find(&p).is_found, i);
		past_release(&p);
	}
}

/* Six against six stand out, five against five may be chance: a squared
 * deviation of 8.3 against 2.5 ln 12 = 6.2; 6.8 against 5.8 still passes,
 * four against six are too few. */
static void few_spans(void **state)
{
	struct past p;

	(void)state;
	begin(&p);
	add(&p, -60, 0, 10, 40);
	add(&p, 0, 40, 10, 400);
	assert_false(find(&p).is_found);
	past_release(&p);
	begin(&p);
	add(&p, -50, 0, 10, 40);
	add(&p, 0, 50, 10, 400);
	assert_true(find(&p).is_found);
	past_release(&p);
}

/* One slow span in five all the time is no onset. */
static void scattered(void **state)
{
	struct past p;

	(void)state;
	begin(&p);
	for (int i = -60; i < 60; i++)
		past_span(&p, i >= 0, 0, i * 10000, i % 5 ? 40 : 400);
	assert_false(find(&p).is_found);
	past_release(&p);
}

/* More spans than are looked at: the times are good to a few spans. */
static void thinned(void **state)
{
	struct past p;
	struct onset o;

	(void)state;
	begin(&p);
	add(&p, -600, 0, 0.4, 40);
	add(&p, 0, 300, 0.4, 40);
	add(&p, 300, 600, 0.4, 400);
	o = find(&p);
	assert_true(o.is_found);
	assert_in_range(o.start_ns, at(299000), at(301500));
	past_release(&p);
}

/* Less than a minute would remain of the window. */
static void short_part(void **state)
{
	struct time_range range = { at(0), at(10 * MINUTE) }, part;
	struct onset o = { .is_found = true, .has_start = true };

	(void)state;
	o.start_ns = at(9 * MINUTE);
	part = onset_slow_range(&o, range, at(9.5 * MINUTE));
	assert_int_equal(part.from_ns, o.start_ns);
	o.start_ns = at(9 * MINUTE) + 1;
	part = onset_slow_range(&o, range, at(9.5 * MINUTE));
	assert_int_equal(part.from_ns, range.from_ns);
	part = onset_slow_range(NULL, range, 0);
	assert_int_equal(part.from_ns, range.from_ns);
}

/* ---- deploys ---- */

static void add_version(struct past *p, const char *version, double from,
			double to)
{
	uint32_t symbol = past_symbol(p, version);

	for (double s = from; s < to; s += 10)
		past_span(p, s >= 0, 0, s * 1000, 40)->version = symbol;
}

static struct deploy deploy(struct past *p, const char *service,
			    const struct onset *onset)
{
	const uint32_t windows[] = { 0, 1 };
	struct deploy d;

	deploy_find(&p->h, windows, 2, str_from(service), onset, &d);
	return d;
}

static void deployed(void **state)
{
	struct onset o = { .is_found = true, .has_start = true };
	struct past p;
	struct deploy d;

	(void)state;
	begin(&p);
	add_version(&p, "1.4", -600, 120);
	add_version(&p, "1.5", 120, 600);
	o.start_ns = at(240000);
	d = deploy(&p, "web", &o);
	assert_true(d.is_found);
	assert_true(str_equal(d.from_version, STR("1.4")));
	assert_true(str_equal(d.to_version, STR("1.5")));
	assert_int_equal(d.at_ns, at(120000));
	assert_false(d.is_partial);
	assert_true(d.is_near_onset);
	assert_int_equal(d.old_count, 72);
	assert_int_equal(d.new_count, 48);
	o.start_ns++;
	assert_false(deploy(&p, "web", &o).is_near_onset);
	assert_false(deploy(&p, "web", NULL).is_near_onset);
	assert_false(deploy(&p, "cat", &o).is_found);
	past_release(&p);
}

static void canary(void **state)
{
	struct past p;
	struct deploy d;

	(void)state;
	begin(&p);
	add_version(&p, "1.4", -600, 600);
	assert_false(deploy(&p, "web", NULL).is_found);
	add_version(&p, "1.5", 125, 590);
	d = deploy(&p, "web", NULL);
	assert_true(d.is_found);
	assert_true(d.is_partial);
	assert_true(str_equal(d.to_version, STR("1.5")));
	past_release(&p);
}

/* ---- against trying every run ---- */

enum { SPANS = 120 };

static double rank_of(const double *ms, size_t at)
{
	double below = 0, equal = 0;

	for (size_t i = 0; i < SPANS; i++) {
		below += ms[i] < ms[at];
		equal += ms[i] == ms[at];
	}
	return below + (equal + 1) / 2;
}

/* The run of which the sum of ranks lies most deviations above its mean. */
static void best_run(const double *ms, size_t *from, size_t *to, double *best)
{
	double n = SPANS;

	*best = 0;
	for (size_t i = 0; i < SPANS; i++) {
		double above = 0;

		for (size_t k = 1; k <= SPANS - 5 && i + k <= SPANS; k++) {
			double scale = 1 / sqrt((double)k * (n - (double)k) *
						(n + 1) / 12);

			above += rank_of(ms, i + k - 1) - (n + 1) / 2;
			if (k < 5 || above * scale <= *best)
				continue;
			*best = above * scale;
			*from = i;
			*to = i + k;
		}
	}
}

/* Two levels that are far apart, so that the part has its ends where the best
 * run has them; how long it is and where it lies are drawn. */
static void like_every_run(void **state)
{
	uint32_t random = 1;
	unsigned found = 0;

	(void)state;
	for (int round = 0; round < 40; round++) {
		double ms[SPANS], best;
		size_t from = 0, to = 0, first, last;
		struct past p;
		struct onset o;

		random = random * 1664525u + 1013904223u;
		first = 8 + (random >> 16) % 70;
		last = first + (random >> 8) % 40;
		begin(&p);
		for (size_t i = 0; i < SPANS; i++) {
			random = random * 1664525u + 1013904223u;
			ms[i] = i >= first && i < last ? 900 : 10;
			ms[i] += (double)(random >> 28);
			past_span(&p, 1, 0, (double)i * 5000, ms[i]);
		}
		best_run(ms, &from, &to, &best);
		o = find(&p);
		if (o.is_found) {
			found++;
			assert_int_equal(o.start_ns, at((double)from * 5000));
			assert_int_equal(o.slow_count, to - from);
		}
		assert_true(o.is_found || last - first < 8);
		past_release(&p);
	}
	assert_true(found > 20);
}

static void past_onsets_are_forgotten(void **state)
{
	const struct onset past = { .is_found = true,
				    .has_recovered = true,
				    .end_ns = 100 };
	struct onset o = past;

	(void)state;
	onset_forget_past(&o, 99);
	assert_true(o.is_found);
	onset_forget_past(&o, 100);
	assert_false(o.is_found);
	o = past;
	o.has_start = true;
	onset_forget_past(&o, 100);
	assert_true(o.is_found);
}

UNIT_TESTS(onset)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(became_slow),
		cmocka_unit_test(recovered),
		cmocka_unit_test(gap_before_the_onset),
		cmocka_unit_test(slow_from_the_beginning),
		cmocka_unit_test(ratio),
		cmocka_unit_test(few_spans),
		cmocka_unit_test(scattered),
		cmocka_unit_test(thinned),
		cmocka_unit_test(short_part),
		cmocka_unit_test(deployed),
		cmocka_unit_test(canary),
		cmocka_unit_test(like_every_run),
		cmocka_unit_test(past_onsets_are_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
