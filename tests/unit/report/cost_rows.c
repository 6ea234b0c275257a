/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "report/cost_answer.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/num.h"

#define NEAR(a, b) assert_true(is_near(a, b))

static bool is_near(double a, double b)
{
	return fabs(a - b) < 1e-9 * (1 + fabs(b));
}

static struct arena arena;
static struct error err;

static int setup(void **state)
{
	(void)state;
	arena_init(&arena, MIB);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

/* 100 s of CPU in an hour of 3600 requests, in two functions and a third that
 * may be none. */
static struct function_cost functions[] = {
	{ .name = { "a", 1 }, .value = 60, .error = 0.1 },
	{ .name = { "b", 1 }, .value = 38, .error = 0.5 },
	{ .name = { "c", 1 }, .value = 2, .error = 1.2 },
};

static struct cost make_cost(void)
{
	return (struct cost){
		.functions = { .items = functions,
			       .count = COUNT_OF(functions),
			       .whole = { .value = 100, .error = 0.05 } },
		.unit_s = 1,
		.seconds = 3600,
		.requests = { 3600, COST_OF_METRICS },
	};
}

static const struct cost_prices free_of_all = { -1, -1, -1, NULL, NULL };

static struct cost_rows build(const struct cost *c,
			      const struct cost_prices *prices, size_t limit)
{
	struct cost_rows rows;

	assert_true(cost_rows_build(c, prices, limit, &arena, &rows, &err));
	return rows;
}

static void test_cpu_only(void **state)
{
	struct cost c = make_cost();
	struct cost_rows r = build(&c, &free_of_all, 0);

	(void)state;
	assert_int_equal(r.count, 4);
	assert_int_equal(r.items[2].kind, COST_ROW_OTHERS);
	assert_int_equal(r.items[2].count, 1);
	NEAR(r.items[0].each, 60.0 / 3600);
	NEAR(r.items[0].amount, 60.0 / 3600);
	NEAR(r.items[0].low, 54.0 / 3600);
	NEAR(r.items[0].high, 66.0 / 3600);
	assert_true(isnan(r.items[0].month));
	NEAR(r.items[2].each, 2.0 / 3600);
	NEAR(r.sum->each, 100.0 / 3600);
	assert_null(r.bill);
	assert_false(r.is_bill);
	r = build(&c, &free_of_all, 1);
	assert_int_equal(r.count, 3);
	assert_int_equal(r.items[1].count, 2);
	NEAR(r.items[1].each, 40.0 / 3600);
}

/* A sum of sampled requests is known no better than their number. */
static void test_requests_widen(void **state)
{
	struct cost c = make_cost();

	(void)state;
	c.requests_error = 0.1;
	NEAR(build(&c, &free_of_all, 0).items[0].high,
	     60.0 / 3600 * (1 + sqrt(0.02)));
}

/* Four times what is used is allocated, memory twice. */
static void test_bill(void **state)
{
	const struct cost_prices prices = { 1e-5, 1e-6, 1e-7, "USD", NULL };
	struct cost c = make_cost();
	struct cost_rows r;
	double month = 0, million = 0;

	(void)state;
	c.resources[COST_CPU].used =
		(struct cost_number){ 0.05, COST_OF_METRICS };
	c.resources[COST_CPU].allocated =
		(struct cost_number){ 0.2, COST_OF_LIMITS };
	c.resources[COST_MEMORY].used =
		(struct cost_number){ (double)GIB, COST_OF_METRICS };
	c.resources[COST_MEMORY].allocated =
		(struct cost_number){ 2.0 * (double)GIB, COST_GIVEN };
	r = build(&c, &prices, 0);
	for (size_t i = 0; i + 1 < r.count; i++)
		if (r.items[i].kind >= COST_ROW_CPU) {
			month += r.items[i].month;
			million += r.items[i].million;
		}
	assert_int_equal(r.items[3].kind, COST_ROW_UNPROFILED);
	NEAR(r.items[3].amount, 0.05 - 100.0 / 3600);
	NEAR(r.bill->month, month);
	NEAR(r.bill->million, million);
	/* All of what is allocated, and a request a second. */
	NEAR(r.bill->month, COST_MONTH_S * (0.2e-5 + 2e-6 + 1e-7));
	NEAR(r.bill->million, 1e6 * (0.2e-5 + 2e-6 + 1e-7));
	NEAR(r.idle, COST_MONTH_S * (0.15e-5 + 1e-6));
}

/* More may be used than is allocated: nothing is idle then. */
static void test_over_use(void **state)
{
	const struct cost_prices prices = { 1e-5, -1, -1, NULL, NULL };
	struct cost c = make_cost();
	struct cost_rows r;

	(void)state;
	c.resources[COST_CPU].allocated =
		(struct cost_number){ 0.01, COST_OF_REQUESTS };
	r = build(&c, &prices, 0);
	NEAR(r.idle, 0);
	NEAR(r.bill->month, COST_MONTH_S * 1e-5 * 100 / 3600);
}

/* Without the number of requests nothing is told by one, without a time
 * nothing by the month. */
static void test_what_is_not_known(void **state)
{
	const struct cost_prices prices = { 1e-5, 1e-6, -1, NULL, NULL };
	struct cost c = make_cost();
	struct cost_rows r;

	(void)state;
	c.requests = (struct cost_number){ 0 };
	r = build(&c, &prices, 0);
	assert_false(r.is_bill);
	assert_true(isnan(r.sum->each) && isnan(r.bill->million));
	NEAR(r.sum->low, 95.0 / 3600);
	assert_true(r.bill->month > 0);
	c = make_cost();
	c.seconds = 0;
	r = build(&c, &prices, 0);
	assert_true(isnan(r.bill->month));
	NEAR(r.bill->million, 1e6 * 1e-5 * 100 / 3600);
}

/* Half of a bill is none: what lies idle of the rest is not told. */
static void test_half_a_bill(void **state)
{
	const struct cost_prices prices = { 1e-5, 1e-6, -1, NULL, NULL };
	struct cost c = make_cost();
	struct cost_rows r;

	(void)state;
	c.resources[COST_MEMORY].used =
		(struct cost_number){ (double)GIB, COST_OF_METRICS };
	c.resources[COST_MEMORY].allocated =
		(struct cost_number){ 2.0 * (double)GIB, COST_GIVEN };
	r = build(&c, &prices, 0);
	assert_false(r.is_bill);
	NEAR(r.bill->month, COST_MONTH_S * (1e-5 * 100 / 3600 + 1e-6));
	for (size_t i = 0; i < r.count; i++)
		assert_int_not_equal(r.items[i].kind, COST_ROW_IDLE_MEMORY);
}

/* Functions are shares of what the processes take. */
static void test_memory(void **state)
{
	const struct cost_prices prices = { -1, 1e-6, -1, NULL, NULL };
	struct cost c = make_cost();
	struct cost_rows r;

	(void)state;
	c.what = COST_MEMORY;
	c.resources[COST_MEMORY].used =
		(struct cost_number){ (double)GIB / 2, COST_OF_METRICS };
	r = build(&c, &prices, 0);
	NEAR(r.items[0].amount, 0.3);
	NEAR(r.items[0].each, 0.3);
	NEAR(r.items[0].month, COST_MONTH_S * 0.3e-6);
	assert_int_equal(r.sum->kind, COST_ROW_MEMORY);
	NEAR(r.sum->amount, 0.5);
	assert_ptr_equal(r.bill, r.sum);
}

static void test_operations(void **state)
{
	const struct cost_prices prices = { 1e-5, -1, -1, NULL, NULL };
	struct cost_operation o = { .share = 0.25,
				    .cpu_s = 0.1,
				    .low_s = 0.08,
				    .high_s = 0.12,
				    .is_known = true };
	struct cost c = make_cost();
	struct cost_row row;

	(void)state;
	cost_operation_row(&c, &prices, &o, &row);
	NEAR(row.amount, 0.025);
	NEAR(row.million, 1);
	NEAR(row.month, COST_MONTH_S * 0.025 * 1e-5);
	/* How many there are, traces do not tell. */
	c.requests.source = COST_OF_TRACES;
	cost_operation_row(&c, &prices, &o, &row);
	NEAR(row.million, 1);
	assert_true(isnan(row.month));
	o.is_known = false;
	cost_operation_row(&c, &prices, &o, &row);
	assert_true(isnan(row.each) && isnan(row.million));
}

static void test_change(void **state)
{
	const struct cost_prices prices = { 1e-5, -1, -1, NULL, NULL };
	struct result r = { .profile.total_value = 100 };
	struct cost c = make_cost();

	(void)state;
	c.is_by_request = true;
	NEAR(cost_change(&c, &r, -0.5), -50.0 / 3600);
	NEAR(cost_of_change(&c, &prices, -50.0 / 3600),
	     COST_MONTH_S * 1e-5 * -50 / 3600);
	assert_true(isnan(cost_of_change(&c, &free_of_all, 1)));
	c.is_by_request = false;
	NEAR(cost_of_change(&c, &prices, 2), COST_MONTH_S * 2e-5);
}

static void test_money(void **state)
{
	static const struct {
		double money;
		bool is_signed;
		const char *text;
	} cases[] = {
		{ 0, false, "0" },
		{ 0.00231, false, "0.00231" },
		{ 3.456, true, "+3.46" },
		{ -18.04, true, "-18.0" },
		{ 999.4, false, "999" },
		{ 1234.5, false, "1,235" },
		{ 1234567, true, "+1,234,567" },
		{ -2000, true, "-2,000" },
	};
	char text[COST_TEXT_BYTES];

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		cost_format_money(cases[i].money, cases[i].is_signed, text);
		assert_string_equal(text, cases[i].text);
	}
}

