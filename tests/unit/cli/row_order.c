/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "cli/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/num.h"

/* Ranked by the measure, rows stay as they are. */
static void a_measure_ranks(void **state)
{
	static const struct {
		const char *sort;
		enum rank_by measure;
	} words[] = {
		{ "total", RANK_TOTAL },       { "cum", RANK_TOTAL },
		{ "self", RANK_SELF },         { "flat", RANK_SELF },
		{ "change", RANK_DELTA },      { "delta", RANK_DELTA },
		{ "self+lib", RANK_SELF_LIB }, { "own", RANK_SELF_LIB },
		{ "owned", RANK_SELF_LIB },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(words); i++) {
		const struct options o = { .sort = words[i].sort, .limit = 2 };

		assert_false(row_order_is_free(&o));
		assert_int_equal(row_order_limit(&o), 2);
		assert_int_equal(row_order_measure(&o, RANK_SELF),
				 words[i].measure);
		assert_int_equal(row_order_shown(&o), ROWS_AS_RANKED);
	}
}

static void without_a_measure_the_typical_one_ranks(void **state)
{
	static const char *const words[] = { NULL, "name", "function",
					     "before" };
	static const enum rows_order orders[] = { ROWS_AS_RANKED, ROWS_BY_NAME,
						  ROWS_BY_NAME,
						  ROWS_BY_BEFORE };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(words); i++) {
		const struct options o = { .sort = words[i], .limit = 2 };

		assert_true(row_order_is_free(&o));
		assert_int_equal(row_order_shown(&o), orders[i]);
		assert_int_equal(row_order_limit(&o), i ? 0 : 2);
		assert_int_equal(row_order_measure(&o, RANK_SELF), RANK_SELF);
	}
}

UNIT_TESTS(row_order)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_measure_ranks),
		cmocka_unit_test(without_a_measure_the_typical_one_ranks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
