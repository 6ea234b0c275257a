/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "../unit.h"
#include "../analyze/history_fixture.h"

#include "analyze/trace_analysis.h"
#include "analyze/typical.h"
#include "report/texts.h"

/* A trace, what its operations usually take, and the texts. */
struct told {
	struct past p;
	struct typical typical;
	struct trace t;
	struct arena arena;
	struct trace_times times;
	struct result result;
	struct guilty_pick pick;
	struct error err;
	bool is_found;
	const uint32_t *served; /* by operation, NULL not known */
};

static void begin(struct told *g)
{
	memset(g, 0, sizeof *g);
	past_init(&g->p);
	past_window(&g->p, 0, 1000);
}

/* Ten traces, all alike; the first operation is the root's. */
static void usually(struct told *g, const char *name, enum span_kind kind,
		    int calls, double each_ms)
{
	uint32_t operation = g->p.h.operation_count;

	past_operation(&g->p, "web", name, kind);
	for (uint32_t i = 0; i < 10; i++) {
		if (!operation)
			past_trace(&g->p, 0);
		for (int j = 0; j < calls; j++)
			past_add(&g->p, 0, operation, i, each_ms)->trace = i;
	}
}

/* Of the tree of this span; SPAN_NONE: of the root's. */
static void tell_in(struct told *g, const char *text, struct guilty_want want,
		    uint32_t top)
{
	bool has_typical = g->p.h.operation_count > 0;
	struct choice c;

	fixture_trace(&g->t, text);
	arena_init(&g->arena, GIB);
	arena_init(&g->result.arena, GIB);
	if (has_typical)
		assert_true(typical_build(
			&g->p.h, 0, (struct time_range){ 0, 0 }, 0, UINT32_MAX,
			&g->p.arena, &g->typical, &g->err));
	if (g->served)
		assert_true(typical_add_gaps(&g->typical, &g->p.h, 0,
					     (struct time_range){ 0, 0 },
					     g->served, UINT32_MAX, &g->err));
	assert_true(trace_times_compute(&g->t, &g->arena, &g->times, &g->err));
	if (top != SPAN_NONE)
		trace_times_focus(&g->t, &g->times, top);
	g->is_found = choice_make(&c, &g->t, &g->times, &want,
				  has_typical ? &g->typical : NULL, &g->result,
				  &g->err);
	if (g->is_found) {
		assert_true(choice_conclude(&c, &g->result, &g->pick, &g->err));
		assert_true(choice_texts_write(&c, &g->result, &g->err));
	} else {
		assert_false(missing_span_explain(&c, &g->err));
	}
	choice_release(&c);
}

static void tell(struct told *g, const char *text, struct guilty_want want)
{
	tell_in(g, text, want, SPAN_NONE);
}

static void end(struct told *g)
{
	arena_release(&g->result.arena);
	arena_release(&g->arena);
	trace_release(&g->t);
	past_release(&g->p);
}

static void expect(struct str text, const char *words)
{
	if (!str_equal(text, str_from(words)))
		fail_msg("\"%.*s\" is not \"%s\"", STR_ARGS(text), words);
}

/* Of a trace alone; cause may be NULL. */
static void expect_texts(const char *text, struct guilty_want want,
			 const char *why, const char *cause)
{
	struct told g;

	begin(&g);
	tell(&g, text, want);
	assert_true(g.is_found);
	expect(g.result.span.why, why);
	if (cause)
		expect(g.result.cause.text, cause);
	end(&g);
}

static const struct guilty_want any;

static const char shop[] = "1 0 web S \"GET /shop\" 0 400\n"
			   "2 1 web C call 10 390\n"
			   "3 2 cat S List 12 388\n"
			   "4 3 cat I rank 20 320\n"
			   "5 4 cat I score 30 50\n"
			   "6 3 cat C \"SELECT items\" 330 380 "
			   "db.system.name=postgresql "
			   "db.query.text=\"SELECT * FROM items\"\n";

