/* SPDX-License-Identifier: Apache-2.0 */
#include "trace_fixture.h"

#include <stdio.h>

#include "analyze/nplusone.h"
#include "base/buf.h"

struct search {
	struct trace t;
	struct arena arena;
	struct trace_times times;
	struct calls calls;
	struct repeats found;
};

static void begin(struct search *s, const char *text)
{
	struct error err = { 0 };

	fixture_trace(&s->t, text);
	arena_init(&s->arena, GIB);
	assert_true(trace_times_compute(&s->t, &s->arena, &s->times, &err));
	assert_true(calls_build(&s->t, &s->arena, &s->calls, &err));
	assert_true(
		repeats_find(&s->calls, &s->times, &s->arena, &s->found, &err));
}

static void end(struct search *s)
{
	arena_release(&s->arena);
	trace_release(&s->t);
}

/* Lines of a loop under span 1, which lasts 5 s: `count` turns of `line`, a
 * format that takes id, start and end; ids from 0x100 on. */
static void add_loop(struct buf *out, const char *line, int count,
		     double first_ms, double each_ms, double gap_ms)
{
	double at = first_ms;

	for (int i = 0; i < count; i++) {
		char id[16], from[32], to[32];
		struct str rest = str_from(line);

		snprintf(id, sizeof id, "%x", 0x100 + i);
		snprintf(from, sizeof from, "%.3f", at);
		snprintf(to, sizeof to, "%.3f", at + each_ms);
		for (size_t k = 0; k < rest.len; k++) {
			if (rest.ptr[k] == '#')
				buf_add_text(out, id);
			else if (rest.ptr[k] == '<')
				buf_add_text(out, from);
			else if (rest.ptr[k] == '>')
				buf_add_text(out, to);
			else
				buf_add_char(out, rest.ptr[k]);
		}
		at += each_ms + gap_ms;
	}
}

enum loudness { SILENT, MINOR, TOLD };

static void check_loop(const char *line, int count, double each_ms,
		       double gap_ms, enum loudness loudness)
{
	struct search s;
	struct buf text;

	buf_init(&text, MIB);
	buf_add_text(&text, "1 0 s S root 0 5000\n");
	add_loop(&text, line, count, 100, each_ms, gap_ms);
	begin(&s, buf_text(&text));
	assert_int_equal(s.found.count, loudness ? 1 : 0);
	if (loudness) {
		const struct repeat *r = s.found.items;

		assert_int_equal(r->is_minor, loudness == MINOR);
		assert_int_equal(r->count, count);
		assert_int_equal(r->parent, fixture_span(&s.t, 1));
		assert_int_equal(s.found.members[r->member_first],
				 fixture_span(&s.t, 0x100));
		assert_int_equal(r->sum_ns, fixture_ms(each_ms) * count);
	}
	end(&s);
	buf_release(&text);
}

/* All of them or none. */
static void expect_loop(const char *line, int count, double each_ms,
			double gap_ms, uint32_t found)
{
	check_loop(line, count, each_ms, gap_ms, found ? TOLD : SILENT);
}

#define SELECT_B "db.system=postgresql db.statement=\"SELECT b WHERE id = ?\""
#define CACHED "# 1 s C GET < > db.system=redis db.statement=\"GET k\"\n"
#define QUERY "# 1 s C \"SELECT b\" < > " SELECT_B "\n"

static void five_queries(void **state)
{
	struct search s;

	(void)state;
	begin(&s, "1 0 s S parent 0 100\n"
		  "2 1 s C \"SELECT a\" 0 10 db.system=postgresql "
		  "db.statement=\"SELECT a\"\n"
		  "3 1 s C \"SELECT b\" 10 20 " SELECT_B "\n"
		  "4 1 s C \"SELECT b\" 20 30 " SELECT_B "\n"
		  "5 1 s C \"SELECT b\" 30 40 " SELECT_B "\n"
		  "6 1 s C \"SELECT b\" 40 50 " SELECT_B "\n"
		  "7 1 s C \"SELECT b\" 50 60 " SELECT_B "\n");
	assert_int_equal(s.found.count, 1);
	assert_int_equal(s.found.items->count, 5);
	assert_int_equal(s.found.items->sum_ns, fixture_ms(50));
	assert_int_equal(s.found.items->through_ns, fixture_ms(50));
	assert_int_equal(s.found.items->parent, fixture_span(&s.t, 1));
	assert_int_equal(s.found.items->leaf, fixture_span(&s.t, 3));
	assert_int_equal(s.found.items->kind, CALL_DATABASE);
	assert_int_equal(s.found.items->start_ns,
			 FIXTURE_BASE_NS + fixture_ms(10));
	assert_int_equal(s.found.items->end_ns,
			 FIXTURE_BASE_NS + fixture_ms(60));
	end(&s);
}

