/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "../unit.h"
#include "trace_fixture.h"

#include "../starving.h"
#include "analyze/choice.h"
#include "analyze/findings.h"
#include "analyze/trace_analysis.h"
#include "base/buf.h"

struct answer {
	struct choice c;
	struct guilty_want want;
	struct trace t;
	struct arena arena;
	struct trace_times times;
	struct result result;
	struct guilty_pick pick;
	struct error err;
	bool is_found;
};

static void find(struct answer *a, const char *text, struct guilty_want want)
{
	struct error err = { 0 };

	*a = (struct answer){ .want = want };
	fixture_trace(&a->t, text);
	arena_init(&a->arena, GIB);
	arena_init(&a->result.arena, GIB);
	assert_true(trace_times_compute(&a->t, &a->arena, &a->times, &err));
	a->is_found = choice_make(&a->c, &a->t, &a->times, &a->want, NULL,
				  &a->result, &a->err) &&
		      choice_conclude(&a->c, &a->result, &a->pick, &a->err);
}

static void begin(struct answer *a, const char *text)
{
	find(a, text, (struct guilty_want){ 0 });
	assert_true(a->is_found);
}

static void end(struct answer *a)
{
	choice_release(&a->c);
	arena_release(&a->result.arena);
	arena_release(&a->arena);
	trace_release(&a->t);
}

static void expect_str(struct str text, const char *expected)
{
	assert_int_equal(text.len, strlen(expected));
	assert_memory_equal(text.ptr, expected, text.len);
}

/* Names from the root down, a blank between them. */
static void expect_path(const struct answer *a, const char *expected)
{
	struct buf text;

	buf_init(&text, MIB);
	for (uint32_t i = a->c.step_count; i-- > 0;) {
		buf_add_str(&text, span_name(&a->t, a->c.steps[i]));
		buf_add_text(&text, i ? " " : "");
	}
	assert_string_equal(buf_text(&text), expected);
	buf_release(&text);
}

/* The finding of this kind, which must be there. */
static const struct trace_finding *finding(const struct answer *a,
					   const char *kind)
{
	for (size_t i = 0; i < a->result.finding_count; i++) {
		if (str_equal(a->result.findings[i].kind, str_from(kind)))
			return &a->result.findings[i];
	}
	fail_msg("no finding of kind %s", kind);
	return NULL;
}

static const char shop[] =
	"1 0 web S \"GET /shop\" 0 400 pyroscope.profile.id=0000000000000001\n"
	"2 1 web C call 10 390\n"
	"3 2 cat S List 12 388 pyroscope.profile.id=00000000000000aa\n"
	"4 3 cat I rank 20 320\n"
	"5 4 cat I score 30 50\n"
	"6 3 cat C \"SELECT items\" 330 380 db.system.name=postgresql "
	"server.address=pg-0 db.query.text=\"SELECT * FROM items\"\n";

static void own_code(void **state)
{
	struct answer a;

	(void)state;
	begin(&a, shop);
	expect_str(a.result.span.span_id, "0000000000000004");
	expect_str(a.result.span.service, "cat");
	expect_str(a.result.span.name, "rank");
	assert_int_equal(a.result.span.span, fixture_span(&a.t, 4));
	assert_int_equal(a.result.span.kind, SPAN_KIND_INTERNAL);
	assert_int_equal(a.result.span.duration_ns, fixture_ms(300));
	assert_int_equal(a.result.span.self_ns, fixture_ms(280));
	assert_int_equal(a.result.span.critical_ns, fixture_ms(280));
	assert_int_equal(a.result.span.count, 1);
	assert_int_equal(a.result.span.typical_ns, -1);
	assert_float_equal(a.result.span.share, 0.7, 1e-9);
	expect_path(&a, "GET /shop List rank");
	assert_int_equal(choice_ground(&a.c), CHOICE_OWN);
	assert_int_equal(a.result.cause.kind, CAUSE_UNKNOWN);
	assert_int_equal(a.result.cause.confidence, CONFIDENCE_WEAK);
	assert_int_equal(a.result.cause.on_cpu_ns, -1);
	/* The query. */
	assert_int_equal(a.c.next_ns, fixture_ms(50));
	assert_int_equal(a.pick.span, fixture_span(&a.t, 4));
	assert_int_equal(a.pick.owner, fixture_span(&a.t, 4));
	expect_str(a.pick.service, "cat");
	expect_str(a.pick.profile_id, "00000000000000aa");
	assert_int_equal(a.pick.profile_span, fixture_span(&a.t, 3));
	assert_int_equal(a.pick.profile_own_ns, fixture_ms(376 - 50));
	assert_int_equal(a.pick.start_ns, FIXTURE_BASE_NS + fixture_ms(20));
	assert_int_equal(a.pick.end_ns, FIXTURE_BASE_NS + fixture_ms(320));
	assert_int_equal(a.result.finding_count, 1);
	assert_int_equal(finding(&a, "gap")->facts.time_ns, fixture_ms(270));
	assert_int_equal(finding(&a, "gap")->facts.other_ns, fixture_ms(30));
	end(&a);
}

