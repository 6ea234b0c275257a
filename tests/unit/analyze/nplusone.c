/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "trace_fixture.h"

#include <stdio.h>

#include "analyze/findings.h"
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

/* Wrapped calls count: the wrapper when it does little else. */
static void wrapped(void **state)
{
	struct search s;
	struct buf text;

	(void)state;
	expect_loop("# 1 s I find < >\n"
		    "a# # s C \"SELECT b\" < > " SELECT_B "\n",
		    10, 10, 1, 10);
	expect_loop("# 1 s I find < >\n"
		    "a# # s C \"SELECT b\" < < " SELECT_B "\n",
		    10, 10, 1, 0);
	buf_init(&text, MIB);
	buf_add_text(&text, "1 0 s S root 0 5000\n");
	add_loop(&text,
		 "# 1 s I find < >\n"
		 "a# # s I step < >\n"
		 "b# # s C \"SELECT b\" < > " SELECT_B "\n",
		 10, 100, 10, 1);
	begin(&s, buf_text(&text));
	assert_int_equal(s.found.count, 1);
	assert_int_equal(s.found.members[0], fixture_span(&s.t, 0xb100));
	end(&s);
	buf_release(&text);
}

/* Rows under span 1, of so many queries each after some work of their own; ids
 * of rows from 0x100 on. */
static void begin_rows(struct search *s, int rows, int calls, double each_ms)
{
	struct buf text;
	double at = 5;

	buf_init(&text, MIB);
	buf_add_text(&text, "1 0 s S root 0 900\n");
	for (int i = 0; i < rows; i++) {
		double first = at;

		for (int k = 0; k < calls; k++, at += each_ms + 1)
			buf_addf(&text,
				 "%x %x s C \"SELECT b\" %.3f %.3f " SELECT_B
				 "\n",
				 0x10000 + i * calls + k, 0x100 + i, at + 1,
				 at + 1 + each_ms);
		at += 1;
		buf_addf(&text, "%x 1 s I row %.3f %.3f\n", 0x100 + i, first,
			 at);
	}
	begin(s, buf_text(&text));
	buf_release(&text);
}

/* Added up over the spans that they lie below. */
static void below_repeated_spans(void **state)
{
	static const struct {
		int rows, calls;
		double each_ms;
	} cases[] = { { 15, 3, 12 },
		      { 40, 2, 6 },
		      { 5, 6, 17 },
		      { 4, 5, 10 },
		      { 2, 9, 10 } };

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int count = cases[i].rows * cases[i].calls;
		const struct repeat *r;
		struct search s;

		begin_rows(&s, cases[i].rows, cases[i].calls, cases[i].each_ms);
		r = s.found.items;
		assert_int_equal(s.found.count, 1);
		assert_int_equal(r->count, count);
		assert_int_equal(r->parent, fixture_span(&s.t, 1));
		assert_int_equal(r->holder, fixture_span(&s.t, 0x100));
		assert_int_equal(r->holder_count, cases[i].rows);
		assert_int_equal(r->sum_ns,
				 fixture_ms(cases[i].each_ms) * count);
		assert_int_equal(r->through_ns, r->sum_ns);
		assert_int_equal(repeat_manner(r), REPEAT_ONE_BY_ONE);
		end(&s);
	}
}

/* "page 0", "page 1": numbers in names do not part them. */
static void below_numbered_spans(void **state)
{
	struct search s;
	struct buf text;

	(void)state;
	buf_init(&text, MIB);
	buf_add_text(&text, "1 0 s S root 0 900\n");
	for (int i = 0; i < 5; i++)
		buf_addf(&text, "%x 1 s I \"page %d\" %d %d\n", 0x100 + i, i,
			 i * 120, i * 120 + 119);
	for (int i = 0; i < 30; i++) {
		int at = i / 6 * 120 + i % 6 * 19;

		buf_addf(&text,
			 "%x %x s I find %d %d\n"
			 "%x %x s C q %d %d " SELECT_B "\n",
			 0x1000 + i, 0x100 + i / 6, at, at + 18, 0x2000 + i,
			 0x1000 + i, at, at + 17);
	}
	begin(&s, buf_text(&text));
	assert_int_equal(s.found.count, 1);
	assert_int_equal(s.found.items->count, 30);
	assert_int_equal(s.found.items->holder_count, 5);
	assert_int_equal(s.found.items->sum_ns, fixture_ms(510));
	end(&s);
	buf_release(&text);
}

