/* SPDX-License-Identifier: Apache-2.0
 *
 * Addresses given with {names}: what stands for them leads to no other place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../unit.h"
#include "base/num.h"
#include "render/source_link.h"

static void fills(void **state)
{
	static const char *const cases[][2] = {
		{ "https://h/t/{id}", "https://h/t/4bf92f" },
		{ "http://h/{id}{id}#{none}", "http://h/4bf92f4bf92f#" },
		{ "https://h/?q={what}&x={unknown}{id",
		  "https://h/?q=%7Bservice%3D%22a%20b%22%7D%2F..%0A%3C%C3%A4"
		  "%3E&x={unknown}{id" },
		{ "", "" },
	};
	const struct link_value values[] = {
		{ STR("{id}"), STR("4bf92f") },
		{ STR("{what}"), STR("{service=\"a b\"}/..\n<\xc3\xa4>") },
		{ STR("{none}"), STR("") },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct buf out;

		buf_init(&out, 4096);
		link_pattern_fill(cases[i][0], values, COUNT_OF(values), &out);
		assert_string_equal(buf_text(&out), cases[i][1]);
		buf_release(&out);
	}
}

static void checks(void **state)
{
	static const struct {
		const char *pattern;
		bool is_good;
	} cases[] = {
		{ "https://h/{id}", true },
		{ "http://h/?a={id}", true },
		{ "", false },
		{ "https://h/", false },
		{ "javascript:{id}", false },
		{ "ftp://h/{id}", false },
		{ "https://h/{id}\"", false },
		{ "https://h/ {id}", false },
		{ "https://h/{id}\xc3\xa4", false },
	};
	struct error err = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_int_equal(link_pattern_check(cases[i].pattern, "{id}",
						    "the id", "https://h/{id}",
						    &err),
				 cases[i].is_good);
}

UNIT_TESTS(link_pattern)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fills),
		cmocka_unit_test(checks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
