/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "../unit.h"
#include "investigate/comparison.h"
#include "report/texts.h"

#define CPU "process_cpu:cpu:nanoseconds:cpu:nanoseconds"
#define START_NS (1795255200 * NS_PER_S)
#define STEPS 4

static struct time_range range_of(int64_t from_s, int64_t to_s)
{
	return (struct time_range){ START_NS + from_s * NS_PER_S,
				    START_NS + to_s * NS_PER_S };
}

/* Both sides 60 s long, the baseline ten minutes before; nothing is sent. */
static void ask(struct comparison *c, size_t parts)
{
	struct job *jobs[2 * COMPARISON_PARTS];
	size_t n = 0;

	comparison_init(c, CPU, SCOPE_SERVICE);
	c->slow.range = range_of(0, 60);
	c->base.range = range_of(-600, -540);
	c->has_base = true;
	comparison_request(c, parts, jobs, &n);
	assert_int_equal(n, 2 * parts);
}

static void expect_range(const struct profile_fetch *f, struct time_range want)
{
	assert_int_equal(f->query.range.from_ns, want.from_ns);
	assert_int_equal(f->query.range.to_ns, want.to_ns);
}

static void time_is_cut_in_equal_parts(void **state)
{
	struct comparison c;

	(void)state;
	ask(&c, 4);
	for (int i = 0; i < 4; i++) {
		expect_range(&c.fetches[i], range_of(15 * i, 15 * (i + 1)));
		expect_range(&c.fetches[4 + i],
			     range_of(15 * i - 600, 15 * (i + 1) - 600));
		assert_true(c.slow.exposure[i] == 15);
	}
	assert_true(comparison_exposure(&c.slow) == 60);
	comparison_release(&c);
}

/* What three did in a minute took three minutes of theirs. */
static void time_of_several_instances_adds_up(void **state)
{
	struct comparison c;

	(void)state;
	comparison_init(&c, CPU, SCOPE_INSTANCE);
	c.slow.range = c.base.range = range_of(0, 60);
	c.slow.part_count = c.base.part_count = 4;
	c.slow.instances = 1;
	c.base.instances = 3;
	comparison_cover(&c, range_of(0, 60), range_of(30, 60));
	assert_true(comparison_seconds(&c.slow) == 60);
	assert_true(comparison_seconds(&c.base) == 90);
	assert_true(c.slow.exposure[3] == 15);
	assert_true(c.base.exposure[0] == 0 && c.base.exposure[3] == 45);
	comparison_release(&c);
}

/* 10 ns in three parts: 3, 3 and the 4 that are left. */
static void last_part_takes_the_rest(void **state)
{
	struct job *jobs[COMPARISON_PARTS];
	struct comparison c;
	size_t n = 0;

	(void)state;
	comparison_init(&c, CPU, SCOPE_SERVICE);
	c.slow.range = (struct time_range){ 100, 110 };
	comparison_request(&c, 3, jobs, &n);
	assert_int_equal(n, 3);
	expect_range(&c.fetches[0], (struct time_range){ 100, 103 });
	expect_range(&c.fetches[1], (struct time_range){ 103, 106 });
	expect_range(&c.fetches[2], (struct time_range){ 106, 110 });
	comparison_release(&c);
}

/* Ten spans in four parts are 2, 3, 2 and 3; each over the whole range and
 * what profiles stamped before and after it may hold. */
static void spans_are_dealt_out(void **state)
{
	static const uint64_t ids[10] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
	static const size_t counts[] = { 2, 3, 2, 3 };
	struct job *jobs[COMPARISON_PARTS];
	struct comparison c;
	size_t n = 0, first = 0;

	(void)state;
	comparison_init(&c, CPU, SCOPE_COHORT);
	c.slow.range = range_of(0, 60);
	c.slow.span_ids = ids;
	c.slow.span_id_count = 10;
	comparison_request(&c, 4, jobs, &n);
	assert_int_equal(n, 4);
	for (int i = 0; i < 4; i++) {
		const struct profile_query *query = &c.fetches[i].query;

		assert_ptr_equal(query->span_ids, ids + first);
		assert_int_equal(query->span_id_count, counts[i]);
		assert_true(c.slow.exposure[i] == (double)counts[i]);
		expect_range(&c.fetches[i], range_of(-30, 75));
		first += counts[i];
	}
	comparison_release(&c);
}

/* What comes at once is the side, and without an answer or samples it is as
 * empty as a sum of nothing. */
