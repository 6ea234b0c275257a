/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "../unit.h"
#include "trace_fixture.h"

#include "analyze/trace_analysis.h"
#include "base/buf.h"

#define ROOTS 500000u

struct fall {
	struct trace t;
	struct trace_times times;
	struct result result;
	struct guilty_pick pick;
};

static void begin(struct fall *f, const char *text, unsigned seed)
{
	struct guilty_want want = { 0 };
	struct error err = { 0 };

	*f = (struct fall){ 0 };
	fixture_trace_shuffled(&f->t, text, seed);
	arena_init(&f->result.arena, GIB);
	assert_true(
		trace_times_compute(&f->t, &f->result.arena, &f->times, &err));
	assert_true(guilty_find(&f->t, &f->times, &want, NULL, &f->result,
				&f->pick, &err));
	assert_true(
		waterfall_build(&f->t, &f->times, &f->pick, &f->result, &err));
}

static void end(struct fall *f)
{
	arena_release(&f->result.arena);
	trace_release(&f->t);
}

/* One line a row: depth, name, count, start, end, sums in ms, marks. */
static void print(const struct fall *f, struct buf *out)
{
	buf_init(out, MIB);
	for (size_t i = 0; i < f->result.waterfall_count; i++) {
		const struct waterfall_row *row = &f->result.waterfall[i];
		struct str name = span_name(&f->t, row->span);

		buf_addf(out, "%u %.*s x%u %g-%g %g/%g/%g%s%s%s\n", row->depth,
			 STR_ARGS(name), row->count,
			 (double)(row->start_ns - FIXTURE_BASE_NS) / 1e6,
			 (double)(row->end_ns - FIXTURE_BASE_NS) / 1e6,
			 (double)row->duration_ns / 1e6,
			 (double)row->self_ns / 1e6,
			 (double)row->critical_ns / 1e6,
			 row->is_on_path ? " path" : "",
			 row->is_error ? " error" : "",
			 row->is_guilty ? " guilty" : "");
	}
}

static void expect(const char *text, const char *rows)
{
	for (unsigned seed = 0; seed < 10; seed++) {
		struct fall f;
		struct buf out;

		begin(&f, text, seed);
		print(&f, &out);
		assert_string_equal(buf_text(&out), rows);
		buf_release(&out);
		end(&f);
	}
}

static void depth_first_by_start(void **state)
{
	(void)state;
	expect("1 0 s S root 0 100\n"
	       "2 1 s I b 50 90\n"
	       "3 1 s I a 10 40 error\n"
	       "4 2 s I c 60 70\n"
	       "5 3 s I d 15 20\n"
	       "6 0 s I other 5 25\n",
	       "0 root x1 0-100 100/30/30 path guilty\n"
	       "1 a x1 10-40 30/25/25 path error\n"
	       "2 d x1 15-20 5/5/5 path\n"
	       "1 b x1 50-90 40/30/30 path\n"
	       "2 c x1 60-70 10/10/10 path\n"
	       "0 other x1 5-25 20/20/0\n");
}

/* Three and more equal siblings are one row at the first one's place; what
 * is below them is gathered and folded too. */
static void repeats_fold(void **state)
{
	(void)state;
	expect("1 0 s S root 0 200\n"
	       "2 1 s C get 10 30\n"
	       "3 1 s C put 30 50\n"
	       "4 1 s C get 50 70\n"
	       "5 1 s C put 70 90\n"
	       "6 1 s C get 90 120 error\n"
	       "7 2 t S serve 11 29\n"
	       "8 4 t S serve 51 69\n"
	       "9 6 t S serve 91 119\n"
	       "a 7 t I once 12 14\n"
	       "b 8 t I twice 52 54\n"
	       "c 9 t I twice 92 94\n",
	       "0 root x1 0-200 200/90/90 path guilty\n"
	       "1 get x3 10-120 70/6/6 path error\n"
	       "2 serve x3 11-119 64/58/58 path\n"
	       "3 once x1 12-14 2/2/2 path\n"
	       "3 twice x1 52-54 2/2/2 path\n"
	       "3 twice x1 92-94 2/2/2 path\n"
	       "1 put x1 30-50 20/20/20 path\n"
	       "1 put x1 70-90 20/20/20 path\n");
}

