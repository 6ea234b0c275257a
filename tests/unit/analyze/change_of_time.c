/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "../unit.h"
#include "history_fixture.h"

#include "analyze/choice.h"
#include "analyze/trace_analysis.h"
#include "analyze/typical.h"

/* A trace, what its operations usually take, and the answer. */
struct growing {
	struct past p;
	struct typical typical;
	const uint32_t *below; /* what operations wait for, NULL not known */
	uint32_t slow;         /* window, UINT32_MAX none */
	struct trace t;
	struct arena arena;
	struct trace_times times;
	struct result result;
	struct guilty_want want;
	struct choice c;
	struct guilty_pick pick;
};

static void begin(struct growing *g)
{
	*g = (struct growing){ .slow = UINT32_MAX };
	past_init(&g->p);
	past_window(&g->p, 0, 1000);
}

/* Ten traces, all alike, in each of which the operation is called `calls`
 * times for `each_ms`. The first one told is the root's. */
static void usually(struct growing *g, const char *service, const char *name,
		    enum span_kind kind, int calls, double each_ms)
{
	uint32_t operation = g->p.h.operation_count;
	struct history_window *w = &g->p.h.windows[0];

	past_operation(&g->p, service, name, kind);
	for (uint32_t i = 0; i < 10; i++) {
		if (!operation)
			past_trace(&g->p, 0);
		for (int j = 0; j < calls; j++)
			past_add(&g->p, 0, operation, i, each_ms)->trace = i;
	}
	assert_int_equal(w->trace_count, 10);
}

static void find(struct growing *g, const char *text, struct guilty_want want)
{
	struct error err = { 0 };

	g->want = want;
	fixture_trace(&g->t, text);
	arena_init(&g->arena, GIB);
	arena_init(&g->result.arena, GIB);
	assert_true(typical_build(&g->p.h, 0, (struct time_range){ 0, 0 }, 0,
				  UINT32_MAX, &g->p.arena, &g->typical, &err));
	assert_true(!g->below || typical_add_own(&g->typical, &g->p.h, 0,
						 (struct time_range){ 0, 0 },
						 g->below, g->slow, &err));
	assert_true(trace_times_compute(&g->t, &g->arena, &g->times, &err));
	assert_true(choice_make(&g->c, &g->t, &g->times, &g->want, &g->typical,
				&g->result, &err));
	assert_true(choice_conclude(&g->c, &g->result, &g->pick, &err));
}

static void end(struct growing *g)
{
	choice_release(&g->c);
	arena_release(&g->result.arena);
	arena_release(&g->arena);
	trace_release(&g->t);
	past_release(&g->p);
}

static void expect(const struct growing *g, uint64_t span_id, double change_ms,
		   enum choice_ground ground)
{
	const struct guilty_span *s = &g->result.span;

	assert_int_equal(s->span, fixture_span(&g->t, span_id));
	assert_int_equal(g->pick.change_ns, fixture_ms(change_ms));
	assert_int_equal(choice_ground(&g->c), ground);
}

/* The render takes 300 ms always; the ranking went from 20 to 170. */
static const char shop[] = "1 0 web S \"GET /\" 0 500\n"
			   "2 1 web I render 10 310\n"
			   "3 1 web I rank 320 490\n";

static void grown_before_long(void **state)
{
	struct growing g;

	(void)state;
	begin(&g);
	usually(&g, "web", "GET /", SPAN_KIND_SERVER, 1, 350);
	usually(&g, "web", "render", SPAN_KIND_INTERNAL, 1, 300);
	usually(&g, "web", "rank", SPAN_KIND_INTERNAL, 1, 20);
	find(&g, shop, (struct guilty_want){ 0 });
	expect(&g, 3, 150, CHOICE_OWN);
	assert_int_equal(g.result.span.typical_ns, fixture_ms(20));
	assert_int_equal(g.result.span.typical_count, 10);
	assert_false(g.pick.is_gap);
	assert_int_equal(g.c.change.trace_ns, fixture_ms(150));
	end(&g);
}

