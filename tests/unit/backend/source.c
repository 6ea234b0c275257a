/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "backend/address.h"

#include <stdio.h>

#include "../wire/support.h"

static void test_addresses_name_their_kind(void **state)
{
	static const struct {
		const char *text, *rest, *name;
		bool is_file;
	} rows[] = {
		{ "http://h:3200", "http://h:3200", NULL, false },
		{ "h:3200", "h:3200", NULL, false },
		{ "tempo+localhost", "localhost", "tempo", false },
		{ "[::1]:3200/x", "[::1]:3200/x", NULL, false },
		{ "https://h/tempo/", "https://h/tempo/", NULL, false },
		{ "tempo+https://h", "https://h", "tempo", false },
		{ "TEMPO+http://h", "http://h", "tempo", false },
		{ "jaeger+http://h", "http://h", "jaeger", false },
		{ "pyroscope+http://h", "http://h", "pyroscope", false },
		{ "gcp://my-project", "gcp://my-project", "Cloud Trace",
		  false },
		{ "file:a.json", "a.json", NULL, true },
		{ "file:/x y.json", "/x y.json", NULL, true },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct address a;
		struct error err;

		assert_true(
			address_parse(rows[i].text, SERVER_TRACES, &a, &err));
		assert_int_equal(a.row != NULL, rows[i].name != NULL);
		if (a.row)
			assert_string_equal(a.row->name, rows[i].name);
		assert_int_equal(a.is_file, rows[i].is_file);
		assert_string_equal(a.rest, rows[i].rest);
	}
}

static void check_set(enum server_side side, const char *text, const char *url,
		      const char *project)
{
	struct endpoint e = { .url = NULL };
	struct url_parts parts;
	struct address a;
	struct arena arena;
	struct error err;

	arena_init(&arena, MIB);
	assert_true(address_parse(text, side, &a, &err));
	assert_true(address_set(&a, &arena, &e, &err));
	assert_string_equal(e.url, url);
	assert_string_equal(e.project, project);
	assert_true(address_split(text, &parts));
	arena_release(&arena);
}

static void check_url(const char *text, const char *url)
{
	struct endpoint e = { .url = NULL };
	struct address a;
	struct arena arena;
	struct error err;

	arena_init(&arena, MIB);
	assert_true(address_parse(text, SERVER_TRACES, &a, &err));
	assert_true(address_set(&a, &arena, &e, &err));
	assert_string_equal(e.url, url);
	arena_release(&arena);
}

static bool has_form(const char *type, const char *body,
		     const struct answer_form *form)
{
	struct http_response r = answer_make(200, type, body);
	bool has = answer_has_form(&r, form);

	http_response_release(&r);
	return has;
}

#define JSON "application/json"

static void test_forms_of_answers(void **state)
{
	const struct answer_form one = { { "traces", "metrics" } };
	const struct answer_form leaves_out = { .keys = { "names" },
						.may_be_empty = true };
	const struct answer_form is_plain = { .keys = { "names" },
					      .may_be_empty = true,
					      .may_be_plain = true };
	const struct answer_form list = { .is_list = true };
	struct http_response r;

	(void)state;
	assert_true(has_form(JSON, "{\"traces\":[]}", &one));
	assert_true(has_form(JSON, " {\"x\":{},\"metrics\":{}}", &one));
	/* What follows the key is the decoder's. */
	assert_true(has_form("text/plain", "{\"traces\":[", &one));
	assert_false(has_form(JSON, "{}", &one));
	assert_false(has_form(JSON, "{\"x\":[]}", &one));
	assert_false(has_form(JSON, "{\"x\":{\"traces\":[]}}", &one));
	assert_false(has_form(JSON, "", &one));
	assert_false(has_form(JSON, "{\"trac", &one));
	assert_true(has_form(JSON, "{}", &leaves_out));
	assert_false(has_form(JSON, "{", &leaves_out));
	assert_false(has_form(JSON, "{\"status\":\"ok\"}", &leaves_out));
	assert_false(has_form("text/plain", "{}", &leaves_out));
	assert_false(has_form("", "{}", &leaves_out));
	assert_true(has_form("text/plain", "{}", &is_plain));
	assert_true(has_form(JSON, "[]", &list));
	assert_true(has_form("text/plain", "[{}]", &list));
	assert_false(has_form("text/plain", " [] ", &list));
	assert_false(has_form(JSON, "{}", &list));
	r = answer_make(404, JSON, "{\"traces\":[]}");
	assert_false(answer_has_form(&r, &one));
	http_response_release(&r);
}

