/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../unit.h"
#include "../starving.h"
#include "decode/cloud_profiles_json.h"

static struct profile_list list;
static struct cloud_page page;
static struct error err;

static int setup(void **state)
{
	(void)state;
	error_clear(&err);
	cloud_page_init(&page);
	return profile_list_init(&list, &err) ? 0 : 1;
}

static int teardown(void **state)
{
	(void)state;
	cloud_page_release(&page);
	profile_list_release(&list);
	return 0;
}

static void decode(const char *text)
{
	if (!cloud_page_decode(str_from(text), 3, &list, &page, &err))
		fail_msg("%s", err.message);
}

static void check_damaged(const char *text)
{
	assert_false(cloud_page_decode(str_from(text), 0, &list, &page, &err));
	assert_int_equal(err.code, ERROR_FORMAT);
	error_clear(&err);
}

static void check_str(struct str text, const char *expected)
{
	if (!str_equal(text, str_from(expected)))
		fail_msg("\"%.*s\" is not \"%s\"", (int)text.len, text.ptr,
			 expected);
}

/* 2026-11-21T10:05:00Z */
#define T0 INT64_C(1795255500000000000)

#define CPU_ROW                                                                \
	"{\"name\":\"projects/p/profiles/a1\",\"profileType\":\"CPU\","        \
	"\"deployment\":{\"projectId\":\"p\",\"target\":\"auth-service\","     \
	"\"labels\":{\"version\":\"1.0.0\",\"zone\":\"us-central1-a\"}},"      \
	"\"duration\":\"9.980s\",\"labels\":{\"instance\":\"vm-1\"},"          \
	"\"startTime\":\"2026-11-21T10:05:00Z\"}"

static void test_a_page(void **state)
{
	const struct stored_series *s;

	(void)state;
	decode("{\"profiles\":[" CPU_ROW "],\"nextPageToken\":\"tok/2=\","
	       "\"skippedProfiles\":2,\"other\":[{\"a\":1}]}");
	assert_int_equal(page.profile_count, 1);
	assert_int_equal(page.skipped, 2);
	check_str(buf_str(&page.next_token), "tok/2=");
	assert_int_equal(list.count, 1);
	assert_int_equal(list.profiles[0].start_ns, T0);
	assert_int_equal(list.profiles[0].end_ns, T0 + 9980000000);
	assert_int_equal(list.profiles[0].page, 3);
	check_str(list.profiles[0].name, "projects/p/profiles/a1");
	s = &list.series[list.profiles[0].series];
	assert_int_equal(s->type, STORED_CPU);
	check_str(stored_series_service(&list, s), "auth-service");
	check_str(stored_series_label(&list, s, STR("version")), "1.0.0");
	check_str(stored_series_label(&list, s, STR("instance")), "vm-1");
	check_str(stored_series_label(&list, s, STR("region")), "");
}

/* The same labels in another order are the same series. */
static void test_series_are_shared(void **state)
{
	(void)state;
	decode("{\"profiles\":["
	       "{\"name\":\"a\",\"profileType\":\"HEAP\",\"startTime\":"
	       "\"2026-11-21T10:05:00Z\",\"deployment\":{\"target\":\"s\","
	       "\"labels\":{\"a\":\"1\",\"b\":\"2\"}}},"
	       "{\"name\":\"b\",\"profileType\":3,\"startTime\":"
	       "\"2026-11-21T10:06:00Z\",\"deployment\":{\"target\":\"s\","
	       "\"labels\":{\"b\":\"2\",\"a\":\"1\"}}},"
	       "{\"name\":\"c\",\"profileType\":\"HEAP\",\"startTime\":"
	       "\"2026-11-21T10:06:00Z\",\"deployment\":{\"target\":\"s\","
	       "\"labels\":{\"b\":\"2\",\"a\":\"3\"}}},"
	       "{\"name\":\"a\",\"profileType\":\"CPU\",\"startTime\":"
	       "\"2026-11-21T10:05:00Z\",\"deployment\":{\"target\":\"s\"}}"
	       "]}");
	assert_int_equal(page.profile_count, 4);
	assert_int_equal(list.count, 3); /* "a" came twice */
	assert_int_equal(list.series_count, 2);
	assert_int_equal(list.profiles[0].series, list.profiles[1].series);
	assert_int_equal(list.profiles[0].end_ns, list.profiles[0].start_ns);
}