/* Render took 300 and 310, rank 100 and 105, the root 350 and 500: nothing
 * below explains it, so it is the entry span's. */
static void entry_span(void **state)
{
	struct growing g;

	(void)state;
	begin(&g);
	usually(&g, "web", "GET /", SPAN_KIND_SERVER, 1, 250);
	usually(&g, "web", "render", SPAN_KIND_INTERNAL, 1, 160);
	usually(&g, "web", "rank", SPAN_KIND_INTERNAL, 1, 60);
	find(&g, shop, (struct guilty_want){ 0 });
	/* 140 + 110 + 0: no span inside holds 80 % of 250. */
	expect(&g, 1, 250, CHOICE_OWN);
	end(&g);
}

/* 80 % of the growth in one of them: that one. 160 of 200, the other 40. */
static void inner_span(void **state)
{
	struct growing g;

	(void)state;
	begin(&g);
	usually(&g, "web", "GET /", SPAN_KIND_SERVER, 1, 300);
	usually(&g, "web", "render", SPAN_KIND_INTERNAL, 1, 140);
	usually(&g, "web", "rank", SPAN_KIND_INTERNAL, 1, 130);
	find(&g, shop, (struct guilty_want){ 0 });
	expect(&g, 2, 200, CHOICE_OWN);
	end(&g);
}

/* As always: then the longest on the path, and it is said. */
static void nothing_grew(void **state)
{
	struct growing g;

	(void)state;
	begin(&g);
	usually(&g, "web", "GET /", SPAN_KIND_SERVER, 1, 480);
	usually(&g, "web", "render", SPAN_KIND_INTERNAL, 1, 290);
	usually(&g, "web", "rank", SPAN_KIND_INTERNAL, 1, 150);
	find(&g, shop, (struct guilty_want){ 0 });
	expect(&g, 2, 10, CHOICE_OWN);
	assert_int_equal(g.result.span.typical_ns, fixture_ms(290));
	end(&g);
}

/* Half as much again, and a tenth of the path: 150 of 100 usual; 149.9. */
static void edge_of_change(void **state)
{
	struct growing g;

	(void)state;
	for (int i = 0; i < 2; i++) {
		begin(&g);
		usually(&g, "web", "GET /", SPAN_KIND_SERVER, 1, 450);
		usually(&g, "web", "rank", SPAN_KIND_INTERNAL, 1, 100);
		find(&g,
		     i ? "1 0 web S \"GET /\" 0 499.9\n"
			 "2 1 web I render 10 340\n"
			 "3 1 web I rank 350 499.9\n"
		       : "1 0 web S \"GET /\" 0 500\n"
			 "2 1 web I render 10 340\n"
			 "3 1 web I rank 350 500\n",
		     (struct guilty_want){ 0 });
		assert_int_equal(g.result.span.span,
				 fixture_span(&g.t, i ? 2 : 3));
		end(&g);
	}
}

/* A call that no usual trace makes; the callee sends no spans. */
static void new_call(void **state)
{
	struct growing g;

	(void)state;
	begin(&g);
	usually(&g, "web", "GET /", SPAN_KIND_SERVER, 1, 350);
	usually(&g, "web", "render", SPAN_KIND_INTERNAL, 1, 300);
	past_operation(&g.p, "web", "POST", SPAN_KIND_CLIENT);
	find(&g,
	     "1 0 web S \"GET /\" 0 500\n"
	     "2 1 web I render 10 310\n"
	     "3 1 web C POST 320 490 server.address=psp.example\n",
	     (struct guilty_want){ 0 });
	expect(&g, 3, 170, CHOICE_CALL);
	assert_int_equal(g.result.span.typical_ns, -1);
	assert_int_equal(g.result.cause.kind, CAUSE_DOWNSTREAM);
	end(&g);
}

