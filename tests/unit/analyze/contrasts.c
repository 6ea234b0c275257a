/* SPDX-License-Identifier: Apache-2.0
 *
 * What slow requests have in common: requests with attributes as data, facts
 * out; and nothing where attributes were dealt out by chance.
 */
#include <math.h>
#include <stdio.h>

#include "../unit.h"
#include "history_fixture.h"

#include "../random.h"
#include "analyze/contrasts.h"
#include "base/num.h"

#define MINUTE 60000.0

enum { SLOW, SLOW_ONLY, BEFORE, DAY };
enum { WEB, SHOP };

/* The last four are of processes. */
static const struct history_key keys[] = {
	{ { "tenant", 6 }, false },      { { "cache.hit", 9 }, false },
	{ { "size", 4 }, false },        { { "id", 2 }, false },
	{ { "error.type", 10 }, false }, { { "shard", 5 }, false },
	{ { "node", 4 }, true },         { { "zone", 4 }, true },
};

enum { TENANT, HIT, SIZE, ID, ERROR_TYPE, SHARD, NODE, ZONE };

struct asked {
	struct past p;
	struct window_roles roles;
	struct trace trace;
	struct contrasts out;
	uint32_t dice;
	double took_ms; /* by the one that is asked about */
};

static const char own_trace[] =
	"1 0 web S \"GET /\" 0 200 tenant=acme size=1000000 @node=n1\n"
	"2 1 shop S \"GET /cart\" 10 190 cache.hit=false\n";

static void begin(struct asked *a)
{
	*a = (struct asked){ .dice = 1, .took_ms = 200 };
	past_init(&a->p);
	past_operation(&a->p, "web", "GET /", SPAN_KIND_SERVER);
	past_operation(&a->p, "shop", "GET /cart", SPAN_KIND_SERVER);
	past_window(&a->p, 0, 10 * MINUTE);
	past_window(&a->p, 0, 10 * MINUTE);
	past_window(&a->p, -10 * MINUTE, 0);
	past_window(&a->p, -1440 * MINUTE, -1430 * MINUTE);
	a->p.h.keys = keys;
	a->p.h.key_count = COUNT_OF(keys);
	window_roles_init(&a->roles);
	a->roles.slow = SLOW;
	a->roles.slow_only = SLOW_ONLY;
	a->roles.baselines[BASELINE_PREVIOUS] = BEFORE;
	a->roles.baselines[BASELINE_DAY] = DAY;
	fixture_trace(&a->trace, own_trace);
}

static void end(struct asked *a)
{
	trace_release(&a->trace);
	past_release(&a->p);
}

/* A request of `ms`, n-th of its window; attributes follow by attr(). */
static struct history_span *request(struct asked *a, uint32_t window, int n,
				    double ms)
{
	double from = (double)(a->p.h.windows[window].range.from_ns -
			       FIXTURE_BASE_NS) /
		      1e6;

	return past_span(&a->p, window, WEB, from + n * 500, ms);
}

static void attr(struct asked *a, struct history_span *s, uint32_t key,
		 const char *value)
{
	struct error err = { 0 };

	assert_true(history_add_attr(&a->p.h, s, key, str_from(value), &err));
}

static void number(struct asked *a, struct history_span *s, uint32_t key,
		   double value)
{
	char text[32];

	snprintf(text, sizeof text, "%g", value);
	attr(a, s, key, text);
}

/* 0 to n - 1. */
static unsigned draw(struct asked *a, unsigned n)
{
	return next_random(&a->dice) * n >> 16;
}

static void find(struct asked *a)
{
	struct contrast_want want = {
		.trace = &a->trace,
		.history = &a->p.h,
		.roles = &a->roles,
		.operation = WEB,
		.slow_range = a->p.h.windows[SLOW].range,
		.threshold_ns = fixture_ms(100),
		.duration_ns = fixture_ms(a->took_ms),
		.base_window = BEFORE,
		.base_range = a->p.h.windows[BEFORE].range,
	};
	struct error err = { 0 };

	assert_true(contrasts_find(&want, &a->out, &err));
}

