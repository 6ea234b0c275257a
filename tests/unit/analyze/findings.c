/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "../unit.h"
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

static const struct trace_finding *find(const struct report *r,
					const char *kind)
{
	for (size_t i = 0; i < r->result.finding_count; i++) {
		if (str_equal(r->result.findings[i].kind, str_from(kind)))
			return &r->result.findings[i];
	}
	return NULL;
}

/* Spans of expected facts are ids; 0: none. */
static void expect_span(const struct report *r, uint32_t span, uint32_t id)
{
	if (id)
		assert_int_equal(r->t.spans[span].span_id, id);
	else
		assert_true(!span || span == SPAN_NONE);
}

static void expect_facts(const struct report *r, const struct finding_facts *f,
			 const struct finding_facts *wanted)
{
	assert_int_equal(f->more_count, wanted->more_count);
	expect_span(r, f->span, wanted->span);
	expect_span(r, f->call, wanted->call);
	expect_span(r, f->other, wanted->other);
	expect_span(r, f->failed, wanted->failed);
	assert_int_equal(f->count, wanted->count);
	assert_int_equal(f->failed_count, wanted->failed_count);
	assert_int_equal(f->moved_count, wanted->moved_count);
	assert_int_equal(f->time_ns, wanted->time_ns);
	assert_int_equal(f->other_ns, wanted->other_ns);
	assert_int_equal(f->pause_ns, wanted->pause_ns);
	assert_int_equal(f->manner, wanted->manner);
	assert_int_equal(f->rim, wanted->rim);
	assert_int_equal(f->is_fatal, wanted->is_fatal);
}

static void expect_none(const char *text, const char *kind)
{
	struct report r;

	begin(&r, text);
	assert_null(find(&r, kind));
	end(&r);
}

/* The first finding of this kind has these facts. */
static void expect(const char *text, const struct finding_facts *wanted)
{
	const struct trace_finding *f;
	struct report r;

	begin(&r, text);
	f = find(&r, finding_kind_name(wanted->kind));
	if (f)
		expect_facts(&r, &f->facts, wanted);
	else
		fail_msg("no such finding");
	end(&r);
}

#define MS NS_PER_MS

static void retry(void **state)
{
	struct report r;
	const struct trace_finding *f;

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
	       &(struct finding_facts){ .kind = FINDING_RETRY,
					.span = 1,
					.call = 2,
					.other = 3,
					.failed = 4,
					.count = 3,
					.failed_count = 2,
					.time_ns = 500 * MS,
					.other_ns = 495 * MS,
					.pause_ns = 100 * MS });
	expect("1 0 a S root 0 900\n"
	       "2 1 a C POST 0 200 error url.full=http://pay/c\n"
	       "3 1 a C POST 250 450 error url.full=http://pay/c\n",
	       &(struct finding_facts){ .kind = FINDING_RETRY,
					.span = 1,
					.call = 2,
					.failed = 3,
					.count = 2,
					.failed_count = 2,
					.time_ns = 450 * MS,
					.pause_ns = 50 * MS });
	/* the client counts itself, and tells no failure */
	expect("1 0 a S root 0 900\n"
	       "2 1 a C POST 0 50 url.full=http://pay/c\n"
	       "3 1 a C POST 60 110 url.full=http://pay/c "
	       "http.request.resend_count=1\n",
	       &(struct finding_facts){ .kind = FINDING_RETRY,
					.span = 1,
					.call = 2,
					.count = 2,
					.time_ns = 60 * MS,
					.pause_ns = 10 * MS });
	/* 10 ms are enough, 9.9 are not */
	expect("1 0 a S root 0 900\n"
	       "2 1 a C POST 0 5 error url.full=http://pay/c\n"
	       "3 1 a C POST 10 15 url.full=http://pay/c\n",
	       &(struct finding_facts){ .kind = FINDING_RETRY,
					.span = 1,
					.call = 2,
					.failed = 2,
					.count = 2,
					.failed_count = 1,
					.time_ns = 10 * MS,
					.pause_ns = 5 * MS });
	expect_none("1 0 a S root 0 900\n"
		    "2 1 a C POST 0 5 error url.full=http://pay/c\n"
		    "3 1 a C POST 9.9 15 url.full=http://pay/c\n",
		    "retry");
}

