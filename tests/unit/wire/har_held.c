/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "wire/har.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define TEMPO "http://h:3200"
#define PYROSCOPE "http://h:4040/querier.v1.QuerierService/"
#define ID "4bf92f3577b34da6a3ce929d0e0e4736"

static const struct endpoint endpoint = { .url = TEMPO };

static void add(struct har *h, const char *url, const char *sent, int status,
		const char *answer)
{
	struct http_request request = { .endpoint = &endpoint,
					.method = "GET" };
	struct http_response response = { .status = status, .tries = 1 };
	struct error err;

	buf_init(&request.body, 1000);
	buf_init(&response.body, 1000);
	buf_add_text(&request.body, sent);
	buf_add_text(&response.body, answer);
	assert_true(har_add(h, &request, url, &response, 1, &err));
	http_request_release(&request);
	http_response_release(&response);
}

static void check_description(const struct har *h, const char *want)
{
	struct buf text;

	buf_init(&text, 2000);
	har_describe(h, &text);
	assert_string_equal(buf_text(&text), want);
	buf_release(&text);
}

static void what_there_is_is_told(void **state)
{
	static const char *const args[] = { "slow",
					    "--traces-url=http://h:3200", ID };
	struct error err;
	struct har *h = har_new(&err);

	(void)state;
	check_description(h, "neither trace nor search nor profile");
	add(h, PYROSCOPE "Series", "{}", 200, "{}");
	check_description(h, "names of services and types");
	add(h, TEMPO "/api/v2/traces/" ID, "", 200, "x");
	add(h, TEMPO "/api/search?q=a", "", 200, "{}");
	/* No answer: nothing is held of it. */
	add(h, TEMPO "/api/v2/traces/ab", "", 404, "x");
	add(h, TEMPO "/api/search?q=b", "", 200, "");
	check_description(h, "trace " ID ", 1 search");
	add(h, TEMPO "/api/traces/cd", "", 200, "x");
	add(h, "http://h/v1/projects/p/traces?pageSize=1", "", 200, "{}");
	add(h, PYROSCOPE "SelectMergeProfile", "", 200, "x");
	har_set_run(h, 1, 3, args);
	check_description(h, "2 traces, 2 searches, 1 profile (recorded by "
			     "tracefind slow " ID ")");
	har_free(h);
}

static void a_long_command_is_cut(void **state)
{
	const char *args[100];
	struct error err;
	struct har *h = har_new(&err);
	struct buf text;

	(void)state;
	for (size_t i = 0; i < 100; i++)
		args[i] = "--service=some-service";
	har_set_run(h, 1, 100, args);
	buf_init(&text, 10000);
	har_describe(h, &text);
	assert_true(text.len < 400);
	assert_true(str_ends(buf_str(&text), STR(" ...)")));
	buf_release(&text);
	har_free(h);
}

static void check_trace(const char *url, const char *want)
{
	struct str id = har_held_trace(url);

	assert_true(str_equal(id, str_from(want)));
}

static void requests_are_told_apart(void **state)
{
	(void)state;
	check_trace(TEMPO "/api/v2/traces/" ID, ID);
	check_trace(TEMPO "/api/traces/ab?start=1", "ab");
	check_trace(TEMPO "/api/traces/" ID "0", "");
	check_trace(TEMPO "/api/traces/xy", "");
	check_trace(TEMPO "/api/traces/", "");
	check_trace(TEMPO "/api/echo", "");
	assert_true(har_held_is_search(TEMPO "/api/search?q="));
	assert_true(har_held_is_search(TEMPO "/api/v3/traces?query"));
	assert_false(har_held_is_search(TEMPO "/api/search"));
	assert_false(har_held_is_search(TEMPO "/api/search/tags?q=1"));
	assert_false(har_held_is_search(TEMPO "/api/traces/ab?start=1"));
}

static bool is_same(const char *a, const char *b, bool of_any_number)
{
	return har_held_is_same_search(str_from(a), str_from(b),
				       of_any_number);
}

static void what_searches_tell_does_not_matter(void **state)
{
	static const char old[] =
		TEMPO "/api/search?q=%7Ba%7D%7Cselect%28name%29&limit=5";
	static const char new[] = TEMPO
		"/api/search?q=%7Ba%7D%7Cselect%28name%2Cspan.b%29&limit=5";
	static const char other[] =
		TEMPO "/api/search?q=%7Bb%7D%7Cselect%28name%29&limit=5";
	static const char more[] =
		TEMPO "/api/search?q=%7Ba%7D%7Cselect%28name%29&limit=6";

	(void)state;
	assert_true(is_same(old, new, false));
	assert_false(is_same(old, other, false));
	assert_false(is_same(old, more, false));
	assert_false(is_same("a", "a", false));
	assert_false(is_same("a%7Cselect%28", "a", false));
}