/* Other spans, other queries and what is little are no loop. */
static void below_other_spans(void **state)
{
	struct search s;

	(void)state;
	/* four, and what takes less than 10 ms */
	begin_rows(&s, 2, 2, 20);
	assert_int_equal(s.found.count, 0);
	end(&s);
	begin_rows(&s, 3, 3, 1);
	assert_int_equal(s.found.count, 0);
	end(&s);
	/* minor ones are kept for who knows what is usual */
	begin_rows(&s, 4, 3, 2);
	assert_true(s.found.items->is_minor);
	end(&s);
	/* three kinds of spans, each for itself */
	begin(&s, "1 0 s S root 0 900\n"
		  "2 1 s I a 0 100\n3 1 s I b 100 200\n4 1 s I c 200 300\n"
		  "5 2 s C q 0 45 " SELECT_B "\n"
		  "6 2 s C q 50 95 " SELECT_B "\n"
		  "7 3 s C q 100 145 " SELECT_B "\n"
		  "8 3 s C q 150 195 " SELECT_B "\n"
		  "9 4 s C q 200 245 " SELECT_B "\n");
	assert_int_equal(s.found.count, 0);
	end(&s);
}

/* Each call of another service makes queries there: their number is why, not
 * that of the calls, unless it is the same or they take little of it. */
static void expect_served(int calls, int queries, int each_ms, int call_ms,
			  uint32_t count, const char *name)
{
	struct search s;
	struct buf text;

	buf_init(&text, MIB);
	buf_add_text(&text, "1 0 s S root 0 2000\n");
	for (int i = 0; i < calls; i++) {
		int at = i * (call_ms + 1);

		buf_addf(&text,
			 "%x 1 s C a.B/c %d %d rpc.system=grpc\n"
			 "%x %x t S a.B/c %d %d rpc.system=grpc\n",
			 0x100 + i, at, at + call_ms, 0x200 + i, 0x100 + i,
			 at + 1, at + call_ms - 1);
		for (int k = 0; k < queries; k++)
			buf_addf(&text, "%x %x t C q %d %d " SELECT_B "\n",
				 0x1000 + i * queries + k, 0x200 + i,
				 at + 1 + k * each_ms,
				 at + 1 + (k + 1) * each_ms);
	}
	begin(&s, buf_text(&text));
	assert_int_equal(s.found.count, 1);
	assert_int_equal(s.found.items->count, count);
	assert_int_equal(s.found.items->parent, fixture_span(&s.t, 1));
	assert_true(str_equal(span_name(&s.t, s.found.items->leaf),
			      str_from(name)));
	end(&s);
	buf_release(&text);
}

static void below_calls_of_another_service(void **state)
{
	(void)state;
	expect_served(15, 3, 12, 40, 45, "q");
	expect_served(4, 5, 12, 65, 20, "q");
	expect_served(15, 1, 12, 40, 15, "a.B/c");
	expect_served(15, 3, 2, 40, 15, "a.B/c");
}

