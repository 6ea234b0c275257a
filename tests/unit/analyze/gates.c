/* SPDX-License-Identifier: Apache-2.0
 *
 * Limits of a gate: rows and powers in, what is broken out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "../unit.h"
#include "analyze/gates.h"
#include "analyze/rank_facts.h"

static void assert_near(double have, double want, double apart)
{
	if (!(fabs(have - want) <= apart))
		fail_msg("%.15g is not %.15g", have, want);
}

static const struct gate_limits usual = { { 0.03, 0.05, 0.01, -1 } };

struct fixture {
	struct result result;
	struct rank_facts facts;
	struct function_row rows[4];
	struct gates gates;
	struct error err;
};

/* A function of `share` that grew by that part of what it was. */
static struct function_row row_of(const char *name, double share, double growth,
				  enum change change)
{
	double delta = share - share / (1 + growth);

	return (struct function_row){ .name = str_from(name),
				      .total = share,
				      .delta = isinf(growth) ? share : delta,
				      .delta_low = delta * 0.9,
				      .growth_low = growth * 0.9,
				      .growth_high = 2 * growth,
				      .beside_low = growth * 0.9,
				      .q = 0.001,
				      .change = change };
}

static int setup(void **state)
{
	static struct fixture f;

	memset(&f, 0, sizeof f);
	arena_init(&f.result.arena, LIMIT_RESULT_BYTES);
	f.result.functions = f.rows;
	f.result.rank_facts = &f.facts;
	f.result.is_compared = true;
	f.result.normalize = NORMALIZE_REQUEST;
	f.result.profile.samples = f.result.baseline.samples = 10000;
	f.result.whole = (struct whole_change){ .delta = 0,
						.q = 0.8,
						.detectable = 0.02 };
	f.facts.is_judged = f.facts.is_of_runs = true;
	f.facts.method = DIFF_SLICES;
	f.facts.drift = 1;
	for (size_t i = 0; i < RANK_POWER_SHARES; i++)
		f.facts.detectable[i] = 0.005 / rank_power_shares[i];
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	arena_release(&((struct fixture *)*state)->result.arena);
	return 0;
}

static void judge(struct fixture *f, struct gate_limits limits)
{
	assert_true(gates_judge(&f->gates, &limits, &f->result, &f->err));
}

static void add(struct fixture *f, struct function_row row)
{
	f->rows[f->result.function_count++] = row;
}

static void test_held(void **state)
{
	struct fixture *f = *state;

	add(f, row_of("a", 0.2, 0.04, CHANGE_GROWN));
	add(f, row_of("b", 0.2, 0.9, CHANGE_NOISE));
	add(f, row_of("c", 0.2, -0.2, CHANGE_SHRUNK));
	judge(f, usual);
	assert_int_equal(f->gates.outcome, GATES_HELD);
	assert_int_equal(f->gates.grown_count, 1);
	assert_int_equal(f->gates.shrunk_count, 1);
	/* 0.005 / 0.1: the least share with 5 % or less. */
	assert_near(f->gates.seen_share, 0.1, 1e-9);
	assert_near(f->gates.seen_growth, 0.05, 1e-9);
}

/* The dearest first; what is new is judged by its share. */
static void test_broken(void **state)
{
	struct fixture *f = *state;

	add(f, row_of("small", 0.05, 0.06, CHANGE_GROWN));
	add(f, row_of("new", 0.02, INFINITY, CHANGE_NEW));
	add(f, row_of("little", 0.005, INFINITY, CHANGE_NEW));
	judge(f, usual);
	assert_int_equal(f->gates.outcome, GATES_BROKEN);
	assert_int_equal(f->gates.hit_count, 2);
	assert_int_equal(f->gates.hits[0].gate, GATE_NEW);
	assert_near(f->gates.hits[0].growth, 0.02, 1e-9);
	assert_ptr_equal(f->gates.hits[1].row, &f->rows[0]);
	assert_near(f->gates.hits[1].growth, 0.06, 1e-9);
	assert_int_equal(f->gates.grown_count, 1);
}