static void own_time(void **state)
{
	struct told g;

	(void)state;
	begin(&g);
	tell(&g, shop, any);
	expect(g.result.span.why, "280 ms self time on the critical path");
	expect(g.result.cause.text,
	       "in the span's code or a wait inside it; a profile shows which");
	expect(g.result.cause.confidence_text,
	       "the trace alone: 70 % of the critical path, the next candidate "
	       "13 %");
	assert_int_equal(g.result.span.path_count, 3);
	expect(g.result.span.path[0], "web GET /shop");
	expect(g.result.span.path[1], "cat List");
	expect(g.result.span.path[2], "cat rank");
	/* What else it shows is told with it. */
	assert_int_equal(g.result.finding_count, 1);
	assert_non_null(g.result.findings->text.ptr);
	end(&g);
}

static void as_asked_for(void **state)
{
	(void)state;
	expect_texts(shop, (struct guilty_want){ .by = GUILTY_BY_DURATION },
		     "20 ms self time on the critical path; ranked by duration",
		     "20 ms of 400 ms are self time; the rest is in its child "
		     "spans");
	expect_texts(shop, (struct guilty_want){ .by = GUILTY_BY_SELF },
		     "280 ms self time; ranked by self time", NULL);
	expect_texts(shop, (struct guilty_want){ .span_id = 2 },
		     "a call explained by its callee: cat List, 376 ms of 380 "
		     "ms; selected by option, not ranked",
		     NULL);
}