#define SHARD_1 "2 1 a C part 0 50 server.address=shard-1\n"
#define SHARD_2 "3 1 a C part 1 60 server.address=shard-2\n"

static void slow_shard(void **state)
{
	(void)state;
	expect("1 0 a S root 0 200\n" SHARD_1 SHARD_2
	       "4 1 a C part 2 122 server.address=shard-3\n",
	       &(struct finding_facts){ .kind = FINDING_SLOW_SHARD,
					.span = 1,
					.call = 4,
					.count = 3,
					.time_ns = 120 * MS,
					.other_ns = 59 * MS });
	/* less than twice the median of 59 ms; two only; not the last to end */
	expect_none("1 0 a S root 0 200\n" SHARD_1 SHARD_2
		    "4 1 a C part 2 119 server.address=shard-3\n",
		    "slow_shard");
	expect_none("1 0 a S root 0 200\n" SHARD_1
		    "4 1 a C part 2 122 server.address=shard-3\n",
		    "slow_shard");
	/* instance of the server side */
	expect("1 0 a S root 0 200\n" SHARD_1 SHARD_2
	       "4 1 a C part 2 122 server.address=shard-3\n"
	       "5 4 b S serve 3 121 @k8s.pod.name=b-7\n",
	       &(struct finding_facts){ .kind = FINDING_SLOW_SHARD,
					.span = 1,
					.call = 4,
					.count = 3,
					.time_ns = 120 * MS,
					.other_ns = 59 * MS });
	/* too little time to matter: 4.8 % of the whole */
	expect_none("1 0 a S root 0 2500\n" SHARD_1 SHARD_2
		    "4 1 a C part 2 122 server.address=shard-3\n",
		    "slow_shard");
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
	expect_none(five, "fan_out");
	snprintf(six, sizeof six, "%s7 1 a C part 0 85 server.address=h\n",
		 five);
	expect(six, &(struct finding_facts){ .kind = FINDING_FAN_OUT,
					     .span = 1,
					     .call = 6,
					     .count = 6,
					     .time_ns = 90 * MS,
					     .other_ns = 90 * MS });
	expect_none(six, "n_plus_one");
	/* twice */
	expect("1 0 a S root 0 200\n"
	       "2 1 a C part 0 80 server.address=h\n"
	       "3 1 a C part 0 80 server.address=h\n"
	       "4 1 a C part 0 80 server.address=h\n"
	       "5 1 a C part 0 80 server.address=h\n"
	       "6 1 a C part 0 80 server.address=h\n"
	       "7 1 a C part 0 90 server.address=h\n"
	       "8 1 a C part 90 170 server.address=h\n"
	       "9 1 a C part 90 170 server.address=h\n"
	       "a 1 a C part 90 170 server.address=h\n"
	       "b 1 a C part 90 170 server.address=h\n"
	       "c 1 a C part 90 170 server.address=h\n"
	       "d 1 a C part 90 180 server.address=h\n",
	       &(struct finding_facts){ .kind = FINDING_FAN_OUT,
					.span = 1,
					.call = 7,
					.count = 6,
					.time_ns = 90 * MS,
					.other_ns = 90 * MS });
	/* one after the other, as in a pool of two */
	expect_none("1 0 a S root 0 260\n"
		    "2 1 a C part 0 45 server.address=h\n"
		    "3 1 a C part 35 85 server.address=h\n"
		    "4 1 a C part 75 125 server.address=h\n"
		    "5 1 a C part 115 165 server.address=h\n"
		    "6 1 a C part 155 205 server.address=h\n"
		    "7 1 a C part 195 245 server.address=h\n",
		    "fan_out");
	/* beside what the request waited for */
	snprintf(six, sizeof six,
		 "%s7 1 a C part 0 85 server.address=h\n"
		 "8 1 a I work 0 200\n",
		 five);
	expect_none(six, "fan_out");
	/* nine milliseconds */
	expect_none("1 0 a S root 0 20\n"
		    "2 1 a C part 0 9 server.address=h\n"
		    "3 1 a C part 0 9 server.address=h\n"
		    "4 1 a C part 0 9 server.address=h\n"
		    "5 1 a C part 0 9 server.address=h\n"
		    "6 1 a C part 0 9 server.address=h\n"
		    "7 1 a C part 0 9 server.address=h\n",
		    "fan_out");
}

