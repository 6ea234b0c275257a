/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "investigate/symptom.h"

#include <math.h>
#include <string.h>

#include "base/num.h"

#include "../analyze/trace_fixture.h"
#include "backend/table.h"

static const char call[] = "1 0 web C login 0 600\n"
			   "2 1 front S \"POST /login\" 10 590\n"
			   "3 2 front C users 20 580\n"
			   "4 3 users S \"GET /user\" 30 570\n"
			   "5 4 users C \"SELECT a\" 40 560\n";

static struct question question;
static struct backends backends;
static struct trace trace;
static struct result result;
static struct notes notes;
static struct investigation v = { .question = &question,
				  .backends = &backends,
				  .trace = &trace,
				  .result = &result };
static struct suspect guilty;
static struct operation_history situation;
static struct job *jobs[HISTORY_JOBS];
static size_t job_count;
static struct error err;

/* Ten minutes and an odd nanosecond. */
static const struct time_range window = {
	FIXTURE_BASE_NS - 300 * NS_PER_S,
	FIXTURE_BASE_NS + 300 * NS_PER_S + 1,
};

/* What the server counts in each step from which on; none: it does not tell. */
static int64_t counted_before, counted_after;
static int64_t counted_from_ns;

static int setup(void **state)
{
	(void)state;
	memset(&result, 0, sizeof result);
	memset(&guilty, 0, sizeof guilty);
	arena_init(&result.arena, MIB);
	notes_init(&notes);
	backends.notes = &notes;
	backends.traces.row = &backend_table[0];
	fixture_trace(&trace, call);
	operation_history_init(&situation);
	job_count = 0;
	counted_before = counted_after = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	operation_history_release(&situation);
	trace_release(&trace);
	arena_release(&result.arena);
	return 0;
}

static uint32_t span_named(const char *name)
{
	for (uint32_t i = 0; i < trace.span_count; i++)
		if (str_equal(span_name(&trace, i), str_from(name)))
			return i;
	fail_msg("no span %s", name);
	return SPAN_NONE;
}

static void count(void)
{
	struct count_job *c = &situation.density;

	if (!counted_before && !counted_after)
		return;
	assert_non_null(c->job.type);
	c->counts = arena_array(&result.arena, c->step_count, sizeof *c->counts);
	for (uint32_t i = 0; i < c->step_count; i++)
		c->counts[i] = c->range.from_ns + i * c->step_ns <
					       counted_from_ns
				       ? counted_before
				       : counted_after;
	c->job.has_answer = true;
}

static void ask(const char *owner)
{
	assert_true(trace_times_compute(&trace, &result.arena, &guilty.times,
					&err));
	guilty.pick.owner = span_named(owner);
	guilty.pick.profile_span = SPAN_NONE;
	assert_true(operation_history_prepare(&situation, &v, &guilty, window,
					      jobs, &job_count, &err));
	job_count = 0;
	count();
	operation_history_request(&situation, &v, &guilty, window, jobs,
				  &job_count);
}

/* Of an answer that leaves it open what is usual. */
static void ask_far(void)
{
	situation.is_answered = true;
	operation_history_request_far(&situation, &v, window, jobs, &job_count);
}

/* How many jobs ask about a window; each begins where the one before it
 * ended, and none is much longer than the others. */
static size_t count_slices(uint32_t asked, struct time_range range)
{
	int64_t at = range.from_ns, longest = 0, shortest = INT64_MAX;
	size_t n = 0;

	for (size_t i = 0; i < situation.job_count; i++) {
		struct time_range slice = situation.jobs[i].range;
		int64_t length = slice.to_ns - slice.from_ns;

		if (situation.jobs[i].window != asked)
			continue;
		n++;
		assert_int_equal(slice.from_ns, at);
		at = slice.to_ns;
		longest = length > longest ? length : longest;
		shortest = length < shortest ? length : shortest;
	}
	assert_int_equal(at, range.to_ns);
	assert_true(longest - shortest < (int64_t)n);
	return n;
}

