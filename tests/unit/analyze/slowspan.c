/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "trace_fixture.h"

#include "analyze/slowspan.h"

struct ranking {
	struct trace t;
	struct arena arena;
	struct trace_times times;
	struct calls calls;
	struct candidates list;
};

static void begin(struct ranking *r, const char *text, struct guilty_want want)
{
	struct error err = { 0 };

	fixture_trace(&r->t, text);
	arena_init(&r->arena, GIB);
	assert_true(trace_times_compute(&r->t, &r->arena, &r->times, &err));
	assert_true(calls_build(&r->t, &r->arena, &r->calls, &err));
	assert_true(candidates_rank(&r->calls, &r->times, &want, &r->arena,
				    &r->list, &err));
}

static void end(struct ranking *r)
{
	arena_release(&r->arena);
	trace_release(&r->t);
}

/* The candidate in this place: its first span, members and score. */
static void expect(const struct ranking *r, size_t place, uint64_t id,
		   uint32_t count, double score_ms)
{
	const struct candidate *c = &r->list.items[place];

	assert_true(place < r->list.count);
	assert_int_equal(r->t.spans[c->span].span_id, id);
	assert_int_equal(c->count, count);
	assert_int_equal(c->score, fixture_ms(score_ms));
	assert_int_equal(r->list.members[c->member_first], c->span);
}

static const char small_calls[] = "1 0 s S root 0 300\n"
				  "2 1 s I one 10 70\n"
				  "3 1 s C \"GET x\" 70 100\n"
				  "4 1 s C \"GET x\" 100 130\n"
				  "5 1 s C \"GET x\" 130 160\n"
				  "6 1 s C \"GET y\" 160 190\n"
				  "7 1 s I \"GET x\" 190 200\n"
				  "8 2 s C \"GET x\" 20 45\n";

static void groups_outrank_spans(void **state)
{
	struct ranking r;

	(void)state;
	begin(&r, small_calls, (struct guilty_want){ 0 });
	assert_int_equal(r.list.count, 6);
	expect(&r, 0, 1, 1, 110);
	expect(&r, 1, 3, 3, 90);
	expect(&r, 2, 2, 1, 35);
	expect(&r, 3, 6, 1, 30);
	expect(&r, 4, 8, 1, 25);
	expect(&r, 5, 7, 1, 10);
	assert_int_equal(r.list.items[1].duration_ns, fixture_ms(90));
	assert_int_equal(r.list.items[1].start_ns,
			 FIXTURE_BASE_NS + fixture_ms(70));
	assert_int_equal(r.list.items[1].end_ns,
			 FIXTURE_BASE_NS + fixture_ms(160));
	assert_int_equal(r.list.items[1].parent, fixture_span(&r.t, 1));
	end(&r);
}

/* No fan-out, though more than 50 ms ran within 50. */
static void whole_milliseconds(void **state)
{
	struct ranking r;

	(void)state;
	begin(&r,
	      "1 0 s S root 0 51.1\n"
	      "2 1 s C query 0 0.9\n"
	      "3 1 s C query 0 49.9\n"
	      "4 3 s I other 1 1.1\n"
	      "5 3 s I other 2 2.1\n"
	      "6 3 s I other 3 3.1\n"
	      "7 3 s I other 4 4.1\n"
	      "8 3 s I other 5 5.1\n"
	      "9 3 s I other 6 6.1\n"
	      "a 3 s I other 7 7.1\n"
	      "b 3 s I other 8 8.1\n"
	      "c 3 s I other 9 9.1\n",
	      (struct guilty_want){ .name = STR("query") });
	expect(&r, 0, 2, 2, 0.9 + 49.9 - 0.9);
	assert_int_equal(r.list.items[0].branch_count, 0);
	assert_int_equal(r.list.items[0].start_ns, FIXTURE_BASE_NS);
	assert_int_equal(r.list.items[0].end_ns,
			 FIXTURE_BASE_NS + fixture_ms(50.8));
	end(&r);
}

static void ranked_by_choice(void **state)
{
	struct ranking r;

	(void)state;
	begin(&r,
	      "1 0 s S root 0 100\n"
	      "2 1 s I quick 0 95\n"
	      "3 1 s I late 5 100\n"
	      "4 3 s I inner 10 90\n",
	      (struct guilty_want){ .by = GUILTY_BY_SELF });
	expect(&r, 0, 2, 1, 95);
	expect(&r, 1, 4, 1, 80);
	expect(&r, 2, 3, 1, 15);
	end(&r);
	begin(&r, small_calls,
	      (struct guilty_want){ .by = GUILTY_BY_DURATION });
	expect(&r, 0, 1, 1, 300);
	expect(&r, 1, 3, 3, 90);
	end(&r);
}

