/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../unit.h"
#include "report/texts.h"

static struct result result;
static struct finding finding;
static struct function_row row;
static struct error err;

static int setup(void **state)
{
	(void)state;
	arena_init(&result.arena, MIB);
	row = (struct function_row){
		.name = STR("github.com/acme/shop/store.(*Users).load"),
		.change = CHANGE_GROWN,
	};
	result.has_cause = result.has_profile = true;
	result.functions = &row;
	result.function_count = 1;
	finding = (struct finding){ .suspect.has_choice = true,
				    .has_symptom = true };
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_release(&result.arena);
	return 0;
}

static void expect(enum cause_kind kind, const char *words)
{
	result.cause.kind = kind;
	assert_true(headline_write(&finding, &result, &err));
	assert_true(str_equal(result.cause.headline, str_from(words)));
}

static void a_function_that_grew_is_named(void **state)
{
	(void)state;
	expect(CAUSE_CPU, "computing in store.(*Users).load");
	expect(CAUSE_LOCK, "waiting for a lock in store.(*Users).load");
	expect(CAUSE_ALLOC, "allocation and garbage collection in "
			    "store.(*Users).load");
	/* Slashes behind the name are no package of it. */
	row.name = STR("operator/<a/b>(c/d)");
	expect(CAUSE_CPU, "computing in <a/b>(c/d)");
}

static void one_that_may_be_noise_is_not(void **state)
{
	(void)state;
	row.change = CHANGE_NOISE;
	expect(CAUSE_CPU, "computing");
	expect(CAUSE_LOCK, "waiting for a lock");
	expect(CAUSE_CONTENTION, "CPU starvation");
	expect(CAUSE_UNKNOWN, "cause not known");
	result.span.duration_ns = 100;
	result.span.self_ns = 51;
	expect(CAUSE_UNKNOWN, "in its code or waiting there");
	result.span = (struct guilty_span){ 0 };
}

/* 2026-11-21 10:09 UTC */
static void since_when(void **state)
{
	(void)state;
	finding.history.onset = (struct onset){
		.is_found = true,
		.has_start = true,
		.start_ns = (1795255200 + 540) * NS_PER_S,
	};
	expect(CAUSE_CPU, "computing in store.(*Users).load, "
			  "since 2026-11-21 10:09 UTC");
	expect(CAUSE_UNKNOWN, "cause not known, since 2026-11-21 10:09 UTC");
	/* It has ended. */
	finding.history.onset.has_recovered = true;
	finding.history.onset.end_ns = (1795255200 + 900) * NS_PER_S;
	expect(CAUSE_CPU, "computing in store.(*Users).load, "
			  "from 2026-11-21 10:09 to 10:15 UTC");
	finding.history.onset.end_ns = (1795255200 + 543) * NS_PER_S;
	expect(CAUSE_CPU, "computing in store.(*Users).load, "
			  "from 2026-11-21 10:09:00 to 10:09:03 UTC");
	finding.history.onset.has_start = false;
	expect(CAUSE_CPU, "computing in store.(*Users).load");
}

/* 2026-11-21 10:08:30 UTC */
static void a_version_that_came_with_it(void **state)
{
	(void)state;
	finding.symptom.service = STR("pricing");
	finding.history.deploy =
		(struct deploy){ .is_found = true,
				 .is_near_onset = true,
				 .from_version = STR("1.4.0"),
				 .to_version = STR("1.5.0"),
				 .at_ns = (1795255200 + 510) * NS_PER_S };
	expect(CAUSE_CPU,
	       "computing in store.(*Users).load, 1.5.0 deployed 10:08:30");
	assert_true(str_equal(
		result.step, STR("# roll back pricing from 1.5.0 to 1.4.0")));
	/* A step is a comment of a shell, which ends with the line. */
	finding.history.deploy.from_version = STR("1\nreboot");
	expect(CAUSE_CPU,
	       "computing in store.(*Users).load, 1.5.0 deployed 10:08:30");
	assert_int_equal(result.step.len, 0);
	finding.history.deploy.is_near_onset = false;
	expect(CAUSE_CPU, "computing in store.(*Users).load");
}

static void what_is_as_ever_is_said_to_be(void **state)
{
	const struct contrast usual = { .is_usual = true };

	(void)state;
	finding.symptom.is_healthy = true;
	finding.history.onset.is_found = true;
	expect(CAUSE_CPU, "no slower than normal");
	finding.symptom.is_exception = true;
	expect(CAUSE_CPU,
	       "this request alone, others are no slower than normal");
	finding.symptom.usual = &usual;
	expect(CAUSE_CPU, "normal for similar requests");
}

UNIT_TESTS(headline)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_function_that_grew_is_named,
						setup, teardown),
		cmocka_unit_test_setup_teardown(one_that_may_be_noise_is_not,
						setup, teardown),
		cmocka_unit_test_setup_teardown(since_when, setup, teardown),
		cmocka_unit_test_setup_teardown(a_version_that_came_with_it,
						setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_as_ever_is_said_to_be,
						setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