static void test_every_type(void **state)
{
	static const char *const names[] = { "CPU",        "WALL",
					     "HEAP",       "THREADS",
					     "CONTENTION", "PEAK_HEAP",
					     "HEAP_ALLOC", "SOMETHING_NEW" };
	char text[400];

	(void)state;
	for (int i = 0; i < 8; i++) {
		snprintf(text, sizeof text,
			 "{\"profiles\":[{\"profileType\":\"%s\",\"name\":"
			 "\"n%d\",\"deployment\":{\"target\":\"s\"},"
			 "\"startTime\":\"2026-11-21T10:05:00Z\"}]}",
			 names[i], i);
		decode(text);
		assert_int_equal(list.series[list.profiles[i].series].type,
				 i < 7 ? i + 1 : STORED_UNKNOWN);
	}
}

static void test_empty_and_partial(void **state)
{
	(void)state;
	decode("{}");
	assert_int_equal(page.profile_count, 0);
	assert_int_equal(page.next_token.len, 0);
	decode("{\"profiles\":[],\"nextPageToken\":\"x\"}");
	check_str(buf_str(&page.next_token), "x");
	/* No name, no service, no time. */
	decode("{\"profiles\":[{},{\"name\":\"a\"},{\"name\":\"b\","
	       "\"deployment\":{\"target\":\"s\"},\"startTime\":\"soon\"},"
	       "{\"name\":null,\"deployment\":[],\"labels\":7}]}");
	assert_int_equal(list.count, 0);
	assert_int_equal(page.nameless, 4);
}

static void test_damaged(void **state)
{
	(void)state;
	check_damaged("[]");
	check_damaged("{\"profiles\":[{\"name\":\"a\"");
	check_damaged("{\"profiles\":[7]}");
	check_damaged("{\"skippedProfiles\":\"many\"}");
	check_damaged("{} {}");
	check_damaged("<html>");
}

static void test_token_limit(void **state)
{
	(void)state;
	for (size_t over = 0; over < 2; over++) {
		struct buf text;

		buf_init(&text, LIMIT_PAGE_TOKEN_BYTES + 64);
		buf_add_text(&text, "{\"nextPageToken\":\"");
		for (size_t i = 0; i < LIMIT_PAGE_TOKEN_BYTES + over; i++)
			buf_add_char(&text, 't');
		buf_add_text(&text, "\"}");
		assert_int_equal(cloud_page_decode(buf_str(&text), 0, &list,
						   &page, &err),
				 !over);
		buf_release(&text);
	}
	assert_int_equal(err.code, ERROR_LIMIT);
}

/* Of the deployment and of the profile together. */
static void test_label_limit(void **state)
{
	(void)state;
	for (unsigned over = 0; over < 2; over++) {
		const struct stored_series *s;
		struct buf text;

		buf_init(&text, MIB);
		buf_addf(&text,
			 "{\"profiles\":[{\"name\":\"n%u\",\"startTime\":"
			 "\"2026-11-21T10:05:00Z\",\"deployment\":{"
			 "\"target\":\"s\",\"labels\":{\"first\":\"1\"}},"
			 "\"labels\":{",
			 over);
		for (unsigned i = 2; i < LIMIT_STORED_LABELS + over; i++)
			buf_addf(&text, "\"l%u\":\"1\",", i);
		buf_add_text(&text, "\"last\":\"1\"}}]}");
		decode(buf_text(&text));
		s = &list.series[list.series_count - 1];
		assert_int_equal(s->label_count, LIMIT_STORED_LABELS);
		check_str(stored_series_label(&list, s, STR("first")), "1");
		check_str(stored_series_label(&list, s, STR("last")),
			  over ? "" : "1");
		buf_release(&text);
	}
}