/* The server side took 100 ms longer, the call 105: not the gap. */
static void server_side(void **state)
{
	struct growing g;

	(void)state;
	begin(&g);
	usually(&g, "web", "GET /", SPAN_KIND_SERVER, 1, 60);
	usually(&g, "web", "call", SPAN_KIND_CLIENT, 1, 45);
	usually(&g, "cat", "List", SPAN_KIND_SERVER, 1, 40);
	find(&g,
	     "1 0 web S \"GET /\" 0 170\n"
	     "2 1 web C call 10 160\n"
	     "3 2 cat S List 15 155\n",
	     (struct guilty_want){ 0 });
	expect(&g, 3, 100, CHOICE_OWN);
	end(&g);
}

/* The server side is as ever: the call waited in between. 110 ms of growth
 * count half. */
static void gap(void **state)
{
	struct growing g;

	(void)state;
	begin(&g);
	usually(&g, "web", "GET /", SPAN_KIND_SERVER, 1, 60);
	usually(&g, "web", "call", SPAN_KIND_CLIENT, 1, 50);
	usually(&g, "cat", "List", SPAN_KIND_SERVER, 1, 40);
	find(&g,
	     "1 0 web S \"GET /\" 0 180\n"
	     "2 1 web C call 10 170\n"
	     "3 2 cat S List 125 165\n",
	     (struct guilty_want){ 0 });
	assert_int_equal(g.result.span.span, fixture_span(&g.t, 2));
	assert_int_equal(g.pick.change_ns, fixture_ms(55));
	assert_int_equal(g.result.cause.kind, CAUSE_WAIT);
	assert_true(g.pick.is_gap);
	assert_string_equal(g.pick.service.ptr, "cat");
	end(&g);
}

/* The same as the caller's time: 180 ms without the 40 of the callee. */
static void gap_of_caller(void **state)
{
	struct growing g;

	(void)state;
	begin(&g);
	usually(&g, "web", "GET /", SPAN_KIND_SERVER, 1, 60);
	usually(&g, "web", "call", SPAN_KIND_CLIENT, 1, 50);
	usually(&g, "cat", "List", SPAN_KIND_SERVER, 1, 40);
	find(&g,
	     "1 0 web S \"GET /\" 0 180 pyroscope.profile.id=1\n"
	     "2 1 web C call 10 170\n"
	     "3 2 cat S List 125 165 pyroscope.profile.id=3\n",
	     (struct guilty_want){ .has_gap_of_caller = true });
	assert_int_equal(g.result.span.span, fixture_span(&g.t, 2));
	assert_int_equal(g.pick.owner, fixture_span(&g.t, 1));
	assert_string_equal(g.pick.service.ptr, "web");
	assert_int_equal(g.pick.profile_own_ns, fixture_ms(140));
	end(&g);
}

/* ---- own time ---- */

enum { ROOT, CALL };

static const uint32_t root_calls[] = { 1u << CALL, 0 };

/* The provider takes 600 ms always, as spans of ours tell; the request went
 * from 620 ms to 790, of which 20 and 180 are its own. */
static const char checkout[] = "1 0 web S \"GET /\" 0 790\n"
			       "2 1 web C POST 100 710 "
			       "server.address=psp.example\n";

static void own_time_beside_long_call(void **state)
{
	struct growing g;

	(void)state;
	begin(&g);
	g.below = root_calls;
	usually(&g, "web", "GET /", SPAN_KIND_SERVER, 1, 620);
	usually(&g, "web", "POST", SPAN_KIND_CLIENT, 1, 600);
	find(&g, checkout, (struct guilty_want){ 0 });
	expect(&g, 1, 160, CHOICE_OWN);
	end(&g);
}

/* 120 ms of its own were as usual: nothing grew, the longest is told. */
static void own_time_as_typical(void **state)
{
	struct growing g;

	(void)state;
	begin(&g);
	g.below = root_calls;
	usually(&g, "web", "GET /", SPAN_KIND_SERVER, 1, 720);
	usually(&g, "web", "POST", SPAN_KIND_CLIENT, 1, 600);
	find(&g,
	     "1 0 web S \"GET /\" 0 790\n"
	     "2 1 web C POST 100 730 server.address=psp.example\n",
	     (struct guilty_want){ 0 });
	assert_int_equal(g.result.span.span, fixture_span(&g.t, 2));
	end(&g);
}

