/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "report/documents.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/timefmt.h"
#include "investigate/leak.h"

/* What an alert on growing memory watches. */

static const char *const service = "auth";

struct fixture {
	struct leak leak;
	struct metric_source sources[METRIC_MEANINGS];
	struct document document;
	struct document_growth growth;
};

static struct fixture *fixture(const char *metric, double mib_an_hour,
			       double limit_mib)
{
	static struct fixture f;
	const struct metric_name *name = metric_name_find(str_from(metric));

	memset(&f, 0, sizeof f);
	f.leak.window.to_ns = 6 * NS_PER_HOUR;
	f.leak.limit_bytes = limit_mib * MIB;
	f.leak.subjects[LEAK_MEMORY].is_leak = mib_an_hour > 0;
	f.leak.subjects[LEAK_MEMORY].total.per_hour = mib_an_hour * MIB;
	f.leak.subjects[LEAK_MEMORY].total.end = 100 * MIB;
	f.sources[name->meaning] = (struct metric_source){
		.name = name, .label = name->service_labels[0]
	};
	f.document = (struct document){ .services = &service,
					.service_count = 1,
					.sources = f.sources,
					.leak = &f.leak };
	return &f;
}

#define BYTES "kubernetes_io:container_memory_used_bytes"
#define SHARE "run_googleapis_com:container_memory_utilizations"

/* A quarter of the time that 90 % of the limit take, within what is forecast. */
static void test_horizon(void **state)
{
	static const struct {
		double mib_an_hour, limit_mib;
		int64_t hours;
	} cases[] = {
		{ 10, 1000, 23 },  { 10, 10000, 60 }, { 10, 2689, 60 },
		{ 10, 2640, 59 },  { 10, 67, 2 },     { 10, 66, 1 },
		{ 1000, 1000, 1 }, { 0, 1000, 24 },   { 1e-9, 1000, 60 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct fixture *f = fixture(BYTES, cases[i].mib_an_hour,
					    cases[i].limit_mib);

		assert_true(document_growth(&f->document, &f->growth));
		assert_int_equal(f->growth.horizon_ns / NS_PER_HOUR,
				 cases[i].hours);
		assert_true(f->growth.threshold ==
			    round(0.9 * cases[i].limit_mib * MIB));
	}
}

/* Of a share the limit need not be known; what is not known is no figure. */
static void test_share(void **state)
{
	struct fixture *f = fixture(SHARE, 10, 0);

	(void)state;
	assert_true(document_growth(&f->document, &f->growth));
	assert_true(f->growth.threshold == 0.9);
	assert_int_equal(f->growth.horizon_ns, NS_PER_DAY);
	assert_int_equal(f->growth.full_ns, 0);
	f = fixture(SHARE, 10, 1000);
	assert_true(document_growth(&f->document, &f->growth));
	assert_true(f->growth.threshold == 0.9);
	assert_int_equal(f->growth.horizon_ns / NS_PER_HOUR, 23);
}

/* Half of what was measured, of what the process takes; a condition looks back
 * 25 hours at most. */
static void test_without_limit(void **state)
{
	struct fixture *f = fixture(BYTES, 10, 0);

	(void)state;
	assert_true(document_growth(&f->document, &f->growth));
	assert_int_equal(f->growth.horizon_ns, 0);
	assert_int_equal(f->growth.over_ns / NS_PER_HOUR, 6);
	assert_true(f->growth.percent == 30);
	f->leak.memory_bytes = 300 * MIB;
	f->leak.window.to_ns = 7 * NS_PER_DAY;
	assert_true(document_growth(&f->document, &f->growth));
	assert_int_equal(f->growth.over_ns / NS_PER_HOUR, 24);
	assert_true(f->growth.percent == 40);
}

static void test_none(void **state)
{
	struct fixture *f = fixture(BYTES, 0, 0);
	struct error err = { 0 };

	(void)state;
	assert_false(document_growth(&f->document, &f->growth));
	assert_false(document_growth_explain(&f->document, &err));
	assert_non_null(strstr(err.message, "does not leak"));
	f->sources[METRIC_MEMORY].name = NULL;
	f->leak.limit_bytes = MIB;
	assert_false(document_growth(&f->document, &f->growth));
	assert_false(document_growth_explain(&f->document, &err));
	assert_non_null(strstr(err.message, "--platform"));
}

UNIT_TESTS(growth_alert)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_horizon),
		cmocka_unit_test(test_share),
		cmocka_unit_test(test_without_limit),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
