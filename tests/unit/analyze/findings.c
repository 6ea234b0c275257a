/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "trace_fixture.h"

#include "analyze/findings.h"
#include "analyze/trace_analysis.h"
#include "base/buf.h"

struct report {
	struct trace t;
	struct arena arena;
	struct trace_times times;
	struct calls calls;
	struct repeats repeats;
	struct result result;
};

static void begin(struct report *r, const char *text)
{
	struct error err = { 0 };

	*r = (struct report){ 0 };
	fixture_trace(&r->t, text);
	arena_init(&r->arena, GIB);
	arena_init(&r->result.arena, GIB);
	assert_true(trace_times_compute(&r->t, &r->arena, &r->times, &err));
	assert_true(calls_build(&r->t, &r->arena, &r->calls, &err));
	assert_true(repeats_find(&r->calls, &r->times, &r->arena, &r->repeats,
				 &err));
	assert_true(findings_collect(&r->calls, &r->times, &r->repeats,
				     &r->result, &err));
}

static void end(struct report *r)
{
	arena_release(&r->result.arena);
	arena_release(&r->arena);
	trace_release(&r->t);
}

static const struct finding *find(const struct report *r, const char *kind)
{
	for (size_t i = 0; i < r->result.finding_count; i++) {
		if (str_equal(r->result.findings[i].kind, str_from(kind)))
			return &r->result.findings[i];
	}
	return NULL;
}

/* The first finding of this kind says this, or there is none (NULL). */
static void expect(const char *text, const char *kind, const char *expected)
{
	const struct finding *f;
	struct report r;
	struct buf found;

	begin(&r, text);
	f = find(&r, kind);
	buf_init(&found, MIB);
	if (f)
		buf_add_str(&found, f->text);
	assert_string_equal(buf_text(&found), expected ? expected : "");
	buf_release(&found);
	end(&r);
}

static void retry(void **state)
{
	struct report r;
	const struct finding *f;

	(void)state;
	begin(&r, "1 0 a S root 0 900\n"
		  "2 1 a C POST 0 200 error=deadline url.full=http://pay/c\n"
		  "3 2 b S charge 5 500\n"
		  "4 1 a C POST 250 450 error=deadline url.full=http://pay/c\n"
		  "5 1 a C POST 500 600 url.full=http://pay/c\n");
	f = find(&r, "retry");
	if (!f)
		fail_msg("no retry");
	else if (f->span_id_count != 3 || f->span_ids[1] != 4)
		fail_msg("other attempts");
	/* the failures of the attempts are told by it */
	assert_null(find(&r, "error"));
	end(&r);
	expect("1 0 a S root 0 900\n"
	       "2 1 a C POST 0 200 error=deadline url.full=http://pay/c\n"
	       "3 2 b S charge 5 500\n"
	       "4 1 a C POST 250 450 error=deadline url.full=http://pay/c\n"
	       "5 1 a C POST 500 600 url.full=http://pay/c\n",
	       "retry",
	       "a root: 3 x \"call /c\" to pay after 2 failed (deadline), 500 ms "
	       "lost; b charge took up to 495 ms");
	expect("1 0 a S root 0 900\n"
	       "2 1 a C POST 0 200 error url.full=http://pay/c\n"
	       "3 1 a C POST 250 450 error url.full=http://pay/c\n",
	       "retry",
	       "a root: 2 x \"call /c\" to pay, all failed (failed), 450 ms "
	       "lost");
	/* 10 ms are enough, 9.9 are not */
	expect("1 0 a S root 0 900\n"
	       "2 1 a C POST 0 5 error url.full=http://pay/c\n"
	       "3 1 a C POST 10 15 url.full=http://pay/c\n",
	       "retry",
	       "a root: 2 x \"call /c\" to pay after 1 failed (failed), 10 ms "
	       "lost, 5 ms of it in pauses");
	expect("1 0 a S root 0 900\n"
	       "2 1 a C POST 0 5 error url.full=http://pay/c\n"
	       "3 1 a C POST 9.9 15 url.full=http://pay/c\n",
	       "retry", NULL);
}