/* The request's own time is 80 ms longer for all of them, the call 110 ms for
 * this one alone: 110 / 2 < 80. Of 170 ms the half is more. */
static void what_all_have_before_bad_luck(void **state)
{
	static const double ends[] = { 310, 370 };

	(void)state;
	for (int i = 0; i < 2; i++) {
		char text[256];
		struct growing g;

		begin(&g);
		g.below = root_calls;
		usually(&g, "web", "GET /", SPAN_KIND_SERVER, 1, 220);
		usually(&g, "web", "POST", SPAN_KIND_CLIENT, 1, 200);
		g.slow = past_window(&g.p, 1000, 2000);
		for (int j = 0; j < 10; j++) {
			past_span(&g.p, g.slow, ROOT, 1000 + j, 300);
			past_add(&g.p, g.slow, CALL, 1000 + j, 200);
		}
		snprintf(text, sizeof text,
			 "1 0 web S \"GET /\" 0 %g\n"
			 "2 1 web C POST 0 %g server.address=psp.example\n",
			 ends[i] + 100, ends[i]);
		find(&g, text, (struct guilty_want){ 0 });
		assert_int_equal(g.result.span.span,
				 fixture_span(&g.t, i ? 2 : 1));
		assert_int_equal(g.pick.change_ns, fixture_ms(i ? 170 : 80));
		end(&g);
	}
}

/* Requests of a session that mostly idles, all with one message. */
/* Ten places call another service, whose query takes so long each. */
static void calls_from_places(char text[4096], double each_ms, double other_ms)
{
	int len = snprintf(text, 4096, "1 0 web S \"GET /\" 0 1000\n");
	char *at = text + len;

	for (int i = 0; i < 10; i++) {
		int begin = 10 + 80 * i;

		len = snprintf(at, (size_t)(text + 4096 - at),
			       "%d 1 web I part%d %d %d\n"
			       "%d %d db S query %d %g\n"
			       "%d %d web I render %d %d\n",
			       10 + i, i, begin, begin + 75, 30 + i, 10 + i,
			       begin + 1, begin + 1 + each_ms, 50 + i, 10 + i,
			       begin + 70, begin + 71);
		at += len;
	}
	len = snprintf(at, (size_t)(text + 4096 - at),
		       "60 1 mail S send 850 %g\n", 850 + other_ms);
	assert_in_range(len, 1, text + 4096 - at);
}

/* Each by little, together by more than what grew most by itself. */
static void ten_places_together(void **state)
{
	struct growing g;
	char text[4096];

	(void)state;
	begin(&g);
	usually(&g, "web", "GET /", SPAN_KIND_SERVER, 1, 1000);
	usually(&g, "db", "query", SPAN_KIND_SERVER, 10, 20);
	usually(&g, "mail", "send", SPAN_KIND_SERVER, 1, 10);
	calls_from_places(text, 50, 130);
	find(&g, text, (struct guilty_want){ 0 });
	expect(&g, 0x30, 30, CHOICE_OWN);
	assert_int_equal(g.c.change.others_ns, fixture_ms(270));
	assert_int_equal(g.c.change.next_ns, fixture_ms(120));
	end(&g);
	begin(&g);
	usually(&g, "web", "GET /", SPAN_KIND_SERVER, 1, 1000);
	usually(&g, "db", "query", SPAN_KIND_SERVER, 10, 20);
	usually(&g, "mail", "send", SPAN_KIND_SERVER, 1, 10);
	calls_from_places(text, 31, 130);
	find(&g, text, (struct guilty_want){ 0 });
	expect(&g, 0x60, 120, CHOICE_OWN);
	assert_int_equal(g.c.change.next_ns, fixture_ms(110));
	end(&g);
}

static void sessions(struct growing *g, uint32_t window, int count,
		     double session_ms, double message_ms)
{
	for (int i = 0; i < count; i++) {
		double start_ms = 1000.0 * window + i;

		past_span(&g->p, window, ROOT, start_ms, session_ms);
		past_add(&g->p, window, CALL, start_ms, message_ms);
	}
}