static void thresholds(void **state)
{
	(void)state;
	expect_loop(QUERY, 5, 10, 0, 5);
	expect_loop(QUERY, 4, 20, 1, 0);
	check_loop(QUERY, 5, 9.9, 1, MINOR);
	expect_loop(QUERY, 52, 1, 30, 52);
	/* what takes 10 ms together is no loop with or without history */
	check_loop(QUERY, 5, 2, 1, MINOR);
	check_loop(QUERY, 5, 1.9, 1, SILENT);
	/* all at once and not many: the slowest counts, not their number */
	expect_loop(QUERY, 9, 100, -99, 0);
}

static void what_counts(void **state)
{
	(void)state;
	/* caches are quick by design: more of them, and more of their time */
	expect_loop(CACHED, 20, 5, 1, 20);
	expect_loop(CACHED, 19, 10, 1, 0);
	check_loop(CACHED, 20, 4.9, 1, MINOR);
	/* literals differ, the query does not */
	expect_loop("# 1 s C q < > db.system=mysql "
		    "db.statement=\"SELECT x WHERE id = <\"\n",
		    10, 10, 1, 10);
	/* cut texts and single words may be different queries */
	expect_loop("# 1 s C q < > db.system=mysql "
		    "db.statement=\"SELECT x WHERE...\"\n",
		    10, 10, 1, 0);
	expect_loop("# 1 s C q < > db.system=mysql db.statement=COMMIT\n", 10,
		    10, 1, 0);
	/* no text at all: name and collection */
	expect_loop("# 1 s C find < > db.system=mongodb "
		    "db.collection.name=users\n",
		    10, 10, 1, 10);
	expect_loop("# 1 s I plain < >\n", 50, 10, 1, 0);
	/* remote calls need more of them, and small ones */
	expect_loop("# 1 s C GET < > url.full=http://h/u/#1\n", 10, 30, 1, 10);
	expect_loop("# 1 s C GET < > url.full=http://h/u\n", 9, 50, 1, 0);
	check_loop("# 1 s C GET < > url.full=http://h/u\n", 10, 29.9, 1, MINOR);
	expect_loop("# 1 s C GET < > url.full=http://h/u\n", 10, 101, 1, 0);
	expect_loop("# 1 s C a.B/c < > rpc.system=grpc\n", 20, 20, 1, 20);
	expect_loop("# 1 s P send < > messaging.system=kafka\n", 20, 20, 1, 20);
}

/* Wrapped calls count when the wrapper does little else. */
static void wrapped(void **state)
{
	(void)state;
	expect_loop("# 1 s I find < >\n"
		    "a# # s C \"SELECT b\" < > " SELECT_B "\n",
		    10, 10, 1, 10);
	expect_loop("# 1 s I find < >\n"
		    "a# # s C \"SELECT b\" < < " SELECT_B "\n",
		    10, 10, 1, 0);
	expect_loop("# 1 s I find < >\n"
		    "a# # s I step < >\n"
		    "b# # s C \"SELECT b\" < > " SELECT_B "\n",
		    10, 10, 1, 0);
}

