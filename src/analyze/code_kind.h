/* SPDX-License-Identifier: Apache-2.0
 *
 * What kind of code a function is, by rules per language over its name and
 * file (Go, Java, Python, Node, .NET, Ruby, Rust, C/C++). The rules are data:
 * code_rules.def, code_purposes.def, and a file of the user's.
 */
#ifndef ANALYZE_CODE_KIND_H
#define ANALYZE_CODE_KIND_H

#include "analyze/code_language.h"
#include "analyze/code_rules.h"
#include "model/category.h"

struct code_class {
	enum code_kind kind;
	/* What lies beneath in the stack runs in the kernel. */
	bool is_kernel_entry;
	/* It calls others' code (an event loop): its kind tells of a stack
	 * only where it is the leaf. */
	bool is_leaf_only;
};

/* "0xfffffffffffffffe", or "0x?" for several: no name. */
bool code_is_address(struct str name);

/* A class as a byte. */
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

/* rules: the user's, tried first; NULL when there are none. profile_languages:
 * those of the profile it is from (0 unknown). */
struct code_class code_classify(const struct code_rules *rules, struct str name,
				struct str file,
				unsigned int profile_languages);

/* The same of a subject, for those who have it; what the rules' memo knows is
 * not asked for. */
struct code_class code_classify_subject(const struct code_rules *rules,
					const struct code_subject *subject,
					unsigned int profile_languages);

#endif