static void cold_call(void **state)
{
	(void)state;
	expect("1 0 a S root 0 200\n"
	       "2 1 a C get 0 50 server.address=h\n"
	       "3 1 a C get 50 60 server.address=h\n"
	       "4 1 a C get 60 70 server.address=h\n"
	       "5 1 a C get 70 75 server.address=h\n",
	       &(struct finding_facts){ .kind = FINDING_COLD_CALL,
					.span = 1,
					.call = 2,
					.count = 4,
					.time_ns = 50 * MS,
					.other_ns = 10 * MS });
	/* 49 ms; five times the others fails; three calls */
	expect_none("1 0 a S root 0 200\n"
		    "2 1 a C get 0 49 server.address=h\n"
		    "3 1 a C get 50 59 server.address=h\n"
		    "4 1 a C get 60 69 server.address=h\n"
		    "5 1 a C get 70 75 server.address=h\n",
		    "cold_call");
	expect_none("1 0 a S root 0 200\n"
		    "2 1 a C get 0 50 server.address=h\n"
		    "3 1 a C get 50 60.1 server.address=h\n"
		    "4 1 a C get 61 71.1 server.address=h\n"
		    "5 1 a C get 72 82.1 server.address=h\n",
		    "cold_call");
	expect_none("1 0 a S root 0 200\n"
		    "2 1 a C get 0 50 server.address=h\n"
		    "3 1 a C get 50 60 server.address=h\n"
		    "4 1 a C get 60 70 server.address=h\n",
		    "cold_call");
	/* it failed; the next was made before it ended; nobody waited for it;
	 * no calls */
	expect_none("1 0 a S root 0 200\n"
		    "2 1 a C get 0 50 error server.address=h\n"
		    "3 1 a C get 50 60 server.address=h\n"
		    "4 1 a C get 60 70 server.address=h\n"
		    "5 1 a C get 70 75 server.address=h\n",
		    "cold_call");
	expect_none("1 0 a S root 0 200\n"
		    "2 1 a C get 0 50 server.address=h\n"
		    "3 1 a C get 49 59 server.address=h\n"
		    "4 1 a C get 60 70 server.address=h\n"
		    "5 1 a C get 70 75 server.address=h\n",
		    "cold_call");
	expect_none("1 0 a S root 0 200\n"
		    "2 1 a C get 0 50 server.address=h\n"
		    "3 1 a C get 50 60 server.address=h\n"
		    "4 1 a C get 60 70 server.address=h\n"
		    "5 1 a C get 70 75 server.address=h\n"
		    "6 1 a I work 0 200\n",
		    "cold_call");
	expect_none("1 0 a S root 0 200\n"
		    "2 1 a I step 0 50\n"
		    "3 1 a I step 50 60\n"
		    "4 1 a I step 60 70\n"
		    "5 1 a I step 70 75\n",
		    "cold_call");
}

static void slow_query(void **state)
{
	(void)state;
	expect("1 0 a S root 0 900\n"
	       "2 1 a C q 0 500 db.system=pg db.statement=\"SELECT a\"\n",
	       &(struct finding_facts){ .kind = FINDING_SLOW_QUERY,
					.span = 2,
					.count = 1,
					.time_ns = 500 * MS });
	expect_none(
		"1 0 a S root 0 900\n"
		"2 1 a C q 0 499.9 db.system=pg db.statement=\"SELECT a\"\n",
		"slow_query");
}