/* A cause is fairly sure when it takes three tenths of the request, half as
 * much again as the next, in a trace that is whole. */
static void how_sure(void **state)
{
	static const struct {
		const char *text;
		enum confidence confidence;
	} rows[] = {
		{ "1 0 web S GET 0 1000\n"
		  "2 1 web C q 0 300 db.system=mysql\n"
		  "3 1 web I a 300 475\n4 1 web I b 475 650\n"
		  "5 1 web I c 650 825\n6 1 web I d 825 1000\n",
		  CONFIDENCE_FAIR },
		{ "1 0 web S GET 0 1000\n"
		  "2 1 web C q 0 299 db.system=mysql\n"
		  "3 1 web I a 299 475\n4 1 web I b 475 650\n"
		  "5 1 web I c 650 825\n6 1 web I d 825 1000\n",
		  CONFIDENCE_WEAK },
		{ "1 0 web S GET 0 500\n"
		  "2 1 web C q 0 300 db.system=mysql\n"
		  "3 1 web I a 300 500\n",
		  CONFIDENCE_FAIR },
		{ "1 0 web S GET 0 500\n"
		  "2 1 web C q 0 299 db.system=mysql\n"
		  "3 1 web I a 299 500\n",
		  CONFIDENCE_WEAK },
	};
	struct answer a;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		begin(&a, rows[i].text);
		assert_int_equal(a.result.cause.kind, CAUSE_DOWNSTREAM);
		if (a.result.cause.confidence != rows[i].confidence)
			fail_msg("row %zu", i);
		end(&a);
	}
	begin(&a, rows[0].text);
	a.t.is_partial = true;
	assert_true(choice_conclude(&a.c, &a.result, &a.pick, &a.err));
	assert_int_equal(a.result.cause.confidence, CONFIDENCE_WEAK);
	end(&a);
}

static void trace_facts(void **state)
{
	struct answer a;

	(void)state;
	begin(&a, shop);
	assert_true(a.result.has_trace && a.result.has_span &&
		    a.result.has_cause);
	expect_str(a.result.trace.id, "01000000000000000000000000000000");
	assert_int_equal(a.result.trace.start_ns, FIXTURE_BASE_NS);
	assert_int_equal(a.result.trace.duration_ns, fixture_ms(400));
	assert_int_equal(a.result.trace.service_count, 2);
	assert_int_equal(a.result.trace.span_count, 6);
	assert_false(a.result.trace.is_partial);
	end(&a);
}

/* 300 ms against 200: one and a half times as much is clear, less is not. */
static void a_close_second_is_said(void **state)
{
	struct answer a;

	(void)state;
	begin(&a, "1 0 web S GET 0 500\n"
		  "2 1 web I a 0 300\n"
		  "3 1 web I b 300 200\n");
	expect_str(a.result.span.name, "a");
	assert_false(a.pick.is_close);
	end(&a);
	begin(&a, "1 0 web S GET 0 500\n"
		  "2 1 web I a 0 299\n"
		  "3 1 web I b 299 201\n");
	expect_str(a.result.span.name, "a");
	assert_true(a.pick.is_close);
	end(&a);
}