#define SHARD_1 "2 1 a C part 0 50 server.address=shard-1\n"
#define SHARD_2 "3 1 a C part 1 60 server.address=shard-2\n"

static void slow_shard(void **state)
{
	(void)state;
	expect("1 0 a S root 0 200\n" SHARD_1 SHARD_2
	       "4 1 a C part 2 122 server.address=shard-3\n",
	       "slow_shard",
	       "a root: the slowest of 3 x \"part\" side by side took 120 ms, "
	       "the median 59 ms at shard-3");
	/* less than twice the median of 59 ms; two only; not the last to end */
	expect("1 0 a S root 0 200\n" SHARD_1 SHARD_2
	       "4 1 a C part 2 119 server.address=shard-3\n",
	       "slow_shard", NULL);
	expect("1 0 a S root 0 200\n" SHARD_1
	       "4 1 a C part 2 122 server.address=shard-3\n",
	       "slow_shard", NULL);
	/* instance of the server side */
	expect("1 0 a S root 0 200\n" SHARD_1 SHARD_2
	       "4 1 a C part 2 122 server.address=shard-3\n"
	       "5 4 b S serve 3 121 @k8s.pod.name=b-7\n",
	       "slow_shard",
	       "a root: the slowest of 3 x \"part\" side by side took 120 ms, "
	       "the median 59 ms at b (b-7)");
	/* too little time to matter: 4.8 % of the whole */
	expect("1 0 a S root 0 2500\n" SHARD_1 SHARD_2
	       "4 1 a C part 2 122 server.address=shard-3\n",
	       "slow_shard", NULL);
}

/* Six of the same kind at once, of which none stands out. */
static void fan_out(void **state)
{
	static const char five[] = "1 0 a S root 0 200\n"
				   "2 1 a C part 0 80 server.address=h\n"
				   "3 1 a C part 0 80 server.address=h\n"
				   "4 1 a C part 0 80 server.address=h\n"
				   "5 1 a C part 0 80 server.address=h\n"
				   "6 1 a C part 0 90 server.address=h\n";
	char six[sizeof five + 100];

	(void)state;
	expect(five, "fan_out", NULL);
	snprintf(six, sizeof six, "%s7 1 a C part 0 85 server.address=h\n",
		 five);
	expect(six, "fan_out",
	       "a root: 6 x \"part\" side by side, 90 ms; the slowest, 90 ms at "
	       "h, decides");
	expect(six, "n_plus_one", NULL);
}

static void cold_call(void **state)
{
	(void)state;
	expect("1 0 a S root 0 200\n"
	       "2 1 a C get 0 50 server.address=h\n"
	       "3 1 a C get 50 60 server.address=h\n"
	       "4 1 a C get 60 70 server.address=h\n"
	       "5 1 a C get 70 75 server.address=h\n",
	       "cold_call",
	       "a root: the first of 4 x \"get\" took 50 ms, the others 10 ms: "
	       "a new connection or a cold cache at h");
	/* 49 ms; five times the others fails; three calls */
	expect("1 0 a S root 0 200\n"
	       "2 1 a C get 0 49 server.address=h\n"
	       "3 1 a C get 50 59 server.address=h\n"
	       "4 1 a C get 60 69 server.address=h\n"
	       "5 1 a C get 70 75 server.address=h\n",
	       "cold_call", NULL);
	expect("1 0 a S root 0 200\n"
	       "2 1 a C get 0 50 server.address=h\n"
	       "3 1 a C get 50 60.1 server.address=h\n"
	       "4 1 a C get 61 71.1 server.address=h\n"
	       "5 1 a C get 72 82.1 server.address=h\n",
	       "cold_call", NULL);
	expect("1 0 a S root 0 200\n"
	       "2 1 a C get 0 50 server.address=h\n"
	       "3 1 a C get 50 60 server.address=h\n"
	       "4 1 a C get 60 70 server.address=h\n",
	       "cold_call", NULL);
}

