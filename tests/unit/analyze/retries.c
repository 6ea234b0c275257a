/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "../unit.h"
#include "trace_fixture.h"

#include "analyze/choice.h"

struct search {
	struct trace t;
	struct arena arena;
	struct trace_times times;
	struct calls calls;
	struct siblings siblings;
	struct retries found;
};

static void begin(struct search *s, const char *text)
{
	struct error err = { 0 };

	fixture_trace(&s->t, text);
	arena_init(&s->arena, GIB);
	assert_true(trace_times_compute(&s->t, &s->arena, &s->times, &err));
	assert_true(calls_build(&s->t, &s->arena, &s->calls, &err));
	assert_true(siblings_find(&s->calls, &s->times, &s->arena, &s->siblings,
				  &err));
	assert_true(retries_find(&s->calls, &s->times, &s->siblings, &s->arena,
				 &s->found, &err));
}

static void end(struct search *s)
{
	arena_release(&s->arena);
	trace_release(&s->t);
}

static void expect_none(const char *text)
{
	struct search s;

	begin(&s, text);
	assert_int_equal(s.found.count, 0);
	end(&s);
}

#define PAY "url.full=http://pay/charge"

/* Two attempts of 100 ms time out, pauses of 50 ms, the third succeeds. The
 * callee of the first went on for 400 ms. */
static void timeouts(void **state)
{
	struct search s;
	const struct retry *r;

	(void)state;
	begin(&s, "1 0 a S root 0 600 @host.name=a\n"
		  "2 1 a C POST 10 110 error=deadline @host.name=a " PAY "\n"
		  "3 2 b S charge 15 415 @host.name=b\n"
		  "4 1 a C POST 160 260 error=deadline @host.name=a " PAY "\n"
		  "5 4 b S charge 165 350 error=broken @host.name=b\n"
		  "6 1 a C POST 310 370 @host.name=a " PAY "\n"
		  "7 6 b S charge 311 369 @host.name=b\n"
		  "8 1 a C POST 400 420 @host.name=a " PAY "\n");
	assert_int_equal(s.found.count, 1);
	r = s.found.items;
	assert_int_equal(r->parent, fixture_span(&s.t, 1));
	assert_int_equal(r->call, fixture_span(&s.t, 2));
	assert_int_equal(r->count, 3);
	assert_int_equal(r->error_count, 2);
	assert_true(r->has_succeeded);
	assert_int_equal(r->error, fixture_span(&s.t, 5));
	assert_int_equal(r->lost_ns, fixture_ms(300));
	assert_int_equal(r->pause_ns, fixture_ms(100));
	assert_int_equal(r->through_ns, fixture_ms(260));
	assert_int_equal(r->server, fixture_span(&s.t, 3));
	assert_int_equal(r->server_ns, fixture_ms(400));
	assert_int_equal(r->start_ns, FIXTURE_BASE_NS + fixture_ms(10));
	assert_int_equal(r->end_ns, FIXTURE_BASE_NS + fixture_ms(370));
	assert_int_equal(s.found.members[r->member_first + 2],
			 fixture_span(&s.t, 6));
	assert_true(s.found.is_member[fixture_span(&s.t, 4)]);
	assert_false(s.found.is_member[fixture_span(&s.t, 8)]);
	end(&s);
}

/* Nothing is known of the callee, or it was not what took the time. */
static void no_slow_server(void **state)
{
	struct search s;

	(void)state;
	begin(&s, "1 0 a S root 0 600\n"
		  "2 1 a C POST 0 100 error " PAY "\n"
		  "3 2 b S charge 10 59\n"
		  "4 1 a C POST 100 200 error " PAY "\n");
	assert_int_equal(s.found.count, 1);
	assert_int_equal(s.found.items->server, SPAN_NONE);
	assert_false(s.found.items->has_succeeded);
	assert_int_equal(s.found.items->lost_ns, fixture_ms(200));
	end(&s);
	begin(&s, "1 0 a S root 0 600\n"
		  "2 1 a C POST 0 100 error " PAY "\n"
		  "3 2 b S charge 10 60\n"
		  "4 1 a C POST 100 200 error " PAY "\n");
	assert_int_equal(s.found.items->server, fixture_span(&s.t, 3));
	end(&s);
}