static void test_routes_that_servers_lack(void **state)
{
	static const struct {
		int status;
		const char *type, *body;
		bool is_own;
	} rows[] = {
		{ 404, "text/plain", "404 page not found\n", true },
		{ 404, JSON, "{\"code\":\"unimplemented\"}", true },
		{ 501, JSON, "{\"code\":\"unimplemented\"}", true },
		{ 200, "text/html", "<html><title>Jaeger UI</title>", true },
		{ 404, "text/html", "<html>404 Not Found</html>", false },
		{ 404, "", "", false },
		{ 404, JSON, "{\"code\":\"not_found\"}", false },
		{ 501, "text/plain", "not here", false },
		{ 200, "text/html", "<html>Sign in</html>", false },
		{ 500, "text/plain", "404 page not found", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct http_response r = answer_make(
			rows[i].status, rows[i].type, rows[i].body);

		assert_int_equal(answer_lacks_own_route(&r), rows[i].is_own);
		http_response_release(&r);
	}
}

static void refuse(const char *text)
{
	struct address a;
	struct error err;

	assert_false(address_parse(text, SERVER_TRACES, &a, &err));
}

static void test_addresses_without_a_scheme(void **state)
{
	(void)state;
	check_url("localhost:3200", "http://localhost:3200");
	check_url("localhost/tempo", "http://localhost/tempo");
	check_url("tempo+tempo.example:80/x", "http://tempo.example:80/x");
	check_url("https://h:1", "https://h:1");
	refuse("tempo");
	refuse("tempo.example.com");
	refuse("h:0x1");
	refuse(":3200");
	refuse("me:secret@h:3200");
	refuse("h:99999");
}

static void test_projects(void **state)
{
	(void)state;
	check_set(SERVER_TRACES, "gcp://my-project",
		  "https://cloudtrace.googleapis.com", "my-project");
	check_set(SERVER_PROFILES, "gcp://my-project/",
		  "https://cloudprofiler.googleapis.com", "my-project");
	check_set(SERVER_TRACES, "GCP://example.com:web",
		  "https://cloudtrace.googleapis.com", "example.com:web");
	check_set(SERVER_TRACES,
		  "gcp+http://127.0.0.1:8080/projects/my-project",
		  "http://127.0.0.1:8080", "my-project");
	check_set(SERVER_PROFILES,
		  "gcp+https://h/projects/a/projects/my-project",
		  "https://h/projects/a", "my-project");
}

static void test_profiles_are_those_of_the_traces_project(void **state)
{
	(void)state;
	assert_string_equal(address_beside_traces("gcp://my-project", NULL),
			    "gcp://my-project");
	assert_string_equal(
		address_beside_traces("gcp://my-project", "http://p"),
		"http://p");
	assert_null(address_beside_traces("http://t", NULL));
	assert_null(address_beside_traces(NULL, NULL));
}

static void test_bad_addresses_are_refused_without_repeating(void **state)
{
	static const char *const rows[][2] = {
		{ "tempo", "http://" },
		{ "tempo+h.example", "http://" },
		{ "tempo+ftp://h", "http" },
		{ "http://alice:canary@h", "--password-file" },
		{ "tempo+https://canary@h/x", "--username" },
		{ "http://h/?token=canary", "'?'" },
		{ "http://h/#canary", "'#'" },
		{ "http://h/a b", "blanks" },
		{ "file:", "path" },
		{ "alice:canary@h:3200", "--password-file" },
		{ "h.example", "gcp://" },
		{ "gcp://", "names a project" },
		{ "gcp://Canary", "lower-case" },
		{ "gcp+https://h/x", "/projects/" },
		{ "gcp+/projects/my-project", "/projects/" },
		{ "gcp+ftp://h/projects/my-project", "http" },
		{ "gcp+https://a:canary@h/projects/my-project",
		  "--password-file" },
		{ "gcp+https://h/?key=canary/projects/my-project", "'?'" },
		{ "", "http://" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct address a;
		struct error err;

		assert_false(
			address_parse(rows[i][0], SERVER_TRACES, &a, &err));
		assert_int_equal(err.code, ERROR_USAGE);
		assert_contains(err.message, rows[i][1]);
		assert_lacks(err.message, "canary");
	}
}

static void check_probe_fail(struct http_response a, struct http_response b,
			     enum error_code code, const char *part)
{
	const struct endpoint e = { .url = "http://h.example:3000",
				    .option_prefix = "--traces" };
	struct http_response responses[] = { a, b };
	struct error err;

	assert_false(
		source_probe_fail(&e, "Tempo or Jaeger", responses, 2, &err));
	assert_int_equal(err.code, code);
	assert_contains(err.message, "Tempo or Jaeger");
	assert_contains(err.message, "h.example:3000");
	assert_contains(err.message, part);
	http_response_release(&a);
	http_response_release(&b);
}

static void test_failed_probe_tells_the_most_telling_answer(void **state)
{
	struct http_response login = answer_make(302, "", "");
	struct http_response dead = { .status = 0 };
	struct http_response lost = { .status = 0 };

	(void)state;
	snprintf(login.location, sizeof login.location,
		 "http://h.example:3000/login");
	error_set(&dead.err, ERROR_NETWORK, "h.example:3000 refused");
	error_set(&lost.err, ERROR_NETWORK,
		  "cannot connect to h.example:3000: Too many open files");
	check_probe_fail(answer_make(200, "text/html", "<html>Grafana"),
			 answer_make(404, "text/plain", ""), ERROR_NETWORK,
			 "api/datasources/proxy/uid");
	check_probe_fail(answer_make(404, "text/plain", ""),
			 answer_make(401, "text/plain", "no org id"),
			 ERROR_AUTH, "--tenant-id");
	check_probe_fail(answer_make(404, "text/plain", ""), login, ERROR_AUTH,
			 "redirects to http://h.example:3000/login");
	check_probe_fail(answer_make(404, "text/plain", ""),
			 answer_make(404, "text/plain", ""), ERROR_NETWORK,
			 "answers 404 to their paths");
	check_probe_fail(dead, dead, ERROR_NETWORK, "refused");
	/* It may have been the right one. */
	check_probe_fail(answer_make(404, "text/plain", ""), lost,
			 ERROR_NETWORK, "Too many open files");
	check_probe_fail(answer_make(503, "text/plain", "starting"), dead,
			 ERROR_NETWORK, "starting");
}

UNIT_TESTS(source)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses_name_their_kind),
		cmocka_unit_test(
			test_bad_addresses_are_refused_without_repeating),
		cmocka_unit_test(
			test_failed_probe_tells_the_most_telling_answer),
		cmocka_unit_test(test_addresses_without_a_scheme),
		cmocka_unit_test(test_forms_of_answers),
		cmocka_unit_test(test_routes_that_servers_lack),
		cmocka_unit_test(test_projects),
		cmocka_unit_test(test_profiles_are_those_of_the_traces_project),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