/* Several spans a turn: other queries, or the same others each time. */
static void turns_of_several(void **state)
{
	struct search s;
	struct buf text;
	static const char with_query[] =
		"# 1 s C \"SELECT b\" < > " SELECT_B "\n"
		"f# 1 s C q > > db.system=pg db.statement=\"SELECT c\"\n";
	static const char with_work[] =
		"# 1 s C \"SELECT b\" < > " SELECT_B "\n"
		"f# 1 s I map > >\n";

	(void)state;
	expect_loop(with_query, 10, 10, 1, 10);
	expect_loop(with_work, 10, 10, 1, 10);
	buf_init(&text, MIB);
	buf_add_text(&text, "1 0 s S root 0 5000\n");
	add_loop(&text, QUERY, 4, 0, 20, 0);
	buf_add_text(&text, "2 1 s I pause 81 82\n"
			    "3 1 s I pause2 82 83\n"
			    "4 1 s C \"SELECT b\" 90 110 " SELECT_B "\n"
			    "5 1 s C \"SELECT b\" 110 130 " SELECT_B "\n");
	begin(&s, buf_text(&text));
	assert_int_equal(s.found.count, 0);
	end(&s);
	buf_release(&text);
}

/* Two, then four at a time: 5 x 20 ms in which some of them ran. */
static void some_at_a_time(void **state)
{
	struct search s;
	struct buf text;

	(void)state;
	buf_init(&text, MIB);
	buf_add_text(&text, "1 0 s S root 0 5000\n");
	for (int i = 0; i < 10; i++)
		buf_addf(&text, "%x 1 s C q %d %d " SELECT_B "\n", 0x100 + i,
			 i / 2 * 20, i / 2 * 20 + 20);
	begin(&s, buf_text(&text));
	assert_int_equal(s.found.count, 1);
	assert_int_equal(s.found.items->count, 10);
	assert_true(s.found.items->is_parallel);
	assert_int_equal(s.found.items->sum_ns, fixture_ms(100));
	assert_int_equal(s.found.items->through_ns, fixture_ms(100));
	assert_int_equal(repeat_manner(s.found.items), REPEAT_SOME_AT_A_TIME);
	end(&s);
	/* 5 of them, then 6 within less than twice the longest */
	begin(&s, "1 0 s S root 0 900\n"
		  "2 1 s C q 0 100 " SELECT_B "\n"
		  "3 1 s C q 50 150 " SELECT_B "\n"
		  "4 1 s C q 100 200 " SELECT_B "\n"
		  "5 1 s C q 150 250 " SELECT_B "\n"
		  "6 1 s C q 200 300 " SELECT_B "\n");
	assert_int_equal(s.found.count, 0);
	end(&s);
	begin(&s, "1 0 s S root 0 900\n"
		  "2 1 s C q 0 100 " SELECT_B "\n"
		  "3 1 s C q 10 110 " SELECT_B "\n"
		  "4 1 s C q 20 120 " SELECT_B "\n"
		  "5 1 s C q 30 130 " SELECT_B "\n"
		  "6 1 s C q 40 140 " SELECT_B "\n"
		  "7 1 s C q 99 199 " SELECT_B "\n");
	assert_int_equal(s.found.count, 0);
	end(&s);
	buf_release(&text);
}

/* All at once only their number can be told of, when history minds it: ten
 * and more of 10 ms together. */
static void all_at_once(void **state)
{
	static const struct {
		int count, ms;
		size_t found;
	} cases[] = {
		{ 9, 50, 0 }, { 10, 50, 1 }, { 10, 10, 1 }, { 10, 9, 0 }
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct search s;
		struct buf text;

		buf_init(&text, MIB);
		buf_add_text(&text, "1 0 s S root 0 900\n");
		for (int j = 0; j < cases[i].count; j++)
			buf_addf(&text, "%x 1 s C q 10 %d " SELECT_B "\n",
				 0x100 + j, 10 + cases[i].ms);
		begin(&s, buf_text(&text));
		assert_int_equal(s.found.count, cases[i].found);
		if (s.found.count) {
			assert_true(s.found.items->is_minor);
			assert_int_equal(repeat_manner(s.found.items),
					 REPEAT_SIDE_BY_SIDE);
		}
		end(&s);
		buf_release(&text);
	}
}

