/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "cli/message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/timefmt.h"

static void check_text(const char *url, char *path, size_t answered,
		       int64_t before_bytes, const char *want)
{
	const struct endpoint endpoint = { .url = url };
	const struct http_request request = { .endpoint = &endpoint,
					      .path = path };
	const struct http_progress p = { .waiting = &request,
					 .answered = answered,
					 .count = 5,
					 .bytes = 512 };
	struct buf text;

	buf_init(&text, 1024);
	progress_text(&p, before_bytes, 3999 * NS_PER_MS, &text);
	assert_string_equal(buf_text(&text), want);
	buf_release(&text);
}

/* Seconds are those that are over; bytes are those of the whole run. */
static void the_line_says_what_is_missing(void **state)
{
	char profile[] = "/querier.v1.QuerierService/SelectMergeProfile";
	char trace[] = "/api/v2/traces/4bf92f3577b34da6a3ce929d0e0e4736";
	char search[] = "/api/search?q=%7B%7D";
	char other[] = "/api/echo";

	(void)state;
	check_text("http://localhost:4040", profile, 2, 1536,
		   "waiting for profiles from localhost:4040: 2 of 5 answers, "
		   "2.00 KiB, 3 s");
	check_text("https://tempo.example/prefix", trace, 0, 0,
		   "waiting for the trace from tempo.example: 0 of 5 answers, "
		   "512 B, 3 s");
	check_text("http://t", search, 4, INT64_MAX,
		   "waiting for traces from t: 4 of 5 answers, 8.00 EiB, 3 s");
	check_text("http://t", other, 0, 0,
		   "waiting for an answer from t: 0 of 5 answers, 512 B, 3 s");
}

/* The whole line with "tracefind: " before it fits on 80 columns. */
static void the_line_counts_a_list_s_profiles(void **state)
{
	char list[] = "/v2/projects/shop-prod/profiles?pageSize=1000";

	(void)state;
	progress_listed(43200);
	check_text("https://cloudprofiler.googleapis.com", list, 0, 0,
		   "43,200 profiles listed by cloudprofiler.googleapis.com, "
		   "512 B, 3 s");
	progress_listed(0);
}

static void the_line_says_who_asks_for_a_pause(void **state)
{
	const struct endpoint endpoint = { .url = "https://tempo.example" };
	char path[] = "/api/search";
	const struct http_request request = { .endpoint = &endpoint,
					      .path = path };
	struct http_progress p = { .waiting = &request,
				   .count = 5,
				   .wait_left_ns = 16001 * NS_PER_MS,
				   .wait_status = 429 };
	struct buf text;

	(void)state;
	buf_init(&text, 1024);
	progress_text(&p, 0, 0, &text);
	assert_string_equal(buf_text(&text),
			    "tempo.example answered 429: next attempt in 17 s");
	buf_clear(&text);
	p.wait_status = 0;
	progress_text(&p, 0, 0, &text);
	assert_string_equal(
		buf_text(&text),
		"tempo.example gave no whole answer: next attempt in 17 s");
	buf_release(&text);
}

UNIT_TESTS(progress)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_line_says_what_is_missing),
		cmocka_unit_test(the_line_counts_a_list_s_profiles),
		cmocka_unit_test(the_line_says_who_asks_for_a_pause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
