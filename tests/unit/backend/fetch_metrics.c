/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "backend/metrics.h"

#include <string.h>

#include "../wire/support.h"
#include "base/num.h"

static struct backends backends;
static struct error err;

static bool ask(struct metric_query query, const char *wanted)
{
	struct http_request request = { 0 };
	struct metric_job m;
	bool done;

	metric_job_init(&m, &query);
	error_clear(&err);
	done = m.job.type->request(&m.job, &backends, &request, &err);
	if (done)
		assert_string_equal(request.path, wanted);
	http_request_release(&request);
	return done;
}

static void test_paths(void **state)
{
	static const struct str names[] = { { "a_total", 7 }, { "b", 1 } };
	struct metric_query q = {
		.expression = STR("sum(x{a=\"b c\"})"),
		.range = { 5 * NS_PER_S, 65 * NS_PER_S + NS_PER_S / 2 },
		.step_ns = 15 * NS_PER_S,
		.names = names,
		.name_count = 2,
	};

	(void)state;
	backends = (struct backends){ .metrics.endpoint.url = "http://m" };
	assert_true(ask(q, "/api/v1/query?query=sum%28x%7Ba%3D%22b%20c%22%7D%29"
			   "&time=65.500"));
	q.ask = METRIC_ASK_RANGE;
	assert_true(ask(q, "/api/v1/query_range?query=sum%28x%7Ba%3D%22b%20c%22"
			   "%7D%29&start=5.000&end=65.500&step=15"));
	q.ask = METRIC_ASK_EXEMPLARS;
	assert_true(ask(q, "/api/v1/query_exemplars?query=sum%28x%7Ba%3D%22b%20"
			   "c%22%7D%29&start=5.000&end=65.500"));
	q.ask = METRIC_ASK_NAMES;
	assert_true(ask(
		q, "/api/v1/label/__name__/values?match%5B%5D=%7B__name__%3D%22"
		   "a_total%22%7D&match%5B%5D=%7B__name__%3D%22b%22%7D&start=5."
		   "000&end=65.500"));
}

static void test_steps_have_a_limit(void **state)
{
	struct metric_query q = {
		.ask = METRIC_ASK_RANGE,
		.expression = STR("x"),
		.range = { 0, LIMIT_METRIC_STEPS * NS_PER_S },
		.step_ns = NS_PER_S,
	};

	(void)state;
	assert_true(ask(q, "/api/v1/query_range?query=x&start=0.000&end=5000."
			   "000&step=1"));
	q.range.to_ns += NS_PER_S;
	assert_false(ask(q, ""));
	assert_int_equal(err.code, ERROR_LIMIT);
	q.step_ns = 0;
	assert_false(ask(q, ""));
}

UNIT_TESTS(fetch_metrics)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_steps_have_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
