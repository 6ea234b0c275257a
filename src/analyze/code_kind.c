/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/code_kind.h"

#include <stdint.h>
#include <string.h>
#include <threads.h>

#include "analyze/code_memo.h"
#include "base/ascii.h"
#include "base/count.h"

/* A row of code_rules.def: several words, one blank in between. */
struct rule {
	unsigned int languages;
	enum code_kind kind;
	enum rule_op op;
	const char *words;
	bool is_kernel_entry;
	bool is_leaf_only;
};

#define GO LANGUAGE_GO
#define JVM LANGUAGE_JVM
#define PYTHON LANGUAGE_PYTHON
#define NODE LANGUAGE_NODE
#define DOTNET LANGUAGE_DOTNET
#define RUBY LANGUAGE_RUBY
#define RUST LANGUAGE_RUST
#define NATIVE LANGUAGE_NATIVE
#define ANY LANGUAGE_ANY

#define RULE(languages, kind, op, words, is_kernel_entry, is_leaf_only)        \
	{                                                                      \
		languages, CODE_##kind,     OP_##op,                           \
		words,     is_kernel_entry, is_leaf_only                       \
	},
#define R(languages, kind, op, words)                                          \
	RULE(languages, kind, op, words, false, false)
#define E(languages, op, words) RULE(languages, KERNEL, op, words, true, false)
#define K(languages, kind, op, words)                                          \
	RULE(languages, kind, op, words, false, false)
#define W(languages, kind, op, words)                                          \
	RULE(languages, kind, op, words, false, true)

/* Whose code it is. */
static const struct rule origins[] = {
#include "analyze/code_rules.def"
};

/* What other people's code is for. */
static const struct rule purposes[] = {
#include "analyze/code_purposes.def"
};

static bool is_word(char c)
{
	return ascii_is_alnum(c) || c == '_' || c == '-';
}

static char slash_as_dot(char c)
{
	return c == '/' ? '.' : c;
}

static bool is_same_name(struct str text, struct str word)
{
	if (text.len != word.len)
		return false;
	for (size_t i = 0; i < word.len; i++)
		if (slash_as_dot(text.ptr[i]) != slash_as_dot(word.ptr[i]) &&
		    !(word.ptr[i] == '%' && text.ptr[i] == ' '))
			return false;
	return true;
}

/* Begins with the package, and something follows it that is no word;
 * "pg-1.5.4/lib/pg.rb" is a file of the package "pg". */
static bool is_in_package(struct str text, struct str package)
{
	char last = package.ptr[package.len - 1];
	char next;

	if (text.len <= package.len ||
	    !is_same_name(str_slice(text, 0, package.len), package))
		return false;
	next = text.ptr[package.len];
	if (next == '-' && text.len > package.len + 1 &&
	    ascii_is_digit(text.ptr[package.len + 1]))
		return true;
	return last == '-' || !is_word(next);
}

static bool str_matches(struct str text, struct str word)
{
	if (text.len != word.len)
		return false;
	for (size_t i = 0; i < word.len; i++)
		if (text.ptr[i] != (word.ptr[i] == '%' ? ' ' : word.ptr[i]))
			return false;
	return true;
}

/* "threading.py:wait": the function of a file, whatever path leads to it. */
static bool is_function_in(const struct code_subject *s, struct str word)
{
	size_t colon = str_find(word, STR(":"));
	struct str file = str_slice(word, 0, colon);
	struct str name = str_slice(word, colon + 1, word.len);

	if (!str_ends(s->file, file) || !str_ends(s->name, name))
		return false;
	if (s->file.len > file.len &&
	    s->file.ptr[s->file.len - file.len - 1] != '/')
		return false;
	return s->name.len == name.len ||
	       s->name.ptr[s->name.len - name.len - 1] == '.';
}

static bool word_matches(const struct code_subject *s, enum rule_op op,
			 struct str word)
{
	switch (op) {
	case OP_PKG:
		return is_in_package(s->name, word) ||
		       is_in_package(s->module, word);
	case OP_PKG_BARE:
		return s->file.len == 0 && is_in_package(s->name, word);
	case OP_NAME_PREFIX:
		return is_same_name(str_slice(s->name, 0, word.len), word);
	case OP_NAME_SUFFIX:
		return str_ends(s->name, word);
	case OP_NAME_IS:
		return is_same_name(s->name, word);
	case OP_NAME_IS_BARE:
		return s->file.len == 0 && is_same_name(s->name, word);
	case OP_NAME_HAS:
		return str_find(s->name, word) != SIZE_MAX;
	case OP_FILE_PREFIX:
		return str_matches(str_slice(s->file, 0, word.len), word);
	case OP_FILE_HAS:
		return str_find(s->file, word) != SIZE_MAX;
	case OP_FUNCTION_IN:
		return is_function_in(s, word);
	}
	return false;
}

/* ---- letters ---- */

