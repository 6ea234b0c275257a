/* SPDX-License-Identifier: Apache-2.0
 *
 * Notes: everything that weakens an answer without stopping it (a fallback,
 * trimmed text, skewed clocks). Added by any layer, shown by render/. Allocates
 * nothing; duplicates are kept once, notes past the limit are counted.
 */
#ifndef BASE_NOTES_H
#define BASE_NOTES_H

#include <stddef.h>

#include "base/error.h"

struct notes {
	size_t count;
	size_t dropped; /* number of notes past the limit */
	char text[LIMIT_NOTES][LIMIT_NOTE_BYTES];
};

void notes_init(struct notes *n);

/* One sentence without a final stop or newline. n may be NULL: ignored. */
void notes_add(struct notes *n, const char *format, ...) PRINTF_LIKE(2, 3);

/* Removes notes that contain this text; NULL and "" match none. */
void notes_drop(struct notes *n, const char *text);

/* Appends all notes of src. */
void notes_append(struct notes *dst, const struct notes *src);

#endif