/* A limit that is not set is none. */
static void test_limits(void **state)
{
	struct fixture *f = *state;

	add(f, row_of("a", 0.2, 0.5, CHANGE_GROWN));
	judge(f, (struct gate_limits){ { 0.03, -1, -1 } });
	assert_int_equal(f->gates.outcome, GATES_HELD);
	judge(f, (struct gate_limits){ { -1, 0.5001, -1 } });
	assert_int_equal(f->gates.outcome, GATES_HELD);
	/* It is the lower end of the interval that breaks one. */
	judge(f, (struct gate_limits){ { -1, 0.4501, -1 } });
	assert_int_equal(f->gates.outcome, GATES_HELD);
	assert_ptr_equal(f->gates.largest.row, &f->rows[0]);
	assert_near(f->gates.largest.growth, 0.5, 1e-9);
	judge(f, (struct gate_limits){ { -1, 0.4499, -1 } });
	assert_int_equal(f->gates.outcome, GATES_BROKEN);
}

/* Its own code takes 1.6 times as much, which is little of what it calls. */
static void test_self(void **state)
{
	struct fixture *f = *state;

	add(f, row_of("a", 0.2, 0.04, CHANGE_GROWN));
	f->rows[0].self_change = (struct self_change){ .change = CHANGE_GROWN,
						       .growth = 0.6,
						       .low = 0.3,
						       .beside_low = 0.3,
						       .high = 0.9,
						       .q = 0.001 };
	judge(f, usual);
	assert_int_equal(f->gates.hit_count, 1);
	assert_true(f->gates.hits[0].is_self);
	assert_near(f->gates.hits[0].growth, 0.6, 1e-9);
	f->rows[0].self_change.beside_low = 0.05;
	judge(f, usual);
	assert_int_equal(f->gates.hit_count, 0);
	f->rows[0].self_change.change = CHANGE_SHRUNK;
	f->rows[0].self_change.beside_low = 0.3;
	judge(f, usual);
	assert_int_equal(f->gates.hit_count, 0);
}

/* Blind: what is nearest to being certain is told, and how many more runs would
 * do. */
static void test_nearest(void **state)
{
	static const double deviations[] = { 1, 3, 2, 2.5 };
	struct fixture *f = *state;

	for (size_t i = 0; i < 4; i++) {
		add(f, row_of("a", 0.2, 0.04, CHANGE_NOISE));
		f->rows[i].deviations = deviations[i];
	}
	f->rows[1].through = STR("b");
	for (size_t i = 0; i < RANK_POWER_SHARES; i++)
		f->facts.detectable[i] = 1.25;
	f->facts.slices[SIDE_SLOW] = 3;
	f->facts.slices[SIDE_BASELINE] = 4;
	judge(f, usual);
	assert_int_equal(gates_lack(&f->gates), GATES_LACK_POWER);
	assert_int_equal(f->gates.nearest_count, 3);
	assert_ptr_equal(f->gates.nearest[0], &f->rows[3]);
	assert_ptr_equal(f->gates.nearest[1], &f->rows[2]);
	assert_ptr_equal(f->gates.nearest[2], &f->rows[0]);
	/* log(2.25) / log(1.5) = 2: four times the runs. */
	assert_int_equal(f->gates.runs_lacking, 9);
}

/* Who only passes a growth on is told with who holds it; but by itself where
 * that one is within its limit. */
static void test_through(void **state)
{
	struct fixture *f = *state;

	add(f, row_of("caller", 0.3, 0.1, CHANGE_GROWN));
	add(f, row_of("callee", 0.25, 0.12, CHANGE_GROWN));
	f->rows[0].through = STR("callee");
	judge(f, usual);
	assert_int_equal(f->gates.hit_count, 1);
	assert_ptr_equal(f->gates.hits[0].row, &f->rows[1]);
	f->rows[1].change = CHANGE_NOISE;
	judge(f, usual);
	assert_int_equal(f->gates.hit_count, 1);
	assert_ptr_equal(f->gates.hits[0].row, &f->rows[0]);
	/* Two that point at each other end, too. */
	f->rows[1] = row_of("callee", 0.25, 0.04, CHANGE_GROWN);
	f->rows[1].through = STR("caller");
	judge(f, usual);
	assert_int_equal(f->gates.outcome, GATES_HELD);
}

/* A function and what it calls both doubled: told are both. What is little beside what
 * it calls, or is asked for by a caller, is told with that. */
static void test_self_beside_callee(void **state)
{
	struct fixture *f = *state;

	add(f, row_of("leaf", 0.4, 1, CHANGE_GROWN));
	add(f, row_of("hot", 0.5, 1, CHANGE_GROWN));
	f->rows[1].through = STR("leaf");
	f->rows[1].self = 0.1;
	f->rows[1].self_change = (struct self_change){ .change = CHANGE_GROWN,
						       .growth = 1,
						       .low = 0.8,
						       .high = 1.2,
						       .beside_low = 0.8,
						       .q = 0.001 };
	judge(f, usual);
	assert_int_equal(f->gates.hit_count, 2);
	f->rows[1].is_asked = true;
	judge(f, usual);
	assert_int_equal(f->gates.hit_count, 1);
	f->rows[1].is_asked = false;
	f->rows[1].self = 0.02;
	judge(f, usual);
	assert_int_equal(f->gates.hit_count, 1);
}