/* The letters of a text, 64 bits for all of them. A word cannot match where
 * one of its letters is missing, which is so for most. */
static uint64_t letters_of(struct str text)
{
	uint64_t letters = 0;

	for (size_t i = 0; i < text.len; i++) {
		char c = slash_as_dot(text.ptr[i]);

		/* A word's '%' is a blank. */
		letters |= UINT64_C(1) << ((c == '%' ? ' ' : c) & 63);
	}
	return letters;
}

struct subject_letters {
	uint64_t name;
	uint64_t file; /* and of the module, which is a part of it */
};

static bool may_match(const struct subject_letters *have, enum rule_op op,
		      uint64_t letters)
{
	switch (op) {
	case OP_PKG:
		return !(letters & ~have->name) || !(letters & ~have->file);
	case OP_FILE_PREFIX:
	case OP_FILE_HAS:
		return !(letters & ~have->file);
	case OP_FUNCTION_IN:
		return !(letters & ~(have->name | have->file));
	default:
		return !(letters & ~have->name);
	}
}

/* ---- words by their first letter ---- */

/* Most words differ from a name in the first letter, so only those are tried
 * that begin as it does; words that may match elsewhere have a bucket of their
 * own, and so have those about files, which many functions lack. */
#define ANYWHERE 256
#define OF_FILES 257
#define BUCKETS (OF_FILES + 1)

struct word {
	struct str text;
	const struct rule *rule;
	uint64_t letters;
};

/* words[first[b]..first[b + 1]) are those of bucket b, in their order. */
struct word_index {
	const struct rule *rules;
	size_t rule_count;
	struct word *words;
	uint32_t first[BUCKETS + 1];
};

/* A word and what ends it take two bytes at least. */
#undef RULE
#define RULE(languages, kind, op, words, is_kernel_entry, is_leaf_only)        \
	+sizeof(words) / 2
enum {
	ORIGIN_WORDS = 0
#include "analyze/code_rules.def"
	,
	PURPOSE_WORDS = 0
#include "analyze/code_purposes.def"
};

static struct word origin_words[ORIGIN_WORDS];
static struct word purpose_words[PURPOSE_WORDS];
static struct word_index origin_index = { .rules = origins,
					  .rule_count = COUNT_OF(origins),
					  .words = origin_words };
static struct word_index purpose_index = { .rules = purposes,
					   .rule_count = COUNT_OF(purposes),
					   .words = purpose_words };

static size_t bucket_of_letter(char c)
{
	return (unsigned char)slash_as_dot(c);
}

static size_t bucket_of(const struct word *w)
{
	switch (w->rule->op) {
	case OP_PKG:
	case OP_PKG_BARE:
	case OP_NAME_PREFIX:
	case OP_NAME_IS:
	case OP_NAME_IS_BARE:
		return w->text.ptr[0] == '%' ? ANYWHERE
					     : bucket_of_letter(w->text.ptr[0]);
	case OP_FILE_PREFIX:
	case OP_FILE_HAS:
		return OF_FILES;
	case OP_FUNCTION_IN:
		return w->text.ptr[0] == ':' ? ANYWHERE : OF_FILES;
	default:
		return ANYWHERE;
	}
}

/* A function and its file are written with ':' between. */
static uint64_t letters_of_word(const struct word *w)
{
	uint64_t letters = letters_of(w->text);

	return w->rule->op == OP_FUNCTION_IN ? letters & ~letters_of(STR(":"))
					     : letters;
}

/* *at is behind the last word; false at the end of the rule. */
static bool next_word(const char **at, struct word *w)
{
	const char *end = strchrnul(*at, ' ');

	w->text = (struct str){ *at, (size_t)(end - *at) };
	*at = *end ? end + 1 : end;
	return w->text.len > 0;
}

/* Once to count, once to put into place: then first[] ends one bucket early
 * and is moved up. */
static void index_fill(struct word_index *x)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < x->rule_count; i++) {
		struct word w = { .rule = &x->rules[i] };

		for (const char *at = w.rule->words; next_word(&at, &w);)
			x->first[bucket_of(&w)]++;
	}
	for (size_t b = 0; b <= BUCKETS; b++) {
		uint32_t count = x->first[b];

		x->first[b] = sum;
		sum += count;
	}
	for (size_t i = 0; i < x->rule_count; i++) {
		struct word w = { .rule = &x->rules[i] };

		for (const char *at = w.rule->words; next_word(&at, &w);) {
			w.letters = letters_of_word(&w);
			x->words[x->first[bucket_of(&w)]++] = w;
		}
	}
	memmove(x->first + 1, x->first, BUCKETS * sizeof *x->first);
	x->first[0] = 0;
}

static void fill_indexes(void)
{
	index_fill(&origin_index);
	index_fill(&purpose_index);
}