static void loop_and_calls_are_marked(void **state)
{
	struct buf text;
	int i;

	(void)state;
	buf_init(&text, MIB);
	buf_add_text(&text, "1 0 s S root 0 100\n");
	for (i = 0; i < 8; i++)
		buf_addf(&text,
			 "%x 1 s C q %d %d db.system=pg "
			 "db.statement=\"SELECT x WHERE a = %d\"\n",
			 i + 2, 10 + i * 10, 20 + i * 10, i);
	expect(buf_text(&text), "0 root x1 0-100 100/20/20 path guilty\n"
				"1 q x8 10-90 80/80/80 path guilty\n");
	buf_release(&text);
}

/* Other queries and other kinds are other rows. */
static void differing_calls_stay(void **state)
{
	(void)state;
	expect("1 0 s S root 0 100\n"
	       "2 1 s C q 0 10 db.system=pg db.statement=\"SELECT a\"\n"
	       "3 1 s C q 10 20 db.system=pg db.statement=\"SELECT a\"\n"
	       "4 1 s C q 20 30 db.system=pg db.statement=\"SELECT b\"\n"
	       "5 1 s I q 30 40\n",
	       "0 root x1 0-100 100/60/60 path guilty\n"
	       "1 q x1 0-10 10/10/10 path\n"
	       "1 q x1 10-20 10/10/10 path\n"
	       "1 q x1 20-30 10/10/10 path\n"
	       "1 q x1 30-40 10/10/10 path\n");
}

static void skewed_spans_move(void **state)
{
	(void)state;
	expect("1 0 a C client 100 200 @host.name=a\n"
	       "2 1 b S server 350 410 @host.name=b\n",
	       "0 client x1 100-200 100/40/40 path\n"
	       "1 server x1 120-180 60/60/60 path guilty\n");
}

static void without_a_pick(void **state)
{
	struct fall f;
	struct error err = { 0 };

	(void)state;
	begin(&f, "1 0 s S root 0 100\n", 0);
	assert_true(waterfall_build(&f.t, &f.times, NULL, &f.result, &err));
	assert_int_equal(f.result.waterfall_count, 1);
	assert_false(f.result.waterfall[0].is_guilty);
	end(&f);
}

/* Roots of one name are never folded. Comparing each with all that follow
 * would not end before the harness gives up. */
static void many_equal_roots(void **state)
{
	struct fall f = { 0 };
	struct span_input in = { .trace_id = { { 1 } }, .kind = 1 };
	struct error err = { 0 };
	struct trace_build *b;

	(void)state;
	trace_init(&f.t);
	b = trace_build_new(&f.t, NULL, &err);
	assert_non_null(b);
	trace_build_attrs_begin(b);
	assert_true(trace_build_resource(b, &in.resource, &err));
	assert_true(trace_build_text(b, STR("job"), &in.name, &err));
	for (uint64_t i = 1; i <= ROOTS; i++) {
		in.span_id = i;
		in.start_unix_ns = (uint64_t)FIXTURE_BASE_NS + i;
		in.end_unix_ns = in.start_unix_ns + 10;
		trace_build_attrs_begin(b);
		assert_true(trace_build_span(b, &in, &err));
	}
	assert_true(trace_build_finish(b, &err));
	trace_build_free(b);
	arena_init(&f.result.arena, GIB);
	assert_true(trace_times_compute(&f.t, &f.result.arena, &f.times, &err));
	assert_true(waterfall_build(&f.t, &f.times, NULL, &f.result, &err));
	assert_int_equal(f.result.waterfall_count, ROOTS);
	end(&f);
}

