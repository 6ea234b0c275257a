/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "investigate/profile_service.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "report/texts.h"

#include "support.h"

/* 2026-11-21T10:00:00Z */
#define NOW_NS (1795255200 * NS_PER_S)

static struct question question;
static struct backends backends;
static struct investigation v = { .question = &question,
				  .backends = &backends,
				  .note = note_text_add };
static struct arena arena;
static struct notes notes;
static const char *maps[LIMIT_HEADERS];
static struct trace trace;
static struct profile_lookup lookup;
static struct profile_service found;
static struct buf rows; /* of the answer to come */
static struct error err;

static const char *const user_db[] = { "service.name",
				       "user-db",
				       "service.namespace",
				       "prod",
				       "k8s.namespace.name",
				       "eu",
				       "k8s.pod.name",
				       "user-db-0",
				       NULL };

/* What is asked once more is answered by; NULL: nobody answers. */
static const char *again;

static bool send_nowhere(void *context, struct http_request *requests,
			 struct http_response *responses, size_t n,
			 const struct http_taker *taker, struct error *why)
{
	(void)context;
	(void)requests;
	(void)taker;
	(void)why;
	for (size_t i = 0; i < n; i++) {
		if (!again) {
			error_set(&responses[i].err, ERROR_NETWORK,
				  "no network");
			continue;
		}
		responses[i].status = 200;
		snprintf(responses[i].content_type,
			 sizeof responses[i].content_type, "application/json");
		buf_init(&responses[i].body, 64 * KIB);
		buf_add_text(&responses[i].body, again);
	}
	return true;
}

static int setup(void **state)
{
	(void)state;
	question = (struct question){ .maps = maps };
	again = NULL;
	backends = (struct backends){
		.channel.send = send_nowhere,
		.arena = &arena,
		.notes = &notes,
		.now_ns = NOW_NS,
		.profiles.endpoint = { .url = "http://pyroscope.example",
				       .option_prefix = "--profiles" },
	};
	arena_init(&arena, MIB);
	notes_init(&notes);
	buf_init(&rows, 16 * KIB);
	trace_of(&trace, user_db);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_release(&arena);
	trace_release(&trace);
	buf_release(&rows);
	return 0;
}

static void begin(void)
{
	struct time_range range = { NOW_NS - NS_PER_HOUR, NOW_NS };

	error_clear(&err);
	assert_true(profile_lookup_init(&lookup, &v, &trace, 0, STR("user-db"),
					range, &err));
	assert_int_equal(lookup.job_count, 2);
}

static void answer(size_t job, int status, const char *body)
{
	struct http_response response = { .status = status,
					  .content_type = "application/json" };

	buf_init(&response.body, 64 * KIB);
	buf_add_text(&response.body, body);
	assert_true(lookup.jobs[job]->type->answer(lookup.jobs[job], &backends,
						   &response));
	buf_release(&response.body);
}

static void names_are(const char *body)
{
	answer(0, 200, body);
}

static void refuse(size_t job)
{
	answer(job, 500, "{\"code\":\"internal\",\"message\":\"no index\"}");
}

#define CPU "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
#define BLOCK "block:delay:nanoseconds:contentions:count"
#define PAIRS(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* One more series: label, value, ..., NULL. */
static void row(const char *const *pairs)
{
	buf_add_text(&rows, rows.len ? ",{\"labels\":[" : "{\"labels\":[");
	for (size_t i = 0; pairs[i]; i += 2)
		buf_addf(&rows, "%s{\"name\":\"%s\",\"value\":\"%s\"}",
			 i ? "," : "", pairs[i], pairs[i + 1]);
	buf_add_text(&rows, "]}");
}

/* Answers with the rows so far. */
static void series_are_these(void)
{
	struct buf body;

	buf_init(&body, 64 * KIB);
	buf_addf(&body, "{\"labelsSet\":[%s]}", buf_text(&rows));
	answer(1, 200, buf_text(&body));
	buf_release(&body);
	buf_clear(&rows);
}

static void take(void)
{
	if (!profile_lookup_apply(&lookup, &v, &found, &err))
		fail_msg("%s", err.message);
}