static void slow_query(void **state)
{
	struct answer a;

	(void)state;
	begin(&a, "1 0 web S GET 0 900 pyroscope.profile.id=0000000000000001\n"
		  "2 1 web C q 50 850 db.system=mysql net.peer.name=db-1 "
		  "db.statement=\"SELECT * FROM t WHERE id = 17\"\n");
	expect_str(a.result.span.name, "q");
	assert_int_equal(a.result.cause.kind, CAUSE_DOWNSTREAM);
	assert_int_equal(a.result.cause.confidence, CONFIDENCE_FAIR);
	assert_int_equal(choice_ground(&a.c), CHOICE_CALL);
	expect_path(&a, "GET q");
	assert_int_equal(a.pick.owner, fixture_span(&a.t, 1));
	expect_str(a.pick.profile_id, "0000000000000001");
	assert_int_equal(a.pick.profile_own_ns, fixture_ms(100));
	assert_int_equal(a.pick.start_ns, FIXTURE_BASE_NS + fixture_ms(50));
	assert_int_equal(finding(&a, "slow_query")->facts.time_ns,
			 fixture_ms(800));
	assert_int_equal(finding(&a, "slow_query")->span_ids[0], 2);
	end(&a);
}

static void network_gap(void **state)
{
	struct answer a;

	(void)state;
	begin(&a, "1 0 web S GET 0 500\n"
		  "2 1 web C call 10 490\n"
		  "3 2 pay S Charge 400 480 "
		  "pyroscope.profile.id=0000000000000003\n");
	expect_str(a.result.span.name, "call");
	assert_int_equal(a.result.cause.kind, CAUSE_WAIT);
	assert_int_equal(choice_ground(&a.c), CHOICE_GAP);
	assert_int_equal(a.result.span.self_ns, fixture_ms(400));
	assert_int_equal(a.pick.owner, fixture_span(&a.t, 3));
	expect_str(a.pick.service, "pay");
	expect_str(a.pick.profile_id, "0000000000000003");
	assert_int_equal(a.pick.start_ns, FIXTURE_BASE_NS + fixture_ms(400));
	end(&a);
}

/* A client span asked for by id: its callee explains it. */
static void explained_by_callee(void **state)
{
	struct answer a;

	(void)state;
	find(&a, shop, (struct guilty_want){ .span_id = 2 });
	assert_true(a.is_found);
	expect_str(a.result.span.name, "call");
	assert_int_equal(a.result.cause.kind, CAUSE_DOWNSTREAM);
	assert_int_equal(choice_ground(&a.c), CHOICE_CALLEE);
	assert_int_equal(a.c.server_side, fixture_span(&a.t, 3));
	expect_str(a.pick.service, "cat");
	end(&a);
}

static void add_queries(struct buf *out, int count, double each_ms)
{
	for (int i = 0; i < count; i++)
		buf_addf(out,
			 "%x 2 db C \"SELECT p\" %.3f %.3f db.system.name=pg "
			 "db.query.text=\"SELECT * FROM p WHERE id = %d\"\n",
			 0x100 + i, 20 + i * each_ms, 20 + (i + 1) * each_ms,
			 i);
}

static void loop_trace(struct buf *out, int count)
{
	buf_init(out, MIB);
	buf_add_text(out, "1 0 api S login 0 700\n"
			  "2 1 db S find 10 690 "
			  "pyroscope.profile.id=0000000000000002\n");
	add_queries(out, count, 10);
}

static void loop_headline(void **state)
{
	struct answer a;
	struct buf text;

	(void)state;
	loop_trace(&text, 60);
	begin(&a, buf_text(&text));
	expect_str(a.result.span.service, "db");
	expect_str(a.result.span.name, "find");
	assert_int_equal(a.result.span.count, 60);
	assert_int_equal(a.result.span.duration_ns, fixture_ms(680));
	assert_int_equal(a.result.span.self_ns, fixture_ms(680));
	assert_int_equal(a.result.span.critical_ns, fixture_ms(680));
	assert_int_equal(choice_ground(&a.c), CHOICE_LOOP);
	assert_int_equal(a.c.loop->sum_ns, fixture_ms(600));
	assert_int_equal(a.result.cause.kind, CAUSE_N_PLUS_ONE);
	assert_int_equal(a.result.cause.confidence, CONFIDENCE_FAIR);
	expect_path(&a, "login find");
	assert_int_equal(a.pick.span, fixture_span(&a.t, 0x100));
	assert_int_equal(a.pick.owner, fixture_span(&a.t, 2));
	assert_int_equal(a.pick.profile_own_ns, fixture_ms(680));
	assert_int_equal(a.pick.start_ns, FIXTURE_BASE_NS + fixture_ms(20));
	assert_int_equal(a.pick.end_ns, FIXTURE_BASE_NS + fixture_ms(620));
	assert_int_equal(finding(&a, "n_plus_one")->span_id_count, 60);
	end(&a);
	buf_release(&text);
}

