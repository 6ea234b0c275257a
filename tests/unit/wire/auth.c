/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "wire/auth.h"

#include <unistd.h>

#include "support.h"

static void test_loopback_is_taken_narrowly(void **state)
{
	static const char *const local[] = {
		"http://localhost",   "http://LOCALHOST:3200/x",
		"http://127.0.0.1:1", "http://127.255.3.4/",
		"https://[::1]:4040",
	};
	static const char *const remote[] = {
		"http://localhost.evil.example",
		"http://127.0.0.1.evil.example",
		"http://127.1",
		"http://127.0.0.256",
		"http://127.0.0",
		"http://127.0.0.0001",
		"http://128.0.0.1",
		"http://[::2]",
		"http://localhost@evil.example",
		"http://localhost\\@evil.example",
		"http://10.0.0.1",
		"nonsense",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(local); i++)
		assert_true(host_is_loopback(local[i]));
	for (size_t i = 0; i < COUNT(remote); i++)
		if (host_is_loopback(remote[i]))
			fail_msg("loopback: %s", remote[i]);
}

static void test_credentials_need_https(void **state)
{
	static const char *const secret_header[] = { "X-Api-Key: k" };
	static const char *const plain_header[] = { "X-Scope-OrgID: a" };
	const struct endpoint rows[] = {
		{ .url = "http://h.example", .token = "secret-canary" },
		{ .url = "http://h.example", .password = "secret-canary" },
		{ .url = "http://h.example", .username = "u" },
		{ .url = "http://h.example",
		  .headers = secret_header,
		  .header_count = 1 },
		{ .url = "http://localhost",
		  .token = "secret-canary",
		  .proxy = "http://proxy.example:3128" },
	};
	const struct endpoint good[] = {
		{ .url = "https://h.example", .token = "t" },
		{ .url = "http://127.0.0.1", .token = "t" },
		{ .url = "http://h.example" },
		{ .url = "http://h.example", .token = "" }, /* none sent */
		{ .url = "http://h.example", .tenant_id = "a" },
		{ .url = "http://h.example",
		  .headers = plain_header,
		  .header_count = 1 },
		{ .url = "http://h.example",
		  .token = "t",
		  .is_insecure_auth = true },
	};
	struct error err;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_false(endpoint_check(&rows[i], &err));
		assert_int_equal(err.code, ERROR_AUTH);
		assert_contains(err.message, "--insecure-auth");
		assert_lacks(err.message, "canary");
	}
	for (size_t i = 0; i < COUNT(good); i++)
		assert_true(endpoint_check(&good[i], &err));
}

static char *read_secret(const char *content, size_t len, struct error *err)
{
	const char *path = temp_path("secret");
	char *secret;

	temp_write(path, content, len);
	secret = secret_read(path, "--traces-token-file", err);
	unlink(path);
	return secret;
}

static void test_first_line_is_the_secret(void **state)
{
	static const char *const rows[][2] = {
		{ "abc", "abc" },
		{ "abc\n", "abc" },
		{ "abc\r\nx\n", "abc" },
		{ " a b ", " a b " },
		{ "\xC3\xA9\n", "\xC3\xA9" },
	};
	struct error err;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char *secret =
			read_secret(rows[i][0], strlen(rows[i][0]), &err);

		assert_non_null(secret);
		assert_string_equal(secret, rows[i][1]);
		secret_free(secret);
	}
	secret_free(NULL);
}

static void test_bad_secret_files_are_refused(void **state)
{
	const struct str rows[] = {
		STR(""),
		STR("\n"),
		STR("\r\nabc"),
		STR("canary\tx\n"),
		STR("canary\x1b[0m"),
		STR("canary\0x"),
	};
	struct error err;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_null(read_secret(rows[i].ptr, rows[i].len, &err));
		assert_contains(err.message, "--traces-token-file");
		assert_lacks(err.message, "canary");
	}
	assert_null(secret_read("/nonexistent/file", "--token-file", &err));
	assert_contains(err.message, "--token-file");
}

static void test_too_large_secret_is_refused(void **state)
{
	static char large[LIMIT_SECRET_FILE_BYTES + 1];
	struct error err;

	(void)state;
	memset(large, 'x', sizeof large);
	assert_null(read_secret(large, sizeof large, &err));
}

static void test_headers_are_checked(void **state)
{
	static const char *const good[] = {
		"X-Key: v",
		"x:y",
		"Authorization: Bearer abc",
		"X-Scope-OrgID: a|b",
	};
	static const char *const bad[] = {
		"canary",
		": canary",
		"X Y: canary",
		"Host: canary",
		"content-length: 3",
		"Accept: canary",
		"Transfer-Encoding: canary",
		"X-Empty: ",
		"X-Key: canary\r\nY: z",
		"X-Key: canary\n",
		"X\r\nY: canary",
	};
	struct error err;

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++)
		assert_true(header_check(good[i], &err));
	for (size_t i = 0; i < COUNT(bad); i++) {
		if (header_check(bad[i], &err))
			fail_msg("accepted: %s", bad[i]);
		assert_int_equal(err.code, ERROR_USAGE);
		assert_lacks(err.message, "canary");
	}
}

UNIT_TESTS(auth)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loopback_is_taken_narrowly),
		cmocka_unit_test(test_credentials_need_https),
		cmocka_unit_test(test_first_line_is_the_secret),
		cmocka_unit_test(test_bad_secret_files_are_refused),
		cmocka_unit_test(test_too_large_secret_is_refused),
		cmocka_unit_test(test_headers_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
