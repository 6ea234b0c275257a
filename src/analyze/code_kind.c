/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/code_kind.h"

#include <stdint.h>
#include <string.h>

#include "analyze/code_index.h"
#include "base/num.h"
#include "base/str.h"

/* Made of the rules by code_index_make.c. */
#include "analyze/code_index.inc"

/* A row of code_rules.def; the index has its words. */
struct rule {
	uint16_t languages;
	uint8_t kind;
	uint8_t op;
	bool is_kernel_entry;
	bool is_leaf_only;
};

#define RULE(languages, kind, op, words, is_kernel_entry, is_leaf_only)        \
	{ languages, CODE_##kind, OP_##op, is_kernel_entry, is_leaf_only },

/* Whose code it is. */
static const struct rule origins[] = {
#include "analyze/code_rules.def"
};

/* The purpose of third-party code. */
static const struct rule purposes[] = {
#include "analyze/code_purposes.def"
};

#define RULE_NONE UINT16_MAX

_Static_assert(COUNT_OF(origins) < RULE_NONE && COUNT_OF(purposes) < RULE_NONE,
	       "numbers of rules fit two bytes");

struct rules {
	const struct rule *rows;
	struct word_index index;
};

static const struct rules origin_rules = {
	origins,
	{ origin_text, origin_words, origin_chains, origin_letters },
};

static const struct rules purpose_rules = {
	purposes,
	{ purpose_text, purpose_words, purpose_chains, purpose_letters },
};

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
	return last == '-' ||
	       !(ascii_is_alnum(next) || next == '_' || next == '-');
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

/* ---- words by their letters ---- */

/* A word cannot match where one of its letters is missing, which is so for
 * most. */
struct subject_letters {
	uint64_t name;
	uint64_t file; /* and of the module, which is a part of it */
};

/* Returns whether a text that begins with the word has its last letter there.
 */
static bool may_begin(struct str text, const struct index_word *w)
{
	return text.len >= w->len && letter_of(text.ptr[w->len - 1]) == w->last;
}

static bool may_match(const struct code_subject *s,
		      const struct subject_letters *letters,
		      const struct rules *rules, uint32_t i)
{
	const struct index_word *w = &rules->index.words[i];
	size_t first = rules->index.chains[ANYWHERE * BUCKET_CHAINS];

	switch (rules->rows[w->rule].op) {
	case OP_PKG:
		return may_begin(s->name, w) || may_begin(s->module, w);
	case OP_PKG_BARE:
	case OP_NAME_PREFIX:
	case OP_NAME_IS:
	case OP_NAME_IS_BARE:
		return may_begin(s->name, w);
	case OP_FILE_PREFIX:
	case OP_FILE_HAS:
		return !(rules->index.letters[i - first] & ~letters->file);
	case OP_FUNCTION_IN:
		return !(rules->index.letters[i - first] &
			 ~(letters->name | letters->file));
	default:
		return !(rules->index.letters[i - first] & ~letters->name);
	}
}

/* The first rule of a chain that matches, if it comes before `best`. */
static uint16_t chain_find(const struct rules *rules, size_t chain,
			   const struct code_subject *s,
			   const struct subject_letters *letters, uint16_t best)
{
	const struct word_index *x = &rules->index;

	for (uint32_t i = x->chains[chain]; i < x->chains[chain + 1]; i++) {
		const struct index_word *w = &x->words[i];
		const struct rule *rule = &rules->rows[w->rule];
		struct str text = { x->text + w->text, w->len };

		if (w->rule >= best)
			break;
		if (may_match(s, letters, rules, i) &&
		    (s->languages & rule->languages) &&
		    word_matches(s, (enum rule_op)rule->op, text))
			return w->rule;
	}
	return best;
}

static uint16_t bucket_find(const struct rules *rules, size_t bucket,
			    const struct code_subject *s,
			    const struct subject_letters *letters,
			    uint16_t best)
{
	size_t first = bucket * BUCKET_CHAINS;

	for (unsigned int i = 0; i < LANGUAGE_COUNT; i++)
		if (s->languages >> i & 1)
			best = chain_find(rules, first + i, s, letters, best);
	return chain_find(rules, first + LANGUAGES_MIXED, s, letters, best);
}

/* Searches the words with the same first letters as the name. */
static uint16_t start_find(const struct rules *rules, struct str text,
			   const struct code_subject *s,
			   const struct subject_letters *letters, uint16_t best)
{
	if (text.len > 1)
		best = bucket_find(rules, short_start(text), s, letters, best);
	if (text.len >= LONG_BYTES)
		best = bucket_find(rules, long_start(text), s, letters, best);
	return best;
}

/* NULL when there is none. */
static const struct rule *rule_find(const struct rules *rules,
				    const struct code_subject *s,
				    const struct subject_letters *letters)
{
	uint16_t best = start_find(rules, s->name, s, letters, RULE_NONE);

	best = start_find(rules, s->module, s, letters, best);
	if (s->file.len)
		best = bucket_find(rules, OF_FILES, s, letters, best);
	best = bucket_find(rules, ANYWHERE, s, letters, best);
	return best == RULE_NONE ? NULL : &rules->rows[best];
}

bool code_is_address(struct str name)
{
	size_t i = 2;

	if (!str_starts(name, STR("0x")))
		return false;
	while (i < name.len &&
	       (ascii_is_hex(name.ptr[i]) || name.ptr[i] == '?'))
		i++;
	return i > 2 && i == name.len;
}

static struct code_class origin_of(const struct code_subject *s,
				   const struct subject_letters *letters,
				   unsigned int profile_languages)
{
	static const unsigned int managed = LANGUAGE_JVM | LANGUAGE_PYTHON |
					    LANGUAGE_NODE | LANGUAGE_DOTNET |
					    LANGUAGE_RUBY;
	const struct rule *rule = rule_find(&origin_rules, s, letters);
	unsigned int others =
		profile_languages & ~(unsigned int)LANGUAGE_NATIVE;
	struct code_class out = { CODE_APPLICATION, false, false };

	if (rule) {
		out.kind = (enum code_kind)rule->kind;
		out.is_kernel_entry = rule->is_kernel_entry;
	} else if (code_is_address(s->name)) {
		out.kind = CODE_UNKNOWN;
	} else if ((profile_languages & managed) &&
		   (s->languages & LANGUAGE_NATIVE) &&
		   !(s->languages & others)) {
		/* Code of an interpreter or a virtual machine shows as C or
		 * C++. */
		out.kind = CODE_RUNTIME;
	} else if (s->languages == LANGUAGE_GO &&
		   str_find(s->name, STR(".")) == SIZE_MAX &&
		   !str_ends(s->file, STR(".go"))) {
		/* Every Go function of a package has a dot; assembler and C do
		 * not. With a Go file the profiler left the package out;
		 * without a file it may be anything. */
		out.kind = s->file.len ? CODE_RUNTIME : CODE_UNKNOWN;
	}
	return out;
}

struct code_class code_classify_subject(const struct code_rules *rules,
					const struct code_subject *subject,
					unsigned int profile_languages)
{
	struct code_subject s = *subject;
	const struct rule *purpose;
	struct subject_letters letters;
	struct code_class out;
	char text[MANGLED_BYTES];
	size_t mark;

	code_subject_settle(&s, profile_languages, text);
	for (size_t i = 0; rules && i < rules->count; i++) {
		const struct code_rule *own = &rules->items[i];

		if ((s.languages & own->languages) &&
		    word_matches(&s, own->op, own->text))
			return (struct code_class){ own->kind, false, false };
	}
	letters.name = letters_of(s.name);
	letters.file = letters_of(s.file);
	out = origin_of(&s, &letters, profile_languages);
	if (out.kind == CODE_APPLICATION || out.is_kernel_entry)
		return out;
	purpose = rule_find(&purpose_rules, &s, &letters);
	/* .NET puts the assembly in front:
	 * "System.Private.CoreLib!System.GC.Run". */
	mark = str_find(s.name, STR("!"));
	if (!purpose && mark != SIZE_MAX && (s.languages & LANGUAGE_DOTNET)) {
		s.name = str_slice(s.name, mark + 1, s.name.len);
		purpose = rule_find(&purpose_rules, &s, &letters);
	}
	if (purpose) {
		out.kind = (enum code_kind)purpose->kind;
		out.is_leaf_only = purpose->is_leaf_only;
	}
	return out;
}

struct code_class code_classify(const struct code_rules *rules, struct str name,
				struct str file, unsigned int profile_languages)
{
	struct code_subject subject = code_subject_of(name, file);

	return code_classify_subject(rules, &subject, profile_languages);
}
