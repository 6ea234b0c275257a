/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "wire/url.h"

#include "base/mem.h"
#include "support.h"

static void test_join_has_one_slash(void **state)
{
	static const char *const rows[][3] = {
		{ "http://h", "/api/echo", "http://h/api/echo" },
		{ "http://h/", "/api/echo", "http://h/api/echo" },
		{ "http://h///", "//api/echo", "http://h/api/echo" },
		{ "http://h/tempo", "api?x=1", "http://h/tempo/api?x=1" },
		{ "http://h/a/", "", "http://h/a/" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char *url = url_join(rows[i][0], rows[i][1]);

		assert_string_equal(url, rows[i][2]);
		mem_free(url);
	}
}

static void test_encode_keeps_unreserved_only(void **state)
{
	struct buf out;

	(void)state;
	buf_init(&out, KIB);
	url_encode(&out, (struct str){ "aZ09-._~ +/?&=%\x00\xC3\xA9", 18 });
	assert_string_equal(buf_text(&out),
			    "aZ09-._~%20%2B%2F%3F%26%3D%25%00%C3%A9");
	buf_release(&out);
}

static void test_split_takes_plain_urls(void **state)
{
	static const struct {
		const char *url, *host, *authority, *rest, *user;
		bool is_https;
	} rows[] = {
		{ "http://localhost:3200", "localhost", "localhost:3200", "",
		  "", false },
		{ "HTTPS://Tempo.Example/x/y?z#f", "Tempo.Example",
		  "Tempo.Example", "/x/y?z#f", "", true },
		{ "http://[::1]:80/", "::1", "[::1]:80", "/", "", false },
		{ "http://[fe80::1.2.3.4]", "fe80::1.2.3.4", "[fe80::1.2.3.4]",
		  "", "", false },
		{ "http://u:p@w@host/", "host", "host", "/", "u:p@w", false },
		{ "http://host?x@y", "host", "host", "?x@y", "", false },
		{ "http://a_b-c:65535", "a_b-c", "a_b-c:65535", "", "", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct url_parts p;

		assert_true(url_split(str_from(rows[i].url), &p));
		assert_true(str_equal(p.host, str_from(rows[i].host)));
		assert_true(
			str_equal(p.authority, str_from(rows[i].authority)));
		assert_true(str_equal(p.rest, str_from(rows[i].rest)));
		assert_true(str_equal(p.user_info, str_from(rows[i].user)));
		assert_int_equal(p.is_https, rows[i].is_https);
	}
}

static void test_split_refuses_what_can_be_misread(void **state)
{
	static const char *const rows[] = {
		"",
		"localhost:3200",
		"ftp://host/",
		"http:/host",
		"http://",
		"http:///path",
		"http://host:0/",
		"http://host:65536/",
		"http://host:/",
		"http://host:80x/",
		"http://ho st/",
		"http://host/a b",
		"http://host/a\nb",
		"http://localhost\\@evil.example/",
		"http://localhost\\.evil/",
		"http://[::1",
		"http://[::1]x/",
		"http://[localhost]:1/",
		"http://h%6fst/",
		"http://h\xC3\xB6st/",
		"file:///etc/passwd",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct url_parts p;

		if (url_split(str_from(rows[i]), &p))
			fail_msg("accepted: %s", rows[i]);
	}
}

UNIT_TESTS(url)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_join_has_one_slash),
		cmocka_unit_test(test_encode_keeps_unreserved_only),
		cmocka_unit_test(test_split_takes_plain_urls),
		cmocka_unit_test(test_split_refuses_what_can_be_misread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
