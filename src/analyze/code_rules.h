/* SPDX-License-Identifier: Apache-2.0
 *
 * Rules of the user's own about kinds of code, from the file of --rules. They
 * are tried before those of the program.
 *
 * One rule a line: LANGUAGES KIND TEST TEXT, such as
 *	go application pkg github.com/acme
 * LANGUAGES are words of code_language_words(), joined by commas; KIND is a
 * word of code_kind_name(); TEXT is the rest of the line. A '#' at the start
 * of a line or after a blank begins a comment.
 */
#ifndef ANALYZE_CODE_RULES_H
#define ANALYZE_CODE_RULES_H

#include "analyze/code_kind.h"
#include "base/arena.h"
#include "base/error.h"
#include "model/category.h"

/* How the text of a rule is compared; what each does stands in
 * code_rules.def. */
enum rule_op {
	OP_PKG,
	OP_PKG_BARE,
	OP_NAME_PREFIX,
	OP_NAME_SUFFIX,
	OP_NAME_IS,
	OP_NAME_IS_BARE,
	OP_NAME_HAS,
	OP_FILE_PREFIX,
	OP_FILE_HAS,
	OP_FUNCTION_IN,
};

struct code_rule {
	unsigned int languages; /* bits */
	enum code_kind kind;
	enum rule_op op;
	struct str text;
};

struct code_rules {
	struct code_rule *items; /* the first that matches decides */
	size_t count;
};

/* What is wrong with a rule file. */
enum rules_fault_kind {
	RULES_FAULT_NONE = 0,
	RULES_FAULT_WORD,    /* unknown, or missing: empty */
	RULES_FAULT_NO_TEXT, /* to compare with */
	RULES_FAULT_TEXT,    /* more than LIMIT_RULE_TEXT_BYTES */
	RULES_FAULT_COUNT,   /* more than LIMIT_RULES */
	RULES_FAULT_FILE,    /* more than LIMIT_RULE_FILE_BYTES; line is 0 */
};

/* Places of a line that take words of a list. */
enum rules_place { RULES_LANGUAGE = 0, RULES_KIND, RULES_TEST };

struct rules_fault {
	enum rules_fault_kind kind;
	enum rules_place place; /* of the word */
	struct str word;        /* borrowed from the text of the file */
	size_t line;            /* from 1 */
	size_t bytes;           /* what there is too much of */
};

/* The words that may stand in a place; NULL past the last one. */
const char *code_rules_word(enum rules_place place, unsigned index);

/* Reads the text of a rule file. Memory and texts live in the arena. A line
 * that is no rule is ERROR_USAGE, without a message: *fault has what is wrong,
 * report/texts.h the words. */
bool code_rules_parse(struct code_rules *rules, struct arena *arena,
		      struct str text, struct rules_fault *fault,
		      struct error *err) MUST_CHECK;

#endif