#define SELECTED                                                               \
	"1 0 s S root 0 100\n"                                                 \
	"2 1 s I a 10 90\n"                                                    \
	"3 2 db S query 20 30 error\n"                                         \
	"4 3 db I index 22 28\n"                                               \
	"5 2 s I b 40 50\n"                                                    \
	"6 1 t S tail 92 99\n"

static void expect_selected(struct waterfall_want want, const char *names,
			    size_t total)
{
	struct error err = { 0 };
	struct buf out;
	struct fall f;

	begin(&f, SELECTED, 1);
	assert_true(waterfall_select(&f.t, &want, &f.result, &err));
	buf_init(&out, MIB);
	for (size_t i = 0; i < f.result.waterfall_count; i++) {
		const struct waterfall_row *row = &f.result.waterfall[i];
		struct str name = span_name(&f.t, row->span);

		buf_addf(&out, "%s%.*s", i ? " " : "", STR_ARGS(name));
		if (row->hidden)
			buf_addf(&out, "+%u", row->hidden);
	}
	assert_string_equal(buf_text(&out), names);
	assert_int_equal(f.result.waterfall_total, total);
	buf_release(&out);
	end(&f);
}

static void rows_are_selected(void **state)
{
	static const char *const db[] = { "db" };
	static const char *const one[] = { "1" };
	static const char *const zero[] = { "7", "0" };
	static const char *const other[] = { "x", "99999999999999999999" };

	(void)state;
	expect_selected((struct waterfall_want){ .limit = 0 },
			"root a query index b tail", 0);
	expect_selected((struct waterfall_want){ .limit = 6 },
			"root a query index b tail", 0);
	expect_selected((struct waterfall_want){ .limit = 5 },
			"root a query index b", 6);
	expect_selected((struct waterfall_want){ .is_failed = true },
			"root a query", 6);
	expect_selected((struct waterfall_want){ .service = STR("t") },
			"root tail", 6);
	expect_selected((struct waterfall_want){ .service = STR("db") },
			"root a query index", 6);
	expect_selected((struct waterfall_want){ .service = STR("none") }, "",
			6);
	expect_selected(
		(struct waterfall_want){ .collapse = db, .collapse_count = 1 },
		"root a query+1 b tail", 6);
	expect_selected(
		(struct waterfall_want){ .collapse = one, .collapse_count = 1 },
		"root a+3 tail", 6);
	expect_selected((struct waterfall_want){ .collapse = zero,
						 .collapse_count = 2 },
			"root+5", 6);
	expect_selected((struct waterfall_want){ .collapse = other,
						 .collapse_count = 2 },
			"root a query index b tail", 0);
	expect_selected((struct waterfall_want){ .collapse = one,
						 .collapse_count = 1,
						 .service = STR("db") },
			"root a+2", 6);
}

static void spans_are_never_folded(void **state)
{
	struct error err = { 0 };
	struct fall f;

	(void)state;
	begin(&f,
	      "1 0 s S root 0 100\n2 1 d C q 10 20\n3 1 d C q 20 30\n"
	      "4 1 d C q 30 40\n",
	      1);
	assert_int_equal(f.result.waterfall_count, 2);
	assert_true(waterfall_spans(&f.t, &f.times, &f.pick, &f.result, &err));
	assert_int_equal(f.result.span_count, 4);
	assert_int_equal(f.result.spans[3].duration_ns, 10000000);
	f.result.view.has_events = true;
	assert_true(waterfall_build(&f.t, &f.times, &f.pick, &f.result, &err));
	assert_int_equal(f.result.waterfall_count, 4);
	end(&f);
}

UNIT_TESTS(waterfall)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(depth_first_by_start),
		cmocka_unit_test(repeats_fold),
		cmocka_unit_test(loop_and_calls_are_marked),
		cmocka_unit_test(differing_calls_stay),
		cmocka_unit_test(skewed_spans_move),
		cmocka_unit_test(without_a_pick),
		cmocka_unit_test(many_equal_roots),
		cmocka_unit_test(rows_are_selected),
		cmocka_unit_test(spans_are_never_folded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
