/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints the words of code_rules.def and code_purposes.def as tables to look
 * them up in (code_index.h). Runs on the machine that builds.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/code_index.h"
#include "base/num.h"

/* A row of code_rules.def: several words, one blank in between. */
struct rule {
	unsigned int languages;
	enum rule_op op;
	const char *words;
};

#define RULE(languages, kind, op, words, is_kernel_entry, is_leaf_only)        \
	{ languages, OP_##op, words },

static const struct rule origins[] = {
#include "analyze/code_rules.def"
};

static const struct rule purposes[] = {
#include "analyze/code_purposes.def"
};

/* Far more than exist, and the maximum of word_index.chains. */
#define WORDS_MAX UINT16_MAX

struct word {
	struct str text;
	const struct rule *rule;
	size_t chain;
};

static struct word words[WORDS_MAX];
static size_t word_count;

/* ---- where a word belongs ---- */

/* Returns whether words of it are looked for at the start of names. */
static bool is_start(enum rule_op op)
{
	return op == OP_PKG || op == OP_PKG_BARE || op == OP_NAME_PREFIX ||
	       op == OP_NAME_IS || op == OP_NAME_IS_BARE;
}

/* ---- all words, by chain ---- */

static void add_rule(const struct rule *rule)
{
	bool is_mixed = rule->languages & (rule->languages - 1);
	size_t language = is_mixed ? LANGUAGES_MIXED : 0, len;

	while (!is_mixed && !(rule->languages >> language & 1))
		language++;
	for (const char *at = rule->words; *at; at += at[len] ? len + 1 : len) {
		struct word *w = &words[word_count];
		size_t bucket = ANYWHERE;

		len = strcspn(at, " ");
		if (word_count++ == WORDS_MAX || len > UINT8_MAX) {
			fprintf(stderr, "code_index_make: too many words, or "
					"too long a one\n");
			exit(1);
		}
		*w = (struct word){ .text = { at, len }, .rule = rule };
		if (is_start(rule->op) && len >= LONG_BYTES)
			bucket = long_start(w->text);
		else if (is_start(rule->op) && len > 1)
			bucket = short_start(w->text);
		else if (rule->op == OP_FILE_PREFIX ||
			 rule->op == OP_FILE_HAS ||
			 (rule->op == OP_FUNCTION_IN && *at != ':'))
			bucket = OF_FILES;
		w->chain = bucket * BUCKET_CHAINS + language;
	}
}

static int compare_words(const void *left, const void *right)
{
	const struct word *a = left, *b = right;

	if (a->chain != b->chain)
		return a->chain < b->chain ? -1 : 1;
	if (a->rule != b->rule)
		return a->rule < b->rule ? -1 : 1;
	return a->text.ptr < b->text.ptr ? -1 : 1;
}

/* ---- the tables ---- */

static void print_words(const char *name, const struct rule *first)
{
	size_t text = 0;

	printf("static const struct index_word %s_words[] = {", name);
	for (size_t i = 0; i < word_count; i++) {
		const struct word *w = &words[i];

		printf("{%zu,%td,%zu,%d},\n", text, w->rule - first,
		       w->text.len, letter_of(w->text.ptr[w->text.len - 1]));
		text += w->text.len;
	}
	puts("};");
}

static void print_index(const char *name, const struct rule *rules,
			size_t count)
{
	size_t first = 0;

	word_count = 0;
	for (size_t i = 0; i < count; i++)
		add_rule(&rules[i]);
	qsort(words, word_count, sizeof *words, compare_words);
	printf("static const char %s_text[] = {", name);
	for (size_t i = 0; i < word_count; i++)
		for (size_t j = 0; j < words[i].text.len; j++)
			printf("%d,", words[i].text.ptr[j]);
	puts("};");
	print_words(name, rules);
	printf("static const uint16_t %s_chains[] = {", name);
	for (size_t chain = 0; chain <= CHAINS; chain++) {
		while (first < word_count && words[first].chain < chain)
			first++;
		printf("%zu,", first);
	}
	puts("};");
	printf("static const uint64_t %s_letters[] = {", name);
	for (size_t i = 0; i < word_count; i++) {
		enum rule_op op = words[i].rule->op;
		uint64_t letters = is_start(op) ? 0 : letters_of(words[i].text);

		/* A function and its file are written with ':' between. */
		if (op == OP_FUNCTION_IN)
			letters &= ~letter_bit(':');
		if (words[i].chain >= ANYWHERE * BUCKET_CHAINS)
			printf("UINT64_C(%" PRIu64 "),", letters);
	}
	puts("};");
}

int main(void)
{
	print_index("origin", origins, COUNT_OF(origins));
	print_index("purpose", purposes, COUNT_OF(purposes));
	return ferror(stdout) || fclose(stdout);
}