static void what_is_one(void **state)
{
	struct search s;

	(void)state;
	/* another host is asked, by a wrapper, or the client counts itself */
	begin(&s, "1 0 a S root 0 600\n"
		  "2 1 a C POST 0 10 error url.full=http://pay-1/charge\n"
		  "3 1 a C POST 20 30 url.full=http://pay-2/charge\n");
	assert_int_equal(s.found.count, 1);
	end(&s);
	begin(&s, "1 0 a S root 0 600\n"
		  "2 1 a I attempt 0 10\n"
		  "3 2 a C POST 1 9 error " PAY "\n"
		  "4 1 a I attempt 20 30\n"
		  "5 4 a C POST 21 29 " PAY "\n");
	assert_int_equal(s.found.count, 1);
	assert_int_equal(s.found.items->call, fixture_span(&s.t, 3));
	assert_true(s.found.is_member[fixture_span(&s.t, 5)]);
	end(&s);
	begin(&s, "1 0 a S root 0 600\n"
		  "2 1 a C POST 0 10 " PAY "\n"
		  "3 1 a C POST 20 30 http.request.resend_count=1 " PAY "\n");
	assert_int_equal(s.found.count, 1);
	assert_int_equal(s.found.items->error_count, 0);
	assert_int_equal(s.found.items->error, SPAN_NONE);
	end(&s);
}

/* Three calls time out after 500 ms each while the callee works on for 1.4 s:
 * its operation is to blame, with its own times. */
static void callee_is_guilty(void **state)
{
	struct guilty_want want = { 0 };
	struct result result = { 0 };
	struct guilty_pick pick;
	struct error err = { 0 };
	struct search s;

	(void)state;
	begin(&s, "1 0 a S root 0 1700 @host.name=a\n"
		  "2 1 a C POST 20 520 error @host.name=a " PAY "\n"
		  "3 2 b S charge 23 1420 @host.name=b\n"
		  "4 1 a C POST 570 1070 error @host.name=a " PAY "\n"
		  "5 4 b S charge 573 1970 @host.name=b\n"
		  "6 1 a C POST 1120 1620 error @host.name=a " PAY "\n"
		  "7 6 b S charge 1123 2520 @host.name=b\n");
	arena_init(&result.arena, GIB);
	assert_true(
		guilty_find(&s.t, &s.times, &want, NULL, &result, &pick, &err));
	assert_int_equal(result.span.span, fixture_span(&s.t, 3));
	assert_int_equal(result.span.count, 3);
	assert_int_equal(pick.owner, fixture_span(&s.t, 3));
	assert_int_equal(pick.start_ns, FIXTURE_BASE_NS + fixture_ms(23));
	assert_int_equal(pick.end_ns, FIXTURE_BASE_NS + fixture_ms(2520));
	arena_release(&result.arena);
	assert_int_equal(s.found.items->server_ns, fixture_ms(1397));
	end(&s);
}

/* What is chosen in a trace, on what ground, and the attempts it is part of,
 * 0: of none. */
static void expect_blame(const char *text, uint64_t span_id,
			 enum cause_kind kind, enum choice_ground ground,
			 uint32_t attempts, uint32_t failed)
{
	struct guilty_want want = { 0 };
	struct result result = { 0 };
	struct guilty_pick pick;
	struct error err = { 0 };
	struct search s;
	struct choice c;

	begin(&s, text);
	arena_init(&result.arena, GIB);
	assert_true(
		choice_make(&c, &s.t, &s.times, &want, NULL, &result, &err));
	assert_true(choice_conclude(&c, &result, &pick, &err));
	assert_int_equal(result.span.span, fixture_span(&s.t, span_id));
	assert_int_equal(result.cause.kind, kind);
	assert_int_equal(choice_ground(&c), ground);
	assert_int_equal(c.retry ? c.retry->count : 0, attempts);
	assert_int_equal(c.retry ? c.retry->error_count : 0, failed);
	choice_release(&c);
	arena_release(&result.arena);
	end(&s);
}