static void filters(void **state)
{
	struct ranking r;
	static const char text[] = "1 0 a S root 0 100\n"
				   "2 1 a I x 0 10\n"
				   "3 1 a I x 10 30\n"
				   "4 1 b I x 30 40\n"
				   "5 1 b K later 200 250\n";

	(void)state;
	begin(&r, text, (struct guilty_want){ .service = STR("b") });
	assert_int_equal(r.list.count, 2);
	expect(&r, 0, 5, 1, 50);
	expect(&r, 1, 4, 1, 10);
	end(&r);
	begin(&r, text, (struct guilty_want){ .name = STR("x") });
	assert_int_equal(r.list.count, 2);
	expect(&r, 0, 2, 2, 30);
	end(&r);
	begin(&r, text, (struct guilty_want){ .span_id = 3 });
	assert_int_equal(r.list.count, 1);
	expect(&r, 0, 3, 1, 20);
	end(&r);
	begin(&r, text,
	      (struct guilty_want){ .span_id = 3, .service = STR("b") });
	assert_int_equal(r.list.count, 0);
	end(&r);
	begin(&r, text, (struct guilty_want){ 0 });
	for (size_t i = 0; i < r.list.count; i++)
		assert_int_not_equal(r.t.spans[r.list.items[i].span].span_id,
				     5);
	end(&r);
}

/* 20 ms in the network against 18 ms of code: the code is named. */
static void network_counts_half(void **state)
{
	struct ranking r;

	(void)state;
	begin(&r,
	      "1 0 a C call 0 38\n"
	      "2 1 b S serve 10 28\n",
	      (struct guilty_want){ 0 });
	expect(&r, 0, 2, 1, 18);
	expect(&r, 1, 1, 1, 10);
	end(&r);
	begin(&r,
	      "1 0 a C call 0 100\n"
	      "2 1 b S serve 40 58\n",
	      (struct guilty_want){ 0 });
	expect(&r, 0, 1, 1, 82);
	end(&r);
	/* 990 of 1,600 ms pass before the callee begins, which then works for
	 * 510 ms and ends a little after its caller. */
	begin(&r,
	      "1 0 web S GET 0 1600\n"
	      "2 1 web C call 10 1510\n"
	      "3 2 api S serve 1000 1510.001\n",
	      (struct guilty_want){ 0 });
	expect(&r, 0, 2, 1, 990);
	end(&r);
}

/* The server sides of repeated calls belong together. */
static void server_sides_group(void **state)
{
	struct ranking r;

	(void)state;
	begin(&r,
	      "1 0 a S root 0 100\n"
	      "2 1 a C call 0 20\n"
	      "3 2 b S serve 1 19\n"
	      "4 3 b I work 2 18\n"
	      "5 1 a C call 20 40\n"
	      "6 5 b S serve 21 39\n"
	      "7 6 b I work 22 38\n"
	      "8 1 a I other 40 70\n",
	      (struct guilty_want){ 0 });
	expect(&r, 0, 4, 2, 32);
	expect(&r, 1, 1, 1, 30);
	expect(&r, 2, 8, 1, 30);
	end(&r);
}

/* Same name, other query or other host: other calls. */
static void calls_told_apart(void **state)
{
	struct ranking r;

	(void)state;
	begin(&r,
	      "1 0 s S root 0 100\n"
	      "2 1 s C q 0 10 db.system=pg db.statement=\"SELECT 1 FROM a\"\n"
	      "3 1 s C q 10 20 db.system=pg db.statement=\"select 2 from a\"\n"
	      "4 1 s C q 20 30 db.system=pg db.statement=\"SELECT 1 FROM b\"\n"
	      "5 1 s C GET 30 40 url.full=http://h/u/17?x=1\n"
	      "6 1 s C GET 40 50 url.full=http://h/u/18\n"
	      "7 1 s C GET 50 60 url.full=http://i/u/18\n"
	      "8 1 s C GET 60 70 server.address=h\n"
	      "9 1 s C GET 70 80 server.address=i\n",
	      (struct guilty_want){ 0 });
	assert_int_equal(r.list.count, 7);
	expect(&r, 0, 1, 1, 20);
	expect(&r, 1, 2, 2, 20);
	expect(&r, 2, 5, 2, 20);
	expect(&r, 3, 4, 1, 10);
	end(&r);
}

static void ties_by_time(void **state)
{
	static const char text[] = "1 0 s S root 0 30\n"
				   "4 1 s I d 0 10\n"
				   "3 1 s I c 10 20\n"
				   "2 1 s I b 20 30\n";

	(void)state;
	for (unsigned seed = 0; seed < 10; seed++) {
		struct ranking r;
		struct error err = { 0 };
		struct guilty_want want = { 0 };

		fixture_trace_shuffled(&r.t, text, seed);
		arena_init(&r.arena, GIB);
		assert_true(
			trace_times_compute(&r.t, &r.arena, &r.times, &err));
		assert_true(calls_build(&r.t, &r.arena, &r.calls, &err));
		assert_true(candidates_rank(&r.calls, &r.times, &want, &r.arena,
					    &r.list, &err));
		expect(&r, 0, 4, 1, 10);
		expect(&r, 1, 3, 1, 10);
		expect(&r, 2, 2, 1, 10);
		expect(&r, 3, 1, 1, 0);
		end(&r);
	}
}

