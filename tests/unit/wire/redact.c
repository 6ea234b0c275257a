/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "base/redact.h"
#include "wire/auth.h"

#include <stdio.h>

#include "support.h"

static void test_urls_lose_their_secrets(void **state)
{
	static const char *const rows[][2] = {
		{ "http://u:p@h:1/a?x=1", "http://h:1/a?x=1" },
		{ "http://h/a?pageToken=abc&pageTokens=d",
		  "http://h/a?pageToken=abc&pageTokens=[redacted]" },
		{ "http://h/a?token=abc&x=1#access_token=q",
		  "http://h/a?token=[redacted]&x=1#access_token=[redacted]" },
		{ "http://h/?API_KEY=k;Signature=s&sig=1&design=2",
		  "http://h/?API_KEY=[redacted];Signature=[redacted]&"
		  "sig=[redacted]&design=2" },
		{ "/login?code=42", "/login?code=[redacted]" },
		{ "http://h/\x1b[31m \xC3\xA9", "http://h/%1B[31m%20%C3%A9" },
		{ "http://h/a@b/c", "http://h/a@b/c" },
		{ "user:pw@proxy:8080", "proxy:8080" },
		{ "http://u:p/q@h/a", "http://h/a" },
		{ "http://h:80/a@b", "http://h:80/a@b" },
		{ "http://[::1]/a@b", "http://[::1]/a@b" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf out;

		buf_init(&out, KIB);
		url_redact(&out, str_from(rows[i][0]));
		assert_string_equal(buf_text(&out), rows[i][1]);
		buf_release(&out);
	}
}

static void test_messages_lose_their_secrets(void **state)
{
	static const char *const rows[][2] = {
		{ "\"u:CANARY@h\" is no trace",
		  "\"[redacted]@h\" is no trace" },
		{ "http:/u:CANARY@h/x: no such file",
		  "http:/[redacted]@h/x: no such file" },
		{ "'https//u:CAN:ARY@@h'", "'https//[redacted]@h'" },
		{ "file:u:CANARY@h", "[redacted]@h" },
		{ "a u:CAN/ARY@h b:CANARY@i", "a [redacted]@h [redacted]@i" },
		{ "http://u:CANARY@h:1/", "http://[redacted]@h:1/" },
		/* No secrets. */
		{ "/go/x@v1.2/a.go:3: b", "/go/x@v1.2/a.go:3: b" },
		{ "http://h:4040/a@b 10:30 c@d",
		  "http://h:4040/a@b 10:30 c@d" },
		{ "me@h, :@h, a:@h, @", "me@h, :@h, a:@h, @" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf out;

		buf_init(&out, KIB);
		message_redact(&out, str_from(rows[i][0]));
		assert_string_equal(buf_text(&out), rows[i][1]);
		buf_release(&out);
	}
}

/* What does not fit is cut, and the '@' behind a secret with it. */
static void test_cut_messages_lose_their_secrets(void **state)
{
	char secret[LIMIT_ERROR_BYTES + 1];
	struct error err;
	struct buf out;

	(void)state;
	memset(secret, 'c', sizeof secret - 1);
	secret[sizeof secret - 1] = '\0';
	buf_init(&out, 4 * KIB);
	error_set(&err, ERROR_USAGE, "no file \"http:/u:%s@h\"", secret);
	message_redact(&out, str_from(err.message));
	assert_string_equal(buf_text(&out), "no file \"http:/[redacted]...");
	buf_clear(&out);
	/* A whole one may end in dots; a cut one in a path. */
	message_redact(&out, STR("a u:b..."));
	assert_string_equal(buf_text(&out), "a u:b...");
	buf_clear(&out);
	error_set(&err, ERROR_USAGE, "/%s", secret);
	message_redact(&out, str_from(err.message));
	assert_string_equal(buf_text(&out), err.message);
	buf_release(&out);
}

static void test_quotes_lose_their_secrets(void **state)
{
	static const char *const rows[][2] = {
		{ "5 m", "5 m" },
		{ "", "" },
		{ "0123456789012345678901234567890123456789",
		  "0123456789012345678901234567890123456789" },
		{ "01234567890123456789012345678901234567890",
		  "0123456789012345678901234567890123456789" },
		/* The second byte of the last character is the 41st. */
		{ "012345678901234567890123456789012345678\xC3\xA9",
		  "012345678901234567890123456789012345678" },
		{ "u:CANARYCANARYCANARYCANARYCANARYCANARYCANARY@h",
		  "[redacted]@h" },
		{ "https//h/u:CANARYCANARYCANARYCANARYCANARYCANARY@h/x",
		  "https//h/[redacted]@h/x" },
	};

	(void)state;
	assert_string_equal(text_quote(str_slice(STR("user:a"), 0, 4)).text,
			    "user");
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_string_equal(value_quote(rows[i][0]).text, rows[i][1]);
}

static void test_arguments_lose_their_secrets(void **state)
{
	static const char *const rows[][3] = {
		{ NULL, "slow", "slow" },
		{ "-H", "Authorization: Bearer CANARY",
		  "Authorization: [redacted]" },
		{ "--traces-header", "X-Key: CANARY", "X-Key: [redacted]" },
		{ "-H", "CANARY", "[redacted]" },
		{ "-H", "X-Scope-OrgID: acme", "X-Scope-OrgID: acme" },
		{ NULL, "-HCookie: CANARY", "-HCookie: [redacted]" },
		{ NULL, "-vHCookie: CANARY", "-vHCookie: [redacted]" },
		{ NULL, "--header=Cookie: CANARY",
		  "--header=Cookie: [redacted]" },
		{ NULL, "--head=Cookie: CANARY", "--head=Cookie: [redacted]" },
		{ NULL, "--proxy=http://u:CANARY@p:1", "--proxy=http://p:1" },
		{ "--proxy", "u:CANARY@p:1", "p:1" },
		{ "--traces-url", "tempo+http://u:CANARY@h/x",
		  "tempo+http://h/x" },
		{ NULL, "--traces-url=http://h/?token=CANARY",
		  "--traces-url=http://h/?token=[redacted]" },
		{ "--selector", "{a=\"x@y:z\"}", "{a=\"x@y:z\"}" },
		{ NULL, "--hide=main.go", "--hide=main.go" },
		{ "--hide", "main: x", "main: x" },
		{ "--help", "a: b", "a: b" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf out;

		buf_init(&out, KIB);
		argument_redact(&out, str_from(rows[i][1]),
				str_from(rows[i][0]));
		assert_string_equal(buf_text(&out), rows[i][2]);
		buf_release(&out);
	}
}

static void check_mask(const struct endpoint *e, const char *in,
		       const char *out)
{
	char text[512];

	snprintf(text, sizeof text, "%s", in);
	assert_true(secrets_mask(e, text, strlen(text), 8));
	assert_string_equal(text, out);
}

static void test_values_are_masked_in_every_spelling(void **state)
{
	static const char *const headers[] = {
		"Authorization: Bearer header-canary",
		"X-Scope-OrgID: tenant-canary",
	};
	const struct endpoint e = {
		.username = "alice",
		.password = "pass\"word/1",
		.token = "token+canary",
		.headers = headers,
		.header_count = 2,
	};

	(void)state;
	check_mask(&e, "a token+canary b token+canary",
		   "a ************ b ************");
	check_mask(&e, "token%2Bcanary", "**************");
	check_mask(&e, "dG9rZW4rY2FuYXJ5", "****************");
	check_mask(&e, "pass\\\"word/1", "************");
	check_mask(&e, "pass%22word%2F1", "***************");
	/* base64 of alice:pass"word/1, whose last group is open */
	check_mask(&e, "Basic YWxpY2U6cGFzcyJ3b3JkLzE=",
		   "Basic ************************");
	check_mask(&e, "x header-canary x", "x ************* x");
	check_mask(&e, "tenant-canary alice", "tenant-canary alice");
}

/* As part of something longer, which begins one or two bytes before. */
static void test_base64_is_masked_inside_of_more(void **state)
{
	const struct endpoint e = { .token = "token+canary" };

	(void)state;
	check_mask(&e, "eHRva2VuK2NhbmFyeQ==", "eHRv************eQ==");
	check_mask(&e, "eHl0b2tlbitjYW5hcnk=", "eHl0************cnk=");
}

static void test_logins_of_proxies_are_masked(void **state)
{
	const struct endpoint e = { .proxy = "http://ann:proxy%2Fcanary@h:1" };
	const struct endpoint none = { .proxy = "h:3128" };

	(void)state;
	check_mask(&e, "proxy/canary ann", "************ ann");
	check_mask(&e, "Basic YW5uOnByb3h5L2NhbmFyeQ==",
		   "Basic ************************");
	check_mask(&none, "h:3128 h:3128", "h:3128 h:3128");
}

static void test_addresses_are_hidden_in_place(void **state)
{
	static const char *const rows[][2] = {
		{ "--traces-url=tempo+http://u:p@h:1/a@b",
		  "--traces-url=tempo+http://***@h:1/a@b" },
		{ "http://h/a?x=1&token=abc#access_token=q",
		  "http://h/a?x=1&token=***#access_token=*" },
		{ "http://u:p/q@h/?a=b@c", "http://*****@h/?a=b@c" },
		{ "u:p@h", "u:p@h" },
		{ "http://h/", "http://h/" },
	};
	char text[100];

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		snprintf(text, sizeof text, "%s", rows[i][0]);
		url_hide(text, false);
		assert_string_equal(text, rows[i][1]);
	}
	snprintf(text, sizeof text, "u:p@h:3128");
	url_hide(text, true);
	assert_string_equal(text, "***@h:3128");
}

static void test_short_values_are_left(void **state)
{
	const struct endpoint e = { .token = "login" };
	char text[] = "POST /login";

	(void)state;
	assert_true(secrets_mask(&e, text, strlen(text), 8));
	assert_string_equal(text, "POST /login");
	assert_true(secrets_mask(&e, text, strlen(text), 4));
	assert_string_equal(text, "POST /*****");
}

static void test_binary_bodies_keep_their_length(void **state)
{
	const struct endpoint e = { .token = "token-canary" };
	char data[] = "\x0A\x0Ctoken-canary\x00\x12";

	(void)state;
	assert_true(secrets_mask(&e, data, sizeof data - 1, 8));
	assert_memory_equal(data, "\x0A\x0C************\x00\x12",
			    sizeof data - 1);
}

UNIT_TESTS(redact)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_urls_lose_their_secrets),
		cmocka_unit_test(test_messages_lose_their_secrets),
		cmocka_unit_test(test_cut_messages_lose_their_secrets),
		cmocka_unit_test(test_quotes_lose_their_secrets),
		cmocka_unit_test(test_arguments_lose_their_secrets),
		cmocka_unit_test(test_values_are_masked_in_every_spelling),
		cmocka_unit_test(test_base64_is_masked_inside_of_more),
		cmocka_unit_test(test_logins_of_proxies_are_masked),
		cmocka_unit_test(test_addresses_are_hidden_in_place),
		cmocka_unit_test(test_short_values_are_left),
		cmocka_unit_test(test_binary_bodies_keep_their_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