/* Refused at once, tried again after 100, 200 and 400 ms: the caller waits,
 * its own code does nothing. */
static void backing_off(void **state)
{
	(void)state;
	expect_blame("1 0 a S root 0 800\n"
		     "2 1 a C POST 10 20 error=refused " PAY "\n"
		     "3 1 a C POST 120 130 error=refused " PAY "\n"
		     "4 1 a C POST 330 340 error=refused " PAY "\n"
		     "5 1 a C POST 740 750 " PAY "\n",
		     1, CAUSE_WAIT, CHOICE_PAUSES, 4, 3);
	/* 300 ms of pauses in 600 ms of its own, then 299.9 */
	expect_blame("1 0 a S root 0 620\n"
		     "2 1 a C POST 10 20 error=refused " PAY "\n"
		     "3 1 a C POST 320 330 " PAY "\n",
		     1, CAUSE_WAIT, CHOICE_PAUSES, 2, 1);
	expect_blame("1 0 a S root 0 620\n"
		     "2 1 a C POST 10 20 error=refused " PAY "\n"
		     "3 1 a C POST 319.9 329.9 " PAY "\n",
		     1, CAUSE_UNKNOWN, CHOICE_OWN, 0, 0);
}

/* The attempts took the time: the callee's, with or without spans. */
static void attempts_took_it(void **state)
{
	(void)state;
	expect_blame("1 0 a S root 0 500\n"
		     "2 1 a C POST 10 210 error=deadline " PAY "\n"
		     "3 1 a C POST 220 420 error=deadline " PAY "\n",
		     2, CAUSE_DOWNSTREAM, CHOICE_CALL, 2, 2);
	expect_blame("1 0 a S root 0 500\n"
		     "2 1 a C POST 10 210 error=deadline " PAY "\n"
		     "3 2 b S charge 10 210 error=broken\n"
		     "4 1 a C POST 220 420 " PAY "\n"
		     "5 4 b S charge 220 420\n",
		     3, CAUSE_UNKNOWN, CHOICE_OWN, 2, 1);
}

/* Attempts of 150 ms and pauses of 100 are one problem of 250 ms, more than
 * 200 ms of rendering. With shorter pauses they are less. */
static void attempts_and_pauses(void **state)
{
	(void)state;
	expect_blame("1 0 a S root 0 450\n"
		     "2 1 a C POST 0 50 error=deadline " PAY "\n"
		     "3 1 a C POST 100 150 error=deadline " PAY "\n"
		     "4 1 a C POST 200 250 error=deadline " PAY "\n"
		     "5 1 a I render 250 450\n",
		     2, CAUSE_DOWNSTREAM, CHOICE_CALL, 3, 3);
	expect_blame("1 0 a S root 0 400\n"
		     "2 1 a C POST 0 50 error=deadline " PAY "\n"
		     "3 1 a C POST 75 125 error=deadline " PAY "\n"
		     "4 1 a C POST 150 200 error=deadline " PAY "\n"
		     "5 1 a I render 200 400\n",
		     5, CAUSE_UNKNOWN, CHOICE_OWN, 0, 0);
	/* Who pauses for longer than the attempts take is named, else what took
	 * most of them. */
	expect_blame("1 0 a S root 0 470\n"
		     "2 1 a C POST 0 40 error=deadline " PAY "\n"
		     "3 1 a C POST 115 155 error=deadline " PAY "\n"
		     "4 1 a C POST 230 270 error=deadline " PAY "\n"
		     "5 1 a I render 270 470\n",
		     1, CAUSE_WAIT, CHOICE_PAUSES, 3, 3);
	expect_blame("1 0 a S root 0 450\n"
		     "2 1 a C POST 0 50 error=deadline " PAY "\n"
		     "3 2 b S charge 5 45\n"
		     "4 1 a C POST 100 150 error=deadline " PAY "\n"
		     "5 4 b S charge 105 145\n"
		     "6 1 a C POST 200 250 error=deadline " PAY "\n"
		     "7 6 b S charge 205 245\n"
		     "8 1 a I render 250 450\n",
		     3, CAUSE_UNKNOWN, CHOICE_OWN, 3, 3);
}

