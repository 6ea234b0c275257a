/* SPDX-License-Identifier: Apache-2.0
 *
 * Perl-compatible regular expressions (PCRE2), unanchored, over text that need
 * not be valid UTF-8. Patterns come from the user, texts from untrusted input:
 * work and memory per match are limited.
 */
#ifndef BASE_REGEX_H
#define BASE_REGEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

struct regex;

/* Returns NULL with ERROR_USAGE and the position of the mistake if the pattern
 * is invalid; `subject`, borrowed, names it in errors ("--focus"). */
struct regex *regex_new(struct str pattern, const char *subject,
			struct error *err) MUST_CHECK;
void regex_free(struct regex *re);

/* Lowers the limit of steps per match below LIMIT_REGEX_STEPS, for patterns
 * from untrusted input that are matched with many texts. */
void regex_limit_steps(struct regex *re, uint32_t steps);

/* Sets *is_match to whether the pattern matches anywhere in text. Fails with
 * ERROR_LIMIT past LIMIT_REGEX_STEPS or LIMIT_REGEX_HEAP_BYTES. */
bool regex_match(struct regex *re, struct str text, bool *is_match,
		 struct error *err) MUST_CHECK;

#endif