static const struct contrast *only(struct asked *a)
{
	find(a);
	assert_int_equal(a->out.count, 1);
	return &a->out.items[0];
}

static void assert_value(const struct asked *a, const struct contrast *c,
			 uint32_t key, const char *value)
{
	assert_int_equal(c->kind, CONTRAST_VALUE);
	assert_int_equal(c->of, CONTRAST_OF_ATTRIBUTE);
	assert_int_equal(c->key, key);
	assert_true(
		str_equal(history_text(&a->p.h, c->value), str_from(value)));
}

/* ---- what is told ---- */

/* 60 requests of acme, most of them slow, 240 of nine others. */
static void a_tenant(void **state)
{
	const struct contrast *c;
	struct asked a;
	char name[16];

	(void)state;
	begin(&a);
	for (int i = 0; i < 300; i++) {
		bool is_acme = i % 5 == 0;
		struct history_span *s =
			request(&a, SLOW, i, is_acme && i % 50 ? 200 : 20);

		snprintf(name, sizeof name, "t%u", draw(&a, 9));
		attr(&a, s, TENANT, is_acme ? "acme" : name);
	}
	c = only(&a);
	assert_value(&a, c, TENANT, "acme");
	assert_int_equal(c->operation, WEB);
	assert_int_equal(c->slow_with, 54);
	assert_int_equal(c->slow_count, 54);
	assert_int_equal(c->fast_with, 6);
	assert_int_equal(c->fast_count, 246);
	assert_int_equal(c->with_p50_ns, fixture_ms(200));
	assert_int_equal(c->without_p50_ns, fixture_ms(20));
	assert_int_equal(c->own, 1);
	assert_true(c->q < 1e-20);
	end(&a);
}

/* It stands on a span of another service; and not on those of requests that
 * did not call it. */
static void a_cache_beneath(void **state)
{
	const struct contrast *c;
	struct asked a;

	(void)state;
	begin(&a);
	for (int i = 0; i < 200; i++) {
		bool is_miss = i % 4 == 0;

		request(&a, SLOW, i, is_miss ? 180 : 20);
		if (i % 10 != 9)
			attr(&a,
			     past_add(&a.p, SLOW, SHOP, i * 500 + 1,
				      is_miss ? 160 : 5),
			     HIT, is_miss ? "false" : "true");
	}
	c = only(&a);
	assert_value(&a, c, HIT, "false");
	assert_int_equal(c->operation, SHOP);
	assert_int_equal(c->slow_count, 50);
	assert_int_equal(c->fast_count, 130);
	assert_int_equal(c->fast_with, 0);
	assert_int_equal(c->own, 1);
	end(&a);
}

/* Every request calls two shards; in slow ones the second takes longest. */
static void which_call_took_longest(void **state)
{
	struct asked a;

	(void)state;
	begin(&a);
	for (int i = 0; i < 200; i++) {
		bool is_slow = i % 4 == 0;

		request(&a, SLOW, i, is_slow ? 180 : 20);
		attr(&a, past_add(&a.p, SLOW, SHOP, i * 500 + 1, 10), SHARD,
		     "s1");
		attr(&a,
		     past_add(&a.p, SLOW, SHOP, i * 500 + 11,
			      is_slow ? 160 : 5),
		     SHARD, "s2");
	}
	find(&a);
	assert_int_equal(a.out.count, 0);
	end(&a);
}

static void a_size(void **state)
{
	const struct contrast *c;
	struct asked a;

	(void)state;
	begin(&a);
	for (int i = 0; i < 200; i++) {
		bool is_big = i % 8 == 0;

		number(&a, request(&a, SLOW, i, is_big ? 220 : 30), SIZE,
		       (is_big ? 500000 : 4000) + draw(&a, 3000));
	}
	c = only(&a);
	assert_int_equal(c->kind, CONTRAST_MORE);
	assert_int_equal(c->key, SIZE);
	assert_in_range((int)c->slow_median, 500000, 503000);
	assert_in_range((int)c->fast_median, 4000, 7000);
	assert_int_equal(c->slow_with, 25);
	assert_int_equal(c->fast_with, 0);
	assert_int_equal(c->own, 1);
	end(&a);
}

