/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../unit.h"
#include "backend/cloud_trace/cloud_trace.h"
#include "backend/parca/parca.h"
#include "backend/rooms.h"
#include "backend/table.h"
#include "backend/tempo/tempo.h"
#include "backend/trace_backend.h"

/* What code outside relies on: numbers that loops end by and divide with. */
static void test_traces(void **state)
{
	(void)state;
	for (size_t i = 0; i < backend_table_count; i++) {
		const struct trace_backend *b = backend_table[i].traces;
		const struct trace_traits *t = b ? &b->traits : NULL;

		if (!b)
			continue;
		assert_true(t->search_rounds > 0);
		assert_true(t->history_slices > 0);
		assert_true(t->search_least > 0);
		assert_true(t->search_least <= t->search_most);
		assert_int_equal(t->page_of_spans > 0, t->page_of_roots > 0);
		assert_true(b->names_path || !b->tags_path);
		assert_int_equal(b->names_path != NULL,
				 b->names_answer != NULL);
		assert_int_equal(b->count_path != NULL,
				 b->count_decode != NULL);
		assert_int_equal(b->counted != NULL,
				 b->durations_limit_ns != NULL);
		assert_string_equal(b->name, backend_table[i].name);
	}
	assert_true(trace_tempo.traits.finds_errors_only);
	assert_true(trace_cloud.traits.is_metered);
}

static void test_profiles(void **state)
{
	(void)state;
	for (size_t i = 0; i < backend_table_count; i++)
		if (backend_table[i].profiles)
			assert_string_equal(backend_table[i].profiles->name,
					    backend_table[i].name);
	assert_true(profile_pyroscope.traits.has_span_samples);
	assert_false(profile_parca.traits.has_span_samples);
	assert_false(profile_pyroscope.traits.is_list);
	assert_true(profile_cloud.traits.is_list && profile_cloud.answer_jobs);
	assert_true(profile_cloud.traits.has_targets);
	assert_ptr_equal(profiles_row(NULL)->profiles, &profile_pyroscope);
	assert_ptr_equal(profiles_row(&profile_parca)->profiles,
			 &profile_parca);
}

UNIT_TESTS(traits)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_traces),
		cmocka_unit_test(test_profiles),
	};

	return cmocka_run_group_tests_name("backend/traits", tests, NULL, NULL);
}
