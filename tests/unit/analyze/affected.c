/* SPDX-License-Identifier: Apache-2.0 */
#include "history_fixture.h"

#include "../unit.h"
#include "analyze/affected.h"
#include "base/buf.h"

static const char trace_lines[] =
	"1 0 web S \"POST /login\" 0 900\n"
	"2 1 web C POST 5 890\n"
	"3 2 auth S \"POST /check\" 10 880\n"
	"4 3 auth C GET 15 870\n"
	"5 4 users S \"GET /user\" 20 860\n";
#define ENTRY 4

struct test {
	struct trace t;
	struct past past;
	struct request_history requests;
	struct affected_want want;
	struct affected_info found;
};

static void setup(struct test *x, const char *lines, uint32_t entry)
{
	fixture_trace(&x->t, lines);
	past_init(&x->past);
	past_operation(&x->past, "users", "GET /user", SPAN_KIND_SERVER);
	x->requests = (struct request_history){
		.this_duration_ns = fixture_ms(840),
		.threshold_ns = fixture_ms(500),
		.bucket_count = 2,
		.buckets = { { .now_count = 70, .slow_count = 0 },
			     { .now_count = 30, .slow_count = 29 } },
		.window_count = 2,
		.windows = { { .role = REQUESTS_NOW, .count = 100 },
			     { .role = REQUESTS_DAY, .count = 900 } },
	};
	x->want = (struct affected_want){
		.trace = &x->t,
		.entry = entry,
		.requests = &x->requests,
		.history = &x->past.h,
		.operation = 0,
	};
}

static void find(struct test *x)
{
	struct error err = { 0 };

	assert_true(affected_find(&x->want, &x->past.arena, &x->found, &err));
}

static void teardown(struct test *x)
{
	trace_release(&x->t);
	past_release(&x->past);
}

/* Adds a trace that began so to a window. */
static void add_root(struct test *x, uint32_t window, const char *service,
		     const char *name)
{
	struct history_window *w = &x->past.h.windows[window];
	struct error err = { 0 };
	struct history_trace *t;

	past_trace(&x->past, window);
	t = &w->traces[w->trace_count - 1];
	assert_true(history_symbol(&x->past.h, str_from(service),
				   &t->root_service, &err));
	assert_true(history_symbol(&x->past.h, str_from(name), &t->root_name,
				   &err));
}

static void check_other(const struct test *x, size_t at, const char *service,
			const char *name, uint32_t count)
{
	const struct affected_request *other = &x->found.others[at];

	assert_true(str_equal(other->service, str_from(service)));
	assert_true(str_equal(other->name, str_from(name)));
	assert_int_equal(other->count, count);
}

static void test_share_counts_this_one(void **state)
{
	struct test x;

	(void)state;
	setup(&x, trace_lines, ENTRY);
	find(&x);
	assert_int_equal(x.found.slow, 30);
	assert_int_equal(x.found.requests, 101);
	assert_false(x.found.is_sample);
	/* One that is just not slow is among the requests alone. */
	x.requests.this_duration_ns = x.requests.threshold_ns - 1;
	x.requests.windows[0].is_sample = true;
	find(&x);
	assert_int_equal(x.found.slow, 29);
	assert_int_equal(x.found.requests, 101);
	assert_true(x.found.is_sample);
	teardown(&x);
}

static void test_nothing_where_nothing_was_judged(void **state)
{
	struct test x;

	(void)state;
	setup(&x, trace_lines, ENTRY);
	x.requests.threshold_ns = 0;
	find(&x);
	assert_int_equal(x.found.requests, 0);
	x.want.requests = NULL;
	find(&x);
	assert_int_equal(x.found.requests, 0);
	assert_int_equal(x.found.caller_count, 0);
	teardown(&x);
}

static void test_callers_nearest_first(void **state)
{
	struct test x;

	(void)state;
	setup(&x, trace_lines, ENTRY);
	find(&x);
	assert_int_equal(x.found.caller_count, 2);
	assert_true(str_equal(x.found.callers[0], STR("auth")));
	assert_true(str_equal(x.found.callers[1], STR("web")));
	teardown(&x);
}

static void test_own_service_is_no_caller(void **state)
{
	struct test x;

	(void)state;
	setup(&x,
	      "1 0 users S outer 0 900\n2 1 web S middle 1 890\n"
	      "3 2 users S \"GET /user\" 2 880\n",
	      2);
	find(&x);
	assert_int_equal(x.found.caller_count, 1);
	assert_true(str_equal(x.found.callers[0], STR("web")));
	x.want.entry = 0;
	find(&x);
	assert_int_equal(x.found.caller_count, 0);
	teardown(&x);
}

static void test_callers_have_a_limit(void **state)
{
	struct buf lines;
	struct test x;

	(void)state;
	buf_init(&lines, 1 << 16);
	for (int i = 1; i <= 12; i++)
		buf_addf(&lines, "%x %x service-%d S x 0 900\n", (unsigned)i,
			 (unsigned)i - 1, i);
	setup(&x, buf_text(&lines), 11);
	find(&x);
	assert_int_equal(x.found.caller_count, 8);
	assert_true(str_equal(x.found.callers[0], STR("service-11")));
	assert_true(str_equal(x.found.callers[7], STR("service-4")));
	teardown(&x);
	buf_release(&lines);
}

static void test_others_by_how_many(void **state)
{
	uint32_t slow, all;
	struct test x;

	(void)state;
	setup(&x, trace_lines, ENTRY);
	all = past_window(&x.past, 0, 1000);
	slow = past_window(&x.past, 0, 1000);
	x.past.h.windows[slow].slow_operation = 0;
	add_root(&x, slow, "mobile", "GET /home");
	add_root(&x, slow, "web", "POST /login"); /* as this one */
	add_root(&x, slow, "web", "GET /cart");
	add_root(&x, slow, "batch", "nightly");
	add_root(&x, slow, "web", "GET /cart");
	add_root(&x, slow, "", "");
	add_root(&x, slow, "web", "");
	add_root(&x, all, "other", "GET /");
	find(&x);
	assert_int_equal(x.found.other_count, 3);
	check_other(&x, 0, "web", "GET /cart", 2);
	check_other(&x, 1, "batch", "nightly", 1);
	check_other(&x, 2, "mobile", "GET /home", 1);
	/* Of another operation. */
	x.past.h.windows[slow].slow_operation = 1;
	find(&x);
	assert_int_equal(x.found.other_count, 0);
	x.want.operation = OPERATION_NONE;
	find(&x);
	assert_int_equal(x.found.other_count, 0);
	teardown(&x);
}

static void test_others_have_a_limit(void **state)
{
	static const char *const names[] = { "a", "b", "c", "d", "e",
					     "f", "g", "h", "i" };
	uint32_t slow;
	struct test x;

	(void)state;
	setup(&x, trace_lines, ENTRY);
	slow = past_window(&x.past, 0, 1000);
	x.past.h.windows[slow].slow_operation = 0;
	for (size_t i = 0; i < COUNT_OF(names); i++)
		add_root(&x, slow, "web", names[i]);
	find(&x);
	assert_int_equal(x.found.other_count, 8);
	check_other(&x, 7, "web", "h", 1);
	teardown(&x);
}

UNIT_TESTS(affected)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_share_counts_this_one),
		cmocka_unit_test(test_nothing_where_nothing_was_judged),
		cmocka_unit_test(test_callers_nearest_first),
		cmocka_unit_test(test_own_service_is_no_caller),
		cmocka_unit_test(test_callers_have_a_limit),
		cmocka_unit_test(test_others_by_how_many),
		cmocka_unit_test(test_others_have_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