static void versions_and_instances(void **state)
{
	const struct contrast *c;
	struct asked a;

	(void)state;
	begin(&a);
	for (int i = 0; i < 200; i++) {
		struct history_span *s = request(&a, SLOW, i, i % 6 ? 20 : 150);

		s->instance = past_symbol(&a.p, i % 6 ? "pod-a" : "pod-b");
		s->version = past_symbol(&a.p, i % 6 ? "1.4" : "1.5");
	}
	/* Both tell the same: what was deployed is told. */
	c = only(&a);
	assert_int_equal(c->of, CONTRAST_OF_VERSION);
	assert_true(str_equal(history_text(&a.p.h, c->value), STR("1.5")));
	assert_int_equal(c->own, -1);
	end(&a);
}

/* Two reasons a side, and a third thing that goes with the first. */
static void two_reasons(void **state)
{
	struct asked a;

	(void)state;
	begin(&a);
	for (int i = 0; i < 300; i++) {
		bool is_acme = i % 10 == 0, is_miss = i % 10 == 5;
		struct history_span *s =
			request(&a, SLOW, i, is_acme || is_miss ? 200 : 20);

		attr(&a, s, TENANT, is_acme ? "acme" : "other");
		attr(&a, s, NODE, is_acme ? "n1" : "n2");
		attr(&a, s, SHARD, is_miss ? "s7" : "s1");
	}
	find(&a);
	assert_int_equal(a.out.count, 2);
	assert_true(a.out.items[0].key == TENANT ||
		    a.out.items[0].key == SHARD || a.out.items[0].key == NODE);
	assert_int_not_equal(a.out.items[0].key, a.out.items[1].key);
	assert_true(a.out.items[0].key == SHARD || a.out.items[1].key == SHARD);
	end(&a);
}

/* That it failed came of it. */
static void outcomes_come_last(void **state)
{
	struct asked a;

	(void)state;
	begin(&a);
	for (int i = 0; i < 200; i++) {
		bool is_slow = i % 5 == 0;
		struct history_span *s =
			request(&a, SLOW, i, is_slow ? 200 : 20);

		if (is_slow)
			attr(&a, s, ERROR_TYPE, "timeout");
		attr(&a, s, SHARD, is_slow ? "s7" : "s1");
	}
	assert_value(&a, only(&a), SHARD, "s7");
	end(&a);
}

/* All are slow: they are compared with those before. */
static void against_those_before(void **state)
{
	const struct contrast *c;
	struct asked a;

	(void)state;
	begin(&a);
	for (int i = 0; i < 60; i++) {
		struct history_span *s = request(&a, SLOW, i, 200);

		attr(&a, s, HIT, "false");
		s->instance = past_symbol(&a.p, "new-pod");
		s = request(&a, BEFORE, i, 20);
		attr(&a, s, HIT, i % 20 ? "true" : "false");
		s->instance = past_symbol(&a.p, "old-pod");
	}
	c = only(&a);
	assert_value(&a, c, HIT, "false");
	assert_true(a.out.is_against_before);
	assert_int_equal(c->fast_with, 3);
	/* The trace's own root does not tell. */
	assert_int_equal(c->own, 0);
	end(&a);
}

/* Those that were asked for by their duration are slow ones, too, once. */
static void slow_ones_that_were_asked_for(void **state)
{
	struct asked a;

	(void)state;
	begin(&a);
	for (int i = 0; i < 100; i++)
		attr(&a, request(&a, SLOW, i, i < 2 ? 200 : 20), TENANT,
		     i < 2 ? "acme" : "other");
	a.p.h.windows[SLOW].traces[0].id.bytes[0] = 1;
	for (int i = 0; i < 20; i++)
		attr(&a, request(&a, SLOW_ONLY, i, 200), TENANT, "acme");
	a.p.h.windows[SLOW_ONLY].traces[0].id.bytes[0] = 1;
	assert_value(&a, only(&a), TENANT, "acme");
	assert_int_equal(a.out.items[0].slow_count, 21);
	assert_int_equal(a.out.items[0].fast_count, 98);
	end(&a);
}

