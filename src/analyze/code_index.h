/* SPDX-License-Identifier: Apache-2.0
 *
 * How the words of the rules are found: what code_index_make.c, which runs
 * when the program is built, and code_kind.c, which looks them up, must agree
 * on.
 *
 * Most words differ from a name in its first letters, so only those are tried
 * that may begin as it does. Hundreds of packages are "github.com/..." or
 * "org.apache...": of long words some letters behind that are looked at. Words
 * that may match elsewhere have a bucket of their own, and so have those about
 * files, which many functions lack.
 *
 * In a bucket, words of one language have a chain of their own, those of
 * several share one. A chain begins with the first rules.
 */
#ifndef ANALYZE_CODE_INDEX_H
#define ANALYZE_CODE_INDEX_H

#include <stdint.h>

#include "analyze/code_kind.h"

#define LONG_BYTES 13

#define STARTS 256
#define ANYWHERE (2 * STARTS)
#define OF_FILES (ANYWHERE + 1)
#define BUCKETS (OF_FILES + 1)

#define LANGUAGES_MIXED LANGUAGE_COUNT
#define BUCKET_CHAINS (LANGUAGE_COUNT + 1)
#define CHAINS (BUCKETS * BUCKET_CHAINS)

struct index_word {
	uint32_t text; /* where it begins */
	uint16_t rule;
	uint8_t len;
	char last; /* letter */
};

/* The words of chain i are those from chains[i] up to chains[i + 1]. */
struct word_index {
	const char *text;
	const struct index_word *words;
	const uint16_t *chains;
	/* By word, from the first one of the bucket ANYWHERE on: the letters
	 * without which it cannot match, 0 of those that begin a name. */
	const uint64_t *letters;
};

/* '/' and '.' are the same, and a word's '%' is a blank. */
static inline char letter_of(char c)
{
	if (c == '/')
		return '.';
	return c == '%' ? ' ' : c;
}

static inline uint64_t letter_bit(char c)
{
	return UINT64_C(1) << (letter_of(c) & 63);
}

/* The letters of a text, 64 bits for all of them. */
static inline uint64_t letters_of(struct str text)
{
	uint64_t letters = 0;

	for (size_t i = 0; i < text.len; i++)
		letters |= letter_bit(text.ptr[i]);
	return letters;
}

static inline size_t start_of(char a, char b, char c)
{
	return ((size_t)(unsigned char)letter_of(a) * 5 +
		(size_t)(unsigned char)letter_of(b) * 11 +
		(size_t)(unsigned char)letter_of(c) * 23) %
	       STARTS;
}

/* Bucket of a word or name of two letters at least. */
static inline size_t short_start(struct str s)
{
	return start_of(s.ptr[0], s.ptr[1], '.');
}

/* Returns the first letters of a text of LONG_BYTES at least. */
static inline size_t long_start(struct str s)
{
	return STARTS +
	       start_of(s.ptr[0], s.ptr[LONG_BYTES - 2], s.ptr[LONG_BYTES - 1]);
}

/* The forms of rows in code_rules.def and code_purposes.def, for a file that
 * says what RULE(languages, kind, op, words, is_kernel_entry, is_leaf_only)
 * makes of one. */

#define GO LANGUAGE_GO
#define JVM LANGUAGE_JVM
#define PYTHON LANGUAGE_PYTHON
#define NODE LANGUAGE_NODE
#define DOTNET LANGUAGE_DOTNET
#define RUBY LANGUAGE_RUBY
#define RUST LANGUAGE_RUST
#define NATIVE LANGUAGE_NATIVE
#define ANY LANGUAGE_ANY

#define R(languages, kind, op, words)                                          \
	RULE(languages, kind, op, words, false, false)
#define E(languages, op, words) RULE(languages, KERNEL, op, words, true, false)
#define W(languages, kind, op, words)                                          \
	RULE(languages, kind, op, words, false, true)

#endif