/* Rows of sections: 3 x 4 x 2, run by the root. */
static void below_spans_below_spans(void **state)
{
	struct search s;
	struct buf text;

	(void)state;
	buf_init(&text, MIB);
	buf_add_text(&text, "1 0 s S root 0 900\n");
	for (int i = 0; i < 3; i++)
		buf_addf(&text, "%x 1 s I section %d %d\n", 0x10 + i, i * 300,
			 i * 300 + 299);
	for (int i = 0; i < 12; i++)
		buf_addf(&text,
			 "%x %x s I row %d %d\n"
			 "%x %x s C q %d %d " SELECT_B "\n"
			 "%x %x s C q %d %d " SELECT_B "\n",
			 0x100 + i, 0x10 + i / 4, i * 75, i * 75 + 70,
			 0x200 + i, 0x100 + i, i * 75, i * 75 + 20, 0x300 + i,
			 0x100 + i, i * 75 + 30, i * 75 + 50);
	begin(&s, buf_text(&text));
	assert_int_equal(s.found.count, 1);
	assert_int_equal(s.found.items->count, 24);
	assert_int_equal(s.found.items->parent, fixture_span(&s.t, 1));
	assert_int_equal(s.found.items->holder_count, 3);
	end(&s);
	buf_release(&text);
}

/* As many levels between a loop and its calls as are looked at, and one more. */
static void deep_below(void **state)
{
	(void)state;
	for (uint32_t levels = REPEAT_NESTED_LEVELS - 1;
	     levels <= REPEAT_NESTED_LEVELS; levels++) {
		struct search s;
		struct buf text;

		buf_init(&text, MIB);
		buf_add_text(&text, "1 0 s S root 0 900\n");
		for (uint32_t i = 0; i < 6; i++) {
			uint32_t up = 1, id = (i + 1) << 12;

			for (uint32_t k = 0; k < levels; k++, up = id++)
				buf_addf(&text, "%x %x s I f %u %u\n", id, up,
					 i * 100, i * 100 + 90);
			buf_addf(&text,
				 "%x %x s I g %u %u\n"
				 "%x %x s C q %u %u " SELECT_B "\n",
				 id, up, i * 100, i * 100 + 9, id + 1, up,
				 i * 100 + 10, i * 100 + 90);
		}
		begin(&s, buf_text(&text));
		assert_int_equal(s.found.count,
				 levels < REPEAT_NESTED_LEVELS);
		end(&s);
		buf_release(&text);
	}
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

/* Turns that are not alike: of a row another query is made now and then, of a
 * store what its cache lacks. Between them may be calls of the kind, no work. */
static void irregular_turns(void **state)
{
	static const struct {
		const char *between, *attrs;
		int count;
		size_t found;
	} cases[] = {
		{ "C q", "db.system=pg db.statement=\"SELECT c\"", 10, 1 },
		{ "C GET", "db.system=redis db.statement=\"GET k\"", 10, 1 },
		{ "C GET", "url.full=http://h/u", 10, 0 },
		{ "I map", "", 10, 0 },
		/* As few as suffice of turns that repeat exactly. */
		{ "C q", "db.system=pg db.statement=\"SELECT c\"", 3, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct search s;
		struct buf text;

		buf_init(&text, MIB);
		buf_add_text(&text, "1 0 s S root 0 5000\n");
		for (int k = 0; k < cases[i].count; k++) {
			int at = 100 + k * 40;

			buf_addf(&text, "%x 1 s C b %d %d " SELECT_B "\n",
				 0x100 + k, at, at + 20);
			for (int more = 0; more < (k + 1) % 3; more++)
				buf_addf(&text, "%x 1 s %s %d %d %s\n",
					 0x200 + 4 * k + more, cases[i].between,
					 at + 21 + more, at + 21 + more,
					 cases[i].attrs);
		}
		begin(&s, buf_text(&text));
		assert_int_equal(s.found.count, cases[i].found);
		if (s.found.count)
			assert_int_equal(s.found.items->count, cases[i].count);
		end(&s);
		buf_release(&text);
	}
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

UNIT_TESTS(nplusone)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(five_queries),
		cmocka_unit_test(thresholds),
		cmocka_unit_test(what_counts),
		cmocka_unit_test(wrapped),
		cmocka_unit_test(below_repeated_spans),
		cmocka_unit_test(below_numbered_spans),
		cmocka_unit_test(below_other_spans),
		cmocka_unit_test(below_calls_of_another_service),
		cmocka_unit_test(below_spans_below_spans),
		cmocka_unit_test(deep_below),
		cmocka_unit_test(turns_of_several),
		cmocka_unit_test(irregular_turns),
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
