/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "../analyze/trace_fixture.h"
#include "../unit.h"

#include "base/limits.h"

static struct trace t;

/* Of each span its parent by id, 0 for none; adopted: how many of them were
 * orphans. */
static void expect(const char *text, const uint64_t (*pairs)[2],
		   size_t count, size_t adopted)
{
	fixture_trace(&t, text);
	for (size_t i = 0; i < count; i++) {
		uint32_t parent =
			t.spans[fixture_span(&t, pairs[i][0])].parent;

		assert_int_equal(parent == SPAN_NONE ? 0
						     : t.spans[parent].span_id,
				 pairs[i][1]);
	}
	assert_int_equal(t.oddities.adopted_count, adopted);
	trace_release(&t);
}

#define EXPECT(text, adopted, ...)                                         \
	expect(text, (const uint64_t[][2]){ __VA_ARGS__ },                 \
	       sizeof((const uint64_t[][2]){ __VA_ARGS__ }) /              \
		       sizeof(uint64_t[2]),                                \
	       adopted)

static void middle_is_missing(void **state)
{
	(void)state;
	EXPECT("1 0 web S GET 0 1000\n"
	       "2 9 stock S GET 35 945\n"
	       "3 2 stock C SELECT 40 60\n",
	       1, { 2, 1 }, { 3, 2 });
	/* one missing parent of two */
	EXPECT("1 0 web S GET 0 1000\n"
	       "2 9 stock S GET 35 445\n"
	       "3 9 price S GET 450 930\n",
	       2, { 2, 1 }, { 3, 1 });
	/* side by side, of two that are missing */
	EXPECT("1 0 web S GET 0 1000\n"
	       "2 9 stock S GET 35 645\n"
	       "3 8 price S GET 450 930\n",
	       2, { 2, 1 }, { 3, 1 });
	/* one after the other */
	EXPECT("1 0 web S GET 0 1000\n"
	       "2 9 stock S GET 35 645\n"
	       "3 8 price S GET 150 530\n",
	       2, { 2, 1 }, { 3, 2 });
	/* the call is there, what it calls is not, but for what that calls */
	EXPECT("1 0 web S GET 0 1000\n"
	       "2 1 web C call 10 990\n"
	       "3 9 stock S GET 35 945\n",
	       1, { 3, 2 });
}

static void belongs_nowhere(void **state)
{
	(void)state;
	/* its own service; a message; longer than all; no hole there */
	EXPECT("1 0 web S GET 0 1000\n"
	       "2 9 web S GET 35 945\n",
	       0, { 2, 0 });
	EXPECT("1 0 web S GET 0 1000\n"
	       "2 9 stock K GET 35 945\n",
	       0, { 2, 0 });
	EXPECT("1 0 web S GET 0 1000\n"
	       "2 9 stock S GET 35 1001\n",
	       0, { 2, 0 });
	EXPECT("1 0 web S GET 0 1000\n"
	       "2 1 web I work 100 900\n"
	       "3 9 stock S GET 50 150\n",
	       0, { 3, 0 });
	/* nor below a query */
	EXPECT("1 0 web S GET 0 1000\n"
	       "2 1 web C SELECT 100 900 db.system=pg\n"
	       "3 9 stock S GET 150 850\n",
	       0, { 3, 0 });
	/* nor in what another orphan does apart from the request */
	EXPECT("1 0 web S GET 0 1000\n"
	       "2 9 stock S GET 2000 2900\n"
	       "3 8 price S GET 2100 2500\n",
	       0, { 2, 0 }, { 3, 0 });
}

/* The longest so many. */
static void many(void **state)
{
	char text[8192];
	int len = snprintf(text, sizeof text, "1 0 web S GET 0 100000\n");

	(void)state;
	for (int i = 0; i <= (int)LIMIT_TRACE_GAPS; i++)
		len += snprintf(text + len, sizeof text - (size_t)len,
				"%x %x stock S GET %d %d\n", 0x1000 + i,
				0x2000 + i, 10 + 1000 * i, 1000 * i + 900 - i);
	EXPECT(text, LIMIT_TRACE_GAPS, { 0x1000, 1 },
	       { 0x1000 + LIMIT_TRACE_GAPS - 1, 1 },
	       { 0x1000 + LIMIT_TRACE_GAPS, 0 });
}

static void page_below_its_request(void **state)
{
	(void)state;
	EXPECT("1 0 shop S \"GET /\" 100 180\n"
	       "2 1 browser I documentLoad 50 1050\n"
	       "3 2 browser I documentFetch 60 200\n"
	       "4 2 browser I app.js 210 900\n",
	       0, { 1, 3 }, { 2, 0 }, { 3, 2 }, { 4, 2 });
	EXPECT("1 0 shop S \"GET /\" 100 180\n"
	       "2 1 browser I documentLoad 50 1050\n",
	       0, { 1, 2 }, { 2, 0 });
	/* begun by it; of the same process; a message; ended before it */
	EXPECT("1 0 shop S \"GET /\" 100 180\n"
	       "2 1 browser I documentLoad 100 1050\n",
	       0, { 1, 0 }, { 2, 1 });
	EXPECT("1 0 shop S \"GET /\" 100 180\n"
	       "2 1 shop I work 50 1050\n",
	       0, { 1, 0 }, { 2, 1 });
	EXPECT("1 0 shop S \"GET /\" 100 180\n"
	       "2 1 worker K work 50 1050\n",
	       0, { 1, 0 }, { 2, 1 });
	EXPECT("1 0 shop S \"GET /\" 100 180\n"
	       "2 1 browser I documentLoad 50 180\n",
	       0, { 1, 0 }, { 2, 1 });
}

UNIT_TESTS(trace_parents)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(middle_is_missing),
		cmocka_unit_test(belongs_nowhere),
		cmocka_unit_test(many),
		cmocka_unit_test(page_below_its_request),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