/* Codes that stand for a failure, without an error status. */
static void codes(void **state)
{
	static const struct {
		const char *attr;
		bool is_failure;
	} cases[] = {
		{ "http.response.status_code=503", true },
		{ "http.status_code=429", true },
		{ "http.status_code=404", false },
		{ "http.status_code=200", false },
		{ "rpc.grpc.status_code=14", true },
		{ "rpc.grpc.status_code=0", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct search s;
		char text[300];

		snprintf(text, sizeof text,
			 "1 0 a S root 0 600\n"
			 "2 1 a C POST 0 100 %s " PAY "\n"
			 "3 1 a C POST 150 200 " PAY "\n",
			 cases[i].attr);
		begin(&s, text);
		assert_int_equal(s.found.count, cases[i].is_failure);
		end(&s);
	}
}

static void what_is_none(void **state)
{
	(void)state;
	/* all went well */
	expect_none("1 0 a S root 0 600\n"
		    "2 1 a C POST 0 10 " PAY "\n"
		    "3 1 a C POST 20 30 " PAY "\n");
	/* the failed one is the last */
	expect_none("1 0 a S root 0 600\n"
		    "2 1 a C POST 0 10 " PAY "\n"
		    "3 1 a C POST 20 30 error " PAY "\n");
	/* side by side */
	expect_none("1 0 a S root 0 600\n"
		    "2 1 a C POST 0 10 error " PAY "\n"
		    "3 1 a C POST 9 30 " PAY "\n");
	/* other requests of the same form */
	expect_none("1 0 a S root 0 600\n"
		    "2 1 a C GET 0 10 error url.full=http://h/item/1\n"
		    "3 1 a C GET 20 30 url.full=http://h/item/2\n");
	expect_none("1 0 a S root 0 600\n"
		    "2 1 a C q 0 10 error db.statement=\"SELECT 1\"\n"
		    "3 1 a C q 20 30 db.statement=\"SELECT 2\"\n");
	/* no calls */
	expect_none("1 0 a S root 0 600\n"
		    "2 1 a I step 0 10 error\n"
		    "3 1 a I step 20 30\n");
}

/* More time lost comes first. */
static void most_lost_first(void **state)
{
	struct search s;

	(void)state;
	begin(&s, "1 0 a S root 0 600\n"
		  "2 1 a C a 0 10 error rpc.system=grpc\n"
		  "3 1 a C a 20 30 rpc.system=grpc\n"
		  "4 1 a C b 40 140 error rpc.system=grpc\n"
		  "5 1 a C b 150 160 rpc.system=grpc\n");
	assert_int_equal(s.found.count, 2);
	assert_int_equal(s.found.items[0].call, fixture_span(&s.t, 4));
	assert_int_equal(s.found.items[0].lost_ns, fixture_ms(110));
	assert_int_equal(s.found.items[1].lost_ns, fixture_ms(20));
	end(&s);
}

UNIT_TESTS(retries)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(timeouts),
		cmocka_unit_test(no_slow_server),
		cmocka_unit_test(what_is_one),
		cmocka_unit_test(callee_is_guilty),
		cmocka_unit_test(backing_off),
		cmocka_unit_test(attempts_took_it),
		cmocka_unit_test(attempts_and_pauses),
		cmocka_unit_test(codes),
		cmocka_unit_test(what_is_none),
		cmocka_unit_test(most_lost_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
