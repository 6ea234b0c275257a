/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "backend/parca/parca.h"

#include <string.h>

#include "../wire/support.h"
#include "backend/backends.h"
#include "backend/rooms.h"
#include "base/limits.h"

#define CPU "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
#define INUSE "memory:inuse_space:bytes:cpu:nanoseconds"

static struct arena arena;
static struct parca_facts facts;
static struct backends backends = {
	.profiles = { .endpoint = { .url = "http://127.0.0.1:7070",
				    .option_prefix = "--profiles" },
		      .room = &facts },
	.arena = &arena,
};
static struct side *const side = &backends.profiles;
static const struct profile_backend *const parca = &profile_parca;
static struct error err;

static const struct time_range range = { 1795278780 * NS_PER_S,
					 1795279400 * NS_PER_S };

static struct http_response file(int status, const char *type, const char *name)
{
	struct buf body = testdata_read(name);
	struct http_response response =
		answer_make(status, type, buf_text(&body));

	buf_release(&body);
	return response;
}

static struct http_response json(const char *name)
{
	return file(200, "application/json", name);
}

static bool read_fact(enum parca_fact fact, struct http_response response)
{
	bool done = parca_facts_answer(&side->endpoint, fact, &response, &arena,
				       &facts, &err);

	http_response_release(&response);
	return done;
}

static int setup(void **state)
{
	(void)state;
	arena_init(&arena, 4 * MIB);
	memset(&facts, 0, sizeof facts);
	error_clear(&err);
	return !read_fact(PARCA_TYPES, json("parca/types.json")) ||
	       !read_fact(PARCA_LABELS, json("parca/labels.json"));
}

static int teardown(void **state)
{
	(void)state;
	arena_release(&arena);
	return 0;
}

static void the_facts_are_read(void **state)
{
	const struct parca_type *cpu = parca_type_find(&facts, STR(CPU));

	(void)state;
	assert_string_equal(facts.service_label, "job");
	assert_non_null(cpu);
	assert_true(cpu->is_delta);
	assert_string_equal(cpu->wanted, CPU ":delta");
	assert_ptr_equal(parca_type_find(&facts, STR(CPU ":delta")), cpu);
	assert_false(parca_type_find(&facts, STR(INUSE))->is_delta);
	assert_null(parca_type_find(&facts, STR("wall")));
}

static void the_label_of_services_is_the_best_there_is(void **state)
{
	(void)state;
	assert_true(read_fact(PARCA_LABELS,
			      answer_make(200, "application/json",
					  "{\"labelNames\":[\"comm\",\"job\","
					  "\"service_name\",\"x\"]}")));
	assert_string_equal(facts.service_label, "service_name");
	assert_true(read_fact(PARCA_LABELS,
			      answer_make(200, "application/json",
					  "{\"labelNames\":[\"comm\"]}")));
	assert_string_equal(facts.service_label, "comm");
	assert_true(facts.has_service_label);
	assert_true(read_fact(PARCA_LABELS,
			      answer_make(200, "application/json",
					  "{\"labelNames\":[]}")));
	assert_string_equal(facts.service_label, "service_name");
	assert_false(facts.has_service_label);
}

#define AGENT "parca_agent:samples:count:cpu:nanoseconds"
#define TYPE(name, delta)                                                      \
	"{\"name\":\"" name "\",\"sampleType\":\"samples\","                   \
	"\"sampleUnit\":\"count\",\"periodType\":\"cpu\","                     \
	"\"periodUnit\":\"nanoseconds\",\"delta\":" delta "}"

