/* SPDX-License-Identifier: Apache-2.0
 *
 * An answer in short, to be pasted into a chat: the machine's answer, reduced,
 * as lines of text.
 */
#ifndef RENDER_BRIEF_H
#define RENDER_BRIEF_H

#include "base/out.h"
#include "base/str.h"

/* What an answer takes unless something else is asked for. */
#define BRIEF_TOKENS 2000u

/* json is an object; what it has no room for is told in the last lines. */
void brief_write(struct str json, size_t tokens, struct out *out);

#endif
