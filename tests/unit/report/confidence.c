/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../unit.h"
#include "report/texts.h"

static void assert_basis(const struct result *result, const char *words)
{
	struct buf text;

	buf_init(&text, LIMIT_ERROR_BYTES);
	confidence_report_basis(result, &text);
	assert_string_equal(buf_text(&text), words);
	buf_release(&text);
}

static void test_the_basis_is_the_trace_or_a_profile(void **state)
{
	static struct result r;

	(void)state;
	assert_basis(&r, "the trace");
	r.has_profile = true;
	r.profile.samples = 1830;
	assert_basis(&r, "profile of the whole service, 1,830 samples");
	r.profile.scope = SCOPE_INSTANCE;
	r.has_baseline = true;
	r.baseline.samples = 21;
	assert_basis(&r, "profile of one instance, 1,830 samples against 21");
	r.profile.scope = SCOPE_COHORT;
	r.profile.samples = -1;
	assert_basis(&r, "samples of the slow requests themselves");
	r.profile.scope = SCOPE_SPAN;
	assert_basis(&r, "samples of this request");
	r.cause.kind = CAUSE_QUEUE;
	assert_basis(&r, "the trace");
	r.cause.queue.typical_count = 1200;
	assert_basis(&r, "the trace and the waits of 1,200 earlier messages");
}

static void assert_told(const struct confidence_rating *rating,
			const char *words)
{
	struct buf text;

	buf_init(&text, LIMIT_ERROR_BYTES);
	confidence_report_weaknesses(rating, &text);
	assert_string_equal(buf_text(&text), words);
	buf_release(&text);
}

static void test_each_weakness_has_words(void **state)
{
	static const char *const words[WEAKNESSES] = {
		[WEAKNESS_NO_PROFILE] = ", no profile",
		[WEAKNESS_OTHER_TIME] =
			", profile from another time than the trace",
		[WEAKNESS_TIME_UNKNOWN] = ", profile time unknown",
		[WEAKNESS_NO_BASELINE] = ", no baseline",
		[WEAKNESS_NOTHING_GREW] = ", no function clearly grew",
		[WEAKNESS_NOT_TESTED] = ", significance not tested",
		[WEAKNESS_WHOLE_SERVICE] =
			"",
		[WEAKNESS_FEW_SAMPLES] = ", few samples",
		[WEAKNESS_NEAR_NOISE] = ", not far from noise",
		[WEAKNESS_CLOSE_SECOND] =
			", another function grew nearly as much",
		[WEAKNESS_PARTLY_CPU] =
			", CPU is less than half of the growth",
		[WEAKNESS_ONE_OPERATION] = ", seen in this operation only",
		[WEAKNESS_NO_HISTORY] = ", no history of the operation",
		[WEAKNESS_HEALTHY_OPERATION] =
			", the operation is no slower than normal",
		[WEAKNESS_BASELINE_UNCHECKED] =
			", baseline not checked for health",
		[WEAKNESS_BASELINE_UNHEALTHY] = ", baseline not healthy",
		[WEAKNESS_CLOSE_SPAN] = ", another span is nearly as long",
		[WEAKNESS_ALONE] = ", seen in this request only",
		[WEAKNESS_MAY_BE_CHANCE] =
			", the number of slow requests may be chance",
		[WEAKNESS_PARTIAL_TRACE] = ", the trace is incomplete",
	};

	(void)state;
	for (int i = 0; i < WEAKNESSES; i++) {
		struct confidence_rating r = {
			.weaknesses = { (enum weakness)i },
			.weakness_count = 1,
		};

		assert_told(&r, words[i]);
	}
}

static void test_weaknesses_in_their_order(void **state)
{
	struct confidence_rating r = {
		.weaknesses = { WEAKNESS_FEW_SAMPLES, WEAKNESS_NO_HISTORY },
		.weakness_count = 2,
	};

	(void)state;
	assert_told(&r, ", few samples, no history of the operation");
	r.weakness_count = 0;
	assert_told(&r, "");
}

UNIT_TESTS(confidence)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_basis_is_the_trace_or_a_profile),
		cmocka_unit_test(test_each_weakness_has_words),
		cmocka_unit_test(test_weaknesses_in_their_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