static void test_durations(void **state)
{
	static const struct {
		const char *text;
		bool is_ok;
		int64_t ns;
	} cases[] = {
		{ "10s", true, 10000000000 },
		{ "9.98s", true, 9980000000 },
		{ "0s", true, 0 },
		{ "0.000000001s", true, 1 },
		{ "-1.5s", true, -1500000000 },
		{ "315576000000s", true, INT64_MAX }, /* proto's most */
		{ "1.0000000001s", false, 0 },
		{ "1.s", false, 0 },
		{ ".5s", false, 0 },
		{ "10", false, 0 },
		{ "s", false, 0 },
		{ "", false, 0 },
		{ "1e3s", false, 0 },
		{ "--1s", false, 0 },
		{ "9999999999999999999s", false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int64_t ns = 0;
		bool is_ok = cloud_duration_parse(str_from(cases[i].text), &ns);

		if (is_ok != cases[i].is_ok || (is_ok && ns != cases[i].ns))
			fail_msg("%s: %d %lld", cases[i].text, is_ok,
				 (long long)ns);
	}
}

/* A profile without an end lies in every later window, and adds up to no
 * overflow. */
static void test_huge_duration(void **state)
{
	const struct time_range later = { T0 + NS_PER_DAY,
					  T0 + 2 * NS_PER_DAY };

	(void)state;
	decode("{\"profiles\":[{\"name\":\"a\",\"deployment\":{\"target\":"
	       "\"s\"},\"startTime\":\"2026-11-21T10:05:00Z\",\"duration\":"
	       "\"315576000000s\"}]}");
	assert_int_equal(list.profiles[0].end_ns, INT64_MAX);
	assert_true(stored_profile_is_in(&list.profiles[0], later));
}

/* ---- bytes ---- */

struct taken {
	char names[256];
	char bytes[256];
	const char *wanted;
	bool fails;
};

static bool is_wanted(void *context, struct str name)
{
	const struct taken *t = context;

	return strstr(t->wanted, name.ptr) != NULL && name.len == 1;
}

static bool take(void *context, struct str name, struct str bytes,
		 struct error *error)
{
	struct taken *t = context;

	strncat(t->names, name.ptr, name.len);
	strncat(t->bytes, bytes.ptr, bytes.len);
	strcat(t->bytes, ";");
	return !t->fails || error_set(error, ERROR_MEMORY, "no room for %.*s",
				      (int)name.len, name.ptr);
}

static bool take_page(struct taken *t, const char *text)
{
	const struct cloud_take want = { is_wanted, take, t };

	return cloud_page_take(str_from(text), &want, &page, &err);
}

static void test_bytes_of_wanted_ones(void **state)
{
	struct taken t = { .wanted = "ac" };

	(void)state;
	/* "b" is damaged, but nobody asks for it; "c" tells its name last. */
	assert_true(take_page(&t,
			      "{\"profiles\":["
			      "{\"name\":\"a\",\"profileBytes\":\"aGVsbG8=\"},"
			      "{\"name\":\"b\",\"profileBytes\":\"?\"},"
			      "{\"profileBytes\":\"d29ybGQ\",\"name\":\"c\"},"
			      "{\"profileBytes\":\"eHh4\",\"name\":\"d\"},"
			      "{\"name\":\"a\"}],\"nextPageToken\":\"t\"}"));
	assert_string_equal(t.names, "ac");
	assert_string_equal(t.bytes, "hello;world;");
	assert_int_equal(page.profile_count, 5);
}

static void test_damaged_bytes(void **state)
{
	struct taken t = { .wanted = "a" };

	(void)state;
	assert_false(take_page(&t, "{\"profiles\":[{\"name\":\"a\","
				   "\"profileBytes\":\"aGVs bG8=\"}]}"));
	assert_int_equal(err.code, ERROR_FORMAT);
	assert_string_equal(err.message, "a: damaged base64");
	assert_false(take_page(&t, "{\"profiles\":[{\"name\":\"a\","
				   "\"profileBytes\":\"aGVsb"));
	assert_non_null(strstr(err.message, "cut-off"));
}

static void test_taker_fails(void **state)
{
	struct taken t = { .wanted = "a", .fails = true };

	(void)state;
	assert_false(take_page(&t, "{\"profiles\":[{\"name\":\"a\","
				   "\"profileBytes\":\"aGVsbG8=\"}]}"));
	assert_int_equal(err.code, ERROR_MEMORY);
	assert_string_equal(err.message, "no room for a");
}

static void test_no_memory(void **state)
{
	struct taken t = { .wanted = "a" };
	bool is_ok = false;

	(void)state;
	for (long n = 0; !is_ok; n++) {
		profile_list_release(&list);
		assert_true(profile_list_init(&list, &err));
		starve_after(n);
		is_ok = cloud_page_decode(STR("{\"profiles\":[" CPU_ROW "],"
					      "\"nextPageToken\":\"t\"}"),
					  0, &list, &page, &err);
		stop_starving();
		if (!is_ok)
			assert_int_equal(err.code, ERROR_MEMORY);
		error_clear(&err);
		assert_true(n < 1000);
	}
	is_ok = false;
	for (long n = 0; !is_ok; n++) {
		starve_after(n);
		is_ok = take_page(&t, "{\"profiles\":[{\"name\":\"a\","
				      "\"profileBytes\":\"aGVsbG8=\"}]}");
		stop_starving();
		assert_true(n < 1000);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

UNIT_TESTS(cloud_profiles_json)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_page),        TEST(test_series_are_shared),
		TEST(test_every_type),    TEST(test_empty_and_partial),
		TEST(test_damaged),       TEST(test_token_limit),
		TEST(test_label_limit),   TEST(test_durations),
		TEST(test_huge_duration), TEST(test_bytes_of_wanted_ones),
		TEST(test_damaged_bytes), TEST(test_taker_fails),
		TEST(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
