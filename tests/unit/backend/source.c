/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/source.h"

#include "backend/table.h"

#include <stdio.h>

#include "../wire/support.h"

static void test_addresses_name_their_kind(void **state)
{
	static const struct {
		const char *text, *rest;
		enum source_kind kind;
	} rows[] = {
		{ "http://h:3200", "http://h:3200", SOURCE_UNKNOWN },
		{ "https://h/tempo/", "https://h/tempo/", SOURCE_UNKNOWN },
		{ "tempo+https://h", "https://h", SOURCE_TEMPO },
		{ "TEMPO+http://h", "http://h", SOURCE_TEMPO },
		{ "jaeger+http://h", "http://h", SOURCE_JAEGER },
		{ "pyroscope+http://h", "http://h", SOURCE_PYROSCOPE },
		{ "gcp://my-project", "gcp://my-project", SOURCE_CLOUD_TRACE },
		{ "file:a.json", "a.json", SOURCE_FILE },
		{ "file:/x y.json", "/x y.json", SOURCE_FILE },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		enum source_kind kind;
		const char *rest;
		struct error err;

		assert_true(source_parse_url(rows[i].text, &kind, &rest, &err));
		assert_int_equal(kind, rows[i].kind);
		assert_string_equal(rest, rows[i].rest);
	}
}

static void test_bad_addresses_are_refused_without_repeating(void **state)
{
	static const char *const rows[][2] = {
		{ "localhost:3200", "http://" },
		{ "tempo+localhost", "http://" },
		{ "tempo+ftp://h", "http" },
		{ "http://alice:canary@h", "--password-file" },
		{ "tempo+https://canary@h/x", "--username" },
		{ "http://h/?token=canary", "'?'" },
		{ "http://h/#canary", "'#'" },
		{ "http://h/a b", "blanks" },
		{ "file:", "path" },
		{ "localhost", "gcp://" },
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
		enum source_kind kind;
		const char *rest;
		struct error err;

		assert_false(source_parse_url(rows[i][0], &kind, &rest, &err));
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
			 "would go to http://h.example:3000/login");
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

static void test_kinds_without_traces(void **state)
{
	(void)state;
	assert_null(trace_backend_of(SOURCE_FILE));
	assert_null(trace_backend_of(SOURCE_PYROSCOPE));
	assert_string_equal(source_kind_name(SOURCE_PYROSCOPE), "pyroscope");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses_name_their_kind),
		cmocka_unit_test(
			test_bad_addresses_are_refused_without_repeating),
		cmocka_unit_test(
			test_failed_probe_tells_the_most_telling_answer),
		cmocka_unit_test(test_kinds_without_traces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
