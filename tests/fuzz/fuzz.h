/* SPDX-License-Identifier: Apache-2.0
 *
 * What the fuzz targets share. A target is a program with
 * LLVMFuzzerTestOneInput(): clang's libFuzzer drives it in search of a crash
 * (./dev fuzz), replay.c over the inputs that are kept (all builds).
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/notes.h"
#include "base/str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A crash, which both drivers report with the input. */
#define FUZZ_CHECK(condition, ...)                                             \
	do {                                                                   \
		if (!(condition)) {                                            \
			fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__,     \
				#condition);                                   \
			fprintf(stderr, __VA_ARGS__);                          \
			fputc('\n', stderr);                                   \
			abort();                                               \
		}                                                              \
	} while (0)

static inline struct str fuzz_str(const uint8_t *data, size_t size)
{
	return (struct str){ (const char *)data, size };
}

/* A failure has a code and words, a success neither. */
static inline void fuzz_check_outcome(bool is_done, const struct error *err)
{
	FUZZ_CHECK(is_done == (err->code == ERROR_NONE),
		   "done %d, but error %d: %s", is_done, (int)err->code,
		   err->message);
	FUZZ_CHECK(is_done || err->message[0], "no words");
}

#endif