/* A case that was recorded when fewer traces were asked for. */
static void how_many_others_are_asked_for_does_not_matter(void **state)
{
	static const char old[] = TEMPO
		"/api/search?q=%7Ba%7D%7Cselect%28name%29&limit=5&spss=50";
	static const char more[] = TEMPO
		"/api/search?q=%7Ba%7D%7Cselect%28b%29&limit=100&spss=60";
	static const char later[] = TEMPO
		"/api/search?q=%7Ba%7D%7Cselect%28b%29&end=2&limit=5&spss=50";
	static const char jaeger[] =
		"http://j/api/v3/traces?query.service_name=a&query.num_traces=";

	(void)state;
	assert_true(is_same(old, more, true));
	assert_false(is_same(old, more, false));
	assert_false(is_same(old, later, true));
	assert_true(is_same("http://z/api/v2/traces?limit=20&a=1",
			    "http://z/api/v2/traces?limit=50&a=1", true));
	assert_false(is_same("http://z/api/v2/traces?limit=20&a=1",
			     "http://z/api/v2/traces?limit=20&a=2", true));
	assert_true(is_same(jaeger, jaeger, true));
	assert_false(is_same(jaeger, old, true));
}

#define SERIES "http://pyroscope.example/querier.v1.QuerierService/Series"

/* Another version asks for more labels of the same series. */
static void series_may_have_asked_for_less(void **state)
{
	const char *old = "{\"matchers\":[\"{a=\\\"b\\\"}\"],"
			  "\"labelNames\":[\"pod\"],\"start\":1,\"end\":2}";
	const char *new = "{\"matchers\":[\"{a=\\\"b\\\"}\"],"
			  "\"labelNames\":[\"pod\",\"env\"],\"start\":1,"
			  "\"end\":2}";
	const char *other = "{\"matchers\":[\"{a=\\\"c\\\"}\"],"
			    "\"labelNames\":[\"pod\"],\"start\":1,\"end\":2}";
	const char *later = "{\"matchers\":[\"{a=\\\"b\\\"}\"],"
			    "\"labelNames\":[\"pod\"],\"start\":1,\"end\":3}";

	(void)state;
	assert_true(har_held_is_same_series(SERIES, str_from(old),
					    str_from(new)));
	assert_false(har_held_is_same_series(SERIES, str_from(old),
					     str_from(other)));
	assert_false(har_held_is_same_series(SERIES, str_from(old),
					     str_from(later)));
	assert_false(har_held_is_same_series("http://a.example/", str_from(old),
					     str_from(new)));
	assert_false(har_held_is_same_series(SERIES, STR("{}"), STR("{}")));
	assert_false(har_held_is_same_series(SERIES, STR("\"labelNames\":["),
					     STR("{}")));
}

static bool find(struct har *h, const char *url, const char *sent)
{
	struct http_request request = { .endpoint = &endpoint,
					.method = "GET" };
	struct http_response response = { 0 };
	struct error err = { 0 };
	bool is_found;

	buf_init(&request.body, 1000);
	buf_add_text(&request.body, sent);
	is_found = har_find(h, &request, url, &response, &err);
	assert_true(is_found || err.code == ERROR_NOT_FOUND);
	http_request_release(&request);
	http_response_release(&response);
	return is_found;
}

/* Lists only, and only when that was asked for. */
static void lists_answer_for_other_windows(void **state)
{
	struct error err;
	struct har *h = har_new(&err);

	(void)state;
	add(h, PYROSCOPE "Series", "{\"start\":1}", 200, "{}");
	add(h, PYROSCOPE "LabelValues", "{\"start\":1}", 401, "{}");
	add(h, PYROSCOPE "SelectMergeProfile", "1", 200, "x");
	assert_true(find(h, PYROSCOPE "Series", "{\"start\":1}"));
	assert_false(find(h, PYROSCOPE "Series", "{\"start\":2}"));
	har_relax(h);
	assert_true(find(h, PYROSCOPE "Series", "{\"start\":2}"));
	assert_false(find(h, "http://other/querier.v1.QuerierService/Series",
			  "{\"start\":2}"));
	assert_false(find(h, PYROSCOPE "LabelValues", "{\"start\":2}"));
	assert_false(find(h, PYROSCOPE "SelectMergeProfile", "2"));
	har_free(h);
}

UNIT_TESTS(har_held)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_there_is_is_told),
		cmocka_unit_test(series_may_have_asked_for_less),
		cmocka_unit_test(a_long_command_is_cut),
		cmocka_unit_test(requests_are_told_apart),
		cmocka_unit_test(what_searches_tell_does_not_matter),
		cmocka_unit_test(
			how_many_others_are_asked_for_does_not_matter),
		cmocka_unit_test(lists_answer_for_other_windows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