/* Asked for as it is there, known as CPU here, beside that of scrapes. */
static void the_agent_measures_cpu(void **state)
{
	const struct parca_type *cpu;
	const char *types = "{\"types\":[" TYPE("process_cpu", "true") "," TYPE(
		"parca_agent", "true") "," TYPE("parca_agent_cpu", "true") "]}";

	(void)state;
	assert_null(facts.agent_cpu);
	assert_true(read_fact(PARCA_TYPES,
			      answer_make(200, "application/json", types)));
	assert_string_equal(facts.agent_cpu, AGENT);
	cpu = parca_type_find(&facts, STR(PARCA_AGENT_CPU));
	assert_string_equal(cpu->wanted, AGENT ":delta");
	assert_ptr_equal(parca_type_find(&facts, STR(AGENT)), cpu);
	assert_ptr_equal(parca_type_find(&facts, STR(AGENT ":delta")), cpu);
	assert_null(parca_type_find(&facts, STR("parca_agent:samples")));
	/* One is enough; what is no delta has no interval. */
	assert_non_null(parca_type_find(
		&facts, STR("parca_agent_cpu:samples:count:cpu:nanoseconds")));
	assert_true(read_fact(
		PARCA_TYPES,
		answer_make(200, "application/json",
			    "{\"types\":[" TYPE("parca_agent", "false") "]}")));
	assert_null(facts.agent_cpu);
	assert_null(parca_type_find(&facts, STR(PARCA_AGENT_CPU)));
}

static void types_are_limited(void **state)
{
	struct buf body;

	(void)state;
	buf_init(&body, MIB);
	buf_add_text(&body, "{\"types\":[");
	for (unsigned i = 0; i < LIMIT_SAMPLE_TYPES + 1; i++)
		buf_addf(&body, "%s{\"name\":\"n%u\"}", i ? "," : "", i);
	buf_add_text(&body, "]}");
	assert_true(read_fact(PARCA_TYPES, answer_make(200, "application/json",
						       buf_text(&body))));
	assert_int_equal(facts.type_count, LIMIT_SAMPLE_TYPES);
	assert_string_equal(facts.types[0].wanted, "n0::::");
	buf_release(&body);
}

static void a_parca_is_known_by_its_types(void **state)
{
	struct http_response right = json("parca/types.json");
	struct http_response wrong =
		answer_make(404, "text/plain", "404 page not found");
	struct http_response html = answer_make(200, "text/html", "<html>");

	(void)state;
	assert_true(parca_is(&right));
	assert_false(parca_is(&wrong));
	assert_false(parca_is(&html));
	http_response_release(&right);
	http_response_release(&wrong);
	http_response_release(&html);
}

static void check_selector(const char *in, const char *want)
{
	struct buf out;

	buf_init(&out, KIB);
	parca_selector(&out, "job", str_from(in));
	assert_string_equal(buf_text(&out), want);
	buf_release(&out);
}

static void selectors_name_the_label_of_services(void **state)
{
	(void)state;
	check_selector("{service_name=\"a\",pod=\"service_name\"}",
		       "{job=\"a\",pod=\"service_name\"}");
	check_selector("{a=\"\\\"\", service_name=~'x'}",
		       "{a=\"\\\"\", job=~'x'}");
	check_selector("{my_service_name=`\\`,service_name!=\"b\"}",
		       "{my_service_name=`\\`,job!=\"b\"}");
	check_selector("{x=\"service_name", "{x=\"service_name");
	check_selector("{x=\"\\", "{x=\"\\");
	check_selector("", "");
}

static void check_path(struct http_request *request, const char *want)
{
	assert_string_equal(request->method, "GET");
	assert_string_equal(request->path, want);
	http_request_release(request);
}

