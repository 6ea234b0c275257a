/* SPDX-License-Identifier: Apache-2.0
 *
 * The index of the rules' words, shared by code_index_make.c, which builds it
 * when the program is built, and code_kind.c, which searches it.
 *
 * Most words can be excluded by the first letters of a name, so only words in
 * the bucket of the same letters are tried. Hundreds of packages start with
 * "github.com/..." or "org.apache...": for long words some later letters are
 * used. Words that may match anywhere have a bucket of their own, and so have
 * those about files, which many functions lack.
 *
 * In a bucket, words of each language form a chain, those of several languages
 * another one. Chains start with the first rules.
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
	uint32_t text; /* offset of its first byte */
	uint16_t rule;
	uint8_t len;
	char last; /* letter */
};

/* Chain i has the words from chains[i] up to chains[i + 1]. */
struct word_index {
	const char *text;
	const struct index_word *words;
	const uint16_t *chains;
	/* By word, from the first of bucket ANYWHERE on: the set of letters
	 * that a name must have to match; 0 for words that match at the start
	 * of a name. */
	const uint64_t *letters;
};

/* Normalizes a letter: '/' equals '.', and '%' in a word means a blank. */
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

/* Returns the set of letters of a text as 64 bits. */
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

/* Returns the bucket of a word or name of at least two letters. */
static inline size_t short_start(struct str s)
{
	return start_of(s.ptr[0], s.ptr[1], '.');
}

/* Returns the bucket of a text of at least LONG_BYTES. */
static inline size_t long_start(struct str s)
{
	return STARTS +
	       start_of(s.ptr[0], s.ptr[LONG_BYTES - 2], s.ptr[LONG_BYTES - 1]);
}

/* Macros for the rows in code_rules.def and code_purposes.def; the including
 * file defines RULE(languages, kind, op, words, is_kernel_entry,
 * is_leaf_only). */

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