static void calls(void **state)
{
	static const struct {
		const char *attrs;
		const char *why;
	} cases[] = {
		{ "db.system=mysql net.peer.name=db-1 "
		  "db.statement=\"SELECT * FROM t WHERE id = 17\"",
		  "a call to mysql (db-1), which sends no spans: "
		  "\"SELECT * FROM t WHERE id = ?\"" },
		{ "url.full=https://u:p@api.example:444/v1/orders/17?k=1 "
		  "http.request.method=POST",
		  "a call to api.example:444, which sends no spans: "
		  "\"POST /v1/orders/{id}\"" },
		{ "rpc.system=grpc rpc.service=acme.Pay server.address=pay-1",
		  "a call to pay-1, which sends no spans: \"out\"" },
		{ "rpc.system=grpc rpc.service=acme.Pay",
		  "a call to acme.Pay, which sends no spans: \"out\"" },
		{ "peer.service=legacy server.address=10.0.0.1",
		  "a call to legacy, which sends no spans: \"out\"" },
		{ "messaging.system=kafka messaging.destination.name=orders",
		  "a call to kafka (orders), which sends no spans: \"out\"" },
		{ "db.system=redis", "a call to redis, which sends no spans: "
				     "\"out\"" },
		{ "", "a call, which sends no spans: \"out\"" },
		{ "error peer.service=slow",
		  "a call to slow, of which the trace has no spans: \"out\"" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[400];

		snprintf(text, sizeof text,
			 "1 0 web S GET 0 200\n2 1 web C out 10 190 %s\n",
			 cases[i].attrs);
		expect_texts(text, any, cases[i].why, cases[i].why);
	}
}

/* ---- queues ---- */

static const char orders[] = "1 0 api S \"PUT /\" 0 100\n"
			     "3 1 api P publish 90 92 "
			     "messaging.destination.name=orders\n"
			     "4 3 idx K process 4092 4142\n";

static void tell_queue(struct told *g, const char *trace, int64_t typical_ns,
		       bool has_moved)
{
	struct guilty_want want = {
		.has_queue = true,
		.queue = { .sender = 1,
			   .receiver = 2,
			   .wait_ns = 4 * NS_PER_S,
			   .typical_ns = typical_ns,
			   .grown_ns = 3990 * NS_PER_MS,
			   .next_ns = 10 * NS_PER_MS,
			   .count = typical_ns < 0 ? 0 : 1200,
			   .has_moved = has_moved },
	};

	begin(g);
	usually(g, "PUT /", SPAN_KIND_SERVER, 1, 100);
	tell_in(g, trace, want, 2);
}

static void a_queue(void **state)
{
	struct told g;

	(void)state;
	tell_queue(&g, orders, 10 * NS_PER_MS, true);
	expect(g.result.span.why,
	       "4 s in the queue \"orders\" before idx received it, normally "
	       "10 ms (1,200 earlier messages); the request did not wait for "
	       "it and took 100 ms");
	expect(g.result.cause.text, "idx lags behind");
	assert_int_equal(g.result.cause.kind, CAUSE_QUEUE);
	assert_int_equal(g.result.cause.queue.wait_ns, 4 * NS_PER_S);
	assert_int_equal(g.result.cause.confidence, CONFIDENCE_FAIR);
	/* Nothing of it is told twice. */
	assert_int_equal(g.result.finding_count, 0);
	end(&g);
	tell_queue(&g, orders, -1, false);
	expect(g.result.span.why,
	       "4 s in the queue \"orders\" before idx received it, no "
	       "baseline for it; the request did not wait for it and took 100 "
	       "ms");
	expect(g.result.cause.text, "idx received this message late; others "
				    "did not wait");
	end(&g);
	tell_queue(&g,
		   "1 0 api S \"PUT /\" 0 4200\n"
		   "3 1 api P publish 90 92\n"
		   "4 3 idx K process 4092 4142\n",
		   10 * NS_PER_MS, true);
	expect(g.result.span.why,
	       "4 s in the queue before idx received it, normally 10 ms (1,200 "
	       "earlier messages); the request took longer, 4.2 s");
	end(&g);
}

static void a_session(void **state)
{
	(void)state;
	expect_texts(
		"1 0 web S GET 0 2\n"
		"2 1 web S page 3000 3100\n"
		"4 1 web S cart 5000 5400\n"
		"5 1 web S pay 9000 9300\n",
		any,
		"400 ms self time on the critical path; in the slowest of 4 "
		"requests, separated by pauses",
		NULL);
}

static void outside_the_callee(void **state)
{
	(void)state;
	expect_texts("1 0 web S GET 0 500\n"
		     "2 1 web C call 10 490\n"
		     "3 2 pay S Charge 400 480\n",
		     any,
		     "400 ms of 480 ms outside the callee's spans: the "
		     "network, a connection pool or a queue",
		     NULL);
}

static void loop_of_calls(void **state)
{
	char text[4096];
	int len = snprintf(text, sizeof text, "1 0 api S login 0 700\n");

	(void)state;
	for (int i = 0; i < 20; i++)
		len += snprintf(text + len, sizeof text - (size_t)len,
				"%x 1 api C q %d %d db.system.name=pg "
				"db.query.text=\"SELECT a WHERE id = %d\"\n",
				0x100 + i, 20 + i * 30, 50 + i * 30, i);
	expect_texts(text, any,
		     "N+1: 20 x \"SELECT a WHERE id = ?\", one after another, "
		     "600 ms",
		     "a call takes 30 ms on average");
}

/* What a call takes is not what a loop takes by the number of its calls. */
static void calls_that_overlap(void **state)
{
	char text[4096];
	int len = snprintf(text, sizeof text, "1 0 api S login 0 700\n");

	(void)state;
	for (int i = 0; i < 20; i++)
		len += snprintf(text + len, sizeof text - (size_t)len,
				"%x 1 api C q %d %d db.system.name=pg "
				"db.query.text=\"SELECT a WHERE id = %d\"\n",
				0x100 + i, 20 + i * 30, 80 + i * 30, i);
	expect_texts(text, any,
		     "N+1: 20 x \"SELECT a WHERE id = ?\", partly in parallel, "
		     "630 ms",
		     "a call takes 60 ms on average");
}

#define PAY "url.full=http://pay/charge"

static void attempts(void **state)
{
	(void)state;
	expect_texts("1 0 a S root 0 800\n"
		     "2 1 a C POST 10 20 error=refused " PAY "\n"
		     "3 1 a C POST 120 130 error=refused " PAY "\n"
		     "4 1 a C POST 330 340 error=refused " PAY "\n"
		     "5 1 a C POST 740 750 " PAY "\n",
		     any,
		     "700 ms of pauses between 4 attempts at \"call /charge\" "
		     "to pay, 3 failed (refused)",
		     NULL);
	expect_texts("1 0 a S root 0 500\n"
		     "2 1 a C POST 10 210 error=deadline " PAY "\n"
		     "3 1 a C POST 220 420 error=deadline " PAY "\n",
		     any,
		     "2 x calls to pay, of which the trace has no spans: "
		     "\"call /charge\"; tried 2 times, all failed (deadline)",
		     NULL);
	expect_texts("1 0 a S root 0 500\n"
		     "2 1 a C POST 10 210 error=deadline " PAY "\n"
		     "3 2 b S charge 10 210 error=broken\n"
		     "4 1 a C POST 220 420 " PAY "\n"
		     "5 4 b S charge 220 420\n",
		     any,
		     "400 ms self time on the critical path in 2 calls, 200 ms "
		     "each; tried 2 times, 1 failed (broken)",
		     NULL);
}

/* ---- beside what is usual ---- */

/* The render takes 300 ms always; the ranking took 170. */
static const char page[] = "1 0 web S \"GET /\" 0 500\n"
			   "2 1 web I render 10 310\n"
			   "3 1 web I rank 320 490\n";

static void grown(void **state)
{
	struct told g;

	(void)state;
	begin(&g);
	usually(&g, "GET /", SPAN_KIND_SERVER, 1, 350);
	usually(&g, "render", SPAN_KIND_INTERNAL, 1, 300);
	usually(&g, "rank", SPAN_KIND_INTERNAL, 1, 20);
	tell(&g, page, any);
	expect(g.result.span.why,
	       "170 ms self time on the critical path, up 150 ms (normally 20 "
	       "ms, 10 earlier traces)");
	expect(g.result.cause.confidence_text,
	       "the traces: 100 % of the growth");
	end(&g);
}

static void not_grown(void **state)
{
	struct told g;

	(void)state;
	for (int is_asked_for = 0; is_asked_for < 2; is_asked_for++) {
		begin(&g);
		usually(&g, "GET /", SPAN_KIND_SERVER, 1, 490);
		usually(&g, "render", SPAN_KIND_INTERNAL, 1, 290);
		usually(&g, "rank", SPAN_KIND_INTERNAL, 1, 170);
		tell(&g, page,
		     (struct guilty_want){ .span_id = is_asked_for ? 2 : 0 });
		expect(g.result.span.why,
		       is_asked_for
			       ? "300 ms self time on the critical path; "
				 "selected by option, not ranked; normally 290 "
				 "ms, 10 earlier traces"
			       : "300 ms self time on the critical path; "
				 "nothing in the trace was clearly slower than "
				 "normal");
		end(&g);
	}
}

/* A call that no trace before had. */
static void new_call(void **state)
{
	struct told g;

	(void)state;
	begin(&g);
	usually(&g, "GET /", SPAN_KIND_SERVER, 1, 30);
	past_operation(&g.p, "web", "POST", SPAN_KIND_CLIENT);
	tell(&g,
	     "1 0 web S \"GET /\" 0 200\n"
	     "2 1 web C POST 20 190 server.address=psp.example\n",
	     any);
	expect(g.result.span.why,
	       "a call to psp.example, which sends no spans: \"POST\", up 170 "
	       "ms (not called in 10 earlier traces)");
	end(&g);
}

static void grown_loop(void **state)
{
	char text[4096];
	int len = snprintf(text, sizeof text, "1 0 web S \"GET /\" 0 500\n");
	struct told g;

	(void)state;
	for (int i = 0; i < 10; i++)
		len += snprintf(text + len, sizeof text - (size_t)len,
				"%x 1 web C SELECT %d %d db.system.name=mysql "
				"db.query.text=\"SELECT a FROM b\"\n",
				i + 16, 10 + i * 30, 39 + i * 30);
	begin(&g);
	usually(&g, "GET /", SPAN_KIND_SERVER, 1, 200);
	usually(&g, "SELECT", SPAN_KIND_CLIENT, 1, 29);
	tell(&g, text, any);
	expect(g.result.span.why,
	       "N+1: 10 x \"SELECT a FROM b\", one after another, 290 ms, up "
	       "261 ms (normally 1 call, 10 earlier traces)");
	end(&g);
}

/* 15 rows of 3 queries each: 45 of 12 ms. */
static void add_rows(char *text, size_t size)
{
	int len = snprintf(text, size, "1 0 web S \"GET /\" 0 620\n");

	for (int i = 0; i < 15; i++) {
		int at = 5 + i * 40;

		len += snprintf(text + len, size - (size_t)len,
				"%x 1 web I row %d %d\n", 0x10 + i, at,
				at + 39);
		for (int k = 0; k < 3; k++)
			len += snprintf(
				text + len, size - (size_t)len,
				"%x %x web C SELECT %d %d db.system.name=mysql "
				"db.query.text=\"SELECT a FROM b\"\n",
				0x100 + i * 3 + k, 0x10 + i, at + 1 + k * 12,
				at + 13 + k * 12);
	}
}

/* Queries of rows are added up, with and without what is usual; where rows
 * came to be more, and where each makes more of them. */
static void loop_below_rows(void **state)
{
	static const struct {
		int rows, queries;
		const char *grew;
	} usual[] = {
		{ 0, 0, "" },
		{ 1, 3,
		  ", up 504 ms (normally 3 calls, 10 earlier traces)" },
		{ 15, 15,
		  ", up 360 ms (normally 15 calls, 10 earlier traces)" },
	};
	char text[8192];

	(void)state;
	add_rows(text, sizeof text);
	for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
		const int n = usual[i].queries;
		char why[256];
		struct told g;

		snprintf(why, sizeof why,
			 "N+1: 45 x \"SELECT a FROM b\" below 15 spans like "
			 "web row, one after another, 540 ms, 87 %% of the "
			 "critical path%s",
			 usual[i].grew);
		begin(&g);
		if (n) {
			usually(&g, "GET /", SPAN_KIND_SERVER, 1, 20 + 12 * n);
			usually(&g, "row", SPAN_KIND_INTERNAL, usual[i].rows,
				1 + 12.0 * n / usual[i].rows);
			usually(&g, "SELECT", SPAN_KIND_CLIENT, n, 12);
		}
		tell(&g, text, any);
		expect(g.result.span.why, why);
		expect(g.result.span.name, "GET /");
		assert_int_equal(g.result.cause.kind, CAUSE_N_PLUS_ONE);
		end(&g);
	}
}

