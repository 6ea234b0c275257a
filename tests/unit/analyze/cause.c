/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "../unit.h"
#include "analyze/verdict.h"

struct fixture {
	struct result result;
	struct profile span;
	struct function_row row;
	struct cause_facts facts;
	enum cause_file file;
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
				    .span_own_ns = own_ms * NS_PER_MS,
				    .file = f->file };

	cause_judge(&e, &f->result, &f->facts);
	return f->result.cause;
}

/* With no sample of the span itself. */
static void expect_said(struct fixture *f, enum cause_said said)
{
	complete(f, 0);
	assert_int_equal(f->facts.said, said);
}

/* The last thing that the confidence lacks, or that it lacks nothing. */
static void expect_lack(struct fixture *f, enum confidence confidence,
			size_t count, enum weakness last)
{
	const struct confidence_rating *r = &f->facts.rating;

	assert_int_equal(complete(f, 0).confidence, confidence);
	assert_int_equal(r->weakness_count, count);
	if (count)
		assert_int_equal(r->weaknesses[count - 1], last);
}

/* 402 of 560 ms computing, 4 of 560 waiting, 200 of 560 neither. */
static void the_cpu_share_decides_between_computing_and_waiting(void **state)
{
	static const struct {
		int64_t cpu_ms;
		enum cause_kind kind;
	} cases[] = {
		{ 402, CAUSE_CPU },     { 280, CAUSE_CPU },
		{ 279, CAUSE_UNKNOWN }, { 112, CAUSE_UNKNOWN },
		{ 111, CAUSE_WAIT },    { 4, CAUSE_WAIT },
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
		assert_int_equal(f.facts.said, CAUSE_SAYS_CPU_SHARE);
		assert_int_equal(f.facts.own_ns, 560 * NS_PER_MS);
		tear_down(&f);
	}
}

/* Told by the traces, whatever a profile says: sure where the usual wait is
 * known. */
static void a_queue_is_as_sure_as_its_usual_wait(void **state)
{
	(void)state;
	for (uint32_t count = 0; count < 2; count++) {
		struct fixture f;

		set_up(&f, CAUSE_QUEUE);
		add_samples(&f, 300, "nanoseconds");
		f.result.cause.queue.typical_count = count;
		assert_int_equal(complete(&f, 560).kind, CAUSE_QUEUE);
		assert_int_equal(f.facts.said, CAUSE_SAYS_NOTHING);
		expect_lack(&f, count ? CONFIDENCE_FAIR : CONFIDENCE_WEAK, 0,
			    WEAKNESSES);
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
	assert_int_equal(c.on_cpu_ns, 300 * NS_PER_MS);
	assert_int_equal(f.facts.said, CAUSE_SAYS_CPU_SHARE_TOO);
	assert_int_equal(f.facts.own_ns, 560 * NS_PER_MS);
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
	expect_said(&f, CAUSE_SAYS_GROWN);
	f.row.change = CHANGE_SAME;
	expect_said(&f, CAUSE_SAYS_NOT_GROWN);
	f.result.has_baseline = false;
	expect_said(&f, CAUSE_SAYS_WHERE);
	f.result.has_profile = false;
	expect_said(&f, CAUSE_SAYS_NOTHING);
	assert_int_equal(f.result.cause.kind, CAUSE_UNKNOWN);
	tear_down(&f);
}

static void confidence_follows_the_evidence(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, CAUSE_N_PLUS_ONE);
	expect_lack(&f, CONFIDENCE_FAIR, 1, WEAKNESS_BASELINE_UNCHECKED);
	f.row.q = (double)NAN;
	expect_lack(&f, CONFIDENCE_WEAK, 2, WEAKNESS_NOT_TESTED);
	f.result.baseline.healthy = 1;
	f.row.q = 0;
	expect_lack(&f, CONFIDENCE_FAIR, 0, WEAKNESSES);
	f.row.change = CHANGE_NOISE;
	expect_lack(&f, CONFIDENCE_WEAK, 1, WEAKNESS_NOTHING_GREW);
	f.row.change = CHANGE_NEW;
	f.result.has_baseline = false;
	expect_lack(&f, CONFIDENCE_WEAK, 1, WEAKNESS_NO_BASELINE);
	f.result.has_profile = false;
	expect_lack(&f, CONFIDENCE_WEAK, 0, WEAKNESSES);
	tear_down(&f);
}

/* Any growth may be in a profile that has nothing to do with the trace. */
static void a_file_of_another_time_is_weak(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, CAUSE_N_PLUS_ONE);
	f.result.baseline.healthy = 1;
	f.file = CAUSE_FILE_OF_OTHER_TIME;
	expect_lack(&f, CONFIDENCE_WEAK, 1, WEAKNESS_OTHER_TIME);
	f.file = CAUSE_FILE_OF_NO_TIME;
	expect_lack(&f, CONFIDENCE_WEAK, 1, WEAKNESS_TIME_UNKNOWN);
	f.file = CAUSE_FILE_FITS;
	expect_lack(&f, CONFIDENCE_FAIR, 0, WEAKNESSES);
	tear_down(&f);
}

/* Its CPU time is worth a word beside a profile of another scope. */
static void a_measured_span_is_told_beside_its_service(void **state)
{
	struct fixture f;

	(void)state;
	set_up(&f, CAUSE_UNKNOWN);
	add_samples(&f, 402, "nanoseconds");
	complete(&f, 0);
	assert_false(f.facts.is_span_measured);
	complete(&f, 560);
	assert_true(f.facts.is_span_measured);
	f.result.profile.scope = SCOPE_SPAN;
	complete(&f, 560);
	assert_false(f.facts.is_span_measured);
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

UNIT_TESTS(cause)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			the_cpu_share_decides_between_computing_and_waiting),
		cmocka_unit_test(a_queue_is_as_sure_as_its_usual_wait),
		cmocka_unit_test(a_repeated_call_stays_the_cause),
		cmocka_unit_test(bytes_are_no_cpu_time),
		cmocka_unit_test(short_spans_are_not_judged),
		cmocka_unit_test(without_span_samples_the_profile_is_quoted),
		cmocka_unit_test(confidence_follows_the_evidence),
		cmocka_unit_test(a_file_of_another_time_is_weak),
		cmocka_unit_test(a_measured_span_is_told_beside_its_service),
		cmocka_unit_test(waiting_is_never_explained_by_a_cpu_profile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