static void slow_query(void **state)
{
	(void)state;
	expect("1 0 a S root 0 900\n"
	       "2 1 a C q 0 500 db.system=pg db.statement=\"SELECT a\"\n",
	       "slow_query", "a: \"SELECT a\" took 500 ms at pg");
	expect("1 0 a S root 0 900\n"
	       "2 1 a C q 0 499.9 db.system=pg db.statement=\"SELECT a\"\n",
	       "slow_query", NULL);
}

static void consecutive(void **state)
{
	(void)state;
	expect("1 0 a S root 0 9000\n"
	       "2 1 a C GET 0 1000 url.full=http://h/a\n"
	       "3 1 a C GET 1500 2500 url.full=http://h/b\n"
	       "4 1 a C GET 2500 3600 url.full=http://h/c\n",
	       "consecutive_http",
	       "a root: 3 long calls one after another, 3.1 s, the longest "
	       "\"call /c\"; side by side they would save 2 s");
	/* 1.99 s saved; 501 ms apart; one of 499 ms; a retry */
	expect("1 0 a S root 0 9000\n"
	       "2 1 a C GET 0 1000 url.full=http://h/a\n"
	       "3 1 a C GET 1500 2490 url.full=http://h/b\n"
	       "4 1 a C GET 2500 3600 url.full=http://h/c\n",
	       "consecutive_http", NULL);
	expect("1 0 a S root 0 9000\n"
	       "2 1 a C GET 0 1000 url.full=http://h/a\n"
	       "3 1 a C GET 1501 2501 url.full=http://h/b\n"
	       "4 1 a C GET 2501 3601 url.full=http://h/c\n",
	       "consecutive_http", NULL);
	expect("1 0 a S root 0 9000\n"
	       "2 1 a C GET 0 499 url.full=http://h/a\n"
	       "3 1 a C GET 500 3000 url.full=http://h/b\n"
	       "4 1 a C GET 3000 6000 url.full=http://h/c\n",
	       "consecutive_http", NULL);
	expect("1 0 a S root 0 9000\n"
	       "2 1 a C GET 0 2000 error url.full=http://h/a\n"
	       "3 1 a C GET 2000 4000 error url.full=http://h/a\n"
	       "4 1 a C GET 4000 6000 error url.full=http://h/a\n",
	       "consecutive_http", NULL);
}

static void queue_gap(void **state)
{
	(void)state;
	expect("1 0 a S root 0 100\n"
	       "2 1 a C call 0 50\n"
	       "3 2 b S serve 11 49\n",
	       "queue_gap",
	       "a call: 11 ms of 50 ms passed before the begin of b serve: the "
	       "network, a connection pool or a queue");
	expect("1 0 a S root 0 100\n"
	       "2 1 a C call 0 50\n"
	       "3 2 b S serve 1 30\n",
	       "queue_gap",
	       "a call: 20 ms of 50 ms passed after the end of b serve: the "
	       "network or a late reader");
	/* 10 ms; a fifth of the call; another host's clock: the sum */
	expect("1 0 a S root 0 100\n"
	       "2 1 a C call 0 40\n"
	       "3 2 b S serve 10 39\n",
	       "queue_gap", NULL);
	expect("1 0 a S root 0 100\n"
	       "2 1 a C call 0 60\n"
	       "3 2 b S serve 12 59\n",
	       "queue_gap", NULL);
	expect("1 0 a S root 0 100 @host.name=a\n"
	       "2 1 a C call 0 50 @host.name=a\n"
	       "3 2 b S serve 1000 1030 @host.name=b\n",
	       "queue_gap",
	       "a call: 20 ms of 50 ms passed outside b serve: the network, a "
	       "connection pool or a queue");
	/* the largest speaks for all of its kind */
	expect("1 0 a S root 0 100\n"
	       "2 1 a C call 0 40\n"
	       "3 2 b S serve 15 39\n"
	       "4 1 a C call 50 90\n"
	       "5 4 b S serve 70 89\n",
	       "queue_gap",
	       "a call: up to 20 ms of 40 ms passed before the begin of b "
	       "serve: the network, a connection pool or a queue, in 2 calls");
}

