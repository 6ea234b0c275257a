/* SPDX-License-Identifier: Apache-2.0
 *
 * A snapshot stands for the runs that it was made of: the same comparison with
 * it as with them, as text and back.
 */
#include "../unit.h"
#include "ranking.h"

#include <math.h>

#include "analyze/snapshot_make.h"
#include "base/out.h"
#include "decode/snapshot.h"
#include "model/profile.h"

#define RUNS 4

static void assert_near(double have, double want, double apart)
{
	if (!(fabs(have - want) <= apart))
		fail_msg("%.15g is not %.15g", have, want);
}

static const char *const before[RUNS] = {
	"main;a 500\nmain;b 300\nmain;c;d 200\n",
	"main;a 520\nmain;b 290\nmain;c;d 205\n",
	"main;a 480\nmain;b 310\nmain;c;d 190\n",
	"main;a 505\nmain;b 295\nmain;c;d 210\n",
};
static const char *const after[RUNS] = {
	"main;a 500\nmain;b 610\nmain;g;h;e 80\n",
	"main;a 490\nmain;b 580\nmain;g;h;e 85\n",
	"main;a 510\nmain;b 620\nmain;g;h;e 78\n",
	"main;a 495\nmain;b 600\nmain;g;h;e 84\n",
};

struct runs {
	struct profile items[RUNS];
	const struct profile *list[RUNS];
	double exposure[RUNS];
	struct profile sum;
	struct rank_slices slices;
};

static void runs_make(struct runs *r, const char *const *texts)
{
	for (size_t i = 0; i < RUNS; i++) {
		make_cpu_profile(&r->items[i], texts[i]);
		r->list[i] = &r->items[i];
		r->exposure[i] = 1;
	}
	profile_init(&r->sum);
	assert_ok(profile_merge(&r->sum, r->list, RUNS, NULL, &err));
	r->slices = (struct rank_slices){ r->list, r->exposure, RUNS };
}

static void runs_release(struct runs *r)
{
	for (size_t i = 0; i < RUNS; i++)
		profile_release(&r->items[i]);
	profile_release(&r->sum);
}

static void snapshot_of(struct snapshot *s, const struct runs *r)
{
	snapshot_init(s);
	s->type = STR("samples");
	s->unit = STR("count");
	s->per = NORMALIZE_REQUEST;
	s->is_of_runs = true;
	assert_ok(snapshot_make(s, &r->sum, &r->slices, NULL, &err));
}

/* Through its text. */
static void keep(const struct snapshot *s, struct snapshot *back)
{
	struct buf text;
	struct out out;

	buf_init(&text, LIMIT_SNAPSHOT_BYTES);
	out_init_memory(&out, &text);
	snapshot_write(s, &out);
	assert_ok(out_finish(&out, "text", &err));
	out_release(&out);
	assert_true(snapshot_is(buf_str(&text)));
	snapshot_init(back);
	assert_ok(snapshot_read(back, buf_str(&text), &err));
	buf_release(&text);
}

static const struct function_row *find(const struct result *r, const char *name)
{
	for (size_t i = 0; i < r->function_count; i++)
		if (str_equal(r->functions[i].name, str_from(name)))
			return &r->functions[i];
	fail_msg("no row of %s", name);
	return NULL;
}

static void rank_against(struct result *result, const struct runs *now,
			 const struct runs *was, const struct snapshot *s)
{
	struct profile whole;
	struct rank_want want = { .by = RANK_DELTA,
				  .normalize = NORMALIZE_REQUEST,
				  .slow_requests = RUNS,
				  .baseline_requests = RUNS,
				  .slow_slices = now->slices,
				  .baseline_snapshot = s };

	memset(result, 0, sizeof *result);
	arena_init(&result->arena, LIMIT_RESULT_BYTES);
	profile_init(&whole);
	if (s)
		assert_ok(snapshot_profile(s, &whole, &err));
	else
		want.baseline_slices = was->slices;
	assert_ok(functions_rank(&now->sum, s ? &whole : &was->sum, &want,
				 result, &err));
	profile_release(&whole);
}

