/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/comparison.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const uint64_t span_ids[] = { 1, 2, 3, 4 };

/* Spans in parts of these totals beside a service of 100. */
static bool is_of_spans(const int64_t *totals, size_t parts, size_t span_count,
			double requests, enum scope scope)
{
	struct comparison c, service;
	bool answer;

	comparison_init(&c, "", SCOPE_COHORT);
	comparison_init(&service, "", scope);
	c.slow.span_ids = span_ids;
	c.slow.span_id_count = span_count;
	c.slow.part_count = parts;
	for (size_t i = 0; i < parts; i++)
		c.slow.parts[i].total = totals[i];
	service.slow.profile.total = 100;
	service.slow.requests = requests;
	answer = comparison_is_of_spans(&c, &service);
	comparison_release(&c);
	comparison_release(&service);
	return answer;
}

/* A server that ignores spans answers each part with everything. */
static void parts(void **state)
{
	static const int64_t alike[] = { 100, 100, 104, 101 };
	static const int64_t heeded[] = { 99, 103, 0, 2 };

	(void)state;
	assert_false(is_of_spans(alike, 4, 4, -1, SCOPE_SERVICE));
	assert_true(is_of_spans(heeded, 4, 4, -1, SCOPE_SERVICE));
	assert_true(is_of_spans(alike, 0, 4, -1, SCOPE_SERVICE));
}

/* One request may be all that the service did, unless there were others. */
static void one_request(void **state)
{
	static const int64_t all[] = { 100 }, more[] = { 101 };

	(void)state;
	assert_true(is_of_spans(all, 1, 1, -1, SCOPE_SERVICE));
	assert_true(is_of_spans(all, 1, 1, 1, SCOPE_SERVICE));
	assert_false(is_of_spans(all, 1, 1, 2, SCOPE_SERVICE));
	assert_false(is_of_spans(more, 1, 1, -1, SCOPE_SERVICE));
}

/* The spans of all instances may well take more than one instance does. */
static void instance(void **state)
{
	static const int64_t more[] = { 300, 300 };

	(void)state;
	assert_true(is_of_spans(more, 2, 4, -1, SCOPE_INSTANCE));
	assert_false(is_of_spans(more, 2, 4, -1, SCOPE_SERVICE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts),
		cmocka_unit_test(one_request),
		cmocka_unit_test(instance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