static void check_text(struct str got, const char *want)
{
	if (!str_equal(got, str_from(want)))
		fail_msg("\"%.*s\", not \"%s\"", STR_ARGS(got), want);
}

static void check_note(const char *part)
{
	for (size_t i = 0; i < notes.count; i++)
		if (strstr(notes.text[i], part))
			return;
	fail_msg("no note with \"%s\"", part);
}

static void check_refusal(const char *part)
{
	assert_false(profile_lookup_apply(&lookup, &v, &found, &err));
	assert_false(shortfall_explain(&v.shortfall, &err));
	assert_int_equal(err.code, ERROR_NOT_FOUND);
	if (!strstr(err.message, part))
		fail_msg("\"%s\" lacks \"%s\"", err.message, part);
}

static void one_request_asks_for_all_names(void **state)
{
	struct http_request request;

	(void)state;
	begin();
	assert_true(lookup.jobs[1]->type->request(lookup.jobs[1], &backends,
						  &request, &err));
	assert_string_equal(request.accept, "*/*;allow-utf8-labelnames=true");
	assert_non_null(strstr(
		buf_text(&request.body),
		"{\"matchers\":[\"{service_name=~\\\"(?i:(?:(?:.*/)?user-db|"
		"prod/user-db|eu/user-db|ebpf/eu/user-db)(?:\\\\\\\\.cpu)?)"
		"\\\"}\"],\"labelNames\":[\"service_name\",\"__profile_type__"
		"\",\"pod\","));
	/* A day less a second, both ends inclusive. */
	assert_non_null(strstr(buf_text(&request.body),
			       "\"start\":1795168801000,\"end\":"
			       "1795255199999}"));
	http_request_release(&request);
}

static void the_exact_name_comes_with_all_that_is_known(void **state)
{
	(void)state;
	begin();
	names_are("{\"names\":[\"user-db\",\"prod/user-db\"]}");
	row(PAIRS("service_name", "user-db", "__profile_type__", CPU, "pod",
		  "b", "hostname", "x", "service_version", "2"));
	row(PAIRS("service_name", "user-db", "__profile_type__", BLOCK, "pod",
		  "a"));
	row(PAIRS("service_name", "prod/user-db", "__profile_type__", "z",
		  "pod", "c"));
	series_are_these();
	take();
	check_text(found.name, "user-db");
	check_text(found.how, "exact");
	check_text(found.selector, "{service_name=\"user-db\"}");
	assert_int_equal(found.types.count, 2);
	check_text(found.types.items[0], BLOCK);
	check_text(found.types.items[1], CPU);
	check_text(found.instance_label, "pod");
	assert_int_equal(found.instances.count, 2);
	check_text(found.instances.items[0], "a");
	check_text(found.version_label, "service_version");
	assert_int_equal(found.versions.count, 1);
	assert_int_equal(notes.count, 0);
}

static void another_name_is_noted(void **state)
{
	(void)state;
	begin();
	names_are("{\"names\":[\"eu/user-db\"]}");
	row(PAIRS("service_name", "eu/user-db", "__profile_type__", CPU));
	series_are_these();
	take();
	check_text(found.selector, "{service_name=\"eu/user-db\"}");
	check_text(found.how, "namespace/name");
	assert_null(found.instance_label.ptr);
	assert_null(found.version_label.ptr);
	check_note("profiles of this service are sent as \"eu/user-db\"");
}