static void test_same_as_runs(void **state)
{
	static const char *const names[] = { "a", "b", "d", "e" };
	struct runs now, was;
	struct snapshot made, s;
	struct result by_runs, by_snapshot;

	(void)state;
	runs_make(&now, after);
	runs_make(&was, before);
	snapshot_of(&made, &was);
	keep(&made, &s);
	assert_int_equal(s.runs, RUNS);
	assert_true(s.is_of_runs);
	rank_against(&by_runs, &now, &was, NULL);
	rank_against(&by_snapshot, &now, &was, &s);
	for (size_t i = 0; i < 4; i++) {
		const struct function_row *a = find(&by_runs, names[i]);
		const struct function_row *b = find(&by_snapshot, names[i]);

		assert_int_equal(a->change, b->change);
		assert_near(a->delta, b->delta, 1e-4);
		assert_int_equal(a->baseline_total_value,
				 b->baseline_total_value);
		if (!isnan(a->q))
			assert_near(log(a->q + 1e-12),
					   log(b->q + 1e-12), 0.5);
	}
	assert_int_equal(find(&by_snapshot, "b")->change, CHANGE_GROWN);
	assert_int_equal(find(&by_snapshot, "e")->change, CHANGE_NEW);
	assert_int_equal(find(&by_snapshot, "d")->change, CHANGE_GONE);
	assert_near(by_runs.whole.q, by_snapshot.whole.q, 0.01);
	arena_release(&by_runs.arena);
	arena_release(&by_snapshot.arena);
	snapshot_release(&made);
	snapshot_release(&s);
	runs_release(&now);
	runs_release(&was);
}

static void test_values(void **state)
{
	struct runs was;
	struct snapshot s;

	(void)state;
	runs_make(&was, before);
	snapshot_of(&s, &was);
	assert_int_equal(s.count, 5);
	assert_true(str_equal(s.functions[0].name, STR("a")));
	assert_near(s.functions[0].values[RANK_TOTAL].mean, 501.25,
			   1e-9);
	/* 500, 520, 480, 505 */
	assert_near(s.functions[0].values[RANK_SELF].spread,
			   sqrt((1.25 * 1.25 + 18.75 * 18.75 + 21.25 * 21.25 +
				 3.75 * 3.75) /
				3),
			   1e-9);
	assert_near(s.whole.mean, 4005 / 4.0, 1e-9);
	snapshot_release(&s);
	runs_release(&was);
}

static void assert_baseline(const char *before_text, const char *after_text,
			    const char *name, int64_t want)
{
	const char *const befores[RUNS] = { before_text, before_text,
					    before_text, before_text };
	const char *const afters[RUNS] = { after_text, after_text, after_text,
					   after_text };
	struct runs now, was;
	struct snapshot s;
	struct result result;

	runs_make(&now, afters);
	runs_make(&was, befores);
	snapshot_of(&s, &was);
	rank_against(&result, &now, &was, &s);
	if (find(&result, name)->baseline_total_value != want)
		fail_msg("%s: %lld", name,
			 (long long)find(&result, name)->baseline_total_value);
	arena_release(&result.arena);
	snapshot_release(&s);
	runs_release(&now);
	runs_release(&was);
}

/* Whether a name tells its file is known of each build alone. */
static void test_names_that_share_files(void **state)
{
	const char *one = "main;get@/srv/v7/users/views.py 100\n";
	const char *two = "main;get@/srv/v8/users/views.py 100\n"
			  "main;get@/srv/v8/orders/views.py 300\n";

	(void)state;
	assert_baseline(two, two, "get (orders/views.py)", 1200);
	assert_baseline(one, two, "get (users/views.py)", 400);
	assert_baseline(one, two, "get (orders/views.py)", 0);
	assert_baseline(two, one, "get", 400);
	assert_baseline(two, one, "get (orders/views.py)", 1200);
}

static void test_names_with_lines(void **state)
{
	(void)state;
	assert_baseline("main;parse (/r/7/app.py:5) 100\n",
			"main;parse (/r/8/app.py:9) 100\n",
			"parse (/r/8/app.py:9)",
			400);
	assert_baseline("main;{closure:a.php(5)} 100\n"
			"main;{closure:a.php(9)} 50\n",
			"main;{closure:a.php(7)} 100\n",
			"{closure:a.php(7)}", 600);
	assert_baseline("main;t@/js/main.3f2a91bc.js 100\n"
			"main;t@/js/vendor.3f2a91bc.js 50\n",
			"main;t@/js/main.77aa01ff.js 100\n"
			"main;t@/js/vendor.77aa01ff.js 50\n",
			"t (js/main.*.js)", 400);
}

/* Those under a two-thousandth are left out. */
static void test_small(void **state)
{
	static const char *const texts[RUNS] = { "m;a 2000\nm;b 1\n",
						 "m;a 1999\nm;c 1\n",
						 "m;a 1999\nm;b 1\n",
						 "m;a 1999\nm;b 1\n" };
	struct runs was;
	struct snapshot s;

	(void)state;
	runs_make(&was, texts);
	snapshot_of(&s, &was);
	assert_int_equal(s.count, 2);
	snapshot_release(&s);
	runs_release(&was);
}

UNIT_TESTS(snapshot)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_as_runs),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_small),
		cmocka_unit_test(test_names_that_share_files),
		cmocka_unit_test(test_names_with_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
