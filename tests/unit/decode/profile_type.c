/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "../unit.h"
#include "decode/profile_type.h"

static struct error err;

#define TYPE(type, unit)                                                       \
	{                                                                      \
		{ type, sizeof type - 1 },                                     \
		{                                                              \
			unit, sizeof unit - 1                                  \
		}                                                              \
	}

static const struct type_name go_cpu[] = {
	TYPE("samples", "count"),
	TYPE("cpu", "nanoseconds"),
};

static const struct type_name go_heap[] = {
	TYPE("alloc_objects", "count"),
	TYPE("alloc_space", "bytes"),
	TYPE("inuse_objects", "count"),
	TYPE("inuse_space", "bytes"),
};

static const struct type_name node_wall[] = {
	TYPE("samples", "count"),
	TYPE("wall", "microseconds"),
};

static const struct type_name java_tlab[] = {
	TYPE("alloc_in_new_tlab_objects", "count"),
	TYPE("alloc_in_new_tlab_bytes", "bytes"),
	TYPE("live", "count"),
	TYPE("contentions", "count"),
	TYPE("delay", "nanoseconds"),
};

static const struct type_name two_units[] = {
	TYPE("cpu", "samples"),
	TYPE("cpu", "milliseconds"),
	TYPE("cpu", "nanoseconds"),
};

/* Of Datadog's tracer for Python, in part: what GPUs did comes last. */
static const struct type_name datadog_python[] = {
	TYPE("cpu-time", "nanoseconds"), TYPE("cpu-samples", "count"),
	TYPE("wall-time", "nanoseconds"), TYPE("lock-acquire-wait",
					       "nanoseconds"),
	TYPE("alloc-space", "bytes"),	 TYPE("heap-space", "bytes"),
	TYPE("gpu-flops-samples", "count"),
};

/* Of Cloud Profiler's agent. */
static const struct type_name python_cpu[] = {
	TYPE("sample", "count"),
	TYPE("CPU", "nanoseconds"),
};

static const struct type_name equal_ones[] = {
	TYPE("a", "count"), TYPE("b", "count"), TYPE("a", "count"),
	TYPE("b", "bytes"), TYPE("b", "count"),
};

static const struct type_name like_names[] = {
	TYPE("CPU", "nanoseconds"),
	TYPE("cpu", "count"),
	TYPE("cpu", "nanoseconds"),
};

/* Whoever reads "x/y/z" may mean either of two. */
static const struct type_name odd_names[] = {
	TYPE("x", "y/z"),      TYPE("x/y", "z"), TYPE("x", "y"),
	TYPE("p:q:r:s:t", ""), TYPE("q", "r"),   TYPE("", "count"),
};

static bool choose(const struct type_name *offered, uint32_t count,
		   const char *default_type, const char *wanted,
		   const struct type_name *like, uint32_t *chosen)
{
	const struct profile_want want = { .type = str_from(wanted),
					   .like = like };

	return type_choose(offered, count, str_from(default_type), &want,
			   chosen, &err);
}