static void consecutive(void **state)
{
	(void)state;
	expect("1 0 a S root 0 9000\n"
	       "2 1 a C GET 0 1000 url.full=http://h/a\n"
	       "3 1 a C GET 1500 2500 url.full=http://h/b\n"
	       "4 1 a C GET 2500 3600 url.full=http://h/c\n",
	       &(struct finding_facts){ .kind = FINDING_CONSECUTIVE,
					.span = 1,
					.call = 4,
					.count = 3,
					.time_ns = 3100 * MS,
					.other_ns = 2000 * MS });
	/* 1.99 s saved; 501 ms apart; one of 499 ms; a retry */
	expect_none("1 0 a S root 0 9000\n"
		    "2 1 a C GET 0 1000 url.full=http://h/a\n"
		    "3 1 a C GET 1500 2490 url.full=http://h/b\n"
		    "4 1 a C GET 2500 3600 url.full=http://h/c\n",
		    "consecutive_http");
	expect_none("1 0 a S root 0 9000\n"
		    "2 1 a C GET 0 1000 url.full=http://h/a\n"
		    "3 1 a C GET 1501 2501 url.full=http://h/b\n"
		    "4 1 a C GET 2501 3601 url.full=http://h/c\n",
		    "consecutive_http");
	expect_none("1 0 a S root 0 9000\n"
		    "2 1 a C GET 0 499 url.full=http://h/a\n"
		    "3 1 a C GET 500 3000 url.full=http://h/b\n"
		    "4 1 a C GET 3000 6000 url.full=http://h/c\n",
		    "consecutive_http");
	expect_none("1 0 a S root 0 9000\n"
		    "2 1 a C GET 0 2000 error url.full=http://h/a\n"
		    "3 1 a C GET 2000 4000 error url.full=http://h/a\n"
		    "4 1 a C GET 4000 6000 error url.full=http://h/a\n",
		    "consecutive_http");
	/* at the same time; of a database */
	expect_none("1 0 a S root 0 9000\n"
		    "2 1 a C GET 0 3000 url.full=http://h/a\n"
		    "3 1 a C GET 1000 4000 url.full=http://h/b\n"
		    "4 1 a C GET 2000 5000 url.full=http://h/c\n",
		    "consecutive_http");
	expect_none("1 0 a S root 0 9000\n"
		    "2 1 a C q 0 1000 db.system=pg db.statement=a\n"
		    "3 1 a C q 1000 2000 db.system=pg db.statement=b\n"
		    "4 1 a C q 2000 3600 db.system=pg db.statement=c\n",
		    "consecutive_http");
	/* another one long after them */
	expect("1 0 a S root 0 9000\n"
	       "2 1 a C GET 0 1000 url.full=http://h/a\n"
	       "3 1 a C GET 1000 2000 url.full=http://h/b\n"
	       "4 1 a C GET 2000 3100 url.full=http://h/c\n"
	       "5 1 a C GET 5000 5700 url.full=http://h/d\n",
	       &(struct finding_facts){ .kind = FINDING_CONSECUTIVE,
					.span = 1,
					.call = 4,
					.count = 3,
					.time_ns = 3100 * MS,
					.other_ns = 2000 * MS });
}

/* Of eleven steps that each have one, ten are told. */
static void no_more_of_a_kind(void **state)
{
	static const struct {
		const char *kind;
		int step_ms;
		int calls[6][2]; /* from, to */
		int call_count;
	} rows[] = {
		{ "fan_out",
		  100,
		  { { 0, 80 },
		    { 0, 80 },
		    { 0, 80 },
		    { 0, 80 },
		    { 0, 80 },
		    { 0, 90 } },
		  6 },
		{ "cold_call",
		  80,
		  { { 0, 60 }, { 60, 65 }, { 65, 70 }, { 70, 75 } },
		  4 },
		{ "consecutive_http",
		  4000,
		  { { 0, 1000 }, { 1000, 2000 }, { 2000, 3100 } },
		  3 },
	};

	(void)state;
	for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
		struct report r;
		struct buf text;
		size_t count = 0;
		int id = 2, step = rows[row].step_ms;

		buf_init(&text, MIB);
		buf_addf(&text, "1 0 a S root 0 %d\n", 11 * step);
		for (int i = 0; i < 11; i++) {
			int parent = id++, at = i * step;

			buf_addf(&text, "%x 1 a I step%d %d %d\n", parent, i,
				 at, at + step);
			for (int k = 0; k < rows[row].call_count; k++)
				buf_addf(&text,
					 "%x %x a C GET %d %d "
					 "url.full=http://h/%s\n",
					 id++, parent,
					 at + rows[row].calls[k][0],
					 at + rows[row].calls[k][1],
					 row < 2  ? "a"
					 : k == 0 ? "a"
					 : k == 1 ? "b"
						  : "c");
		}
		begin(&r, buf_text(&text));
		for (size_t i = 0; i < r.result.finding_count; i++)
			count += str_equal(r.result.findings[i].kind,
					   str_from(rows[row].kind));
		if (count != FINDINGS_PER_KIND)
			fail_msg("%s: %zu", rows[row].kind, count);
		end(&r);
		buf_release(&text);
	}
}

