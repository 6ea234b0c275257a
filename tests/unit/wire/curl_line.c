/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "wire/http.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char path[] = "/api?q=%7B%7D&token=abc";

static void assert_line(const struct endpoint *e, const char *method,
			struct str body, const char *wanted)
{
	struct http_request request = { .endpoint = e,
					.method = method,
					.path = path };
	struct buf line;

	buf_init(&line, MIB);
	buf_init(&request.body, MIB);
	buf_add_str(&request.body, body);
	curl_line_add(&line, &request);
	assert_int_equal(line.state, BUF_OK);
	assert_string_equal(buf_text(&line), wanted);
	buf_release(&line);
	buf_release(&request.body);
}

#define URL_PART " --url 'http://h/api?q=%7B%7D&token=[redacted]'"

static void test_plain(void **state)
{
	struct endpoint e = { .url = "http://h/", .option_prefix = "--traces" };

	(void)state;
	assert_line(&e, "GET", STR(""), "curl -gsS --compressed" URL_PART);
	assert_line(&e, "POST", STR("{\"it's\": 1}"),
		    "curl -gsS --compressed --data-binary "
		    "'{\"it'\\''s\": 1}'" URL_PART);
	assert_line(&e, "POST", STR("\x1b\x01"),
		    "echo 'GwE=' | base64 -d | curl -gsS --compressed "
		    "--data-binary @-" URL_PART);
	assert_line(&e, "POST", STR(""),
		    "curl -gsS --compressed --data-binary ''" URL_PART);
}

static void test_secrets(void **state)
{
	static const char *const headers[] = { "X-Key: secret",
					       "User-Agent: $(me)" };
	static const char *const own[] = { "authorization: secret",
					   "X-Scope-OrgID: b" };
	struct endpoint e = { .url = "http://h",
			      .option_prefix = "--profiles",
			      .tenant_id = "a b",
			      .token = "secret",
			      .headers = headers,
			      .header_count = 2 };

	(void)state;
	assert_line(&e, "GET", STR(""),
		    "curl -gsS --compressed -H 'X-Scope-OrgID: a b' "
		    "-H \"Authorization: Bearer $PROFILES_TOKEN\" "
		    "-H 'X-Key: <redacted>' -H 'User-Agent: $(me)'" URL_PART);
	e.headers = own;
	assert_line(&e, "GET", STR(""),
		    "curl -gsS --compressed -H 'authorization: <redacted>' "
		    "-H 'X-Scope-OrgID: b'" URL_PART);
	e = (struct endpoint){ .url = "http://h",
			       .option_prefix = "--traces",
			       .username = "it's",
			       .password = "secret",
			       .cacert = "/a b",
			       .cert = "c",
			       .key = "k",
			       .is_insecure = true,
			       .proxy = "http://u:secret@p" };
	assert_line(&e, "GET", STR(""),
		    "curl -gsS --compressed -u "
		    "'it'\\''s':\"$TRACES_PASSWORD\" --cacert '/a b' "
		    "--cert c --key k --insecure "
		    "--proxy http://p" URL_PART);
}

UNIT_TESTS(curl_line)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_secrets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
