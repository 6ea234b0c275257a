/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "report/documents.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/timefmt.h"

static struct buf text;

static int setup(void **state)
{
	(void)state;
	buf_init(&text, MIB);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	buf_release(&text);
	return 0;
}

static struct metric_source source_of(const char *name)
{
	for (size_t i = 0; i < metric_name_count; i++)
		if (!strcmp(metric_names[i].name, name))
			return (struct metric_source){
				.name = &metric_names[i],
				.label = metric_names[i].service_labels[0]
			};
	fail_msg("%s is not in the table", name);
	return (struct metric_source){ .name = NULL };
}

static void write_rules(const char *service, double objective,
			int64_t window_ns)
{
	static const struct str edges[] = { { "0.512", 5 } };
	const struct prometheus_rules rules = {
		.indicator = { .source = source_of(
				       "traces_spanmetrics_latency"),
			       .service = service,
			       .edges = edges,
			       .edge_count = 1,
			       .tells_errors = true },
		.objective = objective,
		.threshold_ns = 512 * NS_PER_MS,
		.window_ns = window_ns,
	};
	struct out out;

	buf_clear(&text);
	out_init_memory(&out, &text);
	prometheus_rules_write(&rules, &out);
	out_release(&out);
}

static size_t count_of(const char *what)
{
	size_t count = 0;

	for (const char *at = strstr(buf_text(&text), what); at;
	     at = strstr(at + 1, what))
		count++;
	return count;
}

static void test_windows(void **state)
{
	(void)state;
	write_rules("web", 0.99, 28 * NS_PER_DAY);
	/* 5m 30m 1h 2h 6h 1d 3d 28d */
	assert_int_equal(count_of("- record: slo:error_ratio:rate"), 8);
	assert_int_equal(count_of("[3d])"), 2);
	assert_int_equal(count_of("- alert:"), 4);
	assert_int_equal(count_of("severity: page"), 2);
	assert_int_equal(count_of("> 13.44 * 0.01"), 2);
	assert_int_equal(count_of("status_code!~\"STATUS_CODE_ERROR\""), 5);
	assert_int_equal(count_of("le=\"0.512\""), 5);
	assert_int_equal(count_of("0 * sum(rate("), 5);
	/* 5m 10m 15m and so on, scaled with the budget. */
	write_rules("web", 0.99, NS_PER_DAY);
	assert_int_equal(count_of("- alert:"), 3);
	/* Below 100 minutes there are none. */
	write_rules("web", 0.99, 99 * NS_PER_MIN);
	assert_int_equal(count_of("- alert:"), 0);
}

static void test_alert_that_never_fires(void **state)
{
	(void)state;
	write_rules("web", 0.9, 30 * NS_PER_DAY);
	assert_int_equal(count_of("- alert:"), 3);
	assert_int_equal(count_of("# No alert over 1h: a burn rate of 14.4"), 1);
}

/* Neither YAML nor a template of Prometheus comes of a name. */
static void test_foreign_names(void **state)
{
	(void)state;
	write_rules("a\": {{ x }}\n  - b\xc2\x85", 0.99, NS_PER_DAY);
	assert_int_equal(count_of("\n  - b"), 0);
	assert_int_equal(count_of("\xc2\x85"), 0);
	assert_int_equal(count_of("service: \"a\\\": {{ x }}\\n  - b\\u0085\""),
			 count_of("- record:"));
	write_rules("a {{ x }}", 0.99, 28 * NS_PER_DAY);
	assert_int_equal(count_of("--service {{ $labels.service }}"), 4);
}

static void test_text(void **state)
{
	struct out out;

	(void)state;
	buf_clear(&text);
	out_init_memory(&out, &text);
	yaml_pair(&out, 2, "expr", STR("a\n+ b"));
	yaml_pair(&out, 0, "e", STR(" a"));
	yaml_pair(&out, 0, "e", STR(""));
	assert_string_equal(buf_text(&text),
			    "  expr: |-\n    a\n    + b\ne: \" a\"\ne: \"\"\n");
	out_release(&out);
}

UNIT_TESTS(prometheus_rules)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_windows, setup, teardown),
		cmocka_unit_test_setup_teardown(test_alert_that_never_fires,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_foreign_names, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_text, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