/* ---- what is not ---- */

static uint32_t told_of(unsigned slow, unsigned all, unsigned values)
{
	struct asked a;
	char name[16];
	uint32_t count;

	begin(&a);
	for (unsigned i = 0; i < all; i++) {
		struct history_span *s =
			request(&a, SLOW, (int)i, i < slow ? 200 : 20);

		snprintf(name, sizeof name, "t%u", i % (values - 1));
		attr(&a, s, TENANT, i < slow ? "acme" : name);
	}
	find(&a);
	count = a.out.count;
	end(&a);
	return count;
}

static void limits(void **state)
{
	(void)state;
	assert_int_equal(told_of(CONTRAST_MIN, 100, 5), 1);
	assert_int_equal(told_of(CONTRAST_MIN - 1, 100, 5), 0);
	assert_int_equal(told_of(40, 400, CONTRAST_VALUES), 1);
	assert_int_equal(told_of(40, 400, CONTRAST_VALUES + 1), 0);
}

/* Of so many slow and fast requests something is known of another operation, or
 * a number. */
static uint32_t told_of_known(int slow, int fast, bool is_number)
{
	struct asked a;
	uint32_t count;

	begin(&a);
	for (int i = 0; i < 140; i++) {
		bool is_slow = i < 40;
		bool is_known = is_slow ? i < slow : i - 40 < fast;
		struct history_span *s =
			request(&a, SLOW, i * 37 % 140, is_slow ? 200 : 20);

		if (is_known && is_number)
			number(&a, s, SIZE, is_slow ? 5000 + i : i);
		else if (is_known)
			attr(&a, past_add(&a.p, SLOW, SHOP, i, 10), HIT,
			     is_slow || (i == 40 && fast > 5) ? "false"
							      : "true");
	}
	find(&a);
	count = a.out.count;
	end(&a);
	return count;
}

static void few_of_which_it_is_known(void **state)
{
	(void)state;
	for (int is_number = 0; is_number < 2; is_number++) {
		assert_int_equal(told_of_known(5, 100, is_number), 1);
		assert_int_equal(told_of_known(4, 100, is_number), 0);
		assert_int_equal(told_of_known(40, 5, is_number), 1);
		assert_int_equal(told_of_known(40, 4, is_number), 0);
	}
}

/* Three quarters of 40 n slow requests are of a tenant; of the others so many,
 * and of the fast ones so many, of a shard that half of all slow ones are of as
 * well. */
static uint32_t told_beside(int n, int slow, int fast, int all_fast)
{
	struct asked a;
	uint32_t count;

	begin(&a);
	for (int i = 0; i < 40 * n + all_fast; i++) {
		struct history_span *s =
			request(&a, SLOW, i, i < 40 * n ? 200 : 20);
		bool is_of_shard = i < 20 * n ||
				   (i >= 30 * n && i < 30 * n + slow) ||
				   (i >= 40 * n && i < 40 * n + fast);

		attr(&a, s, TENANT, i < 30 * n ? "acme" : "other");
		attr(&a, s, SHARD, is_of_shard ? "s1" : "s2");
	}
	find(&a);
	count = a.out.count;
	end(&a);
	return count;
}

/* A second reason tells apart those that the first does not. */
static void what_is_left(void **state)
{
	(void)state;
	assert_int_equal(told_beside(1, 5, 0, 200), 2);
	assert_int_equal(told_beside(1, 4, 0, 200), 1); /* few */
	assert_int_equal(told_beside(1, 5, 7, 40), 1);  /* by chance */
	assert_int_equal(told_beside(8, 40, 0, 800), 2);
	assert_int_equal(told_beside(8, 40, 240, 800), 1); /* by little */
}

/* So many of six slow requests bear a value, and no fast one. */
static void few_that_bear_it(void **state)
{
	(void)state;
	for (int count = 4; count <= 5; count++) {
		struct asked a;

		begin(&a);
		for (int i = 0; i < 106; i++) {
			struct history_span *s =
				request(&a, SLOW, i, i < 6 ? 200 : 20);

			if (i < count)
				attr(&a, s, TENANT, "acme");
		}
		find(&a);
		assert_int_equal(a.out.count, count == 5);
		end(&a);
	}
}

