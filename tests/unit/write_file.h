/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that tests read. cmocka comes before it.
 */
#ifndef TESTS_WRITE_FILE_H
#define TESTS_WRITE_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"

static inline void write_file(const char *path, struct str bytes)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes.ptr, 1, bytes.len, file), bytes.len);
	assert_int_equal(fclose(file), 0);
}

/* Makes one, empty: the last six bytes of the path become others. */
static inline bool make_temporary(char *path)
{
	int fd;

	memcpy(path + strlen(path) - 6, "XXXXXX", 6);
	fd = mkstemp(path);
	return fd >= 0 && close(fd) == 0;
}

#endif