/* Agents that were told no name send "unspecified". */
static void the_pod_tells_whose_nameless_profiles_are(void **state)
{
	static const struct {
		const char *label, *selector;
	} rows_of[] = {
		{ "pod", "{service_name=\"unspecified\",pod=\"user-db-0\"}" },
		{ "k8s_pod_name",
		  "{service_name=\"unspecified\",k8s_pod_name=\"user-db-0\"}" },
		{ "k8s.pod.name",
		  "{service_name=\"unspecified\","
		  "\"k8s.pod.name\"=\"user-db-0\"}" },
	};
	struct buf body;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows_of); i++) {
		notes_init(&notes);
		begin();
		names_are("{\"names\":[\"unspecified\",\"cart\"]}");
		series_are_these();
		row(PAIRS("service_name", "unspecified", "__profile_type__",
			  CPU, rows_of[i].label, "user-db-0"));
		row(PAIRS("service_name", "unspecified", "__profile_type__",
			  BLOCK, rows_of[i].label, "cart-3"));
		buf_init(&body, 64 * KIB);
		buf_addf(&body, "{\"labelsSet\":[%s]}", buf_text(&rows));
		buf_clear(&rows);
		again = buf_text(&body);
		take();
		check_text(found.name, "unspecified");
		check_text(found.how, "pod");
		check_text(found.selector, rows_of[i].selector);
		assert_int_equal(found.types.count, 1);
		check_text(found.types.items[0], CPU);
		check_note("from the trace's k8s.pod.name");
		buf_release(&body);
	}
}

static void nameless_profiles_of_other_pods_are_not_the_service_s(void **state)
{
	(void)state;
	begin();
	names_are("{\"names\":[\"unspecified\"]}");
	series_are_these();
	again = "{\"labelsSet\":[{\"labels\":[{\"name\":\"service_name\","
		"\"value\":\"unspecified\"},{\"name\":\"pod\",\"value\":"
		"\"cart-3\"}]}]}";
	check_refusal("no profile for service \"user-db\"");
	again = NULL;
	begin();
	names_are("{\"names\":[\"unspecified\"]}");
	series_are_these();
	check_refusal("no profile for service \"user-db\"");
}

/* The series of two places, by one label. */
static void places_are(const char *label, const char *one, const char *other)
{
	names_are("{\"names\":[\"user-db\"]}");
	row(PAIRS("service_name", "user-db", "__profile_type__", CPU, "pod",
		  "user-db-8", label, one));
	row(PAIRS("service_name", "user-db", "__profile_type__", BLOCK, "pod",
		  "user-db-9", label, other));
	series_are_these();
}

static void retrace(const char *const *attrs)
{
	trace_release(&trace);
	trace_of(&trace, attrs);
}

static void series_of_the_trace_s_place_are_taken(void **state)
{
	static const struct {
		const char *attr, *value, *label, *other, *selector;
	} rows_of[] = {
		{ "k8s.namespace.name", "eu", "namespace", "us",
		  "{service_name=\"user-db\",namespace=\"eu\"}" },
		{ "service.namespace", "shop", "namespace", "bank",
		  "{service_name=\"user-db\",namespace=\"shop\"}" },
		{ "service.namespace", "shop", "service.namespace", "bank",
		  "{service_name=\"user-db\",\"service.namespace\"=\"shop\"}" },
		{ "deployment.environment.name", "Prod", "env", "Staging",
		  "{service_name=\"user-db\",env=\"Prod\"}" },
		{ "deployment.environment", "qa", "deployment_environment",
		  "prod",
		  "{service_name=\"user-db\",deployment_environment=\"qa\"}" },
		{ "k8s.cluster.name", "a", "cluster", "b",
		  "{service_name=\"user-db\",cluster=\"a\"}" },
		{ "cloud.region", "eu-west-1", "region", "us-east-1",
		  "{service_name=\"user-db\",region=\"eu-west-1\"}" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows_of); i++) {
		retrace(PAIRS("service.name", "user-db", rows_of[i].attr,
			      rows_of[i].value));
		notes_init(&notes);
		begin();
		places_are(rows_of[i].label, rows_of[i].value,
			   rows_of[i].other);
		take();
		check_text(found.selector, rows_of[i].selector);
		assert_int_equal(found.types.count, 1);
		check_text(found.types.items[0], CPU);
		assert_int_equal(found.instances.count, 1);
		check_note(rows_of[i].attr);
	}
}

