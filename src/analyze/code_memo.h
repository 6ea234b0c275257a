/* SPDX-License-Identifier: Apache-2.0
 *
 * What code_classify() found out so far. A run looks at several profiles of
 * one service, most of whose functions are the same, and trying all rules on
 * a name costs far more than looking it up.
 */
#ifndef ANALYZE_CODE_MEMO_H
#define ANALYZE_CODE_MEMO_H

#include "analyze/code_kind.h"
#include "analyze/code_language.h"
#include "base/arena.h"

/* More functions, and longer names, are classified each time anew. */
#define CODE_MEMO_FUNCTIONS 16384u
#define CODE_MEMO_KEY_BYTES 256u

struct code_memo;

/* Lives in the arena; NULL without memory. One set of rules only. */
struct code_memo *code_memo_new(struct arena *arena);

/* False: not known. */
bool code_memo_find(const struct code_memo *memo, struct str name,
		    struct str file, unsigned int profile_languages,
		    struct code_class *out);

/* Adds a function to the votes for its profile's languages; what it can be of
 * is looked up, and kept where there is room. rules, and their memo, may be
 * NULL. */
void code_memo_vote(const struct code_rules *rules, struct str name,
		    struct str file, struct language_votes *votes);

/* Keeps it where there is room; without, nothing is lost but time. */
void code_memo_add(struct code_memo *memo, struct str name, struct str file,
		   unsigned int profile_languages,
		   const struct code_class *class);

#endif