static void requests_are_in_the_servers_words(void **state)
{
	static const char *const labels[] = { "service_name",
					      "__profile_type__", "pod" };
	const struct profile_query query = { .type_id = CPU,
					     .selector = "{service_name=\"a\"}",
					     .range = range };
	const struct series_query series = { "{}", labels, 3, range };
	struct http_request request;

	(void)state;
	assert_true(parca->profile_request(side, &query, 0, &request, &err));
	check_path(&request,
		   "/api/profiles/query?mode=MODE_MERGE&reportType=REPORT_TYPE_"
		   "PPROF&merge.query=process_cpu%3Acpu%3Ananoseconds%3Acpu%3A"
		   "nanoseconds%3Adelta%7Bjob%3D%22a%22%7D&merge.start=2026-11"
		   "-21T16%3A33%3A00.000000000Z&merge.end=2026-11-21T16%3A43%3A"
		   "19.999999999Z");
	assert_true(parca->services_request(side, range, &request, &err));
	check_path(&request, "/api/profiles/labels/job/values?start=2026-11-21T"
			     "16%3A33%3A00.000000000Z&end=2026-11-21T16%3A43%3A"
			     "19.999999999Z");
	assert_true(parca->series_request(side, &series, &request, &err));
	assert_contains(request.path, "&step=621s&sumBy=job&sumBy=pod");
	http_request_release(&request);
	assert_true(parca->snapshots_request(side, &query, NULL, 0, &request,
					     &err));
	assert_contains(request.path, "/query_range?query=process_cpu%3A");
	assert_contains(request.path, "&step=1s");
	http_request_release(&request);
}

static void what_a_parca_lacks_is_told(void **state)
{
	const uint64_t span = 1;
	struct profile_query query = { .type_id = CPU,
				       .selector = "{}",
				       .range = range,
				       .span_ids = &span,
				       .span_id_count = 1 };
	struct http_request request;

	(void)state;
	assert_false(parca->profile_request(side, &query, 0, &request, &err));
	assert_contains(err.message, "not kept by span");
	query.span_id_count = 0;
	query.type_id = "wall:wall:nanoseconds:wall:nanoseconds";
	assert_false(parca->profile_request(side, &query, 0, &request, &err));
	assert_int_equal(err.code, ERROR_NOT_FOUND);
}

static void services_and_series_are_read(void **state)
{
	static const char *const labels[] = { "instance", "service_name",
					      "__profile_type__", "pod" };
	const struct series_query query = { .labels = labels,
					    .label_count = 4 };
	const struct series_query no_labels = { .label_count = 0 };
	struct http_response values = json("parca/values.json");
	struct http_response rows = json("parca/series.json");
	struct http_response none =
		file(404, "text/plain", "parca/series-none.txt");
	struct name_list names;
	struct series_list series;

	(void)state;
	assert_true(parca->services_answer(&backends, &values, &names, &err));
	assert_int_equal(names.count, 3);
	assert_string_equal(names.items[2].ptr, "shop");
	assert_true(
		parca_type_answer(&backends, 0, &query, &rows, &series, &err));
	assert_int_equal(series.count, 2);
	assert_string_equal(series.values[0].ptr, "a");
	assert_string_equal(series.values[1].ptr, "shop");
	assert_ptr_equal(series.values[2].ptr, facts.types[0].id.ptr);
	assert_null(series.values[3].ptr);
	assert_string_equal(series.values[4].ptr, "b");
	assert_true(parca_type_answer(&backends, 0, &no_labels, &rows, &series,
				      &err));
	assert_int_equal(series.count, 2);
	assert_true(
		parca_type_answer(&backends, 0, &query, &none, &series, &err));
	assert_int_equal(series.count, 0);
	http_response_release(&values);
	http_response_release(&rows);
	http_response_release(&none);
}

static void snapshots_are_counted(void **state)
{
	struct http_response ten = json("parca/snapshots.json");
	struct http_response none =
		file(404, "text/plain", "parca/series-none.txt");
	int64_t count;

	(void)state;
	assert_int_equal(parca->snapshots_answer(side, &ten, &count, &err),
			 ANSWER_OK);
	assert_int_equal(count, 20);
	assert_int_equal(parca->snapshots_answer(side, &none, &count, &err),
			 ANSWER_MISS);
	assert_int_equal(count, 0);
	http_response_release(&ten);
	http_response_release(&none);
}