static void test_total(void **state)
{
	struct fixture *f = *state;

	f->result.whole = (struct whole_change){ .delta = 0.05,
						 .growth_low = 0.032,
						 .growth_high = 0.073,
						 .q = 0.001,
						 .detectable = 0.02 };
	judge(f, usual);
	assert_int_equal(f->gates.outcome, GATES_BROKEN);
	assert_null(f->gates.hits[0].row);
	assert_near(f->gates.hits[0].growth, 0.05 / 0.95, 1e-9);
	f->result.whole.q = 0.2; /* noise */
	judge(f, usual);
	assert_int_equal(f->gates.outcome, GATES_HELD);
}

static const struct gate_limits open_total = { { 0.03, 0.05, 0.01, -1 },
					       .is_total_open = true };

/* Nobody asked for it, nor counted requests: a busy machine does that, and it is
 * no verdict. Where it is none or within the limit there is nothing to doubt. */
static void test_total_open(void **state)
{
	struct fixture *f = *state;

	f->result.whole = (struct whole_change){ .delta = 0.5,
						 .growth_low = 0.92,
						 .growth_high = 1.08,
						 .q = 1e-9,
						 .detectable = 0.02 };
	judge(f, open_total);
	assert_int_equal(f->gates.outcome, GATES_UNKNOWN);
	assert_int_equal(f->gates.lacking, GATE_TOTAL);
	assert_int_equal(gates_lack(&f->gates), GATES_LACK_WHOLE);
	assert_int_equal(f->gates.lacks[GATE_FUNCTION], GATES_LACK_NONE);
	assert_false(gates_lack_data(&f->gates));
	/* What breaks another limit fails, and this one is still not known. */
	add(f, row_of("a", 0.5, 3, CHANGE_GROWN));
	judge(f, open_total);
	assert_int_equal(f->gates.outcome, GATES_BROKEN);
	assert_int_equal(f->gates.lacks[GATE_TOTAL], GATES_LACK_WHOLE);
	f->result.function_count = 0;
	f->result.whole.growth_low = 0.031;
	judge(f, open_total);
	assert_int_equal(f->gates.outcome, GATES_UNKNOWN);
	f->result.whole.delta = 0.028;
	f->result.whole.growth_low = 0.029;
	judge(f, open_total);
	assert_int_equal(f->gates.outcome, GATES_HELD);
	/* A repair. */
	f->result.whole.delta = -1;
	f->result.whole.growth_low = -0.52;
	judge(f, open_total);
	assert_int_equal(f->gates.outcome, GATES_HELD);
}

/* Of shares and of values a second there is no total to judge: by default it is
 * no limit, and asked for by name it is not green. */
static void test_total_of_none(void **state)
{
	struct fixture *f = *state;

	f->result.normalize = NORMALIZE_SHARE;
	f->result.whole.q = NAN;
	judge(f, open_total);
	assert_int_equal(f->gates.outcome, GATES_HELD);
	assert_false(gates_has(&f->gates, GATE_TOTAL));
	judge(f, usual);
	assert_int_equal(f->gates.outcome, GATES_UNKNOWN);
	assert_int_equal(gates_lack(&f->gates), GATES_LACK_TRAFFIC);
}

/* It took what it did while all others take less: it did not grow. Where the
 * machine may have become faster nobody knows. */
static void test_beside(void **state)
{
	struct fixture *f = *state;

	f->facts.drift = 0.5;
	add(f, row_of("held", 0.3, 0, CHANGE_GROWN));
	f->rows[0].growth_low = -0.01;
	f->rows[0].growth_high = 0.01;
	f->rows[0].beside_low = 0.97;
	add(f, row_of("more", 0.3, 0.3, CHANGE_GROWN));
	f->rows[1].beside_low = 1.54;
	f->result.function_count = 1;
	judge(f, usual);
	assert_int_equal(f->gates.outcome, GATES_HELD);
	assert_int_equal(f->gates.grown_count, 0);
	judge(f, open_total);
	assert_int_equal(f->gates.outcome, GATES_UNKNOWN);
	assert_int_equal(gates_lack(&f->gates), GATES_LACK_BESIDE);
	assert_ptr_equal(f->gates.beside, &f->rows[0]);
	assert_near(f->gates.common, -0.5, 1e-9);
	f->result.function_count = 2;
	judge(f, open_total);
	assert_int_equal(f->gates.outcome, GATES_BROKEN);
	assert_int_equal(f->gates.hit_count, 1);
	assert_near(f->gates.hits[0].growth, 0.3, 1e-9);
	assert_near(f->gates.hits[0].beside, 1.54, 0.02);
}