/* The newest traces of ten minutes hold nothing of a burst that was over
 * after five. */
static void test_windows_are_asked_about_in_slices(void **state)
{
	(void)state;
	ask("GET /user");
	assert_int_equal(count_slices(situation.roles.slow, window), 4);
	assert_int_equal(
		count_slices(situation.roles.baselines[BASELINE_PREVIOUS],
			     window_previous(window)),
		2);
	assert_int_equal(situation.roles.baselines[BASELINE_WEEK], WINDOW_NONE);
	ask_far();
	assert_int_equal(count_slices(situation.roles.baselines[BASELINE_WEEK],
				      window_shifted(window, 7 * NS_PER_DAY)),
			 1);
	assert_true(situation.job_count <= HISTORY_JOBS);
	assert_int_equal(job_count, situation.job_count);
}

static const struct history_job *nth_of(uint32_t asked, size_t n)
{
	for (size_t i = 0; i < situation.job_count; i++)
		if (situation.jobs[i].window == asked && n-- == 0)
			return &situation.jobs[i];
	fail_msg("not queried");
	return situation.jobs;
}

static double seconds_of(const struct history_job *job)
{
	return time_range_seconds(job->range);
}

/* The newest fifty of a slice lie within its last seconds: a search costs what
 * lies in its range. */
static void test_of_busy_slices_the_end_is_searched(void **state)
{
	(void)state;
	counted_before = counted_after = 30; /* in six seconds */
	ask("GET /user");
	for (size_t i = 0; i < 4; i++) {
		const struct history_job *job = nth_of(situation.roles.slow, i);

		assert_true(seconds_of(job) >= 12 && seconds_of(job) < 19);
		assert_true(job->is_newest_part);
		assert_in_range(job->range.to_ns,
				window.from_ns + 149 * NS_PER_S,
				window.to_ns);
	}
	assert_true(
		seconds_of(nth_of(situation.roles.baselines[BASELINE_PREVIOUS],
				  1)) < 31);
	ask_far();
	/* Not counted: three times what it would take now. */
	assert_true(fabs(seconds_of(nth_of(
				 situation.roles.baselines[BASELINE_WEEK], 0)) -
			 60) < 1);
}

/* One answer holds all of them. */
static void test_few_are_not_searched_in_slices(void **state)
{
	(void)state;
	counted_before = 30;
	counted_after = 2;
	counted_from_ns = window.from_ns;
	ask("GET /user");
	assert_int_equal(count_slices(situation.roles.slow, window), 1);
	assert_false(nth_of(situation.roles.slow, 0)->is_newest_part);
	assert_int_equal(nth_of(situation.roles.slow, 0)->trace_limit, 300);
	assert_true(
		seconds_of(nth_of(situation.roles.baselines[BASELINE_PREVIOUS],
				  1)) < 31);
}

/* What nobody asked for so far was not counted: all of it is searched. */
static void test_unknown_numbers_narrow_nothing(void **state)
{
	(void)state;
	counted_before = counted_after = -1;
	ask("GET /user");
	assert_int_equal(count_slices(situation.roles.slow, window), 4);
}

static const struct history_job *slow_only(void)
{
	size_t at = 0;

	while (at + 1 < situation.job_count &&
	       situation.jobs[at].window != situation.roles.slow_only)
		at++;
	assert_int_equal(situation.jobs[at].window, situation.roles.slow_only);
	return &situation.jobs[at];
}

static void ask_again_for(const char *owner)
{
	situation.is_answered = true;
	guilty.pick.owner = span_named(owner);
	operation_history_request_again(&situation, &v, &guilty, window, jobs,
					&job_count);
}

