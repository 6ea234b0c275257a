/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit.h"
#include "report/answers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/timefmt.h"

/* Growth that is not of a leak, of which so many of two segments rise. */
static void answer_with(size_t rising, size_t restarts, const char *expected)
{
	struct leak_segment segments[2] = { { .instance = STR("pod-1") },
					    { .instance = STR("pod-2") } };
	struct leak l = { .service = "auth",
			  .window = { 0, 2 * NS_PER_HOUR } };
	struct notes notes = { .count = 0 };
	const struct leak_answer answer = { .leak = &l, .notes = &notes };
	const struct render_style style = { .is_quiet = true };
	struct buf text;
	struct out out;

	l.subjects[LEAK_MEMORY] = (struct leak_subject){
		.segments = segments,
		.segment_count = 2,
		.instance_count = 2,
		.restarts = restarts,
		.total = { .kind = GROWTH_UNEVEN,
			   .start = 1048576,
			   .end = 3 * 1048576,
			   .rising = rising,
			   .segment_count = 2 },
	};
	buf_init(&text, LIMIT_URL_BYTES);
	out_init_memory(&out, &text);
	leak_writer.table(&answer, &style, &out);
	assert_non_null(strstr(buf_text(&text), expected));
	out_release(&out);
	buf_release(&text);
}

/* Which of the two conditions failed. */
static void test_uneven(void **state)
{
	(void)state;
	answer_with(1, 0, "by 2.00 MiB, but only in 1 of 2 instances\n");
	answer_with(1, 1, "by 2.00 MiB, but only in 1 of 2 process lifetimes\n");
	answer_with(2, 0, "by 2.00 MiB, but not all the time\n");
}

UNIT_TESTS(leak_answer)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_uneven) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