/* Turns of two queries: three suffice when they repeat exactly. */
static void few_long_turns(void **state)
{
	static const char three[] =
		"1 0 s S root 0 900\n"
		"2 1 s C b 0 20 " SELECT_B "\n"
		"3 1 s C c 20 25 db.system=pg db.statement=\"SELECT c\"\n"
		"4 1 s C b 25 45 " SELECT_B "\n"
		"5 1 s C c 45 50 db.system=pg db.statement=\"SELECT c\"\n"
		"6 1 s C b 50 70 " SELECT_B "\n"
		"7 1 s C c 70 75 db.system=pg db.statement=\"SELECT c\"\n";
	struct search s;
	struct str text = str_from(three);
	char two[sizeof three];

	(void)state;
	begin(&s, three);
	assert_int_equal(s.found.count, 2);
	assert_int_equal(s.found.items[0].count, 3);
	assert_int_equal(s.found.items[0].sum_ns, fixture_ms(60));
	assert_int_equal(s.found.items[1].count, 3);
	assert_int_equal(s.found.items[1].sum_ns, fixture_ms(15));
	end(&s);
	/* without the third turn */
	snprintf(two, sizeof two, "%.*s", (int)str_find(text, STR("6 1 s C b")),
		 three);
	begin(&s, two);
	assert_int_equal(s.found.count, 0);
	end(&s);
	/* slow queries, not many */
	begin(&s, "1 0 s S root 0 900\n"
		  "2 1 s C b 0 150 " SELECT_B "\n"
		  "3 1 s I map 150 160\n"
		  "4 1 s C b 200 350 " SELECT_B "\n"
		  "5 1 s I map 350 360\n"
		  "6 1 s C b 400 550 " SELECT_B "\n");
	assert_int_equal(s.found.count, 0);
	end(&s);
}

/* Eight spans a turn are a loop, nine are not, whatever is among them. */
static void long_turns(void **state)
{
	(void)state;
	for (int spans = 8; spans <= 9; spans++) {
		struct search s;
		struct buf text;

		buf_init(&text, MIB);
		buf_add_text(&text, "1 0 s S root 0 5000\n");
		for (int i = 0; i < 6 * spans; i++) {
			const char *what = i % spans ? "I step" : "C b";

			buf_addf(&text, "%x 1 s %s%d %d %d %s\n", 0x100 + i,
				 what, i % spans, i * 10, i * 10 + 10,
				 i % spans ? "" : SELECT_B);
		}
		begin(&s, buf_text(&text));
		assert_int_equal(s.found.count, spans == 8);
		end(&s);
		buf_release(&text);
	}
}

/* Reading page after page, and trying again, are no loops over rows. */
static void pages_and_retries(void **state)
{
	(void)state;
	expect_loop("# 1 s C q < > db.system=pg db.statement=\"SELECT x ORDER "
		    "BY id LIMIT 100 OFFSET <\"\n",
		    10, 10, 1, 0);
	expect_loop("# 1 s C q < > db.system=pg db.statement=\"SELECT x WHERE "
		    "id = < LIMIT 1 OFFSET 0\"\n",
		    10, 10, 1, 10);
	expect_loop("# 1 s C q < > db.system=pg db.statement=\"FETCH FORWARD "
		    "100 FROM c\"\n",
		    10, 10, 1, 0);
	expect_loop("# 1 s C find < > db.system=mongodb "
		    "db.operation.name=getMore\n",
		    10, 10, 1, 0);
	expect_loop("# 1 s C GET < > url.full=http://h/u?page=#\n", 10, 40, 1,
		    0);
	expect_loop("# 1 s C GET < > url.full=http://h/u/#?page=1\n", 10, 40, 1,
		    10);
	expect_loop("# 1 s C GET < > url.full=http://h/_search/scroll\n", 10,
		    40, 1, 0);
	expect_loop("# 1 s C POST < > url.full=http://h/graphql\n", 10, 40, 1,
		    0);
	expect_loop("# 1 s C GET < > url.full=http://h/u error\n", 10, 40, 1,
		    0);
}

