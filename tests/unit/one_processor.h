/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes a test run on one processor, where no thread is worth it.
 */
#ifndef ONE_PROCESSOR_H
#define ONE_PROCESSOR_H

#include <sched.h>

static inline void on_one_processor(void (*test)(void **state), void **state)
{
	cpu_set_t all, one;

	assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
	CPU_ZERO(&one);
	for (size_t i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); i++)
		if (CPU_ISSET(i, &all))
			CPU_SET(i, &one);
	assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
	test(state);
	assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

#endif
