/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of base/ share: cmocka with its headers in order.
 */
#ifndef TESTS_BASE_TESTING_H
#define TESTS_BASE_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../starving.h"
#include "base/num.h"
#include "base/str.h"

static inline void assert_text(struct str found, const char *expected)
{
	assert_int_equal(found.len, strlen(expected));
	assert_memory_equal(found.ptr, expected, found.len);
}

static inline void assert_contains(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' does not contain '%s'", text, part);
}

#endif