/* The id of the span that is found. */
static uint64_t find_in_session(int traces, double typical_ms, double slow_ms,
				const char *text)
{
	struct growing g;
	uint64_t found;

	begin(&g);
	g.below = root_calls;
	past_operation(&g.p, "ws", "GET", SPAN_KIND_SERVER);
	past_operation(&g.p, "ws", "message", SPAN_KIND_INTERNAL);
	g.slow = past_window(&g.p, 1000, 2000);
	sessions(&g, 0, traces, 900, typical_ms);
	sessions(&g, g.slow, 10, 900 + slow_ms, slow_ms);
	find(&g, text, (struct guilty_want){ 0 });
	found = g.t.spans[g.result.span.span].span_id;
	assert_int_equal(g.pick.has_manifold_change, found == 2);
	if (found == 2)
		assert_int_equal(g.pick.change_ns,
				 g.result.span.self_ns -
					 fixture_ms(typical_ms));
	end(&g);
	return found;
}

/* A message went from 5 ms to 60 for all, in a second that is mostly idle and
 * some 45 ms longer than most. */
static void many_times_its_own(void **state)
{
	static const char session[] = "1 0 ws S GET 0 1000\n"
				      "2 1 ws I message 10 70\n";

	(void)state;
	assert_int_equal(find_in_session(20, 5, 60, session), 2);
	/* Too few traces; not for most; 9.8 times; 10 times but 45 ms. */
	assert_int_equal(find_in_session(19, 5, 60, session), 1);
	assert_int_equal(find_in_session(20, 5, 5, session), 1);
	assert_int_equal(find_in_session(20, 6, 60, session), 2);
	assert_int_equal(find_in_session(20, 6.1, 60, session), 1);
	assert_int_equal(find_in_session(20, 5, 50,
					 "1 0 ws S GET 0 1000\n"
					 "2 1 ws I message 10 64.9\n"),
			 1);
	assert_int_equal(find_in_session(20, 5, 50,
					 "1 0 ws S GET 0 1000\n"
					 "2 1 ws I message 10 65\n"),
			 2);
}

/* ---- work that nobody waited for ---- */

static const char messages[] = "1 0 api S \"PUT /\" 0 100\n"
			       "2 1 db C UPDATE 10 90 db.system.name=mysql\n"
			       "3 1 api P publish 92 94\n"
			       "4 3 idx K process 120 320\n"
			       "5 4 idx I tokenize 130 310\n";

/* The consumer's tree has a path of its own: 200 ms = 20 + 180. */
static void choice_in_consumer(void **state)
{
	struct error err = { 0 };
	struct growing g;

	(void)state;
	begin(&g);
	usually(&g, "api", "PUT /", SPAN_KIND_SERVER, 1, 100);
	usually(&g, "idx", "process", SPAN_KIND_CONSUMER, 1, 50);
	usually(&g, "idx", "tokenize", SPAN_KIND_INTERNAL, 1, 30);
	find(&g, messages, (struct guilty_want){ 0 });
	trace_times_focus(&g.t, &g.times, fixture_span(&g.t, 4));
	assert_int_equal(g.times.path_ns, fixture_ms(200));
	assert_int_equal(g.times.critical_ns[fixture_span(&g.t, 4)],
			 fixture_ms(20));
	assert_int_equal(g.times.critical_ns[fixture_span(&g.t, 5)],
			 fixture_ms(180));
	assert_false(g.times.is_on_path[fixture_span(&g.t, 1)]);
	choice_release(&g.c);
	assert_true(choice_make(&g.c, &g.t, &g.times, &g.want, &g.typical,
				&g.result, &err));
	assert_true(choice_conclude(&g.c, &g.result, &g.pick, &err));
	expect(&g, 5, 150, CHOICE_OWN);
	end(&g);
}

/* ---- loops ---- */