/* As long as ever: on that node, which is no matter of the request, and for a
 * tenant that is not this one. */
static void as_ever_and_not_usual(void **state)
{
	static const struct {
		uint32_t key;
		const char *value;
		int own;
	} rows[] = { { NODE, "n1", 1 }, { TENANT, "big", 0 } };

	(void)state;
	for (size_t row = 0; row < COUNT_OF(rows); row++) {
		struct asked a;

		begin(&a);
		for (int i = 0; i < 200; i++)
			for (uint32_t w = SLOW; w <= BEFORE; w += BEFORE - SLOW)
				attr(&a, request(&a, w, i, i < 40 ? 200 : 20),
				     rows[row].key,
				     i < 40 ? rows[row].value : "other");
		find(&a);
		assert_int_equal(a.out.count, 1);
		assert_int_equal(a.out.items[0].own, rows[row].own);
		assert_int_equal(a.out.items[0].since, CONTRAST_AS_EVER);
		assert_false(a.out.items[0].is_usual);
		end(&a);
	}
}

/* Offsets grow with time, and what is slow is so lately. */
static void what_counts_requests(void **state)
{
	struct asked a;

	(void)state;
	begin(&a);
	for (int i = 0; i < 200; i++)
		number(&a, request(&a, SLOW, i, i < 120 ? 20 : 200), ID,
		       7000 + i);
	find(&a);
	assert_int_equal(a.out.count, 0);
	end(&a);
}

/* 60 % against 45 %: it is so, and of no use. */
static void small_differences(void **state)
{
	struct asked a;

	(void)state;
	begin(&a);
	for (int i = 0; i < 2000; i++)
		attr(&a, request(&a, SLOW, i % 1000, i % 2 ? 20 : 200), TENANT,
		     i / 2 % 20 < (i % 2 ? 9 : 12) ? "acme" : "other");
	find(&a);
	assert_int_equal(a.out.count, 0);
	assert_int_equal(a.out.tested, 2);
	end(&a);
}

/* Attributes that have nothing to do with it, a hundred times. */
static void chance(void **state)
{
	static const unsigned sides[] = { 0, 5, 2, 0, 3, 12, 6, 3 };
	unsigned told = 0;
	struct asked a;
	char name[16];

	(void)state;
	for (uint32_t seed = 1; seed <= 100; seed++) {
		begin(&a);
		a.dice = seed * 7919;
		for (int i = 0; i < 250; i++) {
			struct history_span *s =
				request(&a, SLOW, i, draw(&a, 8) ? 20 : 200);

			for (uint32_t k = 0; k < COUNT_OF(sides); k++) {
				snprintf(name, sizeof name, "%s%u",
					 k == SIZE ? "" : "v",
					 draw(&a, sides[k] ? sides[k] : 60000));
				attr(&a, s, k == TENANT ? SIZE : k, name);
			}
			s->instance = past_symbol(&a.p, name);
		}
		find(&a);
		told += a.out.count > 0;
		assert_true(a.out.tested > 10);
		end(&a);
	}
	assert_in_range(told, 0, 1);
}

static void no_requests(void **state)
{
	struct asked a;

	(void)state;
	begin(&a);
	find(&a);
	assert_int_equal(a.out.count, 0);
	a.roles.slow = a.roles.slow_only = WINDOW_NONE;
	find(&a);
	assert_int_equal(a.out.count, 0);
	end(&a);
}

/* ---- what is usual ---- */

/* Big ones a side, one of so many; how long they take then. */
static const struct contrast *big(struct asked *a, int one_of, double ms,
				  int before_one_of, double before_ms)
{
	begin(a);
	for (int i = 0; i < 240; i++) {
		bool is_big = i % one_of == 0;
		bool was_big = i % before_one_of == 0;

		number(a, request(a, SLOW, i, is_big ? ms : 30), SIZE,
		       is_big ? 900000 + draw(a, 200000) : draw(a, 9000));
		number(a, request(a, BEFORE, i, was_big ? before_ms : 30), SIZE,
		       was_big ? 900000 + draw(a, 200000) : draw(a, 9000));
	}
	return only(a);
}

