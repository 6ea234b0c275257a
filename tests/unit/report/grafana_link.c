/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "report/documents.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* Links of a dashboard to profiles: JSON within an address within JSON. */

static void check_link(const char *type_id, const char *want)
{
	static const char *const service = "cart";
	const struct metric_name *name = metric_name_find(
		STR("kubernetes_io:container_cpu_core_usage_time"));
	struct metric_source sources[METRIC_MEANINGS] = {
		[METRIC_CPU] = { .name = name,
				 .label = name->service_labels[0] },
	};
	const struct document_profile profile = { service, type_id };
	const struct document d = { .services = &service,
				    .service_count = 1,
				    .sources = sources,
				    .profiles = &profile,
				    .profile_count = 1 };
	struct error err;
	struct buf text;
	struct out out;

	buf_init(&text, MIB);
	out_init_memory(&out, &text);
	grafana_dashboard_write(&d, &out);
	assert_true(out_finish(&out, "text", &err));
	out_release(&out);
	if (!strstr(buf_text(&text), want))
		fail_msg("%s", buf_text(&text));
	buf_release(&text);
}

static void test_type(void **state)
{
	(void)state;
	check_link("a:b", "%22profileTypeId%22%3A%22a%3Ab%22%2C%22label");
	check_link("a\"b", "%22profileTypeId%22%3A%22a%5C%22b%22%2C%22label");
	check_link("a\\", "%22profileTypeId%22%3A%22a%5C%5C%22%2C%22label");
}

UNIT_TESTS(grafana_link)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_type),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
