/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of commands that are printed to be pasted. Knows no command.
 */
#ifndef BASE_SHELL_H
#define BASE_SHELL_H

#include "base/buf.h"
#include "base/str.h"

/* Appends a blank and the word, in single quotes where a shell would read more
 * than one plain word. */
void shell_word_add(struct buf *out, struct str word);

#endif
