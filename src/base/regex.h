/* SPDX-License-Identifier: Apache-2.0
 *
 * Regular expressions as Perl knows them (PCRE2), over text that need not be
 * valid UTF-8. A match is searched anywhere in the text. Patterns come from
 * the user, texts from strangers: work and memory of one match are bounded.
 */
#ifndef BASE_REGEX_H
#define BASE_REGEX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

struct regex;

/* NULL with ERROR_USAGE and the place of the mistake when the pattern is
 * wrong; `subject` names it in errors ("--focus"), borrowed. */
struct regex *regex_new(struct str pattern, const char *subject,
			struct error *err) MUST_CHECK;
void regex_free(struct regex *re);

/* Fewer steps a match than LIMIT_REGEX_STEPS, where the pattern is a
 * stranger's, too, and meets many texts. */
void regex_limit_steps(struct regex *re, uint32_t steps);

/* Returns whether the pattern is found in text. False with ERROR_LIMIT when
 * that takes more than LIMIT_REGEX_STEPS or LIMIT_REGEX_HEAP_BYTES. */
bool regex_match(struct regex *re, struct str text, bool *is_match,
		 struct error *err) MUST_CHECK;

#endif