static bool unpack(const char *body, struct buf *plain)
{
	struct http_response response =
		answer_make(200, "application/json", body);
	bool done;

	buf_init(plain, MIB);
	error_clear(&err);
	done = parca->profile_unwrap(side, &response, plain, &err);
	http_response_release(&response);
	return done;
}

#define FROM_MS 1795278780000 /* 16:33:00 */

static void totals_are_asked_for_in_finer_steps(void **state)
{
	struct totals_query query = { .type_id = CPU,
				      .selector = "{service_name=\"a\"}",
				      .label = "service_name",
				      .from_ms = FROM_MS,
				      .step_ms = 24000,
				      .step_count = 2 };
	struct http_request request;

	(void)state;
	assert_true(parca->totals_request(side, &query, &request, &err));
	check_path(&request, "/api/profiles/query_range?query=process_cpu%3A"
			     "cpu%3Ananoseconds%3Acpu%3Ananoseconds%3Adelta%7B"
			     "job%3D%22a%22%7D&start=2026-11-21T16%3A33%3A00."
			     "000000000Z&end=2026-11-21T16%3A33%3A47.999999999Z"
			     "&step=2s&sumBy=job");
	query.step_ms = 15000; /* a twelfth would be no whole seconds */
	assert_int_equal(parca_totals_step_s(&query), 1);
	query.step_ms = 1;
	assert_int_equal(parca_totals_step_s(&query), 1);
	query.type_id = "wall:wall:nanoseconds:wall:nanoseconds";
	assert_false(parca->totals_request(side, &query, &request, &err));
	assert_int_equal(err.code, ERROR_NOT_FOUND);
}

static bool read_totals(struct http_response response, struct totals *totals)
{
	const struct totals_query query = { .label = "service_name",
					    .from_ms = FROM_MS,
					    .step_ms = 24000,
					    .step_count = 2 };
	bool done = parca->totals_answer(&backends, &query, &response, totals,
					 &err);

	http_response_release(&response);
	return done;
}

#define SAMPLE(time, value)                                                    \
	"{\"timestamp\":\"2026-11-21T16:" time "Z\",\"value\":\"" value "\"}"

/* Steps of 2 s count where their middle lies; those that reach over an edge
 * count at the edge, those farther off not at all. */
static void totals_are_read(void **state)
{
	struct totals totals;

	(void)state;
	assert_true(read_totals(
		answer_make(
			200, "application/json",
			"{\"series\":[{\"labelset\":{\"labels\":["
			"{\"name\":\"pod\",\"value\":\"p\"},"
			"{\"value\":\"shop\",\"name\":\"job\"}]},"
			"\"samples\":[" SAMPLE("32:57", "1") "," SAMPLE("32:58", "2") "," SAMPLE("33:00", "4") "," SAMPLE(
				"33:22",
				"8") "," SAMPLE("33:24",
						"16") "," SAMPLE("33:48",
								 "32") "," SAMPLE("33:49",
										  "64") "," SAMPLE("33:00",
												   "-5") ",{\"value\":\"9\"},"
													 "{\"timestamp\":\"soon\",\"value\":\"9\"}]},"
													 "{\"samples\":[" SAMPLE(
														 "33:01",
														 "3") "]}]}"),
		&totals));
	assert_int_equal(totals.count, 2);
	assert_true(str_equal(totals.items[0].name, STR("shop")));
	assert_int_equal((int)totals.items[0].values[0], 2 + 4 + 8);
	assert_int_equal((int)totals.items[0].values[1], 16 + 32);
	assert_int_equal(totals.items[1].name.len, 0);
	assert_int_equal((int)totals.items[1].values[0], 3);
	assert_true(read_totals(
		file(404, "text/plain", "parca/series-none.txt"), &totals));
	assert_int_equal(totals.count, 0);
	assert_false(read_totals(answer_make(200, "application/json",
					     "{\"series\":[{\"samples\":[{"
					     "\"value\":\"x\"}]}]}"),
				 &totals));
	assert_contains(err.message, "parca");
}