/* ---- the rest ---- */

static void incomplete(void **state)
{
	struct told g;

	(void)state;
	begin(&g);
	tell(&g,
	     "1 0 web S GET 0 900\n"
	     "2 1 web C q 50 850 db.system=mysql\n"
	     "3 99 web I lost 60 70\n",
	     any);
	expect(g.result.cause.confidence_text,
	       "the trace alone: 89 % of the critical path, the next candidate "
	       "11 %; spans are missing from the trace");
	end(&g);
}

/* The way in and the way to the span; what is between them is counted. */
static void long_path(void **state)
{
	char text[4096];
	struct told g;
	int len = 0;

	(void)state;
	for (int i = 0; i < 100; i++)
		len += snprintf(text + len, sizeof text - (size_t)len,
				"%x %x s I n%d %d %d\n", i + 1, i, i, i,
				1000 - i);
	begin(&g);
	tell(&g, text, any);
	assert_int_equal(g.result.span.path_count, 33);
	assert_int_equal(g.result.span.path_left_out, 68);
	expect(g.result.span.path[0], "s n0");
	expect(g.result.span.path[7], "s n7");
	expect(g.result.span.path[8], "... 68 spans ...");
	expect(g.result.span.path[9], "s n76");
	expect(g.result.span.path[32], "s n99");
	end(&g);
}