static void big_ones_as_ever(void **state)
{
	const struct contrast *c;
	struct asked a;

	(void)state;
	c = big(&a, 10, 200, 12, 195);
	assert_true(c->is_usual);
	assert_int_equal(c->since, CONTRAST_AS_EVER);
	assert_int_equal(c->like_count, 24);
	assert_int_equal(c->like_before_count, 20);
	assert_int_equal(c->like_p50_ns, fixture_ms(200));
	assert_int_equal(c->like_before_p50_ns, fixture_ms(195));
	end(&a);
}

static void slower_than_big_ones_were(void **state)
{
	struct asked a;

	(void)state;
	assert_false(big(&a, 10, 200, 12, 120)->is_usual);
	assert_int_equal(a.out.items[0].since, CONTRAST_SLOWER);
	end(&a);
}

/* What is slow for all is no matter of size. */
static void others_are_slower_as_well(void **state)
{
	struct asked a;

	(void)state;
	big(&a, 10, 200, 12, 195);
	for (int i = 0; i < 240; i++)
		number(&a, request(&a, SLOW, i, 80), SIZE, 5000);
	assert_false(only(&a)->is_usual);
	assert_int_equal(a.out.items[0].since, CONTRAST_AS_EVER);
	end(&a);
}

static void more_than_there_were(void **state)
{
	struct asked a;

	(void)state;
	assert_false(big(&a, 3, 200, 24, 200)->is_usual);
	assert_int_equal(a.out.items[0].since, CONTRAST_MORE_OFTEN);
	end(&a);
}

/* What began before the baseline is no custom. */
static void not_so_days_ago(void **state)
{
	struct asked a;

	(void)state;
	big(&a, 10, 200, 12, 195);
	for (int i = 0; i < 6; i++)
		number(&a, request(&a, DAY, i, 110), SIZE, 1000000);
	assert_false(only(&a)->is_usual);
	assert_int_equal(a.out.items[0].since, CONTRAST_SLOWER);
	end(&a);
}

static void slower_than_all_of_them(void **state)
{
	struct asked a;

	(void)state;
	big(&a, 10, 200, 12, 195);
	a.took_ms = 900;
	assert_false(only(&a)->is_usual);
	end(&a);
}

/* Since when one tenant's are slow is asked for whoever's the request in
 * question is. */
static void a_tenant_that_was_quick(void **state)
{
	const struct contrast *c;
	struct asked a;

	(void)state;
	begin(&a);
	for (int i = 0; i < 240; i++) {
		const char *tenant = i % 10 ? "acme" : "umbra";

		attr(&a, request(&a, SLOW, i, i % 10 ? 22 : 134), TENANT,
		     tenant);
		attr(&a, request(&a, BEFORE, i, 22), TENANT, tenant);
	}
	c = only(&a);
	assert_value(&a, c, TENANT, "umbra");
	assert_int_equal(c->own, 0);
	assert_int_equal(c->since, CONTRAST_SLOWER);
	assert_false(c->is_usual);
	assert_int_equal(c->like_before_p50_ns, fixture_ms(22));
	end(&a);
}

static void a_tenant_that_is_new(void **state)
{
	struct asked a;

	(void)state;
	begin(&a);
	for (int i = 0; i < 240; i++) {
		attr(&a, request(&a, SLOW, i, i % 10 ? 22 : 134), TENANT,
		     i % 10 ? "acme" : "umbra");
		attr(&a, request(&a, BEFORE, i, 22), TENANT, "acme");
	}
	assert_int_equal(only(&a)->since, CONTRAST_NEW);
	end(&a);
}

/* A machine that was as much slower than the others is no news, however busy
 * the hour; one that was as quick is. */
static enum contrast_since since_of_instance(double here_before,
					     double else_before)
{
	enum contrast_since since;
	struct asked a;

	begin(&a);
	for (int i = 0; i < 240; i++) {
		uint32_t pod = past_symbol(&a.p, i % 4 ? "pod-1" : "pod-2");

		request(&a, SLOW, i, i % 4 ? 40 : 160)->instance = pod;
		request(&a, BEFORE, i, i % 4 ? else_before : here_before)
			->instance = pod;
	}
	since = only(&a)->since;
	assert_int_equal(a.out.items[0].of, CONTRAST_OF_INSTANCE);
	end(&a);
	return since;
}