/* Of snapshots all labels come; those asked for count. What a step of Parca's
 * leaves out is as much as what it holds. */
static void totals_of_snapshots_are_read(void **state)
{
	const struct totals_query query = { .label = "instance",
					    .beside = "service_name",
					    .from_ms = FROM_MS,
					    .step_ms = 24000,
					    .step_count = 2 };
	struct http_response response = answer_make(
		200, "application/json",
		"{\"series\":[{\"labelset\":{\"labels\":["
		"{\"name\":\"instance\",\"value\":\"a\"},"
		"{\"name\":\"job\",\"value\":\"shop\"},"
		"{\"name\":\"pod\",\"value\":\"p\"}]},\"samples\":["
		"{\"timestamp\":\"2026-11-21T16:33:00Z\",\"value\":\"8\","
		"\"duration\":\"0\",\"count\":3},"
		"{\"timestamp\":\"2026-11-21T16:33:24Z\",\"value\":\"8\","
		"\"duration\":\"1\",\"count\":3}]}]}");
	struct totals totals;

	(void)state;
	assert_true(parca->totals_answer(&backends, &query, &response, &totals,
					 &err));
	http_response_release(&response);
	assert_int_equal(totals.count, 1);
	assert_true(str_equal(totals.items[0].name, STR("a")));
	assert_true(str_equal(totals.items[0].beside, STR("shop")));
	assert_int_equal((int)totals.items[0].values[0], 24);
	assert_int_equal((int)totals.items[0].values[1], 8);
}

static void profiles_are_unpacked(void **state)
{
	struct buf body = testdata_read("parca/merge.json"), plain;

	(void)state;
	assert_true(unpack(buf_text(&body), &plain));
	assert_true(plain.len > 100);
	assert_int_equal(plain.data[0], 0x0A); /* a sample type */
	buf_release(&plain);
	buf_release(&body);
	assert_true(unpack("{\"pprof\":\"AQI=\"}", &plain));
	assert_int_equal(plain.len, 2);
	buf_release(&plain);
}

static void damaged_profiles_are_refused(void **state)
{
	static const char *const bodies[] = {
		"{\"pprof\":\"A!\"}",
		"{\"pprof\":7}",
		"{\"pprof\":\"H4sIAAAA\"}",
		"{\"pprof\":\"AQI=",
		"[]",
		"",
	};
	struct buf plain;

	(void)state;
	for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
		assert_false(unpack(bodies[i], &plain));
		assert_int_equal(err.code, ERROR_FORMAT);
		buf_release(&plain);
	}
}

static void errors_are_in_the_servers_words(void **state)
{
	struct http_response response =
		file(400, "application/json", "parca/error-type.json");
	const struct profile_query query = { .type_id = CPU };
	struct profile_form form;

	(void)state;
	assert_int_equal(
		parca->profile_answer(side, &query, 0, &response, &form, &err),
		ANSWER_ERROR);
	assert_contains(err.message, "parca");
	assert_contains(err.message,
			"profile-type selection must be of the form");
	http_response_release(&response);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

UNIT_TESTS(parca)
{
	const struct CMUnitTest tests[] = {
		TEST(the_facts_are_read),
		TEST(the_label_of_services_is_the_best_there_is),
		TEST(the_agent_measures_cpu),
		TEST(types_are_limited),
		TEST(a_parca_is_known_by_its_types),
		TEST(selectors_name_the_label_of_services),
		TEST(requests_are_in_the_servers_words),
		TEST(what_a_parca_lacks_is_told),
		TEST(services_and_series_are_read),
		TEST(snapshots_are_counted),
		TEST(totals_are_asked_for_in_finer_steps),
		TEST(totals_are_read),
		TEST(totals_of_snapshots_are_read),
		TEST(profiles_are_unpacked),
		TEST(damaged_profiles_are_refused),
		TEST(errors_are_in_the_servers_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
