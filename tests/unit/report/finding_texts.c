/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "../analyze/trace_fixture.h"

#include "analyze/trace_analysis.h"
#include "report/texts.h"

/* Who is told of; what was found is up to each test. */
static const char spans[] =
	"1 0 a S root 0 900\n"
	"2 1 a C POST 0 200 error=deadline url.full=http://pay/c\n"
	"3 2 b S charge 5 195 @k8s.pod.name=b-7\n"
	"4 1 a C q 200 700 db.system=pg db.statement=\"SELECT a\"\n"
	"5 1 a I step 700 710 error\n"
	"6 1 a C call 710 730 error http.response.status_code=503\n"
	"7 1 a P send 730 740\n"
	"8 7 c K process 850 870\n"
	"9 0 c S second 10 60\n";

#define MS NS_PER_MS

/* Spans of the facts are ids; 0: not known. */
static void expect(const char *words, struct finding_facts facts)
{
	struct trace_finding finding = { .facts = facts };
	struct result result = { .findings = &finding, .finding_count = 1 };
	uint32_t *indices[] = { &finding.facts.span, &finding.facts.call,
				&finding.facts.other, &finding.facts.failed };
	struct error err = { 0 };
	struct arena arena;
	struct calls calls;
	struct trace t;

	fixture_trace(&t, spans);
	arena_init(&arena, GIB);
	arena_init(&result.arena, GIB);
	for (size_t i = 0; i < sizeof indices / sizeof *indices; i++)
		*indices[i] =
			*indices[i] ? fixture_span(&t, *indices[i]) : SPAN_NONE;
	assert_true(calls_build(&t, &arena, &calls, &err));
	assert_true(finding_texts_write(&calls, &result, &err));
	if (!str_equal(finding.text, str_from(words)))
		fail_msg("\"%.*s\" is not \"%s\"", STR_ARGS(finding.text),
			 words);
	arena_release(&result.arena);
	arena_release(&arena);
	trace_release(&t);
}

#define EXPECT(words, ...) expect(words, (struct finding_facts){ __VA_ARGS__ })

static void loops(void **state)
{
	(void)state;
	EXPECT("a root: 52 x \"SELECT a\", one after another, 478 ms",
	       .kind = FINDING_N_PLUS_ONE, .span = 1, .call = 4, .count = 52,
	       .time_ns = 478 * MS);
	EXPECT("a root: 9 x \"SELECT a\", partly in parallel, 90 ms",
	       .kind = FINDING_N_PLUS_ONE, .span = 1, .call = 4, .count = 9,
	       .time_ns = 90 * MS, .manner = REPEAT_SOME_AT_A_TIME);
	EXPECT("a root: 9 x \"SELECT a\", in parallel, 90 ms",
	       .kind = FINDING_N_PLUS_ONE, .span = 1, .call = 4, .count = 9,
	       .time_ns = 90 * MS, .manner = REPEAT_SIDE_BY_SIDE);
}

static void retries(void **state)
{
	(void)state;
	/* A fifth of it in pauses is not worth a word. */
	EXPECT("a root: 3 x \"call /c\" to pay after 2 failed (deadline), "
	       "500 ms lost; b charge took up to 495 ms",
	       .kind = FINDING_RETRY, .span = 1, .call = 2, .other = 3,
	       .failed = 2, .count = 3, .failed_count = 2, .time_ns = 500 * MS,
	       .other_ns = 495 * MS, .pause_ns = 100 * MS);
	EXPECT("a root: 2 x \"call /c\" to pay, all failed (failed), 450 ms "
	       "lost",
	       .kind = FINDING_RETRY, .span = 1, .call = 2, .failed = 5,
	       .count = 2, .failed_count = 2, .time_ns = 450 * MS,
	       .pause_ns = 50 * MS);
	EXPECT("a root: 2 x \"call /c\" to pay after 1 failed (failed), 10 ms "
	       "lost, 5 ms of it in pauses",
	       .kind = FINDING_RETRY, .span = 1, .call = 2, .failed = 5,
	       .count = 2, .failed_count = 1, .time_ns = 10 * MS,
	       .pause_ns = 5 * MS);
	EXPECT("a root: 2 x \"call /c\" to pay, retried, 10 ms lost",
	       .kind = FINDING_RETRY, .span = 1, .call = 2, .count = 2,
	       .time_ns = 10 * MS);
}