static void an_instance_tells_its_place(void **state)
{
	(void)state;
	retrace(PAIRS("service.name", "user-db", "deployment.environment",
		      "production", "k8s.pod.name", "user-db-9"));
	begin();
	places_are("env", "stg", "prd");
	take();
	check_text(found.selector, "{service_name=\"user-db\",env=\"prd\"}");
	check_note("from the trace's k8s.pod.name");
	/* Of the one place there is, whatever it is called. */
	notes_init(&notes);
	begin();
	places_are("deployment_environment", "prd", "prd");
	take();
	check_text(found.selector, "{service_name=\"user-db\"}");
	assert_int_equal(notes.count, 0);
}

static void both_namespace_and_cluster_narrow(void **state)
{
	(void)state;
	retrace(PAIRS("service.name", "user-db", "k8s.namespace.name", "eu",
		      "k8s.cluster.name", "b"));
	begin();
	names_are("{\"names\":[\"user-db\"]}");
	row(PAIRS("service_name", "user-db", "namespace", "eu", "cluster", "a",
		  "k8s_namespace_name", "eu"));
	row(PAIRS("service_name", "user-db", "namespace", "eu", "cluster", "b",
		  "k8s_namespace_name", "eu"));
	row(PAIRS("service_name", "user-db", "namespace", "us", "cluster", "b",
		  "k8s_namespace_name", "us"));
	series_are_these();
	take();
	check_text(found.selector, "{service_name=\"user-db\",namespace="
				   "\"eu\",cluster=\"b\"}");
	assert_int_equal(found.places.count, 2);
}

static void profiles_from_elsewhere_are_refused(void **state)
{
	(void)state;
	begin();
	places_are("k8s_namespace_name", "us", "asia");
	check_refusal("no profile of service \"user-db\" where the trace is "
		      "from (k8s.namespace.name \"eu\"): existing ones have "
		      "k8s_namespace_name \"asia\", \"us\"; to use them "
		      "anyway: --selector '{service_name=\"user-db\"}'");
	/* One place, and not the trace's. */
	begin();
	places_are("namespace", "us", "us");
	check_refusal("namespace \"us\";");
	/* As the user says. */
	question.selector = "{service_name=\"user-db\"}";
	begin();
	places_are("namespace", "us", "asia");
	take();
	check_text(found.selector, question.selector);
}

static void where_the_trace_does_not_say_a_note_does(void **state)
{
	(void)state;
	retrace(PAIRS("service.name", "user-db"));
	begin();
	places_are("namespace", "us", "asia");
	take();
	check_text(found.selector, "{service_name=\"user-db\"}");
	check_note("several places (namespace: \"asia\", \"us\"), and the "
		   "trace does not name one of them");
	/* Words of people for an environment need not be those of the trace. */
	retrace(PAIRS("service.name", "user-db", "deployment.environment",
		      "production"));
	notes_init(&notes);
	begin();
	places_are("environment", "live", "stage");
	take();
	check_note("several places (environment: \"live\", \"stage\")");
}

/* By which region its customer is from, code may label what it does. */
static void labels_of_requests_are_no_place(void **state)
{
	(void)state;
	retrace(PAIRS("service.name", "user-db", "cloud.region", "eu"));
	begin();
	names_are("{\"names\":[\"user-db\"]}");
	row(PAIRS("service_name", "user-db", "pod", "a", "region", "eu"));
	row(PAIRS("service_name", "user-db", "pod", "a", "region", "us"));
	row(PAIRS("service_name", "user-db", "pod", "a"));
	series_are_these();
	take();
	check_text(found.selector, "{service_name=\"user-db\"}");
	assert_int_equal(notes.count, 0);
	/* Whereas another process may have no label of it. */
	begin();
	names_are("{\"names\":[\"user-db\"]}");
	row(PAIRS("service_name", "user-db", "pod", "a", "region", "eu"));
	row(PAIRS("service_name", "user-db", "pod", "b"));
	series_are_these();
	take();
	check_text(found.selector,
		   "{service_name=\"user-db\",region=\"eu\"}");
}