/* Half of the functions doubled, or the other half halved under twice the load: no row
 * is known to have changed. */
static void test_split(void **state)
{
	struct fixture *f = *state;

	f->facts.is_split = true;
	add(f, row_of("a", 0.3, 1, CHANGE_GROWN));
	judge(f, usual);
	assert_int_equal(f->gates.outcome, GATES_UNKNOWN);
	assert_int_equal(gates_lack(&f->gates), GATES_LACK_SPLIT);
	assert_int_equal(f->gates.hit_count, 0);
	assert_false(gates_lack_data(&f->gates));
}

/* A busy host moves what follows it: below what costs less. */
static void test_machine_last(void **state)
{
	struct fixture *f = *state;

	add(f, row_of("runtime.schedule", 0.3, 0.5, CHANGE_GROWN));
	f->rows[0].kind = "runtime";
	add(f, row_of("parse", 0.1, 0.5, CHANGE_GROWN));
	f->rows[1].kind = "application";
	judge(f, usual);
	assert_int_equal(f->gates.hit_count, 2);
	assert_ptr_equal(f->gates.hits[0].row, &f->rows[1]);
	assert_false(gate_hit_is_of_machine(&f->gates.hits[0]));
	assert_true(gate_hit_is_of_machine(&f->gates.hits[1]));
}

/* Traffic doubled, and one function took a tenth more than that: told is what it
 * took, by its own values. */
static void test_traffic(void **state)
{
	struct fixture *f = *state;

	f->facts.is_relative = true;
	f->facts.drift = 2;
	f->result.normalize = NORMALIZE_RATE;
	f->result.whole = (struct whole_change){ .delta = 0.5,
						 .q = 1e-9,
						 .detectable = 0.9 };
	add(f, row_of("a", 0.3, 1.0, CHANGE_GROWN));
	add(f, row_of("b", 0.3, 1.2, CHANGE_GROWN));
	f->rows[0].beside_low = -0.01;
	f->rows[1].beside_low = 0.088;
	judge(f, usual);
	assert_true(f->gates.is_relative);
	assert_int_equal(f->gates.hit_count, 1);
	assert_ptr_equal(f->gates.hits[0].row, &f->rows[1]);
	assert_near(f->gates.hits[0].growth, 1.2, 1e-9);
	assert_near(f->gates.hits[0].beside, (1 + 0.98 * 1.2) / 2 - 1, 1e-9);
}

static void expect_lack(struct fixture *f, enum gates_lack lack)
{
	judge(f, usual);
	assert_int_equal(f->gates.outcome, GATES_UNKNOWN);
	assert_int_equal(gates_lack(&f->gates), lack);
	assert_true(gates_lack_data(&f->gates));
}

/* Never green by lack of data. */
static void test_lack(void **state)
{
	struct fixture *f = *state;

	f->result.profile.samples = GATES_MIN_SAMPLES - 1;
	expect_lack(f, GATES_LACK_SAMPLES);
	f->result.profile.samples = GATES_MIN_SAMPLES;
	judge(f, usual);
	assert_int_equal(f->gates.outcome, GATES_HELD);
	f->result.whole.detectable = GATES_BLIND + 0.01;
	expect_lack(f, GATES_LACK_POWER);
	f->result.whole.detectable = GATES_BLIND;
	judge(f, usual);
	assert_int_equal(f->gates.outcome, GATES_HELD);
	for (size_t i = 0; i < RANK_POWER_SHARES; i++)
		f->facts.detectable[i] = GATES_BLIND + 0.01;
	expect_lack(f, GATES_LACK_POWER);
	f->facts.method = DIFF_UNTESTED;
	expect_lack(f, GATES_LACK_TEST);
	f->result.is_compared = false;
	expect_lack(f, GATES_LACK_SIDE);
}

