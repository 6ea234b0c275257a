/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "model/history.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static void test_each_once(void **state)
{
	char name[] = "GET /cart";
	struct hit hit = { .id = { { 1 } },
			   .root_name = { name, sizeof name - 1 },
			   .trace_ns = 50,
			   .duration_ns = 20 };
	struct error err = { 0 };
	struct hits h;

	(void)state;
	hits_init(&h);
	assert_true(hits_add(&h, &hit, &err));
	hit.duration_ns = 30;
	hit.trace_ns = 40;
	assert_true(hits_add(&h, &hit, &err));
	hit.id.bytes[15] = 1;
	assert_true(hits_add(&h, &hit, &err));
	memset(name, 'x', sizeof name);
	assert_int_equal(h.count, 2);
	assert_int_equal(h.items[0].duration_ns, 30);
	assert_int_equal(h.items[0].trace_ns, 50);
	assert_true(str_equal(h.items[0].root_name, STR("GET /cart")));
	assert_int_equal(h.items[0].service.len, 0);
	hits_release(&h);
}

UNIT_TESTS(hits)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
