/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a line of source can be read, and what never leads there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../unit.h"
#include "base/num.h"
#include "render/source_link.h"

#define HOST "https://git.acme.test/shop/{path}#L{line}"

static const struct {
	const char *pattern;
	const char *root;
	const char *file;
	uint32_t line;
	const char *link; /* NULL: none */
} cases[] = {
	{ HOST, "/build/shop/", "/build/shop/store/users.go", 69,
	  "https://git.acme.test/shop/store/users.go#L69" },
	{ HOST, "/build/shop/", "/build/shop/store/users.go", 0,
	  "https://git.acme.test/shop/store/users.go" },
	{ "http://h/?f={path}&l={line}", "", "a b/c&d.py", 3,
	  "http://h/?f=a%20b/c%26d.py&l=3" },
	{ NULL, "", "store/users.go", 69, NULL },
	/* Of no folder that is known. */
	{ HOST, "", "/etc/passwd", 1, NULL },
	{ HOST, "", "a/../../secret", 1, NULL },
	{ HOST, "", "//evil.test/x", 1, NULL },
	{ HOST, "", "", 1, NULL },
	{ HOST, "", "javascript:alert(1)", 1,
	  "https://git.acme.test/shop/javascript%3Aalert%281%29#L1" },
	{ HOST, "", "\"><img>", 1,
	  "https://git.acme.test/shop/%22%3E%3Cimg%3E#L1" },
	/* Modules have their own place, whatever the pattern is. */
	{ HOST, "", "/go/pkg/mod/github.com/grafana/otel@v0.7.0/otel.go", 124,
	  "https://github.com/grafana/otel/blob/v0.7.0/otel.go#L124" },
	{ NULL, "", "github.com/!azure/sdk@v1.2.3+incompatible/a/b.go", 0,
	  "https://github.com/Azure/sdk/blob/v1.2.3/a/b.go" },
	{ NULL, "", "github.com/o/n/v2@v2.3.4/x.go", 5,
	  "https://github.com/o/n/blob/v2.3.4/x.go#L5" },
	{ NULL, "", "github.com/o/n/sub/v3@v3.0.1/x.go", 5,
	  "https://github.com/o/n/blob/sub/v3.0.1/sub/x.go#L5" },
	{ NULL, "", "github.com/o/n@v0.0.0-20240102030405-0123456789ab/x.go", 1,
	  "https://github.com/o/n/blob/0123456789ab/x.go#L1" },
	{ HOST, "", "modernc.org/sqlite@v1.61.1/conn.go", 1, NULL },
	{ NULL, "", "github.com/o/n@main/x.go", 1, NULL },
	{ NULL, "", "github.com/o/n@v1.0.0", 1, NULL },
	{ NULL, "", "github.com/o@v1.0.0/x.go", 1, NULL },
};

static void links(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct buf out;
		bool is_found;

		buf_init(&out, 4096);
		is_found = source_link(cases[i].pattern,
				       str_from(cases[i].root),
				       str_from(cases[i].file), cases[i].line,
				       &out);
		assert_string_equal(buf_text(&out),
				    cases[i].link ? cases[i].link : "");
		assert_int_equal(is_found, cases[i].link != NULL);
		buf_release(&out);
	}
}

static void patterns(void **state)
{
	static const char *const bad[] = {
		"", "javascript:{path}", "ftp://h/{path}", "https://h/",
		"https://h/{path}\"", "https://h/ {path}",
		"https://h/{path}\n",
	};
	struct error err = { 0 };

	(void)state;
	assert_true(source_pattern_check(HOST, &err));
	assert_true(source_pattern_check("http://h/{path}", &err));
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_false(source_pattern_check(bad[i], &err));
}

UNIT_TESTS(source_link)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(links),
		cmocka_unit_test(patterns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
