/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "times_fixture.h"

#include "analyze/findings.h"
#include "analyze/trace_analysis.h"

/* Requests, 0 for no session, and the span of the tree that is analysed. */
static void expect(const char *text, uint32_t requests, uint64_t top)
{
	struct fixture_times a;

	fixture_times_begin(&a, text);
	assert_int_equal(a.times.session.request_count, requests);
	assert_int_equal(a.t.spans[a.times.root].span_id, top);
	fixture_times_end(&a);
}

/* The root ended at once; those that came after it name it as their parent. */
static const char browser[] = "1 0 web S GET 0 2\n"
			      "2 1 web S page 3000 3100\n"
			      "3 2 web I render 3010 3090\n"
			      "4 1 web S cart 5000 5400\n"
			      "5 1 web S pay 9000 9300\n";

static void root_that_ended_early(void **state)
{
	struct fixture_times a;

	(void)state;
	expect(browser, 4, 4);
	fixture_times_begin(&a, browser);
	assert_int_equal(a.times.session.length_ns, fixture_ms(9300));
	assert_int_equal(a.times.session.pause_ns,
			 fixture_ms(2998 + 1900 + 3600));
	assert_int_equal(a.times.path_ns, fixture_ms(400));
	fixture_times_end(&a);
}

/* A root around all of it: its own time is the pauses. */
static void root_around_it(void **state)
{
	(void)state;
	expect("1 0 cli I install 0 10000\n"
	       "2 1 cli C GET 0 100\n"
	       "3 1 cli C GET 2000 2100\n"
	       "4 1 cli C POST 5000 5700\n"
	       "5 1 cli C GET 8000 8100\n",
	       4, 4);
}

/* A root that was lost: as many as are there. */
static void missing_root(void **state)
{
	(void)state;
	expect("2 9 web S page 3000 3100\n"
	       "4 9 web S cart 5000 5400\n"
	       "5 9 web S pay 9000 9300\n"
	       "6 9 web S bye 11000 11100\n",
	       4, 4);
}

/* Two pauses; three of less than a second; three in a minute of work. */
static void too_few_pauses(void **state)
{
	(void)state;
	expect("1 0 web S GET 0 100\n"
	       "2 1 web S page 3000 3100\n"
	       "4 1 web S cart 5000 5400\n",
	       0, 1);
	expect("1 0 web S GET 0 100\n"
	       "2 1 web S page 1099.9 1100\n"
	       "4 1 web S cart 2100 2101\n"
	       "5 1 web S pay 3101 3102\n",
	       0, 1);
	expect("1 0 web S GET 0 100\n"
	       "2 1 web S page 1100 1101\n"
	       "4 1 web S cart 2101 2102\n"
	       "5 1 web S pay 3102 3103\n",
	       4, 1);
	expect("1 0 web S GET 0 20000\n"
	       "2 1 web S page 21000 41000\n"
	       "4 1 web S cart 42000 62000\n"
	       "5 1 web S pay 63000 83000\n",
	       0, 1);
}

/* Who waits in a server waits for all of it, and attempts have pauses. */
static void waits_of_one_request(void **state)
{
	(void)state;
	expect("1 0 web S GET 0 10000\n"
	       "2 1 web C poll 0 100\n"
	       "3 1 web C poll 2000 2100\n"
	       "4 1 web C poll 5000 5700\n"
	       "5 1 web C poll 8000 8100\n",
	       0, 1);
	expect("1 0 cli I install 0 10000\n"
	       "2 1 cli C GET 0 100 error\n"
	       "3 1 cli C GET 2000 2100 error\n"
	       "4 1 cli C GET 5000 5700 error\n"
	       "5 1 cli C GET 8000 8100\n",
	       0, 1);
}

/* Messages that come late are the story of the request that sent them. */
static void messages_are_no_session(void **state)
{
	(void)state;
	expect("1 0 web S GET 0 100\n"
	       "2 1 web P send 90 92\n"
	       "3 2 idx K process 2000 2100\n"
	       "4 2 idx K process 4000 4100\n"
	       "5 2 idx K process 6000 6100\n"
	       "6 1 web I follow 8000 8100 follows\n",
	       0, 1);
}

/* What a poll takes and leaves is what the trace is about, ten times as long
 * and more; of a request it is what was not waited for. */
static void poller(void **state)
{
	(void)state;
	expect("1 0 idx K poll 0 10\n"
	       "2 1 idx K process 9 109\n",
	       0, 2);
	expect("1 0 idx K poll 0 10\n"
	       "2 1 idx K process 9 108.9\n",
	       0, 1);
	expect("1 0 idx S GET 0 10\n"
	       "2 1 idx K process 9 209\n",
	       0, 1);
}

static void ordinary(void **state)
{
	(void)state;
	expect("1 0 web S GET 0 500\n"
	       "2 1 web C call 10 490\n"
	       "3 2 cat S List 12 388\n",
	       0, 1);
}

UNIT_TESTS(session)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(root_that_ended_early),
		cmocka_unit_test(root_around_it),
		cmocka_unit_test(missing_root),
		cmocka_unit_test(too_few_pauses),
		cmocka_unit_test(waits_of_one_request),
		cmocka_unit_test(messages_are_no_session),
		cmocka_unit_test(poller),
		cmocka_unit_test(ordinary),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