static void a_callee_is_where_its_caller_is_if_anywhere(void **state)
{
	struct time_range range = { NOW_NS - NS_PER_HOUR, NOW_NS };

	(void)state;
	for (int i = 0; i < 2; i++) {
		notes_init(&notes);
		assert_true(profile_lookup_init(&lookup, &v, NULL, 0,
						STR("user-db"), range, &err));
		profile_lookup_beside(&lookup, &trace, 0);
		places_are("namespace", i ? "data" : "eu", "us");
		take();
		check_text(found.selector,
			   i ? "{service_name=\"user-db\"}"
			     : "{service_name=\"user-db\",namespace=\"eu\"}");
	}
}

static void maps_are_used_when_the_label_exists(void **state)
{
	(void)state;
	maps[question.map_count++] = "service.namespace=namespace";
	maps[question.map_count++] = "k8s.pod.name=machine";
	maps[question.map_count++] = "host.name=host";
	begin();
	names_are("{}");
	row(PAIRS("service_name", "user-db", "__profile_type__", CPU,
		  "namespace", "prod"));
	row(PAIRS("service_name", "user-db", "__profile_type__", BLOCK,
		  "namespace", "dev"));
	series_are_these();
	take();
	check_text(found.selector,
		   "{service_name=\"user-db\",namespace=\"prod\"}");
	assert_int_equal(found.types.count, 1);
	check_text(found.types.items[0], CPU);
	check_note("--map k8s.pod.name=machine: the service's profiles do not have");
	check_note("--map host.name=host: ");
}

static void a_mapped_name_takes_the_place_of_the_typical_ones(void **state)
{
	struct http_request request;

	(void)state;
	maps[question.map_count++] = "service.name=app";
	begin();
	assert_true(lookup.jobs[1]->type->request(lookup.jobs[1], &backends,
						  &request, &err));
	assert_non_null(
		strstr(buf_text(&request.body), "[\"{app=\\\"user-db\\\"}\"]"));
	http_request_release(&request);
	names_are("{\"names\":[\"user-db\"]}");
	row(PAIRS("service_name", "x", "app", "user-db", "__profile_type__",
		  CPU));
	series_are_these();
	take();
	check_text(found.name, "x");
	check_text(found.how, "--map");
	check_text(found.selector, "{app=\"user-db\"}");
	assert_int_equal(found.types.count, 1);
	begin();
	names_are("{\"names\":[\"user-db\"]}");
	series_are_these();
	check_refusal("no samples match {app=\"user-db\"} between");
}

static void a_map_of_two_names_is_that_service_only(void **state)
{
	(void)state;
	maps[question.map_count++] = "user-db=db-main";
	begin();
	names_are("{\"names\":[\"db-main\"]}");
	row(PAIRS("service_name", "db-main", "__profile_type__", CPU));
	series_are_these();
	take();
	check_text(found.name, "db-main");
	check_text(found.how, "--map");
	check_text(found.selector, "{service_name=\"db-main\"}");
}

static void the_guess_is_the_own_name_with_all_maps(void **state)
{
	struct str guess;

	(void)state;
	maps[question.map_count++] = "k8s.pod.name=pod";
	maps[question.map_count++] = "no.such=other";
	begin();
	assert_true(profile_lookup_guess(&lookup, &v, &guess, &err));
	assert_string_equal(guess.ptr,
			    "{service_name=\"user-db\",pod=\"user-db-0\"}");
	check_note("--map no.such=other: ");
	question.selector = "{a=\"b\"}";
	begin();
	assert_true(profile_lookup_guess(&lookup, &v, &guess, &err));
	assert_string_equal(guess.ptr, "{a=\"b\"}");
}

static void selectors_are_taken_verbatim(void **state)
{
	(void)state;
	question.selector = " {a=\"b\" }";
	maps[question.map_count++] = "service.name=app";
	begin();
	names_are("{}");
	row(PAIRS("service_name", "x", "__profile_type__", CPU));
	row(PAIRS("service_name", "y"));
	series_are_these();
	take();
	check_text(found.selector, " {a=\"b\" }");
	check_text(found.how, "--selector");
	check_text(found.name, "user-db");
}