/* What is seen in spite of it is seen. */
static void test_lack_and_broken(void **state)
{
	struct fixture *f = *state;

	f->result.whole.detectable = 2;
	add(f, row_of("a", 0.5, 3, CHANGE_GROWN));
	judge(f, usual);
	assert_int_equal(f->gates.outcome, GATES_BROKEN);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static struct latency_row operation(const char *name,
				    enum latency_change change, double growth)
{
	return (struct latency_row){ .name = str_from(name),
				     .change = change,
				     .growth = growth,
				     .low = growth / 2,
				     .high = 2 * growth,
				     .q = 0.001,
				     .detectable = 0.2 };
}

/* Judged after nothing else was. */
static enum gates_outcome judge_latency(struct fixture *f,
					const struct latency_row *rows,
					size_t count)
{
	const struct gate_limits limits = { { -1, -1, -1, 0.1 } };

	gates_init(&f->gates, &limits);
	assert_true(gates_judge_latency(&f->gates, rows, count,
					&f->result.arena, &f->err));
	return f->gates.outcome;
}

static void test_latency(void **state)
{
	struct fixture *f = *state;
	const struct latency_row rows[] = {
		operation("a", LATENCY_NOISE, 0.5),
		operation("b", LATENCY_LONGER, 0.2),
		operation("c", LATENCY_LONGER, 0.3),
		operation("d", LATENCY_LONGER, 0.05),
		operation("e", LATENCY_SHORTER, -0.3),
	};

	assert_int_equal(judge_latency(f, rows, 1), GATES_HELD);
	assert_int_equal(judge_latency(f, rows, 5), GATES_BROKEN);
	assert_int_equal(f->gates.hit_count, 2);
	assert_ptr_equal(f->gates.hits[0].operation, &rows[2]);
	assert_ptr_equal(f->gates.hits[1].operation, &rows[1]);
	assert_int_equal(f->gates.hits[0].gate, GATE_LATENCY);
}

/* Never green by lack of requests or of an answer. */
static void test_latency_lack(void **state)
{
	struct fixture *f = *state;
	struct latency_row rows[] = { operation("a", LATENCY_FEW, NAN),
				      operation("b", LATENCY_NOISE, 0),
				      operation("c", LATENCY_LONGER, 50) };

	assert_int_equal(judge_latency(f, rows, 0), GATES_UNKNOWN);
	assert_int_equal(gates_lack(&f->gates), GATES_LACK_REQUESTS);
	assert_int_equal(judge_latency(f, rows, 1), GATES_UNKNOWN);
	assert_int_equal(judge_latency(f, rows, 2), GATES_HELD);
	rows[1].detectable = 0.51;
	assert_int_equal(judge_latency(f, rows, 2), GATES_UNKNOWN);
	assert_int_equal(gates_lack(&f->gates), GATES_LACK_LATENCY);
	gates_miss_latency(&f->gates);
	assert_int_equal(gates_lack(&f->gates), GATES_LACK_ANSWER);
	/* Seen in spite of it. */
	assert_int_equal(judge_latency(f, rows, 3), GATES_BROKEN);
	assert_int_equal(f->gates.lacks[GATE_LATENCY], GATES_LACK_NONE);
}

/* Functions and operations that broke theirs stand together. */
static void test_latency_beside_functions(void **state)
{
	struct fixture *f = *state;
	const struct latency_row slow = operation("a", LATENCY_LONGER, 0.2);
	struct gate_limits limits = usual;

	limits.limit[GATE_LATENCY] = 0.1;
	f->rows[0] = row_of("f", 0.1, 0.2, CHANGE_GROWN);
	f->result.function_count = 1;
	assert_true(gates_judge(&f->gates, &limits, &f->result, &f->err));
	assert_true(gates_judge_latency(&f->gates, &slow, 1,
					&f->result.arena, &f->err));
	assert_int_equal(f->gates.hit_count, 2);
	assert_string_equal(f->gates.hits[0].row->name.ptr, "f");
	assert_ptr_equal(f->gates.hits[1].operation, &slow);
}

UNIT_TESTS(gates)
{
	const struct CMUnitTest tests[] = {
		TEST(test_held),
		TEST(test_broken),
		TEST(test_limits),
		TEST(test_self),
		TEST(test_nearest),
		TEST(test_through),
		TEST(test_self_beside_callee),
		TEST(test_split),
		TEST(test_total),
		TEST(test_total_open),
		TEST(test_total_of_none),
		TEST(test_beside),
		TEST(test_machine_last),
		TEST(test_traffic),
		TEST(test_lack),
		TEST(test_lack_and_broken),
		TEST(test_latency),
		TEST(test_latency_lack),
		TEST(test_latency_beside_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