/* Ten queries, 30 ms each from 10 ms on, and a render. */
static void loop_text(char text[4096], double each_ms, const char *rest)
{
	int len = snprintf(text, 4096, "1 0 web S \"GET /\" 0 500\n%s", rest);

	for (int i = 0; i < 10; i++)
		len += snprintf(text + len, 4096 - (size_t)len,
				"%x 1 web C SELECT %g %g db.system.name=mysql "
				"db.query.text=\"SELECT a FROM b\"\n",
				i + 16, 10 + i * each_ms,
				10 + (i + 1) * each_ms - 1);
}

/* Usually one query: nine too many. */
static void loop_grew(void **state)
{
	char text[4096];
	struct growing g;

	(void)state;
	begin(&g);
	usually(&g, "web", "GET /", SPAN_KIND_SERVER, 1, 200);
	usually(&g, "web", "SELECT", SPAN_KIND_CLIENT, 1, 29);
	loop_text(text, 30, "2 1 web I render 320 490\n");
	find(&g, text, (struct guilty_want){ 0 });
	/* 10 x 29 ms and the usual 29. */
	expect(&g, 1, 261, CHOICE_LOOP);
	assert_int_equal(g.result.cause.kind, CAUSE_N_PLUS_ONE);
	assert_int_equal(g.result.span.typical_ns, fixture_ms(200));
	end(&g);
}

/* The loop is always there; the render grew from 20 to 170 ms. */
static void typical_loop(void **state)
{
	char text[4096];
	struct growing g;

	(void)state;
	begin(&g);
	usually(&g, "web", "GET /", SPAN_KIND_SERVER, 1, 350);
	usually(&g, "web", "SELECT", SPAN_KIND_CLIENT, 10, 29);
	usually(&g, "web", "render", SPAN_KIND_INTERNAL, 1, 20);
	loop_text(text, 30, "2 1 web I render 320 490\n");
	find(&g, text, (struct guilty_want){ 0 });
	expect(&g, 2, 150, CHOICE_OWN);
	end(&g);
}

/* As many queries as ever, each slower: the database, not the loop. */
static void slow_calls_of_loop(void **state)
{
	char text[4096];
	struct growing g;

	(void)state;
	begin(&g);
	usually(&g, "web", "GET /", SPAN_KIND_SERVER, 1, 250);
	usually(&g, "web", "SELECT", SPAN_KIND_CLIENT, 10, 4);
	loop_text(text, 30, "2 1 web I render 320 490\n");
	find(&g, text, (struct guilty_want){ 0 });
	assert_int_equal(g.result.span.span, fixture_span(&g.t, 16));
	assert_int_equal(g.result.span.count, 10);
	assert_int_equal(g.pick.change_ns, fixture_ms(250));
	assert_int_equal(g.result.cause.kind, CAUSE_DOWNSTREAM);
	assert_int_equal(g.result.span.typical_ns, fixture_ms(40));
	end(&g);
}

/* 48 calls of 3 ms with a server side of 2.5 ms: 144 ms, below what a rule of
 * thumb minds. */
static void served_loop_text(char text[8192], const char *root)
{
	int len = snprintf(text, 8192, "%s", root);

	for (int i = 0; i < 48; i++)
		len += snprintf(text + len, 8192 - (size_t)len,
				"%x 1 web C get %d %d rpc.system=grpc\n"
				"%x %x cat S Get %d.25 %d.75\n",
				i + 0x100, 10 + 4 * i, 13 + 4 * i, i + 0x200,
				i + 0x100, 10 + 4 * i, 12 + 4 * i);
}

static void expect_served_loop(int calls, double each_ms, bool is_loop)
{
	char text[8192];
	struct growing g;

	begin(&g);
	usually(&g, "web", "GET /", SPAN_KIND_SERVER, 1, 20);
	usually(&g, "web", "get", SPAN_KIND_CLIENT, calls, each_ms);
	usually(&g, "cat", "Get", SPAN_KIND_SERVER, calls, each_ms - 0.5);
	served_loop_text(text, "1 0 web S \"GET /\" 0 220\n");
	find(&g, text, (struct guilty_want){ 0 });
	if (is_loop) {
		assert_int_equal(g.result.cause.kind, CAUSE_N_PLUS_ONE);
		assert_int_equal(g.pick.owner, fixture_span(&g.t, 1));
		assert_string_equal(g.pick.service.ptr, "web");
		assert_int_equal(g.result.findings->span_id_count, 48);
	} else {
		assert_int_not_equal(g.result.cause.kind, CAUSE_N_PLUS_ONE);
		assert_string_equal(g.pick.service.ptr, "cat");
	}
	end(&g);
}