static void queue_gap(void **state)
{
	(void)state;
	expect("1 0 a S root 0 100\n"
	       "2 1 a C call 0 50\n"
	       "3 2 b S serve 11 49\n",
	       &(struct finding_facts){ .kind = FINDING_QUEUE_GAP,
					.span = 2,
					.other = 3,
					.count = 1,
					.time_ns = 11 * MS });
	expect("1 0 a S root 0 100\n"
	       "2 1 a C call 0 50\n"
	       "3 2 b S serve 1 30\n",
	       &(struct finding_facts){ .kind = FINDING_QUEUE_GAP,
					.span = 2,
					.other = 3,
					.count = 1,
					.time_ns = 20 * MS,
					.rim = CALL_RIM_BEHIND });
	/* The caller gave up long before: no more of 50 ms than 50. */
	expect_none("1 0 a S root 0 300\n"
		    "2 1 a C call 0 50 error\n"
		    "3 2 b S serve 201 249\n",
		    "queue_gap");
	/* 10 ms; a fifth of the call; another host's clock: the sum */
	expect_none("1 0 a S root 0 100\n"
		    "2 1 a C call 0 40\n"
		    "3 2 b S serve 10 39\n",
		    "queue_gap");
	expect_none("1 0 a S root 0 100\n"
		    "2 1 a C call 0 60\n"
		    "3 2 b S serve 12 59\n",
		    "queue_gap");
	expect("1 0 a S root 0 100 @host.name=a\n"
	       "2 1 a C call 0 50 @host.name=a\n"
	       "3 2 b S serve 1000 1030 @host.name=b\n",
	       &(struct finding_facts){ .kind = FINDING_QUEUE_GAP,
					.span = 2,
					.other = 3,
					.count = 1,
					.time_ns = 20 * MS,
					.rim = CALL_RIM_BOTH });
	/* the largest speaks for all of its kind */
	expect("1 0 a S root 0 100\n"
	       "2 1 a C call 0 40\n"
	       "3 2 b S serve 15 39\n"
	       "4 1 a C call 50 90\n"
	       "5 4 b S serve 70 89\n",
	       &(struct finding_facts){ .kind = FINDING_QUEUE_GAP,
					.span = 4,
					.other = 5,
					.count = 2,
					.time_ns = 20 * MS });
}

static void gap(void **state)
{
	(void)state;
	expect("1 0 a S root 0 100\n"
	       "2 1 a I one 0 20\n"
	       "3 1 a I two 50 100\n",
	       &(struct finding_facts){ .kind = FINDING_GAP,
					.span = 1,
					.time_ns = 30 * MS,
					.other_ns = 20 * MS });
	expect_none("1 0 a S root 0 100\n"
		    "2 1 a I one 0 20\n"
		    "3 1 a I two 49.9 100\n",
		    "gap");
	/* no children at all, or none that it waits for: the whole span, which is
	 * nothing new */
	expect_none("1 0 a S root 0 100\n", "gap");
	expect_none("1 0 a S root 0 100\n"
		    "2 1 a I later 10 40 follows\n",
		    "gap");
}

