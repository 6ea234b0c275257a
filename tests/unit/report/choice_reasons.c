/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "../unit.h"
#include "../analyze/history_fixture.h"

#include "analyze/trace_analysis.h"
#include "analyze/typical.h"
#include "report/texts.h"

/* A trace, what its operations usually take, and the reasons given. */
struct reasoning {
	struct past p;
	struct typical typical;
	struct trace t;
	struct arena arena;
	struct trace_times times;
	struct result result;
	struct guilty_pick pick;
};

static void begin(struct reasoning *g)
{
	memset(g, 0, sizeof *g);
	past_init(&g->p);
	past_window(&g->p, 0, 1000);
}

/* Ten traces, all alike; the first operation is the root's. */
static void usually(struct reasoning *g, const char *name, enum span_kind kind,
		    double each_ms)
{
	uint32_t operation = g->p.h.operation_count;

	past_operation(&g->p, "web", name, kind);
	for (uint32_t i = 0; i < 10; i++) {
		if (!operation)
			past_trace(&g->p, 0);
		past_add(&g->p, 0, operation, i, each_ms)->trace = i;
	}
}

static void explain(struct reasoning *g, const char *text, bool has_typical,
		    struct guilty_want want)
{
	struct error err = { 0 };
	struct choice c;

	fixture_trace(&g->t, text);
	arena_init(&g->arena, GIB);
	arena_init(&g->result.arena, GIB);
	if (has_typical)
		assert_true(typical_build(
			&g->p.h, 0, (struct time_range){ 0, 0 }, 0, UINT32_MAX,
			&g->p.arena, &g->typical, &err));
	assert_true(trace_times_compute(&g->t, &g->arena, &g->times, &err));
	assert_true(choice_make(&c, &g->t, &g->times, &want,
				has_typical ? &g->typical : NULL, &g->result,
				&err));
	choice_reasons_report(&c, &g->result.reasons);
	assert_true(choice_conclude(&c, &g->result, &g->pick, &err));
	assert_true(choice_texts_write(&c, &g->result, &err));
	choice_release(&c);
}

static void end(struct reasoning *g)
{
	arena_release(&g->result.arena);
	arena_release(&g->arena);
	trace_release(&g->t);
	past_release(&g->p);
}

static void expect(const struct reasoning *g, const char *const *lines)
{
	size_t n = 0;

	for (; lines[n]; n++) {
		assert_true(n < g->result.reasons.count);
		assert_string_equal(g->result.reasons.text[n], lines[n]);
	}
	assert_int_equal(g->result.reasons.count, n);
}

/* Rank went from 20 to 170 ms; render is always long; the root took what its
 * children took, and 30 ms of its own that nobody knows the usual of. */
static const char shop[] = "1 0 web S \"GET /\" 0 500\n"
			   "2 1 web I render 10 310\n"
			   "3 1 web I rank 320 490\n";

static void by_change(void **state)
{
	static const char *const lines[] = {
		"span: 3 candidates, by growth over its baseline",
		"span: web rank: duration 170 ms, self time on the path 170 "
		"ms, normally 20 ms (10 traces), grew 150 ms: chosen",
		"span: web render: duration 300 ms, self time on the path 300 "
		"ms, normally 300 ms (10 traces), grew 0 s: within its normal "
		"range",
		"span: web GET /: duration 500 ms, self time on the path 30 "
		"ms, normally 350 ms (10 traces), grew 0 s: within its normal "
		"range",
		NULL
	};
	struct reasoning g;

	(void)state;
	begin(&g);
	usually(&g, "GET /", SPAN_KIND_SERVER, 350);
	usually(&g, "render", SPAN_KIND_INTERNAL, 300);
	usually(&g, "rank", SPAN_KIND_INTERNAL, 20);
	explain(&g, shop, true, (struct guilty_want){ 0 });
	expect(&g, lines);
	end(&g);
}

/* 140 of render, 110 of rank: no one inside holds 80 %. */
static void counted_at_entry(void **state)
{
	static const char *const lines[] = {
		"span: 3 candidates, by growth over its baseline",
		"span: web GET /: duration 500 ms, self time on the path 30 "
		"ms, normally 250 ms (10 traces), grew 0 s: chosen, with the "
		"code of its process grew 250 ms",
		"span: web render: duration 300 ms, self time on the path 300 "
		"ms, normally 160 ms (10 traces), grew 140 ms: grew less, 56 % "
		"of the chosen one",
		"span: web rank: duration 170 ms, self time on the path 170 "
		"ms, normally 60 ms (10 traces), grew 110 ms: grew less, 44 % "
		"of the chosen one",
		NULL
	};
	struct reasoning g;

	(void)state;
	begin(&g);
	usually(&g, "GET /", SPAN_KIND_SERVER, 250);
	usually(&g, "render", SPAN_KIND_INTERNAL, 160);
	usually(&g, "rank", SPAN_KIND_INTERNAL, 60);
	explain(&g, shop, true, (struct guilty_want){ 0 });
	expect(&g, lines);
	end(&g);
}