#define SELECTS "db.system=postgresql db.statement=\"SELECT b WHERE id = ?\""

/* The calls of another span's loop are none of it. */
static void loops_of_two_spans(void **state)
{
	struct answer a;
	struct buf text;

	(void)state;
	buf_init(&text, MIB);
	buf_add_text(&text, "1 0 a S root 0 1000\n"
			    "2 1 a I one 0 600\n"
			    "3 1 a I two 600 900\n");
	for (int i = 0; i < 10; i++)
		buf_addf(&text,
			 "%x 2 a C q %d %d " SELECTS "\n"
			 "%x 3 a C q %d %d " SELECTS "\n",
			 0x100 + i, i * 60, i * 60 + 50, 0x200 + i,
			 600 + i * 30, 600 + i * 30 + 20);
	begin(&a, buf_text(&text));
	assert_int_equal(a.c.headline, fixture_span(&a.t, 2));
	assert_int_equal(a.c.loop_sum_ns, fixture_ms(500));
	end(&a);
	buf_release(&text);
}

/* A loop that is not what costs the time is a finding, not the answer. */
static void loop_beside_worse(void **state)
{
	struct answer a;
	struct buf text;

	(void)state;
	loop_trace(&text, 10);
	begin(&a, buf_text(&text));
	expect_str(a.result.span.name, "find");
	assert_int_equal(a.result.span.count, 1);
	assert_int_equal(a.result.cause.kind, CAUSE_UNKNOWN);
	assert_int_equal(a.pick.profile_own_ns, fixture_ms(580));
	assert_int_equal(finding(&a, "n_plus_one")->facts.count, 10);
	assert_int_equal(finding(&a, "n_plus_one")->facts.time_ns,
			 fixture_ms(100));
	end(&a);
	buf_release(&text);
}

/* Only the calls were asked for: they are the headline, the loop the cause. */
static void loop_calls_asked_for(void **state)
{
	struct answer a;
	struct buf text;

	(void)state;
	loop_trace(&text, 60);
	find(&a, buf_text(&text),
	     (struct guilty_want){ .name = STR("SELECT p") });
	assert_true(a.is_found);
	expect_str(a.result.span.name, "SELECT p");
	assert_int_equal(a.result.span.count, 60);
	assert_int_equal(a.result.span.duration_ns, fixture_ms(600));
	assert_int_equal(a.result.cause.kind, CAUSE_N_PLUS_ONE);
	assert_int_equal(a.pick.owner, fixture_span(&a.t, 2));
	end(&a);
	find(&a, buf_text(&text), (struct guilty_want){ .span_id = 2 });
	assert_true(a.is_found);
	assert_int_equal(a.result.cause.kind, CAUSE_N_PLUS_ONE);
	assert_int_equal(a.result.span.count, 60);
	end(&a);
	find(&a, buf_text(&text), (struct guilty_want){ .span_id = 0x101 });
	assert_true(a.is_found);
	assert_int_equal(a.result.span.count, 1);
	assert_int_equal(a.result.cause.kind, CAUSE_DOWNSTREAM);
	end(&a);
	buf_release(&text);
}

/* A library's time is its caller's; what says where it is runs elsewhere. */
static void embedded_databases_are_no_calls(void **state)
{
	static const struct {
		const char *attrs;
		enum cause_kind cause;
	} cases[] = {
		{ "db.system=sqlite db.name=shop", CAUSE_UNKNOWN },
		{ "db.system.name=rocksdb", CAUSE_UNKNOWN },
		{ "db.system=h2 server.address=db-1", CAUSE_DOWNSTREAM },
		{ "db.system=postgresql", CAUSE_DOWNSTREAM },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct answer a;
		char text[256];

		snprintf(text, sizeof text,
			 "1 0 shop S \"GET /cart\" 0 100 "
			 "pyroscope.profile.id=00000000000000aa\n"
			 "2 1 shop C \"SELECT a\" 5 95 %s\n",
			 cases[i].attrs);
		begin(&a, text);
		expect_str(a.result.span.name, "SELECT a");
		assert_int_equal(a.result.cause.kind, cases[i].cause);
		assert_int_equal(
			a.pick.profile_own_ns,
			fixture_ms(cases[i].cause == CAUSE_UNKNOWN ? 100 : 10));
		end(&a);
	}
}

