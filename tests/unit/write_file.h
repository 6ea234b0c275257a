/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that tests read. cmocka comes before it.
 */
#ifndef TESTS_WRITE_FILE_H
#define TESTS_WRITE_FILE_H

#include <stdio.h>

#include "base/str.h"

static inline void write_file(const char *path, struct str bytes)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes.ptr, 1, bytes.len, file), bytes.len);
	assert_int_equal(fclose(file), 0);
}

#endif