static void branches(void **state)
{
	(void)state;
	/* At the instance of the server side, or at the peer's address. */
	EXPECT("a root: the slowest of 3 x \"call /c\" in parallel took 120 "
	       "ms, the median 59 ms at b (b-7)",
	       .kind = FINDING_SLOW_SHARD, .span = 1, .call = 2, .count = 3,
	       .time_ns = 120 * MS, .other_ns = 59 * MS);
	EXPECT("a root: the slowest of 3 x \"SELECT a\" in parallel took 120 "
	       "ms, the median 59 ms at pg",
	       .kind = FINDING_SLOW_SHARD, .span = 1, .call = 4, .count = 3,
	       .time_ns = 120 * MS, .other_ns = 59 * MS);
	EXPECT("a root: 6 x \"SELECT a\" in parallel, 90 ms; the slowest, 85 "
	       "ms at pg, sets the duration",
	       .kind = FINDING_FAN_OUT, .span = 1, .call = 4, .count = 6,
	       .time_ns = 90 * MS, .other_ns = 85 * MS);
}

static void calls_in_a_row(void **state)
{
	(void)state;
	EXPECT("a root: the first of 4 x \"SELECT a\" took 50 ms, the others "
	       "10 ms: a new connection or a cold cache at pg",
	       .kind = FINDING_COLD_CALL, .span = 1, .call = 4, .count = 4,
	       .time_ns = 50 * MS, .other_ns = 10 * MS);
	EXPECT("a root: 3 long calls one after another, 3.1 s, the longest "
	       "\"call /c\"; in parallel they would save 2 s",
	       .kind = FINDING_CONSECUTIVE, .span = 1, .call = 2, .count = 3,
	       .time_ns = 3100 * MS, .other_ns = 2000 * MS);
	EXPECT("a: \"SELECT a\" took 500 ms at pg", .kind = FINDING_SLOW_QUERY,
	       .span = 4, .count = 1, .time_ns = 500 * MS);
	EXPECT("a: \"SELECT a\" took up to 500 ms at pg, slow 3 times",
	       .kind = FINDING_SLOW_QUERY, .span = 4, .count = 3,
	       .time_ns = 500 * MS);
}

static void time_between_spans(void **state)
{
	(void)state;
	EXPECT("a POST: 50 ms of 200 ms passed before the start of b charge: "
	       "the network, a connection pool or a queue",
	       .kind = FINDING_QUEUE_GAP, .span = 2, .other = 3, .count = 1,
	       .time_ns = 50 * MS);
	EXPECT("a POST: 50 ms of 200 ms passed after the end of b charge: the "
	       "network or a slow reader",
	       .kind = FINDING_QUEUE_GAP, .span = 2, .other = 3, .count = 1,
	       .time_ns = 50 * MS, .rim = CALL_RIM_BEHIND);
	EXPECT("a POST: up to 50 ms of 200 ms passed outside b charge: the "
	       "network, a connection pool or a queue, in 2 calls",
	       .kind = FINDING_QUEUE_GAP, .span = 2, .other = 3, .count = 2,
	       .time_ns = 50 * MS, .rim = CALL_RIM_BOTH);
	EXPECT("a root: 30 ms without a child span, from 20 ms after its "
	       "start: in its code or waiting",
	       .kind = FINDING_GAP, .span = 1, .time_ns = 30 * MS,
	       .other_ns = 20 * MS);
	EXPECT("a root: 30 ms without a child span, from its start: in its "
	       "code or waiting",
	       .kind = FINDING_GAP, .span = 1, .time_ns = 30 * MS);
	EXPECT("a send: 110 ms until c process started: a busy or lagging "
	       "consumer",
	       .kind = FINDING_MESSAGE_DELAY, .span = 7, .other = 8, .count = 1,
	       .time_ns = 110 * MS);
	EXPECT("a send: up to 110 ms until c process started: a busy or "
	       "lagging consumer, 4 messages",
	       .kind = FINDING_MESSAGE_DELAY, .span = 7, .other = 8, .count = 4,
	       .time_ns = 110 * MS);
}