static void test_choice(void **state)
{
	static const struct {
		const struct type_name *offered;
		uint32_t count;
		const char *default_type;
		const char *wanted;
		uint32_t chosen;
	} cases[] = {
		{ go_cpu, 2, "", "", 1 },
		{ go_cpu, 2, "samples", "", 0 },
		{ go_cpu, 2, "gone", "", 1 },
		{ go_cpu, 2, "samples", "cpu", 1 },
		{ go_cpu, 1, "", "cpu", 0 },
		{ go_cpu, 2, "", "samples", 0 },
		{ go_cpu, 2, "", "samples/count", 0 },
		{ go_cpu, 2, "", "cpu/", 1 },
		{ go_cpu, 2, "", "process_cpu:samples:count:cpu:nanoseconds",
		  0 },
		{ go_cpu, 2, "",
		  "process_cpu:cpu:nanoseconds:cpu:nanoseconds:delta", 1 },
		{ go_cpu, 2, "", "process_cpu:cpu:nanoseconds::", 1 },
		{ go_heap, 4, "inuse_space", "alloc", 1 },
		{ go_heap, 4, "", "alloc_objects", 0 },
		{ go_heap, 4, "", "inuse", 3 },
		{ go_heap, 4, "", "heap", 3 },
		{ go_heap, 4, "", "alloc_space", 1 },
		{ node_wall, 2, "", "wall", 1 },
		{ java_tlab, 5, "", "alloc", 1 },
		{ java_tlab, 5, "", "alloc_objects", 0 },
		{ java_tlab, 5, "", "inuse", 2 },
		{ java_tlab, 5, "", "mutex", 4 },
		{ java_tlab, 4, "", "block", 3 },
		{ java_tlab, 5, "", "lock", 4 },
		{ python_cpu, 2, "", "cpu", 1 },
		{ datadog_python, 7, "", "", 0 },
		{ datadog_python, 7, "", "cpu", 0 },
		{ datadog_python, 7, "", "wall", 2 },
		{ datadog_python, 7, "", "lock", 3 },
		{ datadog_python, 7, "", "alloc", 4 },
		{ datadog_python, 7, "", "inuse", 5 },
		{ datadog_python, 7, "alloc-space", "", 4 },
		{ python_cpu, 2, "",
		  "process_cpu:cpu:nanoseconds:cpu:nanoseconds", 1 },
		{ two_units, 3, "", "cpu/milliseconds", 1 },
		{ two_units, 3, "", "cpu", 0 },
		{ equal_ones, 5, "", "", 4 },
		{ equal_ones, 5, "", "a", 2 },
		{ equal_ones, 5, "", "a/count", 2 },
		{ equal_ones, 5, "a", "", 0 },
		{ equal_ones, 5, "a", "a", 0 },
		{ equal_ones, 5, "a", "b", 4 },
		{ equal_ones, 5, "b", "b/bytes", 3 },
		{ equal_ones, 5, "b", "b/count", 1 },
		{ like_names, 3, "", "cpu", 1 },
		{ like_names, 3, "", "CPU", 0 },
		{ like_names, 3, "", "cpu/nanoseconds", 2 },
		{ like_names, 3, "", "Cpu/nanoseconds", 0 },
		{ like_names, 3, "cpu", "", 1 },
		{ odd_names, 6, "", "x", 0 },
		{ odd_names, 6, "", "x/y", 2 },
		{ odd_names, 5, "", "x/y/z", 0 },
		{ odd_names + 1, 4, "", "x/y/z", 0 },
		{ odd_names, 6, "", "p:q:r:s:t", 3 },
		{ odd_names, 6, "", "p:q:r:s:u", 4 },
		{ odd_names, 6, "", "/count", 5 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint32_t chosen = 99;

		assert_true(choose(cases[i].offered, cases[i].count,
				   cases[i].default_type, cases[i].wanted, NULL,
				   &chosen));
		assert_int_equal(chosen, cases[i].chosen);
	}
}

/* What one profile holds is found in another, whatever it is called; and every
 * profile has what it has. */
static void test_choice_of_the_same(void **state)
{
	static const struct {
		const struct type_name *offered;
		uint32_t count;
	} cases[] = {
		{ go_cpu, 2 },     { node_wall, 2 }, { java_tlab, 5 },
		{ python_cpu, 2 }, { two_units, 3 }, { equal_ones, 5 },
		{ like_names, 3 }, { odd_names, 6 },
	};
	static const char *const words[] = { "", "cpu", "a", "b/count",
					     "gone" };

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct type_name *offered = cases[i].offered;

		for (uint32_t k = 0; k < cases[i].count; k++) {
			const char *word = words[(i + k) % 5];
			uint32_t chosen = 99;

			assert_true(choose(offered, cases[i].count, word, word,
					   &offered[k], &chosen));
			assert_in_range(chosen, 0, cases[i].count - 1);
			assert_true(str_equal(offered[chosen].type,
					      offered[k].type));
			assert_true(str_equal(offered[chosen].unit,
					      offered[k].unit));
		}
	}
}

/* Then by its name alone, as if that were asked for. */
static void test_choice_of_the_nearest(void **state)
{
	static const struct type_name bytes = TYPE("cpu", "bytes");
	static const struct type_name go_alloc = TYPE("alloc_space", "bytes");
	static const struct type_name gone = TYPE("gone", "count");
	static const struct type_name none = TYPE("", "");
	uint32_t chosen = 99;

	(void)state;
	assert_true(choose(go_cpu, 2, "", "samples", &bytes, &chosen));
	assert_int_equal(chosen, 1);
	assert_true(choose(java_tlab, 5, "", "live", &go_alloc, &chosen));
	assert_int_equal(chosen, 1);
	assert_true(choose(go_cpu, 2, "samples", "cpu", &none, &chosen));
	assert_int_equal(chosen, 0);
	assert_false(choose(go_cpu, 2, "", "cpu", &gone, &chosen));
	assert_non_null(strstr(err.message, "no sample type \"gone\";"));
	assert_int_equal(chosen, 0);
}

