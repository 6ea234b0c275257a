/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "../unit.h"
#include "report/texts.h"

static const struct operation operations[] = {
	{ { "web", 3 }, { "GET /", 5 }, SPAN_KIND_SERVER },
	{ { "shop", 4 }, { "GET /cart", 9 }, SPAN_KIND_SERVER },
};

static const struct history_key keys[] = { { { "cache.hit", 9 }, false },
					   { { "node", 4 }, true } };

static struct history history;
static struct contrasts contrasts;
static struct symptom symptom;
static struct error err;

static int setup(void **state)
{
	(void)state;
	history_init(&history, operations, 2);
	history.keys = keys;
	history.key_count = 2;
	contrasts = (struct contrasts){ .slow_count = 50 };
	symptom = (struct symptom){ .history = &history,
				    .contrasts = &contrasts };
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	history_release(&history);
	return 0;
}

static struct contrast value(const char *text)
{
	struct contrast c = { .operation = 0,
			      .slow_count = 50,
			      .slow_with = 48,
			      .fast_count = 200,
			      .fast_with = 8,
			      .slow_median = NAN,
			      .fast_median = NAN,
			      .with_p50_ns = 200 * NS_PER_MS,
			      .without_p50_ns = 20 * NS_PER_MS,
			      .own = 1 };

	assert_true(history_symbol(&history, str_from(text), &c.value, &err));
	return c;
}

static void expect(const struct contrast *c, const char *words)
{
	struct buf text;

	buf_init(&text, MIB);
	contrast_tell(&symptom, c, &text);
	assert_string_equal(buf_text(&text), words);
	buf_release(&text);
}

static void a_value(void **state)
{
	struct contrast c = value("false");

	(void)state;
	expect(&c, "96 % of the slow requests have cache.hit=false, 4 % of the "
		   "fast ones; p50 200 ms with it, 20 ms without");
	c.slow_with = 50;
	c.fast_with = 0;
	c.own = 0;
	expect(&c, "100 % of the slow requests have cache.hit=false, none of "
		   "the fast ones; p50 200 ms with it, 20 ms without; not this "
		   "one");
	contrasts.is_against_before = true;
	c.without_p50_ns = -1;
	c.own = -1;
	expect(&c, "100 % of the slow requests have cache.hit=false, none of "
		   "the earlier ones");
}

/* Nearly all are not all. */
static void parts(void **state)
{
	struct contrast c = value("false");

	(void)state;
	c.with_p50_ns = -1;
	c.slow_count = 1000;
	c.slow_with = 999;
	c.fast_count = 1000;
	c.fast_with = 1;
	expect(&c, "99 % of the slow requests have cache.hit=false, 1 % of the "
		   "fast ones");
}

static void whose_it_is(void **state)
{
	struct contrast c = value("n1");

	(void)state;
	c.with_p50_ns = -1;
	c.operation = 1;
	expect(&c, "96 % of the slow requests have cache.hit=n1, 4 % of the "
		   "fast ones (shop GET /cart)");
	c.key = 1;
	expect(&c, "96 % of the slow requests have node=n1, 4 % of the fast "
		   "ones (shop)");
	c.of = CONTRAST_OF_INSTANCE;
	expect(&c, "96 % of the slow requests have instance n1, 4 % of the "
		   "fast ones (shop)");
	c.of = CONTRAST_OF_VERSION;
	c.operation = 0;
	expect(&c, "96 % of the slow requests have service.version=n1, 4 % of "
		   "the fast ones");
}

static void numbers(void **state)
{
	struct contrast c = value("");

	(void)state;
	c.kind = CONTRAST_MORE;
	c.slow_median = 2097152;
	c.fast_median = 4100.25;
	expect(&c, "cache.hit is larger in slow requests: median 2,097,152, "
		   "4,100 of the fast ones; p50 200 ms with those, 20 ms "
		   "without");
	c.kind = CONTRAST_LESS;
	c.with_p50_ns = -1;
	expect(&c, "cache.hit is smaller in slow requests: median 2,097,152, "
		   "4,100 of the fast ones");
}

static void expect_usual(const struct contrast *c, const char *words)
{
	struct buf text;

	buf_init(&text, MIB);
	contrast_tell_usual(&symptom, c, &text);
	assert_string_equal(buf_text(&text), words);
	buf_release(&text);
}

static void what_is_usual(void **state)
{
	struct contrast c = value("false");

	(void)state;
	c.like_count = 20;
	c.like_p50_ns = 812 * NS_PER_MS;
	c.like_before_count = 11;
	c.like_before_p50_ns = 805 * NS_PER_MS;
	expect_usual(&c, "normal for requests with cache.hit=false: they take "
			 "812 ms (p50 of 20), in the baseline 805 ms (of 11)");
	c.kind = CONTRAST_MORE;
	expect_usual(&c, "normal for requests of this cache.hit: they take 812 "
			 "ms (p50 of 20), in the baseline 805 ms (of 11)");
}

static void rows(void **state)
{
	struct result result = { .command = "slow" };

	(void)state;
	arena_init(&result.arena, MIB);
	contrasts.items[0] = value("false");
	contrasts.count = 1;
	assert_true(contrasts_report_write(&symptom, &result, &err));
	assert_int_equal(result.contrast_count, 1);
	assert_string_equal(result.contrasts[0].kind, "value");
	assert_true(str_equal(result.contrasts[0].key, STR("cache.hit")));
	assert_true(str_equal(result.contrasts[0].value, STR("false")));
	assert_true(str_starts(result.contrasts[0].text, STR("96 %")));
	symptom.contrasts = NULL;
	assert_true(contrasts_report_write(&symptom, &result, &err));
	assert_int_equal(result.contrast_count, 0);
	arena_release(&result.arena);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static void since_when(void **state)
{
	struct contrast c = value("false");
	struct buf text;

	(void)state;
	c.like_count = 48;
	c.like_before_count = 12;
	c.like_before_p50_ns = 20 * NS_PER_MS;
	c.since = CONTRAST_SLOWER;
	expect(&c, "96 % of the slow requests have cache.hit=false, 4 % of the "
		   "fast ones; p50 200 ms with it, 20 ms without; in the "
		   "baseline they took 20 ms (p50 of 12)");
	c.since = CONTRAST_MORE_OFTEN;
	expect(&c, "96 % of the slow requests have cache.hit=false, 4 % of the "
		   "fast ones; p50 200 ms with it, 20 ms without; 12 in the "
		   "baseline, now 48");
	c.since = CONTRAST_NEW;
	expect(&c, "96 % of the slow requests have cache.hit=false, 4 % of the "
		   "fast ones; p50 200 ms with it, 20 ms without; the baseline "
		   "has none");
	buf_init(&text, MIB);
	contrast_tell_like(&symptom, &c, &text);
	assert_string_equal(buf_text(&text), "with cache.hit=false");
	buf_release(&text);
	c.kind = CONTRAST_MORE;
	buf_init(&text, MIB);
	contrast_tell_like(&symptom, &c, &text);
	assert_string_equal(buf_text(&text), "for its cache.hit");
	buf_release(&text);
}

UNIT_TESTS(contrast_text)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(since_when, setup, teardown),
		TEST(a_value), TEST(parts),         TEST(whose_it_is),
		TEST(numbers), TEST(what_is_usual), TEST(rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