/* By what the span says, else by a code, else that it failed. */
static void errors(void **state)
{
	(void)state;
	EXPECT("a POST: deadline; the request failed with it",
	       .kind = FINDING_ERROR, .span = 2, .count = 1, .is_fatal = true);
	EXPECT("a call: HTTP 503", .kind = FINDING_ERROR, .span = 6,
	       .count = 1);
	EXPECT("a step: failed (2 times)", .kind = FINDING_ERROR, .span = 5,
	       .count = 2);
}

static void whole_trace(void **state)
{
	(void)state;
	EXPECT("in the background: 20 ms in c process, off the request's path",
	       .kind = FINDING_ASYNC_WORK, .span = 8, .count = 1);
	EXPECT("after the response: 15 ms in c process, off the request's "
	       "path; 150 such spans in all",
	       .kind = FINDING_ASYNC_WORK, .span = 8, .count = 150,
	       .time_ns = 15 * MS);
	EXPECT("a step waits for c process, 18 ms",
	       .kind = FINDING_AWAITED_JOB, .span = 5, .other = 8, .count = 1,
	       .time_ns = 18 * MS);
	EXPECT("not one request but 117, one after another in 5 m 2 s, 4 m 52 s "
	       "of it pauses, which are left out; the slowest is c process, "
	       "20 ms",
	       .kind = FINDING_SESSION, .span = 8, .count = 117,
	       .time_ns = 302000 * MS, .other_ns = 292000 * MS);
	EXPECT("1 more root besides a root: c second, 50 ms",
	       .kind = FINDING_OTHER_ROOTS, .span = 1, .other = 9, .count = 1);
	EXPECT("2 more roots besides a root, the longest c second, 50 ms",
	       .kind = FINDING_OTHER_ROOTS, .span = 1, .other = 9, .count = 2);
	EXPECT("clocks disagree: 2 calls do not fit into the caller's time, by "
	       "15 ms to 230 ms; 3 spans moved for the critical path only",
	       .kind = FINDING_CLOCK_SKEW, .count = 2, .moved_count = 3,
	       .time_ns = 230 * MS, .other_ns = 15 * MS);
	EXPECT("clocks disagree: 1 call does not fit into the caller's time, "
	       "by 1.24 s; 1 span moved for the critical path only",
	       .kind = FINDING_CLOCK_SKEW, .count = 1, .moved_count = 1,
	       .time_ns = 1240 * MS, .other_ns = 1240 * MS);
	EXPECT("starts are whole milliseconds: 71 spans were moved by up to "
	       "950 us, to after spans that had ended before",
	       .kind = FINDING_WHOLE_STARTS, .count = 71,
	       .time_ns = 950 * MS / 1000);
	EXPECT("starts are whole milliseconds: 1 span was moved by up to 1 us, "
	       "to after spans that had ended before",
	       .kind = FINDING_WHOLE_STARTS, .count = 1,
	       .time_ns = MS / 1000);
}

static void those_not_listed(void **state)
{
	static const struct {
		enum finding_kind kind;
		const char *words;
	} cases[] = {
		{ FINDING_N_PLUS_ONE, "3 more loops of calls" },
		{ FINDING_RETRY, "3 more retried calls" },
		{ FINDING_SLOW_QUERY, "3 more slow queries" },
		{ FINDING_QUEUE_GAP,
		  "3 more calls that waited for their callee" },
		{ FINDING_ERROR, "3 more kinds of errors" },
		{ FINDING_MESSAGE_DELAY, "3 more kinds of delayed messages" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		EXPECT(cases[i].words, .kind = cases[i].kind, .more_count = 3);
}

UNIT_TESTS(finding_texts)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loops),
		cmocka_unit_test(retries),
		cmocka_unit_test(branches),
		cmocka_unit_test(calls_in_a_row),
		cmocka_unit_test(time_between_spans),
		cmocka_unit_test(errors),
		cmocka_unit_test(whole_trace),
		cmocka_unit_test(those_not_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
