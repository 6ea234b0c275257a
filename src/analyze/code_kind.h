/* SPDX-License-Identifier: Apache-2.0
 *
 * Kinds of code with what the rest of the profile tells: bare names such as
 * "json.dumps" or "handle" mean different things in different languages.
 */
#ifndef ANALYZE_CODE_KIND_H
#define ANALYZE_CODE_KIND_H

#include "analyze/profile_analysis.h"

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

struct code_class {
	enum code_kind kind;
	/* What lies beneath in the stack runs in the kernel. */
	bool is_kernel_entry;
};

/* The languages (bits) that a function of this name and file can be of; one
 * bit when it is sure. */
unsigned int code_languages_of(struct str name, struct str file);

/* The languages of a profile: the sure ones, else the most frequent. Where
 * other functions have files, those without may be native code. */
struct language_votes {
	size_t sure[LANGUAGE_COUNT];
	size_t possible[LANGUAGE_COUNT];
	size_t with_file;
	size_t native_without_file;
};

/* One function of the profile. */
void language_votes_add(struct language_votes *v, struct str name,
			struct str file);
/* Bits; 0 when nothing was added. */
unsigned int language_votes_result(const struct language_votes *v);

/* What kind of code a frame is, by rules per language over name and file (Go,
 * Java, Python, Node, .NET, Ruby, Rust, C/C++), within a profile of the given
 * languages (0: unknown). */
struct code_class code_classify(struct str name, struct str file,
				unsigned int profile_languages);

#endif
