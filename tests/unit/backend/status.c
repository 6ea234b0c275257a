/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "backend/checkup.h"

#include "wire/http_message.h"

#include "../wire/support.h"

static const struct endpoint server = { .url = "https://tempo.example.com",
					.option_prefix = "--traces" };

/* ---- version ---- */

static void check_version(const char *body, bool want_found, const char *want)
{
	struct http_response r = answer_make(200, "application/json", body);
	char version[STATUS_VERSION_BYTES];

	assert_int_equal(status_version_read(&r, version), want_found);
	assert_string_equal(version, want);
	http_response_release(&r);
}

static void test_version(void **state)
{
	(void)state;
	check_version("{\"version\":\"2.9.0\",\"revision\":\"x\"}", true,
		      "2.9.0");
	check_version("{\"status\":\"success\",\"data\":{\"version\":\"1.14."
		      "2\",\"goVersion\":\"go1.26\"}}",
		      true, "1.14.2");
	check_version("{\"version\":\"\"}", true, "");
	check_version("{\"version\":7}", false, "");
	check_version("{\"data\":[]}", false, "");
	check_version("<html>", false, "");
	check_version("{\"version\":\"1\"", false, "");
}

static void test_version_is_bounded(void **state)
{
	char body[256] = "{\"version\":\"", version[STATUS_VERSION_BYTES];
	struct http_response r;

	(void)state;
	memset(body + 12, 'v', 200);
	strcpy(body + 212, "\"}");
	r = answer_make(200, "application/json", body);
	assert_true(status_version_read(&r, version));
	assert_int_equal(strlen(version), STATUS_VERSION_BYTES - 1);
	r.status = 404;
	assert_false(status_version_read(&r, version));
	http_response_release(&r);
}

/* ---- clock ---- */

static void test_date(void **state)
{
	struct http_response r = answer_make(200, "text/plain", "");
	int64_t date_ns;

	(void)state;
	assert_false(status_date_read(&r, &date_ns));
	strcpy(r.server_date, "Sun, 06 Nov 1994 08:49:37 GMT");
	assert_true(status_date_read(&r, &date_ns));
	assert_int_equal(date_ns, 784111777 * NS_PER_S);
	r.status = 0;
	assert_false(status_date_read(&r, &date_ns));
	http_response_release(&r);
}

/* ---- troubles ---- */

static enum trouble trouble_of(int status, const char *type, const char *body)
{
	struct http_response r = answer_make(status, type, body);
	enum trouble trouble = trouble_find(&r);

	http_response_release(&r);
	return trouble;
}

static void test_troubles_of_answers(void **state)
{
	struct http_response r;

	(void)state;
	assert_int_equal(trouble_of(200, "application/json", "{}"),
			 TROUBLE_NONE);
	assert_int_equal(trouble_of(401, "text/plain", "no org id\n"),
			 TROUBLE_TENANT);
	assert_int_equal(trouble_of(401, "text/plain", "unknown tenant"),
			 TROUBLE_TENANT_HEADER);
	assert_int_equal(trouble_of(401, "text/plain", "who?"),
			 TROUBLE_CREDENTIALS);
	assert_int_equal(trouble_of(403, "text/plain", "no"), TROUBLE_RIGHTS);
	assert_int_equal(trouble_of(407, "text/plain", "no"),
			 TROUBLE_PROXY_LOGIN);
	assert_int_equal(trouble_of(400, "text/plain", "tenant ID is too long"),
			 TROUBLE_TENANT);
	assert_int_equal(trouble_of(404, "text/plain", "404"), TROUBLE_OTHER);
	assert_int_equal(trouble_of(200, "text/html", "<html>"), TROUBLE_PAGE);
	assert_int_equal(trouble_of(503, "text/plain", ""), TROUBLE_BUSY);
	assert_int_equal(trouble_of(429, "text/plain", ""), TROUBLE_BUSY);
	assert_int_equal(trouble_of(500, "text/plain", ""), TROUBLE_SERVER);
	r = answer_make(302, "", "");
	strcpy(r.location, "https://x/login?next=/");
	assert_int_equal(trouble_find(&r), TROUBLE_CREDENTIALS);
	strcpy(r.location, "https://x/tempo/");
	assert_int_equal(trouble_find(&r), TROUBLE_REDIRECT);
	http_response_release(&r);
}

/* As they are told, so they must be found again. */
static void test_troubles_on_the_way(void **state)
{
	static const struct {
		enum wire_failure failure;
		enum trouble trouble;
		const char *detail;
	} ways[] = {
		{ WIRE_REFUSED, TROUBLE_REFUSED },
		{ WIRE_UNREACHABLE, TROUBLE_NO_CONNECTION },
		{ WIRE_NO_SUCH_HOST, TROUBLE_NO_HOST },
		{ WIRE_NO_SUCH_PROXY, TROUBLE_NO_PROXY },
		{ WIRE_CONNECT_TIMEOUT, TROUBLE_NO_CONNECTION },
		{ WIRE_STALLED, TROUBLE_SLOW },
		{ WIRE_OUT_OF_TIME, TROUBLE_SLOW },
		{ WIRE_NO_ANSWER, TROUBLE_SCHEME },
		{ WIRE_NO_ANSWER_TLS, TROUBLE_CERTIFICATE },
		{ WIRE_NOT_HTTP, TROUBLE_SCHEME },
		{ WIRE_TLS_UNTRUSTED, TROUBLE_UNTRUSTED,
		  "self-signed certificate" },
		{ WIRE_TLS_UNTRUSTED, TROUBLE_OTHER_NAME,
		  "no alternative certificate subject name matches target "
		  "host name 'expired.example'" },
		{ WIRE_TLS_UNTRUSTED, TROUBLE_OUT_OF_DATE,
		  "certificate has expired" },
		{ WIRE_TLS_UNTRUSTED, TROUBLE_OUT_OF_DATE,
		  "certificate is not yet valid" },
		{ WIRE_TLS, TROUBLE_TLS },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(ways); i++) {
		const struct wire_facts facts = {
			.endpoint = &server,
			.url = server.url,
			.detail = ways[i].detail ? ways[i].detail : "detail",
		};
		struct http_response r = { .status = 0 };

		wire_describe(ways[i].failure, &facts, &r.err);
		assert_int_equal(trouble_find(&r), ways[i].trouble);
	}
}

static void test_secret_over_plain_http(void **state)
{
	struct http_response r = { .status = 0 };

	(void)state;
	error_set(&r.err, ERROR_AUTH, "not over plain http");
	assert_int_equal(trouble_find(&r), TROUBLE_SECRET);
}

UNIT_TESTS(status)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_version),
		cmocka_unit_test(test_version_is_bounded),
		cmocka_unit_test(test_date),
		cmocka_unit_test(test_troubles_of_answers),
		cmocka_unit_test(test_troubles_on_the_way),
		cmocka_unit_test(test_secret_over_plain_http),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