static void since_when_an_instance(void **state)
{
	(void)state;
	assert_int_equal(since_of_instance(40, 40), CONTRAST_SLOWER);
	assert_int_equal(since_of_instance(80, 20), CONTRAST_AS_EVER);
}

/* ---- keys ---- */

static void keys_of_a_trace(void **state)
{
	static const char spans[] =
		"1 0 web S \"GET /\" 0 200 tenant=acme url.path=/x "
		"took_ms=3 @zone=a @service.version=1 @process.pid=7\n"
		"2 1 shop S \"GET /cart\" 10 190 cache.hit=false tenant=b\n"
		"3 2 shop I other 20 30 unseen=1\n";
	struct operations operations = { .count = 2 };
	struct history_key found[HISTORY_KEYS];
	struct trace t;
	uint32_t count;

	(void)state;
	fixture_trace(&t, spans);
	operations.items[0] = (struct operation){ STR("web"), STR("GET /"),
						  SPAN_KIND_SERVER };
	operations.items[1] = (struct operation){ STR("shop"), STR("GET /cart"),
						  SPAN_KIND_SERVER };
	count = contrast_keys_collect(&t, &operations, found);
	assert_int_equal(count, 3);
	assert_true(str_equal(found[0].name, STR("zone")));
	assert_true(found[0].is_of_process);
	assert_true(str_equal(found[1].name, STR("tenant")));
	assert_false(found[1].is_of_process);
	assert_true(str_equal(found[2].name, STR("cache.hit")));
	trace_release(&t);
}

static void telling_keys(void **state)
{
	static const char *const telling[] = { "tenant.id", "cache.hit",
					       "http.request.body.size",
					       "k8s.node.name", "region" };
	static const char *const silent[] = { "",
					      "duration",
					      "queue.wait_ms",
					      "thread.id",
					      "url.full",
					      "service.version",
					      "pyroscope.profile.id",
					      "net.peer.port",
					      "db.statement" };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(telling); i++)
		assert_true(contrast_key_is_telling(str_from(telling[i])));
	for (size_t i = 0; i < COUNT_OF(silent); i++)
		assert_false(contrast_key_is_telling(str_from(silent[i])));
	assert_true(contrast_key_is_outcome(STR("http.response.status_code")));
	assert_false(contrast_key_is_outcome(STR("tenant.id")));
}

UNIT_TESTS(contrasts)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tenant),
		cmocka_unit_test(a_cache_beneath),
		cmocka_unit_test(which_call_took_longest),
		cmocka_unit_test(a_size),
		cmocka_unit_test(versions_and_instances),
		cmocka_unit_test(two_reasons),
		cmocka_unit_test(outcomes_come_last),
		cmocka_unit_test(against_those_before),
		cmocka_unit_test(slow_ones_that_were_asked_for),
		cmocka_unit_test(limits),
		cmocka_unit_test(few_of_which_it_is_known),
		cmocka_unit_test(what_is_left),
		cmocka_unit_test(few_that_bear_it),
		cmocka_unit_test(as_ever_and_not_usual),
		cmocka_unit_test(what_counts_requests),
		cmocka_unit_test(small_differences),
		cmocka_unit_test(chance),
		cmocka_unit_test(no_requests),
		cmocka_unit_test(big_ones_as_ever),
		cmocka_unit_test(a_tenant_that_was_quick),
		cmocka_unit_test(a_tenant_that_is_new),
		cmocka_unit_test(since_when_an_instance),
		cmocka_unit_test(slower_than_big_ones_were),
		cmocka_unit_test(others_are_slower_as_well),
		cmocka_unit_test(more_than_there_were),
		cmocka_unit_test(not_so_days_ago),
		cmocka_unit_test(slower_than_all_of_them),
		cmocka_unit_test(keys_of_a_trace),
		cmocka_unit_test(telling_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
