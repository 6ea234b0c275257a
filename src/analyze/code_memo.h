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

/* Profiles of a run whose languages differ: more than two kinds are rare. */
#define CODE_KNOWN_CLASSES 2

/* A function: as rules see it, and what they said in profiles of some
 * languages. */
struct code_known {
	struct code_subject subject; /* its texts lie in the memo */
	unsigned char class_count;
	unsigned char profile_languages[CODE_KNOWN_CLASSES];
	unsigned char classes[CODE_KNOWN_CLASSES]; /* packed */
};

/* Lives in the arena; NULL without memory. One set of rules only. */
struct code_memo *code_memo_new(struct arena *arena) MUST_CHECK;

/* What is known of the function, valid until the next is asked for; the first
 * time its subject. NULL where there is no room for it: then nothing is lost
 * but time. */
struct code_known *code_memo_known(struct code_memo *memo, struct str name,
				   struct str file);

/* False: rules did not say yet. */
bool code_known_class(const struct code_known *known,
		      unsigned int profile_languages, struct code_class *out);

void code_known_keep(struct code_known *known, unsigned int profile_languages,
		     const struct code_class *class);

/* Adds a function to the votes for its profile's languages; what it can be of
 * is looked up, and kept where there is room. rules, and their memo, may be
 * NULL. */
void code_memo_vote(const struct code_rules *rules, struct str name,
		    struct str file, struct language_votes *votes);

#endif