/* Twenty calls of another service: the loop, though each callee works. */
static void loop_of_remote_calls(void **state)
{
	struct answer a;
	struct buf text;

	(void)state;
	buf_init(&text, MIB);
	buf_add_text(&text, "1 0 api S cart 0 1000\n");
	for (int i = 0; i < 20; i++)
		buf_addf(&text,
			 "%x 1 api C Price/Get %d %d rpc.system=grpc\n"
			 "%x %x price S Price/Get %d %d\n",
			 0x100 + i, 10 + i * 45, 50 + i * 45, 0x200 + i,
			 0x100 + i, 12 + i * 45, 48 + i * 45);
	begin(&a, buf_text(&text));
	expect_str(a.result.span.name, "cart");
	assert_int_equal(a.result.cause.kind, CAUSE_N_PLUS_ONE);
	assert_int_equal(choice_ground(&a.c), CHOICE_LOOP);
	assert_int_equal(a.c.loop->sum_ns, fixture_ms(800));
	assert_int_equal(a.result.span.critical_ns, fixture_ms(1000));
	expect_str(a.pick.service, "api");
	end(&a);
	buf_release(&text);
}

/* The names of the candidates left are those to offer, best first. */
static void expect_missing(const char *text, struct guilty_want want,
			   enum choice_missing missing, const char *offered)
{
	struct buf names;
	struct answer a;

	find(&a, text, want);
	assert_false(a.is_found);
	assert_int_equal(a.err.code, ERROR_NOT_FOUND);
	assert_int_equal(a.c.missing, missing);
	buf_init(&names, MIB);
	for (size_t i = 0; i < a.c.candidates.count; i++) {
		buf_add_text(&names, i ? ", " : "");
		buf_add_str(&names,
			    span_name(&a.t, a.c.candidates.items[i].span));
	}
	assert_string_equal(buf_text(&names), offered);
	buf_release(&names);
	end(&a);
}

static void nothing_matches(void **state)
{
	(void)state;
	expect_missing("", (struct guilty_want){ 0 }, CHOICE_MISSING_ALL, "");
	expect_missing(shop, (struct guilty_want){ .service = STR("nope") },
		       CHOICE_MISSING_SERVICE,
		       "rank, SELECT items, List, GET /shop, score, call");
	expect_missing(shop,
		       (struct guilty_want){ .service = STR("cat"),
					     .name = STR("nope") },
		       CHOICE_MISSING_SPAN, "rank, SELECT items, List, score");
	expect_missing(shop, (struct guilty_want){ .span_id = 0xabc },
		       CHOICE_MISSING_SPAN,
		       "rank, SELECT items, List, GET /shop, score, call");
}

static void errors_began(void **state)
{
	struct answer a;

	(void)state;
	begin(&a, "1 0 a S root 0 100 error=\"bad gateway\"\n"
		  "2 1 a C call 10 40 error\n"
		  "3 2 b S serve 11 39 error=\"card declined\"\n"
		  "4 1 a I step 50 60 error error.type=Timeout\n"
		  "5 1 a I step 60 70 error error.type=Timeout\n"
		  "6 1 a I fine 70 80\n");
	assert_int_equal(a.result.finding_count, 2);
	assert_int_equal(a.result.findings[0].facts.count, 1);
	assert_int_equal(a.result.findings[0].span_ids[0], 3);
	assert_int_equal(a.result.findings[1].facts.count, 2);
	assert_int_equal(a.result.findings[1].span_id_count, 2);
	end(&a);
}

static void many_findings(void **state)
{
	struct answer a;
	struct buf text;

	(void)state;
	buf_init(&text, MIB);
	buf_add_text(&text, "1 0 a S root 0 9000\n");
	for (int i = 0; i < 13; i++)
		buf_addf(&text, "%x 1 a I step%d %d %d error\n", 0x10 + i, i,
			 i * 10, i * 10 + 5);
	for (int i = 0; i < 150; i++)
		buf_addf(&text, "%x 1 a I late %d %d\n", 0x100 + i, 9000 + i,
			 9001 + i);
	begin(&a, buf_text(&text));
	assert_int_equal(a.result.finding_count, FINDINGS_PER_KIND + 3);
	assert_int_equal(a.result.findings[0].facts.other_ns, fixture_ms(125));
	assert_int_equal(
		a.result.findings[FINDINGS_PER_KIND + 1].facts.more_count, 3);
	assert_int_equal(finding(&a, "async_work")->facts.count, 150);
	assert_int_equal(finding(&a, "async_work")->span_id_count,
			 FINDING_SPAN_IDS);
	end(&a);
	buf_release(&text);
}