/* Each call is as quick as ever: their number is why, and the caller makes
 * it, even when the callee sends spans. Where number and duration both grew,
 * the larger factor decides. */
static void loop_by_number(void **state)
{
	(void)state;
	expect_served_loop(2, 3, true);
	/* 48 instead of 24, each 3 ms instead of 1.5: twice by both */
	expect_served_loop(24, 1.5, true);
	/* 3 ms instead of 1: thrice as long, twice as many */
	expect_served_loop(24, 1, false);
	/* as many as ever */
	expect_served_loop(48, 1, false);
}

/* Without history nobody knows whether 48 are many. */
static void loop_without_history(void **state)
{
	char text[8192];
	struct growing g;

	(void)state;
	begin(&g);
	usually(&g, "web", "other", SPAN_KIND_SERVER, 1, 20);
	served_loop_text(text, "1 0 web S \"GET /\" 0 220\n");
	find(&g, text, (struct guilty_want){ 0 });
	assert_int_not_equal(g.result.cause.kind, CAUSE_N_PLUS_ONE);
	for (size_t i = 0; i < g.result.finding_count; i++)
		assert_string_not_equal(g.result.findings[i].kind.ptr,
					"n_plus_one");
	end(&g);
}

/* Four lanes of 14 calls of 12 ms to someone who sends no spans; usually one:
 * not a slow callee, but too many calls. */
static void loop_in_lanes(void **state)
{
	char text[8192];
	struct growing g;
	int len = snprintf(text, 8192, "1 0 web S \"GET /\" 0 200\n");

	(void)state;
	begin(&g);
	usually(&g, "web", "GET /", SPAN_KIND_SERVER, 1, 30);
	usually(&g, "web", "GET", SPAN_KIND_CLIENT, 1, 12);
	for (int i = 0; i < 56; i++)
		len += snprintf(text + len, 8192 - (size_t)len,
				"%x 1 web C GET %d %d http.request.method=GET "
				"url.full=http://rates.example/v1/sku\n",
				i + 0x100, 10 + i / 4 * 13, 22 + i / 4 * 13);
	find(&g, text, (struct guilty_want){ 0 });
	/* 14 x 12 ms in which some of them ran. */
	expect(&g, 1, 168, CHOICE_LOOP);
	assert_int_equal(g.result.cause.kind, CAUSE_N_PLUS_ONE);
	end(&g);
}

/* Twelve calls of 50 ms, all at once. */
static void expect_at_once(int calls, double each_ms, bool is_loop)
{
	char text[4096];
	struct growing g;
	int len = snprintf(text, 4096, "1 0 web S \"GET /\" 0 100\n");

	begin(&g);
	usually(&g, "web", "GET /", SPAN_KIND_SERVER, 1, 40);
	usually(&g, "web", "get", SPAN_KIND_CLIENT, calls, each_ms);
	for (int i = 0; i < 12; i++)
		len += snprintf(text + len, 4096 - (size_t)len,
				"%x 1 web C get 10 60 rpc.system=grpc\n",
				i + 16);
	find(&g, text, (struct guilty_want){ 0 });
	assert_int_equal(g.result.cause.kind == CAUSE_N_PLUS_ONE, is_loop);
	if (is_loop)
		expect(&g, 1, 50, CHOICE_LOOP);
	end(&g);
}

/* They hold each other up: each takes longer, but by less than there are
 * more. 6 times as many, 5 times or 6.25 times as long; as many as ever. */
static void loop_at_once(void **state)
{
	(void)state;
	expect_at_once(2, 10, true);
	expect_at_once(2, 8, false);
	expect_at_once(12, 20, false);
}

/* ---- calls made again ---- */