/* Four shards side by side: the path runs through the last to end, which is
 * neither the first nor the one that began last. Five calls in lanes of two
 * share the path: a group as before. */
static void slowest_branch(void **state)
{
	struct ranking r;

	(void)state;
	begin(&r,
	      "1 0 api S search 0 130\n"
	      "2 1 api C Query 10 20\n"
	      "3 1 api C Query 10 24\n"
	      "4 1 api C Query 11 121\n"
	      "5 1 api C Query 12 22\n",
	      (struct guilty_want){ 0 });
	expect(&r, 0, 4, 1, 110);
	assert_int_equal(r.list.items[0].branch_count, 4);
	assert_int_equal(r.list.items[0].duration_ns, fixture_ms(110));
	end(&r);
	begin(&r,
	      "1 0 api S search 0 130\n"
	      "2 1 api C Query 0 40\n"
	      "3 1 api C Query 10 50\n"
	      "4 1 api C Query 40 80\n"
	      "5 1 api C Query 50 90\n"
	      "6 1 api C Query 90 130\n",
	      (struct guilty_want){ 0 });
	expect(&r, 0, 2, 5, 120);
	assert_int_equal(r.list.items[0].branch_count, 0);
	end(&r);
	/* By duration a group is what it was. */
	begin(&r,
	      "1 0 api S search 0 130\n"
	      "2 1 api C Query 10 20\n"
	      "3 1 api C Query 11 121\n",
	      (struct guilty_want){ .by = GUILTY_BY_DURATION });
	expect(&r, 1, 2, 2, 111);
	end(&r);
}

/* 80 of 100 ms on the path, and 79. */
static void edge_of_branch(void **state)
{
	static const char *const texts[] = {
		"1 0 api S search 0 100\n"
		"2 1 api C Query 0 20\n"
		"3 1 api C Query 1 10\n"
		"4 1 api C Query 20 100\n",
		"1 0 api S search 0 100\n"
		"2 1 api C Query 0 21\n"
		"3 1 api C Query 1 10\n"
		"4 1 api C Query 21 100\n",
	};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct ranking r;

		begin(&r, texts[i], (struct guilty_want){ 0 });
		if (i)
			expect(&r, 0, 2, 3, 100);
		else
			expect(&r, 0, 4, 1, 80);
		end(&r);
	}
}

/* What repeats inside each turn of a loop is one candidate; the same below
 * something else is another. */
static void turns_of_a_loop(void **state)
{
	struct ranking r;

	(void)state;
	begin(&r,
	      "1 0 s S root 0 130\n"
	      "2 1 s I row 0 30\n"
	      "3 2 s I compute 2 14\n"
	      "4 2 s I compute 16 28\n"
	      "5 1 s I row 30 60\n"
	      "6 5 s I compute 32 44\n"
	      "7 5 s I compute 46 58\n"
	      "8 1 s I other 60 100\n"
	      "9 8 s I compute 65 95\n",
	      (struct guilty_want){ 0 });
	assert_int_equal(r.list.count, 5);
	expect(&r, 0, 3, 4, 48);
	expect(&r, 1, 1, 1, 30);
	expect(&r, 2, 9, 1, 30);
	expect(&r, 3, 2, 2, 12);
	expect(&r, 4, 8, 1, 10);
	end(&r);
	begin(&r,
	      "1 0 s S root 0 60\n"
	      "2 1 s I row 0 30\n"
	      "3 2 s I compute 2 14\n"
	      "4 1 s I row 30 60\n"
	      "5 4 s I compute 32 44\n",
	      (struct guilty_want){ .span_id = 5 });
	assert_int_equal(r.list.count, 1);
	expect(&r, 0, 5, 1, 12);
	end(&r);
}

UNIT_TESTS(slowspan)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups_outrank_spans),
		cmocka_unit_test(whole_milliseconds),
		cmocka_unit_test(ranked_by_choice),
		cmocka_unit_test(filters),
		cmocka_unit_test(network_counts_half),
		cmocka_unit_test(server_sides_group),
		cmocka_unit_test(calls_told_apart),
		cmocka_unit_test(ties_by_time),
		cmocka_unit_test(slowest_branch),
		cmocka_unit_test(edge_of_branch),
		cmocka_unit_test(turns_of_a_loop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
