/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "analyze/cause.h"

struct fixture {
	struct result result;
	struct profile span;
	struct function_row row;
};

/* A span profile with `on_cpu_ms` in the given unit. */
static void add_samples(struct fixture *f, int64_t on_cpu_ms, const char *unit)
{
	struct error err = { 0 };
	struct profile_build *b = profile_build_new(&f->span, &err);
	uint32_t function, frame;

	assert_non_null(b);
	assert_true(profile_build_type(b, STR("cpu"), str_from(unit), &err));
	assert_true(profile_build_function(b, STR("main"), STR(""), &function,
					   &err));
	assert_true(profile_build_frame(b, function, 0, &frame, &err));
	assert_true(
		profile_build_stack(b, &frame, 1, on_cpu_ms * NS_PER_MS, &err));
	assert_true(profile_build_finish(b, NULL, &err));
	profile_build_free(b);
}

static void set_up(struct fixture *f, enum cause_kind kind)
{
	memset(f, 0, sizeof *f);
	arena_init(&f->result.arena, MIB);
	profile_init(&f->span);
	f->result.has_cause = true;
	f->result.cause = (struct cause){ .kind = kind,
					  .on_cpu_ns = -1,
					  .text = STR("from the trace") };
	f->result.has_profile = true;
	f->result.profile.samples = 1830;
	f->result.has_baseline = true;
	f->result.baseline.samples = 18230;
	f->result.baseline.healthy = -1;
	f->row.change = CHANGE_GROWN;
	f->result.functions = &f->row;
	f->result.function_count = 1;
}

static void tear_down(struct fixture *f)
{
	profile_release(&f->span);
	arena_release(&f->result.arena);
}

static struct cause complete(struct fixture *f, int64_t own_ms)
{
	struct cause_evidence e = { .span = own_ms ? &f->span : NULL,
				    .span_own_ns = own_ms * NS_PER_MS };
	struct error err = { 0 };

	if (!cause_complete(&e, &f->result, &err))
		fail_msg("%s", err.message);
	return f->result.cause;
}

static void expect_part(struct str text, const char *part)
{
	if (str_find(text, str_from(part)) == SIZE_MAX)
		fail_msg("\"%.*s\" lacks \"%s\"", STR_ARGS(text), part);
}

/* 402 of 560 ms computing, 4 of 560 waiting, 200 of 560 neither. */
static void the_cpu_share_decides_between_computing_and_waiting(void **state)
{
	static const struct {
		int64_t cpu_ms;
		enum cause_kind kind;
		const char *words;
	} cases[] = {
		{ 402, CAUSE_CPU, "computing: 402 ms of 560 ms were on CPU" },
		{ 280, CAUSE_CPU, "computing" },
		{ 279, CAUSE_UNKNOWN, "part computing, part waiting" },
		{ 112, CAUSE_UNKNOWN, "part computing" },
		{ 111, CAUSE_WAIT, "not CPU" },
		{ 4, CAUSE_WAIT, "not CPU: 4 ms of 560 ms were on CPU" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct fixture f;
		struct cause c;

		set_up(&f, CAUSE_UNKNOWN);
		add_samples(&f, cases[i].cpu_ms, "nanoseconds");
		c = complete(&f, 560);
		assert_int_equal(c.kind, cases[i].kind);
		assert_int_equal(c.on_cpu_ns, cases[i].cpu_ms * NS_PER_MS);
		expect_part(c.text, cases[i].words);
		tear_down(&f);
	}
}

static void a_repeated_call_stays_the_cause(void **state)
{
	struct fixture f;
	struct cause c;

	(void)state;
	set_up(&f, CAUSE_N_PLUS_ONE);
	add_samples(&f, 300, "nanoseconds");
	c = complete(&f, 560);
	assert_int_equal(c.kind, CAUSE_N_PLUS_ONE);
	expect_part(c.text, "from the trace; 300 ms of 560 ms were on CPU");
	tear_down(&f);
}

static void bytes_are_no_cpu_time(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, CAUSE_UNKNOWN);
	add_samples(&f, 300, "bytes");
	assert_int_equal(complete(&f, 560).on_cpu_ns, -1);
	assert_int_equal(f.result.cause.kind, CAUSE_UNKNOWN);
	tear_down(&f);
}

