/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/code_kind.h"

#include <stdint.h>
#include <string.h>

#include "analyze/code_memo.h"
#include "base/ascii.h"

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
#include "base/count.h"
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

static bool may_begin(struct str text, char c)
{
	return text.len &&
	       (slash_as_dot(text.ptr[0]) == slash_as_dot(c) || c == '%');
}

/* Most words differ from a name in the first letter, and most of the time of
 * a classification went into the others. */
static bool may_match(const struct code_subject *s, enum rule_op op, char c)
{
	switch (op) {
	case OP_PKG:
		return may_begin(s->name, c) || may_begin(s->module, c);
	case OP_PKG_BARE:
	case OP_NAME_PREFIX:
	case OP_NAME_IS:
	case OP_NAME_IS_BARE:
		return may_begin(s->name, c);
	default:
		return true;
	}
}

static bool rule_matches(const struct code_subject *s, const struct rule *rule)
{
	const char *word = rule->words;

	if (!(s->languages & rule->languages))
		return false;
	while (*word) {
		const char *end = strchrnul(word, ' ');
		struct str text = { word, (size_t)(end - word) };

		if (may_match(s, rule->op, *word) &&
		    word_matches(s, rule->op, text))
			return true;
		word = *end ? end + 1 : end;
	}
	return false;
}

static const struct rule *rule_find(const struct rule *rules, size_t count,
				    const struct code_subject *s)
{
	for (size_t i = 0; i < count; i++)
		if (rule_matches(s, &rules[i]))
			return &rules[i];
	return NULL;
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
				   unsigned int profile_languages)
{
	const struct rule *rule = rule_find(origins, COUNT_OF(origins), s);
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
static const struct rule *purpose_find(const struct code_subject *s)
{
	const struct rule *rule = rule_find(purposes, COUNT_OF(purposes), s);
	size_t mark = str_find(s->name, STR("!"));
	struct code_subject inner = *s;

	if (rule || mark == SIZE_MAX || !(s->languages & LANGUAGE_DOTNET))
		return rule;
	inner.name = str_slice(s->name, mark + 1, s->name.len);
	return rule_find(purposes, COUNT_OF(purposes), &inner);
}

static struct code_class classify(const struct code_rules *rules,
				  struct str name, struct str file,
				  unsigned int profile_languages)
{
	struct code_subject s = code_subject_of(name, file);
	const struct code_rule *own;
	const struct rule *purpose;
	struct code_class out;
	char text[MANGLED_BYTES];

	code_subject_settle(&s, profile_languages, text);
	own = user_rule_find(rules, &s);
	if (own)
		return (struct code_class){ own->kind, false, false };
	out = origin_of(&s, profile_languages);
	if (out.kind == CODE_APPLICATION || out.is_kernel_entry)
		return out;
	purpose = purpose_find(&s);
	if (purpose) {
		out.kind = purpose->kind;
		out.is_leaf_only = purpose->is_leaf_only;
	}
	return out;
}

struct code_class code_classify(const struct code_rules *rules, struct str name,
				struct str file, unsigned int profile_languages)
{
	struct code_memo *memo = rules ? rules->memo : NULL;
	struct code_class out;

	if (memo && code_memo_find(memo, name, file, profile_languages, &out))
		return out;
	out = classify(rules, name, file, profile_languages);
	if (memo)
		code_memo_add(memo, name, file, profile_languages, &out);
	return out;
}