static void test_absent_types_are_listed(void **state)
{
	static const struct {
		const struct type_name *offered;
		uint32_t count;
		const char *wanted;
	} cases[] = {
		{ go_cpu, 2, "alloc" },
		{ go_cpu, 2, "cpu/bytes" },
		{ go_cpu, 2, "CPU" },
		{ go_cpu, 2, "memory:alloc_space:bytes:space:bytes" },
		{ go_cpu, 2, "a:b" },
		{ go_cpu, 2, "/" },
		{ node_wall, 2, "cpu" },
	};
	uint32_t chosen;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_false(choose(cases[i].offered, cases[i].count, "",
				    cases[i].wanted, NULL, &chosen));
		assert_int_equal(err.code, ERROR_NOT_FOUND);
		assert_non_null(strstr(err.message, cases[i].wanted));
		assert_non_null(strstr(err.message, "samples/count, "));
	}
}

static void test_a_long_list_fits(void **state)
{
	static char name[5000];
	struct type_name offered[LIMIT_SAMPLE_TYPES];
	uint32_t chosen;

	(void)state;
	memset(name, 'n', sizeof name);
	for (size_t i = 0; i < LIMIT_SAMPLE_TYPES; i++)
		offered[i] = (struct type_name){ { name, sizeof name },
						 { name, sizeof name } };
	assert_false(
		choose(offered, LIMIT_SAMPLE_TYPES, "", "cpu", NULL, &chosen));
	assert_int_equal(err.code, ERROR_NOT_FOUND);
}

static bool implied(const char *wanted, const struct type_name *like,
		    struct type_name *type)
{
	const struct profile_want want = { .type = str_from(wanted),
					   .like = like };

	return type_implied(&want, type);
}

static void test_implied_types(void **state)
{
	static const struct {
		const char *wanted;
		const char *type;
		const char *unit;
	} cases[] = {
		{ "cpu", "cpu", "nanoseconds" },
		{ "alloc", "alloc_space", "bytes" },
		{ "alloc_sample_bytes", "alloc_sample_bytes", "bytes" },
		{ "samples", "samples", "count" },
		{ "goroutine", "goroutine", "count" },
		{ "a/b", "a", "b" },
		{ "wall:wall:microseconds:wall:microseconds", "wall",
		  "microseconds" },
		{ "off_cpu:off_cpu:nanoseconds::", "off_cpu", "nanoseconds" },
	};
	struct type_name type;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_true(implied(cases[i].wanted, NULL, &type));
		assert_true(str_equal(type.type, str_from(cases[i].type)));
		assert_true(str_equal(type.unit, str_from(cases[i].unit)));
	}
	assert_false(implied("", NULL, &type));
	assert_false(implied("whatever", NULL, &type));
	assert_false(implied("a:b:c:d", NULL, &type));
	assert_false(implied("a:b:c:d:e:f:g", NULL, &type));
	assert_false(implied("::::", NULL, &type));
	assert_false(type_spelled_out(STR("cpu"), &type));
}

static void test_implied_like_another(void **state)
{
	static const struct type_name slash = TYPE("a/b", "count");
	struct type_name type;

	(void)state;
	assert_true(implied("", &go_cpu[1], &type));
	assert_true(str_equal(type.unit, STR("nanoseconds")));
	assert_true(implied("cpu", &go_cpu[0], &type));
	assert_true(str_equal(type.type, STR("samples")));
	assert_true(implied("a/b", &go_cpu[1], &type));
	assert_true(str_equal(type.type, STR("a")));
	assert_false(implied("", &slash, &type));
}

static void test_gauges_and_units(void **state)
{
	(void)state;
	assert_true(type_is_gauge(STR("inuse_space")));
	assert_true(type_is_gauge(STR("goroutines")));
	assert_true(type_is_gauge(STR("live")));
	assert_false(type_is_gauge(STR("alloc_space")));
	assert_false(type_is_gauge(STR("delay")));
	assert_false(type_is_gauge(STR("cpu")));
	assert_false(type_is_gauge(STR("")));
	assert_true(type_is_sample_count(go_cpu[0]));
	assert_false(type_is_sample_count(go_cpu[1]));
	assert_false(type_is_sample_count(java_tlab[3]));
}

UNIT_TESTS(profile_type)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_choice),
		cmocka_unit_test(test_choice_of_the_same),
		cmocka_unit_test(test_choice_of_the_nearest),
		cmocka_unit_test(test_absent_types_are_listed),
		cmocka_unit_test(test_a_long_list_fits),
		cmocka_unit_test(test_implied_types),
		cmocka_unit_test(test_implied_like_another),
		cmocka_unit_test(test_gauges_and_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