static void gap(void **state)
{
	(void)state;
	expect("1 0 a S root 0 100\n"
	       "2 1 a I one 0 20\n"
	       "3 1 a I two 50 100\n",
	       "gap",
	       "a root: 30 ms without a child, from 20 ms after its start: its "
	       "own code or a wait");
	expect("1 0 a S root 0 100\n"
	       "2 1 a I one 0 20\n"
	       "3 1 a I two 49.9 100\n",
	       "gap", NULL);
	/* no children at all: the whole span, which is nothing new */
	expect("1 0 a S root 0 100\n", "gap", NULL);
}

static void errors(void **state)
{
	(void)state;
	expect("1 0 a S root 0 100 error=\"bad gateway\"\n"
	       "2 1 a I before 0 10\n"
	       "3 1 a C call 10 40 error\n"
	       "4 3 b S serve 11 39 error=\"card declined\"\n",
	       "error", "b serve: card declined; the request failed with it");
	/* the request went on */
	expect("1 0 a S root 0 100 error=\"bad gateway\"\n"
	       "2 1 a C call 10 40 error=refused\n"
	       "3 1 a I after 50 60\n",
	       "error", "a call: refused");
	expect("1 0 a S root 0 100\n"
	       "2 1 a C call 10 40 error=refused\n",
	       "error", "a call: refused");
	expect("1 0 a S root 0 100\n"
	       "2 1 a C call 10 40 error http.response.status_code=503\n",
	       "error", "a call: HTTP 503");
	expect("1 0 a S root 0 100 error=\"bad gateway\"\n", "error",
	       "a root: bad gateway");
}

static void message_delay(void **state)
{
	(void)state;
	expect("1 0 a S root 0 100\n"
	       "2 1 a P send 10 20\n"
	       "3 2 b K process 120 150\n",
	       "message_delay",
	       "a send: 100 ms until b process began: a busy or lagging "
	       "consumer");
	expect("1 0 a S root 0 100\n"
	       "2 1 a P send 10 20\n"
	       "3 2 b K process 119.9 150\n",
	       "message_delay", NULL);
}

static void other_roots(void **state)
{
	(void)state;
	expect("1 0 a S root 0 100\n"
	       "2 0 b S second 10 60\n"
	       "3 0 b S third 20 40\n",
	       "other_roots",
	       "2 more roots besides a root, the longest b second, 50 ms");
	expect("1 0 a S root 0 100\n", "other_roots", NULL);
}

static void skew(void **state)
{
	(void)state;
	expect("1 0 a S root 0 300 @host.name=a\n"
	       "2 1 a C call 100 200 @host.name=a\n"
	       "3 2 b S serve 350 410 @host.name=b\n"
	       "4 3 b I work 360 400 @host.name=b\n"
	       "5 1 a C call 210 290 @host.name=a\n"
	       "6 5 c S serve 200 270 @host.name=c\n",
	       "clock_skew",
	       "clocks disagree: 2 calls do not fit into the caller's time, by "
	       "15 ms to 230 ms; 3 spans moved for the critical path only");
	/* the caller failed: its callee went on */
	expect("1 0 a S root 0 300 @host.name=a\n"
	       "2 1 a C call 100 200 error @host.name=a\n"
	       "3 2 b S serve 150 410 @host.name=b\n",
	       "clock_skew", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(retry),       cmocka_unit_test(slow_shard),
		cmocka_unit_test(fan_out),     cmocka_unit_test(cold_call),
		cmocka_unit_test(slow_query),  cmocka_unit_test(consecutive),
		cmocka_unit_test(queue_gap),   cmocka_unit_test(gap),
		cmocka_unit_test(errors),      cmocka_unit_test(message_delay),
		cmocka_unit_test(other_roots), cmocka_unit_test(skew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