/* Those like it are of the operation that owns the time, under any root. */
static void test_requests_like_it_are_of_the_guilty_operation(void **state)
{
	const struct history_window *w;
	const struct operation *o;

	(void)state;
	ask("SELECT a");
	w = &situation.history.windows[slow_only()->window];
	o = &situation.operations.items[w->slow_operation];
	assert_string_equal(o->name.ptr, "GET /user");
	assert_string_equal(o->service.ptr, "users");
	assert_int_equal(w->min_duration_ns, 324 * NS_PER_MS);
	assert_int_equal(slow_only()->root_service.len, 0);
	assert_int_equal(slow_only()->root_name.len, 0);
	assert_int_equal(situation.jobs[0].root_name.len, 5);
}

/* Nothing is asked twice when the choice stays in its process. */
static void test_the_same_operation_is_not_asked_for_again(void **state)
{
	size_t asked;

	(void)state;
	ask("SELECT a");
	asked = situation.job_count;
	ask_again_for("GET /user");
	assert_int_equal(situation.job_count, asked);
	assert_int_equal(job_count, asked);
}

/* "front" served it and carries the time after all. */
static void test_another_operation_is_asked_for_once(void **state)
{
	size_t asked;

	(void)state;
	ask("SELECT a");
	asked = situation.job_count;
	ask_again_for("POST /login");
	assert_int_equal(situation.job_count, asked + 1);
	assert_int_equal(job_count, asked + 1);
	assert_ptr_equal(jobs[asked], &situation.jobs[asked].job);
	assert_int_equal(situation.history.windows[situation.roles.slow_only]
				 .slow_operation,
			 operations_find_span(situation.operations.items,
					      situation.operations.count,
					      &trace,
					      span_named("POST /login")));
}

/* The searches found as many as would be asked for. */
static void test_requests_like_it_that_came_are_not_asked_for(void **state)
{
	static struct history_span spans[30];
	struct history_window *w;
	size_t asked;

	(void)state;
	counted_before = counted_after = 2;
	ask("SELECT a");
	asked = situation.job_count;
	w = &situation.history.windows[situation.roles.slow];
	w->spans = spans;
	w->span_count = COUNT_OF(spans);
	for (size_t i = 0; i < COUNT_OF(spans); i++)
		spans[i] = (struct history_span){
			.operation = operation_history_find(
				&situation, &trace, span_named("GET /user")),
			.duration_ns = (i ? 400 : 300) * NS_PER_MS,
		};
	ask_again_for("SELECT a");
	assert_int_equal(situation.job_count, asked + 1);
	spans[0].duration_ns = 400 * NS_PER_MS;
	situation.history.window_count--;
	situation.job_count--;
	ask_again_for("SELECT a");
	assert_int_equal(situation.job_count, asked);
	w->span_count = 0;
}

/* Blame goes to a caller and comes back. */
static void test_blame_that_comes_back_asks_nothing(void **state)
{
	uint32_t first;
	size_t asked;

	(void)state;
	ask("SELECT a");
	first = situation.roles.slow_only;
	ask_again_for("POST /login");
	asked = situation.job_count;
	ask_again_for("GET /user");
	assert_int_equal(situation.roles.slow_only, first);
	assert_int_equal(situation.job_count, asked);
	assert_int_equal(job_count, asked);
}