/* The callee's clock is ahead: it is found, with its own times. */
static void skewed(void **state)
{
	struct answer a;

	(void)state;
	begin(&a, "1 0 a S root 0 300 @host.name=a\n"
		  "2 1 a C call 100 280 @host.name=a\n"
		  "3 2 b S serve 1350 1510 @host.name=b\n");
	expect_str(a.result.span.name, "serve");
	assert_int_equal(a.result.span.critical_ns, fixture_ms(160));
	assert_int_equal(a.result.span.start_ns,
			 FIXTURE_BASE_NS + fixture_ms(1350));
	assert_int_equal(a.pick.start_ns, FIXTURE_BASE_NS + fixture_ms(1350));
	assert_int_equal(finding(&a, "clock_skew")->facts.count, 1);
	assert_int_equal(finding(&a, "clock_skew")->facts.moved_count, 1);
	assert_int_equal(finding(&a, "clock_skew")->span_ids[0], 3);
	end(&a);
}

static void profile_ids(void **state)
{
	struct answer a;

	(void)state;
	/* The parent is another process: its profile is not this span's. */
	begin(&a, "1 0 a S root 0 100 pyroscope.profile.id=0000000000000001\n"
		  "2 1 b S serve 5 95\n");
	assert_null(a.pick.profile_id.ptr);
	assert_int_equal(a.pick.profile_span, SPAN_NONE);
	end(&a);
	/* A mere mark: the span's own id is the label. */
	begin(&a, "abc 0 a S root 0 100 pyroscope.profile.id=\n");
	expect_str(a.pick.profile_id, "0000000000000abc");
	end(&a);
	/* The server renamed a shared id: its parent's is the label. */
	begin(&a, "c0de 0 a C get 0 100\n"
		  "1 c0de b S serve 1 99 pyroscope.profile.id=\n");
	expect_str(a.pick.profile_id, "000000000000c0de");
	end(&a);
	begin(&a, "c0de 0 a C get 0 100\n"
		  "1 c0de b S serve 1 99 "
		  "pyroscope.profile.id=000000000000C0DE\n");
	expect_str(a.pick.profile_id, "000000000000c0de");
	end(&a);
	/* What nobody waits for is not left out of its own time. */
	begin(&a, "abc 0 a S root 0 100 pyroscope.profile.id=\n"
		  "2 abc a C get 20 80 follows\n");
	assert_int_equal(a.pick.profile_own_ns, fixture_ms(100));
	end(&a);
}

static void incomplete_is_weak(void **state)
{
	struct answer a;

	(void)state;
	begin(&a, "1 0 web S GET 0 900\n"
		  "2 1 web C q 50 850 db.system=mysql\n"
		  "3 99 web I lost 60 70\n");
	assert_int_equal(a.result.cause.kind, CAUSE_DOWNSTREAM);
	assert_int_equal(a.result.cause.confidence, CONFIDENCE_WEAK);
	end(&a);
}

static void long_path(void **state)
{
	struct answer a;
	struct buf text;

	(void)state;
	buf_init(&text, MIB);
	for (int i = 0; i < 100; i++)
		buf_addf(&text, "%x %x s I n%d %d %d\n", i + 1, i, i, i,
			 1000 - i);
	begin(&a, buf_text(&text));
	expect_str(a.result.span.name, "n99");
	assert_int_equal(a.c.step_count, 100);
	assert_int_equal(a.c.steps[0], fixture_span(&a.t, 100));
	assert_int_equal(a.c.steps[99], fixture_span(&a.t, 1));
	end(&a);
	buf_release(&text);
}

static void other_rankings(void **state)
{
	struct answer a;

	(void)state;
	find(&a, shop, (struct guilty_want){ .by = GUILTY_BY_DURATION });
	expect_str(a.result.span.name, "GET /shop");
	assert_int_equal(choice_ground(&a.c), CHOICE_OWN);
	end(&a);
	find(&a, shop, (struct guilty_want){ .by = GUILTY_BY_SELF });
	expect_str(a.result.span.name, "rank");
	end(&a);
}

