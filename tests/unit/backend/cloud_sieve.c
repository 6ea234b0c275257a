/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "../unit.h"
#include "backend/cloud_profiler/cloud_profiles.h"
#include "base/buf.h"

/* Names that hold a "w". */
static bool is_wanted(void *context, struct str name)
{
	(void)context;
	return str_find(name, STR("w")) != SIZE_MAX;
}

/* Fed in two pieces and byte by byte: what comes out never depends on it. */
static void check(const char *text, const char *expected)
{
	struct str all = str_from(text);

	for (size_t cut = 0; cut <= all.len + 1; cut++) {
		struct cloud_sieve s;
		struct buf kept;

		buf_init(&kept, MIB);
		cloud_sieve_init(&s, is_wanted, NULL);
		s.sieve.begin(s.sieve.context);
		if (cut <= all.len) {
			s.sieve.pass(&s, str_slice(all, 0, cut), &kept);
			s.sieve.pass(&s, str_slice(all, cut, all.len), &kept);
		} else {
			for (size_t i = 0; i < all.len; i++)
				s.sieve.pass(&s, str_slice(all, i, 1), &kept);
		}
		if (!str_equal(buf_str(&kept), str_from(expected)))
			fail_msg("cut at %zu: %s", cut, buf_text(&kept));
		buf_release(&kept);
	}
}

static void test_unwanted_data_goes(void **state)
{
	(void)state;
	check("{\"profiles\": [{\"name\":\"p/1\",\"profileBytes\":\"AAAA\"}, "
	      "{\"name\" : \"p/w\", \"profileBytes\" : \"BBBB\"},\n"
	      "{\"name\":\"p/3\",\"profileBytes\":\"\"},"
	      "{\"name\":\"p/4\",\"profileBytes\":\"CC==\",\"x\":\"y\"}],"
	      "\"nextPageToken\":\"DDDD\"}",
	      "{\"profiles\": [{\"name\":\"p/1\",\"profileBytes\":\"\"}, "
	      "{\"name\" : \"p/w\", \"profileBytes\" : \"BBBB\"},\n"
	      "{\"name\":\"p/3\",\"profileBytes\":\"\"},"
	      "{\"name\":\"p/4\",\"profileBytes\":\"\",\"x\":\"y\"}],"
	      "\"nextPageToken\":\"DDDD\"}");
}

static void check_same(const char *text)
{
	check(text, text);
}

static void test_what_is_not_sure_stays(void **state)
{
	(void)state;
	/* The name comes late, or never; that of another is none of its. */
	check_same("{\"profiles\":[{\"profileBytes\":\"AA\",\"name\":\"1\"},"
		   "{\"profileBytes\":\"AA\"}]}");
	/* Written with escapes, or too long to be compared. */
	check_same("{\"profiles\":[{\"name\":\"p\\u002f1\","
		   "\"profileBytes\":\"AA\"}]}");
	/* Elsewhere. */
	check_same("{\"name\":\"1\",\"profileBytes\":\"AA\"}");
	check_same("{\"profiles\":[{\"name\":\"1\",\"a\":"
		   "{\"profileBytes\":\"AA\"}}]}");
	check_same("{\"profiles\":[{\"name\":\"1\",\"profileBytes\":"
		   "[\"AA\"]}]}");
	check_same("}]}{{{\"\\\"\\\\\"::\"name\"");
	check_same("");
}

static void test_nested_members_do_not_matter(void **state)
{
	(void)state;
	check("{\"profiles\":[{\"name\":\"1\",\"deployment\":{\"target\":"
	      "\"w\",\"labels\":{\"name\":\"w\"}},\"l\":[1,{}],"
	      "\"profileBytes\":\"A\\\"\\\\\",\"startTime\":\"AA\"}]}",
	      "{\"profiles\":[{\"name\":\"1\",\"deployment\":{\"target\":"
	      "\"w\",\"labels\":{\"name\":\"w\"}},\"l\":[1,{}],"
	      "\"profileBytes\":\"\",\"startTime\":\"AA\"}]}");
}

static void test_long_names(void **state)
{
	char text[700], expected[700], name[CLOUD_SIEVE_NAME_BYTES + 2];

	(void)state;
	for (int over = 0; over < 2; over++) {
		memset(name, 'n', sizeof name);
		name[CLOUD_SIEVE_NAME_BYTES + over] = '\0';
		snprintf(text, sizeof text,
			 "{\"profiles\":[{\"name\":\"%s\",\"profileBytes\":"
			 "\"AA\"}]}",
			 name);
		snprintf(expected, sizeof expected,
			 "{\"profiles\":[{\"name\":\"%s\",\"profileBytes\":"
			 "\"%s\"}]}",
			 name, over ? "AA" : "");
		check(text, expected);
	}
}

UNIT_TESTS(cloud_sieve)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unwanted_data_goes),
		cmocka_unit_test(test_what_is_not_sure_stays),
		cmocka_unit_test(test_nested_members_do_not_matter),
		cmocka_unit_test(test_long_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