static void errors(void **state)
{
	(void)state;
	expect("1 0 a S root 0 100 error=\"bad gateway\"\n"
	       "2 1 a I before 0 10\n"
	       "3 1 a C call 10 40 error\n"
	       "4 3 b S serve 11 39 error=\"card declined\"\n",
	       &(struct finding_facts){ .kind = FINDING_ERROR,
					.span = 4,
					.count = 1,
					.is_fatal = true });
	/* the request went on */
	expect("1 0 a S root 0 100 error=\"bad gateway\"\n"
	       "2 1 a C call 10 40 error=refused\n"
	       "3 1 a I after 50 60\n",
	       &(struct finding_facts){
		       .kind = FINDING_ERROR, .span = 2, .count = 1 });
	expect("1 0 a S root 0 100\n"
	       "2 1 a C call 10 40 error=refused\n",
	       &(struct finding_facts){
		       .kind = FINDING_ERROR, .span = 2, .count = 1 });
	expect("1 0 a S root 0 100\n"
	       "2 1 a C call 10 40 error http.response.status_code=503\n",
	       &(struct finding_facts){
		       .kind = FINDING_ERROR, .span = 2, .count = 1 });
	expect("1 0 a S root 0 100 error=\"bad gateway\"\n",
	       &(struct finding_facts){
		       .kind = FINDING_ERROR, .span = 1, .count = 1 });
}

/* One that says something else began elsewhere. */
static void errors_by_message(void **state)
{
	struct report r;
	size_t count = 0;

	(void)state;
	begin(&r, "1 0 a S root 0 100\n"
		  "2 1 a I parse 0 10 error=refused\n"
		  "3 1 a I parse 10 20 error=reset\n"
		  "4 1 a I parse 20 30 error=refused\n");
	for (size_t i = 0; i < r.result.finding_count; i++)
		count += r.result.findings[i].facts.kind == FINDING_ERROR;
	assert_int_equal(count, 2);
	end(&r);
}

/* The longest is named. */
static void async_work(void **state)
{
	(void)state;
	expect("1 0 a S root 0 100\n"
	       "2 1 a I audit 10 40 follows\n"
	       "3 1 a I mail 20 180 follows\n",
	       &(struct finding_facts){ .kind = FINDING_ASYNC_WORK,
					.span = 3,
					.count = 2,
					.time_ns = 80 * MS });
}

static void message_delay(void **state)
{
	(void)state;
	expect("1 0 a S root 0 100\n"
	       "2 1 a P send 10 20\n"
	       "3 2 b K process 120 150\n",
	       &(struct finding_facts){ .kind = FINDING_MESSAGE_DELAY,
					.span = 2,
					.other = 3,
					.count = 1,
					.time_ns = 100 * MS });
	expect_none("1 0 a S root 0 100\n"
		    "2 1 a P send 10 20\n"
		    "3 2 b K process 119.9 150\n",
		    "message_delay");
}

static void other_roots(void **state)
{
	(void)state;
	expect("1 0 a S root 0 100\n"
	       "2 0 b S second 10 60\n"
	       "3 0 b S third 20 40\n",
	       &(struct finding_facts){ .kind = FINDING_OTHER_ROOTS,
					.span = 1,
					.other = 2,
					.count = 2 });
	expect_none("1 0 a S root 0 100\n", "other_roots");
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
	       &(struct finding_facts){ .kind = FINDING_CLOCK_SKEW,
					.count = 2,
					.moved_count = 3,
					.time_ns = 230 * MS,
					.other_ns = 10 * MS });
	/* the caller failed: its callee went on */
	expect_none("1 0 a S root 0 300 @host.name=a\n"
		    "2 1 a C call 100 200 error @host.name=a\n"
		    "3 2 b S serve 150 410 @host.name=b\n",
		    "clock_skew");
}

UNIT_TESTS(findings)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(retry),
		cmocka_unit_test(slow_shard),
		cmocka_unit_test(no_more_of_a_kind),
		cmocka_unit_test(fan_out),
		cmocka_unit_test(cold_call),
		cmocka_unit_test(slow_query),
		cmocka_unit_test(consecutive),
		cmocka_unit_test(queue_gap),
		cmocka_unit_test(errors_by_message),
		cmocka_unit_test(async_work),
		cmocka_unit_test(gap),
		cmocka_unit_test(errors),
		cmocka_unit_test(message_delay),
		cmocka_unit_test(other_roots),
		cmocka_unit_test(skew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
