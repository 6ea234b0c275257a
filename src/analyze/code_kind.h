/* SPDX-License-Identifier: Apache-2.0
 *
 * Classifies functions by kind of code, by rules per language over name and
 * file (Go, Java, Python, Node, .NET, Ruby, Rust, C/C++). The rules are data:
 * code_rules.def, code_purposes.def, and the user's file.
 */
#ifndef ANALYZE_CODE_KIND_H
#define ANALYZE_CODE_KIND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "model/category.h"

struct code_rules;

/* The language of a function, from its name and file, and its name as the rules
 * see it. Short names such as "json.dumps" or "handle" mean different things in
 * different languages, so the rest of the profile decides. */

enum code_language {
	LANGUAGE_GO = 1 << 0,
	LANGUAGE_JVM = 1 << 1,
	LANGUAGE_PYTHON = 1 << 2,
	LANGUAGE_NODE = 1 << 3,
	LANGUAGE_DOTNET = 1 << 4,
	LANGUAGE_RUBY = 1 << 5,
	LANGUAGE_RUST = 1 << 6,
	LANGUAGE_NATIVE = 1 << 7, /* C, C++ */
	LANGUAGE_ANY = (1 << 8) - 1,
};

#define LANGUAGE_COUNT 8

/* Longest mangled name that is demangled; its beginning is what matters. */
#define MANGLED_BYTES 128

/* A function as rules see it. */
struct code_subject {
	struct str name;
	struct str file;
	/* The file within its package, "pg/lib/client.js"; empty if it cannot
	 * be separated from the path on a machine. */
	struct str module;
	unsigned int languages; /* bit mask */
};

/* Returns the subject for a function. Texts are borrowed. */
struct code_subject code_subject_of(struct str name, struct str file);

/* Applies the profile's language (bit mask, 0: unknown) if the name is
 * ambiguous, and demangles names of Rust and C++. text holds a demangled name
 * and must outlive the subject. */
void code_subject_settle(struct code_subject *s, unsigned int profile_languages,
			 char text[MANGLED_BYTES]);

/* Returns the languages (bit mask) that a function of this name and file can
 * have; one bit if it is certain. */
unsigned int code_languages_of(struct str name, struct str file);

/* Votes on the languages of a profile: the certain ones, else the most
 * frequent. If other functions have files, those without may be native code. */
struct language_votes {
	size_t sure[LANGUAGE_COUNT];
	size_t possible[LANGUAGE_COUNT];
	size_t with_file;
	size_t native_without_file;
};

/* Adds one function: its possible languages, and whether it has a file. */
void language_votes_add(struct language_votes *v, unsigned int languages,
			bool has_file);
/* Adds the possible languages of a function of this name and file. */
void language_votes_add_function(struct language_votes *v, struct str name,
				 struct str file);

void language_votes_join(struct language_votes *v,
			 const struct language_votes *more);
/* Returns a bit mask; 0 if nothing was added. */
unsigned int language_votes_result(const struct language_votes *v);

struct code_class {
	enum code_kind kind;
	/* Frames beneath it run in the kernel. */
	bool is_kernel_entry;
	/* It calls other code (an event loop): its kind applies to a stack only
	 * if it is the leaf. */
	bool is_leaf_only;
};

/* Returns whether it is an address and not a name: "0xfffffffffffffffe", or
 * "0x?" for several. */
bool code_is_address(struct str name);

/* Packs a class into a byte. */
static inline unsigned char code_class_pack(const struct code_class *c)
{
	return (unsigned char)((unsigned)c->kind << 2 |
			       (unsigned)c->is_kernel_entry << 1 |
			       (unsigned)c->is_leaf_only);
}

static inline struct code_class code_class_unpack(unsigned char packed)
{
	return (struct code_class){ (enum code_kind)(packed >> 2),
				    (packed & 2) != 0, (packed & 1) != 0 };
}

/* Classifies a function. rules: the user's, tried first; NULL: none.
 * profile_languages: those of its profile (0: unknown). */
struct code_class code_classify(const struct code_rules *rules, struct str name,
				struct str file,
				unsigned int profile_languages);

/* Classifies a subject that the caller already has, without the cache of the
 * rules. */
struct code_class code_classify_subject(const struct code_rules *rules,
					const struct code_subject *subject,
					unsigned int profile_languages);

/* The user's rules about kinds of code, from the file of --rules. They are
 * tried before the built-in ones.
 *
 * One rule per line: LANGUAGES KIND TEST TEXT, such as
 *	go application pkg github.com/acme
 * LANGUAGES are names such as go or jvm, separated by commas; KIND is a word of
 * code_kind_name(); TEXT is the rest of the line. A '#' at the start of a line
 * or after a blank begins a comment. */

/* How the text of a rule is compared; code_rules.def describes each. */
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
	unsigned int languages; /* bit mask */
	enum code_kind kind;
	enum rule_op op;
	struct str text;
};

struct code_rules {
	struct code_rule *items; /* the first match decides */
	size_t count;
};

/* The errors in a rule file. */
enum rules_fault_kind {
	RULES_FAULT_NONE = 0,
	RULES_FAULT_WORD,    /* unknown; empty: missing */
	RULES_FAULT_NO_TEXT, /* no text to compare with */
	RULES_FAULT_TEXT,    /* longer than LIMIT_RULE_TEXT_BYTES */
	RULES_FAULT_COUNT,   /* more than LIMIT_RULES */
	RULES_FAULT_FILE,    /* more than LIMIT_RULE_FILE_BYTES; line is 0 */
};

/* The fields of a line whose words come from a list. */
enum rules_place { RULES_LANGUAGE = 0, RULES_KIND, RULES_TEST };

struct rules_fault {
	enum rules_fault_kind kind;
	enum rules_place place; /* of the word */
	struct str word;        /* borrowed from the text of the file */
	size_t line;            /* from 1 */
	size_t bytes;           /* actual size, if that is too large */
};

/* Returns the words allowed in a field, by index; NULL past the last one. */
const char *code_rules_word(enum rules_place place, unsigned index);

/* Parses a rule file. Memory and texts live in the arena. A line that is not a
 * rule is ERROR_USAGE, without a message: *fault has the details,
 * report/texts.h the text. */
bool code_rules_parse(struct code_rules *rules, struct arena *arena,
		      struct str text, struct rules_fault *fault,
		      struct error *err) MUST_CHECK;

#endif