static void deep_and_wide(void **state)
{
	(void)state;
	for (int is_deep = 0; is_deep < 2; is_deep++) {
		struct guilty_want want = { 0 };
		struct error err = { 0 };
		struct answer a = { 0 };
		struct trace_build *b;
		uint32_t resource;

		trace_init(&a.t);
		b = trace_build_new(&a.t, NULL, &err);
		assert_non_null(b);
		trace_build_attrs_begin(b);
		assert_true(trace_build_resource(b, &resource, &err));
		for (uint32_t i = 0; i < 200000; i++) {
			struct span_input in = {
				.trace_id = { { 1 } },
				.span_id = i + 1,
				.parent_id = is_deep ? i : i > 0,
				.resource = resource,
				.kind = (uint8_t)(i % 5),
				.start_unix_ns = 1000000000 + i,
				.end_unix_ns = 2000000000 - i,
				.flags = i % 2 ? SPAN_IS_ERROR : 0,
			};

			assert_true(trace_build_span(b, &in, &err));
		}
		assert_true(trace_build_finish(b, &err));
		trace_build_free(b);
		arena_init(&a.arena, GIB);
		arena_init(&a.result.arena, GIB);
		assert_true(
			trace_times_compute(&a.t, &a.arena, &a.times, &err));
		assert_true(choice_make(&a.c, &a.t, &a.times, &want, NULL,
					&a.result, &err));
		assert_true(choice_conclude(&a.c, &a.result, &a.pick, &err));
		assert_true(waterfall_build(&a.t, &a.times, &a.pick, &a.result,
					    &err));
		assert_true(a.result.waterfall_count > 0);
		end(&a);
	}
}

/* The n-th allocation fails: an error, never half an answer. */
static void no_memory(void **state)
{
	static const char text[] =
		"1 0 a S root 0 900 error\n"
		"2 1 a C q 0 600 db.system=pg db.statement=\"SELECT 1 a\"\n"
		"3 1 b S late 950 990\n"
		"4 1 a C call 600 700\n"
		"5 4 c S serve 1600 1650\n";
	bool is_done = false;

	(void)state;
	for (int n = 0; !is_done; n++) {
		struct guilty_want want = { 0 };
		struct error err = { 0 };
		struct answer a = { 0 };

		fixture_trace(&a.t, text);
		arena_init(&a.arena, GIB);
		arena_init(&a.result.arena, GIB);
		starve_after(n);
		is_done = trace_times_compute(&a.t, &a.arena, &a.times, &err) &&
			  choice_make(&a.c, &a.t, &a.times, &want, NULL,
				      &a.result, &err) &&
			  choice_conclude(&a.c, &a.result, &a.pick, &err) &&
			  waterfall_build(&a.t, &a.times, &a.pick, &a.result,
					  &err);
		stop_starving();
		assert_int_equal(err.code, is_done ? ERROR_NONE : ERROR_MEMORY);
		if (is_done)
			assert_in_range(n, 10, 1000);
		end(&a);
	}
}

UNIT_TESTS(guilty)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_code),
		cmocka_unit_test(trace_facts),
		cmocka_unit_test(how_sure),
		cmocka_unit_test(a_close_second_is_said),
		cmocka_unit_test(slow_query),
		cmocka_unit_test(network_gap),
		cmocka_unit_test(explained_by_callee),
		cmocka_unit_test(loops_of_two_spans),
		cmocka_unit_test(loop_headline),
		cmocka_unit_test(loop_beside_worse),
		cmocka_unit_test(loop_calls_asked_for),
		cmocka_unit_test(loop_of_remote_calls),
		cmocka_unit_test(nothing_matches),
		cmocka_unit_test(errors_began),
		cmocka_unit_test(many_findings),
		cmocka_unit_test(skewed),
		cmocka_unit_test(profile_ids),
		cmocka_unit_test(incomplete_is_weak),
		cmocka_unit_test(long_path),
		cmocka_unit_test(embedded_databases_are_no_calls),
		cmocka_unit_test(other_rankings),
		cmocka_unit_test(deep_and_wide),
		cmocka_unit_test(no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