/* The first rule of a bucket that matches, if it comes before `best`. */
static const struct rule *bucket_find(const struct word_index *x, size_t bucket,
				      const struct code_subject *s,
				      const struct subject_letters *letters,
				      const struct rule *best)
{
	for (uint32_t i = x->first[bucket]; i < x->first[bucket + 1]; i++) {
		const struct word *w = &x->words[i];

		if (best && w->rule >= best)
			break;
		if ((s->languages & w->rule->languages) &&
		    may_match(letters, w->rule->op, w->letters) &&
		    word_matches(s, w->rule->op, w->text))
			return w->rule;
	}
	return best;
}

static const struct rule *rule_find(const struct word_index *x,
				    const struct code_subject *s,
				    const struct subject_letters *letters)
{
	const struct rule *best = NULL;
	size_t name = ANYWHERE, module = ANYWHERE;

	if (s->name.len) {
		name = bucket_of_letter(s->name.ptr[0]);
		best = bucket_find(x, name, s, letters, best);
	}
	if (s->module.len)
		module = bucket_of_letter(s->module.ptr[0]);
	if (module != ANYWHERE && module != name)
		best = bucket_find(x, module, s, letters, best);
	if (s->file.len)
		best = bucket_find(x, OF_FILES, s, letters, best);
	return bucket_find(x, ANYWHERE, s, letters, best);
}

static const struct code_rule *user_rule_find(const struct code_rules *rules,
					      const struct code_subject *s)
{
	for (size_t i = 0; rules && i < rules->count; i++)
		if ((s->languages & rules->items[i].languages) &&
		    word_matches(s, rules->items[i].op, rules->items[i].text))
			return &rules->items[i];
	return NULL;
}

/* Code of an interpreter or a virtual machine shows as C or C++. */
static bool is_beneath_managed(const struct code_subject *s,
			       unsigned int profile)
{
	unsigned int managed = LANGUAGE_JVM | LANGUAGE_PYTHON | LANGUAGE_NODE |
			       LANGUAGE_DOTNET | LANGUAGE_RUBY;
	unsigned int others = profile & ~(unsigned int)LANGUAGE_NATIVE;

	return (profile & managed) && (s->languages & LANGUAGE_NATIVE) &&
	       !(s->languages & others);
}

/* Every Go function of a package has a dot; assembler and C do not. */
static bool is_bare_in_go(const struct code_subject *s)
{
	return s->languages == LANGUAGE_GO &&
	       str_find(s->name, STR(".")) == SIZE_MAX;
}

static struct code_class origin_of(const struct code_subject *s,
				   const struct subject_letters *letters,
				   unsigned int profile_languages)
{
	const struct rule *rule = rule_find(&origin_index, s, letters);
	struct code_class out = { CODE_APPLICATION, false, false };

	if (rule) {
		out.kind = rule->kind;
		out.is_kernel_entry = rule->is_kernel_entry;
	} else if (is_beneath_managed(s, profile_languages) ||
		   is_bare_in_go(s)) {
		out.kind = CODE_RUNTIME;
	}
	return out;
}

/* .NET puts the assembly in front: "System.Private.CoreLib!System.GC.Run". */
static const struct rule *purpose_find(const struct code_subject *s,
				       const struct subject_letters *letters)
{
	const struct rule *rule = rule_find(&purpose_index, s, letters);
	size_t mark = str_find(s->name, STR("!"));
	struct code_subject inner = *s;

	if (rule || mark == SIZE_MAX || !(s->languages & LANGUAGE_DOTNET))
		return rule;
	inner.name = str_slice(s->name, mark + 1, s->name.len);
	return rule_find(&purpose_index, &inner, letters);
}

static struct code_class classify(const struct code_rules *rules,
				  struct str name, struct str file,
				  unsigned int profile_languages)
{
	struct code_subject s = code_subject_of(name, file);
	const struct code_rule *own;
	const struct rule *purpose;
	struct subject_letters letters;
	struct code_class out;
	char text[MANGLED_BYTES];

	code_subject_settle(&s, profile_languages, text);
	own = user_rule_find(rules, &s);
	if (own)
		return (struct code_class){ own->kind, false, false };
	letters.name = letters_of(s.name);
	letters.file = letters_of(s.file);
	out = origin_of(&s, &letters, profile_languages);
	if (out.kind == CODE_APPLICATION || out.is_kernel_entry)
		return out;
	purpose = purpose_find(&s, &letters);
	if (purpose) {
		out.kind = purpose->kind;
		out.is_leaf_only = purpose->is_leaf_only;
	}
	return out;
}

struct code_class code_classify(const struct code_rules *rules, struct str name,
				struct str file, unsigned int profile_languages)
{
	static once_flag are_filled = ONCE_FLAG_INIT;
	struct code_memo *memo = rules ? rules->memo : NULL;
	struct code_class out;

	call_once(&are_filled, fill_indexes);
	if (memo && code_memo_find(memo, name, file, profile_languages, &out))
		return out;
	out = classify(rules, name, file, profile_languages);
	if (memo)
		code_memo_add(memo, name, file, profile_languages, &out);
	return out;
}