/* The calls have server sides in another service: the loop is here. */
static void served_calls(void **state)
{
	struct guilty_want want = { 0 };
	struct result result = { 0 };
	struct guilty_pick pick;
	struct error err = { 0 };
	struct search s;
	struct buf text;

	(void)state;
	buf_init(&text, MIB);
	buf_add_text(&text, "1 0 s S root 0 700\n");
	for (int i = 0; i < 24; i++)
		buf_addf(&text,
			 "%x 1 s C a.B/c %d %d rpc.system=grpc\n"
			 "%x %x t S a.B/c %d %d rpc.system=grpc\n",
			 0x100 + i, i * 25, i * 25 + 22, 0x200 + i, 0x100 + i,
			 i * 25 + 2, i * 25 + 20);
	begin(&s, buf_text(&text));
	assert_int_equal(s.found.count, 1);
	assert_int_equal(s.found.items->count, 24);
	arena_init(&result.arena, GIB);
	assert_true(
		guilty_find(&s.t, &s.times, &want, NULL, &result, &pick, &err));
	assert_int_equal(result.span.span, fixture_span(&s.t, 1));
	assert_int_equal(result.cause.kind, CAUSE_N_PLUS_ONE);
	assert_int_equal(pick.owner, fixture_span(&s.t, 1));
	arena_release(&result.arena);
	end(&s);
	buf_release(&text);
}

static void best_first(void **state)
{
	struct search s;
	struct buf text;

	(void)state;
	buf_init(&text, MIB);
	buf_add_text(&text, "1 0 s S root 0 5000\n");
	add_loop(&text, QUERY, 10, 0, 10, 1);
	for (int i = 0; i < 6; i++)
		buf_addf(&text,
			 "%x 1 s C q %d %d db.system=x db.statement=\"S d\"\n",
			 0x200 + i, 1000 + i * 50, 1040 + i * 50);
	begin(&s, buf_text(&text));
	assert_int_equal(s.found.count, 2);
	assert_int_equal(s.found.items[0].count, 6);
	assert_int_equal(s.found.items[1].count, 10);
	end(&s);
	buf_release(&text);
}

static void wide_and_mixed(void **state)
{
	struct search s;
	struct error err = { 0 };
	struct trace_build *b;
	uint32_t resource, name[2];

	(void)state;
	trace_init(&s.t);
	b = trace_build_new(&s.t, NULL, &err);
	assert_non_null(b);
	trace_build_attrs_begin(b);
	assert_true(trace_build_resource(b, &resource, &err));
	assert_true(trace_build_text(b, STR("SELECT a"), &name[0], &err));
	assert_true(trace_build_text(b, STR("SELECT b"), &name[1], &err));
	for (uint32_t i = 0; i < 200000; i++) {
		struct span_input in = {
			.trace_id = { { 1 } },
			.span_id = i + 1,
			.parent_id = i > 0,
			.name = i ? name[i % 2] : 0,
			.resource = resource,
			.kind = SPAN_KIND_CLIENT,
			.start_unix_ns = 1000000 + i * 1000,
			.end_unix_ns = i ? 1001000 + i * 1000 : 900000000,
		};

		trace_build_attrs_begin(b);
		assert_true(trace_build_attr(
			b, STR("db.query.text"),
			i % 2 ? STR("SELECT 1") : STR("SELECT ?, 2"), &err));
		assert_true(trace_build_span(b, &in, &err));
	}
	assert_true(trace_build_finish(b, &err));
	trace_build_free(b);
	arena_init(&s.arena, GIB);
	assert_true(trace_times_compute(&s.t, &s.arena, &s.times, &err));
	assert_true(calls_build(&s.t, &s.arena, &s.calls, &err));
	assert_true(repeats_find(&s.calls, &s.times, &s.arena, &s.found, &err));
	assert_int_equal(s.found.count, 2);
	assert_int_equal(s.found.items[0].count, 100000);
	assert_int_equal(s.found.items[1].count, 99999);
	end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(five_queries),
		cmocka_unit_test(thresholds),
		cmocka_unit_test(what_counts),
		cmocka_unit_test(wrapped),
		cmocka_unit_test(turns_of_several),
		cmocka_unit_test(some_at_a_time),
		cmocka_unit_test(all_at_once),
		cmocka_unit_test(few_long_turns),
		cmocka_unit_test(long_turns),
		cmocka_unit_test(pages_and_retries),
		cmocka_unit_test(served_calls),
		cmocka_unit_test(best_first),
		cmocka_unit_test(wide_and_mixed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
