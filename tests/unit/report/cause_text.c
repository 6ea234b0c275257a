/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "../unit.h"
#include "report/texts.h"

static struct result result;

static void begin(enum cause_kind kind)
{
	memset(&result, 0, sizeof result);
	arena_init(&result.arena, MIB);
	result.has_cause = true;
	result.cause.kind = kind;
	result.cause.on_cpu_ns = 402 * NS_PER_MS;
	result.cause.text = STR("from the trace");
	result.has_profile = true;
	result.profile.samples = 1830;
	result.has_baseline = true;
	result.baseline.samples = 18230;
}

static void write_texts(const struct cause_facts *facts)
{
	struct error err = { 0 };

	if (!cause_text_write(facts, &result, &err))
		fail_msg("%s", err.message);
}

static void expect(struct str text, const char *words)
{
	if (!str_equal(text, str_from(words)))
		fail_msg("\"%.*s\" is not \"%s\"", STR_ARGS(text), words);
}

static void expect_cause(enum cause_kind kind, enum cause_said said,
			 const char *words)
{
	struct cause_facts facts = { .said = said, .own_ns = 560 * NS_PER_MS };

	begin(kind);
	write_texts(&facts);
	expect(result.cause.text, words);
	arena_release(&result.arena);
}

static void a_cpu_share_in_words(void **state)
{
	(void)state;
	expect_cause(CAUSE_CPU, CAUSE_SAYS_CPU_SHARE,
		     "computing: 402 ms of 560 ms were on CPU");
	expect_cause(CAUSE_WAIT, CAUSE_SAYS_CPU_SHARE,
		     "not CPU: 402 ms of 560 ms were on CPU");
	expect_cause(CAUSE_UNKNOWN, CAUSE_SAYS_CPU_SHARE,
		     "part computing, part waiting: 402 ms of 560 ms were on "
		     "CPU");
	expect_cause(CAUSE_N_PLUS_ONE, CAUSE_SAYS_CPU_SHARE_TOO,
		     "from the trace; 402 ms of 560 ms were on CPU");
}

static void too_few_samples_in_words(void **state)
{
	(void)state;
	expect_cause(CAUSE_UNKNOWN, CAUSE_SAYS_GROWN,
		     "computing or waiting: too few samples of this span; a "
		     "function of the service grew");
	expect_cause(CAUSE_UNKNOWN, CAUSE_SAYS_NOT_GROWN,
		     "computing or waiting: too few samples of this span; no "
		     "function of the service clearly grew");
	expect_cause(CAUSE_UNKNOWN, CAUSE_SAYS_WHERE,
		     "computing or waiting: too few samples of this span; the "
		     "profile shows where the service spends time");
	expect_cause(CAUSE_UNKNOWN, CAUSE_SAYS_NOTHING, "from the trace");
}

static void confidence_rests_on_a_profile(void **state)
{
	struct cause_facts facts = {
		.rating = { .weaknesses = { WEAKNESS_BASELINE_UNCHECKED,
					    WEAKNESS_NOT_TESTED },
			    .weakness_count = 2 },
	};

	(void)state;
	begin(CAUSE_CPU);
	write_texts(&facts);
	expect(result.cause.confidence_text,
	       "profile of the whole service, 1,830 samples against 18,230, "
	       "baseline not checked for health, significance not tested");
	facts = (struct cause_facts){ .is_span_measured = true };
	result.profile.is_file = true;
	result.profile.selector = STR("slow.pb.gz");
	write_texts(&facts);
	expect(result.cause.confidence_text,
	       "the profile file slow.pb.gz, 1,830 samples against 18,230, "
	       "CPU time measured on the span");
	facts.is_span_measured = false;
	result.profile.is_file = false;
	result.profile.scope = SCOPE_SPAN;
	write_texts(&facts);
	expect(result.cause.confidence_text,
	       "the span's samples, 1,830 samples against 18,230");
	arena_release(&result.arena);
}

static void without_a_profile_or_a_cause(void **state)
{
	struct cause_facts facts = { .said = CAUSE_SAYS_NOTHING };

	(void)state;
	begin(CAUSE_UNKNOWN);
	result.has_profile = false;
	write_texts(&facts);
	expect(result.cause.confidence_text, "the trace alone, no profile");
	result.has_cause = false;
	result.cause.confidence_text = STR("untouched");
	write_texts(&facts);
	expect(result.cause.confidence_text, "untouched");
	arena_release(&result.arena);
}

UNIT_TESTS(cause_text)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cpu_share_in_words),
		cmocka_unit_test(too_few_samples_in_words),
		cmocka_unit_test(confidence_rests_on_a_profile),
		cmocka_unit_test(without_a_profile_or_a_cause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