/* ---- the size ---- */

static struct cost_size make_size(void)
{
	return (struct cost_size){
		.hours = 30,
		.instances = 2,
		.advice = { { .count = 9, .target = 0.5 },
			    { .count = 9, .target = 300.0 * (double)MIB } },
		.request = { 1, 0 },
		.limit = { 2, 512.0 * (double)MIB },
	};
}

static void test_limits_keep_their_ratio(void **state)
{
	struct cost_size s = make_size();
	struct cost_advised a;

	(void)state;
	cost_advised(&s, &a);
	NEAR(a.request[COST_CPU], 0.5);
	NEAR(a.limit[COST_CPU], 1);
	NEAR(a.limit[COST_MEMORY], 300.0 * (double)MIB);
	s.limit[COST_CPU] = 0;
	cost_advised(&s, &a);
	NEAR(a.limit[COST_CPU], 0);
	s.refusal = SIZE_SHORT;
	cost_advised(&s, &a);
	NEAR(a.request[COST_CPU], 0);
}

static void expect_document(void (*write)(const void *answer, struct out *out),
			    const struct cost *c, const char *last)
{
	const struct cost_answer a = { .cost = c, .service = "a b" };
	struct buf text;
	struct out out;

	buf_init(&text, 64 * KIB);
	out_init_memory(&out, &text);
	write(&a, &out);
	assert_true(out_finish(&out, "memory", &err));
	assert_non_null(strstr(buf_text(&text), last));
	buf_release(&text);
}