static void expect_missing(const char *text, struct guilty_want want,
			   const char *message)
{
	struct told g;

	begin(&g);
	tell(&g, text, want);
	assert_false(g.is_found);
	assert_int_equal(g.err.code, ERROR_NOT_FOUND);
	assert_string_equal(g.err.message, message);
	end(&g);
}

static void nothing_matches(void **state)
{
	(void)state;
	expect_missing("", any, "the trace has no spans");
	expect_missing(shop, (struct guilty_want){ .service = STR("nope") },
		       "no span of service \"nope\" in the trace; its services "
		       "are cat, web");
	expect_missing(shop,
		       (struct guilty_want){ .service = STR("cat"),
					     .name = STR("nope") },
		       "no span \"nope\" of service \"cat\" in the trace; "
		       "there is rank, SELECT items, List, score");
	expect_missing(shop, (struct guilty_want){ .span_id = 0xabc },
		       "no span 0000000000000abc in the trace; there is "
		       "0000000000000004 rank, 0000000000000006 SELECT items, "
		       "0000000000000003 List, 0000000000000001 GET /shop, "
		       "0000000000000005 score and more");
}

/* The server side is of another service. */
static void tell_way(struct told *g, int calls, const char *text)
{
	static const uint32_t served[] = { 0, 1u << 2, 0 };

	begin(g);
	usually(g, "GET /", SPAN_KIND_SERVER, 1, 30);
	usually(g, "call", SPAN_KIND_CLIENT, calls, 25);
	usually(g, "List", SPAN_KIND_SERVER, calls, 22);
	g->p.operations[2].service = STR("cat");
	g->served = served;
	tell(g, text, any);
}