/* A wait in front of the callee: half of it decides, all of it is told. */
static void whole_of_call(void **state)
{
	struct reasoning g;

	(void)state;
	begin(&g);
	usually(&g, "GET /", SPAN_KIND_SERVER, 50);
	usually(&g, "find", SPAN_KIND_CLIENT, 30);
	explain(&g,
		"1 0 web S \"GET /\" 0 100\n"
		"2 1 web C find 10 90\n"
		"3 2 db S find 70 80\n",
		true, (struct guilty_want){ 0 });
	assert_string_equal(g.result.reasons.text[1],
			    "span: web find: duration 80 ms, self time on the path "
			    "70 ms, normally 30 ms (10 traces), grew 50 ms, "
			    "half of it counts: chosen");
	assert_non_null(strstr(g.result.span.why.ptr, "up 50 ms"));
	end(&g);
}

/* Nothing known of other traces; self time asked for. A call with a server
 * side counts half: its own 20 ms score 10. */
static void alone(void **state)
{
	static const char *const lines[] = {
		"span: 3 candidates, by score: self time on the critical path, "
		"half for a call whose callee has spans, unless that is most "
		"of the path; no baseline",
		"span: db find: duration 60 ms, self time on the path 60 ms: "
		"chosen",
		"span: web GET /: duration 100 ms, self time on the path 20 ms: "
		"was shorter, 33 % of the chosen one",
		"span: web find: duration 80 ms, self time on the path 20 ms, "
		"score 10 ms: was shorter, 17 % of the chosen one",
		NULL
	};
	struct reasoning g;

	(void)state;
	begin(&g);
	explain(&g,
		"1 0 web S \"GET /\" 0 100\n"
		"2 1 web C find 10 90\n"
		"3 2 db S find 20 80\n",
		false, (struct guilty_want){ 0 });
	expect(&g, lines);
	end(&g);
}

static void by_self(void **state)
{
	struct reasoning g;

	(void)state;
	begin(&g);
	explain(&g, shop, false,
		(struct guilty_want){ .by = GUILTY_BY_SELF,
				      .service = STR("web") });
	assert_string_equal(g.result.reasons.text[0],
			    "span: 3 candidates, matching the options, by self "
			    "time; no baseline");
	end(&g);
}

/* Twelve queries in a row; the loop and its calls are one problem. */
static void loop(void **state)
{
	char text[1024];
	size_t len;
	struct reasoning g;

	(void)state;
	begin(&g);
	len = (size_t)snprintf(text, sizeof text, "1 0 web S list 0 130\n");
	for (int i = 0; i < 12; i++)
		len += (size_t)snprintf(
			text + len, sizeof text - len,
			"%x 1 web C q %d %d db.system=mysql "
			"db.statement=\"SELECT a FROM t WHERE id = %d\"\n",
			i + 2, 2 + 10 * i, 11 + 10 * i, i);
	explain(&g, text, false, (struct guilty_want){ 0 });
	assert_string_equal(g.result.reasons.text[1],
			    "span: loop of 12 x \"SELECT a FROM t WHERE id = "
			    "?\" in list: 108 ms: chosen");
	assert_string_equal(g.result.reasons.text[2],
			    "span: web q x12: duration 108 ms, self time on "
			    "the path 108 ms: part of the loop");
	assert_string_equal(g.result.reasons.text[3],
			    "span: web list: duration 130 ms, self time on the "
			    "path 22 ms: part of the loop");
	assert_int_equal(g.result.reasons.count, 4);
	end(&g);
}

/* 3 x 50 ms of attempts and 2 x 50 ms of pauses are more than 200 ms. */
static void tried_again(void **state)
{
	struct reasoning g;

	(void)state;
	begin(&g);
	explain(&g,
		"1 0 web S list 0 450\n"
		"2 1 web C POST 0 50 error url.full=http://pay/c\n"
		"3 1 web C POST 100 150 error url.full=http://pay/c\n"
		"4 1 web C POST 200 250 error url.full=http://pay/c\n"
		"5 1 web I render 250 450\n",
		false, (struct guilty_want){ 0 });
	assert_string_equal(g.result.reasons.text[1],
			    "span: web POST x3: duration 150 ms, self time on "
			    "the path 150 ms: chosen, its attempts and the "
			    "pauses together 250 ms");
	assert_string_equal(g.result.reasons.text[2],
			    "span: web render: duration 200 ms, self time on "
			    "the path 200 ms: was shorter, 80 % of the chosen "
			    "one");
	end(&g);
}

/* Six are told, the rest counted. */
static void many(void **state)
{
	char text[1024];
	size_t len;
	struct reasoning g;

	(void)state;
	begin(&g);
	len = (size_t)snprintf(text, sizeof text, "1 0 web S \"GET /\" 0 99\n");
	for (int i = 0; i < 7; i++)
		len += (size_t)snprintf(text + len, sizeof text - len,
					"%x 1 web I part%d %d %d\n", i + 2, i,
					10 * i, 10 * i + 3 + i);
	explain(&g, text, false, (struct guilty_want){ 0 });
	assert_int_equal(g.result.reasons.count, 8);
	assert_string_equal(g.result.reasons.text[7],
			    "span: 2 more, with less");
	end(&g);
}

UNIT_TESTS(choice_reasons)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_change),
		cmocka_unit_test(counted_at_entry),
		cmocka_unit_test(whole_of_call),
		cmocka_unit_test(alone),
		cmocka_unit_test(by_self),
		cmocka_unit_test(loop),
		cmocka_unit_test(tried_again),
		cmocka_unit_test(many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