/* Of a trace through many processes each may come to be asked for. */
static void test_windows_end_at_their_limit(void **state)
{
	static const char *const owners[] = { "login", "POST /login", "b",
					      "c",     "d",           "e",
					      "f",     "g" };
	static const char chain[] = "1 0 web S login 0 600\n"
				    "2 1 front S \"POST /login\" 10 590\n"
				    "3 2 b S b 20 580\n"
				    "4 3 c S c 30 570\n"
				    "5 4 d S d 40 560\n"
				    "6 5 e S e 50 550\n"
				    "7 6 f S f 55 545\n"
				    "9 7 g S g 57 543\n"
				    "8 9 users S \"GET /user\" 60 540\n";
	uint32_t last = WINDOW_NONE;
	size_t asked;

	(void)state;
	trace_release(&trace);
	fixture_trace(&trace, chain);
	ask("GET /user");
	ask_far();
	for (size_t i = 0; i < COUNT_OF(owners); i++) {
		asked = situation.job_count;
		ask_again_for(owners[i]);
		assert_in_range(situation.history.window_count, 1,
				HISTORY_WINDOWS);
		assert_in_range(situation.job_count, asked, HISTORY_JOBS);
		assert_int_equal(job_count, situation.job_count);
		if (situation.job_count > asked)
			last = situation.roles.slow_only;
		else
			assert_int_equal(situation.roles.slow_only,
					 WINDOW_NONE);
	}
	/* All were taken, and then no more. */
	assert_int_equal(situation.history.window_count, HISTORY_WINDOWS);
	assert_int_equal(last, HISTORY_WINDOWS - 1);
	assert_int_equal(situation.roles.slow_only, WINDOW_NONE);
	/* What was asked for before the limit is still there. */
	ask_again_for("login");
	assert_int_not_equal(situation.roles.slow_only, WINDOW_NONE);
}

/* A process that is as quick as ever says nothing of 186 ms that passed before
 * it was called. */
static void test_change_outside_of_the_process_is_not_healthy(void **state)
{
	const struct cohorts healthy = {
		.mode = COHORT_HEALTHY,
		.slow = { .count = 9, .mean_duration_ns = 7e6 },
		.baseline = { .count = 9, .mean_duration_ns = 6e6 },
	};
	struct symptom s = { .has_history = true,
			     .change_ns = 186 * NS_PER_MS,
			     .slow = window };

	(void)state;
	symptom_use_cohorts(&s, &healthy, 7 * NS_PER_MS, false, false);
	assert_false(s.is_healthy);
	assert_true(s.is_outside);
	assert_int_equal(s.change_ns, 186 * NS_PER_MS);
	s.change_ns = 7 * NS_PER_MS;
	symptom_use_cohorts(&s, &healthy, 7 * NS_PER_MS, false, false);
	assert_true(s.is_healthy);
	assert_false(s.is_outside);
	assert_int_equal(s.change_ns, NS_PER_MS);
}

/* Nor does it say that all is well when more are slow, if by chance. */
static void test_what_may_be_chance_is_not_healthy(void **state)
{
	static uint64_t ids[9] = { 1 };
	const struct cohorts unsure = {
		.mode = COHORT_UNSURE,
		.slow = { .count = 9, .profile_ids = ids },
		.baseline = { .count = 9, .profile_ids = ids },
	};
	struct symptom s = { .has_history = true,
			     .change_ns = 186 * NS_PER_MS,
			     .is_alone = true,
			     .slow = window };

	(void)state;
	symptom_use_cohorts(&s, &unsure, 200 * NS_PER_MS, false, false);
	assert_false(s.is_healthy);
	assert_false(s.is_outside);
	assert_false(s.is_alone);
	/* Slow ones do more on a good day, too. */
	assert_int_equal(s.slow_id_count, 0);
}

UNIT_TESTS(symptom)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_windows_are_asked_about_in_slices, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			test_of_busy_slices_the_end_is_searched, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			test_few_are_not_searched_in_slices, setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_unknown_numbers_narrow_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_requests_like_it_are_of_the_guilty_operation,
			setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_requests_like_it_that_came_are_not_asked_for,
			setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_the_same_operation_is_not_asked_for_again, setup,
			teardown),
		cmocka_unit_test(
			test_change_outside_of_the_process_is_not_healthy),
		cmocka_unit_test(test_what_may_be_chance_is_not_healthy),
		cmocka_unit_test_setup_teardown(
			test_another_operation_is_asked_for_once, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			test_blame_that_comes_back_asks_nothing, setup,
			teardown),
		cmocka_unit_test_setup_teardown(test_windows_end_at_their_limit,
						setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