static void whole_is_the_side(void **state)
{
	static struct notes notes;
	static struct backends backends = { .notes = &notes };
	struct investigation v = { .backends = &backends,
				   .note = note_text_add };
	struct error err = { 0 };
	struct comparison c;

	(void)state;
	ask(&c, 1);
	assert_ptr_equal(c.fetches[0].into, &c.slow.profile);
	assert_ptr_equal(c.fetches[1].into, &c.base.profile);
	c.slow.profile.sample_count = 0;
	c.fetches[0].job.has_answer = true;
	c.base.profile.stack_count = 3;
	c.fetches[1].job.err.code = ERROR_FORMAT;
	assert_true(comparison_apply(&c, &v, &err));
	assert_int_equal(c.slow.part_count, 1);
	assert_int_equal(c.slow.profile.sample_count, -1);
	assert_int_equal(c.base.part_count, 0);
	assert_int_equal(c.base.profile.stack_count, 0);
	assert_false(c.has_base);
	assert_int_equal(notes.count, 1);
	comparison_release(&c);
}

static void few_spans_make_few_parts(void **state)
{
	static const uint64_t ids[2] = { 1, 2 };
	struct job *jobs[COMPARISON_PARTS];
	struct comparison c;
	size_t n = 0;

	(void)state;
	comparison_init(&c, CPU, SCOPE_COHORT);
	c.slow.range = range_of(0, 60);
	c.slow.span_ids = ids;
	c.slow.span_id_count = 2;
	comparison_request(&c, 4, jobs, &n);
	assert_int_equal(n, 2);
	assert_int_equal(c.slow.part_count, 2);
	comparison_release(&c);
}

static struct count_job counted(int64_t *counts, int64_t from_s, int64_t step_s)
{
	return (struct count_job){
		.job = { .has_answer = true },
		.range = range_of(from_s, from_s + STEPS * step_s),
		.step_ns = step_s * NS_PER_S,
		.counts = counts,
		.step_count = STEPS,
	};
}

/* Steps of 20 s from -10 s on: of the parts of 30 s the first has half a step
 * and one, the second has one and half a step. */
static void requests_are_shared_out_by_overlap(void **state)
{
	int64_t counts[STEPS] = { 10, 40, 20, 60 };
	struct count_job job = counted(counts, -10, 20);
	struct comparison c;

	(void)state;
	ask(&c, 2);
	comparison_count(&c.slow, &job);
	assert_true(c.slow.exposure[0] == 5 + 40);
	assert_true(c.slow.exposure[1] == 20 + 30);
	assert_true(c.slow.requests == 95);
	assert_true(c.slow.is_requests_sampled);
	assert_true(comparison_exposure(&c.slow) == 95);
	assert_true(comparison_rate(&c.slow, 190) == 2);
	comparison_uncount(&c);
	assert_true(c.slow.requests == -1);
	assert_false(c.slow.is_requests_sampled);
	assert_true(c.slow.exposure[0] == 30);
	assert_true(comparison_rate(&c.slow, 190) == 190 / 60.0);
	comparison_release(&c);
}

/* What a function that is called next finds on the stack. */
static void __attribute__((noinline)) soil_stack(void)
{
	volatile double soil[64];

	for (size_t i = 0; i < 64; i++)
		soil[i] = 1e300;
	assert_true(soil[0] > 0);
}

static void parts_that_there_are_not_have_no_requests(void **state)
{
	int64_t counts[STEPS] = { 50, 50, 50, 50 };
	struct count_job job = counted(counts, 0, 15);
	struct comparison c;

	(void)state;
	ask(&c, 2);
	soil_stack();
	comparison_count(&c.slow, &job);
	assert_true(c.slow.requests == 200);
	assert_true(c.slow.exposure[1] == 100);
	assert_true(c.slow.exposure[2] == 0);
	assert_true(c.slow.exposure[3] == 0);
	comparison_release(&c);
}

static void expect_uncounted(const struct count_job *job)
{
	struct comparison c;

	ask(&c, 2);
	comparison_count(&c.slow, job);
	assert_true(c.slow.requests == -1);
	assert_true(c.slow.exposure[0] == 30);
	comparison_release(&c);
}

static void doubtful_counts_change_nothing(void **state)
{
	int64_t few[STEPS] = { 5, 5, 5, 4 }, enough[STEPS] = { 5, 5, 5, 5 };
	int64_t holes[STEPS] = { 50, -1, 50, 50 };
	struct count_job job = counted(few, 0, 15);
	struct comparison c;

	(void)state;
	/* 19 requests are too few, 20 are not. */
	expect_uncounted(&job);
	job.counts = enough;
	ask(&c, 2);
	comparison_count(&c.slow, &job);
	assert_true(c.slow.requests == 20);
	comparison_release(&c);
	/* Half of the first part was not counted. */
	job.counts = holes;
	expect_uncounted(&job);
	job.counts = enough;
	job.is_sample = true;
	expect_uncounted(&job);
	job.is_sample = false;
	job.job.has_answer = false;
	expect_uncounted(&job);
}

/* 27 of 30 s are enough of a part, 26 are not. */
static void nearly_all_of_a_part_must_be_counted(void **state)
{
	int64_t counts[STEPS] = { 20, 20, 20, 20 };
	struct count_job job = counted(counts, 3, 15);
	struct comparison c;

	(void)state;
	ask(&c, 2);
	comparison_count(&c.slow, &job);
	assert_true(c.slow.requests > 0);
	comparison_release(&c);
	job = counted(counts, 4, 15);
	expect_uncounted(&job);
}