/* Each number of vCPU goes with so much memory. */
static void test_gcloud(void **state)
{
	static const struct {
		double cores;
		double mib;
		const char *options;
	} cases[] = {
		{ 0.2, 60, " --cpu=1 --memory=128Mi\n" },
		{ 1, 4096, " --cpu=1 --memory=4096Mi\n" },
		{ 1, 4097, " --cpu=2 --memory=4097Mi\n" },
		{ 1.001, 300, " --cpu=2 --memory=300Mi\n" },
		{ 2.5, 300, " --cpu=4 --memory=2048Mi\n" },
		{ 5, 300, " --cpu=6 --memory=4096Mi\n" },
		{ 1, 24577, " --cpu=8 --memory=24577Mi\n" },
	};
	struct cost c = { .size = make_size() };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		c.size.advice[COST_CPU].target = cases[i].cores;
		c.size.advice[COST_MEMORY].target = cases[i].mib * (double)MIB;
		expect_document(cost_write_gcloud, &c, cases[i].options);
	}
	expect_document(cost_write_gcloud, &c, "update 'a b' --cpu");
}

static void test_kubernetes(void **state)
{
	struct cost c = { .size = make_size() };

	(void)state;
	c.size.advice[COST_CPU].target = 0.0271;
	expect_document(cost_write_kubernetes, &c,
			"        - name: \"a b\"\n"
			"          resources:\n"
			"            requests:\n"
			"              cpu: 28m\n"
			"              memory: 300Mi\n"
			"            limits:\n"
			"              cpu: 55m\n"
			"              memory: 300Mi\n");
}

/* What a script is given by name is a word in one assignment; tests/cli/apply.py
 * runs it. */
static void test_apply(void **state)
{
	static void (*const writers[])(const void *, struct out *) = {
		cost_write_gcloud_apply, cost_write_kubernetes_apply
	};
	static const struct {
		const char *service, *line;
	} cases[] = {
		{ "cart", "\nservice=cart\n" },
		{ "a b", "\nservice='a b'\n" },
		{ "a'b", "\nservice='a'\\''b'\n" },
		{ "a\";$(x)`y`\nz", "\nservice='a\";$(x)`y`\nz'\n" },
		{ "", "\nservice=''\n" },
	};
	struct cost c = { .size = make_size() };

	(void)state;
	for (size_t i = 0; i < 2 * COUNT_OF(cases); i++) {
		const struct cost_answer a = {
			.cost = &c,
			.service = cases[i / 2].service,
			.objective = 99.95,
			.threshold_ns = 1500000000,
			.guard_servers = STR(" --metrics-url='http://a b'"),
		};
		struct buf text;
		struct out out;

		buf_init(&text, 64 * KIB);
		out_init_memory(&out, &text);
		writers[i % 2](&a, &out);
		assert_true(out_finish(&out, "memory", &err));
		assert_non_null(strstr(buf_text(&text), cases[i / 2].line));
		assert_non_null(strstr(buf_text(&text),
				       "--objective=99.95 --threshold=1s500ms"));
		assert_non_null(strstr(buf_text(&text),
				       "--sample=0 --metrics-url='http://a b' "
				       ">/dev/null\n"));
		buf_release(&text);
	}
}

UNIT_TESTS(cost_rows)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpu_only),
		cmocka_unit_test(test_requests_widen),
		cmocka_unit_test(test_bill),
		cmocka_unit_test(test_over_use),
		cmocka_unit_test(test_what_is_not_known),
		cmocka_unit_test(test_half_a_bill),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_operations),
		cmocka_unit_test(test_change),
		cmocka_unit_test(test_money),
		cmocka_unit_test(test_limits_keep_their_ratio),
		cmocka_unit_test(test_gcloud),
		cmocka_unit_test(test_kubernetes),
		cmocka_unit_test(test_apply),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