/* The root took 560 ms more, its second call 10 ms of them: of 550 ms the
 * pause is 300, more than half; of 861 ms it is less. */
static void pause_grew(void **state)
{
	static const int ends[] = { 620, 931 };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct growing g;
		char text[512];

		snprintf(text, sizeof text,
			 "1 0 web S \"GET /\" 0 %d\n"
			 "2 1 web C POST 10 20 error=refused "
			 "url.full=http://pay/c\n"
			 "3 1 web C POST 320 330 url.full=http://pay/c\n",
			 ends[i]);
		begin(&g);
		usually(&g, "web", "GET /", SPAN_KIND_SERVER, 1, 60);
		usually(&g, "web", "POST", SPAN_KIND_CLIENT, 1, 10);
		find(&g, text, (struct guilty_want){ 0 });
		if (i == 0)
			expect(&g, 1, 550, CHOICE_PAUSES);
		assert_int_equal(g.result.cause.kind,
				 i == 0 ? CAUSE_WAIT : CAUSE_UNKNOWN);
		end(&g);
	}
}

/* ---- what the user asked for ---- */

static void asked_for(void **state)
{
	struct growing g;

	(void)state;
	begin(&g);
	usually(&g, "web", "GET /", SPAN_KIND_SERVER, 1, 350);
	usually(&g, "web", "rank", SPAN_KIND_INTERNAL, 1, 20);
	usually(&g, "web", "render", SPAN_KIND_INTERNAL, 1, 300);
	find(&g, shop, (struct guilty_want){ .name = STR("render") });
	expect(&g, 2, 0, CHOICE_OWN);
	end(&g);
}

static void asked_by_duration(void **state)
{
	struct growing g;

	(void)state;
	begin(&g);
	usually(&g, "web", "GET /", SPAN_KIND_SERVER, 1, 350);
	usually(&g, "web", "rank", SPAN_KIND_INTERNAL, 1, 20);
	find(&g, shop, (struct guilty_want){ .by = GUILTY_BY_DURATION });
	assert_int_equal(g.result.span.span, fixture_span(&g.t, 1));
	end(&g);
}

/* Ten spans deep: a span of the same process counts at its entry span. */
static void deep_inner(void **state)
{
	struct growing g;

	(void)state;
	begin(&g);
	usually(&g, "web", "GET /", SPAN_KIND_SERVER, 1, 100);
	find(&g,
	     "1 0 web S \"GET /\" 0 500\n"
	     "2 1 web I a 1 499\n"
	     "3 2 web I b 2 498\n"
	     "4 3 web I c 3 497\n",
	     (struct guilty_want){ 0 });
	/* Nothing is known of c: it grew as the trace did, by 80 % of its
	 * 494 ms; the others hold 2 ms each. */
	assert_int_equal(g.result.span.span, fixture_span(&g.t, 4));
	end(&g);
}

UNIT_TESTS(change_of_time)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grown_before_long),
		cmocka_unit_test(entry_span),
		cmocka_unit_test(inner_span),
		cmocka_unit_test(nothing_grew),
		cmocka_unit_test(edge_of_change),
		cmocka_unit_test(new_call),
		cmocka_unit_test(server_side),
		cmocka_unit_test(gap),
		cmocka_unit_test(gap_of_caller),
		cmocka_unit_test(own_time_beside_long_call),
		cmocka_unit_test(own_time_as_typical),
		cmocka_unit_test(what_all_have_before_bad_luck),
		cmocka_unit_test(ten_places_together),
		cmocka_unit_test(many_times_its_own),
			cmocka_unit_test(choice_in_consumer),
		cmocka_unit_test(loop_grew),
		cmocka_unit_test(typical_loop),
		cmocka_unit_test(slow_calls_of_loop),
		cmocka_unit_test(loop_by_number),
		cmocka_unit_test(loop_without_history),
		cmocka_unit_test(loop_in_lanes),
		cmocka_unit_test(loop_at_once),
		cmocka_unit_test(pause_grew),
		cmocka_unit_test(asked_for),
		cmocka_unit_test(asked_by_duration),
		cmocka_unit_test(deep_inner),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