static void without_length_there_is_no_rate(void **state)
{
	struct comparison c;

	(void)state;
	comparison_init(&c, CPU, SCOPE_SERVICE);
	assert_true(comparison_rate(&c.slow, 100) == 0);
	assert_true(comparison_cores(&c.slow) == 0);
	comparison_release(&c);
}

/* ---- servers that ignore spans ---- */

static const uint64_t span_ids[] = { 1, 2, 3, 4 };

/* Spans in parts of these totals beside a service of 100. */
static bool is_of_spans(const int64_t *totals, size_t parts, size_t span_count,
			double requests, enum scope scope)
{
	struct comparison c, service;
	bool answer;

	comparison_init(&c, "", SCOPE_COHORT);
	comparison_init(&service, "", scope);
	c.slow.span_ids = span_ids;
	c.slow.span_id_count = span_count;
	c.slow.part_count = parts;
	for (size_t i = 0; i < parts; i++)
		c.slow.parts[i].total = totals[i];
	if (parts == 1)
		c.slow.profile.total = totals[0];
	service.slow.profile.total = 100;
	service.slow.requests = requests;
	answer = comparison_is_of_spans(&c, &service);
	comparison_release(&c);
	comparison_release(&service);
	return answer;
}

/* A server that ignores spans answers each part with everything. */
static void parts(void **state)
{
	static const int64_t alike[] = { 100, 100, 104, 101 };
	static const int64_t heeded[] = { 99, 103, 0, 2 };

	(void)state;
	assert_false(is_of_spans(alike, 4, 4, -1, SCOPE_SERVICE));
	assert_true(is_of_spans(heeded, 4, 4, -1, SCOPE_SERVICE));
	assert_true(is_of_spans(alike, 0, 4, -1, SCOPE_SERVICE));
}

/* One request may be all that the service did, unless there were others. */
static void one_request(void **state)
{
	static const int64_t all[] = { 100 }, more[] = { 101 };

	(void)state;
	assert_true(is_of_spans(all, 1, 1, -1, SCOPE_SERVICE));
	assert_true(is_of_spans(all, 1, 1, 1, SCOPE_SERVICE));
	assert_false(is_of_spans(all, 1, 1, 2, SCOPE_SERVICE));
	assert_false(is_of_spans(more, 1, 1, -1, SCOPE_SERVICE));
}

/* The spans of all instances may well take more than one instance does. */
static void instance(void **state)
{
	static const int64_t more[] = { 300, 300 };

	(void)state;
	assert_true(is_of_spans(more, 2, 4, -1, SCOPE_INSTANCE));
	assert_false(is_of_spans(more, 2, 4, -1, SCOPE_SERVICE));
}

static struct function_row moved_with_all(int64_t before, int64_t now,
					  double q)
{
	return (struct function_row){ .baseline_total_value = before,
				      .total_value = now,
				      .is_with_all = true,
				      .change = CHANGE_NOISE,
				      .q = q };
}

/* From nothing to a second is no third more, as of all others. */
static void what_is_new_moved_with_nothing(void **state)
{
	struct function_row rows[] = {
		moved_with_all(0, 1000, 0.001), moved_with_all(0, 3, 0.2),
		moved_with_all(0, 1000, NAN),   moved_with_all(90, 120, 0.001),
		moved_with_all(1000, 0, 0.001),
	};
	struct result r = { .functions = rows,
			    .function_count = 5,
			    .noise_count = 5 };

	(void)state;
	rows_settle_new(&r);
	assert_int_equal(rows[0].change, CHANGE_NEW);
	assert_int_equal(rows[1].change, CHANGE_NOISE);
	assert_int_equal(rows[2].change, CHANGE_NOISE);
	assert_int_equal(rows[4].change, CHANGE_GONE);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(rows[i].is_with_all, i == 3);
	assert_int_equal(r.noise_count, 3);
	assert_int_equal(r.change_total, 2);
}

UNIT_TESTS(comparison)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_is_cut_in_equal_parts),
		cmocka_unit_test(time_of_several_instances_adds_up),
		cmocka_unit_test(last_part_takes_the_rest),
		cmocka_unit_test(spans_are_dealt_out),
		cmocka_unit_test(whole_is_the_side),
		cmocka_unit_test(few_spans_make_few_parts),
		cmocka_unit_test(requests_are_shared_out_by_overlap),
		cmocka_unit_test(parts_that_there_are_not_have_no_requests),
		cmocka_unit_test(doubtful_counts_change_nothing),
		cmocka_unit_test(nearly_all_of_a_part_must_be_counted),
		cmocka_unit_test(without_length_there_is_no_rate),
		cmocka_unit_test(parts),
		cmocka_unit_test(one_request),
		cmocka_unit_test(instance),
		cmocka_unit_test(what_is_new_moved_with_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
