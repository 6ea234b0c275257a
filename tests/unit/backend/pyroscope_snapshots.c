/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "backend/rooms.h"

#include "backend/backends.h"
#include "../wire/support.h"

/* 2026-11-21T10:00:00Z */
#define T0_MS 1795255200000
#define INUSE "memory:inuse_space:bytes:space:bytes"

static struct backends backends = {
	.profiles.endpoint = { .url = "http://pyroscope.example:4040",
			       .option_prefix = "--profiles" }
};
static struct side *const side = &backends.profiles;
static const struct profile_backend *const pyroscope = &profile_pyroscope;

static void check_request(int64_t length_ms, const char *label,
			  unsigned attempt, const char *path, const char *want)
{
	const struct profile_query query = {
		.type_id = INUSE,
		.selector = "{a=\"b\"}",
		.range = { T0_MS * NS_PER_MS, (T0_MS + length_ms) * NS_PER_MS },
	};
	struct http_request request;
	struct error err;

	assert_true(pyroscope->snapshots_request(side, &query, label, attempt,
						 &request, &err));
	assert_string_equal(request.path, path);
	assert_string_equal(buf_text(&request.body), want);
	http_request_release(&request);
}

#define HEAD                                                                   \
	"{\"profileTypeID\":\"" INUSE "\",\"labelSelector\":"                  \
	"\"{a=\\\"b\\\"}\","
#define HEATMAP                                                                \
	"\"queryType\":\"HEATMAP_QUERY_TYPE_INDIVIDUAL\","                     \
	"\"exemplarType\":\"EXEMPLAR_TYPE_NONE\","

/* Ten minutes are two points of five; what is at the end is in the last. */
static void the_points_cover_the_window(void **state)
{
	const char *path = "/querier.v1.QuerierService/SelectHeatmap";

	(void)state;
	assert_int_equal(pyroscope->snapshots_attempts, 2);
	check_request(600000, "pod", 0, path,
		      HEAD "\"step\":300," HEATMAP
			   "\"start\":1795255499999,\"end\":1795255799999}");
	check_request(3, NULL, 0, path,
		      HEAD "\"step\":0.002," HEATMAP
			   "\"start\":1795255200000,\"end\":1795255200002}");
	check_request(1, NULL, 0, path,
		      HEAD "\"step\":0.001," HEATMAP
			   "\"start\":1795255199999,\"end\":1795255200000}");
}

static void points_lie_below_every_interval(void **state)
{
	const char *path = "/querier.v1.QuerierService/SelectSeries";

	(void)state;
	check_request(600000, "pod", 1, path,
		      HEAD "\"step\":5,\"groupBy\":[\"pod\"],"
			   "\"start\":1795255204999,\"end\":1795255799999}");
	check_request(12000, NULL, 1, path,
		      HEAD "\"step\":5,\"start\":1795255201999,"
			   "\"end\":1795255211999}");
}

static void check_answer(struct http_response r, enum answer want,
			 int64_t count)
{
	struct error err = { 0 };
	int64_t got;

	assert_int_equal(pyroscope->snapshots_answer(side, &r, &got, &err),
			 want);
	assert_int_equal(got, count);
	assert_int_equal(err.code != 0, want != ANSWER_OK);
	http_response_release(&r);
}

/* Two pods, one snapshot a minute, five minutes; asked in both ways. */
static void both_calls_count_the_same(void **state)
{
	(void)state;
	check_answer(answer_load("pyroscope", "heatmap-individual-json"),
		     ANSWER_OK, 10);
	check_answer(answer_load("pyroscope", "select-series-by-pod-json"),
		     ANSWER_OK, 10);
}

static struct http_response json(const char *body)
{
	return answer_make(200, "application/json", body);
}

static void what_is_no_count_leads_on(void **state)
{
	(void)state;
	check_answer(answer_load("pyroscope", "v1.13-heatmap-json"),
		     ANSWER_TRY_NEXT, 0);
	check_answer(json("{}"), ANSWER_TRY_NEXT, 0);
	check_answer(json("{\"series\":[{\"labels\":[],\"points\":[{"
			  "\"timestamp\":\"7\"},{\"value\":0},{\"value\":"
			  "\"NaN\"},{\"value\":-1}]}]}"),
		     ANSWER_TRY_NEXT, 0);
	check_answer(json("{\"series\":[{\"slots\":[{\"counts\":[1,-7,0]},{"
			  "\"yMin\":[1]},{\"counts\":[2]}]},{\"slots\":[]}]}"),
		     ANSWER_OK, 3);
	check_answer(answer_make(401, "application/json",
				 "{\"code\":\"unauthenticated\"}"),
		     ANSWER_ERROR, 0);
}

static void sums_are_capped(void **state)
{
	(void)state;
	check_answer(json("{\"series\":[{\"slots\":[{\"counts\":["
			  "9223372036854775807,1]}]}]}"),
		     ANSWER_OK, INT64_MAX);
}

UNIT_TESTS(pyroscope_snapshots)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_points_cover_the_window),
		cmocka_unit_test(points_lie_below_every_interval),
		cmocka_unit_test(both_calls_count_the_same),
		cmocka_unit_test(what_is_no_count_leads_on),
		cmocka_unit_test(sums_are_capped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