static void short_spans_are_not_judged(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, CAUSE_UNKNOWN);
	add_samples(&f, 150, "nanoseconds");
	assert_int_equal(complete(&f, 199).kind, CAUSE_UNKNOWN);
	assert_int_equal(f.result.cause.on_cpu_ns, 150 * NS_PER_MS);
	assert_int_equal(complete(&f, 200).kind, CAUSE_CPU);
	tear_down(&f);
}

static void without_span_samples_the_profile_is_quoted(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, CAUSE_UNKNOWN);
	expect_part(complete(&f, 0).text,
		    "computing or waiting: too few samples of its own to tell; "
		    "a function of its service grew");
	f.row.change = CHANGE_SAME;
	expect_part(complete(&f, 0).text, "no function of its service clearly");
	f.result.has_baseline = false;
	expect_part(complete(&f, 0).text, "where its service spends time");
	f.result.has_profile = false;
	f.result.cause.text = STR("from the trace");
	expect_part(complete(&f, 0).text, "from the trace");
	assert_int_equal(f.result.cause.kind, CAUSE_UNKNOWN);
	tear_down(&f);
}

static void confidence_follows_the_evidence(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, CAUSE_N_PLUS_ONE);
	assert_int_equal(complete(&f, 0).confidence, CONFIDENCE_FAIR);
	expect_part(f.result.cause.confidence_text,
		    "1,830 samples against 18,230");
	expect_part(f.result.cause.confidence_text,
		    "profile of the whole service");
	/* Of which requests a file is nobody knows. */
	f.result.profile.is_file = true;
	f.result.profile.selector = STR("slow.pb.gz");
	assert_int_equal(complete(&f, 0).confidence, CONFIDENCE_FAIR);
	expect_part(f.result.cause.confidence_text,
		    "the profile file slow.pb.gz, 1,830 samples");
	f.row.q = (double)NAN;
	assert_int_equal(complete(&f, 0).confidence, CONFIDENCE_WEAK);
	expect_part(f.result.cause.confidence_text, "not tested");
	f.row.q = 0;
	f.row.change = CHANGE_NOISE;
	assert_int_equal(complete(&f, 0).confidence, CONFIDENCE_WEAK);
	expect_part(f.result.cause.confidence_text, "no function clearly grew");
	f.row.change = CHANGE_NEW;
	f.result.has_baseline = false;
	assert_int_equal(complete(&f, 0).confidence, CONFIDENCE_WEAK);
	expect_part(f.result.cause.confidence_text, "no baseline");
	f.result.has_profile = false;
	assert_int_equal(complete(&f, 0).confidence, CONFIDENCE_WEAK);
	expect_part(f.result.cause.confidence_text, "the trace alone");
	tear_down(&f);
}

/* A CPU profile cannot explain a span that waited, however its rows grew. */
static void waiting_is_never_explained_by_a_cpu_profile(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, CAUSE_UNKNOWN);
	add_samples(&f, 4, "nanoseconds");
	assert_int_equal(complete(&f, 560).confidence, CONFIDENCE_WEAK);
	tear_down(&f);
	set_up(&f, CAUSE_DOWNSTREAM);
	assert_int_equal(complete(&f, 0).confidence, CONFIDENCE_WEAK);
	tear_down(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			the_cpu_share_decides_between_computing_and_waiting),
		cmocka_unit_test(a_repeated_call_stays_the_cause),
		cmocka_unit_test(bytes_are_no_cpu_time),
		cmocka_unit_test(short_spans_are_not_judged),
		cmocka_unit_test(without_span_samples_the_profile_is_quoted),
		cmocka_unit_test(confidence_follows_the_evidence),
		cmocka_unit_test(waiting_is_never_explained_by_a_cpu_profile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
