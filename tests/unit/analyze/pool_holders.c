/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "../unit.h"
#include "history_fixture.h"
#include "profile_making.h"

#include "analyze/contention.h"
#include "base/num.h"

/* ---- who waits ---- */

static double share(const char *text, const char *function)
{
	struct profile p;
	double found;

	profile_init(&p);
	make_profile(&p, "delay", "nanoseconds", 0, text);
	found = pool_wait_share(&p, str_from(function));
	profile_release(&p);
	return found;
}

/* Of what the function waits for, not of all that waits. */
static void waits_of_a_function(void **state)
{
	static const char text[] =
		"main;shop.Track;database/sql.(*DB).conn;runtime.selectgo 60\n"
		"main;shop.Track;sync.(*Mutex).Lock 40\n"
		"main;shop.Pay;sync.(*Mutex).Lock 900\n";

	(void)state;
	assert_float_equal(share(text, "shop.Track"), 0.6, 0.001);
	assert_float_equal(share(text, "shop.Pay"), 0, 0.001);
	assert_float_equal(share(text, "shop.None"), 0, 0.001);
}

/* As profilers of Java write it, with slashes or dots. */
static void pools_by_name(void **state)
{
	static const char *const takers[] = {
		"database/sql.(*DB).conn",
		"github.com/jackc/pgx/v5/pgxpool.(*Pool).Acquire",
		"com/zaxxer/hikari/pool/HikariPool.getConnection",
		"com.zaxxer.hikari.pool.HikariPool.getConnection",
		"org/apache/commons/pool2/impl/GenericObjectPool.borrowObject",
		"org.apache.tomcat.jdbc.pool.ConnectionPool.getConnection",
		"sqlalchemy.pool.impl.QueuePool._do_get",
		"psycopg_pool.pool.ConnectionPool.getconn",
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(takers); i++) {
		char text[256];

		assert_true(snprintf(text, sizeof text, "main;f;%s;wait 1\n",
				     takers[i]) < (int)sizeof text);
		assert_float_equal(share(text, "f"), 1, 0.001);
	}
	assert_float_equal(share("main;f;shop.(*DB).conn 1\n", "f"), 0, 0.001);
}

/* ---- who holds ---- */

enum { TRACK, REPORT, SELECT, CALL };

#define SLOW 0
#define BASE 1

static void begin(struct past *p)
{
	past_init(p);
	past_operation(p, "shop", "GET /track", SPAN_KIND_SERVER);
	past_operation(p, "shop", "GET /report", SPAN_KIND_SERVER);
	past_operation(p, "shop", "SELECT", SPAN_KIND_CLIENT);
	past_operation(p, "shop", "POST /pay", SPAN_KIND_CLIENT);
	past_window(p, 0, 100000);
	past_window(p, 0, 100000);
	p->h.keys = pool_keys;
	p->h.key_count = POOL_KEYS;
}

/* A call within the last request; to a database, by one of the attributes. */
static void calls(struct past *p, uint32_t window, uint32_t operation,
		  double at_ms, double ms, uint32_t key)
{
	struct history_span *s = past_add(p, window, operation, at_ms, ms);
	struct error why = { 0 };

	if (key < POOL_KEYS)
		assert_true(history_add_attr(&p->h, s, key, STR("mysql"), &why));
}

/* Ten requests of a kind, each a trace, whose queries take so long. */
static void requests(struct past *p, uint32_t window, uint32_t operation,
		     double query_ms)
{
	for (unsigned i = 0; i < 10; i++) {
		double at = i * 5000;

		past_span(p, window, operation, at, query_ms + 900);
		calls(p, window, CALL, at + 1, 800, POOL_KEYS);
		calls(p, window, SELECT, at + 810, query_ms, i % POOL_KEYS);
	}
}

static struct pool_holder find(struct past *p)
{
	struct pool_holder found;
	struct error why = { 0 };

	assert_true(pool_holder_find(&p->h, SLOW, BASE, &found, &why));
	return found;
}

/* Calls that are none to a database hold nothing. */
static void who_holds_most(void **state)
{
	struct pool_holder found;
	struct past p;

	(void)state;
	begin(&p);
	requests(&p, SLOW, TRACK, 10);
	requests(&p, SLOW, REPORT, 990);
	requests(&p, BASE, REPORT, 40);
	found = find(&p);
	assert_true(found.is_found);
	assert_true(str_equal(found.request, STR("GET /report")));
	assert_true(str_equal(found.call, STR("SELECT")));
	assert_float_equal(found.share, 0.99, 0.001);
	assert_int_equal(found.held_ns, fixture_ms(990));
	assert_int_equal(found.typical_ns, fixture_ms(40));
	past_release(&p);
}

static void what_was_usual_may_not_be_known(void **state)
{
	struct past p;

	(void)state;
	begin(&p);
	requests(&p, SLOW, REPORT, 990);
	assert_true(find(&p).is_found);
	assert_int_equal(find(&p).typical_ns, -1);
	past_release(&p);
}

/* Half of it is most of it. */
static void who_holds_less_than_half(void **state)
{
	struct past p;

	(void)state;
	begin(&p);
	requests(&p, SLOW, TRACK, 500);
	requests(&p, SLOW, REPORT, 500);
	assert_true(find(&p).is_found);
	past_span(&p, SLOW, CALL, 60000, 1000);
	/* A third kind, of too few requests to be told. */
	p.operations[CALL].kind = SPAN_KIND_SERVER;
	calls(&p, SLOW, SELECT, 60001, 900, 0);
	assert_false(find(&p).is_found);
	past_release(&p);
}

/* A query that no request surrounds is a task's. */
static void calls_outside_of_requests(void **state)
{
	struct past p;

	(void)state;
	begin(&p);
	for (int i = 0; i < 10; i++) {
		past_span(&p, SLOW, TRACK, i * 5000, 10);
		calls(&p, SLOW, SELECT, i * 5000 + 10, 500, 0);
	}
	assert_false(find(&p).is_found);
	past_release(&p);
}

UNIT_TESTS(pool_holders)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_of_a_function),
		cmocka_unit_test(pools_by_name),
		cmocka_unit_test(who_holds_most),
		cmocka_unit_test(what_was_usual_may_not_be_known),
		cmocka_unit_test(who_holds_less_than_half),
		cmocka_unit_test(calls_outside_of_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