static void what_was_tried_is_told(void **state)
{
	(void)state;
	begin();
	names_are("{\"names\":[\"cart\",\"userdb\"]}");
	series_are_these();
	check_refusal("no profile for service \"user-db\", nor for "
		      "\"prod/user-db\", \"eu/user-db\", "
		      "\"ebpf/eu/user-db\"; nearest: \"userdb\"; choose with "
		      "--selector '{service_name=\"userdb\"}'");
}

static void doubtful_names_are_told(void **state)
{
	(void)state;
	begin();
	names_are("{\"names\":[\"a/user-db\",\"b/user-db\"]}");
	row(PAIRS("service_name", "a/user-db"));
	row(PAIRS("service_name", "b/user-db"));
	series_are_these();
	check_refusal("; it could be \"a/user-db\", \"b/user-db\"; choose "
		      "with --selector '{service_name=\"a/user-db\"}'");
}

static void half_the_metadata_will_do(void **state)
{
	(void)state;
	begin();
	refuse(0);
	row(PAIRS("service_name", "prod/user-db", "__profile_type__", CPU));
	series_are_these();
	take();
	check_text(found.name, "prod/user-db");
	begin();
	names_are("{\"names\":[\"user-DB\"]}");
	refuse(1);
	take();
	check_text(found.name, "user-DB");
	check_text(found.how, "case");
	assert_int_equal(found.types.count, 0);
}

static void without_metadata_the_name_is_assumed(void **state)
{
	(void)state;
	maps[question.map_count++] = "service.namespace=namespace";
	begin();
	refuse(0);
	refuse(1);
	take();
	check_text(found.how, "assumed");
	check_text(found.selector,
		   "{service_name=\"user-db\",namespace=\"prod\"}");
	check_note("did not list its series (pyroscope: ");
	/* Nothing there, and nobody to ask for other names. */
	begin();
	refuse(0);
	series_are_these();
	assert_false(profile_lookup_apply(&lookup, &v, &found, &err));
	assert_non_null(strstr(err.message, "no index"));
}

static void check_with(const char *selector, bool is_excluded, const char *want)
{
	struct str got = selector_with(&v, str_from(selector), STR("k8s.pod"),
				       STR("a\"b"), is_excluded);

	assert_non_null(got.ptr);
	assert_string_equal(got.ptr, want);
}

static void selectors_take_one_more_matcher(void **state)
{
	(void)state;
	check_with("{}", false, "{\"k8s.pod\"=\"a\\\"b\"}");
	check_with(" { } ", true, "{\"k8s.pod\"!=\"a\\\"b\"}");
	check_with("{a=\"}\"}", false, "{a=\"}\",\"k8s.pod\"=\"a\\\"b\"}");
	check_with("{a=\"b\", }", true, "{a=\"b\",\"k8s.pod\"!=\"a\\\"b\"}");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

UNIT_TESTS(profile_service)
{
	const struct CMUnitTest tests[] = {
		TEST(one_request_asks_for_all_names),
		TEST(the_exact_name_comes_with_all_that_is_known),
		TEST(another_name_is_noted),
		TEST(the_pod_tells_whose_nameless_profiles_are),
		TEST(nameless_profiles_of_other_pods_are_not_the_service_s),
		TEST(series_of_the_trace_s_place_are_taken),
		TEST(an_instance_tells_its_place),
		TEST(both_namespace_and_cluster_narrow),
		TEST(profiles_from_elsewhere_are_refused),
		TEST(where_the_trace_does_not_say_a_note_does),
		TEST(labels_of_requests_are_no_place),
		TEST(a_callee_is_where_its_caller_is_if_anywhere),
		TEST(maps_are_used_when_the_label_exists),
		TEST(a_mapped_name_takes_the_place_of_the_typical_ones),
		TEST(a_map_of_two_names_is_that_service_only),
		TEST(the_guess_is_the_own_name_with_all_maps),
		TEST(selectors_are_taken_verbatim),
		TEST(what_was_tried_is_told),
		TEST(doubtful_names_are_told),
		TEST(half_the_metadata_will_do),
		TEST(without_metadata_the_name_is_assumed),
		TEST(selectors_take_one_more_matcher),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