static void the_way_between_two_services(void **state)
{
	struct told g;

	(void)state;
	tell_way(&g, 1,
		 "1 0 web S \"GET /\" 0 180\n"
		 "2 1 web C call 5 170\n"
		 "3 2 cat S List 100 122\n");
	expect(g.result.cause.text,
	       "between web and cat: 143 ms, normally 3 ms; cat's handler was "
	       "no slower than normal, 22 ms");
	expect(g.result.span.why,
	       "between web and cat: 143 ms, normally 3 ms; cat's handler was "
	       "no slower than normal, 22 ms");
	end(&g);
	tell_way(&g, 1,
		 "1 0 web S \"GET /\" 0 180\n"
		 "2 1 web C call 5 170\n"
		 "3 2 cat S List 100 130\n");
	expect(g.result.cause.text,
	       "between web and cat: 135 ms, normally 3 ms; cat's handler took "
	       "30 ms, normally 22 ms");
	end(&g);
}

static void a_connection_is_set_up(void **state)
{
	struct told g;

	(void)state;
	begin(&g);
	usually(&g, "GET /", SPAN_KIND_SERVER, 1, 30);
	usually(&g, "call", SPAN_KIND_CLIENT, 1, 25);
	usually(&g, "http.tls", SPAN_KIND_INTERNAL, 1, 2);
	tell(&g,
	     "1 0 web S \"GET /\" 0 180\n"
	     "2 1 web C call 5 170\n"
	     "3 2 web I http.tls 6 146\n"
	     "4 2 cat S List 147 169\n",
	     any);
	assert_int_equal(g.result.cause.kind, CAUSE_NETWORK);
	expect(g.result.span.name, "http.tls");
	expect(g.result.span.why,
	       "140 ms to set up a connection from web to cat: http.tls, up "
	       "138 ms (normally 2 ms, 10 earlier traces)");
	expect(g.result.cause.text,
	       "140 ms to set up a connection from web to cat: http.tls");
	end(&g);
}

static void the_way_of_several_calls(void **state)
{
	struct told g;

	(void)state;
	tell_way(&g, 2,
		 "1 0 web S \"GET /\" 0 180\n"
		 "2 1 web C call 5 90\n"
		 "3 2 cat S List 35 57\n"
		 "4 1 web C call 90 175\n"
		 "5 4 cat S List 120 142\n");
	expect(g.result.cause.text,
	       "between web and cat: 126 ms in 2 calls, normally 6 ms; cat's "
	       "handler was no slower than normal, 44 ms");
	end(&g);
}

UNIT_TESTS(choice_texts)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_time),
		cmocka_unit_test(as_asked_for),
		cmocka_unit_test(calls),
		cmocka_unit_test(a_queue),
		cmocka_unit_test(a_session),
		cmocka_unit_test(outside_the_callee),
		cmocka_unit_test(loop_of_calls),
		cmocka_unit_test(calls_that_overlap),
		cmocka_unit_test(attempts),
		cmocka_unit_test(grown),
		cmocka_unit_test(not_grown),
		cmocka_unit_test(new_call),
		cmocka_unit_test(grown_loop),
		cmocka_unit_test(loop_below_rows),
		cmocka_unit_test(incomplete),
		cmocka_unit_test(long_path),
		cmocka_unit_test(nothing_matches),
		cmocka_unit_test(the_way_between_two_services),
		cmocka_unit_test(a_connection_is_set_up),
		cmocka_unit_test(the_way_of_several_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
